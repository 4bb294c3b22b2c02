//! The kinds of the values of a path, counted as they are read.

use arrow_buffer::BooleanBuffer;

use crate::columns::nested::{NullKinds, Tag};
use crate::columns::span::Span;

/// Number of slots of a path by the kind of their value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Survey {
    /// By [`Tag`], and null after these. Absent values are not counted.
    counts: [u32; NULL + 1],
}

const NULL: usize = Tag::ALL.len();

/// The index in [`Survey::counts`] of a value, by its first byte.
const KINDS: [u8; 256] = {
    let mut kinds = [NULL as u8; 256];
    let mut byte = 0;
    while byte < kinds.len() {
        if let Some(tag) = Tag::of(byte as u8) {
            kinds[byte] = tag as u8;
        }
        byte += 1;
    }
    kinds
};

impl Survey {
    /// Counts a value with this first byte.
    #[inline]
    pub fn add(&mut self, first: u8) {
        self.counts[KINDS[usize::from(first)] as usize] += 1;
    }

    /// Takes back a value that was counted.
    pub fn remove(&mut self, first: u8) {
        self.counts[KINDS[usize::from(first)] as usize] -= 1;
    }

    /// Number of values that are not null.
    pub fn valid(&self) -> usize {
        self.counts[..NULL]
            .iter()
            .map(|&count| count as usize)
            .sum()
    }

    /// The kinds of nulls, if `owners` objects could have this key.
    pub fn null_kinds(&self, spans: &[Span], owners: Option<usize>) -> NullKinds {
        let Some(owners) = owners else {
            return NullKinds::default();
        };
        let nulls = self.counts[NULL] as usize;
        let null = nulls > 0;
        let absent = owners > self.valid() + nulls;
        let is_absent = |slot: usize| spans[slot].start == 0;
        NullKinds {
            absent,
            null,
            bits: (absent && null).then(|| BooleanBuffer::collect_bool(spans.len(), is_absent)),
        }
    }

    /// The kinds of values.
    pub fn tags(&self) -> impl Iterator<Item = Tag> {
        let has = |&tag: &Tag| self.counts[tag as usize] > 0;
        Tag::ALL.into_iter().filter(has)
    }
}
