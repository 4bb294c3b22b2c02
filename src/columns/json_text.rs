//! Looks into columns of JSON text.
//!
//! Whether values get columns of their own or stay text depends on the other rows of their frame. To give the same
//! answer in both cases, the values at a path are read from the text and shredded like any other JSON.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::Field;

use super::column::Column;
use super::nested::{JsonNode, Tag};
use super::print::ColumnPrinter;
use super::print::json::json_texts;
use super::shred::{JsonScratch, Paths, ROOT, Shredder};
use super::span::{Spot, TextBlock};
use crate::error::{Error, Result};
use crate::schema::keys::{is_fixed, is_row};
use crate::schema::path::{Step, steps_in};
use crate::schema::{Type, any_field};
use crate::text::json::elements::{Element, elements};
use crate::text::json::fault::Fault;
use crate::text::json::key::key_name;
use crate::text::json::scan::{check, skip_space, value_end};

/// The values that the steps lead to in a column of JSON text, one per row. A row without a value there, or whose `above`
/// is null, has a null. `None` if no row has a value or a null there.
///
/// # Errors
/// [`crate::error::Kind::Input`] if the text is not JSON.
pub fn values_in(
    field: &Field,
    array: &ArrayRef,
    above: Option<&NullBuffer>,
    steps: &[Step],
    infer: bool,
) -> Result<Option<Column>> {
    let printer = ColumnPrinter::new(array, field)?;
    let (mut text, mut values) = (Vec::new(), Vec::new());
    let mut is_found = false;
    for row in 0..array.len() {
        text.clear();
        if !printer.is_null(row) && above.is_none_or(|above| above.is_valid(row)) {
            printer.cells.print(row, &mut text);
            check(&text).ok_or_else(|| not_json(field))?;
        }
        match value_at(&text, steps) {
            Some(value) => {
                is_found = true;
                values.extend_from_slice(&text[value]);
            }
            None => values.extend_from_slice(b"null"),
        }
        values.push(b'\n');
    }
    if !is_found {
        return Ok(None);
    }
    let block = TextBlock::of(values, Spot { line: 1, byte: 1 }, b'\n');
    let mut shredder =
        shredder(&block, array.len(), false, 0, infer).map_err(|_| not_json(field))?;
    let node = shredder.node(ROOT, array.len(), None);
    Ok(Some(node.into_column()))
}

/// The columns that there would be for the wanted keys if all rows were objects; at most `most`. Rows that
/// are not objects lack all keys.
///
/// # Errors
/// [`crate::error::Kind::Input`] if the rows are text that is not JSON.
pub fn columns_of_rows(
    field: &Field,
    rows: &ArrayRef,
    is_wanted: &dyn Fn(&str) -> bool,
    most: usize,
    infer: bool,
) -> Result<Vec<(String, Column)>> {
    let rows = json_texts(rows, field)?;
    let rows = rows.as_string::<i32>();
    let mut objects = Vec::new();
    for row in rows {
        objects.push(b'{');
        let start = objects.len();
        let text = row.unwrap_or_default().as_bytes();
        if !text.is_empty() {
            check(text).ok_or_else(|| not_json(field))?;
        }
        for Element { key, value } in inside(text, b'{') {
            if is_wanted(&key_name(&text[key.clone()])) {
                if objects.len() > start {
                    objects.push(b',');
                }
                objects.extend_from_slice(&text[key.start..value.end]);
            }
        }
        objects.extend_from_slice(b"}\n");
    }
    let block = TextBlock::of(objects, Spot { line: 1, byte: 1 }, b'\n');
    let mut shredder =
        shredder(&block, rows.len(), true, most, infer).map_err(|_| not_json(field))?;
    let (names, paths, _) = shredder.root_keys();
    let columns = names.into_iter().zip(paths).map(|(name, path)| {
        let node = shredder.node(path, rows.len(), Some(rows.len()));
        (name, node.into_column())
    });
    Ok(columns.collect())
}

/// False for a column whose values have no types, so that values read from it have none either.
pub fn has_types(field: &Field) -> bool {
    !any_field(field, |it| {
        let is_column_of_text = Type::of(it) == Some(Type::Json) && is_row(it);
        is_fixed(it) && !is_column_of_text
    })
}

/// A column in which every row has the value `null`, as opposed to a missing key.
pub fn nulls(rows: usize) -> Column {
    JsonNode::absent(rows, false).into_column()
}

/// Walks the lines of a block.
fn shredder(
    block: &TextBlock,
    rows: usize,
    objects: bool,
    most_columns: usize,
    infer: bool,
) -> std::result::Result<Shredder<'_>, Fault> {
    let mut paths = Paths::new(block.text(), objects, &mut JsonScratch::default());
    // The user asked for these columns, so they may be large although few rows have a value in them.
    paths.budget = paths
        .budget
        .saturating_add(rows.saturating_mul(most_columns));
    let mut at = 0;
    for _ in 0..rows {
        let end = if objects {
            paths.object(at)?
        } else {
            paths.value(at)?
        };
        at = skip_space(block.text(), end);
    }
    Ok(Shredder {
        paths,
        block,
        infer,
        has_all_rows: false,
    })
}

fn not_json(field: &Field) -> Error {
    Error::input("the text is not JSON").in_column(field.name())
}

/// The range of the value at a path in valid JSON; `None` if the path leads nowhere.
fn value_at(text: &[u8], steps: &[Step]) -> Option<Range<usize>> {
    let start = skip_space(text, 0);
    let Some(step) = steps.first() else {
        return Some(start..value_end(text, start).ok()?);
    };
    let (value, used) = match step {
        &Step::Item(at) => {
            let mut items = inside(text, b'[').map(|item| item.value);
            let item = if let Ok(at) = usize::try_from(at) {
                items.nth(at)?
            } else {
                let items: Vec<_> = items.collect();
                let at = items.len().checked_add_signed(isize::try_from(at).ok()?)?;
                items.get(at)?.clone()
            };
            (item, 1)
        }
        Step::Name(_) | Step::Key(_) => {
            // The longest name wins, and the last value of a repeated key.
            let mut best: Option<(Range<usize>, usize)> = None;
            for Element { key, value } in inside(text, b'{') {
                if let Some(used) = steps_in(steps, &key_name(&text[key]))
                    && best.as_ref().is_none_or(|(_, most)| used >= *most)
                {
                    best = Some((value, used));
                }
            }
            best?
        }
    };
    let inner = value_at(&text[value.clone()], &steps[used..])?;
    Some(value.start + inner.start..value.start + inner.end)
}

/// The members or items of a valid JSON value; nothing if the value is not a container that opens with `open`.
fn inside(text: &[u8], open: u8) -> impl Iterator<Item = Element> {
    let start = skip_space(text, 0);
    let is_container = text.get(start) == Some(&open);
    let inside = is_container.then(|| elements(text, start).flatten());
    inside.into_iter().flatten()
}

/// The kind of value that a step leads into.
pub fn outer_kind(step: &Step) -> Tag {
    match step {
        Step::Name(_) | Step::Key(_) => Tag::Object,
        Step::Item(_) => Tag::Array,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::path::Path;

    #[test]
    fn paths_lead_to_values_in_text() {
        let text =
            br#" {"a" : {"b":[1, {"c":"}"},[ ]], "b.c":5}, "a.b":7, "g":{"b":[1, {"c":"}"}]}, "d":[], "e":null, "e":2 } "#;
        for (path, expected) in [
            ("g.b[1].c", Some(r#""}""#)),
            ("a.b", Some("7")),
            ("a.b[1].c", None),
            ("a.b.c", None),
            ("a['b.c']", Some("5")),
            ("d", Some("[]")),
            ("d[0]", None),
            ("d.x", None),
            ("e", Some("2")),
            ("f", None),
        ] {
            let path = Path::parse(path).unwrap().unwrap();
            let found = value_at(text, path.steps()).map(|value| &text[value]);
            assert_eq!(found, expected.map(str::as_bytes), "{path}");
        }
        for (item, expected) in [(0, Some("1")), (-1, Some("[ ]")), (3, None), (-4, None)] {
            let found = value_at(br#"[1,"x",[ ]]"#, &[Step::Item(item)]);
            let found = found.map(|value| &br#"[1,"x",[ ]]"#[value]);
            assert_eq!(found, expected.map(str::as_bytes), "{item}");
        }
        assert_eq!(value_at(b"", &[Step::Item(0)]), None);
    }
}
