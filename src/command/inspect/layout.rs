//! `mbt inspect --layout`: shows the meaning of each byte of a frame.

use std::fmt::Write as _;

use serde_json::json;

use super::only_input;
use crate::cli::Inspect;
use crate::error::{Error, Result};
use crate::pipeline::Source;
use crate::report;
use crate::stream::{FrameOpener, FrameReader, Wanted, envelopes};
use crate::units::grouped;
use crate::wire::{ByteMap, Envelope, Field, v1, v2};

/// How many bytes of a field to show.
const HEX_BYTES: usize = 8;
/// Width of a field's name, by version.
const V1_NAME: usize = 15;
const V2_NAME: usize = 21;

/// Maps one frame of the input.
///
/// # Errors
/// If there is more than one input, it has no such frame, or it is damaged before the end of that frame.
pub fn run(args: &Inspect, max_frame: u64) -> Result<()> {
    let (input, path) = only_input(args, "--layout", |_| false)?;
    let (offset, plain) =
        frame(input, args.frame, max_frame).map_err(|error| error.in_file(&path))?;
    let file = path.display().to_string();
    let mut fields = Vec::new();
    let mut text = format!("{file}: frame {} at byte {}\n", args.frame, grouped(offset));
    let contents =
        envelopes(&plain, max_frame).map_err(|error| error.in_frame(args.frame).in_file(&path))?;
    for (range, envelope) in contents.envelopes {
        let bytes = &plain[range.clone()];
        let version = envelope.version();
        let map = match envelope {
            Envelope::V1(envelope) => v1::byte_map(bytes, &envelope),
            Envelope::V2(envelope) => v2::byte_map(bytes, &envelope)
                .map_err(|error| error.in_frame(args.frame).in_file(&path))?,
        };
        dump(&mut text, bytes, &map, version, range.start);
        let entries = map.fields.iter();
        fields.extend(entries.map(|field| entry(field, &map, version, range.start)));
    }
    let trailing = contents.trailing;
    if trailing > 0 {
        let start = plain.len() - trailing;
        let value = "after the last column; wire 1 ignores them";
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
    report::print_text(&text)
}

/// Offset and plain bytes of a frame.
///
/// # Errors
/// If there is no such frame, or the stream is damaged before its end.
pub fn frame(input: Source, wanted: u64, max_frame: u64) -> Result<(u64, Vec<u8>)> {
    let reader = FrameReader::new(input.bytes, max_frame);
    let mut reader = reader.with_file(input.file)?.in_parts();
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

/// Writes the map of an envelope that starts at `start` in the frame.
fn dump(out: &mut String, bytes: &[u8], map: &ByteMap, version: u16, start: usize) {
    let name_width = if version == v1::VERSION {
        V1_NAME
    } else {
        V2_NAME
    };
    let (mut column, mut is_inside) = (None, false);
    for field in &map.fields {
        let header = map.plain_header.as_ref().filter(|_| field.in_plain_header);
        if field.in_plain_header != is_inside {
            is_inside = field.in_plain_header;
            let title = match header {
                Some(header) => {
                    let len = grouped(header.len() as u64);
                    format!(
                        "header before compression, {len} bytes; offsets are relative to its start"
                    )
                }
                None => "body; offsets are relative to the start of the frame".to_owned(),
            };
            let _ = writeln!(out, "-- {title}");
        }
        if field.column != column {
            column = field.column;
            let _ = match (column, map.column_of(field)) {
                (Some(position), Some(name)) if version == v1::VERSION => {
                    writeln!(out, "-- column {position} {name:?}")
                }
                (_, Some(path)) => writeln!(out, "-- column {path:?}"),
                // After a compressed header, the body already has a heading.
                (_, None) if map.plain_header.is_some() => Ok(()),
                (_, None) => writeln!(out, "-- body"),
            };
        }
        let (source, start) = match header {
            Some(header) => (&header[..], 0),
            None => (bytes, start),
        };
        let stored = &source[field.offset..field.offset + field.len];
        let (name, value) = if field.more > 0 {
            (format!("... {} {}", grouped(field.more), field.name), "")
        } else {
            (field.name.clone(), &field.value[..])
        };
        let name = format!("{name:<name_width$}");
        line(out, start + field.offset, stored, &name, value);
    }
}

fn entry(field: &Field, map: &ByteMap, version: u16, start: usize) -> serde_json::Value {
    if version == v1::VERSION {
        return json!({
            "offset": start + field.offset,
            "len": field.len,
            "column": field.column,
            "name": field.name,
            "value": field.value,
        });
    }
    let (place, start) = if field.in_plain_header {
        ("header", 0)
    } else {
        ("frame", start)
    };
    json!({
        "in": place,
        "offset": start + field.offset,
        "len": field.len,
        "column": map.column_of(field),
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
    let text = format!("{offset:06x}  {hex:width$}  {name:<V1_NAME$}  {value}");
    let _ = writeln!(out, "{}", text.trim_end());
}
