//! Wire 1, compared with a second implementation on random batches and broken bytes.

use std::collections::HashSet;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use mbt::error::Kind;
use mbt::wire::Scan;
use mbt::wire::v1::{Decoder, EncodeOptions, Walker, anomalies};
use proptest::prelude::*;

use crate::envelopes::{LIMIT, all_options, cut, encode, envelope};
use crate::naive::{self, Slots};
use crate::random;

/// The encoding id according to the description's rules, found the slow way.
fn expected_encoding(plain: &naive::Column, rows: usize) -> u16 {
    let is_valid = |row: usize| plain.validity[row / 8] >> (row % 8) & 1 == 1;
    match &plain.slots {
        Slots::Spans(offsets, data) if plain.type_id != 10 => {
            let texts: HashSet<&[u8]> = (0..rows)
                .filter(|row| is_valid(*row))
                .map(|row| &data[offsets[row] as usize..offsets[row + 1] as usize])
                .collect();
            let width = match texts.len() {
                0..=256 => 1,
                257..=65536 => 2,
                _ => 4,
            };
            let entries: usize = texts.iter().map(|text| text.len()).sum();
            let dict = rows * width + 5 + 4 * (texts.len() + 1) + entries;
            if !texts.is_empty() && dict < 4 * (rows + 1) + data.len() {
                2
            } else {
                0
            }
        }
        Slots::Fixed(slots) if [4, 8].contains(&plain.type_id) && (0..rows).all(is_valid) => {
            let numbers: Vec<i64> = slots
                .chunks(8)
                .map(|slot| i64::from_le_bytes(slot.try_into().unwrap()))
                .collect();
            let varint_len = |pair: &[i64]| {
                let delta = pair[1].wrapping_sub(pair[0]);
                let zigzag = (delta << 1 ^ delta >> 63) as u64;
                (64 - (zigzag | 1).leading_zeros() as usize).div_ceil(7)
            };
            let delta = 8 + numbers.windows(2).map(varint_len).sum::<usize>();
            if rows > 0 && delta < 8 * rows { 3 } else { 0 }
        }
        _ => 0,
    }
}

/// Compares one row of an Arrow column with the slots found by the other reader.
fn same_value(array: &dyn Array, column: &naive::Column, row: usize) -> bool {
    let valid = column.validity[row / 8] >> (row % 8) & 1 == 1;
    if !valid || array.is_null(row) {
        return valid == array.is_valid(row);
    }
    match &column.slots {
        Slots::Spans(offsets, data) => {
            let found = &data[offsets[row] as usize..offsets[row + 1] as usize];
            match array.data_type() {
                DataType::Utf8 => array.as_string::<i32>().value(row).as_bytes() == found,
                _ => array.as_binary::<i32>().value(row) == found,
            }
        }
        Slots::Fixed(slots) => {
            let width = slots.len() / array.len();
            let found = &slots[row * width..(row + 1) * width];
            match array.data_type() {
                DataType::Boolean => u8::from(array.as_boolean().value(row)) == found[0],
                _ => &array.to_data().buffers()[0][row * width..(row + 1) * width] == found,
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn batches_come_back_and_another_reader_agrees(
        rows in prop_oneof![8 => 0usize..70, 1 => 2000usize..3000],
        seed: u64,
    ) {
        let batch = random::batch(rows, seed);
        let plain = encode(EncodeOptions::PLAIN, std::slice::from_ref(&batch));
        let (_, plain_columns, _) = naive::decode(&plain).unwrap();
        for options in all_options() {
            let bytes = encode(options, std::slice::from_ref(&batch));
            let decoded = Decoder::new(LIMIT).decode(&bytes).unwrap();
            prop_assert_eq!(decoded.len, bytes.len());
            prop_assert_eq!(&decoded.batch, &batch);
            prop_assert_eq!(encode(options, &[decoded.batch]), bytes.clone());
            let (read_rows, columns, len) = naive::decode(&bytes).unwrap();
            prop_assert_eq!((read_rows, len), (rows, bytes.len()));
            for ((column, plain), array) in columns.iter().zip(&plain_columns).zip(batch.columns()) {
                prop_assert!((0..rows).all(|row| same_value(array, column, row)));
                let permitted = match expected_encoding(plain, rows) {
                    2 if options.dict => 2,
                    3 if options.delta => 3,
                    _ => 0,
                };
                prop_assert_eq!(column.encoding_id, permitted);
            }
        }
    }

    #[test]
    fn rows_spread_over_batches_give_the_same_bytes(
        rows in prop_oneof![8 => 0usize..200, 1 => 2000usize..3000],
        seed: u64,
        cuts in prop::collection::vec(any::<usize>(), 0..5),
        margin in 0usize..20,
    ) {
        let large = random::batch(rows + 2 * margin, seed);
        let within = large.slice(margin, rows);
        for options in all_options() {
            let whole = encode(options, std::slice::from_ref(&within));
            let decoded = Decoder::new(LIMIT).decode(&whole).unwrap().batch;
            prop_assert_eq!(&decoded, &within);
            prop_assert_eq!(&encode(options, &cut(&within, &cuts)), &whole);
            prop_assert_eq!(&encode(options, &cut(&decoded, &cuts)), &whole);
        }
    }

    #[test]
    fn broken_bytes_get_the_other_readers_verdict(
        rows in 0usize..40,
        seed: u64,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        mode in 0..4usize,
    ) {
        let batch = random::batch(rows, seed);
        let mut bytes = encode(EncodeOptions::default(), &[batch]);
        let lengths = bytes.len().min(120);
        for (place, byte) in &damage {
            let len = bytes.len();
            match mode {
                0 => bytes[place.index(len)] = *byte,
                1 => bytes[place.index(len)] ^= 1 << (byte % 8),
                // Small changes of headers and first descriptors are almost valid.
                2 => {
                    let place = place.index(lengths);
                    bytes[place] = bytes[place].wrapping_add(byte % 3).wrapping_sub(1);
                }
                _ => bytes.truncate(len - place.index(len.min(9))),
            }
        }
        let ours = Decoder::new(LIMIT).decode(&bytes);
        if let Ok((_, columns, len)) = naive::decode(&bytes) {
                let decoded = ours.unwrap();
                prop_assert_eq!(decoded.len, len);
                let again = encode(EncodeOptions::PLAIN, &[decoded.batch]);
                let (_, again, _) = naive::decode(&again).unwrap();
                for (column, again) in columns.iter().zip(&again) {
                    prop_assert_eq!(&column.name, &again.name);
                    prop_assert_eq!(&column.validity, &again.validity);
                    prop_assert_eq!(&column.slots, &again.slots);
                    prop_assert_eq!(column.type_id, again.type_id);
                }
                // Only checks that it does not panic; other tests check whole files.
                anomalies(&bytes, &envelope(&bytes));
            } else {
 let error = ours.map(|_| ()).unwrap_err();
                prop_assert_eq!(error.kind(), Kind::Corrupt);
 }
    }

    #[test]
    fn the_walker_finds_the_same_in_any_steps(rows in 0usize..40, seed: u64, step in 1usize..50) {
        let bytes = encode(EncodeOptions::default(), &[random::batch(rows, seed)]);
        let mut walker = Walker::new();
        let mut arrived = 0;
        let found = loop {
            match walker.walk(&bytes[..arrived]).unwrap() {
                Scan::Complete(found) => break found,
                Scan::Needs(needs) => {
                    prop_assert!(needs > arrived && needs <= bytes.len());
                    arrived = (arrived + step).min(bytes.len());
                }
            }
        };
        prop_assert_eq!(found, envelope(&bytes));
    }
}
