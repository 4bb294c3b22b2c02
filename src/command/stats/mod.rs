//! `mbt stats`: what the columns of an input contain.

mod column;
mod report;
mod sketch;

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::Metadata;
use hashbrown::HashMap;

use self::column::ColumnStats;
use super::aggregate::aggregate;
use super::inspect::summary::Summary;
use super::open::{self, ensure_stdin_once, is_standard};
use super::options::{max_frame, threads};
use super::reading;
use crate::cli;
use crate::columns::cast::with_words_spelled;
use crate::columns::value::leaves;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::frame::Frame;
use crate::pipeline::Note;
use crate::report::{failure, note};
use crate::schema::keys::is_hidden;
use crate::wire::choose::Preset;
use crate::wire::v2;

/// What is known of an input.
#[derive(Debug, Default)]
struct Stats {
    file: String,
    rows: u64,
    /// By path, in the order in which they were first seen.
    columns: Vec<(String, ColumnStats)>,
}

/// Reports on each input.
///
/// # Errors
/// If an input cannot be read, after all others have been reported.
pub fn run(args: &cli::Stats) -> Result<()> {
    ensure_stdin_once(&args.inputs)?;
    let mut failed: Option<Error> = None;
    let mut found = Vec::with_capacity(args.inputs.len());
    for path in &args.inputs {
        match stats(path, args) {
            Ok(stats) => found.push(stats),
            Err(error) => {
                if let Some(before) = failed.replace(error) {
                    failure(&before);
                }
            }
        }
    }
    if !found.is_empty() {
        report::print(args, &found)?;
    }
    failed.map_or(Ok(()), Err)
}

fn stats(path: &Path, args: &cli::Stats) -> Result<Stats> {
    let (source, options) = reading::open(path, &args.reading, threads(&args.threads))?;
    let file = source.path.display().to_string();
    // What frames take is known; what other formats would take is found out.
    let is_file_of_frames = source.format.format == Format::Mbt && !is_standard(path);
    let of = |frame: Frame, before| Stats::of(&frame, before, !is_file_of_frames);
    let (stats, notes) = aggregate(vec![source], &options, of, Stats::join)?;
    for Note(text) in &notes {
        note(text);
    }
    let mut stats = stats.unwrap_or_default();
    if is_file_of_frames {
        let summary = Summary::read(open::open(path)?, max_frame(&args.reading.input.limit)?)?;
        let columns = summary.columns.iter();
        stats.store(columns.map(|column| (column.name.as_str(), column.stored)));
    }
    Ok(Stats { file, ..stats })
}

impl Stats {
    fn of(frame: &Frame, before: u64, is_encoded: bool) -> Result<Self> {
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
        let mut stats = Self {
            file: String::new(),
            rows: frame.rows() as u64,
            columns: columns.collect(),
        };
        if is_encoded {
            let stored = encoded_bytes(frame)?;
            stats.store(stored.iter().map(|(path, bytes)| (path.as_str(), *bytes)));
        }
        Ok(stats)
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

    /// Adds what columns take in frames; what lies in a list counts for the list.
    fn store<'a>(&mut self, stored: impl Iterator<Item = (&'a str, u64)>) {
        for (path, bytes) in stored {
            let is_below = |above: &str| {
                let rest = path.strip_prefix(above);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            let column = self.columns.iter_mut().find(|(path, _)| is_below(path));
            if let Some((_, column)) = column {
                *column.stored_bytes.get_or_insert(0) += bytes;
            }
        }
    }
}

/// The bytes that each leaf column takes in a frame of version 2.
fn encoded_bytes(frame: &Frame) -> Result<Vec<(String, u64)>> {
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
    let envelope = v2::Envelope::read(&bytes, u64::MAX)?;
    let leaves = envelope.leaves()?.into_iter();
    let leaves = leaves.map(|leaf| {
        let spans = leaf.spans.iter().map(|span| envelope.stored_len(*span));
        (leaf.path.clone(), spans.sum())
    });
    Ok(leaves.collect())
}
