//! Tables of measured rows, written and read as Markdown and as JSON.
//!
//! Later runs are compared with the Markdown that people read in the log, so it is also parsed here.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::counting::PerOp;
use super::harness::Timing;
use crate::units::grouped;

/// A measured row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// What was measured; unique within the table.
    pub name: String,
    /// Size of the output or the input.
    pub bytes: Option<u64>,
    /// Plain bytes divided by `bytes`.
    pub ratio: Option<f64>,
    /// Times.
    pub timing: Option<Timing>,
    /// Throughput, with its unit.
    pub rate: String,
    /// Allocations.
    pub calls: Option<PerOp>,
    /// Change from the baseline.
    pub delta: String,
    /// Notes.
    pub note: String,
}

/// A titled table of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultTable {
    /// What the rows have in common.
    pub title: String,
    /// Rows, in the order in which they were measured.
    pub rows: Vec<Row>,
}

/// A column: its name, and how its cells are written and parsed.
struct ResultColumn {
    name: &'static str,
    write: fn(&Row) -> String,
    read: fn(&str, &mut Row),
}

/// The column with the change from the baseline.
pub const DELTA: &str = "delta vs baseline";

/// Columns, the most important first, since a narrow terminal drops those on the right.
const COLUMNS: [ResultColumn; 15] = [
    ResultColumn {
        name: "bytes",
        write: |row| row.bytes.map(grouped).unwrap_or_default(),
        read: |cell, row| row.bytes = cell.replace(',', "").parse().ok(),
    },
    ResultColumn {
        name: "ratio",
        write: |row| {
            let ratio = row.ratio.map(|ratio| format!("{ratio:.2}"));
            ratio.unwrap_or_default()
        },
        read: |cell, row| row.ratio = cell.parse().ok(),
    },
    ResultColumn {
        name: "median",
        write: |row| timed(row, |timing| timing.median),
        read: |cell, row| set(row, cell, |timing| &mut timing.median),
    },
    ResultColumn {
        name: "best",
        write: |row| timed(row, |timing| timing.best),
        read: |cell, row| set(row, cell, |timing| &mut timing.best),
    },
    ResultColumn {
        name: "rate",
        write: |row| row.rate.clone(),
        read: |cell, row| cell.clone_into(&mut row.rate),
    },
    ResultColumn {
        name: "allocs/op",
        write: |row| called(row, |calls| format!("{:.2}", calls.allocs)),
        read: |cell, row| call(row, cell, |calls| &mut calls.allocs),
    },
    ResultColumn {
        name: "reallocs/op",
        write: |row| called(row, |calls| format!("{:.2}", calls.reallocs)),
        read: |cell, row| call(row, cell, |calls| &mut calls.reallocs),
    },
    ResultColumn {
        name: "bytes/op",
        write: |row| called(row, |calls| grouped(calls.bytes.round() as u64)),
        read: |cell, row| call(row, cell, |calls| &mut calls.bytes),
    },
    ResultColumn {
        name: "deallocs/op",
        write: |row| called(row, |calls| format!("{:.2}", calls.deallocs)),
        read: |cell, row| call(row, cell, |calls| &mut calls.deallocs),
    },
    ResultColumn {
        name: DELTA,
        write: |row| row.delta.clone(),
        read: |cell, row| cell.clone_into(&mut row.delta),
    },
    ResultColumn {
        name: "note",
        write: |row| row.note.clone(),
        read: |cell, row| cell.clone_into(&mut row.note),
    },
    ResultColumn {
        name: "p99",
        write: |row| timed(row, |timing| timing.p99),
        read: |cell, row| set(row, cell, |timing| &mut timing.p99),
    },
    ResultColumn {
        name: "from 95 %",
        write: |row| timed(row, |timing| timing.low),
        read: |cell, row| set(row, cell, |timing| &mut timing.low),
    },
    ResultColumn {
        name: "to 95 %",
        write: |row| timed(row, |timing| timing.high),
        read: |cell, row| set(row, cell, |timing| &mut timing.high),
    },
    ResultColumn {
        name: "samples",
        write: |row| {
            let samples = row.timing.map(|timing| timing.samples.to_string());
            samples.unwrap_or_default()
        },
        read: |cell, row| {
            if let (Some(timing), Ok(samples)) = (&mut row.timing, cell.parse()) {
                timing.samples = samples;
            }
        },
    },
];

fn timed(row: &Row, of: fn(&Timing) -> f64) -> String {
    let text = row.timing.as_ref().map(|timing| time(of(timing)));
    text.unwrap_or_default()
}

fn set(row: &mut Row, cell: &str, of: fn(&mut Timing) -> &mut f64) {
    if let Some(nanos) = parse_time(cell) {
        *of(row.timing.get_or_insert_default()) = nanos;
    }
}

fn called(row: &Row, of: fn(&PerOp) -> String) -> String {
    row.calls.as_ref().map(of).unwrap_or_default()
}

fn call(row: &mut Row, cell: &str, of: fn(&mut PerOp) -> &mut f64) {
    if let Ok(count) = cell.replace(',', "").parse() {
        *of(row.calls.get_or_insert_default()) = count;
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

impl ResultTable {
    /// The non-empty columns, with the row's name first, and the cells of all rows.
    pub fn cells(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let used =
            |column: &&ResultColumn| self.rows.iter().any(|row| !(column.write)(row).is_empty());
        let columns: Vec<&ResultColumn> = COLUMNS.iter().filter(used).collect();
        let cells = self.rows.iter().map(|row| {
            let cells = columns.iter().map(|column| (column.write)(row));
            std::iter::once(row.name.clone()).chain(cells).collect()
        });
        let names = columns.iter().map(|column| column.name);
        (
            std::iter::once("row").chain(names).collect(),
            cells.collect(),
        )
    }

    /// True for columns whose cells are numbers.
    pub fn is_number(column: &str) -> bool {
        !["row", "note", DELTA].contains(&column)
    }

    /// Appends the table as Markdown with aligned columns.
    pub fn write(&self, out: &mut String) {
        let (names, rows) = self.cells();
        let rows: Vec<Vec<String>> = rows
            .into_iter()
            .map(|row| row.iter().map(|cell| escape(cell)).collect())
            .collect();
        let width = |at: usize| {
            let cells = rows.iter().map(|row| row[at].chars().count());
            cells.max().unwrap_or(0).max(names[at].len()).max(3)
        };
        let widths: Vec<usize> = (0..names.len()).map(width).collect();
        let mut line = |cells: &mut dyn Iterator<Item = &str>| {
            for ((cell, width), name) in cells.zip(&widths).zip(&names) {
                out.push_str("| ");
                if Self::is_number(name) {
                    let _ = write!(out, "{cell:>width$}");
                } else {
                    let _ = write!(out, "{cell:<width$}");
                }
                out.push(' ');
            }
            out.push_str("|\n");
        };
        line(&mut names.iter().copied());
        let rule: Vec<String> = names
            .iter()
            .zip(&widths)
            .map(|(name, width)| {
                if Self::is_number(name) {
                    format!("{}:", "-".repeat(width - 1))
                } else {
                    "-".repeat(*width)
                }
            })
            .collect();
        line(&mut rule.iter().map(String::as_str));
        for row in &rows {
            line(&mut row.iter().map(String::as_str));
        }
    }

    /// Parses the lines of a Markdown table, ignoring unknown columns.
    pub fn read<'a>(title: &str, mut lines: impl Iterator<Item = &'a str>) -> Option<Self> {
        let names = split(lines.next()?);
        let rows = lines.skip(1).map(|line| {
            let mut row = Row::default();
            for (name, cell) in names.iter().zip(split(line)) {
                if name == "row" {
                    row.name = cell;
                } else if let Some(column) = COLUMNS.iter().find(|column| column.name == name)
                    && !cell.is_empty()
                {
                    (column.read)(&cell, &mut row);
                }
            }
            row
        });
        Some(Self {
            title: title.to_owned(),
            rows: rows.collect(),
        })
    }

    /// The table as JSON; times are in nanoseconds.
    pub fn document(&self) -> Value {
        let row = |row: &Row| {
            let timing = row.timing.as_ref();
            json!({
                "name": row.name,
                "bytes": row.bytes,
                "ratio": row.ratio,
                "median_ns": timing.map(|timing| timing.median),
                "best_ns": timing.map(|timing| timing.best),
                "p99_ns": timing.map(|timing| timing.p99),
                "low_ns": timing.map(|timing| timing.low),
                "high_ns": timing.map(|timing| timing.high),
                "samples": timing.map(|timing| timing.samples),
                "rate": row.rate,
                "allocs": row.calls.map(|calls| calls.allocs),
                "reallocs": row.calls.map(|calls| calls.reallocs),
                "alloc_bytes": row.calls.map(|calls| calls.bytes),
                "deallocs": row.calls.map(|calls| calls.deallocs),
                "vs_baseline": row.delta,
                "note": row.note,
            })
        };
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        json!({ "title": self.title, "rows": rows })
    }

    /// Reads what [`Self::document`] wrote.
    pub fn from_document(document: &Value) -> Option<Self> {
        let row = |value: &Value| {
            let number = |key: &str| value[key].as_f64();
            let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            let timing = number("median_ns").map(|median| Timing {
                median,
                best: number("best_ns").unwrap_or_default(),
                p99: number("p99_ns").unwrap_or_default(),
                low: number("low_ns").unwrap_or_default(),
                high: number("high_ns").unwrap_or_default(),
                samples: value["samples"].as_u64().unwrap_or_default() as usize,
            });
            let calls = number("allocs").map(|allocs| PerOp {
                allocs,
                reallocs: number("reallocs").unwrap_or_default(),
                bytes: number("alloc_bytes").unwrap_or_default(),
                deallocs: number("deallocs").unwrap_or_default(),
            });
            Row {
                name: text("name"),
                bytes: value["bytes"].as_u64(),
                ratio: number("ratio"),
                timing,
                rate: text("rate"),
                calls,
                delta: text("vs_baseline"),
                note: text("note"),
            }
        };
        Some(Self {
            title: document["title"].as_str()?.to_owned(),
            rows: document["rows"].as_array()?.iter().map(row).collect(),
        })
    }
}

/// Escapes what would end a cell or a line.
fn escape(cell: &str) -> String {
    cell.replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace(['\n', '\r'], " ")
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
