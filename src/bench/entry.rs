//! A log entry: one run of one suite.

use std::fmt::Write as _;

use serde::Deserialize as _;
use serde_json::{Value, json};

use super::harness::Timing;
use super::results::{ResultTable, Row};

/// The start of an entry's heading.
const HEADING: &str = "## ";
const TITLE: &str = "### ";
/// Repeats the date of the heading.
const DATE: &str = "Date (UTC)";
/// A key of [`LogEntry::facts`] that must be equal for times to be comparable.
pub const MACHINE: &str = "Machine";
/// See [`MACHINE`].
pub const PROFILE: &str = "Profile";
/// Keys for the load before and after the run, as [`super::machine::load`] reports it.
pub const LOADS: [&str; 2] = ["Load before", "Load after"];

/// The results of a suite, and how they were measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogEntry {
    /// When the run started: `2026-11-21T14:57:03Z`.
    pub date: String,
    /// The suite.
    pub suite: String,
    /// Machine, build, command and so on, in order.
    pub facts: Vec<(String, String)>,
    /// Notes that help to interpret the figures.
    pub notes: Vec<String>,
    /// The verdict of a gate, if there was one: `PASS: ...` or `FAIL: ...`.
    pub verdict: Option<String>,
    /// The figures.
    pub tables: Vec<ResultTable>,
}

impl LogEntry {
    /// The value of a fact.
    pub fn fact(&self, key: &str) -> Option<&str> {
        let fact = self.facts.iter().find(|(name, _)| name == key);
        fact.map(|(_, value)| value.as_str())
    }

    /// True if the times of both can be compared: same machine, same profile.
    pub fn is_comparable(&self, other: &Self) -> bool {
        let mut keys = [MACHINE, PROFILE].into_iter();
        keys.all(|key| self.fact(key) == other.fact(key))
    }

    /// The percentage of time that some task waited for a CPU, the larger of before and after the run, if known.
    pub fn pressure(&self) -> Option<f64> {
        let loads = LOADS.into_iter().filter_map(|key| self.fact(key));
        loads.filter_map(super::machine::pressure).reduce(f64::max)
    }

    /// Adds the timings of other processes that measured the same rows.
    pub fn join(&mut self, others: &[Self]) {
        for table in &mut self.tables {
            for row in &mut table.rows {
                let tables = others.iter().flat_map(|other| &other.tables);
                let tables = tables.filter(|other| other.title == table.title);
                let same = tables.flat_map(|table| &table.rows);
                let same: Vec<Row> = same
                    .filter(|other| other.name == row.name)
                    .cloned()
                    .collect();
                let all = || same.iter().chain([&*row]);
                let timing = Timing::of_processes(all().filter_map(|row| row.timing).collect());
                let Some(timing) = timing else {
                    continue;
                };
                // The rate must belong to the row with the median.
                let is_middle = |row: &&Row| {
                    row.timing
                        .is_some_and(|own| own.median.total_cmp(&timing.median).is_eq())
                };
                let rate = all().find(is_middle).map(|row| row.rate.clone());
                row.timing = Some(timing);
                row.rate = rate.unwrap_or_default();
            }
        }
    }

    /// The entry as Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("{HEADING}{} {}\n\n", self.date, self.suite);
        let date = std::iter::once((DATE, &self.date));
        let facts = self.facts.iter().map(|(key, value)| (key.as_str(), value));
        let notes = self.notes.iter().map(|note| ("Note", note));
        let verdict = self.verdict.iter().map(|verdict| ("Verdict", verdict));
        for (key, value) in date.chain(facts).chain(notes).chain(verdict) {
            let _ = writeln!(out, "- {key}: {}", one_line(value));
        }
        for table in &self.tables {
            let _ = writeln!(out, "\n{TITLE}{}\n", one_line(&table.title));
            out.push_str(&table.table().markdown());
        }
        out
    }

    /// Parses the first entry in some Markdown; `None` if no heading starts one.
    pub fn read(markdown: &str) -> Option<Self> {
        let mut lines = markdown.lines().peekable();
        let heading = lines.find_map(|line| line.strip_prefix(HEADING))?;
        let (date, suite) = heading.split_once(' ')?;
        let mut entry = Self {
            date: date.to_owned(),
            suite: suite.to_owned(),
            ..Self::default()
        };
        while let Some(line) = lines.next() {
            if let Some(title) = line.strip_prefix(TITLE) {
                while lines.next_if(|line| line.is_empty()).is_some() {}
                let table = std::iter::from_fn(|| lines.next_if(|line| line.starts_with('|')));
                entry.tables.extend(ResultTable::read(title, table));
            } else if let Some((key, value)) = fact(line) {
                match key {
                    DATE => {}
                    "Note" => entry.notes.push(value.to_owned()),
                    "Verdict" => entry.verdict = Some(value.to_owned()),
                    _ => entry.facts.push((key.to_owned(), value.to_owned())),
                }
            }
        }
        Some(entry)
    }

    /// The entry as JSON.
    pub fn document(&self) -> Value {
        let facts: serde_json::Map<_, _> = self
            .facts
            .iter()
            .map(|(key, value)| (snake_case(key), json!(value)))
            .collect();
        json!({
            "date": self.date,
            "suite": self.suite,
            "facts": facts,
            "notes": self.notes,
            "verdict": self.verdict,
            "tables": self.tables.iter().map(ResultTable::document).collect::<Vec<_>>(),
        })
    }

    /// Reads what [`Self::document`] wrote, as far as needed to compare figures.
    pub fn from_document(document: &Value) -> Option<Self> {
        let text = |key: &str| document[key].as_str().map(str::to_owned);
        let tables = document["tables"].as_array()?.iter();
        let keys = [MACHINE, PROFILE].into_iter().chain(LOADS);
        let comparable = keys.filter_map(|key| {
            let value = document["facts"][snake_case(key)].as_str()?;
            Some((key.to_owned(), value.to_owned()))
        });
        Some(Self {
            date: text("date")?,
            suite: text("suite")?,
            facts: comparable.collect(),
            verdict: text("verdict"),
            tables: tables
                .map(|table| ResultTable::deserialize(table).ok())
                .collect::<Option<_>>()?,
            ..Self::default()
        })
    }
}

/// A JSON key.
fn snake_case(key: &str) -> String {
    key.to_lowercase().replace(' ', "_")
}

/// Removes line breaks, so that a command line or a path cannot look like another line of the entry.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// The parts of a line `- key: value`.
fn fact(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("- ")?.split_once(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_other_processes_are_joined_by_name() {
        let entry = |rows: &[(&str, f64)]| {
            let row = |&(name, median): &(&str, f64)| Row {
                name: name.to_owned(),
                timing: Some(Timing {
                    median,
                    low: median,
                    high: median,
                    ..Timing::default()
                }),
                rate: format!("{median}/s"),
                ..Row::default()
            };
            let rows = rows.iter().map(row).collect();
            let title = "one".to_owned();
            LogEntry {
                tables: vec![ResultTable { title, rows }],
                ..LogEntry::default()
            }
        };
        let mut own = entry(&[("a", 5.0), ("b", 7.0)]);
        own.join(&[entry(&[("b", 1.0), ("a", 4.0)]), entry(&[("a", 9.0)])]);
        let shown = own.tables[0].rows.iter().map(|row| {
            let timing = row.timing.unwrap();
            (timing.low, timing.median, timing.high, row.rate.as_str())
        });
        let shown: Vec<_> = shown.collect();
        assert_eq!(shown, [(4.0, 5.0, 9.0, "5/s"), (1.0, 1.0, 7.0, "1/s")]);
    }

    #[test]
    fn an_entry_survives_a_round_trip() {
        let row = |name: &str, bytes| Row {
            name: name.to_owned(),
            bytes: Some(bytes),
            ..Row::default()
        };
        let entry = LogEntry {
            date: "2026-11-21T14:57:03Z".to_owned(),
            suite: "pages".to_owned(),
            facts: vec![
                (MACHINE.to_owned(), "a CPU: 2 cores".to_owned()),
                ("Command".to_owned(), "`mbt bench pages`".to_owned()),
            ],
            notes: vec!["one".to_owned(), "two: three".to_owned()],
            verdict: Some("PASS: all well".to_owned()),
            tables: vec![
                ResultTable {
                    title: "first".to_owned(),
                    rows: vec![row("a", 1), row("b", 2)],
                },
                ResultTable {
                    title: "second, 2,000 rows".to_owned(),
                    rows: vec![row("a", 3)],
                },
            ],
        };
        assert_eq!(LogEntry::read(&entry.markdown()), Some(entry.clone()));
        assert_eq!(entry.fact(MACHINE), Some("a CPU: 2 cores"));
        let again = LogEntry::from_document(&entry.document()).unwrap();
        assert_eq!(
            (&again.tables, &again.verdict),
            (&entry.tables, &entry.verdict)
        );
        assert_eq!(again.fact(MACHINE), entry.fact(MACHINE));
        assert_eq!(LogEntry::read("no heading\n"), None);
        let sly = LogEntry {
            notes: vec!["one\n## two".to_owned()],
            ..entry
        };
        assert_eq!(sly.markdown().matches("\n## ").count(), 0);
    }
}
