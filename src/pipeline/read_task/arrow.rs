//! Reading batches of Arrow IPC.

use std::ops::Range;

use arrow_schema::Schema;

use super::{Block, cannot_hold, renamed, select};
use crate::error::Result;
use crate::format::arrow::Message;
use crate::pipeline::Options;
use crate::schema::display_name;

/// Decodes the wanted rows and columns of an Arrow batch.
pub fn batch(message: &Message, rows: Option<Range<u64>>, options: &Options) -> Result<Block> {
    let all = message.rows();
    let rows = rows.unwrap_or(0..all);
    let share = (rows.end - rows.start) as f64 / all.max(1) as f64;
    let batch = match (&options.text.columns, &options.filter) {
        (None, None) => message.decode(None)?,
        // The condition may look into other columns than those that are wanted.
        (_, Some(_)) => {
            let batch = message.decode(None)?;
            let fields = batch.schema_ref().fields().iter().enumerate();
            let names = fields.map(|(at, field)| display_name(field.name(), at));
            let names: Vec<_> = names.collect();
            options.text.require_columns(&names)?;
            let names: Vec<_> = names.into_iter().map(Some).collect();
            select(renamed(&batch, &names)?, options)?
        }
        (Some(wanted), None) => {
            let places = places(message.schema(), wanted, options)?;
            let mut ascending = places.clone();
            ascending.sort_unstable();
            let batch = message.decode(Some(&ascending))?;
            let place = |place: &usize| ascending.binary_search(place).unwrap_or_default();
            let order: Vec<usize> = places.iter().map(place).collect();
            batch.project(&order).map_err(cannot_hold)?
        }
    };
    let batch = match &options.filter {
        // Rows are counted after the filter.
        Some(_) => batch,
        None => batch.slice(rows.start as usize, (rows.end - rows.start) as usize),
    };
    Ok(Block::Batch(
        batch,
        (message.len_bytes() as f64 * share) as usize,
    ))
}

/// Where the wanted columns are.
pub fn places(schema: &Schema, wanted: &[String], options: &Options) -> Result<Vec<usize>> {
    let fields = schema.fields().iter().enumerate();
    let names: Vec<_> = fields
        .map(|(at, field)| display_name(field.name(), at))
        .collect();
    options.text.require_columns(&names)?;
    let mut places = Vec::with_capacity(wanted.len());
    for name in wanted {
        places.extend((0..names.len()).filter(|&at| names[at] == *name));
    }
    Ok(places)
}
