//! Decodes one column to an array.

use std::sync::Arc;

use arrow_array::types::{
    Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, UInt8Array,
};
use arrow_buffer::{BooleanBuffer, Buffer, MutableBuffer, NullBuffer, ScalarBuffer};

use super::{RawPayload, Workshop, spans};
use crate::error::{Error, Result};
use crate::schema::Type;
use crate::wire::v1::dict::Dictionary;
use crate::wire::v1::{ColumnLayout, PayloadEncoding, delta, slot_len, validity};

/// The column being decoded.
#[derive(Clone, Copy)]
struct ColumnSource<'a> {
    layout: &'a ColumnLayout,
    validity: &'a [u8],
    payload_1: RawPayload<'a>,
    payload_2: RawPayload<'a>,
    rows: usize,
}

impl ColumnSource<'_> {
    fn bad_encoding(&self) -> Error {
        Error::corrupt(format!(
            "expected an encoding for {} columns, found {} ({})",
            self.layout.ty,
            self.layout.encoding_id,
            self.layout.encoding_name()
        ))
        .at_byte(self.layout.range().start as u64 + 2)
    }
}

/// Checks that the first offset of a plain text or bytes column is 0; this check comes after all columns.
pub(super) fn first_offset(bytes: &[u8], layout: &ColumnLayout) -> Result<()> {
    let at = layout.payload_1.start;
    let plain = slot_len(layout.ty).is_none() && layout.encoding() == Some(PayloadEncoding::Plain);
    match bytes.get(at..).and_then(<[u8]>::first_chunk) {
        Some(first) if plain && *first != [0; 4] => {
            let found = u32::from_le_bytes(*first);
            let text = format!("expected the first offset to be 0, found {found}");
            Err(Error::corrupt(text).at_byte(at as u64))
        }
        _ => Ok(()),
    }
}

impl Workshop {
    /// Decodes one column of an envelope with `rows` rows.
    pub(super) fn column(
        &mut self,
        bytes: &[u8],
        layout: &ColumnLayout,
        rows: usize,
    ) -> Result<ArrayRef> {
        let source = ColumnSource {
            layout,
            validity: &bytes[layout.validity.clone()],
            payload_1: RawPayload::of(bytes, &layout.payload_1),
            payload_2: RawPayload::of(bytes, &layout.payload_2),
            rows,
        };
        self.spend(source.validity.len())?;
        match slot_len(layout.ty) {
            Some(slot_len) => self.fixed(source, slot_len),
            None => self.variable(source),
        }
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

    fn fixed(&mut self, source: ColumnSource<'_>, slot_len: usize) -> Result<ArrayRef> {
        let ty = source.layout.ty;
        let encoding = match source.layout.encoding() {
            Some(encoding @ (PayloadEncoding::Plain | PayloadEncoding::PgBe)) => encoding,
            Some(PayloadEncoding::Delta) if matches!(ty, Type::I64 | Type::Timestamp) => {
                PayloadEncoding::Delta
            }
            _ => return Err(source.bad_encoding()),
        };
        if !source.payload_2.bytes.is_empty() {
            let text = format!(
                "expected an empty second payload for {ty}, found {} bytes",
                source.payload_2.bytes.len()
            );
            return Err(source.payload_2.corrupt(0, text));
        }
        let len = source.rows * slot_len;
        let found = source.payload_1.bytes.len();
        if encoding != PayloadEncoding::Delta && found != len {
            let text = format!(
                "expected {len} bytes for {} rows of {ty}, found {found}",
                source.rows
            );
            return Err(source.payload_1.corrupt(0, text));
        }
        self.spend(len)?;
        let nulls = validity::read(source.validity, source.rows, &mut self.pool);
        if ty == Type::Bool {
            return Ok(self.bools(source.payload_1.bytes, nulls));
        }
        let slots = match encoding {
            PayloadEncoding::Delta => self.delta(source)?,
            PayloadEncoding::PgBe => self.swapped(source.payload_1.bytes, ty),
            _ => self.pool.copied(&[source.payload_1.bytes]),
        };
        Ok(array_of(ty, slots, nulls, source.rows))
    }

    fn delta(&mut self, source: ColumnSource<'_>) -> Result<Buffer> {
        let mut slots = self.pool.sized(8 * source.rows);
        delta::decode(source.payload_1, slots.typed_data_mut())?;
        Ok(slots.into())
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

    fn variable(&mut self, source: ColumnSource<'_>) -> Result<ArrayRef> {
        let ty = source.layout.ty;
        match source.layout.encoding() {
            Some(PayloadEncoding::Plain) => self.plain_spans(source),
            Some(PayloadEncoding::Dict) if ty != Type::Bytes => self.dict(source),
            _ => Err(source.bad_encoding()),
        }
    }

    fn plain_spans(&mut self, source: ColumnSource<'_>) -> Result<ArrayRef> {
        let (ty, rows) = (source.layout.ty, source.rows);
        let len = 4 * (rows + 1);
        if source.payload_1.bytes.len() != len {
            let found = source.payload_1.bytes.len();
            let text = format!("expected {len} bytes of offsets for {rows} rows, found {found}");
            return Err(source.payload_1.corrupt(0, text));
        }
        let (offsets, _) = source.payload_1.bytes.as_chunks::<4>();
        let falls = |[from, to]: &[[u8; 4]; 2]| u32::from_le_bytes(*from) > u32::from_le_bytes(*to);
        // Checking all of them is faster than stopping at the first.
        if offsets
            .array_windows()
            .fold(false, |any, pair| any | falls(pair))
        {
            let row = offsets.array_windows().position(falls).unwrap_or_default();
            let [from, to] = [row, row + 1].map(|at| u32::from_le_bytes(offsets[at]));
            let text =
                format!("row {row}: expected offsets not to decrease, found {from} then {to}");
            return Err(source.payload_1.corrupt(4 * (row + 1), text));
        }
        let last = u32::from_le_bytes(offsets[rows]) as usize;
        if last != source.payload_2.bytes.len() {
            let expected = source.payload_2.bytes.len();
            let text = format!("expected the last offset to be {expected}, found {last}");
            return Err(source.payload_1.corrupt(4 * rows, text));
        }
        self.spend(len)?;
        self.spend(last)?;
        let nulls = validity::read(source.validity, rows, &mut self.pool);
        let offsets = self.pool.copied(&[source.payload_1.bytes]);
        let data = self.pool.copied(&[source.payload_2.bytes]);
        Ok(spans::array(ty != Type::Bytes, offsets, data, nulls))
    }

    /// Decodes a column of text, the only one that has dictionaries.
    fn dict(&mut self, source: ColumnSource<'_>) -> Result<ArrayRef> {
        let rows = source.rows;
        if rows == 0 {
            self.spend(4)?;
            let offsets = self.pool.copied(&[&[0; 4]]);
            return Ok(spans::array(true, offsets, Buffer::default(), None));
        }
        let dictionary =
            Dictionary::parse(source.payload_1, source.payload_2, source.validity, rows)?;
        self.spend(4 * (rows + 1))?;
        let nulls = validity::read(source.validity, rows, &mut self.pool);
        let mut offsets = self.pool.sized(4 * (rows + 1));
        let len = self
            .expander
            .offsets(&dictionary, offsets.typed_data_mut())?;
        if len > u64::from(u32::MAX) {
            let most = u32::MAX;
            let text = format!("expected text of at most {most} bytes, found {len} in the rows");
            return Err(source.payload_1.corrupt(0, text));
        }
        self.spend(len as usize)?;
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

fn array_of(ty: Type, slots: Buffer, nulls: Option<NullBuffer>, rows: usize) -> ArrayRef {
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
        Type::Uuid => {
            debug_assert_eq!(slots.len(), 16 * rows);
            Arc::new(FixedSizeBinaryArray::new(16, slots, nulls))
        }
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
