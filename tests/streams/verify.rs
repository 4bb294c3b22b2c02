//! Damage that `mbt verify` finds, and damage that it cannot find.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::Schema;
use mbt::command::verify::{StreamReport, Tier};
use mbt::schema::Type;
use mbt::stream::{Codec, Compression, Compressor, Entry, FrameOpener, FrameReader, Index};
use mbt::wire::v1::{EncodeOptions, Encoder};

const LIMIT: u64 = 1 << 20;

fn vector(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v1/good");
    fs::read(folder.join(name)).unwrap()
}

/// The envelope in each of the codecs, one frame each; the borders of the frames.
fn stream(codecs: &[Codec]) -> (Vec<u8>, Vec<usize>) {
    let plain = vector("annotated_sample.mathldbt");
    let mut bytes = Vec::new();
    let mut borders = vec![0];
    for &codec in codecs {
        let mut compression = Compression::new(codec, None).unwrap();
        if codec != Codec::None {
            compression = compression.checksum().unwrap();
        }
        let mut compressor = Compressor::new(compression);
        compressor.compress(&plain, &mut bytes).unwrap();
        borders.push(bytes.len());
    }
    (bytes, borders)
}

/// The same with an index at the end.
fn indexed(codecs: &[Codec]) -> Vec<u8> {
    let (mut bytes, borders) = stream(codecs);
    let mut index = Index::default();
    for pair in borders.windows(2) {
        index.frames.push(Entry {
            place: None,
            stored_len: (pair[1] - pair[0]) as u64,
            plain_len: 249,
            rows: 5,
            crc32: crc32fast::hash(&bytes[pair[0]..pair[1]]),
        });
    }
    bytes.extend(index.write().unwrap());
    bytes
}

fn verify(bytes: &[u8], tier: Tier) -> StreamReport {
    StreamReport::read(bytes, tier, LIMIT, 1).unwrap()
}

/// All plain bytes of a stream; none if any of it is damaged.
fn plain(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut reader = FrameReader::new(bytes, LIMIT);
    let mut opener = FrameOpener::new(LIMIT);
    let mut found = Vec::new();
    while let Some(frame) = reader.next_frame().ok()? {
        found.extend_from_slice(opener.open(&frame).ok()?.plain);
    }
    (reader.trailing_bytes() == 0).then_some(found)
}

/// Changes every byte to every other value and returns where this was not noticed; there, at least
/// every row is unchanged.
fn unnoticed(bytes: &[u8]) -> BTreeSet<usize> {
    let whole = plain(bytes).unwrap();
    let mut places = BTreeSet::new();
    let mut damaged = bytes.to_vec();
    for at in 0..bytes.len() {
        for change in 1..=255 {
            damaged[at] = bytes[at] ^ change;
            if verify(&damaged, Tier::Checksums).is_whole() {
                assert_eq!(
                    plain(&damaged).as_ref(),
                    Some(&whole),
                    "byte {at} ^ {change}"
                );
                places.insert(at);
            }
        }
        damaged[at] = bytes[at];
    }
    places
}

#[test]
fn every_change_that_touches_a_row_of_checksummed_frames_is_found() {
    for codecs in [
        &[Codec::Zstd; 2][..],
        &[Codec::Lz4; 2],
        &[Codec::Zstd, Codec::Gzip, Codec::Lz4],
    ] {
        // Codecs have several spellings for the same bytes: a match may be found further back, gzip
        // has a time stamp. Checksums are of the plain bytes.
        let (bytes, _) = stream(codecs);
        let places = unnoticed(&bytes).len();
        assert!(places * 8 < bytes.len(), "{places} of {}", bytes.len());
    }
}

#[test]
fn every_changed_byte_of_a_stream_with_an_index_is_found() {
    for codecs in [
        &[Codec::Zstd; 2][..],
        &[Codec::None, Codec::Gzip, Codec::Lz4],
    ] {
        assert_eq!(unnoticed(&indexed(codecs)), BTreeSet::new());
    }
}

#[test]
fn an_index_tells_of_frames_that_are_gone_or_were_exchanged() {
    let bytes = indexed(&[Codec::Zstd; 3]);
    let (_, borders) = stream(&[Codec::Zstd; 3]);
    assert!(verify(&bytes, Tier::Structure).is_whole());
    let gone = verify(&bytes[borders[1]..], Tier::Structure);
    assert_eq!(gone.problems[0].kind, "index");
    let (raw, _) = stream(&[Codec::None]);
    let exchanged = [&bytes[..borders[1]], &raw, &bytes[borders[2]..]].concat();
    let report = verify(&exchanged, Tier::Checksums);
    assert_eq!((report.frames, report.whole, report.rows), (3, 2, Some(10)));
    // An index lists the frames right before it, so files can be joined.
    let joined = [&raw[..], &bytes, &bytes].concat();
    let report = verify(&joined, Tier::Deep);
    assert!(report.is_whole(), "{report:?}");
    assert_eq!(report.whole, 7);
}

#[test]
fn every_cut_is_found_but_for_those_between_frames() {
    for codecs in [
        [Codec::Zstd, Codec::Gzip, Codec::Lz4],
        [Codec::Zstd; 3],
        [Codec::None; 3],
    ] {
        let (bytes, borders) = stream(&codecs);
        for len in 0..bytes.len() {
            for tier in [Tier::Structure, Tier::Checksums, Tier::Deep] {
                let report = verify(&bytes[..len], tier);
                let whole = borders.iter().filter(|border| **border <= len).count() - 1;
                assert_eq!(report.whole, whole as u64);
                let is_border = len > 0 && borders.contains(&len);
                assert_eq!(report.is_whole(), is_border, "cut at {len}");
                let lost = report.lost.unwrap_or(0..0);
                assert_eq!(lost.end - lost.start, (len - borders[whole]) as u64);
            }
        }
    }
}

#[test]
fn raw_frames_hide_changed_values_but_not_changed_structure() {
    let (bytes, borders) = stream(&[Codec::None; 2]);
    let mut damaged = bytes.clone();
    damaged[0x43] ^= 1;
    assert!(verify(&damaged, Tier::Deep).is_whole());
    damaged.copy_from_slice(&bytes);
    damaged[borders[1]] ^= 1;
    let report = verify(&damaged, Tier::Structure);
    assert_eq!(report.problems[0].kind, "trailing_bytes");
    assert_eq!(report.lost, Some(borders[1] as u64..borders[2] as u64));
}

#[test]
fn whole_frames_behind_a_damaged_one_are_found() {
    for codec in [Codec::Zstd, Codec::Lz4] {
        let (mut bytes, borders) = stream(&[codec; 3]);
        let checksum = borders[2] - 1;
        bytes[checksum] ^= 1;
        for threads in [1, 3] {
            let report = StreamReport::read(&bytes[..], Tier::Checksums, LIMIT, threads).unwrap();
            assert_eq!((report.frames, report.whole, report.rows), (3, 2, Some(10)));
            let [problem] = &report.problems[..] else {
                panic!("{report:?}")
            };
            assert_eq!((problem.kind, problem.frame), ("payload", Some(1)));
            assert_eq!(problem.frame_offset, borders[1] as u64);
            assert!(report.lost.is_none());
        }
        let unread = verify(&bytes, Tier::Structure);
        assert!(unread.is_whole() && unread.rows.is_none());
    }
}

#[test]
fn every_good_file_is_whole_in_every_tier() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v1/good");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "mathldbt") {
            let bytes = fs::read(&path).unwrap();
            for tier in [Tier::Structure, Tier::Checksums, Tier::Deep] {
                let report = verify(&bytes, tier);
                let problems: Vec<_> = report.problems.iter().map(|p| p.kind).collect();
                // Two files contain on purpose what the format permits.
                let on_purpose = ["bool_bytes", "not_utf8", "not_json"];
                assert!(
                    tier == Tier::Deep && problems.iter().all(|kind| on_purpose.contains(kind))
                        || problems.is_empty(),
                    "{}: {problems:?}",
                    path.display()
                );
            }
        }
    }
}

fn kinds(bytes: &[u8]) -> (Vec<&'static str>, Vec<&'static str>) {
    assert!(verify(bytes, Tier::Checksums).is_whole());
    let report = verify(bytes, Tier::Deep);
    let kinds = |findings: &[mbt::command::verify::Finding]| {
        findings.iter().map(|finding| finding.kind).collect()
    };
    (kinds(&report.problems), kinds(&report.notes))
}

#[test]
fn deep_tells_wrong_values_from_harmless_oddities() {
    let sample = vector("annotated_sample.mathldbt");
    let changed = |at: usize, to: u8| {
        let mut bytes = sample.clone();
        bytes[at] = to;
        kinds(&bytes)
    };
    assert_eq!(changed(0x27, 2), (vec!["bool_bytes"], vec![]));
    assert_eq!(changed(0xc2, 0xff), (vec!["not_utf8"], vec![]));
    assert_eq!(changed(0x0a, 1), (vec![], vec!["header_flags"]));
    assert_eq!(changed(0x18, 1), (vec![], vec!["column_flags"]));
    assert_eq!(changed(0x22, 0x37), (vec![], vec!["padding_bits"]));
    assert_eq!(changed(0x2a, 1), (vec![], vec!["slots_under_nulls"]));
    assert_eq!(changed(0xa8, 9), (vec!["column"], vec![]));
    let mut trailing = sample.clone();
    trailing.push(0);
    let report = verify(&trailing, Tier::Structure);
    assert_eq!(report.problems[0].kind, "trailing_bytes");
}

#[test]
fn deep_reads_json_text_plain_and_in_dictionaries() {
    for (dict, texts) in [
        (false, vec![Some("{}"), None, Some("nope"), Some("[1, 2]")]),
        (
            true,
            [Some("{\"a\": 1}"), None, Some("{\"a\":"), None].repeat(40),
        ),
    ] {
        let wrong = texts
            .iter()
            .flatten()
            .filter(|text| matches!(**text, "nope" | "{\"a\":"));
        let wrong = wrong.count();
        let array: ArrayRef = Arc::new(StringArray::from(texts));
        let schema = Arc::new(Schema::new(vec![Type::Json.field("j")]));
        let batch = RecordBatch::try_new(schema, vec![array]).unwrap();
        let options = EncodeOptions { dict, delta: false };
        let mut bytes = Vec::new();
        Encoder::new(options)
            .encode(&batch.schema(), &[batch], &mut bytes)
            .unwrap();
        let report = verify(&bytes, Tier::Deep);
        let [problem] = &report.problems[..] else {
            panic!("{report:?}")
        };
        let s = if wrong == 1 { "" } else { "s" };
        assert_eq!(problem.what, format!("{wrong} value{s} not JSON"));
        assert_eq!(problem.column(), Some("j"));
        let at = problem.byte.unwrap() as usize;
        assert!(bytes[at..].starts_with(b"nope") || bytes[at..].starts_with(b"{\"a\":"));
    }
}

#[test]
fn all_columns_of_a_frame_at_fault_are_told() {
    let mut bytes = vector("annotated_sample.mathldbt");
    bytes[0x8d] = 0x7f; // one byte of a varint becomes the whole of it
    bytes[0xa8] = 9;
    let report = verify(&bytes, Tier::Deep);
    let columns: Vec<_> = report
        .problems
        .iter()
        .map(|problem| problem.column())
        .collect();
    assert_eq!(columns, [Some("t"), Some("sym")]);
}

#[test]
fn an_empty_input_is_damaged() {
    let report = verify(b"", Tier::Checksums);
    assert_eq!(report.problems[0].what, "the input is empty");
    let skippable = b"\x5e\x2a\x4d\x18\x01\0\0\0x";
    let report = verify(skippable, Tier::Checksums);
    assert_eq!(report.problems[0].what, "there is no frame in the input");
}

#[test]
fn compressed_text_is_not_damaged_but_no_stream_of_frames() {
    for codec in [Codec::Gzip, Codec::Zstd, Codec::Lz4] {
        let mut bytes = Vec::new();
        let mut compressor = Compressor::new(Compression::new(codec, None).unwrap());
        compressor.compress(b"a,b\n1,2\n", &mut bytes).unwrap();
        for tier in [Tier::Structure, Tier::Checksums, Tier::Deep] {
            let refused = verify(&bytes, tier).refused.map(|error| error.exit_code());
            assert_eq!(refused, Some(2), "{codec:?} {tier:?}");
        }
        // After a frame, the same bytes are damage.
        let (frame, _) = stream(&[codec]);
        let report = verify(&[frame, bytes].concat(), Tier::Checksums);
        assert!(report.refused.is_none() && !report.is_whole());
    }
}

#[test]
fn whatever_is_broken_in_a_raw_frame_is_told_or_decodes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v1/good");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "mathldbt") {
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            for change in [1, 0x80] {
                bytes[at] ^= change;
                let report = verify(&bytes, Tier::Deep);
                let structure = verify(&bytes, Tier::Structure);
                assert!(structure.problems.len() <= report.problems.len());
                if report.is_whole() {
                    assert!(mbt::wire::v1::Decoder::new(LIMIT).decode(&bytes).is_ok());
                }
                bytes[at] ^= change;
            }
        }
    }
}
