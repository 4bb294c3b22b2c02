//! Models a TCP transfer: connecting, slow start, and the effect of loss on the rate.
//!
//! The congestion window limits the bytes in flight. It starts at ten segments (RFC 6928) and doubles with
//! every round trip (slow start, RFC 5681) until the link is full; until then, the sender waits for acknowledgements
//! after each window. Random loss limits the rate to MSS / RTT * sqrt(3/2) / sqrt(p) (Mathis, Semke, Mahdavi and Ott,
//! "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", 1997). TLS 1.3 adds one round trip (RFC 8446).

use super::Link;

/// Payload bytes of a segment on Ethernet.
const MSS: f64 = 1460.0;
/// TCP and IP header bytes of a segment.
const HEADERS: f64 = 40.0;
/// Segments that can be in flight before the first acknowledgement.
const INITIAL_WINDOW: f64 = 10.0;

/// A TCP connection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tcp {
    /// TLS round trips before data can flow: 0 without TLS, 1 for TLS 1.3, 2 for TLS 1.2.
    pub tls_round_trips: u32,
    /// The fraction of segments lost, at random.
    pub loss: f64,
}

impl Tcp {
    /// Seconds until the first byte can be acknowledged: the handshake, TLS, and one round trip.
    pub fn latency_s(self, link: Link) -> f64 {
        f64::from(2 + self.tls_round_trips) * link.rtt_s()
    }

    /// Payload bytes per second after slow start.
    pub fn rate(self, link: Link) -> f64 {
        let full = link.mbit * 1e6 / 8.0 * MSS / (MSS + HEADERS);
        if self.loss <= 0.0 || link.rtt_ms <= 0.0 {
            return full;
        }
        full.min(MSS / link.rtt_s() * (1.5 / self.loss).sqrt())
    }

    /// Seconds from connecting until the last byte is acknowledged (or, for the response to a request, has
    /// arrived).
    pub fn transfer_s(self, link: Link, bytes: f64) -> f64 {
        let rate = self.rate(link);
        let mut seconds = self.latency_s(link) + bytes / rate;
        // If a window is sent in less than a round trip, the sender waits for the rest of it.
        let mut window = INITIAL_WINDOW * MSS;
        let mut left = bytes - window;
        while left > 0.0 && window / rate < link.rtt_s() {
            seconds += link.rtt_s() - window / rate;
            window *= 2.0;
            left -= window;
        }
        seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-6, "{found}, not {wanted}");
    }

    /// 120 Mbit/s are 15,000,000 bytes/s; 1460 of 1500 are data: 14,600,000 bytes/s.
    const LINK: Link = Link {
        rtt_ms: 100.0,
        mbit: 120.0,
    };

    #[test]
    fn seconds_match_hand_computed_values() {
        let tcp = Tcp::default();
        // Windows: 14,600 B (1 ms), 29,200 (2 ms), 58,400 (4 ms), 116,800 (8 ms), 233,600 (16 ms),
        // 467,200 (32 ms), 934,400 (64 ms); the next is full: 1,868,800 B take 128 ms > 100 ms.
        // One after another they carry 14,600, 43,800, 102,200, 219,000, 452,600, 919,800, 1,854,200.
        for (bytes, wanted) in [
            // 2 round trips; all in the first window.
            (0.0, 0.200),
            (14_600.0, 0.200 + 0.001),
            // One wait of 100 - 1 ms.
            (43_800.0, 0.200 + 0.003 + 0.099),
            // Waits of 99 and 98 ms.
            (100_000.0, 0.200 + 0.006_849_315 + 0.099 + 0.098),
            // Waits of 99, 98, 96, 92, 84 and 68 ms: 537 ms.
            (1_460_000.0, 0.200 + 0.100 + 0.537),
            // One more of 36 ms; then the link is full.
            (14_600_000.0, 0.200 + 1.000 + 0.573),
            (146_000_000.0, 0.200 + 10.000 + 0.573),
        ] {
            assert_near(tcp.transfer_s(LINK, bytes), wanted);
        }
    }

    #[test]
    fn tls_adds_its_round_trips() {
        for (tls_round_trips, wanted) in [(0, 0.201), (1, 0.301), (2, 0.401)] {
            let tcp = Tcp {
                tls_round_trips,
                ..Tcp::default()
            };
            assert_near(tcp.transfer_s(LINK, 14_600.0), wanted);
        }
    }

    #[test]
    fn loss_bounds_the_rate_and_with_it_slow_start() {
        let tcp = Tcp {
            loss: 0.0006,
            ..Tcp::default()
        };
        // 1460 B / 0.1 s * sqrt(1.5 / 0.0006) = 14,600 * 50 = 730,000 B/s.
        assert_near(tcp.rate(LINK), 730_000.0);
        // Windows of 14,600 B (20 ms) and 29,200 (40 ms) wait 80 and 60 ms, one of 58,400 (80 ms) 20.
        assert_near(tcp.transfer_s(LINK, 730_000.0), 0.200 + 1.000 + 0.160);
        // With so little loss, the link is the limit.
        let rare = Tcp {
            loss: 1e-9,
            ..Tcp::default()
        };
        assert_near(rare.rate(LINK), 14_600_000.0);
    }

    #[test]
    fn without_latency_the_link_is_full_at_once() {
        let link = Link {
            rtt_ms: 0.0,
            mbit: 120.0,
        };
        let tcp = Tcp {
            loss: 0.01,
            ..Tcp::default()
        };
        assert_near(tcp.transfer_s(link, 14_600_000.0), 1.0);
    }
}
