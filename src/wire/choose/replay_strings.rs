//! A choice for strings that was made, on other values: a sample's on the whole run, a frame's on the
//! next.
//!
//! Entries and templates are found anew; only the search is saved. Where the choice does not hold any
//! more, that part is searched.

use super::strings::{Candidate, choose, choose_distinct, most_distinct, templates};
use super::{Cascade, Trials, ints};
use crate::wire::encodings::strings::decode;
use crate::wire::encodings::strings::dictionary::Distinct;
use crate::wire::encodings::{Encoding, Node, Strings};

/// Encodes the values as `plan` is encoded.
pub(super) fn strings(plan: &Node, values: &Strings, cascade: Cascade) -> Node {
    follow(plan, values, cascade).unwrap_or_else(|| choose(values, cascade, &mut Trials::untold()))
}

fn follow(plan: &Node, values: &Strings, cascade: Cascade) -> Option<Node> {
    let candidate = match plan.encoding {
        _ if values.data.is_empty() => Candidate::Bytes,
        Encoding::Bytes => Candidate::Bytes,
        Encoding::Fsst { .. } => Candidate::Fsst,
        Encoding::Ppmd { order, .. } => Candidate::Ppmd { order: Some(order) },
        Encoding::Hex { upper } => Candidate::Hex { upper },
        Encoding::Dictionary => return follow_dictionary(plan, values, cascade),
        Encoding::Patched => return follow_template(plan.children.last()?, values, cascade),
        Encoding::Template { .. } => return follow_template(plan, values, cascade),
        _ => return None,
    };
    candidate.encode(values, cascade, Some(plan))
}

fn follow_template(plan: &Node, values: &Strings, cascade: Cascade) -> Option<Node> {
    let mut templates = templates(values, cascade).into_iter();
    let template = templates.find(|template| template.is_of(plan))?;
    template.encode(values, cascade, Some(plan))
}

fn follow_dictionary(plan: &Node, values: &Strings, cascade: Cascade) -> Option<Node> {
    let [planned_entries, planned_codes] = &plan.children[..] else {
        return None;
    };
    let is_sorted = {
        let mut old = Strings::default();
        decode(planned_entries, i32::MAX as usize, &mut old).ok()?;
        old.len() > 2 && old.iter().is_sorted()
    };
    let mut distinct = Distinct::find(values, most_distinct(values.len(), cascade.preset))?;
    if is_sorted {
        distinct = distinct.sorted();
    }
    let deeper = cascade.deeper();
    let entries = follow(planned_entries, &distinct.entries, deeper)
        .unwrap_or_else(|| choose_distinct(&distinct.entries, deeper));
    let codes = ints_like(planned_codes, &distinct.codes, deeper);
    Some(Distinct::node(entries, codes))
}

fn ints_like(plan: &Node, values: &[i64], cascade: Cascade) -> Node {
    if values.is_empty() {
        ints::choose(values, cascade, &mut Trials::untold())
    } else {
        cascade.ints_like(plan, values)
    }
}
