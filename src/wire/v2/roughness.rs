//! Measures how much neighboring rows of a column differ in an order of rows.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::ArrowNativeType;
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::columns::print::Slices;

/// How much each of these rows differs from the one before it, in bits, summed over the rows. Numbers count the bits of
/// their difference, and texts the bits after their common prefix.
///
/// This does not predict a size, but an order with a larger sum hardly ever compresses better.
pub(super) fn roughness(array: &ArrayRef, rows: &[u32]) -> f64 {
    let nulls = array.nulls();
    let valid = rows
        .iter()
        .copied()
        .filter(|&row| nulls.is_none_or(|nulls| nulls.is_valid(row as usize)));
    let is_text = matches!(array.data_type(), DataType::Utf8 | DataType::Binary);
    if let Some(values) = is_text.then(|| Slices::of(array)).flatten() {
        let mut before: &[u8] = &[];
        let bits: u64 = valid
            .map(|at| {
                let value = values.row(at as usize);
                let same = value.iter().zip(before).take_while(|(a, b)| a == b).count();
                before = value;
                8 * (value.len() - same) as u64
            })
            .sum();
        return bits as f64;
    }
    if let Some(bools) = array.as_boolean_opt() {
        return of_numbers(valid.map(|row| i64::from(bools.value(row as usize))));
    }
    let data = array.to_data();
    match data.data_type().primitive_width() {
        Some(1) => of_values(&data, valid, |value: i8| value.into()),
        Some(2) => of_values(&data, valid, |value: i16| value.into()),
        Some(4) => of_values(&data, valid, |value: i32| value.into()),
        Some(8) => of_values(&data, valid, |value: i64| value),
        Some(16) => of_values(&data, valid, |value: i128| value as i64),
        // Other types are rare; all their orders count as equal.
        _ => 0.0,
    }
}

fn of_values<T: ArrowNativeType>(
    data: &ArrayData,
    rows: impl Iterator<Item = u32>,
    as_i64: impl Fn(T) -> i64,
) -> f64 {
    let values: &[T] = data.buffer(0);
    of_numbers(rows.map(|row| as_i64(values[row as usize])))
}

fn of_numbers(values: impl Iterator<Item = i64>) -> f64 {
    let mut before = 0_i64;
    let bits: u64 = values
        .map(|value| {
            let step = value.wrapping_sub(before).unsigned_abs();
            before = value;
            u64::from(64 - step.leading_zeros())
        })
        .sum();
    bits as f64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Int16Array, StringArray};

    use super::*;

    #[test]
    fn neighbors_that_resemble_each_other_are_less_rough() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["ab", "xy", "ab", "xy"]));
        assert!(roughness(&text, &[0, 2, 1, 3]) < roughness(&text, &[0, 1, 2, 3]));
        let numbers: ArrayRef = Arc::new(Int16Array::from(vec![1, 900, 2, 901]));
        assert!(roughness(&numbers, &[0, 2, 1, 3]) < roughness(&numbers, &[0, 1, 2, 3]));
    }
}
