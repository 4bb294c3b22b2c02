//! `mbt inspect --frames`: lists the items of a stream.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{after_whole_frames, each_input, wires};
use crate::cli::Inspect;
use crate::command::open::Input;
use crate::error::{Error, Result};
use crate::filter::Predicate;
use crate::pipeline::may_pass;
use crate::report;
use crate::report::table::{Align, Table, terminal_width};
use crate::schema::shown_names;
use crate::stream::{
    Checksum, Codec, FrameOpener, FrameReader, Item, Skippable, StoredFrame, Wanted,
};
use crate::units::{counted, grouped};
use crate::wire::{v1, v2};

/// Lists the frames of each input.
///
/// # Errors
/// If an input cannot be read or is damaged; the others are listed first.
pub fn run(args: &Inspect, max_frame: u64) -> Result<()> {
    let filter = args.condition.as_deref().map(Predicate::parse);
    let filter = filter.transpose()?;
    each_input(
        args,
        |_| false,
        |input, _| FrameList::read(input, max_frame, filter.clone()),
        |lists| print(args, lists),
        |list| list.fault.take(),
    )
}

fn print(args: &Inspect, lists: &[&FrameList]) -> Result<()> {
    if args.json {
        let files: Vec<_> = lists.iter().map(|list| list.document()).collect();
        return report::print_json(&json!({ "files": files }));
    }
    let texts: Vec<_> = lists.iter().map(|list| list.text()).collect();
    report::print_text(&texts.join("\n"))
}

/// An item of a stream.
struct StreamItem {
    offset: u64,
    stored: u64,
    kind: ItemKind,
}

enum ItemKind {
    Frame {
        /// Counted from 0, including items that are not listed.
        number: u64,
        wire: u16,
        codec: &'static str,
        level: &'static str,
        checksum: Option<&'static str>,
        rows: u64,
        plain: u64,
    },
    /// A skippable frame: the last digit of its magic, and whether it contains an index.
    Skippable(u8, bool),
}

/// One stream.
#[derive(Default)]
struct FrameList {
    file: String,
    entries: Vec<StreamItem>,
    frames: u64,
    rows: u64,
    stored: u64,
    plain: u64,
    trailing_bytes: u64,
    wires: BTreeSet<u16>,
    /// Why the stream is incomplete although its frames are valid.
    fault: Option<Error>,
}

impl FrameList {
    /// The frames of a stream; with a filter, those that may contain a match.
    fn read(input: Input, max_frame: u64, filter: Option<Predicate>) -> Result<Self> {
        let mut list = Self {
            file: input.path.display().to_string(),
            ..Self::default()
        };
        let reader = FrameReader::new(input.bytes, max_frame).comparing_headers();
        let mut reader = reader.with_file(input.file)?.in_parts();
        let mut opener = FrameOpener::new(max_frame);
        let mut number = 0;
        loop {
            match reader.next_item_of(&mut |_| Ok(Wanted::Header)) {
                Ok(Some(Item::Frame(frame))) => {
                    if is_wanted(filter.as_ref(), &frame)? {
                        list.frame(number, &frame, &mut opener)?;
                    }
                    number += 1;
                }
                Ok(Some(Item::End(end))) => {
                    list.skippable(&end.frame, end.index.is_some());
                    list.fault = list.fault.take().or(end.check().err());
                }
                Ok(Some(Item::Skippable(skippable))) => list.skippable(&skippable, false),
                Ok(None) => break,
                Err(error) => {
                    list.fault = Some(list.fault.take().unwrap_or(after_whole_frames(error)?));
                    break;
                }
            }
        }
        list.trailing_bytes = reader.trailing_bytes();
        // Version 1 frames have no statistics.
        if let Some(filter) = filter
            && !list.wires.contains(&v1::VERSION)
        {
            filter.conclude(true)?;
        }
        Ok(list)
    }

    fn skippable(&mut self, skippable: &Skippable, is_index: bool) {
        let stored = skippable.stored_len();
        self.stored += stored;
        self.entries.push(StreamItem {
            offset: skippable.offset,
            stored,
            kind: ItemKind::Skippable(skippable.nibble, is_index),
        });
    }

    fn frame(&mut self, number: u64, frame: &StoredFrame, opener: &mut FrameOpener) -> Result<()> {
        let (wire, codec, level, rows, plain) = if let Some(envelope) = frame.v2() {
            let (rows, plain) = (envelope.rows as u64, envelope.plain_len());
            (v2::VERSION, envelope.codec_name(), "-", rows, plain)
        } else {
            let content = opener.open(frame)?;
            let first = content.contents.envelopes.first();
            let wire = first.map_or(0, |(_, envelope)| envelope.version());
            let (rows, plain) = (content.contents.rows(), content.contents.plain_len());
            (wire, frame.codec.name(), level(frame), rows, plain)
        };
        let stored = frame.stored_len();
        self.wires.insert(wire);
        self.frames += 1;
        self.rows += rows;
        self.stored += stored;
        self.plain += plain;
        self.entries.push(StreamItem {
            offset: frame.offset,
            stored,
            kind: ItemKind::Frame {
                number,
                wire,
                codec,
                level,
                checksum: checksum(frame),
                rows,
                plain,
            },
        });
        Ok(())
    }

    fn text(&self) -> String {
        let mut out = format!(
            "{}: {}, {}, {}, {}, {} stored, ratio {}\n\n",
            self.file,
            wires(&self.wires),
            counted(self.frames, "frame"),
            counted(self.rows, "row"),
            counted(self.plain, "plain byte"),
            grouped(self.stored),
            ratio(self.plain, self.stored),
        );
        let mut table = Table::new([
            ("frame", Align::Right),
            ("offset", Align::Right),
            ("wire", Align::Right),
            ("codec", Align::Left),
            ("level", Align::Left),
            ("rows", Align::Right),
            ("stored", Align::Right),
            ("plain", Align::Right),
            ("ratio", Align::Right),
            ("checksum", Align::Left),
        ]);
        for entry in &self.entries {
            let (offset, stored) = (grouped(entry.offset), grouped(entry.stored));
            match &entry.kind {
                ItemKind::Frame {
                    number,
                    wire,
                    codec,
                    level,
                    checksum,
                    rows,
                    plain,
                } => {
                    table.row([
                        number.to_string().as_str(),
                        &offset,
                        &wire.to_string(),
                        codec,
                        level,
                        &grouped(*rows),
                        &stored,
                        &grouped(*plain),
                        &ratio(*plain, entry.stored),
                        checksum.unwrap_or("none"),
                    ]);
                }
                ItemKind::Skippable(_, is_index) => {
                    let codec = skippable(*is_index);
                    table.row(["-", &offset, "-", codec, "-", "-", &stored, "-", "-", "-"]);
                }
            }
        }
        if self.frames > 1 || self.entries.len() > 1 {
            let (rows, stored) = (grouped(self.rows), grouped(self.stored));
            let ratio = ratio(self.plain, self.stored);
            let plain = grouped(self.plain);
            table.row(["total", "", "", "", "", &rows, &stored, &plain, &ratio, ""]);
        }
        out.push_str(&table.render(terminal_width()));
        if self.trailing_bytes > 0 {
            let trailing = counted(self.trailing_bytes, "byte");
            let _ = writeln!(
                out,
                "\n{trailing} after the last frame do not belong to a frame"
            );
        }
        out
    }

    fn document(&self) -> Value {
        let entry = |entry: &StreamItem| match &entry.kind {
            ItemKind::Frame {
                number,
                wire,
                codec,
                level,
                checksum,
                rows,
                plain,
            } => json!({
                "kind": "frame",
                "frame": number,
                "offset": entry.offset,
                "wire": wire,
                "codec": codec,
                "level": Some(level).filter(|level| **level != "-"),
                "rows": rows,
                "stored_bytes": entry.stored,
                "plain_bytes": plain,
                "checksum": checksum,
            }),
            ItemKind::Skippable(nibble, is_index) => json!({
                "kind": skippable(*is_index),
                "offset": entry.offset,
                "magic": 0x184d_2a50 + u32::from(*nibble),
                "stored_bytes": entry.stored,
            }),
        };
        json!({
            "file": self.file,
            "frames": self.frames,
            "rows": self.rows,
            "stored_bytes": self.stored,
            "plain_bytes": self.plain,
            "trailing_bytes": self.trailing_bytes,
            "entries": self.entries.iter().map(entry).collect::<Vec<_>>(),
        })
    }
}

/// True unless the statistics of the frame rule out a match.
fn is_wanted(filter: Option<&Predicate>, frame: &StoredFrame) -> Result<bool> {
    let (Some(filter), Some(envelope)) = (filter, frame.v2()) else {
        return Ok(true);
    };
    let located = |error| frame.locate(error);
    let names: Vec<_> = shown_names(&envelope.fields().map_err(located)?).collect();
    filter.see_names(&names);
    may_pass(Some(filter), envelope).map_err(located)
}

fn skippable(is_index: bool) -> &'static str {
    if is_index { "index" } else { "skippable" }
}

/// Plain bytes per stored byte.
fn ratio(plain: u64, stored: u64) -> String {
    if stored == 0 {
        return "-".to_owned();
    }
    let hundredths = (u128::from(plain) * 100 + u128::from(stored) / 2) / u128::from(stored);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// The level, if the frame shows it: for gzip, whether it was the best or a fast one.
fn level(frame: &StoredFrame) -> &'static str {
    match (frame.codec, frame.bytes.get(8)) {
        (Codec::Gzip, Some(2)) => "9",
        (Codec::Gzip, Some(4)) => "0-1",
        _ => "-",
    }
}

/// The checksum of the plain bytes.
fn checksum(frame: &StoredFrame) -> Option<&'static str> {
    match frame.codec.checksum() {
        _ if !frame.checksum => None,
        Checksum::Optional(name) | Checksum::Always(name) => Some(name),
        // The checksum of the envelope.
        Checksum::Never => Some("crc32"),
    }
}
