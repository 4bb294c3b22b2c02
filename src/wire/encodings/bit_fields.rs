//! Bit fields: strings of one width, made of digits of 4, 5 or 8 bits, as a few integers.
//!
//! Identifiers consist of a time, a counter, the number of a machine and random bits: UUIDs of version 1, 6 and 7 (RFC 9562),
//! ULIDs, the ObjectIds of MongoDB. A general compressor neither sees that a time of 48 bits grows by little, nor that a
//! byte has only 6 random bits. Cut at the right places, every part is a run of integers that takes as many bits as it
//! needs. Layout: man/mbt-format.5, "bit-fields".

mod cut;
mod digits;

use super::scheme::{Info, Scheme, Shape};
use super::strings::{ByteStrings, ensure_room};
use super::{Node, ValueKind};
use crate::error::{Error, Result};
use crate::wire::choose::{Cascade, StringSearch};
use crate::wire::parse::read_byte;

pub use digits::Digits;

/// Strings of one width. Children: the integers of each field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitFields {
    /// The digits of all fields.
    pub digits: Digits,
    /// The parts of every string, in order.
    pub parts: Vec<Part>,
}

/// A part of every string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// An integer of so many digits, at least one and at most 64 bits, the highest digit first.
    Field(usize),
    /// The same text in every string, 1 to 127 bytes.
    Text(Vec<u8>),
}

impl Part {
    /// Its length in bytes.
    fn len(&self) -> usize {
        match self {
            Self::Field(digits) => *digits,
            Self::Text(text) => text.len(),
        }
    }
}

/// Longer text is not encoded, since its integers of eight bytes would take much of the memory that readers allow.
const MOST_TEXT: usize = 32 << 20;

pub(super) const INFO: Info = Info::of(39, "bit-fields", &[ValueKind::Strings]);

impl Scheme for BitFields {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend([self.digits.code(), self.parts.len() as u8]);
        for part in &self.parts {
            let len = part.len() as u8;
            match part {
                Part::Field(_) => out.push(2 * len),
                Part::Text(text) => {
                    out.push(2 * len + 1);
                    out.extend_from_slice(text);
                }
            }
        }
    }

    fn read(bytes: &[u8], at: &mut usize) -> Result<Self> {
        let digits = Digits::of_code(read_byte(bytes, at)?)?;
        let count = read_byte(bytes, at)?;
        if count == 0 {
            return Err(Error::corrupt("strings without a part"));
        }
        let read_part = |_| {
            let kind = read_byte(bytes, at)?;
            let len = usize::from(kind / 2);
            if len == 0 || kind % 2 == 0 && len > digits.most() {
                return Err(Error::corrupt(format!("a part of {len} digits")));
            }
            Ok(if kind % 2 == 0 {
                Part::Field(len)
            } else {
                let text = (0..len).map(|_| read_byte(bytes, at));
                Part::Text(text.collect::<Result<_>>()?)
            })
        };
        let parts = (0..count).map(read_part).collect::<Result<_>>()?;
        Ok(Self { digits, parts })
    }

    fn parameters(&self) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Field(digits) => digits.to_string(),
            Part::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
        });
        let parts: Vec<_> = parts.collect();
        format!("{}, {}", self.digits.name(), parts.join(" "))
    }

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        Ok(self.fields().map(|_| (ValueKind::Ints, run.len)).collect())
    }

    fn decode_strings(&self, node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
        let width = self.width();
        let of_fields = size_of::<i64>() * self.fields().count();
        let needed = (width + of_fields) as u64 * node.len as u64;
        ensure_room(needed, max_bytes, out)?;
        let start = out.data.len();
        out.data.resize(start + width * node.len, 0);
        let ends = (1..=node.len).map(|row| (start + row * width) as i32);
        out.offsets.extend(ends);
        let mut fields = node.children.iter();
        let mut from = start;
        for part in &self.parts {
            let len = part.len();
            let places = out.data[from..].chunks_mut(width);
            let places = places.map(|place| &mut place[..len]);
            match part {
                Part::Text(text) => places.for_each(|place| place.copy_from_slice(text)),
                Part::Field(_) => {
                    // The number of children is that of the fields.
                    let values = fields.next().map_or(Ok(Vec::new()), Node::ints)?;
                    let mut pairs = values.iter().zip(places);
                    if !pairs.all(|(value, place)| self.digits.print(*value as u64, place)) {
                        let bits = self.digits.bits() * len as u32;
                        return Err(Error::corrupt(format!("a field of more than {bits} bits")));
                    }
                }
            }
            from += len;
        }
        Ok(())
    }

    fn propose_strings(search: &mut StringSearch<'_>) {
        if let Some(fields) = Self::learn(&search.learned, search.values) {
            search.add(move |values, cascade, choice| fields.encode(values, cascade, choice));
        }
    }

    fn apply_strings(&self, choice: &Node, values: &ByteStrings, cascade: Cascade) -> Option<Node> {
        self.encode(values, cascade, Some(choice))
    }
}

impl BitFields {
    /// The length of every string in bytes.
    fn width(&self) -> usize {
        self.parts.iter().map(Part::len).sum()
    }

    /// The fields, with their place in a string and their length.
    fn fields(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut end = 0;
        self.parts.iter().filter_map(move |part| {
            let start = end;
            end += part.len();
            matches!(part, Part::Field(_)).then_some((start, part.len()))
        })
    }

    /// True if the text of all its parts is in a string.
    fn has_text(&self, row: &[u8]) -> bool {
        let mut rest = row;
        self.parts.iter().all(|part| {
            let (here, after) = rest.split_at(part.len());
            rest = after;
            match part {
                Part::Field(_) => true,
                Part::Text(text) => here == text,
            }
        })
    }

    /// Encodes strings, with fields like those of `choice`, another node of this encoding. `None` if a string does not
    /// consist of these parts, or the text is too long.
    pub fn encode(
        &self,
        values: &ByteStrings,
        cascade: Cascade,
        choice: Option<&Node>,
    ) -> Option<Node> {
        let width = self.width();
        let has_width = |pair: &[i32]| (pair[1] - pair[0]) as usize == width;
        if values.data.len() > MOST_TEXT || !values.offsets.windows(2).all(has_width) {
            return None;
        }
        if !values.iter().all(|row| self.has_text(row)) {
            return None;
        }
        let mut children = Vec::with_capacity(self.parts.len());
        for (at, (start, len)) in self.fields().enumerate() {
            let digits = |row: &[u8]| self.digits.parse(&row[start..start + len]);
            let numbers = values.iter().map(|row| digits(row).map(u64::cast_signed));
            let numbers = numbers.collect::<Option<Vec<_>>>()?;
            let like = choice.and_then(|choice| choice.children.get(at));
            children.push(cascade.deeper().ints(&numbers, like));
        }
        Some(Node::of_children(self.clone(), values.len(), children))
    }
}
