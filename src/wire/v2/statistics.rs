//! The minimum and maximum of a column in a header or an index.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float16Type};
use arrow_array::{ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, StringArray};
use arrow_buffer::Buffer;
use arrow_schema::{DataType, Field};

use super::decode::{Placement, numbers};
use crate::columns::slots::array_of;
use crate::columns::statistics::MinMax;
use crate::error::{Error, Result};
use crate::wire::encodings::bits::{self, float};
use crate::wire::encodings::{ByteStrings, Encoding, Node};
use crate::wire::parse::{
    push_signed, push_wide, read_byte, read_signed, read_string, read_wide, write_string,
};

type Half = <Float16Type as ArrowPrimitiveType>::Native;

/// The extremes of numbers: of floats as floats, since their bits have a different order.
pub(super) fn of_numbers(data_type: &DataType, values: &[i64]) -> Option<MinMax> {
    let bits = values.iter();
    match data_type {
        DataType::Float16 => {
            MinMax::of_floats(bits.map(|&bits| Half::from_bits(bits as u16).to_f64()))
        }
        DataType::Float32 => {
            MinMax::of_floats(bits.map(|&bits| f32::from_bits(bits as u32).into()))
        }
        DataType::Float64 => MinMax::of_floats(bits.map(|&bits| float(bits))),
        _ => MinMax::of_ints(values, *data_type == DataType::UInt64),
    }
}

/// The entries of a dictionary, if they are much fewer than the rows.
pub(super) fn few_entries(node: &Node) -> Option<ByteStrings> {
    let entries = node.children.first()?;
    let are_few = matches!(node.encoding, Encoding::Dictionary(_)) && entries.len <= node.len / 8;
    are_few.then(|| entries.strings(usize::MAX).ok()).flatten()
}

/// Compares the extremes in a header, if any, with the values.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if they differ.
pub(super) fn check(stored: Option<&MinMax>, found: impl FnOnce() -> Option<MinMax>) -> Result<()> {
    match stored {
        Some(stored) if found().as_ref() != Some(stored) => Err(Error::corrupt(
            "the minimum or maximum is not as the header says",
        )),
        _ => Ok(()),
    }
}

/// [`check`] for the strings of a run. Checking the entries of a dictionary is enough, unless some are unused.
pub(super) fn check_strings(
    stored: Option<&MinMax>,
    node: &Node,
    values: &ByteStrings<Buffer>,
) -> Result<()> {
    let few = stored.and_then(|_| few_entries(node));
    if few.is_some_and(|few| MinMax::of_strings(few.iter()).as_ref() == stored) {
        return Ok(());
    }
    check(stored, || MinMax::of_strings(values.iter()))
}

impl MinMax {
    /// Both as an array of two rows, and its field; `None` if they are not values of the field's type.
    pub fn values(&self, field: &Field) -> Option<(Field, ArrayRef)> {
        if let DataType::Dictionary(_, values) = field.data_type() {
            return self.values(&field.clone().with_data_type(values.as_ref().clone()));
        }
        let data_type = field.data_type();
        let array: ArrayRef = match (self, data_type) {
            (Self::Ints(least, greatest), DataType::Boolean) => {
                Arc::new(BooleanArray::from(vec![*least != 0, *greatest != 0]))
            }
            (Self::Ints(least, greatest), _) => {
                numbers(data_type, vec![*least, *greatest], Placement::all(2)).ok()?
            }
            (Self::Floats(least, greatest), floats) if floats.is_floating() => {
                let bits = [*least, *greatest].map(|value| match floats {
                    DataType::Float16 => Half::from_f64(value).to_bits().into(),
                    DataType::Float32 => (value as f32).to_bits().into(),
                    _ => bits::of(value),
                });
                numbers(data_type, bits.into(), Placement::all(2)).ok()?
            }
            (Self::Wide(least, greatest), DataType::Decimal128(..)) => {
                array_of(data_type, vec![*least, *greatest], None).ok()?
            }
            (Self::Floats(..) | Self::Wide(..), _) => return None,
            (
                Self::Strings {
                    least, greatest, ..
                },
                _,
            ) => {
                let both = [least.as_slice(), greatest];
                match data_type {
                    DataType::FixedSizeBinary(len)
                        if both.iter().all(|v| v.len() == *len as usize) =>
                    {
                        Arc::new(FixedSizeBinaryArray::try_from_iter(both.into_iter()).ok()?)
                    }
                    DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                        // The cut may be inside a character.
                        let texts = both.map(String::from_utf8_lossy);
                        let texts = texts.iter().map(|text| text.trim_end_matches('\u{fffd}'));
                        let field = field.clone().with_data_type(DataType::Utf8);
                        let array = StringArray::from_iter_values(texts);
                        return Some((field, Arc::new(array)));
                    }
                    _ => {
                        let field = Field::new("", DataType::Binary, true);
                        return Some((field, Arc::new(BinaryArray::from_iter_values(both))));
                    }
                }
            }
        };
        Some((field.clone(), array))
    }

    /// Appends both.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Ints(min, max) => {
                out.push(0);
                push_signed(*min, out);
                push_signed(max.wrapping_sub(*min), out);
            }
            Self::Wide(min, max) => {
                out.push(4);
                push_wide(*min, out);
                push_wide(max.wrapping_sub(*min), out);
            }
            Self::Floats(min, max) => {
                out.push(1);
                out.extend(min.to_le_bytes());
                out.extend(max.to_le_bytes());
            }
            Self::Strings {
                least,
                greatest,
                cut,
            } => {
                out.push(2 + u8::from(*cut));
                write_string(least, out);
                // A common prefix is stored once.
                let same = least
                    .iter()
                    .zip(greatest)
                    .take_while(|(a, b)| a == b)
                    .count();
                out.push(same as u8);
                write_string(&greatest[same..], out);
            }
        }
    }

    /// Reads what [`Self::write`] wrote.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the bytes end early, [`crate::error::Kind::Unsupported`] if their kind is
    /// unknown.
    pub fn read(bytes: &[u8], at: &mut usize) -> Result<Self> {
        let start = *at as u64;
        let corrupt = || Error::corrupt("statistics cannot be read").at_byte(start);
        Ok(match read_byte(bytes, at)? {
            0 => {
                let min = read_signed(bytes, at)?;
                Self::Ints(min, min.wrapping_add(read_signed(bytes, at)?))
            }
            1 => {
                let mut float = || {
                    let float = bytes.get(*at..).and_then(<[u8]>::first_chunk);
                    let float = f64::from_le_bytes(*float.ok_or_else(corrupt)?);
                    *at += 8;
                    Ok::<_, Error>(float)
                };
                Self::Floats(float()?, float()?)
            }
            kind @ (2 | 3) => {
                let least = read_string(bytes, at)?.to_vec();
                let same = usize::from(read_byte(bytes, at)?);
                let mut greatest = least.get(..same).ok_or_else(corrupt)?.to_vec();
                greatest.extend_from_slice(read_string(bytes, at)?);
                Self::Strings {
                    least,
                    greatest,
                    cut: kind == 3,
                }
            }
            4 => {
                let min = read_wide(bytes, at)?;
                Self::Wide(min, min.wrapping_add(read_wide(bytes, at)?))
            }
            kind => {
                let error = Error::unsupported(format_args!("statistics of kind {kind}"));
                return Err(error.at_byte(start));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// As in Parquet files of pandas' categories.
    #[test]
    fn extremes_of_dictionaries_are_values_of_their_entries() {
        let extremes = MinMax::of_strings([&b"pear"[..], b"apple"].into_iter()).unwrap();
        let ty = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
        let (field, values) = extremes.values(&Field::new("x", ty, true)).unwrap();
        assert_eq!(field.data_type(), &DataType::Utf8);
        assert_eq!(*values, StringArray::from(vec!["apple", "pear"]));
    }

    proptest! {
        #[test]
        fn extremes_of_strings_are_the_ends_of_sorted_rows(rows in vec(vec(0..2u8, 0..20), 1..40)) {
            let found = MinMax::of_strings(rows.iter().map(Vec::as_slice));
            let mut sorted = rows.clone();
            sorted.sort();
            let [least, greatest] = [&sorted[0], &sorted[rows.len() - 1]];
            let prefix = |row: &Vec<u8>| row.iter().copied().take(16).collect();
            let expected = MinMax::Strings {
                least: prefix(least),
                greatest: prefix(greatest),
                cut: greatest.len() > 16,
            };
            prop_assert_eq!(found, Some(expected));
        }
    }
}
