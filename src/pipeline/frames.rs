//! Selects the frames to read, and the parts of them.

use std::fs::File;
use std::io::{Read, Seek as _};

use arrow_schema::{DataType, Field};

use super::PipelineOptions;
use crate::columns::cast::{Provenance, is_odd, provenance};
use crate::error::{Error, Kind, Result};
use crate::filter::{FrameStatistics, Predicate};
use crate::schema::display_name;
use crate::schema::keys::is_fixed;
use crate::stream::{FrameReader, Index, IndexColumn, Item, StoredFrame, Wanted};
use crate::wire::v2::{self, ColumnTree};

/// A number of frames, and of rows in the frames after them.
#[derive(Clone, Copy, Debug, Default)]
pub struct SkippedFrames {
    pub frames: u64,
    pub rows: u64,
}

/// Opens an input, for reading in parts if requested, and skips frames and rows at its start that are not selected, as
/// far as an index lists them. Also returns what was skipped. `file` is the same input if it is seekable.
///
/// # Errors
/// If the input cannot be read.
pub fn open_frames<R: Read>(
    bytes: R,
    file: Option<File>,
    unwanted: SkippedFrames,
    in_parts: bool,
    max_frame: u64,
) -> Result<(FrameReader<R>, SkippedFrames)> {
    let mut reader = FrameReader::new(bytes, max_frame).with_file(file)?;
    reader.locate_frames()?;
    if in_parts {
        reader = reader.in_parts();
    }
    let mut skipped = SkippedFrames::default();
    // Never skip the last frame: reading must start at some frame.
    while let Some(upcoming) = reader.upcoming().filter(|upcoming| !upcoming.is_last) {
        if skipped.frames >= unwanted.frames {
            let rows = skipped.rows.saturating_add(upcoming.entry().rows);
            // Stop as soon as enough rows are skipped: a frame without rows may have the header of the text.
            if rows > unwanted.rows || skipped.rows == unwanted.rows {
                break;
            }
            skipped.rows = rows;
        }
        skipped.frames += 1;
        reader.pass();
    }
    Ok((reader, skipped))
}

/// Checks the lengths and the number of frames of a file that will not be read completely; frames that announce no end
/// are not checked. Leaves `file` at its start.
///
/// # Errors
/// If the file cannot be read.
pub fn fault_of_lengths(file: &File, max_frame: u64) -> Result<Option<Error>> {
    let mut reader = FrameReader::of_file(file, max_frame)?;
    reader.locate_frames()?;
    let mut fault = None;
    // If the indexes list every frame of the file, all lengths match.
    if reader.upcoming().is_none() {
        let mut reader = reader.in_parts();
        loop {
            let promises_end = |frame: &StoredFrame| {
                let header = frame.v2();
                header.is_some_and(v2::Envelope::promises_end)
            };
            fault = match reader.next_item_of(&mut |_| Ok(Wanted::Header)) {
                Ok(Some(Item::Frame(frame))) if promises_end(&frame) => continue,
                Ok(Some(Item::End(end))) => match end.check() {
                    Ok(()) => continue,
                    Err(error) => Some(error),
                },
                Ok(Some(Item::Skippable(_))) => continue,
                Ok(Some(Item::Frame(_)) | None) => None,
                Err(error) if error.kind() == Kind::Io => return Err(error),
                // If it is not a stream at all, reading it reports the error.
                Err(error) => Some(error).filter(|_| reader.frames() > 0),
            };
            break;
        }
    }
    rewind(file)?;
    Ok(fault)
}

/// The number of rows according to the index of a file, if it has one. Leaves `file` at its start.
///
/// # Errors
/// If the file cannot be read.
pub fn rows_listed(file: &File, max_frame: u64) -> Result<Option<u64>> {
    let mut reader = FrameReader::of_file(file, max_frame)?;
    reader.locate_frames()?;
    let mut rows = None;
    while let Some(upcoming) = reader.upcoming() {
        rows = Some(rows.unwrap_or(0_u64).saturating_add(upcoming.entry().rows));
        reader.pass();
    }
    rewind(file)?;
    Ok(rows)
}

/// Seeks to the start.
///
/// # Errors
/// If seeking fails.
pub fn rewind(mut file: &File) -> Result<()> {
    let rewound = file.rewind();
    rewound.map_err(|error| Error::io("cannot read", error))
}

/// Skips the next frames, except for the last, while the index rules out a match. Returns how many were skipped.
pub fn skip_ruled_out<R: Read>(reader: &mut FrameReader<R>, filter: &Predicate) -> u64 {
    let mut stepped = 0;
    while let Some(upcoming) = reader.upcoming().filter(|upcoming| !upcoming.is_last) {
        if may_pass_by_index(filter, upcoming.index, upcoming.place) {
            break;
        }
        reader.pass();
        stepped += 1;
    }
    stepped
}

/// True unless the index rules out a match in a frame.
fn may_pass_by_index(filter: &Predicate, index: &Index, frame: usize) -> bool {
    // Columns without names are named by position, which may differ from frame to frame. If types differ, the header of
    // the frame has them.
    let is_unknown = |column: &IndexColumn| {
        column.name.is_empty() || column.ty.is_none() && filter.needs(&column.name)
    };
    if index.columns.iter().any(is_unknown) {
        return true;
    }
    let fields: Vec<Field> = index
        .columns
        .iter()
        .map(|column| match &column.ty {
            Some(ty) => ty.field(&column.name),
            None => Field::new(&column.name, DataType::Null, true),
        })
        .collect();
    let fields: Vec<&Field> = fields.iter().collect();
    filter.may_hold(&fields, |at| {
        let known = index.columns[at].known(frame)?;
        Some(FrameStatistics {
            rows: index.frames[frame].rows,
            nulls: known.nulls,
            extremes: known.extremes.as_ref(),
            // The index contains neither the format of the source nor the null word.
            may_be_cells: true,
            may_spell_nulls: !fields[at].data_type().is_string(),
        })
    })
}

/// True unless the header rules out a match in the envelope.
///
/// # Errors
/// If it is damaged.
pub fn may_pass(filter: Option<&Predicate>, envelope: &v2::Envelope) -> Result<bool> {
    let Some(filter) = filter else {
        return Ok(true);
    };
    let columns = envelope.columns()?;
    let fields: Vec<&Field> = columns.iter().map(|column| &column.field).collect();
    let facts: Vec<_> = columns.iter().map(ColumnTree::known).collect();
    let is_cells = provenance(&envelope.metadata) == Provenance::Csv;
    Ok(filter.may_hold(&fields, |at| {
        Some(FrameStatistics {
            rows: envelope.rows as u64,
            nulls: facts[at].nulls?,
            extremes: facts[at].extremes.as_ref(),
            may_be_cells: is_cells && !is_fixed(fields[at]),
            may_spell_nulls: is_odd(fields[at]),
        })
    }))
}

/// A predicate for the columns that the condition uses, by position and stored name.
fn conditions(options: &PipelineOptions) -> impl Fn(usize, &str) -> bool {
    move |at, name| {
        let filter = options.filter.as_ref();
        filter.is_some_and(|filter| filter.needs(&display_name(name, at)))
    }
}

/// Decodes the columns of the condition in a frame that its header rules out, which checks their statistics. A frame
/// that an index rules out is not read at all: `mbt verify --deep` checks indexes.
///
/// # Errors
/// If the frame is damaged or its statistics are wrong.
pub fn check_ruled_out(options: &PipelineOptions, frame: &StoredFrame) -> Result<()> {
    let Some(envelope) = frame
        .v2()
        .filter(|envelope| frame.bytes.len() >= envelope.len)
    else {
        return Ok(());
    };
    let decoder = v2::Decoder::new(options.max_frame);
    let columns = decoder.decode(&frame.bytes, envelope, conditions(options));
    columns.map(drop).map_err(|error| frame.locate(error))
}

/// The parts of an envelope to read.
///
/// # Errors
/// If the header is damaged.
pub fn wanted(
    options: &PipelineOptions,
    envelope: &v2::Envelope,
    may_pass: bool,
) -> Result<Wanted> {
    if !may_pass {
        // Read the columns of the condition to check the statistics.
        let sections = envelope.sections_of(conditions(options))?;
        return Ok(if sections.contains(&true) {
            Wanted::Sections(sections)
        } else {
            Wanted::Header
        });
    }
    if options.selected(&envelope.fields()?).is_none() {
        return Ok(Wanted::All);
    }
    let keep = |at, name: &str| {
        options.needs(&display_name(name, at)) || name.is_empty() && options.needs(name)
    };
    let sections = envelope.sections_of(keep)?;
    Ok(if sections.contains(&false) {
        Wanted::Sections(sections)
    } else {
        Wanted::All
    })
}
