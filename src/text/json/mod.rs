//! JSON: an array of objects, or one object per line (NDJSON).

mod check;
mod escape;
mod write;

pub use write::{JsonLayout, JsonWriter};
