//! What can be read on a thread of its own, and reading it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema, SchemaRef};

use super::salvage::End;
use super::{Note, Options};
use crate::error::{Error, Kind, Result};
use crate::frame::{Codec, Decompressor, StoredFrame, envelopes};
use crate::ipc::Message;
use crate::schema::display_name;
use crate::text::csv::{CsvBlock, CsvParser};
use crate::text::frame::Columns;
use crate::text::json::{JsonBlock, JsonParser, JsonScratch};
use crate::text::span::Span;
use crate::wire::{Decoder, Envelope};

/// What can be read on a thread of its own.
pub enum Piece {
    /// The columns of a CSV file, known before its rows.
    Names(Vec<String>),
    /// Records of CSV.
    Csv {
        parser: Arc<CsvParser>,
        block: CsvBlock,
        path: Arc<Path>,
        ends_frame: bool,
    },
    /// Values of JSON.
    Json {
        parser: Arc<JsonParser>,
        block: JsonBlock,
        path: Arc<Path>,
        ends_frame: bool,
    },
    /// A frame, and the rows of it that are wanted if not all are.
    Frame {
        stored: StoredFrame,
        /// The checksum that the index has for it.
        crc32: Option<u32>,
        rows: Option<Range<u64>>,
        path: Arc<Path>,
    },
    /// A batch of Arrow IPC, and the rows of it that are wanted if not all are.
    Arrow {
        message: Message,
        rows: Option<Range<u64>>,
        path: Arc<Path>,
    },
    /// The columns of an Arrow input without batches.
    Schema(SchemaRef, Arc<Path>),
    /// Something odd.
    Note(Note),
    /// A damaged frame, if damage does not end everything.
    Lost(Error),
    /// The end of a stream of frames, then.
    End(End),
}

/// What a piece holds.
pub enum Contents {
    /// The columns of a CSV file.
    Names(Vec<String>),
    /// Rows of text, and whether they fill the frame.
    Columns(Columns, bool),
    /// Rows of a frame.
    Batches(Vec<RecordBatch>),
    /// Rows of a batch that may share a frame with others, and about how many bytes they take.
    Batch(RecordBatch, usize),
    /// A frame that is wanted as it is, and its rows where they were counted.
    Stored(StoredFrame, usize),
    /// Something odd.
    Note(Note),
    /// A damaged frame.
    Lost(Error),
    /// The end of a stream.
    End(End),
}

/// What a reading thread keeps from piece to piece.
pub struct Scratch {
    spans: Vec<Span>,
    json: JsonScratch,
    decoder: Decoder,
    decompressor: Decompressor,
    plain: Vec<u8>,
}

impl Scratch {
    pub fn new(options: &Options) -> Self {
        Self {
            spans: Vec::new(),
            json: JsonScratch::default(),
            decoder: Decoder::new(options.max_frame),
            decompressor: Decompressor::new(options.max_frame),
            plain: Vec::new(),
        }
    }
}

impl Piece {
    /// Parses or decodes.
    ///
    /// # Errors
    /// What is wrong with the input, naming its file.
    pub fn read(self, scratch: &mut Scratch, options: &Options) -> Result<Contents> {
        match self {
            Self::Names(names) => Ok(Contents::Names(names)),
            Self::Csv {
                parser,
                block,
                path,
                ends_frame,
            } => parser
                .parse(&block, &mut scratch.spans)
                .map(|columns| Contents::Columns(columns, ends_frame))
                .map_err(|error| error.in_file(&path)),
            Self::Json {
                parser,
                block,
                path,
                ends_frame,
            } => parser
                .parse(&block, &mut scratch.json)
                .map(|columns| Contents::Columns(columns, ends_frame))
                .map_err(|error| error.in_file(&path)),
            Self::Frame {
                stored,
                crc32,
                rows,
                path,
            } => {
                let checked = check(&stored, crc32);
                let passes = options.copy && rows.is_none();
                if passes && checked.is_ok() && !options.salvage && stored.codec != Codec::None {
                    return Ok(Contents::Stored(stored, 0));
                }
                // Reading a frame that is not compressed costs little more than copying it, and
                // keeps a broken one from being passed on.
                let mut read = || batches(scratch, &stored, rows.as_ref(), options);
                let read = match checked {
                    Ok(()) => read(),
                    // An envelope that has checksums of its own tells better what is wrong, and
                    // damage in columns that nobody wants harms nobody.
                    Err(error) => match stored.v2().map(|envelope| (read(), envelope)) {
                        None => Err(error),
                        Some((Err(better), _)) => Err(better),
                        Some((Ok(batches), envelope)) => {
                            if options.text.columns.is_some()
                                && !envelope.damaged_sections(&stored.bytes).is_empty()
                            {
                                Ok(batches)
                            } else {
                                Err(error)
                            }
                        }
                    },
                };
                match read {
                    // It is whole, so it can be passed on after all.
                    Ok(batches) if passes => {
                        let rows = batches.iter().map(RecordBatch::num_rows).sum();
                        let recycle = |batch| scratch.decoder.recycle(batch);
                        batches.into_iter().for_each(recycle);
                        Ok(Contents::Stored(stored, rows))
                    }
                    Ok(batches) => Ok(Contents::Batches(batches)),
                    Err(error) if options.salvage && is_damage(&error) => {
                        Ok(Contents::Lost(error.in_file(&path)))
                    }
                    Err(error) => Err(error.in_file(&path)),
                }
            }
            Self::Arrow {
                message,
                rows,
                path,
            } => arrow(&message, rows, options).map_err(|error| error.in_file(&path)),
            Self::Schema(schema, path) => {
                let batch = RecordBatch::new_empty(schema);
                let batch = match &options.text.columns {
                    None => Ok(batch),
                    Some(wanted) => places(batch.schema_ref(), wanted, options)
                        .and_then(|places| select(&batch, &places)),
                };
                let batch = batch.map_err(|error| error.in_file(&path))?;
                Ok(Contents::Batch(batch, 0))
            }
            Self::Note(note) => Ok(Contents::Note(note)),
            Self::Lost(error) => Ok(Contents::Lost(error)),
            Self::End(end) => Ok(Contents::End(end)),
        }
    }
}

/// True for what can be wrong with a frame. A length that was damaged may claim too much.
pub fn is_damage(error: &Error) -> bool {
    matches!(error.kind(), Kind::Corrupt | Kind::Limit)
}

/// Compares a frame with what its index says of it.
fn check(stored: &StoredFrame, crc32: Option<u32>) -> Result<()> {
    match crc32 {
        Some(crc32) if crc32fast::hash(&stored.bytes) != crc32 => Err(stored.locate(
            Error::corrupt("the index says that this frame held other bytes"),
        )),
        _ => Ok(()),
    }
}

/// Decodes the wanted rows of a frame.
fn batches(
    scratch: &mut Scratch,
    stored: &StoredFrame,
    rows: Option<&Range<u64>>,
    options: &Options,
) -> Result<Vec<RecordBatch>> {
    let Scratch {
        decoder,
        decompressor,
        plain,
        ..
    } = scratch;
    let bytes = stored.open(decompressor, plain)?;
    let located = |error| stored.locate(error);
    let (envelopes, _) = envelopes(bytes, options.max_frame).map_err(located)?;
    let mut first = 0;
    let mut batches = Vec::with_capacity(envelopes.len());
    for (range, envelope) in envelopes {
        let batch = decode(decoder, &bytes[range], &envelope, options).map_err(located)?;
        let len = batch.num_rows() as u64;
        batches.push(match rows {
            None => batch,
            Some(wanted) => {
                let from = wanted.start.saturating_sub(first).min(len);
                let to = wanted.end.saturating_sub(first).min(len);
                batch.slice(from as usize, (to - from) as usize)
            }
        });
        first += len;
    }
    Ok(batches)
}

/// Decodes the wanted columns, in the order in which they are wanted, and of rows those that pass
/// the condition.
fn decode(
    decoder: &mut Decoder,
    bytes: &[u8],
    envelope: &Envelope,
    options: &Options,
) -> Result<RecordBatch> {
    let filtered = |batch: RecordBatch| match &options.filter {
        Some(filter) => filter.filter(&batch),
        None => Ok(batch),
    };
    let Some(wanted) = &options.text.columns else {
        return filtered(decoder.decode(bytes, envelope, |_, _| true)?);
    };
    let names = envelope.names(bytes)?;
    options.text.require_columns(&names)?;
    let is_needed = |name: &String| wanted.contains(name) || options.filter_needs(name);
    let keep = |position: usize, _: &str| is_needed(&names[position]);
    let batch = decoder.decode(bytes, envelope, keep)?;
    let kept: Vec<_> = names.iter().filter(|name| is_needed(name)).collect();
    // A column that goes by its position would go by another one here.
    let schema = batch.schema();
    let fields = schema.fields().iter().zip(&kept);
    let fields = fields.map(|(field, name)| (**field).clone().with_name(name.as_str()));
    let schema = Schema::new(fields.collect::<Vec<_>>());
    let mut order = Vec::with_capacity(kept.len());
    for name in wanted {
        order.extend((0..kept.len()).filter(|&at| kept[at] == name));
    }
    let arrow = |error: ArrowError| Error::input(error.to_string());
    let batch = batch.with_schema(Arc::new(schema)).map_err(arrow)?;
    filtered(batch)?.project(&order).map_err(arrow)
}

/// Decodes the wanted rows and columns of an Arrow batch.
fn arrow(message: &Message, rows: Option<Range<u64>>, options: &Options) -> Result<Contents> {
    let all = message.rows();
    let rows = rows.unwrap_or(0..all);
    let share = (rows.end - rows.start) as f64 / all.max(1) as f64;
    let batch = match (&options.text.columns, &options.filter) {
        (None, None) => message.decode(None)?,
        // The condition may look into other columns than those that are wanted.
        (wanted, Some(filter)) => {
            let batch = filter.filter(&message.decode(None)?)?;
            match wanted {
                None => batch,
                Some(wanted) => select(&batch, &places(message.schema(), wanted, options)?)?,
            }
        }
        (Some(wanted), None) => {
            let places = places(message.schema(), wanted, options)?;
            let mut ascending = places.clone();
            ascending.sort_unstable();
            let batch = message.decode(Some(&ascending))?;
            let place = |place: &usize| ascending.binary_search(place).unwrap_or_default();
            let order: Vec<usize> = places.iter().map(place).collect();
            select(&batch, &order)?
        }
    };
    let batch = match &options.filter {
        // Rows are counted behind the filter.
        Some(_) => batch,
        None => batch.slice(rows.start as usize, (rows.end - rows.start) as usize),
    };
    Ok(Contents::Batch(
        batch,
        (message.len_bytes() as f64 * share) as usize,
    ))
}

/// Where the wanted columns are.
fn places(schema: &Schema, wanted: &[String], options: &Options) -> Result<Vec<usize>> {
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

fn select(batch: &RecordBatch, places: &[usize]) -> Result<RecordBatch> {
    batch
        .project(places)
        .map_err(|error| Error::input(error.to_string()))
}
