//! Opens inputs for commands that report on rows.

use std::path::Path;

use super::columns::{Chosen, chosen};
use super::open::Opener;
use super::options::{cast, max_frame, max_record, text_options};
use super::spool::Inputs;
use crate::cli::reading::Reading;
use crate::error::Result;
use crate::filter::Predicate;
use crate::pipeline::{FrameSize, PipelineOptions, Source};
use crate::report::note;

/// Opens an input and returns the options for reading it. Frames are the same as in a conversion.
///
/// # Errors
/// If the input cannot be opened, or an option is wrong.
pub fn open(path: &Path, reading: &Reading, threads: usize) -> Result<(Source, PipelineOptions)> {
    let opener = Opener::new(&reading.input, &note)?;
    let source = opener.open(path)?;
    opener.ensure_text_options_fit(&[&source], &reading.types, None)?;
    with_options(source, path, &opener, reading, threads)
}

/// Opens two inputs to be compared. Options for text apply to the input that is text.
///
/// # Errors
/// As for [`open`].
pub fn open_both(
    left: &Path,
    right: &Path,
    reading: &Reading,
    threads: usize,
) -> Result<[(Source, PipelineOptions); 2]> {
    let opener = Opener::new(&reading.input, &note)?;
    let [one, other] = [opener.open(left)?, opener.open(right)?];
    opener.ensure_text_options_fit(&[&one, &other], &reading.types, None)?;
    let with_options = |source, path| with_options(source, path, &opener, reading, threads);
    Ok([with_options(one, left)?, with_options(other, right)?])
}

/// The options for reading an input.
fn with_options(
    source: Source,
    path: &Path,
    opener: &Opener<'_>,
    reading: &Reading,
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
    let options = PipelineOptions {
        cast: cast(reading.types.infer, false),
        ..options(reading, chosen.or_all(), frame_size, max_frame, threads)?
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
