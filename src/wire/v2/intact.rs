//! Decodes the intact columns of a damaged frame.
//!
//! Every section has its own checksum, and the header lists its owners. If the header is intact, damage affects only
//! the columns in damaged sections, and the columns that need one of them.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, new_null_array};
use arrow_schema::{DataType, Field};

use super::budget::null_bytes;
use super::decode::{Decoder, Shared, batch, columns};
use super::envelope::Envelope;
use crate::error::{Error, Kind, Result};
use crate::schema::display_name;
use crate::schema::keys::{GAP, is_hidden, is_patch, without};
use crate::wire::workers::CallingThread;

/// A column that cannot be decoded.
#[derive(Debug)]
pub struct LostColumn {
    /// Its displayed name.
    pub name: String,
    /// Its field.
    pub field: Field,
    /// The error.
    pub reason: Error,
}

impl Decoder {
    /// Decodes the selected columns of an envelope whose header has been read, in the envelope's order. Damaged columns
    /// are null in every row of the batch, and are also returned separately.
    ///
    /// # Errors
    /// As for [`Decoder::decode`] if no selected column is intact, or if the error is not damage.
    pub fn decode_intact(
        &self,
        bytes: &[u8],
        envelope: &Envelope,
        mut keep: impl FnMut(usize, &str) -> bool,
    ) -> Result<(RecordBatch, Vec<LostColumn>)> {
        let fields = envelope.fields()?;
        let wanted: Vec<bool> = fields
            .iter()
            .enumerate()
            .map(|(at, field)| keep(at, field.name()))
            .collect();
        let mut reasons = envelope.damaged_columns(bytes)?;
        let is_intact: Vec<bool> = reasons.iter().map(Option::is_none).collect();
        let intact = |at: usize, _: &str| wanted[at] && is_intact[at];
        let selected = envelope.selected(intact)?;
        let shared = Shared::new(self.max_bytes, &CallingThread);
        let mut decoded = columns(bytes, envelope, &selected, &shared, |at, error| {
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
            shared.take(envelope.rows, null_bytes(field.data_type()))?;
            // These nulls do not mean absent values.
            let stand_in = without(field.clone().with_nullable(true), &[GAP]);
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
    /// For each column, the error of the first damaged section that it needs.
    fn damaged_columns(&self, bytes: &[u8]) -> Result<Vec<Option<Error>>> {
        let damaged = self.damaged_sections(bytes);
        let columns = self.columns()?;
        let of = |at: usize| {
            let section = columns[at]
                .spans()
                .into_iter()
                .map(|span| span.section)
                .filter(|section| damaged.contains(section))
                .min()?;
            let error = Error::corrupt("a section does not match its checksum");
            Some(self.in_section(error, section, at))
        };
        Ok(columns
            .iter()
            .enumerate()
            .map(|(at, column)| {
                std::iter::once(at)
                    .chain(column.needs(columns))
                    .find_map(of)
            })
            .collect())
    }
}
