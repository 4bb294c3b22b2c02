//! Blocks of columns gathered into the rows of one frame.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, FieldRef, Metadata, Schema, SchemaRef};

use super::column::Column;
use super::exact::{Gathered, HEAD, SourceBlock, Texts, patch_column};
use super::nested::{self, is_hidden, is_patch, order};
use super::project::{Infer, array, field, project};
use super::{TextOptions, Types};
use crate::error::{Error, Result};
use crate::schema::{FixedType, ROW_COLUMN, Type, display_name};

const WHOLE_ROW: &str = "--schema '$:json' keeps each row as one JSON value";

/// What rows were before they became columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Records of CSV.
    #[default]
    Records,
    /// JSON objects.
    Objects,
    /// JSON values of any kind, whole, in the column [`ROW_COLUMN`].
    Values,
}

/// The columns of one block, by name.
#[derive(Debug, Default)]
pub struct Columns {
    /// Names in the order of the block; empty for unnamed.
    pub names: Arc<[String]>,
    /// One column per name, all of `rows` rows.
    pub columns: Vec<Column>,
    /// Number of rows.
    pub rows: usize,
    /// What the rows were.
    pub origin: Origin,
    /// Pairs of names that followed each other in some row, if their order is to be kept.
    pub edges: Vec<(u32, u32)>,
    /// What the text has besides its values, if [`TextOptions::exact`] asks for it.
    pub source: Option<SourceBlock>,
}

/// Several batches of one schema that go into one frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The schema of every batch.
    pub schema: SchemaRef,
    /// The rows in order.
    pub batches: Vec<RecordBatch>,
}

impl Frame {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// A frame column by column, whose types may still have to be chosen: each column on a thread of its
/// own if that pays.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The columns in order.
    pub columns: Vec<DraftColumn>,
    /// Rows of every batch.
    pub batch_rows: Vec<usize>,
    /// What is said of the whole.
    pub metadata: Metadata,
    /// The texts of the batches, if they are still to be compared with how those print.
    pub texts: Option<Arc<Texts>>,
}

/// One column of a frame over all its batches.
#[derive(Clone, Debug)]
pub enum DraftColumn {
    /// As read from text.
    Untyped(Untyped),
    /// With a type.
    Typed(Typed),
}

/// A column of text, and what its type depends on.
#[derive(Clone, Debug)]
pub struct Untyped {
    name: String,
    blocks: Vec<Column>,
    fixed: Option<FixedType>,
    infer: Infer,
    types: Types,
    /// What the rows of the frame were, at most.
    origin: Origin,
    /// It is the frame's only column.
    alone: bool,
}

/// A column whose type is known.
#[derive(Clone, Debug)]
pub struct Typed {
    /// Name and type.
    pub field: FieldRef,
    batches: Batches,
}

#[derive(Clone, Debug)]
enum Batches {
    /// Blocks of text that all convert to the type.
    Blocks(Type, Vec<Column>),
    Arrays(Vec<ArrayRef>),
}

impl Draft {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.batch_rows.iter().sum()
    }

    /// Puts columns in the order of these places, which count what is not hidden.
    pub fn reorder(&mut self, order: &[usize]) {
        let mut groups: Vec<Vec<DraftColumn>> = Vec::with_capacity(self.columns.len());
        for column in self.columns.drain(..) {
            match (&column, groups.last_mut()) {
                (DraftColumn::Typed(typed), Some(group)) if is_hidden(&typed.field) => {
                    group.push(column);
                }
                _ => groups.push(vec![column]),
            }
        }
        let places = order.iter().filter_map(|&place| groups.get(place));
        self.columns = places.flatten().cloned().collect();
    }

    /// The same rows in drafts of up to `most` batches, which all have the same types.
    ///
    /// # Errors
    /// As for [`DraftColumn::typed`].
    pub fn split(self, most: usize) -> Result<Vec<Self>> {
        let columns = self.columns.into_iter().map(DraftColumn::typed);
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let mut columns: Vec<Typed> = columns.into_iter().flatten().collect();
        let mut metadata = self.metadata;
        let mut part = |batch_rows: &[usize]| {
            let front = |column: &mut Typed| column.take_front(batch_rows.len());
            let columns = columns.iter_mut().map(front).map(DraftColumn::Typed);
            let part = Self {
                columns: columns.collect(),
                batch_rows: batch_rows.to_vec(),
                metadata: metadata.clone(),
                texts: None,
            };
            metadata.remove(HEAD);
            part
        };
        if self.batch_rows.is_empty() {
            return Ok(vec![part(&[])]);
        }
        Ok(self.batch_rows.chunks(most).map(part).collect())
    }

    /// The frame with all its types.
    ///
    /// # Errors
    /// As for [`DraftColumn::typed`], and [`crate::error::Kind::Limit`] if Arrow refuses the columns,
    /// which are then too large.
    pub fn finish(self) -> Result<Frame> {
        let mut fields = Vec::with_capacity(self.columns.len());
        let mut arrays: Vec<Vec<_>> = self
            .batch_rows
            .iter()
            .map(|_| Vec::with_capacity(self.columns.len()))
            .collect();
        for column in self.columns {
            for column in column.typed()? {
                fields.push(Arc::clone(&column.field));
                for (batch, array) in arrays.iter_mut().zip(column.into_arrays()) {
                    batch.push(array);
                }
            }
        }
        let schema = Arc::new(Schema::new_with_metadata(fields, self.metadata));
        let batches = arrays
            .into_iter()
            .zip(&self.batch_rows)
            .map(|(arrays, &rows)| {
                let options = RecordBatchOptions::new().with_row_count(Some(rows));
                RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)
            })
            .collect::<std::result::Result<_, _>>()
            .map_err(|error| Error::limit(format!("cannot hold the columns: {error}")))?;
        Ok(Frame { schema, batches })
    }
}

impl From<Frame> for Draft {
    fn from(frame: Frame) -> Self {
        let batch_rows = frame.batches.iter().map(RecordBatch::num_rows).collect();
        let column = |(at, field): (usize, &FieldRef)| {
            let arrays = frame.batches.iter().map(|batch| batch.column(at));
            DraftColumn::Typed(Typed {
                field: Arc::clone(field),
                batches: Batches::Arrays(arrays.map(Arc::clone).collect()),
            })
        };
        let columns = frame.schema.fields().iter().enumerate().map(column);
        Self {
            columns: columns.collect(),
            batch_rows,
            metadata: frame.schema.metadata().clone(),
            texts: None,
        }
    }
}

impl DraftColumn {
    /// A column without rows.
    pub fn empty(field: Field) -> Self {
        Self::of_arrays(field, Vec::new())
    }

    /// A column with its type, an array per batch.
    pub fn of_arrays(field: Field, arrays: Vec<ArrayRef>) -> Self {
        Self::Typed(Typed {
            field: field.into(),
            batches: Batches::Arrays(arrays),
        })
    }

    /// The name; empty if the column has none.
    pub fn name(&self) -> &str {
        match self {
            Self::Untyped(untyped) => &untyped.name,
            Self::Typed(typed) => typed.field.name(),
        }
    }

    /// True for the hidden column of patches.
    pub fn is_patch(&self) -> bool {
        matches!(self, Self::Typed(typed) if is_patch(&typed.field))
    }

    /// Bytes that the rows take, about.
    pub fn len_bytes(&self) -> usize {
        match self {
            Self::Untyped(Untyped { blocks, .. })
            | Self::Typed(Typed {
                batches: Batches::Blocks(_, blocks),
                ..
            }) => blocks.iter().map(Column::len_bytes).sum(),
            Self::Typed(Typed {
                batches: Batches::Arrays(arrays),
                ..
            }) => {
                let arrays = arrays.iter();
                arrays.map(Array::get_array_memory_size).sum()
            }
        }
    }

    /// The column with its type; a hidden one may follow.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if the rows would be taken for what they are not when printed.
    pub fn typed(self) -> Result<Vec<Typed>> {
        let Untyped {
            name,
            blocks,
            fixed,
            infer,
            types,
            origin,
            alone,
        } = match self {
            Self::Untyped(untyped) => untyped,
            Self::Typed(typed) => return Ok(vec![typed]),
        };
        let json = origin > Origin::Records;
        if types == Types::All {
            let columns = if json {
                let values = origin == Origin::Values;
                nested::column(&name, blocks, fixed, infer, values)?
            } else {
                vec![project(&name, blocks, fixed.as_ref(), infer, false)]
            };
            let typed = |(field, arrays): (Field, _)| Typed {
                field: field.into(),
                batches: Batches::Arrays(arrays),
            };
            return Ok(columns.into_iter().map(typed).collect());
        }
        let wire_1 = match fixed {
            Some(FixedType::Wire1(ty)) => Some(ty),
            _ => None,
        };
        let (field, ty) = field(&name, &blocks, wire_1, infer, json);
        // Such rows would be printed as bare values, like those that are no objects.
        if origin == Origin::Objects
            && alone
            && name == ROW_COLUMN
            && ty == Type::Json
            && wire_1.is_none()
        {
            return Err(Error::input("the only key of all rows is \"$\"").hint(WHOLE_ROW));
        }
        Ok(vec![Typed {
            field: field.into(),
            batches: Batches::Blocks(ty, blocks),
        }])
    }
}

impl Typed {
    /// An array per batch.
    pub fn into_arrays(self) -> Vec<ArrayRef> {
        match self.batches {
            Batches::Blocks(ty, blocks) => {
                let array = |block| array(block, ty, &self.field);
                blocks.into_iter().map(array).collect()
            }
            Batches::Arrays(arrays) => arrays,
        }
    }

    /// Takes the first `count` batches.
    fn take_front(&mut self, count: usize) -> Self {
        let batches = match &mut self.batches {
            Batches::Blocks(ty, blocks) => Batches::Blocks(*ty, blocks.drain(..count).collect()),
            Batches::Arrays(arrays) => Batches::Arrays(arrays.drain(..count).collect()),
        };
        let field = Arc::clone(&self.field);
        Self { field, batches }
    }
}

/// Gathers blocks; columns meet by name, in the order in which they were first seen.
#[derive(Debug, Default)]
pub struct FrameBuilder {
    names: Vec<String>,
    /// Where each name is; the second of two equal names comes second.
    places: HashMap<String, Vec<usize>>,
    columns: Vec<Vec<Column>>,
    block_rows: Vec<usize>,
    block_origins: Vec<Origin>,
    /// Pairs of columns that followed each other in some row of some block.
    edges: Vec<(u32, u32)>,
    /// What rows of all blocks were: the least and the most.
    origins: Option<(Origin, Origin)>,
    source: Gathered,
}

impl FrameBuilder {
    /// Makes the columns known before a row comes in, in this order.
    pub fn declare(&mut self, names: &[String]) {
        self.push(Columns {
            names: names.into(),
            columns: names.iter().map(|_| Column::null(0)).collect(),
            ..Columns::default()
        });
    }

    /// All rows so far as a builder of their own, which has its columns in the order of the rows; this
    /// one starts over and keeps the names.
    #[must_use]
    pub fn take(&mut self) -> Self {
        let columns = self.names.iter().map(|_| Vec::new()).collect();
        let next = Self {
            names: self.names.clone(),
            places: self.places.clone(),
            columns,
            edges: self.edges.clone(),
            origins: self.origins,
            source: self.source.rest(),
            ..Self::default()
        };
        std::mem::replace(self, next).in_order()
    }

    /// The columns in an order that agrees with all rows, as far as there is one.
    fn in_order(mut self) -> Self {
        if !self.edges.is_empty() {
            let order = order(self.names.len(), &self.edges);
            let (mut names, mut columns) = (self.names, self.columns);
            let places = || order.iter().map(|&place| place as usize);
            self.names = places().map(|at| std::mem::take(&mut names[at])).collect();
            self.columns = places()
                .map(|at| std::mem::take(&mut columns[at]))
                .collect();
            self.places.clear();
            self.edges.clear();
            for (place, name) in self.names.iter().enumerate() {
                self.places.entry(name.clone()).or_default().push(place);
            }
        }
        self
    }

    /// The names so far; empty for unnamed.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What the text has left behind the last row.
    pub fn tail(&self) -> &[u8] {
        self.source.tail()
    }

    /// Number of cells that there are with one more block.
    pub fn cells_with(&self, block: &Columns) -> usize {
        let is_new = |name: &&String| !self.places.contains_key(*name);
        let names = self.names.len() + block.names.iter().filter(is_new).count();
        names * (self.rows() + block.rows)
    }

    /// Forgets the names of rows that were taken.
    pub fn forget(&mut self) {
        debug_assert_eq!(self.rows(), 0);
        self.names.clear();
        self.places.clear();
        self.columns.clear();
        self.edges.clear();
    }

    /// Number of rows so far.
    pub fn rows(&self) -> usize {
        self.block_rows.iter().sum()
    }

    /// True if nothing came in, not even names.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.block_rows.is_empty()
    }

    /// Adds the rows of a block.
    pub fn push(&mut self, block: Columns) {
        self.source.push(block.source, block.rows);
        if block.rows > 0 {
            let (least, most) = self.origins.unwrap_or((block.origin, block.origin));
            self.origins = Some((least.min(block.origin), most.max(block.origin)));
        }
        // Blocks of one file have the same names in the same order; only JSON and several inputs differ.
        let same = self.names.len() >= block.names.len()
            && self.names.iter().zip(&*block.names).all(|(a, b)| a == b);
        let mut places: Vec<usize> = Vec::with_capacity(block.names.len());
        let mut taken = vec![false; self.names.len()];
        for (at, name) in block.names.iter().enumerate() {
            let known = if same {
                Some(at)
            } else {
                // The second of two equal names meets the second.
                let alike = self.places.get(name).into_iter().flatten();
                alike.copied().find(|&place| !taken[place])
            };
            let place = known.unwrap_or_else(|| {
                let place = self.names.len();
                self.places.entry(name.clone()).or_default().push(place);
                taken.push(false);
                self.names.push(name.clone());
                self.columns.push(
                    self.block_rows
                        .iter()
                        .map(|&rows| Column::null(rows))
                        .collect(),
                );
                place
            });
            taken[place] = true;
            places.push(place);
        }
        let edges = block.edges.iter();
        let moved = edges.map(|&(a, b)| (places[a as usize] as u32, places[b as usize] as u32));
        self.edges.extend(moved);
        if self.edges.len() > 4 * self.names.len() + 64 {
            self.edges.sort_unstable();
            self.edges.dedup();
        }
        for (column, &place) in block.columns.into_iter().zip(&places) {
            self.columns[place].push(column);
        }
        self.block_rows.push(block.rows);
        self.block_origins.push(block.origin);
        for column in &mut self.columns {
            if column.len() < self.block_rows.len() {
                column.push(Column::null(block.rows));
            }
        }
    }

    /// Rows that are objects become values of the one column [`ROW_COLUMN`], as others are.
    fn wrap(&mut self) {
        let names = std::mem::replace(&mut self.names, vec![ROW_COLUMN.to_owned()]);
        let mut columns: Vec<_> = self.columns.drain(..).map(Vec::into_iter).collect();
        let blocks = self.block_rows.iter().zip(&self.block_origins);
        let rows = blocks.map(|(&rows, &origin)| {
            let mut fields = names
                .iter()
                .zip(columns.iter_mut().filter_map(Iterator::next));
            if origin == Origin::Values {
                let values = fields.find(|(name, _)| *name == ROW_COLUMN);
                // The others are taken, too, to stay in step.
                let values = values.map(|(_, column)| column);
                fields.for_each(drop);
                values.unwrap_or_else(|| Column::null(rows))
            } else {
                nested::object(rows, fields.map(|(name, column)| (name.clone(), column)))
            }
        });
        self.columns = vec![rows.collect()];
    }

    /// The frame of all rows.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if rows would be taken for what they are not when printed.
    pub fn finish(mut self, options: &TextOptions) -> Result<Draft> {
        let (least, most) = self.origins.unwrap_or_default();
        if (least, most) == (Origin::Objects, Origin::Values) && options.exact {
            self.wrap();
        } else if most == Origin::Values && least != Origin::Values {
            return Err(
                Error::input("some rows are objects or records, others are not").hint(WHOLE_ROW),
            );
        }
        let alone = self.names.len() == 1;
        let columns = self.names.into_iter().zip(self.columns).enumerate();
        let columns = columns.map(|(position, (name, blocks))| {
            let fixed = options.fixed.get(&display_name(&name, position));
            DraftColumn::Untyped(Untyped {
                name,
                blocks,
                fixed,
                infer: options.infer,
                types: options.types,
                origin: most,
                alone,
            })
        });
        let mut columns: Vec<_> = columns.collect();
        let (metadata, patches, texts) = self.source.finish();
        if let Some((field, arrays)) = patch_column(&self.block_rows, &patches) {
            columns.push(DraftColumn::of_arrays(field, arrays));
        }
        Ok(Draft {
            columns,
            batch_rows: self.block_rows,
            metadata,
            texts: texts.map(Arc::new),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::FixedTypes;
    use crate::text::column::{Floats, Strings, Values};
    use crate::text::print::FloatForms;

    fn block(values: Values, rows: usize) -> Columns {
        let column = Column {
            rows,
            nulls: None,
            values,
        };
        Columns {
            names: ["a".to_owned()].into(),
            columns: vec![column],
            rows,
            ..Columns::default()
        }
    }

    #[test]
    fn parts_of_a_draft_have_the_types_of_the_whole() {
        let mut builder = FrameBuilder::default();
        for _ in 0..5 {
            let floats = Floats {
                values: vec![0.5, 1.5],
                forms: FloatForms::ALL,
            };
            builder.push(block(Values::Floats(floats), 2));
        }
        let mut text = Strings::with_capacity(1, 1);
        text.data.push(b'x');
        text.end_row();
        builder.push(block(Values::Text(text), 1));
        let options = TextOptions {
            types: Types::Wire1,
            infer: Infer::Exact,
            exact: false,
            fixed: FixedTypes::default(),
            columns: None,
        };
        let draft = builder.finish(&options).unwrap();
        let whole = draft.clone().finish().unwrap();
        let parts = draft.split(3).unwrap();
        let rows: Vec<_> = parts.iter().map(Draft::rows).collect();
        assert_eq!(rows, [6, 5]);
        let parts = parts.into_iter().map(|part| part.finish().unwrap());
        let batches: Vec<_> = parts.flat_map(|part| part.batches).collect();
        assert_eq!(batches, whole.batches);
    }

    #[test]
    fn a_draft_without_rows_is_one_part() {
        let mut builder = FrameBuilder::default();
        builder.declare(&["a".to_owned()]);
        let options = TextOptions {
            types: Types::Wire1,
            infer: Infer::Values,
            exact: false,
            fixed: FixedTypes::default(),
            columns: None,
        };
        let parts = builder.take().finish(&options).unwrap().split(3).unwrap();
        assert_eq!(parts.len(), 1);
        assert_eq!(parts[0].columns.len(), 1);
        let none = FrameBuilder::default().finish(&options).unwrap();
        assert_eq!(none.split(3).unwrap().len(), 1);
    }
}
