//! Frames: their columns are encoded apart.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, FieldRef, Fields, Metadata, Schema};

use super::columns::ColumnRun;
use super::grouped_columns::{Barrier, GroupJob, GroupedColumns};
use super::plans::Plans;
use super::round_trip_check::RoundTripCheck;
use super::{EncodeJob, Encoded, Fidelity, Scratch};
use crate::columns::cast::{Provenance, Target};
use crate::error::Result;
use crate::format::exact::{
    Dialect, Patches, Printer, SourceTexts, USUAL_HEAD, pack, patch_column,
};
use crate::format::frame::{MaybeTyped, UntypedFrame, provenance};
use crate::pipeline::Assembly;
use crate::schema::Type;
use crate::schema::keys::{HASH, HEAD, PATCHES, TEXT, is_hidden, is_patch};
use crate::stream::{
    Codec, Compression, Entry, FrameColumn, HashKind, OpenFrame, Place, StoredFrame,
};
use crate::wire::Envelope;
use crate::wire::rope::Rope;
use crate::wire::v1::{self, EncodeOptions};
use crate::wire::v2::{self, EncodedColumn};

/// Bytes that are worth a thread's attention: smaller columns are encoded together.
const UNIT_BYTES: usize = 64 << 10;

/// How frames are written.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    /// Version and encodings.
    pub wire: FrameEncoding,
    /// What wraps each frame; nothing wraps those of version 2.
    pub compression: Compression,
    /// An index follows the frames, even if some are of version 1.
    pub index: bool,
    /// The largest frame that is opened, in plain bytes.
    pub max_frame: u64,
    /// What is kept of the text besides its values, where there is a place for it.
    pub fidelity: Fidelity,
    /// The hash of the text in the index.
    pub hash: HashKind,
    /// What columns become.
    pub cast: Option<Target>,
}

/// A version of the wire format and how columns are encoded for it.
#[derive(Clone, Copy, Debug)]
pub enum FrameEncoding {
    /// Version 1.
    V1(EncodeOptions),
    /// Version 2.
    V2(v2::Options),
}

/// What the text of a frame has besides its values.
pub(super) struct Source {
    metadata: Metadata,
    /// Rows of every batch.
    batch_rows: Vec<usize>,
    /// Of the records that are known to print otherwise than they stand.
    patches: Option<(FieldRef, Vec<ArrayRef>)>,
    /// Where the columns came from.
    pub(super) from: Provenance,
}

/// What a frame is put together from.
pub(super) enum FramePart {
    /// Columns as they go on the wire, and what they are.
    V1(Rope, Vec<FieldRef>),
    /// Columns of version 2.
    V2(Vec<EncodedColumn>),
    /// Of the records of a batch that print otherwise than they stand.
    Patches(Patches),
}

impl Frames {
    /// What is kept of a text besides its values.
    pub(super) fn fidelity(&self) -> Fidelity {
        match self.wire {
            FrameEncoding::V1(_) => Fidelity::Values,
            FrameEncoding::V2(_) => self.fidelity,
        }
    }

    /// Cuts a frame into columns.
    pub(super) fn plan(mut self, mut frame: UntypedFrame, plans: &Plans) -> Result<Vec<EncodeJob>> {
        let rows = frame.rows();
        let is_alone = frame.columns.len() == 1;
        let source = Arc::new(self.source(&mut frame));
        let texts = frame
            .texts
            .take()
            .filter(|_| self.fidelity() > Fidelity::Style);
        let mut header = Vec::new();
        let mut follows = false;
        match &mut self.wire {
            FrameEncoding::V1(_) => {
                frame.columns.retain(|column| match column {
                    MaybeTyped::Typed(column) => !is_hidden(&column.field),
                    MaybeTyped::Untyped(_) => true,
                });
                frame = with_a_column(frame);
                v1::header(rows, frame.columns.len(), &mut header)?;
            }
            FrameEncoding::V2(options) => {
                let len = frame.columns.iter().map(MaybeTyped::len_bytes).sum();
                *options = options.for_frame(len);
                follows = options.follows_plans();
            }
        }
        let run = |position, len_bytes, columns| ColumnRun {
            frames: self,
            columns,
            len_bytes,
            position,
            rows,
            is_alone,
            source: Arc::clone(&source),
            header: Vec::new(),
            assembly: None,
            check: None,
            share: None,
        };
        let mut jobs: Vec<ColumnRun> = Vec::new();
        for (position, column) in frame.columns.into_iter().enumerate() {
            let len = column.len_bytes();
            let role = follows.then(|| plans.role(column.name()));
            match jobs.last_mut() {
                Some(job) if job.len_bytes + len < UNIT_BYTES => {
                    job.len_bytes += len;
                    job.columns.push((column, role));
                }
                _ => jobs.push(run(position, len, vec![(column, role)])),
            }
        }
        if jobs.is_empty() {
            jobs.push(run(0, 0, Vec::new()));
        }
        jobs[0].header = header;
        // Wire 1 needs to see a frame as a whole only for a codec and the index.
        let is_v2 = matches!(self.wire, FrameEncoding::V2(_));
        if is_v2 || self.compression.codec() != Codec::None || self.index {
            return Ok(self.in_one(jobs, &source, texts));
        }
        Ok(jobs.into_iter().map(EncodeJob::Columns).collect())
    }

    /// Takes what a frame has besides its values off it.
    fn source(&self, frame: &mut UntypedFrame) -> Source {
        let kept = match self.fidelity() {
            Fidelity::Values | Fidelity::Style => &[TEXT][..],
            Fidelity::Records | Fidelity::Bytes => &[TEXT, HEAD, HASH],
        };
        let metadata = frame.metadata.iter();
        let kept = metadata.filter(|(key, _)| kept.contains(&key.as_str()));
        let kept = kept.map(|(key, value)| (key.clone(), value.clone()));
        let mut metadata = with_head(kept.collect(), frame);
        if self.hash != HashKind::default() && metadata.contains_key(HEAD) {
            // Whoever prints the text takes the same hash, and the index comes too late to say which.
            metadata.insert(HASH.to_owned(), self.hash.key().to_owned());
        }
        if self.fidelity() == Fidelity::Values
            && let Some(text) = metadata.get(TEXT)
        {
            // The name of the format alone says that columns came from text.
            let format = text.split(' ').next().unwrap_or_default().to_owned();
            metadata.insert(TEXT.to_owned(), format);
        }
        let mut patches = None;
        let columns = std::mem::take(&mut frame.columns).into_iter();
        frame.columns = columns
            .filter_map(|column| match column {
                MaybeTyped::Typed(typed) if is_patch(&typed.field) => {
                    patches = Some((Arc::clone(&typed.field), typed.into_arrays()));
                    None
                }
                column => Some(column),
            })
            .collect();
        Source {
            from: provenance(&frame.metadata),
            metadata,
            batch_rows: frame.batch_rows.clone(),
            patches: patches.filter(|(_, arrays)| {
                let any = arrays.iter().any(|array| array.null_count() < array.len());
                any && self.fidelity() > Fidelity::Style
            }),
        }
    }

    /// Has the jobs put the frame together, the last one to be done all of it.
    fn in_one(
        self,
        mut jobs: Vec<ColumnRun>,
        source: &Arc<Source>,
        texts: Option<Arc<SourceTexts>>,
    ) -> Vec<EncodeJob> {
        let rows = jobs[0].rows;
        let mut parts = jobs.len();
        let check = texts.map(|texts| {
            let batch_rows = source.batch_rows.clone();
            parts += batch_rows.len();
            Arc::new(RoundTripCheck::new(texts, batch_rows, jobs.len()))
        });
        let assembly = Arc::new(Assembly::new(parts));
        let encoder = self.encoder().filter(v2::Encoder::groups_columns);
        let grouped = encoder.map(|_| Arc::new(GroupedColumns::new(jobs.len())));
        for (place, job) in jobs.iter_mut().enumerate() {
            job.assembly = Some((Arc::clone(&assembly), place));
            job.check.clone_from(&check);
            job.share = grouped.as_ref().map(Barrier::of);
        }
        let mut second_pass = Vec::new();
        if let Some(grouped) = grouped {
            second_pass.extend((0..jobs.len()).map(|place| {
                EncodeJob::GroupedColumns(GroupJob {
                    frames: self,
                    rows,
                    source: Arc::clone(source),
                    columns: Arc::clone(&grouped),
                    assembly: Arc::clone(&assembly),
                    place,
                })
            }));
        }
        let jobs = jobs.into_iter().map(EncodeJob::Columns);
        jobs.chain(second_pass).collect()
    }

    /// What encodes columns for version 2.
    pub(super) fn encoder(&self) -> Option<v2::Encoder> {
        match self.wire {
            FrameEncoding::V1(_) => None,
            FrameEncoding::V2(options) => Some(v2::Encoder::new(options).in_segment()),
        }
    }

    /// Puts a frame together; nothing as long as it is not complete.
    pub(super) fn join(
        self,
        scratch: &mut Scratch,
        rows: usize,
        source: &Source,
        parts: Option<Vec<FramePart>>,
    ) -> Result<Encoded> {
        let Some(parts) = parts else {
            return Ok(Encoded::default());
        };
        let mut bytes: Vec<Rope> = Vec::with_capacity(parts.len());
        let mut encoded = Vec::new();
        let mut indexed = Vec::new();
        let mut patches = Vec::new();
        for part in parts {
            match part {
                FramePart::Patches(of_batch) => patches.push(of_batch),
                FramePart::V1(rope, fields) => {
                    bytes.push(rope);
                    let columns = fields.iter().map(|field| FrameColumn::new(field, None));
                    indexed.extend(columns);
                }
                FramePart::V2(columns) => encoded.extend(columns),
            }
        }
        let mut place = None;
        let mut plain_len: usize = bytes.iter().map(Rope::len).sum();
        if let Some(writer) = self.encoder() {
            let mut out = Vec::new();
            let mut metadata = source.metadata.clone();
            let found = patch_column(&source.batch_rows, &patches);
            let found = found.map(|(field, arrays)| (field.into(), arrays));
            if let Some((field, arrays)) = source.patches.clone().or(found) {
                match pack(&arrays) {
                    Some(packed) => drop(metadata.insert(PATCHES.to_owned(), packed)),
                    None => encoded.push(writer.column(&field, arrays, None)?),
                }
            }
            plain_len = writer.envelope(rows, &metadata, encoded, &mut out)?;
            (place, indexed) = Place::of(&v2::Envelope::read(&out, u64::MAX)?)?;
            bytes.push(Rope::new(out));
        } else if self.compression.codec() != Codec::None {
            let plain = &mut scratch.plain;
            plain.clear();
            for column in bytes.drain(..) {
                column.runs().for_each(|run| plain.extend_from_slice(run));
            }
            let mut out = Vec::new();
            scratch.compressor.compress(plain, &mut out)?;
            bytes.push(Rope::new(out));
        }
        let entry = || Entry {
            place,
            ..Entry::new(bytes.iter().flat_map(Rope::runs), plain_len, rows)
        };
        Ok(Encoded {
            indexed: (self.index || matches!(self.wire, FrameEncoding::V2(_)))
                .then(|| (entry(), indexed)),
            bytes,
            rows,
            ..Encoded::default()
        })
    }

    /// Takes a frame as it is.
    pub(super) fn copy(self, scratch: &mut Scratch, stored: StoredFrame) -> Result<Encoded> {
        let mut encoded = Encoded {
            ..Encoded::default()
        };
        if self.index || v2::is_envelope(&stored.bytes) {
            let OpenFrame { plain, contents } = scratch.opener.open(&stored)?;
            let mut columns: Vec<FrameColumn> = Vec::new();
            let (mut rows, mut plain_len) = (0, 0);
            let mut place = None;
            for (range, envelope) in contents.envelopes {
                let found = match &envelope {
                    Envelope::V1(_) => columns_of_v1(&plain[range], &envelope)?,
                    Envelope::V2(envelope) => {
                        let (found, columns) = Place::of(envelope)?;
                        place = found;
                        columns
                    }
                };
                if columns.is_empty() {
                    columns = found;
                } else {
                    place = None;
                    // Nothing is said of rows that lie in several envelopes.
                    let known: Vec<_> = columns.iter().map(|column| column.name.clone()).collect();
                    columns.extend(
                        found
                            .into_iter()
                            .filter(|column| !known.contains(&column.name)),
                    );
                    for column in &mut columns {
                        column.known = None;
                    }
                }
                rows += envelope.rows();
                plain_len += envelope.plain_len() as usize;
            }
            let stored = std::iter::once(&stored.bytes[..]);
            let entry = Entry::new(stored, plain_len, rows);
            encoded.indexed = Some((Entry { place, ..entry }, columns));
        }
        encoded.bytes.push(Rope::new(stored.bytes));
        Ok(encoded)
    }
}

/// What the index says of the columns of a frame of version 1.
fn columns_of_v1(bytes: &[u8], envelope: &Envelope) -> Result<Vec<FrameColumn>> {
    let columns = envelope.columns(bytes)?.into_iter();
    let columns = columns.map(|column| FrameColumn::new(&column.field, None));
    Ok(columns.collect())
}

/// The metadata of a text, whose head is spelled out only if its style would print another one.
fn with_head(mut metadata: Metadata, frame: &UntypedFrame) -> Metadata {
    let dialect = metadata
        .get(TEXT)
        .and_then(|text| Dialect::from_metadata(text));
    if let (Some(dialect), Some(head)) = (dialect, metadata.get(HEAD)) {
        let columns = frame.columns.iter().filter(|column| !column.is_patch());
        let fields = columns.map(|column| Field::new(column.name(), DataType::Null, true));
        let schema = Schema::new(fields.collect::<Fields>());
        let mut usual = Vec::new();
        Printer::new(&dialect, true).head(&schema, &mut usual);
        if !usual.is_empty() && head.as_bytes() == usual {
            metadata.insert(HEAD.to_owned(), USUAL_HEAD.to_owned());
        }
    }
    metadata
}

/// Wire 1 needs a column, so an empty text is held as one unnamed column without rows; the writers
/// of text make nothing of it again.
fn with_a_column(mut frame: UntypedFrame) -> UntypedFrame {
    if frame.columns.is_empty() && frame.rows() == 0 {
        frame.columns.push(MaybeTyped::empty(Type::Utf8.field("")));
    }
    frame
}
