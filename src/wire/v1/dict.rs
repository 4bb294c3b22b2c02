//! Dictionary encoding of text (encoding 2).
//!
//! Stores distinct texts in order of first occurrence, and for each row the index of its text. Suits symbols, states,
//! categories. Two payloads: the indices; then index width, entry count, offsets and entries end to end.

mod build;
mod expand;

pub(super) use build::Builder;
pub(super) use expand::{Dictionary, Expander};

/// Number of bytes of the second payload before the offsets: width and count.
const PREFIX: usize = 5;

/// Number of bytes per index for `count` entries.
const fn width_for(count: usize) -> usize {
    match count {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}
