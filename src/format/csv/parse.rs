//! Parses blocks of CSV to columns.

use std::ops::Range;
use std::sync::Arc;

use super::advice::{RaggedRecord, header_word};
use super::compare::Comparer;
use super::lines::{is_table, split_lines};
use super::read::CsvOptions;
use super::split::{Quoting, Ragged, split};
use super::{CsvStyle, Punctuation};
use crate::columns::column::{Column, Values};
use crate::columns::infer::{Spelling, infer, strings};
use crate::columns::span::{Cells, Span, TextBlock};
use crate::columns::{TextOptions, typed};
use crate::error::{Error, Result};
use crate::format::exact::{self, SourceBlock};
use crate::format::frame::{Columns, Origin};
use crate::format::input::BLOCK_BYTES;
use crate::schema::{FixedType, display_name};

/// The most cells of a block, including padding of short records.
const MOST_CELLS: usize = 1 << 26;

/// A parser, shared by all blocks.
#[derive(Clone, Debug)]
pub(super) struct CsvParser {
    punctuation: Punctuation,
    options: CsvOptions,
    infer: bool,
    /// Number of cells per record.
    width: usize,
    /// The columns to read: position in the record, name, fixed type.
    kept: Vec<(usize, String, Option<FixedType>)>,
    names: Arc<[String]>,
    /// True if all columns are read, including the extra ones of longer records.
    reads_all: bool,
    /// Compares records with the style of the text.
    comparer: Option<Arc<Comparer>>,
    /// True if the text must be restorable.
    exact: bool,
    /// The default style, for text that is not restored.
    plain: Arc<exact::Dialect>,
}

impl CsvParser {
    /// A parser of records with these columns.
    ///
    /// # Errors
    /// If a column named by the user does not exist.
    pub(super) fn new(
        punctuation: Punctuation,
        options: CsvOptions,
        text: &TextOptions,
        names: &[String],
    ) -> Result<Self> {
        let shown: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(at, name)| display_name(name, at))
            .collect();
        let mut known = shown.clone();
        if options.flexible {
            // Longer records may have columns after the last, which have no names.
            known.extend(text.names().filter(|name| is_after(name, names.len())));
        }
        text.require_columns(&known)?;
        // Longer records may have more columns; which of them are selected is decided later.
        let reads_all = text.columns.is_none() || options.flexible;
        let is_selection = !reads_all && !text.keeps_all(&shown);
        // Which frames have all of their columns selected is known only when a frame is complete.
        let keeps_text = if options.flexible {
            text.starts_with_all(&shown)
        } else {
            !is_selection
        };
        let mut kept = Vec::new();
        for (position, name) in names.iter().enumerate() {
            let fixed = text.fixed.get(&shown[position]);
            if !is_selection {
                kept.push((position, name.clone(), fixed));
            } else if text.reads(&shown[position]) {
                kept.push((position, shown[position].clone(), fixed));
            }
        }
        let plain = CsvStyle {
            header: options.header,
            ..CsvStyle::plain(options.tsv)
        };
        Ok(Self {
            punctuation,
            options,
            infer: text.infer,
            width: names.len(),
            names: kept.iter().map(|(_, name, _)| name.clone()).collect(),
            kept,
            reads_all,
            comparer: None,
            exact: text.exact && keeps_text,
            plain: Arc::new(exact::Dialect::Csv(plain)),
        })
    }

    /// Sets the style of the text, which is stored if `keeps_style`. If the text must be restorable, records are
    /// compared with it.
    pub(super) fn compare_with(&mut self, style: CsvStyle, keeps_style: bool) {
        let is_fixed = |(_, _, fixed): &(_, _, Option<_>)| fixed.is_some();
        let prints_back = self.infer && !self.kept.iter().any(is_fixed);
        if keeps_style {
            let places: Vec<usize> = self.kept.iter().map(|(place, ..)| *place).collect();
            self.plain = Arc::new(exact::Dialect::Csv(if places.len() < self.width {
                style.of_columns(&places)
            } else {
                style.clone()
            }));
        }
        let comparer = Comparer::new(style, &self.options.nulls, self.width, prints_back);
        self.comparer = Some(Arc::new(comparer));
    }

    /// True if the text must be restorable.
    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }

    pub(super) fn options(&self) -> &CsvOptions {
        &self.options
    }

    /// The columns without rows, and the text before the rows.
    pub(super) fn no_rows(&self, head: Option<Vec<u8>>) -> Columns {
        let columns = self.names.iter().map(|_| Column::null(0));
        Columns {
            names: Arc::clone(&self.names),
            columns: columns.collect(),
            source: Some(match &self.comparer {
                Some(comparer) if self.exact => comparer.begin(head),
                _ => SourceBlock::values(Arc::clone(&self.plain)),
            }),
            ..Columns::default()
        }
    }

    /// Reads the columns of a block; `is_limited` is true if its number of records was limited. `spans` is scratch.
    ///
    /// # Errors
    /// A record with a different number of cells, or a cell that does not fit its fixed type.
    pub(super) fn parse(
        &self,
        mut block: TextBlock,
        quoting: Quoting,
        is_limited: bool,
        spans: &mut Vec<Span>,
    ) -> Result<Columns> {
        let (mut width, uneven) = self.split(&block, quoting, spans)?;
        let mut quote = self.punctuation.cell_quote();
        let mut found = None;
        if let Some(comparer) = &self.comparer {
            // With a record limit (`is_limited`), the caller has already decided that the records are a table.
            let may_be_lines = comparer.prints_back()
                && self.width > 0
                && !is_limited
                && self.punctuation.comment.is_none();
            let is_odd = uneven || width != self.width;
            if may_be_lines && is_odd && !is_table(block.text(), spans, width)? {
                // A line contains no newline, so with the newline as the quote, no line counts as quoted.
                (width, quote) = (self.width, comparer.line_end().newline());
                split_lines(block.text(), comparer.line_end(), width, spans);
                block.end_with_quotes(quote);
                if self.exact {
                    let lines = spans.iter().step_by(width).copied();
                    found = Some(comparer.compare_lines(&block, lines));
                }
            } else if self.exact {
                found = Some(comparer.compare(&block, quoting, spans, width, uneven));
            }
        }
        if self.options.nulls != [b""] {
            self.mark_nulls(&block, spans);
        }
        let rows = spans.len() / width.max(1);
        let spelling = Spelling {
            json: false,
            quote: Some(quote),
            escape: self.punctuation.escape,
            utf8: simdutf8::basic::from_utf8(block.text()).is_ok(),
            comma: self.options.decimal_comma,
        };
        let empty_is_null = self.options.nulls.iter().any(Vec::is_empty);
        let read_fixed = |cells: Cells<'_>, ty| {
            let mut with_nulls = Vec::new();
            let cells = if empty_is_null {
                typed::with_empty_as_null(cells, ty, spelling, &mut with_nulls)
            } else {
                cells
            };
            typed::read(cells, ty, spelling)
        };
        let mut columns = Vec::with_capacity(self.kept.len());
        let mut by_column = ColumnSpans::default();
        for (position, name, fixed) in &self.kept {
            let cells = Cells::new(&block, by_column.of(*position, spans, width));
            columns.push(match fixed {
                Some(ty) => match read_fixed(cells, ty) {
                    Ok(column) => column,
                    Err(misfit) => {
                        // Split again, to get the spans as they were before nulls were marked.
                        self.split(&block, quoting, spans)?;
                        let start = spans[misfit.row * width + position].start as usize;
                        let name = display_name(name, *position);
                        return Err(misfit.into_error(ty, block.spot(start), &name));
                    }
                },
                None => self.read_column(cells, spelling),
            });
        }
        let mut names = Arc::clone(&self.names);
        if self.reads_all && width > self.width {
            for position in self.width..width {
                let cells = Cells::new(&block, by_column.of(position, spans, width));
                columns.push(self.read_column(cells, spelling));
            }
            names = names
                .iter()
                .cloned()
                .chain((self.width..width).map(|_| String::new()))
                .collect();
        }
        let source = self.comparer.as_ref().zip(found);
        Ok(Columns {
            names,
            columns,
            rows,
            origin: Origin::Records,
            edges: Vec::new(),
            source: Some(match source {
                Some((comparer, found)) => comparer.source(block, found),
                None => SourceBlock::values(Arc::clone(&self.plain)),
            }),
            odd_keys: None,
        })
    }

    /// Finds the cells of a block. Returns the number of cells per record, and whether there are empty lines or padded
    /// records.
    fn split(
        &self,
        block: &TextBlock,
        quoting: Quoting,
        spans: &mut Vec<Span>,
    ) -> Result<(usize, bool)> {
        let mut width = self.width;
        let fill = self.options.flexible;
        let skip_blank = width != 1;
        loop {
            if fill {
                self.require_room(block, width)?;
            }
            match split(
                block.text(),
                self.punctuation,
                quoting,
                width,
                fill,
                skip_blank,
                spans,
            ) {
                Ok(uneven) => return Ok((width, uneven)),
                Err(ragged) if fill => width = ragged.cells,
                Err(ragged) => return Err(self.ragged(block, ragged)),
            }
        }
    }

    /// Refuses to pad the records of a block if that would take too much memory.
    fn require_room(&self, block: &TextBlock, width: usize) -> Result<()> {
        // This few cells cannot exhaust memory in a block of normal size.
        if width <= MOST_CELLS / BLOCK_BYTES {
            return Ok(());
        }
        let records = memchr::memchr_iter(self.punctuation.newline, block.text()).count() + 1;
        if width.saturating_mul(records) <= MOST_CELLS {
            return Ok(());
        }
        let what = format!("from here on, {records} records would be padded to {width} cells each");
        let error = Error::limit(what).hint("is one record too long, or --delimiter wrong?");
        Err(block.spot(0).locate(error))
    }

    fn read_column(&self, cells: Cells<'_>, spelling: Spelling) -> Column {
        if !self.infer {
            return strings(cells, spelling);
        }
        let mut column = infer(cells, spelling);
        if let Values::Text(strings) = &mut column.values {
            // The user said that only unquoted words mean null.
            let nulls = &self.options.nulls;
            let is_word = |cell: &[u8]| {
                let inner = spelling.inner(cell);
                inner.len() < cell.len()
                    && !inner.is_empty()
                    && nulls.iter().any(|null| null == inner)
            };
            let has_words = nulls.iter().any(|null| !null.is_empty());
            strings.is_literal = has_words && cells.iter().any(is_word);
        }
        column
    }

    /// Empties the spans of null cells, and gives all other empty cells quotes.
    fn mark_nulls(&self, block: &TextBlock, spans: &mut [Span]) {
        let nulls = &self.options.nulls;
        let empty_is_null = nulls.iter().any(Vec::is_empty);
        let quoted_empty = block.quoted_empty();
        for (at, span) in spans.iter_mut().enumerate() {
            let cell = &block.padded()[span.start as usize..][..span.len as usize];
            // Only the first cell of a block can have the same span as padding.
            let is_missing = *span == Span::NULL && at > 0;
            if span.len > 0 && nulls.iter().any(|null| null == cell) {
                span.len = 0;
            } else if span.len == 0 && !empty_is_null && !is_missing {
                *span = quoted_empty;
            }
        }
    }

    fn ragged(&self, block: &TextBlock, ragged: Ragged) -> Error {
        let spot = block.spot(ragged.start);
        let error = Error::input(format!(
            "this record has {}, {} has {}",
            cells(ragged.cells),
            header_word(&self.options),
            self.width
        ));
        let record = RaggedRecord {
            text: block.text(),
            line: spot.line,
            ragged,
            names: &self.names,
            width: self.width,
            punctuation: self.punctuation,
            options: &self.options,
        };
        record.hint(spot.locate(error))
    }
}

/// The spans of a few adjacent columns, copied so that each column is contiguous, because columns are walked
/// several times.
#[derive(Default)]
struct ColumnSpans {
    spans: Vec<Span>,
    /// The positions of these columns.
    positions: Range<usize>,
}

impl ColumnSpans {
    /// Number of columns to copy at a time: as many as have their spans of a row in one cache line.
    const TOGETHER: usize = 8;

    /// The spans of the column at a position. `all` has the spans of all cells, row by row; a record has `width` cells.
    fn of(&mut self, position: usize, all: &[Span], width: usize) -> &[Span] {
        let rows = all.len() / width.max(1);
        if !self.positions.contains(&position) {
            self.positions = position..width.min(position + Self::TOGETHER);
            self.spans.resize(rows * self.positions.len(), Span::NULL);
            for (row, cells) in all.chunks_exact(width.max(1)).enumerate() {
                for (column, cell) in cells[self.positions.clone()].iter().enumerate() {
                    self.spans[column * rows + row] = *cell;
                }
            }
        }
        &self.spans[(position - self.positions.start) * rows..][..rows]
    }
}

/// True for the displayed name, `column_N`, of an unnamed column after the first `width` ones.
fn is_after(name: &str, width: usize) -> bool {
    let number = name
        .strip_prefix("column_")
        .and_then(|number| number.parse::<usize>().ok());
    number.is_some_and(|number| number > width)
}

fn cells(count: usize) -> String {
    format!("{count} cell{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_taken_from_records_in_any_order() {
        let width = 20;
        let span = |start| Span { start, len: 1 };
        let all: Vec<Span> = (0..3 * width as u32).map(span).collect();
        let mut spans = ColumnSpans::default();
        for position in (0..width).chain([3, 19, 0, 11]) {
            let column: Vec<Span> = all.iter().skip(position).step_by(width).copied().collect();
            assert_eq!(spans.of(position, &all, width), column);
        }
        assert!(ColumnSpans::default().of(5, &[], width).is_empty());
    }
}
