//! Determines a common schema of all rows before the first row is written.
//!
//! Types may differ from frame to frame, but some formats have one schema for all rows. It describes the whole input,
//! whichever rows are selected, so that a selection changes no types. The headers of files of frames usually decide it;
//! otherwise the input is read twice, as far as columns are undecided.

use std::collections::{BTreeSet, HashMap};

use super::aggregate::aggregate;
use super::columns::headers;
use super::spool::{Inputs, rewind};
use crate::columns::TextOptions;
use crate::columns::cast::join::{Joined, JoinedSchema, missing_field};
use crate::columns::cast::stated::{JoinedHeaders, StatedColumn};
use crate::columns::cast::{Provenance, Typing, provenance};
use crate::columns::statistics::Statistics;
use crate::error::Result;
use crate::format::frame::Frame;
use crate::pipeline::{self, PipelineOptions, Source};
use crate::schema::ROW_COLUMN;
use crate::schema::choice::ColumnChoice;
use crate::schema::keys::{is_hidden, is_row};
use crate::schema::selection::OutputColumn;
use crate::wire::v2::{ColumnTree, Envelope};

/// The common schema of all rows of `inputs`, of which `options` may select some. The inputs can then be read from their
/// start; `why` is in the note about inputs that have to be copied. If some rows are objects and others are not, `options`
/// then select rows as wholes.
///
/// # Errors
/// If an input cannot be read.
pub fn joined_schema(
    inputs: &mut Inputs<'_>,
    options: &mut PipelineOptions,
    typing: Typing,
    why: &str,
) -> Result<JoinedSchema> {
    let schema = schema_of(inputs.twice(why)?, options, typing)?;
    rewind(inputs.sources)?;
    if !schema.mixes_whole_rows || options.text.columns.is_some() {
        return Ok(schema);
    }
    let rows = OutputColumn::whole(ROW_COLUMN.to_owned());
    options.text.columns = Some(ColumnChoice::of(vec![rows]));
    options.text.some_frames_lack_columns = true;
    options.text.makes_whole_rows = true;
    let schema = schema_of(inputs.twice(why)?, options, typing)?;
    rewind(inputs.sources)?;
    Ok(schema)
}

fn schema_of(
    sources: Vec<Source>,
    options: &PipelineOptions,
    typing: Typing,
) -> Result<JoinedSchema> {
    let mut options = options.with_all_rows();
    let known = of_headers(&sources, &options).unwrap_or_default();
    rewind(&sources)?;
    let undecided: BTreeSet<String> = known.undecided().map(str::to_owned).collect();
    if !known.is_empty() {
        if undecided.is_empty() {
            return Ok(known.with(Joined::default()).schema(typing));
        }
        options.text = reading_only(undecided, options.text);
    }
    let of = |frame: Frame, _| Ok(Joined::of(&frame.schema, &frame.batches));
    let (read, _) = aggregate(sources, &options, of, Joined::join)?;
    Ok(known.with(read.unwrap_or_default()).schema(typing))
}

/// Options to read only the columns with these names in the output.
fn reading_only(names: BTreeSet<String>, options: TextOptions) -> TextOptions {
    let columns = match options.selected() {
        None => names.into_iter().map(OutputColumn::whole).collect(),
        Some(columns) => {
            let columns = columns.iter().filter(|it| names.contains(&it.name));
            columns.cloned().collect()
        }
    };
    TextOptions {
        columns: Some(ColumnChoice::of(columns)),
        some_frames_lack_columns: true,
        ..options
    }
}

/// What all headers say about the columns of the output; `None` if that is not enough to find them. Errors are reported
/// when the rows are read.
fn of_headers(sources: &[Source], options: &PipelineOptions) -> Option<JoinedHeaders> {
    if options.cast.is_some() || !options.text.fixed.is_empty() {
        return None;
    }
    let mut joined = JoinedHeaders::default();
    for source in sources {
        // Do not open it by name: a pipe can have this name.
        let file = source.file.as_ref()?;
        if source.is_frames() {
            let mut are_known = true;
            let look = |header: Option<&Envelope>| {
                are_known = header.is_some_and(|it| add(it, &options.text, &mut joined).is_some());
                are_known
            };
            headers(source, options.max_frame, look).ok()?;
            if !are_known {
                return None;
            }
        } else {
            let again = source.of_file(file).ok()?;
            let schema = pipeline::stated_schema(again, options).ok()??;
            let columns = schema.fields().iter().map(|field| StatedColumn {
                field: field.as_ref().clone(),
                statistics: Statistics::default(),
                extremes: None,
            });
            let from = provenance(schema.metadata());
            let columns = selected(columns.collect(), &options.text, from)?;
            joined.add(&columns, 1, schema.metadata());
        }
    }
    Some(joined)
}

/// Adds the header of a frame; `None` if the output's columns are not among its columns.
fn add(header: &Envelope, options: &TextOptions, joined: &mut JoinedHeaders) -> Option<()> {
    let columns = header.columns().ok()?.iter().map(stated);
    let from = provenance(&header.metadata);
    let columns = selected(columns.collect::<Option<_>>()?, options, from)?;
    joined.add(&columns, header.rows, &header.metadata);
    Some(())
}

fn stated(column: &ColumnTree) -> Option<StatedColumn> {
    if column.unread.is_some() {
        return None;
    }
    let statistics = column.known();
    let extremes = statistics.extremes.as_ref();
    let extremes = extremes.and_then(|extremes| extremes.values(&column.field));
    Some(StatedColumn {
        field: column.field.clone(),
        extremes: extremes.map(|(_, both)| both),
        statistics,
    })
}

/// The selected columns, renamed; `None` if some may be inside others, or names are ambiguous.
fn selected(
    mut columns: Vec<StatedColumn>,
    options: &TextOptions,
    from: Provenance,
) -> Option<Vec<StatedColumn>> {
    columns.retain(|column| !is_hidden(&column.field));
    let places = columns.iter().enumerate();
    let places = places.map(|(at, column)| (column.field.name().clone(), at));
    let places: HashMap<String, usize> = places.collect();
    let are_ambiguous = places.len() < columns.len() || places.contains_key("");
    if are_ambiguous || columns.iter().any(|column| is_row(&column.field)) {
        return None;
    }
    let Some(wanted) = options.selected() else {
        return Some(columns);
    };
    let column = |output: &OutputColumn| {
        let name = output.path.as_name().filter(|name| *name != ROW_COLUMN)?;
        let mut column = match places.get(name) {
            Some(&place) => columns[place].clone(),
            None => StatedColumn {
                field: missing_field(name, from),
                statistics: Statistics::default(),
                extremes: None,
            },
        };
        column.field.set_name(output.name.clone());
        Some(column)
    };
    wanted.iter().map(column).collect()
}
