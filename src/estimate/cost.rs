//! The cost of sending rows.

use super::{Link, Model};

/// Seconds of work at both ends, and bytes sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Seconds to encode the rows.
    pub encode_s: f64,
    /// Bytes on the wire.
    pub bytes: f64,
    /// Seconds to decode them.
    pub decode_s: f64,
}

impl Cost {
    /// Seconds if each step starts when the previous one has ended.
    pub fn total_s(self, model: Model, link: Link) -> f64 {
        self.encode_s + model.transfer_s(link, self.bytes) + self.decode_s
    }

    /// Seconds if data streams through all steps at once, so that the slowest step determines the time.
    pub fn overlapped_s(self, model: Model, link: Link) -> f64 {
        let latency = model.latency_s(link);
        let wire = model.transfer_s(link, self.bytes) - latency;
        latency + self.encode_s.max(wire).max(self.decode_s)
    }
}

impl std::ops::Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            encode_s: self.encode_s + other.encode_s,
            bytes: self.bytes + other.bytes,
            decode_s: self.decode_s + other.decode_s,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_add_up_or_the_slowest_decides() {
        // 1,250,000 bytes take 0.1 s over 100 Mbit/s, after 0.03 s.
        let cost = |encode_s, decode_s| Cost {
            encode_s,
            bytes: 1_250_000.0,
            decode_s,
        };
        for (cost, total, overlapped) in [
            (cost(0.05, 0.02), 0.2, 0.13),
            (cost(0.25, 0.02), 0.4, 0.28),
            (cost(0.05, 0.5), 0.68, 0.53),
        ] {
            let link = Link::default();
            assert!((cost.total_s(Model::Basic, link) - total).abs() < 1e-12);
            assert!((cost.overlapped_s(Model::Basic, link) - overlapped).abs() < 1e-12);
        }
    }
}
