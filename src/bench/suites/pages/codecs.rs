//! The codecs of frames and sections, applied to pages without framing.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress};
use lz4_flex::block::{
    CompressTable, compress_into_with_table, decompress_into, get_maximum_output_size,
};
use zstd::bulk::{Compressor, Decompressor};

use crate::bench::suites::formats::broken;
use crate::error::{Error, Result};
use crate::workload::{PAGE, Page};

/// Names and levels.
pub const CODECS: [(&str, i32); 5] = [
    ("lz4", 0),
    ("zstd 1", 1),
    ("zstd 3", 3),
    ("gzip 6", 6),
    ("store", 0),
];

/// Offset of the output relative to the input, modulo a page. On some processors, copies to a few bytes after the
/// source, modulo 4096, are 25 times slower.
const APART: usize = 512;

/// A codec with its reused contexts and buffers.
pub struct PageCompressor {
    engine: Engine,
    room: Vec<u8>,
}

enum Engine {
    Lz4(Box<CompressTable>),
    Zstd(Box<(Compressor<'static>, Decompressor<'static>)>),
    Gzip(Box<(Compress, Decompress)>),
    Store,
}

impl PageCompressor {
    /// One of [`CODECS`].
    pub fn new((name, level): (&str, i32)) -> Result<Self> {
        let no_context = |error| Error::io("cannot create a zstd context", error);
        let engine = match name {
            "lz4" => Engine::Lz4(Box::new(CompressTable::large())),
            "store" => Engine::Store,
            "gzip 6" => {
                let level = Compression::new(level as u32);
                let window_bits = 15;
                Engine::Gzip(Box::new((
                    Compress::new_gzip(level, window_bits),
                    Decompress::new_gzip(window_bits),
                )))
            }
            _ => Engine::Zstd(Box::new((
                Compressor::new(level).map_err(no_context)?,
                Decompressor::new().map_err(no_context)?,
            ))),
        };
        Ok(Self {
            engine,
            room: Vec::new(),
        })
    }

    /// Compresses a page, or stores it uncompressed if that is not smaller.
    pub fn pack(&mut self, page: &Page) -> Result<Vec<u8>> {
        let packed = self.compress(page)?;
        let kept = if packed.len() < PAGE { packed } else { page };
        Ok(kept.to_vec())
    }

    /// Restores the page.
    pub fn unpack(&mut self, packed: &[u8]) -> Result<&[u8]> {
        if packed.len() < PAGE {
            return self.decompress(packed);
        }
        let room = room(&mut self.room, packed, PAGE);
        room.copy_from_slice(packed);
        Ok(room)
    }

    /// The compressed bytes, even if there are more than in the page.
    pub fn compress(&mut self, plain: &[u8]) -> Result<&[u8]> {
        let most =
            get_maximum_output_size(plain.len()).max(zstd::zstd_safe::compress_bound(plain.len()));
        let room = room(&mut self.room, plain, most + 64);
        let len = match &mut self.engine {
            Engine::Lz4(table) => compress_into_with_table(plain, room, table).map_err(broken)?,
            Engine::Zstd(both) => both.0.compress_to_buffer(plain, room).map_err(broken)?,
            Engine::Gzip(both) => {
                both.0.reset();
                let finish = FlushCompress::Finish;
                both.0.compress(plain, room, finish).map_err(broken)?;
                both.0.total_out() as usize
            }
            Engine::Store => {
                room[..plain.len()].copy_from_slice(plain);
                plain.len()
            }
        };
        Ok(&room[..len])
    }

    fn decompress(&mut self, packed: &[u8]) -> Result<&[u8]> {
        let room = &mut room(&mut self.room, packed, PAGE)[..PAGE];
        let len = match &mut self.engine {
            Engine::Lz4(_) => decompress_into(packed, room).map_err(broken)?,
            Engine::Zstd(both) => both.1.decompress_to_buffer(packed, room).map_err(broken)?,
            Engine::Gzip(both) => {
                // `reset` would assume a zlib header.
                both.1 = Decompress::new_gzip(15);
                let finish = FlushDecompress::Finish;
                both.1.decompress(packed, room, finish).map_err(broken)?;
                both.1.total_out() as usize
            }
            // Never smaller than the page.
            Engine::Store => 0,
        };
        Ok(&room[..len])
    }
}

/// `len` bytes of the buffer, starting [`APART`] bytes after `source` modulo a page.
fn room<'a>(buffer: &'a mut Vec<u8>, source: &[u8], len: usize) -> &'a mut [u8] {
    if buffer.len() < len + PAGE {
        buffer.resize(len + PAGE, 0);
    }
    let wanted = (source.as_ptr() as usize + APART) % PAGE;
    let from = (wanted + PAGE - buffer.as_ptr() as usize % PAGE) % PAGE;
    &mut buffer[from..from + len]
}

/// The word that fills the page, if there is one.
pub fn fill_of(page: &Page) -> Option<u64> {
    let (words, _) = page.as_chunks::<8>();
    let first = words[0];
    words
        .iter()
        .all(|word| *word == first)
        .then(|| u64::from_le_bytes(first))
}
