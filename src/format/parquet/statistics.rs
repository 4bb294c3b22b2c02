//! The statistics of row groups, as conditions use them.

use arrow_schema::{DataType, TimeUnit};
use parquet::basic::{LogicalType, TimeUnit as StoredUnit};
use parquet::data_type::ByteArray;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics as Stored;

use crate::columns::statistics::{MinMax, PREFIX, Statistics};

/// The statistics of a column chunk whose values are read as `data_type`, for conditions.
///
/// The minimum and maximum of floats ignore NaN, which is the greatest value in conditions.
pub fn of_chunk(chunk: &ColumnChunkMetaData, data_type: &DataType) -> Statistics {
    let mut statistics = bounds(chunk, data_type);
    let nans = chunk.statistics().and_then(Stored::nan_count_opt);
    if let Some(MinMax::Floats(_, greatest)) = &mut statistics.extremes
        && nans != Some(0)
    {
        *greatest = f64::NAN;
    }
    statistics
}

/// The statistics of a column chunk to show to people, without bounds that may not be values of the column.
pub fn stated(chunk: &ColumnChunkMetaData, data_type: &DataType) -> Statistics {
    let statistics = bounds(chunk, data_type);
    let is_exact = |it: &Stored| it.min_is_exact() && it.max_is_exact();
    let occur = |extremes: &MinMax| match extremes {
        // They may have been cut.
        MinMax::Strings { .. } => chunk.statistics().is_some_and(is_exact),
        // In the order of IEEE 754, NaN is an extreme.
        MinMax::Floats(least, greatest) => !least.is_nan() && !greatest.is_nan(),
        MinMax::Ints(..) | MinMax::Wide(..) => true,
    };
    Statistics {
        extremes: statistics.extremes.filter(occur),
        ..statistics
    }
}

/// The statistics of a column chunk as they are stored.
///
/// Parquet stores bounds: no value lies outside them, but they need not occur themselves. That is enough to skip row
/// groups. The deprecated fields for the minimum and maximum are ignored unless their order is known.
fn bounds(chunk: &ColumnChunkMetaData, data_type: &DataType) -> Statistics {
    let Some(stored) = chunk.statistics() else {
        return Statistics::default();
    };
    let has_order = !stored.is_min_max_deprecated() || stored.is_min_max_backwards_compatible();
    let extremes = || extremes(stored, chunk, data_type);
    Statistics {
        nulls: stored.null_count_opt(),
        extremes: has_order.then(extremes).flatten(),
    }
}

fn extremes(stored: &Stored, chunk: &ColumnChunkMetaData, data_type: &DataType) -> Option<MinMax> {
    let logical = chunk.column_descr().logical_type_ref();
    match (stored, data_type) {
        (_, DataType::Dictionary(_, values)) => extremes(stored, chunk, values),
        // The bits of unsigned numbers look negative.
        (Stored::Int32(of), DataType::UInt8 | DataType::UInt16 | DataType::UInt32) => {
            let bits = |value: &i32| i64::from(value.cast_unsigned());
            Some(MinMax::Ints(bits(of.min_opt()?), bits(of.max_opt()?)))
        }
        (Stored::Int32(of), _) if is_kept(data_type, logical) => Some(MinMax::Ints(
            (*of.min_opt()?).into(),
            (*of.max_opt()?).into(),
        )),
        (Stored::Int64(of), _) if is_kept(data_type, logical) => {
            Some(MinMax::Ints(*of.min_opt()?, *of.max_opt()?))
        }
        (Stored::Float(of), DataType::Float32) => Some(MinMax::Floats(
            (*of.min_opt()?).into(),
            (*of.max_opt()?).into(),
        )),
        (Stored::Double(of), DataType::Float64) => {
            Some(MinMax::Floats(*of.min_opt()?, *of.max_opt()?))
        }
        (
            Stored::ByteArray(of),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary,
        ) => Some(strings(of.min_opt()?, of.max_opt()?)),
        _ => None,
    }
}

/// True if the type holds the stored integers unchanged.
fn is_kept(data_type: &DataType, logical: Option<&LogicalType>) -> bool {
    match data_type {
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt64
        | DataType::Date32
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..) => true,
        DataType::Timestamp(unit, _) => {
            let stored = match logical {
                Some(LogicalType::Timestamp(stored)) => &stored.unit,
                _ => return false,
            };
            matches!(
                (unit, stored),
                (TimeUnit::Millisecond, StoredUnit::MILLIS)
                    | (TimeUnit::Microsecond, StoredUnit::MICROS)
                    | (TimeUnit::Nanosecond, StoredUnit::NANOS)
            )
        }
        _ => false,
    }
}

fn strings(least: &ByteArray, greatest: &ByteArray) -> MinMax {
    let prefix = |bytes: &ByteArray| {
        let bytes = bytes.data();
        bytes[..bytes.len().min(PREFIX)].to_vec()
    };
    MinMax::Strings {
        least: prefix(least),
        greatest: prefix(greatest),
        cut: greatest.len() > PREFIX,
    }
}
