//! The encodings of a column in earlier frames.

use std::sync::Arc;

use crate::wire::encodings::Node;
use crate::wire::v2::column::ColumnTree;

/// The encodings of a column in earlier frames. Columns seldom change their nature within a file, so later frames
/// follow it and skip the search, except where it no longer fits.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) column: Arc<ColumnTree>,
    /// How other columns used it.
    pub(super) uses: Uses,
}

impl Plan {
    /// The plan after encoding a column: its own encodings, completed from the plan that it followed.
    pub(super) fn after(column: &Arc<ColumnTree>, uses: Uses, followed: Option<&Self>) -> Self {
        let column = match followed {
            Some(followed) => Arc::new(extended(&followed.column, column)),
            None => Arc::clone(column),
        };
        Self { column, uses }
    }

    /// True if the relation of the column, if any, also suits a frame of this many rows.
    pub(super) fn suits(&self, rows: usize) -> bool {
        rows / 2 <= self.column.rows
    }
}

/// How other columns of its frame use a column.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uses {
    /// True if others are grouped by it.
    pub is_key: bool,
    /// True if others are stored as differences from it.
    pub is_reference: bool,
}

/// A plan with the encodings of a newer column added.
fn extended(plan: &ColumnTree, new: &ColumnTree) -> ColumnTree {
    if new.valid == 0 && new.children.is_empty() {
        return plan.clone();
    }
    if new.relation != plan.relation {
        // Another order of rows may need other encodings, as do other differences.
        return new.clone();
    }
    let mut extended = new.clone();
    extended.validity = better_of(plan.validity.as_ref(), new.validity.as_ref());
    if plan.is_like(new.field.data_type()) {
        let count = plan.runs.len().max(new.runs.len());
        extended.runs = (0..count)
            .filter_map(|at| better_of(plan.runs.get(at), new.runs.get(at)))
            .collect();
        extended.children = match (&plan.children[..], &new.children[..]) {
            (old, new) if plan.is_struct() => members(old, new),
            (old, new) if old.len() == new.len() => {
                let both = old.iter().zip(new);
                both.map(|(old, new)| self::extended(old, new)).collect()
            }
            _ => extended.children,
        };
    }
    extended
}

/// The union of the members of both.
fn members(old: &[ColumnTree], new: &[ColumnTree]) -> Vec<ColumnTree> {
    let find = |columns: &[ColumnTree], name: &str| {
        columns
            .iter()
            .position(|column| column.field.name() == name)
    };
    let extend = |column: &ColumnTree| match find(old, column.field.name()) {
        Some(at) => extended(&old[at], column),
        None => column.clone(),
    };
    let gone = old
        .iter()
        .filter(|column| find(new, column.field.name()).is_none());
    new.iter().map(extend).chain(gone.cloned()).collect()
}

fn better_of(old: Option<&Node>, new: Option<&Node>) -> Option<Node> {
    match (old, new) {
        (Some(old), Some(new)) => Some(better(old, new).clone()),
        (old, new) => old.or(new).cloned(),
    }
}

/// The better of two encodings of the same column for later frames.
fn better<'a>(old: &'a Node, new: &'a Node) -> &'a Node {
    // Constants and sequences need no plan, and do not help with other values.
    let is_bare = |node: &Node| node.children.is_empty() && node.buffer.is_empty();
    match (is_bare(old), is_bare(new)) {
        (false, true) => old,
        (true, false) => new,
        // Keep the older node: drift is measured against its size.
        _ if old.name() == new.name() => old,
        // A choice for few values is not reliable.
        _ if new.len >= old.len / 2 => new,
        _ => old,
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Array, ArrayRef, Int64Array, StructArray};
    use arrow_schema::{DataType, Field};

    use super::*;
    use crate::wire::choose::Preset;
    use crate::wire::codec::SectionCodec;
    use crate::wire::v2::{EncodeOptions, Encoder, PriorFrames};

    fn noise(seed: i64) -> Vec<Option<i64>> {
        let step = |x: i64| {
            x.wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e)
        };
        std::iter::successors(Some(seed), |&x| Some(step(x)))
            .map(|x| Some(x >> 40))
            .take(500)
            .collect()
    }

    fn follow(plan: Option<&Plan>) -> PriorFrames<'_> {
        PriorFrames {
            plan,
            ..PriorFrames::default()
        }
    }

    /// The plan after a frame of structs with these members, named a, b, ...
    fn after(members: Vec<Vec<Option<i64>>>, followed: Option<&Plan>) -> Plan {
        let structs: StructArray = members
            .into_iter()
            .zip('a'..)
            .map(|(values, name)| {
                let field = Field::new(name.to_string(), DataType::Int64, true);
                let array: ArrayRef = Arc::new(Int64Array::from(values));
                (Arc::new(field), array)
            })
            .collect::<Vec<_>>()
            .into();
        let field = Field::new("s", structs.data_type().clone(), true);
        let encoder = Encoder::new(EncodeOptions::of(Preset::Balanced));
        encoder
            .column(&field, vec![Arc::new(structs)], follow(followed))
            .unwrap()
            .plan(followed)
    }

    fn encodings(plan: &Plan) -> Vec<String> {
        let name = |member: &ColumnTree| match &member.runs[..] {
            [node] => format!("{} {}", member.field.name(), node.name()),
            _ => member.field.name().clone(),
        };
        plan.column.children.iter().map(name).collect()
    }

    #[test]
    fn later_frames_use_the_codecs_of_the_plan() {
        let codec = |plan: &Plan| plan.column.runs[0].hints.codec;
        let after = |followed: Option<&Plan>| {
            let numbers: Vec<_> = (0..10).flat_map(noise).collect();
            let array: ArrayRef = Arc::new(Int64Array::from(numbers));
            let field = Field::new("n", DataType::Int64, true);
            let encoder = Encoder::new(EncodeOptions::of(Preset::Balanced));
            encoder
                .column(&field, vec![array], follow(followed))
                .unwrap()
                .plan(None)
        };
        let first = after(None);
        let found = codec(&first);
        assert!(found.is_some());
        // A codec that no search would find.
        let other = Some(SectionCodec::Zstd(2));
        let mut tree = ColumnTree::clone(&first.column);
        tree.visit_buffers(&mut |node| {
            node.hints.codec = other;
            Ok(())
        })
        .unwrap();
        let changed = Plan {
            column: Arc::new(tree),
            ..first
        };
        assert_eq!(codec(&after(Some(&changed))), other);
    }

    #[test]
    fn plans_gain_what_they_lack_and_lose_nothing() {
        let first = after(vec![noise(1), vec![Some(7); 500], vec![None; 500]], None);
        assert_eq!(encodings(&first), ["a bit-packed", "b constant", "c"]);
        // One member was constant before and varies now, another one the reverse; c is present again, and d is new.
        let members = vec![vec![Some(5); 500], noise(2), noise(3), noise(4)];
        let second = after(members, Some(&first));
        let all = [
            "a bit-packed",
            "b bit-packed",
            "c bit-packed",
            "d bit-packed",
        ];
        assert_eq!(encodings(&second), all);
        // Missing members keep their plan.
        let third = after(vec![noise(5)], Some(&second));
        assert_eq!(encodings(&third), all);
        let none = after(vec![vec![None; 500]; 4], Some(&third));
        assert_eq!(encodings(&none), all);
    }
}
