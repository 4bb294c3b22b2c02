//! `mbt stats`: summarizes the values of each column.

mod column;
mod quick;
mod report;
mod sketch;
mod stored;

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

use arrow_array::RecordBatch;
use hashbrown::HashMap;

use self::column::ColumnStats;
use self::stored::stored_leaves;
use super::aggregate::aggregate;
use super::inspect::summary::Summary;
use super::open::{ensure_stdin_once, is_stream, open_frames, read_each};
use super::options::threads;
use super::reading::{self, ReportTypes};
use crate::cli;
use crate::columns::cast::with_words_spelled;
use crate::columns::value::{leaves, objects};
use crate::error::Result;
use crate::format::frame::Frame;
use crate::report::note;
use crate::schema::keys::is_patch;
use crate::wire::v2::Leaf;

/// Statistics of an input.
#[derive(Debug, Default)]
struct Stats {
    file: String,
    rows: u64,
    /// By path, in the order of their first occurrence.
    columns: Vec<(String, ColumnStats)>,
    /// The number of rows with an object in columns that are taken apart, by path; `None` if not known.
    objects: HashMap<String, Option<u64>>,
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
    let threads = threads(&args.threads);
    let types = ReportTypes::OfAllRows;
    let ([source, again], mut options) = reading::open_twice(path, &args.reading, types, threads)?;
    let file = source.path.display().to_string();
    // A file of frames states the bytes of its columns. For other formats, and for parts of columns, they are found by
    // a conversion.
    let is_file_of_frames = source.is_frames() && !is_stream(path) && options.text.keeps_wholes();
    let cast = options.cast.take();
    let of = |frame: Frame, before| Stats::of(&frame.cast_if(cast.as_ref())?, before);
    let (stats, notes) = aggregate(vec![source], &options, of, Stats::join)?;
    for text in &notes {
        note(text);
    }
    let mut stats = stats.unwrap_or_default().without_objects();
    if is_file_of_frames {
        let summary = Summary::of(open_frames(path)?, options.max_frame)?;
        let columns = summary.columns.iter();
        stats.store(columns.map(|column| (&column.name[..], column.is_top, column.stored)));
    } else {
        stored_leaves(again, options, |leaves| stats.store_leaves(leaves))?;
    }
    Ok(Stats { file, ..stats })
}

impl Stats {
    fn of(frame: &Frame, before: u64) -> Result<Self> {
        let batches: Vec<RecordBatch> = frame
            .batches
            .iter()
            .cloned()
            .map(with_words_spelled)
            .collect::<Result<_>>()?;
        let whole = BTreeSet::new();
        let leaves = batches
            .iter()
            .map(|it| leaves(it, &whole))
            .collect::<Result<Vec<_>>>()?;
        // All batches of a frame have the same columns.
        let mut rows_of_objects = HashMap::new();
        for objects in batches.iter().flat_map(objects) {
            *rows_of_objects.entry(objects.path).or_insert(0) += objects.rows;
        }
        let columns = leaves
            .first()
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(at, first)| {
                let parts: Vec<_> = leaves
                    .iter()
                    .zip(&batches)
                    .map(|(leaves, batch)| (&leaves[at], batch.num_rows()))
                    .collect();
                (first.path.clone(), ColumnStats::of(&parts, before))
            });
        Ok(Self {
            file: String::new(),
            rows: frame.rows() as u64,
            columns: columns.collect(),
            objects: rows_of_objects
                .into_iter()
                .map(|(path, rows)| (path, Some(rows)))
                .collect(),
        })
    }

    /// Counts objects as values of their columns, whose other values have a column of their own: they are not nulls.
    fn without_objects(mut self) -> Self {
        // A frame without the objects may have only nulls instead.
        let (columns, objects) = (&mut self.columns, &self.objects);
        columns.retain(|(path, column)| !(objects.contains_key(path) && column.is_null()));
        for (path, column) in &mut self.columns {
            if let Some(objects) = self.objects.get(path) {
                let nulls = column.nulls.zip(*objects);
                column.nulls = nulls.map(|(nulls, objects)| nulls.saturating_sub(objects));
            }
        }
        self
    }

    /// The positions of the columns by path, in order: columns may share one.
    fn places(&self) -> HashMap<String, VecDeque<usize>> {
        let mut places: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (place, (path, _)) in self.columns.iter().enumerate() {
            places.entry_ref(path).or_default().push_back(place);
        }
        places
    }

    /// Adds the rows of a later frame, which may have other columns.
    fn join(&mut self, other: Self) {
        let mut places = self.places();
        let is_first = self.columns.is_empty();
        for (path, column) in other.columns {
            match places.get_mut(&path).and_then(VecDeque::pop_front) {
                Some(place) => self.columns[place].1.join(column),
                None if is_first && self.rows == 0 => self.columns.push((path, column)),
                None => {
                    let mut column = column;
                    column.add_missing(self.rows);
                    self.columns.push((path, column));
                }
            }
        }
        for place in places.into_values().flatten() {
            self.columns[place].1.add_missing(other.rows);
        }
        for (path, rows) in other.objects {
            let known = self.objects.entry(path).or_insert(Some(0));
            *known = known.zip(rows).map(|(one, other)| one + other);
        }
        self.rows += other.rows;
    }

    /// Adds the bytes of columns in frames, except for columns that only serve to restore the text.
    fn store_leaves(&mut self, leaves: &[Leaf]) {
        let leaves = leaves.iter().filter(|leaf| !is_patch(&leaf.field));
        self.store(leaves.map(|leaf| (&leaf.path[..], leaf.depth == 0, leaf.stored)));
    }

    /// Adds the bytes of columns by path, with whether it is at the top level. The bytes of items count for their list.
    fn store<'a>(&mut self, stored: impl IntoIterator<Item = (&'a str, bool, u64)>) {
        let mut places = self.places();
        // The column of this path that is being stored.
        let mut current = HashMap::new();
        for (path, is_top, bytes) in stored {
            if let Some(places) = places.get_mut(path)
                && (is_top || !current.contains_key(path))
                && let Some(place) = places.pop_front()
            {
                current.insert(path, place);
            }
            let ends = path.rmatch_indices(['.', '[', '{']);
            let above = ends.filter(|_| !is_top).map(|(end, _)| &path[..end]);
            let mut paths = std::iter::once(path).chain(above);
            if let Some(place) = paths.find_map(|path| current.get(path)) {
                *self.columns[*place].1.stored_bytes.get_or_insert(0) += bytes;
            }
        }
    }
}
