//! Statistics of columns, which let readers skip frames.

/// The most bytes of a string that are kept.
pub const PREFIX: usize = size_of::<u128>();

/// Statistics of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Number of rows without a value; `None` if some values may mean null.
    pub nulls: Option<u64>,
    /// The minimum and maximum, if known.
    pub extremes: Option<MinMax>,
}

/// The minimum and maximum of the values that are not null.
#[derive(Clone, Debug, PartialEq)]
pub enum MinMax {
    /// Integers; for unsigned 64-bit columns, their bits.
    Ints(i64, i64),
    /// Mantissas of 128-bit decimals.
    Wide(i128, i128),
    /// Floats of a column without NaN. A zero may be of either sign.
    Floats(f64, f64),
    /// Strings: up to [`PREFIX`] bytes of each.
    Strings {
        /// The start of the minimum; no value is less.
        least: Vec<u8>,
        /// The start of the maximum; no value is greater, unless it starts with these bytes.
        greatest: Vec<u8>,
        /// True if the maximum is longer.
        cut: bool,
    },
}

impl MinMax {
    /// The extremes of integers; `unsigned` if they are the bits of u64.
    pub fn of_ints(values: &[i64], unsigned: bool) -> Option<Self> {
        let flip = if unsigned { i64::MIN } else { 0 };
        let (min, max) = extremes(values.iter().map(|value| value ^ flip))?;
        Some(Self::Ints(min ^ flip, max ^ flip))
    }

    /// The extremes of 128-bit mantissas.
    pub fn of_wide(values: impl Iterator<Item = i128>) -> Option<Self> {
        extremes(values).map(|(least, greatest)| Self::Wide(least, greatest))
    }

    /// The extremes of floats; `None` if one is NaN.
    pub fn of_floats(mut values: impl Iterator<Item = f64>) -> Option<Self> {
        let first = values.next()?;
        let mut has_nan = first.is_nan();
        let (mut min, mut max) = (first, first);
        for value in values {
            has_nan |= value.is_nan();
            min = if value < min { value } else { min };
            max = if value > max { value } else { max };
        }
        (!has_nan).then_some(Self::Floats(min, max))
    }

    /// The extremes of strings.
    pub fn of_strings<'a>(values: impl Iterator<Item = &'a [u8]>) -> Option<Self> {
        let (least, greatest) = extremes(values)?;
        let prefix = |value: &[u8]| value[..value.len().min(PREFIX)].to_vec();
        Some(Self::Strings {
            least: prefix(least),
            greatest: prefix(greatest),
            cut: greatest.len() > PREFIX,
        })
    }

    /// True if the maximum is longer than the bytes kept of it.
    pub fn is_cut(&self) -> bool {
        self.are_cut().1
    }

    /// Whether the minimum and the maximum may be longer than the bytes kept of them. This is recorded only for the
    /// maximum; a minimum may be longer if all [`PREFIX`] bytes are used.
    pub fn are_cut(&self) -> (bool, bool) {
        match self {
            Self::Strings { least, cut, .. } => (least.len() == PREFIX, *cut),
            Self::Ints(..) | Self::Wide(..) | Self::Floats(..) => (false, false),
        }
    }
}

/// The minimum and maximum in one pass.
pub fn extremes<T: Ord + Copy>(mut values: impl Iterator<Item = T>) -> Option<(T, T)> {
    let first = values.next()?;
    Some(values.fold((first, first), |(least, greatest), value| {
        (least.min(value), greatest.max(value))
    }))
}
