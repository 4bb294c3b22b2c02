//! Draws trends as SVG: a line per row, entries from left to right, times on a logarithmic axis.

use super::results::time;
use crate::report::svg::{PALETTE, Svg};

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 400.0;
/// Margins for the times on the left and the dates below.
const MARGIN: (f64, f64) = (80.0, 40.0);

/// The history of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The row's name.
    pub name: String,
    /// Dates and medians in nanoseconds.
    pub points: Vec<(String, f64)>,
}

/// Draws the series.
pub fn svg(series: &[Series]) -> String {
    let points = || series.iter().flat_map(|series| &series.points);
    let mut dates: Vec<&str> = points().map(|(date, _)| date.as_str()).collect();
    dates.sort_unstable();
    dates.dedup();
    let logs = points().map(|(_, nanos)| nanos.max(1e-3).log10());
    let (low, high) = logs
        .map(|log| (log, log))
        .reduce(|(low, high), (log, _)| (low.min(log), high.max(log)))
        .unwrap_or_default();
    let (low, high) = ((low * 4.0).floor() / 4.0, (high * 4.0).ceil() / 4.0 + 0.01);
    let x = |date: &str| {
        let at = dates.partition_point(|known| *known < date) as f64;
        let steps = (dates.len().max(2) - 1) as f64;
        MARGIN.0 + at / steps * (WIDTH - MARGIN.0 - 20.0)
    };
    let y = |log: f64| {
        let share = (log - low) / (high - low);
        HEIGHT - MARGIN.1 - share * (HEIGHT - MARGIN.1 - 20.0)
    };
    let height = HEIGHT + 18.0 * series.len() as f64;
    let mut svg = Svg::new(WIDTH, height, "medians by date");
    svg.markup(format_args!(
        "<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>"
    ));
    for tick in 0..=4 {
        let log = low + (high - low) * f64::from(tick) / 4.0;
        let (y, label) = (y(log), time(10_f64.powf(log)));
        svg.markup(format_args!(
            "<path d=\"M{} {y:.1}H{}\" stroke=\"#ddd\"/>",
            MARGIN.0,
            WIDTH - 20.0
        ));
        let place = (MARGIN.0 - 6.0, y + 4.0);
        svg.text(place, "text-anchor=\"end\"", &label);
    }
    for (date, anchor) in dates
        .iter()
        .zip(["start"])
        .chain(dates.iter().skip(1).last().map(|date| (date, "end")))
    {
        let anchor = format!("text-anchor=\"{anchor}\"");
        svg.text((x(date), HEIGHT - 18.0), &anchor, date);
    }
    for (at, series) in series.iter().enumerate() {
        let color = PALETTE[at % PALETTE.len()];
        let places: Vec<String> = series
            .points
            .iter()
            .map(|(date, nanos)| format!("{:.1},{:.1}", x(date), y(nanos.max(1e-3).log10())))
            .collect();
        svg.markup(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            places.join(" ")
        ));
        for place in &places {
            let (x, y) = place.split_once(',').unwrap_or_default();
            svg.markup(format_args!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{color}\"/>"
            ));
        }
        let place = (MARGIN.0, HEIGHT + 18.0 * at as f64);
        svg.text(place, &format!("fill=\"{color}\""), &series.name);
    }
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slower_is_higher_and_later_is_further_right() {
        let series = Series {
            name: "a < b".to_owned(),
            points: vec![
                ("2026-11-21T00:00:00Z".to_owned(), 100.0),
                ("2026-11-22T00:00:00Z".to_owned(), 1000.0),
            ],
        };
        let picture = svg(&[series]);
        let line = picture.split("<polyline points=\"").nth(1).unwrap();
        let places: Vec<f64> = line
            .split('"')
            .next()
            .unwrap()
            .split([' ', ','])
            .map(|number| number.parse().unwrap())
            .collect();
        assert!(places[0] < places[2] && places[1] > places[3], "{places:?}");
        assert!(picture.contains("a &lt; b") && picture.contains("100.0 ns"));
        // Without points, there is no division by zero.
        assert!(!svg(&[]).contains("NaN"));
    }
}
