//! `mbt inspect --frames`: lists the items of a stream.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::json;

use super::{each_input, each_item, wires};
use crate::cli::Inspect;
use crate::error::{Error, Result};
use crate::filter::Predicate;
use crate::pipeline::{Source, may_pass};
use crate::report;
use crate::report::table::{Align, Table, terminal_width};
use crate::schema::shown_names;
use crate::stream::{Checksum, Codec, FrameOpener, Item, SegmentEnd, Skippable, StoredFrame};
use crate::units::{counted, grouped, trailing_bytes_note};
use crate::wire::{v1, v2};

/// Lists the frames of each input.
///
/// # Errors
/// If an input cannot be read or is damaged; the others are listed first.
pub fn run(args: &Inspect, max_frame: u64) -> Result<()> {
    let filter = args
        .condition
        .as_deref()
        .map(Predicate::parse)
        .transpose()?;
    each_input(
        args,
        |_| false,
        |input| FrameList::read(input, max_frame, filter.clone()),
        |lists| print(args, lists),
        |list| list.fault.take(),
    )
}

fn print(args: &Inspect, lists: &[&FrameList]) -> Result<()> {
    if args.json {
        return report::print_json(&json!({ "files": lists }));
    }
    let texts: Vec<_> = lists.iter().map(|list| list.text()).collect();
    report::print_text(&texts.join("\n"))
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum StreamItem {
    Frame(FrameItem),
    /// The skippable frame of an index.
    Index(SkippableItem),
    /// Another skippable frame.
    Skippable(SkippableItem),
}

#[derive(Serialize)]
struct FrameItem {
    /// Counted from 0, including items that are not listed.
    #[serde(rename = "frame")]
    number: u64,
    offset: u64,
    wire: u16,
    codec: &'static str,
    level: Option<&'static str>,
    rows: u64,
    stored_bytes: u64,
    plain_bytes: u64,
    checksum: Option<&'static str>,
}

#[derive(Serialize)]
struct SkippableItem {
    offset: u64,
    magic: u32,
    stored_bytes: u64,
}

/// One stream.
#[derive(Default, Serialize)]
struct FrameList {
    file: String,
    frames: u64,
    rows: u64,
    stored_bytes: u64,
    plain_bytes: u64,
    trailing_bytes: u64,
    entries: Vec<StreamItem>,
    #[serde(skip)]
    wires: BTreeSet<u16>,
    /// Frames that cannot contain a match are left out.
    #[serde(skip)]
    is_filtered: bool,
    /// Why the stream is incomplete although its frames are valid.
    #[serde(skip)]
    fault: Option<Error>,
}

impl FrameList {
    /// The frames of a stream; with a filter, only frames that may contain a match.
    fn read(input: Source, max_frame: u64, filter: Option<Predicate>) -> Result<Self> {
        let mut list = Self {
            file: input.path.display().to_string(),
            is_filtered: filter.is_some(),
            ..Self::default()
        };
        let mut opener = FrameOpener::new(max_frame);
        let mut number = 0;
        (list.trailing_bytes, list.fault) = each_item(input, max_frame, |item| {
            match item {
                Item::Frame(frame) => {
                    if is_wanted(filter.as_ref(), frame)? {
                        list.frame(number, frame, &mut opener)?;
                    }
                    number += 1;
                }
                Item::End(end) if end.index.is_some() => {
                    let index = list.skippable(&end.frame);
                    list.entries.push(StreamItem::Index(index));
                }
                Item::End(SegmentEnd { frame, .. }) | Item::Skippable(frame) => {
                    let skippable = list.skippable(frame);
                    list.entries.push(StreamItem::Skippable(skippable));
                }
            }
            Ok(())
        })?;
        // Version 1 frames have no statistics.
        if let Some(filter) = filter
            && !list.wires.contains(&v1::VERSION)
        {
            filter.conclude(true)?;
        }
        Ok(list)
    }

    fn skippable(&mut self, skippable: &Skippable) -> SkippableItem {
        let stored_bytes = skippable.stored_len();
        self.stored_bytes += stored_bytes;
        SkippableItem {
            offset: skippable.offset,
            magic: 0x184d_2a50 + u32::from(skippable.nibble),
            stored_bytes,
        }
    }

    fn frame(&mut self, number: u64, frame: &StoredFrame, opener: &mut FrameOpener) -> Result<()> {
        let (wire, codec, level, rows, plain_bytes) = if let Some(envelope) = frame.v2() {
            let (rows, plain_bytes) = (envelope.rows as u64, envelope.plain_len());
            let codec = envelope.codec_name();
            (v2::VERSION, codec, None, rows, plain_bytes)
        } else {
            let content = opener.open(frame)?;
            let first = content.contents.envelopes.first();
            let wire = first.map_or(0, |(_, envelope)| envelope.version());
            let (rows, plain_bytes) = (content.contents.rows(), content.contents.plain_len());
            (wire, frame.codec.name(), level(frame), rows, plain_bytes)
        };
        let stored_bytes = frame.stored_len();
        self.wires.insert(wire);
        self.frames += 1;
        self.rows += rows;
        self.stored_bytes += stored_bytes;
        self.plain_bytes += plain_bytes;
        self.entries.push(StreamItem::Frame(FrameItem {
            number,
            offset: frame.offset,
            wire,
            codec,
            level,
            rows,
            stored_bytes,
            plain_bytes,
            checksum: checksum(frame),
        }));
        Ok(())
    }

    fn text(&self) -> String {
        if self.frames == 0 && self.is_filtered {
            return format!("{}: no frame may contain a match\n", self.file);
        }
        let mut out = format!(
            "{}: {}, {}, {}, {}, {} stored, ratio {}\n\n",
            self.file,
            wires(&self.wires),
            counted(self.frames, "frame"),
            counted(self.rows, "row"),
            counted(self.plain_bytes, "plain byte"),
            grouped(self.stored_bytes),
            ratio(self.plain_bytes, self.stored_bytes),
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
            let (skippable, codec) = match entry {
                StreamItem::Frame(frame) => {
                    table.row([
                        frame.number.to_string().as_str(),
                        &grouped(frame.offset),
                        &frame.wire.to_string(),
                        frame.codec,
                        frame.level.unwrap_or("-"),
                        &grouped(frame.rows),
                        &grouped(frame.stored_bytes),
                        &grouped(frame.plain_bytes),
                        &ratio(frame.plain_bytes, frame.stored_bytes),
                        frame.checksum.unwrap_or("none"),
                    ]);
                    continue;
                }
                StreamItem::Index(skippable) => (skippable, "index"),
                StreamItem::Skippable(skippable) => (skippable, "skippable"),
            };
            let (offset, stored) = (grouped(skippable.offset), grouped(skippable.stored_bytes));
            table.row(["-", &offset, "-", codec, "-", "-", &stored, "-", "-", "-"]);
        }
        if self.frames > 1 || self.entries.len() > 1 {
            let (rows, stored) = (grouped(self.rows), grouped(self.stored_bytes));
            let ratio = ratio(self.plain_bytes, self.stored_bytes);
            let plain = grouped(self.plain_bytes);
            table.row(["total", "", "", "", "", &rows, &stored, &plain, &ratio, ""]);
        }
        out.push_str(&table.render(terminal_width()));
        if self.trailing_bytes > 0 {
            let _ = writeln!(out, "\n{}", trailing_bytes_note(self.trailing_bytes));
        }
        out
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

/// Plain bytes per stored byte.
fn ratio(plain: u64, stored: u64) -> String {
    if stored == 0 {
        return "-".to_owned();
    }
    let hundredths = (u128::from(plain) * 100 + u128::from(stored) / 2) / u128::from(stored);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// The level, if the frame shows it: for gzip, whether it was the best or a fast one.
fn level(frame: &StoredFrame) -> Option<&'static str> {
    match (frame.codec, frame.bytes.get(8)) {
        (Codec::Gzip, Some(2)) => Some("9"),
        (Codec::Gzip, Some(4)) => Some("0-1"),
        _ => None,
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
