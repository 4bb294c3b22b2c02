//! Finds the column or nested value that a path names.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, UInt64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};

use crate::columns::column::Column;
use crate::columns::json_text::{has_types, outer_kind, values_in};
use crate::columns::lists::{Ranges, list_parts, map_parts};
use crate::columns::nested;
use crate::columns::print::{ColumnPrinter, Slices};
use crate::error::{Error, Result};
use crate::schema::keys::{is_hidden, is_row, is_variant};
use crate::schema::path::{Path, Step, longest_name};
use crate::schema::{Type, column_name, shown_names};

/// A column or a value inside one: its type, its values, and the nulls of the values around it.
pub type NestedColumn = (Field, ArrayRef, Option<NullBuffer>);

/// The column at the start of a path: its position, its field, and the number of steps in its name. The
/// longest name wins, and the first of equal names. If no name matches, it is the column of whole rows, if
/// there is one, whose name is not part of paths.
pub fn find<'a>(
    steps: &[Step],
    fields: impl Iterator<Item = &'a Field>,
) -> Option<(usize, &'a Field, usize)> {
    let shown = fields.enumerate().filter(|(_, field)| !is_hidden(field));
    let shown: Vec<_> = shown.collect();
    let named = longest_name(steps, |name| {
        let mut columns = shown.iter().enumerate();
        let found = columns.find(|(place, (_, field))| column_name(field, *place) == name);
        found.map(|(_, column)| *column)
    });
    let rows = || shown.iter().rfind(|(_, field)| is_row(field)).copied();
    let found = named.or_else(|| Some((rows()?, 0)));
    found.map(|((at, field), used)| (at, field, used))
}

/// The names of all columns and of the fields in them.
pub fn names(fields: &Fields) -> Vec<String> {
    let mut names = Vec::new();
    let shown = fields.iter().filter(|field| !is_hidden(field));
    for (name, field) in shown_names(fields).zip(shown) {
        let inner = inner_fields(field).map(self::names).unwrap_or_default();
        names.push(name.clone());
        names.extend(inner.iter().map(|inner| format!("{name}.{inner}")));
    }
    names
}

/// The fields in a struct, or in the struct among values of several kinds.
fn inner_fields(field: &Field) -> Option<&Fields> {
    match field.data_type() {
        DataType::Struct(children) if is_variant(field) => {
            children.iter().find_map(|child| inner_fields(child))
        }
        DataType::Struct(fields) => Some(fields),
        _ => None,
    }
}

/// What the rest of a path leads to in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// There is nothing with that name.
    Nothing,
    /// A column of JSON text, or of rows that are maps: only the rows show whether there is anything.
    Text,
    /// The column, or a value inside it.
    Value,
}

/// What the steps lead to. If a column has values of several kinds, the kind where they lead farthest counts.
pub fn reach(field: &Field, steps: &[Step]) -> Reach {
    let Some(step) = steps.first() else {
        return Reach::Value;
    };
    match (field.data_type(), step) {
        _ if Type::of(field) == Some(Type::Json) => Reach::Text,
        (DataType::Struct(children), _) if is_variant(field) => {
            child_of_kind(children, steps).map_or(Reach::Nothing, |(_, reach)| reach)
        }
        (DataType::Struct(fields), _) => match find(steps, fields.iter().map(|field| &**field)) {
            Some((_, field, used)) => reach(field, &steps[used..]),
            None => Reach::Nothing,
        },
        (DataType::Map(entries, _), Step::Name(_) | Step::Key(_)) => match entries.data_type() {
            DataType::Struct(fields) if fields.len() == 2 => reach(&fields[1], &steps[1..]),
            _ => Reach::Nothing,
        },
        (
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _),
            Step::Item(_),
        ) => reach(item, &steps[1..]),
        _ => Reach::Nothing,
    }
}

/// The child of a variant in which the steps lead farthest, and how far.
fn child_of_kind(children: &Fields, steps: &[Step]) -> Option<(usize, Reach)> {
    let step = steps.first()?;
    let reaches = children.iter().map(|child| match reach(child, steps) {
        // Text holds only values of the child's kind.
        Reach::Text if child.name() != outer_kind(step).name() => Reach::Nothing,
        reach => reach,
    });
    // The first of equal ones.
    reaches.enumerate().rev().max_by_key(|(_, reach)| *reach)
}

/// Columns by their displayed names, to find many paths among them.
pub struct ColumnIndex<'a> {
    by_name: HashMap<String, (usize, &'a Field)>,
    /// The column of whole rows.
    rows: Option<(usize, &'a Field)>,
}

impl<'a> ColumnIndex<'a> {
    /// An index of these columns.
    pub fn new(fields: &'a Fields) -> Self {
        let (mut by_name, mut rows) = (HashMap::new(), None);
        let fields = fields.iter().enumerate();
        let shown = fields.filter(|(_, field)| !is_hidden(field));
        for (place, (at, field)) in shown.enumerate() {
            if is_row(field) {
                rows = Some((at, &**field));
            }
            let name = column_name(field, place);
            by_name.entry(name).or_insert((at, &**field));
        }
        Self { by_name, rows }
    }

    /// What [`find`] finds for the path.
    fn find(&self, path: &Path) -> Option<(usize, &'a Field, usize)> {
        let named = longest_name(path.steps(), |name| self.by_name.get(name).copied());
        let found = named.or_else(|| Some((self.rows?, 0)));
        found.map(|((at, field), used)| (at, field, used))
    }

    /// How far the path leads among the columns.
    pub fn reach(&self, path: &Path) -> Reach {
        self.find(path).map_or(Reach::Nothing, |(_, field, used)| {
            let found = reach(field, &path.steps()[used..]);
            match field.data_type() {
                DataType::Map(..) if used == 0 => found.min(Reach::Text),
                _ => found,
            }
        })
    }
}

/// Follows the rest of a path into a column; `None` if there is nothing with that name.
///
/// # Errors
/// [`crate::error::Kind::Limit`] if Arrow cannot hold the values, and as for [`Descent::values`].
pub fn below(
    field: &Field,
    array: &ArrayRef,
    steps: &[Step],
    above: Option<NullBuffer>,
) -> Result<Option<NestedColumn>> {
    let Some(descent) = descend(field, array, steps, above)? else {
        return Ok(None);
    };
    if descent.rest.is_empty() {
        return Ok(Some((descent.field, descent.array, descent.above)));
    }
    let infer = descent.has_types();
    let Some(values) = descent.values(infer)? else {
        return Ok(None);
    };
    let (columns, _) = nested::column(descent.field.name(), vec![values], None, infer, false)?;
    let found = columns.into_iter().next();
    Ok(found.and_then(|(field, arrays)| Some((field, arrays.into_iter().next()?, descent.above))))
}

/// The end of a path, or the column of JSON text that it leads into.
pub struct Descent<'s> {
    field: Field,
    /// The values of the column, or its text.
    array: ArrayRef,
    /// The nulls of the values around it.
    above: Option<NullBuffer>,
    /// The steps that remain in JSON text.
    rest: &'s [Step],
}

impl Descent<'_> {
    /// False if values in the column have no types.
    pub fn has_types(&self) -> bool {
        has_types(&self.field)
    }

    /// The values in JSON text that the path leads to; `None` if no row has any.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if the text is not JSON.
    pub fn values(&self, infer: bool) -> Result<Option<Column>> {
        values_in(
            &self.field,
            &self.array,
            self.above.as_ref(),
            self.rest,
            infer,
        )
    }
}

/// Follows the rest of a path into a column, down to JSON text if it leads into some; `None` if there is
/// nothing with that name.
///
/// # Errors
/// [`crate::error::Kind::Limit`] if Arrow cannot hold the values.
pub fn descend<'s>(
    field: &Field,
    array: &ArrayRef,
    steps: &'s [Step],
    above: Option<NullBuffer>,
) -> Result<Option<Descent<'s>>> {
    let is_text = Type::of(field) == Some(Type::Json);
    let Some(step) = steps.first().filter(|_| !is_text) else {
        return Ok(Some(Descent {
            field: field.clone(),
            array: array.clone(),
            above,
            rest: steps,
        }));
    };
    let inside = |above: Option<&NullBuffer>| NullBuffer::union(above, array.nulls());
    let (item, values, places) = match (field.data_type(), step) {
        (DataType::Struct(children), _) if is_variant(field) => {
            let child = child_of_kind(children, steps).filter(|(_, it)| *it > Reach::Nothing);
            let Some((at, _)) = child else {
                return Ok(None);
            };
            let child = array.as_struct().column(at);
            return descend(&children[at], child, steps, inside(above.as_ref()));
        }
        (DataType::Struct(fields), _) => {
            let found = find(steps, fields.iter().map(|field| &**field));
            let Some((at, field, used)) = found else {
                return Ok(None);
            };
            let child = array.as_struct().column(at);
            return descend(field, child, &steps[used..], inside(above.as_ref()));
        }
        (DataType::Map(entries, _), Step::Name(key) | Step::Key(key)) => {
            let Some((ranges, (keys, key_field), (values, value))) = map_parts(array, entries)
            else {
                return Ok(None);
            };
            let texts = Slices::of(keys).filter(Slices::is_utf8);
            let keys = ColumnPrinter::new(keys, key_field)?;
            let mut text = Vec::new();
            let mut is_key = |entry: usize| {
                if let Some(texts) = &texts {
                    return texts.row(entry) == key.as_bytes();
                }
                text.clear();
                keys.cells.print(entry, &mut text);
                text == key.as_bytes()
            };
            let place = |row: usize| {
                let found = ranges.of(row).find(|&entry| is_key(entry));
                found.filter(|_| array.is_valid(row)).map(|at| at as u64)
            };
            (value, values, (0..array.len()).map(place).collect())
        }
        (
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _),
            &Step::Item(at),
        ) => {
            let Some((ranges, values)) = list_parts(array) else {
                return Ok(None);
            };
            (&**item, values, items(array, &ranges, at))
        }
        _ => return Ok(None),
    };
    // One item per row; null where a row has none.
    let taken = arrow_select::take::take(values, &places, None)
        .map_err(|error| Error::limit(format!("cannot hold the items: {error}")))?;
    descend(item, &taken, &steps[1..], above)
}

/// For each list, the index of its item `at` in the values of all lists.
fn items(array: &ArrayRef, ranges: &Ranges<'_>, at: i64) -> UInt64Array {
    let place = |row: usize| {
        let range = ranges.of(row);
        let base = if at < 0 { range.end } else { range.start };
        let place = base.checked_add_signed(isize::try_from(at).ok()?)?;
        (array.is_valid(row) && range.contains(&place)).then_some(place as u64)
    };
    (0..array.len()).map(place).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{Int64Builder, MapBuilder, StringBuilder};
    use arrow_array::cast::AsArray as _;

    use super::*;

    /// JSON has the keys of maps as names, whatever their type is.
    #[test]
    fn numbers_are_found_as_keys_of_maps() {
        let mut map = MapBuilder::new(None, Int64Builder::new(), StringBuilder::new());
        for entries in [&[(1, "a"), (-20, "b")][..], &[], &[(-20, "c")]] {
            for (key, value) in entries {
                map.keys().append_value(*key);
                map.values().append_value(value);
            }
            map.append(true).unwrap();
        }
        let map: ArrayRef = Arc::new(map.finish());
        let field = Field::new("m", map.data_type().clone(), true);
        let found = |key: &str| {
            let steps = [Step::Key(key.to_owned())];
            let (_, values, _) = below(&field, &map, &steps, None).unwrap().unwrap();
            let values = values.as_string::<i32>().iter();
            values.map(|it| it.map(str::to_owned)).collect::<Vec<_>>()
        };
        let text = |value: &str| Some(value.to_owned());
        assert_eq!(found("1"), [text("a"), None, None]);
        assert_eq!(found("-20"), [text("b"), None, text("c")]);
        assert_eq!(found("01"), [None, None, None]);
    }
}
