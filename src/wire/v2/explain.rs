//! What the chooser would do with existing columns.
//!
//! Encodings see whole numbers, floats and strings without nulls and nesting. This takes arrays apart as
//! the encoder does and asks the same chooser, so it reports what `convert` would do.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};

use super::gather::{self, items_of, without_nulls};
use super::types;
use crate::error::Result;
use crate::schema::display_name;
use crate::wire::choose::{Cascade, Trial};
use crate::wire::encodings::ValueKind;

/// What was tried for the values of one leaf.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The names down to it, as [`super::Leaf`] has them.
    pub path: String,
    /// Values that are not null.
    pub values: usize,
    /// What the chooser would take, as `delta(bit-packed)`.
    pub choice: String,
    /// Everything that was tried at the top; empty if there was no choice.
    pub trials: Vec<Trial>,
}

/// Asks the chooser about every leaf of a column, and about the lengths of its lists.
///
/// # Errors
/// [`crate::error::Kind::Input`] if wire 2 does not have the type.
pub fn explain(
    field: &Field,
    array: &ArrayRef,
    position: usize,
    cascade: Cascade,
) -> Result<Vec<Explained>> {
    let mut found = Vec::new();
    let path = display_name(field.name(), position);
    column(field, array, path, cascade, &mut found)?;
    Ok(found)
}

fn column(
    field: &Field,
    array: &ArrayRef,
    path: String,
    cascade: Cascade,
    found: &mut Vec<Explained>,
) -> Result<()> {
    let chunks = vec![ArrayRef::clone(array)];
    let valid = array.len() - array.null_count();
    let mut lengths = Vec::new();
    let (below, item, items) = match field.data_type() {
        DataType::Struct(fields) => {
            let whole = without_nulls(chunks)?;
            for (at, field) in fields.iter().enumerate() {
                let path = format!("{path}.{}", display_name(field.name(), at));
                for chunk in &whole {
                    let child = chunk.as_struct().column(at);
                    column(field, child, path.clone(), cascade, found)?;
                }
            }
            return Ok(());
        }
        DataType::List(item) => {
            let chunk = whole(chunks)?;
            let list = chunk.as_list::<i32>();
            let items = items_of(list.offsets(), list.values(), &mut lengths);
            ("[]", item, items)
        }
        DataType::LargeList(item) => {
            let chunk = whole(chunks)?;
            let list = chunk.as_list::<i64>();
            let items = items_of(list.offsets(), list.values(), &mut lengths);
            ("[]", item, items)
        }
        DataType::Map(item, _) => {
            let chunk = whole(chunks)?;
            let map = chunk.as_map();
            let entries: ArrayRef = std::sync::Arc::new(map.entries().clone());
            let items = items_of(map.offsets(), &entries, &mut lengths);
            ("{}", item, items)
        }
        DataType::FixedSizeList(item, len) => {
            let chunk = whole(chunks)?;
            let list = chunk.as_fixed_size_list();
            let len = list.len() * *len as usize;
            let items = list.values().slice(list.value_offset_at(0), len);
            ("[]", item, items)
        }
        // The encoder takes Arrow's dictionaries and wide decimals as they are, without a choice
        // worth telling.
        DataType::Dictionary(..) => return Ok(()),
        _ if valid == 0 => return Ok(()),
        leaf => {
            let (node, trials) = match types::kind(leaf) {
                Some(ValueKind::Floats) => cascade.explain_floats(&gather::floats(&chunks, valid)),
                Some(ValueKind::Strings) => cascade.explain_strings(&gather::strings(&chunks)?),
                Some(ValueKind::Ints) => cascade.explain_ints(&gather::ints(leaf, &chunks, valid)?),
                None => return Ok(()),
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
    if !lengths.is_empty() {
        let (node, trials) = cascade.deeper().explain_ints(&lengths);
        found.push(Explained {
            path: path.clone(),
            values: lengths.len(),
            choice: node.name(),
            trials,
        });
    }
    column(item, &items, format!("{path}{below}"), cascade, found)
}

/// The only chunk without its nulls.
fn whole(chunks: Vec<ArrayRef>) -> Result<ArrayRef> {
    let mut whole = without_nulls(chunks)?;
    Ok(whole.swap_remove(0))
}
