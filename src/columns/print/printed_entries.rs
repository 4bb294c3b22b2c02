//! Prints the entries of a dictionary once each.

use std::ops::Range;

use super::SHORT;
use crate::columns::span::Span;

/// The texts of the entries that have occurred.
#[derive(Debug, Default)]
pub(crate) struct PrintedEntries {
    /// The texts, in the order of printing. After a search, they are followed by [`SHORT`] zeros.
    texts: Vec<u8>,
    /// The text of each entry up to the last that has occurred; empty if it has not been printed.
    spans: Vec<Span>,
}

impl PrintedEntries {
    /// Finds the texts of a block of rows, given the entry of each row. `print` appends the text of a row. Spans of
    /// earlier blocks remain valid.
    pub(crate) fn find<'s>(
        &mut self,
        keys: &[usize],
        rows: Range<usize>,
        spans: impl Iterator<Item = &'s mut Span>,
        print: impl Fn(usize, &mut Vec<u8>),
    ) {
        self.texts.truncate(self.texts.len().saturating_sub(SHORT));
        for (row, span) in rows.zip(spans) {
            let key = keys[row];
            *span = match self.spans.get(key) {
                Some(&known) if known.len > 0 => known,
                _ => {
                    let start = self.texts.len();
                    print(row, &mut self.texts);
                    let printed = Span::new(start, self.texts.len() - start);
                    if key >= self.spans.len() {
                        self.spans.resize(key + 1, Span::NULL);
                    }
                    self.spans[key] = printed;
                    printed
                }
            };
        }
        self.texts.resize(self.texts.len() + SHORT, 0);
    }

    /// What spans refer to. There are at least [`SHORT`] bytes from the start of each.
    pub(crate) fn texts(&self) -> &[u8] {
        &self.texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_have_the_texts_of_their_entries(
            entries in proptest::collection::vec("[a-z]{0,40}", 1..20),
            blocks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..30), 0..5),
        ) {
            let mut printed = PrintedEntries::default();
            for block in blocks {
                let keys: Vec<usize> = block.iter().map(|key| usize::from(*key) % entries.len()).collect();
                let mut spans = vec![Span::NULL; keys.len()];
                let rows = keys.len() / 3..keys.len();
                printed.find(&keys, rows.clone(), spans[rows.start..].iter_mut(), |row, out| {
                    out.extend_from_slice(entries[keys[row]].as_bytes());
                });
                for row in rows {
                    let Span { start, len } = spans[row];
                    prop_assert!(printed.texts().len() >= start as usize + SHORT);
                    let text = &printed.texts()[start as usize..][..len as usize];
                    prop_assert_eq!(text, entries[keys[row]].as_bytes());
                }
            }
        }
    }
}
