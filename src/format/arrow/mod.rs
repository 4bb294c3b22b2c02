//! Arrow IPC, the format in which Arrow batches travel between programs.
//!
//! A stream is a schema, then dictionaries and batches, each an encapsulated message; a file is a stream between two
//! magics, followed by a footer with the positions of the messages
//! (<https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc>).
//! [`IpcReader`] reads seekable files by their footer and everything else as a stream; [`arrow_writer`] writes both. The
//! crate arrow-ipc converts messages to arrays and back. Offsets within a message and uncompressed sizes, which it does
//! not check, are checked here first.

mod batches;
pub(super) mod check;
mod dictionaries;
mod footer;
mod layout;
pub(super) mod normalize;
pub(super) mod open;
mod positions;
mod read;
pub(super) mod values;

use arrow_ipc::{Message as IpcMessage, root_as_message_with_opts};
use flatbuffers::{InvalidFlatbuffer, VerifierOptions};

pub use batches::arrow_writer;
pub use open::open_arrow;
pub use read::{IpcReader, Message};

/// The first bytes of a file.
pub const FILE_MAGIC: [u8; 6] = *b"ARROW1";
/// The first bytes of a message, and so of a stream.
pub const CONTINUATION: [u8; 4] = [0xFF; 4];

/// How deeply messages and footers may be nested: deeper than any schema, whereas the default is only 64.
fn verifier() -> VerifierOptions {
    VerifierOptions {
        max_depth: 160,
        ..VerifierOptions::default()
    }
}

/// Checks and reads the metadata of a message.
fn message_of(metadata: &[u8]) -> Result<IpcMessage<'_>, InvalidFlatbuffer> {
    root_as_message_with_opts(&verifier(), metadata)
}

/// True for the first bytes of a file, or of a stream: the marker and a plausible length of the schema.
pub fn sniff(head: &[u8]) -> bool {
    let is_len = |bytes: &[u8; 4]| (1..1 << 28).contains(&i32::from_le_bytes(*bytes));
    let stream = head.strip_prefix(&CONTINUATION);
    head.starts_with(&FILE_MAGIC)
        || stream.is_some_and(|rest| rest.first_chunk().is_some_and(is_len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_streams_are_told_from_all_else() {
        assert!(sniff(b"ARROW1\0\0\xFF\xFF\xFF\xFF"));
        assert!(sniff(b"\xFF\xFF\xFF\xFF\x10\x01\0\0rest"));
        for other in [
            &b"ARROW"[..],
            b"\xFF\xFF\xFF\xFF",
            b"\xFF\xFF\xFF\xFF\0\0\0\0",
            b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
            b"a,b\n",
        ] {
            assert!(!sniff(other), "{other:?}");
        }
    }
}
