//! Candidates: ways to encode a run of numbers, priced on a sample or on the whole run.

use super::price::{Child, Price};
use super::{Cascade, Preset};
use crate::wire::encodings::{Encoding, Node, ValueKind};

/// A way to encode a run.
pub(super) struct Candidate {
    pub encoding: Encoding,
    /// The price of the whole run.
    pub price: Price,
    /// The fraction added to the price for slower decoding.
    pub surcharge: f64,
    way: Way,
}

/// Encodes a run; `None` if the encoding does not apply to it.
type Encode = Box<dyn Fn(&[i64]) -> Option<Node>>;

enum Way {
    /// Without children: the node, if it contains the whole run, and a function that encodes a run.
    Leaf(Option<Node>, Encode),
    /// With these children.
    Nested(Vec<Child>),
}

impl Candidate {
    /// A leaf, priced on a sample of a run of `len` values; `None` if it does not apply to the sample.
    pub(super) fn leaf(
        sample: &[i64],
        len: usize,
        (kind, cascade): (ValueKind, Cascade),
        encode: impl Fn(&[i64]) -> Option<Node> + 'static,
    ) -> Option<Self> {
        let node = encode(sample)?;
        Some(Self {
            surcharge: surcharge(&node.encoding, kind, cascade),
            encoding: node.encoding.clone(),
            price: Price::of(&node, cascade).scaled(sample.len(), len),
            way: Way::Leaf((sample.len() == len).then_some(node), Box::new(encode)),
        })
    }

    /// An encoding with priced children.
    pub(super) fn nested(
        encoding: Encoding,
        parts: Vec<Child>,
        kind: ValueKind,
        cascade: Cascade,
    ) -> Self {
        Self {
            surcharge: surcharge(&encoding, kind, cascade),
            price: parts
                .iter()
                .map(Child::price)
                .fold(Price::header(&encoding), Price::plus),
            encoding,
            way: Way::Nested(parts),
        }
    }

    /// The encoding's name and its children's, except for children without values.
    pub(super) fn name(&self) -> String {
        let name = self.encoding.name();
        match &self.way {
            Way::Leaf(..) => name.to_owned(),
            Way::Nested(parts) => {
                let parts: Vec<String> = parts.iter().filter_map(Child::name).collect();
                format!("{name}({})", parts.join(", "))
            }
        }
    }

    /// The price in bytes including the surcharge: a layer must pay for itself.
    pub(super) fn score(&self) -> f64 {
        self.price.bytes() as f64 * (1.0 + self.surcharge)
    }

    /// Encodes the whole run; `None` if the encoding applies only to the sample.
    pub(super) fn finish(self, values: &[i64]) -> Option<Node> {
        match self.way {
            Way::Leaf(Some(node), _) => Some(node),
            Way::Leaf(None, encode) => encode(values),
            Way::Nested(parts) => {
                // Collecting would keep the memory of the parts, which are larger.
                let mut children = Vec::with_capacity(parts.len());
                children.extend(parts.into_iter().map(|part| part.finish(values)));
                Some(Node::of_children(self.encoding, values.len(), children))
            }
        }
    }
}

/// With the preset small, slower decoding of integers is acceptable.
fn surcharge(encoding: &Encoding, kind: ValueKind, cascade: Cascade) -> f64 {
    let surcharge = encoding.scheme().surcharge(kind, cascade);
    match (kind, cascade.preset) {
        (ValueKind::Ints, Preset::Small) => surcharge / 4.0,
        _ => surcharge,
    }
}
