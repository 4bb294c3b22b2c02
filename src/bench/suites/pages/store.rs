//! A store of compressed pages by sector: filled pages as their word, others as an lz4 block, or uncompressed if that
//! is not smaller.

use hashbrown::HashMap;
use lz4_flex::block::{CompressTable, compress_into_with_table, decompress_into};

use super::codecs::fill_of;
use crate::bench::suites::formats::broken;
use crate::error::{Error, Result};
use crate::workload::{PAGE, Page};

/// Stored size of a filled page: a tag and the word.
const FILLED: usize = 9;

/// The store. Pages are never overwritten; it can only be cleared.
pub struct Store {
    places: HashMap<u64, (usize, usize)>,
    bytes: Vec<u8>,
    table: CompressTable,
    block: Vec<u8>,
}

impl Store {
    pub fn new() -> Self {
        Self {
            places: HashMap::new(),
            bytes: Vec::new(),
            table: CompressTable::small(),
            block: vec![0; lz4_flex::block::get_maximum_output_size(PAGE)],
        }
    }

    pub fn clear(&mut self) {
        self.places.clear();
        self.bytes.clear();
    }

    /// Stored size of all pages.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub fn write(&mut self, sector: u64, page: &Page) -> Result<()> {
        let start = self.bytes.len();
        if let Some(word) = fill_of(page) {
            self.bytes.push(0);
            self.bytes.extend_from_slice(&word.to_le_bytes());
        } else {
            let len =
                compress_into_with_table(page, &mut self.block, &mut self.table).map_err(broken)?;
            let kept = if len < PAGE { &self.block[..len] } else { page };
            self.bytes.extend_from_slice(kept);
        }
        self.places.insert(sector, (start, self.bytes.len()));
        Ok(())
    }

    pub fn read(&self, sector: u64, page: &mut Page) -> Result<()> {
        let (start, end) = self
            .places
            .get(&sector)
            .ok_or_else(|| Error::input(format!("no page at sector {sector}")))?;
        let kept = &self.bytes[*start..*end];
        match kept.len() {
            FILLED => {
                for place in page.as_chunks_mut::<8>().0 {
                    place.copy_from_slice(&kept[1..]);
                }
            }
            PAGE => page.copy_from_slice(kept),
            _ => {
                decompress_into(kept, page).map_err(broken)?;
            }
        }
        Ok(())
    }
}
