//! The positions of the messages of a file, and the footer that lists them.

use arrow_buffer::Buffer;
use arrow_ipc::convert::IpcSchemaEncoder;
use arrow_ipc::writer::DictionaryTracker;
use arrow_ipc::{Block, FooterBuilder, MessageHeader, MetadataVersion};
use arrow_schema::Schema;
use flatbuffers::FlatBufferBuilder;

use super::{FILE_MAGIC, message_of};
use crate::error::{Error, Result};

/// The magic of a file, padded to the alignment of messages.
pub const FILE_START: [u8; 8] = *b"ARROW1\0\0";

/// What precedes the metadata of a message: the continuation marker, and the length of the metadata with its padding.
const PREFIX_BYTES: usize = 8;

/// The positions of the messages that were written so far.
pub struct Positions {
    /// The length of the file.
    len: i64,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
}

impl Positions {
    /// The positions in a file that has no messages yet, only [`FILE_START`].
    pub fn new() -> Self {
        Self {
            len: FILE_START.len() as i64,
            dictionaries: Vec::new(),
            batches: Vec::new(),
        }
    }

    /// True if no message was added, not even the schema.
    pub fn is_empty(&self) -> bool {
        self.len == FILE_START.len() as i64
    }

    /// Adds the messages in these buffers, as [`arrow_ipc::writer::StreamEncoder`] returns them: for each message a buffer
    /// with the prefix, one with the metadata, and more with padding and body.
    ///
    /// # Errors
    /// If the buffers are divided in any other way.
    pub fn add(&mut self, buffers: &[Buffer]) -> Result<()> {
        let divided =
            || Error::input("cannot write Arrow IPC: the buffers are not those of messages");
        let mut buffers = buffers.iter().filter(|buffer| !buffer.is_empty());
        while let Some(prefix) = buffers.next() {
            let len = prefix.get(4..).and_then(|len| len.try_into().ok());
            let metadata_len = i32::from_le_bytes(len.ok_or_else(divided)?);
            if metadata_len == 0 {
                // The end marker.
                self.len += PREFIX_BYTES as i64;
                continue;
            }
            let metadata = buffers.next().ok_or_else(divided)?;
            let message = message_of(metadata).map_err(|_| divided())?;
            let header_len = PREFIX_BYTES as i32 + metadata_len;
            let block = Block::new(self.len, header_len, message.bodyLength());
            match message.header_type() {
                MessageHeader::DictionaryBatch => self.dictionaries.push(block),
                MessageHeader::RecordBatch => self.batches.push(block),
                _ => {}
            }
            self.len += i64::from(header_len) + message.bodyLength();
            let mut left = i64::from(metadata_len) - metadata.len() as i64 + message.bodyLength();
            while left > 0 {
                left -= buffers.next().ok_or_else(divided)?.len() as i64;
            }
        }
        Ok(())
    }

    /// The footer, its length and the magic: the end of a file with this schema.
    pub fn footer(&self, schema: &Schema) -> Vec<u8> {
        let mut builder = FlatBufferBuilder::new();
        let dictionaries = builder.create_vector(&self.dictionaries);
        let batches = builder.create_vector(&self.batches);
        // Numbers dictionaries in the order of the columns, as the encoder of the messages does.
        let mut tracker = DictionaryTracker::new(true);
        let schema = IpcSchemaEncoder::new()
            .with_dictionary_tracker(&mut tracker)
            .schema_to_fb_offset(&mut builder, schema);
        let mut footer = FooterBuilder::new(&mut builder);
        footer.add_version(MetadataVersion::V5);
        footer.add_schema(schema);
        footer.add_dictionaries(dictionaries);
        footer.add_recordBatches(batches);
        let footer = footer.finish();
        builder.finish(footer, None);
        let footer = builder.finished_data();
        [footer, &(footer.len() as i32).to_le_bytes(), &FILE_MAGIC].concat()
    }
}
