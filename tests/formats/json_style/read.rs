//! Texts read to blocks, and blocks printed in the style of their text.

use std::io::Cursor;

use mbt::columns::TextOptions;
use mbt::columns::print::json::JsonWriter;
use mbt::error::Result;
use mbt::format::exact::{Dialect, RecordTexts, Records};
use mbt::format::frame::{Columns, FrameBuilder};
use mbt::format::input::TextWindow;
use mbt::format::json::{Flavor, JsonReader};
use mbt::format::{ByteSource, PartRows, Reader as _};
use mbt::stream::HashKind;
use mbt::text::json::JsonStyle;

pub struct Read {
    /// The text before the first row.
    pub head: Vec<u8>,
    pub blocks: Vec<Columns>,
    /// The text after the last row of an array.
    pub tail: Vec<u8>,
}

fn options() -> TextOptions {
    TextOptions {
        exact: true,
        ..TextOptions::default()
    }
}

/// Reads a text, at most `limit` rows to a block.
pub fn read(text: &[u8], flavor: Flavor, limit: Option<usize>) -> Result<Read> {
    let bytes: ByteSource = Box::new(Cursor::new(text.to_vec()));
    let mut input = TextWindow::new(bytes, 1 << 30);
    input.take_fingerprint(HashKind::Xxh3);
    let mut reader = JsonReader::open(input, flavor, options(), None)?;
    let begin = reader.begin().unwrap();
    let head = begin.source.unwrap().head.unwrap();
    let mut blocks = Vec::new();
    while let Some(part) = reader.next_part(limit)? {
        let PartRows::Untyped(columns) = part.read()? else {
            panic!("JSON has types");
        };
        blocks.push(columns);
    }
    let tail = reader.ending().unwrap().tail;
    Ok(Read { head, blocks, tail })
}

/// The style that the reader found.
pub fn style(read: &Read) -> JsonStyle {
    match &*read.blocks[0].source.as_ref().unwrap().dialect {
        Dialect::Json(style) => style.clone(),
        Dialect::Csv(_) => panic!("this is JSON"),
    }
}

/// The original text of each record.
pub fn records(block: &Columns) -> Vec<Vec<u8>> {
    let source = block.source.as_ref().unwrap();
    let Records::Text(RecordTexts { text, ends, .. }) = &source.records else {
        panic!("the reader compares nothing");
    };
    let starts = [0].into_iter().chain(ends.iter().copied());
    let range = |(start, &end): (u32, &u32)| text.text()[start as usize..end as usize].to_vec();
    starts.zip(ends).map(range).collect()
}

/// Each record as in the text and as printed, with this many blocks per frame.
pub fn printed(read: Read, frame: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let style = style(&read);
    // Frames store a style as the options in which it differs from the usual style.
    let usual = JsonStyle {
        document: style.document,
        ..JsonStyle::compact(style.array)
    };
    let options = style.options(&usual);
    let kept = JsonStyle::from_options(&usual, &options);
    assert_eq!(kept.as_ref(), Some(&style), "{options:?}");
    let mut pairs = Vec::new();
    let mut builder = FrameBuilder::default();
    let mut writer = JsonWriter::new(style, true);
    let mut stand = Vec::new();
    let blocks = read.blocks.len();
    for (at, block) in read.blocks.into_iter().enumerate() {
        stand.extend(records(&block));
        builder.push(block);
        if at % frame != frame - 1 && at < blocks - 1 {
            continue;
        }
        let frame = builder.take().finish(&self::options()).unwrap();
        for batch in frame.finish().unwrap().batches {
            let (mut out, mut ends) = (Vec::new(), Vec::new());
            writer.batch(&batch, &mut out, Some(&mut ends)).unwrap();
            assert_eq!(ends.len(), batch.num_rows());
            let starts = [0].into_iter().chain(ends.iter().copied());
            let rows = starts
                .zip(&ends)
                .map(|(start, &end)| out[start..end].to_vec());
            pairs.extend(stand.drain(..batch.num_rows()).zip(rows));
        }
    }
    assert!(stand.is_empty());
    pairs
}

/// Panics at the first record that prints differently from its text.
pub fn assert_alike(text: &[u8], flavor: Flavor, what: &str) {
    let read = read(text, flavor, None).unwrap();
    let style = style(&read);
    let options = style.options(&JsonStyle::compact(style.array));
    for (stands, prints) in printed(read, usize::MAX) {
        let (stands, prints) = [stands, prints]
            .map(|text| String::from_utf8(text).unwrap())
            .into();
        assert_eq!(stands, prints, "{what}: {options:?}");
    }
}
