//! Speed of reading text to columns, stage by stage, on one thread; throughput in bytes of text.
//!
//! `cut` finds the borders of blocks, `values` reads the columns of the blocks, `exact` also records how the values
//! were written, and `project` turns the columns into arrays of one type. `infer` reads the cells of one column. Bars,
//! messages and nested records are the fixtures of `mbt bench`. If `MBT_BENCH_TEXT` contains a path, that file is read,
//! too.
#![allow(missing_docs, clippy::expect_used)] // criterion's macros; the data is our own

use std::hint::black_box;
use std::io::Cursor;
use std::sync::Arc;

use arrow_array::RecordBatch;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use mbt::columns::TextOptions;
use mbt::columns::infer::{Spelling, infer};
use mbt::columns::span::{Cells, Span, Spot, TextBlock};
use mbt::format::csv::{CsvOptions, CsvReader, CsvStyle};
use mbt::format::exact::{Dialect, Printer};
use mbt::format::frame::{Columns, FrameBuilder};
use mbt::format::input::TextWindow;
use mbt::format::json::{Flavor, JsonReader};
use mbt::format::{ByteSource, Part, PartRows, Reader};
use mbt::text::json::JsonStyle;
use mbt::workload::{ChatMessage, Nested, Record as _, bars, messages, nested};

const ROWS: usize = 20_000;
const MAX_RECORD: u64 = 1 << 30;

/// A text whose rows are cut into blocks.
struct Text {
    bytes: Arc<[u8]>,
    is_csv: bool,
}

impl Text {
    fn of(dialect: &Dialect, batch: &RecordBatch) -> Self {
        let mut bytes = Vec::new();
        Printer::whole(dialect, batch, &mut bytes).expect("printable types");
        let is_csv = matches!(dialect, Dialect::Csv(_));
        Self {
            bytes: bytes.into(),
            is_csv,
        }
    }

    fn cut(&self, exact: bool) -> Vec<Part> {
        let bytes: ByteSource = Box::new(Cursor::new(Arc::clone(&self.bytes)));
        let input = TextWindow::new(bytes, MAX_RECORD);
        let options = TextOptions {
            exact,
            ..TextOptions::default()
        };
        let mut reader: Box<dyn Reader> = if self.is_csv {
            let opened = CsvReader::open(input, CsvOptions::default(), &options);
            Box::new(opened.expect("CSV"))
        } else {
            let opened = JsonReader::open(input, Flavor::Lines, options, None);
            Box::new(opened.expect("NDJSON"))
        };
        std::iter::from_fn(|| reader.next_part(None).expect("valid text")).collect()
    }
}

fn parse(parts: Vec<Part>) -> Vec<Columns> {
    let parse = |part: Part| match part.read().expect("valid text") {
        PartRows::Untyped(columns) => columns,
        PartRows::Typed(_) => unreachable!("text has no types"),
    };
    parts.into_iter().map(parse).collect()
}

fn texts() -> Vec<(String, Text)> {
    let csv = Dialect::Csv(CsvStyle::default());
    let ndjson = Dialect::Json(JsonStyle::lines());
    let mut texts = vec![
        ("bars.csv".to_owned(), Text::of(&csv, &bars(ROWS))),
        ("bars.ndjson".to_owned(), Text::of(&ndjson, &bars(ROWS))),
        (
            "messages.ndjson".to_owned(),
            Text::of(&ndjson, &ChatMessage::batch(&messages(ROWS))),
        ),
        (
            "nested.ndjson".to_owned(),
            Text::of(&ndjson, &Nested::batch(&nested(ROWS))),
        ),
    ];
    if let Ok(path) = std::env::var("MBT_BENCH_TEXT") {
        let bytes = std::fs::read(&path).expect("MBT_BENCH_TEXT can be read");
        let is_csv = std::path::Path::new(&path)
            .extension()
            .is_some_and(|extension| extension == "csv");
        texts.push((
            "file".to_owned(),
            Text {
                bytes: bytes.into(),
                is_csv,
            },
        ));
    }
    texts
}

fn stages(criterion: &mut Criterion) {
    for (name, text) in texts() {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        group.throughput(Throughput::Bytes(text.bytes.len() as u64));
        group.bench_function("cut", |bencher| {
            bencher.iter_with_large_drop(|| black_box(&text).cut(false));
        });
        for (stage, exact) in [("values", false), ("exact", true)] {
            group.bench_function(stage, |bencher| {
                bencher.iter_batched(|| text.cut(exact), parse, BatchSize::LargeInput);
            });
        }
        let frame = || {
            let mut builder = FrameBuilder::default();
            for columns in parse(text.cut(false)) {
                builder.push(columns);
            }
            let frame = builder.take().finish(&TextOptions::default());
            frame.expect("rows of one kind")
        };
        group.bench_function("project", |bencher| {
            let finish = |frame: mbt::format::frame::UntypedFrame| {
                frame.finish().expect("columns that fit in memory")
            };
            bencher.iter_batched(frame, finish, BatchSize::LargeInput);
        });
        group.finish();
    }
}

/// The cell of a row.
type Cell = fn(usize) -> String;

/// The cells of one column, one after the other.
fn cells(criterion: &mut Criterion) {
    let kinds: [(&str, Cell); 8] = [
        ("one integer", |_| "100".to_owned()),
        ("integers", |row| (row * 7919 % 100_003).to_string()),
        ("prices", |row| {
            format!("{}.{:02}", row * 31 % 997, row % 100)
        }),
        ("doubles", |row| (row as f64 + 0.5).sqrt().to_string()),
        ("dates", |row| {
            format!("2024-{:02}-{:02}", row % 12 + 1, row % 28 + 1)
        }),
        ("times", |row| {
            format!("2024-01-02T{:02}:{:02}:00Z", row % 24, row % 60)
        }),
        ("words", |row| {
            ["Grand Slam", "Masters", "Challenger"][row % 3].to_owned()
        }),
        ("nothing", |_| String::new()),
    ];
    let spelling = Spelling {
        json: false,
        quote: Some(b'"'),
        escape: None,
        utf8: true,
        comma: false,
    };
    let mut group = criterion.benchmark_group("infer");
    for (name, cell) in kinds {
        let mut text = Vec::new();
        let mut spans = Vec::with_capacity(ROWS);
        for row in 0..ROWS {
            let cell = cell(row);
            spans.push(Span {
                start: text.len() as u32,
                len: cell.len() as u32,
            });
            text.extend_from_slice(cell.as_bytes());
            text.push(b'\n');
        }
        let block = TextBlock::new(&text, Spot { line: 1, byte: 1 }, b'\n');
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| infer(Cells::new(black_box(&block), &spans), spelling));
        });
    }
    group.finish();
}

criterion_group!(benches, stages, cells);
criterion_main!(benches);
