//! How a JSON text is written: white space, escapes, and how its rows follow one another.

use serde_json::{Map, Value};

/// How a JSON text is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonStyle {
    /// The text is one array of rows; else they follow one another.
    pub array: bool,
    /// Bytes between two rows: in an array before each row but the first, else behind each.
    pub between: String,
}

impl JsonStyle {
    /// What differs from the default style of the format, by name.
    pub fn options(&self) -> Map<String, Value> {
        Map::new()
    }

    /// The style that has these options; `None` if they are none.
    pub fn from_options(array: bool, _options: &Map<String, Value>) -> Option<Self> {
        let between = if array { "," } else { "\n" };
        Some(Self {
            array,
            between: between.to_owned(),
        })
    }
}
