//! Template: constant text that alternates with fields, as in `user-%d`; each field becomes a separate run.
//!
//! Numbers inside text are opaque to a general compressor; as integers, all encodings of integers apply to them.
//! Compressors of logs extract variables from lines in the same way (CLP, Rodrigues, Luo, Yuan, OSDI 2021). Layout:
//! man/mbt-format.5, "template".
//!
//! `user-7/a`, `user-12/b`, `user-9/c` become the literals `user-`, `/` and an empty one, a run of integers 7, 12, 9
//! and a run of strings a, b, c.

mod pattern;
mod tokens;

pub use pattern::{RowPattern, patterns};
pub use tokens::Grain;

use super::scheme::{Info, Scheme, Shape};
use super::strings::{ByteStrings, ensure_room};
use super::{Node, ValueKind};
use crate::error::{Error, Result};
use crate::text::form::print_padded;
use crate::varint;
use crate::wire::choose::{Cascade, Preset, StringSearch};
use crate::wire::parse::{read_byte, read_len, read_string, write_string};

/// Row `r` is `literals[0]`, field 0, `literals[1]`, ..., field n - 1, `literals[n]`. Children: one per field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// One more than there are fields.
    pub literals: Vec<Vec<u8>>,
    /// The form of each field.
    pub fields: Vec<TemplateField>,
}

/// A field of a [`Template`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateField {
    /// Integers from 0 in decimal, without leading zeros (`digits` 0) or padded with zeros to `digits` digits.
    Number {
        /// The least number of digits.
        digits: u8,
    },
    /// Any strings.
    Text,
}

/// The fewest bytes worth a template in a part of another encoding; each further level needs four times as many.
const LEAST_IN_PARTS: usize = 8 << 10;

/// The code of a text field in a description, in place of a number of digits.
const TEXT: u8 = 255;

pub(super) const INFO: Info = Info::of(34, "template", &[ValueKind::Strings]);

impl Scheme for Template {
    fn write(&self, out: &mut Vec<u8>) {
        varint::push(self.fields.len() as u64, out);
        for literal in &self.literals {
            write_string(literal, out);
        }
        out.extend(self.fields.iter().map(|field| match field {
            TemplateField::Text => TEXT,
            TemplateField::Number { digits } => *digits,
        }));
    }

    fn read(bytes: &[u8], at: &mut usize) -> Result<Self> {
        let count = read_len(bytes, at)?;
        let literals = (0..=count)
            .map(|_| read_string(bytes, at).map(<[u8]>::to_vec))
            .collect::<Result<_>>()?;
        let fields = (0..count)
            .map(|_| {
                Ok(match read_byte(bytes, at)? {
                    TEXT => TemplateField::Text,
                    digits => TemplateField::Number { digits },
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self { literals, fields })
    }

    fn parameters(&self) -> String {
        let mut text = Vec::new();
        for (at, literal) in self.literals.iter().enumerate() {
            text.extend_from_slice(literal);
            match self.fields.get(at) {
                Some(TemplateField::Text) => text.extend_from_slice(b"%s"),
                Some(TemplateField::Number { digits: 0 }) => text.extend_from_slice(b"%d"),
                Some(TemplateField::Number { digits }) => {
                    text.extend(format!("%0{digits}d").bytes());
                }
                None => {}
            }
        }
        format!("{:?}", String::from_utf8_lossy(&text))
    }

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        let kind = |field: &TemplateField| match field {
            TemplateField::Text => ValueKind::Strings,
            TemplateField::Number { .. } => ValueKind::Ints,
        };
        Ok(self
            .fields
            .iter()
            .map(|field| (kind(field), run.len))
            .collect())
    }

    fn decode_strings(&self, node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
        let [first, literals @ ..] = &self.literals[..] else {
            return Err(Error::corrupt("a template without text"));
        };
        // Decode all fields first and add up the length of the text, so that the limit is checked before any is printed.
        let rows = node.len as u64;
        let mut total = (first.len() as u64).saturating_mul(rows);
        let mut decoded = Vec::with_capacity(self.fields.len());
        for ((field, literal), part) in self.fields.iter().zip(literals).zip(&node.children) {
            total = total.saturating_add((literal.len() as u64).saturating_mul(rows));
            ensure_room(total, max_bytes, out)?;
            decoded.push(match *field {
                TemplateField::Text => {
                    let text = part.strings(max_bytes - total as usize)?;
                    total += text.data.len() as u64;
                    DecodedField::Text(text)
                }
                TemplateField::Number { digits } => {
                    let values = part.ints()?;
                    total += printed_len(&values, digits)?;
                    DecodedField::Numbers { values, digits }
                }
            });
        }
        ensure_room(total, max_bytes, out)?;
        out.data.reserve(total as usize);
        out.offsets.reserve(node.len);
        for row in 0..node.len {
            out.data.extend_from_slice(first);
            for (field, literal) in decoded.iter().zip(literals) {
                match field {
                    DecodedField::Text(text) => out.data.extend_from_slice(text.row(row)),
                    DecodedField::Numbers { values, digits } => {
                        print_padded(values[row], *digits, &mut out.data);
                    }
                }
                out.data.extend_from_slice(literal);
            }
            out.end_row();
        }
        Ok(())
    }

    fn propose_strings(search: &mut StringSearch<'_>) {
        let cascade = search.cascade;
        if !cascade.has_bytes(search.values, least_bytes(cascade)) {
            return;
        }
        let mut found: Vec<RowPattern> = Vec::new();
        for pattern in patterns(&search.learned, search.cascade) {
            if !found.contains(&pattern) {
                found.push(pattern);
            }
        }
        for pattern in found {
            search.add(move |values, cascade, choice| pattern.encode(values, cascade, choice));
        }
    }

    fn apply_strings(&self, choice: &Node, values: &ByteStrings, cascade: Cascade) -> Option<Node> {
        apply(choice, choice, values, cascade)
    }
}

/// The fewest bytes of strings that are worth a template. Parts of another encoding, such as the fields of a template,
/// have little left in common unless they are long, and trying all patterns of all fields takes time.
fn least_bytes(cascade: Cascade) -> usize {
    match (cascade.preset, cascade.depth) {
        (Preset::Small, _) | (_, 0) => 0,
        (_, depth) => LEAST_IN_PARTS << (2 * (depth - 1)),
    }
}

/// Encodes rows by the pattern of a template, and its fields as in `choice`, which is the template or contains it. `None`
/// if too many rows do not fit, or if these rows may have more in common.
pub fn apply(
    template: &Node,
    choice: &Node,
    values: &ByteStrings,
    cascade: Cascade,
) -> Option<Node> {
    let pattern = template.hints.pattern.as_deref()?;
    if pattern.is_affix() {
        let rows = StringSearch::rows_to_learn(values);
        patterns(&rows, cascade).find(|learned| learned == pattern)?;
    }
    pattern.encode(values, cascade, Some(choice))
}

/// The decoded values of a field.
enum DecodedField {
    Numbers { values: Vec<i64>, digits: u8 },
    Text(ByteStrings),
}

/// The total length of all numbers, padded to `digits` digits; none may be negative.
fn printed_len(values: &[i64], digits: u8) -> Result<u64> {
    let mut total = 0;
    for &value in values {
        let Ok(value) = u64::try_from(value) else {
            return Err(Error::corrupt(format!(
                "{value} in text that should be only digits"
            )));
        };
        let len = value.checked_ilog10().map_or(1, |log| log as usize + 1);
        total += len.max(digits.into()) as u64;
    }
    Ok(total)
}
