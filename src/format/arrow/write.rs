//! Encodes batches as an IPC stream or file.

use arrow_array::RecordBatch;
use arrow_ipc::MetadataVersion;
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, Schema};

use super::dictionaries::Dictionaries;
use crate::error::{Error, Result};

/// The alignment of buffers in bytes.
const ALIGNMENT: usize = 8;

/// Stream or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A sequence of messages; suits pipes.
    Stream,
    /// Messages followed by a footer with their positions; suits memory mapping.
    File,
}

/// Writes batches of one schema.
pub struct IpcWriter(IpcEncoder);

enum IpcEncoder {
    Stream(StreamWriter<Vec<u8>>),
    File(FileWriter<Vec<u8>>, Dictionaries),
}

impl IpcWriter {
    /// A writer whose first bytes are the schema.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if IPC does not support a type.
    pub fn new(layout: Layout, schema: &Schema) -> Result<Self> {
        let out = Vec::new();
        // The magic of a file must be padded to eight bytes; arrow-ipc pads it to the alignment.
        let inner = IpcWriteOptions::try_new(ALIGNMENT, false, MetadataVersion::V5);
        let inner = inner.and_then(|options| {
            Ok(match layout {
                Layout::Stream => {
                    IpcEncoder::Stream(StreamWriter::try_new_with_options(out, schema, options)?)
                }
                Layout::File => {
                    let options = options.with_dictionary_handling(DictionaryHandling::Delta);
                    let writer = FileWriter::try_new_with_options(out, schema, options)?;
                    IpcEncoder::File(writer, Dictionaries::default())
                }
            })
        });
        inner.map(Self).map_err(unwritable)
    }

    /// Adds a batch.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if the batch cannot be represented, such as a second dictionary in a file.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match &mut self.0 {
            IpcEncoder::Stream(writer) => writer.write(batch).map_err(unwritable),
            IpcEncoder::File(writer, dictionaries) => {
                let written = writer.write(&dictionaries.merge(batch)?);
                written.map_err(unwritable)
            }
        }
    }

    /// Adds the end.
    ///
    /// # Errors
    /// If it cannot be represented.
    pub fn finish(&mut self) -> Result<()> {
        match &mut self.0 {
            IpcEncoder::Stream(writer) => writer.finish(),
            IpcEncoder::File(writer, _) => writer.finish(),
        }
        .map_err(unwritable)
    }

    /// The bytes encoded so far. The caller clears them after writing them.
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        match &mut self.0 {
            IpcEncoder::Stream(writer) => writer.get_mut(),
            IpcEncoder::File(writer, _) => writer.get_mut(),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unwritable(error: ArrowError) -> Error {
    Error::input(format!("cannot write Arrow IPC: {error}"))
}
