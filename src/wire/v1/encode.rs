//! Encodes batches to an envelope.

use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{Field, Schema};

use crate::error::{Error, Result};
use crate::schema::{Type, display_name};
use crate::wire::rope::Rope;

use super::dict::Builder;
use super::parts::{self, Offsets, Slots, Spans};
use super::{MAGIC, PayloadEncoding, VERSION, delta, slot_len, type_id, validity};

/// The encodings that may be used where they make a column smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeOptions {
    /// Dictionaries for text.
    pub dict: bool,
    /// Deltas for 64-bit integers and timestamps without nulls.
    pub delta: bool,
}

impl EncodeOptions {
    /// Neither dictionaries nor deltas.
    pub const PLAIN: Self = Self {
        dict: false,
        delta: false,
    };
    /// Both.
    pub const ALL: Self = Self {
        dict: true,
        delta: true,
    };
}

impl Default for EncodeOptions {
    fn default() -> Self {
        Self::ALL
    }
}

/// Writes envelopes, reusing its memory.
#[derive(Debug)]
pub struct Encoder {
    options: EncodeOptions,
    dictionary: Builder,
}

/// One column of all batches.
struct ColumnChunks<'a> {
    ty: Type,
    field: &'a Field,
    position: usize,
    parts: ColumnParts<'a>,
    rows: usize,
}

/// The arrays of a column, accessed in place so that encoding needs no additional memory.
#[derive(Clone, Copy)]
enum ColumnParts<'a> {
    Arrays(&'a [ArrayRef]),
    /// The column at the same position of each batch.
    Batches(&'a [RecordBatch]),
}

impl Encoder {
    /// An encoder that may use the encodings in `options`.
    pub fn new(options: EncodeOptions) -> Self {
        Self {
            options,
            dictionary: Builder::default(),
        }
    }

    /// Appends one envelope with the rows of all `batches`, in order, to `out`.
    ///
    /// The same rows and options give the same bytes, however the rows are divided into batches.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] for a column of a type that wire 1 lacks, [`crate::error::Kind::Input`] if there
    /// is no column or a limit of the format is exceeded. `out` is then unchanged.
    pub fn encode(
        &mut self,
        schema: &Schema,
        batches: &[RecordBatch],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let start = out.len();
        let mut rope = Rope::contiguous(std::mem::take(out));
        let result = self.append(schema, batches, &mut rope);
        *out = std::mem::take(&mut rope.own);
        if result.is_err() {
            out.truncate(start);
        }
        result
    }

    fn append(&mut self, schema: &Schema, batches: &[RecordBatch], out: &mut Rope) -> Result<()> {
        let expected = schema.fields().len();
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        header(rows, expected, &mut out.own)?;
        if let Some(odd) = batches.iter().find(|batch| batch.num_columns() != expected) {
            let found = odd.num_columns();
            let text = format!("expected batches of {expected} columns, found one of {found}");
            return Err(Error::input(text));
        }
        let parts = ColumnParts::Batches(batches);
        let columns = || {
            schema
                .fields()
                .iter()
                .enumerate()
                .map(|(position, field)| ColumnChunks::new(field, position, parts, rows))
        };
        let plain_len = columns().try_fold(0, |sum, column| Ok(sum + column?.plain_len()))?;
        out.own.reserve(plain_len);
        columns().try_for_each(|column| self.located(&column?, out))
    }

    /// Appends one column of an envelope with `rows` rows: the values of `arrays`, in order.
    ///
    /// An envelope is the [`header`] followed by its columns.
    ///
    /// # Errors
    /// As for [`Self::encode`]; the contents of `out` are then invalid.
    pub fn column(
        &mut self,
        field: &Field,
        position: usize,
        arrays: &[ArrayRef],
        rows: usize,
        out: &mut Rope,
    ) -> Result<()> {
        let column = ColumnChunks::new(field, position, ColumnParts::Arrays(arrays), rows)?;
        self.located(&column, out)
    }

    fn located(&mut self, column: &ColumnChunks<'_>, out: &mut Rope) -> Result<()> {
        self.append_column(column, out)
            .map_err(|error| error.in_column(column.display_name()))
    }

    fn append_column(&mut self, column: &ColumnChunks<'_>, rope: &mut Rope) -> Result<()> {
        let name = column.field.name();
        let out = &mut rope.own;
        out.extend_from_slice(&type_id(column.ty).to_le_bytes());
        let encoding_at = out.len();
        out.extend_from_slice(&(PayloadEncoding::Plain as u16).to_le_bytes());
        out.extend_from_slice(&0u16.to_le_bytes());
        out.extend_from_slice(&len_u16(name.len(), "bytes of name")?.to_le_bytes());
        out.extend_from_slice(name.as_bytes());
        let bitmap_len = validity::len_bytes(column.rows);
        out.extend_from_slice(&len_u32(bitmap_len, "bytes of bitmap")?.to_le_bytes());
        validity::append(
            column.arrays().map(|array| (array.nulls(), array.len())),
            out,
        );
        let encoding = match slot_len(column.ty) {
            Some(slot_len) => self.fixed(column, slot_len, rope)?,
            None => self.variable(column, rope)?,
        };
        rope.own[encoding_at..encoding_at + 2].copy_from_slice(&(encoding as u16).to_le_bytes());
        Ok(())
    }

    /// Appends a column of slots of one length: as deltas if the options allow that and it is smaller,
    /// otherwise as plain slots. The second payload is empty.
    fn fixed(
        &mut self,
        column: &ColumnChunks<'_>,
        slot_len: usize,
        out: &mut Rope,
    ) -> Result<PayloadEncoding> {
        let may_delta = self.options.delta && matches!(column.ty, Type::I64 | Type::Timestamp);
        let encoding = if may_delta && column.rows > 0 && column.null_count() == 0 {
            let payload = LengthSlot::begin(out);
            let numbers =
                (column.arrays()).filter_map(|array| parts::whole_numbers(column.ty, array));
            if delta::encode(numbers, column.rows, &mut out.own) {
                payload.end(out)?;
                PayloadEncoding::Delta
            } else {
                payload.undo(out);
                PayloadEncoding::Plain
            }
        } else {
            PayloadEncoding::Plain
        };
        if encoding == PayloadEncoding::Plain {
            len_u32(column.rows.saturating_mul(slot_len), "bytes of slots")?;
            let payload = LengthSlot::begin(out);
            for slots in column
                .arrays()
                .filter_map(|array| parts::slots(column.ty, array))
            {
                match slots {
                    Slots::Bytes(bytes) => out.push(bytes, 0, bytes.len()),
                    Slots::Bits(bools) => append_bools(bools, &mut out.own),
                }
            }
            payload.end(out)?;
        }
        LengthSlot::begin(out).end(out)?;
        Ok(encoding)
    }

    /// Appends a column of texts: as a dictionary if the options allow that and it is smaller, otherwise as
    /// offsets and data.
    fn variable(&mut self, column: &ColumnChunks<'_>, out: &mut Rope) -> Result<PayloadEncoding> {
        let data_len = column.data_len();
        len_u32(data_len, "bytes of data")?;
        len_u32(
            column.rows.saturating_add(1).saturating_mul(4),
            "bytes of offsets",
        )?;
        let may_dict = self.options.dict && column.ty != Type::Bytes;
        let plain = 4 * (column.rows as u64 + 1) + data_len as u64;
        if may_dict
            && self
                .dictionary
                .encode(column.spans(), column.rows, plain, out)
        {
            return Ok(PayloadEncoding::Dict);
        }
        let payload = LengthSlot::begin(out);
        append_offsets(column, &mut out.own);
        payload.end(out)?;
        let payload = LengthSlot::begin(out);
        for spans in column.spans() {
            let range = spans.range();
            out.push(spans.buffer, range.start, range.len());
        }
        payload.end(out)?;
        Ok(PayloadEncoding::Plain)
    }
}

impl<'a> ColumnChunks<'a> {
    /// A column of a supported type.
    fn new(field: &'a Field, position: usize, parts: ColumnParts<'a>, rows: usize) -> Result<Self> {
        let ty = column_type(field, position)?;
        let column = Self {
            ty,
            field,
            position,
            parts,
            rows,
        };
        match column.arrays().find(|array| !parts::fits(ty, *array)) {
            Some(odd) => {
                let found = odd.data_type();
                let text = format!("expected arrays that hold {ty}, found Arrow {found}");
                Err(Error::usage(text).in_column(column.display_name()))
            }
            None => Ok(column),
        }
    }

    fn arrays(&self) -> impl Iterator<Item = &'a dyn Array> + use<'a> {
        let (parts, position) = (self.parts, self.position);
        let count = match parts {
            ColumnParts::Arrays(arrays) => arrays.len(),
            ColumnParts::Batches(batches) => batches.len(),
        };
        (0..count).map(move |at| match parts {
            ColumnParts::Arrays(arrays) => arrays[at].as_ref(),
            ColumnParts::Batches(batches) => batches[at].column(position).as_ref(),
        })
    }

    /// The rows of a text or bytes column; arrays of other types were refused before.
    fn spans(&self) -> impl Iterator<Item = Spans<'a>> + use<'a> {
        self.arrays().filter_map(Spans::of)
    }

    /// Number of bytes that the rows span, including those under nulls.
    fn data_len(&self) -> usize {
        self.spans().map(|spans| spans.range().len()).sum()
    }

    fn null_count(&self) -> usize {
        self.arrays().map(Array::null_count).sum()
    }

    /// Size of descriptor, name, bitmap and plain payloads in bytes.
    fn plain_len(&self) -> usize {
        let payloads = match slot_len(self.ty) {
            Some(slot_len) => self.rows * slot_len,
            None => 4 * (self.rows + 1) + self.data_len(),
        };
        20 + self.field.name().len() + validity::len_bytes(self.rows) + payloads
    }

    fn display_name(&self) -> String {
        display_name(self.field.name(), self.position)
    }
}

/// Appends the part of an envelope before the columns.
///
/// # Errors
/// [`crate::error::Kind::Input`] if there is no column, or more columns or rows than the format can
/// count.
pub fn header(rows: usize, columns: usize, out: &mut Vec<u8>) -> Result<()> {
    if columns == 0 {
        return Err(Error::input(
            "there is no column to write; wire 1 needs at least one column",
        ));
    }
    let rows = len_u32(rows, "rows")?;
    let columns = len_u16(columns, "columns")?;
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&0u16.to_le_bytes());
    out.extend_from_slice(&rows.to_le_bytes());
    out.extend_from_slice(&columns.to_le_bytes());
    out.extend_from_slice(&0u16.to_le_bytes());
    Ok(())
}

/// The wire type of a column.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if wire 1 has no type for it.
pub fn column_type(field: &Field, position: usize) -> Result<Type> {
    Type::of(field).ok_or_else(|| {
        Error::usage(format!(
            "wire 1 has no type for Arrow {}",
            field.data_type()
        ))
        .in_column(display_name(field.name(), position))
        .hint("use --wire 2, or make the column text with --schema NAME:utf8")
    })
}

/// A length field that is filled in after its contents are appended.
struct LengthSlot {
    /// Its offset in the rope's owned bytes.
    place: usize,
    /// The length of the rope after it.
    start: usize,
}

impl LengthSlot {
    fn begin(out: &mut Rope) -> Self {
        let place = out.own.len();
        out.own.extend_from_slice(&[0; 4]);
        let start = out.len_bytes();
        Self { place, start }
    }

    fn end(self, out: &mut Rope) -> Result<()> {
        let len = len_u32(out.len_bytes() - self.start, "bytes of payload")?;
        out.own[self.place..self.place + 4].copy_from_slice(&len.to_le_bytes());
        Ok(())
    }

    /// Removes the owned bytes again; no shared bytes were added.
    fn undo(self, out: &mut Rope) {
        out.own.truncate(self.place);
    }
}

/// Appends the offsets of all parts, shifting them by the data of earlier parts.
fn append_offsets(column: &ColumnChunks<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(&0u32.to_le_bytes());
    let mut end = 0;
    for spans in column.spans() {
        let start = out.len();
        out.resize(start + 4 * spans.rows, 0);
        let (places, _) = out[start..].as_chunks_mut::<4>();
        match spans.offsets {
            Offsets::Narrow(offsets) => {
                let shift = (end as u32).wrapping_sub(offsets[0] as u32);
                for (place, offset) in places.iter_mut().zip(&offsets[1..]) {
                    *place = (*offset as u32).wrapping_add(shift).to_le_bytes();
                }
            }
            Offsets::Wide(offsets) => {
                let shift = (end as u32).wrapping_sub(offsets[0] as u32);
                for (place, offset) in places.iter_mut().zip(&offsets[1..]) {
                    *place = (*offset as u32).wrapping_add(shift).to_le_bytes();
                }
            }
        }
        end += spans.range().len();
    }
}

/// One byte per bool.
fn append_bools(bools: &BooleanArray, out: &mut Vec<u8>) {
    let chunks = bools.values().bit_chunks();
    let last = chunks.remainder_len();
    for bits in &chunks {
        let mut bytes = [0; 64];
        for (eight, bits) in bytes
            .as_chunks_mut::<8>()
            .0
            .iter_mut()
            .zip(bits.to_le_bytes())
        {
            *eight = bools_of(bits).to_le_bytes();
        }
        out.extend_from_slice(&bytes);
    }
    let rest = chunks.remainder_bits();
    out.extend((0..last).map(|row| (rest >> row & 1) as u8));
}

/// Bit `k` as the lowest bit of byte `k`.
fn bools_of(bits: u8) -> u64 {
    let own_bit = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    ((own_bit + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101
}

fn len_u16(len: usize, what: &str) -> Result<u16> {
    u16::try_from(len).map_err(|_| beyond(len, what, u16::MAX.into()))
}

fn len_u32(len: usize, what: &str) -> Result<u32> {
    u32::try_from(len).map_err(|_| beyond(len, what, u32::MAX))
}

fn beyond(len: usize, what: &str, most: u32) -> Error {
    Error::input(format!("wire 1 allows at most {most} {what}, found {len}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_beyond_their_field_are_refused() {
        assert!(len_u16(0xffff, "columns").is_ok());
        assert!(len_u32(0xffff_ffff, "rows").is_ok());
        let error = len_u32(0x1_0000_0000, "rows").unwrap_err();
        assert_eq!(
            error.to_string(),
            "wire 1 allows at most 4294967295 rows, found 4294967296"
        );
    }

    #[test]
    fn a_byte_of_bools_becomes_eight() {
        for bits in 0..=0xff {
            let bytes = bools_of(bits).to_le_bytes();
            assert!((0..8).all(|k| bytes[k] == bits >> k & 1));
        }
    }
}
