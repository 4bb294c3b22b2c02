//! Applies a test to the statistics of a column, to skip frames without matching rows.

use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::ops::RangeBounds as _;

use arrow_schema::{DataType, Field};

use super::bind::{BoundTest, Interval};
use super::expression::{Comparison, Test, Truth};
use super::number::float_key;
use super::{FrameStatistics, Predicate};
use crate::columns::cast::{Provenance, may_be_typed};
use crate::columns::place::{Reach, find, reach};
use crate::columns::statistics::MinMax;
use crate::schema::Type;
use crate::schema::path::Path;

/// Which truth values a condition may have for the rows of a frame.
type Possible = Truth<bool>;

impl Possible {
    /// Nothing is known.
    const ANY: Self = Self::new(true, true);

    /// Every row is null, so every comparison is unknown.
    const UNKNOWN: Self = Self::new(false, false);

    const fn new(yes: bool, no: bool) -> Self {
        Self { yes, no }
    }
}

impl Predicate {
    /// False if the condition cannot be true for any row of a frame with these columns, so that the frame need not be
    /// read; `facts` returns the statistics of a column by its position.
    pub fn may_hold<'a>(
        &self,
        fields: &[&'a Field],
        facts: impl Fn(usize) -> Option<FrameStatistics<'a>>,
    ) -> bool {
        let constant = |truth| Possible::new(truth == Some(true), truth == Some(false));
        let compare = |comparison: &Comparison| Ok(self.possible(comparison, fields, &facts));
        let truth = self
            .expression
            .truth(&constant, &|_, _| Possible::ANY, &compare);
        truth.is_ok_and(|truth| truth.yes) || self.is_undecided(fields, &facts)
    }

    /// True if the rows of a frame may show something that no earlier frame has: that a name of the condition exists, or
    /// that a value can be compared. Such a frame is read although the condition cannot hold for its rows, so that errors
    /// do not depend on which frames are skipped.
    fn is_undecided<'a>(
        &self,
        fields: &[&'a Field],
        facts: &dyn Fn(usize) -> Option<FrameStatistics<'a>>,
    ) -> bool {
        let has_values = |path: &Path| {
            let (at, field, used) = find(path.steps(), fields.iter().copied())?;
            let facts = facts(at);
            let reach = match field.data_type() {
                // In an index, the type of a nested column is null.
                DataType::Null => Reach::Text,
                _ => reach(field, &path.steps()[used..]),
            };
            let is_empty = facts.is_some_and(|facts| facts.nulls >= facts.rows);
            (reach > Reach::Nothing && !is_empty).then_some((field, used, reach))
        };
        let mut is_open = false;
        self.expression.each_comparison(&mut |comparison| {
            let Comparison { path, test, place } = comparison;
            let Some((field, used, reach)) = has_values(path) else {
                return;
            };
            let fits = self.found[*place].fits();
            let suits = |test: &Test| {
                let bound = BoundTest::bind(field, path, test, any_source(field));
                bound.is_ok_and(|bound| !bound.reads_text())
            };
            is_open |= reach == Reach::Text && !self.has_met(path)
                || match test {
                    Test::Null => false,
                    Test::Column(_, operand) => {
                        !fits && (operand.quoted || has_values(&operand.path).is_some())
                    }
                    _ if reach == Reach::Text || used < path.steps().len() => !fits,
                    test => !fits && !suits(test),
                };
        });
        is_open
    }

    fn possible<'a>(
        &self,
        Comparison { path, test, place }: &Comparison,
        fields: &[&'a Field],
        facts: &dyn Fn(usize) -> Option<FrameStatistics<'a>>,
    ) -> Possible {
        let steps = path.steps();
        let Some((at, field, used)) = find(steps, fields.iter().copied()) else {
            return Possible::ANY;
        };
        if reach(field, &steps[used..]) == Reach::Value {
            self.meet(path);
        }
        let found = &self.found[*place];
        // Statistics of JSON text say nothing about the strings in it.
        let is_json = Type::of(field) == Some(Type::Json) && !matches!(test, Test::Null);
        // What a word means for bools depends on where they come from.
        let is_word = Type::of(field) == Some(Type::Bool) && matches!(test, Test::Values { .. });
        if used < steps.len() || matches!(test, Test::Column(..)) || is_json || is_word {
            return Possible::ANY;
        }
        let Some(facts) = facts(at) else {
            return Possible::ANY;
        };
        let is_text = field.data_type().is_string();
        if facts.may_be_cells && is_text && may_hide_values(test, facts) {
            return Possible::ANY;
        }
        let spells_nulls = facts.may_spell_nulls && facts.nulls > 0;
        if spells_nulls && !test.is_of_finite_numbers() {
            return Possible::ANY;
        }
        let possible = match test {
            Test::Null => Possible::new(facts.nulls > 0, facts.nulls < facts.rows),
            _ => match BoundTest::bind(field, path, test, any_source(field)) {
                Ok(bound) => {
                    // Statistics do not show whether text can be parsed, and nulls can be compared with anything.
                    // In an index, the type of a nested column is null.
                    let is_typed = *field.data_type() != DataType::Null;
                    if is_typed && !bound.reads_text() && facts.nulls < facts.rows {
                        found.set_fits();
                    }
                    bound.may_hold(facts, *field.data_type() == DataType::UInt64)
                }
                // The scan of the rows reports the error.
                Err(_) => Possible::ANY,
            },
        };
        // A null word is unequal to every finite number.
        Possible::new(possible.yes, possible.no || spells_nulls)
    }
}

/// The provenance under which the most values are parsed, since the index does not show it.
fn any_source(field: &Field) -> Provenance {
    Provenance::Csv.of_column(field)
}

/// True if cells of text may have another type by their values, for which the statistics of text say nothing.
fn may_hide_values(test: &Test, facts: FrameStatistics<'_>) -> bool {
    // Patterns apply to the text.
    if facts.nulls >= facts.rows || matches!(test, Test::Matches(_)) {
        return false;
    }
    may_be_typed(facts.extremes)
}

impl BoundTest {
    /// The possible truth values, given the extremes; `unsigned` if the integers are the bits of u64.
    pub fn may_hold(&self, facts: FrameStatistics<'_>, unsigned: bool) -> Possible {
        if facts.nulls >= facts.rows {
            return Possible::UNKNOWN;
        }
        match (self, facts.extremes) {
            (Self::Ranges(ranges), Some(&MinMax::Ints(min, max))) => {
                // Unsigned numbers above the range of i64 look negative.
                let value = |bits: i64| -> i128 {
                    if unsigned {
                        (bits as u64).into()
                    } else {
                        bits.into()
                    }
                };
                whole(ranges, value(min), value(max))
            }
            (Self::Ranges(ranges), Some(&MinMax::Wide(min, max))) => whole(ranges, min, max),
            (Self::Ranges(ranges), Some(&MinMax::Floats(min, max))) => {
                whole(ranges, float_key(min).into(), float_key(max).into())
            }
            (
                _,
                Some(MinMax::Strings {
                    least,
                    greatest,
                    cut,
                }),
            ) => self.may_hold_strings(least, greatest, *cut),
            _ => Possible::ANY,
        }
    }

    fn may_hold_strings(&self, least: &Vec<u8>, greatest: &Vec<u8>, cut: bool) -> Possible {
        match self {
            Self::Bytes(ranges) => strings(ranges, least, greatest, cut),
            Self::Matches {
                prefix,
                is_text: true,
                ..
            } => {
                // A text that starts with the prefix is not less than the prefix, and its first bytes are not greater.
                let prefix = prefix.as_bytes();
                let from = (Included(prefix.to_vec()), Unbounded);
                let begins = &least[..least.len().min(prefix.len())];
                let reaches = strings(&[from], least, greatest, cut).yes;
                Possible::new(reaches && begins <= prefix, true)
            }
            _ => Possible::ANY,
        }
    }
}

/// Whether integers from `min` to `max` may lie in the ranges.
fn whole(ranges: &[(i128, i128)], min: i128, max: i128) -> Possible {
    let may_meet = |&(from, to): &(i128, i128)| from <= max && min <= to;
    let holds_all = |&(from, to): &(i128, i128)| from <= min && max <= to;
    Possible::new(ranges.iter().any(may_meet), !ranges.iter().any(holds_all))
}

/// True if the value is not before the start of a range.
fn reaches<T: PartialOrd>(from: &Bound<T>, value: &T) -> bool {
    (from.as_ref(), Unbounded).contains(value)
}

/// True if the value is not after the end of a range.
fn stays<T: PartialOrd>(to: &Bound<T>, value: &T) -> bool {
    (Unbounded, to.as_ref()).contains(value)
}

/// Whether strings of a column may lie in the ranges. All of them are at least `least`, and at most `greatest`; if that
/// is `cut`, they may also start with it.
fn strings(
    ranges: &[Interval<Vec<u8>>],
    least: &Vec<u8>,
    greatest: &Vec<u8>,
    cut: bool,
) -> Possible {
    let begins_alike = |from: &Bound<Vec<u8>>| match from {
        Included(from) | Excluded(from) => cut && from.starts_with(greatest),
        Unbounded => true,
    };
    let may_meet = |(from, to): &Interval<Vec<u8>>| {
        (reaches(from, greatest) || begins_alike(from)) && stays(to, least)
    };
    let holds_all = |(from, to): &Interval<Vec<u8>>| reaches(from, least) && stays(to, greatest);
    let may_miss = cut || !ranges.iter().any(holds_all);
    Possible::new(ranges.iter().any(may_meet), may_miss)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
    use arrow_schema::{Field, Schema};
    use proptest::prelude::*;

    use crate::columns::statistics::MinMax;
    use crate::filter::{FrameStatistics, Predicate};

    type Column = (ArrayRef, Option<MinMax>);

    /// Whether the condition on `x` may be true according to the statistics, and whether it is.
    fn both((array, extremes): &Column, condition: &str) -> (bool, bool) {
        let field = Field::new("x", array.data_type().clone(), true);
        let facts = FrameStatistics {
            rows: array.len() as u64,
            nulls: array.null_count() as u64,
            extremes: extremes.as_ref(),
            may_be_cells: false,
            may_spell_nulls: false,
        };
        let predicate = Predicate::parse(condition).unwrap();
        let may = predicate.may_hold(&[&field], |_| Some(facts));
        let schema = Arc::new(Schema::new(vec![field]));
        let batch = RecordBatch::try_new(schema, vec![array.clone()]).unwrap();
        (may, predicate.mask(&batch).unwrap().count_set_bits() > 0)
    }

    fn rules_out(column: &Column, condition: &str) -> bool {
        let (may, holds) = both(column, condition);
        assert!(may || !holds, "{condition}");
        !may
    }

    fn texts(values: &[&str]) -> Column {
        let array: ArrayRef = Arc::new(StringArray::from(values.to_vec()));
        let bytes = values.iter().map(|value| value.as_bytes());
        (array, MinMax::of_strings(bytes))
    }

    fn floats(values: &[f64]) -> Column {
        let stats = MinMax::of_floats(values.iter().copied());
        (Arc::new(Float64Array::from(values.to_vec())), stats)
    }

    #[test]
    fn frames_out_of_range_are_ruled_out() {
        let long = "a prefix of more than sixteen bytes, z";
        let cut = texts(&["b", long, "a prefix of more than sixteen bytes, a"]);
        assert!(rules_out(&cut, "x > 'b'"));
        assert!(rules_out(&cut, "x < 'a'"));
        assert!(!rules_out(&cut, &format!("x = '{long}'")));
        assert!(rules_out(&cut, "x like 'c%'"));
        assert!(rules_out(&cut, "x like 'Z%'"));
        assert!(!rules_out(&cut, "x like 'a p%'"));
        assert!(!rules_out(&cut, "x like '%q'"));
        let cut = texts(&[long]);
        assert!(!rules_out(&cut, "x > 'a prefix of more than'"));
        assert!(!rules_out(&cut, &format!("x <> '{long}'")));
        assert!(rules_out(&cut, "x > 'a prefix of n'"));
        assert!(!rules_out(&cut, &format!("x like '{}%'", &long[..30])));
        let same = texts(&["same", "same"]);
        assert!(rules_out(&same, "x <> 'same'"));
        assert!(rules_out(&same, "x > 'same'"));
        assert!(rules_out(&same, "not x between 'a' and 'z'"));
        assert!(rules_out(&same, "x is null"));

        let zeros = floats(&[-0.0, -0.0]);
        assert!(!rules_out(&zeros, "x = 0"));
        assert!(!rules_out(&zeros, "x >= 0.0"));
        assert!(rules_out(&zeros, "x <> 0"));
        assert!(rules_out(&zeros, "x < -0.0"));
        let nan = floats(&[1.0, f64::NAN]);
        assert!(!rules_out(&nan, "x <> 1"));
        assert!(!rules_out(&nan, "x = 'NaN'"));

        let bits = [5, u64::MAX].map(u64::cast_signed);
        let large: ArrayRef = Arc::new(UInt64Array::from(vec![5, u64::MAX]));
        let large = (large, MinMax::of_ints(&bits, true));
        assert!(!rules_out(&large, "x > 18446744073709551614"));
        assert!(rules_out(&large, "x > 18446744073709551615"));
        assert!(rules_out(&large, "x < 5 or x in (4, 5.5)"));
        assert!(rules_out(&large, "not (x >= 5)"));
        assert!(!rules_out(&large, "x < 5 or x > 6"));
        assert!(rules_out(&large, "x > 6 and x between 1 and 4"));

        let nothing: Column = (Arc::new(Int64Array::new_null(3)), None);
        for condition in [
            "x = 5",
            "x <> 5",
            "not x < 5",
            "x in (5)",
            "x not in (5, 6)",
            "x is not null",
        ] {
            assert!(rules_out(&nothing, condition), "{condition}");
        }
        assert!(!rules_out(&nothing, "x is null or x = 5"));
        assert!(!rules_out(&nothing, "(x = 5) is unknown"));
    }

    /// Conditions on `x` with these values.
    fn conditions(value: BoxedStrategy<String>) -> BoxedStrategy<String> {
        let leaf = (0..9usize, value.clone(), value).prop_map(|(kind, a, b)| match kind {
            0 => format!("x = {a}"),
            1 => format!("x < {a}"),
            2 => format!("x >= {a}"),
            3 => format!("{a} > x"),
            4 => format!("x in ({a}, {b})"),
            5 => format!("x not in ({a}, {b})"),
            6 => format!("x between {a} and {b}"),
            7 => format!("x in ({a}, null)"),
            _ => "x is null".to_owned(),
        });
        let tree = leaf.prop_recursive(3, 8, 2, |inner| {
            (0..3usize, inner.clone(), inner).prop_map(|(kind, a, b)| match kind {
                0 => format!("({a} and {b})"),
                1 => format!("({a} or {b})"),
                _ => format!("not ({a})"),
            })
        });
        tree.boxed()
    }

    proptest! {
        #[test]
        fn no_frame_with_a_row_that_passes_is_ruled_out(
            ints in prop::collection::vec(prop_oneof![-3i64..4, any::<i64>()], 1..5),
            reals in prop::collection::vec(prop_oneof![
                prop::sample::select(vec![-0.0, 0.0, f64::NAN, f64::INFINITY, 1.0, 1.5]),
                any::<f64>(),
            ], 1..5),
            strings in prop::collection::vec("(sixteen bytes, a)?[ab]{0,2}", 1..5),
            numbers in conditions(prop_oneof![
                (-4i64..5).prop_map(|v| v.to_string()),
                any::<i64>().prop_map(|v| v.to_string()),
                any::<u64>().prop_map(|v| v.to_string()),
                Just("0.5".to_owned()), Just("-0.0".to_owned()),
            ].boxed()),
            words in conditions("'(sixteen bytes, a)?[ab]{0,2}'".boxed()),
            prefix in "(sixteen bytes, a)?[ab]{0,2}",
        ) {
            let bits: Vec<u64> = ints.iter().map(|&int| int.cast_unsigned()).collect();
            let columns: [Column; 3] = [
                (Arc::new(Int64Array::from(ints.clone())), MinMax::of_ints(&ints, false)),
                (Arc::new(UInt64Array::from(bits)), MinMax::of_ints(&ints, true)),
                floats(&reals),
            ];
            let (like, unlike) = (format!("x like '{prefix}%'"), format!("x not like '{prefix}%'"));
            for column in &columns {
                rules_out(column, &numbers);
            }
            let strings: Vec<_> = strings.iter().map(String::as_str).collect();
            for condition in [&words, &like, &unlike] {
                rules_out(&texts(&strings), condition);
            }
        }
    }
}
