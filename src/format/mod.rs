//! File formats: their readers and writers, byte-exact text, and the registry of all formats.
//!
//! Each format has a folder and a line in the registry.
//!
//! ```text
//! Reader::next_part   ->  Part::read   ->  frames  ->  Writer::plan  ->  Job::encode   ->  Encoded::write, Writer::finish
//! one thread, in order    all threads                  one thread        all threads       one thread, in order
//! ```

mod absent_keys;
pub mod arrow;
pub mod csv;
pub mod exact;
pub mod footer;
pub mod frame;
mod half_surrogates;
mod held_names;
pub mod input;
pub mod json;
pub mod mbt;
mod one_schema;
#[cfg(feature = "parquet")]
pub mod parquet;
mod read;
mod scratch_pool;
pub mod text;
#[cfg(feature = "parquet")]
mod turns;
mod write;

use std::path::Path;

use self::csv::{CsvOptions, CsvStyle};
use self::exact::Dialect;
use self::footer::ReadFooter;
use self::json::RecordsPath;
use self::text::TextWriter;
use crate::stream;
use crate::text::encoding::TextEncoding;
use crate::text::json::JsonStyle;
use crate::wire::MAGIC;

pub use self::read::{ByteSource, OpenReader, Part, PartRows, ReadOptions, Reader};
pub use self::write::{Encoded, Job, PageCodec, Sink, TextRetention, WriteOptions, Writer};

/// Number of bytes of text per frame: enough for columns to compress well, but small enough to keep one frame per
/// thread in memory.
const FRAME_BYTES: u64 = 16 << 20;

/// Number of bytes of text per frame for JSON, which takes more memory per byte until its types are known.
const JSON_FRAME_BYTES: u64 = 9 << 20;

/// Defines [`Format`] and the registry.
macro_rules! formats {
    ($($(#[$about:meta])* $format:ident $(if $feature:literal)? = $entry:expr;)*) => {
        /// A format of inputs and outputs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $($(#[$about])* $(#[cfg(feature = $feature)])? $format,)*
        }

        impl Format {
            /// All formats. If the first bytes fit several, the last one is the most specific.
            pub const ALL: &[Self] = &[$($(#[cfg(feature = $feature)])? Self::$format),*];

            fn entry(self) -> &'static FormatEntry {
                match self {
                    $($(#[cfg(feature = $feature)])? Self::$format => const { &$entry },)*
                }
            }
        }
    };
}

/// The registry's entry for a format.
struct FormatEntry {
    /// The name in --from and --to, and its description.
    name: &'static str,
    about: &'static str,
    /// The extensions of file names, the usual one first.
    extensions: &'static [&'static str],
    /// Whether the first bytes of an input are of this format.
    begins: fn(&[u8]) -> Match,
    reads: Reads,
    writes: Writes,
    /// True if all rows have one schema, which is written first.
    has_schema: bool,
    /// Reads the footer; `None` unless the format has a footer that lists pages with their own codec.
    footer: Option<ReadFooter>,
    /// Bytes of input per frame.
    frame_bytes: u64,
}

/// Whether the first bytes of an input match a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// No.
    No,
    /// Probably, given the known bytes.
    Likely,
    /// Certainly, whatever follows.
    Certain,
}

impl Match {
    fn certain(matches: bool) -> Self {
        if matches { Self::Certain } else { Self::No }
    }
}

/// How to read an input.
#[derive(Clone, Copy, Debug)]
pub enum Reads {
    /// As rows whose types are inferred.
    Untyped(OpenReader),
    /// As rows that have types.
    Typed(OpenReader),
    /// As frames, which the pipeline selects itself: an index lists them, and they can be copied.
    Frames,
}

/// How to write an output.
enum Writes {
    /// As text; the function returns the default dialect.
    Text(fn(&CsvOptions) -> Dialect),
    /// In the types of the format itself.
    Typed(fn(&WriteOptions<'_>) -> Box<dyn Writer>),
}

formats! {
    /// Comma-separated values.
    Csv = FormatEntry {
        name: "csv",
        about: "Comma-separated values",
        extensions: &["csv"],
        // Anything that is not another format.
        begins: |head| match head {
            [] => Match::No,
            _ => Match::Likely,
        },
        reads: Reads::Untyped(csv::open_csv),
        writes: Writes::Text(|csv| Dialect::Csv(CsvStyle::of_options(csv))),
        has_schema: false,
        footer: None,
        frame_bytes: FRAME_BYTES,
    };
    /// Tab-separated values.
    Tsv = FormatEntry {
        name: "tsv",
        about: "Tab-separated values",
        extensions: &["tsv", "tab"],
        begins: |_| Match::No,
        reads: Reads::Untyped(csv::open_tsv),
        writes: Writes::Text(|csv| Dialect::Csv(CsvStyle::of_options(&csv.tsv()))),
        has_schema: false,
        footer: None,
        frame_bytes: FRAME_BYTES,
    };
    /// JSON: an array of rows, one value, or values one after the other.
    Json = FormatEntry {
        name: "json",
        about: "A JSON array of objects",
        extensions: &["json", "geojson", "jsonc", "json5"],
        begins: json::sniff,
        reads: Reads::Untyped(json::open_json),
        writes: Writes::Text(|_| Dialect::Json(JsonStyle::array())),
        has_schema: false,
        footer: None,
        frame_bytes: JSON_FRAME_BYTES,
    };
    /// JSON with a value per line.
    Ndjson = FormatEntry {
        name: "ndjson",
        about: "One JSON object per line",
        extensions: &["ndjson", "jsonl"],
        begins: |_| Match::No,
        reads: Reads::Untyped(json::open_ndjson),
        writes: Writes::Text(|_| Dialect::Json(JsonStyle::lines())),
        has_schema: false,
        footer: None,
        frame_bytes: JSON_FRAME_BYTES,
    };
    /// Arrow IPC, a stream or a file.
    Arrow = FormatEntry {
        name: "arrow",
        about: "Arrow IPC, stream or file",
        extensions: &["arrow", "arrows", "feather", "ipc"],
        begins: |head| Match::certain(arrow::sniff(head)),
        reads: Reads::Typed(arrow::open_arrow),
        writes: Writes::Typed(arrow::arrow_writer),
        has_schema: true,
        footer: None,
        frame_bytes: FRAME_BYTES,
    };
    /// Parquet.
    Parquet if "parquet" = FormatEntry {
        name: "parquet",
        about: "Parquet",
        extensions: &["parquet", "parq", "pq"],
        begins: |head| Match::certain(parquet::sniff(head)),
        reads: Reads::Typed(parquet::open_parquet),
        writes: Writes::Typed(parquet::parquet_writer),
        has_schema: true,
        footer: Some(parquet::read_footer),
        frame_bytes: FRAME_BYTES,
    };
    /// Columnar frames, versions 1 and 2.
    Mbt = FormatEntry {
        name: "mbt",
        about: "MATHLDBT frames",
        extensions: &["mbt", "mathldbt"],
        begins: |head| Match::certain(stream::sniff(head).is_some()),
        reads: Reads::Frames,
        writes: Writes::Typed(mbt::mbt_writer),
        has_schema: false,
        footer: None,
        frame_bytes: FRAME_BYTES,
    };
}

impl Format {
    /// The name that --from and --to take.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// What the name means.
    pub fn about(self) -> &'static str {
        self.entry().about
    }

    /// The same without details: `Arrow IPC`.
    pub fn title(self) -> &'static str {
        self.about().split(',').next().unwrap_or_default()
    }

    /// The extensions of file names, the usual one first.
    pub fn extensions(self) -> &'static [&'static str] {
        self.entry().extensions
    }

    /// How to read an input.
    pub fn reads(self) -> Reads {
        self.entry().reads
    }

    /// The default dialect, modified by `csv`; `None` if it is not text.
    pub fn dialect(self, csv: &CsvOptions) -> Option<Dialect> {
        match self.entry().writes {
            Writes::Text(dialect) => Some(dialect(csv)),
            Writes::Typed(_) => None,
        }
    }

    /// A writer of one output.
    pub fn writer(self, options: &WriteOptions<'_>) -> Box<dyn Writer> {
        match self.entry().writes {
            Writes::Text(dialect) => {
                let dialect = dialect(options.csv);
                let writer = TextWriter::new(dialect, options.fidelity, options.cast);
                let writer = writer.keeping_null(options.keeps_null);
                Box::new(writer.in_style_of(options.first_text))
            }
            Writes::Typed(writer) => writer(options),
        }
    }

    /// True if all rows have one schema, which is written first.
    pub fn has_schema(self) -> bool {
        self.entry().has_schema
    }

    /// True if it consists of pages with their own codec, listed in a footer, so that it is read from its end.
    pub fn has_pages(self) -> bool {
        self.footer().is_some()
    }

    /// Reads the footer of an input, if the format has one.
    pub fn footer(self) -> Option<ReadFooter> {
        self.entry().footer
    }

    /// True for text. All other formats have types, so that none are inferred.
    pub fn is_text(self) -> bool {
        matches!(self.entry().writes, Writes::Text(_))
    }

    /// True for CSV and TSV, in which a header applies to all rows.
    pub fn is_csv(self) -> bool {
        let dialect = self.dialect(&CsvOptions::default());
        matches!(dialect, Some(Dialect::Csv(_)))
    }

    /// True for JSON and NDJSON.
    pub fn is_json(self) -> bool {
        let dialect = self.dialect(&CsvOptions::default());
        matches!(dialect, Some(Dialect::Json(_)))
    }

    /// True if input of this format may turn out to be text of the other: only their content distinguishes NDJSON from JSON.
    pub fn may_be(self, other: Self) -> bool {
        self.is_text() && (self == other || self.is_json() && other.is_json())
    }

    /// Number of bytes of input per frame.
    pub fn frame_bytes(self) -> u64 {
        self.entry().frame_bytes
    }

    /// The format of an input with these first bytes; `None` if no format starts with them.
    pub fn of_content(head: &[u8]) -> Option<Self> {
        Self::matching(head).map(|(format, _)| format)
    }

    /// True if more bytes cannot change the result of [`Self::of_content`], nor whether the input is text.
    pub fn is_settled(head: &[u8]) -> bool {
        let is_certain = |(_, matches)| matches == Match::Certain;
        head.len() >= MAGIC.len() && Self::matching(head).is_some_and(is_certain)
    }

    fn matching(head: &[u8]) -> Option<(Self, Match)> {
        let mut all = Self::ALL
            .iter()
            .rev()
            .map(|&format| (format, (format.entry().begins)(head)));
        all.find(|&(_, matches)| matches != Match::No)
    }

    /// The format of files with the extension.
    pub fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let mut all = Self::ALL.iter().copied();
        all.find(|format| format.extensions().contains(&&*extension))
    }
}

/// Known properties of a text; the others are detected.
#[derive(Clone, Debug, Default)]
pub struct TextLayout {
    /// Options for CSV.
    pub csv: CsvOptions,
    /// The encoding of text; by default UTF-8, or UTF-16 if there is a byte order mark.
    pub encoding: Option<TextEncoding>,
    /// The path to the rows in a JSON document.
    pub records: Option<RecordsPath>,
}

impl TextLayout {
    /// True if parts of the text are not rows.
    pub fn has_skipped(&self) -> bool {
        self.csv.comment.is_some() || self.csv.skip_lines > 0 || self.records.is_some()
    }
}

/// The format of an input, with its known properties.
#[derive(Clone, Debug)]
pub struct InputFormat {
    /// The format itself.
    pub kind: Format,
    /// Layout of text.
    pub layout: TextLayout,
    /// True if the format was detected by the first bytes.
    pub is_guess: bool,
}

impl From<Format> for InputFormat {
    fn from(kind: Format) -> Self {
        Self {
            kind,
            layout: TextLayout::default(),
            is_guess: false,
        }
    }
}

impl From<CsvOptions> for InputFormat {
    fn from(csv: CsvOptions) -> Self {
        let format = if csv.tsv { Format::Tsv } else { Format::Csv };
        let layout = TextLayout {
            csv,
            ..TextLayout::default()
        };
        Self {
            layout,
            ..Self::from(format)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_what_an_input_is() {
        let of = |head: &[u8]| Format::of_content(head);
        assert_eq!(of(b"MATHLDBT\x01"), Some(Format::Mbt));
        assert_eq!(of(b"\x28\xb5\x2f\xfd\0"), Some(Format::Mbt));
        assert_eq!(of(b"ARROW1\0\0"), Some(Format::Arrow));
        assert_eq!(of(b"  \n[1]"), Some(Format::Json));
        assert_eq!(of(b"[ERROR] oops"), Some(Format::Csv));
        assert_eq!(of(b"{\"a\":oops}\n"), Some(Format::Csv));
        assert_eq!(of(b"a,b\n"), Some(Format::Csv));
        assert_eq!(of(b"PARENT,CHILD\n"), Some(Format::Csv));
        assert_eq!(of(b"PAR1,PAR2\n"), Some(Format::Csv));
        #[cfg(feature = "parquet")]
        assert_eq!(of(b"PAR1\x15\x04\x15\x10"), Some(Format::Parquet));
        #[cfg(feature = "parquet")]
        assert_eq!(of(b"PARE\x7F\x02\0\0"), Some(Format::Parquet));
        assert_eq!(of(b""), None);
    }

    #[test]
    fn what_is_settled_does_not_change_with_further_bytes() {
        let texts: [&[u8]; 13] = [
            b"MATHLDBT\x02\0\0\0",
            b"ARROW1\0\0\xFF\xFF\xFF\xFF",
            b"\xFF\xFF\xFF\xFF\x10\x01\0\0rest",
            b"\x1f\x8b\x08\0\0\0\0\0\0\0",
            b"\xEF\xBB\xBF  {\"a\":1}\n{\"a\":2}\n",
            b"[{\"a\":1},\n {\"a\":2}]",
            b"[1, 2]\n[3, 4]\n",
            b"[2016-11-22 04:15:02] started\n",
            b"[2016]    \t   started\n",
            b"a,b\n1,2\n3,4\n",
            b"      \n\n\n\na\n1\n",
            b"{    oops }\n",
            b"{\"a\": oops }\n{\"a\": 1 }\n",
        ];
        for text in texts {
            let whole = Format::of_content(text);
            let mut was_settled = false;
            for len in 0..=text.len() {
                let head = &text[..len];
                assert!(!was_settled || Format::is_settled(head), "{head:?}");
                was_settled = Format::is_settled(head);
                assert!(
                    !was_settled || Format::of_content(head) == whole,
                    "{head:?}"
                );
            }
        }
    }

    #[test]
    fn names_and_extensions_belong_to_one_format() {
        let names = |format: &Format| {
            let format = *format;
            format.extensions().iter().map(move |name| (*name, format))
        };
        let all: Vec<_> = Format::ALL.iter().flat_map(names).collect();
        for (name, format) in &all {
            let same = all.iter().filter(|(other, _)| other == name);
            assert_eq!(same.count(), 1, "{name}");
            let path = format!("a.{}", name.to_uppercase());
            assert_eq!(Format::of_extension(Path::new(&path)), Some(*format));
        }
    }
}
