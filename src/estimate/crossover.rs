//! Finds the least of several costs for each range of bandwidths.

use super::{Cost, Link, Model};

/// Bandwidths tried per factor of ten, if there is no exact solution.
const STEPS_PER_DECADE: i32 = 64;

/// A range of bandwidths over which one cost is the least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestRange {
    /// The index of that cost.
    pub best: usize,
    /// From this bandwidth on, in Mbit/s.
    pub from_mbit: f64,
    /// Up to this one.
    pub to_mbit: f64,
}

/// The least cost for each range of bandwidths within `range`, in ascending order; empty if there are no costs.
/// Of equal costs, the first wins.
pub fn best_ranges(costs: &[Cost], model: Model, rtt_ms: f64, range: (f64, f64)) -> Vec<BestRange> {
    match model {
        Model::Basic => envelope(costs, range),
        Model::Tcp(_) => scan(range, |mbit| {
            let link = Link { rtt_ms, mbit };
            least(costs.iter().map(|cost| cost.total_s(model, link)))
        }),
    }
}

/// The exact solution for the basic model. With x = 1 / bandwidth, each total is a line with intercept
/// encode + decode (the round trip is the same for all) and slope bytes * 8, and the least total is the lower
/// envelope of these lines.
///
/// Starts with the line that is lowest at the lowest bandwidth, then follows whichever line crosses the
/// current one first.
fn envelope(costs: &[Cost], (from, to): (f64, f64)) -> Vec<BestRange> {
    let intercept = |at: usize| costs[at].encode_s + costs[at].decode_s;
    let slope = |at: usize| costs[at].bytes * 8.0 / 1e6;
    let totals = (0..costs.len()).map(|at| intercept(at) + slope(at) / from);
    let Some(mut best) = least(totals) else {
        return Vec::new();
    };
    let mut best_ranges = Vec::new();
    let mut begun = from;
    loop {
        // At higher bandwidths, only a line with less work (a lower intercept) can take over.
        let overtaking = (0..costs.len()).filter(|&at| intercept(at) < intercept(best));
        let crossing = |at: usize| (slope(at) - slope(best)) / (intercept(best) - intercept(at));
        let next = overtaking.min_by(|&a, &b| {
            let lower = intercept(a).total_cmp(&intercept(b));
            crossing(a).total_cmp(&crossing(b)).then(lower)
        });
        let end = next.map_or(to, |at| crossing(at).max(begun).min(to));
        if end > begun {
            best_ranges.push(BestRange {
                best,
                from_mbit: begun,
                to_mbit: end,
            });
        }
        match next {
            Some(next) if end < to => (best, begun) = (next, end),
            _ => return best_ranges,
        }
    }
}

/// The solution for any model: tries bandwidths in small steps, and bisects wherever the least cost changes. A
/// range narrower than a step can be missed.
fn scan((from, to): (f64, f64), best: impl Fn(f64) -> Option<usize>) -> Vec<BestRange> {
    let steps = ((to / from).log10() * f64::from(STEPS_PER_DECADE)).ceil();
    let place = |step: f64| from * (to / from).powf(step / steps);
    let mut best_ranges: Vec<BestRange> = Vec::new();
    for step in 0..=steps as u64 {
        let mbit = place(step as f64);
        let Some(found) = best(mbit) else {
            return Vec::new();
        };
        match best_ranges.last_mut() {
            Some(last) if last.best == found => last.to_mbit = mbit,
            Some(last) => {
                // Bisects on a logarithmic scale.
                let (mut low, mut high) = (last.to_mbit, mbit);
                for _ in 0..50 {
                    let middle = (low * high).sqrt();
                    if best(middle) == Some(last.best) {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                last.to_mbit = high;
                best_ranges.push(BestRange {
                    best: found,
                    from_mbit: high,
                    to_mbit: mbit,
                });
            }
            None => best_ranges.push(BestRange {
                best: found,
                from_mbit: mbit,
                to_mbit: mbit,
            }),
        }
    }
    best_ranges
}

/// The index of the least total, the first of equals.
pub fn least(totals: impl Iterator<Item = f64>) -> Option<usize> {
    let least = totals.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    least.map(|(at, _)| at)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "bounds are passed through unchanged")]
mod tests {
    use super::*;
    use crate::estimate::Tcp;

    const RANGE: (f64, f64) = (0.01, 1e6);

    fn cost(work_s: f64, bytes: f64) -> Cost {
        Cost {
            encode_s: work_s * 0.75,
            bytes,
            decode_s: work_s * 0.25,
        }
    }

    /// Pseudo-random costs.
    fn costs(seed: u64, len: usize) -> Vec<Cost> {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        let pair = |work: f64, bytes: f64| cost(10_f64.powf(work * 5.0 - 4.0), 1e4 + bytes * 1e7);
        (0..len).map(|_| pair(next(), next())).collect()
    }

    #[test]
    fn two_lines_cross_where_they_are_equal() {
        // 1 s more work saves 5,000,000 bytes, or 40 Mbit: worth it below 40 Mbit/s.
        let found = best_ranges(&[cost(2.0, 1e6), cost(1.0, 6e6)], Model::Basic, 30.0, RANGE);
        let pairs: Vec<_> = found
            .iter()
            .map(|range| (range.best, range.to_mbit))
            .collect();
        assert_eq!(found[1].from_mbit, found[0].to_mbit);
        assert!((pairs[0].1 - 40.0).abs() < 1e-9, "{pairs:?}");
        assert_eq!((pairs[0].0, pairs[1]), (0, (1, RANGE.1)));
    }

    #[test]
    fn brute_force_over_bandwidths_finds_the_same() {
        for model in [
            Model::Basic,
            Model::Tcp(Tcp {
                tls_round_trips: 1,
                loss: 0.001,
            }),
        ] {
            for seed in 0..40 {
                let costs = costs(seed, 1 + seed as usize % 13);
                let found = best_ranges(&costs, model, 30.0, RANGE);
                assert_eq!(found[0].from_mbit, RANGE.0);
                assert!((found[found.len() - 1].to_mbit / RANGE.1 - 1.0).abs() < 1e-9);
                for step in 0..8000 {
                    let mbit = RANGE.0 * 10_f64.powf(f64::from(step) / 1000.0);
                    let link = Link { rtt_ms: 30.0, mbit };
                    let total = |cost: &Cost| cost.total_s(model, link);
                    let least = costs.iter().map(total).fold(f64::INFINITY, f64::min);
                    let range = found.iter().find(|range| mbit <= range.to_mbit);
                    let chosen = total(&costs[range.unwrap_or(&found[found.len() - 1]).best]);
                    // The scan can miss a range narrower than a step, where the difference is small.
                    let slack = if model == Model::Basic { 1e-9 } else { 2e-3 };
                    assert!(
                        chosen <= least * (1.0 + slack),
                        "seed {seed} at {mbit} Mbit/s"
                    );
                }
            }
        }
    }

    #[test]
    fn equal_costs_and_no_costs_are_handled() {
        let same = [cost(1.0, 1e6), cost(1.0, 1e6), cost(1.0, 2e6)];
        let found = best_ranges(&same, Model::Basic, 0.0, RANGE);
        assert_eq!(
            found.iter().map(|range| range.best).collect::<Vec<_>>(),
            [0]
        );
        assert!(best_ranges(&[], Model::Basic, 0.0, RANGE).is_empty());
        let tcp = Model::Tcp(Tcp::default());
        assert!(best_ranges(&[], tcp, 0.0, RANGE).is_empty());
        assert_eq!(best_ranges(&same, tcp, 30.0, RANGE).len(), 1);
    }
}
