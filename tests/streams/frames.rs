//! Streams of frames: every codec, every mixture, and everything that can be wrong with them.

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::Path;

use mbt::error::{Error, Kind, Result};
use mbt::stream::{Codec, Compression, Compressor, FrameOpener, FrameReader, Item};
use mbt::wire::v1::{EncodeOptions, Encoder};
use mbt::workload::bars;
use serde_json::Value;
use sha2::{Digest, Sha256};

const LIMIT: u64 = 1 << 30;

/// `rows` bars as an envelope with both encodings.
fn envelope(rows: usize) -> Vec<u8> {
    let batch = bars(rows);
    let options = EncodeOptions {
        dict: true,
        delta: true,
    };
    let mut out = Vec::new();
    Encoder::new(options)
        .encode(&batch.schema(), std::slice::from_ref(&batch), &mut out)
        .unwrap();
    out
}

fn settings() -> Vec<Compression> {
    let of = |codec| Compression::new(codec, None).unwrap();
    let mut all: Vec<_> = Codec::ALL.into_iter().map(of).collect();
    all.push(of(Codec::Zstd).checksum().unwrap());
    all.push(of(Codec::Zstd).long().unwrap());
    all
}

fn compress(compression: Compression, plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut compressor = Compressor::new(compression);
    compressor.compress(plain, &mut out).unwrap();
    out
}

fn with(codec: Codec, level: i32, plain: &[u8]) -> Vec<u8> {
    compress(Compression::new(codec, Some(level)).unwrap(), plain)
}

/// All envelopes of a stream, and the bytes after its last frame.
fn read(stream: impl Read, limit: u64) -> Result<(Vec<Vec<u8>>, u64)> {
    let mut reader = FrameReader::new(stream, limit);
    let mut opener = FrameOpener::new(limit);
    let mut found = Vec::new();
    loop {
        let frame = match reader.next_frame() {
            Ok(Some(frame)) => frame,
            Err(error) if error.kind() != Kind::Incomplete => return Err(error),
            Ok(None) | Err(_) => break,
        };
        let content = opener.open(&frame)?;
        for (range, envelope) in content.contents.envelopes {
            assert_eq!(envelope.stored_len(), range.len());
            found.push(content.plain[range].to_vec());
        }
    }
    Ok((found, reader.trailing_bytes()))
}

/// A zstd frame without content size, in blocks of a few bytes.
fn zstd_stream(plain: &[u8], checksum: bool) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(checksum).unwrap();
    for piece in plain.chunks(100) {
        encoder.write_all(piece).unwrap();
        encoder.flush().unwrap();
    }
    encoder.finish().unwrap()
}

/// Yields one byte at a time, like a slow pipe.
struct Drip<'a>(&'a [u8]);

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = self.0.len().min(buffer.len()).min(1);
        self.0.read(&mut buffer[..len])
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

#[test]
fn zstd_frames_are_the_references_to_the_byte() {
    for (rows, len, sha) in [
        (
            10,
            330,
            "79a00298c8e81835106c04a6ce834498e0e71c81833103390d3992dd8f9c21f4",
        ),
        (
            2_000,
            8_123,
            "efcf1a2f6600149f0a82bb60a14eaa99ab76d139b8b199f639fa440bab7775c5",
        ),
        (
            100_000,
            292_668,
            "0093c96fcaaec1600e5089050b6535f8572b13b723d347cca0dd63d5c21eb6fe",
        ),
    ] {
        let plain = envelope(rows);
        for level in [3, 0] {
            let frame = with(Codec::Zstd, level, &plain);
            assert_eq!((frame.len(), &hex(&frame)[..]), (len, sha), "{rows} rows");
        }
    }
}

#[test]
fn gzip_members_are_no_larger_than_the_references_by_five_in_a_hundred() {
    for (rows, reference) in [(2_000, 10_769), (100_000, 457_652)] {
        let member = with(Codec::Gzip, 6, &envelope(rows));
        println!("{rows} rows: {} bytes, reference {reference}", member.len());
        assert!(member.len() * 100 <= reference * 105, "{}", member.len());
    }
    for (level, xfl) in [(0, 4), (1, 4), (2, 0), (6, 0), (9, 2)] {
        let member = with(Codec::Gzip, level, &envelope(10));
        assert_eq!(
            member[..10],
            [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, xfl, 0xff],
            "{level}"
        );
    }
}

#[test]
fn verdicts_are_those_of_the_reference_or_better() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v1/compressed");
    let verdicts: Value =
        serde_json::from_slice(&fs::read(folder.join("verdicts.json")).unwrap()).unwrap();
    let plain = envelope(10);
    assert_eq!(
        plain.len() as u64,
        verdicts["plain_bytes"].as_u64().unwrap()
    );
    for verdict in verdicts["files"].as_array().unwrap() {
        let file = verdict["file"].as_str().unwrap();
        let bytes = fs::read(folder.join(file)).unwrap();
        let limit = verdict["max_uncompressed_len"].as_u64().unwrap();
        // No codec needs to be named, so it also reads uncompressed frames.
        let accepted = verdict["verdict"] == "accept" || file == "zst_given_plain.zst";
        match read(&bytes[..], limit) {
            Ok((found, trailing)) => {
                assert!(accepted, "{file} is accepted");
                assert_eq!(found, [&plain[..]], "{file}");
                let garbage = if file == "gz_trailing_garbage.gz" {
                    3
                } else {
                    0
                };
                assert_eq!(trailing, garbage, "{file}");
            }
            Err(error) => {
                assert!(!accepted, "{file}: {error}");
                let over = verdict["error"].as_str().unwrap().contains("exceeds");
                assert_eq!(error.kind() == Kind::Limit, over, "{file}: {error}");
                assert!(error.place().frame == Some(0) && error.place().byte.is_some());
            }
        }
    }
}

#[test]
fn every_setting_reads_back_at_every_size() {
    for rows in [0, 1, 10, 2_000, 100_000] {
        let plain = envelope(rows);
        for setting in settings() {
            let frame = compress(setting, &plain);
            let (found, trailing) = read(&frame[..], plain.len() as u64).unwrap();
            assert_eq!((found, trailing), (vec![plain.clone()], 0), "{setting:?}");
            if setting.codec() != Codec::None {
                let less = read(&frame[..], plain.len() as u64 - 1).unwrap_err();
                assert_eq!(less.kind(), Kind::Limit, "{setting:?} {less}");
                assert_eq!(read(&frame[..], 0).unwrap_err().kind(), Kind::Limit);
            }
        }
        let unknown = zstd_stream(&plain, true);
        assert_eq!(read(&unknown[..], LIMIT).unwrap().0, [&plain[..]]);
        let less = read(&unknown[..], plain.len() as u64 - 1).unwrap_err();
        assert_eq!(less.kind(), Kind::Limit, "{less}");
        assert!(read(&unknown[..], plain.len() as u64).is_ok());
    }
    let plain = envelope(100);
    for codec in [Codec::Zstd, Codec::Gzip] {
        for level in codec.levels().unwrap() {
            let frame = with(codec, level, &plain);
            assert_eq!(
                read(&frame[..], LIMIT).unwrap().0,
                [&plain[..]],
                "{codec:?} {level}"
            );
        }
    }
}

#[test]
fn a_compressor_used_again_writes_the_same() {
    let sizes = [100_000, 3, 2_000, 0, 100_000];
    for setting in settings() {
        let mut compressor = Compressor::new(setting);
        let mut reused = Vec::new();
        let mut fresh = Vec::new();
        for rows in sizes {
            let plain = envelope(rows);
            compressor.compress(&plain, &mut reused).unwrap();
            fresh.extend(compress(setting, &plain));
        }
        assert!(reused == fresh, "{setting:?}");
    }
}

/// All kinds in one stream, with skippable frames between them.
fn mixture() -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut stream = Vec::new();
    let mut plains = Vec::new();
    for rows in [3, 0, 700] {
        for setting in settings() {
            let plain = envelope(rows);
            stream.extend(compress(setting, &plain));
            stream.extend(b"\x5e\x2a\x4d\x18\x05\0\0\0index");
            plains.push(plain);
        }
        let plain = envelope(rows + 1);
        stream.extend(zstd_stream(&plain, false));
        plains.push(plain);
    }
    (stream, plains)
}

#[test]
fn frames_of_all_kinds_follow_each_other_however_their_bytes_arrive() {
    let (stream, plains) = mixture();
    assert_eq!(read(&stream[..], LIMIT).unwrap(), (plains.clone(), 0));
    assert_eq!(read(Drip(&stream), LIMIT).unwrap(), (plains.clone(), 0));
    let tail = [&stream[..], b"tail"].concat();
    assert_eq!(read(&tail[..], LIMIT).unwrap(), (plains, 4));
}

#[test]
fn stored_frames_cover_the_stream_and_copy_without_being_opened() {
    let (stream, plains) = mixture();
    let mut reader = FrameReader::new(Drip(&stream), LIMIT);
    let mut opener = FrameOpener::new(LIMIT);
    let mut copy = Vec::new();
    let mut frames = 0;
    while let Some(item) = reader.next_item().unwrap() {
        match item {
            Item::Frame(frame) => {
                assert_eq!((frame.index, frame.offset), (frames, copy.len() as u64));
                copy.extend_from_slice(&frame.bytes);
                let content = opener.open(&frame).unwrap();
                let plain = content.plain;
                assert_eq!(plain, plains[frames as usize]);
                let found = content.contents;
                let ranges: Vec<_> = found.envelopes.iter().map(|(range, _)| range).collect();
                assert_eq!((ranges, found.trailing), (vec![&(0..plain.len())], 0));
                assert!(frame.plain_len.is_none_or(|len| len == plain.len() as u64));
                frames += 1;
            }
            Item::End(_) => panic!("there is no index"),
            Item::Skippable(skippable) => {
                assert_eq!(
                    (skippable.nibble, skippable.offset),
                    (14, copy.len() as u64)
                );
                assert_eq!(skippable.payload.as_deref(), Some(&b"index"[..]));
                copy.extend(b"\x5e\x2a\x4d\x18\x05\0\0\0index");
            }
        }
    }
    assert_eq!((frames as usize, copy), (plains.len(), stream));
}

#[test]
fn skippable_frames_larger_than_the_limit_are_passed_over_without_being_held() {
    let mut stream = b"\x50\x2a\x4d\x18\0\0\x10\0".to_vec();
    stream.resize(stream.len() + (1 << 20), 7);
    let plain = envelope(1);
    stream.extend(&plain);
    let mut reader = FrameReader::new(&stream[..], 1 << 19);
    let Some(Item::Skippable(skippable)) = reader.next_item().unwrap() else {
        panic!("not skippable");
    };
    assert_eq!((skippable.payload_len, skippable.payload), (1 << 20, None));
    let frame = reader.next_frame().unwrap().unwrap();
    assert_eq!((frame.offset, frame.bytes), (8 + (1 << 20), plain));
    for len in [9, 100, 8 + (1 << 20) - 1] {
        assert!(read(&stream[..len], LIMIT).is_err() && read(&stream[..len], 9).is_err());
    }
    // A stream without frames is refused.
    assert!(read(&stream[..8 + (1 << 20)], LIMIT).is_err());
}

#[test]
fn rows_are_not_lost_where_a_frame_holds_several_envelopes() {
    let (first, second) = (envelope(5), envelope(6));
    for setting in settings() {
        if setting.codec() == Codec::None {
            continue;
        }
        let both = compress(setting, &[&first[..], &second, b"rest"].concat());
        let stream = [&both[..], &compress(setting, &first)].concat();
        let mut reader = FrameReader::new(&stream[..], LIMIT);
        let mut opener = FrameOpener::new(LIMIT);
        let mut seen = Vec::new();
        while let Some(frame) = reader.next_frame().unwrap() {
            let content = opener.open(&frame).unwrap();
            let found = content.contents;
            let parts = found.envelopes.into_iter();
            let parts = parts.map(|(range, _)| content.plain[range].to_vec());
            seen.push((frame.index, parts.collect(), found.trailing));
        }
        let wanted = [
            (0, vec![first.clone(), second.clone()], 4),
            (1, vec![first.clone()], 0),
        ];
        assert_eq!(seen, wanted, "{setting:?}");
        // The second one is cut: its rows are missing, so it is not just trailing bytes.
        let cut = compress(setting, &[&first[..], &second[..100]].concat());
        let error = read(&cut[..], LIMIT).unwrap_err();
        assert_eq!(
            error.place().byte,
            Some(100 + first.len() as u64),
            "{error}"
        );
    }
}

/// The error for a stream whose second frame is `damaged`.
fn refused(damaged: &[u8], what: &str) -> Error {
    let first = envelope(1);
    let stream = [&first[..], damaged].concat();
    let mut reader = FrameReader::new(&stream[..], LIMIT);
    assert!(reader.next_frame().unwrap().is_some());
    match reader.next_frame() {
        Ok(found) => panic!("{what}: {}", found.map_or("nothing", |_| "a frame")),
        Err(error) => {
            assert_eq!(error.place().frame, Some(1), "{what}: {error}");
            assert!(error.place().byte.is_some(), "{what}: {error}");
            error
        }
    }
}

#[test]
fn cut_frames_are_refused_at_every_length() {
    let plain = envelope(10);
    let mut frames: Vec<_> = settings()
        .into_iter()
        .map(|s| compress(s, &plain))
        .collect();
    frames.push(zstd_stream(&plain, false));
    frames.push(zstd_stream(&plain, true));
    for frame in frames {
        for len in 0..frame.len() {
            assert!(read(&frame[..len], LIMIT).is_err(), "accepted at {len}");
            if len >= 8 {
                let error = refused(&frame[..len], "cut");
                assert_eq!(error.kind(), Kind::Corrupt, "{error}");
            }
        }
    }
}

#[test]
fn a_changed_byte_in_a_checksummed_frame_never_gives_other_rows() {
    let plain = envelope(10);
    let of = |codec| Compression::new(codec, None).unwrap();
    let mut frames: Vec<_> = [
        of(Codec::Zstd).checksum().unwrap(),
        of(Codec::Gzip),
        of(Codec::Lz4),
    ]
    .into_iter()
    .map(|setting| compress(setting, &plain))
    .collect();
    frames.push(zstd_stream(&plain, true));
    for frame in frames {
        for at in 0..frame.len() {
            for bit in 0..8 {
                let mut damaged = frame.clone();
                damaged[at] ^= 1 << bit;
                // Without its flag, a zstd checksum is four bytes after the frame.
                if let Ok((found, trailing)) = read(&damaged[..], LIMIT) {
                    let flag = at == 4 && trailing == 4;
                    assert!(
                        found == [&plain[..]] && (trailing == 0 || flag),
                        "byte {at} bit {bit}"
                    );
                }
                // After a good frame, bytes that are no longer a frame are at least reported.
                let first = envelope(1);
                if let Ok((found, trailing)) = read(&[&first[..], &damaged].concat()[..], LIMIT) {
                    let whole = found.len() == 2 && found[1] == plain;
                    assert!(whole || trailing > 0, "byte {at} bit {bit}");
                }
            }
        }
    }
}

#[test]
fn garbage_after_a_good_magic_causes_no_panic() {
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize
    };
    let plain = envelope(30);
    let mut frames: Vec<_> = settings()
        .into_iter()
        .map(|s| compress(s, &plain))
        .collect();
    frames.push(zstd_stream(&plain, false));
    for _ in 0..2_000 {
        for frame in &frames {
            let mut damaged = frame.clone();
            let start = random() % damaged.len();
            let len = random() % 40;
            for byte in damaged.iter_mut().skip(start.max(8)).take(len) {
                *byte = random() as u8;
            }
            let _ = read(&damaged[..], 1 << 20);
        }
    }
}

#[test]
fn bombs_end_in_an_error_before_they_take_memory() {
    // Eight TiB, according to the header.
    let mut claims = b"\x28\xb5\x2f\xfd\xe0".to_vec();
    claims.extend((1_u64 << 43).to_le_bytes());
    let error = read(&claims[..], LIMIT).unwrap_err();
    assert_eq!(error.kind(), Kind::Limit, "{error}");
    // Within the limit, but one block of a byte cannot hold it.
    let mut lies = b"\x28\xb5\x2f\xfd\xa0".to_vec();
    lies.extend((1_u32 << 30).to_le_bytes());
    lies.extend([1, 0, 0]);
    let error = read(&lies[..], LIMIT).unwrap_err();
    assert!(error.what().contains("blocks hold at most"), "{error}");
    // 64 MiB of run length in 2 KB, size unknown.
    let mut runs = b"\x28\xb5\x2f\xfd\x00\x38".to_vec();
    for block in 0..512 {
        let header = (128 << 10) << 3 | 1 << 1 | u32::from(block == 511);
        runs.extend(&header.to_le_bytes()[..3]);
        runs.push(0);
    }
    let error = read(&runs[..], 1 << 20).unwrap_err();
    assert_eq!(error.kind(), Kind::Limit, "{error}");
    // An envelope of very many zeros, with every codec that can store it.
    for setting in settings() {
        if setting.codec() != Codec::None {
            let zeros = compress(setting, &vec![0; 8 << 20]);
            let error = read(&zeros[..], 1 << 20).unwrap_err();
            assert_eq!(error.kind(), Kind::Limit, "{error}");
        }
    }
}

#[test]
fn lz4_frames_of_the_tools_other_forms_are_read() {
    // Linked blocks, block checksums, no content size: as `lz4 -BD -BX --no-frame-crc` writes them.
    let plain = envelope(5_000);
    let mut info = lz4_flex::frame::FrameInfo::new();
    info.block_mode = lz4_flex::frame::BlockMode::Linked;
    info.block_checksums = true;
    info.block_size = lz4_flex::frame::BlockSize::Max64KB;
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    std::io::Write::write_all(&mut encoder, &plain).unwrap();
    let frame = encoder.finish().unwrap();
    assert_eq!(read(&frame[..], LIMIT).unwrap(), (vec![plain.clone()], 0));
    assert!(read(&frame[..], plain.len() as u64).is_ok());
    let less = read(&frame[..], plain.len() as u64 - 1).unwrap_err();
    assert_eq!(less.kind(), Kind::Limit);
    // Another reader reads the output of this crate.
    let ours = compress(Compression::new(Codec::Lz4, None).unwrap(), &plain);
    let mut theirs = Vec::new();
    lz4_flex::frame::FrameDecoder::new(&ours[..])
        .read_to_end(&mut theirs)
        .unwrap();
    assert!(theirs == plain);
}

#[test]
fn what_is_no_stream_is_refused() {
    for bytes in [
        &b""[..],
        b"a",
        b"a,b\n1,2\n",
        b"\x28\xb5\x2f\xfd",
        b"MATHLDBU and more",
    ] {
        assert!(read(bytes, LIMIT).is_err());
    }
}
