//! What is known of the rows of a column without looking at them: readers step over frames by it.

/// Bytes of a string that are kept.
pub const PREFIX: usize = size_of::<u128>();

/// What is known of the rows of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Rows without a value; `None` if some values may stand for null.
    pub nulls: Option<u64>,
    /// The least and the greatest value, if they are known.
    pub extremes: Option<MinMax>,
}

/// The least and the greatest of the values that are not null.
#[derive(Clone, Debug, PartialEq)]
pub enum MinMax {
    /// Whole numbers; of unsigned 64-bit columns the bits.
    Ints(i64, i64),
    /// Decimals of 128 bits, as their mantissas.
    Wide(i128, i128),
    /// Floats; there is no NaN in the column. A zero stands for either zero.
    Floats(f64, f64),
    /// Strings: up to [`PREFIX`] bytes of each.
    Strings {
        /// No value is less.
        least: Vec<u8>,
        /// No value is greater, unless it begins with these bytes.
        greatest: Vec<u8>,
        /// The greatest value is longer.
        cut: bool,
    },
}

impl MinMax {
    /// Of whole numbers; `unsigned` if they are the bits of u64.
    pub fn of_ints(values: &[i64], unsigned: bool) -> Option<Self> {
        let flip = if unsigned { i64::MIN } else { 0 };
        let (min, max) = extremes(values.iter().map(|value| value ^ flip))?;
        Some(Self::Ints(min ^ flip, max ^ flip))
    }

    /// Of mantissas of 128 bits.
    pub fn of_wide(values: impl Iterator<Item = i128>) -> Option<Self> {
        extremes(values).map(|(least, greatest)| Self::Wide(least, greatest))
    }

    /// Of floats; `None` if one is NaN.
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

    /// Of strings.
    pub fn of_strings<'a>(values: impl Iterator<Item = &'a [u8]>) -> Option<Self> {
        let (least, greatest) = extremes(values)?;
        let prefix = |value: &[u8]| value[..value.len().min(PREFIX)].to_vec();
        Some(Self::Strings {
            least: prefix(least),
            greatest: prefix(greatest),
            cut: greatest.len() > PREFIX,
        })
    }

    /// True if the greatest value is longer than the bytes that are kept of it.
    pub fn is_cut(&self) -> bool {
        self.are_cut().1
    }

    /// Whether the least and the greatest value may be longer than the bytes that are kept of them. That is known only of
    /// the greatest.
    pub fn are_cut(&self) -> (bool, bool) {
        match self {
            Self::Strings { least, cut, .. } => (least.len() == PREFIX, *cut),
            Self::Ints(..) | Self::Wide(..) | Self::Floats(..) => (false, false),
        }
    }
}

/// The least and the greatest value, in one pass.
pub fn extremes<T: Ord + Copy>(mut values: impl Iterator<Item = T>) -> Option<(T, T)> {
    let first = values.next()?;
    Some(values.fold((first, first), |(least, greatest), value| {
        (least.min(value), greatest.max(value))
    }))
}
