//! MATHLDBT wire 2, between Arrow batches and envelopes.
//!
//! An envelope is a fixed head, a header that describes everything, and a body of sections. It states its own length,
//! and every byte is under a checksum. The full description is man/mbt-format.5. All fixed-width integers are
//! little-endian, all others varints:
//!
//! ```text
//! envelope := magic "MATHLDBT" | version u8 = 2 | minor u8 | flags u16 | header_len u32
//!             | body_len u64 | crc32 u32 of all before it and of the header | header | section*
//! header   := rows | metadata | column count | section count | section info* | column*
//! column   := length | name | type | flags | metadata | statistics | validity | relation | values
//! ```
//!
//! Writing: [`Encoder`] turns one column at a time into a [`ColumnTree`] (`encode`, on any thread) and encodes some of
//! them again, grouped by another column or as differences from it (`group_by`). Then it joins the columns into an
//! envelope (`sections`). Reading: [`Envelope`] parses the header without touching the body, [`Decoder`] loads the
//! sections that the selected columns need and turns them into arrays (`decode`).

mod budget;
mod column;
mod decode;
mod encode;
mod envelope;
mod explain;
mod gather;
mod groups;
mod head;
mod header;
mod intact;
mod leaves;
mod load;
mod map;
mod pick;
mod reference;
mod relation;
mod sections;
mod statistics;
mod types;
mod write;

pub use column::ColumnTree;
pub use decode::Decoder;
pub use encode::{
    BufferGroups, EncodeOptions, EncodedColumn, Encoder, GroupableColumn, Plan, PriorFrames,
    describe,
};
pub use envelope::{Envelope, cut_short};
pub use explain::{Explained, explain};
pub use head::{EnvelopeHead, HEAD_LEN};
pub use header::{Owners, SectionFormat, SectionInfo};
pub use intact::LostColumn;
pub use leaves::Leaf;
pub use map::byte_map;
pub use relation::Relation;

pub use super::encodings::BufferSpan;
pub use types::{read_alone as read_type, write as write_type};

/// The version this module reads and writes.
pub const VERSION: u16 = 2;
/// Its minor version, stored in frames for use in messages. An addition to the format, such as an encoding, raises it in
/// the first release that writes it.
pub const MINOR: u8 = 1;

/// True if these are the first bytes of an envelope of version 2; ten are needed, with the minor version.
pub fn is_envelope(bytes: &[u8]) -> bool {
    let version = bytes.strip_prefix(&super::MAGIC);
    matches!(version, Some([major, _minor, ..]) if u16::from(*major) == VERSION)
}
