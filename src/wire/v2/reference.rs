//! Columns stored as differences from another column.
//!
//! The columns of a table are often close to each other: the opening and the closing price of a day, the days on which
//! goods were shipped and received, points played and points won. Their differences take fewer bits than the values
//! (Liu, Stoian, van Renen, Kipf, "Corra: Correlation-Aware Column Compression", 2024). The other column is the
//! reference column. With a lag of 1, each value is compared with the reference column's value one row before: prices
//! open near the last close.
//!
//! Differences are integers. Floats that are decimal fractions count in units of their last digit: with exponent 2, 12.5
//! and 12.75 differ by 25.

use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use super::gather::{self, Chunk, Values};
use super::types;
use crate::error::{Error, Result};
use crate::text::number::POW10;
use crate::varint;
use crate::wire::encodings::ValueKind;
use crate::wire::encodings::bits::{self, float};
use crate::wire::encodings::decimal::{nearest, split};
use crate::wire::parse::{read_byte, read_len};

/// What a column is stored as differences from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The position of the reference column in the header.
    pub column: usize,
    /// How many rows before its own a value's reference is.
    pub lag: usize,
    /// The digits after the decimal point; only of floats.
    pub exponent: Option<u8>,
}

impl Reference {
    /// Appends it to the description of a column.
    pub fn write(self, out: &mut Vec<u8>) {
        varint::push(self.column as u64, out);
        varint::push(self.lag as u64, out);
        out.extend(self.exponent);
    }

    /// Reads what [`Self::write`] wrote, for a column of this type.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the bytes end early, or if the type or the exponent is out of range.
    pub fn read(data_type: &DataType, bytes: &[u8], at: &mut usize) -> Result<Self> {
        let kind = types::kind(data_type);
        if !matches!(kind, Some(ValueKind::Ints | ValueKind::Floats)) {
            let what = "only numbers are stored as differences from another column";
            return Err(Error::corrupt(what));
        }
        let (column, lag) = (read_len(bytes, at)?, read_len(bytes, at)?);
        let exponent = (kind == Some(ValueKind::Floats)).then(|| read_byte(bytes, at));
        let exponent = exponent.transpose()?;
        if exponent.is_some_and(|exponent| usize::from(exponent) >= POW10.len()) {
            let what = "differences of floats with too many digits after the point";
            return Err(Error::corrupt(what));
        }
        Ok(Self {
            column,
            lag,
            exponent,
        })
    }

    /// The kind of the run with the differences.
    pub const KIND: ValueKind = ValueKind::Ints;

    /// Replaces the values of a column with this reference by the integers that they stand for. False, and no change, if
    /// they are not all decimal fractions with so many digits.
    fn make_wholes(self, values: &mut [i64]) -> bool {
        if let Some(exponent) = self.exponent {
            let parts = split(values, exponent);
            if !parts.positions.is_empty() {
                return false;
            }
            values.copy_from_slice(&parts.mantissas);
        }
        true
    }

    /// The value that an integer stands for.
    fn value(self, whole: i64) -> i64 {
        match self.exponent {
            None => whole,
            Some(exponent) => bits::of(whole as f64 / power(exponent)),
        }
    }
}

/// The integer that a number stands for: itself, or the one nearest to a float times 10^exponent.
pub(super) fn whole(value: i64, exponent: Option<u8>) -> i64 {
    match exponent {
        None => value,
        // The conversion saturates, and makes NaN 0.
        Some(exponent) => nearest(float(value) * power(exponent)) as i64,
    }
}

fn power(exponent: u8) -> f64 {
    POW10[usize::from(exponent)]
}

/// The values of a reference column.
pub(super) struct ReferenceValues {
    /// The value of each row. Nulls have that of the last row before them with a value, or else of the first such row.
    of_rows: Vec<i64>,
}

impl ReferenceValues {
    /// `None` if columns of this type cannot be reference columns.
    ///
    /// # Errors
    /// As for [`Values::of`].
    pub fn of(data_type: &DataType, chunks: &[Chunk]) -> Result<Option<Self>> {
        if types::kind(data_type).is_none() {
            return Ok(None);
        }
        let Values::Numbers(values) = Values::of(data_type, chunks)? else {
            return Ok(None);
        };
        let Some(nulls) = gather::nulls(chunks) else {
            return Ok(Some(Self { of_rows: values }));
        };
        let mut of_rows = Vec::with_capacity(nulls.len());
        let mut rest = &values[..];
        let mut last = values.first().copied().unwrap_or_default();
        for (from, to) in nulls.valid_slices() {
            of_rows.resize(from, last);
            let values;
            (values, rest) = rest.split_at(to - from);
            of_rows.extend_from_slice(values);
            last = values.last().copied().unwrap_or(last);
        }
        of_rows.resize(nulls.len(), last);
        Ok(Some(Self { of_rows }))
    }

    /// Replaces the values of another column's valid rows by their differences from these. False, and no change, if they
    /// do not stand for integers.
    pub fn subtract(
        &self,
        reference: Reference,
        nulls: Option<&NullBuffer>,
        values: &mut [i64],
    ) -> bool {
        let are_wholes = reference.make_wholes(values);
        if are_wholes {
            self.combine(reference, nulls, values, i64::wrapping_sub);
        }
        are_wholes
    }

    /// Replaces the differences of another column's valid rows by its values.
    pub fn restore(
        &self,
        reference: Reference,
        nulls: Option<&NullBuffer>,
        differences: &mut [i64],
    ) {
        self.combine(reference, nulls, differences, i64::wrapping_add);
        if reference.exponent.is_some() {
            let values = differences.iter_mut();
            values.for_each(|whole| *whole = reference.value(*whole));
        }
    }

    /// Replaces the integers of another column's valid rows by `combine` of each and its reference.
    fn combine(
        &self,
        reference: Reference,
        nulls: Option<&NullBuffer>,
        wholes: &mut [i64],
        combine: impl Fn(i64, i64) -> i64,
    ) {
        let of_rows = &self.of_rows;
        let put = |whole: &mut i64, value: i64| {
            *whole = combine(*whole, self::whole(value, reference.exponent));
        };
        let mut rest = wholes;
        let mut put_range = |from: usize, to: usize| {
            // The first rows have no row so far before them.
            let first = to.min(reference.lag).saturating_sub(from);
            let (clamped, later) = std::mem::take(&mut rest).split_at_mut(first);
            let (later, after) = later.split_at_mut(to - from - first);
            for whole in clamped {
                put(whole, of_rows[0]);
            }
            let start = (from + first).saturating_sub(reference.lag);
            later
                .iter_mut()
                .zip(&of_rows[start..])
                .for_each(|(whole, &value)| put(whole, value));
            rest = after;
        };
        match nulls {
            None => put_range(0, of_rows.len()),
            Some(nulls) => nulls
                .valid_slices()
                .for_each(|(from, to)| put_range(from, to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, Int64Array};
    use proptest::prelude::*;

    use super::*;

    /// The differences by the definition, row by row.
    fn by_definition(reference: Reference, base: &[Option<i64>], rows: &[Option<i64>]) -> Vec<i64> {
        let first = base.iter().flatten().next().copied().unwrap_or(0);
        let of = |row: usize| {
            base[..=row]
                .iter()
                .flatten()
                .last()
                .copied()
                .unwrap_or(first)
        };
        let difference = |(row, value): (usize, &Option<i64>)| {
            let value = (*value)?;
            Some(value.wrapping_sub(of(row.saturating_sub(reference.lag))))
        };
        rows.iter().enumerate().filter_map(difference).collect()
    }

    proptest! {
        #[test]
        fn differences_are_as_defined_and_restore_the_values(
            rows in proptest::collection::vec(any::<[Option<i64>; 2]>(), 1..60),
            cut in 0_usize..60,
            lag in 0_usize..70,
        ) {
            let reference = Reference { column: 0, lag, exponent: None };
            let [base, rows] = [0, 1].map(|at| rows.iter().map(|row| row[at]).collect::<Vec<_>>());
            let arrays = |rows: &[Option<i64>]| {
                let (first, rest) = rows.split_at(cut.min(rows.len()));
                [first, rest].map(|part| Arc::new(Int64Array::from(part.to_vec())) as ArrayRef)
            };
            let others = ReferenceValues::of(&DataType::Int64, &gather::chunks(&arrays(&base)));
            let others = others.unwrap().unwrap();
            let nulls = gather::nulls(&gather::chunks(&arrays(&rows)));
            let values: Vec<i64> = rows.iter().flatten().copied().collect();
            let mut differences = values.clone();
            prop_assert!(others.subtract(reference, nulls.as_ref(), &mut differences));
            prop_assert_eq!(&differences, &by_definition(reference, &base, &rows));
            others.restore(reference, nulls.as_ref(), &mut differences);
            prop_assert_eq!(differences, values);
        }

        #[test]
        fn floats_are_restored_bit_for_bit_or_refused(
            base in proptest::collection::vec(any::<f64>(), 20),
            mantissas in proptest::collection::vec(-1_000_000_i64..1_000_000, 20),
            other in proptest::option::of(any::<f64>()),
            exponent in 0_u8..23,
        ) {
            let reference = Reference { column: 0, lag: 1, exponent: Some(exponent) };
            let base: ArrayRef = Arc::new(Float64Array::from(base));
            let others = ReferenceValues::of(&DataType::Float64, &gather::chunks(&[base]));
            let others = others.unwrap().unwrap();
            let fractions = mantissas.iter().map(|&whole| whole as f64 / power(exponent));
            let values = other.into_iter().chain(fractions).map(bits::of);
            let values: Vec<i64> = values.take(20).collect();
            let mut differences = values.clone();
            if others.subtract(reference, None, &mut differences) {
                others.restore(reference, None, &mut differences);
            } else {
                prop_assert!(other.is_some());
            }
            prop_assert_eq!(differences, values);
        }
    }
}
