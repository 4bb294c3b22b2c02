//! Makes columns directly from cells, in blocks of any size.

use crate::rule::Infer;
use arrow_array::ArrayRef;
use arrow_schema::Field;
use mbt::columns::cast::{Provenance, Target, cast_column};
use mbt::columns::infer::{Spelling, infer};
use mbt::columns::print;
use mbt::columns::project::project;
use mbt::columns::span::{Cells, Span, Spot, TextBlock};
use mbt::columns::typed;
use mbt::schema::FixedType;

/// One column in one frame.
pub struct Read {
    pub field: Field,
    pub blocks: Vec<ArrayRef>,
}

/// Reads cells of CSV or values of JSON as in the text; `cuts` are rows at which a new block
/// begins.
pub fn read(cells: &[String], cuts: &[usize], rule: Infer, json: bool) -> Read {
    let mut blocks = Vec::new();
    let mut from = 0;
    for to in cuts.iter().copied().chain([cells.len()]) {
        let mut text = String::from(" ");
        let mut spans = Vec::new();
        for cell in &cells[from..to] {
            spans.push(Span {
                start: text.len() as u32,
                len: cell.len() as u32,
            });
            text += cell;
            text.push(',');
        }
        let block = TextBlock::new(text.as_bytes(), Spot { line: 1, byte: 1 }, b'\n');
        let spelling = Spelling {
            json,
            quote: Some(b'"'),
            escape: None,
            utf8: true,
            comma: false,
        };
        blocks.push(infer(Cells::new(&block, &spans), spelling));
        from = to;
    }
    let projection = project("x", &mut blocks, None, rule != Infer::None, json);
    let mut field = projection.field().clone();
    let mut blocks = projection.arrays(blocks);
    if rule == Infer::Values {
        let from = if json {
            Provenance::Json
        } else {
            Provenance::Csv
        };
        let cast = cast_column(&field.into(), blocks, Target::Values, from).unwrap();
        field = cast.0.as_ref().clone();
        blocks = cast.1;
    }
    Read { field, blocks }
}

/// Reads cells of CSV as a type that the user fixed; `None` if one does not fit.
pub fn read_as(cells: &[String], ty: &FixedType) -> Option<Read> {
    let mut text = String::from(" ");
    let mut spans = Vec::new();
    for cell in cells {
        spans.push(Span {
            start: text.len() as u32,
            len: cell.len() as u32,
        });
        text += cell;
    }
    let block = TextBlock::new(text.as_bytes(), Spot { line: 1, byte: 1 }, b'\n');
    let spelling = Spelling {
        json: false,
        quote: Some(b'"'),
        escape: None,
        utf8: true,
        comma: false,
    };
    let column = typed::read(Cells::new(&block, &spans), ty, spelling).ok()?;
    let mut blocks = vec![column];
    let projection = project("x", &mut blocks, Some(ty), true, false);
    Some(Read {
        field: projection.field().clone(),
        blocks: projection.arrays(blocks),
    })
}

impl Read {
    /// The cells, `None` for null.
    pub fn cells(&self) -> Vec<Option<String>> {
        let mut cells = Vec::new();
        for array in &self.blocks {
            let column = print::ColumnPrinter::new(array.as_ref(), &self.field).unwrap();
            for row in 0..array.len() {
                cells.push((!column.is_null(row)).then(|| {
                    let mut out = Vec::new();
                    column.cells.print(row, &mut out);
                    String::from_utf8(out).unwrap()
                }));
            }
        }
        cells
    }

    /// The cells as in CSV.
    pub fn csv(&self) -> Vec<String> {
        let null = self.field.metadata().get("mbt.null");
        let null = null.cloned().unwrap_or_default();
        let cells = self.cells().into_iter();
        cells
            .map(|cell| cell.unwrap_or_else(|| null.clone()))
            .collect()
    }

    /// Type, form and word for null as one string.
    pub fn kind(&self) -> String {
        let metadata = self.field.metadata();
        let mut kind = self.field.data_type().to_string();
        for key in ["mbt.form", "mbt.null"] {
            if let Some(value) = metadata.get(key) {
                kind.extend([" ", &key[4..], "=", value]);
            }
        }
        kind
    }
}
