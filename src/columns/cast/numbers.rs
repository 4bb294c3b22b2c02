//! Casts between integers, decimals, floats and times.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, Float32Array, Float64Array};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::{DataType, TimeUnit};

use super::cells::double;
use crate::columns::slots::{array_of, integer_width, match_integers, slots};
use crate::columns::statistics::extremes;
use crate::text::number::{Decimal, SHORT_DIGITS};
use crate::text::time::per_second;

/// The most digits after the point of a decimal that becomes a double.
const MOST_SCALE: u8 = 18;

/// Casts between types of this module; `None` if a value would be lost.
pub fn cast(array: &dyn Array, to: &DataType) -> Option<ArrayRef> {
    let nulls = array.nulls().cloned();
    match to {
        DataType::Float64 => {
            let values = doubles(array, Decimal::fits_f64)?;
            Some(Arc::new(Float64Array::new(values.into(), nulls)))
        }
        DataType::Float32 => {
            let values: Vec<f32> = array
                .as_primitive_opt::<Float16Type>()?
                .values()
                .iter()
                .map(|&value| value.into())
                .collect();
            Some(Arc::new(Float32Array::new(values.into(), nulls)))
        }
        DataType::Timestamp(..)
        | DataType::Duration(_)
        | DataType::Time64(_)
        | DataType::Time32(_)
        | DataType::Date64 => {
            let (times, parts) = factor(array.data_type(), to)?;
            let mut values = whole(array)?;
            for (row, value) in values.iter_mut().enumerate() {
                let scaled = *value * times;
                if scaled % parts != 0 && array.is_valid(row) {
                    return None;
                }
                *value = scaled / parts;
            }
            build(&values, nulls, to)
        }
        to => {
            let (mut values, scale) = mantissas(array)?;
            let more = decimal_scale(to)?.checked_sub(scale)?;
            let power = 10i128.checked_pow(u32::try_from(more).ok()?)?;
            if power > 1 {
                for value in &mut values {
                    *value = value.saturating_mul(power);
                }
            }
            build(&values, nulls, to)
        }
    }
}

/// True if [`cast`] to doubles would lose nothing.
pub fn fit_doubles(array: &dyn Array) -> bool {
    are_short(array) || doubles(array, Decimal::fits_f64).is_some()
}

/// True if doubles give back the digits in cells of these numbers, be they the shortest or 17.
pub fn have_digits_of_doubles(array: &dyn Array) -> bool {
    are_short(array) || doubles(array, has_digits_of_double).is_some()
}

fn has_digits_of_double(decimal: Decimal) -> bool {
    decimal.fits_f64() || {
        let mut text = Vec::new();
        decimal.print(&mut text);
        double(&text).is_some()
    }
}

/// True if doubles hold these numbers, and all numbers between them with the same digits after the point.
pub fn are_short(array: &dyn Array) -> bool {
    let is_short = |value: i128| value.unsigned_abs() < SHORT_DIGITS.into();
    array.data_type().is_floating()
        || whole_extremes(array).is_some_and(|(least, most, scale)| {
            scale <= MOST_SCALE && is_short(least) && is_short(most)
        })
}

/// Number of digits after the point; 0 for integers.
fn decimal_scale(data_type: &DataType) -> Option<i8> {
    match data_type {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale) => Some(*scale),
        data_type => data_type.is_integer().then_some(0),
    }
}

/// The least and greatest of integers or decimals without their point, and the number of digits after it.
pub fn whole_extremes(array: &dyn Array) -> Option<(i128, i128, u8)> {
    let scale = u8::try_from(decimal_scale(array.data_type())?).ok()?;
    let nulls = array.nulls();
    match_integers!(
        array,
        values => {
            let (least, most) = match nulls {
                None => extremes(values.iter().copied()),
                Some(nulls) => extremes(nulls.valid_indices().map(|row| values[row])),
            }?;
            Some((least.into(), most.into(), scale))
        },
        _ => None
    )
}

fn mantissas(array: &dyn Array) -> Option<(Vec<i128>, i8)> {
    Some((whole(array)?, decimal_scale(array.data_type())?))
}

/// The stored integers.
fn whole(array: &dyn Array) -> Option<Vec<i128>> {
    match_integers!(
        array,
        values => Some(values.iter().map(|&value| i128::from(value)).collect()),
        _ => None
    )
}

/// An array of a type whose slots are integers; `None` if it has others, or one is too narrow for a value.
pub fn build(values: &[i128], nulls: Option<NullBuffer>, to: &DataType) -> Option<ArrayRef> {
    let limit = match to {
        DataType::Decimal32(precision, _)
        | DataType::Decimal64(precision, _)
        | DataType::Decimal128(precision, _) => 10i128.checked_pow(u32::from(*precision))?,
        _ => i128::MAX,
    };
    match integer_width(to)? {
        (1, true) => primitive::<i8>(values, nulls, limit, to),
        (2, true) => primitive::<i16>(values, nulls, limit, to),
        (4, true) => primitive::<i32>(values, nulls, limit, to),
        (8, true) => primitive::<i64>(values, nulls, limit, to),
        (1, false) => primitive::<u8>(values, nulls, limit, to),
        (2, false) => primitive::<u16>(values, nulls, limit, to),
        (4, false) => primitive::<u32>(values, nulls, limit, to),
        (8, false) => primitive::<u64>(values, nulls, limit, to),
        (16, true) => primitive::<i128>(values, nulls, limit, to),
        _ => None,
    }
}

fn primitive<T: ArrowNativeType + TryFrom<i128>>(
    values: &[i128],
    nulls: Option<NullBuffer>,
    limit: i128,
    to: &DataType,
) -> Option<ArrayRef> {
    let value = |(row, &value): (usize, &i128)| {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Some(T::default());
        }
        let fits = -limit < value && value < limit;
        T::try_from(value).ok().filter(|_| fits)
    };
    let values: Option<Vec<T>> = values.iter().enumerate().map(value).collect();
    array_of(to, values?, nulls).ok()
}

/// Floats of fewer bits.
fn widened<T: ArrowPrimitiveType<Native: Into<f64>>>(array: &dyn Array) -> Option<Vec<f64>> {
    let values = array.as_primitive_opt::<T>()?.values();
    Some(values.iter().map(|&value| value.into()).collect())
}

/// The values as doubles; `None` unless all decimals pass.
fn doubles(array: &dyn Array, passes: fn(Decimal) -> bool) -> Option<Vec<f64>> {
    match array.data_type() {
        DataType::Float64 => Some(array.as_primitive_opt::<Float64Type>()?.values().to_vec()),
        DataType::Float32 => widened::<Float32Type>(array),
        DataType::Float16 => widened::<Float16Type>(array),
        DataType::Decimal64(_, scale) => {
            decimals(array, slots(array)?.iter().copied(), *scale, passes)
        }
        DataType::Int64 => decimals(array, slots(array)?.iter().copied(), 0, passes),
        _ => {
            let (values, scale) = mantissas(array)?;
            let nulls = array.nulls();
            // A slot under a null may contain anything.
            let long = |(row, &value): (usize, &i128)| match i64::try_from(value) {
                Err(_) if nulls.is_none_or(|nulls| nulls.is_valid(row)) => None,
                value => Some(value.unwrap_or(0)),
            };
            let values: Vec<i64> = values.iter().enumerate().map(long).collect::<Option<_>>()?;
            decimals(array, values.into_iter(), scale, passes)
        }
    }
}

/// Decimals as doubles; `None` unless all pass.
fn decimals(
    array: &dyn Array,
    mantissas: impl Iterator<Item = i64>,
    scale: i8,
    passes: fn(Decimal) -> bool,
) -> Option<Vec<f64>> {
    let scale = u8::try_from(scale)
        .ok()
        .filter(|&scale| scale <= MOST_SCALE)?;
    let nulls = array.nulls();
    let double = |(row, mantissa): (usize, i64)| {
        let decimal = Decimal { mantissa, scale };
        if passes(decimal) {
            return Some(decimal.to_f64());
        }
        nulls.is_some_and(|nulls| nulls.is_null(row)).then_some(0.0)
    };
    mantissas.enumerate().map(double).collect()
}

/// The factor between the units of two times, as a fraction; `None` if they are of different kinds.
fn factor(from: &DataType, to: &DataType) -> Option<(i128, i128)> {
    let units = |from: TimeUnit, to: TimeUnit| {
        let (from, to) = (i128::from(per_second(from).0), i128::from(per_second(to).0));
        Some((to, from))
    };
    match (from, to) {
        (DataType::Timestamp(from, zone), DataType::Timestamp(to, other))
            if zone.is_some() == other.is_some() =>
        {
            units(*from, *to)
        }
        (DataType::Duration(from), DataType::Duration(to))
        | (
            DataType::Time32(from) | DataType::Time64(from),
            DataType::Time32(to) | DataType::Time64(to),
        ) => units(*from, *to),
        (DataType::Date32, DataType::Date64) => Some((86_400_000, 1)),
        _ => None,
    }
}
