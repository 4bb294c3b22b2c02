//! The least and the greatest value of a column in a header or an index.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, Float64Array, StringArray,
};
use arrow_schema::{DataType, Field};

use super::decode::integers;
use crate::columns::statistics::{MinMax, PREFIX, extremes};
use crate::error::{Error, Result};
use crate::wire::encodings::ByteStrings;
use crate::wire::parse::{push_signed, read_byte, read_signed, read_string, write_string};

/// The least and the greatest string, by comparing 16 bytes at a time.
pub(super) fn of_strings(values: &ByteStrings) -> Option<MinMax> {
    // Of equal prefixes the longer one is greater, up to the first byte that is cut off.
    let prefix_of = |row| {
        let len = values.row_len(row).min(PREFIX + 1);
        (values.head(row).swap_bytes(), len)
    };
    let (least, greatest) = extremes((0..values.len()).map(prefix_of))?;
    let prefix = |(head, len): (u128, usize)| head.to_be_bytes()[..len.min(PREFIX)].to_vec();
    Some(MinMax::Strings {
        least: prefix(least),
        greatest: prefix(greatest),
        cut: greatest.1 > PREFIX,
    })
}

impl MinMax {
    /// Both as an array of two rows, and the field to print it by; `None` if they are not values of
    /// the field's type.
    pub fn values(&self, field: &Field) -> Option<(Field, ArrayRef)> {
        let data_type = field.data_type();
        let array: ArrayRef = match (self, data_type) {
            (Self::Ints(least, greatest), DataType::Boolean) => {
                Arc::new(BooleanArray::from(vec![*least != 0, *greatest != 0]))
            }
            (Self::Ints(least, greatest), _) => {
                integers(data_type, vec![*least, *greatest], 2, None).ok()?
            }
            (Self::Floats(least, greatest), DataType::Float64) => {
                Arc::new(Float64Array::from(vec![*least, *greatest]))
            }
            (Self::Floats(..), _) => return None,
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
                        // A cut may go through a character.
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
                // A common prefix is written once.
                let same = least.iter().zip(greatest).take_while(|(a, b)| a == b);
                let same = same.count();
                out.push(same as u8);
                write_string(&greatest[same..], out);
            }
        }
    }

    /// Reads what [`Self::write`] wrote.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the bytes end early or are not statistics.
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
            _ => return Err(corrupt()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn extremes_of_strings_are_those_of_slices(rows in vec(vec(0..2u8, 0..20), 1..40)) {
            let mut strings = ByteStrings::default();
            for row in &rows {
                strings.push(row);
            }
            let expected = MinMax::of_strings(rows.iter().map(Vec::as_slice));
            prop_assert_eq!(of_strings(&strings), expected);
        }
    }
}
