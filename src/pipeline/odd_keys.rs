//! Keys of JSON rows that columns do not show as they are.

use std::collections::BTreeSet;

use super::Note;
use crate::format::SourceText;
use crate::format::exact::Records;
use crate::format::frame::Columns;
use crate::units::counted;

/// What is odd about the keys of all rows so far.
#[derive(Debug, Default)]
pub struct OddKeys {
    /// Values that were dropped, since their key comes again in the same row.
    repeated: u64,
    /// Columns whose name spells out a key with half a surrogate pair.
    spelled: BTreeSet<String>,
    /// Of some block only the values were read.
    lacks_text: bool,
}

impl OddKeys {
    /// Takes the next block.
    pub fn see(&mut self, columns: &Columns) {
        if let Some(keys) = &columns.odd_keys {
            self.repeated += keys.repeated;
            self.spelled.extend(keys.spelled.iter().cloned());
        }
        let records = columns.source.as_ref().map(|source| &source.records);
        self.lacks_text |= matches!(records, None | Some(Records::Values));
    }

    /// What there is to note, given what the output has of the text.
    pub fn notes(&self, text: SourceText) -> Vec<Note> {
        let text = if self.lacks_text {
            SourceText::Dropped
        } else {
            text
        };
        let unless_restored = match text {
            SourceText::Restored => return Vec::new(),
            SourceText::Stored => ", except where the text comes back",
            SourceText::Dropped => "",
        };
        let repeated = (self.repeated > 0).then(|| {
            let keys = counted(self.repeated, "key");
            format!("{keys} repeated within a row: the last value counts{unless_restored}")
        });
        let spelled = self.spelled.first().map(|first| {
            let keys = counted(self.spelled.len() as u64, "key");
            format!(
                "{keys} with half a surrogate pair: the name is the escape itself, as in {first:?}{unless_restored}"
            )
        });
        repeated.into_iter().chain(spelled).map(Note).collect()
    }
}
