//! What the text of a frame's rows has besides its values, collected block by block.

use std::string::FromUtf8Error;
use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Metadata, Schema};

use super::patch::prepend;
use super::printer::Printer;
use super::{Dialect, Records, SourceBlock, USUAL_HEAD};
use crate::error::{Error, Result};
use crate::schema::keys::{HEAD, PATCH, ROLE, TEXT};

/// The rows that print differently, in order, and their patches.
pub type Patches = Vec<(u32, Vec<u8>)>;

/// The texts of the blocks of a frame.
#[derive(Debug, Default)]
pub struct FrameText {
    dialect: Option<Arc<Dialect>>,
    head: Option<String>,
    /// A selection left out records between the head and the first block.
    after_dropped: bool,
    /// Some columns were left out or moved, so that only the style is kept.
    is_partial: bool,
    blocks: Vec<BlockText>,
    /// What goes before the next record.
    tail: Vec<u8>,
}

/// A block, and what remained after the last record before it.
#[derive(Debug)]
struct BlockText {
    rows: usize,
    before: Vec<u8>,
    records: Records,
}

/// The texts of records that are to be compared with how they print.
#[derive(Debug)]
pub struct SourceTexts {
    dialect: Arc<Dialect>,
    /// They begin with the first record of the text.
    first: bool,
    /// That record was not the first of the text that was read; a selection left out those before it.
    after_dropped: bool,
    blocks: Vec<BlockText>,
}

impl FrameText {
    /// Takes text without records: what comes before the first one, or after the last one.
    pub fn begin(&mut self, source: SourceBlock) {
        self.is_partial |= matches!(source.records, Records::Values);
        self.dialect = Some(source.dialect);
        let after = source.tail;
        let Some(head) = source.head else {
            self.tail.extend(after);
            return;
        };
        // Metadata is UTF-8; what is not goes before the first record.
        let kept = String::from_utf8(head).map_err(FromUtf8Error::into_bytes);
        let kept = kept.and_then(|head| match &*head {
            USUAL_HEAD => Err(head.into_bytes()),
            _ => Ok(head),
        });
        self.head = Some(kept.unwrap_or_else(|head| {
            self.tail = head;
            String::new()
        }));
        self.tail.extend(after);
    }

    /// Adds the text of the next block, which has the given number of rows.
    pub fn push(&mut self, source: Option<SourceBlock>, rows: usize) {
        let mut before = Vec::new();
        let mut records = Records::Values;
        if let Some(mut source) = source {
            let tail = std::mem::take(&mut source.tail);
            if rows > 0 {
                records = std::mem::replace(&mut source.records, Records::Compared(Vec::new()));
                self.is_partial |= matches!(records, Records::Values);
                if self.blocks.iter().all(|block| block.rows == 0) {
                    self.after_dropped = !source.first;
                }
            }
            self.begin(source);
            if rows > 0 {
                before = std::mem::take(&mut self.tail);
            }
            self.tail.extend(tail);
        }
        self.blocks.push(BlockText {
            rows,
            before,
            records,
        });
    }

    /// Keeps only the style, since some columns were left out or moved.
    pub fn keep_style(&mut self) {
        self.is_partial = true;
    }

    /// Empty, except for what precedes the next record.
    #[must_use]
    pub fn rest(&mut self) -> Self {
        Self {
            tail: std::mem::take(&mut self.tail),
            ..Self::default()
        }
    }

    /// What remains after the last record.
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// What is said of the frame, the patches of its batches, and the texts that are still to be
    /// compared.
    pub fn finish(self) -> (Metadata, Vec<Patches>, Option<SourceTexts>) {
        let Some(dialect) = self.dialect else {
            return Default::default();
        };
        let mut metadata = Metadata::new();
        metadata.insert(TEXT.to_owned(), dialect.to_metadata());
        if self.is_partial {
            return (metadata, Vec::new(), None);
        }
        let first = self.head.is_some();
        if let Some(head) = self.head {
            metadata.insert(HEAD.to_owned(), head);
        }
        if self.blocks.iter().any(|block| block.text().is_some()) {
            let texts = SourceTexts {
                dialect,
                first,
                after_dropped: self.after_dropped,
                blocks: self.blocks,
            };
            return (metadata, Vec::new(), Some(texts));
        }
        let patches = self.blocks.iter().map(BlockText::compared).collect();
        (metadata, patches, None)
    }
}

impl BlockText {
    fn text(&self) -> Option<(&[u8], &[u32])> {
        match &self.records {
            Records::Values | Records::Compared(_) => None,
            Records::Text { text, ends } => Some((text.text(), ends)),
        }
    }

    /// The patches of a block that was compared before the text preceding it was known.
    fn compared(&self) -> Patches {
        let Records::Compared(patches) = &self.records else {
            return Vec::new();
        };
        let mut patches = patches.clone();
        if !self.before.is_empty() {
            match patches.first_mut() {
                Some((0, patch)) => *patch = prepend(&self.before, Some(patch)),
                _ => patches.insert(0, (0, prepend(&self.before, None))),
            }
        }
        patches
    }
}

impl SourceTexts {
    /// Compares the text of a block with how its batch prints; gives the patches.
    ///
    /// # Errors
    /// If a column's type has no spelling in text.
    pub fn compare(&self, place: usize, batch: &RecordBatch) -> Result<Patches> {
        let block = &self.blocks[place];
        let mut patches = block.compared();
        let Some((text, text_ends)) = block.text() else {
            return Ok(patches);
        };
        let has_records =
            |block: &BlockText| block.text().is_some_and(|(_, ends)| !ends.is_empty());
        let first = self.first && !self.blocks[..place].iter().any(has_records);
        let mut printer = Printer::new(&self.dialect, first);
        let (mut lines, mut ends) = (Vec::with_capacity(text.len()), Vec::new());
        printer.batch(batch, &mut lines, Some(&mut ends))?;
        let (mut at, mut from) = (0, 0);
        for (row, (&end, &until)) in ends.iter().zip(text_ends).enumerate() {
            let (record, mut source) = (&lines[at..end], &text[from..until as usize]);
            if row == 0 && first && self.after_dropped {
                source = self.dialect.without_separator(source);
            }
            (at, from) = (end, until as usize);
            let patch = if row == 0 && !block.before.is_empty() {
                printer.patch(record, &[&block.before, source].concat())
            } else {
                printer.patch(record, source)
            };
            patches.extend(patch.map(|patch| (row as u32, patch)));
        }
        Ok(patches)
    }
}

/// The batches of a frame with their patches as a hidden column.
///
/// # Errors
/// [`crate::error::Kind::Limit`] if Arrow refuses the columns, which are then too large.
pub fn with_patches(batches: Vec<RecordBatch>, patches: &[Patches]) -> Result<Vec<RecordBatch>> {
    let rows: Vec<usize> = batches.iter().map(RecordBatch::num_rows).collect();
    let Some((field, arrays)) = patch_column(&rows, patches) else {
        return Ok(batches);
    };
    let field = Arc::new(field);
    let batches = batches.into_iter().zip(arrays).map(|(batch, array)| {
        let (schema, mut columns, _) = batch.into_parts();
        let fields = schema.fields().iter().chain([&field]).cloned();
        let schema =
            Schema::new_with_metadata(fields.collect::<Fields>(), schema.metadata().clone());
        columns.push(array);
        RecordBatch::try_new(schema.into(), columns)
            .map_err(|error| Error::limit(format!("cannot hold the columns: {error}")))
    });
    batches.collect()
}

/// The hidden column of patches for batches with the given number of rows; `None` if there are no patches.
pub fn patch_column(rows: &[usize], patches: &[Patches]) -> Option<(Field, Vec<ArrayRef>)> {
    if patches.iter().all(Vec::is_empty) {
        return None;
    }
    let arrays = rows.iter().zip(patches).map(|(&rows, patches)| {
        let bytes = patches.iter().map(|(_, patch)| patch.len()).sum();
        let mut builder = BinaryBuilder::with_capacity(rows, bytes);
        let mut filled = 0;
        for (row, patch) in patches {
            builder.append_nulls(*row as usize - filled);
            builder.append_value(patch);
            filled = *row as usize + 1;
        }
        builder.append_nulls(rows - filled);
        Arc::new(builder.finish()) as ArrayRef
    });
    let metadata = std::collections::HashMap::from([(ROLE.to_owned(), PATCH.to_owned())]);
    // Its name is in no one's way.
    let field = Field::new("mbt.patch", DataType::Binary, true).with_metadata(metadata);
    Some((field, arrays.collect()))
}
