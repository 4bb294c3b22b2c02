//! Packs the patches of a frame into its metadata.
//!
//! For a few short patches, the description of a column would take more bytes than the patches themselves. So they are
//! stored in sequence: the number of rows since the last patched one, the length of the patch, and the patch.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch};

use super::frame_text::{Patches, with_patches};
use super::patch::steps_of_line;
use super::{Dialect, draft_patches};
use crate::error::{Error, Result};
use crate::schema::keys::{DRAFT_PATCHES, PATCHES, of_bytes, to_bytes};
use crate::varint;

/// The most bytes to pack; more patches are stored as a column.
const MOST: usize = 1 << 10;

/// The patches of the batches of a frame as the value of [`PATCHES`]; `None` if they are too many or
/// too long.
pub fn pack(patches: &[ArrayRef]) -> Option<String> {
    let arrays = || {
        patches
            .iter()
            .filter_map(|array| array.as_binary_opt::<i32>())
    };
    let bytes = |array: &BinaryArray| array.value_data().len() + array.len() - array.null_count();
    if arrays().map(bytes).sum::<usize>() > MOST {
        return None;
    }
    let mut out = Vec::new();
    let mut gap = 0;
    for patch in arrays().flat_map(|array| array.iter()) {
        let Some(patch) = patch else {
            gap += 1;
            continue;
        };
        // Patches of lines occur in every row, and a column of equal patches takes almost no space.
        steps_of_line(patch).is_none().then_some(())?;
        varint::push(gap, &mut out);
        varint::push(patch.len() as u64, &mut out);
        out.extend_from_slice(patch);
        gap = 0;
    }
    (out.len() <= MOST).then(|| of_bytes(&out))
}

/// Converts the packed patches of a batch back to a column.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the patches do not fit the batch.
pub fn unpack(mut batch: RecordBatch) -> Result<RecordBatch> {
    let bytes_of = |packed: &str| to_bytes(packed).ok_or_else(misfit);
    let metadata = batch.schema_ref().metadata();
    let rows = batch.num_rows();
    let patches = if let Some(packed) = metadata.get(PATCHES) {
        patches(&bytes_of(packed)?, rows)?
    } else if let Some(packed) = metadata.get(DRAFT_PATCHES) {
        match Dialect::of(metadata) {
            // Patches for an unknown style are useless.
            None => Patches::new(),
            Some(dialect) => {
                let json = matches!(dialect, Dialect::Json(_));
                draft_patches::read(&bytes_of(packed)?, rows, json)?
            }
        }
    } else {
        return Ok(batch);
    };
    let metadata = batch.schema_metadata_mut();
    metadata.remove(PATCHES);
    metadata.remove(DRAFT_PATCHES);
    Ok(with_patches(vec![batch], vec![patches])?.remove(0))
}

fn patches(packed: &[u8], rows: usize) -> Result<Patches> {
    let mut patches = Patches::new();
    let (mut at, mut row) = (0, 0);
    let number = |at: &mut usize| varint::read(packed, at).map_err(|_| misfit());
    while at < packed.len() {
        let (gap, len) = (number(&mut at)?, number(&mut at)?);
        let this = u64::checked_add(row, gap)
            .filter(|&row| row < rows as u64)
            .ok_or_else(misfit)?;
        let patch = packed[at..]
            .get(..usize::try_from(len).unwrap_or(usize::MAX))
            .ok_or_else(misfit)?;
        patches.push((this as u32, patch.to_vec()));
        at += patch.len();
        row = this + 1;
    }
    Ok(patches)
}

pub(super) fn misfit() -> Error {
    Error::corrupt("the patches in the metadata do not fit the frame")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::frame_text::patch_column;
    use super::*;
    use crate::schema::keys::TEXT;
    use arrow_array::NullArray;
    use arrow_schema::{DataType, Field, Metadata, Schema};
    use proptest::prelude::*;

    fn column(rows: usize, patches: &Patches) -> ArrayRef {
        let column = patch_column(&[rows], vec![patches.clone()]);
        column.unwrap().1.remove(0)
    }

    /// A batch of three rows with packed patches.
    fn batch(key: &str, text: &str, packed: &str) -> RecordBatch {
        let pairs = [(TEXT, text), (key, packed)];
        let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let fields = vec![Field::new("a", DataType::Null, true)];
        let schema = Schema::new_with_metadata(fields, Metadata::from(pairs));
        let nulls: ArrayRef = Arc::new(NullArray::new(3));
        RecordBatch::try_new(schema.into(), vec![nulls]).unwrap()
    }

    #[test]
    fn a_patch_has_its_gap_and_its_length() {
        let patches = vec![(0, vec![0, 1, b'\xe9', 0]), (2, vec![9, 0, 2])];
        let packed = pack(&[column(3, &patches)]).unwrap();
        assert_eq!(packed, "\0\x04\0\x01\u{e9}\0\x01\x03\x09\0\x02");
        let bytes = to_bytes(&packed).unwrap();
        assert_eq!(self::patches(&bytes, 3).unwrap(), patches);
        assert!(self::patches(&bytes, 2).is_err());
        assert!(self::patches(&bytes[..10], 3).is_err());
    }

    #[test]
    fn a_batch_has_its_patches_again() {
        let patches = vec![(2, vec![9, 0, 2])];
        let packed = "\x02\x03\x09\0\x02";
        let drafts = "\u{68}\u{55}\u{80}";
        for (key, text, packed) in [
            (PATCHES, "ndjson", packed),
            (PATCHES, "of a newer version", packed),
            (DRAFT_PATCHES, "csv", drafts),
        ] {
            let unpacked = unpack(batch(key, text, packed)).unwrap();
            assert_eq!(unpacked.columns().len(), 2);
            assert_eq!(unpacked.column(1), &column(3, &patches));
            assert!(!unpacked.schema_ref().metadata().contains_key(key));
        }
        let unpacked = unpack(batch(DRAFT_PATCHES, "of a newer version", drafts)).unwrap();
        assert_eq!(unpacked.columns().len(), 1);
    }

    proptest! {
        #[test]
        fn what_is_packed_unpacks(
            patches in proptest::collection::btree_map(
                0..1000u32,
                proptest::collection::vec(any::<u8>(), 1..40)
                    .prop_filter("of a record", |patch| steps_of_line(patch).is_none()),
                1..9,
            ),
        ) {
            let patches: Patches = patches.into_iter().collect();
            let packed = pack(&[column(1000, &patches)]).unwrap();
            prop_assert_eq!(self::patches(&to_bytes(&packed).unwrap(), 1000).unwrap(), patches);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = patches(&bytes, 100);
        }
    }
}
