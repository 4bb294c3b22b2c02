//! Columns whose values are of one kind in some frames and of another kind in others.
//!
//! JSON is written as the rows come, so each frame is cast by its own types: numbers remain numbers although later
//! rows of the column may hold text.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::columns::print::json::kind;
use crate::error::shell_word;
use crate::format::frame::UntypedFrame;
use crate::schema::display_name;
use crate::schema::keys::is_hidden;

/// The kinds of all columns so far, by name.
#[derive(Debug, Default)]
pub struct Kinds(Mutex<BTreeMap<String, Vec<&'static str>>>);

impl Kinds {
    /// Takes the columns of the next frame.
    pub fn see(&self, frame: &UntypedFrame) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fields = frame.columns.iter().filter_map(|column| column.field());
        for (at, field) in fields.filter(|field| !is_hidden(field)).enumerate() {
            let Some(kind) = kind(field) else { continue };
            let kinds = known.entry(display_name(field.name(), at)).or_default();
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }

    /// Says which columns are of several kinds, if there are such.
    pub fn note(&self) -> Option<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mixed: Vec<_> = known.iter().filter(|(_, kinds)| kinds.len() > 1).collect();
        let (first, kinds) = mixed.first()?;
        let others = match mixed.len() - 1 {
            0 => String::new(),
            1 => " (and 1 other column)".to_owned(),
            others => format!(" (and {others} other columns)"),
        };
        let kinds = kinds.join("s in some frames and ");
        let schema = shell_word(&format!("{first}:utf8"));
        Some(format!(
            "column {first:?}{others} has {kinds}s in others; --schema {schema} writes strings only"
        ))
    }
}
