//! JSON in and out: documents, and one value per line (NDJSON).

mod cut;
mod nest;
mod parse;
mod read;
mod reorder;
mod style;

pub use crate::columns::shred::JsonScratch;
pub use parse::JsonParser;
pub use read::{Flavor, JsonBlock, JsonReader};
pub use reorder::{MemberOrder, push_moves};
