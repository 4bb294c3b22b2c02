//! How long bytes take over a link.

use super::{Link, Tcp};

/// A transfer model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Model {
    /// One round trip, then full bandwidth; the formula of the published tables.
    #[default]
    Basic,
    /// A new TCP connection.
    Tcp(Tcp),
}

impl Model {
    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Tcp(_) => "tcp",
        }
    }

    /// Seconds until the last byte has arrived.
    pub fn transfer_s(self, link: Link, bytes: f64) -> f64 {
        match self {
            Self::Basic => link.rtt_s() + link.wire_s(bytes),
            Self::Tcp(tcp) => tcp.transfer_s(link, bytes),
        }
    }

    /// The part of the transfer time that does not depend on the number of bytes.
    pub fn latency_s(self, link: Link) -> f64 {
        match self {
            Self::Basic => link.rtt_s(),
            Self::Tcp(tcp) => tcp.latency_s(link),
        }
    }

    /// Sustained throughput of a stream of messages, in bytes per second.
    pub fn rate(self, link: Link) -> f64 {
        match self {
            Self::Basic => link.mbit * 1e6 / 8.0,
            Self::Tcp(tcp) => tcp.rate(link),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_gives_the_published_figures() {
        let link = Link::default();
        for (bytes, published) in [
            (92_263, "0.037381"),
            (254_001, "0.050320"),
            (8_123, "0.030650"),
            (10_769, "0.030862"),
            (4_600_263, "0.398021"),
            (12_700_001, "1.046000"),
            (292_668, "0.053413"),
            (457_652, "0.066612"),
        ] {
            let seconds = Model::Basic.transfer_s(link, f64::from(bytes));
            assert_eq!(format!("{seconds:.6}"), published, "{bytes} bytes");
        }
    }
}
