//! Decompresses input: `a.csv.gz`, `a.ndjson.zst`.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;
use lz4_flex::frame::FrameDecoder;

use crate::format::{ByteSource, Format};
use crate::stream::{Codec, SKIPPABLE_HEADER, Start, skippable_header, sniff};
use crate::wire::MAGIC;

/// Number of bytes requested at a time.
const READ_BYTES: usize = 64 << 10;
/// The first block of zstd or lz4 is complete within this many bytes; until then, nothing can be detected.
const BLOCK_BYTES: usize = (4 << 20) + 64;
/// Compressed data is recognized after skippable frames of up to this many bytes.
const SKIPPED_MAX: usize = 1 << 20;

/// The number of bytes needed to recognize binary formats.
const BINARY_HEAD: usize = 8;
/// The number of bytes needed to see the name of a zip archive's first file.
const ZIP_HEAD: usize = 64;
const ZIP: &[u8] = b"PK\x03\x04";
/// Where the name of the first file is, and the name in files of Excel and Word.
const ZIP_NAME: usize = 30;
const OFFICE: &[u8] = b"[Content_Types].xml";
const EXCEL: &str = "this is an Excel workbook; export its sheet as CSV";
/// The first bytes of binary formats that are not in the registry and may be mistaken for text, each with a hint.
const FOREIGN: &[(&[u8], &str)] = &[
    (b"\xfd7zXZ\0", "this is xz; pipe it through xz -dc"),
    (b"BZh91AY&", "this is bzip2; pipe it through bzip2 -dc"),
    (ZIP, "this is a zip archive; pipe it through unzip -p"),
    (
        b"\0\x05\x16\x07\0\x02",
        "this is a resource file of macOS (AppleDouble), which belongs to a file of the same name without ._",
    ),
    #[cfg(not(feature = "parquet"))]
    (
        b"PAR1\x15",
        "this is Parquet, which this build does not read; build it with --features parquet",
    ),
];

/// The format and a hint, if `head` is the start of a known binary format. `path` is the name of the input, if known.
pub fn foreign(head: &[u8], path: Option<&Path>) -> Option<Cow<'static, str>> {
    let extension = path.and_then(Path::extension);
    let is_named = extension.is_some_and(|extension| extension.eq_ignore_ascii_case("xlsx"));
    let is_office = || {
        head.get(ZIP_NAME..)
            .is_some_and(|name| name.starts_with(OFFICE))
    };
    if head.starts_with(ZIP) && (is_named || is_office()) {
        return Some(EXCEL.into());
    }
    // A codec may wrap text as well as frames.
    let is_it = |format: &Format| match format {
        Format::Mbt => head.starts_with(&MAGIC),
        format => !format.is_text(),
    };
    if let Some(format) = Format::of_content(head).filter(is_it) {
        let (title, name) = (format.title(), format.name());
        return Some(format!("the input is {title}; use --from {name}").into());
    }
    let known = FOREIGN.iter().find(|(magic, _)| head.starts_with(magic));
    known.map(|(_, what)| (*what).into())
}

/// A reader of possibly compressed text. The first read detects the codec by the first bytes.
pub struct Unwrapped {
    bytes: ByteSource,
    begun: bool,
}

impl Unwrapped {
    /// Wraps `bytes` without reading.
    pub fn new(bytes: ByteSource) -> Self {
        Self {
            bytes,
            begun: false,
        }
    }

    fn begin(&mut self) -> std::io::Result<()> {
        let mut head = Vec::new();
        read_until(&mut self.bytes, &mut head, BINARY_HEAD)?;
        if head.starts_with(ZIP) {
            read_until(&mut self.bytes, &mut head, ZIP_HEAD)?;
        }
        if let Some(what) = foreign(&head, None) {
            return Err(std::io::Error::new(ErrorKind::InvalidData, what));
        }
        let codec = codec_of(&mut self.bytes, &mut head)?;
        let rest = std::mem::replace(&mut self.bytes, Box::new(std::io::empty()));
        self.bytes = unwrap(codec, Box::new(std::io::Cursor::new(head).chain(rest)))?;
        self.begun = true;
        Ok(())
    }
}

impl Read for Unwrapped {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if !self.begun {
            self.begin()?;
        }
        self.bytes.read(out)
    }
}

/// Reads until `head` has `len` bytes, or all.
fn read_until(bytes: impl Read, head: &mut Vec<u8>, len: usize) -> std::io::Result<()> {
    let missing = len.saturating_sub(head.len()) as u64;
    bytes.take(missing).read_to_end(head).map(drop)
}

/// The codec of compressed data that starts with `head`; none for any other data. Skippable frames may precede it, as in
/// what pzstd writes; they are read to `head`, too.
///
/// # Errors
/// If `bytes` cannot be read.
pub fn codec_of(bytes: &mut dyn Read, head: &mut Vec<u8>) -> std::io::Result<Codec> {
    let mut start = 0;
    while start <= SKIPPED_MAX {
        read_until(&mut *bytes, head, start + SKIPPABLE_HEADER)?;
        let next = head.get(start..).unwrap_or_default();
        if let Some((_, payload_len)) = skippable_header(next) {
            let len = SKIPPABLE_HEADER.saturating_add(payload_len as usize);
            start = start.saturating_add(len);
            continue;
        }
        match sniff(next) {
            // Gzip knows no skippable frames, only streams of frames do.
            Some(Start::Frame(codec)) if start == 0 || codec != Codec::Gzip => return Ok(codec),
            _ => break,
        }
    }
    Ok(Codec::None)
}

/// The plain bytes of all members or frames of a codec.
fn unwrap(codec: Codec, bytes: ByteSource) -> std::io::Result<ByteSource> {
    if codec == Codec::None {
        return Ok(bytes);
    }
    let bytes = BufReader::with_capacity(READ_BYTES, bytes);
    let bytes: ByteSource = match codec {
        Codec::Gzip => Box::new(GzipMembers(Some(GzDecoder::new(bytes)))),
        Codec::Zstd => Box::new(zstd::Decoder::with_buffer(bytes)?),
        Codec::None | Codec::Lz4 => Box::new(Lz4Frames::new(bytes)?),
    };
    Ok(Box::new(Decompressed { bytes, codec }))
}

/// Decompressed bytes. Errors of the decompressor are about the data; errors of the file stay as they are.
struct Decompressed {
    bytes: ByteSource,
    codec: Codec,
}

impl Read for Decompressed {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.bytes.read(out).map_err(|error| {
            let name = self.codec.name();
            let what = match error.kind() {
                _ if error.raw_os_error().is_some() => return error,
                ErrorKind::UnexpectedEof => format!("the {name} data is cut short"),
                _ => format!("the {name} data is damaged, or something else follows it ({error})"),
            };
            std::io::Error::new(ErrorKind::InvalidData, what)
        })
    }
}

/// Reads a sequence of gzip members, and the zeros that may follow them, as gzip does.
struct GzipMembers(Option<GzDecoder<BufReader<ByteSource>>>);

impl Read for GzipMembers {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let read = member.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            if let Some(mut rest) = self.0.take().map(GzDecoder::into_inner)
                && has_member(&mut rest)?
            {
                self.0 = Some(GzDecoder::new(rest));
            }
        }
        Ok(0)
    }
}

/// True if another gzip member follows; skips zeros.
fn has_member(bytes: &mut BufReader<ByteSource>) -> std::io::Result<bool> {
    loop {
        let next = bytes.fill_buf()?;
        let zeros = next.iter().take_while(|byte| **byte == 0).count();
        match next.get(zeros) {
            Some(byte) if *byte == Codec::Gzip.magic()[0] => break Ok(true),
            Some(_) => {
                let what = "bytes that are not gzip";
                break Err(std::io::Error::new(ErrorKind::InvalidData, what));
            }
            None if zeros == 0 => break Ok(false),
            None => bytes.consume(zeros),
        }
    }
}

/// Reads a sequence of frames; the decoder itself stops after each, and knows no skippable ones.
struct Lz4Frames(FrameDecoder<FrameBytes>);

impl Lz4Frames {
    fn new(mut bytes: BufReader<ByteSource>) -> std::io::Result<Self> {
        has_lz4_frame(&mut bytes)?;
        Ok(Self(FrameDecoder::new(FrameBytes {
            bytes,
            is_cut: false,
        })))
    }
}

impl Read for Lz4Frames {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let read = self.0.read(out);
            let source = self.0.get_mut();
            if source.is_cut {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let read = read?;
            if read > 0 || out.is_empty() || !has_lz4_frame(&mut source.bytes)? {
                return Ok(read);
            }
        }
    }
}

/// True if another lz4 frame follows; passes over skippable ones.
fn has_lz4_frame(bytes: &mut BufReader<ByteSource>) -> std::io::Result<bool> {
    loop {
        match bytes.fill_buf()?.first() {
            None => return Ok(false),
            Some(byte) if *byte == Codec::Lz4.magic()[0] => return Ok(true),
            Some(_) => {}
        }
        let mut header = Vec::new();
        read_until(&mut *bytes, &mut header, SKIPPABLE_HEADER)?;
        if !matches!(sniff(&header), Some(Start::Skippable(_))) {
            let what = "bytes that are not lz4";
            return Err(std::io::Error::new(ErrorKind::InvalidData, what));
        }
        let (_, payload_len) = skippable_header(&header).ok_or(ErrorKind::UnexpectedEof)?;
        let payload_len = u64::from(payload_len);
        let payload = &mut bytes.take(payload_len);
        if std::io::copy(payload, &mut std::io::sink())? < payload_len {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
}

/// The bytes of frames. Their end is an error, because the decoder takes an end between two blocks for the end of the
/// frame.
struct FrameBytes {
    bytes: BufReader<ByteSource>,
    /// True if the bytes ended inside a frame.
    is_cut: bool,
}

impl Read for FrameBytes {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let read = self.bytes.read(out)?;
        self.is_cut = read == 0 && !out.is_empty();
        if self.is_cut {
            return Err(std::io::Error::other("the frame is cut short"));
        }
        Ok(read)
    }
}

/// The first decompressed bytes, if they can be recognized; reads more compressed bytes to `head` as needed. Empty
/// if the compressed bytes are damaged or cut short. Also returns whether these are all, and nothing is damaged.
///
/// # Errors
/// If `bytes` cannot be read.
pub fn decompress_head(
    codec: Codec,
    bytes: &mut dyn Read,
    head: &mut Vec<u8>,
) -> std::io::Result<(Vec<u8>, bool)> {
    loop {
        let mut plain = vec![0; 4 << 10];
        let mut len = 0;
        let mut is_whole = false;
        if let Ok(mut wrapped) = unwrap(codec, Box::new(std::io::Cursor::new(head.clone()))) {
            // Errors are expected, since the head may end anywhere.
            while len < plain.len()
                && !is_whole
                && let Ok(more) = wrapped.read(&mut plain[len..])
            {
                len += more;
                is_whole = more == 0;
            }
        }
        plain.truncate(len);
        let mut more = vec![0; head.len().max(READ_BYTES)];
        let read = if plain.len() < MAGIC.len() && head.len() < BLOCK_BYTES {
            bytes.read(&mut more)?
        } else {
            // What follows has not been read.
            is_whole = false;
            0
        };
        if read == 0 {
            return Ok((plain, is_whole));
        }
        head.extend_from_slice(&more[..read]);
    }
}
