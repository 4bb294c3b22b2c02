//! Hex: text of hex digits as the bytes it represents.
//!
//! Checksums and ids are random: a general compressor takes much effort to get near half of their size, which this
//! encoding does at once. Layout: man/mbt-format.5, "hex".

use super::scheme::{Info, Scheme, Shape};
use super::strings::{ByteStrings, ensure_room};
use super::{Node, ValueKind};
use crate::error::Result;
use crate::text::print::HEX;
use crate::text::uuid::parse_hex;
use crate::wire::choose::{Cascade, StringSearch};
use crate::wire::parse::read_byte;

/// Pairs of hex digits, all upper or all lower case. The child contains the bytes that they represent, as strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hex {
    /// `A` to `F` rather than `a` to `f`.
    pub upper: bool,
}

pub(super) const INFO: Info = Info::of(35, "hex", &[ValueKind::Strings]);

impl Scheme for Hex {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.upper));
    }

    fn read(bytes: &[u8], at: &mut usize) -> Result<Self> {
        let upper = read_byte(bytes, at)? != 0;
        Ok(Self { upper })
    }

    fn parameters(&self) -> String {
        if self.upper { "upper" } else { "lower" }.to_owned()
    }

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        Ok(vec![(ValueKind::Strings, run.len)])
    }

    fn decode_strings(&self, node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
        let [bytes] = node.parts()?;
        let bytes = bytes.strings(max_bytes / 2)?;
        ensure_room(2 * bytes.data.len() as u64, max_bytes, out)?;
        let start = out.data.len() as i32;
        out.offsets
            .extend(bytes.offsets[1..].iter().map(|end| start + 2 * end));
        let table = &HEX[usize::from(self.upper)];
        out.data.reserve(2 * bytes.data.len());
        for byte in &bytes.data {
            out.data.extend_from_slice(&table[usize::from(*byte)]);
        }
        Ok(())
    }

    fn propose_strings(search: &mut StringSearch<'_>) {
        let looks_hex = |upper: &bool| {
            search
                .learned
                .iter()
                .all(|row| row.len() % 2 == 0 && row.iter().all(|&byte| is_digit(byte, *upper)))
        };
        if let Some(upper) = [false, true].into_iter().find(looks_hex) {
            search.add(move |values, cascade, choice| encode(values, upper, cascade, choice));
        }
    }

    fn apply_strings(&self, choice: &Node, values: &ByteStrings, cascade: Cascade) -> Option<Node> {
        encode(values, self.upper, cascade, Some(choice))
    }
}

fn is_digit(byte: u8, upper: bool) -> bool {
    let letters = if upper { b'A'..=b'F' } else { b'a'..=b'f' };
    byte.is_ascii_digit() || letters.contains(&byte)
}

/// The bytes that the rows represent; `None` unless all rows are pairs of digits of one case.
fn unhex(values: &ByteStrings, upper: bool) -> Option<ByteStrings> {
    let is_cut = values.offsets.iter().any(|offset| offset % 2 != 0);
    let is_hex = values.data.iter().all(|&byte| is_digit(byte, upper));
    if is_cut || !is_hex || values.data.is_empty() {
        return None;
    }
    let mut out = ByteStrings {
        offsets: values.offsets.iter().map(|offset| offset / 2).collect(),
        data: Vec::with_capacity(values.data.len() / 2),
    };
    parse_hex(&values.data, &mut out.data)?;
    Some(out)
}

/// Encodes strings that are all pairs of digits of one case, and their bytes as in `choice`, another node of this
/// encoding.
pub fn encode(
    values: &ByteStrings,
    upper: bool,
    cascade: Cascade,
    choice: Option<&Node>,
) -> Option<Node> {
    let choice = choice.and_then(|choice| choice.children.first());
    let child = cascade.deeper().strings(&unhex(values, upper)?, choice);
    Some(Node::of_children(Hex { upper }, values.len(), vec![child]))
}
