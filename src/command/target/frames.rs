//! Frames: their columns are encoded apart.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, FieldRef, Fields, Metadata, Schema};

use super::plans::{Plans, Role};
use super::proof::Proof;
use super::siblings::{Share, SiblingRun, Siblings};
use super::{Back, Printed, Scratch, Unit};
use crate::error::{Error, Result};
use crate::frame::{Codec, Compression, Entry, FrameColumn, Known, StoredFrame, envelopes};
use crate::pipeline::Assembly;
use crate::schema::{Type, display_name, is_told_by_name, type_name};
use crate::text::cast::wire_1;
use crate::text::exact::{
    Dialect, HEAD, PATCHES, Patches, Printer, TEXT, USUAL_HEAD, fold, patch_column,
};
use crate::text::frame::{Draft, DraftColumn};
use crate::text::nested::{is_hidden, is_patch};
use crate::wire::Envelope;
use crate::wire::rope::Rope;
use crate::wire::v1::{EncodeOptions, header};
use crate::wire::v2::{self, EncodedColumn};

/// Bytes that are worth a thread's attention: smaller columns are encoded together.
const UNIT_BYTES: usize = 64 << 10;

/// How frames are written.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    /// Version and encodings.
    pub wire: Wire,
    /// What wraps each frame; nothing wraps those of version 2.
    pub compression: Compression,
    /// An index follows the frames, even if some are of version 1.
    pub index: bool,
    /// The largest frame that is opened, in plain bytes.
    pub max_frame: u64,
    /// What is kept of the text besides its values, where there is a place for it.
    pub keeps: Back,
}

/// A version of the wire format and how columns are encoded for it.
#[derive(Clone, Copy, Debug)]
pub enum Wire {
    /// Version 1.
    V1(EncodeOptions),
    /// Version 2.
    V2(v2::Options),
}

/// Columns that follow each other in a frame.
pub struct ColumnRun {
    frames: Frames,
    columns: Vec<(DraftColumn, Option<Role>)>,
    /// The position of the first.
    position: usize,
    /// Rows of the frame.
    rows: usize,
    source: Arc<Source>,
    /// What comes before the columns.
    header: Vec<u8>,
    /// Where the frame is put together, if it is needed in one, and the place there.
    assembly: Option<(Arc<Assembly<Piece>>, usize)>,
    /// To be compared with how the batches print.
    proof: Option<Arc<Proof>>,
    /// There is a second round, which waits for these columns.
    share: Option<Share>,
}

/// What the text of a frame has besides its values.
pub(super) struct Source {
    metadata: Metadata,
    /// Rows of every batch.
    batch_rows: Vec<usize>,
    /// Of the records that are known to print otherwise than they stand.
    patches: Option<(FieldRef, Vec<ArrayRef>)>,
}

/// What a frame is put together from.
pub(super) enum Piece {
    /// Columns as they go on the wire, and what they are.
    V1(Rope, Vec<FieldRef>),
    /// Columns of version 2.
    V2(Vec<EncodedColumn>),
    /// Of the records of a batch that print otherwise than they stand.
    Patches(Patches),
}

impl Frames {
    /// What is kept of a text besides its values.
    pub(super) fn keeps(&self) -> Back {
        match self.wire {
            Wire::V1(_) => Back::Values,
            Wire::V2(_) => self.keeps,
        }
    }

    /// Cuts a frame into columns.
    pub(super) fn units(self, draft: Draft, plans: &Plans) -> Result<Vec<Unit>> {
        let rows = draft.rows();
        let mut draft = draft;
        let mut frames = self;
        let mut texts = None;
        let kept = match self.keeps() {
            Back::Values => &[][..],
            Back::Style => &[TEXT],
            Back::Bytes => &[TEXT, HEAD],
        };
        let metadata = draft.metadata.iter();
        let kept = metadata.filter(|(key, _)| kept.contains(&key.as_str()));
        let kept = kept.map(|(key, value)| (key.clone(), value.clone()));
        let metadata = with_head(kept.collect(), &draft);
        let mut patches = None;
        let columns = std::mem::take(&mut draft.columns).into_iter();
        draft.columns = columns
            .filter_map(|column| match column {
                DraftColumn::Typed(typed) if is_patch(&typed.field) => {
                    patches = Some((Arc::clone(&typed.field), typed.into_arrays()));
                    None
                }
                column => Some(column),
            })
            .collect();
        if self.keeps() == Back::Bytes {
            texts = draft.texts.take();
        } else {
            patches = None;
        }
        let source = Arc::new(Source {
            metadata,
            batch_rows: draft.batch_rows.clone(),
            patches,
        });
        if let Wire::V2(options) = &mut frames.wire {
            let len = draft.columns.iter().map(DraftColumn::len_bytes).sum();
            *options = options.for_frame(len);
        }
        let mut head = Vec::new();
        if let Wire::V1(_) = self.wire {
            draft.columns.retain(|column| match column {
                DraftColumn::Typed(column) => !is_hidden(&column.field),
                DraftColumn::Untyped(_) => true,
            });
            draft = with_a_column(draft);
            header(rows, draft.columns.len(), &mut head)?;
        }
        let is_v2 = matches!(self.wire, Wire::V2(_));
        let follows = matches!(self.wire, Wire::V2(options) if options.follows_plans());
        let mut units: Vec<ColumnRun> = Vec::new();
        let mut bytes = UNIT_BYTES;
        for (position, column) in draft.columns.into_iter().enumerate() {
            let len = column.len_bytes();
            bytes += len;
            let role = follows.then(|| plans.role(column.name()));
            match units.last_mut() {
                Some(unit) if bytes < UNIT_BYTES => unit.columns.push((column, role)),
                _ => {
                    bytes = len;
                    units.push(ColumnRun {
                        frames,
                        columns: vec![(column, role)],
                        position,
                        rows,
                        source: Arc::clone(&source),
                        header: std::mem::take(&mut head),
                        assembly: None,
                        proof: None,
                        share: None,
                    });
                }
            }
        }
        if units.is_empty() {
            units.push(ColumnRun {
                frames,
                columns: Vec::new(),
                position: 0,
                rows,
                source: Arc::clone(&source),
                header: Vec::new(),
                assembly: None,
                proof: None,
                share: None,
            });
        }
        let mut second_round = Vec::new();
        // Wire 1 needs to see a frame as a whole only for a codec and the index.
        if is_v2 || self.compression.codec() != Codec::None || self.index {
            let mut pieces = units.len();
            let proof = texts.map(|texts| {
                let batch_rows = source.batch_rows.clone();
                pieces += batch_rows.len();
                Arc::new(Proof::new(texts, batch_rows, units.len()))
            });
            let assembly = Arc::new(Assembly::new(pieces));
            let encoder = frames.encoder().filter(v2::Encoder::groups_columns);
            let siblings = encoder.map(|_| Arc::new(Siblings::new(units.len())));
            for (place, unit) in units.iter_mut().enumerate() {
                unit.assembly = Some((Arc::clone(&assembly), place));
                unit.proof.clone_from(&proof);
                unit.share = siblings.as_ref().map(Share::of);
            }
            if let Some(siblings) = siblings {
                second_round.extend((0..units.len()).map(|place| {
                    Unit::Siblings(SiblingRun {
                        frames,
                        rows,
                        source: Arc::clone(&source),
                        siblings: Arc::clone(&siblings),
                        assembly: Arc::clone(&assembly),
                        place,
                    })
                }));
            }
        }
        let units = units.into_iter().map(Unit::Columns);
        Ok(units.chain(second_round).collect())
    }

    /// What encodes columns for version 2.
    pub(super) fn encoder(&self) -> Option<v2::Encoder> {
        match self.wire {
            Wire::V1(_) => None,
            Wire::V2(options) => Some(v2::Encoder::new(options)),
        }
    }
}

impl ColumnRun {
    /// Encodes the columns; the frame if that completes it.
    pub(super) fn print(self, scratch: &mut Scratch) -> Result<Printed> {
        if let Some(encoder) = self.frames.encoder() {
            return self.print_v2(scratch, &encoder);
        }
        let mut bytes = Rope::new(Vec::new());
        bytes.own.extend_from_slice(&self.header);
        let mut fields = Vec::with_capacity(self.columns.len());
        for (position, (column, _)) in (self.position..).zip(self.columns) {
            for column in column.typed()? {
                let field = Arc::clone(&column.field);
                let named = |error: Error| error.in_column(display_name(field.name(), position));
                let (field, arrays) = wire_1::fit(&field, column.into_arrays()).map_err(named)?;
                let encoder = &mut scratch.encoder;
                encoder.column(&field, position, &arrays, self.rows, &mut bytes)?;
                fields.push(field.into());
            }
        }
        let Some((assembly, place)) = self.assembly else {
            return Ok(Printed {
                bytes: vec![bytes],
                is_frame: self.position == 0,
                rows: if self.position == 0 { self.rows } else { 0 },
                ..Printed::default()
            });
        };
        let complete = assembly.put(place, Piece::V1(bytes, fields));
        self.frames.join(scratch, self.rows, &self.source, complete)
    }

    fn print_v2(self, scratch: &mut Scratch, encoder: &v2::Encoder) -> Result<Printed> {
        let Some((assembly, place)) = self.assembly else {
            return Ok(Printed::default());
        };
        let mut typed = Vec::with_capacity(self.columns.len());
        let mut roles = Vec::with_capacity(self.columns.len());
        for (column, role) in self.columns {
            let mut role = role;
            for column in column.typed()? {
                // A hidden column behind has no plan.
                roles.push(role.take());
                typed.push((Arc::clone(&column.field), column.into_arrays()));
            }
        }
        let compare = |proof: &Proof| -> Result<Option<Vec<Piece>>> {
            let mut complete = None;
            while let Some((place, patches)) = proof.compare_next()? {
                complete = assembly.put(place, Piece::Patches(patches));
            }
            Ok(complete)
        };
        let mut complete = None;
        let mut proof = self.proof;
        if let Some(whole) = &proof
            && whole.put(place, typed.clone())?
        {
            // At once, since the text takes as much memory as the columns.
            complete = compare(whole)?;
            proof = None;
        }
        if let Some(share) = self.share {
            let columns = typed.into_iter();
            let columns = columns.map(|(field, arrays)| encoder.sibling(&field, arrays));
            share.put(place, columns.collect::<Result<_>>()?)?;
        } else {
            let mut columns = Vec::with_capacity(typed.len());
            for ((field, arrays), role) in typed.into_iter().zip(roles) {
                let plan = role.as_ref().and_then(Role::plan);
                let done = encoder.column(&field, arrays, plan)?;
                if let Some(role) = &role {
                    role.done(|| done.plan());
                }
                columns.push(done);
            }
            complete = assembly.put(place, Piece::V2(columns));
        }
        if let Some(proof) = &proof {
            complete = compare(proof)?.or(complete);
        }
        self.frames.join(scratch, self.rows, &self.source, complete)
    }
}

impl Frames {
    /// Puts a frame together; nothing as long as it is not complete.
    pub(super) fn join(
        self,
        scratch: &mut Scratch,
        rows: usize,
        source: &Source,
        pieces: Option<Vec<Piece>>,
    ) -> Result<Printed> {
        let Some(pieces) = pieces else {
            return Ok(Printed::default());
        };
        let mut bytes: Vec<Rope> = Vec::with_capacity(pieces.len());
        let mut encoded = Vec::new();
        let mut indexed = Vec::new();
        let mut patches = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Patches(of_batch) => patches.push(of_batch),
                Piece::V1(rope, fields) => {
                    bytes.push(rope);
                    indexed.extend(fields.iter().map(|field| indexed_column(field, None)));
                }
                Piece::V2(columns) => {
                    let pairs = columns
                        .iter()
                        .map(|column| (column.field(), column.facts()));
                    let pairs = pairs.filter(|(field, _)| !is_patch(field));
                    indexed.extend(pairs.map(|(field, facts)| indexed_column(field, Some(facts))));
                    encoded.extend(columns);
                }
            }
        }
        let mut plain_len: usize = bytes.iter().map(Rope::len).sum();
        if let Some(writer) = self.encoder() {
            let mut out = Vec::new();
            let mut metadata = source.metadata.clone();
            let found = patch_column(&source.batch_rows, &patches);
            let found = found.map(|(field, arrays)| (field.into(), arrays));
            if let Some((field, arrays)) = source.patches.clone().or(found) {
                match fold(&metadata, &arrays) {
                    Some(folded) => drop(metadata.insert(PATCHES.to_owned(), folded)),
                    None => encoded.push(writer.column(&field, arrays, None)?),
                }
            }
            plain_len = writer.envelope(rows, &metadata, encoded, &mut out)?;
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
        let entry = || Entry::new(bytes.iter().flat_map(Rope::runs), plain_len, rows);
        Ok(Printed {
            indexed: (self.index || matches!(self.wire, Wire::V2(_))).then(|| (entry(), indexed)),
            bytes,
            rows,
            is_frame: true,
            ..Printed::default()
        })
    }

    /// Takes a frame as it is.
    pub(super) fn copy(self, scratch: &mut Scratch, stored: StoredFrame) -> Result<Printed> {
        let mut printed = Printed {
            is_frame: true,
            ..Printed::default()
        };
        if self.index || v2::is_envelope(&stored.bytes) {
            let plain = stored.open(&mut scratch.decompressor, &mut scratch.plain)?;
            let mut columns: Vec<FrameColumn> = Vec::new();
            let (mut rows, mut plain_len) = (0, 0);
            let located = |error| stored.locate(error);
            for (range, envelope) in envelopes(plain, self.max_frame).map_err(located)?.0 {
                let found = indexed_columns(&plain[range], &envelope)?;
                if columns.is_empty() {
                    columns = found;
                } else {
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
            printed.indexed = Some((Entry::new(stored, plain_len, rows), columns));
        }
        printed.bytes.push(Rope::new(stored.bytes));
        Ok(printed)
    }
}

/// What the index says of the columns of a frame.
fn indexed_columns(bytes: &[u8], envelope: &Envelope) -> Result<Vec<FrameColumn>> {
    Ok(match envelope {
        Envelope::V1(_) => {
            let columns = envelope.columns(bytes)?.into_iter();
            columns
                .map(|column| indexed_column(&column.field, None))
                .collect()
        }
        Envelope::V2(envelope) => {
            let columns = envelope.columns()?.into_iter();
            let columns = columns.filter(|(column, _)| !is_patch(&column.field));
            let column =
                |(column, _): (v2::Column, _)| indexed_column(&column.field, Some(column.facts()));
            columns.map(column).collect()
        }
    })
}

/// The metadata of a text, whose head is spelled out only if its style would print another one.
fn with_head(mut metadata: Metadata, draft: &Draft) -> Metadata {
    let dialect = metadata
        .get(TEXT)
        .and_then(|text| Dialect::from_metadata(text));
    if let (Some(dialect), Some(head)) = (dialect, metadata.get(HEAD)) {
        let columns = draft.columns.iter().filter(|column| !column.is_patch());
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

fn indexed_column(field: &Field, facts: Option<v2::Facts>) -> FrameColumn {
    let known = facts.and_then(|facts| {
        Some(Known {
            nulls: facts.nulls?,
            extremes: facts.extremes.filter(|_| is_told_by_name(field)),
        })
    });
    FrameColumn {
        name: field.name().clone(),
        ty: type_name(field),
        known,
    }
}

/// Wire 1 needs a column, so an empty text is held as one unnamed column without rows; the writers
/// of text make nothing of it again.
fn with_a_column(mut draft: Draft) -> Draft {
    if draft.columns.is_empty() && draft.rows() == 0 {
        draft.columns.push(DraftColumn::empty(Type::Utf8.field("")));
    }
    draft
}
