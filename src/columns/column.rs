//! Typed columns of a block of text: every variant prints exactly what was read.
//!
//! Types can therefore widen later without the source text: if a column of numbers turns out to be text in a later
//! block, the numbers are printed again and nothing is lost.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, StringArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;

use super::nested::{JsonNode, Leaves};
use crate::text::form::{QUOTED_EMPTY, TextForm, exchange_commas};
use crate::text::number::Decimal;
use crate::text::print::{FloatFormat, FloatFormats, print_upper_uuid, print_uuid};
use crate::text::time;
use crate::text::wide::{WideDecimal, WideNumbers};

/// One column of one block.
#[derive(Clone, Debug)]
pub struct Column {
    /// Number of rows.
    pub rows: usize,
    /// Which rows are valid; `None` if all are.
    pub nulls: Option<NullBuffer>,
    /// One slot per row; slots under nulls hold zeros or empty spans.
    pub values: Values,
    /// The text of rows that are not valid, if it is not empty; [`QUOTED_EMPTY`] for an empty cell in quotes.
    pub null_word: Option<Vec<u8>>,
    /// True for numbers with a comma in place of the decimal point.
    pub comma: bool,
}

/// The values of a [`Column`].
#[derive(Clone, Debug)]
pub enum Values {
    /// No row is valid.
    Null,
    /// The words `true` and `false`.
    Bool(BooleanBuffer),
    /// Numbers whose digits, taken as one integer, fit in an i64.
    Numbers(Numbers),
    /// Numbers spelled as an f64 prints them (`2.0`, `1e-7`), and in CSV the words for NaN and infinity.
    Floats(Floats),
    /// Microseconds since the epoch, spelled in RFC 3339 with `Z` and without unnecessary fraction digits.
    Timestamps(Vec<i64>),
    /// Spelled in lowercase.
    Uuids(Vec<[u8; 16]>),
    /// Cells of CSV or strings of JSON, unquoted and unescaped.
    Text(Strings),
    /// JSON values of any kind, as compact JSON text.
    Json(Strings),
    /// Values of a type fixed by the user, already in their Arrow array.
    Fixed(ArrayRef),
    /// Like [`Self::Numbers`], but some are too long for an i64.
    Wide(WideNumbers),
    /// Bools, integers, dates, times or timestamps in a form other than those above.
    Spelled(Spelled),
    /// Spelled in uppercase.
    UpperUuids(Vec<[u8; 16]>),
    /// A column of JSON that may be nested, with its own nulls.
    Nested(Box<JsonNode>),
}

/// Doubles, and the forms in which they may be written.
#[derive(Clone, Debug)]
pub struct Floats {
    /// The values.
    pub values: Vec<f64>,
    /// The forms that print every cell exactly; at least one.
    pub forms: FloatFormats,
}

/// Values of eight bytes; the form defines their type.
#[derive(Clone, Debug)]
pub struct Spelled {
    /// The values as returned by [`TextForm::read`].
    pub slots: Vec<i64>,
    /// Their text form.
    pub form: TextForm,
}

/// Exact decimal numbers.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// All digits of each row as an integer.
    pub mantissas: Vec<i64>,
    /// Number of digits after the point in each row.
    pub scales: Vec<u8>,
    /// How they are written.
    pub form: NumberForm,
}

/// How the numbers of a column are written, which determines the types and forms that can print them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent observations")]
pub struct NumberForm {
    /// At least one number has a point.
    pub has_fraction: bool,
    /// At least one number has no point, as in `2`.
    pub has_bare_integer: bool,
    /// At least one number ends in a zero after other digits of its fraction, as in `1.50`.
    pub has_trailing_zero: bool,
    /// At least one number has a fraction of exactly one zero, as in `2.0`.
    pub has_point_zero: bool,
    /// At least one number is not the shortest form of its f64.
    pub not_f64: bool,
    /// Forms with the shortest digits that print at least one very large or very small number differently.
    pub misfits: FloatFormats,
}

impl Numbers {
    /// The number of one row.
    pub fn decimal(&self, row: usize) -> Decimal {
        Decimal {
            mantissa: self.mantissas[row],
            scale: self.scales[row],
        }
    }

    /// The nearest doubles.
    pub fn into_floats(self) -> Vec<f64> {
        // Collected in place: both kinds of slot have eight bytes.
        let mut scales = self.scales.into_iter();
        let mut next = |mantissa| Decimal {
            mantissa,
            scale: scales.next().unwrap_or(0),
        };
        self.mantissas
            .into_iter()
            .map(|mantissa| next(mantissa).to_f64())
            .collect()
    }
}

impl NumberForm {
    /// The form of two sets of numbers together.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            has_fraction: self.has_fraction | other.has_fraction,
            has_bare_integer: self.has_bare_integer | other.has_bare_integer,
            has_trailing_zero: self.has_trailing_zero | other.has_trailing_zero,
            has_point_zero: self.has_point_zero | other.has_point_zero,
            not_f64: self.not_f64 | other.not_f64,
            misfits: self.misfits.or(other.misfits),
        }
    }

    /// The forms with the shortest digits in which an f64 column prints every number exactly.
    pub fn float_forms(self) -> FloatFormats {
        if self.not_f64 {
            return FloatFormats::NONE;
        }
        self.look_alike(FloatFormats::SHORTEST.without(self.misfits))
    }

    /// The rounding forms in which an f64 column may print every number exactly; they have to be tried.
    pub fn rounded_forms(self) -> FloatFormats {
        self.look_alike(FloatFormats::ROUNDED)
    }

    /// The forms among `forms` that write zeros after the point like these numbers.
    fn look_alike(self, forms: FloatFormats) -> FloatFormats {
        if self.has_trailing_zero {
            return FloatFormats::NONE;
        }
        let mut forms = forms;
        if self.has_bare_integer {
            forms = forms.and(FloatFormats::BARE);
        }
        if self.has_point_zero {
            forms = forms.without(FloatFormats::BARE);
        }
        forms
    }
}

/// Byte strings, stored end to end.
#[derive(Clone, Debug)]
pub struct Strings {
    /// Row `r` is `data[offsets[r]..offsets[r + 1]]`.
    pub offsets: Vec<i32>,
    /// The bytes of all rows.
    pub data: Vec<u8>,
    /// True if every row is UTF-8.
    pub utf8: bool,
    /// True if rows that look like numbers or words for null must stay text.
    pub is_literal: bool,
    /// True if numbers among the rows have a decimal comma.
    pub comma: bool,
}

impl Strings {
    /// Allocates room for `rows` rows.
    pub fn with_capacity(rows: usize, bytes: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Self {
            offsets,
            data: Vec::with_capacity(bytes),
            utf8: true,
            is_literal: false,
            comma: false,
        }
    }

    /// Ends the row whose bytes were appended to `data`.
    #[inline]
    pub fn end_row(&mut self) {
        self.offsets.push(self.data.len() as i32);
    }

    /// An array of text, or of bytes if that is the type.
    pub fn into_array(self, data_type: &DataType, nulls: Option<NullBuffer>) -> ArrayRef {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
        let data = Buffer::from_vec(self.data);
        if *data_type == DataType::Binary {
            return Arc::new(BinaryArray::new(offsets, data, nulls));
        }
        Arc::new(StringArray::new(offsets, data, nulls))
    }

    /// The bytes of one row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u8] {
        &self.data[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }

    /// The bytes of each row.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.offsets
            .windows(2)
            .map(|pair| &self.data[pair[0] as usize..pair[1] as usize])
    }
}

impl Column {
    /// A column whose rows are empty if they are not valid.
    pub fn new(rows: usize, nulls: Option<NullBuffer>, values: Values) -> Self {
        Self {
            rows,
            nulls,
            values,
            null_word: None,
            comma: false,
        }
    }

    /// Number of cells inside nested values, in addition to one per row.
    pub fn inner_cells(&self) -> usize {
        let Values::Nested(node) = &self.values else {
            return 0;
        };
        let mut leaves = Leaves::default();
        leaves.add(node);
        leaves.cells.saturating_sub(self.rows)
    }

    /// A column without a valid row.
    pub fn null(rows: usize) -> Self {
        Self::new(rows, Some(NullBuffer::new_null(rows)), Values::Null)
    }

    /// True if the row is valid.
    pub fn is_valid(&self, row: usize) -> bool {
        self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row))
    }

    /// Approximate size of the rows in bytes.
    pub fn len_bytes(&self) -> usize {
        self.values.len_bytes(self.rows)
    }

    /// The column as text, with each cell as it was read.
    ///
    /// [`Values::Fixed`] and [`Values::Nested`] never widen to text; their cells are empty. Words for null become text,
    /// including the empty word, so such columns have no nulls afterwards.
    pub fn into_text(self) -> Strings {
        if let Values::Text(strings) | Values::Json(strings) = self.values {
            return strings;
        }
        let word = self.null_word.as_deref().unwrap_or_default();
        let word = if word == QUOTED_EMPTY.as_bytes() {
            b""
        } else {
            word
        };
        let mut strings = Strings::with_capacity(self.rows, self.rows * 8);
        // Numbers often repeat, and copying is faster than printing.
        let mut before = None;
        for row in 0..self.rows {
            if self.is_valid(row) {
                let start = strings.data.len();
                let number = match &self.values {
                    Values::Numbers(numbers) => Some(numbers.decimal(row)),
                    _ => None,
                };
                match before {
                    Some((known, from, to)) if number == Some(known) => {
                        strings.data.extend_from_within(from..to);
                    }
                    _ => self.print(row, &mut strings.data),
                }
                before = number.map(|number| (number, start, strings.data.len()));
            } else {
                strings.data.extend_from_slice(word);
            }
            strings.end_row();
        }
        strings
    }

    /// The column with text instead of values; nulls stay nulls.
    #[must_use]
    pub fn into_text_column(self) -> Self {
        match self.values {
            Values::Text(_) | Values::Null | Values::Fixed(_) => self,
            _ => {
                let nulls = self.nulls.clone().filter(|_| self.null_word.is_none());
                Self::new(self.rows, nulls, Values::Text(self.into_text()))
            }
        }
    }

    /// The values as JSON text.
    pub fn into_json(self) -> Strings {
        let quoted = self.values.is_string_in_json();
        if let Values::Json(strings) = self.values {
            return strings;
        }
        let mut strings = Strings::with_capacity(self.rows, self.rows * 10);
        let mut cell = Vec::new();
        for row in 0..self.rows {
            if self.is_valid(row) {
                if quoted {
                    cell.clear();
                    self.print(row, &mut cell);
                    crate::text::json::print_string(&cell, &mut strings.data);
                } else {
                    self.print(row, &mut strings.data);
                }
            }
            strings.end_row();
        }
        strings
    }

    /// Appends the text of a valid row.
    pub fn print(&self, row: usize, out: &mut Vec<u8>) {
        let start = out.len();
        self.values.print(row, out);
        if self.comma {
            exchange_commas(&mut out[start..]);
        }
    }
}

impl Values {
    /// True for numbers, whatever their form.
    pub fn are_numbers(&self) -> bool {
        match self {
            Self::Numbers(_) | Self::Floats(_) | Self::Wide(_) => true,
            Self::Spelled(spelled) => matches!(spelled.form, TextForm::Scientific(_)),
            _ => false,
        }
    }

    /// True for values that are strings in JSON.
    pub fn is_string_in_json(&self) -> bool {
        match self {
            Self::Text(_) | Self::Timestamps(_) | Self::Uuids(_) | Self::UpperUuids(_) => true,
            Self::Spelled(spelled) => spelled.form.is_string_in_json(),
            Self::Null
            | Self::Bool(_)
            | Self::Numbers(_)
            | Self::Floats(_)
            | Self::Json(_)
            | Self::Fixed(_)
            | Self::Wide(_)
            | Self::Nested(_) => false,
        }
    }

    /// Approximate size of `rows` rows in bytes.
    pub fn len_bytes(&self, rows: usize) -> usize {
        match self {
            Self::Text(strings) | Self::Json(strings) => 4 * rows + strings.data.len(),
            Self::Fixed(array) => array.get_array_memory_size(),
            Self::Nested(node) => node.len_bytes(),
            _ => 8 * rows,
        }
    }

    /// Appends the text of a valid row, with a decimal point.
    pub fn print(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Self::Null | Self::Fixed(_) | Self::Nested(_) => {}
            Self::Bool(bits) => {
                out.extend_from_slice(if bits.value(row) { b"true" } else { b"false" });
            }
            Self::Numbers(numbers) => numbers.decimal(row).print(out),
            Self::Floats(Floats { values, forms }) => {
                forms
                    .first()
                    .unwrap_or(FloatFormat::DEFAULT)
                    .print(values[row], out);
            }
            Self::Wide(WideNumbers { mantissas, scales }) => {
                WideDecimal {
                    mantissa: mantissas[row],
                    scale: scales[row],
                }
                .print(out);
            }
            Self::Spelled(Spelled { slots, form }) => form.print(slots[row], out),
            Self::UpperUuids(uuids) => print_upper_uuid(&uuids[row], out),
            Self::Timestamps(micros) => time::print_timestamp(micros[row], out),
            Self::Uuids(uuids) => print_uuid(&uuids[row], out),
            Self::Text(strings) | Self::Json(strings) => out.extend_from_slice(strings.row(row)),
        }
    }
}
