//! `mbt stats --quick`: statistics from the headers of frames and from footers, without reading values.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema};

use super::Stats;
use super::column::ColumnStats;
use crate::cli;
use crate::columns::TextOptions;
use crate::columns::cast::{Provenance, provenance, with_words_spelled};
use crate::columns::value::{leaves, objects};
use crate::command::inspect::each_item;
use crate::command::reading::{self, ReportTypes};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::footer::Footer;
use crate::schema::keys::is_hidden;
use crate::schema::shown_names;
use crate::stream::{FrameOpener, Item, StoredFrame};
use crate::wire::{Envelope, v2};

/// The statistics of a file, from the headers of its frames or its footer.
///
/// # Errors
/// If the input has neither frames of version 2 nor a footer, or is incomplete.
pub fn stats(path: &Path, args: &cli::Stats) -> Result<Stats> {
    let (source, options) = reading::open(path, &args.reading, ReportTypes::OfFrames, 1)?;
    let path = source.path.clone();
    let of_file = |error: Error| error.in_file(&path);
    let format = source.format.kind;
    if format != Format::Mbt && !format.has_pages() {
        return Err(of_file(no_statistics()));
    }
    if !options.text.keeps_wholes() {
        let error = Error::usage("--quick: statistics are known of whole columns");
        return Err(error.hint("leave out --quick to rename columns or look into them"));
    }
    if let Some(read) = format.footer() {
        let footer = read(source.bytes, source.file, options.max_frame).map_err(of_file)?;
        let mut stats = of_footer(&footer, &options.text).map_err(of_file)?;
        stats.file = path.display().to_string();
        return Ok(stats.without_objects());
    }
    let mut opener = FrameOpener::new(options.max_frame);
    let mut stats = Stats {
        file: path.display().to_string(),
        ..Stats::default()
    };
    let (_, fault) = each_item(source, options.max_frame, |item| {
        if let Item::Frame(frame) = item {
            let of_frame = of_frame(frame, &mut opener, &options.text);
            for part in of_frame.map_err(|error| error.in_frame(frame.index))? {
                stats.add(part);
            }
        }
        Ok(())
    })
    .map_err(of_file)?;
    fault.map_or(Ok(stats.without_objects()), |error| Err(of_file(error)))
}

impl Stats {
    /// Adds a later frame. Frames without rows only count if the file has no rows at all.
    fn add(&mut self, frame: Self) {
        if self.rows > 0 && frame.rows > 0 {
            self.join(frame);
        } else if self.rows == 0 {
            *self = Self {
                file: std::mem::take(&mut self.file),
                ..frame
            };
        }
    }
}

fn no_statistics() -> Error {
    Error::usage("--quick: only wire 2 frames and Parquet have statistics")
        .hint("omit --quick to read the values")
}

/// The statistics of each envelope in a frame.
fn of_frame(
    frame: &StoredFrame,
    opener: &mut FrameOpener,
    text: &TextOptions,
) -> Result<Vec<Stats>> {
    if let Some(envelope) = frame.v2() {
        return Ok(vec![of_envelope(envelope, text)?]);
    }
    opener
        .open(frame)?
        .contents
        .envelopes
        .into_iter()
        .map(|(_, envelope)| match envelope {
            Envelope::V2(envelope) => of_envelope(&envelope, text),
            Envelope::V1(_) => Err(no_statistics()),
        })
        .collect()
}

/// The statistics of all row groups.
fn of_footer(footer: &Footer, text: &TextOptions) -> Result<Stats> {
    let fields: Vec<Field> = footer
        .schema
        .fields()
        .iter()
        .map(|field| (**field).clone())
        .collect();
    let mut stats = Stats::default();
    for group in &footer.groups {
        let leaves = group.leaves(&footer.schema);
        let from = Provenance::Typed;
        stats.add(of_headers(group.rows, &fields, &leaves, text, from)?);
    }
    Ok(stats)
}

fn of_envelope(envelope: &v2::Envelope, text: &TextOptions) -> Result<Stats> {
    let (rows, fields) = (envelope.rows as u64, envelope.fields()?);
    let from = provenance(&envelope.metadata);
    of_headers(rows, &fields, &envelope.leaves()?, text, from)
}

/// The statistics of some rows, from what is stated about each column at any depth.
fn of_headers(
    rows: u64,
    fields: &[Field],
    headers: &[v2::Leaf],
    text: &TextOptions,
    from: Provenance,
) -> Result<Stats> {
    let names: Vec<String> = shown_names(fields).collect();
    text.require_columns(&names)?;
    let places: Vec<usize> = fields
        .iter()
        .enumerate()
        .filter(|(_, field)| !is_hidden(field))
        .map(|(at, _)| at)
        .collect();
    let mut stats = Stats {
        rows,
        ..Stats::default()
    };
    for at in text.places_to_read(&names) {
        let place = places[at];
        // A batch without rows provides the columns of the report and their types.
        let field = fields[place].clone().with_name(&names[at]);
        let schema = Schema::new(vec![field]);
        let empty = with_words_spelled(RecordBatch::new_empty(Arc::new(schema)))?;
        let header = |path: &str| {
            headers.iter().find(|header| {
                header.column == place && header.path == path && !is_hidden(&header.field)
            })
        };
        // Objects beside values of other kinds count as values in the header of their column.
        for objects in objects(&empty).into_iter().filter(|it| !it.is_kind) {
            let known = header(&objects.path).filter(|it| !it.is_unread && !it.may_hide_nulls);
            let rows = known.map(|header| header.valid as u64);
            stats.objects.insert(objects.path, rows);
        }
        for leaf in leaves(&empty, &BTreeSet::new())? {
            let header = header(&leaf.path);
            let column = ColumnStats::of_header(&leaf, header, rows, from)?;
            stats.columns.push((leaf.path, column));
        }
    }
    stats.store_leaves(headers);
    Ok(stats)
}
