//! Reports on a stream or a file of pages: one line per column or leaf, and bytes that add up to the file.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::summary::{ColumnSummary, NameCounts, Summary};
use super::{SHOWN, anomalies, anomaly_document, completeness};
use crate::cli::{Inspect, SortKey};
use crate::error::shell_word;
use crate::format::Format;
use crate::report::table::Align::{Left, Right};
use crate::report::table::Table;
use crate::units::{counted, grouped, percent, shortened};

/// The most encodings shown per column, the most frequent first.
const ENCODINGS: usize = 2;
/// How many characters of an encoding's name to show.
const NAME: usize = 44;
/// How many characters of a type with its text form to show.
const TYPE: usize = 44;

/// The report for people.
pub fn text(summary: &Summary, args: &Inspect, width: Option<u16>) -> String {
    let leaves = summary
        .columns
        .iter()
        .filter(|column| column.is_leaf && !column.is_hidden());
    let (tops, leaves) = (summary.tops().count() as u64, leaves.count() as u64);
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
    if !left_out.is_empty() {
        lines.push(Line {
            name: format!("({} more)", grouped(left_out.len() as u64)),
            stored: left_out.iter().map(|line| line.stored).sum(),
            plain: left_out.iter().map(|line| line.plain).sum(),
            ..Line::default()
        });
    }
    lines.extend(summary.others().map(|(name, plain, stored)| Line {
        name: name.to_owned(),
        stored,
        plain,
        ..Line::default()
    }));
    let table = Table::of(
        &lines,
        &[
            ("column", Left, &|it| it.name.clone()),
            ("type", Left, &|it| shortened(&it.ty, TYPE)),
            ("nulls", Right, &|it| {
                it.nulls.map(grouped).unwrap_or_default()
            }),
            ("encoding", Left, &|it| it.encodings.clone()),
            ("bytes", Right, &|it| grouped(it.stored)),
            ("share", Right, &|it| percent(it.stored, total)),
            ("plain", Right, &|it| grouped(it.plain)),
            ("min", Left, &|it| shortened(&it.extremes.0, SHOWN)),
            ("max", Left, &|it| shortened(&it.extremes.1, SHOWN)),
        ],
    );
    out.push_str(&table.with_names().render(width));
    if let Some(line) = summary.source.line(total, summary.around_columns()) {
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
    out.push_str(&completeness(summary));
    out
}

/// A line of the report: a column, or something else that takes bytes.
#[derive(Default)]
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
    lines
        .into_iter()
        .map(|(mut line, leaves)| {
            if leaves > 0 {
                line.encodings = counted(leaves as u64, "leaf");
            }
            line
        })
        .collect()
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

fn encodings(encodings: &NameCounts) -> String {
    if let [(name, _)] = &encodings[..] {
        return shortened(name, NAME);
    }
    let mut counted: Vec<_> = encodings.iter().collect();
    counted.sort_by_key(|(name, frames)| (Reverse(*frames), name.len()));
    let mut shown: Vec<_> = counted
        .iter()
        .take(ENCODINGS)
        .map(|(name, frames)| format!("{} ×{frames}", shortened(name, NAME / ENCODINGS)))
        .collect();
    if counted.len() > ENCODINGS {
        shown.push(format!("{} more", counted.len() - ENCODINGS));
    }
    shown.join(", ")
}

fn by_name(counts: &NameCounts) -> BTreeMap<&str, u64> {
    counts
        .iter()
        .map(|(name, count)| (&name[..], *count))
        .collect()
}

/// The report for programs.
impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (header_bytes, plain_header_bytes) = self.header;
        let records = self
            .array_of_rows()
            .map(|(path, items)| json!({"path": path, "items": items}));
        let anomalies: Vec<_> = self.anomalies.iter().map(anomaly_document).collect();
        // Frames of version 1 may have been compressed, so the sum would not be the size of any file.
        let bytes = if self.has_leaves() {
            self.total()
        } else {
            self.bytes
        };
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("file", &self.file)?;
        map.serialize_entry("format", self.paged.unwrap_or(Format::Mbt).name())?;
        map.serialize_entry("wire", &self.wires.first())?;
        map.serialize_entry("wires", &self.wires)?;
        map.serialize_entry("frames", &self.frames)?;
        map.serialize_entry("rows", &self.rows)?;
        map.serialize_entry("bytes", &bytes)?;
        map.serialize_entry("plain_bytes", &self.plain)?;
        map.serialize_entry("header_bytes", &header_bytes)?;
        map.serialize_entry("plain_header_bytes", &plain_header_bytes)?;
        map.serialize_entry("index_bytes", &self.index)?;
        map.serialize_entry("unused_bytes", &self.unused)?;
        map.serialize_entry("text", &self.source.document(self.around_columns()))?;
        map.serialize_entry("records", &records)?;
        map.serialize_entry("columns", &self.columns)?;
        map.serialize_entry("oddities", &anomalies)?;
        map.serialize_entry("trailing_bytes", &self.trailing_bytes)?;
        map.serialize_entry("is_complete", &self.is_complete())?;
        map.end()
    }
}

impl Serialize for ColumnSummary {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        // Columns become values of JSON one by one, since they take much memory.
        column(self).serialize(to)
    }
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
