//! Names for outputs that need distinct names, or names that are not empty.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::keys::{is_hidden, is_key, is_row, is_variant};
use super::{NumberedNames, display_name};

/// A column's name, and its name in the output.
pub type Renamed = (String, String);

/// Names that a format cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unheld {
    /// Empty names.
    Empty,
    /// Names of earlier columns.
    Repeated,
    /// Names of earlier columns, and empty names unless they are keys.
    RepeatedAndEmpty,
}

/// Renames fields if necessary, and returns the changes.
pub fn renamed_fields(fields: &Fields, unheld: Unheld) -> (Vec<FieldRef>, Vec<Renamed>) {
    let shown = |field: &Field| !is_hidden(field) && !is_row(field);
    let names: HashSet<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let (mut taken, mut numbered) = (HashSet::new(), NumberedNames::default());
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
            numbered.next(&base, is_taken)
        };
        taken.insert(other.clone());
        held.push(Arc::new((**field).clone().with_name(&other)));
        renamed.push((name.clone(), other));
    }
    (held, renamed)
}

/// The fields of a struct with distinct names; `None` if they have such names.
pub fn distinct_fields(fields: &Fields) -> Option<Fields> {
    let mut names = HashSet::with_capacity(fields.len());
    let mut shown = fields.iter().filter(|field| !is_hidden(field));
    // Almost every struct returns here.
    if shown.all(|field| names.insert(field.name())) {
        return None;
    }
    Some(renamed_fields(fields, Unheld::Repeated).0.into())
}

/// The changes of [`distinct_fields`] in all structs inside the columns, as paths: `user.name`, `orders[].id`.
pub fn renamed_inside(fields: &Fields) -> Vec<Renamed> {
    let mut renamed = Vec::new();
    for field in fields.iter().filter(|field| !is_hidden(field)) {
        add_renamed(field, field.name(), &mut renamed);
    }
    renamed
}

fn add_renamed(field: &Field, path: &str, renamed: &mut Vec<Renamed>) {
    match field.data_type() {
        // Its fields are the kinds of one value.
        DataType::Struct(kinds) if is_variant(field) => {
            (kinds.iter()).for_each(|kind| add_renamed(kind, path, renamed));
        }
        DataType::Struct(fields) => {
            let held = distinct_fields(fields);
            for (field, held) in fields.iter().zip(held.as_ref().unwrap_or(fields)) {
                let inside = |field: &Field| format!("{path}.{}", field.name());
                if held.name() != field.name() {
                    renamed.push((inside(field), inside(held)));
                }
                if !is_hidden(field) {
                    add_renamed(field, &inside(held), renamed);
                }
            }
        }
        DataType::Map(entries, _) => {
            if let DataType::Struct(fields) = entries.data_type()
                && let [_, values] = &fields[..]
            {
                add_renamed(values, &format!("{path}{{}}"), renamed);
            }
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            add_renamed(item, &format!("{path}[]"), renamed);
        }
        _ => {}
    }
}
