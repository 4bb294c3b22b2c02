//! The frames of one input, from the first that is wanted on.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use arrow_schema::{DataType, Field};

use super::Options;
use crate::error::{Error, Result};
use crate::filter::{Facts, Predicate};
use crate::schema::{display_name, named_field};
use crate::stream::{
    Decompressor, Ending, Entry, Index, Select, StoredFrame, StoredReader, envelopes,
    locate_indexes,
};
use crate::wire::v2;

/// Cuts an input into frames; with an index it begins where the wanted
/// frames and rows begin.
pub struct Frames<R> {
    reader: StoredReader<R>,
    /// What the index says of the frames to come.
    known: std::iter::Peekable<std::vec::IntoIter<Known>>,
    decompressor: Decompressor,
    plain: Vec<u8>,
    max_frame: u64,
    /// What was stepped over.
    pub skipped: Extent,
}

/// What the index says of a frame.
#[derive(Clone, Copy)]
struct Known {
    offset: u64,
    entry: Entry,
    /// Some rows may pass the filter.
    may_pass: bool,
}

/// What is wanted of an input.
pub struct Wanted<'a> {
    /// Not the rows and frames at its beginning.
    pub unwanted: Extent,
    /// Rows that pass.
    pub filter: Option<&'a Predicate>,
    /// Frames may be stepped over and read in part.
    pub parts: bool,
}

/// A frame, and what the index says of it.
pub struct Indexed {
    /// The frame.
    pub stored: StoredFrame,
    /// What the index says, if there is one.
    pub entry: Option<Entry>,
}

/// Rows and frames at the beginning of an input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Frames, whatever they hold.
    pub frames: u64,
    /// Rows behind those frames.
    pub rows: u64,
}

impl<R: Read> Frames<R> {
    /// Reads from `bytes`; `file` is the same input where it can be sought in, and shares its place.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn open(bytes: R, file: Option<File>, wanted: &Wanted<'_>, max_frame: u64) -> Result<Self> {
        let mut frames = Self {
            reader: StoredReader::new(bytes, max_frame),
            known: Vec::new().into_iter().peekable(),
            decompressor: Decompressor::new(max_frame),
            plain: Vec::new(),
            max_frame,
            skipped: Extent::default(),
        };
        if let Some(mut file) = file {
            let cannot_read = |error| Error::io("cannot read", error);
            let offset = frames.seek(&mut file, wanted).map_err(cannot_read)?;
            frames.reader = frames.reader.starting_at(frames.skipped.frames, offset);
            if wanted.parts {
                frames.reader = frames.reader.seeking(file).map_err(cannot_read)?;
            }
        }
        Ok(frames)
    }

    /// Steps over frames that are not wanted, if there is an index to tell; gives the new offset.
    fn seek(&mut self, file: &mut File, wanted: &Wanted<'_>) -> std::io::Result<u64> {
        let unwanted = wanted.unwanted;
        let filter = wanted.filter.filter(|_| wanted.parts);
        let mut known = Vec::new();
        for (first, index) in locate_indexes(file)?.unwrap_or_default() {
            let mut offset = first;
            for (frame, &entry) in index.frames.iter().enumerate() {
                let may_pass = filter.is_none_or(|filter| may_pass_by_index(filter, &index, frame));
                known.push(Known {
                    offset,
                    entry,
                    may_pass,
                });
                offset += entry.stored_len;
            }
        }
        let mut place = 0;
        // The last frame is kept whatever it holds, so that the reader finds one.
        while place + 1 < known.len() {
            let entry = known[place].entry;
            if self.skipped.frames >= unwanted.frames {
                if self.skipped.rows + entry.rows > unwanted.rows {
                    break;
                }
                self.skipped.rows += entry.rows;
            }
            self.skipped.frames += 1;
            place += 1;
        }
        let offset = known.get(place).map_or(0, |known| known.offset);
        file.seek(SeekFrom::Start(offset))?;
        known.drain(..place);
        self.known = known.into_iter().peekable();
        Ok(offset)
    }

    /// Steps over the frames that come next as long as the index says that no row of them passes
    /// the filter, but for the last; gives their number. They count as frames, and their rows as
    /// rows.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn step_over(&mut self) -> Result<u64> {
        let mut stepped = 0;
        let mut target = None;
        while let Some(known) = self.known.next_if(|known| !known.may_pass) {
            let Some(next) = self.known.peek() else {
                // The last frame is kept, so that the reader finds one.
                self.known = vec![known].into_iter().peekable();
                break;
            };
            stepped += 1;
            target = Some(next.offset);
        }
        let Some(offset) = target else {
            return Ok(0);
        };
        let frame = self.reader.frames() + stepped;
        if self.reader.step_to(frame, offset)? {
            Ok(stepped)
        } else {
            // They are read all the same, and no longer known.
            Ok(0)
        }
    }

    /// The next frame, of one of wire 2 only what `select` wants.
    ///
    /// # Errors
    /// As [`StoredReader::next_frame`].
    pub fn next_frame(&mut self, select: &mut Select<'_>) -> Result<Option<Indexed>> {
        let stored = self.reader.next_selected(Vec::new(), select)?;
        Ok(stored.map(|stored| {
            let known = self.known.next_if(|known| known.offset == stored.offset);
            Indexed {
                stored,
                entry: known.map(|known| known.entry),
            }
        }))
    }

    /// How many rows a frame holds, by the index or by looking into it.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn rows_of(&mut self, frame: &Indexed) -> Result<u64> {
        if let Some(entry) = frame.entry {
            return Ok(entry.rows);
        }
        let plain = frame.stored.open(&mut self.decompressor, &mut self.plain)?;
        let located = |error| frame.stored.locate(error);
        let (found, _) = envelopes(plain, self.max_frame).map_err(located)?;
        Ok(found
            .iter()
            .map(|(_, envelope)| envelope.rows() as u64)
            .sum())
    }

    /// After an error or the end: see [`StoredReader::unread`].
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn unread(&mut self) -> Result<Range<u64>> {
        self.reader.unread()
    }

    /// See [`StoredReader::ending`].
    pub fn ending(&self) -> Option<&Ending> {
        self.reader.ending()
    }

    /// Bytes behind the last frame that are no frame; known once there is no next frame.
    pub fn trailing_bytes(&self) -> u64 {
        self.reader.trailing_bytes()
    }
}

/// True if the index does not rule out that rows of a frame pass.
fn may_pass_by_index(filter: &Predicate, index: &Index, frame: usize) -> bool {
    // Columns without name go by their place, which differs from frame to frame.
    if index.columns.iter().any(|column| column.name.is_empty()) {
        return true;
    }
    let columns = index.columns.iter();
    let fields: Vec<Field> = columns
        .map(|column| {
            let named = named_field(&column.name, &column.ty);
            named.unwrap_or_else(|| Field::new(&column.name, DataType::Null, true))
        })
        .collect();
    let fields: Vec<&Field> = fields.iter().collect();
    filter.may_hold(&fields, |at| {
        let known = index.columns[at].known(frame)?;
        Some(Facts {
            rows: index.frames[frame].rows,
            nulls: known.nulls,
            extremes: known.extremes.as_ref(),
        })
    })
}

/// True if the header does not rule out that rows of the envelope pass.
///
/// # Errors
/// If it is damaged.
pub fn may_pass(filter: Option<&Predicate>, envelope: &v2::Envelope) -> Result<bool> {
    let Some(filter) = filter else {
        return Ok(true);
    };
    let columns = envelope.columns()?;
    let fields: Vec<&Field> = columns.iter().map(|(column, _)| &column.field).collect();
    let facts: Vec<_> = columns.iter().map(|(column, _)| column.facts()).collect();
    Ok(filter.may_hold(&fields, |at| {
        Some(Facts {
            rows: envelope.rows as u64,
            nulls: facts[at].nulls?,
            extremes: facts[at].extremes.as_ref(),
        })
    }))
}

/// The sections of an envelope that are to be read; `None` is all.
///
/// # Errors
/// If the header is damaged.
pub fn sections(
    options: &Options,
    envelope: &v2::Envelope,
    may_pass: bool,
) -> Result<Option<Vec<bool>>> {
    if !may_pass {
        return Ok(Some(vec![false; envelope.sections.len()]));
    }
    if options.text.columns.is_none() {
        return Ok(None);
    }
    let keep = |at, name: &str| options.needs(&display_name(name, at));
    let sections = envelope.sections_of(keep)?;
    Ok(Some(sections).filter(|sections| sections.contains(&false)))
}
