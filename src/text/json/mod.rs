//! JSON in and out.

mod cut;
mod read;
mod scan;

pub use read::{Flavor, JsonBlock, JsonParser, JsonReader, JsonScratch};
pub use scan::{check, compact, unescape};
