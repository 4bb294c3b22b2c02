//! The encoder's view of Arrow arrays: slots as bytes, spans as offsets into data.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ByteArrayType, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, UInt8Type,
};
use arrow_array::{
    Array, ArrowPrimitiveType, BooleanArray, FixedSizeBinaryArray, GenericByteArray,
};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::DataType;

use super::slot_len;
use crate::schema::Type;

/// The slots of one array.
pub(super) enum Slots<'a> {
    /// In the layout of the wire.
    Bytes(&'a Buffer),
    /// Bools, one bit each.
    Bits(&'a BooleanArray),
}

/// True if the array can hold values of `ty`.
pub(super) fn fits(ty: Type, array: &dyn Array) -> bool {
    match slot_len(ty) {
        Some(_) => slots(ty, array).is_some(),
        None => Spans::of(array).is_some(),
    }
}

/// The slots of an array of a fixed-width `ty`; `None` if it is of another type.
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
            .map(FixedSizeBinaryArray::values),
        Type::Utf8 | Type::Bytes | Type::Json => None,
    };
    bytes.map(Slots::Bytes)
}

fn primitive<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<&Buffer> {
    Some(array.as_primitive_opt::<T>()?.values().inner())
}

/// The 64-bit integers of an array of `ty`; `None` if it is of another type.
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

/// The offsets of a text or bytes array.
#[derive(Clone, Copy)]
pub(super) enum Offsets<'a> {
    Narrow(&'a [i32]),
    Wide(&'a [i64]),
}

/// The rows of one text or bytes array; row `r` is `data[offsets[r]..offsets[r + 1]]`.
#[derive(Clone, Copy)]
pub(super) struct Spans<'a> {
    pub(super) offsets: Offsets<'a>,
    /// The data that the offsets refer to; may be more than the rows span.
    pub(super) data: &'a [u8],
    /// The data as an Arrow buffer.
    pub(super) buffer: &'a Buffer,
    /// Only present if there is a null.
    pub(super) nulls: Option<&'a NullBuffer>,
    pub(super) rows: usize,
}

impl<'a> Spans<'a> {
    /// The spans of a text or bytes array with any width of offsets; `None` for any other array.
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        let (offsets, buffer) = match array.data_type() {
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
            data: buffer,
            buffer,
            nulls,
            rows,
        })
    }

    /// The range of the data that all rows span, including those under nulls.
    pub(super) fn range(&self) -> Range<usize> {
        match self.offsets {
            Offsets::Narrow(offsets) => offsets[0] as usize..offsets[self.rows] as usize,
            Offsets::Wide(offsets) => offsets[0] as usize..offsets[self.rows] as usize,
        }
    }
}

fn narrow<T: ByteArrayType<Offset = i32>>(array: &GenericByteArray<T>) -> (Offsets<'_>, &Buffer) {
    (Offsets::Narrow(array.value_offsets()), array.values())
}

fn wide<T: ByteArrayType<Offset = i64>>(array: &GenericByteArray<T>) -> (Offsets<'_>, &Buffer) {
    (Offsets::Wide(array.value_offsets()), array.values())
}
