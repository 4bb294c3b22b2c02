//! Cells of two inputs and their equality.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use hashbrown::{HashMap, HashSet};

use crate::columns::cast::{bool_word, is_null_word};
use crate::columns::value::{Class, LeafColumn, ValueColumn, leaves, print_number};
use crate::error::Result;
use crate::schema::{NumberedNames, Type};
use crate::text::form::{
    BoolLiterals, COMMA, default_pattern, exchange_commas, form_of, time_form,
};
use crate::text::time::{Pattern, parse_timestamp};
use crate::text::uuid;

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
        typed.spelled.as_ref() == Some(&text.text)
            || read_as(typed.class, &text.text) == read_as(typed.class, &typed.text)
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

/// Text read as a value of a class: texts of the same value become equal. Other text is copied.
fn read_as(class: Class, text: &[u8]) -> Cow<'_, [u8]> {
    match class {
        Class::Number if !is_padded(text) => {
            let mut number = Vec::new();
            print_number(text, &mut number);
            number.into()
        }
        Class::Time => match parse_timestamp(text) {
            Some(micros) => micros.to_string().into_bytes().into(),
            None => without_zeros(text).into(),
        },
        Class::Bool => match bool_word(text) {
            Some(value) => value.to_string().into_bytes().into(),
            None => text.into(),
        },
        Class::Number | Class::Text | Class::Nested => text.into(),
    }
}

/// How the values of a key column are read, so that values that [`differ`] finds equal have the same key, even if the
/// column is text in only one input.
#[derive(Debug)]
pub struct KeyReading {
    class: Class,
    /// The class of the other input's values.
    other: Class,
    /// The form of the other input's values, in which text is read.
    form: Option<KeyForm>,
}

/// A form in which text is read.
#[derive(Debug)]
enum KeyForm {
    Time {
        pattern: Arc<Pattern>,
        /// Seconds ahead of UTC.
        offset: i32,
        /// The default pattern of the type.
        default: Pattern,
    },
    Bool(&'static BoolLiterals),
    /// Numbers with a decimal comma.
    Comma,
    Uuid,
}

impl KeyForm {
    fn of(leaf: &LeafColumn<'_>) -> Option<Self> {
        let data_type = leaf.field.data_type();
        if Type::of(leaf.field) == Some(Type::Uuid) {
            Some(Self::Uuid)
        } else if let Some((pattern, offset)) = time_form(leaf.field, data_type) {
            Some(Self::Time {
                pattern,
                offset,
                default: Pattern::compile(default_pattern(data_type)?)?,
            })
        } else {
            let form = form_of(leaf.field)?;
            let comma = form.starts_with(COMMA).then_some(Self::Comma);
            comma.or_else(|| BoolLiterals::parse(form).map(Self::Bool))
        }
    }

    /// The canonical text of text in this form.
    fn read(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        match self {
            Self::Time {
                pattern,
                offset,
                default,
            } => default.print(pattern.read(text, *offset)?, pattern.unit(), 0, &mut out),
            Self::Bool(words) => out.extend(words.read(text)?.to_string().bytes()),
            Self::Comma => {
                out.extend_from_slice(text);
                exchange_commas(&mut out);
            }
            Self::Uuid => {
                uuid::parse(text)?;
                out.extend(text.iter().map(u8::to_ascii_lowercase));
            }
        }
        Some(out)
    }
}

impl KeyReading {
    /// The reading for a column that is compared with one of the other input; `None` for a column that an input lacks.
    pub fn new(leaf: Option<&LeafColumn<'_>>, other: Option<&LeafColumn<'_>>) -> Self {
        let class =
            |leaf: Option<&LeafColumn<'_>>| leaf.map_or(Class::Text, |leaf| class_of(&leaf.values));
        let (own, others) = (class(leaf), class(other));
        Self {
            class: if own == Class::Text { others } else { own },
            other: others,
            form: other.and_then(KeyForm::of).filter(|_| own == Class::Text),
        }
    }

    /// The key of a value; `None` for null.
    pub fn key(&self, cell: &Cell) -> Option<Vec<u8>> {
        if cell.equals_null(self.other) {
            return None;
        }
        let text = self.form.as_ref().and_then(|form| form.read(&cell.text));
        let text = text.as_ref().unwrap_or(&cell.text);
        Some(read_as(self.class, text).into_owned())
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
    let (mut seen, mut numbered) = (HashSet::new(), NumberedNames::default());
    for leaf in leaves {
        if !seen.insert(leaf.path.clone()) {
            leaf.path = numbered.next(&leaf.path, |path| taken.contains(path));
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
