//! Columns: reading them from text, choosing types, and casting between types.
//!
//! [`infer`] turns the cells of a column ([`span`]) into the narrowest exact [`mod@column`], [`project`]
//! and [`nested`] turn the columns of many blocks into arrays of one type.

pub mod cast;
pub mod column;
pub mod infer;
pub mod lists;
pub mod nested;
pub mod print;
pub mod project;
pub mod shred;
pub mod span;
pub mod statistics;
pub mod typed;
pub mod value;

use crate::error::Result;
use crate::schema::FixedTypes;
use crate::schema::path::{Path, no_column};

/// Options for the columns of a text.
#[derive(Clone, Debug)]
pub struct TextOptions {
    /// True if columns get the narrowest exact type; otherwise every cell stays text.
    pub infer: bool,
    /// True if the text must be restorable byte for byte.
    pub exact: bool,
    /// Types fixed by the user.
    pub fixed: FixedTypes,
    /// The columns to read, by displayed name; `None` reads all.
    pub columns: Option<Vec<String>>,
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
    /// True if the word may be meant as text, so that the column need not exist.
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

impl TextOptions {
    /// True if no column is omitted or moved; `names` are the displayed names of the input's columns.
    pub fn keeps_all<N: AsRef<str>>(&self, names: impl IntoIterator<Item = N>) -> bool {
        let Some(wanted) = &self.columns else {
            return true;
        };
        let mut wanted = wanted.iter();
        let all_wanted = names
            .into_iter()
            .all(|name| wanted.next().is_some_and(|wanted| wanted == name.as_ref()));
        all_wanted && wanted.next().is_none()
    }

    /// True if the column is selected, or used by a condition.
    pub fn reads(&self, name: &String) -> bool {
        let wanted = self.columns.as_ref();
        wanted.is_none_or(|wanted| wanted.contains(name))
            || self.looked_at.iter().any(|it| it.path.begins_with(name))
    }

    /// The positions of the columns to read: the selected ones in their order, then those used by a condition. `names`
    /// are the displayed names of the input's columns.
    pub fn places(&self, names: &[String]) -> Vec<usize> {
        let wanted = self.columns.iter().flatten();
        let places_of = |name: &String| {
            let name = name.clone();
            (0..names.len()).filter(move |&at| names[at] == name)
        };
        let mut places: Vec<usize> = wanted.flat_map(places_of).collect();
        let others = (0..names.len()).filter(|&at| self.reads(&names[at]));
        let others: Vec<usize> = others.filter(|at| !places.contains(at)).collect();
        places.extend(others);
        places
    }

    /// Checks that every column that the user names is among `known` (displayed names).
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] with the existing names.
    pub fn require_columns(&self, known: &[String]) -> Result<()> {
        let wanted = self.columns.iter().flatten().map(String::as_str);
        let wanted = wanted.filter(|_| !self.some_frames_lack_columns);
        for name in wanted.chain(self.fixed.names()) {
            if !known.iter().any(|known| known == name) {
                // A hidden field has the name of the column it belongs to.
                let mut shown = known.to_vec();
                shown.dedup();
                return Err(no_column(name, &shown));
            }
        }
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
