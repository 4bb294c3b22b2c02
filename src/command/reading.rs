//! Opens inputs for commands that report on rows.

use std::path::Path;
use std::sync::Arc;

use super::columns::{Chosen, chosen};
use super::joined::joined_schema;
use super::open::Opener;
use super::options::{cast, max_frame, max_record, text_options};
use super::spool::Inputs;
use crate::cli::Infer;
use crate::cli::reading::Reading;
use crate::columns::cast::Typing;
use crate::error::Result;
use crate::filter::Predicate;
use crate::format::frame::Cast;
use crate::pipeline::{FrameSize, PipelineOptions, Source};
use crate::report::note;

/// Copies of pipes below this size in bytes take no time.
const NOTED_COPY: usize = 16 << 20;

/// The types of the columns that a report is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportTypes {
    /// Each frame has its own types.
    OfFrames,
    /// All frames have the same types, so that values do not depend on where frames end. Unless `--infer` asks for other
    /// types, columns of text get the types of their values.
    OfAllRows,
}

/// Opens an input and returns the options for reading it. Frames are the same as in a conversion.
///
/// # Errors
/// If the input cannot be opened, or an option is wrong.
pub fn open(
    path: &Path,
    reading: &Reading,
    types: ReportTypes,
    threads: usize,
) -> Result<(Source, PipelineOptions)> {
    let opener = opener(reading)?;
    let source = source(path, reading, &opener)?;
    with_options(source, path, &opener, reading, types, threads)
}

/// Opens an input that is read by two passes, as [`open`] does.
///
/// # Errors
/// As for [`open`], and if an input that cannot be opened again cannot be copied.
pub fn open_twice(
    path: &Path,
    reading: &Reading,
    types: ReportTypes,
    threads: usize,
) -> Result<([Source; 2], PipelineOptions)> {
    let opener = opener(reading)?;
    let source = source(path, reading, &opener)?;
    let (source, options) = with_options(source, path, &opener, reading, types, threads)?;
    let mut sources = [source];
    let mut inputs = Inputs {
        sources: &mut sources,
        paths: &[path.to_owned()],
        opener: &opener,
    };
    let again = inputs.again(0, "rows are read again to measure how they are stored")?;
    let [source] = sources;
    Ok(([source, again], options))
}

/// Opens two inputs to be compared. Options for text apply to the input that is text.
///
/// # Errors
/// As for [`open`].
pub fn open_both(
    paths: [&Path; 2],
    reading: &Reading,
    types: ReportTypes,
    threads: usize,
) -> Result<[(Source, PipelineOptions); 2]> {
    let opener = opener(reading)?;
    let [one, other] = [opener.open(paths[0])?, opener.open(paths[1])?];
    opener.ensure_text_options_fit(&[&one, &other], &reading.types, None)?;
    let with_options = |source, path| with_options(source, path, &opener, reading, types, threads);
    Ok([with_options(one, paths[0])?, with_options(other, paths[1])?])
}

/// Opens an input, to which options for text must apply.
fn source(path: &Path, reading: &Reading, opener: &Opener<'_>) -> Result<Source> {
    let source = opener.open(path)?;
    opener.ensure_text_options_fit(&[&source], &reading.types, None)?;
    Ok(source)
}

/// An opener that does not bother people with small copies.
fn opener(reading: &Reading) -> Result<Opener<'_>> {
    let opener = Opener::new(&reading.input, &note)?;
    Ok(Opener {
        noted_copy: NOTED_COPY,
        ..opener
    })
}

/// The options for reading an input.
fn with_options(
    source: Source,
    path: &Path,
    opener: &Opener<'_>,
    reading: &Reading,
    types: ReportTypes,
    threads: usize,
) -> Result<(Source, PipelineOptions)> {
    let max_frame = max_frame(&reading.input.limit)?;
    let frame_size = FrameSize::TextBytes(source.format.kind.frame_bytes());
    let mut sources = [source];
    let mut inputs = Inputs {
        sources: &mut sources,
        paths: &[path.to_owned()],
        opener,
    };
    let chosen = chosen(&reading.columns, &mut inputs, frame_size, max_frame)?;
    let mut options = options(reading, chosen.or_all(), frame_size, max_frame, threads)?;
    options.cast = match types {
        ReportTypes::OfFrames => cast(reading.types.infer, false).map(Cast::To),
        ReportTypes::OfAllRows => {
            let typing = match reading.types.infer {
                None => Typing::ByValue,
                Some(Infer::Values) => Typing::Values,
                Some(Infer::Exact | Infer::None) => Typing::Exact,
            };
            let why = "the types of all rows are needed before the first";
            let schema = joined_schema(&mut inputs, &mut options, typing, why)?;
            Some(Cast::Fit(Arc::new(schema)))
        }
    };
    let [source] = sources;
    Ok((source, options))
}

/// The options for reading that all commands share.
///
/// # Errors
/// If one of them is wrong.
pub fn options(
    reading: &Reading,
    chosen: Chosen,
    frame_size: FrameSize,
    max_frame: u64,
    threads: usize,
) -> Result<PipelineOptions> {
    let filter = reading.filter.condition.as_deref();
    let filter = filter.map(Predicate::parse).transpose()?;
    let text = text_options(&reading.types, chosen)?;
    Ok(PipelineOptions {
        filter,
        max_record: max_record(&reading.records)?,
        threads,
        ..PipelineOptions::all(text, frame_size, max_frame)
    })
}
