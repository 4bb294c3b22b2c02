//! Reads and writes Arrow types and metadata in an envelope's header.
//!
//! A type is a number and its parameters. The child types of nested columns are not written here, but with the child
//! columns.

use std::sync::Arc;

use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};

use crate::error::{Error, Result};
use crate::schema::data_type_name;
use crate::schema::keys::{DRAFT_PATCHES, FIXED, HASH, HEAD, PATCHES, TEXT};
use crate::varint;
use crate::wire::encodings::ValueKind;
use crate::wire::parse::{
    push_signed, read_byte, read_signed, read_string, read_text, read_unsigned, write_string,
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
        DataType::Decimal32(precision, scale) => write_decimal(13, *precision, *scale, out),
        DataType::Decimal64(precision, scale) => write_decimal(14, *precision, *scale, out),
        DataType::Decimal128(precision, scale) => write_decimal(15, *precision, *scale, out),
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

/// The result of [`read`]; the children of nested types follow as columns.
pub enum StoredType {
    /// A type without children.
    Leaf(DataType),
    /// A struct of the following columns.
    Struct,
    /// A list, large list or fixed-size list of the following column, or a map.
    List(fn(Arc<Field>, i32) -> DataType, i32),
    /// A dictionary with these keys; its values are the following column.
    Dictionary(DataType),
}

/// Reads a type without children, as in an index; `None` for a nested type, which its number does not fully describe.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if there is no such type.
pub fn read_alone(bytes: &[u8], at: &mut usize) -> Result<Option<DataType>> {
    Ok(match read(bytes, at)? {
        StoredType::Leaf(data_type) => Some(data_type),
        StoredType::Struct | StoredType::List(..) | StoredType::Dictionary(_) => None,
    })
}

/// Reads what [`write`] wrote.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if there is no such type.
pub fn read(bytes: &[u8], at: &mut usize) -> Result<StoredType> {
    let start = *at as u64;
    let number = read_byte(bytes, at)?;
    let small = |value: i64| {
        i32::try_from(value)
            .ok()
            .filter(|&value| value >= 0)
            .ok_or_else(|| Error::corrupt(format!("invalid length {value}")).at_byte(start))
    };
    Ok(StoredType::Leaf(match number {
        13..=15 => {
            let precision = read_byte(bytes, at)?;
            let scale = read_byte(bytes, at)? as i8;
            let (max, decimal): (u8, fn(u8, i8) -> DataType) = match number {
                13 => (9, DataType::Decimal32),
                14 => (18, DataType::Decimal64),
                _ => (38, DataType::Decimal128),
            };
            if !(1..=max).contains(&precision) || scale > precision as i8 {
                return Err(
                    Error::corrupt(format!("invalid type decimal({precision}, {scale})"))
                        .at_byte(start),
                );
            }
            decimal(precision, scale)
        }
        18 => match read_unit(bytes, at)? {
            unit @ (TimeUnit::Second | TimeUnit::Millisecond) => DataType::Time32(unit),
            _ => return Err(Error::corrupt("invalid unit for a 32-bit time").at_byte(start)),
        },
        19 => match read_unit(bytes, at)? {
            unit @ (TimeUnit::Microsecond | TimeUnit::Nanosecond) => DataType::Time64(unit),
            _ => return Err(Error::corrupt("invalid unit for a 64-bit time").at_byte(start)),
        },
        20 => DataType::Timestamp(read_unit(bytes, at)?, None),
        21 => {
            let unit = read_unit(bytes, at)?;
            DataType::Timestamp(unit, Some(read_text(bytes, at)?.into()))
        }
        22 => DataType::Duration(read_unit(bytes, at)?),
        38 => DataType::FixedSizeBinary(small(read_signed(bytes, at)?)?),
        48 => return Ok(StoredType::Struct),
        49 => return Ok(StoredType::List(|item, _| DataType::List(item), 0)),
        50 => return Ok(StoredType::List(|item, _| DataType::LargeList(item), 0)),
        51 => {
            let len = small(read_signed(bytes, at)?)?;
            return Ok(StoredType::List(DataType::FixedSizeList, len));
        }
        52 => {
            let sorted = i32::from(read_byte(bytes, at)? != 0);
            let map = |item, sorted| DataType::Map(item, sorted != 0);
            return Ok(StoredType::List(map, sorted));
        }
        53 => match read(bytes, at)? {
            StoredType::Leaf(keys) if keys.is_dictionary_key_type() => {
                return Ok(StoredType::Dictionary(keys));
            }
            _ => return Err(Error::corrupt("dictionary keys must be integers").at_byte(start)),
        },
        _ => match PLAIN.iter().find(|(known, _)| *known == number) {
            Some((_, data_type)) => data_type.clone(),
            None => return Err(Error::unsupported(format_args!("type {number}")).at_byte(start)),
        },
    }))
}

/// The kind of values of a leaf type; `None` for null and for 128-bit decimals, which are two runs of integers.
pub fn kind(data_type: &DataType) -> Option<ValueKind> {
    Some(match data_type {
        DataType::Float64 => ValueKind::Floats,
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => ValueKind::Strings,
        DataType::Null | DataType::Decimal128(..) => return None,
        _ => ValueKind::Ints,
    })
}

/// Common metadata keys, by number from 1; 0 means that the key is written in full.
const KEYS: [&str; 11] = [
    "ARROW:extension:name",
    "mbt.form",
    "mbt.null",
    "mbt.role",
    "mbt.variant",
    "mbt.gap",
    TEXT,
    HEAD,
    DRAFT_PATCHES,
    FIXED,
    HASH,
];

/// Keys needed to restore the text, by number from [`FIRST_OF_TEXT`].
const KEYS_OF_TEXT: [&str; 1] = [PATCHES];

/// Keys from this number on are needed to restore the text, including those of newer versions.
const FIRST_OF_TEXT: u8 = 128;

fn number_of_key(key: &str) -> Option<u8> {
    let place = |keys: &[&str]| keys.iter().position(|known| *known == key);
    let of_text = || place(&KEYS_OF_TEXT).map(|at| at as u8 + FIRST_OF_TEXT);
    place(&KEYS).map(|at| at as u8 + 1).or_else(of_text)
}

fn key_of_number(number: u8) -> Option<&'static str> {
    let known = match number.checked_sub(FIRST_OF_TEXT) {
        Some(at) => KEYS_OF_TEXT.get(usize::from(at)),
        None => KEYS.get(usize::from(number).checked_sub(1)?),
    };
    known.copied()
}

/// True if the value is bytes rather than text; in memory, each byte is a character below 256.
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
        let bytes = is_bytes(key).then(|| bytes_of(value)).flatten();
        let known = number_of_key(key).filter(|_| bytes.is_some() || !is_bytes(key));
        out.push(known.unwrap_or(0));
        if known.is_none() {
            write_string(key.as_bytes(), out);
        }
        write_string(bytes.as_deref().unwrap_or(value.as_bytes()), out);
    }
}

/// The characters of a text as bytes, if all are below 256.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).ok())
        .collect()
}

/// Reads what [`write_metadata`] wrote.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the bytes end early or are not UTF-8.
pub fn read_metadata(
    bytes: &[u8],
    at: &mut usize,
) -> Result<std::collections::HashMap<String, String>> {
    let mut metadata = std::collections::HashMap::new();
    let mut has_newer_text = false;
    for _ in 0..read_unsigned(bytes, at)? {
        let start = *at as u64;
        let key = match read_byte(bytes, at)? {
            0 => read_text(bytes, at)?,
            number => {
                let Some(key) = key_of_number(number) else {
                    // A key of a newer version.
                    read_string(bytes, at)?;
                    has_newer_text |= number >= FIRST_OF_TEXT;
                    continue;
                };
                key
            }
        };
        let value = match key {
            key if is_bytes(key) => read_string(bytes, at)?
                .iter()
                .copied()
                .map(char::from)
                .collect(),
            _ => read_text(bytes, at)?.to_owned(),
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

fn write_decimal(number: u8, precision: u8, scale: i8, out: &mut Vec<u8>) {
    out.extend([number, precision, scale as u8]);
}

fn unit_number(unit: TimeUnit) -> u8 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    }
}

fn read_unit(bytes: &[u8], at: &mut usize) -> Result<TimeUnit> {
    let start = *at as u64;
    Ok(match read_byte(bytes, at)? {
        0 => TimeUnit::Second,
        1 => TimeUnit::Millisecond,
        2 => TimeUnit::Microsecond,
        3 => TimeUnit::Nanosecond,
        _ => return Err(Error::corrupt("unknown time unit").at_byte(start)),
    })
}
