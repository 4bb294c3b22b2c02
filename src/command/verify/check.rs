//! Checks one frame.

use std::collections::HashSet;
use std::fmt;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use super::v2::{self, EnvelopeFault};
use crate::error::{Error, Kind};
use crate::format::exact::unpack;
use crate::stream::{Codec, FrameColumn, FrameOpener, FramePlace, StoredFrame, envelopes};
use crate::units::{and_more, grouped};
use crate::wire::v1::anomalies;
use crate::wire::{Decoder, Envelope};

/// How much to check; each tier includes the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// The structure of frames and columns.
    Structure,
    /// Checksums, and the envelopes in compressed frames.
    Checksums,
    /// Every value.
    Deep,
}

impl Tier {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Checksums => "checksums",
            Self::Deep => "deep",
        }
    }
}

/// A problem or an anomaly, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    /// A stable name of its kind: `frame`, `payload`, `envelope`, `column`, `index`, `end`, `trailing_bytes` or that of
    /// an anomaly.
    pub kind: &'static str,
    /// The frame, counted from 0.
    pub frame: Option<u64>,
    /// Where the frame starts in the stream.
    pub frame_offset: u64,
    /// The displayed names of the affected columns, if known.
    pub columns: Vec<String>,
    /// The byte in the frame: of the stored bytes for `frame` and `payload`, of the plain bytes otherwise.
    pub byte: Option<u64>,
    /// What is wrong.
    pub what: String,
}

/// How many columns to name per finding.
const COLUMNS: usize = 4;

impl Finding {
    /// The finding for an error in the frame at `frame_offset`.
    pub fn of(error: &Error, kind: &'static str, frame: Option<u64>, frame_offset: u64) -> Self {
        let place = error.place();
        Self {
            kind,
            frame,
            frame_offset,
            columns: place.column.iter().cloned().collect(),
            byte: place.byte,
            what: error.message(),
        }
    }

    /// The displayed name of the column, if there is only one.
    pub fn column(&self) -> Option<&str> {
        match &self.columns[..] {
            [column] => Some(column),
            _ => None,
        }
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Finding", 7)?;
        fields.serialize_field("kind", self.kind)?;
        fields.serialize_field("frame", &self.frame)?;
        fields.serialize_field("frame_offset", &self.frame_offset)?;
        fields.serialize_field("column", &self.column())?;
        fields.serialize_field("columns", &self.columns)?;
        fields.serialize_field("byte", &self.byte)?;
        fields.serialize_field("what", &self.what)?;
        fields.end()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(frame) = self.frame {
            let offset = grouped(self.frame_offset);
            write!(f, "frame {frame} at byte {offset}: ")?;
        }
        match &self.columns[..] {
            [] => {}
            [column] => write!(f, "column \"{}\": ", column.escape_debug())?,
            columns => {
                f.write_str("columns ")?;
                for (at, column) in columns.iter().take(COLUMNS).enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}\"{}\"", column.escape_debug())?;
                }
                let more = and_more(columns.len().saturating_sub(COLUMNS));
                write!(f, "{more}: ")?;
            }
        }
        if let Some(byte) = self.byte {
            write!(f, "byte {byte} of the frame: ")?;
        }
        f.write_str(&self.what)
    }
}

/// How much of a frame is under a checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    /// Nothing.
    #[default]
    Nothing,
    /// The plain bytes, but not their stored form.
    Contents,
    /// Every stored byte.
    EveryByte,
}

impl Coverage {
    /// The coverage by the frame itself; an index can add to it.
    pub fn of(frame: &StoredFrame) -> Self {
        match (frame.checksum, frame.codec) {
            (false, _) => Self::Nothing,
            (true, Codec::None) => Self::EveryByte,
            (true, _) => Self::Contents,
        }
    }
}

/// The result for one frame.
#[derive(Debug, Default)]
pub struct Checked {
    /// Number of rows, if known.
    pub rows: Option<u64>,
    /// Problems.
    pub problems: Vec<Finding>,
    /// Anomalies that put no value in doubt.
    pub notes: Vec<Finding>,
    /// How much of it is under a checksum.
    pub coverage: Coverage,
    /// The error for a stream that is not a stream of frames: its first frame is a codec around something else.
    pub refused: Option<Error>,
    /// Why columns or the frame could not be checked, although they may be intact.
    pub unsupported: Option<Error>,
    /// What the index should list, for a frame with a single envelope of version 2.
    pub listed: Option<(Option<FramePlace>, Vec<FrameColumn>)>,
    /// Number of the frame in the stream.
    pub index: u64,
    /// Where it starts in the stream.
    pub offset: u64,
}

/// Checks frames, reusing its memory.
pub struct Checker {
    tier: Tier,
    opener: FrameOpener,
    decoder: Decoder,
    max_frame: u64,
}

impl Checker {
    /// A checker that refuses frames of more than `max_frame` plain bytes.
    pub fn new(tier: Tier, max_frame: u64) -> Self {
        Self {
            tier,
            opener: FrameOpener::new(max_frame),
            decoder: Decoder::new(max_frame),
            max_frame,
        }
    }

    /// Checks a frame whose extent is known.
    pub fn check(&mut self, frame: &StoredFrame) -> Checked {
        let mut checked = Checked {
            coverage: Coverage::of(frame),
            index: frame.index,
            offset: frame.offset,
            ..Checked::default()
        };
        let finding =
            |error: &Error, kind| Finding::of(error, kind, Some(frame.index), frame.offset);
        if sets_unused_bit(frame) {
            let error = Error::corrupt("the unused bit of the zstd header is set").at_byte(4);
            checked.problems.push(finding(&error, "frame"));
        }
        if frame.offset == 0 && self.opener.holds_foreign(frame) {
            let codec = frame.codec.name();
            let error = Error::input(format!(
                "this is not a MATHLDBT file, but something else that {codec} compressed"
            ));
            let error = error.hint("mbt convert, mbt head and mbt stats read compressed text");
            checked.problems.push(finding(&error, "frame"));
            checked.refused = Some(error);
            return checked;
        }
        if self.tier == Tier::Structure && matches!(frame.codec, Codec::Zstd | Codec::Lz4) {
            return checked;
        }
        let plain = match self.opener.plain(frame) {
            Ok(plain) => plain,
            Err(error) => {
                checked.problems.push(finding(&error, "payload"));
                return checked;
            }
        };
        let contents = match envelopes(plain, self.max_frame) {
            Ok(found) => found,
            Err(error) if error.kind() == Kind::Unsupported => {
                checked.unsupported = Some(frame.locate(error));
                return checked;
            }
            Err(error) => {
                checked.problems.push(finding(&error, "envelope"));
                return checked;
            }
        };
        if let Some(error) = contents
            .missing_end
            .as_ref()
            .filter(|_| frame.codec != Codec::None)
        {
            checked.problems.push(finding(error, "end"));
        }
        if let Some(error) = contents.trailing_fault(plain) {
            checked.problems.push(finding(&error, "trailing_bytes"));
        }
        self.decoder.set_held_bytes(frame.held_bytes(plain));
        let mut rows = 0;
        for (range, envelope) in contents.envelopes {
            rows += envelope.rows() as u64;
            let bytes = &plain[range.clone()];
            let start = range.start as u64;
            if self.tier == Tier::Deep {
                let is_alone = range == (0..plain.len());
                let listed = FramePlace::of_either(&envelope, bytes).ok();
                checked.listed = listed.filter(|_| is_alone);
            }
            for fault in faults(self.tier, &mut self.decoder, bytes, &envelope) {
                if fault.error.kind() == Kind::Unsupported {
                    checked.unsupported.get_or_insert(frame.locate(fault.error));
                    continue;
                }
                let mut found = finding(&fault.error, fault.kind);
                found.byte = found.byte.map(|byte| byte + start);
                found.columns = fault.columns;
                checked.problems.push(found);
            }
            let (Envelope::V1(envelope), Tier::Deep) = (&envelope, self.tier) else {
                continue;
            };
            for anomaly in anomalies(bytes, envelope) {
                let is_fault = anomaly.what.is_fault();
                let found = Finding {
                    kind: anomaly.what.name(),
                    frame: Some(frame.index),
                    frame_offset: frame.offset,
                    byte: Some(start + anomaly.byte),
                    what: anomaly.message(),
                    columns: anomaly.column.into_iter().collect(),
                };
                if is_fault {
                    checked.problems.push(found);
                } else {
                    checked.notes.push(found);
                }
            }
        }
        checked.rows = Some(rows);
        checked
    }
}

/// The faults of an envelope. Columns in damaged sections are not checked further.
fn faults(
    tier: Tier,
    decoder: &mut Decoder,
    bytes: &[u8],
    envelope: &Envelope,
) -> Vec<EnvelopeFault> {
    if let Envelope::V2(envelope) = envelope {
        if let Err(error) = envelope.leaves() {
            return vec![EnvelopeFault::new("envelope", error)];
        }
        if tier == Tier::Structure {
            return Vec::new();
        }
        let damaged = v2::sections(envelope, bytes);
        if !damaged.is_empty() {
            return damaged;
        }
    }
    if tier < Tier::Deep {
        return Vec::new();
    }
    let mut found = Vec::new();
    match decoder.decode(bytes, envelope, |_, _| true) {
        Ok(whole) => {
            if let Envelope::V2(_) = envelope {
                found.extend(v2::not_json(&whole));
                if let Err(error) = unpack(whole.clone()) {
                    found.push(EnvelopeFault::new("envelope", error));
                }
            }
            decoder.recycle(whole);
        }
        Err(error) => {
            let errors = each_fault(decoder, bytes, envelope, error);
            found.extend(
                errors
                    .into_iter()
                    .map(|error| EnvelopeFault::new("column", error)),
            );
        }
    }
    found
}

/// The first fault of each column that cannot be decoded, or `whole` if each column can be decoded by itself.
fn each_fault(
    decoder: &mut Decoder,
    bytes: &[u8],
    envelope: &Envelope,
    whole: Error,
) -> Vec<Error> {
    let columns = 0..envelope.names(bytes).map_or(0, |names| names.len());
    let mut faults: Vec<_> = columns
        .filter_map(|column| {
            let only = |position: usize, _: &str| position == column;
            decoder.decode(bytes, envelope, only).err()
        })
        .collect();
    // A damaged key affects every column that is grouped by it.
    let mut seen = HashSet::new();
    faults.retain(|fault: &Error| seen.insert((fault.to_string(), fault.place().byte)));
    // The columns may exceed the limit only together.
    if faults.is_empty() {
        faults.push(whole);
    }
    faults
}

/// True if the unused bit is set, which readers must ignore and writers must leave 0 (RFC 8878, 3.1.1.1.1.3): no
/// checksum covers it.
fn sets_unused_bit(frame: &StoredFrame) -> bool {
    frame.codec == Codec::Zstd && frame.bytes.get(4).is_some_and(|byte| byte & 0x10 != 0)
}
