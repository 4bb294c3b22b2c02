//! `mbt head` and `mbt tail`: print the first or the last rows as a table.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, FieldRef, Schema};

use super::open::{ensure_stdin_once, keep_failure};
use super::reading::{self, ReportTypes};
use super::rows::Rows;
use crate::cli::{Head, Show, Tail};
use crate::columns::cast::{Target, with_words_spelled};
use crate::columns::print::ColumnPrinter;
use crate::columns::print::json::{JsonWriter, flat_schema, flatten_to_json};
use crate::columns::{cannot_hold, record_batch};
use crate::error::Result;
use crate::format::frame::Frame;
use crate::pipeline::{self, FrameSize};
use crate::report::table::{Align, Table, terminal_width};
use crate::report::{self, note};
use crate::schema::distinct::{Unheld, renamed_fields};
use crate::schema::keys::is_hidden;
use crate::schema::{Type, display_name, shown_names, type_name};
use crate::text::json::JsonStyle;
use crate::units::shortened;

/// Number of bytes of text per frame when filtering.
const FRAME_BYTES: u64 = 1 << 20;

/// Values in lists are aligned to names of at most this many characters.
const LIST_NAME: usize = 64;

/// The longest value that is shown whole in a table and in a list, in characters.
const TABLE_VALUE: usize = 200;
const LIST_VALUE: usize = 2000;

/// Default number of rows to show.
const ROWS: u64 = 10;

/// Prints the first rows of each input.
///
/// # Errors
/// If an input cannot be read or stdout cannot be written.
pub fn run(args: &Head) -> Result<()> {
    let (rows, limit) = rows(args)?;
    show(&args.show, &rows, limit)
}

/// Prints the last rows of each input.
///
/// # Errors
/// As for [`run`].
pub fn tail(args: &Tail) -> Result<()> {
    let rows = Rows::last(args.show.limit.unwrap_or(ROWS));
    show(&args.show, &rows, u64::MAX)
}

/// Prints at most `limit` rows of each input.
fn show(args: &Show, rows: &Rows, limit: u64) -> Result<()> {
    let inputs = &args.inputs[..];
    ensure_stdin_once(inputs)?;
    let mut all: Vec<Frame> = Vec::new();
    let mut failed = None;
    let mut gap = "";
    for path in inputs {
        let mut frames: Vec<Frame> = Vec::new();
        let read = read(args, path, rows, &mut frames);
        let first = rows.first_number(rows_in(&frames));
        truncate(&mut frames, limit);
        // Show the rows before damage.
        let has_rows = read.is_ok() || !frames.is_empty();
        if args.json {
            all.extend(frames);
        } else if has_rows {
            if inputs.len() > 1 {
                report::print_text(&format!("{gap}==> {} <==\n", path.display()))?;
                gap = "\n";
            }
            if args.expanded {
                report::print_text(&lists(&frames, first)?)?;
            } else {
                report::print(table(&frames)?.as_bytes())?;
            }
        }
        match read {
            Ok(notes) => notes.iter().for_each(|text| note(text)),
            Err(error) => keep_failure(&mut failed, error),
        }
    }
    if args.json && (failed.is_none() || !all.is_empty()) {
        report::print(&json(&all)?)?;
    }
    failed.map_or(Ok(()), Err)
}

/// The rows to show, and how many of them at most. `--rows N` is still accepted for `-n N`.
fn rows(args: &Head) -> Result<(Rows, u64)> {
    let text = args.rows.as_deref();
    if text.is_some_and(|text| text.starts_with('-')) {
        return Ok((
            Rows::parse(text, None)?.sampled(&args.sampling),
            args.show.limit.unwrap_or(u64::MAX),
        ));
    }
    let first = text.filter(|text| text.parse::<u64>().is_ok());
    let first = first.map(|first| format!("..{first}"));
    let text = first.as_deref().or(text);
    if args.sampling.sample.is_some() {
        return Ok((Rows::parse(text, None)?.sampled(&args.sampling), u64::MAX));
    }
    let is_open = text.is_none_or(|text| text.ends_with(".."));
    let limit = args.show.limit.or(is_open.then_some(ROWS));
    Ok((Rows::parse(text, limit)?, u64::MAX))
}

fn rows_in(frames: &[Frame]) -> u64 {
    frames.iter().map(|frame| frame.rows() as u64).sum()
}

/// Keeps the first rows.
fn truncate(frames: &mut [Frame], mut limit: u64) {
    for batch in frames.iter_mut().flat_map(|frame| &mut frame.batches) {
        let rows = limit.min(batch.num_rows() as u64);
        *batch = batch.slice(0, rows as usize);
        limit -= rows;
    }
}

fn read(args: &Show, path: &Path, rows: &Rows, frames: &mut Vec<Frame>) -> Result<Vec<String>> {
    let (source, mut options) = reading::open(path, &args.reading, ReportTypes::OfFrames, 1)?;
    // With a condition or rows counted from the end, read small frames, so that dropped rows are freed early.
    options.frame_size = if options.filter.is_some() || rows.is_from_end() {
        FrameSize::TextBytes(FRAME_BYTES)
    } else {
        FrameSize::Whole
    };
    let sources = vec![source];
    rows.ask(&mut options, &sources)?;
    pipeline::frames(sources, &options, |frame| {
        frames.push(if args.json {
            frame.cast(Target::Json)?
        } else {
            spelled(frame)?
        });
        Ok(())
    })
}

/// Replaces nulls that were words in the original text by these words.
fn spelled(frame: Frame) -> Result<Frame> {
    let batches = frame.batches.into_iter().map(with_words_spelled);
    Ok(Frame {
        schema: with_words_spelled(RecordBatch::new_empty(frame.schema))?.schema(),
        batches: batches.collect::<Result<_>>()?,
    })
}

fn json(frames: &[Frame]) -> Result<Vec<u8>> {
    let style = JsonStyle::array();
    let mut writer = JsonWriter::new(style.clone(), true);
    let mut out = Vec::new();
    style.begin(&mut out);
    for batch in frames.iter().flat_map(|frame| &frame.batches) {
        // Keys of an object need distinct names, as in a conversion.
        let (fields, _) = renamed_fields(batch.schema_ref().fields(), Unheld::RepeatedAndEmpty);
        let schema = Schema::new_with_metadata(fields, batch.schema_ref().metadata().clone());
        let (columns, rows) = (batch.columns().to_vec(), batch.num_rows());
        let batch = record_batch(Arc::new(schema), columns, rows).map_err(cannot_hold)?;
        writer.batch(&batch, &mut out, None)?;
    }
    style.end(&mut out);
    out.push(b'\n');
    Ok(out)
}

/// Prints one table for each sequence of frames with the same columns.
fn table(frames: &[Frame]) -> Result<String> {
    let mut text = String::new();
    let columns = |frame: &Frame| -> Vec<_> {
        let fields = flat_schema(&frame.schema).fields;
        let column = |field: &FieldRef| (field.name().clone(), type_name(field));
        fields.iter().map(column).collect()
    };
    for run in frames.chunk_by(|a, b| columns(a) == columns(b)) {
        if !text.is_empty() {
            text.push('\n');
        }
        let schema = flat_schema(&run[0].schema);
        let fields = schema.fields();
        let names = fields
            .iter()
            .enumerate()
            .map(|(at, field)| display_name(field.name(), at));
        let aligns = fields.iter().map(|field| align(field));
        // Show the types of these rows; nested types stay as they are.
        let shown = run[0]
            .schema
            .fields()
            .iter()
            .filter(|field| !is_hidden(field));
        let mut table = Table::new(names.zip(aligns));
        // Without rows, text has no types.
        let is_untyped = |field: &Field| *field.data_type() == DataType::Null;
        let has_rows = run.iter().any(|frame| frame.rows() > 0);
        if has_rows || !shown.clone().all(|field| is_untyped(field)) {
            let caption = |field: &FieldRef| shortened(&type_name(field), TABLE_VALUE);
            table = table.with_captions(shown.map(caption));
        }
        for batch in run.iter().flat_map(|frame| &frame.batches) {
            let batch = flatten_to_json(batch)?;
            let columns = ColumnPrinter::all(&batch)?;
            for row in 0..batch.num_rows() {
                table.row(columns.iter().map(|column| cell(column, row, TABLE_VALUE)));
            }
        }
        text.push_str(&table.render(terminal_width()));
    }
    Ok(text)
}

/// Prints each row as a list, with its number.
fn lists(frames: &[Frame], first: i128) -> Result<String> {
    let mut text = String::new();
    let mut number = first;
    for batch in frames.iter().flat_map(|frame| &frame.batches) {
        let batch = flatten_to_json(batch)?;
        let columns = ColumnPrinter::all(&batch)?;
        let names: Vec<String> = shown_names(batch.schema_ref().fields()).collect();
        let width = names
            .iter()
            .map(|name| name.chars().count())
            .max()
            .unwrap_or(0)
            .min(LIST_NAME);
        for row in 0..batch.num_rows() {
            let _ = writeln!(text, "-[ row {number} ]-");
            number += 1;
            for (name, column) in names.iter().zip(&columns) {
                let cell = cell(column, row, LIST_VALUE);
                // A line end in a value must not look like another column.
                let cell = report::visible(&cell);
                let _ = writeln!(text, "{name:width$} | {cell}");
            }
        }
    }
    Ok(text)
}

fn align(field: &Field) -> Align {
    match Type::of(field) {
        Some(Type::I16 | Type::I32 | Type::I64 | Type::F32 | Type::F64) => Align::Right,
        None if field.data_type().is_numeric() => Align::Right,
        _ => Align::Left,
    }
}

/// A value, cut to at most `most` characters.
fn cell(column: &ColumnPrinter<'_>, row: usize, most: usize) -> String {
    if column.is_null(row) {
        return "null".to_owned();
    }
    let mut out = Vec::new();
    column.cells.print(row, &mut out);
    shortened(&String::from_utf8_lossy(&out), most)
}
