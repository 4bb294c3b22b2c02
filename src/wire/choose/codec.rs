//! Compression of sections and the price of a run under it.

use std::cell::RefCell;
use std::io;

use zstd::bulk::Compressor;

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
    /// A context of zstd with the level it is set to: trials are small and many, and making one takes
    /// longer than most of them.
    static CONTEXT: RefCell<Option<(i32, Compressor<'static>)>> = const { RefCell::new(None) };
}

fn compress_zstd(plain: &[u8], level: i32) -> io::Result<Vec<u8>> {
    CONTEXT.with_borrow_mut(|context| {
        let (set, compressor) = match context {
            Some(context) => context,
            None => context.insert((level, Compressor::new(level)?)),
        };
        if *set != level {
            compressor.set_compression_level(level)?;
            *set = level;
        }
        compressor.compress(plain)
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
            Self::Zstd(level) => compress_zstd(plain, level)
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
        let packed = self.compress(plain).ok().flatten();
        packed.map_or(plain.len(), |packed| packed.len())
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
