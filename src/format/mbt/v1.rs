//! Writes frames of version 1.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_schema::FieldRef;

use super::assembly::Assembly;
use super::{EncodedFrame, Segments, runs};
use crate::columns::cannot_hold;
use crate::columns::cast::{Provenance, Target, cast_column, ensure_no_bare_rows};
use crate::columns::zeroed::zeroed_array;
use crate::error::{Error, Result};
use crate::format::absent_keys::AbsentKeys;
use crate::format::frame::{
    MaybeTyped, TypedColumn, UntypedFrame, all_typed, provenance, with_hidden,
};
use crate::format::scratch_pool::ScratchPool;
use crate::format::write::{Job, Sink, WriteOptions, Writer};
use crate::schema::keys::is_hidden;
use crate::schema::{Type, display_name};
use crate::stream::{Codec, Compression, Compressor, Ending, Entry, FrameColumn, StoredFrame};
use crate::wire::rope::Rope;
use crate::wire::v1::{self, EncodeOptions};
use crate::wire::workers::Workers;

/// Writes frames of version 1.
pub struct FrameWriter {
    encode: EncodeOptions,
    compression: Compression,
    cast: Target,
    segments: Segments,
    scratch: ScratchPool<Scratch>,
    absent_keys: AbsentKeys,
    expects_frames: bool,
    /// Frames and rows written so far.
    frames: AtomicU64,
    rows: AtomicU64,
}

/// Memory that a thread reuses between jobs.
struct Scratch {
    encoder: v1::Encoder,
    compressor: Compressor,
    plain: Vec<u8>,
}

/// The encoded columns of a job, and their fields.
type EncodedColumns = (Rope, Vec<FieldRef>);

impl FrameWriter {
    pub fn new(options: &WriteOptions<'_>, encode: EncodeOptions) -> Self {
        Self {
            encode,
            compression: options.frames.compression,
            cast: options.cast.unwrap_or(Target::Wire1),
            segments: Segments::new(options),
            scratch: ScratchPool::default(),
            absent_keys: AbsentKeys::default(),
            expects_frames: options.frames.expects_frames,
            frames: AtomicU64::new(0),
            rows: AtomicU64::new(0),
        }
    }

    fn scratch(&self) -> Scratch {
        Scratch {
            encoder: v1::Encoder::new(self.encode),
            compressor: Compressor::new(self.compression),
            plain: Vec::new(),
        }
    }

    /// A note that other readers may see only the first frame: the specification of version 1 allows a single
    /// message, and its reference reader ignores what follows.
    fn note_of_frames(&self) -> Option<String> {
        let [frames, rows] = [&self.frames, &self.rows].map(|it| it.load(Ordering::Relaxed));
        (frames > 1 && !self.expects_frames).then(|| {
            format!(
                "the output has {frames} frames, and other readers of wire 1 may read only the first; \
                 --frame-rows {rows} makes it one"
            )
        })
    }

    /// Joins parts into a frame.
    fn join(
        &self,
        scratch: &mut Scratch,
        rows: usize,
        parts: Vec<EncodedColumns>,
    ) -> Result<EncodedFrame<'_>> {
        let (mut bytes, fields): (Vec<Rope>, Vec<_>) = parts.into_iter().unzip();
        let plain_len = bytes.iter().map(Rope::len_bytes).sum();
        if self.compression.codec() != Codec::None {
            let plain = &mut scratch.plain;
            plain.clear();
            for column in bytes.drain(..) {
                column.runs().for_each(|run| plain.extend_from_slice(run));
            }
            let mut out = Vec::new();
            scratch.compressor.compress(plain, &mut out)?;
            bytes.push(Rope::new(out));
        }
        let indexed = self.segments.lists_all.then(|| {
            let columns = fields
                .iter()
                .flatten()
                .map(|field| FrameColumn::new(field, None));
            let runs = bytes.iter().flat_map(Rope::runs);
            (Entry::new(runs, plain_len, rows), columns.collect())
        });
        Ok(EncodedFrame {
            segments: &self.segments,
            bytes,
            rows,
            indexed,
        })
    }
}

impl Writer for FrameWriter {
    fn plan(&self, frame: UntypedFrame, _first: bool) -> Result<Vec<Job<'_>>> {
        let (rows, from) = (frame.rows(), provenance(&frame.metadata));
        self.absent_keys.count_rows(rows, from);
        self.frames.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
        let columns = frame.columns.into_iter();
        let mut columns = with_hidden(columns.filter(|column| !column.is_patch()));
        if columns.is_empty() && rows == 0 {
            // Version 1 needs a column, so an empty text is stored as one unnamed column without rows, which writers of
            // text turn back into an empty text.
            columns.push(vec![MaybeTyped::empty(Type::Utf8.field(""))]);
        }
        let mut header = Vec::new();
        v1::header(rows, columns.len(), &mut header)?;
        let is_alone = columns.len() == 1;
        let columns = columns.into_iter();
        let runs = runs(columns.map(|group| (group[0].len_bytes(), group)));
        // Only a codec or an index needs the whole frame in one piece.
        let in_one = self.compression.codec() != Codec::None || self.segments.lists_all;
        let assembly = in_one.then(|| Arc::new(Assembly::new(runs.len())));
        Ok(runs
            .into_iter()
            .enumerate()
            .map(|(place, run)| {
                let job = ColumnJob {
                    writer: self,
                    columns: run.columns,
                    position: run.position,
                    rows,
                    is_alone,
                    from,
                    header: std::mem::take(&mut header),
                    assembly: assembly.clone().map(|assembly| (assembly, place)),
                };
                let encode = move |scratch: &mut Scratch| job.encode(scratch);
                let work = move |_: &dyn Workers| {
                    let encoded = self.scratch.with(|| self.scratch(), encode)?;
                    Ok(encoded.map(EncodedFrame::into_encoded))
                };
                Box::new(work) as Job<'_>
            })
            .collect())
    }

    fn copy(&self, frame: StoredFrame) -> Result<Job<'_>> {
        Ok(self.segments.copy(frame))
    }

    fn finish(&self, ending: Option<Ending>, out: &mut dyn Sink) -> Result<Vec<String>> {
        let mut notes = self.segments.finish(ending, out)?;
        notes.extend(self.absent_keys.note());
        notes.extend(self.note_of_frames());
        Ok(notes)
    }
}

/// Adjacent columns of a frame.
struct ColumnJob<'w> {
    writer: &'w FrameWriter,
    /// Each column with its hidden column, if any.
    columns: Vec<Vec<MaybeTyped>>,
    /// The position of the first.
    position: usize,
    /// Number of rows in the frame.
    rows: usize,
    /// True if the frame has a single column.
    is_alone: bool,
    from: Provenance,
    /// The bytes before the columns.
    header: Vec<u8>,
    /// The assembly of the frame, if it is needed in one piece, and the job's position in it.
    assembly: Option<(Arc<Assembly<EncodedColumns>>, usize)>,
}

impl<'w> ColumnJob<'w> {
    /// Encodes the columns. Returns the frame, or the part of it that can be written; `None` if another job completes it.
    fn encode(self, scratch: &mut Scratch) -> Result<Option<EncodedFrame<'w>>> {
        let writer = self.writer;
        let mut bytes = Rope::new(self.header);
        let mut fields = Vec::with_capacity(self.columns.len());
        for (position, group) in (self.position..).zip(self.columns) {
            // Version 1 has no hidden columns that show where a key was absent, and the header does not count them.
            let (hidden, shown): (Vec<_>, Vec<_>) = all_typed(group)?
                .into_iter()
                .partition(|column| is_hidden(&column.field));
            let gap = hidden.into_iter().next();
            let gap = gap.map(TypedColumn::into_arrays).unwrap_or_default();
            for column in shown {
                let field = Arc::clone(&column.field);
                let named = |error: Error| error.in_column(display_name(field.name(), position));
                let arrays = column.into_arrays();
                if self.from == Provenance::Json {
                    let absent_keys = &writer.absent_keys;
                    absent_keys.count_column(position, &field, arrays.iter(), gap.iter());
                }
                let (written, arrays) =
                    cast_column(&field, arrays, writer.cast, self.from).map_err(named)?;
                // Clear the values under nulls, which depend on the route: a cast leaves its result there,
                // Parquet its own filler.
                let arrays: Vec<_> = arrays
                    .iter()
                    .map(|array| zeroed_array(array, &written, None))
                    .collect::<std::result::Result<_, _>>()
                    .map_err(|error| named(cannot_hold(error)))?;
                if self.is_alone {
                    ensure_no_bare_rows(&field, &written)?;
                }
                let encoder = &mut scratch.encoder;
                encoder.column(&written, position, &arrays, self.rows, &mut bytes)?;
                fields.push(written);
            }
        }
        let Some((assembly, place)) = self.assembly else {
            return Ok(Some(EncodedFrame {
                segments: &writer.segments,
                bytes: vec![bytes],
                rows: if self.position == 0 { self.rows } else { 0 },
                indexed: None,
            }));
        };
        let parts = assembly.put(place, (bytes, fields));
        let frame = parts.map(|parts| writer.join(scratch, self.rows, parts));
        frame.transpose()
    }
}
