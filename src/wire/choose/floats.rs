//! The choice for runs of floats.

use super::price::{Part, Price, Priced};
use super::{Cascade, PCO_LEVEL, Preset, Trials, sample};
use crate::wire::encodings::{Encoding, Node, decimal, floats, near_decimal, pco, plain};

/// A way to encode the run, priced.
struct Candidate {
    price: Price,
    way: Way,
}

enum Way {
    Leaf(Encoding),
    Decimal(u8, Part, Part, Box<Priced>),
    NearDecimal(u8, Part, Part),
    Bits(Part),
}

impl Way {
    fn name(&self) -> String {
        let part = |part: &Part| part.priced.node.name();
        match self {
            Self::Leaf(encoding) => encoding.name().to_owned(),
            Self::Decimal(_, mantissas, ..) => format!("decimal({})", part(mantissas)),
            Self::NearDecimal(_, mantissas, steps) => {
                format!("near-decimal({}, {})", part(mantissas), part(steps))
            }
            Self::Bits(bits) => format!("bits({})", part(bits)),
        }
    }
}

/// Encodes the values in the cheapest way found and tells what was tried at this depth.
pub fn choose(values: &[f64], cascade: Cascade, trials: &mut Trials) -> Node {
    search(values, cascade, trials).node
}

fn search(values: &[f64], cascade: Cascade, trials: &mut Trials) -> Priced {
    if values.is_empty() {
        // Of no value, what has the shortest description.
        let none = Node::leaf(Encoding::Constant { value: 0 }, 0);
        return Priced::of(Node::of_children(Encoding::Bits, 0, vec![none]), cascade);
    }
    let ranges = sample::ranges(values.len(), cascade.sample_rows(values.len()));
    let sample = sample::take(values, &ranges);
    let mut candidates = Vec::new();
    let mut is_exact = false;
    // Below a decimal there are but its exceptions.
    let exponent = decimal::exponent(&sample).filter(|_| cascade.depth == 0);
    if let Some(exponent) = exponent {
        let parts = decimal::split(values, exponent);
        is_exact = parts.positions.is_empty();
        let mantissas = Part::new(parts.mantissas, cascade);
        let positions = Part::new(parts.positions, cascade.deeper());
        let exceptions = search(&parts.exceptions, cascade.deeper(), &mut Trials::untold());
        let price = Price::header(&Encoding::Decimal { exponent })
            + mantissas.price()
            + positions.price()
            + exceptions.price;
        candidates.push(Candidate {
            price,
            way: Way::Decimal(exponent, mantissas, positions, Box::new(exceptions)),
        });
    }
    let near = if is_exact || cascade.preset == Preset::Fast {
        None
    } else {
        near_decimal::exponent(&sample)
    };
    if let Some(exponent) = near {
        let (mantissas, steps) = near_decimal::split(values, exponent);
        let mantissas = Part::new(mantissas, cascade);
        let steps = Part::new(steps, cascade.deeper());
        candidates.push(Candidate {
            price: Price::header(&Encoding::NearDecimal { exponent })
                + mantissas.price()
                + steps.price(),
            way: Way::NearDecimal(exponent, mantissas, steps),
        });
    }
    if cascade.preset == Preset::Small {
        candidates.extend(priced_leaf(Encoding::Pco, &sample, values.len(), cascade));
    }
    if !is_exact {
        candidates.extend(priced_leaf(
            Encoding::Plain64,
            &sample,
            values.len(),
            cascade,
        ));
        if cascade.is_compressed() {
            candidates.extend(priced_leaf(
                Encoding::FloatPlanes,
                &sample,
                values.len(),
                cascade,
            ));
        }
        let bits = Part::new(floats::to_bits(values), cascade);
        candidates.push(Candidate {
            price: bits.price() + Price::header(&Encoding::Bits),
            way: Way::Bits(bits),
        });
    }
    for candidate in &candidates {
        trials.tell(|| candidate.way.name(), || candidate.price.bytes());
    }
    let best = candidates
        .into_iter()
        .min_by(|a, b| score(a).total_cmp(&score(b)));
    let Some(Candidate { price, way, .. }) = best else {
        return Priced::of(plain::encode(values), cascade);
    };
    let node = match way {
        Way::Leaf(encoding) => leaf(&encoding, values).unwrap_or_else(|| plain::encode(values)),
        Way::Bits(part) => Node::of_children(Encoding::Bits, values.len(), vec![part.finish()]),
        Way::NearDecimal(exponent, mantissas, steps) => {
            near_decimal::node(exponent, mantissas.finish(), steps.finish())
        }
        Way::Decimal(exponent, mantissas, positions, exceptions) => decimal::node(
            exponent,
            mantissas.finish(),
            positions.finish(),
            exceptions.node,
        ),
    };
    Priced { node, price }
}

/// Bytes with a surcharge for what decoding costs.
fn score(candidate: &Candidate) -> f64 {
    let factor = match candidate.way {
        Way::Leaf(Encoding::Plain64) => 1.0,
        Way::Leaf(Encoding::Pco) => 1.025,
        _ => 1.02,
    };
    candidate.price.bytes() as f64 * factor
}

fn priced_leaf(
    encoding: Encoding,
    sample: &[f64],
    len: usize,
    cascade: Cascade,
) -> Option<Candidate> {
    let node = leaf(&encoding, sample)?;
    Some(Candidate {
        price: Price::of(&node, cascade).scaled(sample.len(), len),
        way: Way::Leaf(encoding),
    })
}

fn leaf(encoding: &Encoding, values: &[f64]) -> Option<Node> {
    match encoding {
        Encoding::Plain64 => Some(plain::encode(values)),
        Encoding::FloatPlanes => Some(plain::encode_planes(values)),
        Encoding::Pco => pco::encode(values, PCO_LEVEL),
        _ => None,
    }
}
