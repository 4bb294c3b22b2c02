//! Detects JSON columns that are JSON text because a string in them has half a surrogate pair.

use std::collections::BTreeSet;
use std::sync::Mutex;

use arrow_array::Array as _;
use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field};

use crate::columns::print::{ColumnPrinter, TypedCells};
use crate::schema::keys::{is_fixed, is_hidden, is_of_json, is_variant};
use crate::schema::{Type, column_name};
use crate::sync::lock;
use crate::text::json::unescape;
use crate::units::and_more;

/// The paths of such columns, in all frames so far.
#[derive(Debug, Default)]
pub struct HalfSurrogates(Mutex<BTreeSet<String>>);

impl HalfSurrogates {
    /// Looks for such columns in a batch before it is written.
    pub fn look(&self, batch: &RecordBatch) {
        if !is_of_json(batch.schema_ref().metadata()) {
            return;
        }
        let arrays = batch.columns().iter();
        let shown = arrays.zip(batch.schema_ref().fields());
        for (at, (array, field)) in shown.filter(|(_, it)| !is_hidden(it)).enumerate() {
            self.look_in(column_name(field, at), field, array);
        }
    }

    fn look_in(&self, path: String, field: &Field, array: &ArrayRef) {
        if let (DataType::Struct(fields), Some(of)) = (field.data_type(), array.as_struct_opt()) {
            let children = fields.iter().zip(of.columns());
            for (child, array) in children.filter(|(child, _)| !is_hidden(child)) {
                let inside = || format!("{path}.{}", child.name());
                let is_kind = is_variant(field);
                self.look_in(if is_kind { path.clone() } else { inside() }, child, array);
            }
        } else if Type::of(field) == Some(Type::Json)
            && !is_fixed(field)
            && !self.knows(&path)
            && let Ok(printer) = ColumnPrinter::new(array, field)
            && let TypedCells::Json(texts) = &printer.cells
            && (0..array.len()).any(|row| !printer.is_null(row) && is_half(texts.row(row)))
        {
            lock(&self.0).insert(path);
        }
    }

    fn knows(&self, path: &str) -> bool {
        lock(&self.0).contains(path)
    }

    /// A note about these columns, if there are any.
    pub fn note(&self) -> Option<String> {
        let found = lock(&self.0);
        let first = found.first()?;
        let more = and_more(found.len() - 1);
        Some(format!(
            "column {first:?}{more}: JSON text, with quotes and escapes, because a string has half a surrogate pair, \
             which text in UTF-8 cannot represent"
        ))
    }
}

/// True for a string with half a surrogate pair.
fn is_half(json: &[u8]) -> bool {
    match json {
        [b'"', inside @ .., b'"'] if memchr::memchr(b'\\', inside).is_some() => {
            unescape(inside, &mut Vec::new()).is_none()
        }
        _ => false,
    }
}
