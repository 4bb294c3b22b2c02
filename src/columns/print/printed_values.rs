//! Remembers how values were printed, because values often repeat.

use std::ops::Range;

use super::{Keys, SHORT};
use crate::columns::span::Span;

/// Everything is forgotten when there are more bytes of text than this, so that the texts stay in the cache of a core.
const MOST_BYTES: usize = 1 << 15;
/// Rows per slot of the table: for a few rows, a larger table would cost more than it saves.
const ROWS_PER_SLOT: usize = 8;
const MOST_SLOTS: usize = 1 << 10;
/// The table is not used for this many blocks after one in which it hardly knew a value.
const PAUSE: u32 = 15;

/// The texts of values that were printed before.
#[derive(Debug)]
pub struct PrintedValues {
    /// The texts, in the order of printing. Between blocks, they are followed by [`SHORT`] zeros.
    texts: Vec<u8>,
    /// For each hash, the key of the last value and its text. In an empty slot, the key has another hash.
    slots: Vec<(u64, Span)>,
    /// Shifts a hash of 64 bits to the number of a slot.
    shift: u32,
    /// The number of blocks until the table is tried again.
    pause: u32,
}

impl PrintedValues {
    /// Remembers no values yet; `rows` is the number of rows to expect.
    pub fn new(rows: usize) -> Self {
        let slots = (rows / ROWS_PER_SLOT)
            .next_power_of_two()
            .clamp(2, MOST_SLOTS);
        let mut new = Self {
            texts: vec![0; SHORT],
            slots: vec![(0, Span::NULL); slots],
            shift: 64 - slots.trailing_zeros(),
            pause: 0,
        };
        new.clear_slots();
        new
    }

    /// Finds the texts of a block of rows. `print` appends the text of a row; rows with equal keys have the same text.
    /// Spans of earlier blocks are no longer valid.
    pub(crate) fn find<'s>(
        &mut self,
        keys: Keys<'_>,
        rows: Range<usize>,
        spans: impl Iterator<Item = &'s mut Span>,
        print: impl Fn(usize, &mut Vec<u8>),
    ) {
        let rows_and_spans = rows.clone().zip(spans);
        match keys {
            _ if self.pause > 0 => self.print_all(rows_and_spans, print),
            Keys::Bits(bits) => self.look_up(rows_and_spans, |row| bits.value(row).into(), print),
            Keys::U8(keys) => self.look_up(rows_and_spans, |row| keys[row].into(), print),
            Keys::U16(keys) => self.look_up(rows_and_spans, |row| keys[row].into(), print),
            Keys::U32(keys) => self.look_up(rows_and_spans, |row| keys[row].into(), print),
            Keys::U64(keys) => self.look_up(rows_and_spans, |row| keys[row], print),
        }
    }

    /// Prints all values of a block.
    fn print_all<'s>(
        &mut self,
        rows: impl Iterator<Item = (usize, &'s mut Span)>,
        print: impl Fn(usize, &mut Vec<u8>),
    ) {
        self.texts.clear();
        for (row, span) in rows {
            let start = self.texts.len();
            print(row, &mut self.texts);
            *span = Span::new(start, self.texts.len() - start);
        }
        self.pause -= 1;
        self.end_block();
    }

    /// Prints only the values of a block that the table does not know.
    fn look_up<'s>(
        &mut self,
        rows: impl Iterator<Item = (usize, &'s mut Span)>,
        key_of: impl Fn(usize) -> u64,
        print: impl Fn(usize, &mut Vec<u8>),
    ) {
        let mut len = self.texts.len() - SHORT;
        if len > MOST_BYTES {
            self.clear_slots();
            len = 0;
        }
        self.texts.truncate(len);
        let (mut hits, mut misses) = (0, 0);
        for (row, span) in rows {
            let key = key_of(row);
            // Fibonacci hashing (Knuth, "The Art of Computer Programming", volume 3, 6.4) spreads consecutive numbers.
            let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift;
            let (known, text) = &mut self.slots[hash as usize];
            if *known == key {
                hits += 1;
            } else {
                let start = self.texts.len();
                print(row, &mut self.texts);
                *known = key;
                *text = Span::new(start, self.texts.len() - start);
                misses += 1;
            }
            *span = *text;
        }
        if misses > self.slots.len() / 4 && hits * 8 < misses {
            self.pause = PAUSE;
            self.clear_slots();
        }
        self.end_block();
    }

    fn end_block(&mut self) {
        self.texts.resize(self.texts.len() + SHORT, 0);
    }

    /// What the spans of the last block refer to. There are at least [`SHORT`] bytes from the start of each.
    pub fn texts(&self) -> &[u8] {
        &self.texts
    }

    /// Makes all slots empty. An empty slot has the key 0, whose hash is 0, except the first one.
    fn clear_slots(&mut self) {
        self.slots.fill((0, Span::NULL));
        self.slots[0].0 = 1;
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
