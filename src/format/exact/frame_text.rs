//! Collects the text of a frame's rows, block by block, and compares it with the printed rows.

use std::string::FromUtf8Error;
use std::sync::{Arc, Mutex};

use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::{ArrayRef, BinaryArray, RecordBatch};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields, Metadata, Schema};

use super::patch::prepend;
use super::printer::Printer;
use super::{Dialect, RecordTexts, Records, SourceBlock, USUAL_HEAD};
use crate::columns::cannot_hold;
use crate::columns::nested::KeyOrder;
use crate::error::Result;
use crate::format::json::PrintedOrder;
use crate::format::scratch_pool::ScratchPool;
use crate::schema::keys::{HEAD, PATCH, ROLE, TEXT};
use crate::sync::lock;

/// The rows that print differently, in order, and their patches.
pub type Patches = Vec<(u32, Vec<u8>)>;

/// The texts of the blocks of a frame.
#[derive(Debug, Default)]
pub struct FrameText {
    dialect: Option<Arc<Dialect>>,
    head: Option<String>,
    /// True if a selection dropped records between the head and the first block.
    after_dropped: bool,
    /// True if columns were dropped or moved, so that only the style is kept.
    is_partial: bool,
    blocks: Vec<BlockText>,
    /// The text before the next record.
    tail: Vec<u8>,
}

/// A block, and the text between the previous record and the block.
#[derive(Debug)]
struct BlockText {
    rows: usize,
    /// Can be long, so it is moved into the patch of the first record.
    before: Mutex<Vec<u8>>,
    records: Records,
}

/// The texts of records, to be compared with their printed form.
#[derive(Debug)]
pub struct SourceTexts {
    dialect: Arc<Dialect>,
    /// True if they start with the first record of the text.
    first: bool,
    /// True if that record was not the first one of the input because a selection dropped those before it.
    after_dropped: bool,
    blocks: Vec<BlockText>,
    /// The order of members, which is the same in all blocks.
    printed: ScratchPool<PrintedOrder>,
}

impl FrameText {
    /// Takes the text before the first record or after the last one.
    pub fn begin(&mut self, source: SourceBlock) {
        self.is_partial |= matches!(source.records, Records::Values);
        self.dialect = Some(source.dialect);
        let after = source.tail;
        let Some(head) = source.head else {
            self.tail.extend(after);
            return;
        };
        // Metadata is UTF-8; a head that is not becomes part of the first record.
        let kept = String::from_utf8(head)
            .map_err(FromUtf8Error::into_bytes)
            .and_then(|head| match &*head {
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
            before: before.into(),
            records,
        });
    }

    /// Keeps only the style of the columns at these positions, since columns were dropped or moved.
    pub fn keep_style_of(&mut self, places: &[usize]) {
        self.is_partial = true;
        self.dialect = self.dialect.take().map(|it| it.of_columns(places).into());
    }

    /// An empty frame text that keeps the text before the next record.
    #[must_use]
    pub fn rest(&mut self) -> Self {
        Self {
            tail: std::mem::take(&mut self.tail),
            ..Self::default()
        }
    }

    /// The text after the last record.
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// The metadata of the frame, the patches of its batches, and the texts that have not been compared yet.
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
        if self.blocks.iter().any(|block| block.texts().is_some()) {
            let texts = SourceTexts {
                dialect,
                first,
                after_dropped: self.after_dropped,
                blocks: self.blocks,
                printed: ScratchPool::default(),
            };
            return (metadata, Vec::new(), Some(texts));
        }
        let patches = self.blocks.iter().map(BlockText::take_compared);
        (metadata, patches.collect(), None)
    }
}

impl BlockText {
    fn texts(&self) -> Option<&RecordTexts> {
        match &self.records {
            Records::Values | Records::Compared(_) => None,
            Records::Text(texts) => Some(texts),
        }
    }

    /// The patches of a block that was compared before the text in front of it was known.
    fn take_compared(&self) -> Patches {
        let Records::Compared(patches) = &self.records else {
            return Vec::new();
        };
        let mut patches = patches.clone();
        let before = self.take_before();
        if !before.is_empty() {
            match patches.first_mut() {
                Some((0, patch)) => *patch = prepend(before, Some(patch)),
                _ => patches.insert(0, (0, prepend(before, None))),
            }
        }
        patches
    }

    fn take_before(&self) -> Vec<u8> {
        std::mem::take(&mut *lock(&self.before))
    }
}

impl SourceTexts {
    /// Compares the text of a block with its printed batch, once. Returns the patches. `order` says whether the members of
    /// the text's objects are in the order of the columns.
    ///
    /// Types print exactly what was read, so a record has to be printed only if its layout may deviate from that
    /// of the dialect.
    ///
    /// # Errors
    /// If values of a column's type cannot be printed.
    pub fn compare(&self, place: usize, batch: &RecordBatch, order: KeyOrder) -> Result<Patches> {
        let block = &self.blocks[place];
        let Some(comparison) = self.comparison(place) else {
            return Ok(block.take_compared());
        };
        let before = block.take_before();
        let has_before = !before.is_empty();
        let all = 0..comparison.texts.ends.len() as u32;
        let odd = comparison.texts.odd.as_deref();
        let Some(odd) = odd.filter(|_| order < KeyOrder::Unknown) else {
            return comparison.print(batch, all.collect(), before);
        };
        let is_first_odd = has_before || comparison.lost_separator();
        let (mut patches, rows) = comparison.arrange(batch, odd, order, is_first_odd);
        if !rows.is_empty() {
            patches.extend(comparison.print(batch, rows, before)?);
            patches.sort_unstable_by_key(|(row, _)| *row);
        }
        // The patch of the first row has taken the text before it.
        let checked = usize::from(has_before);
        debug_assert_eq!(
            &patches[checked..],
            comparison.print(batch, all.skip(checked).collect(), Vec::new())?
        );
        Ok(patches)
    }

    /// True if [`Self::copy`] knows all records, and the head does not depend on the columns.
    pub fn are_whole(&self) -> bool {
        let mut blocks = self.blocks.iter();
        matches!(*self.dialect, Dialect::Json(_))
            && blocks.all(|block| block.rows == 0 || block.texts().is_some())
    }

    /// Appends the records of a block as they are in the text, once: what the printed records and their patches would give.
    pub fn copy(&self, place: usize, out: &mut Vec<u8>) {
        if let Some(comparison) = self.comparison(place)
            && let RecordTexts { text, ends, .. } = comparison.texts
            && let [first, .., last] | [first @ last] = ends[..]
        {
            out.extend(self.blocks[place].take_before());
            out.extend_from_slice(comparison.record(0));
            out.extend_from_slice(&text.text()[first as usize..last as usize]);
        }
    }

    /// The text of a block, if it has not been compared yet.
    fn comparison(&self, place: usize) -> Option<BlockComparison<'_>> {
        let block = &self.blocks[place];
        let texts = block.texts()?;
        let has_records =
            |block: &BlockText| block.texts().is_some_and(|texts| !texts.ends.is_empty());
        Some(BlockComparison {
            dialect: &self.dialect,
            texts,
            first: self.first && !self.blocks[..place].iter().any(has_records),
            after_dropped: self.after_dropped,
            printed: &self.printed,
        })
    }
}

/// The text of a block and its batch.
struct BlockComparison<'a> {
    dialect: &'a Dialect,
    texts: &'a RecordTexts,
    /// True if the first row is the first of the text.
    first: bool,
    after_dropped: bool,
    printed: &'a ScratchPool<PrintedOrder>,
}

impl BlockComparison<'_> {
    /// True if the first record had a separator before it, and has become the first of its text.
    fn lost_separator(&self) -> bool {
        self.first && self.after_dropped
    }

    /// The text of a record, without the text between the previous block and the first record.
    fn record(&self, row: u32) -> &[u8] {
        let RecordTexts { text, ends, .. } = self.texts;
        let start = row.checked_sub(1).map_or(0, |before| ends[before as usize]);
        let source = &text.text()[start as usize..ends[row as usize] as usize];
        if row == 0 && self.lost_separator() {
            self.dialect.without_separator(source)
        } else {
            source
        }
    }

    /// The patches of records that differ only in the order of members, and the rows that must be printed for
    /// comparing.
    fn arrange(
        &self,
        batch: &RecordBatch,
        odd: &[u32],
        order: KeyOrder,
        is_first_odd: bool,
    ) -> (Patches, Vec<u32>) {
        let mut odd = odd.iter().copied().peekable();
        let (mut patches, mut rows) = (Patches::new(), Vec::new());
        if order == KeyOrder::Kept {
            rows.extend(is_first_odd.then_some(0).filter(|_| odd.peek() != Some(&0)));
            rows.extend(odd);
            return (patches, rows);
        }
        let (Dialect::Json(style), Some(outlines)) = (self.dialect, &self.texts.outlines) else {
            return (patches, (0..self.texts.ends.len() as u32).collect());
        };
        let make = || PrintedOrder::new(batch.schema_ref(), style);
        self.printed.with(make, |printed| {
            let places = printed.places(outlines);
            for row in 0..self.texts.ends.len() as u32 {
                let is_odd = odd.next_if_eq(&row).is_some() || row == 0 && is_first_odd;
                let outline = outlines.row(row).filter(|_| !is_odd);
                match outline.and_then(|outline| printed.moves_to(outline, &places)) {
                    Some(moves) if moves.is_empty() => {}
                    Some(moves) => patches.push((row, moves)),
                    None => rows.push(row),
                }
            }
        });
        (patches, rows)
    }

    /// The patches of these rows, by printing them; `before` is the text before the first row.
    fn print(&self, batch: &RecordBatch, rows: Vec<u32>, mut before: Vec<u8>) -> Result<Patches> {
        let mut printer = Printer::new(self.dialect, self.first);
        let (mut lines, mut ends) = (Vec::with_capacity(self.texts.text.text().len()), Vec::new());
        printer.rows(batch, &rows, &mut lines, &mut ends)?;
        let mut at = 0;
        let mut patches = Patches::new();
        for (row, end) in rows.into_iter().zip(ends) {
            let before = std::mem::take(&mut before);
            let patch = printer.patch(before, &lines[at..end], self.record(row));
            patches.extend(patch.map(|patch| (row, patch)));
            at = end;
        }
        Ok(patches)
    }
}

/// Adds patches to the batches of a frame as a hidden column.
///
/// # Errors
/// [`crate::error::Kind::Limit`] if the columns are too large for Arrow.
pub fn with_patches(batches: Vec<RecordBatch>, patches: Vec<Patches>) -> Result<Vec<RecordBatch>> {
    let rows: Vec<usize> = batches.iter().map(RecordBatch::num_rows).collect();
    let Some((field, arrays)) = patch_column(&rows, patches) else {
        return Ok(batches);
    };
    let field = Arc::new(field);
    batches
        .into_iter()
        .zip(arrays)
        .map(|(batch, array)| {
            let (schema, mut columns, _) = batch.into_parts();
            let fields = schema.fields().iter().chain([&field]).cloned();
            let schema =
                Schema::new_with_metadata(fields.collect::<Fields>(), schema.metadata().clone());
            columns.push(array);
            RecordBatch::try_new(schema.into(), columns).map_err(cannot_hold)
        })
        .collect()
}

/// The hidden column of patches for batches with the given number of rows; `None` if there are no patches.
pub fn patch_column(rows: &[usize], patches: Vec<Patches>) -> Option<(Field, Vec<ArrayRef>)> {
    if patches.iter().all(Vec::is_empty) {
        return None;
    }
    let arrays = rows.iter().zip(patches).map(|(&rows, patches)| {
        let mut lens = vec![0; rows];
        let mut valid = BooleanBufferBuilder::new(rows);
        valid.append_n(rows, false);
        // The first patch can be long, so the others are appended to it.
        let mut bytes = Vec::new();
        for (row, patch) in patches {
            let row = row as usize;
            lens[row] = patch.len();
            valid.set_bit(row, true);
            if bytes.is_empty() {
                bytes = patch;
            } else {
                bytes.extend_from_slice(&patch);
            }
        }
        let offsets = OffsetBuffer::from_lengths(lens);
        let nulls = NullBuffer::new(valid.finish());
        Arc::new(BinaryArray::new(offsets, bytes.into(), Some(nulls))) as ArrayRef
    });
    let metadata = std::collections::HashMap::from([(ROLE.to_owned(), PATCH.to_owned())]);
    // The name cannot collide, since hidden columns are not looked up by name.
    let field = Field::new("mbt.patch", DataType::Binary, true).with_metadata(metadata);
    Some((field, arrays.collect()))
}
