//! One run of one suite, as an entry of the log.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::results::Table;

/// How a heading of an entry begins.
const HEADING: &str = "## ";
const TITLE: &str = "### ";
/// Says again what the heading says.
const DATE: &str = "Date (UTC)";
/// Keys of [`Entry::facts`] that decide whether times can be compared.
pub const MACHINE: &str = "Machine";
/// See [`MACHINE`].
pub const PROFILE: &str = "Profile";

/// What was measured, on what and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// When it began: `2026-11-21T14:57:03Z`.
    pub date: String,
    /// The suite.
    pub suite: String,
    /// Machine, build, command and so on, in order.
    pub facts: Vec<(String, String)>,
    /// What must be known to read the figures.
    pub notes: Vec<String>,
    /// The verdict of a gate, if there was one: `PASS: ...` or `FAIL: ...`.
    pub verdict: Option<String>,
    /// The figures.
    pub tables: Vec<Table>,
}

impl Entry {
    /// The value of a fact.
    pub fn fact(&self, key: &str) -> Option<&str> {
        let fact = self.facts.iter().find(|(name, _)| name == key);
        fact.map(|(_, value)| value.as_str())
    }

    /// True if times of the two may be compared: same machine, same profile.
    pub fn is_comparable(&self, other: &Self) -> bool {
        let mut keys = [MACHINE, PROFILE].into_iter();
        keys.all(|key| self.fact(key) == other.fact(key))
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
            table.write(&mut out);
        }
        out
    }

    /// The entry in some Markdown; `None` if there is no heading of one.
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
                entry.tables.extend(Table::read(title, table));
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

    /// The entry for programs.
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
            "tables": self.tables.iter().map(Table::document).collect::<Vec<_>>(),
        })
    }

    /// What [`Self::document`] wrote, as far as it is needed to compare figures.
    pub fn from_document(document: &Value) -> Option<Self> {
        let text = |key: &str| document[key].as_str().map(str::to_owned);
        let tables = document["tables"].as_array()?.iter();
        let comparable = [MACHINE, PROFILE].into_iter().filter_map(|key| {
            let value = document["facts"][snake_case(key)].as_str()?;
            Some((key.to_owned(), value.to_owned()))
        });
        Some(Self {
            date: text("date")?,
            suite: text("suite")?,
            facts: comparable.collect(),
            verdict: text("verdict"),
            tables: tables.map(Table::from_document).collect::<Option<_>>()?,
            ..Self::default()
        })
    }
}

/// A key for programs.
fn snake_case(key: &str) -> String {
    key.to_lowercase().replace(' ', "_")
}

/// What was typed, or a path, cannot look like the next line of an entry.
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
    use crate::bench::results::Row;

    #[test]
    fn an_entry_reads_as_it_was_written() {
        let row = |name: &str, bytes| Row {
            name: name.to_owned(),
            bytes: Some(bytes),
            ..Row::default()
        };
        let entry = Entry {
            date: "2026-11-21T14:57:03Z".to_owned(),
            suite: "pages".to_owned(),
            facts: vec![
                (MACHINE.to_owned(), "a CPU: 2 cores".to_owned()),
                ("Command".to_owned(), "`mbt bench pages`".to_owned()),
            ],
            notes: vec!["one".to_owned(), "two: three".to_owned()],
            verdict: Some("PASS: all well".to_owned()),
            tables: vec![
                Table {
                    title: "first".to_owned(),
                    rows: vec![row("a", 1), row("b", 2)],
                },
                Table {
                    title: "second, 2,000 rows".to_owned(),
                    rows: vec![row("a", 3)],
                },
            ],
        };
        assert_eq!(Entry::read(&entry.markdown()), Some(entry.clone()));
        assert_eq!(entry.fact(MACHINE), Some("a CPU: 2 cores"));
        let again = Entry::from_document(&entry.document()).unwrap();
        assert_eq!(
            (&again.tables, &again.verdict),
            (&entry.tables, &entry.verdict)
        );
        assert_eq!(again.fact(MACHINE), entry.fact(MACHINE));
        assert_eq!(Entry::read("no heading\n"), None);
        let sly = Entry {
            notes: vec!["one\n## two".to_owned()],
            ..entry
        };
        assert_eq!(sly.markdown().matches("\n## ").count(), 0);
    }
}
