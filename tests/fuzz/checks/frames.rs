//! Bytes that claim to be frames or Arrow are read or refused; the result can be written and read again.

use std::io::Cursor;

use mbt::stream::Index;
use mbt::wire::v1;
use mbt::{IndexedReader, encode_v1};

use super::conversion::convert_by;
use super::mend::mend;
use super::read_all::read_all;

const SALVAGE: &[&str] = &["--salvage", "--to=mbt"];

const MAX_PLAIN: u64 = 16 << 20;

/// Begins the skippable frame of an index.
const INDEX_MAGIC: [u8; 4] = 0x184d_2a5a_u32.to_le_bytes();

/// Frames and the index that ends them.
const FRAMES: &[u8] = include_bytes!("../../../fixtures/v2/r2-frames.mbt");

/// One envelope of version 1.
///
/// # Panics
/// If a promise is broken.
pub fn v1(data: &[u8]) {
    let mut decoder = v1::Decoder::new(MAX_PLAIN);
    let Ok(first) = decoder.decode(data) else {
        return;
    };
    let mut bytes = Vec::new();
    encode_v1(&first.batch, &mut bytes).expect("a batch of version 1");
    // Bytes under nulls may be dropped, so the bytes can differ, but not the values.
    let again = decoder.decode(&bytes).expect("what was written");
    assert_eq!(again.len, bytes.len());
    let values =
        |frame: &[u8]| convert_by(frame, &["--to=ndjson"]).map_err(|error| error.message());
    assert_eq!(values(&bytes), values(&data[..first.len]));
    texts(&bytes);
}

/// An envelope of version 2 with correct checksums and any header: its flags, the length of the header, the
/// header before compression, and the body.
///
/// # Panics
/// If a promise is broken.
pub fn v2(data: &[u8]) {
    let [flag_0, flag_1, len_0, len_1, rest @ ..] = data else {
        return;
    };
    let header_len = usize::from(u16::from_le_bytes([*len_0, *len_1])).min(rest.len());
    let mut bytes = b"MATHLDBT\x02\0".to_vec();
    bytes.extend([flag_0, flag_1]);
    bytes.extend((header_len as u32).to_le_bytes());
    bytes.extend(((rest.len() - header_len) as u64).to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(rest);
    mend(&mut bytes);
    read_all(&bytes);
    texts(&bytes);
}

/// Bytes that may be frames of any kind, unchanged and with corrected checksums.
///
/// # Panics
/// If a promise is broken.
pub fn streams(data: &[u8]) {
    let mut mended = data.to_vec();
    mend(&mut mended);
    if !read_all(data)
        && let Ok(saved) = convert_by(data, SALVAGE)
    {
        let again = convert_by(&saved, &["--to=mbt"]);
        assert!(
            saved.is_empty() || again.is_ok(),
            "what is salvaged cannot be read: {again:?}"
        );
    }
    if read_all(&mended) {
        texts(&mended);
    } else {
        // Correct checksums may cover values that writers never produce, or columns that only a newer version reads:
        // such a frame is kept unchanged.
        let _ = convert_by(&mended, SALVAGE);
    }
}

/// The contents of an index at the end of good frames, with a correct checksum.
///
/// # Panics
/// If a promise is broken.
pub fn index(data: &[u8]) {
    let mut payload = [b"MBTX", data].concat();
    let crc32 = crc32fast::hash(&payload);
    payload.extend(crc32.to_le_bytes());
    payload.extend((payload.len() as u32 + 8).to_le_bytes());
    payload.extend(b"MBTX");
    if let Some(index) = Index::read(10, &payload) {
        // Unknown parts of a newer version are not written.
        let written = index.write().expect("an index");
        let again = Index::read(10, &written[8..]).expect("what was written");
        assert_eq!(again.write().expect("an index"), written);
    }
    let end = FRAMES.windows(4).rposition(|bytes| bytes == INDEX_MAGIC);
    let mut bytes = FRAMES[..end.expect("an index")].to_vec();
    bytes.extend(INDEX_MAGIC);
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend(payload);
    read_all(&bytes);
    if let Ok(mut reader) = IndexedReader::open(Cursor::new(&bytes)) {
        for frame in 0..reader.frames().min(4) {
            let _ = (reader.rows(frame), reader.read(frame, &["i", "s"]));
        }
    }
}

/// Arrow IPC, as a stream or a file.
///
/// # Panics
/// If a promise is broken.
pub fn arrow(data: &[u8]) {
    table(data, "--from=arrow");
}

/// A file of Parquet.
///
/// # Panics
/// If a promise is broken.
pub fn parquet(data: &[u8]) {
    table(data, "--from=parquet");
}

/// Typed columns: the frames are whole, and both routes to text give the same.
fn table(data: &[u8], from: &str) {
    let direct = convert_by(data, &[from, "--to=ndjson"]);
    let Ok(frames) = convert_by(data, &[from, "--to=mbt", "--preset=fast"]) else {
        return;
    };
    assert!(read_all(&frames), "frames of a table are not whole");
    let by_frames = convert_by(&frames, &["--from=mbt", "--to=ndjson"]);
    if let (Ok(direct), Ok(by_frames)) = (direct, by_frames) {
        assert!(
            direct == by_frames,
            "{:?} by frames, {:?} directly",
            String::from_utf8_lossy(&by_frames),
            String::from_utf8_lossy(&direct)
        );
    }
}

/// Rows that can be read are printed or refused.
fn texts(frames: &[u8]) {
    for to in ["--to=ndjson", "--to=csv"] {
        // A few bytes may claim many rows without columns, which take time to print.
        let _ = convert_by(frames, &["--from=mbt", "--rows=..1000", to]);
    }
}
