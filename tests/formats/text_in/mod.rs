//! The results of the text readers, compared with the `csv` crate, `serde_json`, Python and
//! second implementations that are too simple to have the same errors.

mod blocks;
mod csv;
mod inference;
mod json;
mod read;
mod spectrum;
