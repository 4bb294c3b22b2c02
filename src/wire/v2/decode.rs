//! Decodes columns to arrays.

mod arrays;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, MapArray, NullArray, RecordBatch, StructArray, make_array, new_null_array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};

pub(super) use arrays::numbers;
use arrays::{expand, primitive, text};

use super::budget::{null_bytes, take, take_moved};
use super::column::ColumnTree;
use super::envelope::Envelope;
use super::gather::wide;
use super::groups::Groups;
use super::statistics::{check, check_strings, of_numbers};
use super::types;
use crate::columns::record_batch;
use crate::columns::statistics::MinMax;
use crate::error::{Error, Kind, Result, shell_word};
use crate::schema::display_name;
use crate::schema::keys::is_hidden;
use crate::wire::encodings::{Node, ValueKind, strings};

/// Decodes envelopes.
#[derive(Clone, Copy, Debug)]
pub struct Decoder {
    /// The most bytes that a frame may take in memory.
    pub(super) max_bytes: usize,
}

impl Decoder {
    /// A decoder that refuses columns that take more than `max_bytes` bytes in memory, including their sections.
    pub fn new(max_bytes: u64) -> Self {
        Self {
            max_bytes: usize::try_from(max_bytes).unwrap_or(usize::MAX),
        }
    }

    /// Decodes the selected columns of an envelope whose header has been read, in the envelope's order.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] with the column if the envelope is damaged,
    /// [`crate::error::Kind::Limit`] if it expands to more than the limit.
    pub fn decode(
        &self,
        bytes: &[u8],
        envelope: &Envelope,
        keep: impl FnMut(usize, &str) -> bool,
    ) -> Result<RecordBatch> {
        let mut left = self.max_bytes;
        let decoded = columns(bytes, envelope, keep, &mut left, |_, error| Err(error))?;
        batch(envelope, decoded)
    }
}

/// A decoded column: its position, name and type, and values.
pub(super) type Decoded = (usize, Field, ArrayRef);

/// The selected columns of an envelope, in its order. `failed` is called with the position of a column that cannot be
/// decoded and the error. Unless it returns an error, the column and those grouped by it are omitted.
pub(super) fn columns(
    bytes: &[u8],
    envelope: &Envelope,
    keep: impl FnMut(usize, &str) -> bool,
    left: &mut usize,
    mut failed: impl FnMut(usize, Error) -> Result<()>,
) -> Result<Vec<Decoded>> {
    let (wanted, keys) = envelope.selected(keep)?;
    let is_wanted = |position: &usize| wanted.binary_search(position).is_ok();
    let missing_keys = keys.iter().filter(|key| !is_wanted(key));
    let mut body = envelope.body(bytes)?;
    let mut columns = wanted
        .iter()
        .chain(missing_keys)
        .map(|&at| Ok((at, envelope.load(at, &mut body)?)))
        .collect::<Result<Vec<_>>>()?;
    // The sections stay in memory in addition to the columns.
    take(left, body.opened_bytes(), 1)?;
    drop(body);
    let mut keys: HashMap<usize, Option<Groups>> =
        keys.into_iter().map(|key| (key, None)).collect();
    let mut decoded = Vec::new();
    // Decode keys first; they are never grouped themselves.
    columns.sort_unstable_by_key(|(position, column)| (column.key.is_some(), *position));
    for (position, column) in columns {
        let field = column.field.clone();
        let array = match column.key.and_then(|key| keys.get(&key)?.as_ref()) {
            Some(groups) => ungrouped(column, groups, left),
            None => decode(column, None, left),
        };
        let array = array.and_then(|array| {
            if let Some(groups) = keys.get_mut(&position) {
                *groups = Some(groups_of(&array, left)?);
            }
            Ok(array)
        });
        match array {
            Ok(array) if is_wanted(&position) => decoded.push((position, field, array)),
            Ok(_) => {}
            Err(error) => {
                let name = display_name(field.name(), position);
                let error = envelope.in_values(error.below_column(&name), position);
                let error = match error.kind() {
                    Kind::Unsupported => error.hint(hint_to_omit(envelope)),
                    _ => error,
                };
                failed(position, error)?;
            }
        }
    }
    decoded.sort_unstable_by_key(|(position, ..)| *position);
    Ok(decoded)
}

/// The columns of an envelope as a batch.
pub(super) fn batch(envelope: &Envelope, columns: Vec<Decoded>) -> Result<RecordBatch> {
    let (fields, arrays): (Vec<_>, Vec<_>) = columns
        .into_iter()
        .map(|(_, field, array)| (field, array))
        .unzip();
    let schema = Schema::new_with_metadata(fields, envelope.metadata.clone());
    record_batch(Arc::new(schema), arrays, envelope.rows).map_err(Error::corrupt)
}

/// A hint on how to omit columns that cannot be read.
fn hint_to_omit(envelope: &Envelope) -> String {
    let columns = envelope.columns().unwrap_or_default();
    let names: Vec<_> = columns
        .iter()
        .enumerate()
        .filter(|(_, column)| column.unread.is_none() && !is_hidden(&column.field))
        .map(|(at, column)| display_name(column.field.name(), at))
        .collect();
    if names.is_empty() || names.len() > 8 || names.iter().any(|name| name.contains(',')) {
        return "--columns reads the other columns".to_owned();
    }
    format!(
        "--columns {} reads the others",
        shell_word(&names.join(","))
    )
}

/// The groups of a key column.
fn groups_of(key: &ArrayRef, left: &mut usize) -> Result<Groups> {
    // A copy of its values, and two numbers per row.
    take(left, key.get_array_memory_size(), 1)?;
    take(left, key.len(), 12)?;
    Groups::of(key.data_type(), std::slice::from_ref(key), usize::MAX)?
        .ok_or_else(|| Error::limit("a column has too many rows to group others by it"))
}

/// Decodes a grouped column and restores the order of its rows.
fn ungrouped(mut column: ColumnTree, groups: &Groups, left: &mut usize) -> Result<ArrayRef> {
    column.key = None;
    if column.valid == 0 {
        return decode(column, None, left);
    }
    let nulls = nulls(&column, None, left)?;
    (column.rows, column.validity) = (column.valid, None);
    let values = decode(column, None, left)?;
    take_moved(left, &values, groups.rows())?;
    take(left, groups.rows(), 8)?;
    groups.scatter(&values, nulls.as_ref())
}

/// Decodes a column. Arrow keeps a slot in every child for a null parent; frames do not. `slots` marks
/// the slots of the array that are rows of the column; the others become nulls. `None` if all are.
fn decode(column: ColumnTree, slots: Option<&NullBuffer>, left: &mut usize) -> Result<ArrayRef> {
    let nulls = nulls(&column, slots, left)?;
    let ColumnTree {
        field,
        valid,
        key,
        runs,
        mut children,
        statistics,
        ..
    } = column;
    if let Some(unread) = column.unread {
        return Err(Error::new(Kind::Unsupported, unread.what));
    }
    let rows = slots.map_or(column.rows, NullBuffer::len);
    let data_type = field.data_type();
    let stored = statistics.as_ref();
    // Other columns have no minimum and maximum, so any in the header are wrong.
    if runs.is_empty() || types::has_children(data_type) {
        check(stored, || None)?;
    }
    if key.is_some() {
        return Err(Error::corrupt("the values are grouped, but by no column"));
    }
    let nulls = nulls.as_ref();
    let mut run = |node: &Node| whole_numbers(node, left);
    match (data_type, &runs[..]) {
        (DataType::Struct(fields), []) => {
            let arrays: Vec<_> = children
                .into_iter()
                .enumerate()
                .map(|(at, column)| {
                    let name = display_name(column.field.name(), at);
                    if nulls.is_some() {
                        take(left, rows, 8)?;
                    }
                    decode(column, nulls, left)
                        .map_err(|error| error.below_column(&format!(".{name}")))
                })
                .collect::<Result<_>>()?;
            if arrays.is_empty() {
                return Ok(Arc::new(StructArray::new_empty_fields(
                    rows,
                    nulls.cloned(),
                )));
            }
            let array = StructArray::try_new(fields.clone(), arrays, nulls.cloned())
                .map_err(Error::corrupt)?;
            Ok(Arc::new(array))
        }
        (DataType::FixedSizeList(item, len), []) => {
            let len = *len as usize;
            let items = only(&mut children)?;
            if items.rows != valid.saturating_mul(len) {
                return Err(Error::corrupt("a list has the wrong number of items"));
            }
            let slots = nulls.filter(|_| len > 0).map(|nulls| {
                take(left, rows.saturating_mul(len), 1)?;
                Ok(nulls.expand(len))
            });
            let items = items_of(items, slots.transpose()?.as_ref(), left)
                .map_err(|error| error.below_column("[]"))?;
            let array = arrow_array::FixedSizeListArray::try_new_with_length(
                Arc::clone(item),
                len as i32,
                items,
                nulls.cloned(),
                rows,
            )
            .map_err(Error::corrupt)?;
            Ok(Arc::new(array))
        }
        (DataType::Dictionary(key_type, _), keys) => {
            let keys = keys.first().map_or(Ok(Vec::new()), &mut run)?;
            let values = only(&mut children)?;
            let known = values.rows as u64;
            if keys.iter().any(|&key| key as u64 >= known) {
                return Err(Error::corrupt("a dictionary key is out of range"));
            }
            take(left, rows, 8)?;
            let keys = numbers(key_type, keys, rows, nulls)?;
            let values = decode(values, None, left)?;
            let data = keys
                .to_data()
                .into_builder()
                .data_type(data_type.clone())
                .child_data(vec![values.to_data()])
                .build()
                .map_err(Error::corrupt)?;
            Ok(make_array(data))
        }
        (_, lengths) if types::has_children(data_type) => {
            let lengths = lengths.first().map_or(Ok(Vec::new()), &mut run)?;
            take(left, rows, 8)?;
            let lengths = expand(lengths, rows, nulls);
            list(data_type, &lengths, only(&mut children)?, nulls, left)
        }
        (DataType::Null, []) => Ok(Arc::new(NullArray::new(rows))),
        (_, []) => {
            take(left, rows, null_bytes(data_type))?;
            Ok(new_null_array(data_type, rows))
        }
        (_, [low, high]) => {
            let (low, high) = (run(low)?, run(high)?);
            let values: Vec<i128> = wide(&low, &high).collect();
            check(stored, || MinMax::of_wide(values.iter().copied()))?;
            take(left, rows, 16)?;
            primitive(data_type, expand(values, rows, nulls), nulls)
        }
        (DataType::Boolean, [node]) => {
            let values = run(node)?;
            if values.iter().any(|value| !(0..=1).contains(value)) {
                return Err(Error::corrupt("a bool is neither 0 nor 1"));
            }
            check(stored, || of_numbers(data_type, &values))?;
            take(left, rows, 8)?;
            let values = expand(values, rows, nulls);
            let bits = BooleanBuffer::collect_bool(rows, |row| values[row] == 1);
            Ok(Arc::new(arrow_array::BooleanArray::new(
                bits,
                nulls.cloned(),
            )))
        }
        (DataType::Float64, [node]) => {
            take(left, node.len.max(rows), 8)?;
            let values = node.numbers(ValueKind::Floats)?;
            check(stored, || of_numbers(data_type, &values))?;
            numbers(data_type, values, rows, nulls)
        }
        (_, [node]) if types::kind(data_type) == Some(ValueKind::Strings) => {
            take(left, node.len.max(rows), 4)?;
            let values = strings::decode_shared(node, *left)?;
            check_strings(stored, node, &values)?;
            take(left, values.data.len(), 1)?;
            if let DataType::FixedSizeBinary(_) = data_type {
                take(left, rows, null_bytes(data_type))?;
            }
            text(data_type, values, rows, nulls)
        }
        (_, [node]) => {
            let values = run(node)?;
            check(stored, || of_numbers(data_type, &values))?;
            take(left, rows, 8)?;
            numbers(data_type, values, rows, nulls)
        }
        (other, _) => Err(Error::corrupt(format!(
            "the values are not of type {other}"
        ))),
    }
}

/// The only child column.
fn only(children: &mut Vec<ColumnTree>) -> Result<ColumnTree> {
    children
        .pop()
        .ok_or_else(|| Error::corrupt("a column has no child columns"))
}

/// Decodes a run of integers.
fn whole_numbers(node: &Node, left: &mut usize) -> Result<Vec<i64>> {
    take(left, node.len, 8)?;
    node.ints()
}

/// Which of the slots hold a valid row; `None` if all do. See [`decode`].
fn nulls(
    column: &ColumnTree,
    slots: Option<&NullBuffer>,
    left: &mut usize,
) -> Result<Option<NullBuffer>> {
    let ColumnTree { rows, valid, .. } = *column;
    let len = slots.map_or(rows, NullBuffer::len);
    let Some(node) = &column.validity else {
        if valid == rows {
            return Ok(slots.cloned());
        }
        take(left, len, 1)?;
        return Ok(Some(NullBuffer::new_null(len)));
    };
    let bits = whole_numbers(node, left)?;
    if bits.iter().any(|bit| !(0..=1).contains(bit)) {
        return Err(Error::corrupt("a validity bit is neither 0 nor 1"));
    }
    if slots.is_some() {
        take(left, len, 8)?;
    }
    let bits = expand(bits, len, slots);
    let bits = BooleanBuffer::collect_bool(len, |slot| bits[slot] == 1);
    if bits.count_set_bits() != valid {
        return Err(Error::corrupt(
            "the column declares a different number of valid rows",
        ));
    }
    Ok(Some(NullBuffer::new(bits)))
}

/// Decodes the items of lists. Empty items take no memory, but each of them prints as several bytes, all in one row.
fn items_of(items: ColumnTree, slots: Option<&NullBuffer>, left: &mut usize) -> Result<ArrayRef> {
    if matches!(
        items.field.data_type(),
        DataType::Null | DataType::Struct(_)
    ) {
        take(left, items.rows, 8)?;
    }
    decode(items, slots, left)
}

fn list(
    data_type: &DataType,
    lengths: &[i64],
    items: ColumnTree,
    nulls: Option<&NullBuffer>,
    left: &mut usize,
) -> Result<ArrayRef> {
    let mut end = 0_i64;
    let mut offsets = Vec::with_capacity(lengths.len() + 1);
    offsets.push(0);
    for &length in lengths {
        end = end
            .checked_add(length)
            .filter(|_| length >= 0)
            .ok_or_else(|| Error::corrupt("a list has a negative length"))?;
        offsets.push(end);
    }
    if end as usize != items.rows {
        return Err(Error::corrupt("the lists have the wrong number of items"));
    }
    let nulls = nulls.cloned();
    let is_map = matches!(data_type, DataType::Map(..));
    let below = if is_map { "{}" } else { "[]" };
    let values = items_of(items, None, left).map_err(|error| error.below_column(below))?;
    if let DataType::LargeList(item) = data_type {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let array = arrow_array::LargeListArray::try_new(Arc::clone(item), offsets, values, nulls)
            .map_err(Error::corrupt)?;
        return Ok(Arc::new(array));
    }
    let small = |end| i32::try_from(end).map_err(|_| Error::corrupt("a list is too long"));
    let offsets = offsets.into_iter().map(small).collect::<Result<Vec<_>>>()?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    match data_type {
        DataType::List(item) => {
            let array = arrow_array::ListArray::try_new(Arc::clone(item), offsets, values, nulls)
                .map_err(Error::corrupt)?;
            Ok(Arc::new(array))
        }
        DataType::Map(entry, sorted) => {
            let entries = values
                .as_any()
                .downcast_ref::<StructArray>()
                .ok_or_else(|| Error::corrupt("the entries of a map are not structs"))?;
            let array =
                MapArray::try_new(Arc::clone(entry), offsets, entries.clone(), nulls, *sorted)
                    .map_err(Error::corrupt)?;
            Ok(Arc::new(array))
        }
        other => Err(Error::corrupt(format!(
            "the values are not of type {other}"
        ))),
    }
}
