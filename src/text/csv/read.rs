//! CSV to columns, a block at a time.

use std::io::Read;
use std::sync::Arc;

use super::compare::Comparer;
use super::sniff::sniff;
use super::split::{Cut, Ending, Quoting, Ragged, cut, field_end, split};
use super::{CsvStyle, Dialect, detect};
use crate::error::{Error, Result};
use crate::schema::{FixedType, display_name};
use crate::text::column::Column;
use crate::text::exact;
use crate::text::frame::{Columns, Origin};
use crate::text::infer::{Spelling, infer, strings};
use crate::text::input::{BYTE_ORDER_MARK, Input};
use crate::text::project::Infer;
use crate::text::span::{Block, Cells, Span, Spot};
use crate::text::typed;
use crate::text::{TextOptions, Types};

/// Bytes that are looked at to find out the dialect.
const DETECT_BYTES: usize = 64 << 10;

/// How to read CSV.
#[derive(Clone, Debug)]
pub struct CsvOptions {
    /// Between cells; detected if not given.
    pub delimiter: Option<u8>,
    /// Around cells; `None` if quotes mean nothing.
    pub quote: Option<u8>,
    /// The first record holds the names.
    pub header: bool,
    /// Unquoted cells that are null.
    pub nulls: Vec<Vec<u8>>,
    /// Shorter records are filled up with nulls, longer ones add columns.
    pub flexible: bool,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self {
            delimiter: None,
            quote: Some(b'"'),
            header: true,
            nulls: vec![Vec::new()],
            flexible: false,
        }
    }
}

/// Cuts one CSV input into blocks; [`CsvParser`] reads them.
pub struct CsvReader<R> {
    input: Input<R>,
    dialect: Dialect,
    skip_blank: bool,
    /// An open quote may end with the text.
    flexible: bool,
    /// What comes before the first record, if the text is to come back.
    head: Option<Vec<u8>>,
    begun: bool,
}

/// A cell of the first record: its offset in the text, and its content.
type HeaderCell = (usize, Vec<u8>);

/// What is needed to read a block, shared by all of them.
#[derive(Clone, Debug)]
pub struct CsvParser {
    dialect: Dialect,
    options: CsvOptions,
    types: Types,
    infer: Infer,
    /// Cells per record.
    width: usize,
    /// Columns that are read: position in the record, name, fixed type.
    kept: Vec<(usize, String, Option<FixedType>)>,
    names: Arc<[String]>,
    /// All columns are read, those of longer records too.
    keeps_all: bool,
    /// Tells what the text has besides its values, if that is asked for.
    comparer: Option<Arc<Comparer>>,
}

/// Whole records, not read yet.
#[derive(Debug)]
pub struct CsvBlock {
    block: Block,
    quoting: Quoting,
    /// What comes before the first record, if this is the first block and the text is to come back.
    head: Option<Vec<u8>>,
    /// Number of records, if a limit was given.
    pub records: usize,
}

impl CsvBlock {
    /// Bytes of text.
    pub fn len(&self) -> usize {
        self.block.text().len()
    }

    /// True if there is no text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<R: Read> CsvReader<R> {
    /// Reads the header and finds out the dialect.
    ///
    /// # Errors
    /// If the input cannot be read, the header is not UTF-8, or a column that the user names is not
    /// there.
    pub fn open(
        mut input: Input<R>,
        options: CsvOptions,
        text: &TextOptions,
    ) -> Result<(Self, CsvParser)> {
        input.fill_block()?;
        let is_utf_16 = [b"\xFF\xFE", b"\xFE\xFF"].map(|mark| input.text().starts_with(mark));
        let has_mark = if options.flexible && is_utf_16.contains(&true) {
            false
        } else {
            input.skip_byte_order_mark()?
        };
        let head = &input.text()[..input.text().len().min(DETECT_BYTES)];
        let dialect = detect(head, options.delimiter, options.quote);
        input.set_newline(dialect.newline);
        let mut reader = Self {
            input,
            dialect,
            skip_blank: true,
            flexible: options.flexible,
            head: None,
            begun: false,
        };
        let (first, end) = reader.first_record()?;
        let mut names = Vec::new();
        for (position, cell) in first.iter().enumerate() {
            names.push(if options.header {
                reader.header_name(&cell.1, position, cell.0)?
            } else {
                String::new()
            });
        }
        reader.skip_blank = names.len() != 1;
        let mut head = if has_mark { BYTE_ORDER_MARK } else { b"" }.to_vec();
        if options.header || first.is_empty() {
            head.extend_from_slice(&reader.input.text()[..end]);
            reader.input.skip(end);
        }
        let mut parser = CsvParser::new(dialect, options, text, &names)?;
        if text.exact && text.columns.is_none() {
            let sample = reader.input.text();
            let whole = reader.input.is_last() && sample.len() <= DETECT_BYTES;
            let sample = &sample[..sample.len().min(DETECT_BYTES)];
            let style = sniff(&head, sample, whole, names.len(), dialect, &parser.options);
            parser.compare_with(style);
            reader.head = Some(head);
        }
        Ok((reader, parser))
    }

    /// What comes before the first record, if the text is to come back: the first block has it as well.
    pub fn head(&self) -> Option<&[u8]> {
        self.head.as_deref()
    }

    /// The cells of the first record that is no empty line, and where the record ends.
    fn first_record(&mut self) -> Result<(Vec<HeaderCell>, usize)> {
        loop {
            let found = cut(self.input.text(), self.dialect, Some(1), true);
            if found.is_some_and(|cut| cut.records == 1) || self.input.is_last() {
                break;
            }
            self.input.grow()?;
        }
        let text = self.input.text();
        let blank = |byte: &u8| *byte == b'\r' || *byte == self.dialect.newline;
        let mut at = text.iter().take_while(|byte| blank(byte)).count();
        let mut cells = Vec::new();
        while at < text.len() {
            let (end, ending) = field_end(text, at, self.dialect);
            let mut cell = &text[at..end];
            if ending != Ending::Cell {
                cell = cell.strip_suffix(b"\r").unwrap_or(cell);
            }
            let mut content = Vec::new();
            match self.dialect.quote {
                Some(quote) if cell.first() == Some(&quote) => {
                    super::unquote(cell, self.dialect.escape, &mut content);
                }
                _ => content.extend_from_slice(cell),
            }
            cells.push((at, content));
            match ending {
                Ending::Cell if end + 1 == text.len() => {
                    cells.push((end + 1, Vec::new()));
                    break;
                }
                Ending::Cell => at = end + 1,
                Ending::Record => return Ok((cells, end + 1)),
                Ending::Text => break,
                Ending::InQuotes if self.flexible => break,
                Ending::InQuotes => return Err(self.unclosed(at)),
            }
        }
        Ok((cells, text.len()))
    }

    fn header_name(&self, cell: &[u8], position: usize, at: usize) -> Result<String> {
        if self.flexible {
            return Ok(String::from_utf8_lossy(cell).into_owned());
        }
        String::from_utf8(cell.to_vec()).map_err(|_| {
            let Spot { line, byte } = self.input.spot(at);
            Error::input(format!("the name of column {} is not UTF-8", position + 1))
                .at_line(line, byte)
                .hint("convert the file first, for example with iconv -f latin1 -t utf8")
        })
    }

    fn unclosed(&self, at: usize) -> Error {
        let Spot { line, byte } = self.input.spot(at);
        Error::input("a quote is opened here and never closed")
            .at_line(line, byte)
            .hint("if quotes have no meaning in this file, use --quote none")
    }

    /// The end of the text, once there is no next block, if all of it is to come back.
    pub fn ending(&self) -> Option<exact::Ending> {
        Some(exact::Ending {
            fingerprint: self.input.fingerprint()?,
            tail: Vec::new(),
        })
    }

    /// The next whole records, at most `limit` of them.
    ///
    /// # Errors
    /// If the input cannot be read, or a quote is never closed.
    pub fn next_block(&mut self, limit: Option<usize>) -> Result<Option<CsvBlock>> {
        self.input.fill_block()?;
        loop {
            let text = self.input.text();
            if let Some(Cut {
                end,
                quoting,
                records,
            }) = cut(text, self.dialect, limit, self.skip_blank)
            {
                return Ok(Some(self.take(end, quoting, records)));
            }
            if self.input.is_last() {
                return self.last_record();
            }
            self.input.grow()?;
        }
    }

    fn take(&mut self, len: usize, quoting: Quoting, records: usize) -> CsvBlock {
        let mut block = self.input.take(len);
        block.end_with_quotes(self.dialect.cell_quote());
        let begun = std::mem::replace(&mut self.begun, true);
        CsvBlock {
            block,
            quoting,
            head: self.head.clone().filter(|_| !begun),
            records,
        }
    }

    /// What is left behind the last newline.
    fn last_record(&mut self) -> Result<Option<CsvBlock>> {
        let text = self.input.text();
        if text.is_empty() {
            return Ok(None);
        }
        let mut at = 0;
        loop {
            match field_end(text, at, self.dialect) {
                (_, Ending::InQuotes) if !self.flexible => return Err(self.unclosed(at)),
                (end, Ending::Cell) => at = end + 1,
                (_, Ending::Record | Ending::Text | Ending::InQuotes) => break,
            }
        }
        let len = text.len();
        let records = usize::from(!(self.skip_blank && text == b"\r"));
        Ok(Some(self.take(len, Quoting::Odd, records)))
    }
}

impl CsvParser {
    fn new(
        dialect: Dialect,
        options: CsvOptions,
        text: &TextOptions,
        names: &[String],
    ) -> Result<Self> {
        let shown: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(at, name)| display_name(name, at))
            .collect();
        text.require_columns(&shown)?;
        let mut kept = Vec::new();
        for (position, name) in names.iter().enumerate() {
            let fixed = text.fixed.get(&shown[position]);
            match &text.columns {
                Some(wanted) if !wanted.contains(&shown[position]) => {}
                Some(_) => kept.push((position, shown[position].clone(), fixed)),
                None => kept.push((position, name.clone(), fixed)),
            }
        }
        Ok(Self {
            dialect,
            options,
            types: text.types,
            infer: text.infer,
            width: names.len(),
            names: kept.iter().map(|(_, name, _)| name.clone()).collect(),
            kept,
            keeps_all: text.columns.is_none(),
            comparer: None,
        })
    }

    /// Tells from now on where the text is not in this style.
    fn compare_with(&mut self, style: CsvStyle) {
        let is_fixed = |(_, _, fixed): &(_, _, Option<_>)| fixed.is_some();
        let prints_back = self.types == Types::All
            && self.infer == Infer::Exact
            && !self.kept.iter().any(is_fixed);
        let nulls = self.options.nulls.clone();
        let comparer = Comparer::new(style, nulls, self.width, prints_back);
        self.comparer = Some(Arc::new(comparer));
    }

    /// The names of the columns that are read.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns before a row has come, and what comes before the rows.
    pub fn no_rows(&self, head: Option<&[u8]>) -> Columns {
        let columns = self.names.iter().map(|_| Column::null(0));
        Columns {
            names: Arc::clone(&self.names),
            columns: columns.collect(),
            source: self.comparer.as_ref().map(|comparer| comparer.begin(head)),
            ..Columns::default()
        }
    }

    /// Reads the columns of a block; `spans` is scratch.
    ///
    /// # Errors
    /// A record with another number of cells, or a cell that does not fit its fixed type.
    pub fn parse(&self, block: CsvBlock, spans: &mut Vec<Span>) -> Result<Columns> {
        let CsvBlock {
            block,
            quoting,
            head,
            ..
        } = block;
        let (width, uneven) = self.split(&block, quoting, spans)?;
        let compare =
            |comparer: &Arc<Comparer>| comparer.compare(&block, quoting, spans, width, uneven);
        let compared = self.comparer.as_ref().map(compare);
        if self.options.nulls != [b""] {
            self.mark_nulls(&block, spans);
        }
        let rows = spans.len() / width.max(1);
        let spelling = Spelling {
            json: false,
            quote: Some(self.dialect.cell_quote()),
            escape: self.dialect.escape,
            utf8: simdutf8::basic::from_utf8(block.text()).is_ok(),
            types: self.types,
        };
        let mut columns = Vec::with_capacity(self.kept.len());
        // Each column is walked several times; its spans lie far apart only the first time.
        let mut column = Vec::with_capacity(rows);
        let gather = |spans: &[Span], position: usize, column: &mut Vec<Span>| {
            column.clear();
            column.extend(spans.iter().skip(position).step_by(width));
        };
        for (position, name, fixed) in &self.kept {
            gather(spans, *position, &mut column);
            let cells = Cells::new(&block, &column);
            columns.push(match fixed {
                Some(ty) => match typed::read(cells, ty, spelling) {
                    Ok(column) => column,
                    Err(misfit) => {
                        // The spans again, as they were before nulls were marked.
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
        if self.keeps_all && width > self.width {
            for position in self.width..width {
                gather(spans, position, &mut column);
                columns.push(self.read_column(Cells::new(&block, &column), spelling));
            }
            names = names
                .iter()
                .cloned()
                .chain((self.width..width).map(|_| String::new()))
                .collect();
        }
        let source = self.comparer.as_ref().zip(compared);
        Ok(Columns {
            names,
            columns,
            rows,
            origin: Origin::Records,
            edges: Vec::new(),
            source: source.map(|(comparer, compared)| comparer.source(head, block, compared)),
        })
    }

    /// Finds the cells of a block; tells how many a record has, and if there are empty lines or records
    /// that were filled up.
    fn split(
        &self,
        block: &Block,
        quoting: Quoting,
        spans: &mut Vec<Span>,
    ) -> Result<(usize, bool)> {
        let mut width = self.width;
        let fill = self.options.flexible;
        let skip_blank = width != 1;
        loop {
            match split(
                block.text(),
                self.dialect,
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

    fn read_column(&self, cells: Cells<'_>, spelling: Spelling) -> Column {
        match self.infer {
            Infer::None => strings(cells, spelling),
            Infer::Exact | Infer::Values => infer(cells, spelling),
        }
    }

    /// Empties the spans of the cells that stand for null, and gives other empty cells quotes.
    fn mark_nulls(&self, block: &Block, spans: &mut [Span]) {
        let nulls = &self.options.nulls;
        let empty_is_null = nulls.iter().any(Vec::is_empty);
        let quoted_empty = block.quoted_empty();
        for (at, span) in spans.iter_mut().enumerate() {
            let cell = &block.padded()[span.start as usize..][..span.len as usize];
            // Only a block's first cell begins where a null that fills up a record says it does.
            let is_missing = *span == Span::NULL && at > 0;
            if span.len > 0 && nulls.iter().any(|null| null == cell) {
                span.len = 0;
            } else if span.len == 0 && !empty_is_null && !is_missing {
                *span = quoted_empty;
            }
        }
    }

    fn ragged(&self, block: &Block, ragged: Ragged) -> Error {
        let Spot { line, byte } = block.spot(ragged.start);
        let than = if self.options.header {
            "the header"
        } else {
            "the first record"
        };
        let hint = if ragged.cells > self.width {
            "--flexible makes new columns of the extra cells"
        } else {
            "--flexible fills up with nulls"
        };
        Error::input(format!(
            "this record has {}, {than} has {}",
            cells(ragged.cells),
            self.width
        ))
        .at_line(line, byte)
        .hint(hint)
    }
}

fn cells(count: usize) -> String {
    format!("{count} cell{}", if count == 1 { "" } else { "s" })
}
