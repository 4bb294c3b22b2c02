//! Chooses encodings for runs of floats.

use super::candidate::Candidate;
use super::price::{Child, Priced};
use super::{Cascade, Trials, sample};
use crate::wire::encodings::{Encoding, Node, ValueKind, bits, constant};

/// Collects candidates for a run of floats.
pub(crate) struct FloatSearch<'a> {
    pub cascade: Cascade,
    /// The run, at least one value.
    pub values: &'a [f64],
    /// A few chunks of it.
    pub sample: &'a [f64],
    /// True if a candidate represents every value without exceptions, so that general encodings cannot be better.
    pub is_exact: bool,
    candidates: Vec<Candidate<f64>>,
}

impl FloatSearch<'_> {
    /// Adds a candidate without children.
    pub(crate) fn leaf(&mut self, encode: impl Fn(&[f64]) -> Option<Node> + 'static) {
        let context = (ValueKind::Floats, self.cascade);
        let leaf = Candidate::leaf(self.sample, self.values.len(), context, encode);
        self.candidates.extend(leaf);
    }

    /// Adds a candidate without children that decodes fast, so that it has no surcharge.
    pub(crate) fn plain(&mut self, encode: impl Fn(&[f64]) -> Option<Node> + 'static) {
        let before = self.candidates.len();
        self.leaf(encode);
        let added = self.candidates[before..].iter_mut();
        added.for_each(|candidate| candidate.surcharge = 0.0);
    }

    /// Adds a candidate with children.
    pub(crate) fn nested(&mut self, encoding: impl Into<Encoding>, parts: Vec<Child<f64>>) {
        let nested = Candidate::nested(encoding.into(), parts, ValueKind::Floats, self.cascade);
        self.candidates.push(nested);
    }
}

/// Encodes the values in the cheapest way found and records what was tried at this depth.
pub(super) fn choose(values: &[f64], cascade: Cascade, trials: &mut Trials) -> Node {
    search(values, cascade, trials).node
}

/// Like [`choose`], with the price.
pub(super) fn search(values: &[f64], cascade: Cascade, trials: &mut Trials) -> Priced {
    if values.is_empty() {
        // This has the shortest description.
        return Priced::of(bits::node(constant::empty()), cascade);
    }
    let ranges = sample::ranges(values.len(), cascade.sample_rows(values.len()));
    let mut search = FloatSearch {
        cascade,
        values,
        sample: &sample::take(values, &ranges),
        is_exact: false,
        candidates: Vec::new(),
    };
    Encoding::propose_floats(&mut search);
    for candidate in &search.candidates {
        trials.record(|| candidate.name(), || candidate.price.bytes());
    }
    let best = search
        .candidates
        .into_iter()
        .min_by(|a, b| a.score().total_cmp(&b.score()));
    match best {
        Some(best) => {
            let price = best.price;
            let node = best.finish(values).unwrap_or_else(|| bits::whole(values));
            Priced { node, price }
        }
        None => Priced::of(bits::whole(values), cascade),
    }
}
