//! Plain floats: eight bytes per value. Only in files written before the format was final; today they are packed bits.
//! Layout: man/mbt-format.5, "plain".

use super::bit_packed::BitPacked;
use super::scheme::{BufferClass, Info, Scheme, parameters};
use super::{Node, ValueKind};
use crate::error::Result;

/// The buffer contains eight bytes per value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain;

pub(super) const INFO: Info =
    Info::of(16, "plain", &[ValueKind::Floats]).with_buffer(BufferClass::Binary);

impl Scheme for Plain {
    fn buffer_len(&self, len: usize) -> Option<usize> {
        len.checked_mul(8)
    }

    parameters!();

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        BitPacked { base: 0, width: 64 }.decode_numbers(node, ValueKind::Ints, out)
    }
}
