//! Joins the exact columns of many blocks to one field and an array per block.
//!
//! Blocks are read independently, so their types and forms may differ. The column gets the narrowest type and text form
//! that print every cell of every block exactly. If no type does, the column is text.

use std::sync::Arc;

use arrow_array::{ArrayRef, FixedSizeBinaryArray, new_null_array};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::{DataType, Field};

use super::column::{Column, Strings, Values};
use crate::schema::keys;
use crate::schema::{FixedType, Type};
use crate::text::form;

mod arrays;
mod exact;
mod rounded;

use exact::ExactType;

/// A column with its final type, whose arrays are built on demand.
#[derive(Clone, Debug)]
pub struct Projection {
    field: Field,
    kind: ProjectionKind,
}

/// How to convert blocks to arrays.
#[derive(Clone, Debug)]
enum ProjectionKind {
    /// Values of one type and form.
    Exact(ExactType),
    /// The text of each cell.
    Text,
    /// Each cell as JSON text.
    Json,
    /// A type fixed by the user; the blocks contain arrays of it.
    Fixed,
}

/// Chooses the type of a column from all its blocks, which may be modified to agree.
///
/// A `fixed` type is always used, even if there are no cells. Without `infer`, everything stays text. `json` is true
/// for cells from JSON, where text and numbers in one column become JSON values instead of plain text.
pub fn project(
    name: &str,
    blocks: &mut Vec<Column>,
    fixed: Option<&FixedType>,
    infer: bool,
    json: bool,
) -> Projection {
    if let Some(ty) = fixed {
        return match ty {
            FixedType::Arrow(data_type) => Projection {
                field: with_comma(Field::new(name, data_type.clone(), true), blocks),
                kind: ProjectionKind::Fixed,
            },
            FixedType::Wire1(Type::Utf8) => text(name, blocks),
            FixedType::Wire1(Type::Json) => Projection {
                field: Type::Json.field(name),
                kind: ProjectionKind::Json,
            },
            FixedType::Wire1(ty) => Projection {
                field: with_comma(ty.field(name), blocks),
                kind: ProjectionKind::Fixed,
            },
        }
        .chosen();
    }
    if infer && let Some((exact, null_word)) = exact::decide(blocks, json) {
        let field = exact.field(name);
        let field = match null_word.as_deref().map(str::from_utf8) {
            Some(Ok(null_word)) => keys::with(field, keys::NULL, null_word),
            _ => field,
        };
        return Projection {
            field,
            kind: ProjectionKind::Exact(exact),
        };
    }
    // Columns of whole rows that are not objects have a fixed type.
    let is_text = |block: &Column| match &block.values {
        Values::Null | Values::Text(_) => true,
        Values::Json(_) | Values::Fixed(_) => false,
        values => !json || values.is_string_in_json(),
    };
    let is_literal =
        |block: &Column| matches!(&block.values, Values::Text(strings) if strings.is_literal);
    let has_comma = |block: &Column| {
        block.comma || matches!(&block.values, Values::Text(strings) if strings.comma)
    };
    let projection = if blocks.iter().all(is_text) {
        text(name, blocks)
    } else {
        Projection {
            field: Type::Json.field(name),
            kind: ProjectionKind::Json,
        }
    };
    if !infer || blocks.iter().any(is_literal) {
        projection.chosen()
    } else if blocks.iter().any(has_comma) {
        projection.marked(keys::CELLS, keys::DECIMAL_COMMA)
    } else {
        projection
    }
}

/// The field of a fixed type, with a decimal comma if the cells have one.
fn with_comma(field: Field, blocks: &[Column]) -> Field {
    if blocks.iter().any(|block| block.comma) {
        keys::with(field, keys::FORM, form::COMMA)
    } else {
        field
    }
}

fn text(name: &str, blocks: &[Column]) -> Projection {
    let is_utf8 = |block: &Column| match &block.values {
        Values::Text(strings) => strings.utf8,
        _ => true,
    };
    Projection {
        field: if blocks.iter().all(is_utf8) {
            Type::Utf8.field(name)
        } else {
            // Text that is not UTF-8 is stored as bytes.
            Type::Utf8.field_held_as(name, DataType::Binary)
        },
        kind: ProjectionKind::Text,
    }
}

impl Projection {
    /// Marks the type as chosen by the user.
    fn chosen(self) -> Self {
        self.marked(keys::FIXED, keys::BY_USER)
    }

    fn marked(self, key: &str, mark: &str) -> Self {
        Self {
            field: keys::with(self.field, key, mark),
            ..self
        }
    }

    /// Name, type and text form.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// The array of one block.
    pub fn array(&self, block: Column) -> ArrayRef {
        let data_type = self.field.data_type();
        match (&self.kind, &block.values) {
            (_, Values::Fixed(array)) => Arc::clone(array),
            (_, Values::Null) | (ProjectionKind::Fixed, _) => new_null_array(data_type, block.rows),
            (ProjectionKind::Exact(exact), _) => exact.array(block, data_type),
            (ProjectionKind::Text, _) => {
                let block = block.into_text_column();
                let nulls = block.nulls.clone();
                block.into_text().into_array(data_type, nulls)
            }
            (ProjectionKind::Json, _) => {
                let nulls = block.nulls.clone();
                block.into_json().into_array(data_type, nulls)
            }
        }
    }

    /// The array of each block.
    pub fn arrays(&self, blocks: Vec<Column>) -> Vec<ArrayRef> {
        blocks.into_iter().map(|block| self.array(block)).collect()
    }
}

fn valid_texts<'a>(block: &'a Column, strings: &'a Strings) -> impl Iterator<Item = &'a [u8]> {
    strings
        .iter()
        .enumerate()
        .filter(|(row, _)| block.is_valid(*row))
        .map(|(_, text)| text)
}

fn uuid_array(uuids: Vec<[u8; 16]>, nulls: Option<NullBuffer>) -> ArrayRef {
    let bytes = Buffer::from_vec(uuids.into_flattened());
    Arc::new(FixedSizeBinaryArray::new(16, bytes, nulls))
}
