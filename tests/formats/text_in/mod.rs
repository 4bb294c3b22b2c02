//! What the text readers read, compared with the `csv` crate, with `serde_json`, with Python and with
//! second implementations that are too plain to be wrong in the same way.

mod blocks;
mod csv;
mod inference;
mod json;
mod read;
mod spectrum;
