//! Text and batches: CSV and JSON, both ways.

pub mod time;
