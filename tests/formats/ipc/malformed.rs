//! Broken input is refused, and neither panics nor takes memory.

use arrow_ipc::CompressionType;
use arrow_ipc::writer::StreamWriter;

use super::crate_ipc::{batches, file, stream};
use super::{answer_to_changes, try_mbt};
use crate::command::{BIN, run_with, words};

#[test]
fn cut_files_are_refused_at_every_length() {
    let whole = file(&batches()[..1], Some(CompressionType::ZSTD));
    let end = whole.len();
    for len in (0..end).step_by(7).chain(end - 12..end) {
        let args = ["convert", "--from", "arrow", "-", "--to", "csv"];
        assert!(
            try_mbt(&args, &whole[..len]).is_err(),
            "accepted a file cut at {len}"
        );
    }
}

/// Other programs read a file from its end, so what follows the first end mark may be rows to them.
#[test]
fn bytes_after_the_end_mark_of_a_file_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.arrow");
    let whole = file(&batches()[..1], None);
    for more in [&b"x"[..], &[0; 8], &whole] {
        let joined = [&whole, more].concat();
        std::fs::write(&path, &joined).unwrap();
        for input in [path.to_str().unwrap(), "-"] {
            let args = ["convert", "--from", "arrow", input, "--to", "csv"];
            let said = try_mbt(&args, &joined).unwrap_err();
            assert!(said.contains("footer"), "{said}");
        }
    }
}

#[test]
fn changed_bytes_end_in_an_answer() {
    let inputs = [
        stream(&batches(), Some(CompressionType::LZ4_FRAME)),
        file(&batches()[..1], None),
    ];
    let args = words("convert --from arrow - --to mbt --max-frame 64MiB");
    answer_to_changes(&inputs, &args);
}

#[test]
fn the_limit_holds_for_what_buffers_claim_to_hold() {
    let input = stream(&batches(), Some(CompressionType::ZSTD));
    let args = ["convert", "-", "--to", "csv", "--max-frame", "100"];
    let said = try_mbt(&args, &input).unwrap_err();
    assert!(said.contains("--max-frame"), "{said}");
}

#[test]
fn a_missing_end_marker_is_noted_once_even_without_rows() {
    let batches = batches();
    for rows in [&batches[..0], &batches[..1]] {
        let mut cut = Vec::new();
        let mut writer = StreamWriter::try_new(&mut cut, &batches[0].schema()).unwrap();
        for batch in rows {
            writer.write(batch).unwrap();
        }
        drop(writer);
        let (_, said, code) = run_with(BIN, &["convert", "-", "--to", "csv"], &cut).unwrap();
        let notes = said.matches("no end marker").count();
        assert_eq!((notes, code), (1, 0), "{said}");
    }
}
