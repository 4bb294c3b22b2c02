//! What the encoder sees of Arrow arrays: slots as bytes, spans as offsets into data.

use arrow_array::cast::AsArray;
use arrow_array::types::ByteArrayType;
use arrow_array::types::{
    Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, UInt8Type,
};
use arrow_array::{
    Array, ArrowPrimitiveType, BooleanArray, FixedSizeBinaryArray, GenericByteArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use super::slot_len;
use crate::schema::Type;

/// The slots of one array.
pub(super) enum Slots<'a> {
    /// As they go on the wire.
    Bytes(&'a [u8]),
    /// Bools, one bit each.
    Bits(&'a BooleanArray),
}

/// True if the array holds values of `ty`, one way or another.
pub(super) fn fits(ty: Type, array: &dyn Array) -> bool {
    match slot_len(ty) {
        Some(_) => slots(ty, array).is_some(),
        None => Spans::of(array).is_some(),
    }
}

/// The slots of an array that holds a fixed-width `ty`; `None` if it does not.
pub(super) fn slots(ty: Type, array: &dyn Array) -> Option<Slots<'_>> {
    let bytes = match ty {
        Type::Bool if *array.data_type() == DataType::Boolean => {
            return array.as_boolean_opt().map(Slots::Bits);
        }
        Type::Bool => primitive::<UInt8Type>(array),
        Type::I16 => primitive::<Int16Type>(array),
        Type::I32 => primitive::<Int32Type>(array),
        Type::I64 => primitive::<Int64Type>(array),
        Type::F32 => primitive::<Float32Type>(array),
        Type::F64 => primitive::<Float64Type>(array),
        Type::Timestamp => primitive::<TimestampMicrosecondType>(array),
        Type::Uuid => array
            .as_fixed_size_binary_opt()
            .filter(|array| array.value_length() == 16)
            .map(FixedSizeBinaryArray::value_data),
        Type::Utf8 | Type::Bytes | Type::Json => None,
    };
    bytes.map(Slots::Bytes)
}

fn primitive<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<&[u8]> {
    Some(array.as_primitive_opt::<T>()?.values().inner().as_slice())
}

/// The 64-bit whole numbers of an array of `ty`; `None` if it holds something else.
pub(super) fn whole_numbers(ty: Type, array: &dyn Array) -> Option<&[i64]> {
    match ty {
        Type::I64 => Some(array.as_primitive_opt::<Int64Type>()?.values()),
        Type::Timestamp => Some(
            array
                .as_primitive_opt::<TimestampMicrosecondType>()?
                .values(),
        ),
        _ => None,
    }
}

/// Where the rows of a text or bytes array begin and end.
#[derive(Clone, Copy)]
pub(super) enum Offsets<'a> {
    Narrow(&'a [i32]),
    Wide(&'a [i64]),
}

/// The rows of one text or bytes array; row `r` is `data[offsets[r]..offsets[r + 1]]`.
#[derive(Clone, Copy)]
pub(super) struct Spans<'a> {
    pub(super) offsets: Offsets<'a>,
    /// The data from which the offsets count; may be more than the rows span.
    pub(super) data: &'a [u8],
    /// Only present if there is a null.
    pub(super) nulls: Option<&'a NullBuffer>,
    pub(super) rows: usize,
}

impl<'a> Spans<'a> {
    /// The spans of a text or bytes array, whichever its offsets; `None` for any other array.
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        let (offsets, data) = match array.data_type() {
            DataType::Utf8 => narrow(array.as_string_opt()?),
            DataType::LargeUtf8 => wide(array.as_string_opt()?),
            DataType::Binary => narrow(array.as_binary_opt()?),
            DataType::LargeBinary => wide(array.as_binary_opt()?),
            _ => return None,
        };
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        let rows = array.len();
        Some(Self {
            offsets,
            data,
            nulls,
            rows,
        })
    }

    /// The bytes all rows span, those under nulls included.
    pub(super) fn spanned(&self) -> &'a [u8] {
        let (from, to) = match self.offsets {
            Offsets::Narrow(offsets) => (offsets[0] as usize, offsets[self.rows] as usize),
            Offsets::Wide(offsets) => (offsets[0] as usize, offsets[self.rows] as usize),
        };
        &self.data[from..to]
    }
}

fn narrow<T: ByteArrayType<Offset = i32>>(array: &GenericByteArray<T>) -> (Offsets<'_>, &[u8]) {
    (Offsets::Narrow(array.value_offsets()), array.value_data())
}

fn wide<T: ByteArrayType<Offset = i64>>(array: &GenericByteArray<T>) -> (Offsets<'_>, &[u8]) {
    (Offsets::Wide(array.value_offsets()), array.value_data())
}
