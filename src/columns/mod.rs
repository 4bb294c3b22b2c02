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

use std::collections::{HashMap, HashSet};
use std::fmt::Display;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, SchemaRef};

use crate::error::{Error, Result};
use crate::schema::FixedTypes;
use crate::schema::path::{Path, Step, no_column};
use crate::schema::selection::OutputColumn;

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

/// The error for columns that are too large for Arrow.
pub fn cannot_hold(error: impl Display) -> Error {
    Error::limit(format!("cannot hold the columns: {error}"))
}

/// Options for the columns of a text.
#[derive(Clone, Debug)]
pub struct TextOptions {
    /// True if columns get the narrowest exact type; otherwise every cell stays text.
    pub infer: bool,
    /// True if the text must be restorable byte for byte.
    pub exact: bool,
    /// Types fixed by the user.
    pub fixed: FixedTypes,
    /// The selected columns, in this order; `None` for all.
    pub columns: Option<Vec<OutputColumn>>,
    /// True if the input has these columns, but perhaps not in every frame.
    pub some_frames_lack_columns: bool,
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
            looked_at: Vec::new(),
        }
    }
}

fn no_such(name: &str, known: &[String]) -> Result<()> {
    // A hidden field has the name of the column it belongs to.
    let mut shown = known.to_vec();
    shown.dedup();
    Err(no_column(name, &shown))
}

impl TextOptions {
    /// True if the selection starts with all of these columns, not moved or renamed.
    pub fn starts_with_all(&self, names: &[String]) -> bool {
        let Some(wanted) = &self.columns else {
            return true;
        };
        wanted
            .iter()
            .map(OutputColumn::as_whole)
            .take(names.len())
            .eq(names.iter().map(|name| Some(&name[..])))
    }

    /// True if no column is omitted, moved or renamed; `names` are the displayed names of the input's columns.
    pub fn keeps_all<N: AsRef<str>>(&self, names: impl IntoIterator<Item = N>) -> bool {
        let Some(wanted) = &self.columns else {
            return true;
        };
        let mut wanted = wanted.iter();
        let mut is_next = |name: &str| {
            let next = wanted.next();
            next.is_some_and(|it| it.name == name && !it.is_renamed())
        };
        let all_wanted = names.into_iter().all(|name| is_next(name.as_ref()));
        all_wanted && wanted.next().is_none()
    }

    /// True if only unchanged columns are selected.
    pub fn takes_wholes(&self) -> bool {
        let mut wanted = self.columns.iter().flatten();
        wanted.all(|column| column.as_whole().is_some())
    }

    /// True if the column is selected unchanged.
    pub fn takes(&self, name: &str) -> bool {
        let wanted = self.columns.as_ref();
        let is_it = |it: &OutputColumn| it.name == name && !it.is_renamed();
        wanted.is_none_or(|wanted| wanted.iter().any(is_it))
    }

    /// True if the column or something in it is selected.
    pub fn wants(&self, name: &str) -> bool {
        let wanted = self.columns.as_ref();
        wanted.is_none_or(|wanted| wanted.iter().any(|it| it.path.begins_with(name)))
    }

    /// True if the column is selected, or used by a condition.
    pub fn reads(&self, name: &str) -> bool {
        self.wants(name) || self.looked_at.iter().any(|it| it.path.begins_with(name))
    }

    /// The positions of the selected columns, in their order if only unchanged columns are selected; `names` are the
    /// displayed names of the input's columns.
    pub fn wanted_places<N: AsRef<str>>(&self, names: &[N]) -> Vec<usize> {
        let places = || 0..names.len();
        let columns = match &self.columns {
            Some(columns) if self.takes_wholes() => columns,
            _ => {
                return places()
                    .filter(|&at| self.wants(names[at].as_ref()))
                    .collect();
            }
        };
        let mut places_of: HashMap<&str, Vec<usize>> = HashMap::new();
        for at in places() {
            places_of.entry(names[at].as_ref()).or_default().push(at);
        }
        let columns = columns.iter().filter_map(OutputColumn::as_whole);
        let found = columns.filter_map(|name| places_of.get(name));
        found.flatten().copied().collect()
    }

    /// The positions of the columns to read: the selected ones, then those that only a condition uses.
    pub fn places(&self, names: &[String]) -> Vec<usize> {
        let mut places = self.wanted_places(names);
        let others: Vec<usize> = (0..names.len())
            .filter(|&at| self.reads(&names[at]))
            .filter(|at| !places.contains(at))
            .collect();
        places.extend(others);
        places
    }

    /// The first names of all paths that are selected or used by a condition.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.columns
            .iter()
            .flatten()
            .map(|it| &it.path)
            .chain(self.looked_at.iter().map(|it| &it.path))
            .filter_map(|path| match path.steps().first() {
                Some(Step::Name(name)) => Some(name.clone()),
                _ => None,
            })
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
        let missing = self.columns.iter().flatten().find(|it| !is_there(it));
        missing.map_or(Ok(()), |column| no_such(&column.path.to_string(), known))
    }

    /// Checks that every column whose type the user chose is among `known` (displayed names).
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] with the existing names.
    pub fn require_fixed(&self, known: &[String]) -> Result<()> {
        let mut fixed = self.fixed.names();
        let missing = fixed.find(|name| !known.iter().any(|known| known == name));
        missing.map_or(Ok(()), |name| no_such(name, known))
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
