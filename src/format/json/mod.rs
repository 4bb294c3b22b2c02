//! Reading and writing JSON: documents, and one value per line (NDJSON).

mod arrange;
mod cut;
mod margin;
mod nest;
mod open;
mod parse;
mod read;
mod records;
mod reorder;
mod sniff;
mod style;

pub use arrange::PrintedOrder;
pub use open::{open_json, open_ndjson};
pub use read::{Flavor, JsonReader};
pub use records::RecordsPath;
pub use reorder::{MemberOrder, MemberSorter};
pub use sniff::{resembles_rows, sniff};
