//! A few bytes that claim to be large: every command enforces the limits before it allocates memory.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, ListArray, NullArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Metadata};
use mbt::error::Kind;
use mbt::wire::choose::Preset;
use mbt::wire::v2::{EncodeOptions, Encoder, PriorFrames};

/// Appends a varint.
fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A header of `rows` rows without metadata and sections.
fn header(rows: u64, columns: &[Vec<u8>]) -> Vec<u8> {
    let mut header = Vec::new();
    varint(rows, &mut header);
    header.extend([0, 0]);
    varint(columns.len() as u64, &mut header);
    for column in columns {
        header.extend(column);
    }
    header
}

/// A column of a type, nullable or not, without metadata, and the bytes that follow.
fn column(name: &str, ty: &[u8], nullable: bool, rest: &[u8]) -> Vec<u8> {
    let mut column = vec![name.len() as u8];
    column.extend(name.as_bytes());
    column.extend(ty);
    column.extend([u8::from(nullable), 0]);
    column.extend(rest);
    column
}

const NULL: u8 = 0;
const LIST: u8 = 49;

/// Lists of nulls: one row of `items` items.
fn list_of_nulls(items: u64) -> Vec<u8> {
    let mut rest = Vec::new();
    varint(items, &mut rest);
    // The lengths are constant.
    rest.push(1);
    varint(items * 2, &mut rest);
    rest.extend(column("item", &[NULL], true, &[]));
    column("a", &[LIST], true, &rest)
}

/// An envelope of version 2 that belongs to no segment.
fn envelope(header: &[u8], packed: bool) -> Vec<u8> {
    let mut stored = Vec::new();
    if packed {
        varint(header.len() as u64, &mut stored);
        stored.extend(zstd::bulk::compress(header, 1).unwrap());
    } else {
        stored.extend(header);
    }
    let mut bytes = b"MATHLDBT".to_vec();
    bytes.extend(2_u16.to_le_bytes());
    bytes.extend(u16::from(packed).to_le_bytes());
    bytes.extend((stored.len() as u32).to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    let mut crc32 = crc32fast::Hasher::new();
    crc32.update(&bytes);
    crc32.update(&stored);
    bytes.extend(crc32.finalize().to_le_bytes());
    bytes.extend(stored);
    bytes
}

/// Every way to read `file`.
fn ways(file: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["convert", file, "--to", "csv"],
        vec!["convert", file, "--to", "ndjson"],
        vec!["convert", file, "--to", "arrow"],
        vec!["convert", file, "--to", "mbt", "--preset", "fast"],
        vec!["convert", file, "--to", "mbt", "--wire", "1"],
        vec!["convert", file, "--to", "csv", "--columns", "a"],
        vec!["convert", file, "--to", "csv", "--rows", "0..1"],
        vec!["head", file],
        vec!["inspect", file],
        vec!["inspect", file, "--frames"],
        vec!["inspect", file, "--layout"],
        vec!["verify", file, "--deep"],
        vec!["compress", file, "-c", "lz4"],
        vec!["estimate", file],
    ]
}

/// Codecs of frames are changed, and frames are listed, without reading their columns.
fn reads_columns(args: &[&str]) -> bool {
    args[0] != "compress" && !args.contains(&"--frames")
}

fn mbt(dir: &Path, args: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
    let output = command.args(args).current_dir(dir).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    (stderr, output.status.code().unwrap())
}

/// Runs the command in at most `memory` KiB of address space.
fn within(memory: u64, dir: &Path, args: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!(
        "ulimit -v {memory}; exec \"$0\" \"$@\" > /dev/null"
    ));
    command.arg(env!("CARGO_BIN_EXE_mbt")).args(args);
    let output = command.current_dir(dir).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    (stderr, output.status.code())
}

fn is_refused(stderr: &str, code: Option<i32>) -> bool {
    // verify has an exit code for damage.
    matches!(code, Some(1 | 2)) && !stderr.contains("panicked")
}

#[test]
#[cfg(target_os = "linux")]
fn a_header_that_expands_is_held_against_the_limit_in_every_command() {
    let dir = tempfile::tempdir().unwrap();
    let zeros = envelope(&vec![0; 2 << 30], true);
    assert!(zeros.len() < 300 << 10);
    fs::write(dir.path().join("zeros.mbt"), zeros).unwrap();
    // A million columns from six bytes each, and as many sections.
    let one = column("", &[NULL], true, &[]);
    let columns = header(0, &vec![one; 4 << 20]);
    fs::write(dir.path().join("columns.mbt"), envelope(&columns, true)).unwrap();
    for file in ["zeros.mbt", "columns.mbt"] {
        for mut args in ways(file) {
            if file == "columns.mbt" && !reads_columns(&args) {
                continue;
            }
            args.extend(["--max-frame", "64MiB"]);
            let (stderr, code) = within(700 << 10, dir.path(), &args);
            assert!(is_refused(&stderr, code), "{args:?}: {code:?} {stderr}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn rows_of_nothing_are_refused_beyond_two_to_the_31_cells() {
    let dir = tempfile::tempdir().unwrap();
    let most = 1_u64 << 31;
    let two = [
        column("a", &[NULL], true, &[]),
        column("b", &[NULL], true, &[]),
    ];
    let bombs = [
        ("rows.mbt", header(1 << 48, &[])),
        ("two.mbt", header(most / 3 + 1, &two)),
        ("list.mbt", header(1, &[list_of_nulls(most)])),
    ];
    for (file, header) in bombs {
        let bytes = envelope(&header, false);
        assert!(bytes.len() < 100);
        fs::write(dir.path().join(file), bytes).unwrap();
        for args in ways(file) {
            if file == "list.mbt" && !reads_columns(&args) {
                continue;
            }
            let (stderr, code) = within(700 << 10, dir.path(), &args);
            assert!(is_refused(&stderr, code), "{args:?}: {code:?} {stderr}");
        }
        let (stderr, _) = mbt(dir.path(), &["convert", file, "--to", "csv"]);
        assert!(stderr.contains("2,147,483,648 cells"), "{stderr}");
    }
    let smaller = header(most / 3, &two);
    fs::write(dir.path().join("fits.mbt"), envelope(&smaller, false)).unwrap();
    let (stderr, code) = mbt(dir.path(), &["inspect", "fits.mbt"]);
    assert_eq!(code, 0, "{stderr}");
}

#[test]
#[cfg(target_os = "linux")]
fn lists_of_nothing_count_against_the_memory_of_a_frame() {
    let dir = tempfile::tempdir().unwrap();
    let list = envelope(&header(1, &[list_of_nulls(1 << 28)]), false);
    fs::write(dir.path().join("list.mbt"), list).unwrap();
    for mut args in ways("list.mbt") {
        args.extend(["--max-frame", "256MiB"]);
        if args[0] == "inspect" || !reads_columns(&args) {
            continue;
        }
        let (stderr, code) = within(900 << 10, dir.path(), &args);
        assert!(is_refused(&stderr, code), "{args:?}: {code:?} {stderr}");
    }
}

#[test]
fn no_frame_is_written_that_the_usual_limits_refuse() {
    let encoder = Encoder::new(EncodeOptions::of(Preset::Balanced));
    let lists = |items: usize| -> (Field, ArrayRef) {
        let item = Arc::new(Field::new("item", DataType::Null, true));
        let offsets = OffsetBuffer::from_lengths([items]);
        let lists = ListArray::new(
            Arc::clone(&item),
            offsets,
            Arc::new(NullArray::new(items)),
            None,
        );
        (Field::new("a", DataType::List(item), true), Arc::new(lists))
    };
    let nulls = |rows: usize| -> (Field, ArrayRef) {
        let field = Field::new("a", DataType::Null, true);
        (field, Arc::new(NullArray::new(rows)))
    };
    let write = |(field, array): (Field, ArrayRef)| {
        let rows = array.len();
        let column = encoder
            .column(&field, vec![array], PriorFrames::default())
            .unwrap();
        let mut out = Vec::new();
        encoder.envelope(rows, &Metadata::default(), vec![column], None, &mut out)
    };
    // A single row cannot be divided.
    for (too_large, hint) in [
        (lists(1 << 27), "it has a single row"),
        (
            nulls((1 << 30) + 1),
            "write smaller frames with --frame-rows",
        ),
    ] {
        let error = write(too_large).unwrap_err();
        assert_eq!(error.kind(), Kind::Limit);
        let text = error.to_string();
        assert!(text.contains(hint), "{error}");
        assert_eq!(text.contains("--frame-rows"), hint.contains("--frame-rows"));
    }
    write(nulls(1 << 30)).unwrap();
    write(lists(1 << 26)).unwrap();
}
