//! Tables without borders, readable for people and for `awk`.
//!
//! In a pipe, a table has its natural width. On a terminal it is made to fit: long text is shortened with
//! an ellipsis, then columns are dropped from the right, and a last line names them.

use std::fmt::Write as _;

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Row, TableStyle, Width,
};

use super::visible;

/// Text is never shortened below this many characters to make room for another column.
const NARROWEST_TEXT: u16 = 12;
/// The same limit for text that identifies a row.
const NARROWEST_NAME: u16 = 28;
/// How many of the dropped columns are named.
const NAMED: usize = 8;
/// Spaces between columns.
const GAP: u16 = 2;
/// Number of rows to draw at a time, since a drawn cell takes many times the memory of its text.
const CHUNK: usize = 1 << 12;
/// Separates the cells of a row; no cell contains it.
const CELL_END: char = '\0';

/// How the cells of a column are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text; may be shortened if space is short.
    Left,
    /// Numbers; never shortened.
    Right,
}

/// A table of text cells with named columns.
#[derive(Clone, Debug)]
pub struct Table {
    names: Vec<String>,
    /// A line under each name, or empty.
    captions: Vec<String>,
    aligns: Vec<Align>,
    /// The cells of each row, joined by [`CELL_END`].
    rows: Vec<Box<str>>,
    /// The first column is never shortened below this many characters.
    first: u16,
}

impl Table {
    /// A table without rows.
    pub fn new<N: AsRef<str>>(columns: impl IntoIterator<Item = (N, Align)>) -> Self {
        let (names, aligns) = columns
            .into_iter()
            .map(|(name, align)| (visible(name.as_ref()).into_owned(), align))
            .unzip();
        Self {
            names,
            captions: Vec::new(),
            aligns,
            rows: Vec::new(),
            first: NARROWEST_TEXT,
        }
    }

    /// Adds a line under each name, such as the type.
    #[must_use]
    pub fn with_captions<C: AsRef<str>>(mut self, captions: impl IntoIterator<Item = C>) -> Self {
        self.captions = captions
            .into_iter()
            .map(|caption| visible(caption.as_ref()).into_owned())
            .collect();
        self
    }

    /// Marks the first column as the one that identifies a row. Other columns are dropped before it is
    /// shortened much.
    #[must_use]
    pub fn with_names(mut self) -> Self {
        self.first = NARROWEST_NAME;
        self
    }

    /// Adds a row. Missing cells are empty; surplus cells are dropped.
    pub fn row<C: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let mut row = String::new();
        let mut cells = cells.into_iter();
        for at in 0..self.names.len() {
            if at > 0 {
                row.push(CELL_END);
            }
            if let Some(cell) = cells.next() {
                row.push_str(&visible(cell.as_ref()));
            }
        }
        self.rows.push(row.into_boxed_str());
    }

    /// Draws the table in at most `width` characters, or in its natural width. Every line ends with a
    /// newline.
    pub fn render(&self, width: Option<u16>) -> String {
        self.render_by(width, CHUNK)
    }

    /// The table in Markdown.
    pub fn markdown(&self) -> String {
        let escaped = |cells: &str| -> Vec<String> {
            let cells = cells.replace('\\', "\\\\").replace('|', "\\|");
            cells.split(CELL_END).map(str::to_owned).collect()
        };
        let rows: Vec<_> = self.rows.iter().map(|row| escaped(row)).collect();
        let widths = self.names.iter().enumerate().map(|(at, name)| {
            let cells = rows.iter().map(|row| row[at].chars().count());
            cells.max().unwrap_or(0).max(name.chars().count()).max(3)
        });
        let widths: Vec<usize> = widths.collect();
        let rule = widths.iter().zip(&self.aligns);
        let rule = rule.map(|(width, align)| match align {
            Align::Left => "-".repeat(*width),
            Align::Right => format!("{}:", "-".repeat(width - 1)),
        });
        let mut out = String::new();
        for line in [&self.names, &rule.collect()].into_iter().chain(&rows) {
            for ((cell, width), align) in line.iter().zip(&widths).zip(&self.aligns) {
                let _ = match align {
                    Align::Left => write!(out, "| {cell:<width$} "),
                    Align::Right => write!(out, "| {cell:>width$} "),
                };
            }
            out.push_str("|\n");
        }
        out
    }

    /// Like [`Self::render`], drawing `chunk` rows at a time.
    fn render_by(&self, width: Option<u16>, chunk: usize) -> String {
        if self.names.is_empty() {
            return String::new();
        }
        let none = vec![None; self.names.len()];
        if width.is_none() && self.rows.len() <= chunk {
            return lines(&self.draw(&self.rows, true, &none));
        }
        // Measure the names separately, since there may be no rows.
        let mut natural = self.draw(&[], true, &none).column_max_content_widths();
        for rows in self.rows.chunks(chunk) {
            let found = self.draw(rows, true, &none).column_max_content_widths();
            for (natural, found) in natural.iter_mut().zip(found) {
                *natural = found.max(*natural);
            }
        }
        let mut widths = match width {
            Some(room) => fit(&natural, &self.aligns, self.first, room),
            None => none,
        };
        if self.rows.len() > chunk {
            // The widths must be those of the widest chunk.
            let widths = widths.iter_mut().zip(natural);
            widths.for_each(|(width, natural)| *width = width.or(Some(natural)));
        }
        let (first, rest) = self.rows.split_at(self.rows.len().min(chunk));
        let mut text = lines(&self.draw(first, true, &widths));
        for rows in rest.chunks(chunk) {
            text.push_str(&lines(&self.draw(rows, false, &widths)));
        }
        let left_out = &self.names[widths.len()..];
        if !left_out.is_empty() {
            let s = if left_out.len() == 1 { "" } else { "s" };
            let _ = writeln!(
                text,
                "… and {} more column{s}: {}{}",
                left_out.len(),
                left_out[..left_out.len().min(NAMED)].join(", "),
                if left_out.len() > NAMED { ", …" } else { "" }
            );
        }
        text
    }

    /// The first `widths.len()` columns of some rows as a comfy table; a width, if given, is fixed.
    fn draw(
        &self,
        rows: &[Box<str>],
        with_names: bool,
        widths: &[Option<u16>],
    ) -> comfy_table::Table {
        let style = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
        let mut table = comfy_table::Table::new();
        table
            .load_style(style)
            .force_no_tty()
            .set_content_arrangement(ContentArrangement::Disabled)
            // No cell contains NUL, so text is cut between characters instead of between words.
            .set_delimiter('\0')
            .set_truncation_indicator("…");
        let row = |cells: &mut dyn Iterator<Item = &str>| {
            let cells = cells.zip(&self.aligns).take(widths.len());
            let mut row = Row::from(cells.map(|(text, align)| {
                Cell::new(text).set_alignment(match align {
                    Align::Left => CellAlignment::Left,
                    Align::Right => CellAlignment::Right,
                })
            }));
            row.max_height(1);
            row
        };
        if self.captions.is_empty() && with_names {
            table.set_header(row(&mut self.names.iter().map(String::as_str)));
        } else if with_names {
            let both = self.names.iter().zip(&self.captions);
            let both: Vec<_> = both
                .map(|(name, caption)| format!("{name}\n{caption}"))
                .collect();
            let mut header = row(&mut both.iter().map(String::as_str));
            header.max_height(2);
            table.set_header(header);
        }
        for cells in rows {
            table.add_row(row(&mut cells.split(CELL_END)));
        }
        let last = widths.len() - 1;
        for (i, column) in table.column_iter_mut().enumerate() {
            // One space of the gap is where comfy table would draw the column line.
            let padding = if i == last { 0 } else { GAP - 1 };
            column.set_padding((0, padding));
            if let Some(width) = widths[i] {
                // The width of a constraint includes the padding.
                column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width + padding)));
            }
        }
        table
    }
}

/// The width of the terminal on stdout; `None` if stdout is not a terminal.
pub fn terminal_width() -> Option<u16> {
    comfy_table::Table::new().width()
}

/// Chooses a width for each column shown; `None` means its natural width. The result is shorter than
/// `natural` if columns were dropped. The first column is always shown.
fn fit(natural: &[u16], aligns: &[Align], first: u16, room: u16) -> Vec<Option<u16>> {
    let width = room.max(NARROWEST_TEXT);
    let room = u32::from(room);
    let least = |i: usize| match aligns[i] {
        Align::Left if i == 0 => natural[i].min(first.min(width)),
        Align::Left => natural[i].min(NARROWEST_TEXT),
        Align::Right => natural[i],
    };
    let mut shown = 0;
    let mut used = 0_u32;
    while shown < natural.len() {
        let gap = if shown == 0 { 0 } else { u32::from(GAP) };
        let with_next = used + gap + u32::from(least(shown));
        if shown > 0 && with_next > room {
            break;
        }
        used = with_next;
        shown += 1;
    }
    // Give the remaining space to the shortened columns, evenly, until they have their natural width.
    let mut widths: Vec<u16> = (0..shown).map(least).collect();
    let mut spare = room.saturating_sub(used);
    loop {
        let cut: Vec<_> = (0..shown).filter(|&i| widths[i] < natural[i]).collect();
        let each = spare.checked_div(cut.len() as u32).unwrap_or(0);
        if each == 0 {
            break;
        }
        for i in cut {
            let grow = each.min(u32::from(natural[i] - widths[i]));
            widths[i] += grow as u16;
            spare -= grow;
        }
    }
    (0..shown)
        .map(|i| (widths[i] < natural[i]).then_some(widths[i]))
        .collect()
}

fn lines(table: &comfy_table::Table) -> String {
    let mut text = String::new();
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars() -> Table {
        let mut table = Table::new([
            ("pair", Align::Left),
            ("note", Align::Left),
            ("open", Align::Right),
        ]);
        table.row(["BTCUSDT", "first of the day, thin book", "10000.1"]);
        table.row(["ETHUSDT", "", "9.25"]);
        table
    }

    #[test]
    fn without_a_width_every_cell_is_complete() {
        assert_eq!(
            bars().render(None),
            "\
pair     note                            open
─────────────────────────────────────────────
BTCUSDT  first of the day, thin book  10000.1
ETHUSDT                                  9.25
"
        );
    }

    #[test]
    fn a_table_looks_the_same_however_many_rows_are_drawn_at_once() {
        let mut table = bars().with_captions(["utf8", "utf8", "f64"]);
        for row in 0..20 {
            table.row(["X".repeat(row % 7), String::new(), "1".repeat(row)]);
        }
        for width in [None, Some(20), Some(30), Some(40), Some(90)] {
            let whole = table.render_by(width, usize::MAX);
            for chunk in [1, 3, 21, 22, 23] {
                assert_eq!(table.render_by(width, chunk), whole, "{width:?} {chunk}");
            }
        }
    }

    #[test]
    fn captions_are_printed_under_the_names() {
        let mut table =
            Table::new([("a", Align::Left), ("b", Align::Right)]).with_captions(["utf8", "i64"]);
        table.row(["x", "1"]);
        assert_eq!(
            table.render(None),
            "a       b\nutf8  i64\n─────────\nx       1\n"
        );
    }

    #[test]
    fn a_narrow_terminal_shortens_text_but_never_numbers() {
        assert_eq!(
            bars().render(Some(34)),
            "\
pair     note                 open
──────────────────────────────────
BTCUSDT  first of the da…  10000.1
ETHUSDT                       9.25
"
        );
    }

    #[test]
    fn row_names_are_shortened_last() {
        let mut table = Table::new([("path", Align::Left), ("note", Align::Left)]).with_names();
        table.row([
            "payload.commits.author.email",
            "a note that is longer than that",
        ]);
        for room in 43..90 {
            let text = table.render(Some(room));
            assert!(text.contains("payload.commits.author.email"), "{room}");
            assert!(text.lines().all(|line| line.chars().count() <= room.into()));
        }
        assert!(table.render(Some(20)).contains("payload.commits.aut…"));
    }

    #[test]
    fn dropped_columns_are_named() {
        assert_eq!(
            bars().render(Some(22)),
            "\
pair     note
──────────────────────
BTCUSDT  first of the…
ETHUSDT
… and 1 more column: open
"
        );
    }

    #[test]
    fn only_the_first_of_many_dropped_columns_are_named() {
        let names: Vec<_> = (0..20).map(|at| format!("c{at}")).collect();
        let mut table = Table::new(names.iter().map(|name| (name, Align::Right)));
        table.row(vec!["1"; 20]);
        let text = table.render(Some(10));
        let last = text.lines().last().unwrap();
        assert_eq!(
            last,
            "… and 17 more columns: c3, c4, c5, c6, c7, c8, c9, c10, …"
        );
    }

    #[test]
    fn the_first_column_is_drawn_at_any_width() {
        for room in 0..80 {
            assert!(bars().render(Some(room)).starts_with("pair"), "at {room}");
        }
    }

    #[test]
    fn cells_cannot_break_the_table_or_the_terminal() {
        let mut table = Table::new([("a\nb", Align::Left)]);
        table.row(["x\ty\r\n\u{1b}[2J"]);
        assert_eq!(
            table.render(None).lines().last(),
            Some("x\\ty\\r\\n\\u{1b}[2J")
        );
        assert!(table.render(None).starts_with("a\\nb\n"));
    }

    #[test]
    fn rows_are_padded_or_cut_to_the_columns() {
        let mut table = Table::new([("a", Align::Right), ("b", Align::Right)]);
        table.row(["1"]);
        table.row(["1", "2", "3"]);
        assert_eq!(table.render(None), "a  b\n────\n1\n1  2\n");
        assert_eq!(Table::new([("", Align::Left); 0]).render(None), "");
    }
}
