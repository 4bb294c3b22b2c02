//! Finds an order of keys that agrees with every object, if there is one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use arrow_buffer::BooleanBuffer;

use super::{MANY_KEYS, looks_like_id, maps_by_density};

/// Whether the members of objects are in the order of the columns, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyOrder {
    /// In all objects.
    Kept,
    /// Not in all objects.
    Mixed,
    /// Unknown, or values may print differently.
    Unknown,
}

impl KeyOrder {
    /// The result for columns in this order, where `edges` are the pairs of adjacent members.
    pub fn of(order: &[u32], edges: &[(u32, u32)]) -> Self {
        let mut places = vec![0; order.len()];
        for (place, &key) in order.iter().enumerate() {
            places[key as usize] = place;
        }
        let is_kept = |(a, b): &(u32, u32)| places[*a as usize] < places[*b as usize];
        if edges.iter().all(is_kept) {
            Self::Kept
        } else {
            Self::Mixed
        }
    }
}

/// Pairs of members that are adjacent in some object, in any order.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    /// The pairs; few of them are equal.
    pub pairs: Vec<(u32, u32)>,
    /// The number of pairs after which equal ones are dropped.
    most: usize,
}

impl Edges {
    /// Adds a pair. Equal ones are dropped whenever the number of pairs has doubled, so that the time per pair does not
    /// grow with the number of different pairs.
    pub fn push(&mut self, pair: (u32, u32)) {
        self.pairs.push(pair);
        if self.pairs.len() > self.most {
            self.pairs.sort_unstable();
            self.pairs.dedup();
            self.most = 2 * self.pairs.len() + 64;
        }
    }
}

/// Sorts the numbers below `count` so that `a` comes before `b` for every edge `(a, b)`. If several numbers may come
/// next, the smallest does; if a cycle leaves none, the smallest remaining number does.
///
/// Kahn, "Topological sorting of large networks", CACM 1962.
pub fn order(count: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let sorted: Vec<u32> = (0..count as u32).collect();
    if edges.iter().all(|(a, b)| a < b) {
        return sorted;
    }
    let mut edges: Vec<_> = edges.iter().copied().filter(|(a, b)| a != b).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut before = vec![0u32; count];
    for &(_, to) in &edges {
        before[to as usize] += 1;
    }
    let mut ready: BinaryHeap<_> = sorted
        .iter()
        .filter(|&&key| before[key as usize] == 0)
        .map(|&key| Reverse(key))
        .collect();
    let mut placed = vec![false; count];
    let mut result = Vec::with_capacity(count);
    let mut rest = sorted.into_iter();
    while result.len() < count {
        let Some(next) = ready
            .pop()
            .map(|Reverse(key)| key)
            .or_else(|| rest.find(|&key| !placed[key as usize]))
        else {
            break;
        };
        if std::mem::replace(&mut placed[next as usize], true) {
            continue;
        }
        result.push(next);
        let from = edges.partition_point(|&(a, _)| a < next);
        for &(_, to) in edges[from..].iter().take_while(|&&(a, _)| a == next) {
            before[to as usize] -= 1;
            if before[to as usize] == 0 {
                ready.push(Reverse(to));
            }
        }
    }
    result
}

/// The keys of objects by first appearance, and the pairs that are adjacent in some object.
#[derive(Clone, Debug, Default)]
pub struct KeyGraph {
    names: Vec<String>,
    edges: Vec<(u32, u32)>,
    /// The order of the members, if it was the same in all parts: it may be a compromise between rows that contradict each
    /// other, which the graph does not know.
    members: Option<Vec<u32>>,
    /// The number of objects.
    objects: usize,
    /// The number of members of all objects together.
    entries: usize,
}

impl KeyGraph {
    /// No keys.
    pub const NONE: Self = Self {
        names: Vec::new(),
        edges: Vec::new(),
        members: None,
        objects: 0,
        entries: 0,
    };

    /// The keys of rows whose members are in this order. Each name comes with the rows that have it; `None` if all have.
    pub fn of(members: Vec<(String, Option<BooleanBuffer>)>, rows: usize) -> Self {
        const NONE: usize = usize::MAX;
        let mut edges = Vec::new();
        let mut first = Vec::with_capacity(members.len());
        if members.iter().all(|(_, present)| present.is_none()) {
            edges.extend((1..members.len()).map(|at| (at - 1, at)));
            first.resize(members.len(), 0);
        } else {
            // The last member of each row, and the member to which each other one got its last edge.
            let mut last = vec![NONE; rows];
            let mut next = vec![NONE; members.len()];
            for (to, (_, present)) in members.iter().enumerate() {
                let mut add = |row: usize| {
                    let from = std::mem::replace(&mut last[row], to);
                    if from != NONE && std::mem::replace(&mut next[from], to) != to {
                        edges.push((from, to));
                    }
                };
                if let Some(present) = present {
                    present.set_indices().for_each(&mut add);
                    first.push(present.set_indices().next().unwrap_or(rows));
                } else {
                    (0..rows).for_each(&mut add);
                    first.push(0);
                }
            }
        }
        let mut by_appearance: Vec<usize> = (0..members.len()).collect();
        by_appearance.sort_by_key(|&at| first[at]);
        let mut places = vec![0; members.len()];
        for (place, &at) in by_appearance.iter().enumerate() {
            places[at] = place as u32;
        }
        let mut names: Vec<_> = members.into_iter().map(|(name, _)| name).collect();
        let names = by_appearance
            .iter()
            .map(|&at| std::mem::take(&mut names[at]));
        let edges = edges.into_iter().map(|(a, b)| (places[a], places[b]));
        Self {
            names: names.collect(),
            edges: edges.collect(),
            members: Some(places),
            objects: 0,
            entries: 0,
        }
    }

    /// States the number of objects, and of their members.
    #[must_use]
    pub fn with_counts(self, objects: usize, entries: usize) -> Self {
        Self {
            objects,
            entries,
            ..self
        }
    }

    /// The number of distinct keys.
    pub fn distinct(&self) -> usize {
        self.names.len()
    }

    /// True if the keys are data, given that the values are all of one kind.
    pub fn is_map(&self) -> bool {
        let ids =
            !self.names.is_empty() && self.names.iter().all(|it| looks_like_id(it.as_bytes()));
        (ids || self.names.len() > MANY_KEYS)
            && maps_by_density(self.names.len(), self.entries, self.objects, ids)
    }

    /// Adds the keys of later objects.
    pub fn join(&mut self, other: &Self) {
        let (objects, entries) = (self.objects + other.objects, self.entries + other.entries);
        if self.names.is_empty() {
            *self = other.clone().with_counts(objects, entries);
            return;
        }
        (self.objects, self.entries) = (objects, entries);
        let known = self.names.iter().cloned().zip(0..);
        let mut places: HashMap<String, u32> = known.collect();
        for name in &other.names {
            if !places.contains_key(name) {
                places.insert(name.clone(), self.names.len() as u32);
                self.names.push(name.clone());
            }
        }
        let place = |at: u32| places[&other.names[at as usize]];
        let others = other.members.iter().flatten().map(|&at| place(at));
        let same = self
            .members
            .as_ref()
            .is_some_and(|it| others.eq(it.iter().copied()));
        self.members.take_if(|_| !same);
        let edges = other.edges.iter().map(|&(a, b)| (place(a), place(b)));
        self.edges.extend(edges);
        self.edges.sort_unstable();
        self.edges.dedup();
    }

    /// The keys in an order that agrees with all objects, if there is one.
    pub fn in_order(&self) -> impl Iterator<Item = &str> {
        let members = self.members.clone();
        let order = members.unwrap_or_else(|| order(self.names.len(), &self.edges));
        order.into_iter().map(|place| &*self.names[place as usize])
    }
}

/// The columns of two frames of JSON in one order. Later frames of a text have all columns of earlier ones, in an order
/// that agrees with all rows so far.
pub fn join_names(known: &[String], later: &[String]) -> Vec<String> {
    let names: HashSet<&String> = later.iter().collect();
    if known.iter().all(|name| names.contains(name)) {
        return later.to_vec();
    }
    let chain = |names: &[String]| {
        let members = names.iter().map(|name| (name.clone(), None));
        KeyGraph::of(members.collect(), 0)
    };
    let mut graph = chain(known);
    graph.join(&chain(later));
    graph.in_order().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_order_is_kept_if_all_pairs_agree_with_it() {
        assert_eq!(KeyOrder::of(&[2, 0, 1], &[(2, 0), (0, 1)]), KeyOrder::Kept);
        assert_eq!(KeyOrder::of(&[2, 0, 1], &[(1, 2)]), KeyOrder::Mixed);
        // No order agrees with all edges of a cycle.
        let edges = [(0, 1), (1, 0)];
        assert_eq!(KeyOrder::of(&order(2, &edges), &edges), KeyOrder::Mixed);
    }

    #[test]
    fn what_comes_between_is_put_between() {
        // Rows (0, 1), (0, 2, 1), then (3, 0).
        assert_eq!(order(4, &[(0, 1), (0, 2), (2, 1), (3, 0)]), [3, 0, 2, 1]);
        // Rows (0, 1, 2) and (0, 3) do not determine the position of 3, so it stays last.
        assert_eq!(order(4, &[(0, 1), (1, 2), (0, 3)]), [0, 1, 2, 3]);
        assert_eq!(order(3, &[(0, 1), (1, 0), (1, 2)]), [0, 1, 2]);
    }

    #[test]
    fn keys_of_two_frames_are_in_the_order_of_all_rows() {
        let graph = |members: &[(&str, [bool; 2])]| {
            let member = |&(name, present): &(&str, [bool; 2])| {
                (name.to_owned(), Some(BooleanBuffer::from(&present[..])))
            };
            KeyGraph::of(members.iter().map(member).collect(), 2)
        };
        // A frame alone has the order that it has.
        let alone = KeyGraph {
            edges: vec![(1, 0), (0, 1)],
            ..graph(&[("b", [true; 2]), ("a", [true; 2])])
        };
        assert_eq!(alone.in_order().collect::<Vec<_>>(), ["b", "a"]);
        // The rows (a, c) and (b), then (b, a) and (c).
        let mut both = graph(&[
            ("a", [true, false]),
            ("b", [false, true]),
            ("c", [true, false]),
        ]);
        both.join(&graph(&[
            ("b", [true, false]),
            ("a", [true, false]),
            ("c", [false, true]),
        ]));
        assert_eq!(both.in_order().collect::<Vec<_>>(), ["b", "a", "c"]);
        let names =
            |names: &[&str]| -> Vec<String> { names.iter().map(|&name| name.to_owned()).collect() };
        let joined = |known: &[&str], later: &[&str]| join_names(&names(known), &names(later));
        assert_eq!(joined(&["a", "c"], &["a", "b", "c"]), ["a", "b", "c"]);
        assert_eq!(joined(&["a", "d"], &["c", "d"]), ["a", "c", "d"]);
    }

    proptest! {
        #[test]
        fn rows_that_agree_all_keep_their_order(
            shuffled in Just((0..12u32).collect::<Vec<_>>()).prop_shuffle(),
            rows in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 12), 1..8),
        ) {
            // `shuffled` is the order that all rows agree on; numbers go by first appearance.
            let mut edges = Vec::new();
            for row in &rows {
                let keys: Vec<_> = shuffled.iter().zip(row).filter(|(_, there)| **there).map(|(key, _)| *key).collect();
                edges.extend(keys.windows(2).map(|pair| (pair[0], pair[1])));
            }
            let order = order(12, &edges);
            let place = |key| order.iter().position(|&other| other == key).unwrap();
            for (a, b) in edges {
                prop_assert!(place(a) < place(b));
            }
        }

        #[test]
        fn every_key_is_there_once(edges in proptest::collection::vec((0..9u32, 0..9u32), 0..40)) {
            let mut order = order(9, &edges);
            order.sort_unstable();
            prop_assert_eq!(order, (0..9).collect::<Vec<_>>());
        }
    }
}
