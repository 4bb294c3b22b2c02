//! Real files: the restored cells are those that Python's csv module reads.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use mbt::columns::TextOptions;
use mbt::format::Format;
use mbt::format::csv::{CsvStyle, CsvWriter};
use mbt::pipeline::{self, FrameSize, PipelineOptions, Source};

fn to_csv_and_back(path: &Path, size: FrameSize) -> (Vec<u8>, String) {
    let source = Source {
        path: path.into(),
        bytes: Box::new(std::fs::File::open(path).unwrap()),
        file: None,
        format: Format::Csv.into(),
    };
    let options = PipelineOptions::all(TextOptions::default(), size, 1 << 30);
    let mut out = Vec::new();
    let mut kinds = String::new();
    let mut writer = CsvWriter::new(CsvStyle::default());
    pipeline::frames(vec![source], &options, |frame| {
        if out.is_empty() {
            writer.header(&frame.schema, &mut out);
            for field in frame.schema.fields() {
                writeln!(
                    kinds,
                    "  {} {} {:?}",
                    field.name(),
                    field.data_type(),
                    field.metadata()
                )
                .unwrap();
            }
        }
        for batch in &frame.batches {
            writer.batch(batch, &mut out, None)?;
        }
        Ok(())
    })
    .unwrap();
    (out, kinds)
}

const SAME: &str = "
import csv, sys
csv.field_size_limit(1 << 30)
one, other = (open(name, newline='', encoding='utf8', errors='surrogateescape') for name in sys.argv[1:3])
rows = 0
for a, b in zip(csv.reader(one), csv.reader(other), strict=True):
    rows += 1
    assert a == b, (rows, a, b)
print(rows)
";

/// `MBT_CORPUS=dir cargo test --test formats forms -- --ignored --nocapture`
#[test]
#[ignore = "needs a directory of CSV files in MBT_CORPUS"]
fn every_cell_of_a_corpus_comes_back() {
    let dir = std::env::var_os("MBT_CORPUS").unwrap();
    let mut paths: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        for size in [FrameSize::Whole, FrameSize::Rows(1000)] {
            let whole = matches!(size, FrameSize::Whole);
            let (csv, kinds) = to_csv_and_back(&path, size);
            if whole {
                println!("{}\n{kinds}", path.display());
            }
            let copy = std::env::temp_dir().join("mbt-forms-copy.csv");
            std::fs::write(&copy, csv).unwrap();
            let output = Command::new("python3")
                .args(["-c", SAME])
                .arg(&path)
                .arg(&copy)
                .output()
                .unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {error}", path.display());
        }
    }
}
