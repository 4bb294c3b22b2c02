//! Filters and counts rows, and combines the rest into frames.
//!
//! Rows of frames are filtered where they are decoded, on all cores. Rows of text are filtered here,
//! once they have types. Rows are counted after the filter, as `LIMIT` counts after `WHERE`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::RecordBatch;
use arrow_buffer::BooleanBuffer;
use arrow_schema::{Schema, SchemaRef};

use super::assembled_frame::{AssembledFrame, AssembledRows, FrameContent};
use super::from_end::Window;
use super::pending_frame::PendingFrame;
use super::read_task::{overlap, slice};
use super::sample::Sampler;
use super::{End, FrameSize, PipelineOptions, TextHead};
use crate::columns::cast::{Provenance, provenance, with_facts_stated};
use crate::error::{Error, Result};
use crate::filter::{Predicate, rows_of};
use crate::format::exact::Dialect;
use crate::format::frame::{Frame, OutputColumns, UntypedFrame, headless, with_schema};
use crate::schema::keys::{HEAD, TEXT, is_hidden};
use crate::schema::{display_name, shown_names};

/// Frames that lost rows are combined until they have this many rows. A frame that lost none stays as it is, so that a
/// condition which is true for every row changes nothing.
const MERGE_ROWS: usize = 1 << 16;

/// Filters, counts and combines rows; passes everything on if there is no condition.
pub struct RowFilter<'a> {
    options: &'a PipelineOptions,
    /// Set when no more rows are needed, so that reading stops.
    stop: &'a AtomicBool,
    /// Number of rows that passed the condition.
    passed: u64,
    /// Holds rows back until it is known whether they are kept.
    window: Option<Window>,
    /// Takes a sample of the rows.
    sampler: Option<Sampler>,
    /// Makes the columns that are wanted, if some are named.
    outputs: Option<OutputColumns<'a>>,
    /// Rows of an incomplete frame.
    pending: PendingFrame,
    emitted: bool,
    /// The heads of the first text and of the latest one, until the first frame is passed on.
    heads: Vec<UnusedHead>,
    /// The dialect of the text, if parts of it are omitted.
    skipped_dialect: Option<Dialect>,
    /// The first frame without rows, which provides the columns if no row passes.
    spare: Option<Frame>,
}

/// The head of a text that was not passed on yet.
struct UnusedHead {
    of: TextHead,
    /// True if records after it were dropped.
    after_dropped: bool,
}

impl UnusedHead {
    /// The head of a frame, which is taken from it.
    fn take(frame: &mut Frame) -> Option<Self> {
        let text = frame.schema.metadata().get(TEXT).cloned();
        let columns = (provenance(frame.schema.metadata()) != Provenance::Json)
            .then(|| shown_names(frame.schema.fields()).collect());
        let head = frame.take_head()?;
        let dialect = Dialect::of(frame.schema.metadata())?;
        Some(Self {
            of: TextHead {
                head: dialect.written_head(head, &frame.schema),
                text,
                columns,
            },
            after_dropped: false,
        })
    }

    /// True if it can precede the rows of a frame: they are of the same style and have the same columns. Longer records
    /// add columns without names.
    fn fits(&self, schema: &Schema, omits_skipped: bool) -> bool {
        let is_style = omits_skipped || schema.metadata().get(TEXT) == self.of.text.as_ref();
        let has_columns = |columns: &Vec<String>| {
            let mut columns = columns.iter();
            let shown = schema.fields().iter().filter(|field| !is_hidden(field));
            let mut named = shown.zip(shown_names(schema.fields()));
            named.all(|(field, name)| match columns.next() {
                Some(column) => *column == name,
                None => field.name().is_empty(),
            }) && columns.next().is_none()
        };
        is_style && self.of.columns.as_ref().is_none_or(has_columns)
    }
}

impl<'a> RowFilter<'a> {
    pub fn new(options: &'a PipelineOptions, stop: &'a AtomicBool) -> Self {
        Self {
            options,
            stop,
            passed: 0,
            window: options.from_end.map(Window::new),
            sampler: options.sample.map(Sampler::new),
            outputs: OutputColumns::new(&options.text),
            pending: PendingFrame::default(),
            emitted: false,
            heads: options
                .text_head
                .clone()
                .map(|of| UnusedHead {
                    of,
                    after_dropped: true,
                })
                .into_iter()
                .collect(),
            skipped_dialect: None,
            spare: None,
        }
    }

    /// True when no more rows are needed; anything that follows is ignored, including errors.
    pub fn is_done(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Takes a frame and returns complete frames.
    ///
    /// # Errors
    /// If the rows cannot be combined, or a value of the condition does not fit its column.
    pub fn take(&mut self, frame: AssembledFrame) -> Result<Vec<FrameContent>> {
        let AssembledFrame {
            rows,
            order,
            has_all_rows,
        } = frame;
        let is_text = matches!(rows, AssembledRows::Text(_));
        if !self.options.filters() {
            let heads = std::mem::take(&mut self.heads);
            let mut content = rows.into_content(&self.options.text)?;
            if let FrameContent::Rows(rows) = content {
                content = FrameContent::Rows(self.unfiltered(rows, order, heads)?);
            }
            return Ok(vec![content]);
        }
        if self.is_done() {
            return Ok(Vec::new());
        }
        let FrameContent::Rows(untyped) = rows.into_content(&self.options.text)? else {
            return Err(Error::input(
                "a frame that was to be copied has to be filtered",
            ));
        };
        let mut frame = self.frame_without_skipped(untyped.finish_patched()?)?;
        let rows = frame.rows();
        let mut head = UnusedHead::take(&mut frame);
        if let Some(outputs) = &mut self.outputs {
            outputs.see(frame.schema.fields());
        }
        if is_text {
            let wanted = self.options.selected(frame.schema.fields());
            head = head.filter(|_| wanted.is_none());
            if let Some(filter) = &self.options.filter {
                let (kept, keeps_first) = passing(filter, frame)?;
                frame = kept;
                if let Some(head) = &mut head {
                    head.after_dropped = !keeps_first;
                }
            }
            if let Some(places) = wanted {
                frame = projected(&frame, &places)?;
            }
        }
        if let Some(mut head) = head {
            let is_first = !self.window.as_ref().is_some_and(Window::holds_rows)
                && !self.sampler.as_ref().is_some_and(Sampler::has_rows);
            if is_first && !self.emitted && self.pending.is_empty() {
                head.after_dropped |= self.options.rows.start > 0;
                self.add_head(head);
            } else if !head.after_dropped {
                // A new text starts here; its first record differs from later ones.
                frame.begin_text(&head.of.head, false)?;
            }
        }
        if let Some(order) = order {
            let mut untyped = UntypedFrame::from(frame);
            untyped.reorder(&order);
            frame = untyped.finish()?;
        }
        let Frame {
            mut schema,
            batches: all,
        } = frame;
        let mut batches: Vec<_> = all.iter().filter_map(|it| self.counted(it)).collect();
        // Which rows a window or a sample keeps is known too late.
        let keeps_some = self.window.is_some() || self.sampler.is_some();
        let is_whole = !keeps_some && has_all_rows && row_count(&batches) == rows;
        let is_alone = self.prints() || self.pending.is_empty() && self.fits_frame(rows);
        if !(is_whole && is_alone) {
            // Its columns keep their meaning even among the rows of other frames.
            schema = schema_for_some(&schema, &all);
            batches = with_schemas(batches, &schema)?;
        }
        if let Some(window) = &mut self.window {
            batches = window.take(batches);
            if window.is_full() {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
        if let Some(sampler) = &mut self.sampler {
            sampler.take(&batches)?;
            batches.clear();
        }
        if batches.is_empty() {
            let batches = vec![RecordBatch::new_empty(Arc::clone(&schema))];
            self.spare.get_or_insert(Frame { schema, batches });
            return Ok(Vec::new());
        }
        let mut full = Vec::new();
        if self.prints() {
            self.emit_held(&batches, &mut full)?;
            return Ok(full);
        }
        if is_whole && is_alone {
            self.emit(Frame { schema, batches }, &mut full)?;
            return Ok(full);
        }
        for batch in batches {
            self.push(batch, &mut full)?;
        }
        let is_full = self.merges_frames() && self.pending.rows() >= MERGE_ROWS;
        if is_full || self.options.max_delay.is_some() {
            self.emit_pending(&mut full)?;
        }
        Ok(full)
    }

    /// All rows of a frame, with the wanted columns in the order of the header.
    fn unfiltered(
        &mut self,
        mut rows: UntypedFrame,
        order: Option<Vec<usize>>,
        heads: Vec<UnusedHead>,
    ) -> Result<UntypedFrame> {
        if let Some(order) = order {
            rows.reorder(&order);
        }
        if self.options.omits_skipped {
            rows = self.frame_without_skipped(rows.finish_patched()?)?.into();
        }
        if !heads.is_empty() {
            let mut frame = rows.finish()?;
            self.begin_text(heads, &mut frame)?;
            rows = frame.into();
        }
        match &mut self.outputs {
            Some(outputs) => outputs.take(rows),
            None => Ok(rows),
        }
    }

    /// Removes the parts of the text that are not rows, if requested.
    fn frame_without_skipped(&mut self, frame: Frame) -> Result<Frame> {
        if !self.options.omits_skipped {
            return Ok(frame);
        }
        if self.skipped_dialect.is_none() {
            self.skipped_dialect = Dialect::of(frame.schema.metadata());
        }
        frame.without_skipped()
    }

    /// Removes what does not hold for a selection from the end of the text. Adds the notes of the condition if it was
    /// applied to all rows.
    pub fn end(&self, end: &mut End) {
        if let Some(filter) = self.options.filter.as_ref().filter(|_| !self.is_done()) {
            end.notes.extend(filter.notes());
        }
        let Some(ending) = &mut end.ending else {
            return;
        };
        if let Some(dialect) = &self.skipped_dialect {
            ending.tail = dialect.tail_without_skipped(&ending.tail);
        }
        if !self.options.is_whole() || self.options.omits_skipped {
            ending.fingerprint = None;
        }
        // The ending belongs to the last row. Whether further rows would pass a condition is unknown, so it
        // is dropped then.
        let last = self.options.rows.end;
        if self.passed > last || self.passed == last && self.options.is_conditional() {
            end.ending = None;
        }
    }

    /// Returns the remaining frames. After a failure, rows that were not read may have the columns of the condition.
    ///
    /// # Errors
    /// If no input has a column of the condition, or none with comparable values.
    pub fn finish(&mut self, has_failed: bool) -> Result<Vec<FrameContent>> {
        if !self.options.filters() {
            return Ok(Vec::new());
        }
        if let Some(filter) = self.options.filter.as_ref().filter(|_| !has_failed) {
            filter.conclude(!self.is_done())?;
        }
        let mut rest = Vec::new();
        let held = self.held()?;
        if self.prints() {
            self.emit_held(&held, &mut rest)?;
        } else {
            for batch in held {
                self.push(batch, &mut rest)?;
            }
        }
        self.emit_pending(&mut rest)?;
        if !self.emitted
            && let Some(spare) = self.spare.take()
        {
            self.emit(spare, &mut rest)?;
        }
        Ok(rest)
    }

    /// Checks after the last row that every wanted column occurred, unless rows that were not read may have it.
    ///
    /// # Errors
    /// If a column occurred in no frame.
    pub fn ensure_outputs(&self) -> Result<()> {
        let has_all_rows = self.options.reads_all_rows() && !self.is_done();
        match &self.outputs {
            Some(outputs) if has_all_rows && !self.options.salvage => {
                outputs.conclude(!self.options.filters() && self.options.keeps_all_frames())
            }
            _ => Ok(()),
        }
    }

    /// The rows that were held back until the end of the input.
    fn held(&mut self) -> Result<Vec<RecordBatch>> {
        let (mut batches, mut has_dropped) = (Vec::new(), false);
        if let Some(window) = &mut self.window {
            batches = window.finish();
            has_dropped = window.has_dropped;
        }
        if let Some(sampler) = &mut self.sampler {
            sampler.take(&batches)?;
            batches = sampler.finish()?;
            has_dropped |= sampler.has_dropped();
        }
        let begins_text = |batch: &RecordBatch| batch.schema_ref().metadata().contains_key(HEAD);
        if batches.first().is_some_and(begins_text) {
            self.heads.clear();
        }
        for head in &mut self.heads {
            head.after_dropped |= has_dropped;
        }
        Ok(batches)
    }

    /// The rows selected by number, if any.
    fn counted(&mut self, batch: &RecordBatch) -> Option<RecordBatch> {
        let rows = &self.options.rows;
        let (first, len) = (self.passed, batch.num_rows() as u64);
        self.passed += len;
        if self.passed >= rows.end {
            self.stop.store(true, Ordering::Relaxed);
        }
        let wanted = overlap(rows, first, len);
        (!wanted.is_empty()).then(|| slice(batch, wanted))
    }

    fn push(&mut self, batch: RecordBatch, full: &mut Vec<FrameContent>) -> Result<()> {
        let schema = self.pending.schema();
        if schema.is_some_and(|schema| schema != batch.schema()) {
            self.emit_pending(full)?;
        }
        let most = match self.options.frame_size {
            FrameSize::Rows(rows) => usize::try_from(rows).unwrap_or(usize::MAX),
            // A frame can be complete only at the end of an input frame.
            FrameSize::Whole | FrameSize::TextBytes(_) => usize::MAX,
        };
        let mut frames = self.pending.fill(batch, most)?.into_iter();
        frames.try_for_each(|frame| self.emit(frame, full))
    }

    /// True if the output is text, whose rows are cast frame by frame: then frames end where input frames end.
    fn prints(&self) -> bool {
        self.options.batch_rows.is_some()
    }

    /// True if frames end where input frames end, except that small remainders are combined.
    fn merges_frames(&self) -> bool {
        matches!(self.options.frame_size, FrameSize::TextBytes(_))
    }

    /// True if this many rows of one input frame can be a frame.
    fn fits_frame(&self, rows: usize) -> bool {
        match self.options.frame_size {
            FrameSize::Rows(most) => rows as u64 <= most,
            FrameSize::TextBytes(_) => true,
            FrameSize::Whole => false,
        }
    }

    fn emit_pending(&mut self, full: &mut Vec<FrameContent>) -> Result<()> {
        self.pending
            .take()
            .map_or(Ok(()), |frame| self.emit(frame, full))
    }

    /// Adds the head of a text if none of its rows has been kept yet. The head of the first text stays.
    fn add_head(&mut self, head: UnusedHead) {
        match self.heads.first() {
            Some(first) if first.of != head.of => self.heads.truncate(1),
            _ => self.heads.clear(),
        }
        self.heads.push(head);
    }

    /// Gives the first head that fits to the first frame that is passed on. If none fits, the frame keeps its own.
    fn begin_text(&self, heads: Vec<UnusedHead>, frame: &mut Frame) -> Result<()> {
        let omits_skipped = self.options.omits_skipped;
        let fits = |head: &UnusedHead| head.fits(&frame.schema, omits_skipped);
        match heads.into_iter().find(fits) {
            Some(head) if frame.schema.metadata().get(HEAD) != Some(&head.of.head) => {
                frame.begin_text(&head.of.head, head.after_dropped)
            }
            _ => Ok(()),
        }
    }

    /// Emits batches that may come from several frames, since a window holds rows back. Frames of the same types count
    /// as one.
    fn emit_held(&mut self, batches: &[RecordBatch], full: &mut Vec<FrameContent>) -> Result<()> {
        for of_frame in batches.chunk_by(|a, b| a.schema_ref() == b.schema_ref()) {
            let (schema, batches) = (of_frame[0].schema(), of_frame.to_vec());
            self.emit(Frame { schema, batches }, full)?;
        }
        Ok(())
    }

    fn emit(&mut self, mut frame: Frame, full: &mut Vec<FrameContent>) -> Result<()> {
        let heads = std::mem::take(&mut self.heads);
        self.begin_text(heads, &mut frame)?;
        let rows = match &mut self.outputs {
            Some(outputs) => outputs.take(frame.into())?,
            None => frame.into(),
        };
        full.push(FrameContent::Rows(rows));
        self.emitted = true;
        Ok(())
    }
}

/// The rows of a text that pass, and whether the first one does.
fn passing(filter: &Predicate, frame: Frame) -> Result<(Frame, bool)> {
    let stated = schema_for_filter(filter, &frame.schema, &frame.batches);
    let mask = |batch| filter.mask(&with_schema(batch, Arc::clone(&stated))?);
    let masks: Vec<_> = frame.batches.iter().map(mask).collect::<Result<_>>()?;
    let keeps_first = masks.iter().find_map(|mask| mask.iter().next());
    let keeps_first = keeps_first.unwrap_or(true);
    let kept = masks.iter().map(BooleanBuffer::count_set_bits);
    if kept.sum::<usize>() == row_count(&frame.batches) {
        return Ok((frame, keeps_first));
    }
    let batches = frame.batches.iter().zip(&masks);
    let batches = batches.map(|(batch, mask)| rows_of(batch, mask));
    let batches = batches.collect::<Result<Vec<_>>>()?;
    let schema = schema_for_some(&stated, &frame.batches);
    let batches = with_schemas(batches, &schema)?;
    Ok((Frame { schema, batches }, keeps_first))
}

/// The columns of a frame at these places.
fn projected(frame: &Frame, places: &[usize]) -> Result<Frame> {
    let batches = frame.batches.iter().map(|batch| batch.project(places));
    Ok(Frame {
        batches: batches
            .collect::<std::result::Result<_, _>>()
            .map_err(Error::input)?,
        schema: frame.schema.project(places).map_err(Error::input)?.into(),
    })
}

/// The rows of a batch that pass. The head belongs to the first row.
///
/// # Errors
/// If a value of the condition does not fit its column.
pub fn filtered(filter: &Predicate, batch: RecordBatch) -> Result<RecordBatch> {
    let all = std::slice::from_ref(&batch);
    let stated = with_schema(&batch, schema_for_filter(filter, batch.schema_ref(), all))?;
    let mask = filter.mask(&stated)?;
    if mask.count_set_bits() == batch.num_rows() {
        return Ok(batch);
    }
    let stated = if mask.value(0) {
        stated
    } else {
        headless(stated)
    };
    some_of(&stated, rows_of(&stated, &mask)?)
}

/// Some rows of a batch that is a frame, with the types of all of them.
///
/// # Errors
/// If the rows are not of this batch.
pub fn some_of(all: &RecordBatch, some: RecordBatch) -> Result<RecordBatch> {
    if some.num_rows() == all.num_rows() {
        return Ok(some);
    }
    let schema = schema_for_some(all.schema_ref(), std::slice::from_ref(all));
    with_schema(&some, schema)
}

/// The schema for some rows of a frame, whose columns become what they would with all rows.
fn schema_for_some(schema: &SchemaRef, all: &[RecordBatch]) -> SchemaRef {
    with_facts_stated(schema, all, provenance(schema.metadata()), |_, _| true)
}

/// The schema for a condition on some batches of a frame: its columns mean what they mean in the whole frame.
fn schema_for_filter(filter: &Predicate, schema: &SchemaRef, all: &[RecordBatch]) -> SchemaRef {
    with_facts_stated(schema, all, provenance(schema.metadata()), |at, field| {
        filter.needs(&display_name(field.name(), at))
    })
}

fn with_schemas(batches: Vec<RecordBatch>, schema: &SchemaRef) -> Result<Vec<RecordBatch>> {
    batches
        .into_iter()
        .map(|batch| with_schema(&batch, Arc::clone(schema)))
        .collect()
}

fn row_count(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}
