//! Dictionary: the distinct values once, and each row's place among them.
//! Layout: man/mbt-format.5, "dictionary".

use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::{Encoding, Node, ints};
use crate::error::{Error, Result};

/// The distinct values in order of appearance, and each row's place among them; `None` if there
/// are more than `max`.
pub fn distinct<T: Copy + Eq + Hash>(
    values: impl Iterator<Item = T>,
    max: usize,
) -> Option<(Vec<T>, Vec<i64>)> {
    let hasher = FixedState::default();
    let mut table: HashTable<u32> = HashTable::new();
    let mut entries: Vec<T> = Vec::new();
    let mut codes = Vec::with_capacity(values.size_hint().0);
    for value in values {
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

/// Puts the entries in rising order, so that codes keep the order of the values.
pub fn sort<T: Copy + Ord>(entries: &mut [T], codes: &mut [i64]) {
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
    Node::of_children(Encoding::Dictionary, len, vec![entries, codes])
}

/// Appends the values; `decode_entries` appends the distinct ones.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if a code is beyond the entries.
pub fn decode<T: Copy>(
    node: &Node,
    out: &mut Vec<T>,
    decode_entries: impl FnOnce(&Node, &mut Vec<T>) -> Result<()>,
) -> Result<()> {
    let [child, _] = node.parts()?;
    let codes = codes(node)?;
    let mut entries = Vec::new();
    decode_entries(child, &mut entries)?;
    out.extend(codes.iter().map(|&code| entries[code as usize]));
    Ok(())
}

/// Each row's place among the entries, as many as the node has rows and all below their number.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if they are not.
pub fn codes(node: &Node) -> Result<Vec<i64>> {
    let [entries, child] = node.parts()?;
    if child.len != node.len {
        return Err(Error::corrupt(
            "a dictionary with too many or too few codes",
        ));
    }
    let mut codes = Vec::new();
    ints::decode(child, &mut codes)?;
    // Negative codes are huge ones.
    let last = codes.iter().map(|&code| code as u64).max();
    if last.is_some_and(|last| last >= entries.len as u64) {
        return Err(Error::corrupt("a code is beyond the dictionary"));
    }
    Ok(codes)
}
