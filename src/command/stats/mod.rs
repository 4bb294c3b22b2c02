//! `mbt stats`: summarises the values of each column.

mod column;
mod quick;
mod report;
mod sketch;

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::Metadata;
use hashbrown::HashMap;

use self::column::ColumnStats;
use super::aggregate::aggregate;
use super::inspect::summary::Summary;
use super::open::{self, ensure_stdin_once, is_standard, read_each};
use super::options::{max_frame, threads};
use super::reading;
use crate::cli;
use crate::columns::cast::{Target, with_words_spelled};
use crate::columns::value::leaves;
use crate::error::Result;
use crate::format::Format;
use crate::format::frame::Frame;
use crate::report::note;
use crate::schema::keys::{is_hidden, is_patch};
use crate::wire::choose::Preset;
use crate::wire::v2;

/// Statistics of an input.
#[derive(Debug, Default)]
struct Stats {
    file: String,
    rows: u64,
    /// By path, in the order of their first occurrence.
    columns: Vec<(String, ColumnStats)>,
}

/// Reports on each input.
///
/// # Errors
/// If an input cannot be read; all others are reported first.
pub fn run(args: &cli::Stats) -> Result<()> {
    ensure_stdin_once(&args.inputs)?;
    let read = if args.quick { quick::stats } else { stats };
    let (found, failed) = read_each(&args.inputs, |path| read(path, args));
    if !found.is_empty() {
        report::print(args, &found)?;
    }
    failed.map_or(Ok(()), Err)
}

fn stats(path: &Path, args: &cli::Stats) -> Result<Stats> {
    let (source, options) = reading::open(path, &args.reading, threads(&args.threads))?;
    let file = source.path.display().to_string();
    // A file of frames states the bytes of its columns. For other formats, and for parts of columns, they are found by
    // encoding the rows.
    let is_file_of_frames =
        source.format.format == Format::Mbt && !is_standard(path) && options.text.takes_wholes();
    let by_value = args.reading.types.infer.is_none();
    let of = |frame: Frame, before| {
        let stored = if is_file_of_frames {
            Vec::new()
        } else {
            encoded_bytes(&frame)?
        };
        let frame = frame.cast_if(by_value.then_some(Target::ByValue))?;
        let mut stats = Stats::of(&frame, before)?;
        stats.store(stored);
        Ok(stats)
    };
    let (stats, notes) = aggregate(vec![source], &options, of, Stats::join)?;
    for text in &notes {
        note(text);
    }
    let mut stats = stats.unwrap_or_default();
    if is_file_of_frames {
        let summary = Summary::read(open::open(path)?, max_frame(&args.reading.input.limit)?)?;
        let columns = summary.columns.into_iter();
        stats.store(columns.map(|column| StoredBytes {
            path: column.name,
            is_top: column.is_top,
            bytes: column.stored,
        }));
    }
    Ok(Stats { file, ..stats })
}

impl Stats {
    fn of(frame: &Frame, before: u64) -> Result<Self> {
        let batches = frame.batches.iter().cloned().map(with_words_spelled);
        let batches: Vec<RecordBatch> = batches.collect::<Result<_>>()?;
        let leaves = batches.iter().map(leaves).collect::<Result<Vec<_>>>()?;
        // All batches of a frame have the same columns.
        let columns = leaves.first().into_iter().flatten().enumerate();
        let columns = columns.map(|(at, first)| {
            let parts = leaves.iter().zip(&batches);
            let parts: Vec<_> = parts
                .map(|(leaves, batch)| (&leaves[at], batch.num_rows()))
                .collect();
            (first.path.clone(), ColumnStats::of(&parts, before))
        });
        Ok(Self {
            file: String::new(),
            rows: frame.rows() as u64,
            columns: columns.collect(),
        })
    }

    /// Adds the rows of a later frame, which may have other columns.
    fn join(&mut self, other: Self) {
        let known = self.columns.iter().enumerate();
        let mut places: HashMap<String, usize> = known
            .map(|(place, (path, _))| (path.clone(), place))
            .collect();
        let is_first = self.columns.is_empty();
        for (path, column) in other.columns {
            match places.remove(&path) {
                Some(place) => self.columns[place].1.join(column),
                None if is_first && self.rows == 0 => self.columns.push((path, column)),
                None => {
                    let mut column = column;
                    column.add_missing(self.rows);
                    self.columns.push((path, column));
                }
            }
        }
        for place in places.into_values() {
            self.columns[place].1.add_missing(other.rows);
        }
        self.rows += other.rows;
    }

    /// Adds the bytes of columns in frames; those of items count for their list.
    fn store(&mut self, stored: impl IntoIterator<Item = StoredBytes>) {
        let paths = self.columns.iter().map(|(path, _)| path.clone());
        let columns: HashMap<String, usize> = paths.zip(0..).collect();
        for StoredBytes {
            path,
            is_top,
            bytes,
        } in stored
        {
            let ends = path.rmatch_indices(['.', '[', '{']);
            let above = ends.filter(|_| !is_top).map(|(end, _)| &path[..end]);
            let mut paths = std::iter::once(&path[..]).chain(above);
            if let Some(at) = paths.find_map(|path| columns.get(path)) {
                *self.columns[*at].1.stored_bytes.get_or_insert(0) += bytes;
            }
        }
    }
}

/// The stored size of a column at any depth.
struct StoredBytes {
    path: String,
    /// True for a top-level column.
    is_top: bool,
    bytes: u64,
}

/// The number of bytes of each leaf column in a frame of version 2.
fn encoded_bytes(frame: &Frame) -> Result<Vec<StoredBytes>> {
    let batches = frame.batches.iter();
    let memory: usize = batches.map(RecordBatch::get_array_memory_size).sum();
    let options = v2::Options::of(Preset::default()).for_frame(memory);
    let encoder = v2::Encoder::new(options);
    let fields = frame.schema.fields().iter().enumerate();
    let columns = fields
        .filter(|(_, field)| !is_hidden(field))
        .map(|(at, field)| {
            let arrays = frame.batches.iter().map(|batch| batch.column(at).clone());
            encoder.column(field, arrays.collect(), None)
        });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let mut bytes = Vec::new();
    encoder.envelope(frame.rows(), &Metadata::default(), columns, &mut bytes)?;
    stored_bytes(&v2::Envelope::read(&bytes, u64::MAX)?)
}

/// The number of bytes of each column in an envelope, except for columns that only serve to restore its text.
fn stored_bytes(envelope: &v2::Envelope) -> Result<Vec<StoredBytes>> {
    let leaves = envelope.leaves()?.into_iter();
    let leaves = leaves.filter(|leaf| !is_patch(&leaf.field));
    let stored = leaves.map(|leaf| {
        let spans = leaf.spans.iter().map(|span| envelope.stored_len(*span));
        StoredBytes {
            is_top: leaf.depth == 0,
            bytes: spans.sum(),
            path: leaf.path,
        }
    });
    Ok(stored.collect())
}
