//! Keys of JSON rows that columns cannot represent exactly.

use std::collections::BTreeSet;

use crate::format::TextRetention;
use crate::format::exact::Records;
use crate::format::frame::Columns;
use crate::units::counted;

/// The unusual keys of all rows so far.
#[derive(Debug, Default)]
pub struct OddKeys {
    /// Number of values that were dropped because their key is repeated in the same row.
    repeated: u64,
    /// Columns named by the escaped form of a key with half a surrogate pair.
    spelled: BTreeSet<String>,
    /// True if only the values of some block were read.
    lacks_text: bool,
}

impl OddKeys {
    /// Takes the next block.
    pub fn add(&mut self, columns: &Columns) {
        if let Some(keys) = &columns.odd_keys {
            self.repeated += keys.repeated;
            self.spelled.extend(keys.spelled.iter().cloned());
        }
        let records = columns.source.as_ref().map(|source| &source.records);
        self.lacks_text |= matches!(records, None | Some(Records::Values));
    }

    /// Notes, given how much of the text the output contains.
    pub fn notes(&self, text: TextRetention) -> Vec<String> {
        let text = if self.lacks_text {
            TextRetention::Dropped
        } else {
            text
        };
        let unless_restored = match text {
            TextRetention::Restored => return Vec::new(),
            TextRetention::Stored => ", except where the text is restored",
            TextRetention::Dropped => "",
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
        repeated.into_iter().chain(spelled).collect()
    }
}
