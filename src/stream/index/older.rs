//! Reads indexes of versions 2 and 3, written before the format was final.

use super::{
    Ending, Fingerprint, HAS_STATISTICS, HAS_TEXT, Hash, HashKind, Index, IndexColumn, PACKED,
    require_end,
};
use crate::error::{Error, Result};
use crate::wire::parse::{read_string, read_unsigned};

/// Last digit of the skippable frame's magic, which other formats use as well.
pub(super) const NIBBLE: u8 = 0xD;
/// The version that wrote the name of each type.
pub(super) const NAMED: u8 = 2;

/// Reads a description.
///
/// # Errors
/// If it is damaged or has unknown flags.
pub(super) fn read(bytes: &[u8], flags: u8, version: u8) -> Result<Index> {
    let unknown = flags & !(PACKED | HAS_STATISTICS | HAS_TEXT);
    if unknown != 0 {
        return Err(Error::unsupported(format_args!("index flags {unknown:#x}")));
    }
    let mut at = 0;
    let mut index = Index {
        is_of_bytes: version == NAMED,
        ..Index::default()
    };
    for _ in 0..read_unsigned(bytes, &mut at)? {
        let column = match version {
            NAMED => IndexColumn::read_named(bytes, &mut at),
            _ => IndexColumn::read_bare(bytes, &mut at),
        };
        index.columns.push(column?);
    }
    index.read_frames(bytes, &mut at)?;
    if flags & HAS_STATISTICS != 0 {
        index.read_statistics(bytes, &mut at)?;
    }
    if flags & HAS_TEXT != 0 {
        let len = read_unsigned(bytes, &mut at)?;
        let hash = Hash::read(HashKind::Xxh3, bytes, &mut at)?;
        let tail = read_string(bytes, &mut at)?.to_vec();
        let fingerprint = Some(Fingerprint {
            len,
            hash: Some(hash),
        });
        index.ending = Some(Ending { fingerprint, tail });
    }
    require_end(bytes, at)?;
    Ok(index)
}
