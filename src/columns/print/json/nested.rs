//! Prints values of any Arrow type as JSON, row by row.
//!
//! Arrays are downcast and keys are escaped once per batch; printing a row walks the printers. Fields of structs follow
//! [`crate::columns::nested`]: variants print their valid child, absent keys are omitted, and hidden fields are never
//! printed.

use std::borrow::Cow;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};

use super::JsonWriter;
use super::pieces::{Brackets, Fragment, print_text, put};
use crate::columns::lists::{Ranges, list_parts, map_parts};
use crate::columns::print::{ColumnPrinter, Texts, TypedCells};
use crate::error::{Error, Result};
use crate::schema::column_name;
use crate::schema::distinct::distinct_fields;
use crate::schema::keys::{is_absent, is_hidden, is_variant};
use crate::text::json::escape::print_with;
use crate::text::json::style::Container;
use crate::text::number::print_decimal;
use crate::text::print::{print_double, print_integer};

/// A downcast array.
pub(crate) enum JsonPrinter<'a> {
    /// A scalar, and the number of levels around it.
    Scalar(ColumnPrinter<'a>, usize),
    /// Strings with only the required escapes.
    Text(Option<&'a NullBuffer>, Texts<'a>),
    /// Only nulls.
    Null,
    Struct(Option<&'a NullBuffer>, Members<'a>),
    List(Option<&'a NullBuffer>, Ranges<'a>, Box<Self>, Brackets),
    /// A map: keys and values.
    Map(
        Option<&'a NullBuffer>,
        Ranges<'a>,
        Box<(Self, Self)>,
        Brackets,
    ),
    /// Values of several kinds: the valid child is the value.
    Variant(Option<&'a NullBuffer>, Vec<Self>),
}

/// The fields of a struct.
pub(crate) struct Members<'a> {
    all: Vec<Member<'a>>,
    /// For each member, the text before its value if it is the first of its object: `{"name":`. Apart, because few rows
    /// need more than one.
    first: Vec<Fragment>,
    /// The lengths of the texts before the key of the first member and before the keys of others.
    before: [usize; 2],
    /// The text after the last member.
    close: Vec<u8>,
    /// The text of an object without members.
    empty: Vec<u8>,
}

/// A field of a struct.
struct Member<'a> {
    /// The text before the value if another member precedes it: `,"name":`.
    next: Fragment,
    /// What a null means here.
    null_kind: NullKind<'a>,
    values: JsonPrinter<'a>,
}

enum NullKind<'a> {
    /// A null.
    Null,
    /// An absent key.
    Absent,
    /// An absent key where the array is true, a null elsewhere.
    Either(&'a BooleanArray),
}

impl JsonWriter {
    /// A printer for an array whose values are nested in `depth` levels.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if a type has no spelling in text.
    pub(crate) fn printer<'a>(
        &self,
        array: &'a dyn Array,
        field: &Field,
        depth: usize,
    ) -> Result<JsonPrinter<'a>> {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        let unlike = || {
            let what = format!("cannot print values of type {}", array.data_type());
            Error::input(what).in_column(field.name())
        };
        Ok(match field.data_type() {
            DataType::Null => JsonPrinter::Null,
            DataType::Struct(fields) if is_variant(field) => {
                let array = array.as_struct_opt().ok_or_else(unlike)?;
                let children = array
                    .columns()
                    .iter()
                    .zip(fields)
                    .map(|(array, field)| self.printer(array, field, depth));
                JsonPrinter::Variant(nulls, children.collect::<Result<_>>()?)
            }
            DataType::Struct(fields) => {
                let array = array.as_struct_opt().ok_or_else(unlike)?;
                let distinct = distinct_fields(fields);
                let fields = distinct.as_ref().unwrap_or(fields);
                let members = self.members(array.columns(), fields, depth, own_name)?;
                JsonPrinter::Struct(nulls, members)
            }
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                let (ranges, items) = list_parts(array).ok_or_else(unlike)?;
                let inside = self.style.inside(Container::Array, depth);
                let items = Box::new(self.printer(items, item, inside)?);
                let brackets = Brackets::new(&self.style, Container::Array, depth);
                JsonPrinter::List(nulls, ranges, items, brackets)
            }
            DataType::Map(entries, _) => {
                let (ranges, keys, values) = map_parts(array, entries).ok_or_else(unlike)?;
                let inside = self.style.inside(Container::Object, depth);
                let keys = self.printer(keys.0, keys.1, inside)?;
                let values = self.printer(values.0, values.1, inside)?;
                let brackets = Brackets::new(&self.style, Container::Object, depth);
                JsonPrinter::Map(nulls, ranges, Box::new((keys, values)), brackets)
            }
            _ => {
                let column = ColumnPrinter::new(array, field)?;
                match column.cells {
                    TypedCells::Text(slices) if self.escaper.is_none() && slices.is_utf8() => {
                        if let Some(texts) = slices.small() {
                            JsonPrinter::Text(nulls, texts)
                        } else {
                            let cells = TypedCells::Text(slices);
                            JsonPrinter::Scalar(ColumnPrinter { cells, ..column }, depth)
                        }
                    }
                    _ => JsonPrinter::Scalar(column, depth),
                }
            }
        })
    }

    /// The visible members, each with what distinguishes its nulls from absent keys.
    fn members<'a>(
        &self,
        columns: &'a [ArrayRef],
        fields: &Fields,
        depth: usize,
        name: fn(&Field, usize) -> Cow<'_, str>,
    ) -> Result<Members<'a>> {
        let Brackets {
            open,
            comma,
            close,
            empty,
        } = Brackets::new(&self.style, Container::Object, depth);
        let inside = self.style.inside(Container::Object, depth);
        let mut all: Vec<Member<'a>> = Vec::with_capacity(fields.len());
        let mut first = Vec::with_capacity(fields.len());
        let mut key = Vec::new();
        for (array, field) in columns.iter().zip(fields) {
            if is_hidden(field) {
                if let (Some(before), Some(bits)) = (all.last_mut(), array.as_boolean_opt()) {
                    before.null_kind = NullKind::Either(bits);
                }
                continue;
            }
            key.clear();
            let name = name(field, all.len());
            print_with(self.escaper.as_ref(), name.as_bytes(), &mut key);
            key.extend_from_slice(self.style.colon.as_bytes());
            first.push(Fragment::new(&[&open, &key]));
            all.push(Member {
                next: Fragment::new(&[&comma, &key]),
                null_kind: if is_absent(field) {
                    NullKind::Absent
                } else {
                    NullKind::Null
                },
                values: self.printer(array, field, inside)?,
            });
        }
        Ok(Members {
            all,
            first,
            before: [open.len(), comma.len()],
            close,
            empty,
        })
    }

    /// The columns as members of the rows.
    pub(crate) fn members_of<'a>(&self, batch: &'a RecordBatch) -> Result<Members<'a>> {
        let fields = batch.schema_ref().fields();
        self.members(batch.columns(), fields, self.style.depth, shown_name)
    }
}

fn own_name(field: &Field, _: usize) -> Cow<'_, str> {
    Cow::Borrowed(field.name())
}

fn shown_name(field: &Field, position: usize) -> Cow<'_, str> {
    Cow::Owned(column_name(field, position))
}

impl JsonPrinter<'_> {
    pub(super) fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Scalar(column, _) => column.is_null(row),
            Self::Null => true,
            Self::Text(nulls, _)
            | Self::Struct(nulls, _)
            | Self::List(nulls, ..)
            | Self::Map(nulls, ..)
            | Self::Variant(nulls, _) => nulls.is_some_and(|nulls| nulls.is_null(row)),
        }
    }

    /// True if values are JSON text, which may have objects in it.
    pub(super) fn has_json_text(&self) -> bool {
        match self {
            Self::Scalar(column, _) => match &column.cells {
                TypedCells::Dictionary(dictionary) => {
                    matches!(dictionary.values, TypedCells::Json(_))
                }
                cells => matches!(cells, TypedCells::Json(_)),
            },
            Self::Text(..) | Self::Null => false,
            Self::Struct(_, members) => members.have_json_text(),
            Self::List(_, _, items, _) => items.has_json_text(),
            Self::Map(_, _, entries, _) => entries.0.has_json_text() || entries.1.has_json_text(),
            Self::Variant(_, children) => children.iter().any(Self::has_json_text),
        }
    }
}

impl Members<'_> {
    /// True if the values of some member are JSON text.
    pub(super) fn have_json_text(&self) -> bool {
        self.all.iter().any(|member| member.values.has_json_text())
    }
}

impl Member<'_> {
    /// True if the row has no such member; only for nulls.
    #[inline]
    fn is_absent(&self, row: usize) -> bool {
        match self.null_kind {
            NullKind::Null => false,
            NullKind::Absent => true,
            NullKind::Either(absent) => absent.value(row),
        }
    }
}

impl JsonWriter {
    /// Appends an object.
    #[inline]
    pub(crate) fn object(&mut self, members: &Members<'_>, row: usize, out: &mut Vec<u8>) {
        let opened = self.moves.open();
        let mut is_empty = true;
        for (at, member) in members.all.iter().enumerate() {
            let is_null = member.values.is_null(row);
            if is_null && member.is_absent(row) {
                continue;
            }
            let (key, before) = if is_empty {
                (&members.first[at], members.before[0])
            } else {
                (&member.next, members.before[1])
            };
            let start = out.len() + before;
            key.append(out);
            if is_null {
                out.extend_from_slice(b"null");
            } else {
                self.present(&member.values, row, out);
            }
            if opened.is_some() {
                self.moves.push(start, out.len());
            }
            is_empty = false;
        }
        if let Some(opened) = opened {
            self.moves.close(opened, out);
        }
        if is_empty {
            out.extend_from_slice(&members.empty);
        } else {
            put(&members.close, out);
        }
    }

    /// Appends a value.
    #[inline]
    pub(crate) fn value(&mut self, values: &JsonPrinter<'_>, row: usize, out: &mut Vec<u8>) {
        if values.is_null(row) {
            out.extend_from_slice(b"null");
        } else {
            self.present(values, row, out);
        }
    }

    /// Appends a value that is not null.
    fn present(&mut self, values: &JsonPrinter<'_>, row: usize, out: &mut Vec<u8>) {
        match values {
            JsonPrinter::Scalar(column, depth) => self.scalar(&column.cells, *depth, row, out),
            JsonPrinter::Null => {}
            JsonPrinter::Text(_, texts) => print_text(texts, row, out),
            JsonPrinter::Struct(_, members) => self.object(members, row, out),
            JsonPrinter::List(_, ranges, items, brackets) => {
                self.list(items, ranges.of(row), brackets, out);
            }
            JsonPrinter::Map(_, ranges, entries, brackets) => {
                let (keys, values) = &**entries;
                let range = ranges.of(row);
                let opened = self.moves.open();
                let is_empty = range.is_empty();
                let mut before = &brackets.open;
                for entry in range {
                    put(before, out);
                    let start = out.len();
                    self.key(keys, entry, out);
                    put(self.style.colon.as_bytes(), out);
                    self.value(values, entry, out);
                    if opened.is_some() {
                        self.moves.push(start, out.len());
                    }
                    before = &brackets.comma;
                }
                if let Some(opened) = opened {
                    self.moves.close(opened, out);
                }
                if is_empty {
                    return out.extend_from_slice(&brackets.empty);
                }
                put(&brackets.close, out);
            }
            JsonPrinter::Variant(_, children) => {
                match children.iter().find(|child| !child.is_null(row)) {
                    Some(child) => self.present(child, row, out),
                    None => out.extend_from_slice(b"null"),
                }
            }
        }
    }

    /// Appends a list.
    #[inline]
    fn list(
        &mut self,
        items: &JsonPrinter<'_>,
        range: Range<usize>,
        brackets: &Brackets,
        out: &mut Vec<u8>,
    ) {
        if range.is_empty() {
            return out.extend_from_slice(&brackets.empty);
        }
        match items {
            JsonPrinter::Scalar(column, _) if column.nulls().is_none() => {
                self.numbers(items, &column.cells, range, brackets, out);
            }
            JsonPrinter::List(None, ranges, inner, inner_brackets) => {
                print_items(range, brackets, out, |item, out| {
                    self.list(inner, ranges.of(item), inner_brackets, out);
                });
            }
            _ => print_items(range, brackets, out, |item, out| {
                self.value(items, item, out);
            }),
        }
        put(&brackets.close, out);
    }

    /// Appends the items of a list without nulls. Lists of numbers are long, so this decides once which type they have.
    fn numbers(
        &mut self,
        items: &JsonPrinter<'_>,
        cells: &TypedCells<'_>,
        range: Range<usize>,
        brackets: &Brackets,
        out: &mut Vec<u8>,
    ) {
        let all_finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        match cells {
            TypedCells::F64(values) if all_finite(&values[range.clone()]) => {
                print_items(&values[range], brackets, out, |&value, out| {
                    print_double(value, out);
                });
            }
            TypedCells::Floats(values, form) if all_finite(&values[range.clone()]) => {
                print_items(&values[range], brackets, out, |&value, out| {
                    form.print(value, out);
                });
            }
            TypedCells::I64(values) => {
                print_items(&values[range], brackets, out, |&value, out| {
                    print_integer(value, out);
                });
            }
            TypedCells::D64(values, scale) => {
                print_items(&values[range], brackets, out, |&value, out| {
                    print_decimal(value, *scale, out);
                });
            }
            _ => print_items(range, brackets, out, |item, out| {
                self.value(items, item, out);
            }),
        }
    }

    /// Appends the key of an entry, which is a string whatever its type.
    fn key(&mut self, keys: &JsonPrinter<'_>, entry: usize, out: &mut Vec<u8>) {
        let start = out.len();
        self.value(keys, entry, out);
        if out.get(start) != Some(&b'"') {
            let bare = out.split_off(start);
            print_with(self.escaper.as_ref(), &bare, out);
        }
    }
}

/// Appends the items of a list, each with what is before it.
#[inline]
fn print_items<T>(
    items: impl IntoIterator<Item = T>,
    brackets: &Brackets,
    out: &mut Vec<u8>,
    mut print: impl FnMut(T, &mut Vec<u8>),
) {
    let mut before = &brackets.open;
    for item in items {
        put(before, out);
        print(item, out);
        before = &brackets.comma;
    }
}
