//! JSON in and out: documents, and one value per line (NDJSON).

mod cut;
mod escape;
mod read;
mod scan;
mod write;

pub use escape::print_string;
pub use read::{Flavor, JsonBlock, JsonParser, JsonReader, JsonScratch};
pub use scan::{check, compact, unescape};
pub use write::{JsonLayout, JsonWriter};
