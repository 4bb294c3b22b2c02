//! Chooses the type and text form that print all blocks of a column exactly.
//!
//! Blocks are read independently, so their forms may differ if a block is ambiguous: dates that happen to be padded,
//! zip codes that happen not to start with zero. Then the form of each block is tried on the text of the others. If no
//! form prints all blocks exactly, the column is text.

use std::cell::OnceCell;
use std::sync::Arc;

use arrow_schema::{DataType, Field, TimeUnit};

use super::rounded::rounded_form;
use super::valid_texts;
use crate::columns::cast::is_null_word;
use crate::columns::column::{Column, NumberForm, Spelled, Values};
use crate::columns::infer::as_null_word;
use crate::schema::{Type, keys};
use crate::text::form::{self, TextForm, UPPER};
use crate::text::print::{FloatFormat, FloatFormats};

/// The common type of the blocks of a column.
#[derive(Clone, Debug)]
pub(super) enum ExactType {
    Null,
    Bool,
    Int64,
    UInt64,
    /// Up to 18 digits, with the given number of them after the point.
    Decimal64(u8),
    /// Up to 38 digits, with the given number of them after the point.
    Decimal128(u8),
    Float(FloatFormat),
    /// A number with a decimal comma.
    Comma(Box<Self>),
    /// In the default form.
    Timestamp(TimeUnit),
    Form(TextForm),
    Uuid,
    UpperUuid,
}

/// True if both forms read every cell, but not always as the same value.
fn is_ambiguous(typed: &[&Column], form: &TextForm, other: &TextForm) -> bool {
    let mut differs = false;
    let mut cell = Vec::new();
    for block in typed {
        let Values::Spelled(spelled) = &block.values else {
            return false;
        };
        let slots = spelled.slots.iter().enumerate();
        for (_, &slot) in slots.filter(|(row, _)| block.is_valid(*row)) {
            cell.clear();
            spelled.form.print(slot, &mut cell);
            match other.read(&cell) {
                None => return false,
                value => differs |= value != form.read(&cell),
            }
        }
    }
    differs
}

/// The type and form that print every cell of every block exactly, and the word for null; `None` if only text does.
pub(super) fn decide(blocks: &mut Vec<Column>, json: bool) -> Option<(ExactType, Option<Vec<u8>>)> {
    if let Some(found) = decide_as_read(blocks, json) {
        return Some(found);
    }
    if json || !blocks.iter().any(is_word_alone) {
        return None;
    }
    // A block that contains only `nan` may belong to a column of integers with that word for null.
    let reread = |block| {
        if is_word_alone(&block) {
            block.into_text_column()
        } else {
            block
        }
    };
    *blocks = std::mem::take(blocks).into_iter().map(reread).collect();
    decide_as_read(blocks, json)
}

fn decide_as_read(blocks: &[Column], json: bool) -> Option<(ExactType, Option<Vec<u8>>)> {
    let null_word = if json {
        None
    } else {
        common_null_word(blocks)?
    };
    Some((choose(blocks, null_word.as_deref())?, null_word))
}

/// True for floats that are all not finite.
fn is_word_alone(block: &Column) -> bool {
    let (Values::Floats(floats), None) = (&block.values, &block.null_word) else {
        return false;
    };
    let mut values = floats.values.iter().enumerate();
    values.all(|(row, value)| !value.is_finite() || !block.is_valid(row))
}

/// The word for null of the blocks that have one, if it is not a value in the others. `Some(None)` if no block has one,
/// `None` if the blocks do not agree.
#[expect(
    clippy::option_option,
    reason = "no word is not the same as no agreement"
)]
fn common_null_word(blocks: &[Column]) -> Option<Option<Vec<u8>>> {
    let mut found: Option<&[u8]> = None;
    let mut has_typed = false;
    for block in blocks {
        let candidate = match (&block.null_word, &block.values) {
            (Some(word), _) => {
                has_typed = true;
                word
            }
            // The block may contain only the word for null.
            (None, Values::Text(strings)) if strings.is_literal => return None,
            (None, Values::Text(strings)) => {
                let mut texts = valid_texts(block, strings);
                let first = texts.next()?;
                if texts.any(|text| text != first) {
                    return None;
                }
                if first.is_empty() {
                    form::QUOTED_EMPTY.as_bytes()
                } else {
                    as_null_word(first)?
                }
            }
            (None, Values::Null) => continue,
            (None, _) => {
                has_typed = true;
                continue;
            }
        };
        if found.is_some_and(|found| found != candidate) {
            return None;
        }
        found = Some(candidate);
    }
    let Some(null_word) = found else {
        return Some(None);
    };
    // A column has only one way to write null, so blocks with a word must not have empty cells.
    let is_clean =
        |block: &Column| block.null_word.is_some() || block.nulls.is_none() || block.rows == 0;
    (has_typed && blocks.iter().all(is_clean)).then(|| Some(null_word.to_vec()))
}

/// The type and form that print every cell exactly; `None` if only text does.
fn choose(blocks: &[Column], null_word: Option<&[u8]>) -> Option<ExactType> {
    let is_only_null_word =
        |block: &&Column| null_word.is_some() && matches!(block.values, Values::Text(_));
    let typed: Vec<&Column> = blocks
        .iter()
        .filter(|block| !is_only_null_word(block) && !matches!(block.values, Values::Null))
        .collect();
    let Some(first) = typed.first() else {
        return Some(ExactType::Null);
    };
    let all = |test: fn(&Values) -> bool| typed.iter().all(|block| test(&block.values));
    match first.values {
        Values::Bool(_) if all(|v| matches!(v, Values::Bool(_))) => Some(ExactType::Bool),
        Values::Uuids(_) if all(|v| matches!(v, Values::Uuids(_))) => Some(ExactType::Uuid),
        Values::UpperUuids(_) if all(|v| matches!(v, Values::UpperUuids(_))) => {
            Some(ExactType::UpperUuid)
        }
        Values::Timestamps(_) if all(|v| matches!(v, Values::Timestamps(_))) => {
            Some(ExactType::Timestamp(coarsest(&typed)))
        }
        Values::Numbers(_) | Values::Wide(_) | Values::Floats(_)
            if all(|v| matches!(v, Values::Numbers(_) | Values::Wide(_) | Values::Floats(_))) =>
        {
            let number = choose_number(&typed)?;
            let has_comma = typed.iter().any(|block| block.comma);
            // Integers have no decimal comma.
            let is_whole = matches!(number, ExactType::Int64 | ExactType::UInt64);
            Some(if has_comma && !is_whole {
                ExactType::Comma(Box::new(number))
            } else {
                number
            })
        }
        _ if all(|v| !matches!(v, Values::Text(_) | Values::Json(_) | Values::Fixed(_))) => {
            let form = choose_form(&typed, null_word)?;
            let has_comma = typed.iter().any(|block| block.comma);
            Some(if has_comma && matches!(form, TextForm::Scientific(_)) {
                ExactType::Comma(Box::new(ExactType::Form(form)))
            } else {
                ExactType::Form(form)
            })
        }
        _ => None,
    }
}

/// The coarsest unit that keeps all microseconds.
fn coarsest(typed: &[&Column]) -> TimeUnit {
    let micros = || {
        typed.iter().flat_map(|block| match &block.values {
            Values::Timestamps(micros) => &micros[..],
            _ => &[],
        })
    };
    if micros().all(|micros| micros % 1_000_000 == 0) {
        TimeUnit::Second
    } else if micros().all(|micros| micros % 1000 == 0) {
        TimeUnit::Millisecond
    } else {
        TimeUnit::Microsecond
    }
}

fn choose_number(typed: &[&Column]) -> Option<ExactType> {
    let mut form = NumberForm::default();
    let mut forms = FloatFormats::ALL;
    let mut scale = Scale::Unknown;
    for block in typed {
        match &block.values {
            Values::Numbers(numbers) => {
                form = form.or(numbers.form);
                scale = scale.and(match numbers.form {
                    // No number has a fraction.
                    form if form.has_bare_integer && !form.has_fraction => Scale::Same(0),
                    _ => Scale::of(block, &numbers.scales),
                });
            }
            Values::Wide(numbers) => {
                forms = FloatFormats::NONE;
                scale = scale.and(Scale::of(block, &numbers.scales));
            }
            Values::Floats(floats) => {
                forms = forms.and(floats.forms);
                scale = Scale::Mixed;
            }
            _ => return None,
        }
    }
    let has_wide = typed
        .iter()
        .any(|block| matches!(block.values, Values::Wide(_)));
    let extremes = OnceCell::new();
    let fits = |from: i128, to: i128| {
        let (least, most) = *extremes.get_or_init(|| mantissa_extremes(typed));
        from <= least && most <= to
    };
    match scale {
        Scale::Same(0) if !has_wide || fits(i64::MIN.into(), i64::MAX.into()) => {
            Some(ExactType::Int64)
        }
        Scale::Same(0) if fits(0, u64::MAX.into()) => Some(ExactType::UInt64),
        Scale::Same(scale) => {
            const DIGITS_18: i128 = 999_999_999_999_999_999;
            let fits_18_digits = || are_short(typed) || fits(-DIGITS_18, DIGITS_18);
            Some(if (1..=18).contains(&scale) && fits_18_digits() {
                ExactType::Decimal64(scale)
            } else {
                ExactType::Decimal128(scale)
            })
        }
        Scale::Mixed | Scale::Unknown => {
            let forms = forms.and(form.float_forms());
            let form = forms.first().or_else(|| rounded_form(typed, form));
            Some(ExactType::Float(form?))
        }
    }
}

/// The extremes of all digits as integers, and of zero.
fn mantissa_extremes(typed: &[&Column]) -> (i128, i128) {
    let wide = typed.iter().flat_map(|block| match &block.values {
        Values::Wide(numbers) => &numbers.mantissas[..],
        _ => &[],
    });
    let narrow = typed.iter().flat_map(|block| match &block.values {
        Values::Numbers(numbers) => &numbers.mantissas[..],
        _ => &[],
    });
    wide.copied()
        .chain(narrow.map(|&mantissa| mantissa.into()))
        .fold((0, 0), |(least, most), mantissa| {
            (mantissa.min(least), mantissa.max(most))
        })
}

/// True if all digits as integers are surely less than 10^18.
fn are_short(typed: &[&Column]) -> bool {
    const HALF: i64 = 1 << 58;
    typed.iter().all(|block| match &block.values {
        Values::Numbers(numbers) => {
            // No comparison, so that the loop becomes vector instructions.
            let high = |bits, &mantissa: &i64| bits | mantissa.wrapping_add(HALF) as u64;
            numbers.mantissas.iter().fold(0, high) < 2 * HALF as u64
        }
        Values::Floats(_) => true,
        _ => false,
    })
}

/// The number of digits after the point in a set of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Unknown,
    Same(u8),
    Mixed,
}

impl Scale {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, scale) | (scale, Self::Unknown) => scale,
            (Self::Same(one), Self::Same(other)) if one == other => self,
            _ => Self::Mixed,
        }
    }

    fn of(block: &Column, scales: &[u8]) -> Self {
        let Some(&scale) = scales.iter().max() else {
            return Self::Unknown;
        };
        let same = if block.nulls.is_some() {
            let mut rows = scales.iter().enumerate();
            rows.all(|(row, &other)| other == scale || !block.is_valid(row))
        } else {
            scales.iter().all(|&other| other == scale)
        };
        if same { Self::Same(scale) } else { Self::Mixed }
    }
}

/// The form of a block that can print the cells of all blocks, if cells of that form are values.
fn choose_form(typed: &[&Column], null_word: Option<&[u8]>) -> Option<TextForm> {
    let mut own: Vec<&TextForm> = Vec::new();
    for block in typed {
        if let Values::Spelled(Spelled { form, .. }) = &block.values
            && !own.contains(&form)
        {
            own.push(form);
        }
    }
    let fits = |form: &TextForm| {
        typed.iter().all(|block| match &block.values {
            Values::Spelled(spelled) if spelled.form == *form => true,
            _ => reread(block, form).is_some(),
        })
    };
    // Fractions of one length in each block, but not in all.
    let optional = own.iter().flat_map(|form| form.with_optional_fractions());
    let mut forms = own.iter().map(|&form| form.clone()).chain(optional);
    let form = forms.find(fits)?;
    has_meaning(typed, &form, null_word).then_some(form)
}

/// True if cells of this form are values rather than text. Single letters are often codes, so they are bools
/// only if both words occur. So are words in a column whose null word is not commonly read as null.
/// `01/02/2024` is not a date as long as no other row shows which number is the month: a guess could differ
/// from one frame to the next.
fn has_meaning(typed: &[&Column], form: &TextForm, null_word: Option<&[u8]>) -> bool {
    let words = match form {
        TextForm::Bool(words) => words,
        TextForm::Time { pattern, offset } => {
            let other = pattern.with_day_and_month_exchanged();
            return other.is_none_or(|other| {
                let pattern = Arc::new(other);
                let offset = *offset;
                !is_ambiguous(typed, form, &TextForm::Time { pattern, offset })
            });
        }
        TextForm::Padded(_) | TextForm::Scientific(_) => return true,
    };
    if !words.is_weak() && null_word.is_none_or(is_null_word) {
        return true;
    }
    let has = |wanted: i64| {
        typed.iter().any(|block| match &block.values {
            Values::Spelled(spelled) => {
                let mut slots = spelled.slots.iter().enumerate();
                slots.any(|(row, &slot)| slot == wanted && block.is_valid(row))
            }
            _ => false,
        })
    };
    has(0) && has(1)
}

/// Reads a block again in another form, if that prints every cell exactly.
pub(super) fn reread(block: &Column, form: &TextForm) -> Option<Vec<i64>> {
    let mut cell = Vec::new();
    let mut slots = Vec::with_capacity(block.rows);
    for row in 0..block.rows {
        slots.push(if block.is_valid(row) {
            cell.clear();
            // Only the scientific form can occur in a column with a decimal comma. It reads a point, so no
            // comma is printed.
            match form {
                TextForm::Scientific(_) => block.values.print(row, &mut cell),
                _ => block.print(row, &mut cell),
            }
            form.read(&cell)?
        } else {
            0
        });
    }
    Some(slots)
}

impl ExactType {
    pub(super) fn field(&self, name: &str) -> Field {
        let typed = |data_type| Field::new(name, data_type, true);
        match self {
            Self::Null => typed(DataType::Null),
            Self::Bool => typed(DataType::Boolean),
            Self::Int64 => typed(DataType::Int64),
            Self::UInt64 => typed(DataType::UInt64),
            Self::Decimal64(scale) => typed(DataType::Decimal64(18, *scale as i8)),
            Self::Decimal128(scale) => typed(DataType::Decimal128(38, *scale as i8)),
            Self::Float(form) if form.name().is_empty() => typed(DataType::Float64),
            Self::Float(form) => keys::with(typed(DataType::Float64), keys::FORM, form.name()),
            Self::Comma(number) => {
                let field = number.field(name);
                let form = form::form_of(&field).unwrap_or_default();
                let form = format!("{}{form}", form::COMMA);
                keys::with(field, keys::FORM, &form)
            }
            Self::Timestamp(unit) => typed(DataType::Timestamp(*unit, Some("UTC".into()))),
            Self::Form(form) if form.is_default() => typed(form.data_type()),
            Self::Form(form) => keys::with(typed(form.data_type()), keys::FORM, &form.to_string()),
            Self::Uuid => Type::Uuid.field(name),
            Self::UpperUuid => keys::with(Type::Uuid.field(name), keys::FORM, UPPER),
        }
    }
}
