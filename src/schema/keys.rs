//! Metadata keys, and predicates for the fields they mark.

use arrow_schema::{Field, Metadata};

use super::{ROW_COLUMN, Type};

/// Field metadata: [`BY_USER`] if the user chose the type, even if it is text. Casts do not change such a type.
pub const FIXED: &str = "mbt.fixed";
/// Value of [`FIXED`].
pub const BY_USER: &str = "true";
/// Field metadata: what the values do not show about the cells of a column of CSV, as names with spaces between them:
/// [`DECIMAL_COMMA`], and if only some rows were kept, what is true for the cells of the whole column. Early files have
/// these names in [`FIXED`].
pub const CELLS: &str = "mbt.cells";
/// Name in [`CELLS`]: numbers in this text have a decimal comma.
pub const DECIMAL_COMMA: &str = "decimal-comma";
/// Name in [`CELLS`]: the cells of the whole column are not values of any other type.
pub const TEXT_CELLS: &str = "text";
/// Field metadata: the text form.
pub const FORM: &str = "mbt.form";
/// Field metadata: the word for null in CSV.
pub const NULL: &str = "mbt.null";
/// Batch metadata: the dialect of the original text.
pub const TEXT: &str = "mbt.text";
/// Metadata of the first batch of a text: the head. Present even if the head is empty.
pub const HEAD: &str = "mbt.head";
/// Metadata of the first batch of a text: the kind of its hash, unless that is XXH3-128.
pub const HASH: &str = "mbt.hash";
/// Batch metadata: the patches; each byte is stored as the character with its number, up to U+00FF.
pub const PATCHES: &str = "mbt.patches";
/// Batch metadata: the patches as packed by drafts of wire 2.
pub const DRAFT_PATCHES: &str = "mbt.draft-patches";

/// Field metadata: what a null of the field means. `absent` means that the key was missing; without this metadata, a
/// null is JSON's `null`.
pub const GAP: &str = "mbt.gap";
/// Field metadata: `true` for a struct that holds values of several kinds.
pub const VARIANT: &str = "mbt.variant";
/// Field metadata: the role of a field that is not an ordinary column. `absent` is a hidden field that is true where
/// the key of the field before it was missing; `row` is the column whose values are the rows themselves; `key` is a
/// column of the key `""` or `$`, names that otherwise mean something else; `patch` is the hidden column of
/// [`crate::format::exact::patch`]es.
pub const ROLE: &str = "mbt.role";
/// Value of [`GAP`] and [`ROLE`].
pub const ABSENT: &str = "absent";
/// Value of [`ROLE`].
pub const ROW: &str = "row";
/// Value of [`ROLE`].
pub const KEY: &str = "key";
/// Value of [`ROLE`].
pub const PATCH: &str = "patch";

/// Field metadata of a column that needs a newer version: what it needs. Never stored in files.
pub const UNREAD: &str = "mbt.unread";

/// Bytes as the value of [`PATCHES`].
pub fn of_bytes(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// Reads what [`of_bytes`] wrote; `None` if a character is above U+00FF.
pub fn to_bytes(value: &str) -> Option<Vec<u8>> {
    value
        .chars()
        .map(|c| u8::try_from(u32::from(c)).ok())
        .collect()
}

/// True for metadata of other programs, which is passed on unchanged.
pub fn is_foreign(key: &str) -> bool {
    !key.starts_with("mbt.")
}

/// The metadata of other programs.
pub fn foreign(metadata: &Metadata) -> Metadata {
    metadata
        .iter()
        .filter(|(key, _)| is_foreign(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// The word for the format of the text that a batch was made from, given its metadata; `None` for typed sources.
pub fn text_format(metadata: &Metadata) -> Option<&str> {
    let text = metadata.get(TEXT)?;
    text.split(' ').next()
}

/// True for the metadata of a frame that was made from JSON.
pub fn is_of_json(metadata: &Metadata) -> bool {
    text_format(metadata).is_some_and(|format| !matches!(format, "csv" | "tsv"))
}

/// True for fields without values of their own: patches, and fields that record where another one is absent.
pub fn is_hidden(field: &Field) -> bool {
    has(field, ROLE, ABSENT) || is_patch(field)
}

/// True for the column of patches, which restore records that differ from their printed form.
pub fn is_patch(field: &Field) -> bool {
    has(field, ROLE, PATCH)
}

/// True if the metadata of a batch contains its patches, as packed by wire 2 or by its drafts.
pub fn has_packed_patches(metadata: &Metadata) -> bool {
    metadata.contains_key(PATCHES) || metadata.contains_key(DRAFT_PATCHES)
}

/// True for the column whose values are the rows themselves.
pub fn is_row(field: &Field) -> bool {
    has(field, ROLE, ROW)
}

/// The field with this metadata.
#[must_use]
pub fn with(mut field: Field, key: &str, value: &str) -> Field {
    field
        .metadata_mut()
        .insert(key.to_owned(), value.to_owned());
    field
}

/// The field without metadata of these keys.
#[must_use]
pub fn without(mut field: Field, keys: &[&str]) -> Field {
    for &key in keys {
        field.metadata_mut().remove(key);
    }
    field
}

/// Makes the column a member of the rows, even if its name would otherwise mean something else.
#[must_use]
pub fn as_member(field: Field) -> Field {
    let is_json_row = field.name() == ROW_COLUMN && Type::of(&field) == Some(Type::Json);
    if field.name().is_empty() || is_json_row {
        return with(field, ROLE, KEY);
    }
    field
}

/// True for a column named by a key that would otherwise mean something else: the empty key, and `$` of JSON text.
pub fn is_key(field: &Field) -> bool {
    has(field, ROLE, KEY)
}

/// True for a struct in which exactly one child is valid.
pub fn is_variant(field: &Field) -> bool {
    has(field, VARIANT, "true")
}

/// Makes the struct one in which exactly one child is valid.
#[must_use]
pub fn as_variant(field: Field) -> Field {
    with(field, VARIANT, "true")
}

/// True if the user chose the type.
pub fn is_fixed(field: &Field) -> bool {
    has(field, FIXED, BY_USER)
}

/// True if numbers in this column of text have a decimal comma.
pub fn has_decimal_comma(field: &Field) -> bool {
    names_of_cells(field).is_some_and(|names| names.split(' ').any(|name| name == DECIMAL_COMMA))
}

/// The names in [`CELLS`].
pub fn names_of_cells(field: &Field) -> Option<&str> {
    let metadata = field.metadata();
    let early = || metadata.get(FIXED).filter(|value| *value != BY_USER);
    metadata.get(CELLS).or_else(early).map(String::as_str)
}

/// Names of facts that are true for all cells of a column, also for rows that were not kept. Empty if
/// the user chose the type.
pub fn stated_facts(field: &Field) -> Option<&str> {
    if is_fixed(field) {
        return Some("");
    }
    names_of_cells(field).filter(|names| *names != DECIMAL_COMMA)
}

/// True if a null of this field means a missing key.
pub fn is_absent(field: &Field) -> bool {
    has(field, GAP, ABSENT)
}

fn has(field: &Field, key: &str, value: &str) -> bool {
    field
        .metadata()
        .get(key)
        .is_some_and(|known| known == value)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use arrow_schema::DataType;

    use super::*;

    #[test]
    fn early_files_have_the_names_of_cells_in_the_key_of_fixed_types() {
        let of = |key: &str, value: &str| {
            let metadata = HashMap::from([(key.to_owned(), value.to_owned())]);
            Field::new("x", DataType::Utf8, true).with_metadata(metadata)
        };
        for key in [FIXED, CELLS] {
            let comma = of(key, DECIMAL_COMMA);
            assert!(has_decimal_comma(&comma) && stated_facts(&comma).is_none());
            let facts = of(key, "double decimal-comma");
            assert!(has_decimal_comma(&facts) && !is_fixed(&facts));
            assert_eq!(stated_facts(&facts), Some("double decimal-comma"));
        }
        let fixed = of(FIXED, BY_USER);
        assert!(is_fixed(&fixed) && names_of_cells(&fixed).is_none());
        assert_eq!(stated_facts(&fixed), Some(""));
    }
}
