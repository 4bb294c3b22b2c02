//! Opens Arrow IPC as an input of the pipeline.

use std::fs::File;
use std::io::BufReader;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};

use super::{IpcReader, Message};
use crate::columns::TextOptions;
use crate::columns::place::{self, has_path};
use crate::error::{Error, Result};
use crate::format::read::{Bytes, Part, PartRows, ReadOptions, Reader};
use crate::schema::display_name;
use crate::schema::path::no_column;

/// Number of bytes requested at a time. Messages are small compared with their bodies, and a body is read in one piece.
const READ_BYTES: usize = 64 << 10;

/// Opens a stream or a file.
///
/// # Errors
/// If the input is not Arrow IPC, or lacks a selected column.
pub fn open_arrow(
    bytes: Bytes,
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
    reader: IpcReader<BufReader<Bytes>>,
    /// The positions of the columns to read, unless all are read.
    places: Option<Arc<[usize]>>,
    note: Option<String>,
    /// True if a part has been returned.
    any: bool,
}

impl Reader for IpcInput {
    fn next_part(&mut self, _limit: Option<usize>) -> Result<Option<Box<dyn Part>>> {
        let places = self.places.clone();
        if let Some(message) = self.reader.next_message()? {
            self.any = true;
            return Ok(Some(Box::new(Batch { message, places })));
        }
        if !self.reader.is_whole() {
            let what = "the stream has no end marker; it may be incomplete";
            self.note = Some(what.to_owned());
        }
        if self.any {
            return Ok(None);
        }
        self.any = true;
        let schema = self.reader.schema();
        Ok(Some(Box::new(NoBatch { schema, places })))
    }

    fn schema(&self) -> Option<SchemaRef> {
        Some(self.reader.schema())
    }

    fn note(&mut self) -> Option<String> {
        self.note.take()
    }
}

/// An undecoded batch.
struct Batch {
    message: Message,
    places: Option<Arc<[usize]>>,
}

impl Part for Batch {
    fn rows(&self) -> u64 {
        self.message.rows()
    }

    fn len_bytes(&self) -> usize {
        self.message.len_bytes()
    }

    fn read(self: Box<Self>) -> Result<PartRows> {
        let Some(places) = &self.places else {
            return self.message.decode(None).map(PartRows::Typed);
        };
        let mut ascending = places.to_vec();
        ascending.sort_unstable();
        let batch = self.message.decode(Some(&ascending))?;
        let place = |place: &usize| ascending.binary_search(place).unwrap_or_default();
        let order: Vec<usize> = places.iter().map(place).collect();
        project(&batch, &order)
    }
}

/// The columns of an input without batches.
struct NoBatch {
    schema: SchemaRef,
    places: Option<Arc<[usize]>>,
}

impl Part for NoBatch {
    fn rows(&self) -> u64 {
        0
    }

    fn len_bytes(&self) -> usize {
        0
    }

    fn read(self: Box<Self>) -> Result<PartRows> {
        let batch = RecordBatch::new_empty(self.schema);
        match &self.places {
            None => Ok(PartRows::Typed(batch)),
            Some(places) => project(&batch, places),
        }
    }
}

fn project(batch: &RecordBatch, places: &[usize]) -> Result<PartRows> {
    batch
        .project(places)
        .map(PartRows::Typed)
        .map_err(Error::input)
}

/// The positions of the columns to read; `None` if all are read.
pub fn places(schema: &Schema, text: &TextOptions) -> Result<Option<Vec<usize>>> {
    let fields = schema.fields().iter().enumerate();
    let names: Vec<_> = fields
        .map(|(at, field)| display_name(field.name(), at))
        .collect();
    text.require_columns(&names)?;
    let wanted = text.columns.iter().flatten();
    let mut wanted = wanted.filter(|_| !text.some_frames_lack_columns);
    let fields = || schema.fields().iter().map(|field| &**field);
    if let Some(column) = wanted.find(|column| !has_path(fields(), &column.path)) {
        let known = place::names(schema.fields());
        return Err(no_column(&column.path.to_string(), &known));
    }
    Ok(text.columns.as_ref().map(|_| text.places(&names)))
}
