//! Detects columns whose JSON type differs between frames.
//!
//! JSON is written as a stream, so each frame is cast by its own types: numbers stay numbers even if later rows of the
//! column contain text.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::columns::print::json::kind;
use crate::error::shell_word;
use crate::format::frame::UntypedFrame;
use crate::schema::display_name;
use crate::schema::keys::is_hidden;
use crate::sync::lock;

/// The JSON types of all columns so far, by name and by number among the columns of that name.
#[derive(Debug, Default)]
pub struct Kinds(Mutex<BTreeMap<(String, usize), Vec<&'static str>>>);

impl Kinds {
    /// Adds the columns of the next frame.
    pub fn add(&self, frame: &UntypedFrame) {
        let mut known = lock(&self.0);
        let fields = frame.columns.iter().filter_map(|column| column.field());
        let mut repeats: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, field) in fields.filter(|field| !is_hidden(field)).enumerate() {
            let repeat = repeats.entry(field.name()).or_default();
            let name = (display_name(field.name(), at), *repeat);
            *repeat += 1;
            let Some(kind) = kind(field) else { continue };
            let kinds = known.entry(name).or_default();
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }

    /// A note about columns of several types, if there are any.
    pub fn note(&self) -> Option<String> {
        let known = lock(&self.0);
        let mixed: Vec<_> = known.iter().filter(|(_, kinds)| kinds.len() > 1).collect();
        let ((first, _), kinds) = mixed.first()?;
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
