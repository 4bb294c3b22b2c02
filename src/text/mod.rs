//! How single values are written in text: numbers, dates, UUIDs, JSON strings, CSV quotes.

pub mod encoding;
pub mod form;
pub mod json;
pub mod masks;
pub mod number;
pub mod print;
pub mod quote;
pub mod time;
pub mod uuid;
pub mod wide;
