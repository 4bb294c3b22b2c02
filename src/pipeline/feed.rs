//! Cutting inputs into pieces, and reading a piece.

use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use super::frames::{Extent, Frames};
use super::salvage::End;
use super::{Format, FrameSize, Note, Options, Source};
use crate::error::{Error, Kind, Result};
use crate::frame::{Codec, Decompressor, StoredFrame, envelopes};
use crate::schema::display_name;
use crate::text::TextOptions;
use crate::text::csv::{CsvBlock, CsvParser, CsvReader};
use crate::text::frame::Columns;
use crate::text::input::Input;
use crate::text::json::{JsonBlock, JsonParser, JsonReader, JsonScratch};
use crate::text::span::Span;
use crate::wire::v1::{Decoder, Walk, Walker};

type Bytes = Box<dyn Read + Send>;

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
        rows: Option<Range<u64>>,
        path: Arc<Path>,
    },
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
                stored, rows: None, ..
            } if options.copy && !options.salvage && stored.codec != Codec::None => {
                Ok(Contents::Stored(stored, 0))
            }
            // Reading a frame that is not compressed costs little more than copying it, and keeps
            // a broken one from being passed on.
            Self::Frame { stored, rows, path } => {
                match batches(scratch, &stored, rows.as_ref(), &options.text) {
                    // It is whole, so it can be passed on after all.
                    Ok(batches) if options.copy && rows.is_none() => {
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
            Self::Note(note) => Ok(Contents::Note(note)),
            Self::Lost(error) => Ok(Contents::Lost(error)),
            Self::End(end) => Ok(Contents::End(end)),
        }
    }
}

/// True for what can be wrong with a frame. A length that was damaged may claim too much.
fn is_damage(error: &Error) -> bool {
    matches!(error.kind(), Kind::Corrupt | Kind::Limit)
}

/// Decodes the wanted rows of a frame.
fn batches(
    scratch: &mut Scratch,
    stored: &StoredFrame,
    rows: Option<&Range<u64>>,
    options: &TextOptions,
) -> Result<Vec<RecordBatch>> {
    let Scratch {
        decoder,
        decompressor,
        plain,
        ..
    } = scratch;
    let bytes = stored.open(decompressor, plain)?;
    let located = |error| stored.locate(error);
    let (envelopes, _) = envelopes(bytes).map_err(located)?;
    let mut first = 0;
    let mut batches = Vec::with_capacity(envelopes.len());
    for envelope in envelopes {
        let batch = decode(decoder, &bytes[envelope], options).map_err(located)?;
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

/// Decodes the wanted columns, in the order in which they are wanted.
fn decode(decoder: &mut Decoder, bytes: &[u8], options: &TextOptions) -> Result<RecordBatch> {
    let Some(wanted) = &options.columns else {
        return Ok(decoder.decode(bytes)?.batch);
    };
    let Walk::Complete(envelope) = Walker::new().walk(bytes)? else {
        return Err(Error::corrupt("the envelope is cut short"));
    };
    let columns = envelope.columns.iter().enumerate();
    let names: Vec<_> = columns
        .map(|(at, column)| display_name(column.name(bytes), at))
        .collect();
    options.require_columns(&names)?;
    let keep = |position: usize, _: &str| wanted.contains(&names[position]);
    let batch = decoder.decode_walked(bytes, &envelope, keep)?.batch;
    let kept: Vec<_> = names.iter().filter(|name| wanted.contains(name)).collect();
    let mut order = Vec::with_capacity(kept.len());
    for name in wanted {
        order.extend((0..kept.len()).filter(|&at| kept[at] == name));
    }
    // A column that goes by its position would go by another one here.
    let schema = batch.schema();
    let field = |&at: &usize| schema.field(at).clone().with_name(kept[at]);
    let schema = Schema::new(order.iter().map(field).collect::<Vec<_>>());
    batch
        .project(&order)
        .and_then(|batch| batch.with_schema(Arc::new(schema)))
        .map_err(|error| Error::input(error.to_string()))
}

/// An input that is being cut.
enum Open {
    Csv {
        reader: CsvReader<Bytes>,
        parser: Arc<CsvParser>,
    },
    Json {
        reader: JsonReader<Bytes>,
        parser: Arc<JsonParser>,
    },
    Mbt(Box<Frames<Bytes>>),
}

/// Cuts the inputs into pieces, one after the other.
pub struct Feed<'a> {
    options: &'a Options,
    sources: std::vec::IntoIter<Source>,
    open: Option<(Open, Arc<Path>)>,
    /// Some source has been opened.
    opened: bool,
    /// Rows so far, those before the wanted ones included.
    rows: u64,
    /// Frames so far, those before the wanted ones included.
    frames: u64,
    frame_rows: u64,
    frame_bytes: u64,
}

impl<'a> Feed<'a> {
    pub fn new(sources: Vec<Source>, options: &'a Options) -> Self {
        let sources = sources.into_iter();
        Self {
            options,
            sources,
            open: None,
            opened: false,
            rows: 0,
            frames: 0,
            frame_rows: 0,
            frame_bytes: 0,
        }
    }

    /// The next piece; `None` once all inputs are through or the wanted rows have come.
    fn piece(&mut self) -> Result<Option<Piece>> {
        loop {
            let done = self.rows >= self.options.rows.end || self.frames >= self.options.frames.end;
            // The first is opened even if no row is wanted: it names the columns.
            if done && self.opened {
                return Ok(None);
            }
            self.opened = true;
            let Some((mut open, path)) = self.open.take() else {
                match self.sources.next() {
                    Some(source) => match self.open(source)? {
                        Some(piece) => return Ok(Some(piece)),
                        None => continue,
                    },
                    None => return Ok(None),
                }
            };
            let (limit, wanted) = self.next_rows();
            let piece = match &mut open {
                Open::Csv { reader, parser } => reader.next_block(limit).map(|block| {
                    block.map(|block| {
                        let ends_frame = self.count(wanted, block.records, block.len());
                        let (parser, path) = (Arc::clone(parser), Arc::clone(&path));
                        Piece::Csv {
                            parser,
                            block,
                            path,
                            ends_frame,
                        }
                    })
                }),
                Open::Json { reader, parser } => reader.next_block(limit).map(|block| {
                    block.map(|block| {
                        let ends_frame = self.count(wanted, block.records, block.len());
                        let (parser, path) = (Arc::clone(parser), Arc::clone(&path));
                        Piece::Json {
                            parser,
                            block,
                            path,
                            ends_frame,
                        }
                    })
                }),
                Open::Mbt(reader) => {
                    let piece = self
                        .frame(reader, &path)
                        .map_err(|error| error.in_file(&path))?;
                    if !matches!(piece, Some(Piece::Note(_) | Piece::End(_)) | None) {
                        self.open = Some((open, path));
                    }
                    match piece {
                        Some(piece) => return Ok(Some(piece)),
                        None => continue,
                    }
                }
            };
            let Some(piece) = piece.map_err(|error| error.in_file(&path))? else {
                continue;
            };
            self.open = Some((open, path));
            if wanted {
                return Ok(Some(piece));
            }
        }
    }

    /// Opens a source; the names of its columns if they are known at once and matter.
    fn open(&mut self, source: Source) -> Result<Option<Piece>> {
        let Source {
            path,
            bytes,
            file,
            format,
        } = source;
        let path: Arc<Path> = path.into();
        let input = |bytes| Input::new(bytes, self.options.max_frame);
        let text = &self.options.text;
        let unwanted = Extent {
            frames: self.options.frames.start.saturating_sub(self.frames),
            rows: self.options.rows.start.saturating_sub(self.rows),
        };
        let mut piece = None;
        let open = match format {
            Format::Csv(csv) => CsvReader::open(input(bytes), csv, text).map(|(reader, parser)| {
                if text.columns.is_none() {
                    piece = Some(Piece::Names(parser.names().to_vec()));
                }
                Open::Csv {
                    reader,
                    parser: Arc::new(parser),
                }
            }),
            Format::Json(flavor) => {
                JsonReader::open(input(bytes), flavor, text.clone()).map(|(reader, parser)| {
                    Open::Json {
                        reader,
                        parser: Arc::new(parser),
                    }
                })
            }
            Format::Mbt => {
                Frames::open(bytes, file, unwanted, self.options.max_frame).map(|frames| {
                    self.rows += frames.skipped.rows;
                    self.frames += frames.skipped.frames;
                    Open::Mbt(Box::new(frames))
                })
            }
        };
        let open = open.map_err(|error| error.in_file(&path))?;
        self.open = Some((open, path));
        Ok(piece)
    }

    /// How many rows the next block of text may have, and whether they are wanted.
    fn next_rows(&self) -> (Option<usize>, bool) {
        let Range { start, end } = self.options.rows;
        if self.rows < start {
            return (usize::try_from(start - self.rows).ok(), false);
        }
        let until_end = (end != u64::MAX).then(|| end - self.rows);
        let until_frame = match self.options.frame_size {
            FrameSize::Rows(rows) => Some(rows - self.frame_rows),
            FrameSize::TextBytes(_) | FrameSize::Whole => None,
        };
        let limit = until_end.into_iter().chain(until_frame).min();
        (limit.and_then(|limit| usize::try_from(limit).ok()), true)
    }

    /// Counts a block of text; true if it fills the frame.
    fn count(&mut self, wanted: bool, records: usize, bytes: usize) -> bool {
        self.rows += records as u64;
        if !wanted {
            return false;
        }
        self.frame_rows += records as u64;
        self.frame_bytes += bytes as u64;
        let full = match self.options.frame_size {
            FrameSize::Rows(rows) => self.frame_rows >= rows,
            FrameSize::TextBytes(bytes) => self.frame_bytes >= bytes,
            FrameSize::Whole => false,
        };
        if full {
            (self.frame_rows, self.frame_bytes) = (0, 0);
        }
        full
    }

    /// The next frame with wanted rows, or what is odd about the end.
    fn frame(&mut self, frames: &mut Frames<Bytes>, path: &Arc<Path>) -> Result<Option<Piece>> {
        // Rows of text do not go on behind frames.
        (self.frame_rows, self.frame_bytes) = (0, 0);
        let Options {
            rows: wanted_rows,
            frames: wanted_frames,
            ..
        } = self.options;
        let lost = |error: Error| {
            if self.options.salvage && is_damage(&error) {
                Ok(Some(Piece::Lost(error.in_file(path))))
            } else {
                Err(error)
            }
        };
        while self.rows < wanted_rows.end && self.frames < wanted_frames.end {
            let frame = match frames.next_frame() {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(error) => return lost(error),
            };
            self.frames += 1;
            if self.frames <= wanted_frames.start {
                continue;
            }
            let mut rows = None;
            if *wanted_rows != (0..u64::MAX) {
                let first = self.rows;
                let len = match frames.rows_of(&frame) {
                    Ok(len) => len,
                    Err(error) => return lost(error),
                };
                self.rows += len;
                let from = wanted_rows.start.saturating_sub(first).min(len);
                let to = wanted_rows.end.saturating_sub(first).min(len);
                if from == to && len > 0 {
                    continue;
                }
                rows = ((from, to) != (0, len)).then_some(from..to);
            }
            let path = Arc::clone(path);
            return Ok(Some(Piece::Frame {
                stored: frame.stored,
                rows,
                path,
            }));
        }
        let trailing = frames.trailing_bytes();
        if self.options.salvage {
            return Ok(Some(Piece::End(End {
                path: Arc::clone(path),
                unread: frames.unread()?,
                trailing: trailing > 0,
            })));
        }
        Ok((trailing > 0).then(|| {
            let file = path.display();
            Piece::Note(Note(format!(
                "{file}: {trailing} bytes behind the last frame are no frame"
            )))
        }))
    }
}

impl Iterator for Feed<'_> {
    type Item = Result<Piece>;

    fn next(&mut self) -> Option<Self::Item> {
        self.piece().transpose()
    }
}
