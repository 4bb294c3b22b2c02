//! Reads columns whose type the user fixed: a cell that does not fit is an error with its place.

use std::borrow::Cow;
use std::str::FromStr;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, FixedSizeBinaryArray, new_null_array};
use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer};
use arrow_schema::DataType;

use super::cast::{DecimalMark, bool_word, is_null_word, not_finite};
use super::column::{Column, Strings, Values};
use super::infer::{Spelling, string_values, validity};
use super::slots::array_of;
use super::span::{Cells, Span, Spot};
use crate::error::{Error, shell_word};
use crate::schema::{FixedType, Type};
use crate::text::time::{Pattern, TimeKind, per_second};
use crate::text::wide::scan_wide;
use crate::text::{json, time, uuid};

/// A cell that does not fit.
#[derive(Debug)]
pub struct Misfit {
    /// Row within the block.
    pub row: usize,
    /// The cell's text, in quotes if it is text, shortened if it is long.
    cell: String,
    json: bool,
    /// The cell, if it is a word commonly read as null.
    null_word: Option<String>,
}

impl Misfit {
    fn new(row: usize, cell: &[u8], spelling: Spelling) -> Self {
        let json = spelling.json;
        let shown = match text_of(cell, spelling) {
            Some(text) if !json => text,
            _ => cell.into(),
        };
        let mut shown = String::from_utf8_lossy(&shown).into_owned();
        if shown.len() > 60 {
            shown.truncate(shown.floor_char_boundary(57));
            shown.push_str("...");
        }
        let null_word = (!json && is_null_word(shown.as_bytes())).then(|| shown.clone());
        // JSON has its own quotes.
        let cell = if json { shown } else { format!("{shown:?}") };
        Self {
            row,
            cell,
            json,
            null_word,
        }
    }

    /// The error for the user, with place, cell and a hint.
    pub fn into_error(self, ty: &FixedType, Spot { line, byte }: Spot, name: &str) -> Error {
        let error = Error::input(format!("cannot read {} as {ty}", self.cell))
            .at_line(line, byte)
            .in_column(name);
        if *ty != FixedType::Wire1(Type::Utf8) {
            let item = shell_word(&format!("{name}:utf8"));
            error.hint(match &self.null_word {
                Some(word) => {
                    let word = shell_word(word);
                    format!("use --null {word} if it means null, or --schema {item}")
                }
                None => format!("use --schema {item}"),
            })
        } else if self.json {
            let item = shell_word(&format!("{name}:json"));
            error.hint(format!("use --schema {item} to keep the text as it is"))
        } else {
            error.hint("name the encoding, for example --encoding windows-1252")
        }
    }
}

/// The cells, with a null for each quoted empty cell unless `ty` is text. The new spans are stored in `spans`.
pub fn with_empty_as_null<'a>(
    cells: Cells<'a>,
    ty: &FixedType,
    spelling: Spelling,
    spans: &'a mut Vec<Span>,
) -> Cells<'a> {
    let is_empty = |cell: &[u8]| !cell.is_empty() && spelling.inner(cell).is_empty();
    if !ty.is_value() || !cells.iter().any(is_empty) {
        return cells;
    }
    let each = cells.iter().zip(cells.spans());
    spans.extend(each.map(|(cell, span)| if is_empty(cell) { Span::NULL } else { span }));
    cells.with_spans(spans)
}

/// Reads all cells as `ty`.
///
/// # Errors
/// A [`Misfit`] for the first row that does not fit.
pub fn read(cells: Cells<'_>, ty: &FixedType, spelling: Spelling) -> Result<Column, Misfit> {
    let reader = CellReader {
        cells,
        data_type: &ty.data_type(),
        spelling,
    };
    let values = match ty {
        FixedType::Wire1(Type::Utf8) => reader.texts(),
        FixedType::Wire1(Type::Json) => reader.json().map(Values::Fixed),
        _ => reader.array().map(Values::Fixed),
    };
    let values = values.map_err(|row| Misfit::new(row, cells.get(row), spelling))?;
    // The other types have no form with a comma.
    let may_print_comma = matches!(
        ty.data_type(),
        DataType::Float64 | DataType::Decimal64(..) | DataType::Decimal128(..)
    );
    Ok(Column {
        comma: spelling.comma && may_print_comma && cells.iter().any(|cell| cell.contains(&b',')),
        ..Column::new(cells.len(), validity(cells), values)
    })
}

/// Reads all cells as one type. The errors are the first row that does not fit.
struct CellReader<'a> {
    cells: Cells<'a>,
    data_type: &'a DataType,
    spelling: Spelling,
}

impl<'a> CellReader<'a> {
    fn array(&self) -> Result<ArrayRef, usize> {
        match self.data_type {
            DataType::Null => {
                self.cells.each(|cell| cell.is_empty().then_some(()))?;
                Ok(new_null_array(self.data_type, self.cells.len()))
            }
            DataType::Boolean => {
                let mut bits = BooleanBufferBuilder::new(self.cells.len());
                self.cells.each(|cell| {
                    bits.append(!cell.is_empty() && bool_word(&self.text(cell)?)?);
                    Some(())
                })?;
                let nulls = validity(self.cells);
                Ok(Arc::new(BooleanArray::new(bits.finish(), nulls)))
            }
            DataType::Int8 => self.whole::<i8>(),
            DataType::Int16 => self.whole::<i16>(),
            DataType::Int32 => self.whole::<i32>(),
            DataType::Int64 => self.whole::<i64>(),
            DataType::UInt8 => self.whole::<u8>(),
            DataType::UInt16 => self.whole::<u16>(),
            DataType::UInt32 => self.whole::<u32>(),
            DataType::UInt64 => self.whole::<u64>(),
            DataType::Float32 => self.numbers::<f32>(|text| {
                parse(text)
                    .filter(|value: &f32| value.is_finite())
                    .or_else(|| not_finite(text).map(|value| value as f32))
            }),
            DataType::Float64 => self.numbers::<f64>(|text| {
                parse(text)
                    .filter(|value: &f64| value.is_finite())
                    .or_else(|| not_finite(text))
            }),
            DataType::Decimal64(precision, scale) => {
                self.numbers::<i64>(|text| decimal(text, *precision, *scale)?.try_into().ok())
            }
            DataType::Decimal128(precision, scale) => {
                self.numbers::<i128>(|text| decimal(text, *precision, *scale))
            }
            DataType::Date32 => {
                let iso = Pattern::compile("%Y-%m-%d").ok_or(0usize)?;
                self.primitive::<i32>(|text| iso.read(text, 0)?.try_into().ok())
            }
            micros if *micros == Type::Timestamp.data_type() => {
                self.primitive::<i64>(time::parse_timestamp)
            }
            DataType::Time32(_) => self.time::<i32>(),
            DataType::Time64(_) | DataType::Timestamp(..) => self.time::<i64>(),
            DataType::FixedSizeBinary(_) => {
                let uuids = self.cells.read(|cell| uuid::parse(&self.text(cell)?))?;
                let bytes = Buffer::from_vec(uuids.into_flattened());
                let nulls = validity(self.cells);
                Ok(Arc::new(FixedSizeBinaryArray::new(16, bytes, nulls)))
            }
            DataType::Binary => self.strings(|cell, out| uuid::parse_hex(&self.text(cell)?, out)),
            _ => Err(0),
        }
    }

    fn json(&self) -> Result<ArrayRef, usize> {
        self.strings(|cell, out| {
            if self.spelling.json {
                json::compact(cell, out);
            } else if !cell.is_empty() {
                let text = self.text(cell)?;
                json::check(&text)?;
                json::compact(&text, out);
            }
            Some(())
        })
    }

    fn texts(&self) -> Result<Values, usize> {
        Ok(match string_values(self.cells, self.spelling) {
            // JSON strings lose their quotes; other values are copied.
            Values::Json(texts) => {
                let mut plain = Strings::with_capacity(self.cells.len(), texts.data.len());
                self.cells.each(|cell| {
                    if let [b'"', inner @ .., b'"'] = cell {
                        json::unescape(inner, &mut plain.data)?;
                    } else {
                        json::compact(cell, &mut plain.data);
                    }
                    plain.end_row();
                    Some(())
                })?;
                Values::Text(plain)
            }
            Values::Text(texts) if !texts.utf8 => {
                self.cells.each(|cell| {
                    let text = self.text(cell)?;
                    simdutf8::basic::from_utf8(&text).ok().map(drop)
                })?;
                Values::Text(texts)
            }
            text => text,
        })
    }

    /// An array of text or bytes, to which `read` appends the contents of a cell.
    fn strings(
        &self,
        mut read: impl FnMut(&'a [u8], &mut Vec<u8>) -> Option<()>,
    ) -> Result<ArrayRef, usize> {
        let mut strings = Strings::with_capacity(self.cells.len(), 0);
        self.cells.each(|cell| {
            read(cell, &mut strings.data)?;
            strings.end_row();
            Some(())
        })?;
        Ok(strings.into_array(self.data_type, validity(self.cells)))
    }

    /// An array of numbers, which `read` parses with a decimal point.
    fn numbers<T: ArrowNativeType>(
        &self,
        mut read: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<ArrayRef, usize> {
        self.values(|cell| read(&self.number(cell)?))
    }

    fn primitive<T: ArrowNativeType>(
        &self,
        mut read: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<ArrayRef, usize> {
        self.values(|cell| read(&self.text(cell)?))
    }

    /// An array of the values that `read` parses from the bytes of valid cells.
    fn values<T: ArrowNativeType>(
        &self,
        read: impl FnMut(&'a [u8]) -> Option<T>,
    ) -> Result<ArrayRef, usize> {
        let values = self.cells.read(read)?;
        array_of(self.data_type, values, validity(self.cells)).map_err(|_| 0)
    }

    fn whole<T: ArrowNativeType + FromStr>(&self) -> Result<ArrayRef, usize> {
        self.primitive::<T>(parse)
    }

    /// The text of a valid cell.
    fn text(&self, cell: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        text_of(cell, self.spelling)
    }

    /// The text of a valid cell that is a number, with a decimal point.
    fn number(&self, cell: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let is_comma = self.spelling.comma;
        let mark = DecimalMark { is_comma };
        Some(match self.text(cell)? {
            Cow::Borrowed(text) => mark.with_point(text),
            Cow::Owned(text) => mark.with_point(&text).into_owned().into(),
        })
    }

    fn time<T: ArrowNativeType + TryFrom<i64>>(&self) -> Result<ArrayRef, usize> {
        // Cells of a column are usually written alike, so try the last pattern first.
        let mut last: Option<Pattern> = None;
        self.primitive::<T>(|text| {
            let known = last.as_ref().and_then(|p| instant(p, text, self.data_type));
            let value = known.or_else(|| {
                let mut patterns = time::guess(text).into_iter();
                patterns.find_map(|pattern| {
                    let value = instant(&pattern, text, self.data_type)?;
                    last = Some(pattern);
                    Some(value)
                })
            });
            T::try_from(value?).ok()
        })
    }
}

/// An ISO 8601 time or timestamp in the unit of the type. It must have a zone if and only if the type has one.
fn instant(pattern: &Pattern, text: &[u8], data_type: &DataType) -> Option<i64> {
    let (unit, is_timestamp, zoned) = match data_type {
        DataType::Time32(unit) | DataType::Time64(unit) => (unit, false, false),
        DataType::Timestamp(unit, zone) => (unit, true, zone.is_some()),
        _ => return None,
    };
    // A date alone is not a timestamp.
    let is_iso = if is_timestamp {
        pattern.kind() == TimeKind::Timestamp && pattern.text().starts_with("%Y-%m-%d")
    } else {
        pattern.kind() == TimeKind::Time && pattern.text().starts_with("%H:%M")
    };
    if !is_iso || zoned != (pattern.is_utc() || pattern.has_offset()) {
        return None;
    }
    let value = pattern.read(text, pattern.offset_of(text)?)?;
    let (from, _) = per_second(pattern.unit());
    let (to, _) = per_second(*unit);
    if to >= from {
        value.checked_mul(to / from)
    } else {
        (value % (from / to) == 0).then(|| value / (from / to))
    }
}

/// The mantissa at the given scale, if no digit is lost.
fn decimal(text: &[u8], precision: u8, scale: i8) -> Option<i128> {
    let number = scan_wide(text)?;
    let missing = u32::try_from(i32::from(scale) - i32::from(number.scale)).ok()?;
    let mantissa = number.mantissa.checked_mul(10i128.checked_pow(missing)?)?;
    (mantissa.unsigned_abs() < 10u128.pow(precision.into())).then_some(mantissa)
}

fn parse<T: FromStr>(text: &[u8]) -> Option<T> {
    str::from_utf8(text).ok()?.parse().ok()
}

/// The text of a valid cell, unquoted and unescaped.
fn text_of(cell: &[u8], spelling: Spelling) -> Option<Cow<'_, [u8]>> {
    if !spelling.is_quoted(cell) {
        return Some(cell.into());
    }
    let mut text = Vec::with_capacity(cell.len());
    if spelling.json {
        json::unescape(spelling.inner(cell), &mut text)?;
    } else {
        crate::text::quote::unquote(cell, spelling.escape, &mut text);
    }
    Some(text.into())
}
