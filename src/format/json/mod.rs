//! JSON in and out: documents, and one value per line (NDJSON).

mod arrange;
mod cut;
mod nest;
mod open;
mod parse;
mod read;
mod reorder;
mod sniff;
mod style;

pub use crate::columns::shred::JsonScratch;
pub use arrange::PrintedOrder;
pub use open::{open_json, open_ndjson};
pub use parse::JsonParser;
pub use read::{Flavor, JsonBlock, JsonReader};
pub use reorder::{MemberOrder, push_moves};
pub use sniff::{resembles_rows, sniff};
