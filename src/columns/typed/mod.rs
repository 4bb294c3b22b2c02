//! Reads columns whose type the user fixed: a cell that does not fit is an error with its place.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType,
};
use arrow_array::{ArrayRef, BooleanArray, FixedSizeBinaryArray, PrimitiveArray};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer};
use arrow_schema::DataType;

use super::cast::{bool_word, is_null_word, not_finite};
use super::column::{Column, Strings, Values};
use super::infer::{Spelling, strings, validity};
use super::span::{Cells, Span, Spot};
use crate::error::{Error, shell_word};
use crate::schema::{FixedType, Type};
use crate::text::json;
use crate::text::{time, uuid};

mod arrow;

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

/// The cells with nulls in place of those that are empty but quoted, unless `ty` is text; `spans` holds their spans.
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
    let column = match ty {
        FixedType::Wire1(ty) => read_rows(cells, *ty, spelling),
        FixedType::Arrow(data_type) => arrow::read(cells, data_type, spelling)
            .map(|array| Column::new(cells.len(), validity(cells), Values::Fixed(array))),
    };
    column.map_err(|row| Misfit::new(row, cells.get(row), spelling))
}

/// Reads all cells as `ty`, or returns the first row that does not fit.
fn read_rows(cells: Cells<'_>, ty: Type, spelling: Spelling) -> Result<Column, usize> {
    let nulls = validity(cells);
    let text = |cell| text_of(cell, spelling);
    let array: ArrayRef = match ty {
        Type::I16 => primitive::<Int16Type>(ty, cells, nulls.clone(), |cell| parse(&text(cell)?))?,
        Type::I32 => primitive::<Int32Type>(ty, cells, nulls.clone(), |cell| parse(&text(cell)?))?,
        Type::I64 => primitive::<Int64Type>(ty, cells, nulls.clone(), |cell| parse(&text(cell)?))?,
        Type::F32 => primitive::<Float32Type>(ty, cells, nulls.clone(), |cell| {
            let text = text(cell)?;
            let finite = parse(&text).filter(|value: &f32| value.is_finite());
            finite.or_else(|| not_finite(&text).map(|value| value as f32))
        })?,
        Type::F64 => primitive::<Float64Type>(ty, cells, nulls.clone(), |cell| {
            let text = text(cell)?;
            let finite = parse(&text).filter(|value: &f64| value.is_finite());
            finite.or_else(|| not_finite(&text))
        })?,
        Type::Timestamp => {
            primitive::<TimestampMicrosecondType>(ty, cells, nulls.clone(), |cell| {
                time::parse_timestamp(&text(cell)?)
            })?
        }
        Type::Bool => {
            let mut bits = BooleanBufferBuilder::new(cells.len());
            cells.each(|cell| {
                bits.append(if cell.is_empty() {
                    false
                } else {
                    bool_word(&text(cell)?)?
                });
                Some(())
            })?;
            Arc::new(BooleanArray::new(bits.finish(), nulls.clone()))
        }
        Type::Uuid => {
            let uuids = cells.read(|cell| uuid::parse(&text(cell)?))?;
            Arc::new(FixedSizeBinaryArray::new(
                16,
                Buffer::from_vec(uuids.into_flattened()),
                nulls.clone(),
            ))
        }
        Type::Bytes => {
            let mut bytes = Strings::with_capacity(cells.len(), 0);
            cells.each(|cell| {
                uuid::parse_hex(&text(cell)?, &mut bytes.data)?;
                bytes.end_row();
                Some(())
            })?;
            bytes.into_array(&DataType::Binary, nulls.clone())
        }
        Type::Utf8 => {
            let values = match strings(cells, spelling).values {
                // JSON strings lose their quotes; other values are copied.
                Values::Json(texts) => {
                    let mut plain = Strings::with_capacity(cells.len(), texts.data.len());
                    cells.each(|cell| {
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
                    cells.each(|cell| {
                        let text = text_of(cell, spelling)?;
                        simdutf8::basic::from_utf8(&text).ok().map(drop)
                    })?;
                    Values::Text(texts)
                }
                text => text,
            };
            return Ok(Column::new(cells.len(), nulls, values));
        }
        Type::Json => {
            let mut texts = Strings::with_capacity(cells.len(), 0);
            cells.each(|cell| {
                if spelling.json {
                    json::compact(cell, &mut texts.data);
                } else if !cell.is_empty() {
                    let text = text(cell)?;
                    json::check(&text)?;
                    json::compact(&text, &mut texts.data);
                }
                texts.end_row();
                Some(())
            })?;
            texts.into_array(&DataType::Utf8, nulls.clone())
        }
    };
    Ok(Column::new(cells.len(), nulls, Values::Fixed(array)))
}

fn parse<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    str::from_utf8(text).ok()?.parse().ok()
}

/// The text of a valid cell, unquoted and unescaped.
fn text_of(cell: &[u8], spelling: Spelling) -> Option<std::borrow::Cow<'_, [u8]>> {
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

fn primitive<'a, T: ArrowPrimitiveType>(
    ty: Type,
    cells: Cells<'a>,
    nulls: Option<NullBuffer>,
    read: impl FnMut(&'a [u8]) -> Option<T::Native>,
) -> Result<ArrayRef, usize> {
    let values = cells.read(read)?;
    Ok(Arc::new(
        PrimitiveArray::<T>::new(values.into(), nulls).with_data_type(ty.data_type()),
    ))
}
