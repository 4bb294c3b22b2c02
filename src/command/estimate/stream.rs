//! A stream of messages: what it takes of a link, and whether everybody keeps up.

use crate::estimate::{Cost, Link, Model};

/// Messages at regular times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stream {
    /// How many.
    pub count: u64,
    /// Milliseconds from one to the next.
    pub every_ms: f64,
}

/// What a stream of one kind of message takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// The share of the link that they fill.
    pub link_share: f64,
    /// Encoding, sending and decoding one message each take no longer than the time to the next.
    pub fits: bool,
    /// How late the last message comes because the others are not through.
    pub late_s: f64,
}

impl Stream {
    /// What messages of that cost take.
    pub fn flow(self, cost: Cost, model: Model, link: Link) -> Flow {
        let every_s = self.every_ms / 1000.0;
        let rate = model.rate(link);
        let slowest = cost.encode_s.max(cost.bytes / rate).max(cost.decode_s);
        let behind = (slowest - every_s).max(0.0);
        Flow {
            bytes_per_s: cost.bytes / every_s,
            link_share: cost.bytes / every_s / rate,
            fits: behind == 0.0,
            late_s: behind * (self.count - 1) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_fits_as_long_as_no_step_is_slower_than_messages_come() {
        let stream = Stream {
            count: 1001,
            every_ms: 50.0,
        };
        let flow = |encode_s, bytes| {
            let cost = Cost {
                encode_s,
                bytes,
                decode_s: 0.001,
            };
            stream.flow(cost, Model::Basic, Link::default())
        };
        // 100 Mbit/s are 12,500,000 bytes/s, or 625,000 in 50 ms.
        let half = flow(0.01, 312_500.0);
        assert_eq!((half.bytes_per_s, half.link_share), (6_250_000.0, 0.5));
        assert!(half.fits && half.late_s == 0.0);
        assert!(flow(0.05, 625_000.0).fits);
        // 750,000 bytes take 60 ms: 10 ms late for each of 1000 before the last.
        let full = flow(0.01, 750_000.0);
        assert!(!full.fits && (full.late_s - 10.0).abs() < 1e-9);
        // A link to spare does not help who encodes too slowly.
        assert!(!flow(0.06, 1000.0).fits);
    }
}
