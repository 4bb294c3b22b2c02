//! The byte map of wire 2, compared with a second, naive reading of the same bytes.

use std::fs;
use std::path::Path;

use mbt::command::verify::{StreamReport, Tier};
use mbt::wire::choose::{Cascade, Preset};
use mbt::wire::codec::SectionCodec;
use mbt::wire::v2;
use serde_json::Value;

use crate::command::{stdout_of, words};

/// An unsigned LEB128 number and its length.
fn number(bytes: &[u8]) -> (u64, usize) {
    let mut value = 0;
    for (at, byte) in bytes.iter().enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return (value, at + 1);
        }
    }
    panic!("cut short")
}

struct Field {
    at: usize,
    len: usize,
    column: Option<String>,
    name: String,
    value: String,
}

fn fields(map: &Value, place: &str) -> Vec<Field> {
    let fields = map["fields"].as_array().unwrap().iter();
    fields
        .filter(|field| field["in"] == place)
        .map(|field| Field {
            at: field["offset"].as_u64().unwrap() as usize,
            len: field["len"].as_u64().unwrap() as usize,
            column: field["column"].as_str().map(str::to_owned),
            name: field["name"].as_str().unwrap().to_owned(),
            value: field["value"].as_str().unwrap().to_owned(),
        })
        .collect()
}

/// Every byte is in exactly one field.
fn assert_tiles(fields: &[Field], len: usize) {
    let mut end = 0;
    for field in fields {
        assert_eq!(field.at, end, "{}", field.name);
        end += field.len;
    }
    assert_eq!(end, len);
}

fn check(folder: &Path, options: &[&str]) {
    let convert = words("convert a.ndjson -o a.mbt --force --frame-rows 40");
    stdout_of(folder, &[&convert[..], options].concat());
    let file = fs::read(folder.join("a.mbt")).unwrap();
    let document = stdout_of(folder, &words("inspect --layout --frame 1 --json a.mbt"));
    let map: Value = serde_json::from_slice(&document).unwrap();
    let start = map["frame_offset"].as_u64().unwrap() as usize;
    let bytes = &file[start..start + map["plain_bytes"].as_u64().unwrap() as usize];
    let outer = fields(&map, "frame");
    assert_tiles(&outer, bytes.len());
    let of = |field: &Field| &bytes[field.at..field.at + field.len];

    // The uncompressed header, as described.
    let header_len = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let stored = &bytes[28..28 + header_len];
    let (header, inner) = if bytes[10] & 1 == 1 {
        let (len, at) = number(stored);
        let plain = zstd::bulk::decompress(&stored[at..], len as usize).unwrap();
        assert_eq!(plain.len() as u64, len);
        let inner = fields(&map, "header");
        assert_tiles(&inner, plain.len());
        (plain, inner)
    } else {
        assert!(fields(&map, "header").is_empty());
        let mut inner = fields(&map, "frame");
        inner.retain(|field| (28..28 + header_len).contains(&field.at));
        for field in &mut inner {
            field.at -= 28;
        }
        (stored.to_vec(), inner)
    };
    let text = |field: &Field| &header[field.at..field.at + field.len];

    // Numbers are those of the bytes.
    for field in &inner {
        let is_number = ["rows", "sections", "columns", "valid", "items", "children"]
            .contains(&field.name.as_str())
            || field.name.ends_with("_len")
            || field.name.ends_with("count");
        if is_number {
            assert_eq!(field.value, number(text(field)).0.to_string());
            assert_eq!(field.len, number(text(field)).1);
        }
        if field.name == "name" {
            let name = text(field);
            assert_eq!(number(name), (name.len() as u64 - 1, 1));
            let shown = format!("{:?}", std::str::from_utf8(&name[1..]).unwrap());
            assert_eq!(field.value, shown);
            let path = field.column.as_ref().unwrap();
            let last = path.rsplit('.').next().unwrap();
            assert!(last.ends_with("[]") || format!("{last:?}") == shown);
        }
    }
    assert_eq!(inner[0].value, "40");
    let paths: Vec<_> = inner
        .iter()
        .filter(|field| field.name == "name")
        .map(|field| field.column.clone().unwrap())
        .collect();
    assert_eq!(paths, ["id", "u", "u.s", "u.l", "u.l[]", "x", "y"]);

    // Sections: checksums, and buffers that fill them one after the other.
    let sections: Vec<_> = outer
        .iter()
        .filter(|field| field.name.starts_with("section ") && field.at >= 28 + header_len)
        .collect();
    // If too many buffers are listed to show all, they cannot be added up.
    let mut listed = vec![Some(0); sections.len()];
    for (section, listed) in sections.iter().zip(&mut listed) {
        let (_, buffers) = section.value.split_once(": ").unwrap();
        if buffers.contains(" more") || buffers.ends_with('…') {
            *listed = None;
        }
        let is_full = listed.is_some();
        for buffer in buffers.split(", ").filter(|_| is_full) {
            // `u.l[] values/0 (12)`
            let (column, rest) = buffer.split_once(' ').unwrap();
            assert!(paths.iter().any(|path| path == column), "{column}");
            let len = rest.rsplit_once('(').unwrap().1.trim_end_matches(')');
            if let Some(listed) = listed {
                *listed += len.parse::<u64>().unwrap();
            }
        }
    }
    for (at, section) in sections.iter().enumerate() {
        let find = |what: &str| {
            let name = format!("section {at} {what}");
            inner.iter().find(|field| field.name == name)
        };
        let crc = crc32fast::hash(of(section));
        assert_eq!(text(find("crc32").unwrap()), crc.to_le_bytes());
        assert_eq!(find("crc32").unwrap().value, format!("{crc:08x}"));
        // A section of one column has its length, one of several the share of each.
        let first = number(text(find("column").unwrap())).0;
        let own = find("plain_len").map(|field| number(text(field)).0);
        let name = format!("section {at} share");
        let shares = inner.iter().filter(|field| field.name == name);
        let shares = shares.zip(first..).map(|(field, column)| {
            let share = number(text(field)).0;
            assert_eq!(field.value, format!("{share} of column {column}"));
            share
        });
        let plain_len = own.unwrap_or_else(|| shares.sum());
        assert!(listed[at].is_none_or(|listed| listed == plain_len));
        let stored_len = find("stored_len").map_or(plain_len, |field| number(text(field)).0);
        assert_eq!(stored_len, section.len as u64);
    }
}

#[test]
fn every_byte_is_in_one_field_and_means_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<_> = (0..120_u64)
        .map(|row| {
            let gap = if row % 5 == 2 { "null".to_owned() } else { format!("{}.25", row * 37 % 101) };
            let id = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12;
            let list: Vec<_> = (0..row % 4).map(|item| (item * row).to_string()).collect();
            format!(
                "{{\"id\":{id},\"u\":{{\"s\":\"name-{id:x}\",\"l\":[{}]}},\"x\":{gap},\"y\":\"2024-02-{:02}\"}}\n",
                list.join(","),
                row % 28 + 1
            )
        })
        .collect();
    fs::write(folder.path().join("a.ndjson"), rows.concat()).unwrap();
    for options in [
        &[][..],
        &["--codec", "none"],
        &["--preset", "fast"],
        &["--preset", "small"],
    ] {
        check(folder.path(), options);
    }
}

#[test]
fn odd_headers_are_told_or_refused_but_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "{\"a\":1,\"b\":{\"c\":[\"x\",\"yy\"],\"d\":2.5},\"e\":\"2024-01-02\",\"f\":null,\"g\":true}\n";
    let other = "{\"a\":9,\"b\":{\"c\":[],\"d\":null},\"e\":null,\"f\":\"long text, longer\",\"g\":false}\n";
    fs::write(folder.join("a.ndjson"), format!("{text}{other}{text}")).unwrap();
    stdout_of(folder, &words("convert a.ndjson -o a.mbt --codec none"));
    let file = fs::read(folder.join("a.mbt")).unwrap();
    let header = 28 + u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let body = u64::from_le_bytes(file[16..24].try_into().unwrap()) as usize;
    let whole = &file[..header + body];
    let mut mapped = 0;
    for at in 28..header {
        for change in 1..=255_u8 {
            let mut bytes = whole.to_vec();
            bytes[at] ^= change;
            let crc = crc32fast::hash(&[&bytes[..24], &bytes[28..header]].concat());
            bytes[24..28].copy_from_slice(&crc.to_le_bytes());
            let report = StreamReport::read(&bytes[..], Tier::Deep, 1 << 20, 1).unwrap();
            let Ok(envelope) = v2::Envelope::read(&bytes, 1 << 20) else {
                assert!(!report.is_whole());
                continue;
            };
            let Ok(leaves) = envelope.leaves() else {
                assert!(!report.is_whole());
                continue;
            };
            for leaf in &leaves {
                let _ = leaf
                    .statistics
                    .as_ref()
                    .map(|found| found.values(&leaf.field));
            }
            let map = v2::byte_map(&bytes, &envelope).unwrap();
            let end = map.fields.iter().fold(0, |end, field| {
                assert_eq!(field.offset, end);
                end + field.len
            });
            assert_eq!(end, bytes.len());
            mapped += 1;
            let batch = v2::Decoder::new(1 << 20).decode(&bytes, &envelope, |_, _| true);
            if let Ok(batch) = batch {
                let cascade = Cascade::new(Preset::Balanced, SectionCodec::None);
                let fields = batch.schema_ref().fields().iter();
                for (field, array) in fields.zip(batch.columns()) {
                    let _ = v2::explain(field, array, 0, cascade);
                }
            }
        }
    }
    assert!(mapped > 1000, "{mapped}");
}
