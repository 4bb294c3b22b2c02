//! Reads the messages of an IPC stream or file, and decodes their batches.

use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind, Read, Result as IoResult};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary};
use arrow_ipc::{Endianness, MessageHeader};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};

use super::footer::{self, FileMessages};
use super::{CONTINUATION, FILE_MAGIC, check, message_of, normalize, values};
use crate::error::{Error, Kind, Result};

/// Number of bytes to allocate for a body before any of it has been read.
const FIRST_ROOM: usize = 1 << 20;
/// The largest message without its body; a schema of a hundred thousand columns is smaller.
const MAX_METADATA: u64 = 256 << 20;

type SharedDictionaries = Arc<HashMap<i64, ArrayRef>>;

/// Cuts an input into messages, on one thread; [`Message::decode`] may run on another.
pub struct IpcReader<R> {
    input: MessageBytes<R>,
    limit: u64,
    /// True for a file that is read from its start to its footer.
    is_file: bool,
    /// True if an end marker was read, as opposed to the end of the input.
    ended: bool,
    /// True if the footer has been read.
    has_footer: bool,
    /// The types of the messages.
    stored_schema: SchemaRef,
    /// The types of the batches.
    schema: SchemaRef,
    dictionaries: SharedDictionaries,
    /// Number of batches so far.
    batches: u64,
    offset: u64,
}

/// Where messages come from.
enum MessageBytes<R> {
    /// Contiguous messages.
    Stream(R),
    /// Messages listed in a footer.
    Footer(Box<FileMessages>),
}

impl<R: Read> Read for MessageBytes<R> {
    fn read(&mut self, bytes: &mut [u8]) -> IoResult<usize> {
        match self {
            Self::Stream(input) => input.read(bytes),
            Self::Footer(messages) => messages.read(bytes),
        }
    }
}

/// An undecoded batch.
pub struct Message {
    metadata: Vec<u8>,
    body: Buffer,
    stored_schema: SchemaRef,
    dictionaries: SharedDictionaries,
    rows: u64,
    limit: u64,
    number: u64,
    offset: u64,
}

impl<R: Read> IpcReader<R> {
    /// Reads up to the schema; no batch may have more than `limit` uncompressed bytes. `file` is the same input if it
    /// is seekable; then a footer is used, if there is one.
    ///
    /// # Errors
    /// If the input is not Arrow IPC, or has unsupported types.
    pub fn open(input: R, file: Option<File>, limit: u64) -> Result<Self> {
        let mut reader = Self {
            input: MessageBytes::Stream(input),
            limit,
            is_file: false,
            ended: false,
            has_footer: false,
            stored_schema: Arc::new(Schema::empty()),
            schema: Arc::new(Schema::empty()),
            dictionaries: Arc::default(),
            batches: 0,
            offset: 0,
        };
        let is_pipe = file.is_none();
        let footer = file
            .map(|file| footer::read(file, MAX_METADATA))
            .transpose()?;
        if let Some((schema, messages)) = footer.flatten() {
            reader.set_schema(schema);
            reader.input = MessageBytes::Footer(Box::new(messages));
            reader.ended = true;
            return Ok(reader);
        }
        let mut word = [0; 4];
        if reader.fill(&mut word)? < word.len() {
            return Err(Error::corrupt("the input is too short to be Arrow IPC"));
        }
        if word == FILE_MAGIC[..4] {
            // Between the magic and the footer is a stream.
            let mut rest = [0; 4];
            reader.exact(&mut rest)?;
            if rest[..2] != FILE_MAGIC[4..] {
                return Err(Error::corrupt("this is not Arrow IPC"));
            }
            reader.is_file = true;
            reader.exact(&mut word)?;
            // The magic is padded to eight bytes; some writers pad it to 64.
            while word == [0; 4] && reader.offset <= 64 {
                reader.exact(&mut word)?;
            }
        }
        let begun = reader.metadata(word)?;
        let Some((metadata, offset)) = begun else {
            return Err(Error::corrupt("the stream ends before its schema"));
        };
        match reader.schema_message(&metadata) {
            // Polars writes the schema of a file only to its footer.
            Err(error) if error.kind() == Kind::Corrupt && reader.is_file && is_pipe => {
                let what = "this Arrow file cannot be read without its footer";
                Err(Error::corrupt(what)
                    .at_byte(offset)
                    .hint("name the file instead of using a pipe"))
            }
            Err(error) => Err(error.at_byte(offset)),
            Ok(()) => Ok(reader),
        }
    }

    /// The schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// False if the input stopped without an end marker, so it may have been cut between two batches.
    pub fn is_whole(&self) -> bool {
        self.ended
    }

    /// The next batch.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the input violates the format, [`crate::error::Kind::Limit`] if a message is
    /// larger than the limit, [`crate::error::Kind::Io`] if the input cannot be read.
    pub fn next_message(&mut self) -> Result<Option<Message>> {
        loop {
            if self.is_file && self.ended {
                self.expect_footer()?;
                return Ok(None);
            }
            if let MessageBytes::Footer(messages) = &mut self.input {
                match messages.next_offset().map_err(unreadable)? {
                    Some(offset) => self.offset = offset,
                    None => return Ok(None),
                }
            }
            let mut word = [0; 4];
            match self.fill(&mut word)? {
                0 if self.is_file => {
                    return Err(
                        Error::corrupt("the file ends before its footer").at_byte(self.offset)
                    );
                }
                0 => return Ok(None),
                4 => {}
                _ => return Err(self.cut()),
            }
            // Another stream may follow, as in files joined with cat.
            let Some((metadata, offset)) = self.metadata(word)? else {
                self.ended = true;
                continue;
            };
            self.ended = matches!(self.input, MessageBytes::Footer(_));
            let message = self.message(metadata, offset);
            if let Some(message) = message.map_err(|error| match error.place().byte {
                None => error.in_frame(self.batches).at_byte(offset),
                Some(_) => error,
            })? {
                self.batches += 1;
                return Ok(Some(message));
            }
        }
    }

    /// Reads the footer after the end marker. Other programs start at the last footer, so if something else follows the
    /// marker, such as a second file, they may find other rows.
    fn expect_footer(&mut self) -> Result<()> {
        if self.has_footer {
            return Ok(());
        }
        let mut rest = Vec::new();
        let most = MAX_METADATA + footer::END_BYTES;
        let read = (&mut self.input).take(most).read_to_end(&mut rest);
        read.map_err(unreadable)?;
        self.has_footer = footer::is_footer(&rest);
        if self.has_footer {
            return Ok(());
        }
        let what = "the footer of the file is cut short, or something else follows it";
        Err(Error::corrupt(what).at_byte(self.offset))
    }

    /// The flatbuffer of a message that starts with `word`, and its offset; `None` for the end marker.
    fn metadata(&mut self, mut word: [u8; 4]) -> Result<Option<(Vec<u8>, u64)>> {
        let offset = self.offset - 4;
        // Before format version 5, messages started with the length.
        if word == CONTINUATION {
            self.exact(&mut word)?;
        }
        let len = i32::from_le_bytes(word);
        if len == 0 {
            return Ok(None);
        }
        let most = self.limit.clamp(1 << 20, MAX_METADATA);
        let len = u64::try_from(len)
            .ok()
            .filter(|&len| len <= most)
            .ok_or_else(|| Error::corrupt("expected an Arrow IPC message here").at_byte(offset))?;
        let mut metadata = Vec::new();
        let read = (&mut self.input)
            .take(len)
            .read_to_end(&mut metadata)
            .map_err(unreadable)? as u64;
        self.offset += read;
        if read < len {
            return Err(self.cut());
        }
        Ok(Some((metadata, offset)))
    }

    fn message(&mut self, metadata: Vec<u8>, offset: u64) -> Result<Option<Message>> {
        let broken = |error| Error::corrupt(format!("invalid message: {error}"));
        let message = message_of(&metadata).map_err(broken)?;
        let len = u64::try_from(message.bodyLength())
            .map_err(|_| Error::corrupt("a message body has a negative length"))?;
        if len > self.limit {
            return Err(check::limit_reached(len, self.limit));
        }
        match message.header_type() {
            MessageHeader::Schema => {
                self.body(len)?;
                self.schema_message(&metadata)?;
                Ok(None)
            }
            MessageHeader::DictionaryBatch => {
                let body = self.body(len)?;
                let missing = || Error::corrupt("a dictionary without data");
                let dictionary = message.header_as_dictionary_batch().ok_or_else(missing)?;
                let data = dictionary.data().ok_or_else(missing)?;
                #[expect(deprecated, reason = "arrow-ipc finds the type in this way, too")]
                let fields = self.stored_schema.fields_with_dict_id(dictionary.id());
                let types = fields.first().and_then(|field| match field.data_type() {
                    DataType::Dictionary(_, values) => Some(&**values),
                    _ => None,
                });
                let version = message.version();
                check::batch(&data, version, types.into_iter(), &body, self.limit)?;
                let dictionaries = Arc::make_mut(&mut self.dictionaries);
                read_dictionary(
                    &body,
                    dictionary,
                    &self.stored_schema,
                    dictionaries,
                    &version,
                )
                .map_err(corrupt)?;
                Ok(None)
            }
            MessageHeader::RecordBatch => {
                let rows = message
                    .header_as_record_batch()
                    .map_or(0, |batch| u64::try_from(batch.length()).unwrap_or(0));
                let body = self.body(len)?;
                Ok(Some(Message {
                    metadata,
                    body,
                    stored_schema: Arc::clone(&self.stored_schema),
                    dictionaries: Arc::clone(&self.dictionaries),
                    rows,
                    limit: self.limit,
                    number: self.batches,
                    offset,
                }))
            }
            other => Err(Error::corrupt(format!("unknown message {}", other.0))),
        }
    }

    fn schema_message(&mut self, metadata: &[u8]) -> Result<()> {
        let broken = |error| Error::corrupt(format!("invalid schema: {error}"));
        let message = message_of(metadata).map_err(broken)?;
        let schema = message
            .header_as_schema()
            .ok_or_else(|| Error::corrupt("expected the schema first"))?;
        self.set_schema(schema_of(schema)?);
        Ok(())
    }

    fn set_schema(&mut self, schema: Schema) {
        self.stored_schema = Arc::new(schema);
        self.schema = normalize::schema(&self.stored_schema);
        self.dictionaries = Arc::default();
    }

    /// Reads the body of a message; the buffer grows with the data.
    fn body(&mut self, len: u64) -> Result<Buffer> {
        let len = usize::try_from(len).map_err(|_| check::limit_reached(len, self.limit))?;
        let mut body = MutableBuffer::new(len.min(FIRST_ROOM));
        while body.len() < len {
            let from = body.len();
            body.resize(len.min((from * 2).max(FIRST_ROOM)), 0);
            self.exact(&mut body.as_slice_mut()[from..])?;
        }
        Ok(body.into())
    }

    fn exact(&mut self, bytes: &mut [u8]) -> Result<()> {
        if self.fill(bytes)? < bytes.len() {
            return Err(self.cut());
        }
        Ok(())
    }

    /// Reads until `bytes` is full or the input ends.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.input.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(error)),
            }
        }
        self.offset += filled as u64;
        Ok(filled)
    }

    fn cut(&self) -> Error {
        Error::corrupt("the input ends within a message").at_byte(self.offset)
    }
}

impl Message {
    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Stored size of the arrays in bytes.
    pub fn len_bytes(&self) -> usize {
        self.body.len()
    }

    /// Decodes the batch; `columns` are the positions of the columns to read, in ascending order.
    ///
    /// # Errors
    /// As for [`IpcReader::next_message`].
    pub fn decode(&self, columns: Option<&[usize]>) -> Result<RecordBatch> {
        self.arrays(columns)
            .map_err(|error| error.in_frame(self.number).at_byte(self.offset))
    }

    fn arrays(&self, columns: Option<&[usize]>) -> Result<RecordBatch> {
        let broken = |error| Error::corrupt(format!("invalid message: {error}"));
        let message = message_of(&self.metadata).map_err(broken)?;
        let batch = message
            .header_as_record_batch()
            .ok_or_else(|| Error::corrupt("a batch without data"))?;
        let version = message.version();
        let types = self
            .stored_schema
            .fields()
            .iter()
            .map(|field| field.data_type());
        check::batch(&batch, version, types, &self.body, self.limit)?;
        let schema = Arc::clone(&self.stored_schema);
        let batch =
            RecordBatchDecoder::try_new(&self.body, batch, schema, &self.dictionaries, &version)
                .and_then(|decoder| decoder.with_projection(columns).read_record_batch())
                .map_err(corrupt)?;
        let batch = normalize::batch(batch, self.limit)?;
        check::maps(&batch)?;
        values::ensure_allowed(&batch)?;
        Ok(batch)
    }
}

/// The schema of a message or a footer.
pub(super) fn schema_of(schema: arrow_ipc::Schema<'_>) -> Result<Schema> {
    if schema.endianness() != Endianness::Little {
        return Err(Error::input("big-endian data is not supported"));
    }
    let schema = try_fb_to_schema(schema).map_err(corrupt)?;
    check::schema(&schema)?;
    Ok(schema)
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn corrupt(error: ArrowError) -> Error {
    Error::corrupt(format!("invalid Arrow data: {error}"))
}

fn unreadable(error: std::io::Error) -> Error {
    Error::io("cannot read", error)
}
