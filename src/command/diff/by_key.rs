//! Compares rows that have the same key.
//!
//! As in a Grace hash join (Kitsuregawa et al., "Application of hash to data base machine and its architecture", 1983),
//! the rows of both inputs are partitioned into files by a hash of their key, and then compared file by file: rows with
//! equal keys are in files with the same number.

use std::collections::BTreeSet;
use std::fs::File;
use std::hash::BuildHasher as _;
use std::io::{BufReader, BufWriter, Read as _, Seek as _, Write as _};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use hashbrown::HashMap;

use super::cells::{Cell, ComparedColumns, KeyReading, differ};
use super::found::{Difference, Differences, Value};
use crate::columns::cast::with_words_spelled;
use crate::columns::value::{Class, LeafColumn, paths_of_whole_objects};
use crate::command::spool::{cannot_use, unnamed};
use crate::error::{Error, Result};
use crate::pipeline::Batches;
use crate::schema::shown_names;
use crate::varint;
use crate::wire::parse::{read_byte, read_string, read_unsigned, write_string};

/// Number of files per input.
const PARTS: usize = 64;

/// A row in a file.
#[derive(Debug)]
struct KeyedRow {
    number: u64,
    key: Vec<Value>,
    /// Values that are not null, with their column numbers.
    cells: Vec<(usize, Cell)>,
}

/// Compares the rows of two inputs that have the same values in the columns of `key`.
///
/// # Errors
/// If an input cannot be read, has no such column, or the temporary files cannot be written.
pub fn compare(
    inputs: [Batches; 2],
    key: &[String],
    paths: &mut ComparedColumns,
    found: &mut Differences,
) -> Result<()> {
    let [left, right] = inputs;
    let (left, right) = (TypedBatches::new(left)?, TypedBatches::new(right)?);
    // Objects may be maps or text of JSON in one input and structs in the other.
    let firsts = [&left, &right]
        .into_iter()
        .filter_map(|it| it.first.as_ref());
    let whole = paths_of_whole_objects(firsts);
    let (key, readings) = readings([&left, &right], key, &whole, paths)?;
    let (left, left_rows) = partition(left, 0, &readings[0], &whole, paths)?;
    let (right, right_rows) = partition(right, 1, &readings[1], &whole, paths)?;
    found.rows = [left_rows, right_rows];
    found.key = key;
    left.into_iter()
        .zip(right)
        .try_for_each(|files| compare_part(files.into(), &readings, paths, found))
}

/// The rows of an input, whose batches all have the types of the first.
struct TypedBatches {
    first: Option<RecordBatch>,
    rest: Batches,
}

impl TypedBatches {
    fn new(mut batches: Batches) -> Result<Self> {
        let first = batches.next().transpose()?;
        Ok(Self {
            first: first.map(with_words_spelled).transpose()?,
            rest: batches,
        })
    }
}

/// A column of the key in one input.
struct KeyColumn {
    /// The number of the column.
    place: usize,
    reading: KeyReading,
}

/// Finds the columns of the key in both inputs; returns their names, too.
///
/// # Errors
/// If an input lacks one.
fn readings(
    inputs: [&TypedBatches; 2],
    key: &[String],
    whole: &BTreeSet<String>,
    paths: &mut ComparedColumns,
) -> Result<(Vec<String>, [Vec<KeyColumn>; 2])> {
    let mut sides: [Vec<Option<LeafColumn<'_>>>; 2] = Default::default();
    for (side, input) in inputs.into_iter().enumerate() {
        if let Some(batch) = &input.first {
            sides[side] = paths.leaves(batch, side, whole)?;
        }
    }
    let mut key = key.to_vec();
    let mut batches = inputs.into_iter().filter_map(|input| input.first.as_ref());
    if let Some(batch) = batches.next() {
        name_positions(&mut key, batch.schema_ref(), paths);
    }
    let mut columns: [Vec<KeyColumn>; 2] = Default::default();
    for name in &key {
        let place = paths.find(name);
        let both = sides.each_ref().map(|leaves| leaves.get(place?)?.as_ref());
        for side in 0..2 {
            // An input without rows may have no columns.
            if both[side].is_none() && !sides[side].is_empty() {
                return Err(no_column(name, &sides[side]));
            }
            let reading = KeyReading::new(both[side], both[1 - side]);
            columns[side].extend(place.map(|place| KeyColumn { place, reading }));
        }
    }
    Ok((key, columns))
}

fn no_column(name: &str, leaves: &[Option<LeafColumn<'_>>]) -> Error {
    let names = leaves.iter().flatten().map(|leaf| leaf.path.as_str());
    let names = names.collect::<Vec<_>>().join(", ");
    Error::usage(format!("--key: there is no column {name:?}")).hint(format!("columns are {names}"))
}

/// Replaces positions, such as `#1`, by the names that the columns have in the first rows of the first input. An exact
/// name wins.
fn name_positions(key: &mut [String], schema: &Schema, paths: &ComparedColumns) {
    let names: Vec<_> = shown_names(schema.fields()).collect();
    for wanted in key {
        let number = wanted
            .strip_prefix('#')
            .and_then(|number| number.parse::<usize>().ok())
            .filter(|_| paths.find(wanted).is_none());
        let name = number.and_then(|number| names.get(number.checked_sub(1)?));
        if let Some(name) =
            name.filter(|name| names.iter().filter(|other| other == name).count() == 1)
        {
            wanted.clone_from(name);
        }
    }
}

/// Partitions the rows of an input into files. A row is its length in bytes (u64), its number, the values of its key,
/// and the column number and value of each other cell that is not null. Returns the files and the number of rows.
fn partition(
    rows: TypedBatches,
    side: usize,
    key: &[KeyColumn],
    whole: &BTreeSet<String>,
    paths: &mut ComparedColumns,
) -> Result<(Vec<File>, u64)> {
    let mut files: Vec<_> = (0..PARTS)
        .map(|_| unnamed().map(BufWriter::new))
        .collect::<Result<_>>()?;
    // The seed is fixed: rows with equal keys go to the same part of both inputs.
    let hash = foldhash::fast::FixedState::default();
    let mut number = 0;
    let mut bytes = Vec::new();
    let spelled = |batch: Result<RecordBatch>| with_words_spelled(batch?);
    let batches = rows.first.into_iter().map(Ok);
    for batch in batches.chain(rows.rest.map(spelled)) {
        let batch = batch?;
        let leaves = paths.leaves(&batch, side, whole)?;
        let is_key = |place: usize| key.iter().any(|column| column.place == place);
        let others: Vec<(usize, &LeafColumn<'_>)> = leaves
            .iter()
            .enumerate()
            .filter(|&(place, _)| !is_key(place))
            .filter_map(|(place, leaf)| Some((place, leaf.as_ref()?)))
            .collect();
        for row in 0..batch.num_rows() {
            bytes.clear();
            let value = |column: &KeyColumn| Cell::of(leaves.get(column.place)?.as_ref()?, row);
            let values: Vec<Value> = key.iter().map(value).collect();
            let part = hash.hash_one(key_of(&values, key)) as usize % PARTS;
            varint::push(number, &mut bytes);
            for value in &values {
                write_value(value.as_ref(), &mut bytes);
            }
            for &(place, leaf) in &others {
                if let Some(cell) = Cell::of(leaf, row) {
                    varint::push(place as u64, &mut bytes);
                    write_value(Some(&cell), &mut bytes);
                }
            }
            let len = (bytes.len() as u64).to_le_bytes();
            files[part].write_all(&len).map_err(cannot_use)?;
            files[part].write_all(&bytes).map_err(cannot_use)?;
            number += 1;
        }
    }
    let files = files
        .into_iter()
        .map(|file| {
            let mut file = file
                .into_inner()
                .map_err(std::io::IntoInnerError::into_error)?;
            file.rewind()?;
            Ok(file)
        })
        .collect::<std::io::Result<_>>()
        .map_err(cannot_use)?;
    Ok((files, number))
}

/// The most rows of the same key that are compared with a row to find an equal one.
const MOST_TRIED: usize = 256;

fn compare_part(
    files: [File; 2],
    key: &[Vec<KeyColumn>; 2],
    paths: &ComparedColumns,
    found: &mut Differences,
) -> Result<()> {
    let [mut left, mut right] = files.map(|file| RowReader {
        file: BufReader::new(file),
        keys: key[0].len(),
        bytes: Vec::new(),
    });
    // Rows of the first input without a match so far, by key; the earliest is last in its list.
    let mut waiting: HashMap<Vec<Option<Vec<u8>>>, Vec<KeyedRow>> = HashMap::new();
    while let Some(row) = left.next()? {
        waiting
            .entry(key_of(&row.key, &key[0]))
            .or_default()
            .push(row);
    }
    waiting.values_mut().for_each(|rows| rows.reverse());
    // Equal rows are partners, so that the order of rows with the same key does not matter. The others are partners in
    // their order.
    let mut unequal = Vec::new();
    while let Some(row) = right.next()? {
        let of_key = waiting.get_mut(&key_of(&row.key, &key[1]));
        let equal = of_key.and_then(|rows| {
            let from = rows.len().saturating_sub(MOST_TRIED);
            let is_equal = |other: &KeyedRow| differing(other, &row, paths).next().is_none();
            let place = from + rows[from..].iter().rposition(is_equal)?;
            Some(rows.remove(place))
        });
        match equal {
            Some(_) => found.equal += 1,
            None => unequal.push(row),
        }
    }
    for row in unequal {
        let partner = waiting
            .get_mut(&key_of(&row.key, &key[1]))
            .and_then(Vec::pop);
        match partner {
            Some(partner) => found.add(changed(partner, &row, paths)),
            None => found.add(Difference::only(1, row.number, row.key, row.cells)),
        }
    }
    let mut rest: Vec<KeyedRow> = waiting.into_values().flatten().collect();
    rest.sort_by_key(|row| row.number);
    for row in rest {
        found.add(Difference::only(0, row.number, row.key, row.cells));
    }
    Ok(())
}

/// The values of a key in the form in which equal ones have the same bytes.
fn key_of(values: &[Value], key: &[KeyColumn]) -> Vec<Option<Vec<u8>>> {
    let columns = key.iter().zip(values);
    columns
        .map(|(column, value)| column.reading.key(value.as_ref()?))
        .collect()
}

/// The cells in which two rows differ, by column number.
fn differing<'a>(
    left: &'a KeyedRow,
    right: &'a KeyedRow,
    paths: &ComparedColumns,
) -> impl Iterator<Item = (usize, [Option<&'a Cell>; 2])> {
    let mut lefts = left.cells.iter().peekable();
    let mut rights = right.cells.iter().peekable();
    // Both lists are sorted by column number.
    let pairs = std::iter::from_fn(move || {
        let place = match (lefts.peek(), rights.peek()) {
            (None, None) => return None,
            (Some((place, _)), None) | (None, Some((place, _))) => *place,
            (Some((left, _)), Some((right, _))) => *left.min(right),
        };
        let take = |cells: &mut std::iter::Peekable<std::slice::Iter<'a, (usize, Cell)>>| {
            let cell = cells.next_if(|(other, _)| *other == place);
            cell.map(|(_, cell)| cell)
        };
        Some((place, [take(&mut lefts), take(&mut rights)]))
    });
    pairs.filter(|(place, cells)| differ(*cells, paths.classes(*place)))
}

fn changed(left: KeyedRow, right: &KeyedRow, paths: &ComparedColumns) -> Difference {
    let cells = differing(&left, right, paths);
    let cells = cells.map(|(place, cells)| (place, cells.map(Option::<&Cell>::cloned)));
    Difference {
        row: left.number,
        only: None,
        cells: cells.collect(),
        key: left.key,
    }
}

/// The classes of values in their order; files store their position.
const CLASSES: [Class; 5] = [
    Class::Number,
    Class::Bool,
    Class::Time,
    Class::Text,
    Class::Nested,
];

/// Appends the class, or 255 for null; then the meaning of the value and its spelling.
fn write_value(value: Option<&Cell>, out: &mut Vec<u8>) {
    let Some(cell) = value else {
        out.push(u8::MAX);
        return;
    };
    out.push(cell.class as u8);
    write_string(&cell.text, out);
    write_string(cell.spelled.as_deref().unwrap_or_default(), out);
}

/// Reads what [`write_value`] wrote.
fn read_value(bytes: &[u8], at: &mut usize) -> Result<Value> {
    let Some(&class) = CLASSES.get(usize::from(read_byte(bytes, at)?)) else {
        return Ok(None);
    };
    let text = read_string(bytes, at)?.to_vec();
    let spelled = read_string(bytes, at)?;
    Ok(Some(Cell {
        class,
        text,
        spelled: (!spelled.is_empty()).then(|| spelled.to_vec()),
    }))
}

/// Reads rows from a file.
struct RowReader {
    file: BufReader<File>,
    /// The number of values in a key.
    keys: usize,
    bytes: Vec<u8>,
}

impl RowReader {
    fn next(&mut self) -> Result<Option<KeyedRow>> {
        let mut len = [0; 8];
        match self.file.read_exact(&mut len) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(cannot_use(error)),
        }
        self.bytes.resize(u64::from_le_bytes(len) as usize, 0);
        self.file.read_exact(&mut self.bytes).map_err(cannot_use)?;
        KeyedRow::read(&self.bytes, self.keys).map(Some)
    }
}

impl KeyedRow {
    fn read(bytes: &[u8], keys: usize) -> Result<Self> {
        let mut at = 0;
        let number = read_unsigned(bytes, &mut at)?;
        let key = (0..keys).map(|_| read_value(bytes, &mut at));
        let key = key.collect::<Result<_>>()?;
        let mut cells = Vec::new();
        while at < bytes.len() {
            let place = read_unsigned(bytes, &mut at)? as usize;
            cells.extend(read_value(bytes, &mut at)?.map(|cell| (place, cell)));
        }
        Ok(Self { number, key, cells })
    }
}
