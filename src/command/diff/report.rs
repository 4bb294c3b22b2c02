//! Prints differences as text or JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::cells::{Cell, ComparedColumns};
use super::found::{Difference, Differences};
use crate::cli;
use crate::command::schema::Drift;
use crate::error::Result;
use crate::report;
use crate::report::table::{Align, Table, terminal_width};
use crate::units::{counted, grouped, shortened};

/// How many characters of a value to show.
const SHOWN: usize = 40;
/// How many equal characters to show before the first difference of long values.
const SHOWN_BEFORE: usize = 10;
/// From this many changed rows on, rows may be shifted rather than changed.
const MANY: u64 = 10;

/// Prints the differences.
///
/// # Errors
/// If stdout cannot be written.
pub fn print(args: &cli::Diff, paths: &ComparedColumns, found: &Differences) -> Result<()> {
    if args.json {
        return report::print_json(&document(args, paths, found));
    }
    report::print_text(&text(args, paths, found))
}

fn text(args: &cli::Diff, paths: &ComparedColumns, found: &Differences) -> String {
    let files = [&args.left, &args.right].map(|path| path.display().to_string());
    let [a, b] = &files;
    let drifts = drifts(paths);
    let types = match &drifts[..] {
        [] => String::new(),
        drifts => format!("columns differ:\n{}\n", Drift::table(drifts, &files)),
    };
    let [left, right] = found.rows.map(|rows| counted(rows, "row"));
    if found.is_none() {
        return format!("{types}equal by value: {left}\n");
    }
    let [equal, changed, only_left, only_right] =
        [found.equal, found.changed, found.only[0], found.only[1]].map(grouped);
    let mut out = format!(
        "{types}{a}: {left}; {b}: {right}\n\
         {equal} equal, {changed} changed, {only_left} only in {a}, {only_right} only in {b}\n"
    );
    let counts: Vec<_> = found
        .columns(paths)
        .map(|(name, count)| format!("{name} ({})", grouped(count)))
        .collect();
    if !counts.is_empty() {
        let _ = writeln!(out, "changed columns: {}", counts.join(", "));
    }
    if !found.first.is_empty() {
        out.push('\n');
        out.push_str(&rows(paths, found, &files));
    }
    let differ = found.changed + found.only[0] + found.only[1];
    let hidden = differ - found.first.len() as u64;
    if hidden > 0 {
        let hidden = counted(hidden, "row");
        let _ = writeln!(out, "… and {hidden} more; --show N shows more");
    }
    if args.key.is_empty() && (found.rows[0] != found.rows[1] || are_shifted(found)) {
        out.push_str("\nrows were compared by position; --key NAME matches them by value\n");
    }
    out
}

/// True if most rows differ from the first difference on, as they do after a row that was inserted or deleted.
fn are_shifted(found: &Differences) -> bool {
    let start = found.first.first().map_or(0, |first| first.row);
    let rows = found.rows[0].min(found.rows[1]) - start;
    found.changed >= MANY.max(rows / 2)
}

/// The columns whose types differ.
fn drifts(paths: &ComparedColumns) -> Vec<Drift> {
    let known = |ty: String| (!ty.is_empty()).then_some(ty);
    paths
        .types()
        .map(|(name, [left, right])| Drift {
            name: name.to_owned(),
            left: known(left),
            right: known(right),
        })
        .filter(|drift| drift.left != drift.right)
        .collect()
}

fn rows(paths: &ComparedColumns, found: &Differences, files: &[String; 2]) -> String {
    let mut columns: Vec<(&str, Align)> = vec![("row", Align::Right)];
    columns.extend(found.key.iter().map(|key| (key.as_str(), Align::Left)));
    columns.extend([
        ("column", Align::Left),
        (files[0].as_str(), Align::Left),
        (files[1].as_str(), Align::Left),
    ]);
    let mut table = Table::new(columns);
    for difference in &found.first {
        let mut cells = difference.cells.iter();
        let first = cells.next();
        let line = |begins: bool, cell: Option<&(usize, [Option<Cell>; 2])>| {
            let mut line = vec![if begins {
                grouped(difference.row)
            } else {
                String::new()
            }];
            let key = difference.key.iter();
            line.extend(key.map(|value| {
                let value = begins.then(|| shown(value.as_ref()));
                value.unwrap_or_default()
            }));
            match cell {
                Some((place, values)) => {
                    line.push(paths.name(*place).to_owned());
                    let values = shown_pair(values).into_iter().enumerate();
                    line.extend(values.map(|(side, value)| match difference.only {
                        Some(only) if only != side => "-".to_owned(),
                        _ => value,
                    }));
                }
                None => line.push(String::new()),
            }
            line
        };
        table.row(line(true, first));
        for cell in cells {
            table.row(line(false, Some(cell)));
        }
    }
    table.render(terminal_width())
}

fn shown(value: Option<&Cell>) -> String {
    value.map_or("null".to_owned(), |cell| shortened(&cell.shown(), SHOWN))
}

/// Two values; if their beginnings look the same, the parts where they differ.
fn shown_pair(values: &[Option<Cell>; 2]) -> [String; 2] {
    let cut = values.each_ref().map(|value| shown(value.as_ref()));
    let [Some(left), Some(right)] = values else {
        return cut;
    };
    let texts = [left.shown(), right.shown()];
    if cut[0] != cut[1] || texts[0] == texts[1] {
        return cut;
    }
    let both = texts[0].chars().zip(texts[1].chars());
    let start = both.take_while(|(left, right)| left == right).count() - SHOWN_BEFORE;
    texts.map(|text| {
        let part: String = text.chars().skip(start).collect();
        shortened(&format!("…{part}"), SHOWN)
    })
}

fn document(args: &cli::Diff, paths: &ComparedColumns, found: &Differences) -> Value {
    let value = |cell: &Option<Cell>| cell.as_ref().map(Cell::shown);
    let difference = |difference: &Difference| {
        let cells = difference.cells.iter().map(|(place, [left, right])| {
            json!({ "column": paths.name(*place), "left": value(left), "right": value(right) })
        });
        json!({
            "row": difference.row,
            "kind": match difference.only {
                None => "changed",
                Some(0) => "only_left",
                Some(_) => "only_right",
            },
            "key": difference.key.iter().map(value).collect::<Vec<_>>(),
            "cells": cells.collect::<Vec<_>>(),
        })
    };
    let columns = found
        .columns(paths)
        .map(|(name, count)| json!({ "name": name, "changed": count }));
    json!({
        "left": args.left.display().to_string(),
        "right": args.right.display().to_string(),
        "equal": found.is_none(),
        "types": drifts(paths),
        "rows": { "left": found.rows[0], "right": found.rows[1], "equal": found.equal,
            "changed": found.changed, "only_left": found.only[0], "only_right": found.only[1] },
        "columns": columns.collect::<Vec<_>>(),
        "differences": found.first.iter().map(difference).collect::<Vec<_>>(),
    })
}
