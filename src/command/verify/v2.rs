//! Checks an envelope of version 2.

use arrow_array::{Array, RecordBatch};
use arrow_schema::Field;

use crate::columns::lists::children;
use crate::columns::print::Slices;
use crate::error::Error;
use crate::schema::{EXTENSION_NAME, JSON_EXTENSION, child_fields, child_path};
use crate::units::counted;
use crate::wire::v1::is_not_json;
use crate::wire::v2::Envelope;

/// A fault, its kind, and the affected columns.
pub struct EnvelopeFault {
    /// The kind, as in a finding.
    pub kind: &'static str,
    /// The error with its place.
    pub error: Error,
    /// The paths of the columns.
    pub columns: Vec<String>,
}

impl EnvelopeFault {
    /// A fault whose error names the column.
    pub fn new(kind: &'static str, error: Error) -> Self {
        Self {
            kind,
            columns: error.place().column.iter().cloned().collect(),
            error,
        }
    }
}

/// The sections that do not match their checksum, with their columns.
pub fn sections(envelope: &Envelope, bytes: &[u8]) -> Vec<EnvelopeFault> {
    envelope
        .damaged_sections(bytes)
        .into_iter()
        .map(|section| {
            let place = envelope.places().nth(section).unwrap_or_default();
            let what = format!("section {section} does not match its checksum");
            EnvelopeFault {
                kind: "payload",
                error: Error::corrupt(what).at_byte(place.start as u64),
                columns: envelope.columns_of_section(section),
            }
        })
        .collect()
}

/// Columns of JSON text with invalid values.
pub fn not_json(batch: &RecordBatch) -> Vec<EnvelopeFault> {
    let mut faults = Vec::new();
    let fields = batch.schema_ref().fields().iter();
    for (field, array) in fields.zip(batch.columns()) {
        look_for_json(field, array.as_ref(), field.name(), &mut faults);
    }
    faults
}

fn look_for_json(field: &Field, array: &dyn Array, path: &str, faults: &mut Vec<EnvelopeFault>) {
    let extension = field.metadata().get(EXTENSION_NAME);
    let is_json = extension.is_some_and(|name| name == JSON_EXTENSION);
    let texts = Slices::of(array).filter(|texts| is_json && texts.is_utf8());
    let wrong = texts.map_or(0, |texts| {
        let valid = (0..array.len()).filter(|&row| array.is_valid(row));
        valid.filter(|&row| is_not_json(texts.row(row))).count()
    });
    if wrong > 0 {
        let error = Error::corrupt(format!("{} not valid JSON", counted(wrong as u64, "value")));
        faults.push(EnvelopeFault::new("not_json", error.in_column(path)));
    }
    let data_type = array.data_type();
    let inner = child_fields(data_type).into_iter().zip(children(array));
    for (at, (field, array)) in inner.enumerate() {
        let path = child_path(data_type, path, field, at);
        look_for_json(field, &array, &path, faults);
    }
}
