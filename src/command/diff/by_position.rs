//! Compares row n of one input with row n of the other.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{Field, Schema};

use super::cells::{Cell, ComparedColumns, differ};
use super::found::{Difference, Differences};
use crate::columns::cast::with_words_spelled;
use crate::columns::value::{LeafColumn, paths_of_whole_objects};
use crate::columns::{cannot_hold, record_batch};
use crate::error::Result;
use crate::pipeline::Batches;
use crate::schema::ROW_COLUMN;
use crate::schema::keys::{ROLE, ROW, is_row};

/// Compares two inputs row by row.
///
/// # Errors
/// If an input cannot be read.
pub fn compare(
    inputs: [Batches; 2],
    paths: &mut ComparedColumns,
    found: &mut Differences,
) -> Result<()> {
    let mut sides = inputs.map(|batches| InputRows {
        batches,
        current: None,
    });
    let mut before = 0;
    loop {
        let [left, right] = &mut sides;
        let rows = match (left.left()?, right.left()?) {
            (0, 0) => break,
            (0, rows) | (rows, 0) => rows,
            (left, right) => left.min(right),
        };
        let parts = [left.take(rows), right.take(rows)];
        compare_parts(&parts, rows, before, paths, found)?;
        before += rows as u64;
    }
    Ok(())
}

/// The rows of one input, which can be taken in pieces of any size.
struct InputRows {
    batches: Batches,
    current: Option<RecordBatch>,
}

impl InputRows {
    /// Number of rows that can be taken at once; 0 at the end.
    fn left(&mut self) -> Result<usize> {
        while self
            .current
            .as_ref()
            .is_none_or(|batch| batch.num_rows() == 0)
        {
            self.current = match self.batches.next() {
                Some(batch) => Some(with_words_spelled(batch?)?),
                None => return Ok(0),
            };
        }
        Ok(self.current.as_ref().map_or(0, RecordBatch::num_rows))
    }

    /// Takes `rows` rows; `None` at the end.
    fn take(&mut self, rows: usize) -> Option<RecordBatch> {
        let batch = self.current.take().filter(|batch| batch.num_rows() > 0)?;
        self.current = Some(batch.slice(rows, batch.num_rows() - rows));
        Some(batch.slice(0, rows))
    }
}

/// The rows as values of one column if the rows of `other` are: a frame of nothing but objects has columns for their
/// members.
fn whole_rows(
    batch: Option<&RecordBatch>,
    other: Option<&RecordBatch>,
) -> Result<Option<RecordBatch>> {
    let has_rows = |batch: &RecordBatch| batch.schema().fields().iter().any(|it| is_row(it));
    let Some(batch) = batch.filter(|it| !has_rows(it) && other.is_some_and(has_rows)) else {
        return Ok(batch.cloned());
    };
    let (fields, columns) = (batch.schema().fields().clone(), batch.columns().to_vec());
    let rows = StructArray::try_new_with_length(fields, columns, None, batch.num_rows());
    let rows: ArrayRef = Arc::new(rows.map_err(cannot_hold)?);
    let mark = HashMap::from([(ROLE.to_owned(), ROW.to_owned())]);
    let field = Field::new(ROW_COLUMN, rows.data_type().clone(), true).with_metadata(mark);
    let schema = Arc::new(Schema::new(vec![field]));
    let whole = record_batch(schema, vec![rows], batch.num_rows());
    whole.map(Some).map_err(cannot_hold)
}

/// Compares the next rows of both inputs; `None` for an input that has ended.
fn compare_parts(
    parts: &[Option<RecordBatch>; 2],
    rows: usize,
    before: u64,
    paths: &mut ComparedColumns,
    found: &mut Differences,
) -> Result<()> {
    let [left, right] = parts.each_ref().map(Option::as_ref);
    let parts = [whole_rows(left, right)?, whole_rows(right, left)?];
    // Objects may be maps or text of JSON in one frame and structs in another.
    let whole = paths_of_whole_objects(parts.iter().flatten());
    let mut sides: [Vec<Option<LeafColumn<'_>>>; 2] = Default::default();
    for (side, part) in parts.iter().enumerate() {
        if let Some(batch) = part {
            sides[side] = paths.leaves(batch, side, &whole)?;
            found.rows[side] += rows as u64;
        }
    }
    let places = sides[0].len().max(sides[1].len());
    let column = |side: usize, place: usize| sides[side].get(place)?.as_ref();
    let cell = |side, place, row| Cell::of(column(side, place)?, row);
    let only = match &parts {
        [Some(_), None] => Some(0),
        [None, Some(_)] => Some(1),
        _ => None,
    };
    if let Some(side) = only {
        for row in 0..rows {
            let cells = (0..places).filter_map(|place| Some((place, cell(side, place, row)?)));
            let row = before + row as u64;
            found.add(Difference::only(side, row, Vec::new(), cells));
        }
        return Ok(());
    }
    // Compare column by column, since most rows are equal.
    let mut differing: Vec<(usize, usize)> = Vec::new();
    for place in 0..places {
        let columns = [column(0, place), column(1, place)];
        let differs = |&row: &usize| match columns {
            [Some(left), Some(right)] => {
                !left.values.surely_equals(&right.values, row) && {
                    let cells = [left, right].map(|column| Cell::of(column, row));
                    let classes = [left, right].map(|column| column.values.class());
                    differ(cells.each_ref().map(Option::as_ref), classes)
                }
            }
            [Some(one), None] | [None, Some(one)] => !one.values.is_null(row),
            [None, None] => false,
        };
        differing.extend((0..rows).filter(differs).map(|row| (row, place)));
    }
    differing.sort_unstable();
    let by_row = differing.chunk_by(|(a, _), (b, _)| a == b);
    let mut changed = 0;
    for cells in by_row {
        changed += 1;
        let row = cells[0].0;
        let cells = cells.iter().map(|&(row, place)| {
            let cells = [cell(0, place, row), cell(1, place, row)];
            (place, cells)
        });
        found.add(Difference {
            row: before + row as u64,
            only: None,
            key: Vec::new(),
            cells: cells.collect(),
        });
    }
    found.equal += (rows - changed) as u64;
    Ok(())
}
