//! Remembers how values were printed, because values often repeat.

use super::SHORT;
use crate::columns::span::Span;

/// Everything is forgotten when there are more bytes of text than this, so that the texts stay in the cache of a core.
const MOST_BYTES: usize = 1 << 15;
/// Rows per slot of the table: for a few rows, a larger table would cost more than it saves.
const ROWS_PER_SLOT: usize = 8;
const MOST_SLOTS: usize = 1 << 10;

/// The texts of values that were printed before.
#[derive(Debug)]
pub struct PrintedValues {
    /// The texts, in the order of printing. After the end of a block, they are followed by [`SHORT`] zeros.
    texts: Vec<u8>,
    /// The length of the texts without these zeros.
    len: usize,
    /// For each hash, the key of the last value and its text. In an empty slot, the key has another hash.
    slots: Vec<(u64, Span)>,
    /// Shifts a hash of 64 bits to the number of a slot.
    shift: u32,
}

impl PrintedValues {
    /// Remembers no values yet; `rows` is the number of rows to expect.
    pub fn new(rows: usize) -> Self {
        let slots = (rows / ROWS_PER_SLOT)
            .next_power_of_two()
            .clamp(2, MOST_SLOTS);
        let mut new = Self {
            texts: vec![0; SHORT],
            len: 0,
            slots: vec![(0, Span::NULL); slots],
            shift: 64 - slots.trailing_zeros(),
        };
        new.mark_first_slot();
        new
    }

    /// Starts a block of rows. Spans of earlier blocks are no longer valid.
    pub fn start_block(&mut self) {
        self.texts.truncate(self.len);
        if self.len > MOST_BYTES {
            self.forget();
        }
    }

    /// Ends a block.
    pub fn end_block(&mut self) {
        self.len = self.texts.len();
        self.texts.resize(self.len + SHORT, 0);
    }

    /// What the spans of a block refer to, once it has ended. There are at least [`SHORT`] bytes from the start of
    /// each.
    pub fn texts(&self) -> &[u8] {
        &self.texts
    }

    fn forget(&mut self) {
        self.texts.clear();
        self.slots.fill((0, Span::NULL));
        self.mark_first_slot();
    }

    /// Makes the first slot empty: 0 has the hash 0, and 1 has another one.
    fn mark_first_slot(&mut self) {
        self.slots[0].0 = 1;
    }

    /// The text of the value with this key. If it is not known, `print` appends it.
    #[inline]
    pub fn span(&mut self, key: u64, print: impl FnOnce(&mut Vec<u8>)) -> Span {
        // Fibonacci hashing (Knuth, "The Art of Computer Programming", volume 3, 6.4) spreads consecutive numbers.
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift;
        let (known, span) = &mut self.slots[hash as usize];
        if *known != key {
            let start = self.texts.len();
            print(&mut self.texts);
            *known = key;
            *span = Span::new(start, self.texts.len() - start);
        }
        *span
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_keep_their_texts_until_the_end_of_a_block(
            blocks in proptest::collection::vec(
                proptest::collection::vec(prop_oneof![0..5u64, 0..5000u64, any::<u64>()], 0..4000),
                1..6,
            ),
            rows in 0..5000usize,
        ) {
            let mut printed = PrintedValues::new(rows);
            for keys in blocks {
                printed.start_block();
                let print = |key: u64| move |out: &mut Vec<u8>| out.extend(key.to_string().into_bytes());
                let spans: Vec<Span> = keys.iter().map(|&key| printed.span(key, print(key))).collect();
                printed.end_block();
                for (key, Span { start, len }) in keys.into_iter().zip(spans) {
                    let text = &printed.texts()[start as usize..][..len as usize];
                    let expected = key.to_string();
                    prop_assert_eq!(text, expected.as_bytes());
                }
            }
        }
    }
}
