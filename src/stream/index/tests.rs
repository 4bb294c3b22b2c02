use std::io::Cursor;

use super::*;
use crate::columns::statistics::MinMax;
use crate::schema::named_field;

fn ty_of(name: &str) -> IndexType {
    IndexType::of(&named_field("", name).unwrap()).unwrap()
}

fn sample() -> Index {
    let mut index = Index::default();
    let column = |(name, ty, extremes): (&str, &str, _)| FrameColumn {
        name: name.to_owned(),
        ty: Some(ty_of(ty)),
        known: Some(Known { nulls: 3, extremes }),
        own: 0,
        needs: None,
    };
    let first = [
        ("a", "i64", Some(MinMax::Ints(-1, 5))),
        ("a", "utf8", None),
        ("é", "f64", Some(MinMax::Floats(-0.0, 1e300))),
    ];
    let entry = Entry {
        stored_len: 3,
        plain_len: 300,
        rows: 1 << 40,
        crc32: 7,
        place: None,
    };
    index.push(entry, first.map(column).into());
    let entry = Entry {
        stored_len: 2,
        plain_len: 0,
        rows: 0,
        crc32: u32::MAX,
        place: None,
    };
    let strings = MinMax::Strings {
        least: b"ab".to_vec(),
        greatest: b"abcdefghijklmnop".to_vec(),
        cut: true,
    };
    let second = [("b", "utf8", Some(strings)), ("é", "i64", None)];
    index.push(entry, second.map(column).into());
    index.ending = Some(Ending {
        fingerprint: Some(Fingerprint {
            len: 1 << 33,
            hash: Some(Hash::Xxh3(u128::MAX / 5)),
        }),
        tail: b"]\n".to_vec(),
    });
    index
}

#[test]
fn columns_join_by_name_and_occurrence() {
    let expected = [
        ("a", Some(ty_of("i64")), [true, false]),
        ("a", Some(ty_of("utf8")), [true, false]),
        ("é", None, [false, false]),
        ("b", Some(ty_of("utf8")), [false, true]),
    ];
    let sample = sample();
    let columns = sample.columns.iter().map(|column| {
        let known = [0, 1].map(|frame| column.known(frame).is_some());
        (column.name.as_str(), column.ty.clone(), known)
    });
    assert!(columns.eq(expected));
}

#[test]
fn an_index_reads_back_and_no_damage_passes() {
    let written = sample().write().unwrap();
    let payload = &written[SKIPPABLE_HEADER..];
    // Missing statistics of the last frames are filled up.
    let read = Index::read(NIBBLE, payload).unwrap();
    assert_eq!(read.write().unwrap(), written);
    assert_eq!(read.frames, sample().frames);
    assert_eq!(read.ending, sample().ending);
    for (read, sample) in read.columns.iter().zip(&sample().columns) {
        assert_eq!((&read.name, &read.ty), (&sample.name, &sample.ty));
        for frame in 0..3 {
            assert_eq!(read.known(frame), sample.known(frame));
        }
    }
    for at in 0..payload.len() {
        assert_eq!(Index::read(NIBBLE, &payload[..at]), None, "cut at {at}");
        for bit in 0..8 {
            let mut damaged = payload.to_vec();
            damaged[at] ^= 1 << bit;
            assert_eq!(
                Index::read(NIBBLE, &damaged),
                None,
                "bit {bit} of byte {at}"
            );
        }
    }
}

#[test]
fn frames_of_files_put_together_are_found() {
    let part = [b"abcde".to_vec(), sample().write().unwrap()].concat();
    let located = |bytes: Vec<u8>| locate_indexes(&mut Cursor::new(bytes)).unwrap();
    let offsets = |parts: Option<Vec<(u64, Index)>>| {
        let offsets = |(first, index): (u64, Index)| {
            let mut offset = first;
            let next = |entry: &Entry| {
                offset += entry.stored_len;
                offset - entry.stored_len
            };
            index.frames.iter().map(next).collect::<Vec<_>>()
        };
        parts.map(|parts| parts.into_iter().flat_map(offsets).collect::<Vec<_>>())
    };
    let len = part.len() as u64;
    assert_eq!(
        offsets(located(part.repeat(2))),
        Some(vec![0, 3, len, len + 3])
    );
    // Frames that no index lists, before or after it.
    assert_eq!(located([b"x".to_vec(), part.clone()].concat()), None);
    assert_eq!(located([part.clone(), b"x".to_vec()].concat()), None);
    assert_eq!(located(part[1..].to_vec()), None);
    assert_eq!(located(b"abcdefgh MBTX".to_vec()), None);
    assert_eq!(offsets(located(Vec::new())), Some(vec![]));
}
