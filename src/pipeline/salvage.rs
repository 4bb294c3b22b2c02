//! Salvages damaged streams of frames and reports the losses.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use arrow_array::RecordBatch;

use crate::error::{Error, Kind, Place};
use crate::schema::keys::{has_packed_patches, is_hidden, is_patch};
use crate::units::{counted, grouped};
use crate::wire::v2::LostColumn;

/// The end of a salvaged stream.
pub struct StreamEnd {
    /// The bytes after the last frame, to the end of the stream.
    pub unread: Range<u64>,
    /// True if they follow a complete frame and are not a frame.
    pub trailing: bool,
}

/// Columns of a frame that are lost while others are intact.
pub struct Loss {
    /// The error in the first of them.
    reason: Error,
    /// The effects on the rows.
    effects: Vec<String>,
    /// The rows of the frame that are affected.
    pub rows: Range<u64>,
}

impl Loss {
    /// The loss of these columns, which are null in `batch`; `None` if no column was lost.
    pub fn of_columns(lost: Vec<LostColumn>, batch: &RecordBatch) -> Option<Self> {
        let lost = lost.into_iter();
        let (patches, lost): (Vec<_>, Vec<_>) = lost.partition(|lost| is_patch(&lost.field));
        let (hidden, shown): (Vec<_>, Vec<_>) =
            lost.into_iter().partition(|lost| is_hidden(&lost.field));
        let mut effects = Vec::new();
        let names = |lost: &[LostColumn]| {
            let names: Vec<_> = lost.iter().map(|lost| format!("{:?}", lost.name)).collect();
            let plural = if names.len() == 1 { "" } else { "s" };
            (!names.is_empty()).then(|| format!("column{plural} {}", names.join(", ")))
        };
        if let Some(names) = names(&shown) {
            let verb = if shown.len() == 1 { "is" } else { "are" };
            effects.push(format!("{names} {verb} null"));
        }
        if let Some(names) = names(&hidden) {
            effects.push(format!("absent values of {names} are null"));
        }
        let schema = batch.schema_ref();
        let has_patches = schema.fields().iter().any(|field| is_patch(field));
        if has_patches || has_packed_patches(schema.metadata()) {
            effects.push("the text is in plain style".to_owned());
        }
        let first = shown.into_iter().chain(hidden).chain(patches).next()?;
        Some(Self {
            reason: first.reason,
            effects,
            rows: 0..0,
        })
    }

    /// Adds the place of the frame.
    #[must_use]
    pub fn located(self, locate: impl Fn(Error) -> Error) -> Self {
        Self {
            reason: locate(self.reason),
            ..self
        }
    }

    /// Adds the file.
    #[must_use]
    pub fn in_file(self, path: &Path) -> Self {
        self.located(|reason| reason.in_file(path))
    }
}

/// Counts kept and lost frames, stream by stream.
#[derive(Default)]
pub struct Salvage {
    /// True if the output may lack rows of kept frames. All rows of these frames are counted in any case.
    filters: bool,
    frames: u64,
    rows: u64,
    lost: Vec<(Error, Damage)>,
    kept_any: bool,
    /// The first loss of all streams, which is the error if nothing is kept.
    first: Option<Error>,
    /// Errors of the current stream outside its frames, and the first such error of all streams.
    faults: Vec<Error>,
    incomplete: Option<Error>,
}

/// How a damaged frame was handled.
enum Damage {
    /// It was skipped.
    Skipped,
    /// It was kept without some columns; the text describes the effect.
    Partial(String),
}

impl Salvage {
    /// Nothing so far; `filters` if the output may lack rows of the frames that are kept.
    pub fn new(filters: bool) -> Self {
        Self {
            filters,
            ..Self::default()
        }
    }

    /// Counts a frame that was kept, perhaps without some of its columns.
    pub fn keep(&mut self, rows: u64, losses: Vec<Loss>) {
        for Loss {
            reason,
            effects,
            rows,
        } in losses
        {
            let (from, to) = (self.rows + rows.start, self.rows + rows.end);
            let effects = effects.join(", ");
            let of_which = if self.filters { " of those read" } else { "" };
            let effects = format!("{effects} in rows {from}..{to}{of_which}");
            self.lost.push((reason, Damage::Partial(effects)));
        }
        self.frames += 1;
        self.rows += rows;
        self.kept_any = true;
    }

    /// Counts a lost frame; the error names the stream and the frame.
    pub fn lose(&mut self, reason: Error) {
        self.lost.push((reason, Damage::Skipped));
    }

    /// Adds an error of the stream outside its frames.
    pub fn fault(&mut self, fault: Error) {
        // The mismatch of a lost frame was already reported.
        let is_lost = |(lost, _): &(Error, _)| lost.place().frame == fault.place().frame;
        if fault.place().frame.is_none() || !self.lost.iter().any(is_lost) {
            self.faults.push(fault);
        }
    }

    /// Notes about the losses of a stream, after reading it; `end` is `None` if it was not read to its end.
    pub fn conclude(&mut self, end: Option<&StreamEnd>) -> Vec<String> {
        let mut notes = Vec::new();
        let lost = std::mem::take(&mut self.lost);
        let unread = end.map_or(0..0, |end| end.unread.clone());
        let unread_end = !unread.is_empty() && end.is_some_and(|end| !end.trailing);
        let count = lost.len();
        for (at, (reason, damage)) in lost.iter().enumerate() {
            let mut text = describe(reason);
            let is_last = at + 1 == count;
            let ends_here = is_last && unread_end;
            match damage {
                Damage::Skipped if ends_here => {}
                Damage::Skipped => text.push_str(" and was skipped"),
                Damage::Partial(effects) => {
                    let _ = write!(text, "; {effects}");
                }
            }
            if is_last {
                let only = count == 1 && matches!(damage, Damage::Skipped);
                let _ = write!(text, "; {}", self.kept(reason, only));
            }
            if ends_here {
                let _ = write!(
                    text,
                    ", {} from byte {} on were not read",
                    counted(unread.end - unread.start, "byte"),
                    grouped(unread.start)
                );
            }
            notes.push(text);
        }
        for fault in std::mem::take(&mut self.faults) {
            notes.push(fault.to_string());
            self.incomplete.get_or_insert(fault);
        }
        if let Some((reason, _)) = lost.into_iter().next() {
            self.first.get_or_insert(reason);
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

    /// The error to return if only part was kept: it names the file.
    pub fn loss(&mut self) -> Option<Error> {
        let first = self.first.take().or(self.incomplete.take())?;
        let what = "parts of it were lost";
        let error = Error::new(Kind::Incomplete, what).hint("mbt verify lists every problem");
        Some(match &first.place().file {
            Some(file) => error.in_file(file),
            None => error,
        })
    }

    /// Describes what was kept or, if only some of its rows are in the output, read. `last` is the last loss reported, and
    /// `only` is true if it is the only one.
    fn kept(&self, last: &Error, only: bool) -> String {
        let rows = counted(self.rows, "row");
        let kept = if self.filters { "read" } else { "kept" };
        match (self.frames, last.place().frame) {
            (0, _) => format!("no frame was {kept}"),
            (1, Some(1)) if only => format!("frame 0 with {rows} was {kept}"),
            (frames, Some(frame)) if only && frames == frame => {
                format!("frames 0 to {} with {rows} were {kept}", frame - 1)
            }
            (1, _) => format!("1 frame with {rows} was {kept}"),
            (frames, _) => format!("{} with {rows} were {kept}", counted(frames, "frame")),
        }
    }
}

/// `a.mbt: frame 3 is damaged (the reason)`.
fn describe(reason: &Error) -> String {
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
