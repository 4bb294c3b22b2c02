//! Prints the members of objects in the order of the original record.
//!
//! A patch starts with the moves: which members of which objects go to other positions. First comes the number of
//! objects with moves. Each of them has the number of objects since the previous one (an object precedes those inside
//! it), the number of its moves and, for each move, the positions from and to. Objects are counted in the order of the
//! columns, so members are printed in that order first, and then rearranged.

use crate::error::{Error, Result};
use crate::varint;

/// The moves of one record while it is printed; reuses its memory.
#[derive(Debug, Default)]
pub(super) struct MemberMoves {
    patch: Vec<u8>,
    at: usize,
    /// Number of remaining objects with moves.
    left: u64,
    /// Number of objects before the next of them.
    next: u64,
    /// True if the moves do not fit the record.
    misfit: bool,
    /// The moves of open objects, each from one position to another.
    pairs: Vec<(usize, usize)>,
    /// Where the members of open objects start and end.
    members: Vec<(usize, usize)>,
    order: Vec<usize>,
    text: Vec<u8>,
}

/// An open object whose members move: where its moves and members start in the lists of all open objects.
#[derive(Clone, Copy)]
pub(super) struct OpenObject {
    pairs: usize,
    members: usize,
}

/// The error for moves that do not fit their record.
pub fn misfit() -> Error {
    Error::corrupt("the stored key order does not fit its record")
}

impl MemberMoves {
    /// Reads the number of objects with moves from the start of a record's patch.
    pub(super) fn start(&mut self, patch: &[u8]) {
        self.patch.clear();
        self.patch.extend_from_slice(patch);
        (self.at, self.misfit) = (0, false);
        self.left = self.number();
        self.next = if self.left > 0 { self.number() } else { 0 };
    }

    /// The rest of the patch after the moves of the printed record.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if they did not fit the record.
    pub(super) fn finish(&mut self) -> Result<&[u8]> {
        let left = std::mem::take(&mut self.left);
        if left > 0 || self.misfit {
            return Err(misfit());
        }
        Ok(&self.patch[self.at..])
    }

    fn number(&mut self) -> u64 {
        varint::read(&self.patch, &mut self.at).unwrap_or_else(|_| {
            (self.misfit, self.left) = (true, 0);
            0
        })
    }

    /// Counts an object that is about to be printed. Returns it if its members move.
    #[inline]
    pub(super) fn open(&mut self) -> Option<OpenObject> {
        if self.left == 0 {
            return None;
        }
        if self.next > 0 {
            self.next -= 1;
            return None;
        }
        Some(self.read_next())
    }

    /// Reads the moves of the next object that has any.
    #[cold]
    fn read_next(&mut self) -> OpenObject {
        let opened = OpenObject {
            pairs: self.pairs.len(),
            members: self.members.len(),
        };
        for _ in 0..self.number() {
            if self.misfit {
                break;
            }
            let pair = (self.number() as usize, self.number() as usize);
            self.pairs.push(pair);
        }
        self.left = self.left.saturating_sub(1);
        self.next = if self.left > 0 { self.number() } else { 0 };
        opened
    }

    /// Adds a printed member of an open object. All objects in it have been closed.
    pub(super) fn push(&mut self, start: usize, end: usize) {
        self.members.push((start, end));
    }

    /// Moves the members of a printed object at the end of `out`. The text between them stays in place.
    pub(super) fn close(&mut self, opened: OpenObject, out: &mut Vec<u8>) {
        let Self {
            order,
            pairs,
            members,
            text,
            ..
        } = self;
        let found = &members[opened.members..];
        order.clear();
        order.extend(0..found.len());
        for &(from, to) in &pairs[opened.pairs..] {
            if from.max(to) >= order.len() {
                self.misfit = true;
                break;
            }
            let member = order.remove(from);
            order.insert(to, member);
        }
        // Only the members from the first to the last one that moved are printed again.
        let is_moved = |&place: &usize| order[place] != place;
        let first = (0..found.len()).find(is_moved);
        let last = (0..found.len()).rfind(is_moved);
        if let Some((first, last)) = first.zip(last) {
            let start = found[first].0;
            text.clear();
            text.extend_from_slice(&out[start..]);
            let at = |from: usize, to: usize| &text[from - start..to - start];
            out.truncate(start);
            for place in first..=last {
                let (from, to) = found[order[place]];
                out.extend_from_slice(at(from, to));
                let end = if place < last {
                    found[place + 1].0
                } else {
                    start + text.len()
                };
                out.extend_from_slice(at(found[place].1, end));
            }
        }
        members.truncate(opened.members);
        pairs.truncate(opened.pairs);
    }
}
