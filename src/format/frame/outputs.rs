//! Builds the selected columns of frames: chosen, renamed, or extracted from nested ones.

use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray, new_empty_array};
use arrow_schema::{DataType, Field, Fields};
use hashbrown::HashMap;

use super::{
    FrameBatches, MaybeTyped, Origin, TypedColumn, UntypedColumn, UntypedFrame, provenance,
};
use crate::columns::TextOptions;
use crate::columns::cast::Provenance;
use crate::columns::column::Column;
use crate::columns::nested::KeyOrder;
use crate::columns::place::{Reach, below, cannot_look_into, names, reach};
use crate::columns::zeroed::zeroed_array;
use crate::error::{Error, Result};
use crate::schema::ROW_COLUMN;
use crate::schema::keys::{GAP, ROLE, as_member, is_hidden, is_row};
use crate::schema::path::{Step, no_column, steps_in};
use crate::schema::selection::OutputColumn;

/// Builds the selected columns of consecutive frames.
pub struct OutputColumns<'a> {
    options: &'a TextOptions,
    wanted: &'a [OutputColumn],
    /// For each of them, whether some frame had it.
    occurred: Vec<bool>,
    /// The column names of frames that lacked one of them, each with its place in the order of first occurrence.
    known: HashMap<String, usize>,
}

impl<'a> OutputColumns<'a> {
    /// `None` if all columns are selected.
    pub fn new(options: &'a TextOptions) -> Option<Self> {
        let wanted = options.columns.as_deref()?;
        Some(Self {
            options,
            wanted,
            occurred: vec![false; wanted.len()],
            known: HashMap::new(),
        })
    }

    /// The selected columns of a frame; a frame that has exactly these is returned unchanged. Columns that rows of JSON
    /// lack are null.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if a frame that is not from JSON lacks a column, or a name is ambiguous.
    pub fn take(&mut self, mut frame: UntypedFrame) -> Result<UntypedFrame> {
        if self.options.keeps_all(shown_names(&frame.columns)) {
            self.occurred.fill(true);
            return Ok(frame);
        }
        let mut columns = NamedColumns::of(std::mem::take(&mut frame.columns));
        let is_json = provenance(&frame.metadata) == Provenance::Json;
        let found = self
            .wanted
            .iter()
            .map(|output| columns.find(output))
            .collect::<Result<Vec<Vec<_>>>>()?;
        let mut places = Vec::with_capacity(self.wanted.len());
        for (number, (output, found)) in self.wanted.iter().zip(found).enumerate() {
            let before = frame.columns.len();
            for (place, used) in found {
                places.push(place);
                let taken = columns.take(place, &output.path.steps()[used..], output)?;
                frame.columns.extend(taken);
            }
            if frame.columns.len() > before {
                self.occurred[number] = true;
                continue;
            }
            for name in columns.known() {
                let next = self.known.len();
                self.known.entry(name).or_insert(next);
            }
            if !is_json && !self.options.some_frames_lack_columns {
                return Err(self.no_column(output));
            }
            let missing = self.missing(output, is_json, &frame.batch_rows);
            frame.columns.push(missing);
        }
        frame.order = KeyOrder::Unknown;
        frame.texts = None;
        frame.select_text(&places);
        Ok(frame)
    }

    /// A column that the frame lacks.
    fn missing(&self, output: &OutputColumn, is_json: bool, batch_rows: &[usize]) -> MaybeTyped {
        let name = output.name.clone();
        let rows = batch_rows.iter();
        if output.path.as_name().is_none() {
            let arrays = rows.map(|&rows| Arc::new(NullArray::new(rows)) as ArrayRef);
            return MaybeTyped::of_arrays(Field::new(name, DataType::Null, true), arrays.collect());
        }
        MaybeTyped::Untyped(UntypedColumn {
            fixed: self.options.fixed.get(&name),
            name,
            blocks: rows.map(|&rows| Column::null(rows)).collect(),
            infer: self.options.infer,
            origin: if is_json {
                Origin::Objects
            } else {
                Origin::Records
            },
        })
    }

    /// Checks at the end that some frame had each of the columns, unless that is known: statistics may have shown that
    /// no row of such a frame is kept.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`].
    pub fn conclude(&self) -> Result<()> {
        if self.options.some_frames_lack_columns {
            return Ok(());
        }
        let missing = self
            .wanted
            .iter()
            .zip(&self.occurred)
            .find(|(_, occurred)| !**occurred);
        missing.map_or(Ok(()), |(output, _)| Err(self.no_column(output)))
    }

    fn no_column(&self, output: &OutputColumn) -> Error {
        let mut known: Vec<(&String, &usize)> = self.known.iter().collect();
        known.sort_by_key(|(_, place)| **place);
        let known: Vec<String> = known.into_iter().map(|(name, _)| name.clone()).collect();
        let path = output.path.to_string();
        let outer = output.path.steps().split_last().map(|(_, outer)| outer);
        let is_flat = |name: &&String| {
            let inside = |known: &String| {
                known
                    .strip_prefix(&name[..])
                    .is_some_and(|rest| rest.starts_with(['.', '[']))
            };
            outer.is_some_and(|outer| steps_in(outer, name).is_some()) && !known.iter().any(inside)
        };
        match known.iter().find(is_flat) {
            Some(name) => {
                let what = format!(
                    "there is no {path}, since the values of column {name:?} are not nested"
                );
                Error::usage(what).hint(format!("--columns {name} keeps the column as it is"))
            }
            None => no_column(&path, &known),
        }
        .of_option("--columns")
    }
}

/// The columns of a frame, without patches.
struct NamedColumns {
    /// Their displayed names.
    names: Vec<String>,
    /// Each column with its hidden column, if any; empty after its last use.
    groups: Vec<Vec<MaybeTyped>>,
    /// The number of remaining uses of each column.
    uses: Vec<usize>,
}

impl NamedColumns {
    fn of(columns: Vec<MaybeTyped>) -> Self {
        let names: Vec<String> = shown_names(&columns).collect();
        let mut groups: Vec<Vec<MaybeTyped>> = Vec::with_capacity(names.len());
        for column in columns.into_iter().filter(|column| !column.is_patch()) {
            match groups.last_mut() {
                Some(group) if column.is_hidden() => group.push(column),
                _ => groups.push(vec![column]),
            }
        }
        Self {
            uses: vec![0; names.len()],
            names,
            groups,
        }
    }

    /// The positions of the columns at the start of an output's path, and the number of steps in their names: the
    /// longest name wins. Without any, it may be the column of whole rows, whose name is not part of paths.
    fn find(&mut self, output: &OutputColumn) -> Result<Vec<(usize, usize)>> {
        let used: Vec<_> = self
            .names
            .iter()
            .map(|name| steps_in(output.path.steps(), name))
            .collect();
        let found: Vec<_> = if let Some(most) = used.iter().flatten().max().copied() {
            used.iter()
                .enumerate()
                .filter(|(_, used)| **used == Some(most))
                .map(|(place, _)| (place, most))
                .collect()
        } else {
            let is_rows = |group: &Vec<MaybeTyped>| group.first().is_some_and(MaybeTyped::is_rows);
            let rows = self.groups.iter().position(is_rows);
            rows.map(|place| (place, 0)).into_iter().collect()
        };
        for &(place, _) in &found {
            self.uses[place] += 1;
        }
        if found.len() > 1 && output.as_whole().is_none() {
            let (place, count) = (found[0].0, found.len());
            let what = format!("there are {count} columns called {:?}", self.names[place]);
            let error = Error::usage(what).of_option("--columns");
            return Err(error.hint("take them as they are"));
        }
        Ok(found)
    }

    /// Takes a column, or what the steps lead to in it; empty if there is nothing with that name.
    fn take(
        &mut self,
        place: usize,
        steps: &[Step],
        output: &OutputColumn,
    ) -> Result<Vec<MaybeTyped>> {
        let group = &mut self.groups[place];
        self.uses[place] -= 1;
        if steps.is_empty() {
            let group = if self.uses[place] == 0 {
                std::mem::take(group)
            } else {
                group.clone()
            };
            return Ok(group
                .into_iter()
                .map(|column| column.renamed(output))
                .collect());
        }
        let typed: Vec<TypedColumn> = group
            .drain(..)
            .map(MaybeTyped::typed)
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect();
        let found = typed.first().map(|column| inside(column, steps, output));
        // An error may have to list its name and those in it.
        group.extend(typed.into_iter().map(MaybeTyped::Typed));
        Ok(found.transpose()?.flatten().into_iter().collect())
    }

    /// The names of columns and of the fields in them, as far as they are known.
    fn known(&self) -> Vec<String> {
        self.names
            .iter()
            .zip(&self.groups)
            .flat_map(
                |(name, group)| match group.first().and_then(MaybeTyped::field) {
                    Some(field) => names(&Fields::from(vec![field.clone().with_name(name)])),
                    None => vec![name.clone()],
                },
            )
            .collect()
    }
}

fn shown_names(columns: &[MaybeTyped]) -> impl Iterator<Item = String> {
    columns
        .iter()
        .filter(|column| !column.is_hidden())
        .enumerate()
        .map(|(place, column)| column.shown_name(place))
}

/// What the steps lead to in a column; `None` if there is nothing with that name.
fn inside(
    column: &TypedColumn,
    steps: &[Step],
    output: &OutputColumn,
) -> Result<Option<MaybeTyped>> {
    let outer = &column.field;
    match reach(outer, steps) {
        Reach::Value => {}
        Reach::Nothing => return Ok(None),
        Reach::Text => return Err(cannot_look_into(outer).of_option("--columns")),
    }
    let Some((inner, ..)) = below(outer, &new_empty_array(outer.data_type()), steps, None)? else {
        return Ok(None);
    };
    let mut metadata = inner.metadata().clone();
    metadata.remove(GAP);
    let field = inner
        .with_name(&output.name)
        .with_nullable(true)
        .with_metadata(metadata);
    let mut arrays = Vec::new();
    for array in column.clone().into_arrays() {
        if let Some((_, array, above)) = below(outer, &array, steps, None)? {
            let values = zeroed_array(&array, &field, above.as_ref());
            arrays.push(
                values.map_err(|error| Error::limit(format!("cannot hold the values: {error}")))?,
            );
        }
    }
    Ok(Some(MaybeTyped::of_arrays(field, arrays)))
}

impl MaybeTyped {
    fn is_hidden(&self) -> bool {
        self.field().is_some_and(is_hidden)
    }

    /// True for a column of whole rows.
    fn is_rows(&self) -> bool {
        match self {
            Self::Untyped(untyped) => untyped.origin == Origin::Values,
            Self::Typed(typed) => is_row(&typed.field),
        }
    }

    /// The column with its new name. A renamed column loses its special role.
    fn renamed(self, output: &OutputColumn) -> Self {
        if !output.is_renamed() {
            return self;
        }
        let name = &output.name;
        match self {
            Self::Untyped(untyped) => Self::Untyped(UntypedColumn {
                name: name.clone(),
                ..untyped
            }),
            Self::Typed(TypedColumn {
                field,
                batches,
                order,
            }) => {
                let mut field = (*field).clone().with_name(name);
                if !is_hidden(&field) {
                    field.metadata_mut().remove(ROLE);
                }
                if name == ROW_COLUMN {
                    field = as_member(field);
                }
                let batches = match batches {
                    // The projection refers to the field by its name.
                    FrameBatches::Blocks(projection, blocks) => {
                        FrameBatches::Arrays(projection.arrays(blocks))
                    }
                    arrays @ FrameBatches::Arrays(_) => arrays,
                };
                Self::Typed(TypedColumn {
                    field: field.into(),
                    batches,
                    order,
                })
            }
        }
    }
}
