//! `mbt convert --salvage` on frames with an intact header: damage loses only the damaged columns.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::process::Output;

use mbt::stream::FrameReader;
use serde_json::Value;

use crate::command::{mbt, stdout_of, words};

const ROWS: usize = 3000;
const FRAME_ROWS: usize = 1000;

fn told(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A pseudo-random number that depends on the row alone.
fn noise(row: usize) -> u64 {
    (row as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20
}

/// Columns of all kinds, some large enough for their own sections; `x` is null, absent, or a number.
fn ndjson() -> String {
    let mut text = String::new();
    for row in 0..ROWS {
        let x = match row % 3 {
            0 => String::new(),
            1 => "\"x\":null,".to_owned(),
            _ => format!("\"x\":{},", noise(row) % 90),
        };
        let gap = if row % 7 == 0 { "" } else { "\"gap\":true," };
        let (id, tag) = (noise(row), noise(row + ROWS));
        writeln!(
            text,
            "{{\"id\":{id},{x}{gap}\"u\":{{\"s\":\"tag {tag:x}\",\"l\":[{row},{}]}},\"w\":\"{}\"}}",
            row % 5,
            ["up", "down"][row % 2],
        )
        .unwrap();
    }
    text
}

fn csv() -> String {
    let mut text = "id,word,\"quoted, name\",price\r\n".to_owned();
    for row in 0..ROWS {
        let word = ["\"one\"", "two", "\"three, four\""][(noise(row) % 3) as usize];
        let price = noise(row) % 10_000;
        let id = if noise(row).is_multiple_of(37) {
            format!("\"{row}\"")
        } else {
            row.to_string()
        };
        writeln!(
            text,
            "{id},{word},{:x},{}.{:02}\r",
            noise(row),
            price / 100,
            price % 100
        )
        .unwrap();
    }
    text
}

/// The sections of all frames: the frame, the place of the section in the file, and the column it belongs to.
fn sections(bytes: &[u8]) -> Vec<(usize, Range<usize>, BTreeSet<String>)> {
    let mut reader = FrameReader::new(bytes, 1 << 30);
    let mut sections = Vec::new();
    while let Some(frame) = reader.next_frame().unwrap() {
        let envelope = frame.v2().unwrap();
        for (number, place) in envelope.places().enumerate() {
            let paths = envelope.columns_of_section(number).into_iter();
            let columns = paths.map(|path| {
                let end = path.find(['.', '[', '{']).unwrap_or(path.len());
                path[..end].to_owned()
            });
            let start = frame.offset as usize + place.start;
            let place = start..start + place.len();
            sections.push((frame.index as usize, place, columns.collect()));
        }
    }
    sections
}

fn rows(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The value of a missing column counts as null.
fn column<'a>(row: &'a Value, name: &str) -> &'a Value {
    row.get(name).unwrap_or(&Value::Null)
}

#[test]
fn every_section_costs_only_the_columns_that_have_bytes_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut partial = 0;
    for (name, text, options) in [
        ("a.ndjson", ndjson(), &[][..]),
        ("a.ndjson", ndjson(), &["-c", "none"]),
        ("a.csv", csv(), &["--preset", "small"]),
    ] {
        fs::write(folder.join(name), text).unwrap();
        let frame_rows = FRAME_ROWS.to_string();
        let fixed = format!("convert {name} -o a.mbt --force --frame-rows {frame_rows}");
        let fixed = words(&fixed);
        stdout_of(folder, &[&fixed[..], options].concat());
        let whole = rows(&mbt(folder, &["convert", "a.mbt", "--to", "ndjson"]));
        assert_eq!(whole.len(), ROWS);
        let names: BTreeSet<String> = whole
            .iter()
            .flat_map(|row| row.as_object().unwrap().keys().cloned())
            .collect();
        let bytes = fs::read(folder.join("a.mbt")).unwrap();
        for (frame, place, columns) in sections(&bytes) {
            let mut damaged = bytes.clone();
            damaged[usize::midpoint(place.start, place.end)] ^= 4;
            fs::write(folder.join("d.mbt"), damaged).unwrap();
            let salvaged = mbt(folder, &["convert", "d.mbt", "--salvage", "--to", "ndjson"]);
            let told = told(&salvaged);
            assert_eq!(salvaged.status.code(), Some(2), "{told}");
            let note = told.lines().next().unwrap();
            assert!(
                note.starts_with(&format!("note: d.mbt: frame {frame} is damaged (")),
                "{told}"
            );
            let found = rows(&salvaged);
            if note.contains("was skipped") {
                assert!(names.is_subset(&columns), "{told}");
                assert_eq!(found.len(), ROWS - FRAME_ROWS);
                continue;
            }
            partial += 1;
            let range = frame * FRAME_ROWS..(frame + 1) * FRAME_ROWS;
            assert!(
                note.contains(&format!(" in rows {}..{}", range.start, range.end)),
                "{told}"
            );
            assert!(
                note.ends_with("; 3 frames with 3,000 rows were kept"),
                "{told}"
            );
            for name in &names {
                let is_lost = found[range.clone()]
                    .iter()
                    .all(|row| column(row, name).is_null());
                // A column can also be grouped by one of those.
                let may_be_lost = columns.contains(name) || options == ["--preset", "small"];
                assert!(!is_lost || may_be_lost, "{name}: {told}");
                assert_eq!(
                    is_lost,
                    note.contains(&format!("{name:?}")),
                    "{name}: {told}"
                );
                for (at, (row, expected)) in found.iter().zip(&whole).enumerate() {
                    if !is_lost || !range.contains(&at) {
                        assert_eq!(column(row, name), column(expected, name), "{name}: {told}");
                    }
                }
            }
            // The remaining rows form a complete file.
            let repaired = ["convert", "d.mbt", "--salvage", "-o", "r.mbt", "--force"];
            assert_eq!(mbt(folder, &repaired).status.code(), Some(2));
            stdout_of(folder, &["verify", "--deep", "r.mbt"]);
            assert_eq!(
                rows(&mbt(folder, &["convert", "r.mbt", "--to", "ndjson"])),
                found
            );
        }
    }
    assert!(partial > 20, "{partial}");
}

#[test]
fn text_keeps_the_bytes_of_whole_frames_and_the_values_of_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = csv();
    fs::write(folder.join("a.csv"), &text).unwrap();
    let fixed = ["convert", "a.csv", "-o", "a.mbt", "--frame-rows", "1000"];
    stdout_of(folder, &fixed);
    let mut bytes = fs::read(folder.join("a.mbt")).unwrap();
    let only = BTreeSet::from(["quoted, name".to_owned()]);
    let sections = sections(&bytes);
    let (_, place, _) = sections
        .iter()
        .find(|(frame, _, columns)| *frame == 1 && *columns == only)
        .unwrap();
    bytes[place.start] ^= 1;
    fs::write(folder.join("d.mbt"), bytes).unwrap();
    let salvaged = mbt(folder, &["convert", "d.mbt", "--salvage"]);
    assert_eq!(salvaged.status.code(), Some(2));
    let told = told(&salvaged);
    let effects =
        "; column \"quoted, name\" is null, the text is in plain style in rows 1000..2000;";
    assert!(told.contains(effects), "{told}");
    let found = String::from_utf8(salvaged.stdout).unwrap();
    let lines =
        |text: &str| -> Vec<String> { text.split_inclusive('\n').map(str::to_owned).collect() };
    let (found, expected) = (lines(&found), lines(&text));
    assert_eq!(found.len(), expected.len());
    let mut restyled = 0;
    for (at, (line, whole)) in found.iter().zip(&expected).enumerate() {
        if (1001..=2000).contains(&at) {
            // Its value has neither quotes nor commas.
            let mut cells: Vec<&str> = whole.rsplitn(3, ',').collect();
            cells[1] = "";
            cells.reverse();
            let whole = cells.join(",");
            assert_eq!(line.replace('"', ""), whole.replace('"', ""));
            restyled += usize::from(*line != whole);
        } else {
            assert_eq!(line, whole);
        }
    }
    assert!(restyled > 0);
}
