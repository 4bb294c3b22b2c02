//! The style of CSV texts: a text that is read, typed, printed in the detected style, and patched
//! where records are written differently, is restored exactly.

mod corpus;
mod hand_made;
mod python;
mod random;

use std::io::Cursor;

use crate::rule::Infer;
use mbt::columns::TextOptions;
use mbt::error::Result;
use mbt::format::csv::{CsvOptions, CsvReader, CsvStyle, CsvWriter};
use mbt::format::exact::{Dialect, Records, SourceBlock, patch};
use mbt::format::frame::FrameBuilder;
use mbt::format::input::{BLOCK_BYTES, TextWindow};
use mbt::format::{ByteSource, PartRows, Reader as _};
use mbt::text::encoding::TextEncoding;

/// How to read a text.
#[derive(Clone, Debug)]
struct Ask {
    csv: CsvOptions,
    infer: Infer,
    block_bytes: usize,
    /// Blocks per frame.
    blocks: usize,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            csv: CsvOptions::default(),
            infer: Infer::Exact,
            block_bytes: BLOCK_BYTES,
            blocks: 1000,
        }
    }
}

/// A text that went through columns.
#[derive(Debug, Default)]
struct Back {
    text: Vec<u8>,
    style: Option<CsvStyle>,
    records: usize,
    /// Records that print differently: as printed, and as in the text.
    patched: Vec<(Vec<u8>, Vec<u8>)>,
    /// Names of the columns of the first frame, their types and words for null.
    columns: Vec<(String, String, Option<String>)>,
}

fn there_and_back(text: &[u8], ask: &Ask) -> Result<Back> {
    let options = TextOptions {
        exact: true,
        ..ask.infer.options()
    };
    let bytes: ByteSource = Box::new(Cursor::new(text.to_vec()));
    let mut input = TextWindow::new(bytes, 1 << 30);
    input.set_block_bytes(ask.block_bytes);
    // As `open_csv` does with --flexible, which accepts any bytes.
    input.set_encoding(TextEncoding::Utf8);
    let mut reader = CsvReader::open(input, ask.csv.clone(), &options)?;
    let begin = reader.begin().unwrap();
    let mut back = Back {
        text: begin.source.unwrap().head.unwrap(),
        ..Back::default()
    };
    let mut builder = FrameBuilder::default();
    let mut sources = Vec::new();
    loop {
        let part = reader.next_part(None)?;
        let ends = part.is_none();
        if let Some(part) = part {
            let PartRows::Untyped(mut columns) = part.read()? else {
                panic!("CSV has types");
            };
            let source = columns.source.take().unwrap();
            assert!(source.head.is_none());
            builder.push(columns);
            sources.push(source);
        }
        if ends || sources.len() == ask.blocks {
            let untyped = builder.take().finish(&options)?;
            let frame = untyped.finish()?;
            if back.columns.is_empty() {
                let fields = frame.schema.fields().iter();
                let column = |field: &std::sync::Arc<arrow_schema::Field>| {
                    let token = field.metadata().get("mbt.null").cloned();
                    (field.name().clone(), field.data_type().to_string(), token)
                };
                back.columns = fields.map(column).collect();
            }
            let mut sources = sources.drain(..);
            for (batch, source) in frame.batches.iter().zip(&mut sources) {
                let Dialect::Csv(style) = &*source.dialect else {
                    panic!("not CSV");
                };
                // The metadata names every property of a style.
                let named = Dialect::from_metadata(&source.dialect.to_metadata());
                assert_eq!(named.as_ref(), Some(&*source.dialect));
                back.style = Some(style.clone());
                let mut writer = CsvWriter::new(CsvStyle {
                    header: false,
                    ..style.clone()
                });
                let (mut printed, mut ends) = (Vec::new(), Vec::new());
                writer.batch(batch, &mut printed, Some(&mut ends))?;
                back.add(&source, &printed, &ends);
            }
            // A block of blank lines alone has no batch.
            for source in sources {
                back.text.extend_from_slice(&source.tail);
            }
        }
        if ends {
            return Ok(back);
        }
    }
}

impl Back {
    fn add(&mut self, source: &SourceBlock, printed: &[u8], ends: &[usize]) {
        let mut start = 0;
        let mut source_start = 0;
        let mut patches = match &source.records {
            Records::Compared(patches) => patches.iter().peekable(),
            Records::Text(texts) => {
                assert_eq!(texts.ends.len(), ends.len());
                [].iter().peekable()
            }
            Records::Values => panic!("everything is kept"),
        };
        for (row, &end) in ends.iter().enumerate() {
            let record = &printed[start..end];
            start = end;
            let at = self.text.len();
            match &source.records {
                Records::Values => {}
                Records::Compared(_) => {
                    let next = patches.next_if(|(at, _)| *at as usize == row);
                    if let Some((_, patch)) = next {
                        patch::apply(patch, record, &mut self.text).unwrap();
                        // The same as if printed records were compared.
                        let naive = patch::diff(record, &self.text[at..]);
                        assert_eq!(naive.as_ref(), Some(patch));
                    } else {
                        self.text.extend_from_slice(record);
                    }
                }
                Records::Text(texts) => {
                    let end = texts.ends[row] as usize;
                    let text = texts.text.text();
                    self.text.extend_from_slice(&text[source_start..end]);
                    source_start = end;
                }
            }
            if self.text[at..] != *record {
                self.patched
                    .push((record.to_vec(), self.text[at..].to_vec()));
            }
        }
        assert!(patches.next().is_none());
        self.text.extend_from_slice(&source.tail);
        self.records += ends.len();
    }
}

/// The restored text, which must be the same.
fn same(text: &[u8], ask: &Ask) -> Back {
    let back = there_and_back(text, ask).unwrap_or_else(|error| panic!("{error}: {text:?}"));
    assert!(
        back.text == text,
        "{:?} became {:?}, {ask:?} {:?}",
        String::from_utf8_lossy(text),
        String::from_utf8_lossy(&back.text),
        back.style,
    );
    back
}
