//! Compression of sections and the price of a run under it.

use std::cell::RefCell;
use std::io;

use zstd::bulk::Compressor;
use zstd::zstd_safe::compress_bound;

use crate::error::{Error, Result};
use crate::wire::encodings::Node;

/// What compresses sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// Nothing.
    None,
    /// lz4 blocks.
    Lz4,
    /// zstd frames of this level.
    Zstd(i32),
}

/// The zstd level of sections of a few KiB.
const SMALL_LEVEL: i32 = 12;

/// A compressor under which less than this is not worth a trial.
const TINY: usize = 24;

thread_local! {
    /// A context of zstd with the level it is set to, and room for what it makes: trials are small and
    /// many, and making one takes longer than most of them.
    static CONTEXT: RefCell<Option<(i32, Compressor<'static>, Vec<u8>)>> =
        const { RefCell::new(None) };
}

/// Compresses the bytes and takes of the result what is needed.
fn compress_zstd<T>(plain: &[u8], level: i32, take: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
    CONTEXT.with_borrow_mut(|context| {
        let (set, compressor, packed) = match context {
            Some(context) => context,
            None => context.insert((level, Compressor::new(level)?, Vec::new())),
        };
        if *set != level {
            compressor.set_compression_level(level)?;
            *set = level;
        }
        packed.clear();
        packed.reserve(compress_bound(plain.len()));
        compressor.compress_to_buffer(plain, packed)?;
        Ok(take(packed))
    })
}

impl Codec {
    /// The compressed bytes, or `None` if they are not fewer.
    ///
    /// # Errors
    /// If the compressor fails, which it does for want of memory only.
    pub fn compress(self, plain: &[u8]) -> Result<Option<Vec<u8>>> {
        if plain.len() < TINY {
            return Ok(None);
        }
        let packed = match self {
            Self::None => return Ok(None),
            Self::Lz4 => lz4_flex::block::compress(plain),
            Self::Zstd(level) => compress_zstd(plain, level, <[u8]>::to_vec)
                .map_err(|error| Error::io("cannot compress with zstd", error))?,
        };
        Ok((packed.len() < plain.len()).then_some(packed))
    }

    /// The codec for sections of a few KiB, which cost no time whatever the level.
    #[must_use]
    pub fn for_small(self) -> Self {
        match self {
            Self::Zstd(level) => Self::Zstd(level.max(SMALL_LEVEL)),
            other => other,
        }
    }

    /// Bytes of the buffer in a file.
    pub fn packed_len(self, plain: &[u8]) -> usize {
        let packed = match self {
            Self::Zstd(level) if plain.len() >= TINY => {
                compress_zstd(plain, level, <[u8]>::len).ok()
            }
            _ => {
                let packed = self.compress(plain).ok().flatten();
                packed.map(|packed| packed.len())
            }
        };
        packed.map_or(plain.len(), |len| len.min(plain.len()))
    }

    /// About how many bytes a run takes with everything below it, compressed.
    pub fn cost(self, node: &Node) -> u64 {
        let mut header = Vec::new();
        let mut bytes = 0;
        node.write(&mut header, &mut |node, _| {
            bytes += self.packed_len(&node.buffer) as u64 + 3;
        });
        bytes + header.len() as u64
    }
}
