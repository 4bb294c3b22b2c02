//! Renames columns that the output cannot represent: JSON needs distinct keys, CSV headers need names that are not
//! empty, and readers of Parquet refuse files with two columns of the same name.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_schema::{FieldRef, Schema};

use crate::columns::record_batch;
use crate::error::{Error, Result};
use crate::format::exact::Dialect;
use crate::format::frame::Frame;
use crate::schema::distinct::{Renamed, Unheld, renamed_fields, renamed_inside};
use crate::schema::keys::{is_hidden, is_key};
use crate::units::counted;

/// The names of columns that a text cannot represent.
fn unheld_in_text(dialect: &Dialect) -> Unheld {
    match dialect {
        Dialect::Csv(_) => Unheld::Empty,
        // The empty key is a key like any other.
        Dialect::Json(_) => Unheld::RepeatedAndEmpty,
    }
}

/// Renames the columns of a frame if necessary. Returns these changes, and the ones that printing will make inside
/// columns.
///
/// # Errors
/// If the columns are too large for Arrow.
pub fn held_names(frame: Frame, dialect: &Dialect) -> Result<(Frame, Vec<Renamed>)> {
    let fields = frame.schema.fields();
    let inside = renamed_inside(fields);
    let (held, mut renamed) = renamed_fields(fields, unheld_in_text(dialect));
    if renamed.is_empty() {
        return Ok((frame, inside));
    }
    let is_numbered = |field: &FieldRef| field.name().is_empty() && !is_key(field);
    if fields.iter().all(|it| is_hidden(it) || is_numbered(it)) {
        // In text without a header, columns are numbered anyway, so do not report it.
        renamed.clear();
    }
    renamed.extend(inside);
    let metadata = frame.schema.metadata().clone();
    let schema = Arc::new(Schema::new_with_metadata(held, metadata));
    let batches = frame
        .batches
        .into_iter()
        .map(|batch| {
            let columns = batch.columns().to_vec();
            record_batch(Arc::clone(&schema), columns, batch.num_rows())
        })
        .collect::<std::result::Result<_, _>>()
        .map_err(Error::input)?;
    Ok((Frame { schema, batches }, renamed))
}

/// Names that are listed; more are counted.
const LISTED_NAMES: usize = 3;

/// The note about renamed columns.
pub fn note_of_names(renamed: &BTreeSet<Renamed>) -> Option<String> {
    let pairs: Vec<_> = renamed
        .iter()
        .take(LISTED_NAMES)
        .map(|(name, other)| format!("{name:?} is {other:?}"))
        .collect();
    let more = renamed.len().saturating_sub(LISTED_NAMES);
    let more = if more > 0 {
        format!(", and {more} more")
    } else {
        String::new()
    };
    (!renamed.is_empty()).then(|| {
        let columns = counted(renamed.len() as u64, "column");
        format!(
            "{columns} renamed, because the output cannot hold the name: {}{more}",
            pairs.join(", ")
        )
    })
}
