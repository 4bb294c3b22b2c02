//! Compares encoded fixtures with the published sizes.

use arrow_array::RecordBatch;
use serde::Serialize;

use super::*;
use crate::format::csv::CsvStyle;
use crate::format::exact::{Dialect, Printer};
use crate::text::json::JsonStyle;

fn json<R: Serialize>(records: &[R]) -> Vec<u8> {
    serde_json::to_vec(records).unwrap()
}

fn printed(batch: &RecordBatch) -> Vec<u8> {
    let mut out = Vec::new();
    Printer::whole(&Dialect::Json(JsonStyle::array()), batch, &mut out).unwrap();
    out
}

#[test]
fn messages_take_the_published_bytes() {
    for (rows, as_json, as_csv, as_protobuf) in [
        (100, 12_043, 7_868, 7_600),
        (1_000, 121_394, 79_419, 76_873),
        (10_000, 1_223_895, 803_920, 769_873),
    ] {
        let messages = messages(rows);
        assert_eq!(json(&messages).len(), as_json);
        let mut protobuf = Vec::new();
        prost::encoding::message::encode_repeated(1, &messages, &mut protobuf);
        assert_eq!(protobuf.len(), as_protobuf);
        let batch = ChatMessage::batch(&messages);
        let mut csv = Vec::new();
        Printer::whole(&Dialect::Csv(CsvStyle::default()), &batch, &mut csv).unwrap();
        assert_eq!(csv.len(), as_csv);
    }
}

#[test]
fn their_siblings_take_the_published_bytes() {
    assert_eq!(json(&counters(1_000)).len(), 40_894);
    assert_eq!(json(&nested(1_000)).len(), 223_394);
    assert_eq!(json(&blobs(1_000)).len(), 707_894);
}

#[test]
fn bars_are_the_published_text() {
    use sha2::{Digest as _, Sha256};
    for (rows, bytes, hash) in [
        (
            10,
            1_271,
            "bc078df8df079c53df2cd418caabe9f93284dabe6e68a162e76459e2283a3d95",
        ),
        (
            2_000,
            254_001,
            "1d2fae19c7e1bcd7fb732d8375b3513bc1d6912a044c68ae77b583662d21edaa",
        ),
    ] {
        let text = json(&bar_rows(rows));
        assert_eq!(text.len(), bytes);
        let digest = Sha256::digest(&text);
        let mut hex = Vec::new();
        crate::text::print::print_hex(&digest, &mut hex);
        assert_eq!(String::from_utf8(hex).unwrap(), hash);
        assert!(printed(&bars(rows)) == text);
    }
}

#[test]
fn columns_hold_what_rows_do() {
    assert!(printed(&ChatMessage::batch(&messages(30))) == json(&messages(30)));
    assert!(printed(&Counter::batch(&counters(30))) == json(&counters(30)));
    assert!(printed(&Nested::batch(&nested(30))) == json(&nested(30)));
    let blobs = blobs(30);
    let back: Vec<Blob> = serde_json::from_slice(&json(&blobs)).unwrap();
    assert!(back == blobs && blobs[27].payload == [b'B'; 512]);
}

#[test]
fn terms_are_all_different_and_in_order() {
    let terms = terms(1_000);
    assert!(terms.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(terms.contains(&"word9".to_owned()) && terms.contains(&"word00000008".to_owned()));
    let repeated = repeated_terms(1_000, 20_000);
    assert!(
        repeated
            .iter()
            .all(|term| terms.binary_search(term).is_ok())
    );
}
