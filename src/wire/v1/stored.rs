//! The columns of a walked envelope, and the checks of their payloads.

use std::fmt::Display;

use super::dict::Dictionary;
use super::{ColumnLayout, PayloadEncoding, slot_len, validity};
use crate::error::{Error, Result};
use crate::schema::Type;

/// A column of an envelope.
#[derive(Clone, Copy)]
pub(super) struct StoredColumn<'a> {
    /// The envelope.
    pub bytes: &'a [u8],
    pub layout: &'a ColumnLayout,
    pub rows: usize,
}

/// A payload and its offset in the envelope.
#[derive(Clone, Copy)]
pub(super) struct RawPayload<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

/// The checked payloads of a column. What they contain may still be invalid: deltas, indices, the first offset of spans.
pub(super) enum Payload<'a> {
    /// The slots of all rows.
    Slots {
        slots: &'a [u8],
        slot_len: usize,
        /// True if they are in big-endian order.
        is_swapped: bool,
    },
    /// A base and varints, which are not checked.
    Deltas(RawPayload<'a>),
    /// Offsets, one more than there are rows, and the data that they refer to.
    Spans {
        offsets: &'a [[u8; 4]],
        data: &'a [u8],
    },
    /// Indices and a dictionary; `None` if there are no rows.
    Dict(Option<Dictionary<'a>>),
}

impl RawPayload<'_> {
    /// An error at byte `at` of the payload.
    pub fn corrupt(&self, at: usize, what: impl Display) -> Error {
        Error::corrupt(what).at_byte((self.at + at) as u64)
    }
}

impl<'a> StoredColumn<'a> {
    /// The name as stored.
    pub fn name(self) -> &'a str {
        self.layout.name(self.bytes)
    }

    /// The validity bitmap.
    pub fn validity(self) -> &'a [u8] {
        &self.bytes[self.layout.validity.clone()]
    }

    pub fn is_null(self, row: usize) -> bool {
        !validity::is_valid(self.validity(), row)
    }

    /// Both payloads as they are.
    pub fn raw_payloads(self) -> [RawPayload<'a>; 2] {
        [&self.layout.payload_1, &self.layout.payload_2].map(|range| RawPayload {
            bytes: &self.bytes[range.clone()],
            at: range.start,
        })
    }

    /// The payloads, after the checks that need only their lengths and their offsets.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] for the first check that fails, in the order of the format's description.
    pub fn payload(self) -> Result<Payload<'a>> {
        let Self { layout, rows, .. } = self;
        let ty = layout.ty;
        let has_deltas = matches!(ty, Type::I64 | Type::Timestamp);
        let [first, _] = self.raw_payloads();
        match (layout.encoding(), slot_len(ty)) {
            (Some(encoding @ (PayloadEncoding::Plain | PayloadEncoding::PgBe)), Some(slot_len)) => {
                self.require_no_second()?;
                let (len, found) = (rows * slot_len, first.bytes.len());
                if found != len {
                    let text =
                        format!("expected {len} bytes for {rows} rows of {ty}, found {found}");
                    return Err(first.corrupt(0, text));
                }
                Ok(Payload::Slots {
                    slots: first.bytes,
                    slot_len,
                    is_swapped: encoding == PayloadEncoding::PgBe,
                })
            }
            (Some(PayloadEncoding::Delta), _) if has_deltas => {
                self.require_no_second()?;
                Ok(Payload::Deltas(first))
            }
            (Some(PayloadEncoding::Plain), None) => self.checked_spans(),
            (Some(PayloadEncoding::Dict), None) if ty != Type::Bytes => {
                let parsed = (rows > 0).then(|| Dictionary::parse(self));
                Ok(Payload::Dict(parsed.transpose()?))
            }
            _ => {
                let (id, name) = (layout.encoding_id, layout.encoding_name());
                let text = format!("expected an encoding for {ty} columns, found {id} ({name})");
                Err(Error::corrupt(text).at_byte(layout.range().start as u64 + 2))
            }
        }
    }

    fn require_no_second(self) -> Result<()> {
        let [_, second] = self.raw_payloads();
        if second.bytes.is_empty() {
            return Ok(());
        }
        let (ty, found) = (self.layout.ty, second.bytes.len());
        let text = format!("expected an empty second payload for {ty}, found {found} bytes");
        Err(second.corrupt(0, text))
    }

    fn checked_spans(self) -> Result<Payload<'a>> {
        let rows = self.rows;
        let [first, second] = self.raw_payloads();
        let (len, found) = (4 * (rows + 1), first.bytes.len());
        if found != len {
            let text = format!("expected {len} bytes of offsets for {rows} rows, found {found}");
            return Err(first.corrupt(0, text));
        }
        let (offsets, _) = first.bytes.as_chunks::<4>();
        if let Some((row, from, to)) = first_fall(offsets) {
            let text =
                format!("row {row}: expected offsets not to decrease, found {from} then {to}");
            return Err(first.corrupt(4 * (row + 1), text));
        }
        let last = u32::from_le_bytes(offsets[rows]) as usize;
        if last != second.bytes.len() {
            let expected = second.bytes.len();
            let text = format!("expected the last offset to be {expected}, found {last}");
            return Err(first.corrupt(4 * rows, text));
        }
        Ok(Payload::Spans {
            offsets,
            data: second.bytes,
        })
    }
}

/// The first offset that is greater than the next one: its position, and both.
pub(super) fn first_fall(offsets: &[[u8; 4]]) -> Option<(usize, u32, u32)> {
    let pair = |[from, to]: &[[u8; 4]; 2]| (u32::from_le_bytes(*from), u32::from_le_bytes(*to));
    let mut pairs = offsets.array_windows().map(pair);
    // Checking all of them is faster than stopping at the first.
    let falls = pairs.clone().map(|(from, to)| u8::from(from > to));
    if falls.fold(0, |any, falls| any | falls) == 0 {
        return None;
    }
    let at = pairs.position(|(from, to)| from > to)?;
    let (from, to) = pair(offsets[at..].first_chunk()?);
    Some((at, from, to))
}
