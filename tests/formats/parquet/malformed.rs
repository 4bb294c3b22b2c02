//! Broken files are refused, and neither panic nor take memory.

use std::fmt::Write as _;

use crate::ipc::{answer_to_changes, mbt, try_mbt};

/// A file of several types with a few hundred rows.
fn whole() -> Vec<u8> {
    let mut text = String::from("i,f,s,t\n");
    for row in 0..300 {
        let word = ["a", "bb", ""][row % 3];
        let (price, day) = (row * 7, row % 28 + 1);
        writeln!(text, "{row},{price}.5,{word},2024-01-{day:02}").unwrap();
    }
    let args = ["convert", "--from", "csv", "-", "--to", "parquet"];
    mbt(&args, text.as_bytes())
}

const READ: [&str; 6] = ["convert", "--from", "parquet", "-", "--to", "csv"];

#[test]
fn cut_files_are_refused_at_every_length() {
    let whole = whole();
    for len in (0..whole.len()).step_by(31).chain([whole.len() - 1]) {
        let said = try_mbt(&READ, &whole[..len]).expect_err("accepted a cut file");
        assert!(said.contains("error: <stdin>: "), "cut at {len}: {said}");
    }
}

#[test]
fn a_file_after_another_is_refused() {
    let (one, other) = (whole(), {
        let args = ["convert", "--from", "csv", "-", "--to", "parquet"];
        mbt(&args, b"i,f,s,t\n1,0.5,x,2024-01-01\n")
    });
    for (a, b) in [
        (&one, &one),
        (&other, &one),
        (&one, &other),
        (&other, &other),
    ] {
        let said = try_mbt(&READ, &[&a[..], b].concat()).expect_err("accepted two files");
        assert!(said.contains("error: <stdin>: "), "{said}");
    }
}

#[test]
fn changed_bytes_end_in_an_answer() {
    answer_to_changes(&[whole()], &READ);
}

#[test]
fn a_page_cannot_claim_more_than_the_limit() {
    let mut bytes = whole();
    // The first page follows the magic; its header begins with its type and its uncompressed size: i32 as zigzag varints,
    // each after a byte for the field.
    assert_eq!((bytes[4], bytes[6]), (0x15, 0x15));
    let len = bytes[7..].iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
    let claimed = [0xFE, 0xFF, 0xFF, 0xFF, 0x0F];
    bytes.splice(7..7 + len, claimed);
    let said = try_mbt(&READ, &bytes).unwrap_err();
    let found = said.contains("a page claims 2147483647 bytes, but --max-frame is 1073741824");
    assert!(found, "{said}");
}

#[test]
fn encrypted_files_are_named_as_such() {
    let mut bytes = whole();
    let end = bytes.len() - 1;
    bytes[end] = b'E';
    let said = try_mbt(&READ, &bytes).unwrap_err();
    assert!(
        said.contains("the file is encrypted; decrypt it first"),
        "{said}"
    );
}
