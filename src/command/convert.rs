//! `mbt convert`: text to frames, frames to text, text to text, frames to frames.

use std::path::{Path, PathBuf};

use super::condition;
use super::joined::joined_schema;
use super::open::{ensure_stdin_once, first_frame, metadata, source};
use super::options::{
    arrow_layout, asks_for_style, codec_of_extension, compression, csv_options, dialect_of_format,
    encode_options, ensure_types_for_text, format_of_dialect, format_of_extension, max_frame,
    range, text_options, threads, wire_2_options,
};
use super::output::{Output, ensure_not_an_input};
use super::partial::leave;
use super::target::{Back, Batches, Form, Frames, Kind, Printed, Text, Wire, Writer};
use crate::cli::{self, Convert};
use crate::error::{Error, Result};
use crate::frame::{Codec, Compression};
use crate::pipeline::{self, Format, FrameSize, Header, Source};
use crate::report::progress::Progress;
use crate::text::Types;
use crate::text::project::Infer;

/// Rows of a frame that are printed at once on the way to text.
const PRINT_ROWS: usize = 1 << 14;
/// Bytes of text per frame on the way to other text, so that output begins before input ends.
const TEXT_FRAME_BYTES: u64 = 8 << 20;

/// Bytes of text per frame of wire 2: columns long enough to compress well, and frames small enough
/// for memory to hold one per thread.
pub const FRAME_BYTES: u64 = 16 << 20;
/// The same for JSON, which takes more memory per byte of text until its types are known.
const JSON_FRAME_BYTES: u64 = 8 << 20;
/// The same for the small preset, which looks further back.
pub const SMALL_FRAME_BYTES: u64 = 64 << 20;

/// Converts.
///
/// # Errors
/// Whatever keeps an input from being read or the output from being written.
pub fn run(args: Convert) -> Result<()> {
    let csv = csv_options(&args.input.dialect)?;
    let inputs: Vec<PathBuf> = if args.inputs.is_empty() {
        vec![PathBuf::from("-")]
    } else {
        args.inputs
    };
    ensure_stdin_once(&inputs)?;
    let output = args.output.output.as_deref();
    ensure_not_an_input(output, &inputs)?;
    let telling = &args.output.telling;
    let progress = Progress::begin(telling, inputs.iter().map(|path| metadata(path)));
    let sources = inputs.iter().map(|path| {
        let count = |bytes| progress.reading(bytes);
        source(path, args.input.from, &csv, count)
    });
    let mut sources: Vec<Source> = sources.collect::<Result<_>>()?;
    let from_frames = sources
        .iter()
        .all(|source| matches!(source.format, Format::Mbt));

    let is_arrow_input = |source: &Source| matches!(source.format, Format::Arrow);
    let is_frames = |source: &Source| matches!(source.format, Format::Mbt);
    ensure_types_for_text(&args.types, sources.iter().map(|source| &source.format))?;
    if args.salvage && !sources.iter().any(is_frames) {
        return Err(Error::usage(if sources.iter().any(is_arrow_input) {
            "--salvage: Arrow IPC has no frames"
        } else {
            "--salvage: the input is text, which has no frames"
        })
        .hint("use --from mbt if it is a damaged stream of frames"));
    }
    if let Some(path) = output {
        ensure_no_compressed_text(path)?;
        if args.output.to.is_none() {
            ensure_known_format(path)?;
        }
    }
    let by_name = || output.and_then(format_of_extension);
    let first = match sources.first_mut() {
        Some(first) if from_frames => Some(first_frame(first)?),
        _ => None,
    };
    let text_of_frames = first.as_ref().and_then(|first| first.text.as_ref());
    let text_of_frames = text_of_frames.map(format_of_dialect);
    let default = match &first {
        Some(_) => text_of_frames.unwrap_or(cli::Format::Csv),
        None => cli::Format::Mbt,
    };
    let to = args.output.to.or_else(by_name).unwrap_or(default);
    let is_arrow = to == cli::Format::Arrow;
    let is_text = to != cli::Format::Mbt;
    let wrapped = output.is_some_and(|path| codec_of_extension(path).is_some());
    let wire = match args.output.wire {
        Some(wire) => wire,
        None if wrapped || asks_for_wire_1(&args.wrap) => cli::Wire::V1,
        None => first.map_or(cli::Wire::V2, |first| first.wire),
    };
    let is_v2 = !is_text && wire == cli::Wire::V2;
    ensure_options_of_the_wire(&args.output, is_text, is_v2)?;
    if is_text && (args.wrap.codec.is_some() || args.wrap.level.is_some() || args.wrap.checksum) {
        return Err(Error::usage("only frames are compressed")
            .hint("write --to mbt, or pipe the text through zstd"));
    }
    let default = if is_text { None } else { output };
    let infer = match to {
        cli::Format::Csv | cli::Format::Tsv | cli::Format::Arrow => Infer::Exact,
        cli::Format::Mbt if is_v2 => Infer::Exact,
        cli::Format::Json | cli::Format::Ndjson | cli::Format::Mbt => Infer::Values,
    };
    let (wire, compression) = if is_v2 {
        let options = wire_2_options(args.output.preset, &args.wrap)?;
        (Wire::V2(options), Compression::default())
    } else {
        let encode = encode_options(args.output.encodings.as_deref())?;
        let compression = compression(&args.wrap, false, default, Codec::None)?;
        (Wire::V1(encode), compression)
    };
    let filters = args.filter.condition.is_some();
    // A condition may ask for what wire 1 has no types for, and text has no need to go without.
    let types = if is_v2 || is_arrow || is_text && filters {
        Types::All
    } else {
        Types::Wire1
    };
    let frames = Frames {
        wire,
        compression,
        index: args.output.index,
        max_frame: max_frame(&args.input.limit)?,
        exact: args.exact == cli::Switch::On,
    };
    // Nothing is asked for that would change a frame.
    let keeps_frames = args.columns.columns.is_none()
        && args.output.frame_rows.is_none()
        && args.output.encodings.is_none()
        && args.output.wire.is_none()
        && args.output.preset.is_none()
        && (args.wrap.codec.is_none() && args.wrap.level.is_none() && !args.wrap.checksum)
        && frames.compression.codec() == Codec::None
        && !filters
        && frames.exact;
    if args.frames.is_some() && !from_frames {
        return Err(Error::usage(if sources.iter().any(is_arrow_input) {
            "--frames: Arrow IPC has no frames"
        } else {
            "--frames: text has no frames"
        })
        .hint("choose rows with --rows"));
    }
    if args.output.index && is_text {
        return Err(Error::usage("--index: only frames have an index").hint("write --to mbt"));
    }
    let filter = args.filter.condition.as_deref().map(condition::parse);
    let mut options = pipeline::Options {
        filter: filter.transpose()?,
        text: text_options(&args.types, &args.columns, infer, types)?,
        rows: range("--rows", args.rows.as_deref())?,
        frames: range("--frames", args.frames.as_deref())?,
        copy: !is_text && keeps_frames,
        frame_size: match args.output.frame_rows {
            Some(rows) => FrameSize::Rows(rows),
            None if is_text && !is_arrow => FrameSize::TextBytes(TEXT_FRAME_BYTES),
            None if is_v2 && args.output.preset == Some(cli::Preset::Small) => {
                FrameSize::TextBytes(SMALL_FRAME_BYTES)
            }
            None if is_v2 || is_arrow => {
                let formats = sources.iter().map(|source| &source.format);
                let bytes = formats.map(frame_bytes).min();
                FrameSize::TextBytes(bytes.unwrap_or(FRAME_BYTES))
            }
            None => FrameSize::Whole,
        },
        max_frame: frames.max_frame,
        header: Header::Own,
        batch_rows: (is_text && !is_arrow).then_some(PRINT_ROWS),
        salvage: args.salvage,
        threads: threads(&args.wrap.threads),
    };

    // A type that was asked for may spell a value in another way, which patches would repair.
    options.text.exact = frames.exact
        && is_v2
        && inputs.len() == 1
        && options.is_whole()
        && options.text.infer != Infer::Values;

    // Who asks for another style does not want that of the text.
    let back = match frames.exact && !asks_for_style(&args.input.dialect) {
        false => Back::Values,
        true if options.is_whole() && inputs.len() == 1 => Back::Bytes,
        true => Back::Style,
    };
    let of_text = text_of_frames == Some(to) && back == Back::Bytes;
    options.header = match to {
        cli::Format::Csv | cli::Format::Tsv if of_text => Header::Text,
        cli::Format::Csv | cli::Format::Tsv => Header::First,
        _ => Header::Own,
    };

    let layout = arrow_layout(output);
    let output = Output::open(output, !is_text || is_arrow, args.output.force)?.counted(&progress);
    let schema = if is_arrow && sources.iter().all(|source| source.file.is_some()) {
        let again = inputs
            .iter()
            .map(|path| source(path, args.input.from, &csv, |bytes| bytes));
        Some(joined_schema(again.collect::<Result<_>>()?, &options)?)
    } else {
        None
    };
    let form = Form::new(match dialect_of_format(to, &csv) {
        Some(dialect) => Kind::Text(Box::new(Text::new(dialect, back))),
        None if is_arrow => Kind::Arrow(Batches::new(layout, schema)),
        None => Kind::Mbt(frames),
    });
    let mut writer = Writer::new(output, form.clone());
    let write = |printed: Printed| {
        progress.add_rows(printed.rows());
        writer
            .write(printed)
            .map_err(|error| leave(&error, &progress))
    };
    let end = pipeline::run(sources, &options, &form, write).map_err(|error| {
        if from_frames && !options.salvage {
            error.or_hint_of_damage("mbt verify tells all of it, --salvage keeps what is whole")
        } else {
            error
        }
    });
    let pipeline::End { mut notes, ending } = end?;
    notes.extend(writer.finish(ending)?);
    for pipeline::Note(text) in &notes {
        progress.note(text);
    }
    progress.finish();
    Ok(())
}

/// Bytes of text per frame of wire 2 that is made of an input.
pub fn frame_bytes(format: &Format) -> u64 {
    match format {
        Format::Json(_) => JSON_FRAME_BYTES,
        Format::Csv(_) | Format::Mbt | Format::Arrow => FRAME_BYTES,
    }
}

/// gzip wraps whole frames, which only version 1 allows.
fn asks_for_wire_1(wrap: &cli::Wrap) -> bool {
    wrap.codec == Some(cli::Codec::Gzip)
}

/// Options of one version mean nothing for the other.
fn ensure_options_of_the_wire(output: &cli::Output, is_text: bool, is_v2: bool) -> Result<()> {
    if output.preset.is_some() && !is_v2 {
        let hint = if is_text {
            "write --to mbt"
        } else {
            "write --wire 2"
        };
        return Err(Error::usage("--preset: only wire 2 has presets").hint(hint));
    }
    if output.encodings.is_some() && is_v2 {
        return Err(Error::usage("--encodings: wire 2 chooses by --preset")
            .hint("write --wire 1, or --preset fast, balanced or small"));
    }
    Ok(())
}

/// A name such as `a.parquet` asks for a format that is not written.
fn ensure_known_format(output: &Path) -> Result<()> {
    const FOREIGN: [&str; 6] = ["parquet", "orc", "avro", "xlsx", "xz", "bz2"];
    let ending = output
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    if FOREIGN.contains(&ending.to_ascii_lowercase().as_str()) {
        return Err(Error::usage(format!("cannot write .{ending} files"))
            .in_file(output)
            .hint("formats are csv, tsv, json, ndjson, arrow and mbt; --to overrules the name"));
    }
    Ok(())
}

/// A name such as `a.csv.gz` asks for what is not done.
fn ensure_no_compressed_text(output: &Path) -> Result<()> {
    let stem = output.file_stem().map(Path::new);
    match (
        codec_of_extension(output),
        stem.and_then(format_of_extension),
    ) {
        (Some(codec), Some(format)) if format != cli::Format::Mbt => {
            Err(Error::usage("text is not compressed")
                .in_file(output)
                .hint(format!(
                    "write to stdout and pipe it through {}",
                    codec.name()
                )))
        }
        _ => Ok(()),
    }
}
