//! Facts about the values of a column that is not nested.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType, Field, TimeUnit};

use super::bool_words::BoolWords;
use super::by_value::all_texts;
use super::cells::{DecimalMark, Word, bool_word, double};
use super::numbers::{fit_doubles, have_digits_of_doubles, whole_extremes};
use crate::columns::print::{ColumnPrinter, Slices};
use crate::columns::statistics::MinMax;
use crate::schema::Type;
use crate::schema::keys::{DECIMAL_COMMA, TEXT_CELLS, stated_facts};
use crate::text::form::form_of;
use crate::text::number::{POW10, SHORT_DIGITS, is_json_number};
use crate::text::print::FloatFormat;
use crate::text::time::{self, Pattern};
use crate::text::uuid;
use crate::text::wide::scan_wide;

/// A fact about the values of a column. Words for null satisfy every fact; NaN and the infinities satisfy
/// those about numbers that are not integers.
#[derive(Clone, Copy, Debug)]
pub enum Fact {
    /// A double can represent it without loss.
    Double,
    /// It is a number in JSON's syntax.
    JsonNumber,
    /// It is a bool, or one of the common words for true and false.
    Bool,
    /// It is an instant in RFC 3339 without nanoseconds.
    Instant,
    /// It is a UUID.
    Uuid,
    /// It is an integer that an i64 prints with the same digits.
    I64,
    /// It is an integer that a u64 prints with the same digits.
    U64,
    /// It is a number of a typed column, and a double prints it with the same digits.
    ShortDouble,
}

/// The names of the facts in frames, in the order of [`Fact`]. The last one never occurs, since only text is marked.
const NAMES: [&str; 8] = [
    "double",
    "json-number",
    "bool",
    "instant",
    "uuid",
    "i64",
    "u64",
    "short-double",
];

/// The most digits before and after the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digits {
    whole: u8,
    fraction: u8,
}

/// Facts true for every value.
#[derive(Clone, Copy, Debug)]
pub struct Scalars {
    /// True if there is a value other than nulls and words for null.
    pub has_value: bool,
    /// True if there is a NaN.
    pub has_nan: bool,
    /// Whether each [`Fact`] holds.
    holds: [bool; NAMES.len()],
    /// The digits, if all values are decimals without exponents.
    digits: Option<Digits>,
    bools: BoolWords,
    /// The unit of all instants: the coarsest that keeps them if all are in the default form, else microseconds.
    unit: TimeUnit,
}

impl Digits {
    const NONE: Self = Self {
        whole: 0,
        fraction: 0,
    };

    fn of(mantissa: i128, scale: u8) -> Self {
        let all = mantissa
            .unsigned_abs()
            .checked_ilog10()
            .map_or(0, |log| log + 1) as u8;
        Self {
            whole: all.saturating_sub(scale),
            fraction: scale,
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            whole: self.whole.max(other.whole),
            fraction: self.fraction.max(other.fraction),
        }
    }

    /// A decimal with this many digits.
    fn data_type(self) -> Option<DataType> {
        let all = self.whole + self.fraction;
        (all <= DECIMAL128_MAX_PRECISION).then_some(DataType::Decimal128(
            DECIMAL128_MAX_PRECISION,
            self.fraction as i8,
        ))
    }

    /// The name in frames: `decimal(5,2)` for three digits before the point and two after it.
    fn name(self) -> String {
        format!("decimal({},{})", self.whole + self.fraction, self.fraction)
    }

    fn parse(name: &str) -> Option<Self> {
        let inner = name.strip_prefix("decimal(")?.strip_suffix(')')?;
        let (all, fraction) = inner.split_once(',')?;
        let fraction = fraction.parse().ok()?;
        let whole = all.parse::<u8>().ok()?.checked_sub(fraction)?;
        Some(Self { whole, fraction })
    }
}

impl Scalars {
    /// The facts if there is no value.
    pub const ALL: Self = Self {
        has_value: false,
        has_nan: false,
        holds: [true; NAMES.len()],
        digits: Some(Digits::NONE),
        bools: BoolWords::Unused,
        unit: TimeUnit::Second,
    };

    /// The facts if nothing is known about the values.
    pub const NONE: Self = Self {
        has_value: true,
        has_nan: false,
        holds: [false; NAMES.len()],
        digits: None,
        bools: BoolWords::Others,
        unit: TimeUnit::Second,
    };

    /// The facts about the values of an array. `by_value` permits typing text by its content.
    pub fn of(array: &dyn Array, field: &Field, by_value: bool) -> Self {
        let found = Self::of_values(array, field, by_value);
        if by_value {
            found.and(Self::of_mark(field))
        } else {
            found
        }
    }

    fn of_values(array: &dyn Array, field: &Field, by_value: bool) -> Self {
        if array.null_count() == array.len() {
            return Self::ALL;
        }
        match (field.data_type(), Type::of(field)) {
            (DataType::Null, _) => Self::ALL,
            (DataType::Boolean, _) => Self {
                bools: array.as_boolean_opt().map_or(BoolWords::Others, |array| {
                    BoolWords::of_array(array, form_of(field))
                }),
                ..Self::only(&[Fact::Bool])
            },
            // Text of nanoseconds is not typed by its content.
            (DataType::Timestamp(TimeUnit::Nanosecond, _), _) => Self::NONE,
            (DataType::Timestamp(_, Some(_)), _) if !is_rfc_3339(field) => Self::NONE,
            (DataType::Timestamp(unit, Some(_)), _) => Self {
                unit: match form_of(field) {
                    None => *unit,
                    Some(_) => TimeUnit::Microsecond,
                },
                ..Self::only(&[Fact::Instant])
            },
            (_, Some(Type::Uuid)) => Self::only(&[Fact::Uuid]),
            (DataType::Utf8, Some(Type::Utf8)) if by_value => texts(array, DecimalMark::of(field)),
            (DataType::Utf8, Some(Type::Json))
                if all_texts(array, |text| double(text).is_some()) =>
            {
                Self::only(&[Fact::Double])
            }
            (DataType::Utf8, _) => Self::NONE,
            (DataType::Float64, _) if by_value => floats(array, field),
            _ => {
                let mut found = Self::NONE;
                let is_number = array.data_type().is_numeric();
                let are_short = is_number && fit_doubles(array);
                found.holds[Fact::ShortDouble as usize] = are_short;
                found.holds[Fact::Double as usize] =
                    are_short || by_value && have_digits_of_doubles(array);
                found.holds[Fact::JsonNumber as usize] = is_number;
                add_digits(&mut found, array);
                found
            }
        }
    }

    /// True if the fact holds for every value.
    pub fn are(self, fact: Fact) -> bool {
        self.holds[fact as usize]
    }

    fn only(facts: &[Fact]) -> Self {
        let mut found = Self::NONE;
        for &fact in facts {
            found.holds[fact as usize] = true;
        }
        found
    }

    /// The facts that hold for other values, too.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            has_value: self.has_value || other.has_value,
            has_nan: self.has_nan || other.has_nan,
            holds: std::array::from_fn(|fact| self.holds[fact] && other.holds[fact]),
            digits: self.digits.zip(other.digits).map(|(a, b)| a.or(b)),
            bools: self.bools.and(other.bools),
            unit: self.unit.max(other.unit),
        }
    }

    /// The same facts for text that was cast to numbers.
    #[must_use]
    pub fn into_numbers(mut self) -> Self {
        self.holds[Fact::ShortDouble as usize] |= self.are(Fact::Double);
        self
    }

    /// Forgets the fact unless the next value passes the test.
    fn check(&mut self, fact: Fact, passes: impl FnOnce() -> bool) {
        let holds = &mut self.holds[fact as usize];
        *holds = *holds && passes();
    }

    /// True if no fact holds, and so none will.
    pub fn is_none(self) -> bool {
        self.holds == Self::NONE.holds && self.digits.is_none() && self.bools == BoolWords::Others
    }

    /// The unit, if all values are instants.
    pub fn instant_unit(self) -> Option<TimeUnit> {
        self.are(Fact::Instant).then_some(self.unit)
    }

    /// True if all values are bools.
    pub fn are_bools(self) -> bool {
        self.are(Fact::Bool) || self.bools.are_bools()
    }

    /// The name of the words for true and false, if all cells are words of one pair other than the common ones.
    pub fn bool_form(self) -> Option<&'static str> {
        match self.bools {
            BoolWords::Pair(pair, _) if !self.are(Fact::Bool) => Some(pair.name),
            _ => None,
        }
    }

    /// True if there is no value but NaN, which means null among values that are not numbers.
    pub fn are_only_nan(self) -> bool {
        self.has_nan && self.holds == Self::ALL.holds && self.digits == Self::ALL.digits
    }

    /// Adds a cell of text.
    fn add(&mut self, cell: &[u8], decimal_mark: DecimalMark) {
        match Word::of(cell) {
            Some(Word::Null) => return,
            // NaN is a value among numbers, and means null among other values.
            Some(Word::NotFinite(value)) if value.is_nan() => {
                self.has_nan = true;
                self.has_value = true;
                return;
            }
            Some(Word::NotFinite(_)) => {
                *self = self.and(Self::only(&[Fact::Double, Fact::JsonNumber]));
                return;
            }
            None => {}
        }
        self.has_value = true;
        self.holds[Fact::ShortDouble as usize] = false;
        let text = decimal_mark.with_point(cell);
        // Every decimal is a number in JSON, and a double keeps one of few digits.
        let decimal = scan_wide(&text);
        let is_short = decimal.is_some_and(|it| it.mantissa.unsigned_abs() < SHORT_DIGITS.into());
        self.check(Fact::Double, || is_short || double(&text).is_some());
        self.check(Fact::JsonNumber, || {
            decimal.is_some() || is_json_number(&text)
        });
        let whole = decimal.filter(|decimal| decimal.scale == 0);
        let whole = whole.map(|decimal| decimal.mantissa);
        self.check(Fact::I64, || {
            whole.is_some_and(|it| i64::try_from(it).is_ok())
        });
        self.check(Fact::U64, || {
            whole.is_some_and(|it| u64::try_from(it).is_ok())
        });
        let digits = decimal.map(|decimal| Digits::of(decimal.mantissa, decimal.scale));
        self.digits = self.digits.zip(digits).map(|(a, b)| a.or(b));
        self.check(Fact::Bool, || bool_word(cell).is_some());
        if self.bools != BoolWords::Others {
            self.bools = self.bools.and(BoolWords::of(cell));
        }
        self.check(Fact::Instant, || time::parse_timestamp(cell).is_some());
        self.unit = TimeUnit::Microsecond;
        self.check(Fact::Uuid, || uuid::parse(cell).is_some());
    }

    /// The type of the values, if all of them are numbers: an integer, a double if it loses no digit, or a decimal.
    pub fn number_type(self) -> Option<DataType> {
        let whole = if self.are(Fact::I64) {
            Some(DataType::Int64)
        } else {
            self.are(Fact::U64).then_some(DataType::UInt64)
        };
        let found = match whole {
            Some(whole) if !self.has_nan => Some(whole),
            _ if self.are(Fact::Double) => Some(DataType::Float64),
            // A NaN becomes null; otherwise it would make all numbers text.
            whole => whole.or_else(|| self.decimal_type()),
        };
        found.filter(|_| self.has_value)
    }

    /// A decimal with the digits of all values.
    pub fn decimal_type(self) -> Option<DataType> {
        self.digits.and_then(Digits::data_type)
    }

    /// The facts as a mark ([`CELLS`](crate::schema::keys::CELLS)) for a field that keeps only some of its rows; `None` if
    /// there is no value.
    /// `times` are the [names of the forms](super::time_forms::TimeForms::names) of dates and times.
    pub fn mark(mut self, times: impl Iterator<Item = String>, comma: bool) -> Option<String> {
        if !self.has_value {
            return None;
        }
        self.holds[Fact::ShortDouble as usize] = false;
        // The rows that are kept may not include the NaN.
        if self.has_nan && self.number_type() == Some(DataType::Float64) {
            self.holds[Fact::I64 as usize] = false;
            self.holds[Fact::U64 as usize] = false;
            self.digits = None;
        }
        let mut names: Vec<String> = NAMES
            .into_iter()
            .zip(self.holds)
            .filter(|(_, holds)| *holds)
            .map(|(name, _)| name.to_owned())
            .collect();
        names.extend(self.digits.map(Digits::name));
        if !self.are(Fact::Bool) {
            names.extend(self.bools.name());
        }
        names.extend(times);
        if names.is_empty() {
            names.push(TEXT_CELLS.to_owned());
        }
        names.extend(comma.then(|| DECIMAL_COMMA.to_owned()));
        Some(names.join(" "))
    }

    /// The facts about all rows of a field that kept only some of them. Without a mark, the result is the same as for
    /// a column without values.
    fn of_mark(field: &Field) -> Self {
        let Some(mark) = stated_facts(field) else {
            return Self::ALL;
        };
        let is_stated = |name| mark.split(' ').any(|stated| stated == name);
        Self {
            holds: NAMES.map(is_stated),
            unit: TimeUnit::Microsecond,
            digits: mark.split(' ').find_map(Digits::parse),
            bools: mark
                .split(' ')
                .find_map(BoolWords::parse)
                .unwrap_or(BoolWords::Others),
            ..Self::NONE
        }
    }
}

/// True for doubles that are all NaN or null.
pub fn is_all_nan(array: &dyn Array) -> bool {
    let Some(floats) = array.as_primitive_opt::<Float64Type>() else {
        return false;
    };
    let mut rows = floats.values().iter().enumerate();
    rows.all(|(row, value)| value.is_nan() || array.is_null(row))
}

/// Adds the digits of integers and decimals.
fn add_digits(found: &mut Scalars, array: &dyn Array) {
    let Some((least, most, scale)) = whole_extremes(array) else {
        return;
    };
    let is_whole = scale == 0;
    let fits = |value: i128| i64::try_from(value).is_ok();
    found.holds[Fact::I64 as usize] = is_whole && fits(least) && fits(most);
    found.holds[Fact::U64 as usize] = is_whole && least >= 0 && u64::try_from(most).is_ok();
    found.digits = Some(Digits::of(least, scale).or(Digits::of(most, scale)));
}

/// The facts about the cells of a column of doubles. Only numbers that [`ShortFloats`] cannot describe are
/// printed.
fn floats(array: &dyn Array, field: &Field) -> Scalars {
    let Some(floats) = array.as_primitive_opt::<Float64Type>() else {
        return Scalars::NONE;
    };
    let form = form_of(field).map_or(Some(FloatFormat::DEFAULT), FloatFormat::parse);
    let mut short = form.and_then(ShortFloats::new);
    let rows = (0..array.len()).filter(|&row| array.is_valid(row));
    let rows = rows.filter(|&row| !short.as_mut().is_some_and(|it| it.add(floats.value(row))));
    let mut found = cells(array, field, rows);
    if let Some(short) = short.and_then(ShortFloats::facts) {
        found = found.and(short);
    }
    found.holds[Fact::ShortDouble as usize] = found.are(Fact::Double);
    found
}

/// The facts about the cells of these rows.
fn cells(array: &dyn Array, field: &Field, rows: impl Iterator<Item = usize>) -> Scalars {
    let Ok(column) = ColumnPrinter::new(array, field) else {
        return Scalars::NONE;
    };
    let mut found = Scalars::ALL;
    let decimal_mark = DecimalMark::of(field);
    let mut cell = Vec::new();
    for row in rows {
        cell.clear();
        column.cells.print(row, &mut cell);
        found.add(&cell, decimal_mark);
        if found.is_none() {
            break;
        }
    }
    found
}

/// Statistics of doubles that print with their shortest digits, at most 15 of them, and without an exponent.
struct ShortFloats {
    /// True if they print as `2`, not as `2.0`.
    is_bare: bool,
    least: f64,
    most: f64,
    /// The most digits after the point; `None` if no value is a number.
    scale: Option<usize>,
}

impl ShortFloats {
    fn new(form: FloatFormat) -> Option<Self> {
        form.has_shortest_digits().then_some(Self {
            is_bare: form.is_bare(),
            least: 0.0,
            most: 0.0,
            scale: None,
        })
    }

    /// Adds a number; returns false if it is not of this kind.
    #[inline]
    fn add(&mut self, value: f64) -> bool {
        let is_zero = value == 0.0 && value.is_sign_positive();
        if !is_zero && !(1e-4..1e15).contains(&value.abs()) {
            return false;
        }
        // Try scales from the largest so far upwards. A scale is large enough if the value times 10^scale,
        // rounded to an integer below 10^15, gives back the same bits when divided by 10^scale.
        let has_scale = |&scale: &usize| {
            let digits = (value * POW10[scale]).round();
            digits.abs() < 1e15 && (digits / POW10[scale]).to_bits() == value.to_bits()
        };
        let scale = (self.scale.unwrap_or(0)..=15).find(has_scale);
        if scale.is_some() {
            self.scale = scale;
            self.least = self.least.min(value);
            self.most = self.most.max(value);
        }
        scale.is_some()
    }

    /// The facts about the cells of the numbers added; `None` before the first.
    fn facts(self) -> Option<Scalars> {
        let is_whole = self.is_bare && self.scale? == 0;
        let mut found = Scalars::only(&[Fact::Double, Fact::JsonNumber]);
        found.holds[Fact::I64 as usize] = is_whole;
        found.holds[Fact::U64 as usize] = is_whole && self.least >= 0.0;
        let whole = Digits::of(self.most.max(-self.least) as i128, 0).whole;
        let fraction = self.scale?.max(usize::from(!self.is_bare)) as u8;
        found.digits = Some(Digits { whole, fraction });
        Some(found)
    }
}

/// True if the pattern of these timestamps with a zone is a form of RFC 3339.
pub fn is_rfc_3339(field: &Field) -> bool {
    let Some(form) = form_of(field) else {
        return true;
    };
    let mut text = Vec::new();
    Pattern::compile(form).is_some_and(|pattern| {
        pattern.print(0, pattern.unit(), 0, &mut text);
        time::parse_timestamp(&text).is_some()
    })
}

/// The facts about the cells of a text column, ignoring words for null.
fn texts(array: &dyn Array, decimal_mark: DecimalMark) -> Scalars {
    let Some(slices) = Slices::of(array) else {
        return Scalars::NONE;
    };
    let mut found = Scalars::ALL;
    for row in (0..array.len()).filter(|&row| array.is_valid(row)) {
        found.add(slices.row(row), decimal_mark);
        if found.is_none() {
            return found;
        }
    }
    found
}

/// False if the minimum and maximum prove that some text is neither a number nor any other value, so that all
/// stay text.
pub fn may_be_typed(extremes: Option<&MinMax>) -> bool {
    extremes.is_none_or(|extremes| are_texts(extremes, may_have_fact))
}

/// False if text with this minimum and maximum cannot be dates or times.
pub fn may_be_times(extremes: &MinMax) -> bool {
    are_texts(extremes, |text, is_cut| {
        is_cut && time::may_begin_time(text) || !time::guess(text).is_empty()
    })
}

/// True if both extremes are texts that pass the test, which also learns whether the text is cut.
fn are_texts(extremes: &MinMax, passes: impl Fn(&[u8], bool) -> bool) -> bool {
    let (is_least_cut, is_greatest_cut) = extremes.are_cut();
    match extremes {
        MinMax::Strings {
            least, greatest, ..
        } => passes(least, is_least_cut) && passes(greatest, is_greatest_cut),
        MinMax::Ints(..) | MinMax::Wide(..) | MinMax::Floats(..) => false,
    }
}

/// False if no fact holds for the cell and it is not a date or time. If it `is_cut`, only its beginning is
/// known.
fn may_have_fact(cell: &[u8], is_cut: bool) -> bool {
    if is_cut {
        // Numbers, instants and most UUIDs begin like this, and only UUIDs have these hyphens.
        let is_number_like = matches!(cell.first(), Some(b'0'..=b'9' | b'-' | b'+' | b'.'));
        let is_uuid_like = cell.get(8) == Some(&b'-') && cell.get(13) == Some(&b'-');
        return is_number_like || is_uuid_like || time::may_begin_time(cell);
    }
    // Statistics do not contain the decimal mark.
    let has_fact = [false, true].into_iter().any(|is_comma| {
        let mut facts = Scalars::ALL;
        facts.add(cell, DecimalMark { is_comma });
        !facts.is_none()
    });
    has_fact || !time::guess(cell).is_empty()
}
