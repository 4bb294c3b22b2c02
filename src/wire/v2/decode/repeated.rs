//! Decodes columns of repeated texts to dictionaries, so that no text is copied to its rows.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};

use super::arrays::{dictionary, numbers, text};
use super::{Others, Placement, nulls, whole_numbers};
use crate::columns::statistics::MinMax;
use crate::error::Result;
use crate::schema::EXTENSION_NAME;
use crate::schema::keys::is_hidden;
use crate::wire::encodings::dictionary::beyond;
use crate::wire::encodings::{Encoding, Node, strings};
use crate::wire::v2::column::ColumnTree;
use crate::wire::v2::decode::Shared;
use crate::wire::v2::statistics::check;

/// A dictionary pays if it has an entry for at least this many rows on average.
const ROWS_PER_ENTRY: usize = 16;

/// Keys and entries of a column.
pub(super) struct Repeated<'a> {
    column: &'a ColumnTree,
    entries: &'a Node,
    keys: &'a Node,
}

impl<'a> Repeated<'a> {
    /// The keys and entries of a column of plain text, if it is stored as a dictionary of few texts.
    pub(super) fn of(column: &'a ColumnTree) -> Option<Self> {
        let field = &column.field;
        let is_text = *field.data_type() == DataType::Utf8
            && !field.metadata().contains_key(EXTENSION_NAME)
            && !is_hidden(field);
        let ([node], None) = (&column.runs[..], &column.unread) else {
            return None;
        };
        let [entries, keys] = &node.children[..] else {
            return None;
        };
        let is_dictionary = matches!(node.encoding, Encoding::Dictionary(_));
        (is_text && is_dictionary && entries.len <= node.len / ROWS_PER_ENTRY).then_some(Self {
            column,
            entries,
            keys,
        })
    }

    /// The field of the dictionary.
    pub(super) fn field(&self) -> Field {
        self.column.field.clone().with_data_type(data_type())
    }

    /// The column as a dictionary.
    ///
    /// # Errors
    /// As for columns decoded in full.
    pub(super) fn decode(&self, others: &Others, shared: &Shared<'_>) -> Result<ArrayRef> {
        let column = self.column;
        let nulls = nulls(column, None, shared)?;
        let entries = strings::decode_shared(self.entries, shared.left())?;
        shared.take(entries.data.len(), 1)?;
        let codes = whole_numbers(self.keys, shared)?;
        let known = 0..entries.len() as i64;
        if let Some(&code) = codes.iter().find(|code| !known.contains(code)) {
            return Err(beyond(code, entries.len()));
        }
        check(column.statistics.as_ref(), || {
            let mut is_used = vec![false; entries.len()];
            for &code in &codes {
                is_used[code as usize] = true;
            }
            let entries = entries.iter().zip(is_used);
            MinMax::of_strings(entries.filter_map(|(entry, is_used)| is_used.then_some(entry)))
        })?;
        shared.take(column.rows, 8)?;
        let placement = Placement {
            rows: column.rows,
            nulls: nulls.as_ref(),
            groups: others.groups(column)?,
        };
        let keys = numbers(&DataType::Int32, codes, placement)?;
        let all = Placement::all(entries.len());
        let entries = text(&DataType::Utf8, entries, all)?;
        dictionary(&data_type(), &keys, &entries)
    }
}

fn data_type() -> DataType {
    let [keys, values] = [DataType::Int32, DataType::Utf8].map(Box::new);
    DataType::Dictionary(keys, values)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::StringArray;
    use arrow_array::cast::AsArray as _;
    use arrow_schema::Metadata;
    use proptest::prelude::*;

    use crate::wire::DEFAULT_MAX_FRAME;
    use crate::wire::choose::Preset;
    use crate::wire::v2::{Decoder, EncodeOptions, Encoder, Envelope, PriorFrames};

    use super::*;

    proptest! {
        #[test]
        fn dictionaries_hold_the_same_rows(
            words in proptest::collection::vec("[a-z]{0,40}", 1..6),
            picks in proptest::collection::vec(proptest::option::weighted(0.9, any::<u8>()), 200..400),
        ) {
            let word = |pick: u8| words[usize::from(pick) % words.len()].as_str();
            let rows: Vec<Option<&str>> = picks.iter().map(|pick| pick.map(word)).collect();
            let field = Field::new("word", DataType::Utf8, true);
            let encoder = Encoder::new(EncodeOptions::of(Preset::Balanced));
            let array: ArrayRef = Arc::new(StringArray::from(rows.clone()));
            let column = encoder.column(&field, vec![array], PriorFrames::default()).unwrap();
            let mut bytes = Vec::new();
            encoder.envelope(rows.len(), &Metadata::new(), vec![column], None, &mut bytes).unwrap();
            let envelope = Envelope::read(&bytes, u64::MAX).unwrap();
            let decoder = Decoder::new(DEFAULT_MAX_FRAME).keeping_dictionaries(true);
            let batch = decoder.decode(&bytes, &envelope, |_, _| true).unwrap();
            let found: Vec<Option<&str>> = match batch.column(0).as_any_dictionary_opt() {
                Some(dictionary) => {
                    let entries = dictionary.values().as_string::<i32>();
                    let keys = dictionary.normalized_keys().into_iter().enumerate();
                    keys.map(|(row, key)| dictionary.is_valid(row).then(|| entries.value(key))).collect()
                }
                None => batch.column(0).as_string::<i32>().iter().collect(),
            };
            prop_assert_eq!(&found, &rows);
            let is_dictionary = batch.column(0).as_any_dictionary_opt().is_some();
            let are_distinct = words.iter().collect::<std::collections::HashSet<_>>().len() > 1;
            prop_assert!(is_dictionary || !are_distinct);
        }
    }
}
