//! Encodes arrays to columns (`values`, `plan`, `group_by`, `keys`, `references`), and columns to an envelope.

mod alike;
mod group_by;
mod groupable;
mod keys;
mod plan;
pub(super) mod positions;
mod references;
pub(super) mod values;

pub use alike::BufferGroups;
use alike::BufferKey;
pub use groupable::GroupableColumn;
pub use plan::Plan;
use plan::Uses;

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::Buffer;
use arrow_schema::{Field, Metadata};

use super::budget::Budget;
use super::column::ColumnTree;
use super::decode::Decoder;
use super::envelope::Envelope;
use super::gather::Chunk;
use super::head::{ARCHIVE, PROMISES_END};
use super::sections::{Destination, Packed, SectionLayout, is_large, pack, pack_best};
use super::write::{HeaderParts, write};
use crate::error::{Error, Result};
use crate::schema::keys::is_patch;
use crate::varint;
use crate::wire::DEFAULT_MAX_FRAME;
use crate::wire::choose::{Cascade, Preset};
use crate::wire::codec::SectionCodec;
use crate::wire::encodings::{BufferClass, Node};
use crate::wire::parse::write_string;
use crate::wire::workers::{BYTES_WORTH_A_THREAD, CallingThread, Workers, for_task, try_map};
use values::{EncodeSpec, Related, encode};

/// Options for encoding columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeOptions {
    /// How much effort to spend on encodings.
    pub preset: Preset,
    /// The codec for sections.
    pub codec: SectionCodec,
    /// True if small frames get a higher level than the codec's own.
    pub adapts_level: bool,
    /// True if columns are also encoded as with the preset balanced, and the smaller frame is kept.
    pub tries_balanced: bool,
    /// True if the frame is one of many small ones.
    pub is_of_many: bool,
}

impl EncodeOptions {
    /// A preset with its default codec.
    pub fn of(preset: Preset) -> Self {
        Self {
            preset,
            codec: preset.codec(),
            adapts_level: preset == Preset::Balanced,
            tries_balanced: false,
            is_of_many: false,
        }
    }

    /// The options with zstd at a level that the user chose, for frames of any size.
    #[must_use]
    pub fn with_level(self, level: i32) -> Self {
        Self {
            codec: SectionCodec::Zstd(level),
            adapts_level: false,
            ..self
        }
    }

    /// True if later frames follow the plan of the first. With the preset small, every frame is searched.
    pub fn follows_plans(self) -> bool {
        self.preset != Preset::Small
    }

    /// True if columns may be grouped by others: see [`Encoder::groupable_column`] and [`Encoder::group`].
    fn groups_columns(self) -> bool {
        self.preset != Preset::Fast
    }

    /// The options for a frame of about `len` plain bytes, after `before` plain bytes of other frames. Small frames use
    /// higher zstd levels, since they are fast to compress at any level; many small frames are not, so the size of the
    /// output so far counts, too. With the preset small, frames that are not large are also encoded as with balanced: the codec
    /// finds repetitions between columns that heavy encodings hide, and small columns share sections.
    #[must_use]
    pub fn for_frame(mut self, len: usize, before: usize) -> Self {
        let is_small = len < 1 << 20;
        // Beyond this, it takes much of the time and rarely helps.
        self.tries_balanced = self.preset == Preset::Small && len < 4 << 20;
        self.is_of_many = is_small && before >= 4 << 20 && self.adapts_level;
        let least = match len.max(before) >> 10 {
            0..256 => 15,
            256..1024 => 12,
            1024..4096 => 9,
            _ => 1,
        };
        if let SectionCodec::Zstd(level) = &mut self.codec
            && self.adapts_level
        {
            *level = least.max(*level);
        }
        self
    }

    /// The codec for small parts of a frame, given the total size of similar ones in it.
    pub fn codec_of_small(self, len: usize) -> SectionCodec {
        if self.is_of_many {
            self.codec
        } else {
            self.codec.for_small(len)
        }
    }
}

/// What earlier frames have found out, if there are any.
#[derive(Clone, Copy, Debug, Default)]
pub struct PriorFrames<'a> {
    /// The number of the column among those with the same name, from 0, which identifies it in all frames.
    pub number: usize,
    /// The encodings of the column.
    pub plan: Option<&'a Plan>,
    /// The buffers that shared a section. They are not compressed on their own, which only saves time.
    pub groups: Option<&'a BufferGroups>,
}

/// Writes envelopes.
#[derive(Clone, Copy)]
pub struct Encoder<'a> {
    options: EncodeOptions,
    promises_end: bool,
    workers: &'a dyn Workers,
}

/// An encoded column, ready to be added to an envelope.
#[derive(Clone, Debug)]
pub struct EncodedColumn {
    /// Shared with the plan for later frames.
    column: Arc<ColumnTree>,
    /// The large buffers, in the order of the description.
    large: Vec<LargeBuffer>,
    /// Approximate size of its rows in memory in bytes.
    decoded_bytes: usize,
    uses: Uses,
    /// The column as the preset balanced encodes it, if that is tried.
    balanced: Option<Box<Self>>,
}

/// A buffer that gets its own section, or shares one with buffers like it.
#[derive(Clone, Debug)]
struct LargeBuffer {
    key: BufferKey,
    plain: Buffer,
    /// The number of its planes.
    planes: usize,
    /// The codec that suits it best.
    codec: SectionCodec,
    /// Its own section, unless it shared one in earlier frames.
    packed: Option<Packed>,
}

impl LargeBuffer {
    /// Where it goes. The result does not depend on whether it is compressed already.
    fn destination(self, groups: &BufferGroups) -> Result<Destination> {
        Ok(match (groups.of(self.key), self.packed) {
            (Some(group), _) => Destination::Group {
                group,
                codec: self.codec,
            },
            (None, Some(packed)) => Destination::Own(packed),
            (None, None) => Destination::Own(pack(&self.plain, self.planes, self.codec)?),
        })
    }
}

impl EncodedColumn {
    /// A column whose buffers are not compressed.
    fn unpacked(column: ColumnTree, decoded_bytes: usize) -> Self {
        Self {
            column: Arc::new(column),
            large: Vec::new(),
            decoded_bytes,
            uses: Uses::default(),
            balanced: None,
        }
    }

    /// The approximate size of its runs in bytes, without the validity.
    fn packed_bytes(&self) -> u64 {
        let mut large = self.large.iter();
        let mut bytes_of = |run: &Node| {
            let mut bytes = 0_u64;
            run.visit(&mut |node| {
                let large = is_large(&node.buffer).then(|| large.next()).flatten();
                bytes += match large.and_then(|buffer| buffer.packed.as_ref()) {
                    Some(packed) => packed.info.stored_len as u64,
                    None => SectionCodec::Zstd(1).packed_len(&node.buffer, node.planes()) as u64,
                };
            });
            bytes
        };
        // Its buffers come first.
        if let Some(validity) = &self.column.validity {
            bytes_of(validity);
        }
        self.column.runs.iter().map(bytes_of).sum()
    }

    /// A plan for the same column of later frames; `followed` is the plan that this column followed.
    pub fn plan(&self, followed: Option<&Plan>) -> Plan {
        Plan::after(&self.column, self.uses, followed)
    }
}

impl Encoder<'static> {
    /// An encoder. Its output depends only on the values and these options.
    pub fn new(options: EncodeOptions) -> Self {
        Self {
            options,
            promises_end: false,
            workers: &CallingThread,
        }
    }
}

impl Encoder<'_> {
    /// The same encoder, with the help of `workers`.
    pub fn on(self, workers: &dyn Workers) -> Encoder<'_> {
        Encoder {
            options: self.options,
            promises_end: self.promises_end,
            workers,
        }
    }

    /// Marks envelopes as part of a segment, so that readers of the stream require its end, the index. A single
    /// envelope is not marked.
    #[must_use]
    pub fn in_segment(mut self) -> Self {
        self.promises_end = true;
        self
    }

    /// Encodes a column whose rows are the concatenation of `chunks`, all of the field's type. Each chunk is dropped as
    /// soon as its values are copied.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if wire 2 lacks the type, [`crate::error::Kind::Limit`] if a column's text is 2
    /// GiB or more.
    pub fn column(
        &self,
        field: &Field,
        chunks: Vec<ArrayRef>,
        prior: PriorFrames<'_>,
    ) -> Result<EncodedColumn> {
        let (column, decoded_bytes) = self.tree(field, chunks, prior.plan, None)?;
        self.packed(column, decoded_bytes, prior)
    }

    fn cascade(&self) -> Cascade {
        Cascade::new(self.options.preset, self.options.codec)
    }

    /// Encodes a column without compressing it. Also returns the approximate size of its rows in memory in bytes.
    fn tree(
        &self,
        field: &Field,
        chunks: Vec<ArrayRef>,
        plan: Option<&Plan>,
        related: Option<Related<'_>>,
    ) -> Result<(ColumnTree, usize)> {
        let how = EncodeSpec {
            cascade: self.cascade(),
            // Conditions cannot refer to patches.
            has_extremes: !is_patch(field),
            plan: plan.map(|plan| &*plan.column),
            related,
            is_at_position: false,
            workers: self.workers,
        };
        let decoded_bytes = chunks.iter().map(Array::get_array_memory_size).sum();
        let chunks = chunks.into_iter().map(Chunk::from).collect();
        let column =
            encode(field, chunks, how).map_err(|error| error.below_column(field.name()))?;
        Ok((column, decoded_bytes))
    }

    /// Compresses the large buffers of a column whose rows take about `decoded_bytes` bytes in memory: with the codec
    /// that was best for the frame whose plan the column follows, or with the one that turns out to be best. Skips
    /// buffers that shared a section in an earlier frame.
    fn packed(
        &self,
        mut column: ColumnTree,
        decoded_bytes: usize,
        prior: PriorFrames<'_>,
    ) -> Result<EncodedColumn> {
        // Refuse types that the description cannot express.
        column.write(&mut Vec::new(), &mut |_, _| {})?;
        let mut keys = Vec::new();
        column.buffer_keys(prior.number as u64, &mut keys);
        let mut keys = keys.into_iter();
        let mut plain = Vec::new();
        column.visit_buffers(&mut |node| {
            let key = keys.next().unwrap_or_default();
            if is_large(&node.buffer) {
                plain.push((key, node.buffer.clone(), node.planes(), node.hints.codec));
            }
            Ok(())
        })?;
        let given = self.options.codec;
        let bytes: usize = plain.iter().map(|(_, plain, ..)| plain.len()).sum();
        let workers = for_task(self.workers, bytes >= BYTES_WORTH_A_THREAD);
        let large = try_map(workers, plain, |(key, plain, planes, planned)| {
            let planned = planned.map(|codec| codec.at_most(given));
            let is_grouped = prior.groups.is_some_and(|groups| groups.of(key).is_some());
            let (packed, codec) = match planned {
                Some(codec) if is_grouped => (None, codec),
                Some(codec) => (Some(pack(&plain, planes, codec)?), codec),
                None => {
                    let (packed, codec) = pack_best(&plain, planes, given)?;
                    (Some(packed), codec)
                }
            };
            Ok(LargeBuffer {
                key,
                plain,
                planes,
                codec,
                packed,
            })
        })?;
        let mut codecs = large.iter().map(|buffer| buffer.codec);
        column.visit_buffers(&mut |node| {
            if is_large(&node.buffer) {
                node.hints.codec = codecs.next();
            }
            Ok(())
        })?;
        Ok(EncodedColumn {
            large,
            ..EncodedColumn::unpacked(column, decoded_bytes)
        })
    }

    /// Appends the envelope of these columns, all with `rows` rows. Large buffers of a group share a section; without
    /// `groups`, these are searched for. Returns its size without compression.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if a reader with the default limits would refuse it.
    pub fn envelope(
        &self,
        rows: usize,
        metadata: &Metadata,
        columns: Vec<EncodedColumn>,
        groups: Option<&BufferGroups>,
        out: &mut Vec<u8>,
    ) -> Result<usize> {
        if columns.iter().all(|column| column.balanced.is_none()) {
            return self.envelope_of(rows, metadata, columns, groups, out);
        }
        let mut columns = columns;
        let balanced = columns
            .iter_mut()
            .map(|column| match column.balanced.take() {
                Some(balanced) => *balanced,
                None => column.clone(),
            })
            .collect();
        let [mut own, mut other] = [Vec::new(), Vec::new()];
        let own_len = self.envelope_of(rows, metadata, columns, None, &mut own)?;
        let other_len = self.envelope_of(rows, metadata, balanced, None, &mut other)?;
        let (mut least, plain_len) = if other.len() < own.len() {
            (other, other_len)
        } else {
            (own, own_len)
        };
        out.append(&mut least);
        Ok(plain_len)
    }

    /// Like [`Self::envelope`], without a choice between two encodings of the columns.
    fn envelope_of(
        &self,
        rows: usize,
        metadata: &Metadata,
        columns: Vec<EncodedColumn>,
        groups: Option<&BufferGroups>,
        out: &mut Vec<u8>,
    ) -> Result<usize> {
        let found;
        let groups = if let Some(groups) = groups {
            groups
        } else {
            found = BufferGroups::find(&columns, self.workers);
            &found
        };
        let mut layout = SectionLayout::new(self.options);
        let mut placed = Vec::with_capacity(columns.len());
        let mut described = Vec::new();
        let too_large = |error| too_large(&error, rows);
        let mut flags = if self.promises_end { PROMISES_END } else { 0 };
        let mut budget = Budget::new(DEFAULT_MAX_FRAME, rows).map_err(too_large)?;
        let mut decoded_bytes = 0;
        for (position, encoded) in columns.into_iter().enumerate() {
            let EncodedColumn {
                column,
                large,
                decoded_bytes: bytes,
                ..
            } = encoded;
            decoded_bytes += bytes;
            column.take_cells(&mut budget).map_err(too_large)?;
            if column.is_archive() {
                flags |= ARCHIVE;
            }
            let large = large.into_iter().map(|buffer| buffer.destination(groups));
            let mut large = large.collect::<Result<Vec<_>>>()?.into_iter();
            let mut sections = Vec::new();
            described.clear();
            column.write(&mut described, &mut |node, _| {
                let buffer = &node.buffer;
                let destination = match is_large(buffer).then(|| large.next()).flatten() {
                    Some(destination) => destination,
                    None => Destination::Shared {
                        is_text: node.encoding.info().buffer == Some(BufferClass::Text),
                    },
                };
                sections.push(layout.place(position, buffer, destination));
            })?;
            placed.push((column, sections));
        }
        let (sections, owners, new_places) = layout.finish(self.workers)?;
        described.clear();
        let count = placed.len();
        let mut described_column = Vec::new();
        for (column, sections) in placed {
            let placed = sections.into_iter().map(|at| at.map(|at| new_places[at]));
            described_column.clear();
            describe(&column, placed, &mut described_column)?;
            write_string(&described_column, &mut described);
        }
        let header = HeaderParts {
            rows,
            metadata,
            owners: Some(&owners),
            columns: (count, &described),
        };
        let start = out.len();
        let codec_of = |len| self.options.codec_of_small(len);
        let plain_len = write(header, &sections, codec_of, flags, out)?;
        // The exact size of a frame in memory is known only after reading it, which is fast compared with writing such
        // a large one.
        let decoded_bytes = decoded_bytes as u64 + budget.cells() * size_of::<u64>() as u64;
        if plain_len as u64 + decoded_bytes > DEFAULT_MAX_FRAME / 4 {
            let envelope = &out[start..];
            Envelope::read(envelope, DEFAULT_MAX_FRAME)
                .and_then(|header| {
                    Decoder::new(DEFAULT_MAX_FRAME).decode(envelope, &header, |_, _| true)
                })
                .map_err(too_large)?;
        }
        Ok(plain_len)
    }
}

/// Appends the description of a column whose buffers are in the given sections; `None` for empty ones.
///
/// # Errors
/// If wire 2 does not have its type.
pub fn describe(
    column: &ColumnTree,
    placed: impl Iterator<Item = Option<usize>> + Clone,
    out: &mut Vec<u8>,
) -> Result<()> {
    let own: BTreeSet<usize> = placed.clone().flatten().collect();
    let mut placed = placed;
    column.write(out, &mut |node, out| {
        if node.implied_len().is_none() {
            varint::push(node.buffer.len() as u64, out);
        }
        if let Some(section) = placed.next().flatten()
            && own.len() > 1
        {
            varint::push(own.range(..section).count() as u64, out);
        }
    })
}

/// The error for a frame of `rows` rows that readers with the default limits would refuse.
fn too_large(error: &Error, rows: usize) -> Error {
    let what = format!("the frame would be too large to be read: {}", error.what());
    let error = Error::limit(what);
    if rows > 1 {
        error.hint("write smaller frames with --frame-rows")
    } else {
        error.hint("it has a single row; --schema '$:json' keeps each row of JSON as text")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Int64Array;

    #[test]
    fn another_codec_also_compresses_planes_one_by_one() {
        // Sums of pseudo-random numbers have a low byte without a pattern and a high byte with few values.
        let mut state = 1_u64;
        let mut part = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005) | 1;
            (state >> 33) as i64 % 4000
        };
        let values = (0..50_000).map(|_| (0..8).map(|_| part()).sum::<i64>());
        let array: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
        let field = Field::new("n", array.data_type().clone(), false);
        let encoder = Encoder::new(EncodeOptions::of(Preset::Balanced));
        let column = encoder.column(&field, vec![array], PriorFrames::default());
        let mut bytes = Vec::new();
        let metadata = Metadata::default();
        encoder
            .envelope(50_000, &metadata, vec![column.unwrap()], None, &mut bytes)
            .unwrap();
        let envelope = Envelope::read(&bytes, DEFAULT_MAX_FRAME).unwrap();
        let planes = |envelope: &Envelope| envelope.columns().unwrap()[0].runs[0].planes();
        assert_eq!(planes(&envelope), 2);
        for level in [3, 19] {
            let mut recoded = Vec::new();
            envelope
                .recode(&bytes, SectionCodec::Zstd(level), &mut recoded)
                .unwrap();
            assert!(recoded.len() < bytes.len() + bytes.len() / 200, "{level}");
            let envelope = Envelope::read(&recoded, DEFAULT_MAX_FRAME).unwrap();
            assert_eq!(planes(&envelope), 2);
        }
    }

    #[test]
    fn only_the_presets_own_level_is_raised_for_small_frames() {
        let balanced = EncodeOptions::of(Preset::Balanced);
        assert_eq!(balanced.for_frame(1000, 0).codec, SectionCodec::Zstd(15));
        assert_eq!(balanced.for_frame(1 << 30, 0).codec, SectionCodec::Zstd(3));
        // One small frame of many.
        assert_eq!(
            balanced.for_frame(1000, 8 << 20).codec,
            SectionCodec::Zstd(3)
        );
        for level in [1, 3, 19] {
            let given = balanced.with_level(level).for_frame(1000, 0);
            assert_eq!(given.codec, SectionCodec::Zstd(level));
        }
        let small = EncodeOptions::of(Preset::Small).for_frame(1000, 0);
        assert_eq!(small.codec, Preset::Small.codec());
    }
}
