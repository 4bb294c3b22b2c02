//! The hash of a text in the index: its value, and that it is checked.

use std::fs;

use crate::command::{BIN, mbt, run_with, words};
use crate::index_bytes::in_index;

const TEXT: &str = "a,b\n1,x\n2,y\n";
/// As sha256sum prints it.
const SHA_256: &str = "15920f3fb7c051cc15fceee84432e8803a139a9b53a4ea832c37bf1109e200cf";

#[test]
fn sha256_is_that_of_the_text_and_is_checked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    fs::write(path.join("a.csv"), TEXT).unwrap();
    for threads in ["1", "3"] {
        let args = format!("convert a.csv --hash sha256 -o a.mbt --force --threads {threads}");
        let args = words(&args);
        assert_eq!(mbt(path, &args).status.code(), Some(0));
    }
    let report = mbt(path, &["inspect", "a.mbt"]);
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(
        report.contains(&format!("SHA-256 {SHA_256}; restored byte for byte")),
        "{report}"
    );
    let report = mbt(path, &["inspect", "--json", "a.mbt"]);
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(
        report.contains(&format!("\"sha256\": \"{SHA_256}\"")),
        "{report}"
    );

    let frames = fs::read(path.join("a.mbt")).unwrap();
    let to_csv = ["convert", "-", "--to", "csv"];
    let back = run_with(BIN, &to_csv, &frames).unwrap();
    assert_eq!((back.2, &back.0[..]), (0, TEXT.as_bytes()));
    // Frames made from frames keep the hash.
    let again = words("convert - --to mbt --preset fast");
    let again = run_with(BIN, &again, &frames).unwrap();
    let back = run_with(BIN, &to_csv, &again.0).unwrap();
    assert_eq!((back.2, &back.0[..]), (0, TEXT.as_bytes()));
    assert_eq!(
        mbt(path, &["verify", "--deep", "a.mbt"]).status.code(),
        Some(0)
    );

    let digit = |at: usize| u8::from_str_radix(&SHA_256[at..at + 2], 16).unwrap();
    let hash: Vec<u8> = (0..SHA_256.len()).step_by(2).map(digit).collect();
    let mut other = hash.clone();
    other[31] ^= 1;
    let other = in_index(frames, &hash, &other);
    let (_, message, code) = run_with(BIN, &to_csv, &other).unwrap();
    assert_eq!(code, 2);
    assert!(
        message.contains(&format!("12 bytes with SHA-256 {SHA_256}")),
        "{message}"
    );
    fs::write(path.join("b.mbt"), other).unwrap();
    assert_eq!(
        mbt(path, &["verify", "--deep", "b.mbt"]).status.code(),
        Some(1)
    );
}

#[test]
fn only_frames_made_of_text_have_a_hash() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    fs::write(path.join("a.csv"), TEXT).unwrap();
    assert_eq!(
        mbt(path, &["convert", "a.csv", "-o", "a.mbt"])
            .status
            .code(),
        Some(0)
    );
    for args in [
        &["convert", "a.mbt", "--hash", "sha256", "--to", "mbt"][..],
        &["convert", "a.csv", "--hash", "sha256", "--to", "ndjson"],
        &[
            "convert", "a.csv", "--hash", "xxh3", "--wire", "1", "--to", "mbt",
        ],
    ] {
        let refused = mbt(path, args);
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        let message = String::from_utf8(refused.stderr).unwrap();
        assert!(message.contains("--hash: "), "{message}");
    }
}
