//! Links by their two numbers, and names for usual ones.

/// A link between two machines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// There and back again, in milliseconds.
    pub rtt_ms: f64,
    /// Bandwidth, in 10^6 bits per second.
    pub mbit: f64,
}

impl Link {
    /// The round trip in seconds.
    pub fn rtt_s(self) -> f64 {
        self.rtt_ms / 1000.0
    }

    /// Seconds that bytes take at full bandwidth, without any delay.
    pub fn wire_s(self, bytes: f64) -> f64 {
        bytes * 8.0 / (self.mbit * 1e6)
    }
}

impl Default for Link {
    /// What the published tables assume.
    fn default() -> Self {
        Self {
            rtt_ms: 30.0,
            mbit: 100.0,
        }
    }
}

/// Links by name: what one may expect of them, not what they can do at best.
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
