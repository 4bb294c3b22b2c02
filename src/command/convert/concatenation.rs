//! Checks that several inputs can be joined to one table.

use crate::columns::TextOptions;
use crate::command::open::first_frame;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::exact::Dialect;
use crate::pipeline::{self, FrameSize, Options, Source, difference};
use crate::schema::shown_names;

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
