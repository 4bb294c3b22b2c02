//! The report on streams with frames of version 2: a line per leaf, and bytes that add up to the
//! file.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::summary::{ColumnSummary, Summary};
use super::{PATCHES, anomalies, odd, shortened, wires};
use crate::report::table::{Align, Table};
use crate::units::{counted, grouped, percent};

/// The most encodings shown per column, the most frequent first.
const ENCODINGS: usize = 2;
/// Characters that are shown of an encoding's name.
const NAME: usize = 44;
/// Characters that are shown of a type with its text form.
const TYPE: usize = 44;

/// The report for people.
pub fn text(summary: &Summary, width: Option<u16>) -> String {
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
        wires(&summary.wires),
        counted(summary.frames, "frame"),
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
    let mut tree = Tree::default();
    for column in &summary.columns {
        // In a pipe, paths are complete; on a terminal, the part that they share is abbreviated.
        let name = match width {
            None if is_empty(column) => None,
            None => Some(column.name.clone()),
            Some(_) => tree.label(column),
        };
        let Some(name) = name else {
            continue;
        };
        let (least, most) = column.extremes.texts().unwrap_or_default();
        table.row([
            name,
            cut(&typed(column), TYPE),
            grouped(column.nulls),
            encodings(&column.encodings),
            grouped(column.stored),
            percent(column.stored, total),
            grouped(column.plain),
            shortened(&least),
            shortened(&most),
        ]);
    }
    let (header, plain_header) = summary.header;
    let others = [
        (
            PATCHES,
            summary.source.plain_patches,
            summary.source.patches,
        ),
        ("(header)", plain_header, header),
        ("(unused)", summary.unused, summary.unused),
        ("(index)", summary.index, summary.index),
        ("(no frame)", summary.trailing_bytes, summary.trailing_bytes),
    ];
    for (name, plain, stored) in others {
        if stored > 0 {
            let share = percent(stored, total);
            table.row([name, "", "", "", &grouped(stored), &share, &grouped(plain)]);
        }
    }
    out.push_str(&table.render(width));
    if let Some(line) = summary.source.line(total) {
        out.push('\n');
        out.push_str(&line);
    }
    out.push_str(&anomalies(summary));
    out
}

/// Structs without nulls take nothing and only repeat what the paths of their leaves say.
fn is_empty(column: &ColumnSummary) -> bool {
    let is_written = column.plain > 0 || !column.encodings.is_empty();
    !column.is_leaf && !is_written && column.nulls == 0
}

/// Paths as indented names.
#[derive(Default)]
struct Tree<'a> {
    /// The columns above, each within the one before.
    above: Vec<&'a str>,
}

impl<'a> Tree<'a> {
    /// The name under the one above, by two spaces per level; `None` if it says nothing.
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
fn typed(column: &ColumnSummary) -> String {
    let mut text = column.types();
    if !column.forms.is_empty() {
        text = format!("{text} {}", column.forms.join(", "));
    }
    if let Some(role) = &column.role {
        text = format!("{text}, {role}");
    }
    text
}

fn encodings(encodings: &BTreeMap<String, u64>) -> String {
    if let (1, Some(name)) = (encodings.len(), encodings.keys().next()) {
        return cut(name, NAME);
    }
    let mut counted: Vec<_> = encodings.iter().collect();
    counted.sort_by_key(|(name, frames)| (Reverse(**frames), name.len()));
    let told = counted.iter().take(ENCODINGS);
    let mut told: Vec<_> = told
        .map(|(name, frames)| format!("{} ×{frames}", cut(name, NAME / ENCODINGS)))
        .collect();
    if counted.len() > ENCODINGS {
        told.push(format!("{} more", counted.len() - ENCODINGS));
    }
    told.join(", ")
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// The report for programs.
pub fn document(summary: &Summary) -> Value {
    let column = |column: &ColumnSummary| {
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
            "encodings": column.encodings,
            "validity_encodings": column.validity,
            "plain_bytes": column.plain,
            "stored_bytes": column.stored,
            "min": extremes.as_ref().map(|(least, _)| least),
            "max": extremes.as_ref().map(|(_, most)| most),
        })
    };
    let (header, plain_header) = summary.header;
    json!({
        "file": summary.file,
        "wire": summary.wires.first(),
        "wires": summary.wires,
        "frames": summary.frames,
        "rows": summary.rows,
        "bytes": summary.total(),
        "plain_bytes": summary.plain,
        "header_bytes": header,
        "plain_header_bytes": plain_header,
        "index_bytes": summary.index,
        "unused_bytes": summary.unused,
        "text": summary.source.document(),
        "columns": summary.columns.iter().map(column).collect::<Vec<_>>(),
        "oddities": summary.anomalies.iter().map(odd).collect::<Vec<_>>(),
        "trailing_bytes": summary.trailing_bytes,
        "is_complete": summary.is_complete(),
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
            (column.is_top, column.is_leaf, column.nulls) = (is_top, is_leaf, nulls);
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
