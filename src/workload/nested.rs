//! The nested fixture: messages in which each field is an object with a value and, usually, metadata.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use serde::{Deserialize, Serialize};

use super::messages::{Record, columns, members, text, truth, whole};

/// A message, with fields in alphabetical order as encoders of maps write them.
#[derive(Clone, Deserialize, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Nested {
    /// Constant, without metadata.
    #[prost(message, required, tag = "1")]
    pub lang: PlainText,
    /// Counts from 1.
    #[prost(message, required, tag = "2")]
    #[serde(rename = "MsgID")]
    pub msg_id: NumberField,
    /// Alternates.
    #[prost(message, required, tag = "3")]
    pub seen: BoolField,
    /// Constant.
    #[prost(message, required, tag = "4")]
    pub text: TextField,
    /// One of a hundred.
    #[prost(message, required, tag = "5")]
    pub user: NumberField,
}

/// A string without metadata.
#[derive(Clone, Deserialize, PartialEq, prost::Message, Serialize)]
pub struct PlainText {
    /// The string.
    #[prost(string, required, tag = "1")]
    pub value: String,
}

/// A string with metadata.
#[derive(Clone, Deserialize, PartialEq, prost::Message, Serialize)]
pub struct TextField {
    /// The metadata.
    #[prost(message, required, tag = "1")]
    pub meta: Meta,
    /// The string.
    #[prost(string, required, tag = "2")]
    pub value: String,
}

/// A number with metadata.
#[derive(Clone, Deserialize, PartialEq, prost::Message, Serialize)]
pub struct NumberField {
    /// The metadata.
    #[prost(message, required, tag = "1")]
    pub meta: Meta,
    /// The number.
    #[prost(uint64, required, tag = "2")]
    pub value: u64,
}

/// A bool with metadata.
#[derive(Clone, Deserialize, PartialEq, prost::Message, Serialize)]
pub struct BoolField {
    /// The metadata.
    #[prost(message, required, tag = "1")]
    pub meta: Meta,
    /// The bool.
    #[prost(bool, required, tag = "2")]
    pub value: bool,
}

/// Metadata: one of four words, each under its own key.
#[derive(Clone, Deserialize, PartialEq, prost::Message, Serialize)]
pub struct Meta {
    /// Of `MsgID`.
    #[prost(string, optional, tag = "1")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source: Option<String>,
    /// Of `Seen`.
    #[prost(string, optional, tag = "2")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hint: Option<String>,
    /// Of `TextField`.
    #[prost(string, optional, tag = "3")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub locale: Option<String>,
    /// Of `User`.
    #[prost(string, optional, tag = "4")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub role: Option<String>,
}

/// `rows` nested messages.
pub fn nested(rows: usize) -> Vec<Nested> {
    let some = |word: &str| Some(word.to_owned());
    let rows = 0..rows as u64;
    rows.map(|row| Nested {
        lang: PlainText {
            value: "en".to_owned(),
        },
        msg_id: NumberField {
            meta: Meta {
                source: some("msg"),
                ..Meta::default()
            },
            value: row + 1,
        },
        seen: BoolField {
            meta: Meta {
                hint: some("bool"),
                ..Meta::default()
            },
            value: row % 2 == 0,
        },
        text: TextField {
            meta: Meta {
                locale: some("en"),
                ..Meta::default()
            },
            value: "Nested map payload".to_owned(),
        },
        user: NumberField {
            meta: Meta {
                role: some("tester"),
                ..Meta::default()
            },
            value: 1000 + row % 100,
        },
    })
    .collect()
}

impl Record for Nested {
    fn batch(records: &[Self]) -> RecordBatch {
        let meta = |key: &str, of: fn(&Self) -> &Option<String>| -> ArrayRef {
            let words = records.iter().map(|record| of(record).as_deref());
            members([(key, Arc::new(words.collect::<StringArray>()))])
        };
        let lang = members([("value", text(records, |record| &record.lang.value))]);
        let msg_id = members([
            ("meta", meta("source", |record| &record.msg_id.meta.source)),
            ("value", whole(records, |record| record.msg_id.value)),
        ]);
        let seen = members([
            ("meta", meta("hint", |record| &record.seen.meta.hint)),
            ("value", truth(records, |record| record.seen.value)),
        ]);
        let texts = members([
            ("meta", meta("locale", |record| &record.text.meta.locale)),
            ("value", text(records, |record| &record.text.value)),
        ]);
        let user = members([
            ("meta", meta("role", |record| &record.user.meta.role)),
            ("value", whole(records, |record| record.user.value)),
        ]);
        columns([
            ("Lang", lang),
            ("MsgID", msg_id),
            ("Seen", seen),
            ("Text", texts),
            ("User", user),
        ])
    }
}
