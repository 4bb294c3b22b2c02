//! Text that a general tool has compressed: `a.csv.gz`, `a.ndjson.zst`.

use std::io::{BufReader, Read};

use flate2::bufread::MultiGzDecoder;

use crate::frame::Codec;
use crate::wire::MAGIC;

/// Bytes that are asked for at once.
const READ_BYTES: usize = 64 << 10;
/// A block of zstd is whole within so many bytes, and nothing is known before.
const BLOCK_BYTES: usize = 256 << 10;

/// The plain bytes of all members or frames of a codec; `None` if only whole frames of it are read.
///
/// # Errors
/// If the codec cannot be set up.
pub fn unwrap(
    codec: Codec,
    bytes: Box<dyn Read + Send>,
) -> std::io::Result<Option<Box<dyn Read + Send>>> {
    let bytes = BufReader::with_capacity(READ_BYTES, bytes);
    Ok(match codec {
        Codec::Gzip => Some(Box::new(MultiGzDecoder::new(bytes))),
        Codec::Zstd => Some(Box::new(zstd::Decoder::with_buffer(bytes)?)),
        Codec::None | Codec::Lz4 => None,
    })
}

/// The first plain bytes, if the first wrapped ones tell; more of these are read to `head` for that.
///
/// # Errors
/// If `bytes` cannot be read.
pub fn beginning(
    codec: Codec,
    bytes: &mut dyn Read,
    head: &mut Vec<u8>,
) -> std::io::Result<Vec<u8>> {
    loop {
        let mut plain = vec![0; 4 << 10];
        let mut len = 0;
        if let Some(mut wrapped) = unwrap(codec, Box::new(std::io::Cursor::new(head.clone())))? {
            // The head is cut anywhere, so that an error is to be expected.
            while let Ok(more @ 1..) = wrapped.read(&mut plain[len..]) {
                len += more;
            }
        }
        plain.truncate(len);
        let mut more = vec![0; READ_BYTES];
        let read = if plain.len() < MAGIC.len() && head.len() < BLOCK_BYTES {
            bytes.read(&mut more)?
        } else {
            0
        };
        if read == 0 {
            return Ok(plain);
        }
        head.extend_from_slice(&more[..read]);
    }
}
