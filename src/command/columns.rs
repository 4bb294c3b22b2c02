//! Resolves `--columns` where that depends on the columns of the input.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::open::Opener;
use super::spool;
use arrow_schema::Fields;

use crate::cli;
use crate::columns::TextOptions;
use crate::columns::place::{self, has_path};
use crate::error::{Error, Result};
use crate::format::{Bytes, Format, TextLayout};
use crate::pipeline::{self, FrameSize, Source};
use crate::schema::path::no_column;
use crate::schema::selection::{OutputColumn, Selection};
use crate::schema::shown_names;
use crate::stream::{FrameReader, Wanted};

/// Rows of JSON whose keys are offered to complete names.
const SEEN_ROWS: u64 = 100;
/// Larger frames are not read for that.
const NAMES_MAX_FRAME: u64 = 1 << 30;

/// The selected columns.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The columns in their order; `None` for all.
    pub columns: Option<Vec<OutputColumn>>,
    /// True if the input is known to have all of them, though perhaps not in every frame.
    pub is_checked: bool,
    /// True if an input was a pipe of JSON, which was copied to a temporary file.
    pub spooled: bool,
}

/// Resolves a selection. Patterns match the columns of all sources. The columns of JSON are known only at its end, so
/// patterns make files be read twice, and pipes be copied to a temporary file.
///
/// # Errors
/// If an item of the selection matches no column, or an input cannot be read.
pub fn chosen(
    columns: &cli::Columns,
    sources: &mut [Source],
    inputs: &[PathBuf],
    max_frame: u64,
    open: impl Fn(&Path) -> Result<Source>,
) -> Result<Chosen> {
    let Some(list) = &columns.columns else {
        return Ok(Chosen::default());
    };
    let of_option = |error: Error| error.of_option("--columns");
    let selection = Selection::parse(list).map_err(of_option)?;
    if let Some(columns) = selection.plain().map_err(of_option)? {
        ensure_in_frames(&columns, sources, max_frame)?;
        return Ok(Chosen {
            columns: Some(columns),
            ..Chosen::default()
        });
    }
    let mut known: Vec<String> = Vec::new();
    let mut spooled = false;
    for (source, path) in sources.iter_mut().zip(inputs) {
        let is_json = is_json(source);
        let names = if source.file.is_some() || is_json {
            let source = std::slice::from_mut(source);
            let (again, was_spooled) = spool::twice(source, std::slice::from_ref(path), &open)?;
            spooled |= was_spooled;
            let names = names_of(again, is_json, max_frame)?;
            spool::rewind(source)?;
            names
        } else {
            names_of_pipe(source, max_frame)?
        };
        for name in names {
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    let of_input = |error| match &sources[..] {
        [source] => of_option(error).in_file(&source.path),
        _ => of_option(error),
    };
    Ok(Chosen {
        columns: Some(selection.resolve(&known).map_err(of_input)?),
        is_checked: true,
        spooled,
    })
}

/// The names of all columns of a source, which is read to its end if `is_json`.
fn names_of(sources: Vec<Source>, is_json: bool, max_frame: u64) -> Result<Vec<String>> {
    let text = TextOptions {
        infer: false,
        ..TextOptions::default()
    };
    // Keys are ordered frame by frame, so use the same frames as a conversion.
    let formats = sources.iter().map(|source| source.format.format);
    let bytes = formats.map(Format::frame_bytes).min();
    let frame_size = bytes.map_or(FrameSize::Whole, FrameSize::TextBytes);
    let options = pipeline::Options {
        rows: if is_json { 0..u64::MAX } else { 0..0 },
        ..pipeline::Options::all(text, frame_size, max_frame)
    };
    let mut names = Vec::new();
    let mut see = |fields: &Fields| {
        for name in shown_names(fields) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    };
    for source in &sources {
        // Frames of JSON may have columns of their own.
        headers(source, max_frame, |fields| {
            fields.map(&mut see);
            true
        })?;
    }
    let mut sources = sources;
    spool::rewind(&mut sources)?;
    pipeline::frames(sources, &options, |frame| {
        see(frame.schema.fields());
        Ok(())
    })?;
    Ok(names)
}

/// The names of the columns of a file, and of what is in them, as far as its beginning tells.
///
/// # Errors
/// If it cannot be read.
pub fn names_in(path: &Path) -> Result<Vec<String>> {
    let layout = TextLayout::default();
    let opener = Opener {
        from: None,
        layout: &layout,
        note: &|_| (),
    };
    let source = opener.open(path)?;
    // Keys are those of rows.
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
    matches!(source.format.format, Format::Json | Format::Ndjson)
}

/// Calls `see` with the columns of each frame of a file until it returns false; `None` for frames of version 1. Returns
/// whether there is such a file.
fn headers(
    source: &Source,
    max_frame: u64,
    mut look: impl FnMut(Option<&Fields>) -> bool,
) -> Result<bool> {
    let is_frames = source.format.format == Format::Mbt;
    let Some(file) = source.file.as_ref().filter(|_| is_frames) else {
        return Ok(false);
    };
    let cannot = |error| Error::io("cannot read", error).in_file(&source.path);
    let reader = FrameReader::new(file.try_clone().map_err(cannot)?, max_frame);
    let file = file.try_clone().map_err(cannot)?;
    let mut reader = reader.with_file(Some(file))?.in_parts();
    // Damage is reported when the rows are read.
    while let Ok(Some(frame)) = reader.next_frame_of(&mut |_| Ok(Wanted::Header)) {
        let fields = frame.v2().and_then(|header| header.fields().ok());
        let fields: Option<Fields> = fields.map(|fields| fields.into_iter().collect());
        if !look(fields.as_ref()) {
            break;
        }
    }
    Ok(true)
}

/// Refuses columns that no frame has, if headers show that before any row is read.
fn ensure_in_frames(
    columns: &[OutputColumn],
    sources: &mut [Source],
    max_frame: u64,
) -> Result<()> {
    let mut missing: Vec<&OutputColumn> = columns.iter().collect();
    let mut known = Vec::new();
    for source in &*sources {
        let is_told = headers(source, max_frame, |fields| {
            let Some(fields) = fields else {
                missing.clear();
                return false;
            };
            let is_there = |it: &OutputColumn| has_path(fields.iter().map(|it| &**it), &it.path);
            missing.retain(|column| !is_there(column));
            known.extend(place::names(fields));
            !missing.is_empty()
        })?;
        if !is_told {
            missing.clear();
        }
    }
    spool::rewind(sources)?;
    let Some(column) = missing.first() else {
        return Ok(());
    };
    known.sort();
    known.dedup();
    let error = no_column(&column.path.to_string(), &known);
    Err(match sources {
        [source] => error.in_file(&source.path),
        _ => error,
    })
}

/// The names of the columns of a pipe. Reads as little as possible and puts it back into the source.
fn names_of_pipe(source: &mut Source, max_frame: u64) -> Result<Vec<String>> {
    let bytes = std::mem::replace(&mut source.bytes, Box::new(std::io::empty()));
    let shared = Arc::new(Mutex::new(Recorded {
        bytes,
        seen: Vec::new(),
    }));
    let again = Source {
        path: source.path.clone(),
        bytes: Box::new(Recording(Arc::clone(&shared))),
        file: None,
        format: source.format.clone(),
    };
    let names = names_of(vec![again], false, max_frame);
    let mut recorded = shared.lock().unwrap_or_else(PoisonError::into_inner);
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
        let mut recorded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let len = recorded.bytes.read(buffer)?;
        recorded.seen.extend_from_slice(&buffer[..len]);
        Ok(len)
    }
}
