//! Dictionary: the distinct values, and the code of each row. Layout: man/mbt-format.5, "dictionary".

mod strings;

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::scheme::{Info, Scheme, Shape, parameters};
use super::strings::ByteStrings;
use super::{Node, ValueKind, bit_packed};
use crate::error::{Error, Result};
use crate::wire::choose::{Bans, Cascade, Child, NumberRun, NumberSearch, Preset};

pub use strings::Distinct;
pub(crate) use strings::{are_distinct, beyond, encode_distinct, most_distinct};

/// Children: the distinct values (entries), and for each row the index of its entry (code).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dictionary;

pub(super) const INFO: Info = Info::of(7, "dictionary", ValueKind::ALL).counting(0);

impl Scheme for Dictionary {
    parameters!();

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        Ok(vec![(run.kind, run.count), (ValueKind::Ints, run.len)])
    }

    fn decode_numbers(&self, node: &Node, kind: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let [entries, codes] = node.parts()?;
        let codes = codes.ints()?;
        // Negative codes become huge numbers.
        let last = codes.iter().map(|&code| code as u64).max();
        if last.is_some_and(|last| last >= entries.len as u64) {
            return Err(Error::corrupt("a code is beyond the dictionary"));
        }
        let entries = entries.numbers(kind)?;
        out.extend(codes.iter().map(|&code| entries[code as usize]));
        Ok(())
    }

    fn decode_strings(&self, node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
        strings::decode(node, max_bytes, out)
    }

    fn propose_numbers(search: &mut NumberSearch<'_>) {
        let cascade = search.cascade;
        if !search.may_nest(Bans::DICTIONARY) {
            return;
        }
        let repeats = search.repeats();
        // A sample must repeat its entries often, so that a dictionary pays for the whole run.
        let share = match cascade.preset {
            _ if !cascade.is_sample() => 2,
            Preset::Fast => 8,
            Preset::Balanced | Preset::Small => 32,
        };
        let width = search.stats().width();
        let code_width = bit_packed::width_of(repeats.distinct as u64 - 1);
        if repeats.distinct > repeats.sampled / share
            || code_width + 1 >= width
            || (cascade.is_compressed() && width <= 8)
        {
            return;
        }
        let max = search.values.len() / 4;
        let Some((mut entries, mut codes)) = distinct(search.values, max) else {
            return;
        };
        sort(&mut entries, &mut codes);
        let cascade = cascade.deeper().without(Bans::DICTIONARY);
        let parts = vec![Child::new(entries, cascade), Child::new(codes, cascade)];
        search.nested(Self, parts);
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        let (mut entries, mut codes) = distinct(run.values, run.values.len() / 2)?;
        sort(&mut entries, &mut codes);
        Some(node(run.child(0, &entries)?, run.child(1, &codes)?))
    }

    fn apply_strings(&self, choice: &Node, values: &ByteStrings, cascade: Cascade) -> Option<Node> {
        strings::apply(choice, values, cascade)
    }

    fn surcharge(&self, _kind: ValueKind, _cascade: Cascade) -> f64 {
        0.04
    }
}

/// The distinct values in order of first occurrence, and the code of each row; `None` if there are more than `max`
/// values.
pub fn distinct(values: &[i64], max: usize) -> Option<(Vec<i64>, Vec<i64>)> {
    let hasher = FixedState::default();
    let mut table: HashTable<u32> = HashTable::new();
    let mut entries: Vec<i64> = Vec::new();
    let mut codes = Vec::with_capacity(values.len());
    for &value in values {
        let hash = hasher.hash_one(value);
        let code = match table.find(hash, |&code| entries[code as usize] == value) {
            Some(&code) => code,
            None if entries.len() == max.min(u32::MAX as usize) => return None,
            None => {
                let code = entries.len() as u32;
                entries.push(value);
                table.insert_unique(hash, code, |&code| hasher.hash_one(entries[code as usize]));
                code
            }
        };
        codes.push(i64::from(code));
    }
    Some((entries, codes))
}

/// Sorts the entries, so that codes have the order of the values.
pub fn sort(entries: &mut [i64], codes: &mut [i64]) {
    let mut order: Vec<u32> = (0..entries.len() as u32).collect();
    order.sort_unstable_by_key(|&code| entries[code as usize]);
    let mut places = vec![0_i64; entries.len()];
    for (place, &code) in order.iter().enumerate() {
        places[code as usize] = place as i64;
    }
    entries.sort_unstable();
    for code in codes {
        *code = places[*code as usize];
    }
}

/// Joins the encoded entries and codes.
pub fn node(entries: Node, codes: Node) -> Node {
    let len = codes.len;
    Node::of_children(Dictionary, len, vec![entries, codes])
}
