//! Checks that several inputs can be joined to one table.

use std::fs::File;
use std::path::Path;

use crate::columns::cast::Provenance;
use crate::command::columns::columns_of;
use crate::command::open::first_frame;
use crate::error::{Error, Result};
use crate::format::exact::Dialect;
use crate::format::frame::provenance;
use crate::pipeline::{FIRST_STREAM, Source, difference};
use crate::schema::shown_names;
use crate::stream::{FrameReader, Item, StoredFrame, Wanted};
use crate::wire::v2::Envelope;

/// Refuses inputs with different columns; `again` is a second copy of the inputs. Does not check JSON and frames made
/// from it, since each row may have different keys.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if columns differ. Also if an input cannot be read.
pub fn ensure_same_columns(again: Vec<Source>, max_frame: u64) -> Result<()> {
    let mut first: Option<(std::path::PathBuf, Vec<String>)> = None;
    for mut source in again {
        let mut format = source.format.kind;
        if source.is_frames() {
            let text = first_frame(&mut source, max_frame)?.text;
            format = text.as_ref().map_or(format, Dialect::format);
        }
        if format.is_text() && !format.is_csv() {
            continue;
        }
        let path = source.path.clone();
        let mut names = Vec::new();
        columns_of(source, 0, max_frame, |fields| {
            names.extend(shown_names(fields));
        })?;
        let Some((before, known)) = &first else {
            first = Some((path, names));
            continue;
        };
        if let Some(what) = difference(known, &names, before) {
            return Err(Error::usage(what)
                .in_file(&path)
                .hint("choose columns that all inputs have with --columns"));
        }
    }
    Ok(())
}

/// Refuses a file of several streams with different columns, as `cat` makes it, like several inputs.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if columns differ. Damage is reported when the rows are read.
pub fn ensure_same_streams(source: &Source, max_frame: u64) -> Result<()> {
    let Some(file) = source.file.as_ref().filter(|_| source.is_frames()) else {
        return Ok(());
    };
    let mut reader = FrameReader::of_file(file, max_frame)
        .and_then(|mut reader| reader.locate_frames().map(|()| reader.in_parts()))
        .map_err(|error| error.in_file(&source.path))?;
    let is_located = reader.upcoming().is_some();
    let mut first: Option<Vec<String>> = None;
    while let Some(frame) = first_of_stream(&mut reader, is_located) {
        let is_table = |header: &&Envelope| provenance(&header.metadata) != Provenance::Json;
        let Some(Ok(fields)) = frame.v2().filter(is_table).map(Envelope::fields) else {
            continue;
        };
        let names: Vec<String> = shown_names(&fields).collect();
        let Some(known) = &first else {
            first = Some(names);
            continue;
        };
        if let Some(what) = difference(known, &names, Path::new(FIRST_STREAM)) {
            return Err(Error::usage(what)
                .in_file(&source.path)
                .hint("choose columns that all parts have with --columns"));
        }
    }
    source.rewind()
}

/// The first frame of the next stream. Where indexes list the frames, the others are skipped.
fn first_of_stream(reader: &mut FrameReader<File>, is_located: bool) -> Option<StoredFrame> {
    let mut begins = reader.frames() == 0;
    loop {
        match reader.upcoming() {
            Some(upcoming) if upcoming.place > 0 => {
                reader.pass();
                begins = true;
                continue;
            }
            None if is_located => return None,
            _ => {}
        }
        match reader.next_item_of(&mut |_| Ok(Wanted::Header)) {
            Ok(Some(Item::Frame(frame))) if begins => return Some(frame),
            Ok(Some(Item::End(_))) => begins = true,
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return None,
        }
    }
}
