//! The patches of a frame, packed into a few bits.
//!
//! For a few short patches, describing a column would take more bytes than the patches themselves. They are therefore
//! stored in the frame's metadata, as a stream of bits, high bits first. Numbers are written in Elias gamma code
//! (1975) of the number plus one: as many zeros as it has bits after the first one, then its bits. An order of members
//! is written as a Lehmer code: at each place, which of the remaining members comes next. This is usually a small
//! number.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{Metadata, Schema};

use super::Dialect;
use super::frame_text::{Patches, patch_column};
use super::patch::steps_of_line;
use crate::error::{Error, Result};
use crate::format::json::{order_of, push_moves};
use crate::schema::keys::{PATCHES, TEXT};
use crate::varint;

/// More bytes than this are a column's business.
const MOST: usize = 1 << 10;

/// The most members of an object whose order is stored.
const MOST_MEMBERS: u64 = 1 << 10;

/// The patches of the batches of a frame as the value of [`PATCHES`]; `None` if they are too many or
/// too long.
pub fn pack(metadata: &Metadata, patches: &[ArrayRef]) -> Option<String> {
    let dialect = Dialect::from_metadata(metadata.get(TEXT)?)?;
    let arrays = || {
        patches
            .iter()
            .filter_map(|array| array.as_binary_opt::<i32>())
    };
    let bytes = |array: &BinaryArray| array.value_data().len() + array.len() - array.null_count();
    if arrays().map(bytes).sum::<usize>() > MOST {
        return None;
    }
    let mut out = BitWriter::default();
    let mut gap = 0;
    for patch in arrays().flat_map(|array| array.iter()) {
        let Some(mut patch) = patch else {
            gap += 1;
            continue;
        };
        steps_of_line(patch).is_none().then_some(())?;
        out.number(gap);
        gap = 0;
        if let Dialect::Json(_) = &dialect {
            pack_orders(&mut patch, &mut out)?;
        }
        pack_steps(patch, &mut out)?;
    }
    let bytes = out.finish();
    (bytes.len() <= MOST).then(|| bytes.into_iter().map(char::from).collect())
}

fn pack_orders(patch: &mut &[u8], out: &mut BitWriter) -> Option<()> {
    let objects = number(patch)?;
    out.number(one_first(objects));
    for _ in 0..objects {
        out.number(number(patch)?);
        let order = order_of(patch, MOST_MEMBERS).ok()?;
        let skipped = order.iter().zip(0..).take_while(|(a, b)| *a == b).count();
        let mut left: Vec<usize> = (skipped..order.len()).collect();
        let mut codes = Vec::with_capacity(left.len());
        for member in &order[skipped..] {
            let code = left.iter().position(|other| other == member)?;
            left.remove(code);
            codes.push(code as u64);
        }
        // The first and the last code skip at least one member, since an unchanged order is not stored.
        let last = codes.iter().rposition(|&code| code > 0)?;
        out.number(skipped as u64);
        out.number(last as u64);
        for (at, &code) in codes[..=last].iter().enumerate() {
            out.number(code - u64::from(at == 0 || at == last));
        }
    }
    Some(())
}

/// Mostly one object has its members in another order.
fn one_first(objects: u64) -> u64 {
    if objects < 2 { 1 - objects } else { objects }
}

fn pack_steps(patch: &[u8], out: &mut BitWriter) -> Option<()> {
    let mut steps = Vec::new();
    let mut rest = patch;
    while !rest.is_empty() {
        let (copied, inserted) = (number(&mut rest)?, number(&mut rest)?);
        let (bytes, behind) = rest.split_at_checked(usize::try_from(inserted).ok()?)?;
        rest = behind;
        steps.push((copied, bytes, number(&mut rest)?));
    }
    out.number(steps.len() as u64);
    for (copied, bytes, moved) in steps {
        out.number(copied);
        out.number(bytes.len() as u64);
        for &byte in bytes {
            out.bits(byte.into(), 8);
        }
        out.number(moved);
    }
    Some(())
}

fn number(patch: &mut &[u8]) -> Option<u64> {
    let mut at = 0;
    let number = varint::read(patch, &mut at).ok()?;
    *patch = &patch[at..];
    // One more is still a number of 64 bits.
    (number < u64::MAX).then_some(number)
}

/// Converts the packed patches of a batch back to a column.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the patches do not fit the batch.
pub fn unpack(batch: RecordBatch) -> Result<RecordBatch> {
    let metadata = batch.schema_ref().metadata();
    let Some(packed) = metadata.get(PATCHES) else {
        return Ok(batch);
    };
    let dialect = metadata
        .get(TEXT)
        .and_then(|text| Dialect::from_metadata(text));
    let rows = batch.num_rows();
    let patches = dialect.map(|dialect| patches(packed, rows, matches!(dialect, Dialect::Json(_))));
    let (schema, mut arrays, _) = batch.into_parts();
    let mut fields: Vec<_> = schema.fields().iter().map(Arc::clone).collect();
    let mut metadata = schema.metadata().clone();
    metadata.remove(PATCHES);
    // Patches of a style that a newer version knows are of no use.
    if let Some((field, column)) =
        patch_column(&[rows], &[patches.transpose()?.unwrap_or_default()])
    {
        fields.push(field.into());
        arrays.extend(column);
    }
    let schema = Schema::new_with_metadata(fields, metadata);
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema.into(), arrays, &options)
        .map_err(|error| Error::corrupt(error.to_string()))
}

fn patches(packed: &str, rows: usize, json: bool) -> Result<Patches> {
    let bytes = packed.chars().map(|c| u8::try_from(u32::from(c)).ok());
    let bytes = bytes
        .collect::<Option<Vec<u8>>>()
        .filter(|bytes| bytes.len() <= MOST);
    let bytes = bytes.ok_or_else(misfit)?;
    let mut bits = BitReader {
        bytes: &bytes,
        at: 0,
    };
    let mut patches = Patches::new();
    let mut row = 0u64;
    while let Some(gap) = bits.number() {
        row = row
            .checked_add(gap)
            .filter(|&row| row < rows as u64)
            .ok_or_else(misfit)?;
        let mut patch = Vec::new();
        if json {
            unpack_orders(&mut bits, &mut patch).ok_or_else(misfit)?;
        }
        unpack_steps(&mut bits, &mut patch).ok_or_else(misfit)?;
        patches.push((row as u32, patch));
        row += 1;
    }
    Ok(patches)
}

fn unpack_orders(bits: &mut BitReader<'_>, out: &mut Vec<u8>) -> Option<()> {
    let objects = one_first(bits.number()?);
    varint::push(objects, out);
    for _ in 0..objects {
        varint::push(bits.number()?, out);
        let (skipped, last) = (bits.number()?, bits.number()?);
        (skipped.saturating_add(last) < MOST_MEMBERS).then_some(())?;
        let mut order: Vec<usize> = (0..skipped as usize).collect();
        let mut left: Vec<usize> = (order.len()..MOST_MEMBERS as usize).collect();
        for at in 0..=last {
            let code = bits
                .number()?
                .checked_add(u64::from(at == 0 || at == last))?;
            let code = usize::try_from(code)
                .ok()
                .filter(|&code| code < left.len())?;
            order.push(left.remove(code));
        }
        let most = order.iter().max().map_or(0, |most| most + 1);
        order.extend(left.into_iter().filter(|&member| member < most));
        push_moves(&order, out);
    }
    Some(())
}

fn unpack_steps(bits: &mut BitReader<'_>, out: &mut Vec<u8>) -> Option<()> {
    for _ in 0..bits.number()? {
        varint::push(bits.number()?, out);
        let inserted = bits.number()?;
        varint::push(inserted, out);
        for _ in 0..inserted {
            out.push(bits.bits(8)? as u8);
        }
        varint::push(bits.number()?, out);
    }
    Some(())
}

fn misfit() -> Error {
    Error::corrupt("the patches in the metadata do not fit the frame")
}

#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    /// Bits of the last byte that are free.
    free: u32,
}

impl BitWriter {
    fn bits(&mut self, value: u64, count: u32) {
        for at in (0..count).rev() {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            self.free -= 1;
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((value >> at & 1) as u8) << self.free;
            }
        }
    }

    fn number(&mut self, number: u64) {
        let bits = (number + 1).ilog2();
        self.bits(0, bits);
        self.bits(number + 1, bits + 1);
    }

    /// The bytes. Zeros that fill up the last are the beginning of no number.
    fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

struct BitReader<'a> {
    bytes: &'a [u8],
    /// Bits that were read.
    at: usize,
}

impl BitReader<'_> {
    fn bits(&mut self, count: u32) -> Option<u64> {
        let mut value = 0;
        for _ in 0..count {
            let byte = self.bytes.get(self.at / 8)?;
            value = value << 1 | u64::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(value)
    }

    /// The next number; `None` at the end.
    fn number(&mut self) -> Option<u64> {
        let mut zeros = 0;
        while self.bits(1)? == 0 {
            zeros += 1;
        }
        (zeros < u64::BITS).then_some(())?;
        Some((1 << zeros | self.bits(zeros)?) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::NullArray;
    use arrow_schema::{DataType, Field};
    use proptest::prelude::*;

    fn of(text: &str) -> Metadata {
        Metadata::from([(TEXT.to_owned(), text.to_owned())])
    }

    fn column(rows: usize, patches: &Patches) -> ArrayRef {
        let column = patch_column(&[rows], std::slice::from_ref(patches));
        column.unwrap().1.remove(0)
    }

    #[test]
    fn a_few_patches_take_a_few_bits() {
        // A last line without its end.
        let patches = vec![(2, vec![9, 0, 2])];
        let packed = pack(&of("csv"), &[column(3, &patches)]).unwrap();
        // gap 2 (011), one step (010), copied 9 (0001010), inserted 0 (1), moved 2 (011)
        assert_eq!(
            packed.chars().map(u32::from).collect::<Vec<_>>(),
            [0b0110_1000, 0b0101_0101, 0b1000_0000]
        );
        assert_eq!(self::patches(&packed, 3, false).unwrap(), patches);
        assert!(self::patches(&packed, 2, false).is_err());
    }

    #[test]
    fn a_batch_has_its_patches_again() {
        let patches = vec![(0, vec![1, 0, 1, 0, 1]), (2, vec![0, 3, 1, b'x', 0])];
        let packed = pack(&of("ndjson"), &[column(3, &patches)]).unwrap();
        let pairs = [(TEXT, "ndjson"), (PATCHES, &packed)];
        let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let metadata = Metadata::from(pairs);
        let fields = vec![Field::new("a", DataType::Null, true)];
        let schema = Schema::new_with_metadata(fields, metadata);
        let nulls: ArrayRef = Arc::new(NullArray::new(3));
        let batch = RecordBatch::try_new(schema.into(), vec![nulls]).unwrap();
        let unpacked = unpack(batch).unwrap();
        assert_eq!(unpacked.columns().len(), 2);
        assert_eq!(unpacked.column(1), &column(3, &patches));
        assert!(!unpacked.schema_ref().metadata().contains_key(PATCHES));
    }

    proptest! {
        #[test]
        fn what_is_packed_unpacks(
            patches in proptest::collection::btree_map(
                0..1000u32,
                proptest::collection::vec((0..300u64, "[a-z\u{e9}]{0,5}", -9..300i64), 1..4),
                1..9,
            ),
            order in Just((0..20).collect::<Vec<usize>>()).prop_shuffle()
                .prop_filter("another order", |order| !order.is_sorted()),
            swapped in 0..19usize,
            json: bool,
        ) {
            let patches: Patches = patches.into_iter().map(|(row, steps)| {
                let mut patch = Vec::new();
                if json {
                    let mut pair: Vec<usize> = (0..20).collect();
                    pair.swap(swapped, swapped + 1);
                    let orders = [&order, &pair];
                    varint::push(u64::from(row) % 3, &mut patch);
                    for order in orders.into_iter().take(row as usize % 3) {
                        varint::push(u64::from(row), &mut patch);
                        push_moves(order, &mut patch);
                    }
                }
                for (copied, text, moved) in steps {
                    varint::push(copied, &mut patch);
                    varint::push(text.len() as u64, &mut patch);
                    patch.extend_from_slice(text.as_bytes());
                    varint::push(varint::zigzag(moved), &mut patch);
                }
                (row, patch)
            }).collect();
            let dialect = of(if json { "json 2" } else { "csv" });
            let packed = pack(&dialect, &[column(1000, &patches)]).unwrap();
            prop_assert_eq!(self::patches(&packed, 1000, json).unwrap(), patches);
        }

        #[test]
        fn no_bits_make_it_panic(bytes: Vec<u8>, json: bool) {
            let packed: String = bytes.into_iter().map(char::from).collect();
            let _ = patches(&packed, 100, json);
        }
    }
}
