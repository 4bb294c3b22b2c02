//! Columns of JSON whose key is absent in some rows and null in others, where the output has one null for both.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use arrow_array::Array as _;
use arrow_array::cast::AsArray as _;

use super::frame::{Frame, provenance};
use crate::columns::cast::Provenance;
use crate::schema::display_name;
use crate::schema::keys::{is_absent, is_hidden, is_patch};
use crate::units::counted;

/// What was seen so far, in any order.
#[derive(Debug, Default)]
pub struct AbsentKeys(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    rows: usize,
    columns: BTreeMap<String, Nulls>,
}

/// The nulls of a column.
#[derive(Debug, Default)]
struct Nulls {
    /// Rows of the frames that have the column.
    rows: usize,
    /// Rows without the key.
    absent: usize,
    /// Rows in which the key is null.
    null: usize,
}

impl AbsentKeys {
    /// Takes rows before they are written.
    pub fn see(&self, frame: &Frame) {
        if provenance(frame.schema.metadata()) != Provenance::Json {
            return;
        }
        let fields = frame.schema.fields();
        let shows_absent = |at: usize| {
            let field = fields.get(at);
            field.is_some_and(|field| is_hidden(field) && !is_patch(field))
        };
        let shown = fields.iter().enumerate();
        let shown = shown.filter(|(_, field)| !is_hidden(field)).enumerate();
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.rows += frame.rows();
        for (position, (at, field)) in shown {
            let name = display_name(field.name(), position);
            let column = seen.columns.entry(name).or_default();
            column.rows += frame.rows();
            for batch in &frame.batches {
                let nulls = batch.column(at).logical_null_count();
                let absent = if shows_absent(at + 1) {
                    batch.column(at + 1).as_boolean().true_count()
                } else if is_absent(field) {
                    nulls
                } else {
                    0
                };
                column.absent += absent;
                column.null += nulls.saturating_sub(absent);
            }
        }
    }

    /// Says in how many columns the nulls of the output stand for both, if there are such.
    pub fn note(&self) -> Option<String> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_mixed = |column: &&Nulls| {
            let absent = column.absent > 0 || column.rows < seen.rows;
            absent && column.null > 0
        };
        let mixed = seen.columns.values().filter(is_mixed).count();
        (mixed > 0).then(|| {
            let columns = counted(mixed as u64, "column");
            format!("{columns} with absent keys and with nulls: the output shows no difference")
        })
    }
}
