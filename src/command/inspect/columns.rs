//! Reports on streams with version 2 frames and on files of pages: one line per leaf, and bytes that add up to the file.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::summary::{ColumnSummary, Counts, Summary};
use super::{SHOWN, anomalies, odd};
use crate::cli::{Inspect, SortKey};
use crate::error::shell_word;
use crate::format::Format;
use crate::report::table::{Align, Table};
use crate::units::{counted, grouped, percent, shortened};

/// The most encodings shown per column, the most frequent first.
const ENCODINGS: usize = 2;
/// How many characters of an encoding's name to show.
const NAME: usize = 44;
/// How many characters of a type with its text form to show.
const TYPE: usize = 44;

/// The report for people.
pub fn text(summary: &Summary, args: &Inspect, width: Option<u16>) -> String {
    let shown = || summary.columns.iter().filter(|column| !column.is_hidden());
    let tops = shown().filter(|column| column.is_top);
    let leaves = shown().filter(|column| column.is_leaf);
    let (tops, leaves) = (tops.count() as u64, leaves.count() as u64);
    let mut columns = counted(tops, "column");
    if leaves > tops {
        columns = format!("{columns} with {leaves} leaves");
    }
    let total = summary.total();
    let mut out = format!(
        "{}: {}, {}, {}, {columns}, {}\n\n",
        summary.file,
        summary.kind(),
        summary.parts(),
        counted(summary.rows, "row"),
        counted(total, "byte"),
    );
    let mut table = Table::new([
        ("column", Align::Left),
        ("type", Align::Left),
        ("nulls", Align::Right),
        ("encoding", Align::Left),
        ("bytes", Align::Right),
        ("share", Align::Right),
        ("plain", Align::Right),
        ("min", Align::Left),
        ("max", Align::Left),
    ])
    .with_names();
    let mut lines = if args.nested {
        leaf_lines(summary, width)
    } else {
        top_lines(summary)
    };
    match args.sort {
        Some(SortKey::Bytes) => lines.sort_by_key(|line| Reverse(line.stored)),
        Some(SortKey::Name) => lines.sort_by(|a, b| a.name.cmp(&b.name)),
        None => {}
    }
    let left_out = lines.split_off(args.top.unwrap_or(usize::MAX).min(lines.len()));
    for line in &lines {
        let (least, most) = &line.extremes;
        table.row([
            line.name.clone(),
            shortened(&line.ty, TYPE),
            line.nulls.map(grouped).unwrap_or_default(),
            line.encodings.clone(),
            grouped(line.stored),
            percent(line.stored, total),
            grouped(line.plain),
            shortened(least, SHOWN),
            shortened(most, SHOWN),
        ]);
    }
    if !left_out.is_empty() {
        let name = format!("({} more)", grouped(left_out.len() as u64));
        let stored: u64 = left_out.iter().map(|line| line.stored).sum();
        let plain: u64 = left_out.iter().map(|line| line.plain).sum();
        let share = percent(stored, total);
        table.row([&name, "", "", "", &grouped(stored), &share, &grouped(plain)]);
    }
    for other in summary.others() {
        let share = percent(other.stored, total);
        let (stored, plain) = (grouped(other.stored), grouped(other.plain));
        table.row([other.name, "", "", "", &stored, &share, &plain]);
    }
    out.push_str(&table.render(width));
    if let Some(line) = summary.source.line(total) {
        out.push('\n');
        out.push_str(&line);
    }
    if let Some((path, items)) = summary.array_of_rows() {
        let items = counted(items, "item");
        let path_word = shell_word(&path);
        out.extend([
            format!("rows: {path} has {items}; "),
            format!("--records {path_word} makes each of them a row\n"),
        ]);
    }
    out.push_str(&anomalies(summary));
    out
}

/// A column in the report.
struct Line {
    name: String,
    ty: String,
    nulls: Option<u64>,
    encodings: String,
    stored: u64,
    plain: u64,
    extremes: (String, String),
}

impl Line {
    fn of(name: String, column: &ColumnSummary) -> Self {
        Self {
            name,
            ty: typed(column),
            nulls: column.nulls,
            encodings: encodings(&column.encodings),
            stored: column.stored,
            plain: column.plain,
            extremes: column.extremes.texts().unwrap_or_default(),
        }
    }
}

/// One line per leaf, and per nested column that has bytes of its own.
fn leaf_lines(summary: &Summary, width: Option<u16>) -> Vec<Line> {
    let mut tree = Tree::default();
    let line = |column| {
        // In a pipe, paths are complete; on a terminal, their common part is abbreviated.
        let name = match width {
            None if is_empty(column) => None,
            None => Some(column.name.clone()),
            Some(_) => tree.label(column),
        };
        Some(Line::of(name?, column))
    };
    summary.columns.iter().filter_map(line).collect()
}

/// One line per top-level column, including its nested columns.
fn top_lines(summary: &Summary) -> Vec<Line> {
    let mut lines: Vec<(Line, usize)> = Vec::new();
    for column in &summary.columns {
        match lines.last_mut() {
            Some((above, leaves)) if !column.is_top || column.is_hidden() => {
                above.stored += column.stored;
                above.plain += column.plain;
                *leaves += usize::from(column.is_leaf && !column.is_hidden());
            }
            _ => lines.push((Line::of(column.name.clone(), column), 0)),
        }
    }
    let folded = lines.into_iter().map(|(mut line, leaves)| {
        if leaves > 0 {
            line.encodings = counted(leaves as u64, "leaf").replace("leafs", "leaves");
        }
        line
    });
    folded.collect()
}

/// True for structs without nulls, which take no bytes and only repeat the paths of their leaves.
fn is_empty(column: &ColumnSummary) -> bool {
    let is_written = column.plain > 0 || !column.encodings.is_empty();
    !column.is_leaf && !is_written && column.nulls.is_none_or(|nulls| nulls == 0)
}

/// Paths as indented names.
#[derive(Default)]
struct Tree<'a> {
    /// The enclosing columns, from the outside in.
    above: Vec<&'a str>,
}

impl<'a> Tree<'a> {
    /// The name, indented by two spaces per level; `None` if it adds nothing.
    fn label(&mut self, column: &'a ColumnSummary) -> Option<String> {
        let path = column.name.as_str();
        while let Some(above) = self.above.last() {
            let below = path.strip_prefix(above);
            if !column.is_top && below.is_some_and(|rest| rest.starts_with(['.', '[', '{'])) {
                break;
            }
            self.above.pop();
        }
        let above = self.above.last().map_or(0, |above| above.len());
        let indent = "  ".repeat(self.above.len());
        let name = path[above..].trim_start_matches('.');
        // Structs in a list are represented by their fields.
        if is_empty(column) && (name.ends_with("[]") || name.ends_with("{}")) {
            return None;
        }
        if !column.is_leaf {
            self.above.push(path);
        }
        Some(format!("{indent}{name}"))
    }
}

/// Type, text form and role.
pub fn typed(column: &ColumnSummary) -> String {
    let mut text = column.types();
    if !column.forms.is_empty() {
        text = format!("{text} {}", column.forms.join(", "));
    }
    if let Some(role) = &column.role {
        text = format!("{text}, {role}");
    }
    text
}

fn encodings(encodings: &Counts) -> String {
    if let [(name, _)] = &encodings[..] {
        return shortened(name, NAME);
    }
    let mut counted: Vec<_> = encodings.iter().collect();
    counted.sort_by_key(|(name, frames)| (Reverse(*frames), name.len()));
    let shown = counted.iter().take(ENCODINGS);
    let mut shown: Vec<_> = shown
        .map(|(name, frames)| format!("{} ×{frames}", shortened(name, NAME / ENCODINGS)))
        .collect();
    if counted.len() > ENCODINGS {
        shown.push(format!("{} more", counted.len() - ENCODINGS));
    }
    shown.join(", ")
}

fn by_name(counts: &Counts) -> BTreeMap<&str, u64> {
    let names = counts.iter();
    names.map(|(name, count)| (&name[..], *count)).collect()
}

/// The report for programs.
#[derive(Serialize)]
pub struct Document<'a> {
    file: &'a str,
    format: &'a str,
    wire: Option<&'a u16>,
    wires: &'a BTreeSet<u16>,
    frames: u64,
    rows: u64,
    bytes: u64,
    plain_bytes: u64,
    header_bytes: u64,
    plain_header_bytes: u64,
    index_bytes: u64,
    unused_bytes: u64,
    text: Value,
    records: Option<Value>,
    #[serde(serialize_with = "one_by_one")]
    columns: &'a [ColumnSummary],
    oddities: Vec<Value>,
    trailing_bytes: u64,
    is_complete: Option<bool>,
}

/// Columns become JSON one by one, since values of JSON take much memory.
fn one_by_one<S: Serializer>(columns: &[ColumnSummary], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(columns.iter().map(column))
}

fn column(column: &ColumnSummary) -> Value {
    let extremes = column.extremes.texts();
    json!({
        "name": column.name,
        "is_column": column.is_top && !column.is_hidden(),
        "is_leaf": column.is_leaf,
        "type": column.types(),
        "forms": column.forms,
        "null_tokens": column.null_tokens,
        "role": column.role,
        "rows": column.rows,
        "nulls": column.nulls,
        "encodings": by_name(&column.encodings),
        "validity_encodings": by_name(&column.validity),
        "plain_bytes": column.plain,
        "stored_bytes": column.stored,
        "min": extremes.as_ref().map(|(least, _)| least),
        "max": extremes.as_ref().map(|(_, most)| most),
    })
}

impl<'a> Document<'a> {
    /// The report on a file.
    pub fn of(summary: &'a Summary) -> Self {
        let (header_bytes, plain_header_bytes) = summary.header;
        let records = summary.array_of_rows();
        Self {
            file: &summary.file,
            format: summary.paged.unwrap_or(Format::Mbt).name(),
            wire: summary.wires.first(),
            wires: &summary.wires,
            frames: summary.frames,
            rows: summary.rows,
            // Frames of version 1 may have been compressed, so the sum would not be the size of any file.
            bytes: if summary.has_leaves() {
                summary.total()
            } else {
                summary.bytes
            },
            plain_bytes: summary.plain,
            header_bytes,
            plain_header_bytes,
            index_bytes: summary.index,
            unused_bytes: summary.unused,
            text: summary.source.document(),
            records: records.map(|(path, items)| json!({"path": path, "items": items})),
            columns: &summary.columns,
            oddities: summary.anomalies.iter().map(odd).collect(),
            trailing_bytes: summary.trailing_bytes,
            is_complete: summary.is_complete(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_names_under_each_other() {
        let column = |name: &str, is_top, is_leaf, nulls| {
            let mut column = ColumnSummary::default();
            column.name = name.to_owned();
            (column.is_top, column.is_leaf, column.nulls) = (is_top, is_leaf, Some(nulls));
            column
        };
        let columns = [
            column("a", true, true, 0),
            column("u", true, false, 0),
            column("u.name", false, true, 0),
            column("u.list", false, false, 1),
            column("u.list[]", false, false, 0),
            column("u.list[].x", false, true, 0),
            column("u.list[].in", false, false, 0),
            column("u.list[].in.y", false, true, 0),
            column("u.tags", false, false, 1),
            column("u.tags{}", false, false, 0),
            column("u.tags{}.key", false, true, 0),
            column("u.z", true, true, 0),
        ];
        let mut tree = Tree::default();
        let labels: Vec<_> = columns.iter().filter_map(|c| tree.label(c)).collect();
        assert_eq!(
            labels,
            [
                "a",
                "u",
                "  name",
                "  list",
                "    [].x",
                "    [].in",
                "      y",
                "  tags",
                "    {}.key",
                "u.z",
            ]
        );
    }
}
