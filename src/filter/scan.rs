//! Applying a test to every row.

use std::ops::RangeBounds as _;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, types as t};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

use super::bind::{Bounds, FloatRanges, Test, ValueRanges, number};
use crate::error::{Error, Result};

impl Test {
    /// The rows for which it holds; `above` are rows that are null for another reason.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if the array has another type than the test was made for.
    pub fn scan(&self, array: &ArrayRef, above: Option<&NullBuffer>) -> Result<BooleanBuffer> {
        let rows = array.len();
        let own = array.logical_nulls();
        let nulls = NullBuffer::union(own.as_ref(), above);
        let valid = || match &nulls {
            Some(nulls) => nulls.inner().clone(),
            None => BooleanBuffer::new_set(rows),
        };
        let holds = match self {
            Self::Null { not: true } => return Ok(valid()),
            Self::Null { not: false } => return Ok(!&valid()),
            // All its rows are null.
            _ if *array.data_type() == DataType::Null => Ok(BooleanBuffer::new_unset(rows)),
            Self::Ints(ranges) => ints(ranges, array),
            Self::Floats(of) => floats(of, array),
            Self::Bytes(ranges) => strings(array, &|value| ranges.has(value)),
            Self::Mixed(floats) => strings(array, &|value| {
                let number = str::from_utf8(value).ok().and_then(number);
                number.map_or(floats.ranges.not, |number| floats.has(number))
            }),
            Self::Variant(tests, not) => variant(tests, *not, array),
        };
        let holds = holds?;
        Ok(match &nulls {
            Some(nulls) => &holds & nulls.inner(),
            None => holds,
        })
    }
}

impl FloatRanges {
    fn has(&self, value: f64) -> bool {
        let mut ranges = self.ranges.ranges.iter();
        let among = ranges.any(|range| range.contains(&value)) || (self.nan && value.is_nan());
        among != self.ranges.not
    }
}

impl ValueRanges<Bounds<Vec<u8>>> {
    fn has(&self, value: &[u8]) -> bool {
        let mut ranges = self.ranges.iter();
        let among = ranges.any(|(from, to)| {
            let slices = (
                from.as_ref().map(Vec::as_slice),
                to.as_ref().map(Vec::as_slice),
            );
            <(_, _) as std::ops::RangeBounds<[u8]>>::contains(&slices, value)
        });
        among != self.not
    }
}

fn each<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    test: impl Fn(T::Native) -> bool,
) -> Result<BooleanBuffer> {
    let Some(array) = array.as_primitive_opt::<T>() else {
        return Err(other_type(array));
    };
    let values = array.values();
    Ok(BooleanBuffer::collect_bool(values.len(), |row| {
        test(values[row])
    }))
}

fn floats(of: &FloatRanges, array: &ArrayRef) -> Result<BooleanBuffer> {
    match array.data_type() {
        DataType::Float16 => each::<t::Float16Type>(array, |v| of.has(v.to_f64())),
        DataType::Float32 => each::<t::Float32Type>(array, |v| of.has(f64::from(v))),
        DataType::Dictionary(..) => by_key(array, |values| floats(of, values)),
        _ => each::<t::Float64Type>(array, |v| of.has(v)),
    }
}

fn other_type(array: &ArrayRef) -> Error {
    let found = array.data_type();
    Error::input(format!("--where: cannot compare values of type {found}"))
}

fn ints(ranges: &ValueRanges<(i128, i128)>, array: &ArrayRef) -> Result<BooleanBuffer> {
    let (narrow, not) = (ranges.narrow(), ranges.not);
    // Nearly always there is one range, and the loop for it has no branch.
    let small = |value: i64| match narrow[..] {
        [(from, to)] => (from <= value && value <= to) != not,
        _ => {
            narrow
                .iter()
                .any(|&(from, to)| from <= value && value <= to)
                != not
        }
    };
    let wide = |value: i128| {
        let mut ranges = ranges.ranges.iter();
        ranges.any(|&(from, to)| from <= value && value <= to) != not
    };
    macro_rules! small {
        ($type:ty) => {
            each::<$type>(array, |value| small(i64::from(value)))
        };
    }
    match array.data_type() {
        DataType::Boolean => {
            let bits = array.as_boolean().values();
            Ok(BooleanBuffer::collect_bool(bits.len(), |row| {
                small(i64::from(bits.value(row)))
            }))
        }
        DataType::Int8 => small!(t::Int8Type),
        DataType::Int16 => small!(t::Int16Type),
        DataType::Int32 => small!(t::Int32Type),
        DataType::Int64 => small!(t::Int64Type),
        DataType::UInt8 => small!(t::UInt8Type),
        DataType::UInt16 => small!(t::UInt16Type),
        DataType::UInt32 => small!(t::UInt32Type),
        DataType::UInt64 => each::<t::UInt64Type>(array, |value| wide(value.into())),
        DataType::Decimal32(..) => small!(t::Decimal32Type),
        DataType::Decimal64(..) => small!(t::Decimal64Type),
        DataType::Decimal128(..) => each::<t::Decimal128Type>(array, wide),
        DataType::Date32 => small!(t::Date32Type),
        DataType::Date64 => small!(t::Date64Type),
        DataType::Time32(TimeUnit::Second) => small!(t::Time32SecondType),
        DataType::Time32(_) => small!(t::Time32MillisecondType),
        DataType::Time64(TimeUnit::Nanosecond) => small!(t::Time64NanosecondType),
        DataType::Time64(_) => small!(t::Time64MicrosecondType),
        DataType::Timestamp(TimeUnit::Second, _) => small!(t::TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => small!(t::TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => small!(t::TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => small!(t::TimestampNanosecondType),
        DataType::Duration(TimeUnit::Second) => small!(t::DurationSecondType),
        DataType::Duration(TimeUnit::Millisecond) => small!(t::DurationMillisecondType),
        DataType::Duration(TimeUnit::Microsecond) => small!(t::DurationMicrosecondType),
        DataType::Duration(TimeUnit::Nanosecond) => small!(t::DurationNanosecondType),
        DataType::Interval(IntervalUnit::YearMonth) => small!(t::IntervalYearMonthType),
        DataType::Dictionary(..) => by_key(array, |values| ints(ranges, values)),
        _ => Err(other_type(array)),
    }
}

impl ValueRanges<(i128, i128)> {
    /// The ranges as far as they lie among 64-bit numbers.
    fn narrow(&self) -> Vec<(i64, i64)> {
        let ranges = self.ranges.iter();
        let meets = |&&(from, to): &&(i128, i128)| {
            from <= to && from <= i64::MAX.into() && to >= i64::MIN.into()
        };
        let clamp = |value: i128| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        ranges
            .filter(meets)
            .map(|&(from, to)| (clamp(from), clamp(to)))
            .collect()
    }
}

fn strings(array: &ArrayRef, test: &dyn Fn(&[u8]) -> bool) -> Result<BooleanBuffer> {
    let rows = array.len();
    Ok(match array.data_type() {
        DataType::Utf8 => {
            let array = array.as_string::<i32>();
            BooleanBuffer::collect_bool(rows, |row| test(array.value(row).as_bytes()))
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            BooleanBuffer::collect_bool(rows, |row| test(array.value(row).as_bytes()))
        }
        DataType::Utf8View => {
            let array = array.as_string_view();
            BooleanBuffer::collect_bool(rows, |row| test(array.value(row).as_bytes()))
        }
        DataType::Binary => {
            let array = array.as_binary::<i32>();
            BooleanBuffer::collect_bool(rows, |row| test(array.value(row)))
        }
        DataType::LargeBinary => {
            let array = array.as_binary::<i64>();
            BooleanBuffer::collect_bool(rows, |row| test(array.value(row)))
        }
        DataType::BinaryView => {
            let array = array.as_binary_view();
            BooleanBuffer::collect_bool(rows, |row| test(array.value(row)))
        }
        DataType::FixedSizeBinary(_) => {
            let array = array.as_fixed_size_binary();
            BooleanBuffer::collect_bool(rows, |row| test(array.value(row)))
        }
        DataType::Dictionary(..) => by_key(array, |values| strings(values, test))?,
        _ => return Err(other_type(array)),
    })
}

/// Tests the values of a dictionary once, and looks the result up for each row.
fn by_key(
    array: &ArrayRef,
    test: impl FnOnce(&ArrayRef) -> Result<BooleanBuffer>,
) -> Result<BooleanBuffer> {
    let dictionary = array.as_any_dictionary();
    let holds = test(dictionary.values())?;
    if holds.is_empty() {
        return Ok(BooleanBuffer::new_unset(array.len()));
    }
    let keys = dictionary.normalized_keys();
    Ok(BooleanBuffer::collect_bool(array.len(), |row| {
        holds.value(keys[row])
    }))
}

fn variant(tests: &[Option<Test>], not: bool, array: &ArrayRef) -> Result<BooleanBuffer> {
    let mut holds = BooleanBuffer::new_unset(array.len());
    for (test, child) in tests.iter().zip(array.as_struct().columns()) {
        let child_holds = match test {
            Some(test) => test.scan(child, None)?,
            // A value of another kind is not the one asked for.
            None if not => Test::Null { not: true }.scan(child, None)?,
            None => continue,
        };
        holds = &holds | &child_holds;
    }
    Ok(holds)
}
