//! Compares two columns row by row.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_schema::{DataType, Field, FieldRef};

use super::bind::{is_text, nested, value_type};
use super::expression::{Op, Truth};
use super::number::{float_key, instant, time_of_day};
use super::scan::other_type;
use super::text_value::{Kinds, NumberWords, Numeric, TextValue, compare_cells};
use crate::columns::cast::{DecimalMark, Provenance, Target, cast_column, is_odd, spelled};
use crate::columns::place::below;
use crate::columns::print::json::{is_typed_string, strings_apart};
use crate::columns::print::{CellValue, TypedCells};
use crate::error::{Error, Result};
use crate::schema::keys::{FORM, is_variant, without};
use crate::schema::path::{Path, Step};
use crate::schema::{Type, short_type_name};
use crate::text::form::BoolLiterals;
use crate::text::number::print_decimal;

/// A column, or a value inside one, with its type and its nulls.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    /// How it was named.
    pub path: &'a Path,
    /// Its type.
    pub field: Field,
    /// Its values.
    pub array: ArrayRef,
    /// Rows that are null because a struct around them is.
    pub above: Option<NullBuffer>,
    /// The column as it is written, if its values were read from text.
    pub text: Option<(Field, ArrayRef)>,
    /// The type and values as the frame has them.
    pub stored: (Field, ArrayRef),
    /// Where the values come from.
    pub from: Provenance,
}

impl<'a> Side<'a> {
    /// The column `field`, or what is at `steps` inside it; `None` if nothing is there. Text of CSV has the type of its
    /// values, as it does in formats with types.
    pub fn new(
        path: &'a Path,
        steps: &[Step],
        field: &FieldRef,
        array: &ArrayRef,
        from: Provenance,
    ) -> Result<Option<Self>> {
        let is_cells = from == Provenance::Csv
            && Type::held(field).is_none()
            && Target::ByValue.may_change(field, from);
        let text = if is_odd(field) {
            // In the original text, these nulls were words.
            Some(spelled(array, field)?)
        } else {
            is_cells.then(|| (field.as_ref().clone(), Arc::clone(array)))
        };
        let found = match &text {
            Some((field, array)) => {
                let (cells, arrays) = (Arc::new(field.clone()), vec![Arc::clone(array)]);
                let (typed, values) = cast_column(&cells, arrays, Target::ByValue, from)?;
                below(&typed, &values[0], steps, None)?
            }
            None => below(field, array, steps, None)?,
        };
        let Some((mut inner, mut array, above)) = found else {
            return Ok(None);
        };
        let from = from.of_column(field);
        let stored = (inner.clone(), Arc::clone(&array));
        if from == Provenance::Json {
            // Which strings and numbers a frame stores as JSON text depends on its other rows.
            (inner, array) = strings_apart(&array, &inner)?;
        }
        Ok(Some(Self {
            path,
            field: inner,
            array,
            above,
            text,
            stored,
            from,
        }))
    }

    /// True if the values are text in the input, and have another type only because of what they look like.
    pub fn is_written_as_text(&self) -> bool {
        match self.from {
            Provenance::Csv => !self.field.data_type().is_nested(),
            Provenance::Json => is_typed_string(&self.field),
            Provenance::Typed => false,
        }
    }

    /// The values as text, if that is what they are in the input. Nulls may be words.
    ///
    /// # Errors
    /// If Arrow cannot hold the text.
    pub fn as_written(&self) -> Result<Option<(Field, ArrayRef)>> {
        match &self.text {
            Some(text) => Ok(Some(text.clone())),
            None if self.is_written_as_text() => spelled(&self.array, &self.field).map(Some),
            None => Ok(None),
        }
    }

    /// The type and values for a comparison: as text if that is what they are in the input and `as_written` is set. Bytes
    /// that are not UTF-8 are compared as they are.
    fn values(&self, as_written: bool) -> Result<(Field, ArrayRef)> {
        let is_bytes = Type::of(&self.field) == Some(Type::Bytes);
        let text = if as_written && !is_bytes {
            self.as_written()?
        } else {
            None
        };
        Ok(text.unwrap_or_else(|| (self.field.clone(), Arc::clone(&self.array))))
    }

    /// The rows without a value.
    pub fn nulls(&self) -> Option<NullBuffer> {
        NullBuffer::union(self.array.logical_nulls().as_ref(), self.above.as_ref())
    }
}

/// The values of a column, or of the children of a variant.
struct SideCells<'a> {
    nulls: Option<NullBuffer>,
    values: SideValues<'a>,
}

enum SideValues<'a> {
    Scalars(TypedCells<'a>),
    /// JSON text of all values but strings, which have a column of their own unless they are not Unicode.
    Json(TypedCells<'a>),
    Variant(Vec<SideCells<'a>>),
    /// Values that have no order.
    Nested,
}

/// A value that is compared.
#[derive(Clone, Copy)]
enum SideValue<'a> {
    Cell(CellValue<'a>),
    JsonNumber(&'a [u8]),
}

impl SideValue<'_> {
    fn is_text(&self) -> bool {
        matches!(self, Self::Cell(CellValue::Text(_)))
    }
}

/// The truth of `left op right` for every row, and whether any row has two values of one kind; `None` if no row has two
/// values.
///
/// The types of the columns may differ from frame to frame, but the truth depends on the values of the row alone. Cells
/// of CSV compare as numbers if both are numbers, and so on, else as text. Other values of different kinds are unequal;
/// whether they are greater is unknown.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if a type has no order.
pub fn compare(left: &Side<'_>, op: Op, right: &Side<'_>) -> Result<(Truth, Option<bool>)> {
    let rows = left.array.len();
    let valid = NullBuffer::union(left.nulls().as_ref(), right.nulls().as_ref());
    let as_written = !have_one_kind(left, right);
    let are_from = |from| left.from == from && right.from == from;
    let are_cells = as_written && are_from(Provenance::Csv);
    let are_json = are_from(Provenance::Json);
    let (left_values, right_values) = (left.values(as_written)?, right.values(as_written)?);
    let left_cells = SideCells::new(&left_values.1, &left_values.0, left.from)?;
    let right_cells = SideCells::new(&right_values.1, &right_values.0, right.from)?;
    let marks = [left, right].map(|side| DecimalMark::of(&side.field));
    let mut any_fits = None;
    let (mut yes, mut no) = (
        BooleanBufferBuilder::new(rows),
        BooleanBufferBuilder::new(rows),
    );
    for row in 0..rows {
        if valid.as_ref().is_some_and(|valid| valid.is_null(row)) {
            yes.append(false);
            no.append(false);
            continue;
        }
        let (order, fits) = match (left_cells.value(row), right_cells.value(row)) {
            (
                SideValue::Cell(CellValue::Text(a) | CellValue::Bytes(a)),
                SideValue::Cell(CellValue::Text(b) | CellValue::Bytes(b)),
            ) if are_cells => {
                let plain = [marks[0].with_point(a), marks[1].with_point(b)];
                let (order, fits) = compare_cells([a, b], &plain);
                (Some(order), fits)
            }
            // A string in JSON is no number, whatever it looks like.
            (left, right) if are_json && left.is_text() != right.is_text() => (None, false),
            (left, right) => {
                let order = match (left, right) {
                    (SideValue::Cell(left), SideValue::Cell(right)) => order(left, right),
                    _ => of_numbers(left, right),
                };
                (order, order.is_some())
            }
        };
        any_fits = any_fits.max(Some(fits));
        yes.append(order.is_some_and(|order| op.holds(order)));
        // Values that have no order are at least unequal.
        no.append(order.map_or(op == Op::Equal, |order| !op.holds(order)));
    }
    let (yes, no) = (yes.finish(), no.finish());
    Ok((Truth { yes, no }, any_fits))
}

/// True if the values compare by their types as they would as text, so they need not be written as text. Bools do not:
/// in text, `yes` is another word than `Yes`.
fn have_one_kind(left: &Side<'_>, right: &Side<'_>) -> bool {
    let [a, b] = [left, right].map(|side| (kind(&side.field), side.is_written_as_text()));
    let is_bool = a.0 == Some(ComparisonKind::Bool);
    a == b && a.0.is_some() && !(is_bool && a.1)
}

/// The error for columns that cannot be compared, of these names and types.
pub fn incomparable(sides: [(&Path, &Field); 2]) -> Error {
    let [(left, a), (right, b)] =
        sides.map(|(path, field)| (path.to_string(), short_type_name(field)));
    let what = format!("column {left:?} is {a} and column {right:?} is {b}");
    Error::usage(what).hint("only columns of one kind can be compared")
}

/// Checks that columns of these names and types can be compared.
///
/// # Errors
/// [`crate::error::Kind::Usage`].
pub fn ensure_comparable(sides: [(&Path, &Field); 2]) -> Result<()> {
    for (path, field) in sides {
        if field.data_type().is_nested() && !is_variant(field) {
            return Err(nested(field, path));
        }
    }
    // Text may contain values of other kinds.
    if let [Some(a), Some(b)] = sides.map(|(_, field)| kind(field))
        && a != b
    {
        return Err(incomparable(sides));
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ComparisonKind {
    Number,
    Bytes,
    Bool,
    Instant,
    TimeOfDay,
    Duration,
}

/// `None` for fields that can be compared with any kind.
fn kind(field: &Field) -> Option<ComparisonKind> {
    if is_text(field) || is_variant(field) {
        return None;
    }
    Some(match value_type(field) {
        DataType::Null => return None,
        _ if Type::of(field) == Some(Type::Bool) => ComparisonKind::Bool,
        other if other.is_numeric() => ComparisonKind::Number,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => ComparisonKind::Instant,
        DataType::Time32(_) | DataType::Time64(_) => ComparisonKind::TimeOfDay,
        DataType::Duration(_) => ComparisonKind::Duration,
        _ => ComparisonKind::Bytes,
    })
}

/// Compares two values; `None` if their kinds differ, which makes them unequal.
fn order(left: CellValue<'_>, right: CellValue<'_>) -> Option<Ordering> {
    use CellValue::{Bool, Bytes, Decimal, Duration, Float, Float32, Instant, Text, TimeOfDay};
    Some(match (left, right) {
        (Decimal(a, scale), Decimal(b, other)) if scale == other => a.cmp(&b),
        (Float(a), Float(b)) => float_key(a).cmp(&float_key(b)),
        (Float32(a), Float32(b)) => float_key(a.into()).cmp(&float_key(b.into())),
        (Text(a), Text(b)) => {
            let [a, b] = [a, b].map(|text| TextValue::read(text, text, Kinds::OF_STRINGS));
            a.compare(&b)?
        }
        (Bytes(a), Bytes(b)) => a.cmp(b),
        (Bool(a), Bool(b)) => (a != 0).cmp(&(b != 0)),
        (Instant(a), Instant(b)) | (TimeOfDay(a), TimeOfDay(b)) | (Duration(a), Duration(b)) => {
            a.cmp(&b)
        }
        (Text(text), Instant(_) | TimeOfDay(_) | Bool(_)) => order(read_like(text, right)?, right)?,
        (Instant(_) | TimeOfDay(_) | Bool(_), Text(text)) => order(left, read_like(text, left)?)?,
        _ => return of_numbers(SideValue::Cell(left), SideValue::Cell(right)),
    })
}

/// Parses text as a value of the same kind as `other`.
fn read_like<'a>(text: &[u8], other: CellValue<'_>) -> Option<CellValue<'a>> {
    let text = str::from_utf8(text).ok()?;
    match other {
        CellValue::Instant(_) => instant(text).map(CellValue::Instant),
        CellValue::TimeOfDay(_) => time_of_day(text).map(CellValue::TimeOfDay),
        CellValue::Bool(_) => {
            BoolLiterals::of(text.as_bytes()).map(|(_, value)| CellValue::Bool(value.into()))
        }
        _ => None,
    }
}

/// Compares numbers of different types by their shortest text: 0.1 equals 0.1 in every type.
fn of_numbers(left: SideValue<'_>, right: SideValue<'_>) -> Option<Ordering> {
    let (mut left_name, mut right_name) = (Vec::new(), Vec::new());
    let left = numeric(left, &mut left_name)?;
    Some(left.compare(&numeric(right, &mut right_name)?))
}

fn numeric<'a>(value: SideValue<'a>, name: &'a mut Vec<u8>) -> Option<Numeric<'a>> {
    let cell = match value {
        SideValue::Cell(cell) => cell,
        SideValue::JsonNumber(text) => CellValue::Text(text),
    };
    match cell {
        CellValue::Float(value) if !value.is_finite() => Some(Numeric::not_finite(value)),
        CellValue::Float32(value) if !value.is_finite() => Some(Numeric::not_finite(value.into())),
        cell => Numeric::read(number_name(cell, name)?, NumberWords::Sure),
    }
}

fn number_name<'a>(cell: CellValue<'a>, name: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    match cell {
        CellValue::Text(text) => return Some(text),
        CellValue::Decimal(mantissa, scale) => print_decimal(mantissa, scale, name),
        CellValue::Float(value) => {
            name.extend_from_slice(zmij::Buffer::new().format(value).as_bytes());
        }
        CellValue::Float32(value) => {
            name.extend_from_slice(zmij::Buffer::new().format(value).as_bytes());
        }
        _ => return None,
    }
    Some(name)
}

impl<'a> SideCells<'a> {
    fn new(array: &'a ArrayRef, field: &Field, from: Provenance) -> Result<Self> {
        let values = match array.data_type() {
            DataType::Struct(fields) if is_variant(field) => {
                let children = array.as_struct().columns().iter().zip(fields);
                let children = children.map(|(array, field)| Self::new(array, field, from));
                SideValues::Variant(children.collect::<Result<_>>()?)
            }
            other if other.is_nested() => SideValues::Nested,
            _ => {
                let plain = without(field.clone(), &[FORM]);
                let cells = TypedCells::new(array, &plain).filter(TypedCells::has_order);
                let cells = cells.ok_or_else(|| other_type(array))?;
                if from == Provenance::Json && Type::of(field) == Some(Type::Json) {
                    SideValues::Json(cells)
                } else {
                    SideValues::Scalars(cells)
                }
            }
        };
        Ok(Self {
            nulls: array.logical_nulls(),
            values,
        })
    }

    fn value(&self, row: usize) -> SideValue<'_> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return SideValue::Cell(CellValue::Null);
        }
        match &self.values {
            SideValues::Scalars(cells) => SideValue::Cell(cells.value(row)),
            SideValues::Json(cells) => match cells.value(row) {
                CellValue::Text(b"true") => SideValue::Cell(CellValue::Bool(1)),
                CellValue::Text(b"false") => SideValue::Cell(CellValue::Bool(0)),
                CellValue::Text([b'{' | b'[', ..]) => SideValue::Cell(CellValue::Other),
                string @ CellValue::Text([b'"', ..]) => SideValue::Cell(string),
                CellValue::Text(number) => SideValue::JsonNumber(number),
                _ => SideValue::Cell(CellValue::Other),
            },
            SideValues::Nested => SideValue::Cell(CellValue::Other),
            SideValues::Variant(children) => children
                .iter()
                .map(|child| child.value(row))
                .find(|value| !matches!(value, SideValue::Cell(CellValue::Null)))
                .unwrap_or(SideValue::Cell(CellValue::Other)),
        }
    }
}
