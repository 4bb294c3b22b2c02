//! The formats that rows can be sent in, as `mbt convert` writes them.

use std::io::Cursor;
use std::sync::Arc;

use super::codec::PayloadCodec;
use crate::cli::Infer;
use crate::columns::TextOptions;
use crate::columns::cast::Typing;
use crate::columns::cast::join::{Joined, JoinedSchema};
use crate::command::convert::SMALL_FRAME_BYTES;
use crate::command::options::cast;
use crate::error::{Error, Result};
use crate::format::csv::CsvOptions;
use crate::format::frame::{Frame, UntypedFrame};
use crate::format::mbt::FrameEncoding;
use crate::format::{Format, InputFormat, TextLayout, WriteOptions, Writer};
use crate::pipeline::{self, FrameSize, Source};
use crate::schema::shown_names;
use crate::stream::Codec;
use crate::wire::choose::Preset;
use crate::wire::v1::EncodeOptions;
use crate::wire::v2;
use crate::wire::workers::CallingThread;

/// A format that rows can be sent in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// The input itself, if it is text.
    Source,
    /// One JSON array.
    Json,
    /// One JSON object per line.
    Ndjson,
    /// CSV.
    Csv,
    /// MATHLDBT 1 without dictionaries and deltas.
    V1Plain,
    /// MATHLDBT 1 with dictionaries and deltas.
    V1,
    /// MATHLDBT 2.
    V2(Preset),
    /// An Arrow IPC stream.
    Arrow,
    /// Parquet with zstd.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Payload {
    /// All payloads, in report order, with their names on the command line and in published tables.
    const NAMED: &[(Self, &str, &str)] = &[
        (Self::Source, "source", "source"),
        (Self::Json, "json", "JSON"),
        (Self::Ndjson, "ndjson", "NDJSON"),
        (Self::Csv, "csv", "CSV"),
        (Self::Arrow, "arrow", "Arrow IPC"),
        #[cfg(feature = "parquet")]
        (Self::Parquet, "parquet", "Parquet"),
        (Self::V1Plain, "v1-plain", "MATHLDBT plain"),
        (Self::V1, "v1", "MATHLDBT"),
        (Self::V2(Preset::Fast), "v2-fast", "MATHLDBT v2 fast"),
        (
            Self::V2(Preset::Balanced),
            "v2-balanced",
            "MATHLDBT v2 balanced",
        ),
        (Self::V2(Preset::Small), "v2-small", "MATHLDBT v2 small"),
    ];

    /// All payloads, in report order.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMED.iter().map(|(payload, ..)| *payload)
    }

    fn names(self) -> (&'static str, &'static str) {
        let known = Self::NAMED.iter().find(|(payload, ..)| *payload == self);
        known.map_or(("", ""), |(_, name, title)| (name, title))
    }

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// The name in published tables.
    pub fn title(self) -> &'static str {
        self.names().1
    }

    /// True if the format compresses by itself.
    pub fn has_own_codec(self) -> bool {
        match self {
            Self::V2(_) => true,
            #[cfg(feature = "parquet")]
            Self::Parquet => true,
            _ => false,
        }
    }

    /// True if `mbt convert` writes the payload with this codec.
    pub fn takes(self, codec: PayloadCodec) -> bool {
        self != Self::Arrow || codec.stored() == Some(Codec::None)
    }

    /// Number of bytes of text after which the payload starts over without history: the size of its frames,
    /// or `frame_bytes`.
    pub fn memory_bytes(self, frame_bytes: u64) -> u64 {
        match self {
            Self::V1 | Self::V1Plain | Self::V2(Preset::Fast | Preset::Balanced) => frame_bytes,
            Self::V2(Preset::Small) => SMALL_FRAME_BYTES,
            _ => u64::MAX,
        }
    }

    /// Parses a list from the command line; `v2` stands for its three presets.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] for an unknown name.
    pub fn parse(list: &[String]) -> Result<Vec<Self>> {
        let mut payloads: Vec<Self> = Vec::new();
        for name in list {
            let is_meant = |payload: &Self| match &name.to_ascii_lowercase()[..] {
                "v2" => matches!(payload, Self::V2(_)),
                name => payload.name() == name,
            };
            let meant: Vec<Self> = Self::all().filter(is_meant).collect();
            if meant.is_empty() {
                let names: Vec<&str> = Self::all().map(Self::name).collect();
                let names = names.join(", ");
                return Err(
                    Error::usage(format!("--payloads: unknown payload {name:?}")).hint(format!(
                        "the payloads are {names}, and v2 for all presets of wire 2"
                    )),
                );
            }
            for payload in meant {
                if !payloads.contains(&payload) {
                    payloads.push(payload);
                }
            }
        }
        Ok(payloads)
    }

    /// True if it is a text format.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Source | Self::Json | Self::Ndjson | Self::Csv)
    }

    /// True if it holds columns and leaves compression to codecs: it is written faster than a codec compresses it.
    pub fn is_plain_columns(self) -> bool {
        matches!(self, Self::Arrow | Self::V1Plain | Self::V1)
    }

    fn to(self, source: Option<&InputFormat>) -> Result<Format> {
        Ok(match self {
            Self::Json => Format::Json,
            Self::Ndjson => Format::Ndjson,
            Self::Csv => Format::Csv,
            Self::V1Plain | Self::V1 | Self::V2(_) => Format::Mbt,
            Self::Arrow => Format::Arrow,
            #[cfg(feature = "parquet")]
            Self::Parquet => Format::Parquet,
            Self::Source => match source {
                Some(input) if input.kind.is_csv() => Format::Csv,
                Some(input) if input.kind.is_text() => Format::Ndjson,
                _ => return Err(Error::usage("the input is not text")),
            },
        })
    }
}

/// Writes and reads payloads, like `mbt convert` on one thread.
pub struct RoundTrip {
    /// CSV options.
    pub csv: CsvOptions,
    /// The input format, if it is text.
    pub source: Option<InputFormat>,
    /// Columns and their types.
    pub text: TextOptions,
    /// How types are inferred.
    pub infer: Option<Infer>,
    /// Largest uncompressed frame or record, in bytes.
    pub max_frame: u64,
}

impl RoundTrip {
    /// Writes rows as a payload. The payload `source` is printed from the rows, which may differ slightly from
    /// the original text.
    ///
    /// # Errors
    /// If the format cannot represent the rows.
    pub fn encode(&self, payload: Payload, frames: &[Frame]) -> Result<Vec<u8>> {
        let to = payload.to(self.source.as_ref())?;
        if to == Format::Csv {
            ensure_one_header(frames)?;
        }
        let schema = if to.has_schema() {
            joined(frames)
        } else {
            None
        };
        let wire = match payload {
            Payload::V2(preset) => FrameEncoding::V2(v2::EncodeOptions::of(preset)),
            Payload::V1Plain => FrameEncoding::V1(EncodeOptions::PLAIN),
            _ => FrameEncoding::V1(EncodeOptions::default()),
        };
        print(&*self.writer(to, wire, schema), frames)
    }

    fn writer(
        &self,
        to: Format,
        wire: FrameEncoding,
        schema: Option<JoinedSchema>,
    ) -> Box<dyn Writer> {
        let is_v1 = to == Format::Mbt && matches!(wire, FrameEncoding::V1(_));
        to.writer(&WriteOptions {
            cast: cast(self.infer, is_v1),
            schema,
            ..WriteOptions::values(&self.csv, wire, self.max_frame)
        })
    }

    /// Reads and types all rows of a payload, and returns their number.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn decode(&self, payload: Payload, bytes: Arc<[u8]>) -> Result<u64> {
        let format = InputFormat {
            layout: TextLayout {
                csv: self.csv.clone(),
                ..TextLayout::default()
            },
            ..payload.to(self.source.as_ref())?.into()
        };
        let options = reading(format.kind, &self.text, self.max_frame);
        let mut rows = 0;
        let source = Source::stream(payload.name(), Cursor::new(bytes), format);
        pipeline::frames(vec![source], &options, |frame| {
            rows += frame.rows() as u64;
            Ok(())
        })?;
        Ok(rows)
    }
}

/// Options for reading rows, with the defaults of `mbt convert`.
pub fn reading(format: Format, text: &TextOptions, max_frame: u64) -> pipeline::PipelineOptions {
    let frame_size = FrameSize::TextBytes(format.frame_bytes());
    pipeline::PipelineOptions::all(text.clone(), frame_size, max_frame)
}

/// Writes frames to memory.
fn print(writer: &dyn Writer, frames: &[Frame]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for (at, frame) in frames.iter().enumerate() {
        for job in writer.plan(UntypedFrame::from(frame.clone()), at == 0)? {
            if let Some(encoded) = job(&CallingThread)? {
                encoded.write(&mut out)?;
            }
        }
    }
    writer.finish(None, &mut out)?;
    Ok(out)
}

fn joined(frames: &[Frame]) -> Option<JoinedSchema> {
    let types = frames
        .iter()
        .map(|frame| Joined::of(&frame.schema, &frame.batches));
    let joined = types.reduce(|mut joined, next| {
        joined.join(next);
        joined
    });
    joined.map(|joined| joined.schema(Typing::Values))
}

/// CSV has a single header, so all frames need the same columns.
fn ensure_one_header(frames: &[Frame]) -> Result<()> {
    let names = |frame: &Frame| -> Vec<String> { shown_names(frame.schema.fields()).collect() };
    let Some((first, others)) = frames.split_first() else {
        return Ok(());
    };
    if others.iter().any(|frame| names(frame) != names(first)) {
        return Err(Error::input("the columns change within the input"));
    }
    Ok(())
}
