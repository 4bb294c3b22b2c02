//! Writes frames of version 2.
//!
//! The jobs of a frame encode its columns; the thread that adds the last one joins them into the frame.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, FieldRef, Fields, Metadata, Schema};

use super::assembly::Assembly;
use super::encoding_choices::{EncodingChoices, Role};
use super::round_trip_check::RoundTripCheck;
use super::{EncodedFrame, Segments, runs};
use crate::columns::cast::{Provenance, Target};
use crate::columns::nested::KeyOrder;
use crate::error::Result;
use crate::format::exact::{Dialect, Fidelity, Patches, Printer, USUAL_HEAD, pack, patch_column};
use crate::format::frame::{MaybeTyped, TypedColumn, UntypedFrame, provenance};
use crate::format::write::{Encoded, Job, Sink, TextRetention, WriteOptions, Writer};
use crate::schema::keys::{HASH, HEAD, PATCHES, TEXT, is_foreign, is_patch, text_format};
use crate::stream::{Ending, Entry, FramePlace, HashKind, StoredFrame};
use crate::wire::rope::Rope;
use crate::wire::v2::{self, BufferGroups, EncodedColumn, GroupableColumn, Plan, PriorFrames};
use crate::wire::workers::{Workers, try_map};

/// A column of more bytes than this, in a frame whose text is kept for comparison, has records so long that memory
/// matters more than time. Frames of usual records have about as many bytes of text in all columns.
const LONG_BYTES: usize = 16 << 20;

/// Writes frames of version 2.
pub struct FrameWriter {
    encode: v2::EncodeOptions,
    /// How much of the text to keep in addition to its values.
    fidelity: Fidelity,
    hash: HashKind,
    cast: Option<Target>,
    choices: EncodingChoices,
    /// The size of the frames so far, in plain bytes.
    planned_bytes: AtomicUsize,
    segments: Segments,
}

/// The state shared by the jobs of a frame.
pub struct FrameContext<'w> {
    writer: &'w FrameWriter,
    pub(super) encoder: v2::Encoder<'static>,
    rows: usize,
    extras: FrameExtras,
    /// Its role among the frames that find out which buffers share a section, unless each finds out for itself.
    groups: Option<Role<BufferGroups>>,
    /// The columns of all jobs. The job that adds the last ones encodes the columns that need others.
    columns: Assembly<Vec<PendingColumn>>,
    /// The columns, and the patches of each batch if the text is compared.
    assembly: Assembly<FramePart>,
}

/// The parts of a frame in addition to its columns.
struct FrameExtras {
    metadata: Metadata,
    /// Number of rows in every batch.
    batch_rows: Vec<usize>,
    /// The patches of records that are known to print differently.
    patches: Option<(FieldRef, Vec<ArrayRef>)>,
    /// The source of the columns.
    from: Provenance,
}

/// A part of a frame.
pub enum FramePart {
    /// All columns.
    Columns(Vec<EncodedColumn>),
    /// The patches of a batch.
    Patches(Patches),
}

impl FrameWriter {
    pub fn new(options: &WriteOptions<'_>, encode: v2::EncodeOptions) -> Self {
        Self {
            encode,
            fidelity: options.fidelity,
            hash: options.frames.hash,
            cast: options.cast,
            choices: EncodingChoices::default(),
            planned_bytes: AtomicUsize::new(0),
            segments: Segments::new(options),
        }
    }

    /// Returns what a frame stores in addition to its columns, and removes the patches from its columns.
    fn extras(&self, frame: &mut UntypedFrame) -> FrameExtras {
        let kept = match self.fidelity {
            Fidelity::Values | Fidelity::Style => &[TEXT][..],
            Fidelity::Records | Fidelity::Bytes => &[TEXT, HEAD, HASH],
        };
        // The head may be long, so it is not copied.
        let from = provenance(&frame.metadata);
        let mut metadata = std::mem::take(&mut frame.metadata);
        metadata.retain(|key, _| kept.contains(&key.as_str()) || is_foreign(key));
        let mut metadata = with_head(metadata, frame);
        if self.hash != HashKind::default() && metadata.contains_key(HEAD) {
            // The kind of hash must be known when the text is printed, before the index is read.
            metadata.insert(HASH.to_owned(), self.hash.key().to_owned());
        }
        if self.fidelity == Fidelity::Values
            && let Some(format) = text_format(&metadata)
        {
            // Keep the name of the format, which shows that columns came from text.
            let format = format.to_owned();
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
        FrameExtras {
            from,
            metadata,
            batch_rows: frame.batch_rows.clone(),
            patches: patches.filter(|(_, arrays)| {
                let any = arrays.iter().any(|array| array.null_count() < array.len());
                any && self.fidelity > Fidelity::Style
            }),
        }
    }
}

impl<'w> FrameContext<'w> {
    /// Adds a part. Returns the frame when all parts are there.
    pub(super) fn put(
        &self,
        place: usize,
        part: FramePart,
        workers: &dyn Workers,
    ) -> Result<Option<EncodedFrame<'w>>> {
        let parts = self.assembly.put(place, part);
        parts.map(|parts| self.join(parts, workers)).transpose()
    }

    /// What earlier frames have found out about a column.
    fn prior<'a>(&'a self, number: usize, role: Option<&'a Role<Plan>>) -> PriorFrames<'a> {
        PriorFrames {
            number,
            plan: role.and_then(Role::followed),
            groups: self.groups.as_ref().and_then(Role::known),
        }
    }

    /// Encodes the columns that are not encoded yet.
    fn group(
        &self,
        columns: Vec<PendingColumn>,
        workers: &dyn Workers,
    ) -> Result<Vec<EncodedColumn>> {
        let (columns, roles): (Vec<_>, Vec<_>) = columns
            .into_iter()
            .map(|pending| (pending.column, (pending.number, pending.role)))
            .unzip();
        let priors = roles
            .iter()
            .map(|(number, role)| self.prior(*number, role.as_ref()));
        let columns = columns.into_iter().zip(priors).collect();
        let columns = self.encoder.on(workers).group(columns)?;
        for (column, (_, role)) in columns.iter().zip(&roles) {
            if let Some(role) = role {
                role.result(|| column.plan(role.followed()));
            }
        }
        Ok(columns)
    }

    /// Joins the parts into a frame.
    fn join(&self, parts: Vec<FramePart>, workers: &dyn Workers) -> Result<EncodedFrame<'w>> {
        let mut columns = Vec::new();
        let mut patches = Vec::new();
        for part in parts {
            match part {
                FramePart::Columns(all) => columns = all,
                FramePart::Patches(of_batch) => patches.push(of_batch),
            }
        }
        let extras = &self.extras;
        let mut metadata = Cow::Borrowed(&extras.metadata);
        let found = patch_column(&extras.batch_rows, patches);
        let found = found.map(|(field, arrays)| (field.into(), arrays));
        if let Some((field, arrays)) = extras.patches.clone().or(found) {
            match pack(&arrays) {
                Some(packed) => drop(metadata.to_mut().insert(PATCHES.to_owned(), packed)),
                None => columns.push(self.encoder.on(workers).column(
                    &field,
                    arrays,
                    PriorFrames::default(),
                )?),
            }
        }
        let groups = self.groups.as_ref();
        let groups = groups.and_then(|role| role.result(|| BufferGroups::find(&columns, workers)));
        let mut out = Vec::new();
        let plain_len = self
            .encoder
            .on(workers)
            .envelope(self.rows, &metadata, columns, groups, &mut out)?;
        let (place, listed) = FramePlace::of(&v2::Envelope::read(&out, u64::MAX)?)?;
        let entry = Entry::new(std::iter::once(&out[..]), plain_len, self.rows);
        Ok(EncodedFrame {
            segments: &self.writer.segments,
            bytes: vec![Rope::new(out)],
            rows: self.rows,
            indexed: Some((Entry { place, ..entry }, listed)),
        })
    }
}

impl Writer for FrameWriter {
    fn plan(&self, mut frame: UntypedFrame, _first: bool) -> Result<Vec<Job<'_>>> {
        let rows = frame.rows();
        let extras = self.extras(&mut frame);
        let texts = frame
            .texts
            .take()
            .filter(|_| self.fidelity > Fidelity::Style);
        let order = frame.order;
        let len = frame.columns.iter().map(MaybeTyped::len_bytes).sum();
        let before = self.planned_bytes.fetch_add(len, Ordering::Relaxed);
        let options = self.encode.for_frame(len, before);
        let encoder = v2::Encoder::new(options).in_segment();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let runs = runs(frame.columns.into_iter().map(|column| {
            let next = numbers.entry(column.name().to_owned()).or_default();
            let number = *next;
            *next += 1;
            let roles = || self.choices.column(column.name(), number);
            let roles = options.follows_plans().then(roles);
            let len = column.len_bytes();
            let planned = PlannedColumn {
                column,
                number,
                roles,
            };
            (len, planned)
        }));
        let jobs = runs.len();
        // A frame is complete when all columns are encoded and the check has added the patches of every batch.
        let mut parts = 1;
        let check = texts.map(|texts| {
            let batch_rows = extras.batch_rows.clone();
            parts += batch_rows.len();
            Arc::new(RoundTripCheck::new(texts, order, batch_rows, jobs))
        });
        let frame = Arc::new(FrameContext {
            writer: self,
            encoder,
            rows,
            extras,
            groups: options.follows_plans().then(|| self.choices.frame()),
            columns: Assembly::new(jobs),
            assembly: Assembly::new(parts),
        });
        let mut all: Vec<Job<'_>> = Vec::new();
        // The largest come first, so that the last jobs, which some threads wait for, are short. But columns of long
        // records come last: the text is compared and dropped once all columns have types, before these are encoded.
        let mut runs: Vec<_> = runs.into_iter().enumerate().collect();
        let is_long = |len_bytes| check.is_some() && len_bytes > LONG_BYTES;
        runs.sort_by_key(|(_, run)| (is_long(run.len_bytes), Reverse(run.len_bytes)));
        for (place, run) in runs {
            let job = ColumnJob {
                frame: Arc::clone(&frame),
                columns: run.columns,
                place,
                check: check.clone(),
            };
            all.push(Box::new(move |workers| job.encode(workers)));
        }
        Ok(all)
    }

    fn joins_jobs(&self) -> bool {
        true
    }

    fn is_alone(&self) -> bool {
        !self.encode.follows_plans()
    }

    fn copy(&self, frame: StoredFrame) -> Result<Job<'_>> {
        Ok(self.segments.copy(frame))
    }

    fn finish(&self, ending: Option<Ending>, out: &mut dyn Sink) -> Result<Vec<String>> {
        self.segments.finish(ending, out)
    }

    fn source_text(&self) -> TextRetention {
        if self.fidelity > Fidelity::Style {
            TextRetention::Stored
        } else {
            TextRetention::Dropped
        }
    }
}

/// A column of a frame.
struct PlannedColumn {
    column: MaybeTyped,
    /// Its number among those with the same name.
    number: usize,
    /// Its role in the search for encodings, and that of the hidden column that may follow it, unless every frame is
    /// searched.
    roles: Option<[Role<Plan>; 2]>,
}

/// A column that may still need another one.
struct PendingColumn {
    column: GroupableColumn,
    number: usize,
    role: Option<Role<Plan>>,
}

/// Adjacent columns of a frame.
struct ColumnJob<'w> {
    frame: Arc<FrameContext<'w>>,
    columns: Vec<PlannedColumn>,
    /// The number of the job in the frame.
    place: usize,
    /// The check of the frame's text, if it must be compared.
    check: Option<Arc<RoundTripCheck>>,
}

impl<'w> ColumnJob<'w> {
    fn encode(self, workers: &dyn Workers) -> Result<Option<Encoded<'w>>> {
        let Self {
            frame,
            columns,
            place,
            mut check,
        } = self;
        let mut typed = Vec::with_capacity(columns.len());
        let mut all_roles = Vec::with_capacity(columns.len());
        let mut order = KeyOrder::Kept;
        for PlannedColumn {
            column,
            number,
            roles,
        } in columns
        {
            let mut roles = roles.into_iter().flatten();
            for column in column.typed()? {
                let column: TypedColumn = match frame.writer.cast {
                    Some(target) => column.cast(target, frame.extras.from)?,
                    None => column,
                };
                all_roles.push((number, roles.next()));
                order = order.max(column.order);
                typed.push((Arc::clone(&column.field), column.into_arrays()));
            }
        }
        let mut encoded = None;
        if let Some(whole) = &check
            && whole.put(place, typed.clone(), order)?
        {
            // Compare immediately, since the text takes as much memory as the columns.
            encoded = compare(&frame, whole, workers)?;
            check = None;
        }
        let mut pending = Vec::with_capacity(typed.len());
        for ((field, arrays), (number, role)) in typed.into_iter().zip(all_roles) {
            let prior = frame.prior(number, role.as_ref());
            let column = frame
                .encoder
                .on(workers)
                .groupable_column(field, arrays, prior)?;
            if let (Some(role), Some(column)) = (&role, column.done()) {
                // Later frames may be waiting.
                role.result(|| column.plan(role.followed()));
            }
            pending.push(PendingColumn {
                column,
                number,
                role,
            });
        }
        if let Some(all) = frame.columns.put(place, pending) {
            let columns = frame.group(all.into_iter().flatten().collect(), workers)?;
            encoded = frame.put(0, FramePart::Columns(columns), workers)?;
        }
        if let Some(check) = &check {
            encoded = compare(&frame, check, workers)?.or(encoded);
        }
        Ok(encoded.map(EncodedFrame::into_encoded))
    }
}

/// Compares batches with their texts as long as any remain. Returns the frame if that completes it.
fn compare<'w>(
    frame: &FrameContext<'w>,
    check: &RoundTripCheck,
    workers: &dyn Workers,
) -> Result<Option<EncodedFrame<'w>>> {
    let mut last = None;
    let found = try_map(workers, vec![(); check.left()], |()| check.compare_next())?;
    for (batch, patches) in found.into_iter().flatten() {
        last = frame.put(1 + batch, FramePart::Patches(patches), workers)?;
    }
    Ok(last)
}

/// The metadata of a text. The head is written out only if it differs from the default head of the style.
fn with_head(mut metadata: Metadata, frame: &UntypedFrame) -> Metadata {
    if let (Some(dialect), Some(head)) = (Dialect::of(&metadata), metadata.get(HEAD)) {
        let fields = frame
            .columns
            .iter()
            .filter(|column| !column.is_patch())
            .map(|column| Field::new(column.name(), DataType::Null, true));
        let schema = Schema::new(fields.collect::<Fields>());
        let mut usual = Vec::new();
        Printer::new(&dialect, true).head(&schema, &mut usual);
        if !usual.is_empty() && head.as_bytes() == usual {
            metadata.insert(HEAD.to_owned(), USUAL_HEAD.to_owned());
        }
    }
    metadata
}
