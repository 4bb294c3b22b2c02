//! Decides whether the items of lists are stored by position.
//!
//! A row of a table is often an array, such as `[1704187800000, 180.0, "AAPL"]`. One after the other, its items have
//! little in common, but the items at one position are a column like any other.

use arrow_schema::Field;

use super::values::{EncodeSpec, cost, encode};
use crate::error::Result;
use crate::wire::choose::{Cascade, Preset};
use crate::wire::v2::column::ColumnTree;
use crate::wire::v2::gather::{self, Chunk};
use crate::wire::workers::{BYTES_WORTH_A_THREAD, CallingThread, for_task, try_map};

/// Longer lists are vectors rather than rows.
const MOST_POSITIONS: usize = 64;

/// Fewer lists are not worth a column per position.
const FEWEST_LISTS: usize = 64;

/// The number of lists to try both ways with.
const SAMPLE_LISTS: usize = 1024;

/// The size of the description of a column per position in bytes, approximately.
const DESCRIPTION_BYTES: u64 = 16;

/// Saving fewer bytes is not worth a file that earlier versions cannot read.
const LEAST_SAVING: u64 = 200;

/// The number of items in each list, if all have the same number and storing them by position is expected to save a sixth
/// or more: lists of rows save more, and estimates for others are off by a tenth.
pub(in crate::wire::v2) fn positions(
    field: &Field,
    items: &[Chunk],
    lengths: &[i64],
    how: EncodeSpec<'_>,
) -> Option<usize> {
    let (&first, others) = lengths.split_first()?;
    let positions = usize::try_from(first).ok()?;
    if how.is_at_position
        || lengths.len() < FEWEST_LISTS
        || !(2..=MOST_POSITIONS).contains(&positions)
        || others.iter().any(|&length| length != first)
    {
        return None;
    }
    if let Some(plan) = how.plan.filter(|plan| !plan.children.is_empty()) {
        return (plan.positions() == Some(positions)).then_some(positions);
    }
    if how.cascade.preset == Preset::Fast {
        return None;
    }
    let lists = lengths.len().min(SAMPLE_LISTS);
    let how = EncodeSpec {
        workers: &CallingThread,
        ..how
    };
    let one = gather::by_position(items, 1, lists * positions).remove(0);
    let one = encode(field, one, how.position(0)).ok()?;
    let many = by_position(field, items, positions, lists, how).ok()?;
    let all_lists = |bytes: u64| bytes * lengths.len() as u64 / lists as u64;
    let one = all_lists(cost_of(&one, how.cascade));
    let many = all_lists(many.iter().map(|it| cost_of(it, how.cascade)).sum())
        + DESCRIPTION_BYTES * positions as u64;
    (many + (one / 6).max(LEAST_SAVING) < one).then_some(positions)
}

/// Encodes the items of the first `lists` lists by position.
pub(super) fn by_position(
    field: &Field,
    items: &[Chunk],
    positions: usize,
    lists: usize,
    how: EncodeSpec<'_>,
) -> Result<Vec<ColumnTree>> {
    let bytes: usize = items.iter().map(Chunk::len_bytes).sum();
    let workers = for_task(how.workers, bytes >= BYTES_WORTH_A_THREAD);
    let columns = gather::by_position(items, positions, lists * positions);
    let columns = columns.into_iter().enumerate().collect();
    try_map(workers, columns, |(at, items)| {
        encode(field, items, how.position(at))
    })
}

/// The size of a column and its child columns in bytes.
fn cost_of(column: &ColumnTree, cascade: Cascade) -> u64 {
    let validity = column.validity.as_ref().map_or(0, |it| cascade.cost(it));
    let children = column.children.iter().map(|it| cost_of(it, cascade));
    validity + cost(&column.runs, cascade) + children.sum::<u64>()
}
