//! Assembles blocks into frames.

use std::collections::BTreeSet;

use arrow_array::RecordBatch;
use arrow_schema::{FieldRef, Schema, SchemaRef};

use super::assembled_frame::{AssembledFrame, AssembledRows};
use super::odd_keys::OddKeys;
use super::pending_frame::PendingFrame;
use super::read_task::{Event, FrameRows, TaskResult};
use super::salvage::Salvage;
use super::same_columns::SameColumns;
use super::{End, FrameSize, HeaderMode, PipelineOptions};
use crate::columns::cast::Provenance;
use crate::columns::column::Values;
use crate::columns::printed_bytes;
use crate::error::{Error, Result, shell_word};
use crate::format::exact::Dialect;
use crate::format::frame::{Columns, Frame, FrameBuilder, Origin, headless, provenance};
use crate::schema::keys::{HEAD, TEXT, is_row};
use crate::schema::{ROW_COLUMN, Type, display_name, shown_names};
use crate::stream::Ending;

/// The most cells of a frame, including those inside nested values. Rows that keep adding columns or members end frames
/// early, since each has a cell in every row.
const MOST_CELLS: usize = 1 << 24;

/// Size of slices in bytes, if slices are requested: small enough that the results for a whole frame are never in
/// memory at once.
const SLICE_BYTES: usize = 1 << 20;

/// The fewest rows of a slice: lists share memory, so the size of a slice is not known exactly.
const LEAST_SLICE_ROWS: usize = 64;

/// Takes frames.
pub type Emit<'a> = &'a mut dyn FnMut(AssembledFrame) -> Result<()>;

/// Assembles rows into frames and passes them to `emit`.
pub struct FrameAssembler<'a> {
    options: &'a PipelineOptions,
    emit: Emit<'a>,
    builder: FrameBuilder,
    /// Decoded rows of an incomplete frame.
    pending: PendingFrame,
    /// The schema of the batches that share frames, without the head of their text, and that head. A batch with the same
    /// head starts another text of the same kind, such as the next of several files.
    batches: Option<(SchemaRef, Option<String>)>,
    /// True if rows were dropped from the frames of the pending or the next rows.
    dropped: bool,
    /// Number of bytes of pending batches that are not frames.
    pending_bytes: u64,
    frames: u64,
    header: Option<Vec<String>>,
    /// The text metadata of the frames so far, if they are from a single text.
    text: Option<String>,
    notes: Vec<String>,
    same_columns: SameColumns,
    salvage: Salvage,
    /// Names found in JSON, to distinguish a missing column from an empty one.
    seen: BTreeSet<String>,
    reads_json: bool,
    /// True if some rows are stored whole, so that the names inside them are not known.
    reads_whole_rows: bool,
    /// Columns of text that is not UTF-8.
    not_utf8: BTreeSet<String>,
    ending: Option<Ending>,
    /// An error in a frame after its rows.
    fault: Option<Error>,
    odd_keys: OddKeys,
}

impl<'a> FrameAssembler<'a> {
    pub fn new(options: &'a PipelineOptions, emit: Emit<'a>) -> Self {
        let builder = match options.text.selected() {
            Some(columns) if options.text.keeps_wholes() => {
                let names = columns.iter().map(|column| column.name.clone());
                // Objects have no such column, but become one.
                let names = names.filter(|name| name != ROW_COLUMN);
                FrameBuilder::of_columns(&names.collect::<Vec<_>>())
            }
            _ => FrameBuilder::default(),
        };
        Self {
            options,
            emit,
            builder,
            pending: PendingFrame::default(),
            batches: None,
            dropped: false,
            pending_bytes: 0,
            frames: 0,
            header: options.first_columns.clone(),
            text: None,
            notes: Vec::new(),
            same_columns: SameColumns::default(),
            salvage: Salvage::new(options.filters()),
            seen: BTreeSet::new(),
            reads_json: false,
            reads_whole_rows: false,
            not_utf8: BTreeSet::new(),
            ending: None,
            fault: None,
            odd_keys: OddKeys::default(),
        }
    }

    /// Takes the next block.
    ///
    /// # Errors
    /// If a frame does not fit the header, or cannot be passed on.
    pub fn take(&mut self, contents: TaskResult) -> Result<()> {
        match contents {
            TaskResult::Event(event) => self.event(event)?,
            TaskResult::Columns(columns, ends_frame) => self.columns(columns, ends_frame)?,
            TaskResult::Batches(FrameRows {
                batches,
                fault,
                losses,
                dropped,
                unfiltered,
                keys,
            }) => {
                self.reads_json |= !keys.is_empty() && !self.options.salvage;
                self.seen.extend(keys);
                let has_whole_rows = |batch: &RecordBatch| {
                    let schema = batch.schema_ref();
                    schema.fields().iter().any(|field| is_row(field))
                };
                self.reads_whole_rows |= batches.iter().any(has_whole_rows);
                self.salvage.keep(unfiltered, losses);
                self.dropped |= dropped;
                batches
                    .into_iter()
                    .try_for_each(|batch| self.batch(batch))?;
                self.fault = self.fault.take().or(fault);
            }
            TaskResult::Batch(batch, bytes) => self.free_batch(batch, bytes)?,
            TaskResult::Stored(stored, rows) => {
                self.salvage.keep(rows as u64, Vec::new());
                self.compare_columns(|| {
                    let header = stored.v2()?;
                    let fields = header.fields().ok()?;
                    table_names(&Schema::new_with_metadata(fields, header.metadata.clone()))
                });
                self.emit_pending_text()?;
                self.emit_pending()?;
                self.emit(AssembledRows::Stored(stored), Vec::new())?;
            }
        }
        Ok(())
    }

    fn event(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Input(path) => self.same_columns.begin(path),
            Event::FrameEnd => self.emit_pending_text()?,
            Event::Note(note) => self.notes.push(note),
            Event::Lost(reason) => self.salvage.lose(reason),
            Event::Fault(fault) => self.salvage.fault(fault),
            Event::Ending(ending) => self.ending = Some(ending),
            Event::End(end) => self.notes.extend(self.salvage.conclude(Some(&end))),
        }
        Ok(())
    }

    /// Passes on the remaining rows.
    ///
    /// # Errors
    /// As for [`Self::take`], or if a selected column does not exist, or all frames were damaged.
    pub fn finish(mut self) -> Result<End> {
        self.notes.extend(self.salvage.conclude(None));
        let has_rows = self.frames > 0 || self.builder.rows() > 0;
        if let Some(error) = self.salvage.failure().filter(|_| !has_rows) {
            return Err(error);
        }
        self.emit_pending()?;
        if self.builder.rows() > 0 || self.frames == 0 {
            self.emit_text()?;
        }
        if let Some(ending) = &mut self.ending {
            ending.tail.splice(..0, self.builder.tail().iter().copied());
        }
        self.notes.extend(self.not_utf8.iter().map(|name| {
            format!(
                "column {name:?} is not UTF-8 and becomes bytes, which print as hex; to keep its \
                 text, name the encoding, for example --encoding windows-1252"
            )
        }));
        // A column may be in rows that were not read.
        if self.options.reads_all_rows() {
            let seen: Vec<_> = self.seen.into_iter().collect();
            if self.reads_whole_rows {
                self.options.text.require_fixed(&seen)?;
            } else if self.reads_json {
                self.options.text.require_columns(&seen)?;
            } else if !seen.is_empty() {
                self.options.text.require_selected(&seen)?;
            }
        }
        Ok(End {
            notes: self.notes,
            odd_keys: self.odd_keys,
            ending: self.ending,
            loss: self.salvage.loss(),
            failure: self.fault,
        })
    }

    /// Passes on the remaining rows before an error ends the pipeline.
    ///
    /// # Errors
    /// As for [`Self::take`].
    pub fn flush(mut self) -> Result<()> {
        self.emit_pending()?;
        self.emit_pending_text()
    }

    fn columns(&mut self, columns: Columns, ends_frame: bool) -> Result<()> {
        self.emit_pending()?;
        self.compare_columns(|| {
            let names = columns
                .names
                .iter()
                .enumerate()
                .map(|(at, name)| display_name(name, at));
            (columns.origin == Origin::Records).then(|| names.collect())
        });
        // If columns are chosen by name, CSV whose records may become longer has not been checked for them yet.
        let is_wider = columns.names.len() > self.seen.len();
        if columns.origin == Origin::Records && self.options.text.columns.is_some() && is_wider {
            let names = columns.names.iter().enumerate();
            self.seen
                .extend(names.map(|(at, name)| display_name(name, at)));
        }
        if columns.origin > Origin::Records {
            self.reads_json = true;
            self.reads_whole_rows |= columns.origin == Origin::Values;
            self.odd_keys.add(&columns);
            let unread_keys = columns.odd_keys.iter().flat_map(|keys| &keys.unread_keys);
            for name in columns.names.iter().chain(unread_keys) {
                if !self.seen.contains(name) {
                    self.seen.insert(name.clone());
                }
            }
        }
        if self.options.casts_bytes {
            for (name, column) in columns.names.iter().zip(&columns.columns) {
                if matches!(&column.values, Values::Text(strings) if !strings.utf8) {
                    self.not_utf8.insert(name.clone());
                }
            }
        }
        if self.builder.is_of_other_kind(&columns) {
            self.emit_pending_text()?;
            self.builder.change_kind();
        }
        let is_free = matches!(self.options.frame_size, FrameSize::TextBytes(_))
            && self.options.header == HeaderMode::Own
            && self.options.text.columns.is_none();
        if is_free && self.builder.rows() > 0 && self.builder.cells_with(&columns) > MOST_CELLS {
            self.emit_text()?;
            self.builder.forget();
        }
        self.builder.push(columns);
        if ends_frame { self.emit_text() } else { Ok(()) }
    }

    /// Compares the columns of an input with the columns of earlier inputs, unless columns were selected.
    fn compare_columns(&mut self, names: impl FnOnce() -> Option<Vec<String>>) {
        if self.options.text.columns.is_none() {
            self.notes.extend(self.same_columns.compare(names));
        }
    }

    fn emit_text(&mut self) -> Result<()> {
        let builder = self.builder.take();
        let names = builder.shown_names();
        self.emit(AssembledRows::Text(builder), names)
    }

    /// Ends the pending frame of text rows, because another frame follows or the input pauses.
    fn emit_pending_text(&mut self) -> Result<()> {
        if self.builder.rows() > 0 {
            self.emit_text()
        } else {
            Ok(())
        }
    }

    /// Adds a batch of typed columns. It becomes a frame of its own, unless frames have a fixed number of
    /// rows: then it joins the pending rows if these have the same schema and the batch does not begin a text
    /// with another head.
    fn batch(&mut self, batch: RecordBatch) -> Result<()> {
        let schema = batch.schema();
        if self.options.casts_bytes && provenance(schema.metadata()) == Provenance::Csv {
            let is_held = |field: &&FieldRef| Type::held(field).is_some();
            let held = schema.fields().iter().filter(is_held);
            self.not_utf8.extend(held.map(|field| field.name().clone()));
        }
        let head = schema.metadata().get(HEAD);
        if head.is_some() {
            self.same_columns.next_stream();
        }
        self.compare_columns(|| table_names(&schema));
        self.emit_pending_text()?;
        let FrameSize::Rows(frame_rows) = self.options.frame_size else {
            self.emit_pending()?;
            let batches = vec![batch];
            return self.emit_frame(Frame { schema, batches });
        };
        let shared = headless(batch.slice(0, 0)).schema();
        let shares_frames = self.batches.as_ref().is_some_and(|(of_first, first_head)| {
            *of_first == shared && (head.is_none() || head == first_head.as_ref())
        });
        if !shares_frames {
            self.emit_pending()?;
            self.batches = Some((shared, head.cloned()));
        }
        let frame_rows = usize::try_from(frame_rows).unwrap_or(usize::MAX);
        let full = self.pending.fill(batch, frame_rows)?;
        full.into_iter()
            .try_for_each(|frame| self.emit_frame(frame))
    }

    /// Takes a batch that is not a frame, as in Arrow IPC.
    fn free_batch(&mut self, batch: RecordBatch, bytes: usize) -> Result<()> {
        self.compare_columns(|| table_names(batch.schema_ref()));
        let most = match self.options.frame_size {
            FrameSize::Rows(_) => return self.batch(batch),
            FrameSize::TextBytes(most) => most,
            FrameSize::Whole => u64::MAX,
        };
        self.emit_pending_text()?;
        let schema = self.pending.schema();
        if schema.is_some_and(|schema| schema != batch.schema()) {
            self.emit_pending()?;
        }
        if let Some(full) = self.pending.make_room(&batch)? {
            self.pending_bytes = 0;
            self.emit_frame(full)?;
        }
        let rows = batch.num_rows();
        let parts = (bytes as u64).div_ceil(most).clamp(1, rows.max(1) as u64);
        let part_rows = rows.div_ceil(parts as usize).max(1);
        for start in (0..rows.max(1)).step_by(part_rows) {
            let part = batch.slice(start, part_rows.min(rows - start));
            self.pending_bytes += bytes as u64 / parts;
            self.pending.push(part);
            if self.pending_bytes >= most / 2 {
                self.emit_pending()?;
            }
        }
        Ok(())
    }

    fn emit_pending(&mut self) -> Result<()> {
        self.pending_bytes = 0;
        self.pending
            .take()
            .map_or(Ok(()), |frame| self.emit_frame(frame))
    }

    /// Emits a frame, cut into smaller batches if these are requested.
    fn emit_frame(&mut self, mut frame: Frame) -> Result<()> {
        let names = names(&frame.schema);
        if let Some(most) = self.options.batch_rows {
            let slices = frame.batches.iter().flat_map(|batch| {
                let rows = most.min(rows_of_bytes(batch, SLICE_BYTES));
                // A batch without rows still has column names.
                let starts = (0..batch.num_rows().max(1)).step_by(rows);
                starts.map(move |start| batch.slice(start, rows.min(batch.num_rows() - start)))
            });
            frame.batches = slices.collect();
        }
        self.emit(AssembledRows::Batches(frame), names)
    }

    fn emit(&mut self, rows: AssembledRows, names: Vec<String>) -> Result<()> {
        let fits = match self.options.header {
            // Each frame will have the columns that are wanted.
            _ if self.options.text.columns.is_some() => true,
            HeaderMode::Own => true,
            HeaderMode::First => false,
            HeaderMode::Text => {
                let is_first = self.frames == 0 && self.header.is_some();
                (self.continues_text(&rows) || is_first) && self.keeps_header(&rows, &names)
            }
        };
        let order = if fits { None } else { self.order(names)? };
        self.frames += 1;
        (self.emit)(AssembledFrame {
            rows,
            order,
            has_all_rows: !std::mem::take(&mut self.dropped),
        })
    }

    /// True if the rows continue the text of the first rows.
    fn continues_text(&mut self, rows: &AssembledRows) -> bool {
        let frame = match rows {
            AssembledRows::Batches(frame) => frame,
            // There is only one text.
            AssembledRows::Text(_) => return self.frames > 0,
            AssembledRows::Stored(_) => return false,
        };
        let metadata = frame.schema.metadata();
        let text = metadata.get(TEXT);
        if self.frames == 0 {
            self.text = text.cloned();
        } else if self.text.as_ref() != text || metadata.contains_key(HEAD) {
            self.text = None;
        }
        self.frames > 0 && self.text.is_some()
    }

    /// True if rows that continue a text have the columns in its header. They have others if they come from another text
    /// in the same style and columns were selected from it; then they have no head either.
    fn keeps_header(&self, rows: &AssembledRows, names: &[String]) -> bool {
        let (Some(header), AssembledRows::Batches(_)) = (&self.header, rows) else {
            return true;
        };
        let text = || self.text.as_deref().and_then(Dialect::from_metadata);
        let least = || text().and_then(|text| text.least_width());
        header == names
            || least().is_some_and(|width| header.iter().take(width).eq(names.iter().take(width)))
    }

    /// The positions of the header's columns in `names`; the first names become the header.
    fn order(&mut self, names: Vec<String>) -> Result<Option<Vec<usize>>> {
        let Some(header) = &self.header else {
            self.header = Some(names);
            return Ok(None);
        };
        if *header == names {
            return Ok(None);
        }
        if let Some(new) = names.iter().find(|name| !header.contains(name)) {
            return Err(Error::input(format!(
                "column {new:?} appears too late: the header is already written"
            ))
            .hint(format!(
                "--columns '*' reads the input twice to find all columns; or choose them with --columns {}, or use --to \
                 ndjson, which needs no header",
                shell_word(&format!("{},{new}", header.join(",")))
            )));
        }
        let place = |name: &String| {
            names.iter().position(|found| found == name).ok_or_else(|| {
                Error::input(format!("frame {} has no column {name:?}", self.frames)).hint(format!(
                    "choose columns that every frame has, such as --columns {}",
                    names.join(",")
                ))
            })
        };
        header.iter().map(place).collect::<Result<_>>().map(Some)
    }
}

/// The names of the columns; `None` for rows of JSON, which may all have different keys.
fn table_names(schema: &Schema) -> Option<Vec<String>> {
    (provenance(schema.metadata()) != Provenance::Json).then(|| names(schema))
}

/// The number of rows of a batch that take approximately `bytes` bytes.
fn rows_of_bytes(batch: &RecordBatch, bytes: usize) -> usize {
    let total: usize = batch.columns().iter().map(printed_bytes).sum();
    (batch.num_rows().saturating_mul(bytes) / total.max(1)).max(LEAST_SLICE_ROWS)
}

fn names(schema: &Schema) -> Vec<String> {
    shown_names(schema.fields()).collect()
}
