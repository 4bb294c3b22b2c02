//! Putting a test to what is known of all rows of a column at once.

use std::ops::Bound::{self, Excluded, Included, Unbounded};

use super::Facts;
use super::bind::{Range, Ranges, Test};
use crate::wire::v2::Statistics;

impl Test {
    /// False if it is certain that it holds for no row; `unsigned` if whole numbers are bits of u64.
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
            (Self::Ints(ranges), Some(&Statistics::Ints(min, max))) => {
                // The bits of unsigned numbers beyond i64 look negative.
                let value = |bits: i64| -> i128 {
                    if unsigned {
                        (bits as u64).into()
                    } else {
                        bits.into()
                    }
                };
                let (min, max) = (value(min), value(max));
                if ranges.not {
                    let mut ranges = ranges.ranges.iter();
                    !ranges.any(|&(from, to)| from <= min && max <= to)
                } else {
                    let mut ranges = ranges.ranges.iter();
                    ranges.any(|&(from, to)| from <= max && min <= to)
                }
            }
            (Self::Floats(floats), Some(&Statistics::Floats(min, max))) => {
                let mut ranges = floats.ranges.ranges.iter();
                if floats.ranges.not {
                    !ranges.any(|range| reaches(&range.0, &min) && stays(&range.1, &max))
                } else {
                    ranges.any(|range| reaches(&range.0, &max) && stays(&range.1, &min))
                }
            }
            (
                Self::Bytes(ranges),
                Some(Statistics::Strings {
                    least,
                    greatest,
                    cut,
                }),
            ) => strings(ranges, least, greatest, *cut),
            _ => true,
        }
    }
}

/// True if the value does not lie before a range that begins so.
fn reaches<T: PartialOrd>(from: &Bound<T>, value: &T) -> bool {
    match from {
        Included(from) => value >= from,
        Excluded(from) => value > from,
        Unbounded => true,
    }
}

/// True if the value does not lie behind a range that ends so.
fn stays<T: PartialOrd>(to: &Bound<T>, value: &T) -> bool {
    match to {
        Included(to) => value <= to,
        Excluded(to) => value < to,
        Unbounded => true,
    }
}

/// All values are at least `least`, and at most `greatest` or, if that is cut, begin with it.
fn strings(
    ranges: &Ranges<Range<Vec<u8>>>,
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
