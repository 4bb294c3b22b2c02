//! Loads the sections that the selected columns of an envelope need.
//!
//! A column that is grouped by another one also needs that one, selected or not.

use std::collections::HashSet;

use arrow_buffer::Buffer;

use super::column::ColumnTree;
use super::envelope::Envelope;
use super::leaves::{BufferSpan, Leaf};
use super::sections::Body;
use super::walk::Visit;
use crate::error::{Error, Result};

/// A column that was loaded or skipped.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The column, with its buffers if it is needed.
    pub column: ColumnTree,
    /// Its position in the envelope.
    pub position: usize,
    /// True if it is selected. If not, it may still be needed as the key of a selected column.
    pub is_wanted: bool,
}

/// Opens the sections that selected columns need.
struct Loader<'a, K> {
    body: Body<'a>,
    keep: &'a mut K,
    /// For each column so far, whether it is selected.
    is_wanted: Vec<bool>,
    /// A section that cannot be opened, and the column that needs it.
    damaged: Option<(usize, usize)>,
}

impl<K: FnMut(usize, &str) -> bool> Visit for Loader<'_, K> {
    fn column(&mut self, position: usize, name: &str) {
        self.is_wanted.push((self.keep)(position, name));
    }

    fn buffer(&mut self, span: Option<BufferSpan>) -> Result<Buffer> {
        match span.filter(|_| self.is_wanted.last() == Some(&true)) {
            Some(BufferSpan {
                section,
                offset,
                len,
            }) => {
                let opened = self.body.section(section).inspect_err(|_| {
                    self.damaged = Some((section, self.is_wanted.len() - 1));
                });
                Ok(opened?.slice_with_length(offset, len))
            }
            None => Ok(Buffer::default()),
        }
    }
}

impl Envelope {
    /// The columns that `keep` selects by position and name, and those that they are grouped by, with their buffers;
    /// and the plain size of their sections. `bytes` is the whole envelope.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the envelope is damaged.
    pub fn load(
        &self,
        bytes: &[u8],
        keep: impl FnMut(usize, &str) -> bool,
    ) -> Result<(Vec<Loaded>, usize)> {
        let (mut columns, mut opened_bytes) = self.loaded(bytes, keep)?;
        let wanted = columns.iter().filter(|column| column.is_wanted);
        let keys: HashSet<usize> = wanted.filter_map(|column| column.column.key).collect();
        let is_missing = |at: usize| keys.contains(&at) && !columns[at].is_wanted;
        if keys.iter().any(|&key| is_missing(key)) {
            let (missing, more_bytes) = self.loaded(bytes, |position, _| is_missing(position))?;
            opened_bytes += more_bytes;
            for (column, missing) in columns.iter_mut().zip(missing) {
                if missing.is_wanted {
                    column.column = missing.column;
                }
            }
        }
        Ok((columns, opened_bytes))
    }

    /// All columns; those that `keep` selects have their buffers.
    fn loaded(
        &self,
        bytes: &[u8],
        mut keep: impl FnMut(usize, &str) -> bool,
    ) -> Result<(Vec<Loaded>, usize)> {
        let body = bytes.get(self.body_at..self.len).ok_or_else(|| {
            Error::corrupt("the envelope is cut short").at_byte(bytes.len() as u64)
        })?;
        let mut sections = Loader {
            body: Body::new(&self.sections, body),
            keep: &mut keep,
            is_wanted: Vec::new(),
            damaged: None,
        };
        let columns = self.read_columns(&mut sections, |column| column);
        let columns = columns.map_err(|error| match sections.damaged {
            Some((section, position)) => self.in_section(error, section, position),
            None => error,
        })?;
        let opened_bytes = sections.body.opened_bytes();
        let columns = columns.into_iter().zip(sections.is_wanted).enumerate();
        let loaded = columns.map(|(position, (column, is_wanted))| Loaded {
            column,
            position,
            is_wanted,
        });
        Ok((loaded.collect(), opened_bytes))
    }

    /// The sections of the columns that `keep` selects by position and name, and of those that they are grouped by.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the header is inconsistent.
    pub fn sections_of(&self, mut keep: impl FnMut(usize, &str) -> bool) -> Result<Vec<bool>> {
        let columns = self.described()?;
        let mut is_needed = vec![false; columns.len()];
        for (position, (column, _)) in columns.iter().enumerate() {
            if keep(position, column.field.name()) {
                is_needed[position] = true;
                column.key.into_iter().for_each(|key| is_needed[key] = true);
            }
        }
        let mut used = vec![false; self.sections.len()];
        let needed = columns.iter().zip(is_needed).filter(|(_, needed)| *needed);
        for span in needed.flat_map(|((_, spans), _)| spans).flatten() {
            used[span.section] = true;
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
