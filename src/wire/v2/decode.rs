//! Decodes columns to arrays.

mod arrays;
mod positions;
mod repeated;
mod shared;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, LargeListArray, ListArray, MapArray,
    NullArray, RecordBatch, StructArray, new_null_array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema};

pub(super) use arrays::{Placement, numbers};
use arrays::{dictionary, primitive, text};
use positions::in_turn;
use repeated::Repeated;
pub(super) use shared::Shared;

use super::budget::null_bytes;
use super::column::ColumnTree;
use super::envelope::Envelope;
use super::gather::{chunks, wide};
use super::groups::Groups;
use super::load::Selected;
use super::pick::RowValues;
use super::reference::{Reference, ReferenceValues};
use super::statistics::{check, check_strings, of_numbers};
use super::types;
use crate::columns::record_batch;
use crate::columns::statistics::MinMax;
use crate::error::{Error, Kind, Result, shell_word};
use crate::schema::display_name;
use crate::schema::keys::is_hidden;
use crate::wire::encodings::{Node, ValueKind, strings};
use crate::wire::workers::{CallingThread, Workers, map, try_map};

/// Decodes envelopes.
#[derive(Clone, Copy, Debug)]
pub struct Decoder {
    /// The most bytes that a frame may take in memory.
    pub(super) max_bytes: usize,
    /// True if columns of repeated texts become dictionaries.
    keeps_dictionaries: bool,
}

impl Decoder {
    /// A decoder that refuses columns that take more than `max_bytes` bytes in memory, including their sections.
    pub fn new(max_bytes: u64) -> Self {
        Self {
            max_bytes: usize::try_from(max_bytes).unwrap_or(usize::MAX),
            keeps_dictionaries: false,
        }
    }

    /// Changes the limit.
    pub fn set_limit(&mut self, max_bytes: u64) {
        self.max_bytes = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    }

    /// Decodes columns of text that are stored as a dictionary of few texts to Arrow dictionaries, and changes the types
    /// of their fields accordingly. This is faster if the texts are only printed.
    #[must_use]
    pub fn keeping_dictionaries(self, keeps_dictionaries: bool) -> Self {
        Self {
            keeps_dictionaries,
            ..self
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
        self.decode_selected(&CallingThread, bytes, envelope, &envelope.selected(keep)?)
    }

    /// Like [`Self::decode`], on several threads. The result is the same for any number of them.
    ///
    /// # Errors
    /// As for [`Self::decode`].
    pub fn decode_on(
        &self,
        workers: &dyn Workers,
        bytes: &[u8],
        envelope: &Envelope,
        keep: impl FnMut(usize, &str) -> bool,
    ) -> Result<RecordBatch> {
        let selected = envelope.selected(keep)?;
        self.decode_selected(workers, bytes, envelope, &selected)
            // If memory is short, the column that fails depends on the order of the work, which one thread fixes.
            .or_else(|_| self.decode_selected(&CallingThread, bytes, envelope, &selected))
    }

    fn decode_selected(
        self,
        workers: &dyn Workers,
        bytes: &[u8],
        envelope: &Envelope,
        selected: &Selected,
    ) -> Result<RecordBatch> {
        let mut shared = Shared::new(self.max_bytes, workers);
        shared.keeps_dictionaries = self.keeps_dictionaries;
        let decoded = columns(bytes, envelope, selected, &shared, |_, error| Err(error))?;
        batch(envelope, decoded)
    }
}

/// A decoded column: its position, name and type, and values.
pub(super) type Decoded = (usize, Field, ArrayRef);

/// The selected columns of an envelope, in its order. `failed` is called with the position of a column that cannot be
/// decoded and the error. Unless it returns an error, the column and the columns that need it are omitted.
pub(super) fn columns(
    bytes: &[u8],
    envelope: &Envelope,
    selected: &Selected,
    shared: &Shared<'_>,
    mut failed: impl FnMut(usize, Error) -> Result<()>,
) -> Result<Vec<Decoded>> {
    let (columns, opened_bytes) = envelope.load(bytes, selected, shared.workers)?;
    // The sections stay in memory in addition to the columns.
    shared.take(opened_bytes, 1)?;
    let mut others = Others::default();
    let mut decoded = Vec::new();
    let keys = columns.iter().filter_map(|(_, column)| column.key());
    let keys: HashSet<usize> = keys.collect();
    let references = columns.iter().filter_map(|(_, column)| column.reference());
    let references: HashSet<usize> = references.map(|of| of.column).collect();
    // Keys are neither grouped nor differences, and reference columns are not differences. Keys come first, since finding
    // their groups takes long, and the grouped columns wait for them.
    let (differences, columns): (Vec<_>, Vec<_>) = columns
        .into_iter()
        .partition(|(_, column)| column.reference().is_some());
    let (grouped, mut plain): (Vec<_>, Vec<_>) = columns
        .into_iter()
        .partition(|(_, column)| column.key().is_some());
    plain.sort_by_key(|(position, _)| !keys.contains(position));
    for columns in [plain, grouped, differences] {
        let results = map(shared.workers, columns, |(position, column)| {
            let is_key = keys.contains(&position);
            let is_reference = references.contains(&position);
            if shared.keeps_dictionaries
                && !is_key
                && let Some(repeated) = Repeated::of(&column)
            {
                let array = repeated.decode(&others, shared);
                let result = array.map(|array| (array, None, None));
                return (position, repeated.field(), result);
            }
            let field = column.field.clone();
            let array = decode_with(column, &others, None, shared);
            let with_uses = |array| {
                let groups = is_key.then(|| groups_of(&array, shared)).transpose()?;
                let values = is_reference.then(|| reference_of(&array, shared));
                Ok((array, groups, values.transpose()?))
            };
            (position, field, array.and_then(with_uses))
        });
        for (position, field, result) in results {
            match result {
                Ok((array, groups, values)) => {
                    others
                        .groups
                        .extend(groups.map(|groups| (position, groups)));
                    others
                        .references
                        .extend(values.map(|values| (position, values)));
                    if selected.wants(position) {
                        decoded.push((position, field, array));
                    }
                }
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
fn groups_of(key: &ArrayRef, shared: &Shared<'_>) -> Result<Groups> {
    // A copy of its values, and their places, codes, groups and order.
    shared.take(key.get_array_memory_size(), 1)?;
    shared.take(key.len(), 20)?;
    let key = RowValues::of(key.data_type(), &chunks(std::slice::from_ref(key)))?;
    Groups::of(&key, usize::MAX)
        .ok_or_else(|| Error::corrupt("the column cannot be a grouping key"))
}

/// The values of a reference column.
fn reference_of(column: &ArrayRef, shared: &Shared<'_>) -> Result<ReferenceValues> {
    // A copy of its values, and the values of all rows.
    shared.take(column.len(), 16)?;
    ReferenceValues::of(column.data_type(), &chunks(std::slice::from_ref(column)))?
        .ok_or_else(|| Error::corrupt("the column cannot be a reference column"))
}

/// What columns need of columns that have been decoded before them, by position.
#[derive(Default)]
struct Others {
    groups: HashMap<usize, Groups>,
    references: HashMap<usize, ReferenceValues>,
}

impl Others {
    /// The groups that a column is stored in, if it has a key.
    fn groups(&self, column: &ColumnTree) -> Result<Option<&Groups>> {
        let missing = || Error::corrupt("the values are grouped, but by no column");
        let groups = |key| self.groups.get(&key).ok_or_else(missing);
        column.key().map(groups).transpose()
    }

    /// What a column is stored as differences from, and the values there.
    fn reference(&self, column: &ColumnTree) -> Result<Option<(Reference, &ReferenceValues)>> {
        let missing = || Error::corrupt("the values are differences, but from no column");
        let values = |of: Reference| {
            let values = self.references.get(&of.column).ok_or_else(missing)?;
            Ok((of, values))
        };
        column.reference().map(values).transpose()
    }
}

/// Decodes a column. Arrow keeps a slot in every child for a null parent; frames do not. `slots` marks
/// the slots of the array that are rows of the column; the others become nulls. `None` if all are.
fn decode(column: ColumnTree, slots: Option<&NullBuffer>, shared: &Shared<'_>) -> Result<ArrayRef> {
    decode_with(column, &Others::default(), slots, shared)
}

/// Like [`decode`], for columns of the header: these may need others.
fn decode_with(
    column: ColumnTree,
    others: &Others,
    slots: Option<&NullBuffer>,
    shared: &Shared<'_>,
) -> Result<ArrayRef> {
    let nulls = nulls(&column, slots, shared)?;
    let groups = others.groups(&column)?;
    let reference = others.reference(&column)?;
    let positions = column.positions();
    let ColumnTree {
        field,
        valid,
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
    let nulls = nulls.as_ref();
    let placement = Placement {
        rows,
        nulls,
        groups,
    };
    let run = |node: &Node| {
        let mut values = whole_numbers(node, shared)?;
        if let Some((reference, others)) = reference {
            others.restore(reference, nulls, &mut values);
        }
        Ok(values)
    };
    match (data_type, &runs[..]) {
        (DataType::Struct(fields), []) => {
            if nulls.is_some() {
                shared.take(rows, 8 * children.len())?;
            }
            let children: Vec<_> = children.into_iter().enumerate().collect();
            let arrays = try_map(shared.workers, children, |(at, column)| {
                let name = display_name(column.field.name(), at);
                let array = decode(column, nulls, shared);
                array.map_err(|error| error.below_column(&format!(".{name}")))
            })?;
            if arrays.is_empty() {
                let array = StructArray::new_empty_fields(rows, nulls.cloned());
                return Ok(Arc::new(array));
            }
            built(StructArray::try_new(fields.clone(), arrays, nulls.cloned()))
        }
        (DataType::FixedSizeList(item, len), []) => {
            let len = *len as usize;
            let items = only(&mut children)?;
            if items.rows != valid.saturating_mul(len) {
                return Err(Error::corrupt("a list has the wrong number of items"));
            }
            let slots = nulls.filter(|_| len > 0).map(|nulls| {
                shared.take(rows.saturating_mul(len), 1)?;
                Ok(nulls.expand(len))
            });
            let items = items_of(items, slots.transpose()?.as_ref(), shared)
                .map_err(|error| error.below_column("[]"))?;
            let (item, len, nulls) = (Arc::clone(item), len as i32, nulls.cloned());
            built(FixedSizeListArray::try_new_with_length(
                item, len, items, nulls, rows,
            ))
        }
        (DataType::Dictionary(key_type, _), keys) => {
            let keys = keys.first().map_or(Ok(Vec::new()), run)?;
            let values = only(&mut children)?;
            let known = values.rows as u64;
            if keys.iter().any(|&key| key as u64 >= known) {
                return Err(Error::corrupt("a dictionary key is out of range"));
            }
            shared.take(rows, 8)?;
            let keys = numbers(key_type, keys, placement)?;
            let values = decode(values, None, shared)?;
            dictionary(data_type, &keys, &values)
        }
        (_, lengths) if types::has_children(data_type) => {
            let lengths = match positions {
                Some(len) => {
                    shared.take(valid, 8)?;
                    vec![len as i64; valid]
                }
                None => lengths.first().map_or(Ok(Vec::new()), run)?,
            };
            shared.take(rows, 8)?;
            let lengths = placement.expand(lengths);
            list(data_type, &lengths, children, nulls, shared)
        }
        (DataType::Null, []) => Ok(Arc::new(NullArray::new(rows))),
        (_, []) => {
            shared.take(rows, null_bytes(data_type))?;
            Ok(new_null_array(data_type, rows))
        }
        (_, [low, high]) => {
            let (low, high) = (run(low)?, run(high)?);
            let values: Vec<i128> = wide(&low, &high).collect();
            check(stored, || MinMax::of_wide(values.iter().copied()))?;
            shared.take(rows, 16)?;
            shared.take(placement.regrouped_rows(), 16)?;
            primitive(data_type, values, placement)
        }
        (DataType::Boolean, [node]) => {
            let values = run(node)?;
            if values.iter().any(|value| !(0..=1).contains(value)) {
                return Err(Error::corrupt("a bool is neither 0 nor 1"));
            }
            check(stored, || of_numbers(data_type, &values))?;
            shared.take(rows, 8)?;
            let values = placement.expand(values);
            let bits = BooleanBuffer::collect_bool(rows, |row| values[row] == 1);
            Ok(Arc::new(BooleanArray::new(bits, nulls.cloned())))
        }
        (DataType::Float64, [node]) => {
            shared.take(node.len.max(rows), 8)?;
            shared.take(placement.regrouped_rows(), 8)?;
            let values = match reference {
                Some(_) => run(node)?,
                None => node.numbers(ValueKind::Floats)?,
            };
            check(stored, || of_numbers(data_type, &values))?;
            numbers(data_type, values, placement)
        }
        (_, [node]) if types::kind(data_type) == Some(ValueKind::Strings) => {
            shared.take(node.len.max(rows), 4)?;
            let values = strings::decode_shared(node, shared.left())?;
            check_strings(stored, node, &values)?;
            shared.take(values.data.len(), 1)?;
            if placement.groups.is_some() {
                // Another copy, and the place and the end of each row.
                shared.take(values.data.len(), 1)?;
                shared.take(placement.regrouped_rows(), 8)?;
            }
            if let DataType::FixedSizeBinary(_) = data_type {
                shared.take(rows, null_bytes(data_type))?;
            }
            text(data_type, values, placement)
        }
        (_, [node]) => {
            let values = run(node)?;
            check(stored, || of_numbers(data_type, &values))?;
            shared.take(rows, 8)?;
            numbers(data_type, values, placement)
        }
        (other, _) => Err(Error::corrupt(format!(
            "the values are not of type {other}"
        ))),
    }
}

/// An array that Arrow has checked.
fn built(array: std::result::Result<impl Array + 'static, ArrowError>) -> Result<ArrayRef> {
    Ok(Arc::new(array.map_err(Error::corrupt)?))
}

/// The only child column.
fn only(children: &mut Vec<ColumnTree>) -> Result<ColumnTree> {
    children
        .pop()
        .ok_or_else(|| Error::corrupt("a column has no child columns"))
}

/// Decodes a run of integers.
fn whole_numbers(node: &Node, shared: &Shared<'_>) -> Result<Vec<i64>> {
    shared.take(node.len, 8)?;
    node.ints()
}

/// Which of the slots hold a valid row; `None` if all do. See [`decode`].
fn nulls(
    column: &ColumnTree,
    slots: Option<&NullBuffer>,
    shared: &Shared<'_>,
) -> Result<Option<NullBuffer>> {
    let ColumnTree { rows, valid, .. } = *column;
    let len = slots.map_or(rows, NullBuffer::len);
    let Some(node) = &column.validity else {
        if valid == rows {
            return Ok(slots.cloned());
        }
        shared.take(len, 1)?;
        return Ok(Some(NullBuffer::new_null(len)));
    };
    let bits = whole_numbers(node, shared)?;
    if bits.iter().any(|bit| !(0..=1).contains(bit)) {
        return Err(Error::corrupt("a validity bit is neither 0 nor 1"));
    }
    if slots.is_some() {
        shared.take(len, 8)?;
    }
    let bits = Placement {
        rows: len,
        nulls: slots,
        groups: None,
    }
    .expand(bits);
    let bits = BooleanBuffer::collect_bool(len, |slot| bits[slot] == 1);
    if bits.count_set_bits() != valid {
        return Err(Error::corrupt(
            "the column declares a different number of valid rows",
        ));
    }
    Ok(Some(NullBuffer::new(bits)))
}

/// Decodes the items of lists. Empty items take no memory, but each of them prints as several bytes, all in one row.
fn items_of(
    items: ColumnTree,
    slots: Option<&NullBuffer>,
    shared: &Shared<'_>,
) -> Result<ArrayRef> {
    if matches!(
        items.field.data_type(),
        DataType::Null | DataType::Struct(_)
    ) {
        shared.take(items.rows, 8)?;
    }
    decode(items, slots, shared)
}

/// Decodes the items of lists, which are one column or a column per position.
fn items_of_lists(mut children: Vec<ColumnTree>, shared: &Shared<'_>) -> Result<ArrayRef> {
    if children.len() < 2 {
        return items_of(only(&mut children)?, None, shared);
    }
    let arrays = try_map(shared.workers, children, |items| {
        items_of(items, None, shared)
    })?;
    // A copy, until the arrays are dropped.
    for array in &arrays {
        shared.take(array.get_array_memory_size(), 1)?;
    }
    in_turn(&arrays)
}

fn list(
    data_type: &DataType,
    lengths: &[i64],
    children: Vec<ColumnTree>,
    nulls: Option<&NullBuffer>,
    shared: &Shared<'_>,
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
    if end as usize != children.iter().map(|items| items.rows).sum::<usize>() {
        return Err(Error::corrupt("the lists have the wrong number of items"));
    }
    let nulls = nulls.cloned();
    let is_map = matches!(data_type, DataType::Map(..));
    let below = if is_map { "{}" } else { "[]" };
    let items = items_of_lists(children, shared).map_err(|error| error.below_column(below))?;
    if let DataType::LargeList(item) = data_type {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let item = Arc::clone(item);
        return built(LargeListArray::try_new(item, offsets, items, nulls));
    }
    let small = |end| i32::try_from(end).map_err(|_| Error::corrupt("a list is too long"));
    let offsets = offsets.into_iter().map(small).collect::<Result<Vec<_>>>()?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    match data_type {
        DataType::List(item) => built(ListArray::try_new(Arc::clone(item), offsets, items, nulls)),
        DataType::Map(entry, sorted) => {
            let entries = items.as_struct_opt().cloned();
            let entries =
                entries.ok_or_else(|| Error::corrupt("the entries of a map are not structs"))?;
            let entry = Arc::clone(entry);
            built(MapArray::try_new(entry, offsets, entries, nulls, *sorted))
        }
        other => Err(Error::corrupt(format!(
            "the values are not of type {other}"
        ))),
    }
}
