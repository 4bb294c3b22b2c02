//! Checks that several inputs can be joined to one table.

use std::path::Path;

use crate::columns::TextOptions;
use crate::columns::cast::Provenance;
use crate::command::open::first_frame;
use crate::command::spool;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::exact::Dialect;
use crate::format::frame::provenance;
use crate::pipeline::{self, FIRST_STREAM, FrameSize, Options, Source, difference};
use crate::schema::shown_names;
use crate::stream::{FrameReader, Item, Wanted};
use crate::wire::v2::Envelope;

/// Refuses inputs with different columns; `again` is a second copy of the inputs. Does not check JSON and frames made
/// from it, since each row may have different keys.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if columns differ. Also if an input cannot be read.
pub fn ensure_same_columns(again: Vec<Source>, max_frame: u64) -> Result<()> {
    let mut first: Option<(std::path::PathBuf, Vec<String>)> = None;
    for mut source in again {
        let mut format = source.format.format;
        if format == Format::Mbt {
            let text = first_frame(&mut source, max_frame)?.text;
            format = text.as_ref().map_or(format, Dialect::format);
        }
        if format.is_text() && !format.has_header() {
            continue;
        }
        let path = source.path.clone();
        let names = names(source, max_frame)?;
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
pub fn ensure_same_streams(source: &mut Source, max_frame: u64) -> Result<()> {
    let Some(file) = source
        .file
        .as_ref()
        .filter(|_| source.format.format == Format::Mbt)
    else {
        return Ok(());
    };
    let reader = FrameReader::of_file(file, max_frame);
    let mut reader = reader
        .map_err(|error| error.in_file(&source.path))?
        .in_parts();
    let mut first: Option<Vec<String>> = None;
    let mut begins = true;
    while let Ok(Some(item)) = reader.next_item_of(&mut |_| Ok(Wanted::Header)) {
        let header = match &item {
            Item::End(_) => {
                begins = true;
                continue;
            }
            Item::Frame(frame) if begins => frame.v2(),
            _ => continue,
        };
        begins = false;
        let is_table = |header: &&Envelope| provenance(&header.metadata) != Provenance::Json;
        let Some(Ok(fields)) = header.filter(is_table).map(Envelope::fields) else {
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
    spool::rewind(std::slice::from_mut(source))
}

/// The names of an input's columns.
fn names(source: Source, max_frame: u64) -> Result<Vec<String>> {
    let options = Options {
        rows: 0..0,
        ..Options::all(TextOptions::default(), FrameSize::Whole, max_frame)
    };
    let mut names = Vec::new();
    let sink = |frame: crate::format::frame::Frame| {
        names.extend(shown_names(frame.schema.fields()));
        Ok(())
    };
    pipeline::frames(vec![source], &options, sink)?;
    Ok(names)
}
