//! Compares two columns row by row.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, Field, FieldRef};

use super::bind::{is_text, nested, value_type};
use super::expression::{Op, Truth};
use super::number::{Moment, float_key, instant, time_of_day};
use super::scan::other_type;
use crate::columns::cast::{Provenance, Target, cast_column, is_odd, spelled, sure_word};
use crate::columns::place::below;
use crate::columns::print::json::{is_typed_string, strings_apart};
use crate::columns::print::{CellValue, TypedCells};
use crate::error::{Error, Result};
use crate::schema::keys::{FORM, is_variant};
use crate::schema::path::{Path, Step};
use crate::schema::{Type, short_type_name};
use crate::text::form::BoolLiterals;
use crate::text::number::{Number, print_decimal};

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
}

/// The values of a column, or of the children of a variant.
struct SideCells<'a> {
    nulls: Option<NullBuffer>,
    values: SideValues<'a>,
}

enum SideValues<'a> {
    Scalars(TypedCells<'a>),
    Variant(Vec<SideCells<'a>>),
}

/// The truth of `left op right` for every row, and whether any values could be compared; `None` if no row has two
/// values.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if they have types that cannot be compared.
pub fn compare(left: &Side<'_>, op: Op, right: &Side<'_>) -> Result<(Truth, Option<bool>)> {
    ensure_comparable(left, right)?;
    let rows = left.array.len();
    let left_cells = SideCells::new(&left.array, &left.field)?;
    let right_cells = SideCells::new(&right.array, &right.field)?;
    let nulls = NullBuffer::union(left.above.as_ref(), right.above.as_ref());
    // The outer `None` means that a value is null, the inner one that the values have no order.
    let orders: Vec<Option<Option<Ordering>>> = (0..rows)
        .map(|row| {
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                return None;
            }
            match (left_cells.value(row), right_cells.value(row)) {
                (CellValue::Null, _) | (_, CellValue::Null) => None,
                (left, right) => Some(order(left, right)),
            }
        })
        .collect();
    let has = |test: &dyn Fn(Option<Ordering>) -> bool| {
        BooleanBuffer::collect_bool(rows, |row| orders[row].is_some_and(test))
    };
    let truth = Truth {
        yes: has(&|order| order.is_some_and(|order| op.holds(order))),
        // Values that have no order are at least unequal.
        no: has(&|order| order.map_or(op == Op::Equal, |order| !op.holds(order))),
    };
    let any_fits = orders.iter().flatten().map(Option::is_some).max();
    Ok((truth, any_fits))
}

/// The error for columns that cannot be compared.
pub fn incomparable(left: &Side<'_>, right: &Side<'_>) -> Error {
    let (a, b) = (short_type_name(&left.field), short_type_name(&right.field));
    let (left, right) = (left.path.to_string(), right.path.to_string());
    let what = format!("column {left:?} is {a} and column {right:?} is {b}");
    Error::usage(what).hint("only columns of one kind can be compared")
}

fn ensure_comparable(left: &Side<'_>, right: &Side<'_>) -> Result<()> {
    for side in [left, right] {
        if side.field.data_type().is_nested() && !is_variant(&side.field) {
            return Err(nested(&side.field, side.path));
        }
    }
    let kinds = [kind(&left.field), kind(&right.field)];
    // Text may contain values of other kinds.
    if let [Some(a), Some(b)] = kinds
        && a != b
    {
        return Err(incomparable(left, right));
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
            let moments = moment(a).zip(moment(b));
            let order = moments.and_then(|(a, b)| a.compare(b));
            order.unwrap_or_else(|| a.cmp(b))
        }
        (Bytes(a), Bytes(b)) => a.cmp(b),
        (Bool(a), Bool(b)) => (a != 0).cmp(&(b != 0)),
        (Instant(a), Instant(b)) | (TimeOfDay(a), TimeOfDay(b)) | (Duration(a), Duration(b)) => {
            a.cmp(&b)
        }
        (Text(text), Instant(_) | TimeOfDay(_) | Bool(_)) => order(read_like(text, right)?, right)?,
        (Instant(_) | TimeOfDay(_) | Bool(_), Text(text)) => order(left, read_like(text, left)?)?,
        _ => return of_numbers(left, right),
    })
}

fn moment(text: &[u8]) -> Option<Moment> {
    Moment::read(str::from_utf8(text).ok()?)
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
fn of_numbers(left: CellValue<'_>, right: CellValue<'_>) -> Option<Ordering> {
    let not_finite = |cell: CellValue<'_>| match cell {
        CellValue::Float(value) if !value.is_finite() => Some(value),
        CellValue::Float32(value) if !value.is_finite() => Some(value.into()),
        CellValue::Text(text) => sure_word(text),
        _ => None,
    };
    let (mut left_name, mut right_name) = (Vec::new(), Vec::new());
    // A finite number gets key 0, which lies between the keys of the infinities, and is only compared with another
    // finite number by its text.
    let number = |cell, name| match not_finite(cell) {
        Some(value) => Some((float_key(value), None)),
        None => Some((0, Some(Number::read(number_name(cell, name)?)?))),
    };
    let (left, right) = (
        number(left, &mut left_name)?,
        number(right, &mut right_name)?,
    );
    Some(match (left, right) {
        ((_, Some(left)), (_, Some(right))) => left.compare(&right),
        ((left, _), (right, _)) => left.cmp(&right),
    })
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
    fn new(array: &'a ArrayRef, field: &Field) -> Result<Self> {
        let values = match array.data_type() {
            DataType::Struct(fields) if is_variant(field) => {
                let children = array
                    .as_struct()
                    .columns()
                    .iter()
                    .zip(fields)
                    .filter(|(_, field)| !field.data_type().is_nested() || is_variant(field))
                    .map(|(array, field)| Self::new(array, field));
                SideValues::Variant(children.collect::<Result<_>>()?)
            }
            _ => {
                let mut plain = field.clone();
                plain.metadata_mut().remove(FORM);
                let cells = TypedCells::new(array, &plain).filter(TypedCells::has_order);
                SideValues::Scalars(cells.ok_or_else(|| other_type(array))?)
            }
        };
        Ok(Self {
            nulls: array.logical_nulls(),
            values,
        })
    }

    fn value(&self, row: usize) -> CellValue<'_> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return CellValue::Null;
        }
        match &self.values {
            SideValues::Scalars(cells) => cells.value(row),
            SideValues::Variant(children) => children
                .iter()
                .map(|child| child.value(row))
                .find(|value| !matches!(value, CellValue::Null))
                .unwrap_or(CellValue::Other),
        }
    }
}
