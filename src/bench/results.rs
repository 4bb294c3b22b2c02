//! Tables of measured rows, written and read as Markdown and as JSON.
//!
//! Later runs are compared with the Markdown that people read in the log, so it is also parsed here.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::counting::Calls;
use super::harness::Timing;
use crate::report::table::{Align, Table};
use crate::units::grouped;

/// A measured row.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Row {
    /// What was measured; unique within the table.
    pub name: String,
    /// Size of the output or the input.
    pub bytes: Option<u64>,
    /// Plain bytes divided by `bytes`.
    pub ratio: Option<f64>,
    /// Times.
    #[serde(flatten)]
    pub timing: Option<Timing>,
    /// Throughput, with its unit.
    pub rate: String,
    /// Allocations.
    #[serde(flatten)]
    pub calls: Option<Calls>,
    /// Change from the baseline.
    #[serde(rename = "vs_baseline")]
    pub delta: String,
    /// Notes.
    pub note: String,
}

/// A titled table of rows.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct ResultTable {
    /// What the rows have in common.
    pub title: String,
    /// Rows, in the order they were measured in.
    pub rows: Vec<Row>,
}

/// How the values of a column are written in Markdown.
#[derive(Clone, Copy)]
enum Figure {
    Text,
    Count,
    Whole,
    Hundredths,
    Time,
}

/// The column with the change from the baseline.
pub const DELTA: &str = "delta vs baseline";

/// Columns of Markdown tables after the name, and their keys in JSON. The most important come first, since a narrow
/// terminal drops those on the right.
const COLUMNS: [(&str, &str, Figure); 15] = [
    ("bytes", "bytes", Figure::Whole),
    ("ratio", "ratio", Figure::Hundredths),
    ("median", "median_ns", Figure::Time),
    ("best", "best_ns", Figure::Time),
    ("rate", "rate", Figure::Text),
    ("allocs/op", "allocs", Figure::Hundredths),
    ("reallocs/op", "reallocs", Figure::Hundredths),
    ("bytes/op", "alloc_bytes", Figure::Whole),
    ("deallocs/op", "deallocs", Figure::Hundredths),
    (DELTA, "vs_baseline", Figure::Text),
    ("note", "note", Figure::Text),
    ("p99", "p99_ns", Figure::Time),
    ("from 95 %", "low_ns", Figure::Time),
    ("to 95 %", "high_ns", Figure::Time),
    ("samples", "samples", Figure::Count),
];

impl Figure {
    fn write(self, value: &Value) -> String {
        match (self, value.as_f64()) {
            (Self::Text, _) => value.as_str().unwrap_or_default().to_owned(),
            (_, None) => String::new(),
            (Self::Count, Some(number)) => format!("{number}"),
            (Self::Whole, Some(number)) => grouped(number.round() as u64),
            (Self::Hundredths, Some(number)) => format!("{number:.2}"),
            (Self::Time, Some(nanos)) => time(nanos),
        }
    }

    /// Parses what [`Self::write`] writes.
    fn read(self, cell: &str) -> Value {
        match self {
            Self::Text => cell.into(),
            Self::Time => parse_time(cell).into(),
            _ => serde_json::from_str(&cell.replace(',', "")).unwrap_or_default(),
        }
    }
}

/// Nanoseconds to four digits: `56.25 ns`, `1.234 us`, `12.35 ms`, `1.500 s`.
pub fn time(nanos: f64) -> String {
    let (value, unit) = match nanos {
        n if n < 999.95 => (n, "ns"),
        n if n < 999.95e3 => (n / 1e3, "us"),
        n if n < 999.95e6 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    let digits = match value {
        v if v < 9.9995 => 3,
        v if v < 99.995 => 2,
        _ => 1,
    };
    format!("{value:.digits$} {unit}")
}

/// Parses what [`time`] writes.
fn parse_time(text: &str) -> Option<f64> {
    let (value, unit) = text.split_once(' ')?;
    let scale = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some(value.parse::<f64>().ok()? * scale)
}

/// `count` in `nanos`, per second, in powers of 1000: `5.52 GB/s`, `1.49 M terms/s`.
pub fn rate(count: f64, nanos: f64, unit: &str) -> String {
    let each = count * 1e9 / nanos.max(1e-9);
    let (value, prefix) = match each {
        e if e < 1e3 => (e, ""),
        e if e < 1e6 => (e / 1e3, "k"),
        e if e < 1e9 => (e / 1e6, "M"),
        e => (e / 1e9, "G"),
    };
    let digits = match value {
        v if v < 10.0 => 2,
        v if v < 100.0 => 1,
        _ => 0,
    };
    let space = if unit == "B" || prefix.is_empty() {
        ""
    } else {
        " "
    };
    format!("{value:.digits$} {prefix}{space}{unit}/s")
}

impl Row {
    /// The row as JSON; times are in nanoseconds.
    fn document(&self) -> Value {
        let timing = self.timing.as_ref();
        json!({
            "name": self.name,
            "bytes": self.bytes,
            "ratio": self.ratio,
            "median_ns": timing.map(|timing| timing.median),
            "best_ns": timing.map(|timing| timing.best),
            "p99_ns": timing.map(|timing| timing.p99),
            "low_ns": timing.map(|timing| timing.low),
            "high_ns": timing.map(|timing| timing.high),
            "samples": timing.map(|timing| timing.samples),
            "rate": self.rate,
            "allocs": self.calls.map(|calls| calls.allocs),
            "reallocs": self.calls.map(|calls| calls.reallocs),
            "alloc_bytes": self.calls.map(|calls| calls.bytes),
            "deallocs": self.calls.map(|calls| calls.deallocs),
            "vs_baseline": self.delta,
            "note": self.note,
        })
    }
}

impl ResultTable {
    /// The columns with at least one cell.
    pub fn table(&self) -> Table {
        let documents: Vec<Value> = self.rows.iter().map(Row::document).collect();
        let used = COLUMNS.into_iter().filter(|(_, key, figure)| {
            let mut values = documents.iter().map(|row| &row[key]);
            values.any(|value| !figure.write(value).is_empty())
        });
        let used: Vec<_> = used.collect();
        let columns = used.iter().map(|(name, ..)| match *name {
            "note" | DELTA => (*name, Align::Left),
            name => (name, Align::Right),
        });
        let columns = std::iter::once(("row", Align::Left)).chain(columns);
        let mut table = Table::new(columns).with_names();
        for (row, document) in self.rows.iter().zip(&documents) {
            let cells = used
                .iter()
                .map(|(_, key, figure)| figure.write(&document[key]));
            table.row(std::iter::once(row.name.clone()).chain(cells));
        }
        table
    }

    /// Parses the lines of a Markdown table, ignoring unknown columns.
    pub fn read<'a>(title: &str, mut lines: impl Iterator<Item = &'a str>) -> Option<Self> {
        let names = split(lines.next()?);
        let rows = lines.skip(1).map(|line| {
            let mut row = Map::new();
            for (name, cell) in names.iter().zip(split(line)) {
                if name == "row" {
                    row.insert("name".to_owned(), cell.into());
                } else if let Some((_, key, figure)) =
                    COLUMNS.iter().find(|(known, ..)| known == name)
                    && !cell.is_empty()
                {
                    row.insert((*key).to_owned(), figure.read(&cell));
                }
            }
            serde_json::from_value(row.into()).unwrap_or_default()
        });
        Some(Self {
            title: title.to_owned(),
            rows: rows.collect(),
        })
    }

    /// The table as JSON; times are in nanoseconds.
    pub fn document(&self) -> Value {
        let rows: Vec<_> = self.rows.iter().map(Row::document).collect();
        json!({ "title": self.title, "rows": rows })
    }
}

/// The cells of a line of a Markdown table.
fn split(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let mut cells = vec![String::new()];
    let mut chars = inner.chars();
    while let (Some(c), Some(cell)) = (chars.next(), cells.last_mut()) {
        match c {
            '|' => cells.push(String::new()),
            '\\' => cell.extend(chars.next()),
            _ => cell.push(c),
        }
    }
    cells.pop();
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests;
