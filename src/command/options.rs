//! Converts command-line arguments to options of the library, and reports all mistakes in them.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use super::columns::Chosen;
use super::open::is_standard;
use crate::cli;
use crate::columns::TextOptions;
use crate::columns::cast::Target;
use crate::error::{Error, Result};
use crate::format::csv::{CommentMark, CsvOptions, CsvStyle};
use crate::format::json::RecordsPath;
use crate::format::{Format, PageCodec, TextLayout};
use crate::schema::FixedTypes;
use crate::schema::choice::ColumnChoice;
use crate::stream::{Checksum, Codec, Compression};
use crate::text::encoding::TextEncoding;
use crate::units::{parse_size, parse_time};
use crate::wire::choose::Preset;
use crate::wire::codec::SectionCodec;
use crate::wire::v1::EncodeOptions;
use crate::wire::v2;

/// More threads would not help: machines have fewer cores.
const MOST_THREADS: usize = 1024;

/// The format for a file extension. A codec's extension can follow the extension of frames.
pub fn format_of_extension(path: &Path) -> Option<Format> {
    if codec_of_extension(path).is_some() {
        let inner = format_of_extension(Path::new(path.file_stem()?));
        return inner.filter(|&format| format == Format::Mbt);
    }
    Format::of_extension(path)
}

/// The format for the file extension of an output. A codec's extension can follow the extension of frames or
/// text.
pub fn format_of_output(path: &Path) -> Option<Format> {
    match codec_of_extension(path) {
        Some(_) => Format::of_extension(Path::new(path.file_stem()?)),
        None => Format::of_extension(path),
    }
}

/// True if an option sets the style of text.
pub fn asks_for_style(dialect: &cli::DialectArgs) -> bool {
    let cli::DialectArgs {
        delimiter,
        quote,
        no_header,
        nulls,
        comment: _,
        skip_lines: _,
        decimal: _,
        flexible: _,
    } = dialect;
    delimiter.is_some() || quote.is_some() || *no_header || !nulls.is_empty()
}

/// The codec for a file extension.
pub fn codec_of_extension(path: &Path) -> Option<Codec> {
    let extension = path.extension()?;
    Codec::ALL.into_iter().find(|codec| {
        codec
            .extension()
            .is_some_and(|own| extension.eq_ignore_ascii_case(own))
    })
}

/// The codec for frames and text set by --codec.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if the codec is only for Parquet.
pub fn codec(wrap: &cli::Wrap) -> Result<Option<Codec>> {
    match wrap.codec {
        None => Ok(None),
        Some(cli::CodecName::General(codec)) => Ok(Some(codec)),
        Some(cli::CodecName::Snappy) => {
            Err(Error::usage("--codec: snappy is only for Parquet")
                .hint("use zstd, gzip, lz4 or none"))
        }
    }
}

/// The codec for pages of Parquet.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if the codec does not have the level or the option.
pub fn page_codec(wrap: &cli::Wrap) -> Result<PageCodec> {
    if wrap.checksum.is_some() {
        return Err(Error::usage("--checksum: Parquet pages have no checksum")
            .hint("write --to mbt, whose frames always have checksums"));
    }
    let codec = match wrap.codec {
        Some(cli::CodecName::Snappy) if wrap.level.is_some() => {
            return Err(Error::usage("--level: snappy has no levels"));
        }
        Some(cli::CodecName::Snappy) => return Ok(PageCodec::Snappy),
        Some(cli::CodecName::General(codec)) => codec,
        None => Codec::Zstd,
    };
    let compression = Compression::new(codec, wrap.level);
    let level = compression
        .map_err(|error| error.of_option("--level"))?
        .level();
    Ok(match codec {
        Codec::None => PageCodec::None,
        Codec::Lz4 => PageCodec::Lz4,
        Codec::Gzip => PageCodec::Gzip(level.unsigned_abs()),
        Codec::Zstd if level < 1 => {
            return Err(Error::usage(
                "--level: Parquet pages support zstd levels 1 to 22",
            ));
        }
        Codec::Zstd => PageCodec::Zstd(level),
    })
}

/// The codec for frames written to `output`; `default` if neither --codec nor the extension sets it.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if the codec does not have the level or the option.
pub fn compression(
    wrap: &cli::Wrap,
    long: bool,
    output: Option<&Path>,
    default: Codec,
) -> Result<Compression> {
    let by_name = output.and_then(codec_of_extension);
    let codec = codec(wrap)?;
    if let (Some(codec), Some(by_name), Some(output)) = (codec, by_name, output)
        && codec != Codec::None
        && codec != by_name
    {
        let (codec, by_name) = (codec.name(), by_name.name());
        let what = format!("--codec {codec}: the extension of the output means {by_name}");
        return Err(Error::usage(what)
            .in_file(output)
            .hint("omit --codec, or choose another name"));
    }
    let codec = codec.or(by_name).unwrap_or(default);
    let mut compression =
        Compression::new(codec, wrap.level).map_err(|error| error.of_option("--level"))?;
    if long {
        compression = compression
            .long()
            .map_err(|error| error.of_option("--long"))?;
    }
    match (wrap.checksum, codec.checksum()) {
        (None, Checksum::Optional(_)) | (Some(cli::Switch::On), _) => {
            compression = compression
                .checksum()
                .map_err(|error| error.of_option("--checksum"))?;
        }
        (Some(cli::Switch::Off), Checksum::Always(_)) => {
            let name = codec.name();
            return Err(Error::usage(format!(
                "--checksum: {name} frames always have one"
            )));
        }
        (None | Some(cli::Switch::Off), _) => {}
    }
    Ok(compression)
}

/// The number of threads: one per core unless given.
pub fn threads(threads: &cli::Threads) -> usize {
    match threads.threads {
        Some(threads) => usize::try_from(threads)
            .unwrap_or(usize::MAX)
            .min(MOST_THREADS),
        None => cores(),
    }
}

/// Number of threads that can run at once.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

/// The layout of text set by options.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if the delimiter or the quote is not a single byte, or if they are equal; or if there is
/// no such encoding.
pub fn text_layout(input: &cli::Input) -> Result<TextLayout> {
    let encoding = input.encoding.as_deref().map(TextEncoding::parse);
    let records = input.records.as_deref().map(RecordsPath::parse);
    Ok(TextLayout {
        csv: csv_options(&input.dialect)?,
        encoding: encoding
            .transpose()
            .map_err(|error| error.of_option("--encoding"))?,
        records: records
            .transpose()
            .map_err(|error| error.of_option("--records"))?,
    })
}

fn csv_options(dialect: &cli::DialectArgs) -> Result<CsvOptions> {
    let byte = |option, text: &Option<String>| {
        text.as_deref()
            .map(|text| one_byte(option, text))
            .transpose()
    };
    let delimiter = byte("--delimiter", &dialect.delimiter)?;
    let quote = match dialect.quote.as_deref() {
        Some("none" | "") => None,
        Some(text) => Some(one_byte("--quote", text)?),
        None => Some(b'"'),
    };
    let options = CsvOptions {
        tsv: false,
        delimiter,
        quote,
        header: !dialect.no_header,
        nulls: match &dialect.nulls[..] {
            [] => vec![Vec::new()],
            nulls => nulls.iter().map(|null| null.clone().into_bytes()).collect(),
        },
        flexible: dialect.flexible,
        comment: dialect.comment.as_deref().map(comment_mark).transpose()?,
        skip_lines: dialect.skip_lines,
        decimal_comma: match dialect.decimal.as_deref() {
            None | Some(".") => false,
            Some(",") => true,
            Some(other) => {
                let error = Error::usage(format!("--decimal: {other:?} is not a decimal mark"));
                return Err(error.hint("write --decimal , or --decimal ."));
            }
        },
    };
    CsvStyle::of_options(&options).check()?;
    Ok(options)
}

fn comment_mark(text: &str) -> Result<CommentMark> {
    CommentMark::new(text.as_bytes()).ok_or_else(|| {
        let most = CommentMark::MOST;
        Error::usage(format!(
            "--comment: {text:?} is not 1 to {most} ASCII characters"
        ))
        .hint("use the shortest start that all comments share, such as # or //")
    })
}

fn one_byte(option: &str, text: &str) -> Result<u8> {
    match (text, text.as_bytes()) {
        ("\\t" | "tab", _) => Ok(b'\t'),
        (_, [byte]) => Ok(*byte),
        _ => Err(Error::usage(format!("{option}: {text:?} is not one byte"))
            .hint("use one ASCII character, or \\t")),
    }
}

/// Types and columns of text.
///
/// # Errors
/// If the schema cannot be read.
pub fn text_options(types: &cli::Types, chosen: Chosen) -> Result<TextOptions> {
    let without_comments = |spec: &str, mark: &str| {
        let lines = spec.lines().filter(|line| !line.starts_with(mark));
        FixedTypes::parse(&lines.collect::<Vec<_>>().join("\n"))
    };
    let fixed = match types.schema.as_deref() {
        None => FixedTypes::default(),
        Some(spec) => match spec.strip_prefix('@') {
            Some(file) => {
                let spec = std::fs::read_to_string(file).map_err(|error| {
                    Error::io("cannot read the schema", error).in_file(Path::new(file))
                })?;
                without_comments(&spec, "#")?
            }
            // The output of `mbt schema`, where names that start with # are in quotes. Others may not be.
            None => without_comments(spec, "# ")?,
        },
    };
    Ok(TextOptions {
        infer: types.infer != Some(cli::Infer::None),
        exact: false,
        fixed,
        columns: chosen.columns.map(ColumnChoice::of),
        some_frames_lack_columns: chosen.some_frames_lack_columns,
        makes_whole_rows: chosen.makes_whole_rows,
        looked_at: Vec::new(),
    })
}

/// The cast of each frame that applies to an output.
pub fn cast(infer: Option<cli::Infer>, is_wire_1: bool) -> Option<Target> {
    match infer {
        Some(cli::Infer::Exact | cli::Infer::None) if is_wire_1 => Some(Target::Wire1Exact),
        Some(cli::Infer::Values) if is_wire_1 => Some(Target::Wire1Values),
        _ if is_wire_1 => Some(Target::Wire1),
        Some(cli::Infer::Values) => Some(Target::Values),
        _ => None,
    }
}

/// The largest uncompressed frame, in bytes.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if it is not a size, or 0.
pub fn max_frame(limit: &cli::Limit) -> Result<u64> {
    most_bytes("--max-frame", &limit.max_frame)
}

/// How long rows may wait for more rows; `None` for a file, which is read only when it is complete.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if it is not a time.
pub fn max_delay(output: &cli::OutputArgs) -> Result<Option<Duration>> {
    let Some(time) = &output.max_delay else {
        return Ok(None);
    };
    let time = parse_time(time).map_err(|error| error.of_option("--max-delay"))?;
    let to_file = output
        .output
        .as_deref()
        .is_some_and(|path| !is_standard(path));
    Ok((!to_file).then_some(time))
}

/// The longest record of text, in bytes.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if it is not a size, or 0.
pub fn max_record(limit: &cli::RecordLimit) -> Result<u64> {
    most_bytes("--max-record", &limit.max_record)
}

fn most_bytes(option: &str, size: &str) -> Result<u64> {
    match parse_size(size).map_err(|error| error.of_option(option))? {
        0 => Err(Error::usage(format!("{option}: nothing fits into 0 bytes"))
            .hint("for no limit, write a large size, such as 1TiB")),
        bytes => Ok(bytes),
    }
}

/// Parses `A..B`, `A..` or `..B`.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if it is not a range, or if it ends before it starts.
pub fn range(option: &str, text: Option<&str>) -> Result<Range<u64>> {
    let Some(text) = text else {
        return Ok(0..u64::MAX);
    };
    let unreadable = || {
        let is_number = text.parse::<u64>().is_ok();
        let last = text
            .strip_prefix('-')
            .map(|last| last.trim_end_matches('.'))
            .filter(|last| last.parse::<u64>().is_ok());
        let hint = match last {
            _ if is_number => format!("write ..{text} for the first {text}, {text}.. for the rest"),
            Some(last) if option == "--rows" => format!("write -{last}.. for the last {last}"),
            Some(_) => "only rows can be counted from the end".to_owned(),
            None => "write 0..10 for the first ten, 10.. for the rest".to_owned(),
        };
        Error::usage(format!("{option}: cannot read {text:?} as a range")).hint(hint)
    };
    let (start, end) = text.split_once("..").ok_or_else(unreadable)?;
    let number = |text: &str, empty| {
        if text.is_empty() {
            Ok(empty)
        } else {
            text.parse().map_err(|_| unreadable())
        }
    };
    let range = number(start, 0)?..number(end, u64::MAX)?;
    if range.start > range.end {
        return Err(
            Error::usage(format!("{option}: {text} ends before it starts"))
                .hint(format!("write {}..{}", range.end, range.start)),
        );
    }
    Ok(range)
}

/// The first `limit` rows of a range.
pub fn limited(rows: Range<u64>, limit: Option<u64>) -> Range<u64> {
    let end = limit.map_or(u64::MAX, |limit| rows.start.saturating_add(limit));
    rows.start..rows.end.min(end)
}

/// Options for writing wire 2.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if wire 2 does not support the codec, or the codec not the level.
pub fn wire_2_options(preset: Option<Preset>, wrap: &cli::Wrap) -> Result<v2::EncodeOptions> {
    let mut options = v2::EncodeOptions::of(preset.unwrap_or_default());
    let own_level = match options.codec {
        SectionCodec::Zstd(level) => level,
        SectionCodec::None | SectionCodec::Lz4 => Codec::Zstd.default_level(),
    };
    if let Some(codec) = codec(wrap)? {
        options.codec = SectionCodec::of(codec, own_level).ok_or_else(|| {
            let name = codec.name();
            Error::usage(format!("--codec: wire 2 does not support {name}")).hint(format!(
                "write -o x.mbt with zstd, lz4 or none; --wire 1 writes frames that {name} wraps"
            ))
        })?;
    }
    if wrap.checksum.is_some() {
        return Err(Error::usage("--checksum: wire 2 always has checksums"));
    }
    if let Some(level) = wrap.level {
        let SectionCodec::Zstd(_) = options.codec else {
            return Err(Error::usage("--level: in wire 2, only zstd has levels"));
        };
        Compression::new(Codec::Zstd, Some(level)).map_err(|error| error.of_option("--level"))?;
        options = options.with_level(level);
    }
    Ok(options)
}

/// The encodings for wire 1.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if `plain` or `auto` is combined with others.
pub fn encode_options(encodings: Option<&[cli::EncodingName]>) -> Result<EncodeOptions> {
    use cli::EncodingName::{Auto, Delta, Dict, Plain};
    match encodings.unwrap_or(&[Auto]) {
        [Auto] => Ok(EncodeOptions::default()),
        [Plain] => Ok(EncodeOptions::PLAIN),
        list if list.iter().all(|encoding| matches!(encoding, Dict | Delta)) => Ok(EncodeOptions {
            dict: list.contains(&Dict),
            delta: list.contains(&Delta),
        }),
        _ => Err(
            Error::usage("--encodings: auto and plain cannot be combined with others")
                .hint("write --encodings dict,delta for both"),
        ),
    }
}

#[cfg(test)]
mod tests;
