//! The byte map of envelopes, compared with the annotated dump in the format's description.

use std::fs;
use std::path::{Path, PathBuf};

use mbt::wire::Field;
use mbt::wire::Scan;
use mbt::wire::v1::{Walker, byte_map};

fn vectors(folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/v1")
        .join(folder);
    let mut found: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end != "json"))
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    found.sort();
    assert!(found.len() >= 18, "test files are missing");
    found
}

/// The map, if the bytes are valid; every byte of the envelope is in exactly one field.
fn map(bytes: &[u8]) -> Option<Vec<Field>> {
    let Ok(Scan::Complete(envelope)) = Walker::new().walk(bytes) else {
        return None;
    };
    let map = byte_map(bytes, &envelope).fields;
    let mut end = 0;
    for field in &map {
        assert_eq!(field.offset, end, "{field:?}");
        assert!(field.len > 0, "{field:?}");
        end += field.len;
    }
    assert_eq!(end, envelope.len);
    Some(map)
}

#[test]
fn the_annotated_sample_has_the_borders_of_the_description() {
    // Section 18, to the byte.
    let borders = [
        0x00, 0x08, 0x0a, 0x0c, 0x10, 0x12, 0x14, 0x16, 0x18, 0x1a, 0x1c, 0x1e, 0x22, 0x23, 0x27,
        0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x30, 0x32, 0x34, 0x36, 0x38, 0x3a, 0x3e, 0x3f, 0x43, 0x4b,
        0x53, 0x5b, 0x63, 0x6b, 0x6f, 0x71, 0x73, 0x75, 0x77, 0x78, 0x7c, 0x7d, 0x81, 0x89, 0x8a,
        0x8b, 0x8d, 0x90, 0x94, 0x96, 0x98, 0x9a, 0x9c, 0x9f, 0xa3, 0xa4, 0xa8, 0xad, 0xb1, 0xb2,
        0xb6, 0xba, 0xbe, 0xc2, 0xc5, 0xc8, 0xca, 0xcc, 0xce, 0xd0, 0xd4, 0xd5, 0xd9, 0xdd, 0xe1,
        0xe5, 0xe9, 0xed, 0xf1, 0xf5,
    ];
    let vectors = vectors("good");
    let (_, bytes) = vectors
        .iter()
        .find(|(path, _)| path.ends_with("annotated_sample.mathldbt"))
        .unwrap();
    let map = map(bytes).unwrap();
    let found: Vec<_> = map.iter().map(|field| field.offset).collect();
    assert_eq!(found, borders);
    let told = |offset| {
        let field = map.iter().find(|field| field.offset == offset).unwrap();
        (field.column, &field.name[..], &field.value[..])
    };
    assert_eq!(told(0x0c), (None, "row_count", "5"));
    assert_eq!(told(0x14), (Some(0), "type_id", "1 bool"));
    let bits = "row 0 = lowest bit: 11101, 1 null";
    assert_eq!(told(0x22), (Some(0), "validity", bits));
    assert_eq!(told(0x4b), (Some(1), "row 1", "-0.0"));
    let base = "row 0 = 1000 (1970-01-01T00:00:00.001Z)";
    assert_eq!(told(0x81), (Some(2), "base", base));
    let varint = "17278 -> delta +8639 -> row 4 = 9999";
    assert_eq!(told(0x8d), (Some(2), "varint", varint));
    assert_eq!(told(0xba), (Some(3), "entry_offset[1]", "3"));
    assert_eq!(told(0xc5), (Some(3), "entry 1", "\"ETH\""));
}

#[test]
fn every_byte_of_every_test_file_is_in_one_field() {
    for (path, bytes) in vectors("good") {
        assert!(map(&bytes).is_some(), "{}", path.display());
    }
    let walked = vectors("bad")
        .iter()
        .filter_map(|(_, bytes)| map(bytes))
        .count();
    assert!(walked > 10, "payloads that do not decode are mapped too");
}

#[test]
fn damaged_envelopes_are_mapped_to_the_last_byte_as_long_as_they_walk() {
    let mut walked = 0;
    for (_, bytes) in vectors("good") {
        for at in 0..bytes.len() {
            for change in [1, 2, 4, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= change;
                walked += u64::from(map(&bytes).is_some());
            }
        }
    }
    assert!(walked > 10_000);
}

#[test]
fn long_payloads_are_listed_in_part() {
    for (path, bytes) in vectors("good") {
        let map = map(&bytes).unwrap();
        let columns = map.iter().filter_map(|field| field.column).max().unwrap() + 1;
        assert!(map.len() <= 40 * columns + 8, "{}", path.display());
        for field in map.iter().filter(|field| field.more > 0) {
            assert_eq!(field.value, field.more.to_string());
            assert!(field.name.starts_with("more "));
        }
    }
}
