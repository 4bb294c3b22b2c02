//! The frames of one input, from the first that is wanted on.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use crate::error::{Error, Result};
use crate::frame::{Decompressor, Entry, StoredFrame, StoredReader, envelopes, locate_frames};

/// Cuts an input into frames; with an index it begins where the wanted
/// frames and rows begin.
pub struct Frames<R> {
    reader: StoredReader<R>,
    /// What the index says of the frames to come.
    known: std::vec::IntoIter<(u64, Entry)>,
    decompressor: Decompressor,
    plain: Vec<u8>,
    max_frame: u64,
    /// What was stepped over.
    pub skipped: Extent,
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
    pub fn open(bytes: R, file: Option<File>, unwanted: Extent, max_frame: u64) -> Result<Self> {
        let mut frames = Self {
            reader: StoredReader::new(bytes, max_frame),
            known: Vec::new().into_iter(),
            decompressor: Decompressor::new(max_frame),
            plain: Vec::new(),
            max_frame,
            skipped: Extent::default(),
        };
        if let Some(mut file) = file {
            let offset = frames.seek(&mut file, unwanted);
            let offset = offset.map_err(|error| Error::io("cannot read", error))?;
            frames.reader = frames.reader.starting_at(frames.skipped.frames, offset);
        }
        Ok(frames)
    }

    /// Steps over frames that are not wanted, if there is an index to tell; gives the new offset.
    fn seek(&mut self, file: &mut File, unwanted: Extent) -> std::io::Result<u64> {
        let known = locate_frames(file)?.unwrap_or_default();
        let mut place = 0;
        // The last frame is kept whatever it holds, so that the reader finds one.
        while place + 1 < known.len() {
            let (_, entry) = known[place];
            if self.skipped.frames >= unwanted.frames {
                if self.skipped.rows + entry.rows > unwanted.rows {
                    break;
                }
                self.skipped.rows += entry.rows;
            }
            self.skipped.frames += 1;
            place += 1;
        }
        let offset = known.get(place).map_or(0, |(offset, _)| *offset);
        file.seek(SeekFrom::Start(offset))?;
        self.known = known.into_iter();
        self.known.by_ref().take(place).for_each(drop);
        Ok(offset)
    }

    /// The next frame.
    ///
    /// # Errors
    /// As [`StoredReader::next_frame`].
    pub fn next_frame(&mut self) -> Result<Option<Indexed>> {
        let stored = self.reader.next_frame(Vec::new())?;
        Ok(stored.map(|stored| {
            let entry = self
                .known
                .next()
                .filter(|(offset, _)| *offset == stored.offset);
            Indexed {
                stored,
                entry: entry.map(|(_, entry)| entry),
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

    /// Bytes behind the last frame that are no frame; known once there is no next frame.
    pub fn trailing_bytes(&self) -> u64 {
        self.reader.trailing_bytes()
    }
}
