//! Prices: what runs take once the section codec has run on them.

use std::iter::Sum;
use std::ops::Add;

use super::{Cascade, Preset, Trials, ints, replay, sample};
use crate::wire::encodings::{Encoding, Node, extremes};

/// Bytes of a run: what it takes whatever its length, and what grows with it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Price {
    fixed: f64,
    growing: f64,
}

/// What a section takes besides its bytes: its place in the header.
const PER_SECTION: f64 = 3.0;

/// About what a compressed section takes however well its bytes compress.
const PER_FRAME: usize = 16;

/// About what bins of a pco file take.
const PER_PCO: f64 = 200.0;

impl Price {
    /// The price of a run with everything below it.
    pub fn of(node: &Node, cascade: Cascade) -> Self {
        let mut header = Vec::new();
        let mut price = Self::default();
        let codec = cascade.trial_codec();
        node.write(&mut header, &mut |node, _| {
            let buffer = &node.buffer;
            let bytes = codec.packed_len(buffer);
            let fixed = if bytes < buffer.len() {
                bytes.min(PER_FRAME)
            } else {
                0
            };
            price.fixed += PER_SECTION + fixed as f64;
            price.growing += (bytes - fixed) as f64;
        });
        if node.encoding == Encoding::Pco {
            let bins = price.growing.min(PER_PCO);
            price.fixed += bins;
            price.growing -= bins;
        }
        price.fixed += header.len() as f64;
        price
    }

    /// The price of an encoding itself, without its parts.
    pub fn header(encoding: &Encoding) -> Self {
        let mut header = Vec::new();
        // Parts that are counted take about two bytes; a section none, as there is none.
        encoding.write(&mut header);
        Self {
            fixed: header.len() as f64 + 2.0,
            growing: 0.0,
        }
    }

    /// The price of `len` rows like the `sampled`.
    pub fn scaled(self, sampled: usize, len: usize) -> Self {
        Self {
            growing: self.growing * len as f64 / sampled.max(1) as f64,
            ..self
        }
    }

    /// In whole bytes.
    pub fn bytes(self) -> u64 {
        (self.fixed + self.growing) as u64
    }
}

impl Add for Price {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            fixed: self.fixed + other.fixed,
            growing: self.growing + other.growing,
        }
    }
}

impl Sum for Price {
    fn sum<I: Iterator<Item = Self>>(prices: I) -> Self {
        prices.fold(Self::default(), Self::add)
    }
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

/// A run that another would be made of.
#[derive(Debug)]
pub(super) struct Part {
    /// The run, or a sample of it.
    pub values: Vec<i64>,
    pub cascade: Cascade,
    /// The best encoding found, of a sample unless `is_whole`.
    pub priced: Priced,
    /// True if `priced` has all values.
    pub is_whole: bool,
    price: Price,
}

impl Part {
    /// Prices a run, on a sample if it is long.
    pub fn new(values: Vec<i64>, cascade: Cascade) -> Self {
        let ranges = sample::ranges(values.len(), cascade.sample_rows(values.len()));
        // Where size is all, mantissas are priced like a column of whole numbers.
        let is_column = cascade.preset == Preset::Small && cascade.depth == 0;
        if ranges.len() == 1 || is_column {
            let len = values.len();
            return Self::sampled(values, len, cascade);
        }
        let mut taken = sample::take(&values, &ranges);
        // So that widths are those of the whole run.
        taken.extend(extremes(values.iter().copied()).map_or([0; 2], <[i64; 2]>::from));
        let len = values.len();
        let sampled = Self::sampled(taken, len, cascade);
        Self { values, ..sampled }
    }

    /// Prices a run of `len` values by a sample of them.
    pub fn sampled(values: Vec<i64>, len: usize, cascade: Cascade) -> Self {
        let is_whole = values.len() == len;
        let searched = Cascade {
            is_sample: cascade.is_sample || !is_whole,
            ..cascade
        };
        let priced = ints::search(&values, searched, &mut Trials::untold());
        Self {
            is_whole,
            price: priced.price.scaled(values.len(), len),
            values,
            cascade,
            priced,
        }
    }

    /// The price of the whole run.
    pub fn price(&self) -> Price {
        self.price
    }

    /// The whole run, encoded.
    pub fn finish(self) -> Node {
        if self.is_whole {
            self.priced.node
        } else {
            replay::ints(&self.priced.node, &self.values, self.cascade)
        }
    }
}
