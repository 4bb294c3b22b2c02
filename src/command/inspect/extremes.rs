//! The minimum and maximum of a column.

use std::cmp::{self, Ordering};

use arrow_schema::Field;

use crate::columns::print::{ColumnPrinter, TypedCells};
use crate::columns::statistics::MinMax;

/// A value that can be compared with others of its type, and its text.
#[derive(Clone, Debug)]
struct OrderedValue {
    order: Order,
    text: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Order {
    Int(i128),
    Float(f64),
    Bytes,
}

/// The minimum and maximum valid value. NaN is ignored, false is less than true, and text is compared by bytes.
#[derive(Clone, Debug, Default)]
pub struct Extremes(Option<(OrderedValue, OrderedValue)>);

impl Extremes {
    /// The extremes of a column with the given number of rows.
    pub fn of(column: &ColumnPrinter<'_>, rows: usize) -> Self {
        let valid = (0..rows).filter(|&row| !column.is_null(row));
        let cells = &column.cells;
        let found = match cells {
            TypedCells::Uuid(values) | TypedCells::UpperUuid(values) => {
                rows_by(valid, |a, b| values[a].cmp(&values[b]))
            }
            TypedCells::Text(slices) | TypedCells::Bytes(slices) => {
                rows_by(valid, |a, b| slices.row(a).cmp(slices.row(b)))
            }
            // The byte order of JSON is meaningless.
            TypedCells::Json(_) => None,
            TypedCells::I64(values) | TypedCells::Timestamp(values) => {
                rows_by(valid, |a, b| values[a].cmp(&values[b]))
            }
            TypedCells::F64(values) => {
                rows_by(valid.filter(|&row| !values[row].is_nan()), |a, b| {
                    values[a].total_cmp(&values[b])
                })
            }
            cells => rows_by(
                valid.filter(|&row| order(cells, row).is_some_and(|order| !order.is_nan())),
                |a, b| match (order(cells, a), order(cells, b)) {
                    (Some(a), Some(b)) => a.cmp(&b),
                    _ => Ordering::Equal,
                },
            ),
        };
        Self(found.map(|(least, most)| (value(&column.cells, least), value(&column.cells, most))))
    }

    /// The extremes in a column's statistics; none for JSON text, whose byte order is meaningless.
    pub fn of_statistics(statistics: &MinMax, field: &Field) -> Self {
        let printed = statistics.values(field);
        let printed = printed.as_ref().and_then(|(field, array)| {
            let column = ColumnPrinter::new(array.as_ref(), field).ok()?;
            Some(Self::of(&column, 2))
        });
        let mut extremes = printed.unwrap_or_default();
        if let (true, Some((_, greatest))) = (statistics.is_cut(), &mut extremes.0) {
            greatest.text.extend_from_slice("…".as_bytes());
        }
        extremes
    }

    /// True if there are none.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Merges the extremes of more rows of the same type.
    pub fn merge(&mut self, other: Self) {
        self.0 = match (self.0.take(), other.0) {
            (Some((least, most)), Some((less, more))) => Some((
                cmp::min_by(least, less, OrderedValue::cmp),
                cmp::max_by(more, most, OrderedValue::cmp),
            )),
            (one, other) => one.or(other),
        };
    }

    /// Both as text, if there is a valid value.
    pub fn texts(&self) -> Option<(String, String)> {
        let text = |value: &OrderedValue| String::from_utf8_lossy(&value.text).into_owned();
        self.0
            .as_ref()
            .map(|(least, most)| (text(least), text(most)))
    }
}

impl OrderedValue {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.order, &other.order) {
            (Order::Bytes, _) | (_, Order::Bytes) => self.text.cmp(&other.text),
            (one, other) => one.cmp(other),
        }
    }
}

impl Order {
    fn is_nan(&self) -> bool {
        matches!(self, Self::Float(value) if value.is_nan())
    }

    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::Float(a), Self::Float(b)) => a.total_cmp(b),
            _ => Ordering::Equal,
        }
    }
}

/// The value as a number, unless it is ordered by bytes or has no order.
fn order(cells: &TypedCells<'_>, row: usize) -> Option<Order> {
    Some(match cells {
        TypedCells::Bool(bits) | TypedCells::BoolLiterals(bits, _) => {
            Order::Int(bits.value(row).into())
        }
        TypedCells::RawBool(values) | TypedCells::U8(values) => Order::Int(values[row].into()),
        TypedCells::I8(values) => Order::Int(values[row].into()),
        TypedCells::I16(values) => Order::Int(values[row].into()),
        TypedCells::I32(values) | TypedCells::D32(values, _) | TypedCells::Months(values) => {
            Order::Int(values[row].into())
        }
        TypedCells::I64(values)
        | TypedCells::Timestamp(values)
        | TypedCells::Padded(values, _)
        | TypedCells::D64(values, _)
        | TypedCells::Duration(values, _) => Order::Int(values[row].into()),
        TypedCells::U16(values) => Order::Int(values[row].into()),
        TypedCells::U32(values) => Order::Int(values[row].into()),
        TypedCells::U64(values) => Order::Int(values[row].into()),
        TypedCells::D128(values, _) => Order::Int(values[row]),
        TypedCells::D256(values, _) => Order::Int(values[row].to_i128()?),
        TypedCells::F16(values) => Order::Float(values[row].into()),
        TypedCells::F32(values) => Order::Float(values[row].into()),
        TypedCells::F64(values) | TypedCells::Floats(values, _) => Order::Float(values[row]),
        TypedCells::Times(times) => Order::Int(times.value(row).into()),
        TypedCells::Comma(numbers) => order(numbers, row)?,
        TypedCells::Dictionary(dictionary) => order(&dictionary.values, dictionary.keys[row])?,
        TypedCells::Null
        | TypedCells::Uuid(_)
        | TypedCells::UpperUuid(_)
        | TypedCells::Text(_)
        | TypedCells::Bytes(_)
        | TypedCells::Json(_) => return None,
    })
}

fn value(cells: &TypedCells<'_>, row: usize) -> OrderedValue {
    let mut text = Vec::new();
    cells.print(row, &mut text);
    // Hex sorts like the bytes it represents.
    let order = order(cells, row).unwrap_or(Order::Bytes);
    OrderedValue { order, text }
}

/// The rows of the smallest and the largest value.
fn rows_by(
    mut rows: impl Iterator<Item = usize>,
    cmp: impl Fn(usize, usize) -> Ordering,
) -> Option<(usize, usize)> {
    let first = rows.next()?;
    Some(rows.fold((first, first), |(least, most), row| {
        (
            if cmp(row, least).is_lt() { row } else { least },
            if cmp(row, most).is_gt() { row } else { most },
        )
    }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray};

    use super::*;
    use crate::schema::Type;

    fn texts(ty: Type, array: &ArrayRef) -> Option<(String, String)> {
        let field = ty.field("x");
        Extremes::of(
            &ColumnPrinter::new(array.as_ref(), &field).unwrap(),
            array.len(),
        )
        .texts()
    }

    #[test]
    fn order_is_that_of_the_type() {
        let ints: ArrayRef = Arc::new(Int64Array::from(vec![Some(10), None, Some(9), Some(-1)]));
        assert_eq!(texts(Type::I64, &ints), Some(("-1".into(), "10".into())));
        let floats: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN, 2.0, -0.5, 10.0]));
        assert_eq!(
            texts(Type::F64, &floats),
            Some(("-0.5".into(), "10.0".into()))
        );
        let text: ArrayRef = Arc::new(StringArray::from(vec!["b", "", "a"]));
        assert_eq!(texts(Type::Utf8, &text), Some((String::new(), "b".into())));
        assert_eq!(texts(Type::Json, &text), None);
        let bools: ArrayRef = Arc::new(BooleanArray::from(vec![true, true]));
        assert_eq!(
            texts(Type::Bool, &bools),
            Some(("true".into(), "true".into()))
        );
    }

    #[test]
    fn frames_are_merged_by_value_not_by_spelling() {
        let of = |values: Vec<Option<i64>>| {
            let array = Int64Array::from(values);
            let len = arrow_array::Array::len(&array);
            Extremes::of(
                &ColumnPrinter::new(&array, &Type::I64.field("x")).unwrap(),
                len,
            )
        };
        let mut extremes = of(vec![Some(9)]);
        extremes.merge(of(vec![None]));
        extremes.merge(of(vec![Some(10), Some(-2)]));
        assert_eq!(extremes.texts(), Some(("-2".into(), "10".into())));
    }
}
