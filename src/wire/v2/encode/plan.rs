//! How a column was encoded in earlier frames.

use crate::wire::encodings::Node;
use crate::wire::v2::column::{ColumnTree, Payload};
use crate::wire::v2::types;

/// How a column was encoded in earlier frames. Columns seldom change their nature within a file, so later frames
/// follow it and skip the search, except where it no longer fits.
#[derive(Clone, Debug)]
pub struct Plan(ColumnTree);

impl Plan {
    /// The plan that a column leaves: its own encodings, and what it had none for from the plan that it followed.
    pub(super) fn new(column: &ColumnTree, followed: Option<&Self>) -> Self {
        Self(match followed {
            Some(followed) => extended(&followed.0, column),
            None => column.clone(),
        })
    }

    pub(super) fn column(&self) -> &ColumnTree {
        &self.0
    }
}

/// A plan with the encodings of a newer column added.
fn extended(plan: &ColumnTree, new: &ColumnTree) -> ColumnTree {
    if matches!(new.payload, Payload::Nothing) {
        return plan.clone();
    }
    let kind = |column: &ColumnTree| types::kind(column.field.data_type());
    let payload = match (&plan.payload, &new.payload) {
        (Payload::Run(old), Payload::Run(run)) if kind(plan) == kind(new) => {
            Payload::Run(better(old, run).clone())
        }
        (Payload::Struct(old), Payload::Struct(columns)) => Payload::Struct(members(old, columns)),
        (
            Payload::List {
                lengths: old_lengths,
                items: old_items,
            },
            Payload::List { lengths, items },
        ) => Payload::List {
            lengths: better_of(old_lengths.as_ref(), lengths.as_ref()),
            items: Box::new(extended(old_items, items)),
        },
        (
            Payload::Dictionary {
                keys: old_keys,
                values: old_values,
            },
            Payload::Dictionary { keys, values },
        ) => Payload::Dictionary {
            keys: better_of(old_keys.as_ref(), keys.as_ref()),
            values: Box::new(extended(old_values, values)),
        },
        _ => new.payload.clone(),
    };
    ColumnTree {
        validity: better_of(plan.validity.as_ref(), new.validity.as_ref()),
        payload,
        ..new.clone()
    }
}

/// The members of both, each once.
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

/// Which of two encodings of the same column later frames are better off with.
fn better<'a>(old: &'a Node, new: &'a Node) -> &'a Node {
    // Equal or evenly spaced values need no plan, and say nothing of others.
    let is_bare = |node: &Node| node.children.is_empty() && node.buffer.is_empty();
    match (is_bare(old), is_bare(new)) {
        (false, true) => old,
        (true, false) => new,
        // The older sizes are what drift is measured by.
        _ if old.name() == new.name() => old,
        // A choice for a few values is not worth much.
        _ if new.len >= old.len / 2 => new,
        _ => old,
    }
}
