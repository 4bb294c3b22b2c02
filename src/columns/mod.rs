//! Columns: reading them from text, choosing types, and casting between types.
//!
//! [`infer`] turns the cells of a column ([`span`]) into the narrowest exact [`mod@column`], [`project`]
//! and [`nested`] turn the columns of many blocks into arrays of one type.

pub mod cast;
pub mod column;
pub mod dictionaries;
pub mod dictionary_room;
pub mod infer;
pub mod json_text;
pub mod lists;
pub mod nested;
pub mod place;
pub mod print;
pub mod project;
pub mod shred;
pub mod slots;
pub mod span;
pub mod statistics;
pub mod typed;
pub mod value;
pub mod zeroed;

use std::collections::HashSet;
use std::fmt::Display;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, SchemaRef};

use crate::error::{Error, Result};
use crate::schema::choice::ColumnChoice;
use crate::schema::path::{Path, no_column};
use crate::schema::selection::OutputColumn;
use crate::schema::{FixedTypes, ROW_COLUMN};

/// A batch of `rows` rows, even if it has no columns.
///
/// # Errors
/// If the columns do not fit the schema.
pub fn record_batch(
    schema: SchemaRef,
    columns: Vec<ArrayRef>,
    rows: usize,
) -> std::result::Result<RecordBatch, ArrowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, columns, &options)
}

/// Size of the values of an array in bytes, however much memory is reserved for them.
pub fn value_bytes(array: &ArrayRef) -> usize {
    if let Some(width) = array.data_type().primitive_width() {
        return array.len() * width + array.nulls().map_or(0, |nulls| nulls.len().div_ceil(8));
    }
    let bytes = array.to_data().get_slice_memory_size();
    bytes.unwrap_or_else(|_| array.get_array_memory_size())
}

/// The same without the slots of nulls, which take no space when they are printed.
pub fn printed_bytes(array: &ArrayRef) -> usize {
    if let Some(members) = array.as_struct_opt() {
        return members.columns().iter().map(printed_bytes).sum();
    }
    let slot = match array.data_type() {
        DataType::Utf8 | DataType::Binary | DataType::List(_) | DataType::Map(..) => 4,
        DataType::LargeUtf8 | DataType::LargeBinary | DataType::LargeList(_) => 8,
        other => other.primitive_width().unwrap_or(0),
    };
    value_bytes(array).saturating_sub(slot * array.null_count())
}

/// The error for columns that are too large for Arrow.
pub fn cannot_hold(error: impl Display) -> Error {
    Error::limit(format!("cannot hold the columns: {error}"))
}

/// Options for the columns of a text.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent wishes")]
pub struct TextOptions {
    /// True if columns get the narrowest exact type; otherwise every cell stays text.
    pub infer: bool,
    /// True if the text must be restorable byte for byte.
    pub exact: bool,
    /// Types fixed by the user.
    pub fixed: FixedTypes,
    /// The selected columns; `None` for all.
    pub columns: Option<Arc<ColumnChoice>>,
    /// True if the input has these columns, but perhaps not in every frame.
    pub some_frames_lack_columns: bool,
    /// True if a selected column `$` holds whole rows, even of frames that have the members of objects as columns instead;
    /// otherwise, `$` is one of these members.
    pub makes_whole_rows: bool,
    /// Columns used by a condition, which are always read.
    pub looked_at: Vec<LookedAt>,
}

/// A column, or a value inside one, used by a condition.
#[derive(Clone, Debug)]
pub struct LookedAt {
    /// Its name.
    pub path: Path,
    /// True if the name may be meant as text, so that the column need not exist.
    pub is_operand: bool,
}

impl Default for TextOptions {
    /// All columns with inferred types, without restoring the text.
    fn default() -> Self {
        Self {
            infer: true,
            exact: false,
            fixed: FixedTypes::default(),
            columns: None,
            some_frames_lack_columns: false,
            makes_whole_rows: true,
            looked_at: Vec::new(),
        }
    }
}

impl TextOptions {
    /// The selected columns in their order; `None` for all.
    pub fn selected(&self) -> Option<&[OutputColumn]> {
        self.columns.as_ref().map(|choice| choice.columns())
    }

    /// True if the selection starts with all of these columns, not moved or renamed.
    pub fn starts_with_all(&self, names: &[String]) -> bool {
        let Some(selected) = self.selected() else {
            return true;
        };
        let selected = selected.iter().map(OutputColumn::as_whole);
        selected
            .take(names.len())
            .eq(names.iter().map(|name| Some(&name[..])))
    }

    /// True if no column is omitted, moved or renamed; `names` are the displayed names of the input's columns.
    pub fn keeps_all<N: AsRef<str>>(&self, names: impl IntoIterator<Item = N>) -> bool {
        let Some(choice) = &self.columns else {
            return true;
        };
        let mut selected = choice.columns().iter();
        let is_next = |name: N| {
            let next = selected.next();
            next.is_some_and(|it| it.name == name.as_ref() && !it.is_renamed())
        };
        names.into_iter().all(is_next) && selected.next().is_none()
    }

    /// True if only unchanged columns are selected.
    pub fn keeps_wholes(&self) -> bool {
        self.columns.as_ref().is_none_or(|it| it.are_wholes())
    }

    /// True if the column is selected unchanged.
    pub fn keeps(&self, name: &str) -> bool {
        let choice = self.columns.as_ref();
        choice.is_none_or(|choice| choice.has_unchanged(name))
    }

    /// True if the column or something in it is selected.
    pub fn selects(&self, name: &str) -> bool {
        let choice = self.columns.as_ref();
        choice.is_none_or(|choice| choice.has_any_of(name))
    }

    /// True if whole rows are selected.
    pub fn selects_whole_rows(&self) -> bool {
        self.columns.is_some() && self.makes_whole_rows && self.selects(ROW_COLUMN)
    }

    /// True if the column is selected, or used by a condition.
    pub fn reads(&self, name: &str) -> bool {
        self.selects(name) || self.looked_at.iter().any(|it| it.path.begins_with(name))
    }

    /// The positions of the selected columns, in their order if only unchanged columns are selected; `names` are the
    /// displayed names of the input's columns.
    pub fn selected_places<N: AsRef<str>>(&self, names: &[N]) -> Vec<usize> {
        match &self.columns {
            Some(choice) if choice.are_wholes() => choice.places_of_wholes(names),
            _ => (0..names.len())
                .filter(|&at| self.selects(names[at].as_ref()))
                .collect(),
        }
    }

    /// The positions of the columns to read: the selected ones, then the ones that only a condition uses.
    pub fn places_to_read(&self, names: &[String]) -> Vec<usize> {
        let mut places = self.selected_places(names);
        let only_read = |at: &usize| !self.selects(&names[*at]) && self.reads(&names[*at]);
        places.extend((0..names.len()).filter(only_read));
        places
    }

    /// The first names of all paths that are selected or used by a condition.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let selected = self.selected().unwrap_or_default();
        selected
            .iter()
            .map(|it| &it.path)
            .chain(self.looked_at.iter().map(|it| &it.path))
            .filter_map(|path| Some(path.steps().first()?.as_name()?.to_owned()))
    }

    /// Checks that every selected column is among `known` (displayed names).
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] with the existing names.
    pub fn require_selected(&self, known: &[String]) -> Result<()> {
        let wholes: HashSet<&str> = known.iter().map(String::as_str).collect();
        let is_there = |it: &OutputColumn| {
            it.as_whole().is_some_and(|name| wholes.contains(name))
                || known.iter().any(|known| it.path.begins_with(known))
        };
        let missing = self
            .selected()
            .and_then(|columns| columns.iter().find(|it| !is_there(it)));
        missing.map_or(Ok(()), |column| {
            Err(no_column(&column.path.to_string(), known).of_option("--columns"))
        })
    }

    /// Checks that every column whose type the user chose is among `known` (displayed names).
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] with the existing names.
    pub fn require_fixed(&self, known: &[String]) -> Result<()> {
        let mut fixed = self.fixed.names();
        let missing = fixed.find(|name| !known.iter().any(|known| known == name));
        missing.map_or(Ok(()), |name| {
            Err(no_column(name, known).of_option("--schema"))
        })
    }

    /// Checks that every column that the user names is among `known` (displayed names).
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] with the existing names.
    pub fn require_columns(&self, known: &[String]) -> Result<()> {
        if !self.some_frames_lack_columns {
            self.require_selected(known)?;
        }
        self.require_fixed(known)?;
        let is_known = |it: &LookedAt| known.iter().any(|known| it.path.begins_with(known));
        match self
            .looked_at
            .iter()
            .find(|it| !it.is_operand && !is_known(it))
        {
            Some(it) => Err(no_column(&it.path.to_string(), known).of_option("--where")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array};

    use super::{printed_bytes, value_bytes};

    #[test]
    fn reserved_memory_is_not_counted() {
        let mut values = Vec::with_capacity(10_000);
        values.extend(0..100_i64);
        let array: ArrayRef = Arc::new(Int64Array::from(values));
        assert_eq!(value_bytes(&array), 800);
        assert_eq!(value_bytes(&array.slice(20, 5)), 40);
        let nulls: Int64Array = (0..100).map(|n| (n % 10 == 0).then_some(n)).collect();
        let nulls: ArrayRef = Arc::new(nulls);
        assert_eq!(value_bytes(&nulls), 800 + 13);
        assert_eq!(printed_bytes(&nulls), 80 + 13);
    }
}
