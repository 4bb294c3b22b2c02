//! The words for true and false in the cells of a column.

use arrow_array::BooleanArray;

use crate::text::form::{BOOL_LITERALS, BoolLiterals};

/// The words for true and false in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoolWords {
    /// There is no cell.
    Unused,
    /// All cells are words of one pair. The flags show whether its word for true and its word for false
    /// occur.
    Pair(&'static BoolLiterals, [bool; 2]),
    /// Some cell is another word, or the cells are words of several pairs.
    Others,
}

impl BoolWords {
    /// The words of one cell.
    pub fn of(cell: &[u8]) -> Self {
        match BoolLiterals::of(cell) {
            Some((pair, value)) => Self::Pair(pair, [value, !value]),
            None => Self::Others,
        }
    }

    /// The words of an array of bools with the text form `form`.
    pub fn of_array(array: &BooleanArray, form: Option<&str>) -> Self {
        match form.map_or(Some(&BOOL_LITERALS[0]), BoolLiterals::parse) {
            Some(pair) => Self::Pair(pair, [array.has_true(), array.has_false()]),
            None => Self::Others,
        }
    }

    /// The words of both sets of cells together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unused, words) | (words, Self::Unused) => words,
            (Self::Pair(pair, a), Self::Pair(other, b)) if pair == other => {
                Self::Pair(pair, [a[0] || b[0], a[1] || b[1]])
            }
            _ => Self::Others,
        }
    }

    /// True if the cells count as bools. Words of one letter do so only if both occur.
    pub fn are_bools(self) -> bool {
        match self {
            Self::Pair(pair, seen) => !pair.is_weak() || seen == [true; 2],
            Self::Unused | Self::Others => false,
        }
    }

    /// The name in frames: `words(T/F)`, or `words(T)` if only one of the two occurs.
    pub fn name(self) -> Option<String> {
        let Self::Pair(pair, seen) = self else {
            return None;
        };
        let words = pair.words.iter().zip(seen);
        let words: Vec<&str> = words.filter(|(_, seen)| *seen).map(|it| *it.0).collect();
        Some(format!("words({})", words.join("/")))
    }

    /// Reads what [`Self::name`] wrote; `None` for other names.
    pub fn parse(name: &str) -> Option<Self> {
        let inner = name.strip_prefix("words(")?.strip_suffix(')')?;
        let words = inner.split('/').map(|word| Self::of(word.as_bytes()));
        Some(words.fold(Self::Unused, Self::and))
    }
}
