//! Tables without borders, readable for people and for `awk`.
//!
//! In a pipe, a table has its natural width. On a terminal it is made to fit: long text is shortened with
//! an ellipsis, then columns are dropped from the right, and a last line names them.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, stdout};

use terminal_size::{Width, terminal_size_of};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::visible;

/// Text is never shortened below this many characters to make room for another column.
const NARROWEST_TEXT: usize = 12;
/// The same limit for text that identifies a row.
const NARROWEST_NAME: usize = 28;
/// How many of the dropped columns are named.
const NAMED: usize = 8;
/// Spaces between columns.
const GAP: usize = 2;
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

/// A column of a table that has a row for each `T`: the heading, and the cell of a row.
pub type TableColumn<'a, T> = (&'a str, Align, &'a dyn Fn(&T) -> String);

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
    first: usize,
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

    /// A table with a row for each of `rows`.
    pub fn of<'t, T: 't>(
        rows: impl IntoIterator<Item = &'t T>,
        columns: &[TableColumn<'_, T>],
    ) -> Self {
        let mut table = Self::new(columns.iter().map(|&(name, align, _)| (name, align)));
        for row in rows {
            table.row(columns.iter().map(|(_, _, cell)| cell(row)));
        }
        table
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
        if self.names.is_empty() {
            return String::new();
        }
        let mut widths: Vec<usize> = self.names.iter().map(|name| name.width()).collect();
        let cells_of = |row| str::split(row, CELL_END);
        let rows = self.rows.iter().map(|row| cells_of(row));
        let mut measure = |cells: &mut dyn Iterator<Item = &str>| {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = cell.width().max(*width);
            }
        };
        measure(&mut self.captions.iter().map(String::as_str));
        rows.clone().for_each(|mut cells| measure(&mut cells));
        if let Some(room) = width {
            widths = fit(&widths, &self.aligns, self.first, room.into());
        }
        let mut text = String::new();
        for head in [&self.names, &self.captions] {
            if !head.is_empty() {
                let mut cells = head.iter().map(String::as_str);
                self.line(&mut cells, &widths, &mut text);
            }
        }
        let whole = widths.iter().sum::<usize>() + GAP * (widths.len() - 1);
        text.extend(std::iter::repeat_n('─', whole));
        text.push('\n');
        for mut cells in rows {
            self.line(&mut cells, &widths, &mut text);
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

    /// Appends the cells of the first `widths.len()` columns as a line without trailing spaces.
    fn line(&self, cells: &mut dyn Iterator<Item = &str>, widths: &[usize], out: &mut String) {
        let start = out.len();
        // Spaces are appended only before more text, so that a wide last column does not make every line long.
        let mut spaces = 0;
        for ((cell, &width), align) in cells.zip(widths).zip(&self.aligns) {
            let (cell, ellipsis, used) = fitted(cell, width);
            let before = match align {
                Align::Left => 0,
                Align::Right => width - used,
            };
            spaces += before;
            if used > 0 {
                out.extend(std::iter::repeat_n(' ', spaces));
                out.push_str(cell);
                out.push_str(ellipsis);
                spaces = 0;
            }
            spaces += width - used - before + GAP;
        }
        out.truncate(start + out[start..].trim_end().len());
        out.push('\n');
    }
}

/// The start of a cell that fits, an ellipsis if that is not all of it, and the width of both.
fn fitted(cell: &str, width: usize) -> (&str, &'static str, usize) {
    let natural = cell.width();
    if natural <= width {
        return (cell, "", natural);
    }
    let (mut end, mut used) = (0, 1);
    for c in cell.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            used -= c.width().unwrap_or(0);
            break;
        }
        end += c.len_utf8();
    }
    (&cell[..end], "…", used)
}

/// The width of the terminal on stdout; `None` if stdout is not a terminal.
pub fn terminal_width() -> Option<u16> {
    let size = stdout().is_terminal().then(|| terminal_size_of(stdout()))?;
    size.map(|(Width(width), _)| width)
}

/// Chooses a width for each column shown. The result is shorter than `natural` if columns were dropped. The first
/// column is always shown.
fn fit(natural: &[usize], aligns: &[Align], first: usize, room: usize) -> Vec<usize> {
    let width = room.max(NARROWEST_TEXT);
    let least = |i: usize| match aligns[i] {
        Align::Left if i == 0 => natural[i].min(first.min(width)),
        Align::Left => natural[i].min(NARROWEST_TEXT),
        Align::Right => natural[i],
    };
    // Show columns from the left as long as they fit at their least width.
    let mut shown = 0;
    let mut used = 0;
    while shown < natural.len() {
        let gap = if shown == 0 { 0 } else { GAP };
        let with_next = used + gap + least(shown);
        if shown > 0 && with_next > room {
            break;
        }
        used = with_next;
        shown += 1;
    }
    // Give the remaining space to the shortened columns, evenly, until they have their natural width.
    let mut widths: Vec<usize> = (0..shown).map(least).collect();
    let mut spare = room.saturating_sub(used);
    loop {
        let cut: Vec<_> = (0..shown).filter(|&i| widths[i] < natural[i]).collect();
        let each = spare.checked_div(cut.len()).unwrap_or(0);
        if each == 0 {
            return widths;
        }
        for i in cut {
            let grow = each.min(natural[i] - widths[i]);
            widths[i] += grow;
            spare -= grow;
        }
    }
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
    fn wide_characters_are_aligned_and_cut_by_their_width() {
        let mut table = Table::new([("word", Align::Left), ("n", Align::Right)]);
        table.row(["東京タワー東京タワー", "1"]);
        table.row(["e\u{301}", "2"]);
        assert_eq!(
            table.render(Some(15)),
            "word          n\n───────────────\n東京タワー…   1\ne\u{301}             2\n"
        );
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
