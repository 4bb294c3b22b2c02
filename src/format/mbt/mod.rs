//! Writes MATHLDBT frames, with columns encoded in parallel.

mod assembly;
mod encoding_choices;
mod round_trip_check;
mod v1;
mod v2;

use std::sync::Mutex;

use super::exact::Fidelity;
use super::scratch_pool::ScratchPool;
use super::write::{Encoded, Job, Sink, WriteOptions, Writer};
use crate::error::Result;
use crate::stream::{
    Compression, Ending, Entry, FrameColumn, FrameOpener, FramePlace, HashKind, Index, OpenFrame,
    StoredFrame,
};
use crate::sync::lock;
use crate::wire;
use crate::wire::rope::Rope;
use crate::wire::v1::EncodeOptions;

/// The smallest job in bytes: smaller columns are encoded together.
const UNIT_BYTES: usize = 64 << 10;

/// About the most jobs of a frame. Handing a job to a thread takes longer than encoding a column with few values.
const MOST_UNITS: usize = 256;

/// Options for writing frames.
#[derive(Clone, Copy, Debug)]
pub struct FrameOptions {
    /// Version and encodings.
    pub wire: FrameEncoding,
    /// The codec around each frame; none for version 2.
    pub compression: Compression,
    /// True to write an index even after frames of version 1.
    pub index: bool,
    /// The largest frame to open, in plain bytes.
    pub max_frame: u64,
    /// The hash of the text in the index.
    pub hash: HashKind,
    /// True if several frames of version 1 are what the user expects.
    pub expects_frames: bool,
}

/// A version of the wire format with its encoding options.
#[derive(Clone, Copy, Debug)]
pub enum FrameEncoding {
    /// Version 1.
    V1(EncodeOptions),
    /// Version 2.
    V2(wire::v2::EncodeOptions),
}

/// A writer of frames.
pub fn mbt_writer(options: &WriteOptions<'_>) -> Box<dyn Writer> {
    match options.frames.wire {
        FrameEncoding::V1(encode) => Box::new(v1::FrameWriter::new(options, encode)),
        FrameEncoding::V2(encode) => Box::new(v2::FrameWriter::new(options, encode)),
    }
}

/// Columns of a frame that are encoded by one job.
struct ColumnRun<C> {
    columns: Vec<C>,
    /// The position of the first.
    position: usize,
    /// Their approximate size in bytes.
    len_bytes: usize,
}

/// Distributes columns, each with its size in bytes, over jobs; there is always at least one job.
fn runs<C>(columns: impl Iterator<Item = (usize, C)>) -> Vec<ColumnRun<C>> {
    let columns: Vec<_> = columns.collect();
    let all: usize = columns.iter().map(|(len, _)| len).sum();
    let least = UNIT_BYTES.max(all / MOST_UNITS);
    let run = |position, len_bytes, columns| ColumnRun {
        columns,
        position,
        len_bytes,
    };
    let mut runs: Vec<ColumnRun<C>> = Vec::new();
    for (position, (len, next)) in columns.into_iter().enumerate() {
        match runs.last_mut() {
            Some(run) if run.len_bytes + len < least => {
                run.len_bytes += len;
                run.columns.push(next);
            }
            _ => runs.push(run(position, len, vec![next])),
        }
    }
    if runs.is_empty() {
        runs.push(run(0, 0, Vec::new()));
    }
    runs
}

/// The segments that frames of both versions are written to.
struct Segments {
    /// True if an index also follows frames of version 1.
    lists_all: bool,
    /// True if the index contains the end of the text.
    keeps_ending: bool,
    max_frame: u64,
    /// The frames since the last end of a segment.
    index: Mutex<Index>,
    openers: ScratchPool<FrameOpener>,
}

impl Segments {
    fn new(options: &WriteOptions<'_>) -> Self {
        let is_v2 = matches!(options.frames.wire, FrameEncoding::V2(_));
        Self {
            lists_all: options.frames.index,
            keeps_ending: is_v2 && options.fidelity > Fidelity::Style,
            max_frame: options.frames.max_frame,
            index: Mutex::default(),
            openers: ScratchPool::default(),
        }
    }

    /// Ends the current segment, because a version 1 frame that belongs to no segment is copied next.
    fn end(&self, out: &mut dyn Sink) -> Result<()> {
        let index = std::mem::take(&mut *lock(&self.index));
        if index.frames.is_empty() {
            return Ok(());
        }
        out.write(&index.write()?)
    }

    /// Copies a frame; see [`Writer::copy`].
    fn copy(&self, frame: StoredFrame) -> Job<'_> {
        Box::new(move |_| {
            let is_listed = self.lists_all || wire::v2::is_envelope(&frame.bytes);
            let make = || FrameOpener::new(self.max_frame);
            let indexed =
                is_listed.then(|| self.openers.with(make, |opener| listed(opener, &frame)));
            let copied = EncodedFrame {
                indexed: indexed.transpose()?,
                segments: self,
                bytes: vec![Rope::new(frame.bytes)],
                rows: 0,
            };
            Ok(Some(copied.into_encoded()))
        })
    }

    /// Writes the end, without notes; see [`Writer::finish`].
    fn finish(&self, ending: Option<Ending>, out: &mut dyn Sink) -> Result<Vec<String>> {
        let mut index = std::mem::take(&mut *lock(&self.index));
        if self.lists_all || !index.frames.is_empty() {
            index.ending = ending.filter(|_| self.keeps_ending);
            out.write(&index.write()?)?;
        }
        Ok(Vec::new())
    }
}

/// A frame, or a part of one that is not listed in the index.
struct EncodedFrame<'w> {
    segments: &'w Segments,
    /// Its bytes in order.
    bytes: Vec<Rope>,
    rows: usize,
    /// The entry of the frame in the index, and its columns.
    indexed: Option<(Entry, Vec<FrameColumn>)>,
}

impl<'w> EncodedFrame<'w> {
    fn into_encoded(self) -> Encoded<'w> {
        Encoded::new(self.rows, move |out| {
            if self.indexed.is_none() && !self.bytes.is_empty() {
                self.segments.end(out)?;
            }
            out.write_runs(&mut self.bytes.iter().flat_map(Rope::runs))?;
            if let Some((entry, columns)) = self.indexed {
                lock(&self.segments.index).push(entry, columns);
            }
            Ok(())
        })
    }
}

/// The entry of a frame in the index, and its columns.
fn listed(opener: &mut FrameOpener, frame: &StoredFrame) -> Result<(Entry, Vec<FrameColumn>)> {
    let OpenFrame { plain, contents } = opener.open(frame)?;
    let mut columns: Vec<FrameColumn> = Vec::new();
    let (mut rows, mut plain_len) = (0, 0);
    let mut place = None;
    for (range, envelope) in contents.envelopes {
        let (of_envelope, found) = FramePlace::of_either(&envelope, &plain[range])?;
        if columns.is_empty() {
            (place, columns) = (of_envelope, found);
        } else {
            place = None;
            // No statistics for rows in several envelopes.
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
    let stored = std::iter::once(&frame.bytes[..]);
    let entry = Entry::new(stored, plain_len, rows);
    Ok((Entry { place, ..entry }, columns))
}
