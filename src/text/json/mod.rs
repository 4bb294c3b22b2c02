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
