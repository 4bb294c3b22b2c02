//! Applying a test to what is known of all rows of a column.

use std::ops::Bound::{self, Excluded, Included, Unbounded};

use super::Facts;
use super::bind::{Bounds, Test, ValueRanges};
use crate::columns::statistics::MinMax;

impl Test {
    /// False if it certainly holds for no row; `unsigned` if whole numbers are the bits of u64.
    pub fn may_hold(&self, facts: Facts<'_>, unsigned: bool) -> bool {
        let Facts {
            rows,
            nulls,
            extremes,
        } = facts;
        match (self, extremes) {
            (Self::Null { not: true }, _) => nulls < rows,
            (Self::Null { not: false }, _) => nulls > 0,
            _ if nulls >= rows => false,
            (Self::Ints(ranges), Some(&MinMax::Ints(min, max))) => {
                // The bits of unsigned numbers beyond i64 look negative.
                let value = |bits: i64| -> i128 {
                    if unsigned {
                        (bits as u64).into()
                    } else {
                        bits.into()
                    }
                };
                whole(ranges, value(min), value(max))
            }
            (Self::Ints(ranges), Some(&MinMax::Wide(min, max))) => whole(ranges, min, max),
            (Self::Floats(floats), Some(&MinMax::Floats(min, max))) => {
                let mut ranges = floats.ranges.ranges.iter();
                if floats.ranges.not {
                    !ranges.any(|range| reaches(&range.0, &min) && stays(&range.1, &max))
                } else {
                    ranges.any(|range| reaches(&range.0, &max) && stays(&range.1, &min))
                }
            }
            (
                Self::Bytes(ranges),
                Some(MinMax::Strings {
                    least,
                    greatest,
                    cut,
                }),
            ) => strings(ranges, least, greatest, *cut),
            _ => true,
        }
    }
}

/// Whether the ranges may contain whole numbers of a column.
fn whole(ranges: &ValueRanges<(i128, i128)>, min: i128, max: i128) -> bool {
    let mut among = ranges.ranges.iter();
    if ranges.not {
        !among.any(|&(from, to)| from <= min && max <= to)
    } else {
        among.any(|&(from, to)| from <= max && min <= to)
    }
}

/// True if the value is not before a range with this beginning.
fn reaches<T: PartialOrd>(from: &Bound<T>, value: &T) -> bool {
    match from {
        Included(from) => value >= from,
        Excluded(from) => value > from,
        Unbounded => true,
    }
}

/// True if the value is not after a range with this end.
fn stays<T: PartialOrd>(to: &Bound<T>, value: &T) -> bool {
    match to {
        Included(to) => value <= to,
        Excluded(to) => value < to,
        Unbounded => true,
    }
}

/// Whether the ranges may contain strings of a column. All of them are at least `least`, and at most
/// `greatest` or, if that is cut, begin with it.
fn strings(
    ranges: &ValueRanges<Bounds<Vec<u8>>>,
    least: &Vec<u8>,
    greatest: &Vec<u8>,
    cut: bool,
) -> bool {
    let mut among = ranges.ranges.iter();
    if ranges.not {
        return cut || !among.any(|(from, to)| reaches(from, least) && stays(to, greatest));
    }
    let begins_alike = |from: &Bound<Vec<u8>>| match from {
        Included(from) | Excluded(from) => cut && from.starts_with(greatest),
        Unbounded => true,
    };
    among.any(|(from, to)| (reaches(from, greatest) || begins_alike(from)) && stays(to, least))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray, UInt64Array};
    use arrow_schema::{DataType, Field};
    use proptest::prelude::*;

    use super::*;
    use crate::filter::{Condition, Literal, Op};

    const OPS: [Op; 6] = [
        Op::In { not: false },
        Op::In { not: true },
        Op::Less,
        Op::AtMost,
        Op::Greater,
        Op::AtLeast,
    ];

    /// Whether the statistics let the frame pass, and whether some row does.
    fn both(array: &ArrayRef, op: Op, values: &[String], stats: Option<&MinMax>) -> (bool, bool) {
        let field = Field::new("x", array.data_type().clone(), true);
        let literal = |text: &String| Literal {
            text: text.clone(),
            quoted: true,
        };
        let condition = Condition {
            path: vec!["x".to_owned()],
            op,
            values: values.iter().map(literal).collect(),
        };
        let test = Test::bind(&field, &condition).unwrap();
        let facts = Facts {
            rows: array.len() as u64,
            nulls: array.null_count() as u64,
            extremes: stats,
        };
        let unsigned = *array.data_type() == DataType::UInt64;
        let holds = test.scan(array, None).unwrap().count_set_bits() > 0;
        (test.may_hold(facts, unsigned), holds)
    }

    fn texts(values: &[&str]) -> (ArrayRef, Option<MinMax>) {
        let array: ArrayRef = Arc::new(StringArray::from(values.to_vec()));
        (
            array,
            MinMax::of_strings(values.iter().map(|value| value.as_bytes())),
        )
    }

    #[test]
    fn frames_out_of_range_are_ruled_out() {
        let rules_out = |(array, stats): &(ArrayRef, Option<MinMax>), op, value: &str| {
            let (may, holds) = both(array, op, &[value.to_owned()], stats.as_ref());
            assert!(may || !holds);
            !may
        };
        let long = "a prefix of more than sixteen bytes, z";
        let cut = texts(&["b", long, "a prefix of more than sixteen bytes, a"]);
        assert!(rules_out(&cut, Op::Greater, "b"));
        assert!(rules_out(&cut, Op::Less, "a"));
        assert!(!rules_out(&cut, Op::In { not: false }, long));
        let cut = texts(&[long]);
        assert!(!rules_out(&cut, Op::Greater, "a prefix of more than"));
        assert!(!rules_out(&cut, Op::In { not: true }, long));
        assert!(rules_out(&cut, Op::Greater, "a prefix of n"));
        let same = texts(&["same", "same"]);
        assert!(rules_out(&same, Op::In { not: true }, "same"));
        assert!(rules_out(&same, Op::Greater, "same"));

        let floats = |values: Vec<f64>| {
            let stats = MinMax::of_floats(values.iter().copied());
            (Arc::new(Float64Array::from(values)) as ArrayRef, stats)
        };
        let zeros = floats(vec![-0.0, -0.0]);
        assert!(!rules_out(&zeros, Op::In { not: false }, "0"));
        assert!(!rules_out(&zeros, Op::AtLeast, "0.0"));
        assert!(rules_out(&zeros, Op::In { not: true }, "0"));
        assert!(rules_out(&zeros, Op::Less, "-0.0"));
        let nan = floats(vec![1.0, f64::NAN]);
        assert!(!rules_out(&nan, Op::In { not: true }, "1"));
        assert!(!rules_out(&nan, Op::In { not: false }, "NaN"));

        let bits = [5, u64::MAX].map(u64::cast_signed);
        let large: ArrayRef = Arc::new(UInt64Array::from(vec![5, u64::MAX]));
        let large = (large, MinMax::of_ints(&bits, true));
        assert!(!rules_out(&large, Op::Greater, "18446744073709551614"));
        assert!(rules_out(&large, Op::Greater, "18446744073709551615"));
        assert!(rules_out(&large, Op::Less, "5"));
        assert!(rules_out(&large, Op::In { not: false }, "5.5"));

        let nothing: ArrayRef = Arc::new(Int64Array::new_null(3));
        for op in OPS {
            assert!(rules_out(&(nothing.clone(), None), op, "5"));
        }
        assert!(!rules_out(&(nothing, None), Op::Null { not: false }, ""));
    }

    proptest! {
        #[test]
        fn no_frame_with_a_row_that_passes_is_ruled_out(
            ints in prop::collection::vec(prop_oneof![-3i64..4, any::<i64>()], 1..5),
            floats in prop::collection::vec(prop_oneof![
                prop::sample::select(vec![-0.0, 0.0, f64::NAN, f64::INFINITY, 1.0, 1.5]),
                any::<f64>(),
            ], 1..5),
            strings in prop::collection::vec("(sixteen bytes, a)?[ab]{0,2}", 1..5),
            values in prop::collection::vec(prop_oneof![
                (-4i64..5).prop_map(|v| v.to_string()),
                any::<i64>().prop_map(|v| v.to_string()),
                any::<u64>().prop_map(|v| v.to_string()),
                Just("0.5".to_owned()), Just("-0.0".to_owned()),
            ], 1..3),
            words in prop::collection::vec("(sixteen bytes, a)?[ab]{0,2}", 1..3),
        ) {
            let bits: Vec<u64> = ints.iter().map(|&int| int.cast_unsigned()).collect();
            let arrays: [(ArrayRef, Option<MinMax>, &[String]); 4] = [
                (Arc::new(Int64Array::from(ints.clone())), MinMax::of_ints(&ints, false), &values),
                (Arc::new(UInt64Array::from(bits)), MinMax::of_ints(&ints, true), &values),
                (Arc::new(Float64Array::from(floats.clone())), MinMax::of_floats(floats.iter().copied()), &values),
                {
                    let (array, stats) = texts(&strings.iter().map(String::as_str).collect::<Vec<_>>());
                    (array, stats, &words)
                },
            ];
            for (array, stats, values) in &arrays {
                for op in OPS {
                    let values = if matches!(op, Op::In { .. }) { *values } else { &values[..1] };
                    let (may, holds) = both(array, op, values, stats.as_ref());
                    prop_assert!(may || !holds, "{array:?} {op:?} {values:?} {stats:?}");
                }
            }
        }
    }
}
