//! Bit fields: strings of one width, made of digits of 4, 5 or 8 bits, as a few integers.
//!
//! Identifiers consist of a time, a counter, the number of a machine and random bits: UUIDs of version 1, 6 and 7 (RFC
//! 9562), ULIDs, the object ids of Mongo. A general compressor sees neither that a time of 48 bits grows by little, nor
//! that a byte has only 6 random bits. Cut at the right places, every part is a run of integers that takes as many bits as
//! it needs. Layout: man/mbt-format.5, "bit-fields".

mod cut;
mod digits;

use super::scheme::{Info, Scheme, Shape};
use super::strings::{ByteStrings, ensure_room};
use super::{Encoding, Node, ValueKind, patched};
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
    /// An integer of this many digits, at least one and at most 64 bits, the highest digit first.
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
        let mut at = 0;
        for part in &self.parts {
            let len = part.len();
            let rows = out.data[start..].chunks_mut(width);
            let places = rows.map(|row| &mut row[at..at + len]);
            match part {
                Part::Text(text) => places.for_each(|place| place.copy_from_slice(text)),
                Part::Field(_) => {
                    // There is a child for each field.
                    let values = fields.next().map_or(Ok(Vec::new()), Node::ints)?;
                    let mut pairs = values.iter().zip(places);
                    if !pairs.all(|(value, place)| self.digits.print(*value as u64, place)) {
                        let bits = self.digits.bits() * len as u32;
                        return Err(Error::corrupt(format!("a field of more than {bits} bits")));
                    }
                }
            }
            at += len;
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

    fn fields(&self) -> impl Iterator<Item = &Part> {
        let is_field = |part: &&Part| matches!(part, Part::Field(_));
        self.parts.iter().filter(is_field)
    }

    /// Takes a string of the right length apart into the integers of its fields; false if it has other text or digits.
    fn split(&self, row: &[u8], numbers: &mut Vec<i64>) -> bool {
        numbers.clear();
        let mut rest = row;
        self.parts.iter().all(|part| {
            let (here, after) = rest.split_at(part.len());
            rest = after;
            match part {
                Part::Text(text) => here == text,
                Part::Field(_) => {
                    let number = self.digits.parse(here);
                    numbers.extend(number.map(u64::cast_signed));
                    number.is_some()
                }
            }
        })
    }

    /// Encodes strings, and their fields as in `choice`, another node of this encoding. Almost all strings must consist
    /// of these parts; others become exceptions ([`patched`]). `None` if there are too many of them, or if the text is too
    /// long.
    pub fn encode(
        &self,
        values: &ByteStrings,
        cascade: Cascade,
        choice: Option<&Node>,
    ) -> Option<Node> {
        if values.data.len() > MOST_TEXT {
            return None;
        }
        let most_exceptions = values.len() / patched::ROWS_PER_EXCEPTION;
        let width = self.width();
        let fields = self.fields().count();
        let mut runs = vec![Vec::with_capacity(values.len()); fields];
        let mut exceptions = Vec::new();
        let mut numbers = Vec::with_capacity(fields);
        for (row, text) in values.iter().enumerate() {
            if text.len() == width && self.split(text, &mut numbers) {
                for (run, number) in runs.iter_mut().zip(&numbers) {
                    run.push(*number);
                }
            } else if exceptions.len() < most_exceptions {
                exceptions.push(row as i64);
            } else {
                return None;
            }
        }
        let node = |cascade: Cascade| {
            // Exceptions have the same fields as the other strings.
            let like = choice.and_then(|choice| match choice.encoding {
                Encoding::Patched(_) => choice.children.last(),
                _ => Some(choice),
            });
            let field = |(at, run): (usize, &Vec<i64>)| {
                let like = like.and_then(|like| like.children.get(at));
                cascade.deeper().ints(run, like)
            };
            let children = runs.iter().enumerate().map(field).collect();
            let rows = values.len() - exceptions.len();
            Node::of_children(self.clone(), rows, children)
        };
        Some(if exceptions.is_empty() {
            node(cascade)
        } else {
            patched::encode(node(cascade.deeper()), values, &exceptions, cascade, choice)
        })
    }
}

#[cfg(test)]
mod tests;
