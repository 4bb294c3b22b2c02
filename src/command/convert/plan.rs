//! Plans a conversion: what to write, and the options of the pipeline for it.

use std::path::Path;

use crate::cli::{self, Convert};
use crate::columns::cast::Target;
use crate::columns::cast::join::JoinedSchema;
use crate::command::columns::Chosen;
use crate::command::open::{First, first_frame};
use crate::command::options::{
    asks_for_style, cast, codec_of_extension, compression, encode_options, format_of_output,
    max_delay, max_frame, page_codec, range, threads, wire_2_options,
};
use crate::command::reading;
use crate::command::rows::Rows;
use crate::error::{Error, Result};
use crate::format::csv::CsvOptions;
use crate::format::exact::{Dialect, Fidelity};
use crate::format::mbt::{FrameEncoding, FrameOptions};
use crate::format::{Format, PageCodec, WriteOptions, Writer};
use crate::pipeline::{self, FrameSize, HeaderMode, Source, TextHead};
use crate::report;
use crate::stream::{Codec, Compression, HashKind};
use crate::wire::choose::Preset;

/// Number of rows to print per job when writing text.
pub const PRINT_ROWS: usize = 1 << 14;
/// Number of bytes of text per frame for the small preset, which finds matches further back.
pub const SMALL_FRAME_BYTES: u64 = 64 << 20;

/// The plan of a conversion.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct ConversionPlan {
    /// The format of the output.
    pub to: Format,
    /// The version of frames, if the output is frames.
    wire: cli::Wire,
    /// The format of the text that the input was made from, if the input is frames that record it.
    text: Option<Format>,
    /// Properties of the first frame, if all inputs are frames.
    first: Option<First>,
    /// All inputs are frames.
    pub from_frames: bool,
    /// All inputs are text that may have the output format.
    is_same_text: bool,
    /// All inputs are text.
    from_text: bool,
    /// An input is CSV or TSV.
    reads_csv: bool,
    /// There is one input.
    single: bool,
}

impl ConversionPlan {
    /// Plans a conversion from the arguments and the inputs.
    ///
    /// # Errors
    /// If they contradict each other, or the first input cannot be read.
    pub fn of(args: &Convert, sources: &mut [Source]) -> Result<Self> {
        ensure_inputs_allow(args, sources)?;
        let output = args.output.output.as_deref();
        if let (Some(path), None) = (output, args.output.to) {
            ensure_known_format(path)?;
        }
        let single = sources.len() == 1;
        let from_frames = sources.iter().all(Source::is_frames);
        let first = match sources.first_mut() {
            Some(first) if from_frames => {
                Some(first_frame(first, max_frame(&args.reading.input.limit)?)?)
            }
            _ => None,
        };
        let text = first.as_ref().and_then(|first| first.text.as_ref());
        let text = text.map(Dialect::format);
        let by_name = || output.and_then(format_of_output);
        let default = match &first {
            Some(_) => text.unwrap_or(Format::Csv),
            None => Format::Mbt,
        };
        let to = args.output.to.or_else(by_name).unwrap_or_else(|| {
            if let Some(path) = output.filter(|_| default == Format::Mbt) {
                note_unknown_extension(path);
            }
            default
        });
        let plan = Self {
            to,
            is_same_text: sources.iter().all(|source| source.format.kind.may_be(to)),
            wire: match args.output.wire {
                Some(wire) => wire,
                None => first.as_ref().map_or(cli::Wire::V2, |first| first.wire),
            },
            text,
            first,
            from_frames,
            from_text: sources.iter().all(|source| source.format.kind.is_text()),
            reads_csv: sources.iter().any(|source| source.format.kind.is_csv()),
            single,
        };
        plan.ensure_options_fit(args)?;
        Ok(plan)
    }

    /// True if the output is frames.
    pub fn is_frames(&self) -> bool {
        self.to == Format::Mbt
    }

    fn is_v2(&self) -> bool {
        self.is_frames() && self.wire == cli::Wire::V2
    }

    /// Options for writing frames.
    ///
    /// # Errors
    /// If an option is not supported.
    pub fn frames(&self, args: &Convert) -> Result<FrameOptions> {
        let (wire, compression) = if self.is_v2() {
            let options = wire_2_options(args.output.preset, &args.wrap)?;
            (FrameEncoding::V2(options), Compression::default())
        } else {
            let encode = encode_options(args.output.encodings.as_deref())?;
            let named = args.output.output.as_deref();
            let compression = if self.is_frames() {
                compression(&args.wrap, false, named, Codec::None)?
            } else {
                Compression::default()
            };
            (FrameEncoding::V1(encode), compression)
        };
        Ok(FrameOptions {
            wire,
            compression,
            index: args.output.index,
            max_frame: max_frame(&args.reading.input.limit)?,
            expects_frames: args.output.frame_rows.is_some()
                || self
                    .first
                    .as_ref()
                    .is_some_and(|first| first.wire == cli::Wire::V1),
            hash: match args.hash {
                None => HashKind::default(),
                Some(_) if !self.is_v2() || !self.keeps_text(args) => {
                    let error = Error::usage(
                        "--hash: only wire 2 frames that restore one text have a hash",
                    );
                    return Err(error.hint("omit --hash"));
                }
                Some(cli::HashName::Xxh3) => HashKind::Xxh3,
                Some(cli::HashName::Sha256) => HashKind::Sha256,
            },
        })
    }

    /// Options for the pipeline, and how much of the original text the output restores or keeps.
    ///
    /// # Errors
    /// If an option is not supported.
    pub fn options(
        &self,
        args: &Convert,
        frames: &FrameOptions,
        sources: &[Source],
        chosen: Chosen,
    ) -> Result<(pipeline::PipelineOptions, Fidelity)> {
        let frame_size = self.frame_size(args, sources);
        let threads = threads(&args.wrap.threads);
        let mut options = pipeline::PipelineOptions {
            frames: range("--frames", args.frames.as_deref())?,
            copy: self.is_frames() && keeps_frames(args, frames),
            max_delay: max_delay(&args.output)?,
            batch_rows: self.to.is_text().then_some(PRINT_ROWS),
            salvage: args.salvage,
            hash: frames.hash,
            ..reading::options(&args.reading, chosen, frame_size, frames.max_frame, threads)?
        };
        let rows = Rows::parse(args.rows.as_deref(), args.limit)?.sampled(&args.sampling);
        rows.ask(&mut options, sources)?;
        if options.frames.is_empty() {
            // The first frame still names the columns.
            (options.rows, options.frames) = (0..0, 0..u64::MAX);
        }
        // Writers of formats with one schema cast by themselves.
        options.casts_bytes = self.to.has_schema() && !Self::keeps_exact_types(args)
            || self.cast(args).is_some_and(Target::holds_bytes);
        let is_part = !options.is_whole() || !self.is_frames() && !self.from_frames;
        options.omits_skipped = is_part && self.has_skipped(sources);
        options.copy &= !options.omits_skipped;
        let fidelity = self.fidelity(args, &options);
        let keeps_text = if self.is_frames() {
            self.is_v2() && self.single && !asks_for_values(args)
        } else {
            self.is_same_text
        };
        options.text.exact = keeps_text && fidelity > Fidelity::Style;
        let of_text =
            (self.text == Some(self.to) || options.text.exact) && fidelity > Fidelity::Style;
        options.keeps_dictionaries = self.from_frames
            && matches!(self.to, Format::Csv | Format::Tsv)
            && of_text
            && options.is_whole()
            && self.cast(args).is_none();
        let is_same = sources.iter().all(|source| source.format.kind == self.to);
        let keeps_spelling = is_same && self.to.is_text() && fidelity > Fidelity::Style;
        // Whole frames are typed, so rows are chosen after that, as they are from frames.
        options.counts_typed_rows = options.rows != (0..u64::MAX)
            && !keeps_spelling
            && sources.iter().any(|source| source.format.kind.is_text());
        if fidelity == Fidelity::Records && !self.restyles(args) {
            let first = self.first.as_ref();
            let first = first.filter(|first| options.text.keeps_all(&first.names));
            options.text_head = first.and_then(|first| {
                let (text, head) = (first.text.as_ref()?, first.head.as_ref()?);
                // What its frames will have, so that the first one is recognized as the start of this text.
                let metadata = if options.omits_skipped {
                    Some(text.without_skipped().to_metadata())
                } else {
                    first.text_metadata.clone()
                };
                Some(TextHead {
                    head: text.head_without_skipped(head),
                    text: metadata,
                    columns: self.first_table().map(|first| first.names.clone()),
                })
            });
        }
        options.header = match (self.to.is_csv(), of_text) {
            (true, true) => HeaderMode::Text,
            (true, false) => HeaderMode::First,
            (false, _) => HeaderMode::Own,
        };
        if options.header != HeaderMode::Own && options.text.columns.is_none() {
            options.first_columns = self.first_table().map(|first| first.names.clone());
        }
        Ok((options, fidelity))
    }

    /// The writer of the output; `schema` is the common schema of all rows, if it is known.
    ///
    /// # Errors
    /// If an option is not supported.
    pub fn writer(
        &self,
        args: &Convert,
        csv: &CsvOptions,
        frames: FrameOptions,
        fidelity: Fidelity,
        options: &pipeline::PipelineOptions,
        schema: Option<JoinedSchema>,
    ) -> Result<Box<dyn Writer>> {
        // Of CSV input, --no-header describes the input: its columns may get names for the output.
        let csv = &CsvOptions {
            header: csv.header || self.reads_csv,
            ..csv.clone()
        };
        Ok(self.to.writer(&WriteOptions {
            first_text: self
                .first_table()
                .filter(|_| options.text.columns.is_none() && !options.omits_skipped)
                .and_then(|first| first.text_metadata.as_deref()),
            csv,
            keeps_null: args.reading.input.dialect.nulls.is_empty(),
            fidelity,
            cast: self.cast(args),
            frames,
            schema,
            pages: if self.to.has_pages() {
                page_codec(&args.wrap)?
            } else {
                PageCodec::default()
            },
            output: args.output.output.as_deref(),
        }))
    }

    /// True if the output begins with the names of all columns, some of which may only appear in later rows of JSON.
    pub fn needs_all_names(&self, sources: &[Source]) -> bool {
        let of_json = |source: &Source| {
            source.format.kind.is_json() || self.text.is_some_and(Format::is_json)
        };
        matches!(self.to, Format::Csv | Format::Tsv) && sources.iter().any(of_json)
    }

    /// True if the names of all columns, which the output needs first, are looked up in files: frames list them in their
    /// headers, and frames of few rows would otherwise decide which columns are late.
    pub fn looks_up_names(&self, args: &Convert, sources: &[Source]) -> bool {
        let has_frames = |source: &Source| {
            source.file.is_some() && (source.is_frames() || args.output.frame_rows.is_some())
        };
        args.reading.columns.columns.is_none()
            && !args.salvage
            && self.needs_all_names(sources)
            && sources.iter().all(has_frames)
    }

    /// Where frames end.
    pub fn frame_size(&self, args: &Convert, sources: &[Source]) -> FrameSize {
        match args.output.frame_rows {
            Some(rows) => FrameSize::Rows(rows),
            None if self.is_v2() && args.output.preset == Some(Preset::Small) => {
                FrameSize::TextBytes(SMALL_FRAME_BYTES)
            }
            // Each frame has its own types, so use the same frames as a conversion to MATHLDBT.
            None => {
                let formats = sources.iter().map(|source| &source.format);
                let bytes = formats.map(|format| format.kind.frame_bytes()).min();
                FrameSize::TextBytes(bytes.unwrap_or_else(|| Format::Csv.frame_bytes()))
            }
        }
    }

    /// The cast of columns on their way to the output. Outputs with one schema cast them to that.
    fn cast(&self, args: &Convert) -> Option<Target> {
        if self.to.has_schema() {
            return None;
        }
        cast(args.reading.types.infer, self.is_frames() && !self.is_v2())
    }

    /// True if types must keep the spelling of every cell even if the format does not need it.
    pub fn keeps_exact_types(args: &Convert) -> bool {
        matches!(
            args.reading.types.infer,
            Some(cli::Infer::Exact | cli::Infer::None)
        )
    }

    /// True if parts of the text are skipped, which options keep out of its rows, now or when the frames were made.
    pub fn has_skipped(&self, sources: &[Source]) -> bool {
        let first = self.first.as_ref();
        let text = first.and_then(|first| first.text.as_ref());
        let of_text = |source: &Source| source.format.layout.has_skipped();
        text.is_some_and(Dialect::has_skipped) || sources.iter().any(of_text)
    }

    /// The first frame, if later frames have the same columns. Frames made from JSON may each have others.
    fn first_table(&self) -> Option<&First> {
        let is_table = |first: &&First| {
            !first.names.is_empty() && !matches!(first.text, Some(Dialect::Json(_)))
        };
        self.first.as_ref().filter(is_table)
    }

    /// True if the frames can restore the bytes of a text.
    fn keeps_text(&self, args: &Convert) -> bool {
        self.from_text && self.single && args.exact == cli::Switch::On
    }

    /// How much of the original text to restore, or to keep in frames. Frames of several texts keep what each has.
    fn fidelity(&self, args: &Convert, options: &pipeline::PipelineOptions) -> Fidelity {
        if args.exact == cli::Switch::Off || !self.is_frames() && self.restyles(args) {
            Fidelity::Values
        } else if options.is_whole() && (self.is_frames() || self.single) && !options.omits_skipped
        {
            Fidelity::Bytes
        } else if options.keeps_all_frames() && self.single {
            Fidelity::Records
        } else {
            Fidelity::Style
        }
    }

    /// True if options ask for values, or for text in another style than the original one. Options that describe text
    /// input describe its copy as well, but several null words become the first one.
    fn restyles(&self, args: &Convert) -> bool {
        let dialect = &args.reading.input.dialect;
        let asks_for_style = if self.is_same_text {
            dialect.nulls.len() > 1
        } else {
            asks_for_style(dialect)
        };
        asks_for_values(args) || asks_for_style
    }

    /// The codec for text output.
    ///
    /// # Errors
    /// If an option is not supported.
    pub fn text_compression(&self, args: &Convert) -> Result<Compression> {
        if !self.to.is_text() {
            return Ok(Compression::default());
        }
        let named = args.output.output.as_deref();
        compression(&args.wrap, false, named, Codec::None)
    }

    /// Refuses names such as `a.parquet.gz`, which is not supported, and `a.gz`, which does not name a format.
    fn ensure_can_be_wrapped(&self, args: &Convert, output: &Path) -> Result<()> {
        let Some(codec) = codec_of_extension(output).filter(|_| !self.is_frames()) else {
            return Ok(());
        };
        let codec = codec.extension().unwrap_or_default();
        let name = self.to.name();
        if !self.to.is_text() {
            let what = format!("{name} output is not compressed as a whole");
            return Err(Error::usage(what)
                .in_file(output)
                .hint(format!("write -o NAME.{name}")));
        }
        if args.output.to.is_none() && format_of_output(output).is_none() {
            let what = "the name does not say what is compressed";
            return Err(Error::usage(what).in_file(output).hint(format!(
                "write -o NAME.{name}.{codec}, or name the format with --to"
            )));
        }
        Ok(())
    }

    /// Refuses options that do not apply to the output format.
    fn ensure_options_fit(&self, args: &Convert) -> Result<()> {
        let output = &args.output;
        if let Some(path) = &output.output {
            self.ensure_can_be_wrapped(args, path)?;
        }
        if self.is_v2() {
            ensure_unwrapped(output.output.as_deref())?;
        }
        if output.preset.is_some() && !self.is_v2() {
            let hint = if self.is_frames() {
                "write --wire 2"
            } else {
                "write --to mbt"
            };
            return Err(Error::usage("--preset: only wire 2 has presets").hint(hint));
        }
        if output.encodings.is_some() && self.is_v2() {
            return Err(
                Error::usage("--encodings: wire 2 chooses encodings by --preset")
                    .hint("write --wire 1, or --preset fast, balanced or small"),
            );
        }
        let wrap = &args.wrap;
        let is_wrapped = wrap.codec.is_some() || wrap.level.is_some() || wrap.checksum.is_some();
        if is_wrapped && self.to == Format::Arrow {
            return Err(Error::usage("Arrow IPC is not compressed")
                .hint("write --to mbt or --to parquet, or pipe a stream through zstd"));
        }
        if output.index && !self.is_frames() {
            return Err(Error::usage("--index: only frames have an index").hint("write --to mbt"));
        }
        Ok(())
    }
}

/// True if the output is values, without their spelling in the original text.
fn asks_for_values(args: &Convert) -> bool {
    args.reading.types.infer == Some(cli::Infer::Values)
}

/// True if no option changes the frames, so that they can be copied.
fn keeps_frames(args: &Convert, frames: &FrameOptions) -> bool {
    args.reading.columns.columns.is_none()
        && args.output.frame_rows.is_none()
        && args.output.encodings.is_none()
        && args.output.wire.is_none()
        && args.output.preset.is_none()
        && (args.wrap.codec.is_none() && args.wrap.level.is_none() && args.wrap.checksum.is_none())
        && frames.compression.codec() == Codec::None
        && args.reading.filter.condition.is_none()
        && args.exact == cli::Switch::On
}

/// Refuses --salvage and --frames for inputs other than frames.
fn ensure_inputs_allow(args: &Convert, sources: &[Source]) -> Result<()> {
    let is_other = |source: &&Source| !source.format.kind.is_text() && !source.is_frames();
    let typed = sources.iter().find(is_other);
    let typed = typed.map(|source| source.format.kind.title());
    if args.salvage && !sources.iter().any(Source::is_frames) {
        let what = typed.unwrap_or("the input is text, which");
        return Err(Error::usage(format!("--salvage: {what} has no frames"))
            .hint("use --from mbt if it is a damaged stream of frames"));
    }
    if args.frames.is_some() && !sources.iter().all(Source::is_frames) {
        let what = typed.unwrap_or("text");
        return Err(
            Error::usage(format!("--frames: {what} has no frames")).hint("choose rows with --rows")
        );
    }
    Ok(())
}

/// Refuses names such as `a.orc`, whose format is not supported.
fn ensure_known_format(output: &Path) -> Result<()> {
    const FOREIGN: [&str; 6] = ["orc", "avro", "xlsx", "xz", "bz2", "zip"];
    let extension = output
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default();
    if FOREIGN.contains(&extension.to_ascii_lowercase().as_str()) {
        let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
        let (last, others) = names.split_last().unwrap_or((&"", &[]));
        let others = others.join(", ");
        return Err(Error::usage(format!("cannot write .{extension} files"))
            .in_file(output)
            .hint(format!(
                "formats are {others} and {last}; --to overrides the extension"
            )));
    }
    Ok(())
}

/// Says that text becomes frames in a file whose extension may ask for something else.
fn note_unknown_extension(output: &Path) {
    if let Some(extension) = output.extension() {
        report::note(&format!(
            ".{} is not an extension of a known format, so {} gets MATHLDBT frames; --to names another format",
            extension.display(),
            output.display()
        ));
    }
}

/// Refuses names of whole frames of version 2 in a codec. Does not switch to version 1 by itself, since its values
/// differ.
fn ensure_unwrapped(output: Option<&Path>) -> Result<()> {
    match output.filter(|path| codec_of_extension(path).is_some()) {
        Some(path) => Err(Error::usage("wire 2 frames are already compressed")
            .in_file(path)
            .hint("write -o x.mbt; only frames of --wire 1 are wrapped by a codec")),
        None => Ok(()),
    }
}
