//! Keys of metadata, and what they say of a field.

use arrow_schema::Field;

/// Metadata key of the form.
pub const FORM: &str = "mbt.form";
/// Metadata key of the word that stands for null in CSV.
pub const NULL: &str = "mbt.null";
/// Metadata key of a batch: the dialect of the text that it was read from.
pub const TEXT: &str = "mbt.text";
/// Metadata key of the batch that begins a text: the head. It is there even if the head is empty.
pub const HEAD: &str = "mbt.head";
/// Metadata key of a batch: its patches, each byte a character up to U+00FF.
pub const PATCHES: &str = "mbt.patches";

/// Metadata key: what the nulls of a field were. `absent` says that the key was not there; without
/// it a null is a null.
pub const GAP: &str = "mbt.gap";
/// Metadata key of a struct that holds values of several kinds; its value is `true`.
pub const VARIANT: &str = "mbt.variant";
/// Metadata key: what a field is for, if not for values under its name. `absent` is the hidden field
/// that is true where the key of the field before it was absent; `row` marks the column whose
/// values are the rows themselves, `key` a column whose name is the empty key, and not missing,
/// `patch` the hidden column of [`crate::format::exact::patch`]es.
pub const ROLE: &str = "mbt.role";
/// Value of [`GAP`] and [`ROLE`].
pub const ABSENT: &str = "absent";
/// Value of [`ROLE`].
pub const ROW: &str = "row";
/// Value of [`ROLE`].
pub const KEY: &str = "key";
/// Value of [`ROLE`].
pub const PATCH: &str = "patch";

/// True for fields that hold no values: those that say where the one before is absent, and patches.
pub fn is_hidden(field: &Field) -> bool {
    has(field, ROLE, ABSENT) || is_patch(field)
}

/// True for the column of patches, which repair records where they print otherwise than they stood.
pub fn is_patch(field: &Field) -> bool {
    has(field, ROLE, PATCH)
}

/// True for the column whose values are the rows themselves.
pub fn is_row(field: &Field) -> bool {
    has(field, ROLE, ROW)
}

/// True for the column of the empty key.
pub fn is_key(field: &Field) -> bool {
    has(field, ROLE, KEY)
}

/// True for a struct of which exactly one child is valid.
pub fn is_variant(field: &Field) -> bool {
    has(field, VARIANT, "true")
}

/// True if a null of this field stands for an absent key.
pub fn is_absent(field: &Field) -> bool {
    has(field, GAP, ABSENT)
}

fn has(field: &Field, key: &str, value: &str) -> bool {
    field
        .metadata()
        .get(key)
        .is_some_and(|known| known == value)
}
