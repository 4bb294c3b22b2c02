//! Encoded runs, and their descriptions in an envelope's header.

use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

use arrow_buffer::Buffer;
use foldhash::fast::FixedState;

use super::template::RowPattern;
use super::{ByteStrings, Encoding, Shape, ValueKind};
use crate::error::{Error, Result};
use crate::varint;
use crate::wire::codec::SectionCodec;
use crate::wire::parse::read_len;

/// An encoded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The encoding.
    pub encoding: Encoding,
    /// Number of values.
    pub len: usize,
    /// The runs it is composed of.
    pub children: Vec<Node>,
    /// Its bytes; empty for encodings without a buffer, and until they are loaded.
    pub buffer: Buffer,
    /// Where its bytes are in the frame that it was read from; `None` if it has no bytes.
    pub span: Option<BufferSpan>,
    /// What is known about encoding and compressing it.
    pub hints: Hints,
}

/// The position of a buffer in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferSpan {
    /// The section, from 0.
    pub section: usize,
    /// Offset in the section's plain bytes.
    pub offset: usize,
    /// Size in plain bytes, at least one.
    pub len: usize,
}

/// What the chooser found out about a run, so that nothing is compressed or learned twice. This is not part of the
/// run, so all hints are equal.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The size of the buffer in trials.
    pub trial_len: OnceLock<usize>,
    /// The codec that suits it best.
    pub codec: Option<SectionCodec>,
    /// The pattern by which a template splits rows.
    pub pattern: Option<Arc<RowPattern>>,
}

impl PartialEq for Hints {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Hints {}

/// The greatest depth of a tree, which bounds recursion for damaged files.
const MAX_DEPTH: usize = 8;

impl Node {
    /// A node with neither children nor bytes.
    pub fn leaf(encoding: impl Into<Encoding>, len: usize) -> Self {
        Self {
            encoding: encoding.into(),
            len,
            children: Vec::new(),
            buffer: Buffer::default(),
            span: None,
            hints: Hints::default(),
        }
    }

    /// A node with a buffer and no children.
    pub fn of_bytes(encoding: impl Into<Encoding>, len: usize, bytes: Vec<u8>) -> Self {
        Self {
            buffer: Buffer::from_vec(bytes),
            ..Self::leaf(encoding, len)
        }
    }

    /// A node with children and no buffer.
    pub fn of_children(encoding: impl Into<Encoding>, len: usize, children: Vec<Node>) -> Self {
        Self {
            children,
            ..Self::leaf(encoding, len)
        }
    }

    /// The encoding's name and its children's, such as `dictionary(bytes, bit-packed)`; omits children without values.
    pub fn name(&self) -> String {
        let name = self.encoding.name();
        let parts: Vec<String> = self
            .children
            .iter()
            .filter(|child| child.len > 0)
            .map(Self::name)
            .collect();
        if parts.is_empty() {
            name.to_owned()
        } else {
            format!("{name}({})", parts.join(", "))
        }
    }

    /// The runs it is composed of.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if their number is not `N`.
    pub fn parts<const N: usize>(&self) -> Result<&[Node; N]> {
        self.children.as_array().ok_or_else(|| {
            let (name, count) = (self.encoding.name(), self.children.len());
            Error::corrupt(format!("{name} has {count} parts instead of {N}"))
        })
    }

    /// Appends the values of a run of numbers, `len` of them; floats as their bits.
    ///
    /// The caller must bound `len`, since memory for that many values is allocated.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the run is inconsistent; the values appended until then are invalid.
    pub fn decode_numbers(&self, kind: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        self.check_parts(kind)?;
        self.encoding.scheme().decode_numbers(self, kind, out)
    }

    /// The values of a run of numbers.
    ///
    /// # Errors
    /// As for [`Self::decode_numbers`].
    pub fn numbers(&self, kind: ValueKind) -> Result<Vec<i64>> {
        let mut values = Vec::new();
        self.decode_numbers(kind, &mut values)?;
        Ok(values)
    }

    /// The values of a run of integers.
    ///
    /// # Errors
    /// As for [`Self::decode_numbers`].
    pub fn ints(&self) -> Result<Vec<i64>> {
        self.numbers(ValueKind::Ints)
    }

    /// Appends the values of a run of strings.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the run is inconsistent, [`crate::error::Kind::Limit`] if the strings have
    /// more than `max_bytes` bytes; `out` then contains some of them.
    pub fn decode_strings(&self, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
        self.check_parts(ValueKind::Strings)?;
        self.encoding.scheme().decode_strings(self, max_bytes, out)
    }

    /// The values of a run of strings.
    ///
    /// # Errors
    /// As for [`Self::decode_strings`].
    pub fn strings(&self, max_bytes: usize) -> Result<ByteStrings> {
        let mut values = ByteStrings::default();
        self.decode_strings(max_bytes, &mut values)?;
        Ok(values)
    }

    /// Checks that its children have as many values as follow from the encoding, so that decoders need not.
    fn check_parts(&self, kind: ValueKind) -> Result<()> {
        let len = self.len;
        let count = self
            .encoding
            .info()
            .counted_child
            .and_then(|at| self.children.get(at))
            .map_or(0, |child| child.len);
        if count <= len {
            let shape = Shape { kind, len, count };
            let parts = self.encoding.scheme().children(shape)?;
            let lens = self.children.iter().map(|child| child.len);
            if lens.eq(parts.into_iter().map(|(_, len)| len)) {
                return Ok(());
            }
        }
        let name = self.encoding.name();
        Err(Error::corrupt(format!(
            "{name} of {len} values has the wrong parts"
        )))
    }

    /// Calls `visit` for it and each node below it, in the order of [`Self::write`].
    pub fn visit(&self, visit: &mut impl FnMut(&Self)) {
        visit(self);
        self.children.iter().for_each(|child| child.visit(visit));
    }

    /// True if its description contains the number of values of a child.
    pub fn is_counted(&self) -> bool {
        self.encoding.info().counted_child.is_some()
    }

    /// True if it has a buffer, which may be empty.
    pub fn has_buffer(&self) -> bool {
        self.encoding.info().buffer.is_some()
    }

    /// The length of its buffer, if that follows from the encoding.
    pub fn implied_len(&self) -> Option<usize> {
        self.encoding.scheme().buffer_len(self.len)
    }

    /// The number of planes in its buffer.
    pub fn planes(&self) -> usize {
        self.encoding.scheme().planes()
    }

    /// True if it or a run below it has an encoding of the archive profile.
    pub fn is_archive(&self) -> bool {
        self.encoding.info().is_archive || self.children.iter().any(Self::is_archive)
    }

    /// Appends the description: the encoding's number and parameters, then the children. `place` is called for each
    /// node with a buffer, in order, and appends the buffer's position.
    pub fn write(&self, out: &mut Vec<u8>, place: &mut impl FnMut(&Self, &mut Vec<u8>)) {
        self.encoding.write(out);
        if let Some(at) = self.encoding.info().counted_child {
            varint::push(self.children[at].len as u64, out);
        }
        if self.has_buffer() {
            place(self, out);
        }
        for child in &self.children {
            child.write(out, place);
        }
    }

    /// Calls `visit` for each node with a buffer, in the order of [`Self::write`].
    ///
    /// # Errors
    /// The first error of `visit`.
    pub fn visit_buffers(&mut self, visit: &mut impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.has_buffer() {
            visit(self)?;
        }
        self.children
            .iter_mut()
            .try_for_each(|child| child.visit_buffers(visit))
    }

    /// Appends a number for each node with a buffer, in the order of [`Self::write`]; `key` is the number of this node.
    pub fn buffer_keys(&self, key: u64, keys: &mut Vec<u64>) {
        if self.has_buffer() {
            keys.push(key);
        }
        for (child, at) in self.children.iter().zip(1_u64..) {
            child.buffer_keys(FixedState::default().hash_one((key, at)), keys);
        }
    }

    /// Reads the description of a run of `len` values of a kind at `*at` and moves `*at` past it. `locate` reads
    /// the position of a buffer, given its length if that follows from the encoding.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the bytes end early or the description is inconsistent.
    pub fn read(
        bytes: &[u8],
        at: &mut usize,
        kind: ValueKind,
        len: usize,
        locate: &mut impl FnMut(&[u8], &mut usize, Option<usize>) -> Result<Option<BufferSpan>>,
    ) -> Result<Self> {
        Self::read_at_depth(bytes, at, (kind, len), locate, 0)
    }

    fn read_at_depth(
        bytes: &[u8],
        at: &mut usize,
        (kind, len): (ValueKind, usize),
        locate: &mut impl FnMut(&[u8], &mut usize, Option<usize>) -> Result<Option<BufferSpan>>,
        depth: usize,
    ) -> Result<Self> {
        let start = *at as u64;
        let fail = |what: &str| Error::corrupt(what).at_byte(start);
        if depth == MAX_DEPTH {
            return Err(fail("encodings are nested too deep"));
        }
        let encoding = Encoding::read(bytes, at, kind)?;
        let count = match encoding.info().counted_child {
            Some(_) => read_len(bytes, at)?,
            None => 0,
        };
        // A child never has more values than the run, which bounds allocations.
        if count > len {
            return Err(fail("a part of a column has more values than the column"));
        }
        let span = match encoding.info().buffer {
            Some(_) => locate(bytes, at, encoding.scheme().buffer_len(len))?,
            None => None,
        };
        let shape = Shape { kind, len, count };
        let parts = encoding
            .scheme()
            .children(shape)
            .map_err(|error| error.at_byte(start))?;
        // Collecting results would allocate room for four children.
        let mut children = Vec::with_capacity(parts.len());
        for part in parts {
            children.push(Self::read_at_depth(bytes, at, part, locate, depth + 1)?);
        }
        Ok(Self {
            children,
            span,
            ..Self::leaf(encoding, len)
        })
    }
}
