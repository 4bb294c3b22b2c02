//! Reads and writes Arrow types and metadata in an envelope's header.
//!
//! A type is a number and its parameters. The child types of nested columns are not written here, but with the child
//! columns.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, IntervalUnit, TimeUnit};

use super::column::ColumnTree;
use crate::columns::lists::with_fields;
use crate::error::{Error, Result};
use crate::schema::data_type_name;
use crate::schema::keys::{
    CELLS, DRAFT_PATCHES, FIXED, HASH, HEAD, PATCHES, TEXT, of_bytes, to_bytes,
};
use crate::varint;
use crate::wire::encodings::ValueKind;
use crate::wire::parse::{
    push_signed, read_byte, read_len, read_signed, read_string, read_text, read_unsigned,
    write_string,
};

/// The numbers of types that have neither parameters nor children.
const PLAIN: &[(u8, DataType)] = &[
    (0, DataType::Null),
    (1, DataType::Boolean),
    (2, DataType::Int8),
    (3, DataType::Int16),
    (4, DataType::Int32),
    (5, DataType::Int64),
    (6, DataType::UInt8),
    (7, DataType::UInt16),
    (8, DataType::UInt32),
    (9, DataType::UInt64),
    (10, DataType::Float16),
    (11, DataType::Float32),
    (12, DataType::Float64),
    (16, DataType::Date32),
    (17, DataType::Date64),
    (23, DataType::Interval(IntervalUnit::YearMonth)),
    (32, DataType::Utf8),
    (33, DataType::LargeUtf8),
    (34, DataType::Utf8View),
    (35, DataType::Binary),
    (36, DataType::LargeBinary),
    (37, DataType::BinaryView),
];

/// The number before the type of a list whose items are stored by position.
const BY_POSITION: u8 = 54;

/// The most positions of lists whose items are stored by position.
pub const MAX_POSITIONS: usize = 1024;

/// Appends the type of a column, without the types of children; `positions` is given if it is a list whose items are
/// stored by position.
///
/// # Errors
/// As for [`write`].
pub fn write_layout(
    data_type: &DataType,
    positions: Option<usize>,
    out: &mut Vec<u8>,
) -> Result<()> {
    if let Some(positions) = positions {
        out.push(BY_POSITION);
        varint::push(positions as u64, out);
    }
    write(data_type, out)
}

/// Reads what [`write_layout`] wrote.
///
/// # Errors
/// As for [`read`].
pub fn read_layout(bytes: &[u8], at: &mut usize) -> Result<(DataType, Option<usize>)> {
    let start = *at as u64;
    if bytes.get(*at) != Some(&BY_POSITION) {
        return Ok((read(bytes, at)?, None));
    }
    *at += 1;
    let positions = read_len(bytes, at)?;
    let data_type = read(bytes, at)?;
    if !(2..=MAX_POSITIONS).contains(&positions) || !can_be_by_position(&data_type) {
        let what = "only lists of 2 to 1024 items are stored by position";
        return Err(Error::corrupt(what).at_byte(start));
    }
    Ok((data_type, Some(positions)))
}

/// Appends a type, without the types of children.
///
/// # Errors
/// [`crate::error::Kind::Input`] if wire 2 has no such type.
pub fn write(data_type: &DataType, out: &mut Vec<u8>) -> Result<()> {
    if let Some((number, _)) = PLAIN.iter().find(|(_, known)| known == data_type) {
        out.push(*number);
        return Ok(());
    }
    match data_type {
        DataType::Decimal32(precision, scale) => out.extend([13, *precision, *scale as u8]),
        DataType::Decimal64(precision, scale) => out.extend([14, *precision, *scale as u8]),
        DataType::Decimal128(precision, scale) => out.extend([15, *precision, *scale as u8]),
        DataType::Time32(unit) => out.extend([18, unit_number(*unit)]),
        DataType::Time64(unit) => out.extend([19, unit_number(*unit)]),
        DataType::Timestamp(unit, None) => out.extend([20, unit_number(*unit)]),
        DataType::Timestamp(unit, Some(zone)) => {
            out.extend([21, unit_number(*unit)]);
            write_string(zone.as_bytes(), out);
        }
        DataType::Duration(unit) => out.extend([22, unit_number(*unit)]),
        DataType::FixedSizeBinary(len) => {
            out.push(38);
            push_signed(i64::from(*len), out);
        }
        DataType::Struct(_) => out.push(48),
        DataType::List(_) => out.push(49),
        DataType::LargeList(_) => out.push(50),
        DataType::FixedSizeList(_, len) => {
            out.push(51);
            push_signed(i64::from(*len), out);
        }
        DataType::Map(_, sorted) => out.extend([52, u8::from(*sorted)]),
        DataType::Dictionary(keys, _) => {
            out.push(53);
            write(keys, out)?;
        }
        other => {
            return Err(unsupported(other));
        }
    }
    Ok(())
}

/// The error for a column whose type frames do not have.
pub fn unsupported(data_type: &DataType) -> Error {
    let name = data_type_name(data_type);
    Error::input(format!("frames have no type {name}")).hint(
        "leave the column out with --columns=-NAME, or convert it to another type with the program that wrote it",
    )
}

/// Reads a type without children, as in an index; `None` for a nested type, which its number does not fully describe.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if there is no such type.
pub fn read_alone(bytes: &[u8], at: &mut usize) -> Result<Option<DataType>> {
    read(bytes, at).map(|found| Some(found).filter(|found| !has_children(found)))
}

/// Reads what [`write`] wrote. The children of nested types follow as columns: see [`with_children`].
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if there is no such type.
pub fn read(bytes: &[u8], at: &mut usize) -> Result<DataType> {
    let start = *at as u64;
    let invalid = |what: String| Error::corrupt(what).at_byte(start);
    let number = read_byte(bytes, at)?;
    let small = |value: i64| {
        i32::try_from(value)
            .ok()
            .filter(|len| *len >= 0)
            .ok_or_else(|| invalid(format!("invalid length {value}")))
    };
    let item = || Arc::new(Field::new("", DataType::Null, true));
    Ok(match number {
        13..=15 => {
            let precision = read_byte(bytes, at)?;
            let scale = read_byte(bytes, at)? as i8;
            let (max, decimal): (u8, fn(u8, i8) -> DataType) = match number {
                13 => (9, DataType::Decimal32),
                14 => (18, DataType::Decimal64),
                _ => (38, DataType::Decimal128),
            };
            if !(1..=max).contains(&precision) || scale > precision as i8 {
                return Err(invalid(format!(
                    "invalid type decimal({precision}, {scale})"
                )));
            }
            decimal(precision, scale)
        }
        18 => match read_unit(bytes, at)? {
            unit @ (TimeUnit::Second | TimeUnit::Millisecond) => DataType::Time32(unit),
            _ => return Err(invalid("invalid unit for a 32-bit time".to_owned())),
        },
        19 => match read_unit(bytes, at)? {
            unit @ (TimeUnit::Microsecond | TimeUnit::Nanosecond) => DataType::Time64(unit),
            _ => return Err(invalid("invalid unit for a 64-bit time".to_owned())),
        },
        20 => DataType::Timestamp(read_unit(bytes, at)?, None),
        21 => {
            let unit = read_unit(bytes, at)?;
            DataType::Timestamp(unit, Some(read_text(bytes, at)?.into()))
        }
        22 => DataType::Duration(read_unit(bytes, at)?),
        38 => DataType::FixedSizeBinary(small(read_signed(bytes, at)?)?),
        48 => DataType::Struct(Fields::empty()),
        49 => DataType::List(item()),
        50 => DataType::LargeList(item()),
        51 => DataType::FixedSizeList(item(), small(read_signed(bytes, at)?)?),
        52 => DataType::Map(item(), read_byte(bytes, at)? != 0),
        53 => {
            // Dictionaries of dictionaries of dictionaries would overflow the stack.
            let is_nested = bytes.get(*at) == Some(&number);
            let keys = if is_nested {
                DataType::Null
            } else {
                read(bytes, at)?
            };
            if !keys.is_dictionary_key_type() {
                return Err(invalid("dictionary keys must be integers".to_owned()));
            }
            DataType::Dictionary(Box::new(keys), Box::new(DataType::Null))
        }
        _ => match PLAIN.iter().find(|(known, _)| *known == number) {
            Some((_, data_type)) => data_type.clone(),
            None => return Err(Error::unsupported(format_args!("type {number}")).at_byte(start)),
        },
    })
}

/// Puts the types of the child columns into a nested type that was read without them.
pub fn with_children(data_type: DataType, children: &[ColumnTree]) -> DataType {
    let mut fields = children.iter().map(|child| Arc::new(child.field.clone()));
    match data_type {
        DataType::Struct(_) => DataType::Struct(fields.collect()),
        DataType::Dictionary(keys, values) => {
            let values = children
                .first()
                .map_or(*values, |child| child.field.data_type().clone());
            DataType::Dictionary(keys, Box::new(values))
        }
        other => with_fields(&other, |item| {
            fields.next().unwrap_or_else(|| Arc::clone(item))
        }),
    }
}

/// True if columns of a type have child columns.
pub fn has_children(data_type: &DataType) -> bool {
    data_type.is_nested() || matches!(data_type, DataType::Dictionary(..))
}

/// True if the items of columns of this type can be stored by position.
pub fn can_be_by_position(data_type: &DataType) -> bool {
    matches!(data_type, DataType::List(_) | DataType::LargeList(_))
}

/// True if columns of this type can be grouped.
pub fn can_be_grouped(data_type: &DataType) -> bool {
    !has_children(data_type) && *data_type != DataType::Null
}

/// The runs of a column of a type that has valid rows: its values; the low and high halves of 128-bit numbers; the
/// lengths of lists; the keys of a dictionary.
pub fn runs(data_type: &DataType) -> &'static [ValueKind] {
    match data_type {
        DataType::Null | DataType::Struct(_) | DataType::FixedSizeList(..) => &[],
        DataType::Decimal128(..) => &[ValueKind::Ints; 2],
        DataType::Float64 => &[ValueKind::Floats],
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => &[ValueKind::Strings],
        _ => &[ValueKind::Ints],
    }
}

/// The kind of values of a type without children; `None` for null and for 128-bit decimals, which are two runs.
pub fn kind(data_type: &DataType) -> Option<ValueKind> {
    match runs(data_type) {
        [kind] if !has_children(data_type) => Some(*kind),
        _ => None,
    }
}

/// The numbers of common metadata keys; 0 means that the key is written in full.
const KEYS: [(u8, &str); 13] = [
    (1, "ARROW:extension:name"),
    (2, "mbt.form"),
    (3, "mbt.null"),
    (4, "mbt.role"),
    (5, "mbt.variant"),
    (6, "mbt.gap"),
    (7, TEXT),
    (8, HEAD),
    (9, DRAFT_PATCHES),
    (10, FIXED),
    (11, HASH),
    (12, CELLS),
    (FIRST_OF_TEXT, PATCHES),
];

/// Keys from this number on are needed to restore the text, including those of newer versions.
const FIRST_OF_TEXT: u8 = 128;

/// True if the value is bytes rather than text: in memory, [`of_bytes`].
fn is_bytes(key: &str) -> bool {
    [PATCHES, DRAFT_PATCHES].contains(&key)
}

/// Appends metadata, sorted by key.
pub fn write_metadata<'a>(
    metadata: impl Iterator<Item = (&'a String, &'a String)>,
    out: &mut Vec<u8>,
) {
    let mut pairs: Vec<_> = metadata.collect();
    pairs.sort_unstable();
    varint::push(pairs.len() as u64, out);
    for (key, value) in pairs {
        let bytes = is_bytes(key).then(|| to_bytes(value)).flatten();
        let known = KEYS
            .iter()
            .find(|(_, known)| known == key)
            .filter(|_| bytes.is_some() || !is_bytes(key));
        out.push(known.map_or(0, |(number, _)| *number));
        if known.is_none() {
            write_string(key.as_bytes(), out);
        }
        write_string(bytes.as_deref().unwrap_or(value.as_bytes()), out);
    }
}

/// Reads what [`write_metadata`] wrote.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the bytes end early or are not UTF-8.
pub fn read_metadata(bytes: &[u8], at: &mut usize) -> Result<HashMap<String, String>> {
    let mut metadata = HashMap::new();
    let mut has_newer_text = false;
    for _ in 0..read_unsigned(bytes, at)? {
        let start = *at as u64;
        let key = match read_byte(bytes, at)? {
            0 => read_text(bytes, at)?,
            number => {
                let Some((_, key)) = KEYS.iter().find(|(known, _)| *known == number) else {
                    // A key of a newer version.
                    read_string(bytes, at)?;
                    has_newer_text |= number >= FIRST_OF_TEXT;
                    continue;
                };
                key
            }
        };
        let value = if is_bytes(key) {
            of_bytes(read_string(bytes, at)?)
        } else {
            read_text(bytes, at)?.to_owned()
        };
        if metadata.insert(key.to_owned(), value).is_some() {
            let error = Error::corrupt(format!("the metadata key {key:?} occurs twice"));
            return Err(error.at_byte(start));
        }
    }
    if has_newer_text {
        // The values are complete, but the text cannot be restored.
        for key in [TEXT, HEAD, HASH, PATCHES, DRAFT_PATCHES] {
            metadata.remove(key);
        }
    }
    Ok(metadata)
}

/// Time units by number.
const UNITS: [TimeUnit; 4] = [
    TimeUnit::Second,
    TimeUnit::Millisecond,
    TimeUnit::Microsecond,
    TimeUnit::Nanosecond,
];

fn unit_number(unit: TimeUnit) -> u8 {
    UNITS.iter().take_while(|known| **known != unit).count() as u8
}

fn read_unit(bytes: &[u8], at: &mut usize) -> Result<TimeUnit> {
    let start = *at as u64;
    UNITS
        .get(usize::from(read_byte(bytes, at)?))
        .copied()
        .ok_or_else(|| Error::corrupt("unknown time unit").at_byte(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_dictionaries_do_not_overflow_the_stack() {
        let error = read(&vec![53; 1 << 24], &mut 0).unwrap_err();
        assert_eq!(error.what(), "dictionary keys must be integers");
    }
}
