//! What a reader must refuse, and what it must accept: the lists of man/mbt-format.5, "VALIDITY".
//!
//! The files in `fixtures/v2/refused` and `fixtures/v2/accepted` were written once, each with one thing that is
//! unusual; `reasons.json` says what. `tests/reader` agrees with mbt on all of them.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use arrow_schema::DataType;
use mbt::wire::encodings::{Node, sequence};
use serde_json::Value;

use crate::hand_made::{HandMade, SEGMENT, Section, envelope, index, string};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/v2")
        .join(name)
}

/// The files of a folder, each with its unusual property and a part of mbt's message.
fn files(name: &str) -> Vec<(PathBuf, String, String)> {
    let reasons = fs::read_to_string(folder(name).join("reasons.json")).unwrap();
    let reasons: Value = serde_json::from_str(&reasons).unwrap();
    let reasons = reasons.as_object().unwrap();
    let on_disk = fs::read_dir(folder(name)).unwrap();
    assert_eq!(
        on_disk.count(),
        reasons.len() + 1,
        "a file without a reason, or the reverse"
    );
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let file = |(file, reason): (&String, &Value)| {
        let path = folder(name).join(format!("{file}.mbt"));
        (path, text(&reason["why"]), text(&reason["mbt"]))
    };
    reasons.iter().map(file).collect()
}

fn run(args: &[&str], file: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
    command.args(args).arg(file).output().unwrap()
}

fn second_reader(file: &Path) -> Option<Output> {
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader");
    Command::new("python3")
        .arg("-B")
        .arg(reader)
        .arg(file)
        .output()
        .ok()
}

#[test]
fn refused_files_are_refused_for_their_reason() {
    for (file, why, says) in files("refused") {
        let shown = file.display();
        let read = run(&["convert", "--to", "ndjson"], &file);
        let message = String::from_utf8_lossy(&read.stderr).into_owned();
        assert_eq!(read.status.code(), Some(2), "{shown}, {why}: {message}");
        assert!(message.contains(&says), "{shown}, {why}: {message}");
        let deep = run(&["verify", "--deep"], &file);
        assert_eq!(deep.status.code(), Some(1), "{shown}, {why}: {deep:?}");
        if let Some(second) = second_reader(&file) {
            assert!(!second.status.success(), "{shown}, {why}: {second:?}");
        }
    }
}

#[test]
fn accepted_files_are_read_by_every_reader() {
    for (file, why, expected) in files("accepted") {
        let shown = file.display();
        let read = run(&["convert", "--to", "ndjson"], &file);
        let message = String::from_utf8_lossy(&read.stderr).into_owned();
        assert_eq!(read.status.code(), Some(0), "{shown}, {why}: {message}");
        assert_eq!(
            String::from_utf8(read.stdout).unwrap(),
            expected,
            "{shown}, {why}"
        );
        let deep = run(&["verify", "--deep"], &file);
        assert_eq!(deep.status.code(), Some(0), "{shown}, {why}: {deep:?}");
        if let Some(second) = second_reader(&file) {
            assert!(second.status.success(), "{shown}, {why}: {second:?}");
            assert_eq!(
                String::from_utf8(second.stdout).unwrap(),
                expected,
                "{shown}, {why}"
            );
        }
    }
}

const ROWS: usize = 3;
const I64: &[u8] = &[5];
/// bit-packed, base 0, width 8: the three bytes of a part.
const BYTES: &[u8] = &[3, 0, 8];

fn numbers() -> Node {
    sequence::encode(&[1, 2, 3]).unwrap()
}

/// The description of a column: `c`, its type, its flags, and the rest.
fn column(ty: &[u8], flags: u8, rest: &[u8]) -> Vec<u8> {
    let mut column = Vec::new();
    string(b"c", &mut column);
    [&column[..], ty, &[flags], rest].concat()
}

/// A frame with one column, and a section for it unless that is empty.
fn frame(column: Vec<u8>, part: &[u8]) -> HandMade {
    let mut frame = HandMade::new(ROWS);
    frame.columns.push(column);
    if !part.is_empty() {
        frame.sections.push(Section {
            codec: 0,
            first: 0,
            shares: vec![part.len()],
            stored: part.to_vec(),
        });
    }
    frame
}

/// A frame with the numbers 1, 2, 3.
fn sound() -> HandMade {
    let mut frame = HandMade::new(ROWS);
    frame.run("c", DataType::Int64, numbers());
    frame
}

/// An index that lists the frame, with other rows and another checksum if so asked.
fn listing(frame: &[u8], rows: u8, checksum: u8) -> Vec<u8> {
    let mut listed = vec![0, 1, frame.len() as u8, 40, rows];
    listed.extend([frame[24] ^ checksum, frame[25], frame[26], frame[27]]);
    index(4, 0, &listed)
}

type Written = (&'static str, &'static str, &'static str, Vec<u8>);

fn refused() -> Vec<Written> {
    let of =
        |ty: &[u8], flags, rest: &[u8], part: &[u8]| frame(column(ty, flags, rest), part).bytes();
    let mut files: Vec<Written> = Vec::new();
    let mut add = |name, why, says, bytes| files.push((name, why, says, bytes));

    let sound_bytes = sound().bytes();
    let mut changed = sound_bytes.clone();
    changed[27] ^= 1;
    add(
        "header-checksum",
        "the checksum of the header is wrong",
        "does not match its checksum",
        changed,
    );
    let mut changed = of(I64, 0, BYTES, &[1, 2, 3]);
    *changed.last_mut().unwrap() ^= 1;
    add(
        "section-checksum",
        "the checksum of a section is wrong",
        "does not match its checksum",
        changed,
    );
    add(
        "cut-short",
        "the envelope ends early",
        "cut short",
        sound_bytes[..sound_bytes.len() - 1].to_vec(),
    );
    let mut header = sound().header();
    header.push(0);
    add(
        "header-longer",
        "a byte follows the last column",
        "after its last column",
        envelope(0, 4, &header, &[]),
    );
    add(
        "column-longer",
        "a byte follows the values in a description",
        "after its values",
        of(I64, 0, &[1, 2, 0], &[]),
    );
    add(
        "column-shorter",
        "a description ends in its values",
        "cut short",
        of(I64, 0, &[1], &[]),
    );
    add(
        "part-longer",
        "a byte of a part is in no buffer",
        "in no buffer",
        of(I64, 0, BYTES, &[1, 2, 3, 4]),
    );
    add(
        "part-shorter",
        "a buffer goes beyond its part",
        "outside all sections",
        of(I64, 0, BYTES, &[1, 2]),
    );
    add(
        "number-overflow",
        "a number has a bit above the 64th",
        "more than 64 bits",
        of(
            I64,
            0,
            &[1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2],
            &[],
        ),
    );
    add(
        "number-long",
        "a number has eleven bytes",
        "more than ten bytes",
        of(
            I64,
            0,
            &[1, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0],
            &[],
        ),
    );
    let mut foreign = frame(column(I64, 0, &[1, 2]), &[1]);
    foreign.sections[0].first = 1;
    add(
        "section-of-no-column",
        "a section belongs to a column that is not there",
        "not there",
        foreign.bytes(),
    );
    add(
        "name-not-utf-8",
        "a name is not UTF-8",
        "not UTF-8",
        frame([&[1, 255][..], I64, &[0, 1, 2]].concat(), &[]).bytes(),
    );
    let mut twice = sound();
    twice.metadata = vec![
        [&[0, 1, b'k', 1][..], b"x"].concat(),
        [&[0, 1, b'k', 1][..], b"y"].concat(),
    ];
    add(
        "metadata-twice",
        "a key of metadata occurs twice",
        "occurs twice",
        twice.bytes(),
    );
    add(
        "nulls-without-null",
        "the flag for nulls, but every row is valid",
        "has none",
        of(I64, 3, &[3, 1, 2, 1, 2], &[]),
    );
    add(
        "nulls-not-allowed",
        "nulls in a column that is not nullable",
        "not nullable",
        of(I64, 2, &[0], &[]),
    );
    add(
        "validity-two",
        "validity is neither 0 nor 1",
        "neither 0 nor 1",
        of(I64, 3, &[2, 1, 4, 1, 2], &[]),
    );
    add(
        "validity-count",
        "validity has more ones than there are valid rows",
        "different number of valid rows",
        of(I64, 3, &[2, 1, 2, 1, 2], &[]),
    );
    add(
        "bool-two",
        "a bool is 2",
        "neither 0 nor 1",
        of(&[1], 0, &[1, 4], &[]),
    );
    add(
        "i8-too-large",
        "a value does not fit its type",
        "does not fit",
        of(&[2], 0, &[1, 200, 2], &[]),
    );
    add(
        "text-not-utf-8",
        "a text is not UTF-8",
        "not UTF-8",
        of(&[32], 0, &[32, 3, 1, 2], b"a\xffb"),
    );
    add(
        "unit-of-time32",
        "a time of 32 bits in microseconds",
        "invalid unit",
        of(&[18, 2], 0, &[1, 2], &[]),
    );
    add(
        "precision-0",
        "a decimal without digits",
        "invalid type",
        of(&[14, 0, 0], 0, &[1, 2], &[]),
    );
    add(
        "precision-19",
        "a decimal64 of 19 digits",
        "invalid type",
        of(&[14, 19, 0], 0, &[1, 2], &[]),
    );
    add(
        "scale",
        "a scale that is greater than the precision",
        "invalid type",
        of(&[14, 5, 6], 0, &[1, 2], &[]),
    );
    add(
        "fixed-length",
        "a fixed binary of negative length",
        "invalid length",
        of(&[38, 1], 0, &[1, 2], &[]),
    );
    add(
        "dictionary-keys",
        "a dictionary whose keys are floats",
        "must be integers",
        of(&[53, 12], 0, &[1, 1, 0, 0, 5, 0, 1, 2], &[]),
    );
    add(
        "dictionary-entry",
        "an entry that the dictionary does not have",
        "out of range",
        of(&[53, 4], 0, &[1, 1, 2, 0, 5, 0, 1, 2], &[]),
    );
    add(
        "list-items",
        "lists with more items than there are",
        "wrong number of items",
        of(&[49], 0, &[2, 1, 2, 0, 5, 0, 1, 2], &[]),
    );
    add(
        "list-negative",
        "a list of negative length",
        "negative length",
        of(&[49], 0, &[0, 1, 1, 0, 5, 0], &[]),
    );
    add(
        "encoding-of-other-kind",
        "an encoding of strings for integers",
        "is not for",
        of(I64, 0, &[32, 3, 1, 2], b"abc"),
    );
    add(
        "bit-width",
        "packed bits of 65 bits",
        "invalid width",
        of(I64, 0, &[3, 0, 65], &[0; 25]),
    );
    add(
        "code-range",
        "a code beyond the entries of a run",
        "",
        of(I64, 0, &[7, 1, 1, 2, 1, 2], &[]),
    );
    add(
        "position-range",
        "an exception beyond the end of the run",
        "",
        of(I64, 0, &[8, 0, 1, 1, 6, 1, 2], &[]),
    );
    add(
        "run-lengths",
        "lengths that are not the run",
        "",
        of(I64, 0, &[6, 1, 1, 2, 1, 4], &[]),
    );
    add(
        "grouped-by-itself",
        "a column that is grouped by itself",
        "cannot be a grouping key",
        of(I64, 16, &[0, 1, 2], &[]),
    );
    add(
        "grouped-by-none",
        "a column that is grouped by one that is not there",
        "cannot be a grouping key",
        of(I64, 16, &[4, 1, 2], &[]),
    );
    add(
        "statistics",
        "sevens with statistics of 100 to 105",
        "as the header says",
        of(I64, 4, &[0, 200, 1, 10, 1, 14], &[]),
    );
    add(
        "statistics-wide",
        "statistics that are wider than the values",
        "as the header says",
        of(I64, 4, &[0, 12, 4, 1, 14], &[]),
    );
    add(
        "statistics-of-nested",
        "statistics of a struct",
        "as the header says",
        of(&[48], 4, &[0, 2, 0, 0], &[]),
    );

    let promised = |frame: &mut HandMade| {
        frame.flags |= SEGMENT;
        frame.bytes()
    };
    let bytes = promised(&mut sound());
    add(
        "no-end",
        "the stream stops without its end",
        "without its end",
        bytes.clone(),
    );
    add(
        "end-rows",
        "the end lists another number of rows",
        "",
        [&bytes[..], &listing(&bytes, 4, 0)].concat(),
    );
    add(
        "end-frame",
        "the end lists another frame",
        "",
        [&bytes[..], &listing(&bytes, 3, 1)].concat(),
    );
    let end = listing(&bytes, 3, 0);
    add(
        "frame-missing",
        "the end lists a frame that is not there",
        "",
        [&sound_bytes[..], &end, &end].concat(),
    );
    let mut damaged = end.clone();
    damaged[12] ^= 64;
    add(
        "end-damaged",
        "the end is damaged",
        "is damaged",
        [&bytes[..], &damaged].concat(),
    );
    let mut elsewhere = end.clone();
    elsewhere[0] = 0x5d;
    add(
        "end-elsewhere",
        "an index of this version in the frame of older ones",
        "is damaged",
        [&bytes[..], &elsewhere].concat(),
    );
    add(
        "bytes-after",
        "bytes follow that are not a frame",
        "",
        [&bytes[..], &end, b"hello"].concat(),
    );
    files
}

fn accepted() -> Vec<Written> {
    let of =
        |ty: &[u8], flags, rest: &[u8], part: &[u8]| frame(column(ty, flags, rest), part).bytes();
    let ones = "{\"c\":1}\n{\"c\":2}\n{\"c\":3}\n";
    let mut files: Vec<Written> = Vec::new();
    let mut add = |name, why, text, bytes| files.push((name, why, text, bytes));
    add(
        "number-padded",
        "a number that is longer than it needs to be",
        "{\"c\":1}\n{\"c\":1}\n{\"c\":1}\n",
        of(I64, 0, &[1, 130, 128, 128, 0], &[]),
    );
    add(
        "unused-bits",
        "unused bits of packed bits are 1",
        "{\"c\":1}\n{\"c\":0}\n{\"c\":1}\n",
        of(I64, 0, &[3, 0, 1], &[0b1111_1101]),
    );
    add(
        "flag-without-nulls",
        "a nullable column without nulls",
        ones,
        of(I64, 1, &[2, 2, 2], &[]),
    );
    add(
        "decimal-digits",
        "a decimal with more digits than its precision",
        "{\"c\":10.00}\n{\"c\":10.00}\n{\"c\":10.00}\n",
        of(&[14, 2, 2], 0, &[1, 208, 15], &[]),
    );
    add(
        "entries-twice",
        "a dictionary with equal entries and one that is not used",
        "{\"c\":7}\n{\"c\":7}\n{\"c\":7}\n",
        of(&[53, 4], 0, &[3, 2, 0, 2, 0, 5, 0, 1, 14], &[]),
    );
    let end = |flags, more: &[u8]| {
        let mut frame = sound();
        frame.flags |= SEGMENT;
        let frame = frame.bytes();
        let mut listed = vec![0, 1, frame.len() as u8, 40, 3];
        listed.extend(&frame[24..28]);
        listed.extend(more);
        [frame, index(4, flags, &listed)].concat()
    };
    add("end", "an end", ones, end(0, &[]));
    add(
        "end-with-others",
        "an end with strings that only newer versions know",
        ones,
        end(0x50, &[1, 9, 0]),
    );
    let skippable = [0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2];
    add(
        "skippable",
        "a skippable frame between frames",
        ones,
        [&end(0, &[])[..], &skippable].concat(),
    );
    let mut optional = sound();
    optional.flags |= 0x8000;
    optional.minor = 200;
    add(
        "optional-feature",
        "a feature that need not be known, of a newer minor version",
        ones,
        optional.bytes(),
    );
    let mut archive = sound();
    archive.metadata = vec![vec![99, 1, b'x']];
    add(
        "newer-key",
        "a metadata key of a newer version",
        ones,
        archive.bytes(),
    );
    files
}

/// Keeps existing files: released files are never rewritten.
#[test]
#[ignore = "writes what is missing in fixtures/v2/refused and fixtures/v2/accepted"]
fn write_refused_and_accepted() {
    for (name, written) in [("refused", refused()), ("accepted", accepted())] {
        fs::create_dir_all(folder(name)).unwrap();
        let mut reasons = serde_json::Map::new();
        for (file, why, says, bytes) in written {
            let entry = serde_json::json!({ "why": why, "mbt": says });
            assert!(reasons.insert(file.to_owned(), entry).is_none(), "{file}");
            let path = folder(name).join(format!("{file}.mbt"));
            if !path.exists() {
                File::create_new(path).unwrap().write_all(&bytes).unwrap();
            }
        }
        let lines = reasons
            .iter()
            .map(|(file, reason)| format!("  \"{file}\": {reason}"));
        let lines: Vec<_> = lines.collect();
        let path = folder(name).join("reasons.json");
        fs::write(path, format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
    }
}
