//! A stream of messages: how much of a link it uses, and whether the link and both machines keep up.

use crate::estimate::{Cost, Link, Model};

/// Messages sent at regular intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageStream {
    /// Number of messages.
    pub count: u64,
    /// Milliseconds between messages.
    pub every_ms: f64,
}

/// The load of a stream with a given cost per message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamLoad {
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// The fraction of the link that it uses.
    pub link_share: f64,
    /// True if encoding, sending and decoding a message each take no longer than the interval.
    pub fits: bool,
    /// How late the last message arrives because of the backlog.
    pub late_s: f64,
}

impl MessageStream {
    /// The load of messages with this cost.
    pub fn load(self, cost: Cost, model: Model, link: Link) -> StreamLoad {
        let every_s = self.every_ms / 1000.0;
        let rate = model.rate(link);
        let slowest = cost.encode_s.max(cost.bytes / rate).max(cost.decode_s);
        let backlog_s = (slowest - every_s).max(0.0);
        StreamLoad {
            bytes_per_s: cost.bytes / every_s,
            link_share: cost.bytes / every_s / rate,
            fits: backlog_s == 0.0,
            late_s: backlog_s * (self.count - 1) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_fits_if_no_step_takes_longer_than_the_interval() {
        let stream = MessageStream {
            count: 1001,
            every_ms: 50.0,
        };
        let load = |encode_s, bytes| {
            let cost = Cost {
                encode_s,
                bytes,
                decode_s: 0.001,
            };
            stream.load(cost, Model::Basic, Link::default())
        };
        // 100 Mbit/s are 12,500,000 bytes/s, or 625,000 in 50 ms.
        let half = load(0.01, 312_500.0);
        assert_eq!((half.bytes_per_s, half.link_share), (6_250_000.0, 0.5));
        assert!(half.fits && half.late_s == 0.0);
        assert!(load(0.05, 625_000.0).fits);
        // 750,000 bytes take 60 ms: 10 ms late for each of 1000 before the last.
        let full = load(0.01, 750_000.0);
        assert!(!full.fits && (full.late_s - 10.0).abs() < 1e-9);
        // Spare bandwidth does not help if encoding is too slow.
        assert!(!load(0.06, 1000.0).fits);
    }
}
