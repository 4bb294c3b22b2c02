//! How single values are spelled in text: numbers, dates, UUIDs, the strings of JSON, the quotes of CSV.

pub mod form;
pub mod json;
pub mod masks;
pub mod number;
pub mod print;
pub mod quote;
pub mod time;
pub mod uuid;
pub mod wide;
