//! Blocks of JSON values to columns.

use std::sync::Arc;

use super::cut::Framing;
use super::read::JsonBlock;
use super::rows::Rows;
use crate::columns::infer::{Spelling, infer, strings};
use crate::columns::project::Infer;
use crate::columns::shred::Paths;
use crate::columns::shred::{JsonScratch, KEY_TWICE, NO_OBJECT, TOO_MANY_KEYS, Walk};
use crate::columns::span::{Block, Cells, Spot};
use crate::columns::{TextOptions, Types, typed};
use crate::error::{Error, Result};
use crate::format::exact::{Dialect, Records, SourceBlock};
use crate::format::frame::{Columns, Origin};
use crate::schema::{ROW_COLUMN, Type};
use crate::text::json::scan::{Fault, skip_space, value_end};

const TWO_IN_LINE: &str = "expected the end of the line, not a second value";
const NO_LINE_END: &str = "expected the end of the line";

/// What is needed to read a block, shared by all of them.
#[derive(Clone, Debug)]
pub struct JsonParser {
    pub(super) options: TextOptions,
    pub(super) framing: Framing,
    /// Rows are objects; else each row is one value in the column [`ROW_COLUMN`].
    pub(super) objects: bool,
    /// How the text is written.
    pub(super) dialect: Arc<Dialect>,
    /// What follows a value in it, if values follow one another.
    pub(super) between: Vec<u8>,
}

/// The offset after the record whose value ends at `end`. A record includes the `between` that separates it from the
/// next one, or else its line end, or else one byte of the white space that follows.
pub(super) fn record_end(text: &[u8], end: usize, between: &[u8]) -> usize {
    let behind_space = end > 0 && text[end - 1].is_ascii_whitespace();
    let start = end - usize::from(behind_space);
    let rest = &text[start..];
    if !between.is_empty() && rest.starts_with(between) {
        return start + between.len();
    }
    let blank = rest.iter().position(|byte| !b" \t\r".contains(byte));
    match blank {
        Some(blank) if rest[blank] == b'\n' => start + blank + 1,
        _ => end,
    }
}

impl JsonParser {
    /// Reads the columns of a block.
    ///
    /// If the text is to be restored byte for byte, a row can have a key twice: the last value counts. If a row is not an
    /// object, although earlier rows were, all rows of the block are read as values.
    ///
    /// # Errors
    /// For text that is not JSON, a row that is not an object, a duplicate key, or a value that does not fit its type.
    pub fn parse(&self, block: JsonBlock, scratch: &mut JsonScratch) -> Result<Columns> {
        let mut ends = Vec::new();
        let mut columns = self.columns(&block, scratch, &mut ends)?;
        if self.options.exact {
            let JsonBlock { block, head, .. } = block;
            let behind = ends.last().map_or(0, |&end| end as usize);
            columns.source = Some(SourceBlock {
                dialect: Arc::clone(&self.dialect),
                head,
                tail: block.text()[behind..].to_vec(),
                records: Records::Text { text: block, ends },
            });
        }
        Ok(columns)
    }

    fn columns(
        &self,
        block: &JsonBlock,
        scratch: &mut JsonScratch,
        ends: &mut Vec<u32>,
    ) -> Result<Columns> {
        let JsonBlock { block: text, .. } = block;
        if let Err(error) = simdutf8::compat::from_utf8(text.text()) {
            let fault = Fault {
                at: error.valid_up_to(),
                what: "this is not UTF-8",
            };
            return Err(self
                .error(text, fault)
                .hint("convert the file first, for example with iconv -f latin1 -t utf8"));
        }
        if self.options.types == Types::All {
            let exact = self.options.exact;
            let mut objects = self.objects;
            let mut paths = Paths::new(text.text(), objects, exact, scratch);
            let mut walked = self.rows(&mut paths, block, objects, ends);
            let may_be_values = [NO_OBJECT, TOO_MANY_KEYS];
            if exact && walked.is_err_and(|fault| may_be_values.contains(&fault.what)) {
                ends.clear();
                objects = false;
                paths.recycle(scratch);
                paths = Paths::new(text.text(), objects, exact, scratch);
                walked = self.rows(&mut paths, block, objects, ends);
            }
            walked.map_err(|fault| self.error(text, fault))?;
            return self.shred(paths, text, objects, scratch);
        }
        let mut rows = Rows::new(text.text(), scratch);
        self.rows(&mut rows, block, self.objects, ends)
            .map_err(|fault| self.error(text, fault))?;
        let count = rows.count;
        let keys = rows.finish();
        let names = if self.objects {
            keys
        } else {
            vec![ROW_COLUMN.to_owned()]
        };

        let spelling = Spelling {
            json: true,
            quote: Some(b'"'),
            escape: None,
            utf8: true,
            types: self.options.types,
        };
        let mut columns = Vec::with_capacity(names.len());
        let mut kept = Vec::with_capacity(names.len());
        for (name, spans) in names.into_iter().zip(&scratch.columns) {
            if self
                .options
                .columns
                .as_ref()
                .is_some_and(|wanted| !wanted.contains(&name))
            {
                continue;
            }
            let cells = Cells::new(text, spans);
            let fixed = self.options.fixed.get(&name);
            let fixed = fixed.or((!self.objects).then_some(Type::Json.into()));
            columns.push(match fixed {
                Some(ty) => typed::read(cells, &ty, spelling).map_err(|misfit| {
                    let start = cells.span(misfit.row).start as usize;
                    misfit.into_error(&ty, text.spot(start), &name)
                })?,
                None if self.options.infer == Infer::None => strings(cells, spelling),
                None => infer(cells, spelling),
            });
            kept.push(name);
        }
        Ok(Columns {
            names: kept.into(),
            columns,
            rows: count,
            origin: if self.objects {
                Origin::Objects
            } else {
                Origin::Values
            },
            edges: Vec::new(),
            source: None,
        })
    }

    /// Walks the rows of a block, and returns the ends of their records if these are needed.
    fn rows<'a>(
        &self,
        rows: &mut impl Walk<'a>,
        block: &'a JsonBlock,
        objects: bool,
        ends: &mut Vec<u32>,
    ) -> std::result::Result<(), Fault> {
        let text = block.block.text();
        let array = self.framing == Framing::Array;
        let lines = self.framing == Framing::Lines;
        let mut at = skip_space(text, 0);
        if array && !block.first && text.get(at) == Some(&b',') {
            at = skip_space(text, at + 1);
        }
        if array && at == text.len() && !(block.first && block.last) {
            return Err(no_value(at, block.last));
        }
        while at < text.len() {
            let start = at;
            let mut row = text;
            if lines {
                // Blocks end at any line, so values must end with theirs.
                let newline = memchr::memchr(b'\n', &text[at..]);
                row = &text[..newline.map_or(text.len(), |len| at + len)];
                rows.limit(row);
            }
            at = if objects {
                rows.object(at)?
            } else {
                rows.value(at)?
            };
            let end = at;
            if lines {
                at = skip_space(row, at);
                if at < row.len() {
                    let another = value_end(row, at).is_ok();
                    let what = if another { TWO_IN_LINE } else { NO_LINE_END };
                    return Err(Fault { at, what });
                }
            }
            if self.options.exact {
                let end = match self.framing {
                    Framing::Lines => (row.len() + 1).min(text.len()),
                    Framing::Values => record_end(text, end, &self.between),
                    Framing::Array => end,
                };
                ends.push(end as u32);
            }
            at = skip_space(text, at);
            // `2024-10-11` is not three numbers, and blocks end at white space and brackets only.
            if !array && at == end && at < text.len() && !matches!(text[start], b'{' | b'[') {
                let what = "expected white space after the value";
                return Err(Fault { at, what });
            }
            if array {
                match text.get(at) {
                    Some(b',') => at = skip_space(text, at + 1),
                    Some(_) => {
                        return Err(Fault {
                            at,
                            what: "expected , or ]",
                        });
                    }
                    None => break,
                }
                if at == text.len() {
                    return Err(no_value(at, block.last));
                }
            }
        }
        Ok(())
    }

    fn error(&self, block: &Block, fault: Fault) -> Error {
        let Spot { line, byte } = block.spot(fault.at);
        let error = |what: &str| Error::input(what).at_line(line, byte);
        match fault.what {
            NO_OBJECT | KEY_TWICE | TOO_MANY_KEYS => {
                error(fault.what).hint("--schema '$:json' keeps each row as one JSON value")
            }
            TWO_IN_LINE => error(TWO_IN_LINE).hint("--from json accepts several values per line"),
            what if what.contains("text ends") && self.framing == Framing::Lines => {
                error(&what.replace("text ends", "line ends"))
                    .hint("--from json accepts values that span several lines")
            }
            what => error(what),
        }
    }
}

/// The end of a block where an array goes on with a value.
fn no_value(at: usize, last: bool) -> Fault {
    let what = if last {
        "expected a value after the last comma"
    } else {
        "expected a value"
    };
    Fault { at, what }
}
