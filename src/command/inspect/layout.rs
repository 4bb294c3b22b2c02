//! `mbt inspect --layout`: what each byte of a frame means.

use std::fmt::Write as _;

use serde_json::json;

use crate::cli::Inspect;
use crate::command::open::{Input, open};
use crate::error::{Error, Result};
use crate::report;
use crate::schema::display_name;
use crate::stream::{FrameOpener, FrameReader, Wanted, envelopes};
use crate::units::grouped;
use crate::wire::v1::{self, Field, byte_map};
use crate::wire::{Envelope, v2};

/// Bytes that are shown of a field.
const HEX_BYTES: usize = 8;
/// Characters of a field's name in version 2.
const V2_NAME: usize = 21;

/// Maps one frame of the input.
///
/// # Errors
/// If there is not one input, it has no such frame, or it is damaged up to there.
pub fn run(args: &Inspect, max_frame: u64) -> Result<()> {
    let [path] = &args.inputs[..] else {
        return Err(Error::usage("--layout takes one file at a time"));
    };
    let input = open(path)?;
    let path = input.path.clone();
    let (offset, plain) =
        frame(input, args.frame, max_frame).map_err(|error| error.in_file(&path))?;
    let file = path.display().to_string();
    let mut fields = Vec::new();
    let mut text = format!("{file}: frame {} at byte {}\n", args.frame, grouped(offset));
    let (found, trailing) =
        envelopes(&plain, max_frame).map_err(|error| error.in_frame(args.frame).in_file(&path))?;
    for (range, envelope) in found {
        let bytes = &plain[range.clone()];
        match envelope {
            Envelope::V1(envelope) => {
                let map = byte_map(bytes, &envelope);
                dump(&mut text, bytes, &envelope, &map, range.start);
                fields.extend(map.iter().map(|field| entry(field, range.start)));
            }
            Envelope::V2(envelope) => {
                let map = v2::byte_map(bytes, &envelope)
                    .map_err(|error| error.in_frame(args.frame).in_file(&path))?;
                dump_v2(&mut text, bytes, &map, range.start);
                fields.extend(map.fields.iter().map(|field| entry_v2(field, range.start)));
            }
        }
    }
    if trailing > 0 {
        let start = plain.len() - trailing;
        let value = "after the last column; version 1 ignores them";
        line(&mut text, start, &plain[start..], "trailing", value);
        fields.push(json!({
            "offset": start, "len": trailing, "column": null, "name": "trailing", "value": value,
        }));
    }
    if args.json {
        return report::print_json(&json!({
            "file": file,
            "frame": args.frame,
            "frame_offset": offset,
            "plain_bytes": plain.len(),
            "fields": fields,
        }));
    }
    report::print(text.as_bytes())
}

/// Offset and plain bytes of a frame.
///
/// # Errors
/// If there is no such frame, or the stream is damaged up to there.
pub fn frame(input: Input, wanted: u64, max_frame: u64) -> Result<(u64, Vec<u8>)> {
    let mut reader = FrameReader::new(input.bytes, max_frame);
    if let Some(file) = input.file {
        reader = reader.with_file(file)?.in_parts();
    }
    loop {
        let what = if reader.frames() == wanted {
            Wanted::All
        } else {
            Wanted::Header
        };
        let Some(frame) = reader.next_frame_of(&mut |_| Ok(what.clone()))? else {
            break;
        };
        if frame.index == wanted {
            let mut opener = FrameOpener::new(max_frame);
            return Ok((frame.offset, opener.plain(&frame)?.to_vec()));
        }
        reader.recycle(frame.bytes);
    }
    let frames = reader.frames();
    let last = frames - 1;
    Err(Error::usage(format!("there is no frame {wanted}"))
        .hint(format!("the last one is --frame {last}")))
}

/// Writes the map of an envelope that begins at `start` of the frame.
fn dump(out: &mut String, bytes: &[u8], envelope: &v1::Envelope, map: &[Field], start: usize) {
    let mut column = None;
    for field in map {
        if field.column != column {
            column = field.column;
            if let Some(position) = column {
                let name = display_name(envelope.columns[position].name(bytes), position);
                let _ = writeln!(out, "-- column {position} {name:?}");
            }
        }
        let stored = &bytes[field.offset..field.offset + field.len];
        if field.more > 0 {
            let name = format!("... {} {}", grouped(field.more), field.name);
            line(out, start + field.offset, stored, &name, "");
        } else {
            line(out, start + field.offset, stored, &field.name, &field.value);
        }
    }
}

/// The same of an envelope of version 2.
fn dump_v2(out: &mut String, bytes: &[u8], map: &v2::ByteMap, start: usize) {
    let (mut column, mut is_inside) = (None, false);
    for field in &map.fields {
        if field.in_plain_header != is_inside {
            is_inside = field.in_plain_header;
            let _ = match &map.plain_header {
                Some(header) if is_inside => {
                    let len = grouped(header.len() as u64);
                    writeln!(
                        out,
                        "-- decompressed header, {len} bytes; offsets are within it"
                    )
                }
                _ => writeln!(out, "-- body; offsets are within the frame"),
            };
        }
        if field.column != column {
            column.clone_from(&field.column);
            if let Some(path) = &column {
                let _ = writeln!(out, "-- column {path:?}");
            } else if !is_inside && map.plain_header.is_none() {
                let _ = writeln!(out, "-- body");
            }
        }
        let (source, start) = match &map.plain_header {
            Some(header) if is_inside => (&header[..], 0),
            _ => (bytes, start),
        };
        let stored = &source[field.offset..field.offset + field.len];
        let name = format!("{:<V2_NAME$}", field.name);
        line(out, start + field.offset, stored, &name, &field.value);
    }
}

fn entry_v2(field: &v2::Field, start: usize) -> serde_json::Value {
    let (place, start) = if field.in_plain_header {
        ("header", 0)
    } else {
        ("frame", start)
    };
    json!({
        "in": place,
        "offset": start + field.offset,
        "len": field.len,
        "column": field.column,
        "name": field.name,
        "value": field.value,
    })
}

fn line(out: &mut String, offset: usize, bytes: &[u8], name: &str, value: &str) {
    let mut hex = String::new();
    for byte in bytes.iter().take(HEX_BYTES) {
        let _ = write!(hex, "{byte:02x} ");
    }
    if bytes.len() > HEX_BYTES {
        hex.push('…');
    }
    let width = 3 * HEX_BYTES + 1;
    let text = format!("{offset:06x}  {hex:width$}  {name:<15}  {value}");
    let _ = writeln!(out, "{}", text.trim_end());
}

fn entry(field: &Field, start: usize) -> serde_json::Value {
    json!({
        "offset": start + field.offset,
        "len": field.len,
        "column": field.column,
        "name": field.name,
        "value": field.value,
    })
}
