//! Text and batches: CSV and JSON, both ways.

pub mod csv;
pub mod json;
pub mod print;
pub mod time;
