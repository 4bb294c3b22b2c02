//! Checks whether a segment is complete by comparing its frames with its end.
//!
//! A segment is a run of frames followed by an index. The index lists the length, the rows and the checksum of each
//! frame, so missing, repeated, reordered and foreign frames do not match it.

use std::fmt::Display;

use super::{Skippable, StoredFrame};
use crate::error::{Error, Kind, Result};
use crate::stream::index::{Entry, FrameColumn, FramePlace, Index};
use crate::units::counted;
use crate::wire::{Envelope, v2};

/// The end of a segment.
#[derive(Debug)]
pub struct SegmentEnd {
    /// The skippable frame that contains it.
    pub frame: Skippable,
    /// The index; `None` if it is damaged or needs a newer version.
    pub index: Option<Index>,
    /// Mismatches; each names its frame or its byte of the stream.
    pub faults: Vec<Error>,
}

impl SegmentEnd {
    /// Returns an error if the end does not match the frames before it.
    ///
    /// # Errors
    /// [`Kind::Incomplete`]
    pub fn check(mut self) -> Result<()> {
        if self.faults.is_empty() {
            return Ok(());
        }
        Err(self.faults.swap_remove(0))
    }
}

/// The frames since the last end.
#[derive(Debug, Default)]
pub(in crate::stream) struct Segment {
    frames: Vec<SeenFrame>,
    /// Number of the first of them in the stream.
    first: u64,
    /// Also compare headers with the index.
    pub(super) keeps_headers: bool,
}

/// What is known about a frame that was read or skipped.
#[derive(Debug, Default)]
struct SeenFrame {
    stored_len: u64,
    rows: Option<u64>,
    crc32: u32,
    /// The checksum listed by older versions of the index; `None` if it is unknown because the frame was read in part.
    crc32_of_bytes: Option<u32>,
    /// The frame announces that an end follows.
    needs_end: bool,
    /// The frame was skipped because an index lists it.
    is_passed: bool,
    /// What the index should list about its columns, if that is to be compared.
    columns: Option<(Option<FramePlace>, Vec<FrameColumn>)>,
}

impl Segment {
    /// Adds a frame that was read.
    pub(super) fn push(&mut self, frame: &StoredFrame) {
        let bytes = (!frame.is_partial).then_some(&frame.bytes[..]);
        self.push_seen(
            frame.index,
            frame.v2(),
            bytes,
            SeenFrame {
                stored_len: frame.stored_len(),
                rows: frame.rows(),
                crc32: frame.crc32,
                ..SeenFrame::default()
            },
        );
    }

    /// Adds an envelope that is in a frame with others; `place` is its number there.
    pub(in crate::stream) fn push_envelope(
        &mut self,
        place: u64,
        envelope: &Envelope,
        bytes: &[u8],
    ) {
        let (crc32, header) = match envelope {
            Envelope::V1(_) => (crc32fast::hash(bytes), None),
            Envelope::V2(envelope) => (envelope.crc32, Some(&**envelope)),
        };
        let seen = SeenFrame {
            stored_len: bytes.len() as u64,
            rows: Some(envelope.rows() as u64),
            crc32,
            ..SeenFrame::default()
        };
        self.push_seen(place, header, Some(bytes), seen);
    }

    fn push_seen(
        &mut self,
        place: u64,
        header: Option<&v2::Envelope>,
        bytes: Option<&[u8]>,
        mut seen: SeenFrame,
    ) {
        if self.frames.is_empty() {
            self.first = place;
        }
        seen.crc32_of_bytes = Some(seen.crc32);
        if let Some(envelope) = header {
            seen.needs_end = envelope.promises_end();
            if self.keeps_headers {
                seen.columns = FramePlace::of(envelope).ok();
            }
            if !seen.needs_end {
                // An index of an older version can follow only such frames.
                seen.crc32_of_bytes = bytes.map(crc32fast::hash);
            }
        }
        self.frames.push(seen);
    }

    /// Adds a frame that was skipped because an index lists it; `index` is its number.
    pub(super) fn pass(&mut self, index: u64, entry: Entry) {
        if self.frames.is_empty() {
            self.first = index;
        }
        self.frames.push(SeenFrame {
            stored_len: entry.stored_len,
            crc32: entry.crc32,
            is_passed: true,
            ..SeenFrame::default()
        });
    }

    /// Starts a new segment after the end of the current one was skipped.
    pub(in crate::stream) fn clear(&mut self) {
        self.frames.clear();
    }

    /// Compares the frames with their index, whose skippable frame starts at byte `offset`, and starts a new segment.
    /// Returns the mismatches.
    pub(in crate::stream) fn end(&mut self, index: &Index, offset: u64) -> Vec<Error> {
        let frames = std::mem::take(&mut self.frames);
        let listed = index.frames.len();
        // Frames that announce no end may precede those of the index.
        let before = frames.len().checked_sub(listed);
        let is_listed = |before: &usize| !frames[..*before].iter().any(|seen| seen.needs_end);
        let Some(before) = before.filter(is_listed) else {
            let listed = counted(listed as u64, "frame");
            let found = counted(frames.len() as u64, "frame");
            let what = format!("the end lists {listed}, found {found} before it");
            return vec![incomplete(what).at_byte(offset)];
        };
        let first = self.first + before as u64;
        frames[before..]
            .iter()
            .zip(&index.frames)
            .enumerate()
            .filter_map(|(at, (seen, entry))| {
                let place = first + at as u64;
                if !seen.fits(entry, index.is_of_bytes) {
                    return Some(misfit(place));
                }
                let what = index.misfit(at, seen.columns.as_ref()?)?;
                Some(incomplete(what).in_frame(place))
            })
            .collect()
    }

    /// An error if the stream must not stop here, at byte `offset` after `frames` frames.
    pub(in crate::stream) fn stop(&self, frames: u64, offset: u64) -> Result<()> {
        if !self.frames.iter().any(|seen| seen.needs_end) {
            return Ok(());
        }
        let last = frames.saturating_sub(1);
        let what =
            format!("the stream stops after frame {last} without its end, so rows may be missing");
        Err(incomplete(what).at_byte(offset))
    }
}

impl SeenFrame {
    fn fits(&self, entry: &Entry, is_of_bytes: bool) -> bool {
        let crc32 = if is_of_bytes {
            self.crc32_of_bytes
        } else {
            Some(self.crc32)
        };
        self.is_passed
            || self.stored_len == entry.stored_len
                && crc32.is_none_or(|crc32| crc32 == entry.crc32)
                && self.rows.is_none_or(|rows| rows == entry.rows)
    }
}

/// The error for a frame other than the one that its index lists.
pub(in crate::stream) fn misfit(frame: u64) -> Error {
    incomplete("this is not the frame that the end of the stream lists here").in_frame(frame)
}

pub(super) fn incomplete(what: impl Display) -> Error {
    Error::new(Kind::Incomplete, what)
}
