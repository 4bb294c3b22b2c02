//! Builds the selected columns of frames: chosen, renamed, or extracted from nested ones.

use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray, StructArray, new_empty_array};
use arrow_schema::{DataType, Field, Fields};
use hashbrown::HashMap;

use super::{
    FrameBatches, MaybeTyped, Origin, TypedColumn, UntypedColumn, UntypedFrame, all_typed,
    provenance, with_hidden,
};
use crate::columns::cast::Provenance;
use crate::columns::column::Column;
use crate::columns::json_text::{columns_of_rows, has_types, nulls};
use crate::columns::nested::KeyOrder;
use crate::columns::place::{ColumnIndex, Reach, below, descend, names, reach};
use crate::columns::zeroed::zeroed_array;
use crate::columns::{TextOptions, cannot_hold};
use crate::error::{Error, Result};
use crate::schema::ROW_COLUMN;
use crate::schema::keys::{GAP, ROLE, ROW, as_member, is_hidden, is_row, with, without};
use crate::schema::path::{Step, longest_name, no_column, steps_in};
use crate::schema::selection::OutputColumn;

/// Builds the selected columns of consecutive frames.
pub struct OutputColumns<'a> {
    options: &'a TextOptions,
    wanted: &'a [OutputColumn],
    /// For each of them, how far its path has led in the frames so far.
    reached: Vec<Reach>,
    /// The column names of frames that lacked one of them, each with its place in the order of first occurrence.
    known: HashMap<String, usize>,
}

impl<'a> OutputColumns<'a> {
    /// `None` if all columns are selected.
    pub fn new(options: &'a TextOptions) -> Option<Self> {
        let wanted = options.selected()?;
        Some(Self {
            options,
            wanted,
            reached: vec![Reach::Nothing; wanted.len()],
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
            self.reached.fill(Reach::Value);
            return Ok(frame);
        }
        let mut columns = NamedColumns::of(std::mem::take(&mut frame.columns));
        let is_json = provenance(&frame.metadata) == Provenance::Json;
        columns.open_rows(self.options, self.wanted)?;
        if is_json
            && self.options.makes_whole_rows
            && self.wanted.iter().any(OutputColumn::names_rows)
        {
            columns.close_rows(&frame.batch_rows)?;
        }
        columns.index();
        let found = self
            .wanted
            .iter()
            .map(|output| columns.find(output))
            .collect::<Result<Vec<Vec<_>>>>()?;
        let mut places = Vec::with_capacity(self.wanted.len());
        for (number, (output, found)) in self.wanted.iter().zip(found).enumerate() {
            let before = frame.columns.len();
            // A column of whole rows that was made of the other columns does not prove that the input has one.
            let place = found.first().map(|(place, _)| *place);
            let is_closed = place.is_some() && place == columns.closed;
            let mut is_in_text = false;
            for (place, used) in found {
                places.push(place);
                let steps = &output.path.steps()[used..];
                let taken = columns.take(place, steps, output, self.options.infer)?;
                is_in_text |= taken.is_empty() && columns.is_text(place, steps);
                frame.columns.extend(taken);
            }
            if frame.columns.len() > before && !is_closed {
                self.reached[number] = Reach::Value;
                continue;
            }
            if is_in_text {
                self.reached[number] = self.reached[number].max(Reach::Text);
            }
            for name in columns.known() {
                let next = self.known.len();
                self.known.entry(name).or_insert(next);
            }
            if is_closed {
                continue;
            }
            if !is_json && !is_in_text && !self.options.some_frames_lack_columns {
                return Err(self.no_column(output, Reach::Nothing));
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

    /// Records which of the columns a frame has, whether any of its rows are kept or not.
    pub fn see(&mut self, fields: &Fields) {
        if self.reached.iter().all(|reached| *reached == Reach::Value) {
            return;
        }
        let columns = ColumnIndex::new(fields);
        for (output, reached) in self.wanted.iter().zip(&mut self.reached) {
            *reached = columns.reach(&output.path).max(*reached);
        }
    }

    /// Checks at the end that some frame had each of the columns, unless that is known: statistics may have shown that
    /// no row of such a frame is kept. If `keeps_all` rows, none of the values in JSON text that a path leads to has been
    /// left out.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`].
    pub fn conclude(&self, keeps_all: bool) -> Result<()> {
        if self.options.some_frames_lack_columns {
            return Ok(());
        }
        let least = if keeps_all { Reach::Value } else { Reach::Text };
        let mut wanted = self.wanted.iter().zip(&self.reached);
        let missing = wanted.find(|(_, reached)| **reached < least);
        missing.map_or(Ok(()), |(output, reached)| {
            Err(self.no_column(output, *reached))
        })
    }

    fn no_column(&self, output: &OutputColumn, reached: Reach) -> Error {
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
                let what = if reached == Reach::Text {
                    format!("there is no {path} in the JSON text of column {name:?}")
                } else {
                    format!(
                        "there is no {path}, since the values of column {name:?} are not nested"
                    )
                };
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
    /// The positions of each name.
    places: HashMap<String, Vec<usize>>,
    /// Each column with its hidden column, if any; empty after its last use.
    groups: Vec<Vec<MaybeTyped>>,
    /// The number of remaining uses of each column.
    uses: Vec<usize>,
    /// The position of the column of whole rows, if it was made of the other columns.
    closed: Option<usize>,
}

impl NamedColumns {
    fn of(columns: Vec<MaybeTyped>) -> Self {
        let names: Vec<String> = shown_names(&columns).collect();
        let groups = with_hidden(columns.into_iter().filter(|column| !column.is_patch()));
        Self {
            uses: vec![0; names.len()],
            names,
            places: HashMap::new(),
            groups,
            closed: None,
        }
    }

    /// Adds columns for the keys of whole rows that outputs name. They equal the columns that there would be
    /// if all rows of the frame were objects with few keys.
    fn open_rows(&mut self, options: &TextOptions, wanted: &[OutputColumn]) -> Result<()> {
        let is_rows = |group: &Vec<MaybeTyped>| group.first().is_some_and(MaybeTyped::is_rows);
        let Some(rows) = self.groups.iter().position(is_rows) else {
            return Ok(());
        };
        let is_missing =
            |output: &OutputColumn| !self.names.iter().any(|it| output.path.begins_with(it));
        let inside: Vec<_> = wanted.iter().filter(|output| is_missing(output)).collect();
        if inside.is_empty() {
            return Ok(());
        }
        let is_wanted = |key: &str| inside.iter().any(|output| output.path.begins_with(key));
        let mut typed = self.groups[rows].remove(0).typed()?;
        let mut batch_rows = Vec::new();
        let mut opened: Vec<(String, Vec<Column>)> = Vec::new();
        let mut infer = options.infer;
        if let Some(column) = typed.first() {
            infer &= has_types(&column.field);
            for array in column.clone().into_arrays() {
                let (rows, most) = (array.len(), inside.len());
                let columns = columns_of_rows(&column.field, &array, &is_wanted, most, infer)?;
                // A key that is new in this batch was null in all earlier ones, and a key that this batch
                // lacks is null in it.
                for (name, values) in columns {
                    let known = opened.iter().position(|(known, _)| *known == name);
                    let place = known.unwrap_or_else(|| {
                        let before = batch_rows.iter().map(|&rows| Column::null(rows));
                        opened.push((name, before.collect()));
                        opened.len() - 1
                    });
                    opened[place].1.push(values);
                }
                batch_rows.push(rows);
                for (_, blocks) in &mut opened {
                    if blocks.len() < batch_rows.len() {
                        blocks.push(Column::null(rows));
                    }
                }
            }
        }
        self.groups[rows].splice(0..0, typed.drain(..).map(MaybeTyped::Typed));
        for (name, blocks) in opened {
            self.names.push(name.clone());
            self.uses.push(0);
            self.groups.push(vec![MaybeTyped::Untyped(UntypedColumn {
                name,
                blocks,
                fixed: None,
                infer,
                origin: Origin::Objects,
            })]);
        }
        Ok(())
    }

    /// Adds a column of whole rows, made of the columns of objects.
    fn close_rows(&mut self, batch_rows: &[usize]) -> Result<()> {
        if self.names.iter().any(|name| name == ROW_COLUMN) {
            return Ok(());
        }
        let mut fields = Vec::new();
        let mut arrays: Vec<Vec<ArrayRef>> = vec![Vec::new(); batch_rows.len()];
        for group in &mut self.groups {
            for column in all_typed(group.drain(..))? {
                fields.push(Arc::clone(&column.field));
                for (batch, array) in arrays.iter_mut().zip(column.clone().into_arrays()) {
                    batch.push(array);
                }
                group.push(MaybeTyped::Typed(column));
            }
        }
        let fields = Fields::from(fields);
        let rows = arrays.into_iter().zip(batch_rows).map(|(arrays, &rows)| {
            let rows = StructArray::try_new_with_length(fields.clone(), arrays, None, rows);
            Ok(Arc::new(rows.map_err(cannot_hold)?) as ArrayRef)
        });
        let rows = rows.collect::<Result<_>>()?;
        let field = Field::new(ROW_COLUMN, DataType::Struct(fields), true);
        let field = with(field, ROLE, ROW);
        self.closed = Some(self.names.len());
        self.names.push(ROW_COLUMN.to_owned());
        self.uses.push(0);
        self.groups.push(vec![MaybeTyped::of_arrays(field, rows)]);
        Ok(())
    }

    /// Notes the positions of all names, for [`Self::find`].
    fn index(&mut self) {
        for (place, name) in self.names.iter().enumerate() {
            self.places.entry(name.clone()).or_default().push(place);
        }
    }

    /// The positions of the columns at the start of an output's path, and the number of steps in their names: the
    /// longest name wins.
    fn find(&mut self, output: &OutputColumn) -> Result<Vec<(usize, usize)>> {
        let found = longest_name(output.path.steps(), |name| self.places.get(name));
        let Some((places, used)) = found else {
            return Ok(Vec::new());
        };
        let found: Vec<_> = places.iter().map(|&place| (place, used)).collect();
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
        infer: bool,
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
        let typed = all_typed(group.drain(..))?;
        let found = typed
            .first()
            .map(|column| inside(column, steps, output, infer));
        // Keep the column, since an error may list its name and the names in it.
        group.extend(typed.into_iter().map(MaybeTyped::Typed));
        Ok(found.transpose()?.flatten().into_iter().collect())
    }

    /// True if the steps lead into JSON text.
    fn is_text(&self, place: usize, steps: &[Step]) -> bool {
        let column = self.groups[place].first();
        let field = column.and_then(MaybeTyped::field);
        field.is_some_and(|field| reach(field, steps) == Reach::Text)
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
    infer: bool,
) -> Result<Option<MaybeTyped>> {
    let outer = &column.field;
    match reach(outer, steps) {
        Reach::Value => {}
        Reach::Nothing => return Ok(None),
        Reach::Text => return inside_text(column, steps, output, infer),
    }
    let Some((found, ..)) = below(outer, &new_empty_array(outer.data_type()), steps, None)? else {
        return Ok(None);
    };
    let mut metadata = found.metadata().clone();
    metadata.remove(GAP);
    let field = found
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

/// What the steps lead to in JSON text; `None` if no row has anything there.
fn inside_text(
    column: &TypedColumn,
    steps: &[Step],
    output: &OutputColumn,
    infer: bool,
) -> Result<Option<MaybeTyped>> {
    let (mut blocks, mut is_found, mut infer) = (Vec::new(), false, infer);
    for array in column.clone().into_arrays() {
        let values = match descend(&column.field, &array, steps, None)? {
            Some(descent) => {
                infer &= descent.has_types();
                descent.values(infer)?
            }
            None => None,
        };
        is_found |= values.is_some();
        blocks.push(values.unwrap_or_else(|| nulls(array.len())));
    }
    Ok(is_found.then(|| {
        MaybeTyped::Untyped(UntypedColumn {
            name: output.name.clone(),
            blocks,
            fixed: None,
            infer,
            origin: Origin::Objects,
        })
    }))
}

impl MaybeTyped {
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
                origin: match untyped.origin {
                    Origin::Values => Origin::Objects,
                    origin => origin,
                },
                ..untyped
            }),
            Self::Typed(TypedColumn {
                field,
                batches,
                order,
            }) => {
                let mut field = (*field).clone().with_name(name);
                if !is_hidden(&field) {
                    field = without(field, &[ROLE]);
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
