//! Writes SVG pictures.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};

use super::visible;

/// Colors that color-blind people can distinguish (Okabe and Ito, 2008). The last two are hard to see on some
/// backgrounds.
pub const PALETTE: [&str; 8] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999",
];

/// A gray that is legible on white and on black.
pub const GRAY: &str = "#7a7a7a";

/// A picture, element by element.
pub struct Svg {
    out: String,
}

impl Svg {
    /// An empty picture; `title` is also its text alternative.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let title = escaped(title);
        let out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<title>{title}</title>\n"
        );
        Self { out }
    }

    /// Adds elements unchanged.
    pub fn markup(&mut self, elements: impl Display) {
        let _ = writeln!(self.out, "{elements}");
    }

    /// Adds text, which is escaped, as an element with these attributes and its position.
    pub fn text(&mut self, (x, y): (f64, f64), attributes: &str, text: &str) {
        let text = escaped(text);
        let _ = writeln!(
            self.out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{text}</text>"
        );
    }

    /// The whole picture.
    pub fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

/// Escapes text for XML. Characters that XML does not allow, escaped or not, are replaced.
pub fn escaped(text: &str) -> String {
    let text: Cow<'_, str> = visible(text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_stays_text() {
        let mut svg = Svg::new(10.0, 10.0, "a < b & \"c\"");
        svg.text((1.0, 2.0), "", "</text>\u{1}\u{ffff}\u{202e}]]>");
        let svg = svg.finish();
        assert!(svg.contains("<title>a &lt; b &amp; &quot;c&quot;</title>"));
        assert!(svg.contains(">&lt;/text&gt;\\u{1}\u{fffd}\\u{202e}]]&gt;</text>"));
    }
}
