//! `mbt convert`: text to frames, frames to text, text to text, frames to frames.

mod concatenation;
mod out_dir;
mod plan;

use std::path::PathBuf;

pub use plan::{ConversionPlan, PRINT_ROWS, SMALL_FRAME_BYTES};

use self::concatenation::{ensure_same_columns, ensure_same_streams};
use super::columns::{all_by_name, chosen, ensure_in_text};
use super::compressed::TextOutput;
use super::joined::joined_schema;
use super::open::{Opener, can_reopen, ensure_last_exists, ensure_stdin_once, metadata};
use super::output::{Output, ensure_not_an_input};
use super::partial::exit_with;
use super::spool::Inputs;
use crate::cli::Convert;
use crate::columns::cast::Typing;
use crate::error::{Error, Result};
use crate::format::Encoded;
use crate::pipeline::{self, Source};
use crate::report::progress::Progress;
use crate::stream::Codec;

/// Converts.
///
/// # Errors
/// If an input cannot be read or the output cannot be written.
pub fn run(args: &Convert) -> Result<()> {
    if let Some(dir) = &args.output.out_dir {
        return out_dir::run(args, dir);
    }
    let inputs = &args.inputs[..];
    ensure_stdin_once(inputs)?;
    ensure_not_an_input(args.output.output.as_deref(), inputs)?;
    if args.output.output.is_none() {
        ensure_last_exists(inputs)?;
    }
    let progress = Progress::begin(
        args.output.messages,
        inputs.iter().map(|path| metadata(path)),
    );
    let loss = convert(args, inputs, &progress)?;
    progress.finish();
    loss.map_or(Ok(()), Err)
}

/// Converts inputs to one output. With `--salvage`, returns an error that lists the losses, if any.
fn convert(args: &Convert, paths: &[PathBuf], progress: &Progress) -> Result<Option<Error>> {
    let note = |text: &str| match paths {
        [path] if args.output.out_dir.is_some() => {
            let file = format!("{}: ", path.display());
            let text = text.strip_prefix(&file).unwrap_or(text);
            progress.note(&format!("{file}{text}"));
        }
        _ => progress.note(text),
    };
    let opener = Opener::new(&args.reading.input, &note)?;
    let sources = paths.iter().map(|path| {
        let count = |bytes| progress.count_reads(bytes);
        opener.open_counted(path, count)
    });
    let mut sources: Vec<Source> = sources.collect::<Result<_>>()?;
    let mut inputs = Inputs {
        sources: &mut sources,
        paths,
        opener: &opener,
    };
    let plan = ConversionPlan::of(args, inputs.sources)?;
    let all = inputs.sources.iter().collect::<Vec<_>>();
    opener.ensure_text_options_fit(&all, &args.reading.types, Some(plan.to))?;
    let frames = plan.frames(args)?;
    let frame_size = plan.frame_size(args, inputs.sources);
    let chosen = if plan.looks_up_names(args, inputs.sources) {
        all_by_name(&mut inputs, frame_size, frames.max_frame)?
    } else {
        let columns = &args.reading.columns;
        chosen(columns, &mut inputs, frame_size, frames.max_frame)?
    };
    let chosen = if plan.needs_all_names(inputs.sources) || plan.has_skipped(inputs.sources) {
        chosen
    } else {
        chosen.or_all()
    };
    let (mut options, fidelity) = plan.options(args, &frames, inputs.sources, chosen)?;
    ensure_in_text(&options, &mut inputs)?;

    let is_seekable = paths.iter().all(|path| can_reopen(path));
    if is_seekable && args.reading.columns.columns.is_none() && !args.salvage {
        if paths.len() > 1 {
            let again = paths.iter().map(|path| opener.open(path));
            ensure_same_columns(again.collect::<Result<_>>()?, options.max_frame)?;
        }
        for source in &*inputs.sources {
            ensure_same_streams(source, options.max_frame)?;
        }
    }
    let compression = plan.text_compression(args)?;
    let is_binary = !plan.to.is_text() || compression.codec() != Codec::None;
    let output = Output::open(args.output.output.as_deref(), is_binary, args.output.force)?
        .counted(progress);
    let mut output = TextOutput::new(output, compression)?;
    let schema = if plan.to.has_schema() && !is_one_typed_pipe(inputs.sources) {
        let typing = if ConversionPlan::keeps_exact_types(args) {
            Typing::Exact
        } else {
            Typing::Values
        };
        let why = "the format of the output needs the types of all rows before the first";
        Some(joined_schema(&mut inputs, &mut options, typing, why)?)
    } else {
        None
    };
    let writer = plan.writer(args, &opener.layout.csv, frames, fidelity, &options, schema)?;
    let write = |encoded: Encoded<'_>| {
        progress.add_rows(encoded.rows);
        let written = encoded.write(&mut output);
        written.inspect_err(|error| {
            // With --out-dir, other threads may still be writing files.
            if args.output.out_dir.is_none() {
                exit_with(error, progress)
            }
        })
    };
    let end = pipeline::run(sources, &options, &*writer, write).map_err(|error| {
        if plan.from_frames && !options.salvage {
            error
                .or_hint_of_damage("mbt verify lists all damage, --salvage keeps the intact frames")
        } else {
            error
        }
    });
    let pipeline::End {
        mut notes,
        odd_keys,
        ending,
        loss,
        ..
    } = end?;
    let more = writer.finish(ending, &mut output)?;
    output.finish()?;
    notes.extend(odd_keys.notes(writer.source_text()));
    notes.iter().chain(&more).for_each(|text| note(text));
    Ok(loss)
}

/// True if there is a single input, its schema is at the start, and it cannot be read twice.
fn is_one_typed_pipe(sources: &[Source]) -> bool {
    matches!(sources, [source] if source.format.kind.has_schema() && source.file.is_none())
}
