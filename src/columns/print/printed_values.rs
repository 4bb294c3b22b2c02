//! Remembers how values were printed, because values often repeat.

use std::ops::Range;

use super::{Keys, SHORT};
use crate::columns::span::Span;

/// The most bytes of text and the most slots of the tables of all columns together, so that they stay in the cache of a
/// core.
const MOST_BYTES: usize = 1 << 19;
const MOST_SLOTS: usize = 1 << 16;
/// The most of one column.
const MOST_COLUMN_BYTES: usize = 1 << 15;
const MOST_COLUMN_SLOTS: usize = 1 << 12;
/// A table starts with a slot for this many rows: for a few rows, a larger one would cost more than it saves.
const ROWS_PER_SLOT: usize = 8;
/// A table that knew fewer than one in this many values does not pay.
const FEW: usize = 8;

/// The texts of values that were printed before.
#[derive(Debug)]
pub struct PrintedValues {
    /// The texts, in the order of printing. Between blocks, they are followed by [`SHORT`] zeros.
    texts: Vec<u8>,
    /// For each hash, the key of the last value and its text. In an empty slot, the key has another hash.
    slots: Vec<(u64, Span)>,
    /// Shifts a hash of 64 bits to the number of a slot.
    shift: u32,
    /// Everything is forgotten when there are more bytes of text.
    most_bytes: usize,
    most_slots: usize,
    /// How many values were known and unknown since this was last considered.
    hits: usize,
    misses: usize,
    /// The number of rows to print without the table.
    pause: usize,
}

impl PrintedValues {
    /// Remembers no values yet. `rows` is the number of rows to expect, `columns` the number of columns that are printed
    /// at the same time.
    pub fn new(rows: usize, columns: usize) -> Self {
        let share = |all: usize, most: usize| (all / columns.max(1)).clamp(1, most);
        let most_slots = 1 << share(MOST_SLOTS, MOST_COLUMN_SLOTS).max(2).ilog2();
        let mut new = Self {
            texts: vec![0; SHORT],
            slots: Vec::new(),
            shift: 0,
            most_bytes: share(MOST_BYTES, MOST_COLUMN_BYTES),
            most_slots,
            hits: 0,
            misses: 0,
            pause: 0,
        };
        let slots = (rows / ROWS_PER_SLOT).clamp(2, most_slots.min(256));
        new.set_slots(slots.next_power_of_two());
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
        let mut count = 0;
        for (row, span) in rows {
            let start = self.texts.len();
            print(row, &mut self.texts);
            *span = Span::new(start, self.texts.len() - start);
            count += 1;
        }
        self.pause = self.pause.saturating_sub(count);
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
        if len > self.most_bytes {
            self.set_slots(self.slots.len());
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
        self.hits += hits;
        self.misses += misses;
        if self.misses > self.slots.len() {
            self.reconsider();
        }
        self.end_block();
    }

    /// Grows or stops using the table if it did not know enough values.
    fn reconsider(&mut self) {
        let slots = self.slots.len();
        if self.hits / FEW < self.misses && slots < self.most_slots {
            self.set_slots(2 * slots);
        } else if self.hits < self.misses / FEW {
            self.set_slots(slots);
            self.pause = FEW * slots;
        }
        (self.hits, self.misses) = (0, 0);
    }

    fn end_block(&mut self) {
        self.texts.resize(self.texts.len() + SHORT, 0);
    }

    /// What the spans of the last block refer to. There are at least [`SHORT`] bytes from the start of each.
    pub fn texts(&self) -> &[u8] {
        &self.texts
    }

    /// Makes a table of empty slots. The key of an empty slot belongs to another slot: 0 everywhere except in
    /// slot 0, where it is 1.
    fn set_slots(&mut self, count: usize) {
        self.slots.clear();
        self.slots.resize(count, (0, Span::NULL));
        self.slots[0].0 = 1;
        self.shift = 64 - count.trailing_zeros();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn print(key: u64) -> String {
        format!("{key:x}")
    }

    proptest! {
        #[test]
        fn values_have_their_own_texts_until_the_next_block(
            // Repeated blocks make tables grow, pause and start again.
            blocks in proptest::collection::vec(
                (
                    proptest::collection::vec(
                        prop_oneof![0..5u64, 0..5000u64, any::<u64>()],
                        0..1000,
                    ),
                    1..40usize,
                ),
                1..6,
            ),
            rows in 0..5000usize,
            columns in prop_oneof![1..4usize, 1..100_000usize],
        ) {
            let mut printed = PrintedValues::new(rows, columns);
            for (round, keys) in blocks.iter().flat_map(|(keys, times)| (0..*times).map(move |round| (round, keys))) {
                let keys: Vec<u64> = keys.iter().map(|key| key.wrapping_mul(1 + round as u64 % 3)).collect();
                let mut spans = vec![Span::NULL; keys.len()];
                let rows = keys.len() / 3..keys.len();
                printed.find(Keys::U64(&keys), rows.clone(), spans[rows.start..].iter_mut(), |row, out| {
                    out.extend_from_slice(print(keys[row]).as_bytes());
                });
                for row in rows {
                    let Span { start, len } = spans[row];
                    prop_assert!(printed.texts().len() >= start as usize + SHORT);
                    let text = &printed.texts()[start as usize..][..len as usize];
                    let expected = print(keys[row]);
                    prop_assert_eq!(text, expected.as_bytes());
                }
            }
        }
    }

    #[test]
    fn values_that_repeat_are_printed_once() {
        let printed_rows = |distinct: u64, rounds: usize| {
            let count = std::cell::Cell::new(0);
            let mut printed = PrintedValues::new(1000, 4);
            for round in 0..rounds as u64 {
                let keys: Vec<u64> = (0..1000)
                    .map(|row| (round * 1000 + row) % distinct)
                    .collect();
                let mut spans = vec![Span::NULL; keys.len()];
                printed.find(Keys::U64(&keys), 0..1000, spans.iter_mut(), |row, out| {
                    count.set(count.get() + 1);
                    out.extend_from_slice(print(keys[row]).as_bytes());
                });
            }
            count.get()
        };
        assert_eq!(printed_rows(7, 100), 7);
        // The table must grow first.
        assert!(printed_rows(1500, 100) < 15_000);
        assert_eq!(printed_rows(u64::MAX, 100), 100_000);
    }
}
