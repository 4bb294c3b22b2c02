//! Applies a test to every row.

use std::ops::Bound;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, types as t};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBuffer};
use arrow_schema::{DataType, Field};

use super::bind::{BoundTest, Interval, TextLiteral};
use super::expression::{Op, Truth};
use super::number::float_key;
use super::text_value::{Kinds, Numeric, TextValue};
use crate::columns::cast::DecimalMark;
use crate::columns::print::{ColumnPrinter, Slices};
use crate::columns::slots::match_integers;
use crate::error::{Error, Result};
use crate::schema::data_type_name;

impl Truth {
    /// The same truth value for all rows.
    pub fn of_all(rows: usize, truth: Option<bool>) -> Self {
        let all = |is: bool| {
            if is {
                BooleanBuffer::new_set(rows)
            } else {
                BooleanBuffer::new_unset(rows)
            }
        };
        Self {
            yes: all(truth == Some(true)),
            no: all(truth == Some(false)),
        }
    }

    /// True or false, never unknown.
    pub fn known(yes: BooleanBuffer) -> Self {
        let no = !&yes;
        Self { yes, no }
    }

    /// Unknown for the nulls of `known`, otherwise as `holds` says.
    fn where_known(holds: &BooleanBuffer, known: Option<&NullBuffer>) -> Self {
        match known {
            None => Self {
                yes: holds.clone(),
                no: !holds,
            },
            Some(known) => Self {
                yes: holds & known.inner(),
                no: &!holds & known.inner(),
            },
        }
    }

    /// True where the truth is `is`, and false everywhere else, so the result is never unknown. `None`
    /// selects unknown truth.
    #[must_use]
    pub fn is(self, is: Option<bool>) -> Self {
        Self::known(match is {
            Some(true) => self.yes,
            Some(false) => self.no,
            None => !&(&self.yes | &self.no),
        })
    }
}

impl BoundTest {
    /// The truth for every row, and whether any value is of a kind that the test applies to (`None` without values).
    /// `above` marks rows that are null because an enclosing value is.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if the array has another type than the test was made for.
    pub fn scan(
        &self,
        field: &Field,
        array: &ArrayRef,
        above: Option<&NullBuffer>,
    ) -> Result<(Truth, Option<bool>)> {
        let own = array.logical_nulls();
        let valid = NullBuffer::union(own.as_ref(), above);
        if *array.data_type() == DataType::Null {
            return Ok((Truth::of_all(array.len(), None), None));
        }
        let mark = DecimalMark::of(field);
        let holds = match self {
            Self::Ranges(of) => ranges(of, array)?,
            Self::Bytes(ranges) => {
                let [holds] = strings(array, &|value| [is_among(ranges, value)])?;
                holds
            }
            Self::Parsed(op, literals) => {
                let kinds = literals.iter().map(|literal| literal.kinds);
                let kinds = kinds.fold(Kinds::default(), Kinds::or);
                let literals = LiteralSet::of(literals, *op);
                let test = |text: &[u8]| {
                    let plain = mark.with_point(text);
                    literals.test(text, &TextValue::read(text, &plain, kinds))
                };
                return by_value(array, valid.as_ref(), *op, &test);
            }
            Self::Matches {
                regex,
                is_text: true,
                ..
            } => {
                let [holds] = strings(array, &|value| [regex.is_match(value)])?;
                holds
            }
            Self::Matches { regex, .. } => {
                let printer = ColumnPrinter::new(array, field)?;
                let mut text = Vec::new();
                let is_valid = |row| valid.as_ref().is_none_or(|valid| valid.is_valid(row));
                BooleanBuffer::collect_bool(array.len(), |row| {
                    text.clear();
                    if is_valid(row) {
                        printer.cells.print(row, &mut text);
                    }
                    regex.is_match(&text)
                })
            }
            Self::Variant(op, tests) => return variant(*op, tests, array, above),
        };
        let nulls = valid.as_ref().map_or(0, NullBuffer::null_count);
        let fits = (nulls < array.len()).then_some(true);
        Ok((Truth::where_known(&holds, valid.as_ref()), fits))
    }
}

/// Literals compared with text that may hold values of other types. Most literals of a long list are found by bisection.
struct LiteralSet<'a> {
    op: Op,
    /// Literals that hold no other value and equal only the same text, sorted.
    texts: Vec<&'a [u8]>,
    /// The numbers of literals that hold nothing else, sorted.
    numbers: Vec<Numeric<'a>>,
    /// Some of these literals also compare with text that is not a number.
    numbers_are_text: bool,
    others: Vec<TextValue<'a>>,
}

impl<'a> LiteralSet<'a> {
    fn of(literals: &'a [TextLiteral], op: Op) -> Self {
        let mut set = Self {
            op,
            texts: Vec::new(),
            numbers: Vec::new(),
            numbers_are_text: false,
            others: Vec::new(),
        };
        for literal in literals.iter().map(TextLiteral::read) {
            match literal {
                TextValue {
                    text: Some(text), ..
                } if op == Op::Equal && literal.is_only_text() => set.texts.push(text),
                TextValue {
                    number: Some(number),
                    moment: None,
                    uuid: None,
                    truth: None,
                    text,
                } if op == Op::Equal => {
                    set.numbers.push(number);
                    set.numbers_are_text |= text.is_some();
                }
                other => set.others.push(other),
            }
        }
        set.texts.sort_unstable();
        set.numbers.sort_unstable_by(Numeric::compare);
        set
    }

    /// True if any comparison with a text and its value is true, unknown if none is possible.
    fn test(&self, text: &[u8], value: &TextValue<'_>) -> Option<bool> {
        let orders = self.others.iter().filter_map(|it| value.compare(it));
        let holds = orders.map(|order| self.op.holds(order)).max();
        let is_text = (!self.texts.is_empty()).then(|| self.texts.binary_search(&text).is_ok());
        let is_number = match &value.number {
            _ if self.numbers.is_empty() => None,
            Some(number) => {
                let found = self.numbers.binary_search_by(|it| it.compare(number));
                Some(found.is_ok())
            }
            None => self.numbers_are_text.then_some(false),
        };
        holds.max(is_text).max(is_number)
    }
}

/// Compares texts by their parsed values. A text that cannot be parsed is unequal to everything; whether it is greater
/// is unknown.
fn by_value(
    array: &ArrayRef,
    valid: Option<&NullBuffer>,
    op: Op,
    test: &dyn Fn(&[u8]) -> Option<bool>,
) -> Result<(Truth, Option<bool>)> {
    let [holds, known] = strings(array, &|value| {
        let holds = test(value);
        [holds == Some(true), holds.is_some()]
    })?;
    let mut truth = Truth::where_known(&holds, valid);
    let known = Truth::where_known(&known, valid);
    let any = |bits: &BooleanBuffer| bits.count_set_bits() > 0;
    let fits = (any(&known.yes) || any(&known.no)).then(|| any(&known.yes));
    if op != Op::Equal {
        truth.no = &truth.no & &known.yes;
    }
    Ok((truth, fits))
}

/// True if one of the sorted ranges contains the value: only the last one that starts before it can.
fn is_among(ranges: &[Interval<Vec<u8>>], value: &[u8]) -> bool {
    let has_begun = |(from, _): &Interval<Vec<u8>>| match from {
        Bound::Included(from) => &from[..] <= value,
        Bound::Excluded(from) => &from[..] < value,
        Bound::Unbounded => true,
    };
    let begun = &ranges[..ranges.partition_point(has_begun)];
    begun.last().is_some_and(|(_, to)| match to {
        Bound::Included(to) => value <= &to[..],
        Bound::Excluded(to) => value < &to[..],
        Bound::Unbounded => true,
    })
}

fn each<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    test: impl Fn(T::Native) -> bool,
) -> Result<BooleanBuffer> {
    let Some(array) = array.as_primitive_opt::<T>() else {
        return Err(other_type(array));
    };
    let values = array.values();
    Ok(BooleanBuffer::collect_bool(values.len(), |row| {
        test(values[row])
    }))
}

pub(super) fn other_type(array: &ArrayRef) -> Error {
    let found = data_type_name(array.data_type());
    Error::usage(format!("cannot compare values of type {found}"))
        .hint("test them with is null, or compare a value in them: user.name, tags[0]")
}

fn ranges(of: &[(i128, i128)], array: &ArrayRef) -> Result<BooleanBuffer> {
    let narrow = narrow(of);
    // Nearly always there is one range, and the loop for it has no branch.
    let small = |value: i64| match narrow[..] {
        [(from, to)] => from <= value && value <= to,
        _ => is_in_one(&narrow, value),
    };
    let wide = |value: i128| is_in_one(of, value);
    let others = || match array.data_type() {
        DataType::Boolean => {
            let bits = array.as_boolean().values();
            Ok(BooleanBuffer::collect_bool(bits.len(), |row| {
                small(i64::from(bits.value(row)))
            }))
        }
        DataType::Float16 => each::<t::Float16Type>(array, |v| small(float_key(v.to_f64()))),
        DataType::Float32 => each::<t::Float32Type>(array, |v| small(float_key(v.into()))),
        DataType::Float64 => each::<t::Float64Type>(array, |v| small(float_key(v))),
        DataType::Dictionary(..) => {
            let [holds] = by_key(array, |values| Ok([ranges(of, values)?]))?;
            Ok(holds)
        }
        _ => Err(other_type(array)),
    };
    match_integers!(array, values => Ok(are_among(values, small, wide)), _ => others())
}

/// The same for integers; both ends are included.
fn is_in_one<T: Copy + Ord>(ranges: &[(T, T)], value: T) -> bool {
    let begun = &ranges[..ranges.partition_point(|&(from, _)| from <= value)];
    begun.last().is_some_and(|&(_, to)| value <= to)
}

/// Tests integers: with `small` if they fit in 64 bits, which is faster, else with `wide`.
fn are_among<T: Copy + TryInto<i64> + Into<i128>>(
    values: &[T],
    small: impl Fn(i64) -> bool,
    wide: impl Fn(i128) -> bool,
) -> BooleanBuffer {
    BooleanBuffer::collect_bool(values.len(), |row| match values[row].try_into() {
        Ok(value) => small(value),
        Err(_) => wide(values[row].into()),
    })
}

/// The parts of the ranges that fit in 64 bits.
fn narrow(ranges: &[(i128, i128)]) -> Vec<(i64, i64)> {
    let meets = |&&(from, to): &&(i128, i128)| {
        from <= to && from <= i64::MAX.into() && to >= i64::MIN.into()
    };
    let clamp = |value: i128| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    ranges
        .iter()
        .filter(meets)
        .map(|&(from, to)| (clamp(from), clamp(to)))
        .collect()
}

/// Applies tests to every text; all read it once.
fn strings<const TESTS: usize>(
    array: &ArrayRef,
    test: &dyn Fn(&[u8]) -> [bool; TESTS],
) -> Result<[BooleanBuffer; TESTS]> {
    if matches!(array.data_type(), DataType::Dictionary(..)) {
        return by_key(array, |values| strings(values, test));
    }
    let values = Slices::of(array).ok_or_else(|| other_type(array))?;
    let mut results = [(); TESTS].map(|()| BooleanBufferBuilder::new(array.len()));
    for row in 0..array.len() {
        for (result, holds) in results.iter_mut().zip(test(values.row(row))) {
            result.append(holds);
        }
    }
    Ok(results.map(|mut result| result.finish()))
}

/// Tests the values of a dictionary once, and looks the results up for each row.
fn by_key<const TESTS: usize>(
    array: &ArrayRef,
    test: impl FnOnce(&ArrayRef) -> Result<[BooleanBuffer; TESTS]>,
) -> Result<[BooleanBuffer; TESTS]> {
    let dictionary = array.as_any_dictionary();
    let results = test(dictionary.values())?;
    let keys = dictionary.normalized_keys();
    Ok(results.map(|holds| {
        // Without values, all keys are null.
        BooleanBuffer::collect_bool(array.len(), |row| {
            !holds.is_empty() && holds.value(keys[row])
        })
    }))
}

/// Tests values of several kinds: the child that has a value decides. A value of a different kind is unequal; whether
/// it is greater is unknown.
fn variant(
    op: Op,
    tests: &[Option<BoundTest>],
    array: &ArrayRef,
    above: Option<&NullBuffer>,
) -> Result<(Truth, Option<bool>)> {
    let of = array.as_struct();
    let above = NullBuffer::union(above, of.nulls());
    let mut truth = Truth::of_all(array.len(), None);
    let mut fits = (array.null_count() < array.len()).then_some(false);
    for ((test, child), field) in tests.iter().zip(of.columns()).zip(of.fields()) {
        let found = match test {
            Some(test) => {
                let (found, child_fits) = test.scan(field, child, above.as_ref())?;
                fits = fits.max(child_fits);
                found
            }
            None if op == Op::Equal => {
                let valid = NullBuffer::union(child.logical_nulls().as_ref(), above.as_ref());
                Truth::where_known(&BooleanBuffer::new_unset(array.len()), valid.as_ref())
            }
            None => continue,
        };
        truth = Truth {
            yes: &truth.yes | &found.yes,
            no: &truth.no | &found.no,
        };
    }
    Ok((truth, fits))
}
