//! Detects JSON columns whose key is absent in some rows and null in others, if the output has only one kind of null.

use std::collections::BTreeMap;
use std::sync::Mutex;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, BooleanArray};
use arrow_schema::Field;

use super::frame::{Frame, provenance};
use crate::columns::cast::Provenance;
use crate::schema::display_name;
use crate::schema::keys::{is_absent, is_hidden, is_patch};
use crate::sync::lock;
use crate::units::counted;

/// The nulls of all frames so far, in any order.
#[derive(Debug, Default)]
pub struct AbsentKeys(Mutex<SeenFrames>);

#[derive(Debug, Default)]
struct SeenFrames {
    rows: usize,
    columns: BTreeMap<String, ColumnNulls>,
}

#[derive(Debug, Default)]
struct ColumnNulls {
    /// Number of rows in frames that have the column.
    rows: usize,
    /// Number of rows without the key.
    absent: usize,
    /// Number of rows in which the key is null.
    null: usize,
}

impl AbsentKeys {
    /// Counts the nulls of a frame before it is written.
    pub fn count(&self, frame: &Frame) {
        if !self.count_rows(frame.rows(), provenance(frame.schema.metadata())) {
            return;
        }
        let fields = frame.schema.fields();
        let arrays = |at: usize| frame.batches.iter().map(move |batch| batch.column(at));
        let shown = fields
            .iter()
            .enumerate()
            .filter(|(_, field)| !is_hidden(field))
            .enumerate();
        for (position, (at, field)) in shown {
            let gap = fields
                .get(at + 1)
                .filter(|field| is_gap(field))
                .map(|_| arrays(at + 1));
            self.count_column(position, field, arrays(at), gap.into_iter().flatten());
        }
    }

    /// Counts rows whose columns are passed to [`Self::count_column`]. Returns false, and counts nothing, if they are not
    /// from JSON.
    pub fn count_rows(&self, rows: usize, from: Provenance) -> bool {
        let is_json = from == Provenance::Json;
        if is_json {
            lock(&self.0).rows += rows;
        }
        is_json
    }

    /// Counts the nulls of a column; `gaps` shows where its key was absent.
    pub fn count_column<'a>(
        &self,
        position: usize,
        field: &Field,
        arrays: impl Iterator<Item = &'a ArrayRef>,
        gap: impl Iterator<Item = &'a ArrayRef>,
    ) {
        let counts = arrays.map(|array| (array.len(), array.logical_null_count()));
        let (rows, nulls) = counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
        let absent = if is_absent(field) {
            nulls
        } else {
            // Frames of other writers may mark a column of another type.
            gap.filter_map(|array| array.as_boolean_opt())
                .map(BooleanArray::true_count)
                .sum()
        };
        let mut seen = lock(&self.0);
        let name = display_name(field.name(), position);
        let column = seen.columns.entry(name).or_default();
        column.rows += rows;
        column.absent += absent;
        column.null += nulls.saturating_sub(absent);
    }

    /// A note about columns that mix absent and null keys; `None` if no column does.
    pub fn note(&self) -> Option<String> {
        let seen = lock(&self.0);
        let is_mixed = |column: &&ColumnNulls| {
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

/// True for a hidden column that shows where a key was absent.
fn is_gap(field: &Field) -> bool {
    is_hidden(field) && !is_patch(field)
}
