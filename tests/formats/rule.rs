//! How much of a text's spelling the types of each `--infer` mode keep.

use mbt::columns::TextOptions;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infer {
    /// Every cell prints as in the input.
    Exact,
    /// Every cell keeps its value.
    Values,
    /// Every cell is text.
    None,
}

impl Infer {
    /// The mode of the reader; values are made by the cast.
    pub fn options(self) -> TextOptions {
        TextOptions {
            infer: self != Self::None,
            ..TextOptions::default()
        }
    }
}
