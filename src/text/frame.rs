//! Blocks of columns gathered into the rows of one frame.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};

use super::column::Column;
use super::nested::{self, order};
use super::project::project;
use super::{TextOptions, Types};
use crate::error::{Error, Result};
use crate::schema::{ROW_COLUMN, Type, display_name};

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

/// Gathers blocks; columns meet by name, in the order in which they were first seen.
#[derive(Debug, Default)]
pub struct FrameBuilder {
    names: Vec<String>,
    /// Where each name is; the second of two equal names comes second.
    places: HashMap<String, Vec<usize>>,
    columns: Vec<Vec<Column>>,
    block_rows: Vec<usize>,
    /// Pairs of columns that followed each other in some row of some block.
    edges: Vec<(u32, u32)>,
    /// What rows of all blocks were: the least and the most.
    origins: Option<(Origin, Origin)>,
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
        for column in &mut self.columns {
            if column.len() < self.block_rows.len() {
                column.push(Column::null(block.rows));
            }
        }
    }

    /// The frame of all rows so far; the builder starts over and keeps the names.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if rows would be taken for what they are not when printed,
    /// [`crate::error::Kind::Limit`] if Arrow refuses the columns, which are then too large.
    pub fn finish(&mut self, options: &TextOptions) -> Result<Frame> {
        let block_rows = std::mem::take(&mut self.block_rows);
        let (least, most) = self.origins.unwrap_or_default();
        let whole_row = "--schema '$:json' keeps each row as one JSON value";
        if most == Origin::Values && least != Origin::Values {
            return Err(
                Error::input("some rows are objects or records, others are not").hint(whole_row),
            );
        }
        let mut fields = Vec::with_capacity(self.names.len());
        let mut arrays: Vec<Vec<_>> = block_rows
            .iter()
            .map(|_| Vec::with_capacity(self.names.len()))
            .collect();
        for (position, column) in self.columns.iter_mut().enumerate() {
            let name = &self.names[position];
            let fixed = options.fixed.get(&display_name(name, position));
            let column = std::mem::take(column);
            if options.types == Types::All && most > Origin::Records {
                let values = most == Origin::Values;
                for (field, blocks) in nested::column(name, column, fixed, options.infer, values)? {
                    fields.push(field);
                    for (block, array) in arrays.iter_mut().zip(blocks) {
                        block.push(array);
                    }
                }
                continue;
            }
            let (field, blocks) =
                project(name, column, fixed, options.infer, most > Origin::Records);
            // Such rows would be printed as bare values, like those that are no objects.
            if most == Origin::Objects
                && self.names == [ROW_COLUMN]
                && Type::of(&field) == Some(Type::Json)
                && fixed.is_none()
            {
                return Err(Error::input("the only key of all rows is \"$\"").hint(whole_row));
            }
            fields.push(field);
            for (block, array) in arrays.iter_mut().zip(blocks) {
                block.push(array);
            }
        }
        let schema = Arc::new(Schema::new(fields));
        let batches = arrays
            .into_iter()
            .zip(&block_rows)
            .map(|(arrays, &rows)| {
                let options = RecordBatchOptions::new().with_row_count(Some(rows));
                RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)
            })
            .collect::<std::result::Result<_, _>>()
            .map_err(|error| Error::limit(format!("cannot hold the columns: {error}")))?;
        Ok(Frame { schema, batches })
    }
}
