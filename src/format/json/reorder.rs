//! Restores the original order of object members.
//!
//! Columns have one order of keys for all rows. If objects in a record have a different order, it is stored separately
//! from all other differences, because it does not depend on the length of values: the number of objects and, for
//! each, the number of objects since the previous one (in the printed record, an object precedes those inside it), the
//! number of moves and, for each move, the positions from and to. All are varints.

use std::ops::Range;

use crate::columns::nested::MAX_DEPTH;
use crate::error::{Error, Result};
use crate::text::json::scan::{skip_space, string_end, value_behind_colon, value_end};
use crate::varint;

/// A member of an object: where its key begins, its value begins, and its value ends.
#[derive(Clone, Copy)]
struct Member {
    key: usize,
    value: usize,
    end: usize,
}

impl Member {
    fn key(self, text: &[u8]) -> &[u8] {
        let key = &text[self.key..self.value];
        let end = string_end(key, 0).unwrap_or(key.len());
        &key[..end]
    }
}

/// The members of the object that starts at `at`; `None` if there is none.
fn members(text: &[u8], at: usize) -> Option<Vec<Member>> {
    let mut members = Vec::new();
    let mut at = skip_space(text, at + 1);
    while *text.get(at)? != b'}' {
        let key = at;
        let value = value_behind_colon(text, string_end(text, key).ok()?).ok()?;
        let end = value_end(text, value).ok()?;
        members.push(Member { key, value, end });
        at = skip_space(text, end);
        if text.get(at) == Some(&b',') {
            at = skip_space(text, at + 1);
        }
    }
    Some(members)
}

/// The items of the array that starts at `at`; `None` if there is none.
fn items(text: &[u8], at: usize) -> Option<Vec<Range<usize>>> {
    let mut items = Vec::new();
    let mut at = skip_space(text, at + 1);
    while *text.get(at)? != b']' {
        let end = value_end(text, at).ok()?;
        items.push(at..end);
        at = skip_space(text, end);
        if text.get(at) == Some(&b',') {
            at = skip_space(text, at + 1);
        }
    }
    Some(items)
}

/// The number of objects in a value, including itself, up to the given depth.
fn count_objects(value: &[u8], depth: u8) -> u64 {
    // Long arrays of numbers need no closer look.
    if !value.contains(&b'{') {
        return 0;
    }
    let (mut count, mut level) = (0, 0);
    let mut at = 0;
    while let Some(&byte) = value.get(at) {
        match byte {
            b'"' => {
                at = string_end(value, at).unwrap_or(value.len());
                continue;
            }
            b'{' | b'[' => {
                count += u64::from(byte == b'{' && level < i64::from(depth));
                level += 1;
            }
            b'}' | b']' => level -= 1,
            _ => {}
        }
        at += 1;
    }
    count
}

/// The start of a record's value, after a comma and white space.
fn value_of(record: &[u8]) -> usize {
    let start = skip_space(record, 0);
    match record.get(start) {
        Some(b',') => skip_space(record, start + 1),
        _ => start,
    }
}

/// What puts the members of a printed record in the order of the source.
pub fn moves_between(printed: &[u8], source: &[u8]) -> Vec<u8> {
    let mut found = Found {
        printed,
        source,
        objects: 0,
        told: 0,
        count: 0,
        moves: Vec::new(),
    };
    let whole = |record: &[u8]| value_of(record)..record.len();
    found.value(whole(printed), Some(whole(source)), MAX_DEPTH);
    let mut all = Vec::new();
    varint::push(found.count, &mut all);
    all.append(&mut found.moves);
    all
}

struct Found<'a> {
    printed: &'a [u8],
    source: &'a [u8],
    /// Objects so far.
    objects: u64,
    /// The number of objects up to the last one written.
    told: u64,
    count: u64,
    moves: Vec<u8>,
}

impl Found<'_> {
    /// Compares a value with one of the source, if there is one to compare with.
    fn value(&mut self, at: Range<usize>, source: Option<Range<usize>>, depth: u8) {
        let value = &self.printed[at.clone()];
        let may_move = |other: &Range<usize>| {
            let other = &self.source[other.clone()];
            depth > 0 && other != value && other.first() == value.first()
        };
        let source = source.filter(|other| may_move(other) && value.contains(&b'{'));
        match (value.first(), source) {
            (Some(b'{'), Some(other)) => self.object(at.start, other.start, depth),
            (Some(b'['), Some(other)) => {
                let mine = items(self.printed, at.start).unwrap_or_default();
                let others = items(self.source, other.start).unwrap_or_default();
                for (place, item) in mine.into_iter().enumerate() {
                    self.value(item, others.get(place).cloned(), depth - 1);
                }
            }
            _ => self.objects += count_objects(value, depth),
        }
    }

    fn object(&mut self, at: usize, source: usize, depth: u8) {
        let Some(mine) = members(self.printed, at) else {
            return;
        };
        self.objects += 1;
        let others = members(self.source, source).unwrap_or_default();
        // The place of each of the source's members in the printed object.
        let place_of = |guess: usize, other: &Member| {
            let key = other.key(self.source);
            let is_same = |place: &usize| {
                let member = mine.get(*place);
                member.is_some_and(|member| member.key(self.printed) == key)
            };
            let guess = Some(guess).filter(is_same);
            guess.or_else(|| (0..mine.len()).find(is_same))
        };
        let places = others.iter().enumerate();
        let places: Vec<_> = places.map(|(at, other)| place_of(at, other)).collect();
        if places.len() == mine.len()
            && let Some(order) = places.iter().copied().collect::<Option<Vec<_>>>()
            && is_permuted(&order)
        {
            varint::push(self.objects - 1 - self.told, &mut self.moves);
            push_moves(&order, &mut self.moves);
            self.told = self.objects;
            self.count += 1;
        }
        let mut partner = vec![None; mine.len()];
        for (place, other) in places.iter().zip(&others) {
            if let Some(place) = place {
                partner[*place] = Some(other.value..other.end);
            }
        }
        for (member, partner) in mine.iter().zip(partner) {
            self.value(member.value..member.end, partner, depth - 1);
        }
    }
}

/// True for a permutation of 0..n other than the identity.
fn is_permuted(order: &[usize]) -> bool {
    let mut there = vec![false; order.len()];
    for &number in order {
        if let Some(place) = there.get_mut(number) {
            *place = true;
        }
    }
    !there.contains(&false) && !order.is_sorted()
}

/// Appends the moves that turn 0..n into `order`, a permutation of it.
pub fn push_moves(order: &[usize], out: &mut Vec<u8>) {
    let moves = moves(order);
    varint::push(moves.len() as u64, out);
    for (from, to) in moves {
        varint::push(from as u64, out);
        varint::push(to as u64, out);
    }
}

fn moves(order: &[usize]) -> Vec<(usize, usize)> {
    let mut current: Vec<usize> = (0..order.len()).collect();
    let mut moves = Vec::new();
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
    moves
}

/// Reads the moves of one object from the front of `patch`, and applies them to 0..n. The result ends at the last
/// number moved.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if these are not valid moves, or move members beyond the limit.
pub fn order_of(patch: &mut &[u8], most: u64) -> Result<Vec<usize>> {
    let mut order = Vec::new();
    for _ in 0..number(patch)? {
        let (from, to) = (number(patch)?, number(patch)?);
        if from.max(to) >= most {
            return Err(misfit());
        }
        let last = from.max(to) as usize;
        order.extend(order.len()..=last);
        let member = order.remove(from as usize);
        order.insert(to as usize, member);
    }
    Ok(order)
}

/// Appends a printed record with its members moved, and takes the moves off the front of `patch`.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if they do not fit the record.
pub fn reorder(patch: &mut &[u8], printed: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let count = number(patch)?;
    if count == 0 {
        out.extend_from_slice(printed);
        return Ok(());
    }
    let start = value_of(printed);
    out.extend_from_slice(&printed[..start]);
    let mut mover = Mover {
        printed,
        patch,
        left: count,
        next: 0,
    };
    mover.next = mover.number()?;
    let end = value_end(printed, start).map_err(|_| misfit())?;
    mover.value(start..end, out, MAX_DEPTH)?;
    if mover.left > 0 {
        return Err(misfit());
    }
    out.extend_from_slice(&printed[end..]);
    Ok(())
}

struct Mover<'a, 'b> {
    printed: &'a [u8],
    patch: &'a mut &'b [u8],
    /// Objects with moves that are still to come.
    left: u64,
    /// Objects before the next of them.
    next: u64,
}

impl Mover<'_, '_> {
    fn number(&mut self) -> Result<u64> {
        number(self.patch)
    }

    /// Appends a value.
    fn value(&mut self, at: Range<usize>, out: &mut Vec<u8>, depth: u8) -> Result<()> {
        let text = self.printed;
        let objects = if self.left > 0 {
            count_objects(&text[at.clone()], depth)
        } else {
            0
        };
        if objects <= self.next || self.left == 0 {
            self.next -= objects;
            out.extend_from_slice(&text[at]);
            return Ok(());
        }
        if text[at.start] == b'{' {
            return self.object(at, out, depth);
        }
        let items = items(text, at.start).ok_or_else(misfit)?;
        let mut copied = at.start;
        for item in items {
            out.extend_from_slice(&text[copied..item.start]);
            copied = item.end;
            self.value(item, out, depth - 1)?;
        }
        out.extend_from_slice(&text[copied..at.end]);
        Ok(())
    }

    fn object(&mut self, at: Range<usize>, out: &mut Vec<u8>, depth: u8) -> Result<()> {
        let text = self.printed;
        let members = members(text, at.start).ok_or_else(misfit)?;
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
        // Objects are counted as they are printed, so members are made in that order.
        let start = out.len();
        let mut made = Vec::with_capacity(members.len());
        for member in &members {
            let begin = out.len();
            out.extend_from_slice(&text[member.key..member.value]);
            self.value(member.value..member.end, out, depth - 1)?;
            made.push(begin - start..out.len() - start);
        }
        // What is between members stays in place.
        let values = out.split_off(start);
        let mut copied = at.start;
        for (member, &place) in members.iter().zip(&order) {
            out.extend_from_slice(&text[copied..member.key]);
            out.extend_from_slice(&values[made[place].clone()]);
            copied = member.end;
        }
        out.extend_from_slice(&text[copied..at.end]);
        Ok(())
    }
}

fn misfit() -> Error {
    Error::corrupt("the stored key order does not fit its record")
}

fn number(patch: &mut &[u8]) -> Result<u64> {
    let mut at = 0;
    let number = varint::read(patch, &mut at).map_err(|_| misfit())?;
    *patch = &patch[at..];
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moved(printed: &str, source: &str) -> (String, usize) {
        let moves = moves_between(printed.as_bytes(), source.as_bytes());
        let mut patch = &moves[..];
        let mut out = Vec::new();
        reorder(&mut patch, printed.as_bytes(), &mut out).unwrap();
        assert!(patch.is_empty());
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
            let _ = reorder(&mut &patch[..], printed, &mut Vec::new());
        }
    }
}
