//! The messages fixture and similar ones: small records such as services exchange.
//!
//! Each is a struct with serde and prost derives, so that the same rows can be written as JSON, Protobuf and
//! frames. Field order and field numbers are the same as in the published comparison.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, RecordBatch, StringArray, StructArray, UInt64Array,
};
use serde::{Deserialize, Serialize};

const TEXT: &str = "This is a test message with some content to make it realistic";

/// A record that can be one row of a batch.
pub trait Record: Sized {
    /// The rows as columns.
    fn batch(records: &[Self]) -> RecordBatch;
}

/// A chat message.
#[derive(Clone, Deserialize, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ChatMessage {
    /// Counts from 1.
    #[prost(uint64, required, tag = "1")]
    #[serde(rename = "MsgID")]
    pub msg_id: u64,
    /// One of a hundred.
    #[prost(uint64, required, tag = "2")]
    pub user: u64,
    /// Constant.
    #[prost(string, required, tag = "3")]
    pub text: String,
    /// Constant.
    #[prost(string, required, tag = "4")]
    pub lang: String,
    /// Alternates.
    #[prost(bool, required, tag = "5")]
    pub seen: bool,
}

/// Three counters.
#[derive(Clone, Deserialize, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Counter {
    /// Increases by one.
    #[prost(uint64, required, tag = "1")]
    pub count_a: u64,
    /// Repeats after 17.
    #[prost(uint64, required, tag = "2")]
    pub count_b: u64,
    /// Repeats after 91.
    #[prost(uint64, required, tag = "3")]
    pub count_c: u64,
}

/// A number and 512 bytes, which are base64 in JSON.
#[derive(Clone, Deserialize, PartialEq, prost::Message, Serialize)]
pub struct Blob {
    /// Counts from 1.
    #[prost(uint64, required, tag = "1")]
    #[serde(rename = "ID")]
    pub id: u64,
    /// One letter, repeated.
    #[prost(bytes = "vec", required, tag = "2")]
    #[serde(rename = "Payload", with = "base64")]
    pub payload: Vec<u8>,
}

/// `rows` messages.
pub fn messages(rows: usize) -> Vec<ChatMessage> {
    let rows = 0..rows as u64;
    rows.map(|row| ChatMessage {
        msg_id: row + 1,
        user: 1000 + row % 100,
        text: TEXT.to_owned(),
        lang: "en".to_owned(),
        seen: row % 2 == 0,
    })
    .collect()
}

/// `rows` counters.
pub fn counters(rows: usize) -> Vec<Counter> {
    let rows = 0..rows as u64;
    rows.map(|row| Counter {
        count_a: row + 1,
        count_b: row % 17 + 10,
        count_c: row % 91 + 1000,
    })
    .collect()
}

/// `rows` blobs.
pub fn blobs(rows: usize) -> Vec<Blob> {
    let rows = 0..rows as u64;
    rows.map(|row| Blob {
        id: row + 1,
        payload: vec![b'A' + (row % 26) as u8; 512],
    })
    .collect()
}

impl Record for ChatMessage {
    fn batch(records: &[Self]) -> RecordBatch {
        columns([
            ("MsgID", whole(records, |record| record.msg_id)),
            ("User", whole(records, |record| record.user)),
            ("Text", text(records, |record| &record.text)),
            ("Lang", text(records, |record| &record.lang)),
            ("Seen", truth(records, |record| record.seen)),
        ])
    }
}

impl Record for Counter {
    fn batch(records: &[Self]) -> RecordBatch {
        columns([
            ("CountA", whole(records, |record| record.count_a)),
            ("CountB", whole(records, |record| record.count_b)),
            ("CountC", whole(records, |record| record.count_c)),
        ])
    }
}

impl Record for Blob {
    fn batch(records: &[Self]) -> RecordBatch {
        let payloads = records.iter().map(|record| record.payload.as_slice());
        let payloads: ArrayRef = Arc::new(BinaryArray::from_iter_values(payloads));
        columns([
            ("ID", whole(records, |record| record.id)),
            ("Payload", payloads),
        ])
    }
}

pub(super) fn whole<R>(records: &[R], of: fn(&R) -> u64) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(records.iter().map(of)))
}

pub(super) fn text<R>(records: &[R], of: fn(&R) -> &String) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(records.iter().map(of)))
}

pub(super) fn truth<R>(records: &[R], of: fn(&R) -> bool) -> ArrayRef {
    let bools: Vec<bool> = records.iter().map(of).collect();
    Arc::new(BooleanArray::from(bools))
}

/// A column of structs.
pub(super) fn members<const N: usize>(members: [(&str, ArrayRef); N]) -> ArrayRef {
    Arc::new(StructArray::from(columns(members)))
}

#[expect(clippy::expect_used, reason = "all columns have the same length")]
pub(super) fn columns<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    let columns = columns.map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of equal length")
}

/// Writes bytes as base64 in JSON, like the encoders of other languages.
mod base64 {
    use ::base64::Engine as _;
    use ::base64::prelude::BASE64_STANDARD;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        BASE64_STANDARD.decode(&*text).map_err(D::Error::custom)
    }
}
