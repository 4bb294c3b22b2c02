//! Decodes one column to an array.

use std::sync::Arc;

use arrow_array::types::{
    Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, UInt8Array,
};
use arrow_buffer::{BooleanBuffer, Buffer, MutableBuffer, NullBuffer, ScalarBuffer};

use super::{Workshop, spans};
use crate::error::{Error, Result};
use crate::schema::Type;
use crate::wire::v1::dict::Dictionary;
use crate::wire::v1::stored::{Payload, StoredColumn};
use crate::wire::v1::{PayloadEncoding, delta, slot_len, validity};

/// Checks that the first offset of a plain text or bytes column is 0; this check comes after all columns.
pub(super) fn first_offset(column: StoredColumn<'_>) -> Result<()> {
    let layout = column.layout;
    let [offsets, _] = column.raw_payloads();
    let plain = slot_len(layout.ty).is_none() && layout.encoding() == Some(PayloadEncoding::Plain);
    match offsets.bytes.first_chunk() {
        Some(first) if plain && *first != [0; 4] => {
            let found = u32::from_le_bytes(*first);
            let text = format!("expected the first offset to be 0, found {found}");
            Err(offsets.corrupt(0, text))
        }
        _ => Ok(()),
    }
}

impl Workshop {
    /// Decodes a column.
    pub(super) fn column(&mut self, column: StoredColumn<'_>) -> Result<ArrayRef> {
        self.spend(column.validity().len())?;
        match column.payload()? {
            Payload::Slots {
                slots, is_swapped, ..
            } => {
                self.spend(slots.len())?;
                Ok(self.slots(column, slots, is_swapped))
            }
            Payload::Deltas(deltas) => {
                let len = 8 * column.rows;
                self.spend(len)?;
                let nulls = self.nulls(column);
                let mut slots = self.pool.sized(len);
                delta::decode(deltas, slots.typed_data_mut())?;
                Ok(array_of(column.layout.ty, slots.into(), nulls))
            }
            Payload::Spans { offsets, data } => {
                let offsets = offsets.as_flattened();
                self.spend(offsets.len())?;
                self.spend(data.len())?;
                let nulls = self.nulls(column);
                let [offsets, data] = [offsets, data].map(|bytes| self.pool.copied(&[bytes]));
                let is_text = column.layout.ty != Type::Bytes;
                Ok(spans::array(is_text, offsets, data, nulls))
            }
            Payload::Dict(dictionary) => self.dict(column, dictionary),
        }
    }

    fn nulls(&mut self, column: StoredColumn<'_>) -> Option<NullBuffer> {
        validity::read(column.validity(), column.rows, &mut self.pool)
    }

    /// Counts memory that is about to be allocated against the limit.
    fn spend(&mut self, len: usize) -> Result<()> {
        let Some(left) = self.budget.checked_sub(len as u64) else {
            let text = format!("the frame decodes to more than {} bytes", self.max_plain);
            return Err(Error::limit(text).hint("raise --max-frame"));
        };
        self.budget = left;
        Ok(())
    }

    fn slots(&mut self, column: StoredColumn<'_>, slots: &[u8], is_swapped: bool) -> ArrayRef {
        let ty = column.layout.ty;
        let nulls = self.nulls(column);
        if ty == Type::Bool {
            return self.bools(slots, nulls);
        }
        let slots = if is_swapped {
            self.swapped(slots, ty)
        } else {
            self.pool.copied(&[slots])
        };
        array_of(ty, slots, nulls)
    }

    fn swapped(&mut self, bytes: &[u8], ty: Type) -> Buffer {
        fn swap<const N: usize>(bytes: &[u8], slots: &mut MutableBuffer) {
            let (from, _) = bytes.as_chunks::<N>();
            let (to, _) = slots.as_slice_mut().as_chunks_mut::<N>();
            for (to, from) in to.iter_mut().zip(from) {
                *to = *from;
                to.reverse();
            }
        }
        let mut slots = self.pool.sized(bytes.len());
        match slot_len(ty) {
            Some(2) => swap::<2>(bytes, &mut slots),
            Some(4) => swap::<4>(bytes, &mut slots),
            Some(8) => swap::<8>(bytes, &mut slots),
            // UUIDs have the same byte order in both encodings.
            _ => slots.as_slice_mut().copy_from_slice(bytes),
        }
        slots.into()
    }

    /// Converts bools to bits; keeps the bytes if one is neither 0 nor 1.
    fn bools(&mut self, bytes: &[u8], nulls: Option<NullBuffer>) -> ArrayRef {
        if bytes.iter().fold(0, |any, byte| any | byte) > 1 {
            let slots = ScalarBuffer::from(self.pool.copied(&[bytes]));
            return Arc::new(UInt8Array::new(slots, nulls));
        }
        let mut bits = self.pool.sized(bytes.len().div_ceil(8));
        let (eights, rest) = bytes.as_chunks::<8>();
        for (place, eight) in bits.as_slice_mut().iter_mut().zip(eights) {
            *place = bits_of(u64::from_le_bytes(*eight));
        }
        if let Some(last) = bits.as_slice_mut().get_mut(eights.len()) {
            *last = (rest.iter().rev()).fold(0, |bits, byte| bits << 1 | byte);
        }
        let values = BooleanBuffer::new(bits.into(), 0, bytes.len());
        Arc::new(BooleanArray::new(values, nulls))
    }

    /// Decodes a column of text, the only one that has dictionaries.
    fn dict(
        &mut self,
        column: StoredColumn<'_>,
        dictionary: Option<Dictionary<'_>>,
    ) -> Result<ArrayRef> {
        let rows = column.rows;
        let Some(dictionary) = dictionary else {
            self.spend(4)?;
            let offsets = self.pool.copied(&[&[0; 4]]);
            return Ok(spans::array(true, offsets, Buffer::default(), None));
        };
        self.spend(4 * (rows + 1))?;
        let nulls = self.nulls(column);
        let mut offsets = self.pool.sized(4 * (rows + 1));
        let len = self
            .expander
            .offsets(&dictionary, offsets.typed_data_mut())?;
        self.spend(len)?;
        let data = self
            .expander
            .data(&dictionary, offsets.typed_data(), &mut self.pool);
        Ok(spans::array(true, offsets.into(), data.into(), nulls))
    }
}

/// The lowest bit of byte `k` as bit `k`, for bytes of 0 and 1.
fn bits_of(bools: u64) -> u8 {
    (bools.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

fn array_of(ty: Type, slots: Buffer, nulls: Option<NullBuffer>) -> ArrayRef {
    fn primitive<T: ArrowPrimitiveType>(
        slots: Buffer,
        nulls: Option<NullBuffer>,
    ) -> PrimitiveArray<T> {
        PrimitiveArray::new(ScalarBuffer::from(slots), nulls)
    }
    match ty {
        Type::I16 => Arc::new(primitive::<Int16Type>(slots, nulls)),
        Type::I32 => Arc::new(primitive::<Int32Type>(slots, nulls)),
        Type::F32 => Arc::new(primitive::<Float32Type>(slots, nulls)),
        Type::F64 => Arc::new(primitive::<Float64Type>(slots, nulls)),
        Type::Timestamp => Arc::new(
            primitive::<TimestampMicrosecondType>(slots, nulls).with_data_type(ty.data_type()),
        ),
        Type::Uuid => Arc::new(FixedSizeBinaryArray::new(16, slots, nulls)),
        // Bools and spans were handled before.
        _ => Arc::new(primitive::<Int64Type>(slots, nulls)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bools_become_a_byte() {
        for bits in 0..=0xffu8 {
            let bools: [u8; 8] = std::array::from_fn(|k| bits >> k & 1);
            assert_eq!(bits_of(u64::from_le_bytes(bools)), bits);
        }
    }
}
