//! Treemaps as SVG: areas in proportion to sizes.
//!
//! Areas are laid out as a squarified treemap (Bruls, Huizing and van Wijk, "Squarified treemaps", 2000): rows are
//! filled along the shorter side as long as that makes the areas in them more like squares.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::svg::{GRAY, PALETTE, Svg, escaped};
use crate::units::{counted, human, percent, shortened};

/// Size of the picture without its legend, and of the title above the areas.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 540.0;
const TITLE: f64 = 30.0;
/// Height of a line of the legend, and the least width of an entry.
const LINE: f64 = 22.0;
/// The approximate maximum width of a character in a sans-serif font of 12 pixels.
const CHARACTER: f64 = 7.0;
/// Number of kinds with their own color, and the color of all others.
const KINDS: usize = 6;
const OTHERS: &str = "#999999";
/// The fewest characters of a name worth showing.
const LEAST_LABEL: usize = 4;
/// Room around a label.
const PADDING: f64 = 5.0;

/// A treemap.
pub struct Treemap {
    /// Its title.
    pub title: String,
    /// Groups of areas, which are drawn together.
    pub groups: Vec<Vec<Area>>,
}

/// An item with a size.
pub struct Area {
    /// Its name.
    pub name: String,
    /// A description, shown as a tooltip.
    pub about: String,
    /// The kind, which determines the color; `None` for minor items.
    pub kind: Option<String>,
    /// Its size.
    pub bytes: u64,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rect {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Treemap {
    /// The picture.
    pub fn svg(mut self) -> String {
        let bytes_of = |group: &Vec<Area>| group.iter().map(|area| area.bytes).sum::<u64>();
        for group in &mut self.groups {
            group.retain(|area| area.bytes > 0);
            group.sort_by_key(|area| Reverse(area.bytes));
        }
        self.groups.retain(|group| !group.is_empty());
        self.groups.sort_by_key(|group| Reverse(bytes_of(group)));
        let total = self.groups.iter().map(bytes_of).sum();
        let legend = self.legend();
        let lines = legend_places(&legend, total);
        let height = lines.last().map_or(HEIGHT, |(_, y)| y + LINE / 2.0);
        let mut svg = Svg::new(WIDTH, height, &self.title);
        let heading = shortened(&self.title, (WIDTH / CHARACTER / 1.2) as usize);
        svg.text(
            (2.0, 20.0),
            &format!("font-size=\"15\" fill=\"{GRAY}\""),
            &heading,
        );
        let all = Rect {
            x: 0.0,
            y: TITLE,
            width: WIDTH,
            height: HEIGHT - TITLE,
        };
        let sizes: Vec<u64> = self.groups.iter().map(bytes_of).collect();
        for (group, rect) in self.groups.iter().zip(squarified(&sizes, all)) {
            let sizes: Vec<u64> = group.iter().map(|area| area.bytes).collect();
            for (area, rect) in group.iter().zip(squarified(&sizes, rect)) {
                area.draw(rect, color(&legend, area.kind.as_deref()), total, &mut svg);
            }
            if group.len() > 1 {
                svg.markup(rect.element("fill=\"none\" stroke=\"black\" stroke-width=\"2\""));
            }
        }
        for ((kind, bytes), (x, y)) in legend.iter().zip(lines) {
            let color = color(&legend, kind.as_deref());
            let key = Rect {
                x,
                y: y - 10.0,
                width: 12.0,
                height: 12.0,
            };
            svg.markup(key.element(&format!("fill=\"{color}\"")));
            let label = legend_label(kind.as_deref(), *bytes, total);
            svg.text((x + 18.0, y), &format!("fill=\"{GRAY}\""), &label);
        }
        svg.finish()
    }

    /// The kinds with their own color, the largest first; then everything else.
    fn legend(&self) -> Vec<(Option<String>, u64)> {
        let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
        let mut others = 0;
        for area in self.groups.iter().flatten() {
            match &area.kind {
                Some(kind) => *kinds.entry(kind).or_default() += area.bytes,
                None => others += area.bytes,
            }
        }
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        kinds.sort_by_key(|(_, bytes)| Reverse(*bytes));
        let rare = kinds.split_off(kinds.len().min(KINDS));
        others += rare.iter().map(|(_, bytes)| bytes).sum::<u64>();
        let mut legend: Vec<_> = kinds
            .into_iter()
            .map(|(kind, bytes)| (Some(kind.to_owned()), bytes))
            .collect();
        if others > 0 {
            legend.push((None, others));
        }
        legend
    }
}

impl Area {
    fn draw(&self, rect: Rect, color: &str, total: u64, svg: &mut Svg) {
        let share = percent(self.bytes, total);
        let bytes = counted(self.bytes, "byte");
        let about = escaped(&format!("{}: {}, {bytes}, {share}", self.name, self.about));
        let frame = format!("fill=\"{color}\" stroke=\"black\" stroke-width=\".5\"");
        svg.markup(format_args!(
            "<g><title>{about}</title>{}",
            rect.element(&frame)
        ));
        let room = ((rect.width - 2.0 * PADDING) / CHARACTER) as usize;
        let lines = ((rect.height - PADDING) / 15.0) as usize;
        if room >= self.name.chars().count().clamp(1, LEAST_LABEL) {
            let size = human(self.bytes);
            let both = format!("{size} · {share}");
            let size = if both.chars().count() <= room {
                both
            } else {
                size
            };
            let labels = [fitted(&self.name, room), size];
            let labels = labels.iter().enumerate().take(lines);
            for (line, label) in labels.filter(|(_, label)| label.chars().count() <= room) {
                let place = (
                    rect.x + PADDING,
                    rect.y + PADDING + 11.0 + 15.0 * line as f64,
                );
                svg.text(place, &format!("fill=\"{}\"", ink(color)), label);
            }
        }
        svg.markup("</g>");
    }
}

impl Rect {
    fn element(self, attributes: &str) -> String {
        let Self {
            x,
            y,
            width,
            height,
        } = self;
        format!(
            "<rect x=\"{x:.3}\" y=\"{y:.3}\" width=\"{width:.3}\" height=\"{height:.3}\" {attributes}/>"
        )
    }
}

fn color(legend: &[(Option<String>, u64)], kind: Option<&str>) -> &'static str {
    let place = legend
        .iter()
        .position(|(known, _)| known.as_deref() == kind);
    let place = place.filter(|_| kind.is_some());
    place.map_or(OTHERS, |place| PALETTE[place % KINDS])
}

/// The name, or as much of its end as fits.
fn fitted(name: &str, room: usize) -> String {
    if name.chars().count() <= room {
        return name.to_owned();
    }
    let last = name.rsplit('.').next().unwrap_or(name);
    let elided = format!("…{last}");
    if last.len() < name.len() && elided.chars().count() <= room {
        elided
    } else {
        shortened(last, room)
    }
}

/// The color of text on a background color.
fn ink(color: &str) -> &'static str {
    if color == PALETTE[0] {
        "white"
    } else {
        "black"
    }
}

fn legend_label(kind: Option<&str>, bytes: u64, total: u64) -> String {
    let kind = kind.unwrap_or("everything else");
    format!("{kind} ({}, {})", human(bytes), percent(bytes, total))
}

/// The positions of the legend's entries.
fn legend_places(legend: &[(Option<String>, u64)], total: u64) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (2.0, HEIGHT + LINE);
    let places = legend.iter().map(|(kind, bytes)| {
        let label = legend_label(kind.as_deref(), *bytes, total);
        let width = 18.0 + label.chars().count() as f64 * CHARACTER + 16.0;
        if x > 2.0 && x + width > WIDTH {
            (x, y) = (2.0, y + LINE);
        }
        let place = (x, y);
        x += width;
        place
    });
    places.collect()
}

/// Divides a rectangle in proportion to `sizes`, which must be in descending order.
fn squarified(sizes: &[u64], within: Rect) -> Vec<Rect> {
    let total: u64 = sizes.iter().sum();
    let scale = within.width * within.height / total.max(1) as f64;
    let areas: Vec<f64> = sizes.iter().map(|&size| size as f64 * scale).collect();
    let mut rest = within;
    let mut placed = Vec::with_capacity(areas.len());
    let mut start = 0;
    while start < areas.len() {
        let side = rest.width.min(rest.height);
        // The worst aspect ratio of the areas in a row.
        let worst = |row: &[f64]| {
            let sum: f64 = row.iter().sum();
            let (first, last) = (row[0], row[row.len() - 1]);
            (side * side * first / (sum * sum)).max(sum * sum / (side * side * last))
        };
        // Add areas to the row as long as the worst one does not become less like a square.
        let mut end = start + 1;
        while end < areas.len() && worst(&areas[start..=end]) <= worst(&areas[start..end]) {
            end += 1;
        }
        let row = &areas[start..end];
        let thickness = row.iter().sum::<f64>() / side;
        let is_wide = rest.width >= rest.height;
        let mut next = rest;
        for area in row {
            let length = area / thickness;
            if is_wide {
                (next.width, next.height) = (thickness, length);
                placed.push(next);
                next.y += length;
            } else {
                (next.width, next.height) = (length, thickness);
                placed.push(next);
                next.x += length;
            }
        }
        if is_wide {
            rest.x += thickness;
            rest.width = (rest.width - thickness).max(f64::MIN_POSITIVE);
        } else {
            rest.y += thickness;
            rest.height = (rest.height - thickness).max(f64::MIN_POSITIVE);
        }
        start = end;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_paper_is_laid_out_as_there() {
        let within = Rect {
            x: 0.0,
            y: 0.0,
            width: 6.0,
            height: 4.0,
        };
        let found = squarified(&[6, 6, 4, 3, 2, 2, 1], within);
        let wanted = [
            (0.0, 0.0, 3.0, 2.0),
            (0.0, 2.0, 3.0, 2.0),
            (3.0, 0.0, 12.0 / 7.0, 7.0 / 3.0),
            (3.0 + 12.0 / 7.0, 0.0, 9.0 / 7.0, 7.0 / 3.0),
        ];
        for (found, (x, y, width, height)) in found.iter().zip(wanted) {
            for (found, wanted) in [
                (found.x, x),
                (found.y, y),
                (found.width, width),
                (found.height, height),
            ] {
                assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
            }
        }
        let sum: f64 = found.iter().map(|rect| rect.width * rect.height).sum();
        assert!((sum - 24.0).abs() < 1e-9);
    }

    #[test]
    fn areas_fill_the_plane_without_overlap() {
        let within = Rect {
            x: 5.0,
            y: 7.0,
            width: 960.0,
            height: 500.0,
        };
        let sizes: Vec<u64> = (0..200_u64)
            .rev()
            .map(|size| size * size * size + 1)
            .collect();
        let rects = squarified(&sizes, within);
        let total: u64 = sizes.iter().sum();
        for (at, (rect, size)) in rects.iter().zip(&sizes).enumerate() {
            let share = rect.width * rect.height / (within.width * within.height);
            assert!((share - *size as f64 / total as f64).abs() < 1e-9);
            assert!(rect.x > 4.999 && rect.x + rect.width < 965.001);
            assert!(rect.y > 6.999 && rect.y + rect.height < 507.001);
            for other in &rects[..at] {
                let wide =
                    rect.x.max(other.x) + 1e-6 < (rect.x + rect.width).min(other.x + other.width);
                let high =
                    rect.y.max(other.y) + 1e-6 < (rect.y + rect.height).min(other.y + other.height);
                assert!(!(wide && high), "{rect:?} {other:?}");
            }
        }
    }

    #[test]
    fn an_empty_picture_is_one() {
        let picture = Treemap {
            title: "nothing".to_owned(),
            groups: Vec::new(),
        };
        assert!(picture.svg().ends_with("</svg>\n"));
    }
}
