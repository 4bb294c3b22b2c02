//! Draws trends as SVG: a line per row, entries from left to right, times on a logarithmic axis.

use std::fmt::Write as _;

use super::results::time;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 400.0;
/// Margins for the times on the left and the dates below.
const MARGIN: (f64, f64) = (80.0, 40.0);
/// A palette that colour-blind people can distinguish (Okabe and Ito, 2008).
const COLORS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

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
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for tick in 0..=4 {
        let log = low + (high - low) * f64::from(tick) / 4.0;
        let (y, label) = (y(log), time(10_f64.powf(log)));
        let _ = writeln!(
            out,
            "<path d=\"M{} {y:.1}H{}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            MARGIN.0,
            WIDTH - 20.0,
            MARGIN.0 - 6.0,
            y + 4.0
        );
    }
    for (date, anchor) in dates
        .iter()
        .zip(["start"])
        .chain(dates.iter().skip(1).last().map(|date| (date, "end")))
    {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            x(date),
            HEIGHT - 18.0,
            escape(date)
        );
    }
    for (at, series) in series.iter().enumerate() {
        let color = COLORS[at % COLORS.len()];
        let places: Vec<String> = series
            .points
            .iter()
            .map(|(date, nanos)| format!("{:.1},{:.1}", x(date), y(nanos.max(1e-3).log10())))
            .collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            places.join(" ")
        );
        for place in &places {
            let (x, y) = place.split_once(',').unwrap_or_default();
            let _ = writeln!(
                out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{color}\"/>"
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" fill=\"{color}\">{}</text>",
            MARGIN.0,
            HEIGHT + 18.0 * at as f64,
            escape(&series.name)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
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
        // Nothing is divided by zero without points.
        assert!(!svg(&[]).contains("NaN"));
    }
}
