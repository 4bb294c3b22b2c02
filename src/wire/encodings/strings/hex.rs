//! Text of hex digits as the bytes it stands for.
//!
//! Checksums and ids are as random as text gets: a general compressor comes near half of their size
//! with effort, and this is there without any.

use super::ensure_room;
use crate::error::Result;
use crate::wire::choose::Cascade;
use crate::wire::encodings::{Encoding, Node, Strings};

/// What is no digit.
const NONE: u8 = 0xff;

/// The value of each byte as a digit: lower case, then upper case.
const VALUES: [[u8; 256]; 2] = [values_of(b'a'), values_of(b'A')];

/// The two digits of each byte: lower case, then upper case.
const PAIRS: [[[u8; 2]; 256]; 2] = [pairs_of(b'a'), pairs_of(b'A')];

const fn values_of(ten: u8) -> [u8; 256] {
    let mut values = [NONE; 256];
    let mut value = 0;
    while value < 16 {
        let digit = if value < 10 {
            b'0' + value
        } else {
            ten + value - 10
        };
        values[digit as usize] = value;
        value += 1;
    }
    values
}

const fn pairs_of(ten: u8) -> [[u8; 2]; 256] {
    let mut pairs = [[0; 2]; 256];
    let mut at = 0;
    while at < 256 {
        let digits = [at / 16, at % 16];
        let mut side = 0;
        while side < 2 {
            let value = digits[side] as u8;
            pairs[at][side] = if value < 10 {
                b'0' + value
            } else {
                ten + value - 10
            };
            side += 1;
        }
        at += 1;
    }
    pairs
}

/// The bytes that the rows stand for; none unless all rows are pairs of digits of one case.
pub fn unhex(values: &Strings, upper: bool) -> Option<Strings> {
    let (pairs, rest) = values.data.as_chunks::<2>();
    if !rest.is_empty() || pairs.is_empty() {
        return None;
    }
    let mut out = Strings::default();
    if values.offsets.iter().any(|offset| offset % 2 != 0) {
        return None;
    }
    let table = &VALUES[usize::from(upper)];
    let mut seen = 0;
    out.data = pairs
        .iter()
        .map(|[high, low]| {
            let [high, low] = [table[usize::from(*high)], table[usize::from(*low)]];
            seen |= high | low;
            high << 4 | low & 15
        })
        .collect();
    if seen > 15 {
        return None;
    }
    out.offsets = values.offsets.iter().map(|offset| offset / 2).collect();
    Some(out)
}

/// Writes strings that all are pairs of digits of one case, as in another node, if given.
pub fn encode(
    values: &Strings,
    upper: bool,
    cascade: Cascade,
    plan: Option<&Node>,
) -> Option<Node> {
    let plan = plan.and_then(|plan| plan.children.first());
    let child = cascade.deeper().strings_by(plan, &unhex(values, upper)?);
    let encoding = Encoding::Hex { upper };
    Some(Node::of_children(encoding, values.len(), vec![child]))
}

/// Appends the values of a node.
///
/// # Errors
/// As [`super::decode`].
pub fn decode(node: &Node, upper: bool, max_bytes: usize, out: &mut Strings) -> Result<()> {
    let mut bytes = Strings::default();
    super::decode(super::part(node, 0, node.len)?, max_bytes / 2, &mut bytes)?;
    ensure_room(2 * bytes.data.len() as u64, max_bytes, out)?;
    let start = out.data.len() as i32;
    let ends = bytes.offsets[1..].iter().map(|end| start + 2 * end);
    out.offsets.extend(ends);
    let table = &PAIRS[usize::from(upper)];
    out.data.reserve(2 * bytes.data.len());
    for byte in &bytes.data {
        out.data.extend_from_slice(&table[usize::from(*byte)]);
    }
    Ok(())
}
