//! Reading damaged streams of frames as far as they go, and telling what was lost.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use super::Note;
use crate::error::{Error, Kind, Place};
use crate::units::{counted, grouped};

/// The end of a stream that is salvaged.
pub struct StreamEnd {
    /// The bytes that are in no frame, to the end of the stream.
    pub unread: Range<u64>,
    /// They follow a whole frame and are none themselves.
    pub trailing: bool,
}

/// Counts what is kept and lost, stream by stream.
#[derive(Default)]
pub struct Salvage {
    frames: u64,
    rows: u64,
    lost: Vec<Error>,
    kept_any: bool,
    /// The first loss of all, which is the error if nothing is kept.
    first: Option<Error>,
    /// What is wrong with the stream besides its frames, and the first of that of all streams.
    faults: Vec<Error>,
    incomplete: Option<Error>,
}

impl Salvage {
    /// Counts a frame that was kept.
    pub fn keep(&mut self, rows: usize) {
        self.frames += 1;
        self.rows += rows as u64;
        self.kept_any = true;
    }

    /// Counts a frame that was lost, by the reason; it names the stream and the frame.
    pub fn lose(&mut self, reason: Error) {
        self.lost.push(reason);
    }

    /// Takes what is wrong with the stream, besides its frames.
    pub fn fault(&mut self, fault: Error) {
        // A frame that was lost was not the one that the end lists.
        let is_lost = |lost: &Error| lost.place().frame == fault.place().frame;
        if fault.place().frame.is_none() || !self.lost.iter().any(is_lost) {
            self.faults.push(fault);
        }
    }

    /// Tells what was lost of a stream, now that it is through; `end` is none if it was not read
    /// to its end.
    pub fn conclude(&mut self, end: Option<&StreamEnd>) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut lost = std::mem::take(&mut self.lost);
        let unread = end.map_or(0..0, |end| end.unread.clone());
        if let Some((last, others)) = lost.split_last() {
            for other in others {
                notes.push(Note(format!("{} and was skipped", damage(other))));
            }
            let broken = !unread.is_empty() && end.is_some_and(|end| !end.trailing);
            let mut text = damage(last);
            text.push_str(if broken { "; " } else { " and was skipped; " });
            text.push_str(&self.kept(last, others.is_empty()));
            if broken {
                let _ = write!(
                    text,
                    ", {} from byte {} on were not read",
                    counted(unread.end - unread.start, "byte"),
                    grouped(unread.start)
                );
            }
            notes.push(Note(text));
        }
        for fault in std::mem::take(&mut self.faults) {
            notes.push(Note(fault.to_string()));
            self.incomplete.get_or_insert(fault);
        }
        if self.first.is_none() && !lost.is_empty() {
            self.first = Some(lost.swap_remove(0));
        }
        (self.frames, self.rows) = (0, 0);
        notes
    }

    /// The first loss, if no frame was kept.
    pub fn failure(&mut self) -> Option<Error> {
        if self.kept_any {
            return None;
        }
        self.first.take()
    }

    /// The error to end with if something was kept, but not all: it names the file.
    pub fn loss(&mut self) -> Option<Error> {
        let first = self.first.take().or(self.incomplete.take())?;
        let what = "not all of it could be kept";
        let error = Error::new(Kind::Incomplete, what).hint("mbt verify lists every problem");
        Some(match &first.place().file {
            Some(file) => error.in_file(file),
            None => error,
        })
    }

    /// What was kept, given the loss told last, and whether it is the only one.
    fn kept(&self, last: &Error, only: bool) -> String {
        let rows = counted(self.rows, "row");
        match (self.frames, last.place().frame) {
            (0, _) => "no frame was kept".to_owned(),
            (1, Some(1)) if only => format!("frame 0 with {rows} was kept"),
            (frames, Some(frame)) if only && frames == frame => {
                format!("frames 0 to {} with {rows} were kept", frame - 1)
            }
            (1, _) => format!("1 frame with {rows} was kept"),
            (frames, _) => format!("{} with {rows} were kept", counted(frames, "frame")),
        }
    }
}

/// `a.mbt: frame 3 is damaged (the reason)`.
fn damage(reason: &Error) -> String {
    let place = reason.place();
    let file = place.file.as_deref().unwrap_or(Path::new("<stdin>"));
    let frame = place.frame.unwrap_or(0);
    let within = Place {
        file: None,
        frame: None,
        ..place.clone()
    };
    let reason = reason.message();
    format!(
        "{}: frame {frame} is damaged ({within}{reason})",
        file.display()
    )
}
