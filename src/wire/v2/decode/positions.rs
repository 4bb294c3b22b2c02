//! Puts the items of lists that are stored by position into the order of the lists.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef, BooleanArray, NullArray, StringArray, StructArray};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use arrow_select::interleave::interleave;

use super::built;
use crate::columns::slots::{array_of, slots};
use crate::error::{Error, Result};

/// One array from arrays of the same type and length: first the first row of each, then the second row of each, and so
/// on.
///
/// # Errors
/// If Arrow refuses the result, for example because its text would be too long.
pub(super) fn in_turn(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let Some(first) = arrays.first() else {
        return Err(Error::corrupt("a list has no positions"));
    };
    match first.data_type() {
        DataType::Null => Ok(Arc::new(NullArray::new(first.len() * arrays.len()))),
        DataType::Boolean => {
            let rows: Vec<_> = arrays.iter().map(|it| it.as_boolean().values()).collect();
            let bits = bits(first.len(), &rows, |row, values| values.value(row));
            Ok(Arc::new(BooleanArray::new(bits, nulls(arrays))))
        }
        DataType::Struct(fields) if !fields.is_empty() => {
            let member = |at: usize| {
                let members = arrays
                    .iter()
                    .map(|it| Arc::clone(it.as_struct().column(at)));
                in_turn(&members.collect::<Vec<_>>())
            };
            let members = (0..fields.len()).map(member).collect::<Result<_>>()?;
            built(StructArray::try_new(fields.clone(), members, nulls(arrays)))
        }
        DataType::Utf8 => texts(arrays),
        other => match other.primitive_width() {
            Some(1) => numbers::<u8>(arrays),
            Some(2) => numbers::<u16>(arrays),
            Some(4) => numbers::<u32>(arrays),
            Some(8) => numbers::<u64>(arrays),
            _ => others(arrays),
        },
    }
}

fn numbers<N: ArrowNativeType>(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let columns = arrays.iter().map(|array| slots::<N>(array));
    let Some(columns) = columns.collect::<Option<Vec<_>>>() else {
        return others(arrays);
    };
    let rows = columns[0].len();
    let mut values = Vec::with_capacity(rows * columns.len());
    for row in 0..rows {
        values.extend(columns.iter().map(|column| column[row]));
    }
    array_of(arrays[0].data_type(), values, nulls(arrays)).map_err(Error::corrupt)
}

fn texts(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let columns: Vec<&StringArray> = arrays.iter().map(AsArray::as_string).collect();
    let rows = columns[0].len();
    let bytes = columns.iter().map(|it| it.value_data().len()).sum();
    let mut data = Vec::with_capacity(bytes);
    let mut ends = Vec::with_capacity(rows * columns.len() + 1);
    ends.push(0);
    for row in 0..rows {
        for column in &columns {
            data.extend_from_slice(column.value(row).as_bytes());
            let end = i32::try_from(data.len()).map_err(|_| Error::corrupt("a text is too long"));
            ends.push(end?);
        }
    }
    let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
    built(StringArray::try_new(ends, data.into(), nulls(arrays)))
}

/// Arrays of rarer types, such as lists.
fn others(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let rows = 0..arrays[0].len();
    let places = rows.flat_map(|row| (0..arrays.len()).map(move |at| (at, row)));
    let arrays: Vec<_> = arrays.iter().map(AsRef::as_ref).collect();
    interleave(&arrays, &places.collect::<Vec<_>>()).map_err(Error::corrupt)
}

/// Which values are valid; `None` if all are.
fn nulls(arrays: &[ArrayRef]) -> Option<NullBuffer> {
    let any = arrays.iter().any(|array| array.null_count() > 0);
    any.then(|| bits(arrays[0].len(), arrays, |row, array| array.is_valid(row)).into())
}

/// A bit for each of `rows` rows of each array.
fn bits<T>(rows: usize, arrays: &[T], bit: impl Fn(usize, &T) -> bool) -> BooleanBuffer {
    let (mut row, mut at) = (0, 0);
    BooleanBuffer::collect_bool(rows * arrays.len(), |_| {
        let found = bit(row, &arrays[at]);
        at += 1;
        if at == arrays.len() {
            (row, at) = (row + 1, 0);
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::{Decimal128Array, Float64Array, Int8Array, ListArray};
    use arrow_schema::Field;

    use super::*;

    #[test]
    fn every_type_is_put_in_order_as_arrow_does() {
        let texts =
            |rows: [Option<&str>; 3]| Arc::new(StringArray::from(rows.to_vec())) as ArrayRef;
        let floats =
            |rows: [Option<f64>; 3]| Arc::new(Float64Array::from(rows.to_vec())) as ArrayRef;
        let members = |text, float| {
            let fields = vec![
                Field::new("t", DataType::Utf8, true),
                Field::new("f", DataType::Float64, true),
            ];
            let valid = NullBuffer::from(vec![true, false, true]);
            Arc::new(StructArray::new(
                fields.into(),
                vec![text, float],
                Some(valid),
            )) as ArrayRef
        };
        let lists = |rows: [Option<i32>; 3]| {
            let rows = rows.map(|row| row.map(|row| vec![Some(row); row as usize]));
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(rows)) as ArrayRef
        };
        let bools =
            |rows: [Option<bool>; 3]| Arc::new(BooleanArray::from(rows.to_vec())) as ArrayRef;
        let [one, two] = [
            texts([Some("a"), None, Some("")]),
            texts([Some("bcd"), Some("e"), Some("f")]),
        ];
        let [low, high] = [
            floats([Some(1.0), Some(-0.0), None]),
            floats([Some(f64::NAN), Some(2.0), Some(3.0)]),
        ];
        for arrays in [
            vec![Arc::clone(&one), Arc::clone(&two), Arc::clone(&one)],
            vec![Arc::clone(&low), Arc::clone(&high)],
            vec![members(one, low), members(two, high)],
            vec![
                bools([Some(true), None, Some(false)]),
                bools([Some(true), Some(true), Some(true)]),
            ],
            vec![
                lists([Some(2), None, Some(0)]),
                lists([Some(1), Some(3), None]),
            ],
            vec![
                Arc::new(Int8Array::from(vec![1, 2, 3])) as ArrayRef,
                Arc::new(Int8Array::from(vec![-4, -5, -6])),
            ],
            vec![
                Arc::new(Decimal128Array::from(vec![Some(1), None, Some(i128::MAX)])) as ArrayRef,
                Arc::new(Decimal128Array::from(vec![4, 5, 6])),
            ],
            vec![
                Arc::new(NullArray::new(3)) as ArrayRef,
                Arc::new(NullArray::new(3)),
            ],
        ] {
            let expected = others(&arrays).unwrap();
            assert_eq!(in_turn(&arrays).unwrap().to_data(), expected.to_data());
        }
    }
}
