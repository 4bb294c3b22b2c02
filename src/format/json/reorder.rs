//! Restores the original order of object members.
//!
//! Columns have one order of keys for all rows. If objects in a record have a different order, it is stored separately
//! from all other differences, since it does not depend on the length of values: the number of objects and, for each,
//! the number of objects since the previous one (in the printed record, an object precedes those inside it), the number
//! of moves and, for each move, the positions from and to. All are varints.

use crate::columns::print::json::misfit;
use crate::error::Result;
use crate::text::json::MAX_DEPTH;
use crate::text::json::scan::skip_space;
use crate::text::json::tape::Tape;
use crate::varint;

/// The start of a record's value, after a comma and white space.
pub(super) fn value_of(record: &[u8]) -> usize {
    let start = skip_space(record, 0);
    match record.get(start) {
        Some(b',') => skip_space(record, start + 1),
        _ => start,
    }
}

/// Compares and rearranges records; reuses its memory.
#[derive(Clone, Debug, Default)]
pub struct MemberOrder {
    printed: Tape,
    source: Tape,
}

impl MemberOrder {
    /// Appends a printed record with its members in the order of the source. Returns the moves.
    pub fn restore(&mut self, printed: &[u8], source: &[u8], out: &mut Vec<u8>) -> Vec<u8> {
        let moves = self.moves_between(printed, source);
        let mut patch = &moves[..];
        if self.apply_to_tape(&mut patch, printed, out).is_ok() {
            return moves;
        }
        // Use no moves; the steps of the patch do everything.
        out.clear();
        out.extend_from_slice(printed);
        vec![0]
    }

    /// Appends a printed record with its members moved, and removes the moves from the front of `patch`.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if they do not fit the record.
    pub fn apply(&mut self, patch: &mut &[u8], printed: &[u8], out: &mut Vec<u8>) -> Result<()> {
        // Without moves, the record needs no tape.
        if patch.first() != Some(&0) {
            let read = self.printed.read(printed, value_of(printed), MAX_DEPTH);
            read.ok_or_else(misfit)?;
        }
        self.apply_to_tape(patch, printed, out)
    }

    /// Like [`Self::apply`], for a record that is already on the tape.
    fn apply_to_tape(&self, patch: &mut &[u8], printed: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let count = number(patch)?;
        if count == 0 {
            out.extend_from_slice(printed);
            return Ok(());
        }
        let mut mover = Mover {
            text: printed,
            tape: &self.printed,
            patch,
            left: count,
            next: 0,
        };
        mover.next = mover.number()?;
        let value = self.printed.value(0).range();
        out.extend_from_slice(&printed[..value.start]);
        mover.value(0, out)?;
        if mover.left > 0 {
            return Err(misfit());
        }
        out.extend_from_slice(&printed[value.end..]);
        Ok(())
    }

    /// The moves that put the members of a printed record in the order of the source.
    fn moves_between(&mut self, printed: &[u8], source: &[u8]) -> Vec<u8> {
        let read = |tape: &mut Tape, record: &[u8]| tape.read(record, value_of(record), MAX_DEPTH);
        let both = read(&mut self.printed, printed).and(read(&mut self.source, source));
        let mut comparison = RecordComparison {
            printed,
            source,
            mine: &self.printed,
            others: &self.source,
            moves: Moves::default(),
        };
        if both.is_some() {
            comparison.value(0, 0);
        }
        comparison.moves.finish()
    }
}

/// Objects whose members move, as they are collected in printed order; reuses its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    /// Number of objects up to and including the last of them.
    objects: u64,
    count: u64,
    bytes: Vec<u8>,
    sorter: MemberSorter,
}

impl Moves {
    /// Adds an object; `object` is the number of objects before it, and `order` has the printed position of each member
    /// of the source.
    pub(super) fn push(&mut self, object: u64, order: &[usize]) {
        varint::push(object - self.objects, &mut self.bytes);
        self.sorter.push_moves(order, &mut self.bytes);
        self.objects = object + 1;
        self.count += 1;
    }

    /// True if no member moves.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All moves of a record.
    pub(super) fn finish(&self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.bytes.len() + 1);
        varint::push(self.count, &mut all);
        all.extend_from_slice(&self.bytes);
        all
    }

    /// Forgets the moves, for the next record.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        (self.objects, self.count) = (0, 0);
    }
}

/// A printed record and its source.
struct RecordComparison<'a> {
    printed: &'a [u8],
    source: &'a [u8],
    mine: &'a Tape,
    others: &'a Tape,
    moves: Moves,
}

impl RecordComparison<'_> {
    /// Compares a printed value with one of the source.
    fn value(&mut self, place: usize, other: usize) {
        let value = &self.printed[self.mine.value(place).range()];
        let source = &self.source[self.others.value(other).range()];
        if value == source || value.first() != source.first() || self.mine.objects_in(place) == 0 {
            return;
        }
        if value.first() == Some(&b'{') {
            self.object(place, other);
        } else {
            let (mine, others) = (self.mine, self.others);
            for (item, other) in mine.children(place).zip(others.children(other)) {
                self.value(item, other);
            }
        }
    }

    fn object(&mut self, place: usize, other: usize) {
        let mine: Vec<usize> = self.mine.children(place).collect();
        let mut partners = vec![None; mine.len()];
        // The position in the printed object of each member of the source.
        let mut order = Vec::with_capacity(mine.len());
        let mut others = 0;
        for other in self.others.children(other) {
            others += 1;
            let key = &self.source[self.others.value(other).key()];
            let is_same = |&at: &usize| {
                let member = mine.get(at);
                member.is_some_and(|&at| &self.printed[self.mine.value(at).key()] == key)
            };
            // Most members are in the order of the source.
            let guess = order.last().map_or(0, |last| last + 1);
            let found = Some(guess).filter(is_same);
            if let Some(at) = found.or_else(|| (0..mine.len()).find(is_same)) {
                order.push(at);
                partners[at] = Some(other);
            }
        }
        if others == mine.len() && order.len() == others && is_permuted(&order) {
            self.moves.push(self.mine.objects_before(place), &order);
        }
        for (member, partner) in mine.into_iter().zip(partners) {
            if let Some(partner) = partner {
                self.value(member, partner);
            }
        }
    }
}

/// True for a permutation of 0..n other than the identity.
fn is_permuted(order: &[usize]) -> bool {
    if order.is_sorted() {
        return false;
    }
    let mut there = vec![false; order.len()];
    for &number in order {
        if let Some(place) = there.get_mut(number) {
            *place = true;
        }
    }
    !there.contains(&false)
}

/// Finds the moves between two orders; reuses its memory.
#[derive(Clone, Debug, Default)]
pub struct MemberSorter {
    current: Vec<usize>,
    moves: Vec<(usize, usize)>,
}

impl MemberSorter {
    /// Appends the moves that turn 0..n into `order`, a permutation of it.
    pub fn push_moves(&mut self, order: &[usize], out: &mut Vec<u8>) {
        let Self { current, moves } = self;
        current.clear();
        current.extend(0..order.len());
        moves.clear();
        for at in 0..order.len() {
            if current[at] == order[at] {
                continue;
            }
            // If the next member belongs here, move the current one to its place.
            let (from, to) = if current.get(at + 1) == Some(&order[at]) {
                let to = order.iter().position(|&number| number == current[at]);
                (at, to.unwrap_or(at))
            } else {
                let from = current.iter().position(|&number| number == order[at]);
                (from.unwrap_or(at), at)
            };
            let number = current.remove(from);
            current.insert(to, number);
            moves.push((from, to));
        }
        varint::push(moves.len() as u64, out);
        for &(from, to) in &*moves {
            varint::push(from as u64, out);
            varint::push(to as u64, out);
        }
    }
}

/// Moves the members of a printed record.
struct Mover<'a, 'b> {
    text: &'a [u8],
    tape: &'a Tape,
    patch: &'a mut &'b [u8],
    /// Number of remaining objects with moves.
    left: u64,
    /// Number of objects before the next of them.
    next: u64,
}

impl Mover<'_, '_> {
    fn number(&mut self) -> Result<u64> {
        number(self.patch)
    }

    /// Appends a value.
    fn value(&mut self, place: usize, out: &mut Vec<u8>) -> Result<()> {
        let at = self.tape.value(place).range();
        let objects = self.tape.objects_in(place);
        if self.left == 0 || objects <= self.next {
            self.next = self.next.saturating_sub(objects);
            out.extend_from_slice(&self.text[at]);
            return Ok(());
        }
        if self.text[at.start] == b'{' {
            return self.object(place, out);
        }
        let (tape, mut copied) = (self.tape, at.start);
        for item in tape.children(place) {
            let range = tape.value(item).range();
            out.extend_from_slice(&self.text[copied..range.start]);
            copied = range.end;
            self.value(item, out)?;
        }
        out.extend_from_slice(&self.text[copied..at.end]);
        Ok(())
    }

    fn object(&mut self, place: usize, out: &mut Vec<u8>) -> Result<()> {
        let (tape, text) = (self.tape, self.text);
        let at = tape.value(place).range();
        let members: Vec<usize> = tape.children(place).collect();
        let mut order: Vec<usize> = (0..members.len()).collect();
        if self.next == 0 {
            for _ in 0..self.number()? {
                let (from, to) = (self.number()? as usize, self.number()? as usize);
                if from.max(to) >= order.len() {
                    return Err(misfit());
                }
                let member = order.remove(from);
                order.insert(to, member);
            }
            self.left -= 1;
            self.next = if self.left > 0 { self.number()? } else { 0 };
        } else {
            self.next -= 1;
        }
        // Objects are counted in printed order, so print the members in that order first.
        let start = out.len();
        let mut made = Vec::with_capacity(members.len());
        for &member in &members {
            let begin = out.len();
            let value = tape.value(member);
            out.extend_from_slice(&text[value.member_start()..value.range().start]);
            self.value(member, out)?;
            made.push(begin - start..out.len() - start);
        }
        // The text between members stays in place.
        let values = out.split_off(start);
        let mut copied = at.start;
        for (&member, &place) in members.iter().zip(&order) {
            let value = tape.value(member);
            out.extend_from_slice(&text[copied..value.member_start()]);
            out.extend_from_slice(&values[made[place].clone()]);
            copied = value.range().end;
        }
        out.extend_from_slice(&text[copied..at.end]);
        Ok(())
    }
}

fn number(patch: &mut &[u8]) -> Result<u64> {
    varint::take(patch).map_err(|_| misfit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moved(printed: &str, source: &str) -> (String, usize) {
        let (printed, source) = (printed.as_bytes(), source.as_bytes());
        let mut restored = Vec::new();
        let moves = MemberOrder::default().restore(printed, source, &mut restored);
        let mut patch = &moves[..];
        let mut out = Vec::new();
        let applied = MemberOrder::default().apply(&mut patch, printed, &mut out);
        applied.unwrap();
        assert!(patch.is_empty());
        assert_eq!(out, restored);
        (String::from_utf8(out).unwrap(), moves.len())
    }

    #[test]
    fn members_come_in_the_order_of_the_source() {
        for (printed, source, len) in [
            (r#"{"a":1,"b":2}"#, r#"{"a":1,"b":2}"#, 1),
            (r#"{"a":1,"b":2,"c":3}"#, r#"{"b":2,"c":3,"a":1}"#, 5),
            (r#"{"a":1,"b":2,"c":3}"#, r#"{"c":3,"a":1,"b":2}"#, 5),
            (
                "[{\"x\": 0}, {\"a\": {\"c\": 1, \"d\": 2}, \"b\": 2}]",
                "[{\"x\": 0}, {\"b\": 2, \"a\": {\"d\": 2, \"c\": 1}}]",
                9,
            ),
            (
                ",\n  {\"a\": [], \"b\": {}}",
                ",\n  {\"b\": {}, \"a\": []}",
                5,
            ),
        ] {
            assert_eq!(moved(printed, source), (source.to_owned(), len));
        }
    }

    #[test]
    fn what_is_more_than_order_is_left_to_patches() {
        for source in [r#"{"b":1}"#, r#"{"a":1,"a":2}"#, "3", r#"{"b":2,"#, ""] {
            assert_eq!(moved(r#"{"a":1,"b":2}"#, source).0, r#"{"a":1,"b":2}"#);
        }
    }

    proptest! {
        #[test]
        fn any_order_comes_back(order in Just((0..9).collect::<Vec<_>>()).prop_shuffle()) {
            let text = |order: &[usize]| {
                let members = order.iter().map(|key| format!("\"{key}\":{{\"v\":{key}}}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            };
            let sorted: Vec<_> = (0..9).collect();
            prop_assert_eq!(moved(&text(&sorted), &text(&order)).0, text(&order));
        }

        #[test]
        fn no_patch_makes_it_panic(patch: Vec<u8>) {
            let printed = br#"{"a":[{"b":1,"c":2}],"d":{}}"#;
            let _ = MemberOrder::default().apply(&mut &patch[..], printed, &mut Vec::new());
        }
    }
}
