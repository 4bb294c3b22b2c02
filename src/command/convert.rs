//! `mbt convert`: text to frames, frames to text, text to text, frames to frames.

use std::path::PathBuf;

use super::open::{is_standard, source};
use super::options::{
    csv_options, encode_options, format_of_extension, max_frame, row_range, text_options,
};
use super::output::Output;
use super::target::{Form, Writer};
use crate::cli::{self, Convert};
use crate::error::{Error, Result};
use crate::pipeline::{self, Format, FrameSize, Source};
use crate::report::note;
use crate::text::project::Infer;

/// Bytes of text per frame on the way to other text, so that output begins before input ends.
const TEXT_FRAME_BYTES: u64 = 8 << 20;
/// Rows that are printed at once on the way from frames to text.
const PRINT_ROWS: usize = 1 << 14;

/// Converts.
///
/// # Errors
/// Whatever keeps an input from being read or the output from being written.
pub fn run(args: Convert) -> Result<()> {
    let csv = csv_options(&args.input.dialect)?;
    let encode = encode_options(&args.output.encodings)?;
    let inputs = if args.inputs.is_empty() {
        vec![PathBuf::from("-")]
    } else {
        args.inputs
    };
    if inputs.iter().filter(|path| is_standard(path)).count() > 1 {
        return Err(Error::usage("stdin can be read only once"));
    }
    let sources = inputs
        .iter()
        .map(|path| source(path, args.input.from, &csv));
    let sources: Vec<Source> = sources.collect::<Result<_>>()?;
    let from_frames = sources
        .iter()
        .all(|source| matches!(source.format, Format::Mbt));

    let is_frames = |source: &Source| matches!(source.format, Format::Mbt);
    if args.salvage && !sources.iter().any(is_frames) {
        return Err(
            Error::usage("--salvage: the input is text, which has no frames")
                .hint("use --from mbt if it is a damaged stream of frames"),
        );
    }
    let output = args.output.output.as_deref();
    let by_name = || output.and_then(format_of_extension);
    let default = if from_frames {
        cli::Format::Csv
    } else {
        cli::Format::Mbt
    };
    let to = args.output.to.or_else(by_name).unwrap_or(default);
    let is_text = to != cli::Format::Mbt;
    let infer = match to {
        cli::Format::Csv | cli::Format::Tsv => Infer::Exact,
        cli::Format::Json | cli::Format::Ndjson | cli::Format::Mbt => Infer::Values,
    };
    let options = pipeline::Options {
        text: text_options(&args.types, &args.columns, infer)?,
        rows: row_range(args.rows.as_deref())?,
        frame_size: match args.output.frame_rows {
            Some(rows) => FrameSize::Rows(rows),
            None if is_text => FrameSize::TextBytes(TEXT_FRAME_BYTES),
            None => FrameSize::Whole,
        },
        max_frame: max_frame(&args.input.limit)?,
        one_header: matches!(to, cli::Format::Csv | cli::Format::Tsv),
        batch_rows: is_text.then_some(PRINT_ROWS),
        salvage: args.salvage,
        threads: std::thread::available_parallelism().map_or(1, Into::into),
    };

    let output = Output::open(output, !is_text, args.output.force)?;
    let form = Form::new(to, &csv, encode);
    let mut writer = Writer::new(output, form.clone());
    let mut notes = pipeline::run(sources, &options, &form, |printed| writer.write(&printed))?;
    notes.extend(writer.finish()?);
    if !args.output.quiet {
        for pipeline::Note(text) in &notes {
            note(text);
        }
    }
    Ok(())
}
