//! Finds an order of keys that agrees with every object, if there is one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Whether the members of objects are in the order of the columns; from best to worst.
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
