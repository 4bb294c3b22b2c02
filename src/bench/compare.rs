//! Compares two runs and distinguishes changes from noise.

use super::entry::LogEntry;
use super::harness::median;
use super::results::{ResultTable, Row, time};
use crate::units::grouped;

/// Smaller differences are never reported as changes: the same binary varies by as much between runs, because
/// its memory layout differs.
const LEAST: f64 = 0.05;

/// With fewer rows than this in common, little can be said about the noise between two runs.
const FEW_ROWS: usize = 8;

/// If all rows differ in speed by at most this much, assume that the machine is the cause, not the code.
const MOST_SHIFT: f64 = 0.25;

/// How many times the usual deviation of a row a change must exceed. Of rows that did not change, fewer than one in a
/// hundred deviate by as much, if deviations are normally distributed.
const DEVIATIONS: f64 = 3.0;

/// Percentage of time that some task waited for a CPU, above which the machine was too busy to compare times.
const MOST_PRESSURE: f64 = 20.0;

/// A larger difference of these percentages makes two runs incomparable.
const MOST_PRESSURE_CHANGE: f64 = 10.0;

/// Why the times of two runs cannot be compared, if other work on the machine is to blame.
pub fn busy(before: &LogEntry, after: &LogEntry) -> Option<String> {
    let (before, after) = (before.pressure()?, after.pressure()?);
    let is_busy = before.max(after) > MOST_PRESSURE;
    (is_busy || (before - after).abs() > MOST_PRESSURE_CHANGE).then(|| {
        format!(
            "no row is called faster or slower: tasks waited for a CPU {before:.0} % of the time in one run and \
             {after:.0} % in the other"
        )
    })
}

/// How two runs differ although the code is the same: the machine can be slower as a whole, and each row deviates from
/// that by some amount. As long as most rows have not changed, both can be seen in the growth of all rows. Growth is
/// the natural logarithm of the ratio of medians.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Noise {
    /// The median growth.
    shift: f64,
    /// Growth that deviates from `shift` by less is noise.
    floor: f64,
}

impl Noise {
    /// Any growth may be noise.
    const UNKNOWN: Self = Self {
        shift: 0.0,
        floor: f64::INFINITY,
    };

    fn of(changes: &[Change]) -> Self {
        let growth = changes
            .iter()
            .filter_map(|change| Some(change.growth()?.ln_1p()));
        let mut growth: Vec<f64> = growth.collect();
        if growth.len() < FEW_ROWS {
            return Self {
                shift: 0.0,
                floor: (2.0 * LEAST).ln_1p(),
            };
        }
        let shift = median(&mut growth);
        let mut deviations: Vec<f64> = growth.iter().map(|one| (one - shift).abs()).collect();
        let deviation = median(&mut deviations);
        // 1.4826 times the median deviation is the standard deviation of a normal distribution.
        let floor = DEVIATIONS * 1.4826 * deviation;
        Self {
            shift: shift.clamp(-MOST_SHIFT, MOST_SHIFT),
            floor: floor.max(LEAST.ln_1p()),
        }
    }

    /// True if neither the machine as a whole nor the usual deviation explains a growth.
    fn is_exceeded_by(self, growth: f64) -> bool {
        let growth = growth.ln_1p();
        let rest = growth - self.shift;
        growth.abs() > self.floor && rest.abs() > self.floor && growth.signum() == rest.signum()
    }
}

/// A row measured in two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Table and row: `bars, 2,000 rows / v1 encode plain`.
    pub name: String,
    /// The noise between the two runs.
    noise: Noise,
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

    /// True if the change is larger than noise explains, within a run and between the two: the confidence intervals of
    /// the medians do not overlap, the best samples changed in the same direction, and the other rows of the two runs
    /// did not change by as much.
    pub fn is_beyond_noise(&self) -> bool {
        let (Some(before), Some(after), Some(growth)) =
            (self.before.timing, self.after.timing, self.growth())
        else {
            return false;
        };
        let apart = after.low > before.high || before.low > after.high;
        let best = after.best / before.best.max(1e-9) - 1.0;
        apart
            && self.noise.is_exceeded_by(growth)
            && best.abs() >= LEAST
            && best.signum() == growth.signum()
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
pub fn changes(before: &LogEntry, after: &LogEntry) -> Vec<Change> {
    let pairs = rows(after).filter_map(|(title, after)| {
        let mut same =
            rows(before).filter(|(other, row)| *other == title && row.name == after.name);
        let (_, before) = same.next()?;
        Some(Change {
            name: row_name(title, &after.name),
            noise: Noise::UNKNOWN,
            before: before.clone(),
            after: after.clone(),
        })
    });
    let mut changes: Vec<Change> = pairs.collect();
    if busy(before, after).is_none() {
        let noise = Noise::of(&changes);
        for change in &mut changes {
            change.noise = noise;
        }
    }
    changes
}

/// Sets the change from the baseline in each row of `entry`.
pub fn record_changes(entry: &mut LogEntry, baseline: &LogEntry) {
    let changes = changes(baseline, entry);
    entry.notes.extend(busy(baseline, entry));
    for ResultTable { title, rows } in &mut entry.tables {
        for row in rows {
            let name = row_name(title, &row.name);
            let change = changes.iter().find(|change| change.name == name);
            row.delta = change.map_or_else(String::new, Change::summary);
        }
    }
}

/// The name of a row outside its table.
pub fn row_name(title: &str, row: &str) -> String {
    format!("{title} / {row}")
}

/// The rows of all tables, each with the title of its table.
fn rows(entry: &LogEntry) -> impl Iterator<Item = (&str, &Row)> {
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

    fn entry(rows: Vec<Row>) -> LogEntry {
        let named = rows.into_iter().enumerate().map(|(at, row)| Row {
            name: at.to_string(),
            ..row
        });
        LogEntry {
            tables: vec![ResultTable {
                rows: named.collect(),
                ..ResultTable::default()
            }],
            ..LogEntry::default()
        }
    }

    fn words(before: Row, after: Row) -> String {
        changes(&entry(vec![before]), &entry(vec![after]))[0].summary()
    }

    /// How many of 40 rows are reported as changed if their medians grow by these factors.
    fn reported(growth: impl Fn(usize) -> f64) -> usize {
        let base = |factor: f64| {
            row(
                7,
                95.0 * factor,
                98.0 * factor,
                100.0 * factor,
                102.0 * factor,
            )
        };
        let before = entry((0..40).map(|_| base(1.0)).collect());
        let after = entry((0..40).map(|at| base(growth(at))).collect());
        let changes = changes(&before, &after);
        changes
            .iter()
            .filter(|change| change.is_beyond_noise())
            .count()
    }

    #[test]
    fn what_happens_to_all_rows_is_noise() {
        // A machine that is slower as a whole, and rows that deviate by up to 8 %.
        assert_eq!(reported(|_| 1.15), 0);
        let noisy = |at: usize| 0.9 + (at * 7 % 40) as f64 * 0.004;
        assert_eq!(reported(noisy), 0);
        // Five rows that change by more than that, in either direction.
        let with = |factor: f64| move |at: usize| noisy(at) * if at < 5 { factor } else { 1.0 };
        assert_eq!(reported(with(1.6)), 5);
        assert_eq!(reported(with(0.6)), 5);
        // A difference in all rows that is too large to be caused by the machine.
        assert_eq!(reported(|_| 0.5), 40);
    }

    #[test]
    fn nothing_is_reported_of_a_busy_machine() {
        let loaded = |pressure: &str, factor: f64| {
            let rows = vec![row(7, 95.0, 98.0, 100.0, 102.0); 20];
            let mut entry = entry(rows);
            for row in &mut entry.tables[0].rows[..2] {
                let timing = row.timing.as_mut().unwrap();
                let all = [
                    &mut timing.best,
                    &mut timing.low,
                    &mut timing.median,
                    &mut timing.high,
                ];
                for time in all {
                    *time *= factor;
                }
            }
            let load = format!("0.10 0.20 0.30{pressure}");
            entry.facts.push(("Load after".to_owned(), load));
            entry
        };
        for (before, after, expected) in [
            (", CPU pressure 0.50 %", ", CPU pressure 7.25 %", 2),
            (", CPU pressure 0.50 %", ", CPU pressure 12.00 %", 0),
            (", CPU pressure 70.00 %", ", CPU pressure 70.00 %", 0),
            // An unknown pressure.
            ("", ", CPU pressure 70.00 %", 2),
        ] {
            let (before, mut after) = (loaded(before, 1.0), loaded(after, 1.5));
            record_changes(&mut after, &before);
            let rows = after.tables[0].rows.iter();
            let reported = rows.filter(|row| row.delta.contains("slower")).count();
            assert_eq!(reported, expected);
            assert_eq!(after.notes.len(), usize::from(expected == 0));
            assert!(after.tables[0].rows[0].delta.starts_with("+50.0 %"));
        }
    }

    #[test]
    fn only_differences_beyond_noise_are_reported_as_changes() {
        let base = || row(7, 95.0, 98.0, 100.0, 102.0);
        for (after, text) in [
            (row(7, 115.0, 118.0, 120.0, 122.0), "+20.0 % slower"),
            (row(7, 75.0, 78.0, 80.0, 82.0), "-20.0 % faster"),
            // The intervals touch.
            (row(7, 99.0, 101.0, 108.0, 115.0), "+8.0 %"),
            // With a single row, nothing is known about the noise between runs.
            (row(7, 103.0, 106.0, 108.0, 110.0), "+8.0 %"),
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
