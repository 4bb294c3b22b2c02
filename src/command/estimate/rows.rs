//! The rows of an input in memory: all of them, or for a large input a sample spread over it.

use std::io::{Cursor, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use arrow_array::{Array as _, RecordBatch};

use super::payload::{RoundTrip, reading};
use crate::cli::Types;
use crate::command::open::Opener;
use crate::command::options::cores;
use crate::error::{Error, Result};
use crate::format::InputFormat;
use crate::format::frame::Frame;
use crate::pipeline::{self, PipelineOptions, Source};
use crate::report::progress::{CountedReader, Progress};

/// Up to this input size, all rows are kept in memory.
const WHOLE_BYTES: u64 = 64 << 20;

/// The most memory for the columns of such an input: with thousands of columns that most rows lack, they take a hundred
/// times as much as their text.
const HELD_BYTES: u64 = 512 << 20;

/// The rows of an input.
pub struct InputRows {
    /// Number of rows in the input.
    pub all: u64,
    /// The rows in memory, with types that keep the spelling.
    pub exact: Vec<Frame>,
    /// The input, if it is text.
    pub text: Option<InputText>,
    /// Generated rows have published sizes, so all of them are written.
    pub is_generated: bool,
}

/// An input that is text.
pub struct InputText {
    /// Its length in bytes.
    pub len: u64,
    /// Its bytes, if all rows are in memory.
    pub bytes: Option<Arc<[u8]>>,
    /// Its format.
    pub format: InputFormat,
}

impl InputRows {
    /// Generated rows.
    pub fn generated(batch: RecordBatch) -> Self {
        Self {
            all: batch.num_rows() as u64,
            exact: vec![Frame {
                schema: batch.schema(),
                batches: vec![batch],
            }],
            text: None,
            is_generated: true,
        }
    }

    /// Reads an input. If it is large, it keeps only a sample, unless `all` is set.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(
        path: &Path,
        opener: &Opener<'_>,
        types: &Types,
        round_trip: &RoundTrip,
        all: bool,
        progress: &Progress,
    ) -> Result<(Self, Vec<String>)> {
        let count = |bytes| progress.count_reads(bytes);
        let mut source = opener.open_counted(path, count)?;
        opener.ensure_text_options_fit(&[&source], types, None)?;
        let limit = if all { u64::MAX } else { WHOLE_BYTES };
        let exact = PipelineOptions {
            // Reading is not timed, so it uses all cores.
            threads: cores(),
            ..reading(source.format.kind, &round_trip.text, round_trip.max_frame)
        };
        if !source.format.kind.is_text() {
            return keep_evenly(source, &exact, limit);
        }
        let mut head = Vec::new();
        let most = limit.saturating_add(1);
        let cannot = |error| Error::io("cannot read", error).in_file(path);
        (&mut source.bytes)
            .take(most)
            .read_to_end(&mut head)
            .map_err(cannot)?;
        let is_whole = head.len() as u64 <= limit;
        let len = Arc::new(AtomicU64::new(head.len() as u64));
        let counted = Arc::clone(&len);
        let rest = CountedReader {
            // An input that has ended is not read again: a terminal would wait for more.
            bytes: if is_whole {
                Box::new(std::io::empty())
            } else {
                source.bytes
            },
            count: move |read| {
                counted.fetch_add(read, Relaxed);
            },
        };
        let head: Arc<[u8]> = head.into();
        let bytes = Cursor::new(Arc::clone(&head)).chain(rest);
        let format = source.format.clone();
        let source = Source::stream(source.path, bytes, source.format);
        let limit = if is_whole && !all { HELD_BYTES } else { limit };
        let (mut kept, notes) = keep_evenly(source, &exact, limit)?;
        let has_all = rows(&kept.exact) == kept.all;
        kept.text = Some(InputText {
            len: len.load(Relaxed),
            bytes: (is_whole && has_all).then_some(head),
            format,
        });
        Ok((kept, notes))
    }
}

/// Keeps frames spread evenly over an input, up to `limit` bytes but at least one frame.
fn keep_evenly(
    source: Source,
    options: &PipelineOptions,
    limit: u64,
) -> Result<(InputRows, Vec<String>)> {
    let mut kept: Vec<(Frame, u64)> = Vec::new();
    let (mut all, mut bytes, mut seen, mut stride) = (0, 0, 0_u64, 1_u64);
    let notes = pipeline::frames(vec![source], options, |frame| {
        all += frame.rows() as u64;
        if seen.is_multiple_of(stride) {
            let len = held_bytes(&frame);
            bytes += len;
            kept.push((frame, len));
        }
        seen += 1;
        while bytes > limit && kept.len() > 1 {
            stride *= 2;
            let mut odd = true;
            kept.retain(|_| {
                odd = !odd;
                !odd
            });
            bytes = kept.iter().map(|(_, len)| len).sum();
        }
        Ok(())
    })?;
    let rows = InputRows {
        all,
        exact: kept.into_iter().map(|(frame, _)| frame).collect(),
        text: None,
        is_generated: false,
    };
    Ok((rows, notes))
}

fn held_bytes(frame: &Frame) -> u64 {
    frame
        .batches
        .iter()
        .flat_map(RecordBatch::columns)
        .map(|column| column.get_array_memory_size() as u64)
        .sum()
}

/// The number of rows in `frames`.
pub fn rows(frames: &[Frame]) -> u64 {
    frames.iter().map(|frame| frame.rows() as u64).sum()
}

/// Merges adjacent frames with the same schema, up to `most_rows` rows.
pub fn merged(frames: &[Frame], most_rows: u64) -> Vec<Frame> {
    let mut merged: Vec<Frame> = Vec::new();
    for frame in frames {
        match merged.last_mut() {
            Some(last)
                if last.schema == frame.schema
                    && (last.rows() + frame.rows()) as u64 <= most_rows =>
            {
                last.batches.extend(frame.batches.iter().cloned());
            }
            _ => merged.push(frame.clone()),
        }
    }
    merged
}

/// Appends `len` rows from `start` on. Adjacent rows with the same schema become one frame.
pub fn take(frames: &[Frame], start: u64, len: u64, sampled: &mut Vec<Frame>) {
    let mut first = 0;
    for frame in frames {
        for batch in &frame.batches {
            let rows = batch.num_rows() as u64;
            let from = start.clamp(first, first + rows) - first;
            let to = (start + len).clamp(first, first + rows) - first;
            if to > from {
                let slice = batch.slice(from as usize, (to - from) as usize);
                match sampled.last_mut() {
                    Some(last) if last.schema == frame.schema => last.batches.push(slice),
                    _ => sampled.push(Frame {
                        schema: Arc::clone(&frame.schema),
                        batches: vec![slice],
                    }),
                }
            }
            first += rows;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::TextOptions;
    use crate::format::Format;
    use crate::wire::v1::{EncodeOptions, Encoder};
    use crate::workload::bars;

    /// A stream of frames of 100 rows.
    fn stream(frames: usize) -> Source {
        let rows = InputRows::generated(bars(100)).exact.remove(0);
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(EncodeOptions::default());
        for _ in 0..frames {
            let done = encoder.encode(&rows.schema, &rows.batches, &mut bytes);
            done.unwrap();
        }
        Source::stream("stream", Cursor::new(bytes), Format::Mbt)
    }

    #[test]
    fn a_sample_of_a_large_input_is_spread_over_it() {
        let options = reading(Format::Mbt, &TextOptions::default(), 1 << 20);
        let whole = keep_evenly(stream(20), &options, u64::MAX).unwrap().0;
        assert_eq!((whole.all, whole.exact.len()), (2000, 20));
        let one = held_bytes(&whole.exact[0]);
        // With room for six frames, every fourth of twenty is kept: 0, 4, 8, 12 and 16.
        for (room, kept) in [(20, 20), (19, 10), (6, 5), (2, 2), (0, 1)] {
            let some = keep_evenly(stream(20), &options, one * room).unwrap().0;
            assert_eq!(
                (some.all, some.exact.len()),
                (2000, kept),
                "room for {room}"
            );
        }
    }
}
