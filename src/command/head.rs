//! `mbt head`: prints the first rows as a table.

use std::path::{Path, PathBuf};

use arrow_schema::Field;

use super::columns::chosen;
use super::open::source;
use super::options::{csv_options, ensure_types_for_text, max_frame, max_record, text_options};
use crate::cli::Head;
use crate::columns::cast::Target;
use crate::columns::print::ColumnPrinter;
use crate::columns::print::json::{JsonWriter, flat_schema, flatten_to_json};
use crate::error::Result;
use crate::filter::Predicate;
use crate::format::frame::Frame;
use crate::pipeline::{self, FrameSize};
use crate::report::table::{Align, Table, terminal_width};
use crate::report::{self, note};
use crate::schema::{Type, display_name, type_name};
use crate::text::json::JsonStyle;

/// Bytes of text per frame when filtering.
const FRAME_BYTES: u64 = 1 << 20;

/// Prints the first rows.
///
/// # Errors
/// If the input cannot be read or stdout cannot be written.
pub fn run(args: Head) -> Result<()> {
    let csv = csv_options(&args.input.dialect)?;
    let path = args.path.unwrap_or_else(|| PathBuf::from("-"));
    let open = |path: &Path| source(path, args.input.from, &csv, |bytes| bytes);
    let mut sources = vec![open(&path)?];
    ensure_types_for_text(&args.types, sources.iter().map(|source| &source.format))?;
    let filter = args.filter.condition.as_deref().map(Predicate::parse);
    let filter = filter.transpose()?;
    // With a condition, read small frames, so that rows it drops are not held until the input ends.
    let frame_size = match filter {
        Some(_) => FrameSize::TextBytes(FRAME_BYTES),
        None => FrameSize::Whole,
    };
    let most = max_frame(&args.input.limit)?;
    let chosen = chosen(
        &args.columns,
        &mut sources,
        std::slice::from_ref(&path),
        most,
        open,
    )?;
    let text = text_options(&args.types, chosen)?;
    let options = pipeline::Options {
        rows: 0..args.rows,
        filter,
        max_record: max_record(&args.records)?,
        ..pipeline::Options::all(text, frame_size, most)
    };
    // The types of text depend on all its rows, most of which are not read here, so they are not shown.
    let typed = sources.iter().all(|source| source.format.has_types());

    let mut frames: Vec<Frame> = Vec::new();
    let read = pipeline::frames(sources, &options, |frame| {
        frames.push(if args.json {
            frame.cast(Target::Json)?
        } else {
            frame
        });
        Ok(())
    });
    // Rows before damage are shown all the same.
    if frames.is_empty()
        && let Err(error) = read
    {
        return Err(error);
    }
    report::print(&if args.json {
        json(&frames)?
    } else {
        table(&frames, typed)?.into_bytes()
    })?;
    for pipeline::Note(text) in &read? {
        note(text);
    }
    Ok(())
}

fn json(frames: &[Frame]) -> Result<Vec<u8>> {
    let style = JsonStyle::array();
    let mut writer = JsonWriter::new(style.clone(), true);
    let mut out = Vec::new();
    style.begin(&mut out);
    for batch in frames.iter().flat_map(|frame| &frame.batches) {
        writer.batch(batch, &mut out, None)?;
    }
    style.end(&mut out);
    out.push(b'\n');
    Ok(out)
}

/// Prints one table for each sequence of frames with the same columns.
fn table(frames: &[Frame], typed: bool) -> Result<String> {
    let mut text = String::new();
    let fields = |frame: &Frame| flat_schema(&frame.schema).fields;
    for run in frames.chunk_by(|a, b| fields(a) == fields(b)) {
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
        let mut table = Table::new(names.zip(aligns));
        if typed {
            table = table.with_captions(fields.iter().map(|field| type_name(field)));
        }
        for batch in run.iter().flat_map(|frame| &frame.batches) {
            let batch = flatten_to_json(batch)?;
            let columns = ColumnPrinter::all(&batch)?;
            for row in 0..batch.num_rows() {
                table.row(columns.iter().map(|column| cell(column, row)));
            }
        }
        text.push_str(&table.render(terminal_width()));
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

fn cell(column: &ColumnPrinter<'_>, row: usize) -> String {
    if column.is_null(row) {
        return "null".to_owned();
    }
    let mut out = Vec::new();
    column.cells.print(row, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}
