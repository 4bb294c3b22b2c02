//! Prices: the sizes of runs after the section codec has run on them.

use super::{Cascade, Preset, Trials, numbers, sample};
use crate::columns::statistics::extremes;
use crate::wire::codec::SectionCodec;
use crate::wire::encodings::{Encoding, Node, ValueKind};

/// The size of a run in bytes: a fixed part, and a part that grows with its length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Price {
    fixed: f64,
    growing: f64,
}

/// Bytes of the header that each buffer takes.
const PER_SECTION: usize = 3;

/// Approximate minimum size of a compressed section in bytes.
const PER_FRAME: usize = 16;

impl Price {
    /// The price of a run and everything below it.
    pub fn of(node: &Node, cascade: Cascade) -> Self {
        let mut header = Vec::new();
        let mut price = Self::default();
        let codec = cascade.trial_codec();
        node.write(&mut header, &mut |node, _| {
            let buffer = &node.buffer;
            let trial_len = &node.hints.trial_len;
            let bytes = *trial_len.get_or_init(|| codec.packed_len(buffer, node.planes()));
            let fixed = if bytes < buffer.len() {
                bytes.min(PER_FRAME)
            } else {
                0
            };
            price.fixed += (PER_SECTION + fixed) as f64;
            price.growing += (bytes - fixed) as f64;
        });
        let fixed = node.encoding.scheme().fixed_bytes(price.growing);
        price.fixed += fixed;
        price.growing -= fixed;
        price.fixed += header.len() as f64;
        price
    }

    /// The price of an encoding's description, without its children.
    pub fn header(encoding: &Encoding) -> Self {
        let mut header = Vec::new();
        encoding.write(&mut header);
        Self {
            // Encodings with a counted child store its number of values in about two bytes. Others are charged the same.
            fixed: header.len() as f64 + 2.0,
            growing: 0.0,
        }
    }

    /// The price of `len` rows, if this is the price of `sampled` rows like them.
    pub fn scaled(self, sampled: usize, len: usize) -> Self {
        Self {
            growing: self.growing * len as f64 / sampled.max(1) as f64,
            ..self
        }
    }

    /// The price of both.
    pub fn plus(self, other: Self) -> Self {
        Self {
            fixed: self.fixed + other.fixed,
            growing: self.growing + other.growing,
        }
    }

    /// The price in whole bytes.
    pub fn bytes(self) -> u64 {
        (self.fixed + self.growing) as u64
    }
}

/// The approximate compressed size of a run and everything below it, in bytes.
pub(super) fn packed_len(node: &Node, codec: SectionCodec) -> u64 {
    let mut header = Vec::new();
    let mut bytes = 0;
    node.write(&mut header, &mut |node, _| {
        bytes += (codec.packed_len(&node.buffer, node.planes()) + PER_SECTION) as u64;
    });
    bytes + header.len() as u64
}

/// An encoded run and its price.
#[derive(Debug)]
pub(super) struct Priced {
    pub node: Node,
    pub price: Price,
}

impl Priced {
    /// A node with its price.
    pub fn of(node: Node, cascade: Cascade) -> Self {
        let price = Price::of(&node, cascade);
        Self { node, price }
    }
}

/// A child of a candidate, priced.
pub(crate) struct Child {
    /// The best encoding found for a sample or for all values.
    node: Node,
    /// The price of all values.
    price: Price,
    rest: Rest,
}

/// Computes the values of a child from the run.
type Derive = Box<dyn Fn(&[i64]) -> Vec<i64>>;

/// The work left if the candidate is chosen.
enum Rest {
    /// Nothing: all values are encoded.
    Done,
    /// Encode these values like the sample.
    Apply(Vec<i64>, Cascade),
    /// The same, with values to be computed from the run.
    Derive(Derive, Cascade),
}

impl Child {
    /// Prices integers, on a sample if there are many.
    pub(crate) fn new(values: Vec<i64>, cascade: Cascade) -> Self {
        Self::of(values, None, cascade)
    }

    /// Like [`Self::new`], but drops the values. If the candidate is chosen, `derive` computes them again from the run;
    /// until then, they would take as much memory as the run.
    pub(crate) fn lazy(
        values: Vec<i64>,
        derive: impl Fn(&[i64]) -> Vec<i64> + 'static,
        cascade: Cascade,
    ) -> Self {
        let mut child = Self::new(values, cascade);
        if let Rest::Apply(..) = child.rest {
            child.rest = Rest::Derive(Box::new(derive), cascade);
        }
        child
    }

    /// Prices integers like the sample of this child.
    pub(crate) fn like(&self, values: Vec<i64>, cascade: Cascade) -> Self {
        Self::of(values, Some(&self.node), cascade)
    }

    fn of(values: Vec<i64>, choice: Option<&Node>, cascade: Cascade) -> Self {
        let len = values.len();
        let ranges = sample::ranges(len, cascade.sample_rows(len));
        if ranges.len() == 1 {
            return Self::done(priced_by(choice, &values, cascade));
        }
        let mut taken = sample::take(&values, &ranges);
        // Include the extremes, so that widths are the same as for the whole run.
        taken.extend(extremes(values.iter().copied()).map_or([0; 2], <[i64; 2]>::from));
        Self::sampled(&taken, len, choice, cascade, Rest::Apply(values, cascade))
    }

    /// Encodes and prices all values.
    pub(crate) fn whole(kind: ValueKind, values: &[i64], cascade: Cascade) -> Self {
        Self::done(numbers::search(
            kind,
            values,
            cascade,
            &mut Trials::ignored(),
        ))
    }

    fn done(priced: Priced) -> Self {
        Self {
            node: priced.node,
            price: priced.price,
            rest: Rest::Done,
        }
    }

    /// Prices `len` integers by a sample of them; `derive` computes all of them from the run.
    pub(crate) fn derived(
        sample: &[i64],
        len: usize,
        derive: impl Fn(&[i64]) -> Vec<i64> + 'static,
        cascade: Cascade,
    ) -> Self {
        let rest = Rest::Derive(Box::new(derive), cascade);
        Self::sampled(sample, len, None, cascade, rest)
    }

    fn sampled(
        sample: &[i64],
        len: usize,
        choice: Option<&Node>,
        cascade: Cascade,
        rest: Rest,
    ) -> Self {
        let searched = Cascade {
            is_sample: true,
            ..cascade
        };
        let priced = priced_by(choice, sample, searched);
        Self {
            node: priced.node,
            price: priced.price.scaled(sample.len(), len),
            rest,
        }
    }

    /// The price of all values.
    pub(super) fn price(&self) -> Price {
        self.price
    }

    /// The price of all values in whole bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.price.bytes()
    }

    /// The encoding found.
    pub(crate) fn encoding(&self) -> &Encoding {
        &self.node.encoding
    }

    /// The name of the encoding; `None` for a child without values.
    pub(super) fn name(&self) -> Option<String> {
        (self.node.len > 0).then(|| self.node.name())
    }

    /// Encodes all values; `run` is the run that the child belongs to.
    pub(crate) fn finish(self, run: &[i64]) -> Node {
        let choice = self.node;
        match self.rest {
            Rest::Done => choice,
            Rest::Apply(values, cascade) => encode(&values, &choice, cascade),
            Rest::Derive(derive, cascade) => encode(&derive(run), &choice, cascade),
        }
    }
}

/// Encodes a child like `choice`, the best encoding of a sample. With the preset small, mantissas are searched again, like
/// a column of integers.
fn encode(values: &[i64], choice: &Node, cascade: Cascade) -> Node {
    let is_column = cascade.preset == Preset::Small && cascade.depth == 0;
    cascade.ints(values, (!is_column).then_some(choice))
}

/// Encodes and prices integers like `choice`, or in the cheapest way found.
fn priced_by(choice: Option<&Node>, values: &[i64], cascade: Cascade) -> Priced {
    match choice {
        Some(_) => Priced::of(cascade.ints(values, choice), cascade),
        None => numbers::search(ValueKind::Ints, values, cascade, &mut Trials::ignored()),
    }
}
