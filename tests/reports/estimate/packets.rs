//! The TCP model, compared with a second one that simulates every packet.

use std::collections::VecDeque;

use mbt::estimate::{Link, Model, Tcp};

const MSS: u64 = 1460;

/// Seconds until the last segment is acknowledged: segments queue for the line, acknowledgements
/// return after the rest of the round trip, and each allows one more segment in flight.
fn simulated(bytes: u64, link: Link, round_trips_before: f64) -> f64 {
    let rtt = link.rtt_ms / 1000.0;
    let wire_s = |data: u64| (data + 40) as f64 * 8.0 / (link.mbit * 1e6);
    let mut now = round_trips_before * rtt;
    let mut line_free = now;
    let (mut left, mut window, mut on_way) = (bytes, 10_u64, 0_u64);
    let mut acknowledged_at = VecDeque::new();
    loop {
        while left > 0 && on_way < window {
            let data = left.min(MSS);
            line_free = line_free.max(now) + wire_s(data);
            acknowledged_at.push_back(line_free + rtt);
            left -= data;
            on_way += 1;
        }
        let Some(next) = acknowledged_at.pop_front() else {
            return now;
        };
        now = next;
        on_way -= 1;
        window += 1;
    }
}

#[test]
fn a_packet_simulation_takes_about_as_long() {
    for mbit in [1.0, 20.0, 100.0, 1000.0] {
        for rtt_ms in [1.0, 40.0, 300.0] {
            for tls_round_trips in [0, 1] {
                for bytes in [1_000, 14_600, 30_000, 100_000, 1_000_000, 20_000_000] {
                    let link = Link { rtt_ms, mbit };
                    let tcp = Tcp {
                        tls_round_trips,
                        loss: 0.0,
                    };
                    let modelled = Model::Tcp(tcp).transfer_s(link, bytes as f64);
                    let before = f64::from(1 + tls_round_trips);
                    let followed = simulated(bytes, link, before);
                    let off = modelled / followed - 1.0;
                    assert!(
                        off.abs() < 0.1,
                        "{bytes} bytes, {link:?}: {modelled} s, followed {followed} s"
                    );
                }
            }
        }
    }
}
