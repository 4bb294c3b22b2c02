//! How much of a text's spelling its types keep, as `--infer` says it.

use mbt::columns::TextOptions;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infer {
    /// Every cell prints back as it was read.
    Exact,
    /// Every cell keeps its value.
    Values,
    /// Everything is text.
    None,
}

impl Infer {
    /// What the reader is asked for; values are a matter of the cast.
    pub fn options(self) -> TextOptions {
        TextOptions {
            infer: self != Self::None,
            ..TextOptions::default()
        }
    }
}
