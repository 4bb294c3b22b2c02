//! Compares two runs and distinguishes changes from noise.

use super::entry::Entry;
use super::results::{Row, Table, time};
use crate::units::grouped;

/// Smaller differences are never reported as changes: the same binary varies by as much between runs, because
/// its memory layout differs.
const LEAST: f64 = 0.05;

/// A row measured in two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Table and row: `bars, 2,000 rows / v1 encode plain`.
    pub name: String,
    /// Before.
    pub before: Row,
    /// After.
    pub after: Row,
}

impl Change {
    /// The relative growth of the median.
    pub fn growth(&self) -> Option<f64> {
        let (before, after) = (self.before.timing?, self.after.timing?);
        (before.median > 0.0).then(|| after.median / before.median - 1.0)
    }

    /// True if the change is larger than noise explains: the confidence intervals of the medians do not overlap,
    /// and the best samples changed in the same direction.
    pub fn is_beyond_noise(&self) -> bool {
        let (Some(before), Some(after), Some(growth)) =
            (self.before.timing, self.after.timing, self.growth())
        else {
            return false;
        };
        let apart = after.low > before.high || before.low > after.high;
        let best = after.best / before.best.max(1e-9) - 1.0;
        apart && growth.abs() >= LEAST && best.abs() >= LEAST && best.signum() == growth.signum()
    }

    /// A short description: `+12.3 % slower`, `-0.4 %`, `bytes +7`.
    pub fn summary(&self) -> String {
        let mut words = Vec::new();
        if let (Some(before), Some(after)) = (self.before.bytes, self.after.bytes)
            && before != after
        {
            let sign = if after > before { '+' } else { '-' };
            words.push(format!("bytes {sign}{}", grouped(before.abs_diff(after))));
        }
        if let Some(growth) = self.growth() {
            let verdict = match (self.is_beyond_noise(), growth > 0.0) {
                (false, _) => "",
                (true, true) => " slower",
                (true, false) => " faster",
            };
            words.push(format!("{:+.1} %{verdict}", 100.0 * growth));
        }
        if let (Some(before), Some(after)) = (self.before.calls, self.after.calls) {
            let calls = after.allocs + after.reallocs - before.allocs - before.reallocs;
            if calls.abs() >= 0.005 {
                words.push(format!("allocs {calls:+.2}"));
            }
        }
        words.join(", ")
    }

    /// The formatted medians.
    pub fn medians(&self) -> [String; 2] {
        [&self.before, &self.after].map(|row| {
            let median = row.timing.map(|timing| time(timing.median));
            median.unwrap_or_default()
        })
    }
}

/// The rows that both entries have, in the order of `after`.
pub fn changes(before: &Entry, after: &Entry) -> Vec<Change> {
    rows(after)
        .filter_map(|(title, row)| change(before, title, row))
        .collect()
}

/// Sets the change from the baseline in each row of `entry`.
pub fn record_changes(entry: &mut Entry, baseline: &Entry) {
    for Table { title, rows } in &mut entry.tables {
        for row in rows {
            row.delta =
                change(baseline, title, row).map_or_else(String::new, |change| change.summary());
        }
    }
}

/// The name of a row outside its table.
pub fn row_name(title: &str, row: &str) -> String {
    format!("{title} / {row}")
}

fn change(before: &Entry, title: &str, after: &Row) -> Option<Change> {
    let mut same = rows(before).filter(|(other, row)| *other == title && row.name == after.name);
    let (_, before) = same.next()?;
    Some(Change {
        name: row_name(title, &after.name),
        before: before.clone(),
        after: after.clone(),
    })
}

/// The rows of all tables, each with the title of its table.
fn rows(entry: &Entry) -> impl Iterator<Item = (&str, &Row)> {
    let tables = entry.tables.iter();
    tables.flat_map(|table| table.rows.iter().map(|row| (&*table.title, row)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::harness::Timing;

    fn row(bytes: u64, best: f64, low: f64, median: f64, high: f64) -> Row {
        Row {
            bytes: Some(bytes),
            timing: Some(Timing {
                median,
                best,
                p99: high,
                low,
                high,
                samples: 30,
            }),
            ..Row::default()
        }
    }

    fn words(before: Row, after: Row) -> String {
        let name = String::new();
        Change {
            name,
            before,
            after,
        }
        .summary()
    }

    #[test]
    fn only_differences_beyond_noise_are_reported_as_changes() {
        let base = || row(7, 95.0, 98.0, 100.0, 102.0);
        for (after, text) in [
            (row(7, 115.0, 118.0, 120.0, 122.0), "+20.0 % slower"),
            (row(7, 75.0, 78.0, 80.0, 82.0), "-20.0 % faster"),
            // The intervals touch.
            (row(7, 99.0, 101.0, 108.0, 115.0), "+8.0 %"),
            // A busy machine: the best sample has not changed.
            (row(7, 95.5, 115.0, 120.0, 130.0), "+20.0 %"),
            // The intervals do not overlap, but the difference is too small.
            (row(7, 98.0, 102.1, 102.2, 102.3), "+2.2 %"),
            (row(9, 95.0, 98.0, 100.0, 102.0), "bytes +2, +0.0 %"),
        ] {
            assert_eq!(words(base(), after), text);
        }
        assert_eq!(words(Row::default(), row(7, 1.0, 1.0, 1.0, 1.0)), "");
    }
}
