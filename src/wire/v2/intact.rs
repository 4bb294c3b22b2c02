//! What is intact of a damaged frame.
//!
//! Every section has a checksum of its own, and the header says which columns have bytes in it. If the header is
//! whole, damage therefore costs the columns of the damaged sections, and those that are grouped by such a column.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, new_null_array};
use arrow_schema::{DataType, Field};

use super::budget::{null_bytes, take};
use super::decode::{Decoder, batch, columns};
use super::envelope::Envelope;
use crate::error::{Error, Kind, Result};
use crate::schema::display_name;
use crate::schema::keys::{GAP, is_hidden, is_patch};

/// A column that cannot be decoded.
#[derive(Debug)]
pub struct LostColumn {
    /// Its displayed name.
    pub name: String,
    /// Its field.
    pub field: Field,
    /// What is wrong with it.
    pub reason: Error,
}

impl Decoder {
    /// The wanted columns of an envelope whose header has been read, in the envelope's order. Columns that are
    /// damaged are given apart as well; in the batch they are null in every row, and hidden ones say nothing.
    ///
    /// # Errors
    /// As [`Decoder::decode`] if no wanted column is intact, or for what is not damage.
    pub fn decode_intact(
        &self,
        bytes: &[u8],
        envelope: &Envelope,
        mut keep: impl FnMut(usize, &str) -> bool,
    ) -> Result<(RecordBatch, Vec<LostColumn>)> {
        let fields = envelope.fields()?;
        let names = fields.iter().enumerate();
        let wanted: Vec<bool> = names.map(|(at, field)| keep(at, field.name())).collect();
        let mut reasons = envelope.damaged_columns(bytes)?;
        let is_intact: Vec<bool> = reasons.iter().map(Option::is_none).collect();
        let intact = |at: usize, _: &str| wanted[at] && is_intact[at];
        let mut left = self.max_bytes;
        let mut decoded = columns(bytes, envelope, intact, &mut left, |at, error| {
            if error.kind() != Kind::Corrupt {
                return Err(error);
            }
            reasons[at] = Some(error);
            Ok(())
        })?;
        let keeps_none = decoded.iter().all(|(_, field, _)| is_hidden(field));
        let mut lost = Vec::new();
        for (at, (field, reason)) in fields.into_iter().zip(reasons).enumerate() {
            let Some(reason) = reason.filter(|_| wanted[at]) else {
                continue;
            };
            if keeps_none
                || is_hidden(&field) && !is_patch(&field) && field.data_type() != &DataType::Boolean
            {
                return Err(reason);
            }
            let name = display_name(field.name(), at);
            take(&mut left, envelope.rows, null_bytes(field.data_type()))?;
            let mut stand_in = field.clone().with_nullable(true);
            // These nulls are not absent values.
            stand_in.metadata_mut().remove(GAP);
            let values: ArrayRef = if is_hidden(&field) && !is_patch(&field) {
                Arc::new(BooleanArray::from(vec![false; envelope.rows]))
            } else {
                new_null_array(field.data_type(), envelope.rows)
            };
            decoded.push((at, stand_in, values));
            lost.push(LostColumn {
                name,
                field,
                reason,
            });
        }
        decoded.sort_unstable_by_key(|(at, ..)| *at);
        Ok((batch(envelope, decoded)?, lost))
    }
}

impl Envelope {
    /// By column, what is wrong with the first section that it needs and that is damaged.
    fn damaged_columns(&self, bytes: &[u8]) -> Result<Vec<Option<Error>>> {
        let damaged = self.damaged_sections(bytes);
        let columns = self.described()?;
        let own_sections = columns.iter().map(|(_, spans)| {
            let sections = spans.iter().flatten().map(|span| span.section);
            sections.filter(|section| damaged.contains(section)).min()
        });
        let own_sections: Vec<Option<usize>> = own_sections.collect();
        let error = |(at, (column, _)): (usize, &(super::ColumnTree, _))| {
            let of = |at: usize| Some((own_sections[at]?, at));
            let (section, at) = of(at).or_else(|| of(column.key?))?;
            let error = Error::corrupt("a section does not match its checksum");
            Some(self.in_section(error, section, at))
        };
        Ok(columns.iter().enumerate().map(error).collect())
    }
}
