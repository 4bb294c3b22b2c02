//! Canonical text of values, whatever their type and spelling: equal values have equal text.
//!
//! `1.50` of a decimal, `1.5` of a float and `15e-1` are all `1.5`; an instant is printed in UTC whatever its zone,
//! unit and pattern; fields of structs are sorted by name. Zero-padded digits are text.

mod leaves;

pub use leaves::{LeafColumn, leaves, objects, paths_of_whole_objects};

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};

use super::lists::{Ranges, list_parts, map_parts};
use super::print::{ColumnPrinter, TypedCells};
use crate::error::{Error, Result};
use crate::schema::Type;
use crate::schema::keys::{FORM, is_hidden, is_variant, without};
use crate::text::form::{form_of, parse_padded};
use crate::text::json::elements::{Element, elements};
use crate::text::json::escape::print_string;
use crate::text::json::key::key_name;
use crate::text::json::unescape;
use crate::text::number::Number;
use crate::text::time::per_second;

/// A column whose values can be printed in canonical text.
#[derive(Debug)]
pub struct ValueColumn<'a> {
    nulls: Option<NullBuffer>,
    kind: ValueTree<'a>,
    /// The values in their text form, if they have one.
    spelled: Option<ColumnPrinter<'a>>,
}

#[derive(Debug)]
enum ValueTree<'a> {
    /// Values printed in the default form of the type.
    Scalar(ColumnPrinter<'a>, Class),
    /// The visible fields, sorted by name.
    Struct(Vec<(&'a str, ValueColumn<'a>)>),
    List(Ranges<'a>, Box<ValueColumn<'a>>),
    Map(Ranges<'a>, Box<(ValueColumn<'a>, ValueColumn<'a>)>),
    /// The valid child is the value.
    Variant(Vec<ValueColumn<'a>>),
    Null,
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Integers, decimals, floats.
    Number,
    /// `true` and `false`.
    Bool,
    /// Dates, times, instants.
    Time,
    /// Text, and everything printed as text.
    Text,
    /// Structs, lists, maps, and JSON.
    Nested,
}

/// Identifies a value within its column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Identity<'a> {
    /// For values of a fixed width.
    Bits(u64),
    /// For all others.
    Bytes(Cow<'a, [u8]>),
}

/// The child of a variant that has the value.
fn valid_child<'c, 'a>(children: &'c [ValueColumn<'a>], row: usize) -> Option<&'c ValueColumn<'a>> {
    children.iter().find(|child| !child.is_null(row))
}

impl<'a> ValueColumn<'a> {
    /// Prepares an array for printing.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if values of the type cannot be printed.
    pub fn new(array: &'a ArrayRef, field: &'a Field) -> Result<Self> {
        let unlike = || {
            Error::input(format!("cannot read values of type {}", array.data_type()))
                .in_column(field.name())
        };
        let kind = match field.data_type() {
            DataType::Null => ValueTree::Null,
            DataType::Struct(fields) => {
                let array = array.as_struct_opt().ok_or_else(unlike)?;
                let mut children = fields
                    .iter()
                    .zip(array.columns())
                    .filter(|(field, _)| !is_hidden(field))
                    .map(|(field, array)| Ok((field.name().as_str(), Self::new(array, field)?)))
                    .collect::<Result<Vec<_>>>()?;
                if is_variant(field) {
                    ValueTree::Variant(children.into_iter().map(|(_, child)| child).collect())
                } else {
                    children.sort_by_key(|(name, _)| *name);
                    ValueTree::Struct(children)
                }
            }
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                let (ranges, items) = list_parts(array).ok_or_else(unlike)?;
                ValueTree::List(ranges, Box::new(Self::new(items, item)?))
            }
            DataType::Map(entries, _) => {
                let (ranges, keys, values) = map_parts(array, entries).ok_or_else(unlike)?;
                let pair = (Self::new(keys.0, keys.1)?, Self::new(values.0, values.1)?);
                ValueTree::Map(ranges, Box::new(pair))
            }
            _ => scalar(array, field)?,
        };
        Ok(Self {
            nulls: array.logical_nulls().filter(|nulls| nulls.null_count() > 0),
            kind,
            spelled: if field.metadata().contains_key(FORM) {
                Some(ColumnPrinter::new(array, field)?)
            } else {
                None
            },
        })
    }

    /// The kind of its values.
    pub fn class(&self) -> Class {
        match &self.kind {
            ValueTree::Scalar(_, class) => *class,
            ValueTree::Null => Class::Text,
            ValueTree::Struct(_)
            | ValueTree::List(..)
            | ValueTree::Map(..)
            | ValueTree::Variant(_) => Class::Nested,
        }
    }

    /// True for integers padded with zeros.
    pub fn is_padded(&self) -> bool {
        let cells = self.spelled.as_ref().map(|column| &column.cells);
        matches!(cells, Some(TypedCells::Padded(..)))
    }

    /// True if there is no value in this row.
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        match &self.kind {
            ValueTree::Null => true,
            _ => self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)),
        }
    }

    /// The identity of a value that is not null.
    #[inline]
    pub fn identity(&self, row: usize) -> Identity<'_> {
        let ValueTree::Scalar(column, _) = &self.kind else {
            return self.printed(row);
        };
        match &column.cells {
            TypedCells::I64(values)
            | TypedCells::D64(values, _)
            | TypedCells::Timestamp(values)
            | TypedCells::Padded(values, _) => Identity::Bits(values[row] as u64),
            TypedCells::F64(values) => Identity::Bits(values[row].to_bits()),
            TypedCells::Times(times) => Identity::Bits(times.value(row) as u64),
            TypedCells::Bool(bits) => Identity::Bits(bits.value(row).into()),
            TypedCells::Text(slices) => Identity::Bytes(Cow::Borrowed(slices.row(row))),
            TypedCells::Dictionary(dictionary) => match &dictionary.values {
                TypedCells::Text(slices) => {
                    Identity::Bytes(Cow::Borrowed(slices.row(dictionary.keys[row])))
                }
                _ => self.printed(row),
            },
            _ => self.printed(row),
        }
    }

    /// True if a cheap check shows that both columns have the same value, or null, in this row.
    pub fn surely_equals(&self, other: &Self, row: usize) -> bool {
        match (self.is_null(row), other.is_null(row)) {
            (true, true) => return true,
            (false, false) => {}
            _ => return false,
        }
        let (ValueTree::Scalar(left, _), ValueTree::Scalar(right, _)) = (&self.kind, &other.kind)
        else {
            return false;
        };
        match (&left.cells, &right.cells) {
            (TypedCells::I64(a), TypedCells::I64(b))
            | (TypedCells::Timestamp(a), TypedCells::Timestamp(b)) => a[row] == b[row],
            (TypedCells::D64(a, scale), TypedCells::D64(b, other)) => {
                scale == other && a[row] == b[row]
            }
            (TypedCells::F64(a), TypedCells::F64(b)) => a[row].to_bits() == b[row].to_bits(),
            (TypedCells::Text(a), TypedCells::Text(b)) => a.row(row) == b.row(row),
            _ => false,
        }
    }

    fn printed(&self, row: usize) -> Identity<'_> {
        let mut text = Vec::new();
        self.print(row, &mut text);
        Identity::Bytes(Cow::Owned(text))
    }

    /// The position of a value on the number line: the number, or a time in seconds; `None` for everything else. The
    /// value must not be null. Close values may have the same position.
    pub fn position(&self, row: usize) -> Option<f64> {
        let ValueTree::Scalar(column, class) = &self.kind else {
            return None;
        };
        match (class, &column.cells) {
            (Class::Number, TypedCells::I64(values)) => Some(values[row] as f64),
            (Class::Number, TypedCells::F64(values)) => Some(values[row]),
            (Class::Number, cells) => {
                let mut text = Vec::new();
                cells.print(row, &mut text);
                str::from_utf8(&text).ok()?.parse().ok()
            }
            (Class::Time, TypedCells::Timestamp(micros)) => Some(micros[row] as f64 / 1e6),
            (Class::Time, TypedCells::Times(times)) => Some(times.seconds(row)),
            (Class::Time, TypedCells::Duration(values, unit)) => {
                Some(values[row] as f64 / per_second(*unit).0 as f64)
            }
            _ => None,
        }
    }

    /// Appends the canonical text of a value that is not null.
    pub fn print(&self, row: usize, out: &mut Vec<u8>) {
        match &self.kind {
            ValueTree::Scalar(column, class) => {
                let start = out.len();
                column.cells.print(row, out);
                let is_json = matches!(column.cells, TypedCells::Json(_));
                if is_json && let [b'"', inner @ .., b'"'] = &out[start..] {
                    let mut text = Vec::new();
                    if unescape(inner, &mut text).is_some() {
                        out.truncate(start);
                        out.append(&mut text);
                    }
                } else if is_json {
                    let text = out.split_off(start);
                    print_json_text(&text, 0, out);
                } else if *class == Class::Number && !is_plain(&out[start..]) {
                    let number = out.split_off(start);
                    print_number(&number, out);
                }
            }
            ValueTree::Variant(children) => {
                // Printed as in a column of only this kind, since another frame may have such a column.
                if let Some(child) = valid_child(children, row) {
                    child.print(row, out);
                }
            }
            _ => self.print_json(row, out),
        }
    }

    /// Appends the text of a value that is not null as it was written in the source text, if there was one.
    pub fn spell(&self, row: usize, out: &mut Vec<u8>) {
        match &self.spelled {
            Some(column) => column.cells.print(row, out),
            None => self.print(row, out),
        }
    }

    fn print_json(&self, row: usize, out: &mut Vec<u8>) {
        if self.is_null(row) {
            out.extend_from_slice(b"null");
            return;
        }
        match &self.kind {
            ValueTree::Scalar(column, class) => match (class, &column.cells) {
                (Class::Number | Class::Bool, _) => self.print(row, out),
                (_, TypedCells::Json(texts)) => print_json_text(texts.row(row), 0, out),
                _ => {
                    let mut text = Vec::new();
                    self.print(row, &mut text);
                    print_string(&text, out);
                }
            },
            ValueTree::Null => self.print(row, out),
            ValueTree::Variant(children) => {
                if let Some(child) = valid_child(children, row) {
                    child.print_json(row, out);
                }
            }
            ValueTree::Struct(fields) => {
                // A null field is equal to an absent one.
                let present = fields.iter().filter(|(_, field)| !field.is_null(row));
                bracketed(*b"{}", present, out, |(name, field), out| {
                    print_string(name.as_bytes(), out);
                    out.push(b':');
                    field.print_json(row, out);
                });
            }
            ValueTree::List(ranges, items) => {
                bracketed(*b"[]", ranges.of(row), out, |item, out| {
                    items.print_json(item, out);
                });
            }
            ValueTree::Map(ranges, pair) => {
                // As in a struct with these keys.
                let (keys, values) = &**pair;
                let key = |entry| {
                    let mut key = Vec::new();
                    keys.print(entry, &mut key);
                    (key, entry)
                };
                let present = ranges.of(row).filter(|&entry| !values.is_null(entry));
                let mut entries: Vec<_> = present.map(key).collect();
                entries.sort_unstable();
                bracketed(*b"{}", entries, out, |(key, entry), out| {
                    print_string(&key, out);
                    out.push(b':');
                    values.print_json(entry, out);
                });
            }
        }
    }
}

fn bracketed<T>(
    [open, close]: [u8; 2],
    items: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    mut print: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(open);
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        print(item, out);
    }
    out.push(close);
}

fn scalar<'a>(array: &'a ArrayRef, field: &'a Field) -> Result<ValueTree<'a>> {
    // The text form does not change the meaning, except that padding with zeros makes a number text.
    let is_padded = form_of(field).is_some_and(|form| parse_padded(form).is_some());
    let plain = if is_padded {
        field.clone()
    } else {
        without(field.clone(), &[FORM])
    };
    let column = ColumnPrinter::new(array, &plain)?;
    let is_json = Type::of(field) == Some(Type::Json);
    let class = match field.data_type() {
        _ if is_padded => Class::Text,
        _ if is_json => Class::Nested,
        DataType::Boolean => Class::Bool,
        data_type if data_type.is_numeric() => Class::Number,
        DataType::Dictionary(_, values) if values.is_numeric() => Class::Number,
        data_type if data_type.is_temporal() => Class::Time,
        _ => Class::Text,
    };
    Ok(ValueTree::Scalar(column, class))
}

/// Prints JSON text as the same values are printed in columns of their own types. What is nested deeper than columns
/// are is copied, and so is text at fault.
fn print_json_text(text: &[u8], depth: usize, out: &mut Vec<u8>) {
    const MOST: usize = 128;

    match text {
        [open @ (b'{' | b'['), ..] if depth < MOST => {
            let elements: Option<Vec<_>> = elements(text, 0).collect();
            let Some(elements) = elements else {
                return out.extend_from_slice(text);
            };
            let value = |it: &Element, out: &mut Vec<u8>| {
                print_json_text(&text[it.value.clone()], depth + 1, out);
            };
            if *open == b'[' {
                return bracketed(*b"[]", &elements, out, value);
            }
            let present = elements
                .iter()
                .filter(|it| &text[it.value.clone()] != b"null");
            let mut members: Vec<_> = present
                .map(|it| (key_name(&text[it.key.clone()]), it))
                .collect();
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            bracketed(*b"{}", members, out, |(key, it), out| {
                print_string(key.as_bytes(), out);
                out.push(b':');
                value(it, out);
            });
        }
        [b'"', inner @ .., b'"'] => {
            let mut string = Vec::new();
            match unescape(inner, &mut string) {
                Some(()) => print_string(&string, out),
                None => out.extend_from_slice(text),
            }
        }
        _ => print_number(text, out),
    }
}

/// True for an integer that [`print_number`] would print unchanged.
fn is_plain(number: &[u8]) -> bool {
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    digits.len() < 20 && digits.iter().all(u8::is_ascii_digit) && number != b"-0"
}

/// Prints a number without unnecessary digits. Everything else is copied, including numbers with a plus sign, which are
/// text.
pub fn print_number(text: &[u8], out: &mut Vec<u8>) {
    match Number::read(text).filter(Number::is_exact) {
        Some(number) if text[0] != b'+' => number.print(out),
        _ => out.extend_from_slice(text),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use arrow_array::{
        Decimal64Array, DurationMillisecondArray, Float64Array, Int64Array,
        TimestampMillisecondArray,
    };
    use arrow_schema::TimeUnit;

    use super::*;

    fn printed(field: &Field, array: impl Array + 'static) -> Vec<String> {
        let array: ArrayRef = Arc::new(array);
        let column = ValueColumn::new(&array, field).unwrap();
        let text = |row| {
            let mut out = Vec::new();
            column.print(row, &mut out);
            String::from_utf8(out).unwrap()
        };
        (0..array.len()).map(text).collect()
    }

    #[test]
    fn durations_are_ordered_by_length() {
        let field = Field::new("x", DataType::Duration(TimeUnit::Millisecond), true);
        let array: ArrayRef = Arc::new(DurationMillisecondArray::from(vec![9_999_800, 86_398_329]));
        let column = ValueColumn::new(&array, &field).unwrap();
        assert_eq!(column.position(0), Some(9999.8));
        assert_eq!(column.position(1), Some(86_398.329));
    }

    #[test]
    fn types_do_not_show() {
        let field = |data_type| Field::new("x", data_type, true);
        let decimals = Decimal64Array::from(vec![150, 700])
            .with_precision_and_scale(5, 2)
            .unwrap();
        let floats = Float64Array::from(vec![1.5, 7.0]);
        let data_type = decimals.data_type().clone();
        assert_eq!(printed(&field(data_type), decimals), ["1.5", "7"]);
        assert_eq!(printed(&field(DataType::Float64), floats), ["1.5", "7"]);

        let padded = HashMap::from([(FORM.to_owned(), "%03d".to_owned())]);
        let field = field(DataType::Int64).with_metadata(padded);
        assert_eq!(printed(&field, Int64Array::from(vec![7])), ["007"]);
        let zone = TimestampMillisecondArray::from(vec![1500]).with_timezone("+02:00");
        let plain = TimestampMillisecondArray::from(vec![1500]).with_timezone("UTC");
        let of = |array: TimestampMillisecondArray| {
            let field = Field::new("t", array.data_type().clone(), true);
            printed(&field, array)
        };
        assert_eq!(of(zone), of(plain));
    }
}
