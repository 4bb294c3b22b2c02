//! Summarizes the figures: the best choices, and the bandwidths at which others take over.

use super::measure::Measurement;
use super::payload::Payload;
use super::report::Findings;
use crate::estimate::crossover::{BestRange, best_ranges, least};
use crate::estimate::{Cost, Link};
use crate::report::chart::Chart;
use crate::units::human;

/// Bandwidths covered by the summary, in Mbit/s.
pub const BANDWIDTHS: (f64, f64) = (0.001, 1e6);

/// The smallest range of bandwidths in a chart, in Mbit/s.
const CHARTED: (f64, f64) = (1.0, 1e4);

/// `v1 zstd 3`; the payload alone if it has its own codec.
pub fn name(one: &Measurement) -> String {
    let payload = one.payload.name();
    match (one.codec, one.level()) {
        (None, _) => payload.to_owned(),
        (Some(_), Some(level)) => format!("{payload} {} {level}", one.codec_name()),
        (Some(_), None) => format!("{payload} {}", one.codec_name()),
    }
}

/// True for the uncompressed text.
fn is_plain_text(one: &Measurement) -> bool {
    matches!(one.payload, Payload::Source | Payload::Json) && one.codec_name() == "none"
}

/// The best choice, and others that take about as long.
pub struct Best {
    /// The index of the measurement.
    pub index: usize,
    /// The indices of the others.
    pub equal: Vec<usize>,
}

/// The best choice for this link. Times vary between runs, so of all choices within noise and error of the least time,
/// it is the one with the fewest bytes.
pub fn best(found: &Findings) -> Option<Best> {
    least_within_noise(found, &|cost| cost.total_s(found.model, found.link))
}

fn least_within_noise(found: &Findings, seconds: &dyn Fn(Cost) -> f64) -> Option<Best> {
    let seconds = |at: usize| seconds(found.measured[at].cost);
    let doubt_s = |at: usize| found.measured[at].doubt_s(found.model, found.link);
    let all = 0..found.measured.len();
    let first = least(all.clone().map(seconds))?;
    let mut equal: Vec<usize> = all
        .filter(|&at| seconds(at) - seconds(first) <= doubt_s(at).hypot(doubt_s(first)))
        .collect();
    let fewest = least(equal.iter().map(|&at| found.measured[at].cost.bytes))?;
    let index = equal.remove(fewest);
    Some(Best { index, equal })
}

/// The best choices for this link and for other bandwidths.
pub fn conclusions(found: &Findings) -> Vec<String> {
    let Some(best) = best(found) else {
        return Vec::new();
    };
    let link = bandwidth(found.link.mbit);
    let choice = |at: usize, seconds: f64| {
        let one = &found.measured[at];
        let bytes = human(one.bytes());
        format!("{}, {bytes}, {} over {link}", name(one), span(seconds))
    };
    let total_s = |cost: Cost| cost.total_s(found.model, found.link);
    let overlapped_s = |cost: Cost| cost.overlapped_s(found.model, found.link);
    let seconds = total_s(found.measured[best.index].cost);
    let mut lines = vec![format!("best: {}", choice(best.index, seconds))];
    if !best.equal.is_empty() {
        let names = best
            .equal
            .iter()
            .map(|&at| name(&found.measured[at]))
            .collect::<Vec<_>>()
            .join(", ");
        lines.push(format!("equal within noise: {names}"));
    }
    if let Some(streamed) = least_within_noise(found, &overlapped_s)
        && streamed.index != best.index
    {
        let seconds = overlapped_s(found.measured[streamed.index].cost);
        lines.push(format!(
            "if steps overlap: {}",
            choice(streamed.index, seconds)
        ));
    }
    lines.push(format!("by bandwidth: {}", by_bandwidth(found)));
    if let Some(stream) = found.stream {
        let fits = |one: &&Measurement| stream.load(one.cost, found.model, found.link).fits;
        let fitting = found.measured.iter().filter(fits).count();
        lines.push(format!(
            "{fitting} of {} keep up with one message every {} ms",
            found.measured.len(),
            stream.every_ms
        ));
    }
    lines
}

/// The best choice for each range of bandwidths.
pub fn crossovers(found: &Findings) -> Vec<BestRange> {
    let costs: Vec<_> = found.measured.iter().map(|one| one.cost).collect();
    best_ranges(&costs, found.model, found.link.rtt_ms, BANDWIDTHS)
}

/// `below 41 Mbit/s zstd 19, up to 2.1 Gbit/s lz4, above that none`.
fn by_bandwidth(found: &Findings) -> String {
    let best_ranges = crossovers(found);
    let last = best_ranges.len().saturating_sub(1);
    best_ranges
        .iter()
        .enumerate()
        .map(|(at, range)| {
            let name = name(&found.measured[range.best]);
            match at {
                0 if last == 0 => format!("{name} at any bandwidth"),
                0 => format!("below {} {name}", bandwidth(range.to_mbit)),
                at if at == last => format!("above that {name}"),
                _ => format!("up to {} {name}", bandwidth(range.to_mbit)),
            }
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// Total time over bandwidth, for every choice that is best somewhere in the range and for the uncompressed text.
pub fn chart(found: &Findings) -> Chart<'_> {
    let link = found.link;
    let range = (
        CHARTED.0.min(link.mbit / 10.0),
        CHARTED.1.max(link.mbit * 10.0),
    );
    let mut shown: Vec<usize> = crossovers(found)
        .into_iter()
        .filter(|best| best.to_mbit > range.0 && best.from_mbit < range.1)
        .map(|range| range.best)
        .collect();
    shown.extend(found.measured.iter().position(is_plain_text));
    let mut curves: Vec<usize> = Vec::new();
    for at in shown {
        if !curves.contains(&at) {
            curves.push(at);
        }
    }
    let total = move |at: usize, mbit: f64| {
        let rtt_ms = link.rtt_ms;
        let total = found.measured[at]
            .cost
            .total_s(found.model, Link { rtt_ms, mbit });
        // A logarithmic axis has no zero.
        total.max(1e-9)
    };
    Chart {
        title: format!(
            "total time over bandwidth, round trip {} ms, model {}",
            link.rtt_ms,
            found.model.name()
        ),
        names: curves.iter().map(|&at| name(&found.measured[at])).collect(),
        y: Box::new(move |curve, mbit| total(curves[curve], mbit)),
        range,
        mark: link.mbit,
        x_label: bandwidth,
        y_label: short_span,
    }
}

/// A bandwidth with at least two digits: `410 kbit/s`, `41 Mbit/s`, `2.1 Gbit/s`.
pub fn bandwidth(mbit: f64) -> String {
    let (number, unit) = match mbit {
        ..1.0 => (mbit * 1e3, "kbit/s"),
        1e3.. => (mbit / 1e3, "Gbit/s"),
        _ => (mbit, "Mbit/s"),
    };
    let text = if number < 9.95 {
        format!("{number:.1}")
    } else {
        format!("{number:.0}")
    };
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}

/// Seconds with about three digits: `0.13 s`, `37.4 ms`, `52 µs`.
pub fn span(seconds: f64) -> String {
    match seconds {
        ..1e-3 => format!("{:.0} µs", seconds * 1e6),
        ..0.1 => format!("{:.1} ms", seconds * 1e3),
        ..10.0 => format!("{seconds:.2} s"),
        _ => format!("{seconds:.0} s"),
    }
}

/// Seconds that are a power of ten, for axis ticks.
fn short_span(seconds: f64) -> String {
    match seconds {
        ..0.99e-6 => format!("{:.0} ns", seconds * 1e9),
        ..0.99e-3 => format!("{:.0} us", seconds * 1e6),
        ..0.99 => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{seconds:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidths_and_spans_have_few_digits() {
        for (mbit, text) in [
            (0.041, "41 kbit/s"),
            (0.41, "410 kbit/s"),
            (1.0, "1 Mbit/s"),
            (1.26, "1.3 Mbit/s"),
            (41.4, "41 Mbit/s"),
            (100.0, "100 Mbit/s"),
            (2130.0, "2.1 Gbit/s"),
            (9960.0, "10 Gbit/s"),
            (1e6, "1000 Gbit/s"),
        ] {
            assert_eq!(bandwidth(mbit), text);
        }
        for (seconds, text) in [
            (0.000_052, "52 µs"),
            (0.037_381, "37.4 ms"),
            (0.134, "0.13 s"),
            (1.046, "1.05 s"),
            (61.2, "61 s"),
        ] {
            assert_eq!(span(seconds), text);
        }
    }
}
