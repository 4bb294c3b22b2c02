//! Descriptions of encoded runs, as they stand in an envelope's header.

use arrow_buffer::Buffer;

use super::{Encoding, Field};
use crate::error::{Error, Result};
use crate::varint;

/// What values are, once nulls and nesting are taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// i64, or the bits of u64.
    Ints,
    /// f64.
    Floats,
    /// Byte strings.
    Strings,
}

/// An encoded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// How it is written.
    pub encoding: Encoding,
    /// Number of values.
    pub len: usize,
    /// The runs it is made of.
    pub children: Vec<Node>,
    /// Its bytes; empty for encodings without.
    pub buffer: Buffer,
}

/// Trees are no deeper than this, which bounds recursion on what a file says.
const MAX_DEPTH: usize = 8;

impl Encoding {
    /// Appends the encoding's number and parameters.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(id(self));
        match self {
            Encoding::Constant { value } | Encoding::Sparse { value } => push_signed(*value, out),
            Encoding::Delta { first } => push_signed(*first, out),
            Encoding::Sequence { base, step } => {
                push_signed(*base, out);
                push_signed(*step, out);
            }
            Encoding::BitPacked { base, width: size }
            | Encoding::BytePlanes { base, bytes: size } => {
                push_signed(*base, out);
                out.push(*size);
            }
            Encoding::Interleaved { ways } => out.push(*ways),
            Encoding::Decimal { exponent } | Encoding::NearDecimal { exponent } => {
                out.push(*exponent);
            }
            Encoding::Fsst { table_len } => varint::push(u64::from(*table_len), out),
            Encoding::Hex { upper } => out.push(u8::from(*upper)),
            Encoding::Ppmd {
                order,
                memory,
                end,
                plain_len,
            } => {
                out.extend([*order, *memory, *end]);
                varint::push(*plain_len, out);
            }
            Encoding::Template { literals, fields } => {
                varint::push(fields.len() as u64, out);
                for literal in literals {
                    varint::push(literal.len() as u64, out);
                    out.extend_from_slice(literal);
                }
                out.extend(fields.iter().map(|field| match field {
                    Field::Text => 255,
                    Field::Number { digits } => *digits,
                }));
            }
            Encoding::RunLength
            | Encoding::Dictionary
            | Encoding::Patched
            | Encoding::Pco
            | Encoding::Plain64
            | Encoding::FloatPlanes
            | Encoding::Bits
            | Encoding::Bytes => {}
        }
    }
}

impl Node {
    /// A node without children and bytes.
    pub fn leaf(encoding: Encoding, len: usize) -> Self {
        Self {
            encoding,
            len,
            children: Vec::new(),
            buffer: Buffer::default(),
        }
    }

    /// A node that is only bytes.
    pub fn of_bytes(encoding: Encoding, len: usize, bytes: Vec<u8>) -> Self {
        Self {
            buffer: super::buffer(bytes),
            ..Self::leaf(encoding, len)
        }
    }

    /// A node made of other nodes.
    pub fn of_children(encoding: Encoding, len: usize, children: Vec<Node>) -> Self {
        Self {
            children,
            ..Self::leaf(encoding, len)
        }
    }

    /// The runs it is made of.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if there are more or fewer.
    pub fn parts<const N: usize>(&self) -> Result<&[Node; N]> {
        self.children.as_array().ok_or_else(|| {
            let (name, count) = (self.encoding.name(), self.children.len());
            Error::corrupt(format!("{name} has {count} parts instead of {N}"))
        })
    }

    /// Buffers of the run and all its parts, in the order in which they are described.
    pub fn buffers(&self) -> usize {
        let below: usize = self.children.iter().map(Self::buffers).sum();
        usize::from(has_buffer(&self.encoding)) + below
    }

    /// True if the number of values of a part stands in its description.
    pub fn is_counted(&self) -> bool {
        self.counted_child().is_some()
    }

    /// True if it has a buffer of its own, which may be empty.
    pub fn has_buffer(&self) -> bool {
        has_buffer(&self.encoding)
    }

    /// Appends the description: the encoding's number and parameters, then the children. `place`
    /// is called for each node with a buffer, in order, and appends where the buffer is.
    pub fn write(&self, out: &mut Vec<u8>, place: &mut impl FnMut(&Self, &mut Vec<u8>)) {
        self.encoding.write(out);
        if let Some(at) = self.counted_child() {
            varint::push(self.children[at].len as u64, out);
        }
        if has_buffer(&self.encoding) {
            place(self, out);
        }
        for child in &self.children {
            child.write(out, place);
        }
    }

    /// The child whose length is not known from the node's own; others of that length follow it.
    fn counted_child(&self) -> Option<usize> {
        match self.encoding {
            Encoding::RunLength
            | Encoding::Dictionary
            | Encoding::Sparse { .. }
            | Encoding::Patched => Some(0),
            Encoding::Decimal { .. } => Some(1),
            _ => None,
        }
    }

    /// Reads the description of a run of `len` values of a kind at `*at` and moves `*at` past it;
    /// `place` reads where a buffer is and gives its bytes.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the bytes end early or say what cannot be.
    pub fn read(
        bytes: &[u8],
        at: &mut usize,
        kind: Kind,
        len: usize,
        place: &mut impl FnMut(&[u8], &mut usize) -> Result<Buffer>,
    ) -> Result<Self> {
        Self::read_at_depth(bytes, at, (kind, len), place, 0)
    }

    fn read_at_depth(
        bytes: &[u8],
        at: &mut usize,
        (kind, len): (Kind, usize),
        place: &mut impl FnMut(&[u8], &mut usize) -> Result<Buffer>,
        depth: usize,
    ) -> Result<Self> {
        let start = *at;
        let fail = |what: &str| Error::corrupt(what).at_byte(start as u64);
        if depth == MAX_DEPTH {
            return Err(fail("encodings are nested too deep"));
        }
        let encoding = read_encoding(bytes, at, kind)?;
        let counted = matches!(
            encoding,
            Encoding::RunLength
                | Encoding::Dictionary
                | Encoding::Sparse { .. }
                | Encoding::Patched
                | Encoding::Decimal { .. }
        );
        let count = if counted { read_len(bytes, at)? } else { 0 };
        // No run has more parts than values, so what a file says never makes us allocate more.
        if count > len {
            return Err(fail("a part of a column has more values than the column"));
        }
        let buffer = if has_buffer(&encoding) {
            place(bytes, at)?
        } else {
            Buffer::default()
        };
        let parts: Vec<(Kind, usize)> = match &encoding {
            Encoding::Delta { .. } => vec![(
                Kind::Ints,
                len.checked_sub(1)
                    .ok_or_else(|| fail("delta without values"))?,
            )],
            Encoding::RunLength => vec![(kind, count), (Kind::Ints, count)],
            Encoding::Dictionary => vec![(kind, count), (Kind::Ints, len)],
            Encoding::Sparse { .. } => vec![(Kind::Ints, count), (Kind::Ints, count)],
            Encoding::Interleaved { ways } => {
                let ways = usize::from(*ways);
                if !(2..=16).contains(&ways) || !len.is_multiple_of(ways) {
                    return Err(fail(
                        "the parts of an interleaved column do not divide its rows",
                    ));
                }
                vec![(kind, len / ways); ways]
            }
            Encoding::Decimal { .. } => {
                vec![
                    (Kind::Ints, len),
                    (Kind::Ints, count),
                    (Kind::Floats, count),
                ]
            }
            Encoding::NearDecimal { .. } => vec![(Kind::Ints, len); 2],
            Encoding::Bits | Encoding::Bytes | Encoding::Fsst { .. } => vec![(Kind::Ints, len)],
            Encoding::Hex { .. } => vec![(Kind::Strings, len)],
            Encoding::Patched => vec![
                (Kind::Ints, count),
                (Kind::Strings, count),
                (Kind::Strings, len - count),
            ],
            Encoding::Template { fields, .. } => fields
                .iter()
                .map(|field| match field {
                    Field::Text => (Kind::Strings, len),
                    Field::Number { .. } => (Kind::Ints, len),
                })
                .collect(),
            Encoding::Constant { .. }
            | Encoding::Sequence { .. }
            | Encoding::BitPacked { .. }
            | Encoding::BytePlanes { .. }
            | Encoding::Pco
            | Encoding::Plain64
            | Encoding::FloatPlanes
            | Encoding::Ppmd { .. } => Vec::new(),
        };
        let children = parts
            .into_iter()
            .map(|part| Self::read_at_depth(bytes, at, part, place, depth + 1))
            .collect::<Result<_>>()?;
        Ok(Self {
            encoding,
            len,
            children,
            buffer,
        })
    }
}

/// The encoding's number in a file.
fn id(encoding: &Encoding) -> u8 {
    match encoding {
        Encoding::Constant { .. } => 1,
        Encoding::Sequence { .. } => 2,
        Encoding::BitPacked { .. } => 3,
        Encoding::BytePlanes { .. } => 4,
        Encoding::Delta { .. } => 5,
        Encoding::RunLength => 6,
        Encoding::Dictionary => 7,
        Encoding::Sparse { .. } => 8,
        Encoding::Pco => 9,
        Encoding::Interleaved { .. } => 10,
        Encoding::Plain64 => 16,
        Encoding::FloatPlanes => 17,
        Encoding::Decimal { .. } => 18,
        Encoding::Bits => 19,
        Encoding::NearDecimal { .. } => 20,
        Encoding::Bytes => 32,
        Encoding::Fsst { .. } => 33,
        Encoding::Template { .. } => 34,
        Encoding::Hex { .. } => 35,
        Encoding::Patched => 36,
        Encoding::Ppmd { .. } => 37,
    }
}

fn has_buffer(encoding: &Encoding) -> bool {
    matches!(
        encoding,
        Encoding::BitPacked { .. }
            | Encoding::BytePlanes { .. }
            | Encoding::Pco
            | Encoding::Plain64
            | Encoding::FloatPlanes
            | Encoding::Bytes
            | Encoding::Fsst { .. }
            | Encoding::Ppmd { .. }
    )
}

/// Reads an encoding of whatever kind: those of the same number in several kinds have the same
/// parameters.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the bytes end early or there is none.
pub fn read_any_encoding(bytes: &[u8], at: &mut usize) -> Result<Encoding> {
    let start = *at;
    let mut of_kind = |kind| {
        *at = start;
        read_encoding(bytes, at, kind)
    };
    of_kind(Kind::Ints)
        .or_else(|_| of_kind(Kind::Floats))
        .or_else(|_| of_kind(Kind::Strings))
}

fn read_encoding(bytes: &[u8], at: &mut usize, kind: Kind) -> Result<Encoding> {
    let start = *at;
    let number = read_byte(bytes, at)?;
    let encoding = match (number, kind) {
        (1, Kind::Ints) => Encoding::Constant {
            value: read_signed(bytes, at)?,
        },
        (2, Kind::Ints) => Encoding::Sequence {
            base: read_signed(bytes, at)?,
            step: read_signed(bytes, at)?,
        },
        (3, Kind::Ints) => Encoding::BitPacked {
            base: read_signed(bytes, at)?,
            width: read_byte(bytes, at)?,
        },
        (4, Kind::Ints) => Encoding::BytePlanes {
            base: read_signed(bytes, at)?,
            bytes: read_byte(bytes, at)?,
        },
        (5, Kind::Ints) => Encoding::Delta {
            first: read_signed(bytes, at)?,
        },
        (6, _) => Encoding::RunLength,
        (7, _) => Encoding::Dictionary,
        (8, Kind::Ints) => Encoding::Sparse {
            value: read_signed(bytes, at)?,
        },
        (9, Kind::Ints | Kind::Floats) => Encoding::Pco,
        (10, Kind::Ints | Kind::Floats) => Encoding::Interleaved {
            ways: read_byte(bytes, at)?,
        },
        (16, Kind::Floats) => Encoding::Plain64,
        (17, Kind::Floats) => Encoding::FloatPlanes,
        (18, Kind::Floats) => Encoding::Decimal {
            exponent: read_byte(bytes, at)?,
        },
        (19, Kind::Floats) => Encoding::Bits,
        (20, Kind::Floats) => Encoding::NearDecimal {
            exponent: read_byte(bytes, at)?,
        },
        (32, Kind::Strings) => Encoding::Bytes,
        (33, Kind::Strings) => Encoding::Fsst {
            table_len: u32::try_from(read_len(bytes, at)?)
                .map_err(|_| Error::corrupt("a symbol table is too long"))?,
        },
        (34, Kind::Strings) => {
            let count = read_len(bytes, at)?;
            let literals = (0..=count)
                .map(|_| read_string(bytes, at).map(<[u8]>::to_vec))
                .collect::<Result<_>>()?;
            let fields = (0..count)
                .map(|_| {
                    Ok(match read_byte(bytes, at)? {
                        255 => Field::Text,
                        digits => Field::Number { digits },
                    })
                })
                .collect::<Result<_>>()?;
            Encoding::Template { literals, fields }
        }
        (35, Kind::Strings) => Encoding::Hex {
            upper: read_byte(bytes, at)? != 0,
        },
        (36, Kind::Strings) => Encoding::Patched,
        (37, Kind::Strings) => Encoding::Ppmd {
            order: read_byte(bytes, at)?,
            memory: read_byte(bytes, at)?,
            end: read_byte(bytes, at)?,
            plain_len: read_unsigned(bytes, at)?,
        },
        _ => {
            let what = format!("unknown encoding {number} for {kind:?}").to_lowercase();
            return Err(Error::corrupt(what).at_byte(start as u64));
        }
    };
    Ok(encoding)
}

/// Appends a signed number: zigzag, then a varint.
pub fn push_signed(value: i64, out: &mut Vec<u8>) {
    varint::push(varint::zigzag(value), out);
}

/// Reads what [`push_signed`] wrote.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the bytes end early.
pub fn read_signed(bytes: &[u8], at: &mut usize) -> Result<i64> {
    read_unsigned(bytes, at).map(varint::unzigzag)
}

/// Reads a varint.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if it is no varint.
pub fn read_unsigned(bytes: &[u8], at: &mut usize) -> Result<u64> {
    let start = *at as u64;
    varint::read(bytes, at)
        .map_err(|_| Error::corrupt("a number in the header is cut short").at_byte(start))
}

/// Reads a varint that counts something in memory.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if it is no varint.
pub fn read_len(bytes: &[u8], at: &mut usize) -> Result<usize> {
    let start = *at as u64;
    let len = read_unsigned(bytes, at)?;
    // Far beyond every limit, and sums of a few of them do not overflow.
    usize::try_from(len)
        .ok()
        .filter(|&len| len <= 1 << 48)
        .ok_or_else(|| Error::corrupt(format!("invalid length {len}")).at_byte(start))
}

/// Reads one byte.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if there is none.
pub fn read_byte(bytes: &[u8], at: &mut usize) -> Result<u8> {
    let byte = *bytes
        .get(*at)
        .ok_or_else(|| Error::corrupt("the header is cut short").at_byte(*at as u64))?;
    *at += 1;
    Ok(byte)
}

/// Reads a length and so many bytes.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if there are fewer.
pub fn read_string<'a>(bytes: &'a [u8], at: &mut usize) -> Result<&'a [u8]> {
    let start = *at as u64;
    let len = read_len(bytes, at)?;
    let string = bytes
        .get(*at..*at + len)
        .ok_or_else(|| Error::corrupt("a name in the header is cut short").at_byte(start))?;
    *at += len;
    Ok(string)
}
