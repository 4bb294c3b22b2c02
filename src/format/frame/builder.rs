//! Combines blocks into a frame.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Columns, MaybeTyped, Origin, UntypedColumn, UntypedFrame, WHOLE_ROW};
use crate::columns::TextOptions;
use crate::columns::column::Column;
use crate::columns::nested::{self, Edges, KeyOrder, order};
use crate::error::{Error, Result};
use crate::format::exact::{FrameText, patch_column};
use crate::schema::{ROW_COLUMN, display_name};

/// Combines blocks; columns are matched by name, in the order of their first occurrence.
#[derive(Debug, Default)]
pub struct FrameBuilder {
    names: Vec<String>,
    /// The positions of the columns with each name, in order.
    places: HashMap<String, Vec<usize>>,
    columns: Vec<Vec<Column>>,
    /// Number of cells of all rows inside nested values, in addition to one per column.
    inner_cells: usize,
    block_rows: Vec<usize>,
    block_origins: Vec<Origin>,
    /// Pairs of columns that are adjacent in some row.
    edges: Edges,
    /// Whether the members of rows are in the order of the columns.
    order: Option<KeyOrder>,
    /// The origins of all blocks: the minimum and maximum.
    origins: Option<(Origin, Origin)>,
    source: FrameText,
    /// The columns to put first, in this order.
    wanted: Option<Vec<String>>,
}

impl FrameBuilder {
    /// A builder of frames that start with these columns, whether the rows have them or not.
    pub fn of_columns(names: &[String]) -> Self {
        Self {
            wanted: Some(names.to_vec()),
            ..Self::default()
        }
    }

    /// Splits off all rows so far into a builder whose columns are in the order of the rows. This builder starts over
    /// and keeps the names.
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
            wanted: self.wanted.clone(),
            ..Self::default()
        };
        std::mem::replace(self, next).in_order().selected()
    }

    /// Moves the selected columns to the front, in their order. Does nothing if rows are whole values, which
    /// contain them.
    fn selected(mut self) -> Self {
        if self.origins.is_some_and(|(_, most)| most == Origin::Values) {
            return self;
        }
        let shown = self.displayed();
        let Some(wanted) = self.wanted.take().filter(|wanted| *wanted != shown) else {
            return self;
        };
        self.names.clear();
        let mut places = Vec::with_capacity(shown.len());
        let mut named: Vec<_> = shown
            .into_iter()
            .zip(self.columns.drain(..))
            .enumerate()
            .collect();
        for name in wanted {
            let count = self.names.len();
            for (place, (_, column)) in named.extract_if(.., |(_, (known, _))| *known == name) {
                self.names.push(name.clone());
                self.columns.push(column);
                places.push(place);
            }
            if self.names.len() == count {
                let nulls = self.block_rows.iter().map(|&rows| Column::null(rows));
                self.columns.push(nulls.collect());
                self.names.push(name);
                places.push(usize::MAX);
            }
        }
        for (place, (name, column)) in named {
            self.names.push(name);
            self.columns.push(column);
            places.push(place);
        }
        self.source.keep_style_of(&places);
        self
    }

    /// Sorts the columns to an order that agrees with all rows, if there is one.
    fn in_order(mut self) -> Self {
        self.order = Some(KeyOrder::Kept);
        let edges = std::mem::take(&mut self.edges).pairs;
        if !edges.is_empty() {
            let order = order(self.names.len(), &edges);
            self.order = Some(KeyOrder::of(&order, &edges));
            let (mut names, mut columns) = (self.names, self.columns);
            let places = || order.iter().map(|&place| place as usize);
            self.names = places().map(|at| std::mem::take(&mut names[at])).collect();
            self.columns = places()
                .map(|at| std::mem::take(&mut columns[at]))
                .collect();
            self.places.clear();
            for (place, name) in self.names.iter().enumerate() {
                self.places.entry(name.clone()).or_default().push(place);
            }
        }
        self
    }

    /// The displayed names of the columns that [`Self::finish`] would create.
    pub fn shown_names(&self) -> Vec<String> {
        if self.is_mixed() {
            return vec![ROW_COLUMN.to_owned()];
        }
        self.displayed()
    }

    /// The names of all columns. In JSON, the empty key is a name; an unnamed column of CSV is numbered.
    fn displayed(&self) -> Vec<String> {
        let is_json = self
            .origins
            .is_some_and(|(_, most)| most == Origin::Objects);
        self.names
            .iter()
            .enumerate()
            .map(|(at, name)| {
                if is_json {
                    name.clone()
                } else {
                    display_name(name, at)
                }
            })
            .collect()
    }

    /// True if some rows are objects and others are not.
    fn is_mixed(&self) -> bool {
        self.origins == Some((Origin::Objects, Origin::Values))
    }

    /// The text after the last row.
    pub fn tail(&self) -> &[u8] {
        self.source.tail()
    }

    /// Number of cells after adding one more block, including those inside nested values.
    pub fn cells_with(&self, block: &Columns) -> usize {
        let is_new = |name: &&String| !self.places.contains_key(*name);
        let names = self.names.len() + block.names.iter().filter(is_new).count();
        names * (self.rows() + block.rows) + self.inner_cells + inner_cells(block)
    }

    /// True if the rows so far are records and the rows of the block are JSON, or the other way round: they come from
    /// different inputs, and their cells have different meanings.
    pub fn is_of_other_kind(&self, block: &Columns) -> bool {
        // The header of CSV may be a block without rows.
        let has_columns = block.rows > 0 || !block.names.is_empty();
        has_columns && self.differs_from(block.origin)
    }

    fn differs_from(&self, other: Origin) -> bool {
        let is_records = |origin: Origin| origin == Origin::Records;
        let origins = self.origins;
        origins.is_some_and(|(least, _)| is_records(least) != is_records(other))
    }

    /// Forgets the kind of the rows that were taken.
    pub fn change_kind(&mut self) {
        debug_assert_eq!(self.rows(), 0);
        self.origins = None;
    }

    /// Drops the names of columns from rows that were taken.
    pub fn forget(&mut self) {
        debug_assert_eq!(self.rows(), 0);
        self.names.clear();
        self.places.clear();
        self.columns.clear();
        self.edges = Edges::default();
    }

    /// Number of rows so far.
    pub fn rows(&self) -> usize {
        self.block_rows.iter().sum()
    }

    /// Adds the rows of a block.
    pub fn push(&mut self, block: Columns) {
        if block.rows == 0 && block.names.is_empty() {
            // The block has only text around the records. An empty text says nothing about rows of another kind.
            if let Some(source) = block.source
                && (self.rows() == 0 || !self.differs_from(block.origin))
            {
                self.source.begin(source);
            }
            return;
        }
        let added_cells = inner_cells(&block);
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
                // The second of two equal names is matched with the second.
                self.places
                    .get(name)
                    .into_iter()
                    .flatten()
                    .copied()
                    .find(|&place| !taken[place])
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
        for &(a, b) in &block.edges {
            let place = |at: u32| places[at as usize] as u32;
            self.edges.push((place(a), place(b)));
        }
        for (column, &place) in block.columns.into_iter().zip(&places) {
            self.columns[place].push(column);
        }
        self.block_rows.push(block.rows);
        self.inner_cells += added_cells;
        self.block_origins.push(block.origin);
        for column in &mut self.columns {
            if column.len() < self.block_rows.len() {
                column.push(Column::null(block.rows));
            }
        }
    }

    /// Turns rows that are objects into values of the single column [`ROW_COLUMN`], like rows that are not.
    fn wrap(&mut self) {
        let names = std::mem::replace(&mut self.names, vec![ROW_COLUMN.to_owned()]);
        let mut columns: Vec<_> = self.columns.drain(..).map(Vec::into_iter).collect();
        let rows = self
            .block_rows
            .iter()
            .zip(&self.block_origins)
            .map(|(&rows, &origin)| {
                let mut fields = names
                    .iter()
                    .zip(columns.iter_mut().filter_map(Iterator::next));
                if origin == Origin::Values {
                    let values = fields.find(|(name, _)| *name == ROW_COLUMN);
                    // Consume the other columns as well, to stay in step.
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
    /// [`crate::error::Kind::Input`] if the printed rows would be misread.
    pub fn finish(mut self, options: &TextOptions) -> Result<UntypedFrame> {
        let (least, most) = self.origins.unwrap_or_default();
        let mut order = self.order.unwrap_or(KeyOrder::Unknown);
        if self.is_mixed() {
            self.wrap();
            order = KeyOrder::Unknown;
        } else if most == Origin::Values && least != Origin::Values {
            return Err(
                Error::input("some rows are objects or records, others are not").hint(WHOLE_ROW),
            );
        }
        let mut columns: Vec<_> = self
            .names
            .into_iter()
            .zip(self.columns)
            .enumerate()
            .map(|(position, (name, blocks))| {
                let fixed = options.fixed.get(&display_name(&name, position));
                MaybeTyped::Untyped(UntypedColumn {
                    name,
                    blocks,
                    fixed,
                    infer: options.infer,
                    origin: most,
                })
            })
            .collect();
        let (metadata, patches, texts) = self.source.finish();
        if let Some((field, arrays)) = patch_column(&self.block_rows, patches) {
            columns.push(MaybeTyped::of_arrays(field, arrays));
        }
        Ok(UntypedFrame {
            columns,
            batch_rows: self.block_rows,
            metadata,
            texts: texts.map(Arc::new),
            order,
        })
    }
}

/// Number of cells inside the nested values of a block, in addition to one per row and column.
fn inner_cells(block: &Columns) -> usize {
    block.columns.iter().map(Column::inner_cells).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::column::{Floats, Strings, Values};
    use crate::text::print::FloatFormats;

    fn block(values: Values, rows: usize) -> Columns {
        let column = Column::new(rows, None, values);
        Columns {
            names: ["a".to_owned()].into(),
            columns: vec![column],
            rows,
            ..Columns::default()
        }
    }

    #[test]
    fn parts_of_an_untyped_frame_have_the_types_of_the_whole() {
        let mut builder = FrameBuilder::default();
        for _ in 0..5 {
            let floats = Floats {
                values: vec![0.5, 1.5],
                forms: FloatFormats::ALL,
            };
            builder.push(block(Values::Floats(floats), 2));
        }
        let mut text = Strings::with_capacity(1, 1);
        text.data.push(b'x');
        text.end_row();
        builder.push(block(Values::Text(text), 1));
        let options = TextOptions::default();
        let untyped = builder.finish(&options).unwrap();
        let whole = untyped.clone().finish().unwrap();
        let parts = untyped.split(3).unwrap();
        let rows: Vec<_> = parts.iter().map(UntypedFrame::rows).collect();
        assert_eq!(rows, [6, 5]);
        let batches: Vec<_> = parts
            .into_iter()
            .map(|part| part.finish().unwrap())
            .flat_map(|part| part.batches)
            .collect();
        assert_eq!(batches, whole.batches);
    }

    #[test]
    fn cells_are_counted_inside_nested_values() {
        let times = |name: &str| {
            let values = Values::Timestamps(vec![7; 10]);
            (name.to_owned(), Column::new(10, None, values))
        };
        let object = || nested::object(10, ["x", "y", "z"].map(times).into_iter());
        let objects = || Columns {
            columns: vec![object()],
            ..block(Values::Null, 10)
        };
        let mut builder = FrameBuilder::default();
        assert_eq!(builder.cells_with(&objects()), 30);
        builder.push(objects());
        assert_eq!(builder.cells_with(&objects()), 60);
        drop(builder.take());
        assert_eq!(builder.cells_with(&objects()), 30);
    }

    #[test]
    fn an_untyped_frame_without_rows_is_one_part() {
        let mut builder = FrameBuilder::of_columns(&["a".to_owned()]);
        let options = TextOptions::default();
        let parts = builder.take().finish(&options).unwrap().split(3).unwrap();
        assert_eq!(parts.len(), 1);
        assert_eq!(parts[0].columns.len(), 1);
        let none = FrameBuilder::default().finish(&options).unwrap();
        assert_eq!(none.split(3).unwrap().len(), 1);
    }
}
