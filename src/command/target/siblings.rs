//! Columns of a frame between their two encodings, where size is all.
//!
//! A column may be grouped by another one, and which pays is known only when all are there. So a frame
//! has two rounds of units, as many in the second as in the first, and those of the second wait for
//! all of the first; they were begun earlier, so they will come.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::frames::{Frames, Piece, Source};
use super::{Printed, Scratch};
use crate::error::Result;
use crate::pipeline::Assembly;
use crate::wire::v2::{Sibling, choose_keys};

/// The columns of a frame, encoded in the order of their rows, by unit.
#[derive(Debug)]
pub struct Siblings {
    first_round: Assembly<Vec<Sibling>>,
    /// For the second round, which takes them; none if the first has failed.
    second_round: OnceLock<Mutex<Vec<Vec<Sibling>>>>,
}

/// What a unit of the first round owes. If it is dropped before, nobody waits any longer.
pub struct Share(Option<Arc<Siblings>>);

/// A unit of the second round.
pub struct SiblingRun {
    pub(super) frames: Frames,
    /// Rows of the frame.
    pub(super) rows: usize,
    pub(super) source: Arc<Source>,
    pub(super) siblings: Arc<Siblings>,
    pub(super) assembly: Arc<Assembly<Piece>>,
    /// Its place among the units of its round.
    pub(super) place: usize,
}

impl Siblings {
    /// Of so many units.
    pub fn new(units: usize) -> Self {
        Self {
            first_round: Assembly::new(units),
            second_round: OnceLock::new(),
        }
    }

    /// Waits for all columns, and takes those of one unit.
    fn take(&self, place: usize) -> Vec<Sibling> {
        let units = self.second_round.wait().lock();
        let mut units = units.unwrap_or_else(PoisonError::into_inner);
        units.get_mut(place).map(std::mem::take).unwrap_or_default()
    }
}

impl Share {
    /// The share of one more unit.
    pub fn of(siblings: &Arc<Siblings>) -> Self {
        Self(Some(Arc::clone(siblings)))
    }

    /// Brings the columns of a unit. With those of the last one it is settled what each may be grouped
    /// by.
    ///
    /// # Errors
    /// As for [`choose_keys`].
    pub fn put(mut self, place: usize, columns: Vec<Sibling>) -> Result<()> {
        if let Some(siblings) = &self.0
            && let Some(units) = siblings.first_round.put(place, columns)
        {
            let lens: Vec<usize> = units.iter().map(Vec::len).collect();
            let mut all: Vec<Sibling> = units.into_iter().flatten().collect();
            choose_keys(&mut all)?;
            let mut all = all.into_iter();
            let units = lens.iter().map(|&len| all.by_ref().take(len).collect());
            let _ = siblings.second_round.set(Mutex::new(units.collect()));
        }
        self.0 = None;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Some(siblings) = &self.0 {
            let _ = siblings.second_round.set(Mutex::default());
        }
    }
}

impl SiblingRun {
    /// Encodes the columns anew where that pays; the frame if that completes it.
    pub(super) fn print(self, scratch: &mut Scratch) -> Result<Printed> {
        let Some(encoder) = self.frames.encoder() else {
            return Ok(Printed::default());
        };
        let columns = self.siblings.take(self.place).into_iter();
        let columns = columns.map(|column| encoder.regroup(column));
        let piece = Piece::V2(columns.collect::<Result<_>>()?);
        let complete = self.assembly.put(self.place, piece);
        self.frames.join(scratch, self.rows, &self.source, complete)
    }
}
