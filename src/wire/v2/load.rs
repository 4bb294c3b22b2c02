//! Loads the sections that the selected columns of an envelope need.
//!
//! A column that is grouped by another one also needs that one, selected or not.

use super::column::ColumnTree;
use super::envelope::{Envelope, cut_short};
use super::leaves::Leaf;
use super::sections::Body;
use crate::error::{Error, Result};
use crate::wire::workers::Workers;

/// Columns of an envelope, by their positions, in order.
pub(super) struct Selected {
    /// The wanted columns.
    wanted: Vec<usize>,
    /// The columns that these are grouped by, wanted or not.
    pub keys: Vec<usize>,
}

impl Selected {
    /// True if the column is wanted for itself.
    pub fn wants(&self, position: usize) -> bool {
        self.wanted.binary_search(&position).is_ok()
    }

    /// The columns to decode.
    pub fn positions(&self) -> Vec<usize> {
        let more = self.keys.iter().filter(|key| !self.wants(**key));
        let mut positions: Vec<_> = self.wanted.iter().chain(more).copied().collect();
        positions.sort_unstable();
        positions
    }
}

impl Envelope {
    /// The columns that `keep` selects by position and name.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the header is inconsistent.
    pub(super) fn selected(&self, mut keep: impl FnMut(usize, &str) -> bool) -> Result<Selected> {
        let columns = self.columns()?;
        let wanted: Vec<usize> = columns
            .iter()
            .map(|column| column.field.name())
            .enumerate()
            .filter(|(at, name)| keep(*at, name))
            .map(|(at, _)| at)
            .collect();
        let mut keys: Vec<usize> = wanted.iter().filter_map(|at| columns[*at].key).collect();
        keys.sort_unstable();
        keys.dedup();
        Ok(Selected { wanted, keys })
    }

    /// The selected columns and their keys with their buffers, each with its position, and the number of plain bytes in
    /// the sections that these needed; `bytes` is the whole envelope.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if it is cut short or a section is damaged.
    pub(super) fn load(
        &self,
        bytes: &[u8],
        selected: &Selected,
        workers: &dyn Workers,
    ) -> Result<(Vec<(usize, ColumnTree)>, usize)> {
        let body = bytes.get(self.body_at..self.len);
        let body = body.ok_or_else(|| cut_short(self.len, bytes))?;
        let mut body = Body::new(&self.sections, body);
        body.open_all(&self.used(selected)?, workers);
        let columns = selected
            .positions()
            .into_iter()
            .map(|at| Ok((at, self.load_column(at, &mut body)?)))
            .collect::<Result<_>>()?;
        Ok((columns, body.opened_bytes()))
    }

    /// A column with its buffers.
    fn load_column(&self, position: usize, body: &mut Body<'_>) -> Result<ColumnTree> {
        let mut column = self.columns()?[position].clone();
        column.visit_buffers(&mut |node| {
            if let Some(span) = node.span {
                let buffer = body.buffer(span);
                node.buffer =
                    buffer.map_err(|error| self.in_section(error, span.section, position))?;
            }
            Ok(())
        })?;
        Ok(column)
    }

    /// The sections of the columns that `keep` selects by position and name, and of the columns that group them.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the header is inconsistent.
    pub fn sections_of(&self, keep: impl FnMut(usize, &str) -> bool) -> Result<Vec<bool>> {
        self.used(&self.selected(keep)?)
    }

    /// Whether each section is needed.
    fn used(&self, selected: &Selected) -> Result<Vec<bool>> {
        let columns = self.columns()?;
        let mut used = vec![false; self.sections.len()];
        for position in selected.positions() {
            for span in columns[position].spans() {
                used[span.section] = true;
            }
        }
        Ok(used)
    }

    /// Adds the byte in the envelope and the full path of the column to an error in a section.
    pub(super) fn in_section(&self, error: Error, section: usize, position: usize) -> Error {
        let start = self.places().nth(section).map_or(0, |place| place.start);
        let leaves = self.leaves().unwrap_or_default();
        let of_section = |leaf: &&Leaf| {
            leaf.column == position && leaf.spans.iter().any(|span| span.section == section)
        };
        let error = error.at_byte(start as u64);
        match leaves.iter().find(of_section) {
            Some(leaf) => error.in_column(&leaf.path),
            None => error,
        }
    }
}
