//! Smallest and largest value of a column.

use std::cmp::Ordering;

use crate::text::print::{Cells, Column};

/// A value that can be compared with others of its type, and its spelling.
#[derive(Clone, Debug)]
struct Value {
    order: Order,
    text: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Order {
    Int(i64),
    Float(f64),
    Bytes,
}

/// Smallest and largest valid value; NaN is neither, false is less than true, text goes by bytes.
#[derive(Clone, Debug, Default)]
pub struct Extremes(Option<(Value, Value)>);

impl Extremes {
    /// Of a column of so many rows.
    pub fn of(column: &Column<'_>, rows: usize) -> Self {
        let valid = (0..rows).filter(|&row| !column.is_null(row));
        let found = match &column.cells {
            Cells::Bool(bits) => rows_by(valid, |a, b| bits.value(a).cmp(&bits.value(b))),
            Cells::RawBool(bytes) => rows_by(valid, |a, b| bytes[a].cmp(&bytes[b])),
            Cells::I16(values) => rows_by(valid, |a, b| values[a].cmp(&values[b])),
            Cells::I32(values) => rows_by(valid, |a, b| values[a].cmp(&values[b])),
            Cells::I64(values) | Cells::Timestamp(values) => {
                rows_by(valid, |a, b| values[a].cmp(&values[b]))
            }
            Cells::F32(values) => rows_by(valid.filter(|&row| !values[row].is_nan()), |a, b| {
                values[a].total_cmp(&values[b])
            }),
            Cells::F64(values) => rows_by(valid.filter(|&row| !values[row].is_nan()), |a, b| {
                values[a].total_cmp(&values[b])
            }),
            Cells::Uuid(values) => rows_by(valid, |a, b| values[a].cmp(&values[b])),
            Cells::Text(slices) | Cells::Bytes(slices) => {
                rows_by(valid, |a, b| slices.row(a).cmp(slices.row(b)))
            }
            // The bytes of JSON have no order that means something.
            Cells::Json(_) => None,
        };
        Self(found.map(|(least, most)| (value(&column.cells, least), value(&column.cells, most))))
    }

    /// Takes in those of more rows of the same type.
    pub fn merge(&mut self, other: Self) {
        self.0 = match (self.0.take(), other.0) {
            (Some((least, most)), Some((less, more))) => Some((
                if less.cmp(&least) == Ordering::Less {
                    less
                } else {
                    least
                },
                if more.cmp(&most) == Ordering::Greater {
                    more
                } else {
                    most
                },
            )),
            (one, other) => one.or(other),
        };
    }

    /// Both as text, if there is a valid value.
    pub fn texts(&self) -> Option<(String, String)> {
        let text = |value: &Value| String::from_utf8_lossy(&value.text).into_owned();
        self.0
            .as_ref()
            .map(|(least, most)| (text(least), text(most)))
    }
}

impl Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.order, &other.order) {
            (Order::Int(a), Order::Int(b)) => a.cmp(b),
            (Order::Float(a), Order::Float(b)) => a.total_cmp(b),
            _ => self.text.cmp(&other.text),
        }
    }
}

fn value(cells: &Cells<'_>, row: usize) -> Value {
    let mut text = Vec::new();
    cells.print(row, &mut text);
    let order = match cells {
        Cells::RawBool(bytes) => Order::Int(bytes[row].into()),
        Cells::I16(values) => Order::Int(values[row].into()),
        Cells::I32(values) => Order::Int(values[row].into()),
        Cells::I64(values) | Cells::Timestamp(values) => Order::Int(values[row]),
        Cells::F32(values) => Order::Float(values[row].into()),
        Cells::F64(values) => Order::Float(values[row]),
        // The spellings of these sort like the values: "false" before "true", hex like bytes.
        Cells::Bool(_) | Cells::Uuid(_) | Cells::Text(_) | Cells::Bytes(_) | Cells::Json(_) => {
            Order::Bytes
        }
    };
    Value { order, text }
}

/// The rows of the smallest and the largest value.
fn rows_by(
    mut rows: impl Iterator<Item = usize>,
    cmp: impl Fn(usize, usize) -> Ordering,
) -> Option<(usize, usize)> {
    let first = rows.next()?;
    Some(rows.fold((first, first), |(least, most), row| {
        (
            if cmp(row, least) == Ordering::Less {
                row
            } else {
                least
            },
            if cmp(row, most) == Ordering::Greater {
                row
            } else {
                most
            },
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
        Extremes::of(&Column::new(array.as_ref(), &field).unwrap(), array.len()).texts()
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
            Extremes::of(&Column::new(&array, &Type::I64.field("x")).unwrap(), len)
        };
        let mut extremes = of(vec![Some(9)]);
        extremes.merge(of(vec![None]));
        extremes.merge(of(vec![Some(10), Some(-2)]));
        assert_eq!(extremes.texts(), Some(("-2".into(), "10".into())));
    }
}
