//! JSON tokens: strings, keys, white space, and the layout of a text as a whole.

pub(crate) mod elements;
pub(crate) mod escape;
pub(crate) mod fault;
pub(crate) mod key;
pub(crate) mod scan;
pub(crate) mod style;
pub(crate) mod tape;

pub use escape::print_string;
pub use scan::{check, compact, unescape};
pub use style::{Escapes, JsonStyle, Spacing};

/// Objects and arrays nested deeper are kept as text, and indented like this level, so that the size stays bounded.
pub const MAX_DEPTH: usize = 64;
