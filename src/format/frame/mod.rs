//! The rows of a frame: blocks of columns, whose types are chosen when all blocks are known.

mod builder;
mod outputs;
mod selection;

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, FieldRef, Metadata, Schema, SchemaRef};

use super::exact::{SourceBlock, SourceTexts};
use crate::columns::cast::join::JoinedSchema;
use crate::columns::cast::{Provenance, Target, cast_column};
use crate::columns::column::Column;
use crate::columns::nested::{self, KeyOrder};
use crate::columns::project::{Projection, project};
use crate::columns::{cannot_hold, record_batch, value_bytes};
use crate::error::Result;
use crate::format::exact::Dialect;
use crate::schema::keys::{DRAFT_PATCHES, HEAD, PATCHES, TEXT, is_hidden, is_patch};
use crate::schema::{FixedType, column_name, display_name, is_numbered};

pub use crate::columns::cast::provenance;
pub use builder::FrameBuilder;
pub use outputs::OutputColumns;
pub use selection::{headless, only_style, with_schema, without_patches};

const WHOLE_ROW: &str = "--schema '$:json' keeps each row as one JSON value";

/// What rows were in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Records of CSV.
    #[default]
    Records,
    /// JSON objects.
    Objects,
    /// JSON values of any kind, stored whole in the column [`crate::schema::ROW_COLUMN`].
    Values,
}

/// The columns of one block, by name.
#[derive(Debug, Default)]
pub struct Columns {
    /// Names in the order of the block; empty for unnamed columns.
    pub names: Arc<[String]>,
    /// One column per name, each with `rows` rows.
    pub columns: Vec<Column>,
    /// Number of rows.
    pub rows: usize,
    /// What the rows were.
    pub origin: Origin,
    /// Pairs of names that are adjacent in some row, if their order matters.
    pub edges: Vec<(u32, u32)>,
    /// The text in addition to the values, if [`crate::columns::TextOptions::exact`] is set.
    pub source: Option<SourceBlock>,
    /// Keys of JSON rows that columns cannot represent exactly, if any.
    pub odd_keys: Option<Box<BlockKeys>>,
}

/// Keys in the rows of a block that columns cannot represent exactly.
#[derive(Debug, Default)]
pub struct BlockKeys {
    /// Number of values that were dropped because their key is repeated in the same row.
    pub repeated: u64,
    /// Names that are the escaped form of a key with half a surrogate pair.
    pub spelled: Vec<String>,
    /// Names of columns that were not read.
    pub unread_keys: Vec<String>,
}

/// How to cast frames.
#[derive(Clone, Debug)]
pub enum Cast {
    /// To types that a target supports. They depend on the rows of the frame.
    To(Target),
    /// To the types that all rows have in common.
    Fit(Arc<JoinedSchema>),
}

/// Batches of one schema that form a frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The schema of every batch.
    pub schema: SchemaRef,
    /// The rows in order.
    pub batches: Vec<RecordBatch>,
}

impl Frame {
    /// Casts the frame to types that the target supports.
    ///
    /// # Errors
    /// As for [`cast_column`].
    pub fn cast(self, target: Target) -> Result<Self> {
        let from = provenance(self.schema.metadata());
        UntypedFrame::from(self).cast(target, from)?.finish()
    }

    /// [`Self::cast`] or [`Self::fit`], if there is a cast.
    ///
    /// # Errors
    /// As for these.
    pub fn cast_if(self, cast: Option<&Cast>) -> Result<Self> {
        match cast {
            Some(Cast::To(target)) => self.cast(*target),
            Some(Cast::Fit(schema)) => self.fit(schema),
            None => Ok(self),
        }
    }

    /// Casts the frame to the columns and types of all rows.
    ///
    /// # Errors
    /// As for [`JoinedSchema::fit`].
    pub fn fit(self, schema: &JoinedSchema) -> Result<Self> {
        let batches = self.batches.iter().map(|batch| schema.fit(batch));
        Ok(Self {
            batches: batches.collect::<Result<_>>()?,
            schema: Arc::clone(&schema.schema),
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// A frame whose types may not have been chosen yet, stored by column so that columns can be typed on different
/// threads.
#[derive(Clone, Debug)]
pub struct UntypedFrame {
    /// The columns in order.
    pub columns: Vec<MaybeTyped>,
    /// Number of rows in every batch.
    pub batch_rows: Vec<usize>,
    /// Metadata of the frame.
    pub metadata: Metadata,
    /// The texts of the batches, if they have not been compared with the printed rows yet.
    pub texts: Option<Arc<SourceTexts>>,
    /// Whether the members of all rows in these texts are in the order of the columns.
    pub order: KeyOrder,
}

/// One column of a frame over all its batches.
#[derive(Clone, Debug)]
pub enum MaybeTyped {
    /// Read from text, without a type.
    Untyped(UntypedColumn),
    /// With a type.
    Typed(TypedColumn),
}

/// A column of text, and the inputs for choosing its type.
#[derive(Clone, Debug)]
pub struct UntypedColumn {
    name: String,
    blocks: Vec<Column>,
    fixed: Option<FixedType>,
    infer: bool,
    /// The maximum of the origins of the frame's rows.
    origin: Origin,
}

/// A column whose type is known.
#[derive(Clone, Debug)]
pub struct TypedColumn {
    /// Name and type.
    pub field: FieldRef,
    batches: FrameBatches,
    /// Whether the members of objects in it are in the order of the text.
    pub order: KeyOrder,
}

#[derive(Clone, Debug)]
enum FrameBatches {
    /// Blocks of text, and how to convert them to arrays.
    Blocks(Box<Projection>, Vec<Column>),
    Arrays(Vec<ArrayRef>),
}

impl UntypedFrame {
    /// Casts the rows to types that the target supports.
    ///
    /// # Errors
    /// As for [`MaybeTyped::typed`] and [`cast_column`].
    pub fn cast(mut self, target: Target, from: Provenance) -> Result<Self> {
        let columns = all_typed(self.columns)?.into_iter();
        let cast = |column: TypedColumn| Ok(MaybeTyped::Typed(column.cast(target, from)?));
        self.columns = columns.map(cast).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.batch_rows.iter().sum()
    }

    /// Approximate size of the rows in bytes.
    pub fn len_bytes(&self) -> usize {
        self.columns.iter().map(MaybeTyped::len_bytes).sum()
    }

    /// Reorders the columns by these positions, which do not count hidden columns. The head and the layout of single
    /// records of the text no longer apply.
    pub fn reorder(&mut self, order: &[usize]) {
        self.select_text(order);
        let groups = with_hidden(self.columns.drain(..));
        let places = order.iter().filter_map(|&place| groups.get(place));
        self.columns = places.flatten().cloned().collect();
        self.order = KeyOrder::Unknown;
    }

    /// Drops what restores single records of the text, and keeps the style of the columns at these positions.
    pub fn select_text(&mut self, places: &[usize]) {
        for key in [HEAD, PATCHES, DRAFT_PATCHES] {
            self.metadata.remove(key);
        }
        if let Some(dialect) = Dialect::of(&self.metadata) {
            let text = dialect.of_columns(places).to_metadata();
            self.metadata.insert(TEXT.to_owned(), text);
        }
    }

    /// Splits the rows into frames of up to `most` batches, which all have the same types.
    ///
    /// # Errors
    /// As for [`MaybeTyped::typed`].
    pub fn split(self, most: usize) -> Result<Vec<Self>> {
        let mut columns = all_typed(self.columns)?;
        let mut metadata = self.metadata;
        let mut part = |batch_rows: &[usize]| {
            let front = |column: &mut TypedColumn| column.take_front(batch_rows.len());
            let columns = columns.iter_mut().map(front).map(MaybeTyped::Typed);
            let part = Self {
                columns: columns.collect(),
                batch_rows: batch_rows.to_vec(),
                metadata: metadata.clone(),
                texts: None,
                order: KeyOrder::Unknown,
            };
            metadata.remove(HEAD);
            part
        };
        if self.batch_rows.is_empty() {
            return Ok(vec![part(&[])]);
        }
        Ok(self.batch_rows.chunks(most).map(part).collect())
    }

    /// Chooses all types.
    ///
    /// # Errors
    /// As for [`MaybeTyped::typed`], and [`crate::error::Kind::Limit`] if the columns are too large for Arrow.
    pub fn finish(self) -> Result<Frame> {
        let mut fields = Vec::with_capacity(self.columns.len());
        let mut arrays = vec![Vec::with_capacity(self.columns.len()); self.batch_rows.len()];
        for column in all_typed(self.columns)? {
            fields.push(Arc::clone(&column.field));
            for (batch, array) in arrays.iter_mut().zip(column.into_arrays()) {
                batch.push(array);
            }
        }
        let schema = Arc::new(Schema::new_with_metadata(fields, self.metadata));
        let batches = arrays
            .into_iter()
            .zip(&self.batch_rows)
            .map(|(arrays, &rows)| record_batch(Arc::clone(&schema), arrays, rows))
            .collect::<std::result::Result<_, _>>()
            .map_err(cannot_hold)?;
        Ok(Frame { schema, batches })
    }
}

impl From<Frame> for UntypedFrame {
    fn from(frame: Frame) -> Self {
        let batch_rows = frame.batches.iter().map(RecordBatch::num_rows).collect();
        let column = |(at, field): (usize, &FieldRef)| {
            let arrays = frame.batches.iter().map(|batch| batch.column(at));
            MaybeTyped::Typed(TypedColumn {
                field: Arc::clone(field),
                batches: FrameBatches::Arrays(arrays.map(Arc::clone).collect()),
                order: KeyOrder::Unknown,
            })
        };
        let columns = frame.schema.fields().iter().enumerate().map(column);
        Self {
            columns: columns.collect(),
            batch_rows,
            metadata: frame.schema.metadata().clone(),
            texts: None,
            order: KeyOrder::Unknown,
        }
    }
}

/// All columns with their types; see [`MaybeTyped::typed`].
///
/// # Errors
/// As for [`MaybeTyped::typed`].
pub fn all_typed(columns: impl IntoIterator<Item = MaybeTyped>) -> Result<Vec<TypedColumn>> {
    let mut typed = Vec::new();
    for column in columns {
        typed.extend(column.typed()?);
    }
    Ok(typed)
}

/// Each column with the hidden columns after it.
pub fn with_hidden(columns: impl IntoIterator<Item = MaybeTyped>) -> Vec<Vec<MaybeTyped>> {
    let mut groups: Vec<Vec<MaybeTyped>> = Vec::new();
    for column in columns {
        match groups.last_mut() {
            Some(group) if column.is_hidden() => group.push(column),
            _ => groups.push(vec![column]),
        }
    }
    groups
}

impl MaybeTyped {
    /// A column without rows.
    pub fn empty(field: Field) -> Self {
        Self::of_arrays(field, Vec::new())
    }

    /// A typed column with one array per batch.
    pub fn of_arrays(field: Field, arrays: Vec<ArrayRef>) -> Self {
        Self::Typed(TypedColumn {
            field: field.into(),
            batches: FrameBatches::Arrays(arrays),
            order: KeyOrder::Unknown,
        })
    }

    /// The name; empty if the column has none.
    pub fn name(&self) -> &str {
        match self {
            Self::Untyped(untyped) => &untyped.name,
            Self::Typed(typed) => typed.field.name(),
        }
    }

    /// The name for options; `place` counts visible columns.
    pub fn shown_name(&self, place: usize) -> String {
        match self {
            Self::Untyped(untyped) if untyped.origin == Origin::Objects => untyped.name.clone(),
            Self::Untyped(untyped) => display_name(&untyped.name, place),
            Self::Typed(typed) => column_name(&typed.field, place),
        }
    }

    /// Name and type, if the type is known.
    pub fn field(&self) -> Option<&Field> {
        match self {
            Self::Untyped(_) => None,
            Self::Typed(typed) => Some(&typed.field),
        }
    }

    /// True for hidden columns.
    fn is_hidden(&self) -> bool {
        self.field().is_some_and(is_hidden)
    }

    /// True for columns with a name, other than the names that columns without one are given.
    pub fn is_named(&self) -> bool {
        !self.is_hidden() && !is_numbered(self.name())
    }

    /// True for the hidden column of patches.
    pub fn is_patch(&self) -> bool {
        matches!(self, Self::Typed(typed) if is_patch(&typed.field))
    }

    /// Approximate size of the rows in bytes.
    pub fn len_bytes(&self) -> usize {
        match self {
            Self::Untyped(UntypedColumn { blocks, .. })
            | Self::Typed(TypedColumn {
                batches: FrameBatches::Blocks(_, blocks),
                ..
            }) => blocks.iter().map(Column::len_bytes).sum(),
            Self::Typed(TypedColumn {
                batches: FrameBatches::Arrays(arrays),
                ..
            }) => arrays.iter().map(value_bytes).sum(),
        }
    }

    /// Chooses the column's type; a hidden column may follow it.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if the printed rows would be misread.
    pub fn typed(self) -> Result<Vec<TypedColumn>> {
        let UntypedColumn {
            name,
            blocks,
            fixed,
            infer,
            origin,
        } = match self {
            Self::Untyped(untyped) => untyped,
            Self::Typed(typed) => return Ok(vec![typed]),
        };
        if origin > Origin::Records {
            let values = origin == Origin::Values;
            let (columns, order) = nested::column(&name, blocks, fixed, infer, values)?;
            let typed = |(field, arrays): (Field, _)| TypedColumn {
                field: field.into(),
                batches: FrameBatches::Arrays(arrays),
                order,
            };
            return Ok(columns.into_iter().map(typed).collect());
        }
        let mut blocks = blocks;
        let projection = project(&name, &mut blocks, fixed.as_ref(), infer, false);
        Ok(vec![TypedColumn {
            field: projection.field().clone().into(),
            batches: FrameBatches::Blocks(Box::new(projection), blocks),
            order: if fixed.is_none() && infer {
                KeyOrder::Kept
            } else {
                KeyOrder::Unknown
            },
        }])
    }
}

impl TypedColumn {
    /// Casts the column to a type that the target supports.
    ///
    /// # Errors
    /// As for [`cast_column`].
    pub fn cast(self, target: Target, from: Provenance) -> Result<Self> {
        if is_hidden(&self.field) || !target.may_change(&self.field, from) {
            return Ok(self);
        }
        let field = Arc::clone(&self.field);
        let (field, arrays) = cast_column(&field, self.into_arrays(), target, from)?;
        Ok(Self {
            field,
            batches: FrameBatches::Arrays(arrays),
            order: KeyOrder::Unknown,
        })
    }

    /// One array per batch.
    pub fn into_arrays(self) -> Vec<ArrayRef> {
        match self.batches {
            FrameBatches::Blocks(projection, blocks) => projection.arrays(blocks),
            FrameBatches::Arrays(arrays) => arrays,
        }
    }

    /// Takes the first `count` batches.
    fn take_front(&mut self, count: usize) -> Self {
        let batches = match &mut self.batches {
            FrameBatches::Blocks(projection, blocks) => {
                FrameBatches::Blocks(projection.clone(), blocks.drain(..count).collect())
            }
            FrameBatches::Arrays(arrays) => FrameBatches::Arrays(arrays.drain(..count).collect()),
        };
        let field = Arc::clone(&self.field);
        Self {
            field,
            batches,
            order: self.order,
        }
    }
}
