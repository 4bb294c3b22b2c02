//! A JSON value as a tape: a flat list of the values in it, in order, each with its position in the text and the index
//! of its next sibling.
//!
//! One pass over the text builds the tape. Code that compares or rearranges the value then reads the tape instead of
//! searching for quotes and brackets again. As in simdjson (Langdale and Lemire, "Parsing gigabytes of JSON per
//! second", 2019), a container precedes its contents and stores where they end.

use std::ops::Range;

use super::scan::{skip_space, value_end, value_start};
use crate::text::masks::{chunks, equal};

/// A value of a tape. All offsets are byte offsets in the text.
#[derive(Clone, Copy, Debug)]
pub struct TapeValue {
    /// Where its key starts; for a value without key, where the value starts.
    key: u32,
    /// Where its key ends, including the quotes.
    key_end: u32,
    start: u32,
    end: u32,
    /// Index of the value after this one and its contents.
    next: u32,
    /// Number of objects that start before it.
    objects: u32,
}

impl TapeValue {
    /// The bytes of the value.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The bytes of its key, including the quotes.
    pub fn key(self) -> Range<usize> {
        self.key as usize..self.key_end as usize
    }

    /// Where the item or member starts, including its key.
    pub fn member_start(self) -> usize {
        self.key as usize
    }
}

/// The values of a text; the first one contains all others. An array without objects and strings is a single value: it
/// has no members to look for, and can be long.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    values: Vec<TapeValue>,
    /// Containers that have not been closed yet.
    open: Vec<u32>,
    objects: u32,
}

impl Tape {
    /// Reads the value that starts at `at`. Containers nested `deepest` levels deep are single values, and objects at
    /// that depth are not counted. Returns `None` if the value does not end; the tape then has the values before the
    /// fault. Other errors in the text may go unnoticed.
    pub fn read(&mut self, text: &[u8], at: usize, deepest: usize) -> Option<()> {
        self.values.clear();
        self.open.clear();
        self.objects = 0;
        u32::try_from(text.len()).ok()?;
        let mut at = at;
        let mut key = at..at;
        // A lower bound for the offset of the next object or string.
        let mut busy = at;
        loop {
            self.values.push(TapeValue {
                key: key.start as u32,
                key_end: key.end as u32,
                start: at as u32,
                end: 0,
                next: 0,
                objects: self.objects,
            });
            let place = self.values.len() - 1;
            let plain_end = match text.get(at) {
                Some(b'[') if at >= busy => plain_array_end(text, at, &mut busy),
                _ => None,
            };
            match *text.get(at)? {
                _ if let Some(end) = plain_end => {
                    at = end;
                    self.end(place, at);
                }
                open @ (b'{' | b'[') if self.open.len() < deepest => {
                    let is_object = open == b'{';
                    self.objects += u32::from(is_object);
                    at = skip_space(text, at + 1);
                    self.open.push(place as u32);
                    if *text.get(at)? != closing(is_object) {
                        (key, at) = value_start(text, at, is_object).ok()?;
                        continue;
                    }
                }
                _ => {
                    at = value_end(text, at).ok()?;
                    self.end(place, at);
                }
            }
            // Close the containers that end here, then read the next value.
            loop {
                let Some(&parent) = self.open.last() else {
                    return Some(());
                };
                let is_object = text[self.values[parent as usize].start as usize] == b'{';
                at = skip_space(text, at);
                match *text.get(at)? {
                    b',' => {
                        let after = skip_space(text, at + 1);
                        (key, at) = value_start(text, after, is_object).ok()?;
                        break;
                    }
                    byte if byte == closing(is_object) => {
                        at += 1;
                        self.open.pop();
                        self.end(parent as usize, at);
                    }
                    _ => return None,
                }
            }
        }
    }

    fn end(&mut self, place: usize, at: usize) {
        let next = self.values.len() as u32;
        let value = &mut self.values[place];
        (value.end, value.next) = (at as u32, next);
    }

    /// All values, each before those inside it.
    pub fn values(&self) -> &[TapeValue] {
        &self.values
    }

    /// The value at an index.
    pub fn value(&self, place: usize) -> TapeValue {
        self.values[place]
    }

    /// The indices of the items of an array or of the values of an object.
    pub fn children(&self, place: usize) -> impl Iterator<Item = usize> {
        let end = self.values[place].next as usize;
        let from = Some(place + 1).filter(|&child| child < end);
        std::iter::successors(from, move |&child| {
            Some(self.values[child].next as usize).filter(|&child| child < end)
        })
    }

    /// The number of objects that start before the value at an index.
    pub fn objects_before(&self, place: usize) -> u64 {
        u64::from(self.values[place].objects)
    }

    /// The number of objects in the value at an index, including itself.
    pub fn objects_in(&self, place: usize) -> u64 {
        let value = self.values[place];
        let after = self.values.get(value.next as usize);
        u64::from(after.map_or(self.objects, |next| next.objects) - value.objects)
    }
}

fn closing(is_object: bool) -> u8 {
    if is_object { b'}' } else { b']' }
}

/// The end of the array that starts at `at`, if it contains neither objects nor strings. Otherwise stores the offset of
/// the first of these in `busy`.
fn plain_array_end(text: &[u8], at: usize, busy: &mut usize) -> Option<usize> {
    let mut depth = 0_u32;
    let found = chunks(&text[at..], |chunk, offset| {
        let [open, close, object, string] = equal(chunk, [b'[', b']', b'{', b'"']);
        let stop = object | string;
        let before_stop = if stop == 0 {
            u64::MAX
        } else {
            (stop & stop.wrapping_neg()) - 1
        };
        let mut brackets = (open | close) & before_stop;
        // The array can end only in a chunk with enough closing brackets.
        if close.count_ones() < depth && stop == 0 {
            depth = depth + open.count_ones() - close.count_ones();
            return None;
        }
        while brackets != 0 {
            let bit = brackets & brackets.wrapping_neg();
            brackets ^= bit;
            if open & bit != 0 {
                depth += 1;
                continue;
            }
            depth -= 1;
            if depth == 0 {
                return Some(Ok(at + offset + bit.trailing_zeros() as usize + 1));
            }
        }
        (stop != 0).then(|| Err(at + offset + stop.trailing_zeros() as usize))
    });
    match found {
        Some(Ok(end)) => return Some(end),
        Some(Err(place)) => *busy = place,
        None => *busy = text.len(),
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values with their depths and keys, as one line.
    fn outline(text: &str, deepest: usize) -> Option<String> {
        fn add(tape: &Tape, text: &str, place: usize, out: &mut String) {
            let value = tape.value(place);
            out.push_str(&text[value.key()]);
            out.push_str(&text[value.range()][..1]);
            let children: Vec<_> = tape.children(place).collect();
            if !children.is_empty() {
                out.push('(');
                for child in children {
                    add(tape, text, child, out);
                }
                out.push(')');
            }
        }
        let mut tape = Tape::default();
        tape.read(text.as_bytes(), 0, deepest)?;
        assert_eq!(tape.value(0).range(), 0..text.trim_end().len());
        let mut out = String::new();
        add(&tape, text, 0, &mut out);
        Some(out)
    }

    #[test]
    fn values_come_in_order_with_their_keys() {
        let text = r#"{"a": [1, {"b" : "}"}, []], "c\"": {}, "d":null}"#;
        assert_eq!(
            outline(text, 64).unwrap(),
            r#"{("a"[(1{("b"")[)"c\""{"d"n)"#
        );
        assert_eq!(outline(text, 1).unwrap(), r#"{("a"["c\""{"d"n)"#);
        assert_eq!(outline("7 ", 64).unwrap(), "7");
    }

    #[test]
    fn arrays_of_numbers_are_one_value() {
        let numbers = "[[1.5,-2],[],[[null]]".to_owned() + &",[3,4]".repeat(50) + "]";
        for (text, expected) in [
            (numbers.clone(), "[".to_owned()),
            (
                format!("[{numbers},{{}}]"),
                format!("[([([(1-)[[([(n)){}){{)", "[(34)".repeat(50)),
            ),
            (format!("[\"]\",{numbers}]"), "[(\"[)".to_owned()),
        ] {
            assert_eq!(outline(&text, 64).unwrap(), expected);
        }
    }

    #[test]
    fn text_that_is_not_json_has_no_tape() {
        for text in [
            "",
            "[",
            r#"["a",]"#,
            "{1:2}",
            r#"{"a" 1}"#,
            "[1}",
            r#"["1" 2]"#,
            "x",
        ] {
            assert_eq!(outline(text, 64), None, "{text}");
        }
    }

    #[test]
    fn objects_are_counted_down_to_the_limit() {
        let text = br#"[{"a":{"b":{}}},{},1]"#;
        let mut tape = Tape::default();
        tape.read(text, 0, 3).unwrap();
        assert_eq!(tape.objects_in(0), 3);
        let items: Vec<_> = tape.children(0).collect();
        let counts: Vec<_> = items.iter().map(|&item| tape.objects_in(item)).collect();
        assert_eq!(counts, [2, 1, 0]);
        assert_eq!(tape.objects_before(items[1]), 2);
    }
}
