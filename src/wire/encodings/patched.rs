//! Patched: a run with a few exceptions, which are stored separately.
//!
//! Real columns of ids, times and numbers contain an `N/A` or a misspelling now and then, which must not prevent the
//! encoding of the other rows. Patched frame of reference (Zukowski, Heman, Nes, Boncz, ICDE 2006) is the same idea for
//! numbers. Layout: man/mbt-format.5, "patched".

use super::scheme::{Info, Scheme, Shape, parameters};
use super::strings::{ByteStrings, ensure_room};
use super::{Encoding, Node, ValueKind, template};
use crate::error::{Error, Result};
use crate::wire::choose::Cascade;

/// One row in this many may be an exception.
pub const ROWS_PER_EXCEPTION: usize = 20;

/// Children: the positions of the exceptions in ascending order, the exceptions, and all other rows in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patched;

pub(super) const INFO: Info = Info::of(36, "patched", &[ValueKind::Strings]).counting(0);

impl Scheme for Patched {
    parameters!();

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        let exceptions = run.count;
        Ok(vec![
            (ValueKind::Ints, exceptions),
            (ValueKind::Strings, exceptions),
            (ValueKind::Strings, run.len - exceptions),
        ])
    }

    fn decode_strings(&self, node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
        decode(node, max_bytes, out)
    }

    fn apply_strings(&self, choice: &Node, values: &ByteStrings, cascade: Cascade) -> Option<Node> {
        // The positions of the exceptions are found again.
        let [_, _, rest] = choice.parts().ok()?;
        match &rest.encoding {
            Encoding::BitFields(fields) => fields.encode(values, cascade, Some(choice)),
            _ => template::apply(rest, choice, values, cascade),
        }
    }
}

/// Combines `rest` with the rows of `values` at `positions`, which are in ascending order. `choice` may be a node like
/// this one for other values.
pub fn encode(
    rest: Node,
    values: &ByteStrings,
    positions: &[i64],
    cascade: Cascade,
    choice: Option<&Node>,
) -> Node {
    let mut exceptions = ByteStrings::default();
    for &row in positions {
        exceptions.push(values.row(row as usize));
    }
    let deeper = cascade.deeper();
    let choice = choice.filter(|choice| matches!(choice.encoding, Encoding::Patched(_)));
    let part = |at: usize| choice.and_then(|choice| choice.children.get(at));
    let parts = vec![
        deeper.ints(positions, part(0)),
        deeper.strings(&exceptions, part(1)),
        rest,
    ];
    Node::of_children(Patched, values.len(), parts)
}

/// Appends the rows: `rest` up to the first exception, that exception, `rest` up to the second one, and
/// so on.
fn decode(node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
    let fail = || Error::corrupt("the exceptions of a text column have invalid positions");
    let [positions, exceptions, rest] = node.parts()?;
    let positions = positions.ints()?;
    let exceptions = exceptions.strings(max_bytes)?;
    let rest = rest.strings(max_bytes - exceptions.data.len())?;
    let others = rest.len();
    let total = exceptions.data.len() + rest.data.len();
    ensure_room(total as u64, max_bytes, out)?;

    out.data.reserve(total);
    out.offsets.reserve(node.len);
    let mut taken = 0;
    for (at, &position) in positions.iter().enumerate() {
        // The number of other rows before the exception; it increases as long as positions do.
        let until = usize::try_from(position)
            .ok()
            .and_then(|row| row.checked_sub(at));
        let until = until
            .filter(|until| (taken..=others).contains(until))
            .ok_or_else(fail)?;
        push_rows(&rest, taken, until, out);
        out.push(exceptions.row(at));
        taken = until;
    }
    push_rows(&rest, taken, others, out);
    Ok(())
}

/// Appends a range of rows of another run.
fn push_rows(rows: &ByteStrings, from: usize, to: usize, out: &mut ByteStrings) {
    let offsets = &rows.offsets[from..=to];
    let shift = out.data.len() as i32 - offsets[0];
    out.offsets
        .extend(offsets[1..].iter().map(|offset| offset + shift));
    out.data
        .extend_from_slice(&rows.data[offsets[0] as usize..offsets[to - from] as usize]);
}
