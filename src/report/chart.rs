//! Curves on two logarithmic axes, as text and as SVG.

use std::fmt::Write as _;

use super::svg::{PALETTE, Svg};

/// Size of the plot area as text, in characters and lines.
const COLUMNS: usize = 64;
const LINES: usize = 18;
/// Size of the plot area as SVG, and the margins around it: left, top, right, bottom.
const AREA: (f64, f64) = (560.0, 340.0);
const MARGINS: (f64, f64, f64, f64) = (70.0, 40.0, 190.0, 50.0);
/// Points per curve in SVG.
const POINTS: usize = 200;

/// One or more curves y = f(x), for example seconds by bandwidth.
pub struct Chart<'a> {
    /// Printed above the chart.
    pub title: String,
    /// One name per curve.
    pub names: Vec<String>,
    /// The value of the curve with a given index at x; greater than zero.
    pub y: Box<dyn Fn(usize, f64) -> f64 + 'a>,
    /// The x axis, from and to; both greater than zero.
    pub range: (f64, f64),
    /// An x to highlight.
    pub mark: f64,
    /// Formats an x.
    pub x_label: fn(f64) -> String,
    /// Formats a y.
    pub y_label: fn(f64) -> String,
}

impl Chart<'_> {
    /// The position of a number on a logarithmic axis: 0 at `from`, 1 at `to`.
    fn position(number: f64, (from, to): (f64, f64)) -> f64 {
        (number / from).ln() / (to / from).ln()
    }

    /// The x at a position on the x axis; the inverse of [`Self::position`].
    fn x_at(&self, position: f64) -> f64 {
        let (from, to) = self.range;
        from * (to / from).powf(position)
    }

    /// The y axis, from and to: the extremes of all curves with a small margin.
    fn y_range(&self) -> (f64, f64) {
        let xs = (0..=COLUMNS).map(|column| self.x_at(column as f64 / COLUMNS as f64));
        let points = xs.flat_map(|x| (0..self.names.len()).map(move |curve| (curve, x)));
        let (low, high) = points
            .map(|(curve, x)| (self.y)(curve, x))
            .fold((f64::INFINITY, 0.0_f64), |(low, high), y| {
                (low.min(y), high.max(y))
            });
        (low * 0.9, high * 1.1)
    }

    /// The ticks of an axis: the powers of ten within its range.
    fn ticks((from, to): (f64, f64)) -> impl Iterator<Item = f64> {
        let (first, last) = (from.log10().ceil() as i32, to.log10().floor() as i32);
        (first..=last).map(|power| 10_f64.powi(power))
    }

    /// The chart as text: a letter per curve, `*` where curves overlap.
    pub fn text(&self) -> String {
        let y_range = self.y_range();
        let line_of = |y: f64| {
            let from_top = 1.0 - Self::position(y, y_range);
            ((from_top * LINES as f64) as usize).min(LINES - 1)
        };
        let mut area = vec![vec![' '; COLUMNS]; LINES];
        for curve in 0..self.names.len() {
            let line = |column: usize| {
                let x = self.x_at((column as f64 + 0.5) / COLUMNS as f64);
                line_of((self.y)(curve, x))
            };
            let cells = (0..COLUMNS).map(|column| (line(column), column));
            for (line, column) in cells {
                let cell = &mut area[line][column];
                *cell = if *cell == ' ' { letter(curve) } else { '*' };
            }
        }
        let mut out = format!("{}\n\n", self.title);
        let mut labels = vec![String::new(); LINES];
        for tick in Self::ticks(y_range) {
            labels[line_of(tick)] = (self.y_label)(tick);
        }
        for (label, line) in labels.iter().zip(&area) {
            let line: String = line.iter().collect();
            let _ = writeln!(out, "{label:>9} |{}", line.trim_end());
        }
        let mut axis = vec!['-'; COLUMNS];
        let mut x_labels = vec![' '; COLUMNS + 12];
        for tick in Self::ticks(self.range) {
            let column = (Self::position(tick, self.range) * COLUMNS as f64) as usize;
            axis[column.min(COLUMNS - 1)] = '+';
            let free = x_labels[column.saturating_sub(1)..]
                .iter()
                .all(|&c| c == ' ');
            let label = (self.x_label)(tick);
            if free && column + label.len() <= x_labels.len() {
                x_labels.splice(column..column + label.len(), label.chars());
            }
        }
        let marked = (Self::position(self.mark, self.range) * COLUMNS as f64) as usize;
        axis[marked.min(COLUMNS - 1)] = '^';
        let (axis, x_labels): (String, String) = (axis.iter().collect(), x_labels.iter().collect());
        let _ = writeln!(
            out,
            "{:>9} +{axis}\n{:>9}  {}\n",
            "",
            "",
            x_labels.trim_end()
        );
        for (curve, name) in self.names.iter().enumerate() {
            let _ = writeln!(out, "  {} {name}", letter(curve));
        }
        let mark = (self.x_label)(self.mark);
        let _ = writeln!(out, "  * more than one   ^ {mark}");
        out
    }

    /// The chart as a self-contained SVG picture.
    pub fn svg(&self) -> String {
        let y_range = self.y_range();
        let (left, top, right, bottom) = MARGINS;
        let (width, height) = (left + AREA.0 + right, top + AREA.1 + bottom);
        let x_of = |x: f64| left + Self::position(x, self.range) * AREA.0;
        let y_of = |y: f64| top + (1.0 - Self::position(y, y_range)) * AREA.1;
        let (floor, end) = (top + AREA.1, left + AREA.0);
        let mut svg = Svg::new(width, height, &self.title);
        svg.markup(format_args!(
            "<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>"
        ));
        svg.text((left, 22.0), "font-size=\"14\"", &self.title);
        for tick in Self::ticks(self.range) {
            let (x, label) = (x_of(tick), (self.x_label)(tick));
            svg.markup(format_args!(
                "<path d=\"M{x:.1} {top}V{floor}\" stroke=\"#ddd\"/>"
            ));
            svg.text((x, floor + 18.0), "text-anchor=\"middle\"", &label);
        }
        for tick in Self::ticks(y_range) {
            let (y, label) = (y_of(tick), (self.y_label)(tick));
            svg.markup(format_args!(
                "<path d=\"M{left} {y:.1}H{end}\" stroke=\"#ddd\"/>"
            ));
            svg.text((left - 6.0, y + 4.0), "text-anchor=\"end\"", &label);
        }
        svg.markup(format_args!(
            "<path d=\"M{left} {top}V{floor}H{end}\" fill=\"none\" stroke=\"black\"/>\n\
             <path d=\"M{:.1} {top}V{floor}\" stroke=\"black\" stroke-dasharray=\"4 4\"/>",
            x_of(self.mark)
        ));
        for (curve, name) in self.names.iter().enumerate() {
            let color = PALETTE[curve % PALETTE.len()];
            let points = (0..=POINTS).map(|point| {
                let x = self.x_at(point as f64 / POINTS as f64);
                format!("{:.1},{:.1}", x_of(x), y_of((self.y)(curve, x)))
            });
            let points = points.collect::<Vec<_>>().join(" ");
            let (at, line) = (end + 12.0, top + 10.0 + 20.0 * curve as f64);
            svg.markup(format_args!(
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\n\
                 <path d=\"M{at} {line}h20\" stroke=\"{color}\" stroke-width=\"2\"/>"
            ));
            svg.text((at + 26.0, line + 4.0), "", name);
        }
        svg.finish()
    }
}

/// The letter of a curve.
fn letter(curve: usize) -> char {
    char::from(b'a' + (curve % 26) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A constant, and a falling line that crosses it at x = 100.
    fn chart() -> Chart<'static> {
        Chart {
            title: "a < b & c".to_owned(),
            names: vec!["flat".to_owned(), "falling".to_owned()],
            y: Box::new(|curve, x| if curve == 0 { 1.0 } else { 100.0 / x }),
            range: (1.0, 10_000.0),
            mark: 100.0,
            x_label: |x| format!("{x}"),
            y_label: |y| format!("{y} s"),
        }
    }

    #[test]
    fn curves_cross_where_they_are_equal() {
        let text = chart().text();
        let rows: Vec<&str> = text.lines().filter(|line| line.contains(" |")).collect();
        assert_eq!(rows.len(), LINES);
        let area: Vec<Vec<char>> = rows
            .iter()
            .map(|row| row.chars().skip(11).collect())
            .collect();
        let flat = area
            .iter()
            .position(|row| row.first() == Some(&'a'))
            .unwrap();
        // 100 is half way between 1 and 10,000 on a log axis; the curves overlap for a few characters.
        let middle = &area[flat][COLUMNS / 2 - 4..COLUMNS / 2 + 4];
        assert!(middle.contains(&'*'), "{text}");
        let shared = area[flat].iter().filter(|&&c| c == '*').count();
        assert!(shared <= 4, "{text}");
        let high = area
            .iter()
            .position(|row| row.first() == Some(&'b'))
            .unwrap();
        assert!(high < flat && area[LINES - 1].contains(&'b'), "{text}");
        assert!(rows[flat].starts_with("      1 s |"), "{text}");
        let axis = text.lines().find(|line| line.contains("+--")).unwrap();
        assert_eq!(axis.chars().nth(11 + COLUMNS / 2), Some('^'), "{text}");
        assert!(text.is_ascii());
    }

    #[test]
    fn svg_is_well_formed_and_has_a_line_per_curve() {
        let svg = chart().svg();
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("a &lt; b &amp; c") && svg.contains(">falling</text>"));
        assert_eq!(svg.matches('<').count(), svg.matches('>').count());
        let opened = ["<text", "<svg", "<title"].map(|tag| svg.matches(tag).count());
        let opened: usize = opened.iter().sum();
        assert_eq!(opened, svg.matches("</").count());
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
