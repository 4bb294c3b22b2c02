//! Checks a stream frame by frame on all cores.

use std::io::Read;
use std::ops::Range;

use super::check::{Checked, Checker, Coverage, Finding, Tier};
use crate::error::{Error, Kind, Result};
use crate::pipeline::{QueueLimits, in_order};
use crate::stream::{FrameReader, Index, Item, StoredFrame};
use crate::units::{counted, grouped};

/// The result for one stream.
#[derive(Debug, Default)]
pub struct StreamReport {
    /// Frames whose start and end could be found, including damaged ones.
    pub frames: u64,
    /// Frames without a problem.
    pub whole: u64,
    /// Their number of rows, if all could be counted.
    pub rows: Option<u64>,
    /// Number of frames by how much of them is under a checksum: nothing, the plain bytes, every stored byte.
    pub covered: [u64; 3],
    /// Problems, in the order of the stream.
    pub problems: Vec<Finding>,
    /// Anomalies that put no value in doubt.
    pub notes: Vec<Finding>,
    /// The bytes that could not be read as frames.
    pub lost: Option<Range<u64>>,
    /// Why it is not a stream of frames at all, or exceeds a limit. This is not damage.
    pub refused: Option<Error>,
    /// The first part that this version cannot check, although it may be intact.
    pub unsupported: Option<Error>,
    /// The frames since the last index, which the next index should list.
    since: Vec<Checked>,
}

impl StreamReport {
    /// Reads a whole stream; `threads` check its frames.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(
        bytes: impl Read + Send,
        tier: Tier,
        max_frame: u64,
        threads: usize,
    ) -> Result<Self> {
        let mut report = Self {
            rows: Some(0),
            ..Self::default()
        };
        let mut reader = FrameReader::new(bytes, max_frame);
        in_order(
            threads,
            QueueLimits::large(threads + 1),
            std::iter::from_fn(|| next_part(&mut reader).transpose()),
            || Checker::new(tier, max_frame),
            |checker, part| Ok(part.map(|frame| checker.check(&frame))),
            |found| {
                match found {
                    Ok(checked) => report.add(checked),
                    Err(event) => report.add_event(event),
                }
                Ok(())
            },
        )?;
        let unlisted = std::mem::take(&mut report.since);
        for frame in unlisted {
            report.cover(frame.coverage);
        }
        Ok(report)
    }

    /// True if there are no problems.
    pub fn is_whole(&self) -> bool {
        self.problems.is_empty()
    }

    fn cover(&mut self, coverage: Coverage) {
        self.covered[coverage as usize] += 1;
    }

    /// Adds the mismatches of the end of a segment.
    fn end(&mut self, faults: &[Error], index: &Index) {
        let mut since = std::mem::take(&mut self.since);
        let unlisted = since.len().saturating_sub(index.frames.len());
        for (at, frame) in since.iter().enumerate() {
            let is_listed = at >= unlisted;
            self.cover(if is_listed {
                Coverage::EveryByte
            } else {
                frame.coverage
            });
        }
        since.drain(..unlisted);
        for ((place, frame), entry) in since.iter().enumerate().zip(&index.frames) {
            let listed = entry.rows;
            let is_fault = |fault: &&Error| fault.place().frame == Some(frame.index);
            let fault = faults.iter().find(is_fault);
            let miscounted = || {
                let rows = frame.rows.filter(|&rows| rows != listed)?;
                let listed = counted(listed, "row");
                Some(format!("the end lists {listed}, found {rows}"))
            };
            // A damaged frame is reported once.
            if frame.problems.is_empty()
                && let Some(what) = fault
                    .map(Error::message)
                    .or_else(miscounted)
                    .or_else(|| index.misfit(place, frame.listed.as_ref()?))
            {
                let error = Error::corrupt(what);
                let found = Finding::of(&error, "index", Some(frame.index), frame.offset);
                self.problems.push(found);
                self.whole -= 1;
                let rows = frame.rows.unwrap_or(0);
                self.rows = self.rows.map(|all| all - rows);
            }
        }
        let of_stream = faults.iter().filter(|fault| fault.place().frame.is_none());
        self.problems
            .extend(of_stream.map(|fault| stream_finding(fault, "index")));
    }

    fn add(&mut self, mut checked: Checked) {
        self.frames += 1;
        if checked.problems.is_empty() {
            self.whole += 1;
            self.rows = self.rows.zip(checked.rows).map(|(all, rows)| all + rows);
        }
        self.problems.extend(checked.problems.iter().cloned());
        self.notes.append(&mut checked.notes);
        if let Some(error) = checked.refused.take() {
            self.refused = Some(error);
        }
        if let Some(error) = checked.unsupported.take() {
            self.unsupported.get_or_insert(error);
        }
        self.since.push(checked);
    }

    fn add_event(&mut self, event: StreamEvent) {
        match event {
            StreamEvent::End(faults, index) => self.end(&faults, &index),
            StreamEvent::Break(finding, lost) => {
                self.problems.push(finding);
                self.lost = Some(lost);
            }
            StreamEvent::Refused(error, lost) => {
                self.problems.push(Finding::of(&error, "frame", Some(0), 0));
                self.lost = Some(lost);
                self.refused = Some(error);
            }
        }
    }
}

/// The finding for an error about the whole stream; its byte is an offset in the stream.
fn stream_finding(error: &Error, kind: &'static str) -> Finding {
    let byte = error.place().byte.unwrap_or(0);
    let mut found = Finding::of(error, kind, None, byte);
    found.byte = None;
    found.what = format!("byte {}: {}", grouped(byte), found.what);
    found
}

/// A frame to check, or a part of the stream that needs no check.
type StreamPart = std::result::Result<StoredFrame, StreamEvent>;

/// A part of a stream that needs no check.
enum StreamEvent {
    /// The end of a segment: its mismatches, and its index.
    End(Vec<Error>, Box<Index>),
    /// The stream cannot be cut further; the range is the rest of it.
    Break(Finding, Range<u64>),
    /// The stream does not start with a frame, or with one that is too large.
    Refused(Error, Range<u64>),
}

/// The next part; `None` after a part that cannot be cut further.
fn next_part<R: Read>(reader: &mut FrameReader<R>) -> Result<Option<StreamPart>> {
    loop {
        let part = match reader.next_item() {
            Ok(Some(Item::Frame(frame))) => Ok(frame),
            Ok(Some(Item::End(end))) => {
                let index = end.index.unwrap_or_default();
                Err(StreamEvent::End(end.faults, Box::new(index)))
            }
            Ok(Some(Item::Skippable(_))) => continue,
            Ok(None) => return Ok(None),
            Err(error) if error.kind() == Kind::Io => return Err(error),
            Err(error) => Err(stopped(reader, error)?),
        };
        return Ok(Some(part));
    }
}

/// Why the stream cannot be cut further.
fn stopped<R: Read>(reader: &mut FrameReader<R>, error: Error) -> Result<StreamEvent> {
    let lost = reader.unread()?;
    let frames = reader.frames();
    let is_limit = frames == 0 && error.kind() == Kind::Limit;
    let is_newer = error.kind() == Kind::Unsupported;
    if is_limit || is_newer || reader.is_foreign() {
        return Ok(StreamEvent::Refused(error, lost));
    }
    let error = match (frames, lost.is_empty(), lost.end) {
        (0, true, 0) => Error::corrupt("the input is empty"),
        (0, true, _) => Error::corrupt("there is no frame in the input"),
        _ => error,
    };
    let broken = |error: &Error, kind| {
        let frame = (!lost.is_empty()).then_some(frames);
        Finding::of(error, kind, frame, lost.start)
    };
    let finding = if reader.trailing_bytes() > 0 {
        let error = Error::corrupt("the following bytes are not a frame");
        broken(&error, "trailing_bytes")
    } else if error.kind() == Kind::Incomplete {
        stream_finding(&error, "end")
    } else {
        broken(&error, "frame")
    };
    Ok(StreamEvent::Break(finding, lost))
}
