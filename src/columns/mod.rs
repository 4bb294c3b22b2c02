//! Columns: as read from text, with a type, and cast to another one.
//!
//! [`infer`] turns the cells of a column ([`span`]) into the narrowest exact [`mod@column`], [`project`]
//! and [`nested`] turn the columns of many blocks into arrays of one type.

pub mod cast;
pub mod column;
pub mod infer;
pub mod nested;
pub mod print;
pub mod project;
pub mod shred;
pub mod span;
pub mod statistics;
pub mod typed;
pub mod value;

use crate::error::{Error, Result};
use crate::schema::FixedTypes;

/// What the user wants of the columns of a text.
#[derive(Clone, Debug)]
pub struct TextOptions {
    /// Columns get the narrowest exact type; otherwise every cell stays text.
    pub infer: bool,
    /// Keep everything besides the values, so that the text can be restored byte for byte.
    pub exact: bool,
    /// Types fixed by the user.
    pub fixed: FixedTypes,
    /// The columns to read, by displayed name; `None` reads all.
    pub columns: Option<Vec<String>>,
}

impl Default for TextOptions {
    /// All columns with inferred types, values only.
    fn default() -> Self {
        Self {
            infer: true,
            exact: false,
            fixed: FixedTypes::default(),
            columns: None,
        }
    }
}

impl TextOptions {
    /// True if no column is left out and none is moved; `names` are the displayed names of the input's columns.
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

    /// Checks that every column that the user names is among `known` (displayed names).
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] with the names that there are.
    pub fn require_columns(&self, known: &[String]) -> Result<()> {
        let wanted = self.columns.iter().flatten().map(String::as_str);
        for name in wanted.chain(self.fixed.names()) {
            if !known.iter().any(|known| known == name) {
                // What says where a column is absent goes by its name.
                let mut shown = known.to_vec();
                shown.dedup();
                let hint = match known {
                    [] => "the input has no columns".to_owned(),
                    _ => format!("columns are {}", shown.join(", ")),
                };
                return Err(Error::usage(format!("there is no column {name:?}")).hint(hint));
            }
        }
        Ok(())
    }
}
