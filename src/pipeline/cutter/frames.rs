//! Cuts streams of frames.

use std::path::Path;
use std::sync::Arc;

use super::Cutter;
use crate::error::{Error, Kind, Result};
use crate::format::ByteSource;
use crate::pipeline::frames;
use crate::pipeline::read_task::{Event, ReadTask, is_damage, overlap};
use crate::pipeline::salvage::StreamEnd;
use crate::stream::{FrameOpener, FrameReader, Item, StoredFrame};
use crate::wire::v2;

impl Cutter<'_> {
    /// True if frames may be skipped and read in part.
    pub(super) fn reads_parts(&self) -> bool {
        let options = self.options;
        !options.salvage && (options.filters() || options.text.columns.is_some())
    }

    /// The next frame with rows to keep, or notes about the end.
    pub(super) fn frame(
        &mut self,
        reader: &mut FrameReader<ByteSource>,
        path: &Arc<Path>,
    ) -> Result<Option<ReadTask>> {
        self.has_columns = true;
        // A frame of text rows is never continued with rows of frames.
        (self.frame_rows, self.frame_bytes) = (0, 0);
        let wanted_rows = self.wanted.clone();
        let wanted_frames = &self.options.frames;
        let lost = |error: Error| {
            if self.options.salvage && error.kind() == Kind::Incomplete {
                Ok(Some(Event::Fault(error.in_file(path)).into()))
            } else if self.options.salvage && is_damage(&error) {
                Ok(Some(Event::Lost(error.in_file(path)).into()))
            } else {
                Err(error)
            }
        };
        while (self.rows < wanted_rows.end && self.frames < wanted_frames.end)
            || !self.has_passed_rows && self.spare.is_none()
        {
            if let Some(filter) = &self.options.filter
                && wanted_frames.end == u64::MAX
                && self.reads_parts()
            {
                self.frames += frames::skip_ruled_out(reader, filter);
            }
            let mut may_pass = true;
            // A frame without rows to keep has the types of all its rows.
            let is_spare = !self.has_passed_rows && self.spare.is_none();
            let mut select = |envelope: &v2::Envelope| {
                // A text without rows may be all in its head and its ending.
                may_pass =
                    envelope.rows == 0 || frames::may_pass(self.options.filter.as_ref(), envelope)?;
                frames::wanted(self.options, envelope, may_pass || is_spare)
            };
            let frame = match reader.next_item_of(&mut select) {
                Ok(Some(Item::Frame(frame))) => frame,
                Ok(Some(Item::End(end))) => match end.check() {
                    Err(error) => return lost(error),
                    Ok(()) => continue,
                },
                Ok(Some(Item::Skippable(_))) => continue,
                Ok(None) => break,
                Err(error) => return lost(error),
            };
            self.frames += 1;
            if !may_pass && let Err(error) = frames::check_ruled_out(self.options, &frame) {
                return lost(error);
            }
            if self.frames <= wanted_frames.start || !may_pass {
                self.keep_spare(without_rows(frame, path));
                continue;
            }
            let mut rows = None;
            if wanted_rows != (0..u64::MAX) {
                let first = self.rows;
                let len = match rows_of(&frame, &mut self.opener) {
                    Ok(len) => len,
                    Err(error) => return lost(error),
                };
                self.rows += len;
                let wanted = overlap(&wanted_rows, first, len);
                if wanted.is_empty() && len > 0 {
                    self.keep_spare(without_rows(frame, path));
                    continue;
                }
                self.keeps_ending &= wanted.end == len;
                rows = (wanted != (0..len)).then_some(wanted);
            }
            if !self.has_passed_rows && self.frames > 1 && self.options.text_head.is_some() {
                // It becomes the start of the text, so it cannot be copied.
                rows.get_or_insert(0..u64::MAX);
            }
            self.spare = None;
            self.has_passed_rows = true;
            return Ok(Some(ReadTask::Frame {
                frame,
                rows,
                path: Arc::clone(path),
            }));
        }
        if self.options.salvage {
            let end = StreamEnd {
                trailing: reader.trailing_bytes() > 0,
                unread: reader.unread()?,
            };
            return Ok(Some(Event::End(end).into()));
        }
        Ok(None)
    }

    /// Keeps the first skipped frame or part without its rows, which provides the columns if there is no other.
    pub(super) fn keep_spare(&mut self, skipped: ReadTask) {
        if !self.has_passed_rows && self.spare.is_none() {
            self.spare = Some(skipped);
        }
    }
}

fn without_rows(frame: StoredFrame, path: &Arc<Path>) -> ReadTask {
    ReadTask::Frame {
        frame,
        rows: Some(0..0),
        path: Arc::clone(path),
    }
}

/// The number of rows in a frame, from the index or by opening it.
fn rows_of(frame: &StoredFrame, opener: &mut FrameOpener) -> Result<u64> {
    match frame.listed {
        Some(listed) => Ok(listed.entry.rows),
        None => Ok(opener.open(frame)?.contents.rows()),
    }
}
