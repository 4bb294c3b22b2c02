//! Links, described by round trip time and bandwidth, and named presets.

/// A link between two machines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Round trip time in milliseconds.
    pub rtt_ms: f64,
    /// Bandwidth, in 10^6 bits per second.
    pub mbit: f64,
}

impl Link {
    /// The round trip in seconds.
    pub fn rtt_s(self) -> f64 {
        self.rtt_ms / 1000.0
    }

    /// Seconds to send `bytes` at full bandwidth, without latency.
    pub fn wire_s(self, bytes: f64) -> f64 {
        bytes * 8.0 / (self.mbit * 1e6)
    }
}

impl Default for Link {
    /// The link of the published tables.
    fn default() -> Self {
        Self {
            rtt_ms: 30.0,
            mbit: 100.0,
        }
    }
}

/// Named links, with typical rather than best values.
pub const NAMED: [(&str, Link); 8] = [
    ("lan", link(0.5, 1000.0)),
    ("wifi", link(4.0, 200.0)),
    ("4g", link(50.0, 30.0)),
    ("5g", link(25.0, 200.0)),
    ("dsl", link(30.0, 50.0)),
    ("fiber", link(8.0, 1000.0)),
    ("transatlantic", link(80.0, 500.0)),
    ("satellite", link(600.0, 25.0)),
];

const fn link(rtt_ms: f64, mbit: f64) -> Link {
    Link { rtt_ms, mbit }
}
