//! Opens Arrow IPC as an input of the pipeline.

use std::fs::File;
use std::io::BufReader;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};

use super::{IpcReader, Message};
use crate::columns::TextOptions;
use crate::columns::place::{self, ColumnIndex, Reach};
use crate::error::{Error, Result};
use crate::format::read::{ByteSource, Part, ReadOptions, Reader};
use crate::schema::display_name;
use crate::schema::path::no_column;
use crate::schema::selection::OutputColumn;

/// Number of bytes requested at a time. Messages are small compared with their bodies, and a body is read in one piece.
const READ_BYTES: usize = 64 << 10;

/// Opens a stream or a file.
///
/// # Errors
/// If the input is not Arrow IPC, or lacks a selected column.
pub fn open_arrow(
    bytes: ByteSource,
    file: Option<File>,
    options: &ReadOptions<'_>,
) -> Result<Box<dyn Reader>> {
    let bytes = BufReader::with_capacity(READ_BYTES, bytes);
    let reader = IpcReader::open(bytes, file, options.max_frame)?;
    let schema = reader.schema();
    let places = places(&schema, options.text)?;
    Ok(Box::new(IpcInput {
        note: None,
        reader,
        places: places.map(Arc::from),
        any: false,
    }))
}

struct IpcInput {
    reader: IpcReader<BufReader<ByteSource>>,
    /// The positions of the columns to read, unless all are read.
    places: Option<Arc<[usize]>>,
    note: Option<String>,
    /// True if a part has been requested.
    any: bool,
}

impl Reader for IpcInput {
    fn next_part(&mut self, _limit: Option<usize>) -> Result<Option<Part>> {
        let is_first = !std::mem::replace(&mut self.any, true);
        if let Some(message) = self.reader.next_message()? {
            let (rows, len_bytes) = (message.rows(), message.len_bytes());
            let places = self.places.clone();
            let decode = move || decode(&message, places.as_deref());
            return Ok(Some(Part::typed(rows, len_bytes, decode)));
        }
        if is_first {
            let schema = self.reader.schema();
            return Ok(Some(Part::empty(schema, self.places.clone())));
        }
        if !self.reader.is_whole() {
            let what = "the stream has no end marker; it may be incomplete";
            self.note = Some(what.to_owned());
        }
        Ok(None)
    }

    fn schema(&self) -> Option<SchemaRef> {
        Some(self.reader.schema())
    }

    fn note(&mut self) -> Option<String> {
        self.note.take()
    }
}

/// The columns of a batch at these positions, in their order.
fn decode(message: &Message, places: Option<&[usize]>) -> Result<RecordBatch> {
    let Some(places) = places else {
        return message.decode(None);
    };
    let mut ascending = places.to_vec();
    ascending.sort_unstable();
    let batch = message.decode(Some(&ascending))?;
    let place = |place: &usize| ascending.binary_search(place).unwrap_or_default();
    let order: Vec<usize> = places.iter().map(place).collect();
    batch.project(&order).map_err(Error::input)
}

/// The positions of the columns to read; `None` if all are read.
pub fn places(schema: &Schema, text: &TextOptions) -> Result<Option<Vec<usize>>> {
    let fields = schema.fields().iter().enumerate();
    let names: Vec<_> = fields
        .map(|(at, field)| display_name(field.name(), at))
        .collect();
    text.require_columns(&names)?;
    let Some(selected) = text.selected() else {
        return Ok(None);
    };
    if !text.some_frames_lack_columns {
        let columns = ColumnIndex::new(schema.fields());
        let is_missing = |it: &&OutputColumn| columns.reach(&it.path) == Reach::Nothing;
        if let Some(column) = selected.iter().find(is_missing) {
            let known = place::names(schema.fields());
            let error = no_column(&column.path.to_string(), &known);
            return Err(error.of_option("--columns"));
        }
    }
    Ok(Some(text.places_to_read(&names)))
}
