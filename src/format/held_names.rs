//! Renames columns that the output cannot represent: JSON needs distinct keys, CSV headers need names that are not
//! empty, and readers of Parquet refuse files with two columns of the same name.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use arrow_schema::{Field, FieldRef, Fields, Schema};

use crate::columns::record_batch;
use crate::error::{Error, Result};
use crate::format::exact::Dialect;
use crate::format::frame::Frame;
use crate::schema::keys::{is_hidden, is_key, is_row};
use crate::schema::{display_name, numbered_name};
use crate::units::counted;

/// A column's name, and its name in the output.
pub type Renamed = (String, String);

/// Names that a format cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unheld {
    /// Empty names.
    Empty,
    /// Names of earlier columns.
    #[cfg_attr(
        not(feature = "parquet"),
        expect(dead_code, reason = "only Parquet is like this")
    )]
    Repeated,
    /// Names of earlier columns, and empty names unless they are keys.
    RepeatedAndEmpty,
}

impl Unheld {
    /// The names that a text cannot represent.
    fn in_text(dialect: &Dialect) -> Self {
        match dialect {
            Dialect::Csv(_) => Self::Empty,
            // The empty key is a key like any other.
            Dialect::Json(_) => Self::RepeatedAndEmpty,
        }
    }
}

/// Renames fields if necessary, and returns the changes.
pub fn renamed_fields(fields: &Fields, unheld: Unheld) -> (Vec<FieldRef>, Vec<Renamed>) {
    let shown = |field: &Field| !is_hidden(field) && !is_row(field);
    let names: HashSet<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let mut taken = HashSet::new();
    let mut renamed = Vec::new();
    let mut held = Vec::with_capacity(fields.len());
    let mut position = 0;
    for field in fields {
        let name = field.name();
        if !shown(field) {
            held.push(Arc::clone(field));
            continue;
        }
        position += 1;
        let is_nameless = match unheld {
            Unheld::Empty => name.is_empty(),
            Unheld::Repeated => false,
            Unheld::RepeatedAndEmpty => name.is_empty() && !is_key(field),
        };
        let repeats = unheld != Unheld::Empty && taken.contains(name);
        if !is_nameless && !repeats {
            taken.insert(name.clone());
            held.push(Arc::clone(field));
            continue;
        }
        let base = display_name(name, position - 1);
        let is_taken = |name: &str| names.contains(name) || taken.contains(name);
        let other = if name.is_empty() && !is_taken(&base) {
            base
        } else {
            numbered_name(&base, is_taken)
        };
        taken.insert(other.clone());
        held.push(Arc::new((**field).clone().with_name(&other)));
        renamed.push((name.clone(), other));
    }
    (held, renamed)
}

/// Renames the columns of a frame if necessary, and returns the changes.
///
/// # Errors
/// If the columns are too large for Arrow.
pub fn held_names(frame: Frame, dialect: &Dialect) -> Result<(Frame, Vec<Renamed>)> {
    let fields = frame.schema.fields();
    let (held, mut renamed) = renamed_fields(fields, Unheld::in_text(dialect));
    if renamed.is_empty() {
        return Ok((frame, renamed));
    }
    let is_numbered = |field: &FieldRef| field.name().is_empty();
    if fields.iter().all(is_numbered) && !fields.iter().any(|field| is_key(field)) {
        // In text without a header, columns are numbered anyway, so do not report it.
        renamed.clear();
    }
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
