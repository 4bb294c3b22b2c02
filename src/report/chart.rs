//! Curves over two logarithmic axes, in plain characters and as SVG.

use std::fmt::Write as _;

/// Characters and lines of the area in plain characters.
const COLUMNS: usize = 64;
const LINES: usize = 18;
/// The same in points of SVG, and the room around it: left, top, right, bottom.
const AREA: (f64, f64) = (560.0, 340.0);
const ROOM: (f64, f64, f64, f64) = (70.0, 40.0, 190.0, 50.0);
/// Points of a curve in SVG.
const POINTS: usize = 200;
/// Colours that can be told apart by people who see few of them (Okabe and Ito, 2008).
const COLOURS: [&str; 8] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999",
];

/// Curves of seconds over Mbit/s.
pub struct Chart<'a> {
    /// What it shows.
    pub title: String,
    /// Names of the curves.
    pub names: Vec<String>,
    /// The height of a curve at a place; more than zero.
    pub height: Box<dyn Fn(usize, f64) -> f64 + 'a>,
    /// The places to show, from and to; more than zero.
    pub range: (f64, f64),
    /// A place to point out.
    pub mark: f64,
    /// How places are told.
    pub place: fn(f64) -> String,
    /// How heights are told.
    pub span: fn(f64) -> String,
}

impl Chart<'_> {
    /// Where between two borders a number lies on a logarithmic axis, from 0 to 1.
    fn share(number: f64, (from, to): (f64, f64)) -> f64 {
        (number / from).ln() / (to / from).ln()
    }

    fn at(&self, share: f64) -> f64 {
        let (from, to) = self.range;
        from * (to / from).powf(share)
    }

    /// The lowest and the highest height of any curve, a little apart.
    fn heights(&self) -> (f64, f64) {
        let places = (0..=COLUMNS).map(|at| self.at(at as f64 / COLUMNS as f64));
        let heights = places.flat_map(|x| (0..self.names.len()).map(move |at| (at, x)));
        let (low, high) = heights
            .map(|(at, x)| (self.height)(at, x))
            .fold((f64::INFINITY, 0.0_f64), |(low, high), y| {
                (low.min(y), high.max(y))
            });
        (low * 0.9, high * 1.1)
    }

    /// Powers of ten within the range, at which an axis has its ticks.
    fn decades((from, to): (f64, f64)) -> impl Iterator<Item = f64> {
        let (first, last) = (from.log10().ceil() as i32, to.log10().floor() as i32);
        (first..=last).map(|power| 10_f64.powi(power))
    }

    /// The chart in plain characters: a letter per curve, `*` where several are on one spot.
    pub fn text(&self) -> String {
        let heights = self.heights();
        let line_of = |span: f64| {
            let share = 1.0 - Self::share(span, heights);
            ((share * LINES as f64) as usize).min(LINES - 1)
        };
        let mut area = vec![vec![' '; COLUMNS]; LINES];
        for curve in 0..self.names.len() {
            let line = |column: usize| {
                let x = self.at((column as f64 + 0.5) / COLUMNS as f64);
                line_of((self.height)(curve, x))
            };
            let spots = (0..COLUMNS).map(|column| (line(column), column));
            for (line, column) in spots {
                let spot = &mut area[line][column];
                *spot = if *spot == ' ' { letter(curve) } else { '*' };
            }
        }
        let mut out = format!("{}\n\n", self.title);
        let mut labels = vec![String::new(); LINES];
        for tick in Self::decades(heights) {
            labels[line_of(tick)] = (self.span)(tick);
        }
        for (label, line) in labels.iter().zip(&area) {
            let line: String = line.iter().collect();
            let _ = writeln!(out, "{label:>9} |{}", line.trim_end());
        }
        let mut axis = vec!['-'; COLUMNS];
        let mut below = vec![' '; COLUMNS + 12];
        for tick in Self::decades(self.range) {
            let column = (Self::share(tick, self.range) * COLUMNS as f64) as usize;
            axis[column.min(COLUMNS - 1)] = '+';
            let free = below[column.saturating_sub(1)..].iter().all(|&c| c == ' ');
            let label = (self.place)(tick);
            if free && column + label.len() <= below.len() {
                below.splice(column..column + label.len(), label.chars());
            }
        }
        let marked = (Self::share(self.mark, self.range) * COLUMNS as f64) as usize;
        axis[marked.min(COLUMNS - 1)] = '^';
        let (axis, below): (String, String) = (axis.iter().collect(), below.iter().collect());
        let _ = writeln!(out, "{:>9} +{axis}\n{:>9}  {}\n", "", "", below.trim_end());
        for (curve, name) in self.names.iter().enumerate() {
            let _ = writeln!(out, "  {} {name}", letter(curve));
        }
        let mark = (self.place)(self.mark);
        let _ = writeln!(out, "  * more than one   ^ {mark}");
        out
    }

    /// The chart as a picture that needs nothing outside itself.
    pub fn svg(&self) -> String {
        let heights = self.heights();
        let (left, top, right, bottom) = ROOM;
        let (width, height) = (left + AREA.0 + right, top + AREA.1 + bottom);
        let x = |place: f64| left + Self::share(place, self.range) * AREA.0;
        let y = |span: f64| top + (1.0 - Self::share(span, heights)) * AREA.1;
        let (floor, end) = (top + AREA.1, left + AREA.0);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
             <text x=\"{left}\" y=\"22\" font-size=\"14\">{}</text>\n",
            escaped(&self.title)
        );
        for tick in Self::decades(self.range) {
            let (x, label) = (x(tick), (self.place)(tick));
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1} {top}V{floor}\" stroke=\"#ddd\"/>\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
                floor + 18.0
            );
        }
        for tick in Self::decades(heights) {
            let (y, label) = (y(tick), (self.span)(tick));
            let _ = writeln!(
                out,
                "<path d=\"M{left} {y:.1}H{end}\" stroke=\"#ddd\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                left - 6.0,
                y + 4.0
            );
        }
        let _ = writeln!(
            out,
            "<path d=\"M{left} {top}V{floor}H{end}\" fill=\"none\" stroke=\"black\"/>\n\
             <path d=\"M{:.1} {top}V{floor}\" stroke=\"black\" stroke-dasharray=\"4 4\"/>",
            x(self.mark)
        );
        for (curve, name) in self.names.iter().enumerate() {
            let colour = COLOURS[curve % COLOURS.len()];
            let points = (0..=POINTS).map(|point| {
                let place = self.at(point as f64 / POINTS as f64);
                format!("{:.1},{:.1}", x(place), y((self.height)(curve, place)))
            });
            let points = points.collect::<Vec<_>>().join(" ");
            let (at, line) = (end + 12.0, top + 10.0 + 20.0 * curve as f64);
            let _ = writeln!(
                out,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
                 <path d=\"M{at} {line}h20\" stroke=\"{colour}\" stroke-width=\"2\"/>\
                 <text x=\"{}\" y=\"{}\">{}</text>",
                at + 26.0,
                line + 4.0,
                escaped(name)
            );
        }
        out.push_str("</svg>\n");
        out
    }
}

/// The letter of a curve.
fn letter(curve: usize) -> char {
    char::from(b'a' + (curve % 26) as u8)
}

/// Text that may stand in XML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // XML has no place for them, escaped or not.
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A constant, and a line that falls through it at 100.
    fn chart() -> Chart<'static> {
        Chart {
            title: "a < b & c".to_owned(),
            names: vec!["flat".to_owned(), "falling".to_owned()],
            height: Box::new(|curve, x| if curve == 0 { 1.0 } else { 100.0 / x }),
            range: (1.0, 10_000.0),
            mark: 100.0,
            place: |x| format!("{x}"),
            span: |y| format!("{y} s"),
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
        // 100 is half way between 1 and 10,000; the two share a line for a few characters.
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
    fn pictures_are_well_formed_and_have_a_line_per_curve() {
        let svg = chart().svg();
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("a &lt; b &amp; c") && svg.contains(">falling</text>"));
        assert_eq!(svg.matches('<').count(), svg.matches('>').count());
        let opened = svg.matches("<text").count() + svg.matches("<svg").count();
        assert_eq!(opened, svg.matches("</").count());
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
