//! A run with a few odd rows, which are kept apart.
//!
//! Real columns of ids, times and numbers have an `N/A` or a misspelling now and then, and it must
//! not cost the rest its encoding (patched frame of reference, Zukowski, Heman, Nes, Boncz, ICDE
//! 2006, has the idea for numbers).

use super::{ensure_room, numbers, part};
use crate::error::{Error, Result};
use crate::wire::choose::Cascade;
use crate::wire::encodings::{Encoding, Node, Strings};

/// `rest` with the rows of `values` at `odd`, which rise, put back.
pub fn encode(rest: Node, values: &Strings, odd: &[i64], cascade: Cascade) -> Node {
    let mut exceptions = Strings::default();
    for &row in odd {
        exceptions.push(values.row(row as usize));
    }
    let deeper = cascade.deeper();
    let parts = vec![deeper.ints(odd), deeper.strings(&exceptions), rest];
    Node::of_children(Encoding::Patched, values.len(), parts)
}

/// Appends the values of a node.
///
/// # Errors
/// As [`super::decode`].
pub fn decode(node: &Node, max_bytes: usize, out: &mut Strings) -> Result<()> {
    let count = node.children.first().map_or(0, |positions| positions.len);
    let fail = || Error::corrupt("the exceptions of a text column have invalid positions");
    let others = node.len.checked_sub(count).ok_or_else(fail)?;
    let positions = numbers(part(node, 0, count)?)?;
    let mut exceptions = Strings::default();
    super::decode(part(node, 1, count)?, max_bytes, &mut exceptions)?;
    let mut rest = Strings::default();
    let left = max_bytes - exceptions.data.len();
    super::decode(part(node, 2, others)?, left, &mut rest)?;
    let total = exceptions.data.len() + rest.data.len();
    ensure_room(total as u64, max_bytes, out)?;

    out.data.reserve(total);
    out.offsets.reserve(node.len);
    let mut taken = 0;
    for (at, &position) in positions.iter().enumerate() {
        // The row's place among the others: it rises as long as positions do.
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

/// Appends some rows of another run.
fn push_rows(rows: &Strings, from: usize, to: usize, out: &mut Strings) {
    let offsets = &rows.offsets[from..=to];
    let shift = out.data.len() as i32 - offsets[0];
    out.offsets
        .extend(offsets[1..].iter().map(|offset| offset + shift));
    out.data
        .extend_from_slice(&rows.data[offsets[0] as usize..offsets[to - from] as usize]);
}
