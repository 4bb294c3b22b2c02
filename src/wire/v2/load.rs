//! Loads the sections that the selected columns of an envelope need.
//!
//! A column that is grouped by another one, or stored as differences from it, also needs that one, selected or not.

use std::collections::HashMap;

use arrow_buffer::Buffer;

use super::column::ColumnTree;
use super::envelope::{Envelope, cut_short};
use super::leaves::Leaf;
use crate::error::{Error, Result};
use crate::wire::encodings::{BufferSpan, Node};
use crate::wire::workers::{Workers, map};

/// Columns of an envelope, by their positions, in order.
pub(super) struct Selected {
    /// The wanted columns.
    wanted: Vec<usize>,
    /// The wanted columns and the columns that they need.
    needed: Vec<usize>,
}

impl Selected {
    /// True if the column is wanted for itself.
    pub fn wants(&self, position: usize) -> bool {
        self.wanted.binary_search(&position).is_ok()
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
        let others = wanted.iter().flat_map(|&at| columns[at].needs(columns));
        let mut needed: Vec<usize> = wanted.iter().copied().chain(others).collect();
        needed.sort_unstable();
        needed.dedup();
        Ok(Selected { wanted, needed })
    }

    /// The selected columns and the columns that they need with their buffers, each with its position, and the number of
    /// plain bytes in the sections of these columns; `bytes` is the whole envelope.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if it is cut short or a section is damaged.
    pub(super) fn load(
        &self,
        bytes: &[u8],
        selected: &Selected,
        workers: &dyn Workers,
    ) -> Result<(Vec<(usize, ColumnTree)>, usize)> {
        let envelope = bytes.get(..self.len);
        let bytes = envelope.ok_or_else(|| cut_short(self.len, bytes))?;
        let places: Vec<_> = self.places().collect();
        let open = |section: usize| -> Result<Buffer> {
            let stored = &bytes[places[section].clone()];
            let plain = self.sections[section].open(stored)?;
            Ok(Buffer::from_vec(plain.into_owned()))
        };
        let needed = (0..).zip(self.used(selected)?);
        let needed = needed.filter_map(|(section, is_used)| is_used.then_some(section));
        let opened = map(workers, needed.collect(), |section| {
            (section, open(section))
        });
        // Damaged sections are opened again by the first column that needs them, which gives the error its place.
        let opened: HashMap<usize, Buffer> = opened
            .into_iter()
            .filter_map(|(section, plain)| Some((section, plain.ok()?)))
            .collect();
        let opened_bytes = opened.values().map(Buffer::len).sum();
        let load = |node: &mut Node, position: usize| -> Result<()> {
            if let Some(BufferSpan {
                section,
                offset,
                len,
            }) = node.span
            {
                let plain = match opened.get(&section) {
                    Some(plain) => plain.clone(),
                    None => {
                        open(section).map_err(|error| self.in_section(error, section, position))?
                    }
                };
                node.buffer = plain.slice_with_length(offset, len);
            }
            Ok(())
        };
        let columns = self.columns()?;
        let columns = selected.needed.iter().map(|&at| {
            let mut column = columns[at].clone();
            column.visit_buffers(&mut |node| load(node, at))?;
            Ok((at, column))
        });
        Ok((columns.collect::<Result<_>>()?, opened_bytes))
    }

    /// The sections of the columns that `keep` selects by position and name, and of the columns that these need.
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
        for &position in &selected.needed {
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
