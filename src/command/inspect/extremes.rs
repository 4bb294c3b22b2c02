//! The minimum and maximum of a column.

use std::cmp::{self, Ordering};

use arrow_schema::Field;

use crate::columns::print::{CellValue, ColumnPrinter, TypedCells};
use crate::columns::statistics::{MinMax, extremes};

/// A value that can be compared with others of its type, and its text.
#[derive(Clone, Debug)]
struct OrderedValue {
    /// Its place among other values; `None` if these are ordered by their text.
    order: Option<i128>,
    text: Vec<u8>,
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
            TypedCells::Text(slices) | TypedCells::Bytes(slices) => {
                rows_by(valid, |row| Some(slices.row(row)))
            }
            TypedCells::Uuid(values) | TypedCells::UpperUuid(values) => {
                rows_by(valid, |row| Some(values[row]))
            }
            cells => rows_by(valid, |row| order(cells, row)),
        };
        Self(found.map(|(least, most)| {
            (
                OrderedValue::new(cells, least),
                OrderedValue::new(cells, most),
            )
        }))
    }

    /// The extremes in a column's statistics; none for JSON text, whose byte order is meaningless.
    pub fn of_statistics(statistics: &MinMax, field: &Field) -> Self {
        let printed = statistics
            .values(field)
            .as_ref()
            .and_then(|(field, array)| {
                let column = ColumnPrinter::new(array.as_ref(), field).ok()?;
                Some(Self::of(&column, 2))
            });
        let mut extremes = printed.unwrap_or_default();
        if let (true, Some((_, greatest))) = (statistics.is_cut(), &mut extremes.0) {
            greatest.text.extend_from_slice("…".as_bytes());
        }
        extremes
    }

    /// True if there are no extremes.
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
    fn new(cells: &TypedCells<'_>, row: usize) -> Self {
        let mut text = Vec::new();
        cells.print(row, &mut text);
        // Hex sorts like the bytes it represents.
        let order = order(cells, row);
        Self { order, text }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        match (self.order, other.order) {
            (Some(one), Some(other)) => one.cmp(&other),
            _ => self.text.cmp(&other.text),
        }
    }
}

/// The place of a value among others of its type; `None` for NaN, and for values ordered by bytes or without order.
fn order(cells: &TypedCells<'_>, row: usize) -> Option<i128> {
    match cells.value(row) {
        CellValue::Bool(value) => Some(value.into()),
        CellValue::Months(months) => Some(months.into()),
        CellValue::Decimal(value, _)
        | CellValue::Instant(value)
        | CellValue::TimeOfDay(value)
        | CellValue::Duration(value) => Some(value),
        CellValue::Float(value) => float_order(value),
        CellValue::Float32(value) => float_order(value.into()),
        CellValue::Null | CellValue::Other | CellValue::Text(_) | CellValue::Bytes(_) => None,
    }
}

/// Orders floats like [`f64::total_cmp`].
fn float_order(value: f64) -> Option<i128> {
    let magnitude = i128::from(value.abs().to_bits());
    let order = if value.is_sign_negative() {
        !magnitude
    } else {
        magnitude
    };
    (!value.is_nan()).then_some(order)
}

/// The rows with the smallest and the largest key.
fn rows_by<K: Ord + Copy>(
    rows: impl Iterator<Item = usize>,
    key: impl Fn(usize) -> Option<K>,
) -> Option<(usize, usize)> {
    let (least, most) = extremes(rows.filter_map(|row| Some((key(row)?, row))))?;
    Some((least.1, most.1))
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
