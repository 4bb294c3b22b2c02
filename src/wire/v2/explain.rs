//! Shows what the chooser would do with existing columns.
//!
//! Encodings handle numbers and strings without nulls and nesting. This module decomposes arrays like the
//! encoder and runs the same chooser, so it reports what `convert` would do.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};

use super::encode::positions::positions;
use super::encode::values::EncodeSpec;
use super::gather::{self, Chunk, Values};
use super::types;
use crate::error::Result;
use crate::schema::{child_path, display_name};
use crate::wire::choose::{Cascade, Trial};
use crate::wire::encodings::ValueKind;

/// The trials for the values of one leaf.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The path, as in [`super::Leaf`].
    pub path: String,
    /// Number of values that are not null.
    pub values: usize,
    /// The chooser's choice, such as `delta(bit-packed)`.
    pub choice: String,
    /// All trials at the top level; empty if there was no choice.
    pub trials: Vec<Trial>,
}

/// Runs the chooser for every leaf of a column and for the lengths of its lists.
///
/// # Errors
/// [`crate::error::Kind::Input`] if wire 2 lacks the type.
pub fn explain(
    field: &Field,
    array: &ArrayRef,
    position: usize,
    cascade: Cascade,
) -> Result<Vec<Explained>> {
    let mut found = Vec::new();
    let path = display_name(field.name(), position);
    let chunks = vec![ArrayRef::clone(array).into()];
    column(
        field,
        chunks,
        path,
        EncodeSpec::alone(cascade, None),
        &mut found,
    )?;
    Ok(found)
}

fn column(
    field: &Field,
    chunks: Vec<Chunk>,
    path: String,
    how: EncodeSpec<'_>,
    found: &mut Vec<Explained>,
) -> Result<()> {
    let cascade = how.cascade;
    let valid = chunks.iter().map(Chunk::valid).sum();
    let data_type = field.data_type();
    let item = match data_type {
        DataType::Struct(fields) => {
            let members = gather::members(chunks, fields.len());
            for (at, (field, chunks)) in fields.iter().zip(members).enumerate() {
                let path = child_path(data_type, &path, field, at);
                column(field, chunks, path, how, found)?;
            }
            return Ok(());
        }
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => item,
        // The encoder keeps Arrow's dictionaries and wide decimals, so there is no choice to report.
        DataType::Dictionary(..) => return Ok(()),
        _ if valid == 0 => return Ok(()),
        leaf => {
            let Some(kind) = types::kind(leaf) else {
                return Ok(());
            };
            let (node, trials) = match Values::of(leaf, &chunks)? {
                Values::Strings(values) => cascade.explain_strings(&values),
                Values::Numbers(values) => cascade.explain_numbers(kind, &values),
                Values::Wide { .. } => return Ok(()),
            };
            found.push(Explained {
                path,
                values: valid,
                choice: node.name(),
                trials,
            });
            return Ok(());
        }
    };
    let mut lengths = Vec::new();
    let items = gather::items(chunks, &mut lengths);
    if types::can_be_by_position(data_type)
        && let Some(positions) = positions(item, &items, &lengths, how)
    {
        let columns = gather::by_position(&items, positions, lengths.len() * positions);
        for (at, items) in columns.into_iter().enumerate() {
            column(
                item,
                items,
                format!("{path}[{at}]"),
                how.position(at),
                found,
            )?;
        }
        return Ok(());
    }
    if !lengths.is_empty() {
        let (node, trials) = cascade.deeper().explain_numbers(ValueKind::Ints, &lengths);
        found.push(Explained {
            path: path.clone(),
            values: lengths.len(),
            choice: node.name(),
            trials,
        });
    }
    let path = child_path(data_type, &path, item, 0);
    column(item, items, path, how, found)
}
