//! JSON in and out: documents, and one value per line (NDJSON).

mod cut;
mod escape;
mod key;
mod parse;
mod read;
mod reorder;
mod rows;
mod scan;
mod shred;
mod style;
mod write;

pub use escape::print_string;
pub use parse::JsonParser;
pub use read::{Flavor, JsonBlock, JsonReader};
pub use reorder::{moves_between, order_of, push_moves, reorder};
pub use rows::JsonScratch;
pub use scan::{check, compact, unescape};
pub use shred::shred_as_maps;
pub use style::{Escapes, JsonStyle, Spacing};
pub use write::{JsonWriter, flat_schema, flatten_to_json, is_nested, json_texts};
