//! Resolves `--columns` where that depends on the columns of the input.

use std::collections::{HashMap, HashSet};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::open::Opener;
use super::spool;
use arrow_schema::{Fields, Schema};

use crate::cli;
use crate::columns::TextOptions;
use crate::columns::place::{self, Reach, reach_among};
use crate::error::{Error, Result};
use crate::format::{Bytes, Format};
use crate::pipeline::{self, Batches, FrameSize, Source};
use crate::schema::ROW_COLUMN;
use crate::schema::keys::is_row;
use crate::schema::path::no_column;
use crate::schema::selection::{OutputColumn, Selection};
use crate::schema::shown_names;
use crate::stream::{FrameReader, Wanted};
use crate::sync::lock;

/// Number of JSON rows whose keys are offered to complete names.
const SEEN_ROWS: u64 = 100;
/// Number of bytes of text to read at a time to find names.
const NAMES_BYTES: u64 = 1 << 20;
/// Larger frames are not read to complete names.
const NAMES_MAX_FRAME: u64 = 1 << 30;

/// The selected columns.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The columns in their order; `None` for all.
    pub columns: Option<Vec<OutputColumn>>,
    /// True if these are all columns of the input, in its order.
    pub is_all: bool,
    /// True if frames may lack some of them.
    pub some_frames_lack_columns: bool,
    /// True if an input was a pipe, which was copied to a temporary file.
    pub spooled: bool,
}

impl Chosen {
    /// Drops the list if it selects all columns in their order, since it then changes nothing.
    #[must_use]
    pub fn or_all(mut self) -> Self {
        self.columns.take_if(|_| self.is_all);
        self
    }
}

/// Resolves a selection. Patterns match the columns of all sources. If later rows may have more columns, text has to be
/// read twice to match a pattern, and pipes are copied to a temporary file.
///
/// # Errors
/// If an item of the selection matches no column, or an input cannot be read.
pub fn chosen(
    columns: &cli::Columns,
    sources: &mut [Source],
    inputs: &[PathBuf],
    frame_size: FrameSize,
    max_frame: u64,
    open: impl Fn(&Path) -> Result<Source>,
) -> Result<Chosen> {
    let Some(list) = &columns.columns else {
        return Ok(Chosen::default());
    };
    let of_option = |error: Error| error.of_option("--columns");
    let selection = Selection::parse(list).map_err(of_option)?;
    if let Some(columns) = selection.plain().map_err(of_option)? {
        let are_found = ensure_in_frames(&columns, sources, max_frame)?;
        return Ok(Chosen {
            columns: Some(columns),
            some_frames_lack_columns: are_found || sources.iter().any(is_flexible),
            ..Chosen::default()
        });
    }
    let (known, spooled) = all_names(sources, inputs, frame_size, max_frame, open)?;
    let of_input = |error| match &sources[..] {
        [source] => of_option(error).in_file(&source.path),
        _ => of_option(error),
    };
    let columns = selection.resolve(&known).map_err(of_input)?;
    // A name that occurs several times is selected once.
    let mut each = HashSet::new();
    let each = known.iter().filter(|name| each.insert(*name));
    Ok(Chosen {
        is_all: columns
            .iter()
            .map(OutputColumn::as_whole)
            .eq(each.map(|name| Some(&name[..]))),
        columns: Some(columns),
        some_frames_lack_columns: true,
        spooled,
    })
}

/// Selects all columns by their names, unless there are none.
///
/// # Errors
/// If an input cannot be read.
pub fn all_by_name(
    sources: &mut [Source],
    inputs: &[PathBuf],
    frame_size: FrameSize,
    max_frame: u64,
    open: impl Fn(&Path) -> Result<Source>,
) -> Result<Chosen> {
    let (known, spooled) = all_names(sources, inputs, frame_size, max_frame, open)?;
    if known.is_empty() {
        return Ok(Chosen::default());
    }
    Ok(Chosen {
        columns: Some(Selection::parse("*")?.resolve(&known)?),
        is_all: true,
        some_frames_lack_columns: true,
        spooled,
    })
}

/// The names of the columns of all rows, and whether an input was a pipe, which was copied to a temporary file.
fn all_names(
    sources: &mut [Source],
    inputs: &[PathBuf],
    frame_size: FrameSize,
    max_frame: u64,
    open: impl Fn(&Path) -> Result<Source>,
) -> Result<(Vec<String>, bool)> {
    let mut known: Vec<String> = Vec::new();
    let mut spooled = false;
    for (source, path) in sources.iter_mut().zip(inputs) {
        let gains_columns = gains_columns(source);
        let names = if source.file.is_some() || gains_columns {
            let source = std::slice::from_mut(source);
            let (again, was_spooled) = spool::twice(source, std::slice::from_ref(path), &open)?;
            spooled |= was_spooled;
            let names = names_of(again, frame_size, max_frame)?;
            spool::rewind(source)?;
            names
        } else {
            names_of_pipe(source, frame_size, max_frame)?
        };
        add_names(names, &mut known);
    }
    Ok((known, spooled))
}

/// Adds the names that are not known. A name that occurs several times in a header is added as often, so that positions
/// are those of the header.
fn add_names(names: impl IntoIterator<Item = String>, known: &mut Vec<String>) {
    let mut left: HashMap<String, usize> = HashMap::new();
    for name in &*known {
        *left.entry(name.clone()).or_default() += 1;
    }
    for name in names {
        match left.get_mut(&name) {
            Some(count) if *count > 0 => *count -= 1,
            _ => known.push(name),
        }
    }
}

/// The names of all columns of sources, in the order of a conversion with frames of this size.
fn names_of(sources: Vec<Source>, frame_size: FrameSize, max_frame: u64) -> Result<Vec<String>> {
    let text = TextOptions {
        infer: false,
        ..TextOptions::default()
    };
    let mut are_known = !sources.iter().any(|it| is_late(it) || is_wrapped(it));
    let mut names = Vec::new();
    let mut has_rows = false;
    let mut add = |fields: &Fields| {
        has_rows |= fields.iter().any(|field| is_row(field));
        add_names(shown_names(fields), &mut names);
    };
    for source in &sources {
        // Frames of JSON may have columns of their own.
        headers(source, max_frame, |fields| {
            are_known &= fields.is_some();
            fields.map(&mut add);
            true
        })?;
    }
    let options = pipeline::Options {
        rows: if are_known { 0..0 } else { 0..u64::MAX },
        ..pipeline::Options::all(text, frame_size, max_frame)
    };
    spool::rewind(&sources)?;
    pipeline::frames(sources, &options, |frame| {
        add(frame.schema.fields());
        Ok(())
    })?;
    // In a frame of all rows, all would be whole.
    Ok(if has_rows {
        vec![ROW_COLUMN.to_owned()]
    } else {
        names
    })
}

/// The column of whole rows as the only one, if some rows are whole and others have columns.
///
/// # Errors
/// None; the name is a valid selection.
pub fn only_rows(schema: &Schema) -> Result<Option<Vec<OutputColumn>>> {
    let has_rows = schema.fields().iter().any(|field| is_row(field));
    if !has_rows || schema.fields().len() == 1 {
        return Ok(None);
    }
    let columns = Selection::parse("*")?.resolve(&[ROW_COLUMN.to_owned()])?;
    Ok(Some(columns))
}

/// The names of the columns of a file and of the values inside them, as far as the start of the file shows them.
///
/// # Errors
/// If it cannot be read.
pub fn names_in(path: &Path) -> Result<Vec<String>> {
    let source = Opener::usual(None, &|_| ()).open(path)?;
    // Text of JSON has no header: the columns are the keys of its rows.
    let rows = if is_json(&source) { SEEN_ROWS } else { 0 };
    let options = pipeline::Options {
        rows: 0..rows,
        ..pipeline::Options::all(TextOptions::default(), FrameSize::Whole, NAMES_MAX_FRAME)
    };
    let mut names = Vec::new();
    pipeline::frames(vec![source], &options, |frame| {
        names.extend(place::names(frame.schema.fields()));
        Ok(())
    })?;
    Ok(names)
}

fn is_json(source: &Source) -> bool {
    source.format.kind.is_json()
}

/// True for CSV whose longer records have columns that the header lacks.
fn is_flexible(source: &Source) -> bool {
    let format = &source.format;
    matches!(format.kind, Format::Csv | Format::Tsv) && format.layout.csv.flexible
}

/// True for text whose later rows may have more columns.
fn is_late(source: &Source) -> bool {
    is_json(source) || is_flexible(source)
}

/// True for frames whose headers are known only by reading everything before them.
fn is_wrapped(source: &Source) -> bool {
    source.is_frames() && source.file.is_none()
}

/// True if later rows may have more columns; frames may be those of such text.
fn gains_columns(source: &Source) -> bool {
    is_late(source) || source.is_frames()
}

/// Calls `look` with the columns of each frame until it returns false; with `None` for frames of version 1. Returns
/// false if the source is not a file of frames.
fn headers(
    source: &Source,
    max_frame: u64,
    mut look: impl FnMut(Option<&Fields>) -> bool,
) -> Result<bool> {
    let Some(file) = source.file.as_ref().filter(|_| source.is_frames()) else {
        return Ok(false);
    };
    let reader = FrameReader::of_file(file, max_frame);
    let mut reader = reader
        .map_err(|error| error.in_file(&source.path))?
        .in_parts();
    // Damage is reported when the rows are read.
    while let Ok(Some(frame)) = reader.next_frame_of(&mut |_| Ok(Wanted::Header)) {
        let fields: Option<Fields> = frame
            .v2()
            .and_then(|header| header.fields().ok())
            .map(|fields| fields.into_iter().collect());
        if !look(fields.as_ref()) {
            break;
        }
    }
    Ok(true)
}

/// Selected columns that have not been found yet.
struct Missing<'a> {
    columns: Vec<&'a OutputColumn>,
    /// The names of all columns so far.
    known: Vec<String>,
    /// Some of them may be in JSON text.
    may_be_in_text: bool,
}

impl<'a> Missing<'a> {
    fn of(columns: &'a [OutputColumn]) -> Self {
        Self {
            columns: columns.iter().collect(),
            known: Vec::new(),
            may_be_in_text: false,
        }
    }

    /// Looks for them among these columns; true if any is still missing.
    fn look(&mut self, fields: &Fields) -> bool {
        let mut is_missing = |it: &OutputColumn| {
            let reach = reach_among(fields.iter().map(|it| &**it), &it.path);
            self.may_be_in_text |= reach == Reach::Text;
            reach < Reach::Value
        };
        self.columns.retain(|column| is_missing(column));
        self.known.extend(place::names(fields));
        !self.columns.is_empty()
    }

    /// Refuses a column that is not in any of the sources.
    fn conclude(mut self, sources: &[Source]) -> Result<()> {
        let column = self.columns.first().filter(|_| !self.may_be_in_text);
        let Some(column) = column else {
            return Ok(());
        };
        self.known.sort();
        self.known.dedup();
        let error = no_column(&column.path.to_string(), &self.known);
        Err(match sources {
            [source] => error.in_file(&source.path),
            _ => error,
        })
    }
}

/// Refuses columns that no row of the text has before any row is written. Reads the text until all columns have
/// occurred. The columns of a pipe are known only after its rows are written.
///
/// # Errors
/// [`crate::error::Kind::Usage`] with the existing names.
pub fn ensure_in_text(
    options: &pipeline::Options,
    sources: &mut [Source],
    inputs: &[PathBuf],
    open: impl Fn(&Path) -> Result<Source>,
) -> Result<()> {
    let is_file_of_text = |source: &Source| source.file.is_some() && is_late(source);
    let Some(columns) = &options.text.columns else {
        return Ok(());
    };
    if !sources.iter().all(is_file_of_text) {
        return Ok(());
    }
    let (again, _) = spool::twice(sources, inputs, open)?;
    // Which names there are may depend on the rows of a frame.
    let frame_size = match options.frame_size {
        rows @ FrameSize::Rows(_) => rows,
        FrameSize::TextBytes(_) | FrameSize::Whole => FrameSize::TextBytes(NAMES_BYTES),
    };
    let text = TextOptions {
        infer: options.text.infer,
        fixed: options.text.fixed.clone(),
        ..TextOptions::default()
    };
    let reading = pipeline::Options::all(text, frame_size, options.max_frame);
    let mut missing = Missing::of(columns);
    let mut batches = Batches::new(again, reading)?;
    let is_known = loop {
        match batches.next() {
            Some(Ok(batch)) if missing.look(batch.schema_ref().fields()) => {}
            None => break true,
            // An error is reported if its row is read.
            Some(_) => break false,
        }
    };
    spool::rewind(sources)?;
    if is_known {
        missing.conclude(sources)?;
    }
    Ok(())
}

/// Refuses columns that no frame has, if headers show that before any row is read. Returns whether they show that each
/// column is in some frame.
fn ensure_in_frames(
    columns: &[OutputColumn],
    sources: &mut [Source],
    max_frame: u64,
) -> Result<bool> {
    let mut missing = Missing::of(columns);
    let mut are_known = true;
    for source in &*sources {
        let has_headers = headers(source, max_frame, |fields| {
            let Some(fields) = fields else {
                are_known = false;
                return false;
            };
            missing.look(fields)
        })?;
        are_known &= has_headers;
    }
    spool::rewind(sources)?;
    // What is in text is known when it is read.
    let are_found = are_known && missing.columns.is_empty();
    if are_known {
        missing.conclude(sources)?;
    }
    Ok(are_found)
}

/// The names of the columns of a pipe. Reads as little as possible and puts it back into the source.
fn names_of_pipe(
    source: &mut Source,
    frame_size: FrameSize,
    max_frame: u64,
) -> Result<Vec<String>> {
    let bytes = std::mem::replace(&mut source.bytes, Box::new(std::io::empty()));
    let shared = Arc::new(Mutex::new(Recorded {
        bytes,
        seen: Vec::new(),
    }));
    let again = Recording(Arc::clone(&shared));
    let again = Source::stream(&source.path, again, source.format.clone());
    let names = names_of(vec![again], frame_size, max_frame);
    let mut recorded = lock(&shared);
    let seen = Cursor::new(std::mem::take(&mut recorded.seen));
    let bytes = std::mem::replace(&mut recorded.bytes, Box::new(std::io::empty()));
    source.bytes = Box::new(seen.chain(bytes));
    names
}

/// The part of a pipe that was read, followed by the rest.
struct Recorded {
    bytes: Bytes,
    seen: Vec<u8>,
}

struct Recording(Arc<Mutex<Recorded>>);

impl Read for Recording {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut recorded = lock(&self.0);
        let len = recorded.bytes.read(buffer)?;
        recorded.seen.extend_from_slice(&buffer[..len]);
        Ok(len)
    }
}
