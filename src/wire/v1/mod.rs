//! MATHLDBT wire 1, between Arrow batches and envelopes.
//!
//! An envelope is a header followed by columns, without a total length: [`Walker`] finds its end, [`Decoder`] reads it,
//! [`Encoder`] writes it, `anomalies` finds unusual content, and [`byte_map`] shows the meaning of each byte. All
//! integers are little-endian:
//!
//! ```text
//! envelope := magic[8] version:u16 flags:u16 rows:u32 columns:u16 schema_id_len:u16 schema_id column*
//! column   := type:u16 encoding:u16 flags:u16 name_len:u16 name
//!             validity_len:u32 validity payload_1_len:u32 payload_1 payload_2_len:u32 payload_2
//! ```
//!
//! Content that an Arrow array of the proper type cannot hold is stored with the batch in other ways, so that reading
//! and writing gives the same bytes: see [`crate::schema::HELD_AS`] and `validity`.

// Slots are copied between envelopes and Arrow buffers without conversion.
#[cfg(target_endian = "big")]
compile_error!("wire 1 is implemented for little-endian machines only");

mod anomalies;
mod decode;
mod delta;
mod dict;
mod encode;
mod map;
mod parts;
mod pool;
mod stored;
mod validity;
mod walk;

pub use anomalies::{Anomaly, NonCanonical, anomalies, is_not_json};
pub use decode::{Decoded, Decoder};
pub use encode::{EncodeOptions, Encoder, column_type, header};
pub use map::byte_map;
pub use walk::{ColumnLayout, Envelope, PayloadEncoding, Walker};

use crate::schema::Type;

pub use super::MAGIC;
/// The version this module reads and writes.
pub const VERSION: u16 = 1;
/// Size of the header before the schema id.
pub const HEADER_LEN: usize = 20;

/// The type's number in envelopes: 1 to 11, in the order of [`Type::ALL`].
pub fn type_id(ty: Type) -> u16 {
    ty as u16 + 1
}

/// The type with a number in envelopes.
pub fn type_of_id(id: u16) -> Option<Type> {
    Type::ALL.get(usize::from(id).checked_sub(1)?).copied()
}

/// Number of bytes per slot, or `None` for types of variable length.
pub fn slot_len(ty: Type) -> Option<usize> {
    match ty {
        Type::Bool => Some(1),
        Type::I16 => Some(2),
        Type::I32 | Type::F32 => Some(4),
        Type::I64 | Type::F64 | Type::Timestamp => Some(8),
        Type::Uuid => Some(16),
        Type::Utf8 | Type::Bytes | Type::Json => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_ids_are_those_of_the_description() {
        assert_eq!(Type::ALL.map(type_id), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(type_of_id(8), Some(Type::Timestamp));
        assert_eq!((type_of_id(0), type_of_id(12)), (None, None));
    }
}
