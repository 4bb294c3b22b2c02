//! Float planes: the first bytes of all values, then the second bytes, and so on (byte stream split). Only in files
//! written before the format was final; today the bits of floats are in byte planes. Layout: man/mbt-format.5, "float
//! planes".

use super::byte_planes::BytePlanes;
use super::scheme::{BufferClass, Info, Scheme, parameters};
use super::{Node, ValueKind};
use crate::error::Result;

/// The buffer contains eight planes, each with one byte of every value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FloatPlanes;

pub(super) const INFO: Info =
    Info::of(17, "float-planes", &[ValueKind::Floats]).with_buffer(BufferClass::Binary);

impl Scheme for FloatPlanes {
    fn buffer_len(&self, len: usize) -> Option<usize> {
        len.checked_mul(8)
    }

    parameters!();

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        BytePlanes { base: 0, bytes: 8 }.decode_numbers(node, ValueKind::Ints, out)
    }
}
