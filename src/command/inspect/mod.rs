//! `mbt inspect`: shows the contents of frames.

mod columns;
mod explain;
mod extremes;
mod frames;
mod layout;
mod picture;
mod source;
pub mod summary;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::json;

use self::summary::Summary;
use super::open::{ensure_stdin_once, keep_failure, open_frames_or, read_each};
use super::options::max_frame;
use crate::cli::Inspect;
use crate::error::{Error, Kind, Result};
use crate::format::Format;
use crate::pipeline::Source;
use crate::report;
use crate::report::table::Align::{Left, Right};
use crate::report::table::{Table, terminal_width};
use crate::stream::{FrameReader, Item, Wanted};
use crate::units::grouped;
use crate::wire::v1::Anomaly;

/// Shown for the patches of records instead of a column name.
const PATCHES: &str = "(patches)";
/// The most anomalies shown.
const ANOMALIES: usize = 10;
/// How many characters of the minimum and maximum to show.
const SHOWN: usize = 28;

/// Reports on each input.
///
/// # Errors
/// If an input cannot be read or is not a stream of frames; all others are reported first.
pub fn run(args: &Inspect) -> Result<()> {
    let max_frame = max_frame(&args.limit)?;
    ensure_stdin_once(&args.inputs)?;
    if args.frames {
        return frames::run(args, max_frame);
    }
    if args.explain {
        return explain::run(args, max_frame);
    }
    if args.layout {
        return layout::run(args, max_frame);
    }
    if args.svg {
        return picture::run(args, max_frame);
    }
    each_input(
        args,
        Format::has_pages,
        |input| Summary::of(input, max_frame),
        |summaries| print(args, summaries),
        |summary| summary.fault.take(),
    )
}

/// Passes the items of a stream to `each`; of frames of version 2, reads only the headers. Returns the number of bytes
/// after the last frame, and why the stream is incomplete if its frames are valid.
///
/// # Errors
/// If the stream cannot be read or is damaged, and the errors of `each`.
pub(super) fn each_item(
    input: Source,
    max_frame: u64,
    mut each: impl FnMut(&mut Item) -> Result<()>,
) -> Result<(u64, Option<Error>)> {
    let mut reader = FrameReader::new(input.bytes, max_frame)
        .comparing_headers()
        .with_file(input.file)?
        .in_parts();
    let mut fault = None;
    loop {
        match reader.next_item_of(&mut |_| Ok(Wanted::Header)) {
            Ok(Some(mut item)) => {
                each(&mut item)?;
                if let Item::End(end) = item {
                    fault = fault.or(end.check().err());
                }
            }
            Ok(None) => break,
            Err(error) if error.kind() == Kind::Incomplete => {
                fault = fault.or(Some(error));
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok((reader.trailing_bytes(), fault))
}

/// The only input of an option that takes one, opened, and its path. It consists of frames or is of another format that
/// is accepted.
///
/// # Errors
/// If there are several, or it cannot be opened.
fn only_input(
    args: &Inspect,
    option: &str,
    accepts: fn(Format) -> bool,
) -> Result<(Source, PathBuf)> {
    let [path] = &args.inputs[..] else {
        return Err(Error::usage(format!("{option} takes one file at a time")));
    };
    let input = open_frames_or(path, accepts)?;
    let path = input.path.clone();
    Ok((input, path))
}

/// Reads each input, of frames or of another format that is accepted, and reports on the ones that can be read, then prints
/// the faults of incomplete streams.
///
/// # Errors
/// As for [`read_each`].
fn each_input<T>(
    args: &Inspect,
    accepts: fn(Format) -> bool,
    read: impl Fn(Source) -> Result<T>,
    print: impl FnOnce(&[&T]) -> Result<()>,
    fault: impl Fn(&mut T) -> Option<Error>,
) -> Result<()> {
    let (mut found, mut failed) = read_each(&args.inputs, |path| {
        let input = open_frames_or(path, accepts)?;
        let path = input.path.clone();
        match read(input) {
            Ok(found) => Ok((path, found)),
            Err(error) => Err(error.in_file(&path)),
        }
    });
    if !found.is_empty() {
        print(&found.iter().map(|(_, found)| found).collect::<Vec<_>>())?;
    }
    for (path, found) in &mut found {
        if let Some(error) = fault(found) {
            keep_failure(&mut failed, error.in_file(path));
        }
    }
    failed.map_or(Ok(()), Err)
}

fn print(args: &Inspect, summaries: &[&Summary]) -> Result<()> {
    if args.json {
        return report::print_json(&BTreeMap::from([("files", summaries)]));
    }
    if summaries.len() > 1 && !args.nested && args.sort.is_none() && args.top.is_none() {
        return report::print_text(&overview(summaries));
    }
    let texts: Vec<_> = summaries
        .iter()
        .map(|summary| columns::text(summary, args, terminal_width()))
        .collect();
    report::print_text(&texts.join("\n"))
}

/// A line per file.
fn overview(summaries: &[&Summary]) -> String {
    let ratio = |summary: &Summary| {
        let text = summary.source.text_bytes()?;
        Some(format!(
            "{:.2}",
            text as f64 / summary.total().max(1) as f64
        ))
    };
    let complete = |summary: &Summary| match summary.is_complete() {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    };
    let table = Table::of(
        summaries.iter().copied(),
        &[
            ("file", Left, &|it| it.file.clone()),
            ("format", Left, &Summary::kind),
            ("frames", Right, &|it| grouped(it.frames)),
            ("rows", Right, &|it| grouped(it.rows)),
            ("columns", Right, &|it| grouped(it.tops().count() as u64)),
            ("bytes", Right, &|it| grouped(it.total())),
            ("text", Right, &|it| {
                it.source.text_bytes().map(grouped).unwrap_or_default()
            }),
            ("ratio", Right, &|it| ratio(it).unwrap_or_default()),
            ("complete", Left, &|it| complete(it).to_owned()),
        ],
    );
    table.with_names().render(terminal_width())
}

/// A line for streams that do not show whether they are complete.
fn completeness(summary: &Summary) -> String {
    if summary.lacks_end && summary.fault.is_none() {
        "\nno end marker: frames may be missing at the end\n".to_owned()
    } else {
        String::new()
    }
}

/// The versions of a stream's frames, in words.
fn wires(wires: &BTreeSet<u16>) -> String {
    let wires: Vec<_> = wires.iter().map(u16::to_string).collect();
    format!("wire {}", wires.join(" and "))
}

/// Anomalies that the format permits, in words.
fn anomalies(summary: &Summary) -> String {
    let frame = |index: u64| {
        if summary.frames > 1 {
            format!("frame {index}: ")
        } else {
            String::new()
        }
    };
    let mut lines: Vec<_> = summary
        .anomalies
        .iter()
        .take(ANOMALIES)
        .map(|(index, anomaly)| format!("{}{anomaly}", frame(*index)))
        .collect();
    if summary.anomalies.len() > ANOMALIES {
        lines.push(format!(
            "and {} more; --json lists all",
            summary.anomalies.len() - ANOMALIES
        ));
    }
    if lines.is_empty() {
        return String::new();
    }
    format!("\nunusual, but allowed:\n  {}\n", lines.join("\n  "))
}

fn anomaly_document((frame, anomaly): &(u64, Anomaly)) -> serde_json::Value {
    json!({
        "frame": frame,
        "kind": anomaly.what.name(),
        "column": anomaly.column,
        "byte": anomaly.byte,
        "count": anomaly.count,
    })
}
