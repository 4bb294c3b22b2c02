//! The positions of columns in frames, so that a column can be read with few range requests.
//!
//! The writer puts the sections shared by several columns at the start of the body, followed by the sections of single
//! columns in the order of the columns. A column can therefore be read from two ranges:
//!
//! ```text
//! frame := header | shared sections | own sections of column 0 | of column 1 | ...
//!          `------ first range ----´                           `--- second ---´
//! ```

use std::collections::HashSet;
use std::ops::Range;

use super::{Entry, FrameColumn, Index, IndexColumn, require_end};
use crate::columns::statistics::Statistics;
use crate::error::{Error, Result};
use crate::schema::keys::is_patch;
use crate::varint;
use crate::wire::parse::read_unsigned;
use crate::wire::v2::Relation;
use crate::wire::{Envelope, v2};

/// The sizes of the first parts of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePlace {
    /// Number of bytes of head and header.
    pub header: u64,
    /// Number of bytes after these that any column may need.
    pub shared: u64,
}

impl FramePlace {
    /// The place of an envelope, and the columns to list in the index. No place if the sections have another layout.
    ///
    /// # Errors
    /// If the header is inconsistent.
    pub fn of(envelope: &v2::Envelope) -> Result<(Option<Self>, Vec<FrameColumn>)> {
        let own = envelope.own_bytes();
        let (mut listed, mut is_last) = (0, true);
        let mut columns = Vec::new();
        for (position, column) in envelope.columns()?.iter().enumerate() {
            if is_patch(&column.field) {
                continue;
            }
            is_last = listed == position;
            listed += 1;
            let known: Statistics = column.known();
            columns.push(FrameColumn {
                own: own.as_ref().map_or(0, |(_, own)| own[position]),
                // These positions are right whenever `place` is `Some`: then the only skipped column is the last.
                needs: column.relation.map(Relation::column),
                ..FrameColumn::new(&column.field, Some(known))
            });
        }
        // The positions of columns follow from the lengths of those before them, so all of these must be listed.
        let place = own.filter(|_| is_last).map(|(shared, _)| Self {
            header: envelope.header_len() as u64,
            shared,
        });
        Ok((place, columns))
    }

    /// The same for an envelope of either version, whose bytes these are. Those of version 1 have no statistics.
    ///
    /// # Errors
    /// As for [`Self::of`].
    pub fn of_either(
        envelope: &Envelope,
        bytes: &[u8],
    ) -> Result<(Option<Self>, Vec<FrameColumn>)> {
        match envelope {
            Envelope::V1(envelope) => {
                let fields = envelope.fields(bytes);
                let columns = fields.map(|field| FrameColumn::new(&field, None));
                Ok((None, columns.collect()))
            }
            Envelope::V2(envelope) => Self::of(envelope),
        }
    }
}

impl Index {
    /// The offset of a frame; `first` is the offset of the first frame.
    pub fn frame_start(&self, first: u64, frame: usize) -> u64 {
        self.frames[..frame]
            .iter()
            .map(|entry| entry.stored_len)
            .fold(first, u64::saturating_add)
    }

    /// True if another index lists columns with the same names in the same order.
    fn has_columns_of(&self, other: &Self) -> bool {
        let others = other.columns.iter().map(|column| &column.name);
        self.columns.iter().map(|column| &column.name).eq(others)
    }

    /// The ranges of the stream needed to read some columns of a frame, given by their positions in [`Self::columns`];
    /// `first` is the offset of the first frame. `None` if the index has no directory for the frame.
    pub fn ranges(&self, first: u64, frame: usize, columns: &[usize]) -> Option<Vec<Range<u64>>> {
        self.ranges_from(self.frame_start(first, frame), frame, columns)
    }

    /// The same for a frame that starts at `start`.
    fn ranges_from(&self, start: u64, frame: usize, columns: &[usize]) -> Option<Vec<Range<u64>>> {
        let entry = self.frames.get(frame)?;
        let place = entry.place?;
        let mut end = start.checked_add(place.header)?.checked_add(place.shared)?;
        let mut ranges = Vec::from([Range { start, end }]);
        // A reference column may need its key.
        let mut needed: HashSet<usize> = columns.iter().copied().collect();
        for _ in 0..2 {
            let needs = |&at: &usize| self.columns.get(at)?.needs;
            let others: Vec<usize> = needed.iter().filter_map(needs).collect();
            needed.extend(others);
        }
        for (at, column) in self.columns.iter().enumerate() {
            let begin = end;
            end = end.checked_add(column.own(frame))?;
            if needed.contains(&at) && begin < end {
                match ranges.last_mut() {
                    Some(last) if last.end == begin => last.end = end,
                    _ => ranges.push(begin..end),
                }
            }
        }
        (end <= start.checked_add(entry.stored_len)?).then_some(ranges)
    }

    /// Replaces the frames by others that have the same rows and columns but different lengths.
    pub fn relocate(&mut self, frames: Vec<(Entry, Vec<FrameColumn>)>) {
        let mut moved = Self::default();
        for (entry, columns) in frames {
            moved.push(entry, columns);
        }
        if moved.has_columns_of(self) {
            for (column, moved) in self.columns.iter_mut().zip(moved.columns) {
                column.own = moved.own;
            }
        } else {
            moved.frames.iter_mut().for_each(|frame| frame.place = None);
        }
        self.frames = moved.frames;
    }

    /// How the index differs from the header of a frame; `found` is the result of [`FramePlace::of`].
    pub fn misfit(
        &self,
        frame: usize,
        found: &(Option<FramePlace>, Vec<FrameColumn>),
    ) -> Option<String> {
        let (place, columns) = found;
        let listed = self.frames.get(frame)?.place;
        // The columns of a single frame are only in its header.
        if self.columns.is_empty() {
            return None;
        }
        if listed.is_some() && listed != *place {
            return Some(
                "the end of the stream and the frame disagree about the positions of its parts"
                    .to_owned(),
            );
        }
        let otherwise = |name: &str| {
            format!("the end of the stream and the frame disagree about column {name:?}")
        };
        let mut unseen = IndexColumn::by_name(&self.columns);
        let mut next = 0;
        for column in columns {
            let Some(at) = unseen.get_mut(&*column.name).and_then(Vec::pop) else {
                return Some(format!(
                    "the end of the stream does not list column {:?}",
                    column.name
                ));
            };
            // The positions of columns follow from their order.
            let is_placed =
                listed.is_none() || at >= next && self.columns[at].own(frame) == column.own;
            next = at + 1;
            if !is_placed || !self.columns[at].is_true_of(frame, column) {
                return Some(otherwise(&column.name));
            }
        }
        let mut others = unseen.into_values().flatten();
        let is_said = |&at: &usize| {
            let column = &self.columns[at];
            column.known(frame).is_some() || listed.is_some() && column.own(frame) > 0
        };
        others
            .find(is_said)
            .map(|at| otherwise(&self.columns[at].name))
    }

    /// True if some column needs another one.
    pub(super) fn has_needs(&self) -> bool {
        self.columns.iter().any(|column| column.needs.is_some())
    }

    /// Encodes which column each column needs.
    pub(super) fn needs(&self) -> Vec<u8> {
        let mut needs = Vec::new();
        for column in &self.columns {
            varint::push(column.needs.map_or(0, |at| at as u64 + 1), &mut needs);
        }
        needs
    }

    pub(super) fn read_needs(&mut self, bytes: &[u8]) -> Result<()> {
        let (mut at, count) = (0, self.columns.len());
        for column in &mut self.columns {
            let other = read_unsigned(bytes, &mut at)?.checked_sub(1);
            column.needs = other.map(|other| other as usize);
            if column.needs.is_some_and(|other| other >= count) {
                return Err(Error::corrupt("a column needs one that does not exist"));
            }
        }
        require_end(bytes, at)
    }

    pub(super) fn write_directory(&self, out: &mut Vec<u8>) {
        for frame in &self.frames {
            match frame.place {
                None => varint::push(0, out),
                Some(FramePlace { header, shared }) => {
                    varint::push(1 + shared, out);
                    varint::push(header, out);
                }
            }
        }
        for column in &self.columns {
            for (at, _) in self.placed() {
                varint::push(column.own(at), out);
            }
        }
    }

    pub(super) fn read_directory(&mut self, bytes: &[u8], at: &mut usize) -> Result<()> {
        for frame in &mut self.frames {
            if let Some(shared) = read_unsigned(bytes, at)?.checked_sub(1) {
                let header = read_unsigned(bytes, at)?;
                frame.place = Some(FramePlace { header, shared });
            }
        }
        let placed: Vec<usize> = self.placed().map(|(at, _)| at).collect();
        let frames = self.frames.len();
        for column in &mut self.columns {
            column.own = vec![0; if placed.is_empty() { 0 } else { frames }];
            for &frame in &placed {
                column.own[frame] = read_unsigned(bytes, at)?;
            }
        }
        let fits = placed
            .iter()
            .all(|&frame| self.ranges_from(0, frame, &[]).is_some());
        if fits {
            return Ok(());
        }
        Err(Error::corrupt("parts of a frame are longer than the frame"))
    }

    fn placed(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.frames
            .iter()
            .enumerate()
            .filter(|(_, frame)| frame.place.is_some())
    }
}
