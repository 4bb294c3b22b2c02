//! Cells of two inputs and their equality.

use std::collections::BTreeSet;

use arrow_array::RecordBatch;
use hashbrown::{HashMap, HashSet};

use crate::columns::cast::{bool_word, is_null_word};
use crate::columns::value::{Class, LeafColumn, ValueColumn, leaves, print_number};
use crate::error::Result;
use crate::schema::numbered_name;
use crate::text::time::parse_timestamp;

/// The value of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The kind of value.
    pub class: Class,
    /// Its meaning as canonical text.
    pub text: Vec<u8>,
    /// How it is written, if that differs.
    pub spelled: Option<Vec<u8>>,
}

impl Cell {
    /// The value of a row; `None` for null.
    pub fn of(leaf: &LeafColumn<'_>, row: usize) -> Option<Self> {
        let column = &leaf.values;
        if column.is_null(row) {
            return None;
        }
        let (mut text, mut spelled) = (Vec::new(), Vec::new());
        column.spell(row, &mut spelled);
        if column.is_padded() {
            text.clone_from(&spelled);
        } else {
            column.print(row, &mut text);
        }
        Some(Self {
            class: class_of(column),
            spelled: (spelled != text).then_some(spelled),
            text,
        })
    }

    /// True if both have the same meaning. Text is also read as the type of the other value, and compared with its
    /// spelling: `31.1.2024` in a text column equals the date written like this.
    fn equals(&self, other: &Self) -> bool {
        let (text, typed) = match (self.class, other.class) {
            (Class::Text, Class::Text) => {
                return self.text == other.text || self.spelled() == other.spelled();
            }
            (Class::Text, _) => (self, other),
            (_, Class::Text) => (other, self),
            _ => return self.text == other.text,
        };
        let is_same_value = || match typed.class {
            Class::Number if is_padded(&text.text) => false,
            Class::Number => {
                let mut number = Vec::new();
                print_number(&text.text, &mut number);
                number == typed.text
            }
            Class::Time => {
                let instant = parse_timestamp(&text.text);
                without_zeros(&text.text) == without_zeros(&typed.text)
                    || instant.is_some() && instant == parse_timestamp(&typed.text)
            }
            Class::Bool => {
                let value = bool_word(&text.text);
                value.is_some() && value == bool_word(&typed.text)
            }
            Class::Text | Class::Nested => false,
        };
        text.text == typed.text || typed.spelled.as_ref() == Some(&text.text) || is_same_value()
    }

    /// The value as it is written.
    fn spelled(&self) -> &[u8] {
        self.spelled.as_ref().unwrap_or(&self.text)
    }

    /// True if it has the same meaning as a null in a column of another class: `NA` in a text column equals a null
    /// number.
    fn equals_null(&self, of: Class) -> bool {
        self.class == Class::Text && of != Class::Text && is_null_word(&self.text)
    }

    /// The value for reports.
    pub fn shown(&self) -> String {
        String::from_utf8_lossy(&self.text).into_owned()
    }
}

/// True if two values differ, of columns of these classes.
pub fn differ(values: [Option<&Cell>; 2], classes: [Class; 2]) -> bool {
    match values {
        [Some(left), Some(right)] => !left.equals(right),
        [Some(cell), None] => !cell.equals_null(classes[1]),
        [None, Some(cell)] => !cell.equals_null(classes[0]),
        [None, None] => false,
    }
}

/// The kind of a column's values. Zero-padded digits are text, as for all targets: a zip code without its zero is a
/// different zip code.
fn class_of(values: &ValueColumn<'_>) -> Class {
    if values.is_padded() {
        Class::Text
    } else {
        values.class()
    }
}

/// A time without the zeros at the end of its fraction of a second.
fn without_zeros(time: &[u8]) -> &[u8] {
    let Some(point) = time.iter().rposition(|&byte| byte == b'.') else {
        return time;
    };
    let (clock, digits) = (&time[..point], &time[point + 1..]);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) || !clock.contains(&b':') {
        return time;
    }
    match digits.iter().rposition(|&digit| digit != b'0') {
        Some(last) => &time[..point + last + 2],
        None => clock,
    }
}

/// True for digits with a leading zero, which are not a number.
fn is_padded(text: &[u8]) -> bool {
    matches!(text, [b'0', b'0'..=b'9', ..])
}

/// Numbers the columns that repeat a name, as outputs do that need distinct names.
fn number_repeated(leaves: &mut [LeafColumn<'_>]) {
    let mut taken: HashSet<String> = leaves.iter().map(|leaf| leaf.path.clone()).collect();
    if taken.len() == leaves.len() {
        return;
    }
    let mut seen = HashSet::new();
    for leaf in leaves {
        if !seen.insert(leaf.path.clone()) {
            leaf.path = numbered_name(&leaf.path, |path| taken.contains(path));
            taken.insert(leaf.path.clone());
        }
    }
}

/// The columns of both inputs, numbered in the order of their first occurrence.
#[derive(Debug, Default)]
pub struct ComparedColumns {
    names: Vec<String>,
    places: HashMap<String, usize>,
    /// The types in each input.
    types: Vec<[Vec<String>; 2]>,
    /// The class of the values in each input, where it is not always text.
    classes: Vec<[Class; 2]>,
}

impl ComparedColumns {
    /// The leaf columns of a batch of one input, indexed by column number. Structs at `whole` paths are not taken apart.
    ///
    /// # Errors
    /// If values of a type cannot be printed.
    pub fn leaves<'a>(
        &mut self,
        batch: &'a RecordBatch,
        side: usize,
        whole: &BTreeSet<String>,
    ) -> Result<Vec<Option<LeafColumn<'a>>>> {
        let mut found = Vec::new();
        let mut leaves = leaves(batch, whole)?;
        number_repeated(&mut leaves);
        for leaf in leaves {
            let place = self.place(&leaf.path);
            if class_of(&leaf.values) != Class::Text {
                self.classes[place][side] = class_of(&leaf.values);
            }
            let types = &mut self.types[place][side];
            if !types.contains(&leaf.ty) {
                types.push(leaf.ty.clone());
            }
            if found.len() <= place {
                found.resize_with(place + 1, || None);
            }
            found[place] = Some(leaf);
        }
        Ok(found)
    }

    fn place(&mut self, path: &str) -> usize {
        if let Some(&place) = self.places.get(path) {
            return place;
        }
        self.names.push(path.to_owned());
        self.types.push(Default::default());
        self.classes.push([Class::Text; 2]);
        self.places.insert(path.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// The number of a column, if it has been seen.
    pub fn find(&self, path: &str) -> Option<usize> {
        self.places.get(path).copied()
    }

    /// The classes of a column's values in both inputs; text where it is missing.
    pub fn classes(&self, place: usize) -> [Class; 2] {
        self.classes[place]
    }

    /// The name of a column.
    pub fn name(&self, place: usize) -> &str {
        &self.names[place]
    }

    /// The columns with their types in each input; empty where a column is missing.
    pub fn types(&self) -> impl Iterator<Item = (&str, [String; 2])> {
        let types = self.types.iter().map(|sides| {
            sides.each_ref().map(|types| {
                let mut types = types.clone();
                types.sort();
                types.join(", ")
            })
        });
        self.names.iter().map(String::as_str).zip(types)
    }
}
