//! Encodings of wire 2: ways to store a run of values, which may be composed of other runs.
//!
//! The values of any column are of one of three kinds ([`ValueKind`]); nulls and nesting are handled before. A [`Node`]
//! is one encoded run: the encoding with its parameters, the runs it is composed of, and at most one buffer of bytes.
//! The descriptions of nodes are in an envelope's header; the buffers are in its sections.
//!
//! Each encoding is one file with the constant `INFO` (number, name, kinds of values) and a type for its parameters,
//! which implements `scheme::Scheme`: writing and reading parameters, the children, encoding and decoding, and proposing
//! candidates to the chooser. To add an encoding, write such a file and add its `mod` line and its line in the registry
//! below.

pub mod bit_fields;
pub mod bit_packed;
pub mod bits;
pub mod byte_planes;
pub mod bytes;
pub mod constant;
pub mod decimal;
pub mod delta;
pub mod dictionary;
pub mod float_planes;
pub mod fsst;
pub mod hex;
pub mod interleaved;
pub mod multiple;
pub mod near_decimal;
mod node;
pub mod numerals;
pub mod patched;
pub mod pco;
pub mod plain;
pub mod ppmd;
pub mod run_length;
pub(crate) mod scheme;
pub mod scientific;
pub mod sequence;
pub mod sparse;
pub mod strings;
pub mod template;

use std::fmt;

use arrow_buffer::Buffer;

use crate::error::{Error, Result};
use crate::wire::choose::{NumberSearch, RunStats, StringSearch};
use crate::wire::parse::read_byte;

pub use node::{BufferSpan, Node};
pub use scheme::BufferClass;
pub use strings::ByteStrings;

use scheme::{Info, Scheme, Shape, registry};

// The chooser tries encodings in this order; of two equally good ones it takes the first. Every encoding is worth
// having. Where that is not obvious, this is what leaving it out costs over 49 files of real data, which take 34.1 MB
// with the preset balanced and 26.0 MB with small: near-decimal 679 and 74 kB, interleaved 317 and 52 kB, patched 100
// and 42 kB, hex 10 and 51 kB. Plain and float-planes occur only in drafts of the format, which had them instead of
// bits; they are read but never written.
registry! {
    Constant in constant,
    Sequence in sequence,
    BitPacked in bit_packed,
    BytePlanes in byte_planes,
    Decimal in decimal,
    NearDecimal in near_decimal,
    Scientific in scientific,
    Pco in pco,
    Delta in delta,
    RunLength in run_length,
    Sparse in sparse,
    Dictionary in dictionary,
    Interleaved in interleaved,
    Multiple in multiple,
    Plain in plain,
    FloatPlanes in float_planes,
    Bits in bits,
    Bytes in bytes,
    Fsst in fsst,
    Ppmd in ppmd,
    Hex in hex,
    Template in template,
    Numerals in numerals,
    BitFields in bit_fields,
    Patched in patched,
}

/// The kinds of values, after nulls and nesting are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// i64, or the bits of u64; all arithmetic wraps.
    Ints,
    /// f64, as the bits in an i64.
    Floats,
    /// Byte strings.
    Strings,
}

impl ValueKind {
    const ALL: &'static [Self] = &[Self::Ints, Self::Floats, Self::Strings];
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ints => "integers",
            Self::Floats => "floats",
            Self::Strings => "strings",
        })
    }
}

impl Encoding {
    /// Reads the number and parameters of an encoding for values of a kind, and moves `*at` past them.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the bytes end early or the encoding is for other values,
    /// [`crate::error::Kind::Unsupported`] if it is unknown.
    pub fn read(bytes: &[u8], at: &mut usize, kind: ValueKind) -> Result<Self> {
        Self::read_of(bytes, at, Some(kind))
    }

    /// Like [`Self::read`], for any kind.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn read_any(bytes: &[u8], at: &mut usize) -> Result<Self> {
        Self::read_of(bytes, at, None)
    }

    /// The name, as in man/mbt-format.5 and in reports.
    pub fn name(&self) -> &'static str {
        self.info().name
    }

    /// Appends the number and the parameters.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(self.info().number);
        self.scheme().write(out);
    }

    /// Name and parameters: `bit-packed, base 3, width 8`.
    pub fn describe(&self) -> String {
        let (name, parameters) = (self.name(), self.scheme().parameters());
        if parameters.is_empty() {
            name.to_owned()
        } else {
            format!("{name}, {parameters}")
        }
    }
}

/// The error for an unknown number, or the number of an encoding for other values.
fn unknown(number: u8, kind: Option<ValueKind>) -> Error {
    match kind {
        Some(kind) if NUMBERS.contains(&number) => {
            Error::corrupt(format!("encoding {number} is not for {kind}"))
        }
        _ => Error::unsupported(format_args!("encoding {number}")),
    }
}

/// Checks that a buffer has the length required by its run.
fn check_len(buffer: &Buffer, bytes: u128) -> Result<()> {
    if buffer.len() as u128 == bytes {
        return Ok(());
    }
    Err(Error::corrupt(format!(
        "a run of values takes {} bytes instead of {bytes}",
        buffer.len()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_encodings_have_the_same_number() {
        let mut numbers = NUMBERS.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), NUMBERS.len());
    }
}
