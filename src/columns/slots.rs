//! The values that Arrow stores for primitive types, whatever they mean: a date is an i32, a timestamp an i64.

use arrow_array::{Array, ArrayRef, downcast_primitive_array, make_array};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, IntervalUnit};

/// The values of a primitive array whose slots have the size of `N`, including those under nulls.
pub fn slots<N: ArrowNativeType>(array: &dyn Array) -> Option<&[N]> {
    let values = values(array)?;
    (values.len() == array.len() * size_of::<N>()).then(|| values.typed_data())
}

/// The values of a primitive array.
fn values(array: &dyn Array) -> Option<&Buffer> {
    downcast_primitive_array!(
        array => Some(array.values().inner()),
        _ => None
    )
}

/// An array of a primitive type whose slots have the size of `N`.
///
/// # Errors
/// If the type has other slots, or `nulls` another length.
pub fn array_of<N: ArrowNativeType>(
    data_type: &DataType,
    values: Vec<N>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    array_of_buffer(data_type, values.len(), Buffer::from_vec(values), nulls)
}

fn array_of_buffer(
    data_type: &DataType,
    len: usize,
    values: Buffer,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let data = ArrayData::builder(data_type.clone())
        .len(len)
        .add_buffer(values)
        .nulls(nulls);
    Ok(make_array(data.build()?))
}

/// The size of the integers that represent the values of a type, and whether they have a sign; `None` for types whose
/// values are not represented by integers.
pub fn integer_width(data_type: &DataType) -> Option<(usize, bool)> {
    match data_type {
        DataType::Interval(IntervalUnit::DayTime | IntervalUnit::MonthDayNano) => None,
        floating if floating.is_floating() => None,
        other => Some((other.primitive_width()?, !other.is_unsigned_integer())),
    }
}

/// Matches on the integers that represent the values of an array: `match_integers!(array, values => body, _ => other)`
/// evaluates `body` with a slice of i8 to i64, u8 to u64 or i128, or `other` for arrays of other types.
macro_rules! match_integers {
    ($array:expr, $values:ident => $body:expr, _ => $other:expr) => {{
        use $crate::columns::slots::{integer_width, slots};
        let array: &dyn arrow_array::Array = $array;
        macro_rules! with {
            ($native:ty) => {
                match slots::<$native>(array) {
                    Some($values) => $body,
                    None => $other,
                }
            };
        }
        match integer_width(array.data_type()) {
            Some((1, true)) => with!(i8),
            Some((2, true)) => with!(i16),
            Some((4, true)) => with!(i32),
            Some((8, true)) => with!(i64),
            Some((16, true)) => with!(i128),
            Some((1, false)) => with!(u8),
            Some((2, false)) => with!(u16),
            Some((4, false)) => with!(u32),
            Some((8, false)) => with!(u64),
            _ => $other,
        }
    }};
}
pub(crate) use match_integers;
