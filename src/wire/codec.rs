//! Compression codecs: names, levels and magic bytes, and how wire 2 compresses its sections.

use std::cell::RefCell;
use std::io;
use std::ops::RangeInclusive;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, ParamSwitch, compress_bound};

use super::MAGIC;
use crate::error::{Error, Result};

/// A compression codec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codec {
    /// No compression.
    #[default]
    None,
    /// Zstandard (RFC 8878).
    Zstd,
    /// gzip (RFC 1952).
    Gzip,
    /// LZ4 (block format 1.5, frame format 1.6).
    Lz4,
}

/// The properties of a codec.
struct Properties {
    name: &'static str,
    about: &'static str,
    extension: Option<&'static str>,
    magic: &'static [u8],
    levels: Option<RangeInclusive<i32>>,
    default_level: i32,
    checksum: Checksum,
}

/// Whether frames of a codec have a checksum of the plain bytes, and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// Never.
    Never,
    /// On request.
    Optional(&'static str),
    /// Always.
    Always(&'static str),
}

impl Codec {
    /// Every codec, in the order of help texts.
    pub const ALL: [Self; 4] = [Self::None, Self::Zstd, Self::Gzip, Self::Lz4];

    fn properties(self) -> Properties {
        match self {
            Self::None => Properties {
                name: "none",
                about: "Uncompressed",
                extension: None,
                magic: &MAGIC,
                levels: None,
                default_level: 0,
                checksum: Checksum::Never,
            },
            Self::Zstd => Properties {
                name: "zstd",
                about: "zstd, small and fast",
                extension: Some("zst"),
                magic: &[0x28, 0xb5, 0x2f, 0xfd],
                // The range of the `zstd` tool; the library supports lower levels.
                levels: Some(-7..=22),
                default_level: 3,
                checksum: Checksum::Optional("xxh64"),
            },
            Self::Gzip => Properties {
                name: "gzip",
                about: "gzip, supported everywhere",
                extension: Some("gz"),
                // Method 8, deflate, is the only one in use.
                magic: &[0x1f, 0x8b, 0x08],
                levels: Some(0..=9),
                default_level: 6,
                checksum: Checksum::Always("crc32"),
            },
            Self::Lz4 => Properties {
                name: "lz4",
                about: "lz4, fastest",
                extension: Some("lz4"),
                magic: &[0x04, 0x22, 0x4d, 0x18],
                levels: None,
                default_level: 0,
                checksum: Checksum::Always("xxh32"),
            },
        }
    }

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        self.properties().name
    }

    /// A short description.
    pub fn about(self) -> &'static str {
        self.properties().about
    }

    /// The extension that the codec's own tool gives its files, without the dot.
    pub fn extension(self) -> Option<&'static str> {
        self.properties().extension
    }

    /// The first bytes of a frame; without compression, of the envelope.
    pub fn magic(self) -> &'static [u8] {
        self.properties().magic
    }

    /// The levels; `None` if the codec has only one.
    pub fn levels(self) -> Option<RangeInclusive<i32>> {
        self.properties().levels
    }

    /// The level if none is given; 0 if there is no choice.
    pub fn default_level(self) -> i32 {
        self.properties().default_level
    }

    /// Whether frames have a checksum of the plain bytes.
    pub fn checksum(self) -> Checksum {
        self.properties().checksum
    }
}

/// The compression of an envelope's sections: a codec supported by wire 2, with its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionCodec {
    /// No compression.
    None,
    /// LZ4 blocks.
    Lz4,
    /// Zstandard frames with this level.
    Zstd(i32),
}

/// The lowest zstd levels for sections shared by small buffers: if these have at most [`FEW_BYTES`] bytes, and if they
/// have more.
///
/// Measured on such sections of tweets, dialogues and tables: 13, the first level with optimal parsing, makes them 3 %
/// smaller than 12 and takes 1.5 times as long; 11 and 12, with binary trees, take twice as long as 9 and save 0.2 %.
const SMALL_LEVEL: i32 = 13;
const MANY_SMALL_LEVEL: i32 = 9;

/// Up to this many bytes, compression takes no time to speak of at any level.
const FEW_BYTES: usize = 96 << 10;

/// Compressing fewer bytes than this is not worth a trial.
const TINY: usize = 24;

/// From this level on, compression is so slow that checking for noise first is worth its time; noise is not compressed.
const SLOW_LEVEL: i32 = 16;

/// From this level on, trials check for noise first. They only need the size, so it is lower.
const MODERATE_LEVEL: i32 = 4;

/// The lowest level that finds repetitions.
const LOWEST_LEVEL: i32 = 1;

/// The lowest level of zstd, at which it finds no repetitions. Huffman coding is all that is left then: negative levels
/// usually go without it, but this one is used with it.
const HUFFMAN_LEVEL: i32 = -131_072;

/// Size of the sample on which a slow level is compared with the lowest one.
const LEVEL_SAMPLE: usize = 64 << 10;

/// Fewer bytes than this never count as noise.
const LEAST_NOISE: usize = 4 << 10;

/// Noise has at least this many bits of entropy per byte.
const NOISY_BITS: f64 = 7.97;

/// Noise has at most one repetition of eight bytes in this many bytes. A repetition saves about five bytes.
const BYTES_PER_REPEAT: usize = 16 << 10;

/// The least and the most bytes of a block of zstd.
const LEAST_BLOCK: usize = 1 << 10;
const MOST_BLOCK: usize = 128 << 10;

/// The largest window of zstd that decoders accept by default, as a power of two.
const MOST_WINDOW_LOG: u32 = 27;

thread_local! {
    /// A context for compression. Trials are many and small, and creating a context takes longer than most of them.
    static CONTEXT: RefCell<Context> = RefCell::default();

    /// A context for repetitions at any distance.
    static FAR_CONTEXT: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };

    /// A context for decompression.
    static DECOMPRESSION: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Compresses the bytes.
///
/// # Errors
/// If there is no memory.
pub fn compress_zstd(plain: &[u8], level: i32) -> io::Result<Vec<u8>> {
    compress_zstd_to(plain, 1, level, <[u8]>::to_vec)
}

/// Decompresses at most `len` bytes.
///
/// # Errors
/// If there are more, if the bytes are damaged, or if there is no memory.
pub fn decompress_zstd(packed: &[u8], len: usize) -> io::Result<Vec<u8>> {
    DECOMPRESSION.with_borrow_mut(|context| {
        let decompressor = match context {
            Some(decompressor) => decompressor,
            None => context.insert(Decompressor::new()?),
        };
        decompressor.decompress(packed, len)
    })
}

/// The settings of a zstd context.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Settings {
    level: i32,
    /// The most bytes of a block; 0 for zstd's own choice.
    block: usize,
}

impl Settings {
    /// The settings for `len` bytes in this many planes. Each block has its own Huffman code, so blocks should not contain
    /// parts of several planes.
    fn of(level: i32, len: usize, planes: usize) -> Self {
        let plane = len / planes.max(1);
        let block = if planes > 1 && plane >= LEAST_BLOCK {
            plane.div_ceil(plane.div_ceil(MOST_BLOCK))
        } else {
            0
        };
        Self { level, block }
    }

    fn apply(self, compressor: &mut Compressor<'_>) -> io::Result<()> {
        let literals = if self.level == HUFFMAN_LEVEL {
            ParamSwitch::Enable
        } else {
            ParamSwitch::Auto
        };
        compressor.set_compression_level(self.level)?;
        compressor.set_parameter(CParameter::LiteralCompressionMode(literals))?;
        compressor.set_parameter(CParameter::MaxBlockSize(self.block as u32))
    }
}

/// A zstd context, its settings, and a buffer for its output.
#[derive(Default)]
struct Context {
    set: Option<Settings>,
    compressor: Compressor<'static>,
    packed: Vec<u8>,
}

/// Compresses bytes in this many planes and passes the result to `take`.
fn compress_zstd_to<T>(
    plain: &[u8],
    planes: usize,
    level: i32,
    take: impl FnOnce(&[u8]) -> T,
) -> io::Result<T> {
    let settings = Settings::of(level, plain.len(), planes);
    CONTEXT.with_borrow_mut(|context| {
        let Context {
            set,
            compressor,
            packed,
        } = context;
        if *set != Some(settings) {
            settings.apply(compressor)?;
            *set = Some(settings);
        }
        packed.clear();
        packed.reserve(compress_bound(plain.len()));
        compressor.compress_to_buffer(plain, packed)?;
        Ok(take(packed))
    })
}

impl SectionCodec {
    /// The codec at a level; `None` if wire 2 does not support it.
    pub fn of(codec: Codec, level: i32) -> Option<Self> {
        match codec {
            Codec::None => Some(Self::None),
            Codec::Lz4 => Some(Self::Lz4),
            Codec::Zstd => Some(Self::Zstd(level)),
            Codec::Gzip => None,
        }
    }

    /// The codec without its level.
    pub fn codec(self) -> Codec {
        match self {
            Self::None => Codec::None,
            Self::Lz4 => Codec::Lz4,
            Self::Zstd(_) => Codec::Zstd,
        }
    }

    /// The compressed bytes, or `None` if they are not smaller. The plain bytes consist of `planes` parts of the same length
    /// that have little in common.
    ///
    /// # Errors
    /// If the compressor fails, which happens only if there is no memory.
    pub fn compress(self, plain: &[u8], planes: usize) -> Result<Option<Vec<u8>>> {
        if plain.len() < TINY {
            return Ok(None);
        }
        let packed = match self {
            Self::None => return Ok(None),
            Self::Lz4 => lz4_flex::block::compress(plain),
            Self::Zstd(SLOW_LEVEL..) if is_noise(plain) => return Ok(None),
            Self::Zstd(level) => {
                let level = worthwhile_level(plain, level);
                compress_zstd_to(plain, planes, level, <[u8]>::to_vec)
                    .map_err(|error| Error::io("cannot compress with zstd", error))?
            }
        };
        Ok((packed.len() < plain.len()).then_some(packed))
    }

    /// Like [`Self::compress`], but zstd finds repetitions at any distance: its window covers all bytes, and it matches
    /// long ones in a separate pass.
    ///
    /// # Errors
    /// As for [`Self::compress`].
    pub fn compress_far(self, plain: &[u8]) -> Result<Option<Vec<u8>>> {
        let Self::Zstd(level) = self else {
            return self.compress(plain, 1);
        };
        let window = plain.len().max(2).next_power_of_two().ilog2();
        let packed = FAR_CONTEXT.with_borrow_mut(|context| {
            let compressor = match context {
                Some(compressor) => compressor,
                None => context.insert(Compressor::new(level)?),
            };
            compressor.set_compression_level(level)?;
            compressor.set_parameter(CParameter::WindowLog(window.clamp(10, MOST_WINDOW_LOG)))?;
            compressor.set_parameter(CParameter::EnableLongDistanceMatching(true))?;
            compressor.compress(plain)
        });
        let packed = packed.map_err(|error| Error::io("cannot compress with zstd", error))?;
        Ok((packed.len() < plain.len()).then_some(packed))
    }

    /// True if the codec at this level stores repetitions as such.
    pub fn finds_repetitions(self) -> bool {
        !matches!(self, Self::None | Self::Zstd(HUFFMAN_LEVEL))
    }

    /// The codec at its level and at lower ones that may be better for some data, the fastest first. Slow levels are hardly
    /// ever worse than lower ones.
    pub fn alternatives(self) -> Vec<Self> {
        match self {
            Self::Zstd(level @ LOWEST_LEVEL..SLOW_LEVEL) => {
                let mut levels = vec![HUFFMAN_LEVEL, LOWEST_LEVEL, level];
                levels.dedup();
                levels.into_iter().map(Self::Zstd).collect()
            }
            _ => vec![self],
        }
    }

    /// The codec, but with no higher level than the other one.
    #[must_use]
    pub fn at_most(self, other: Self) -> Self {
        match (self, other) {
            (Self::Zstd(level), Self::Zstd(most)) => Self::Zstd(level.min(most)),
            _ => self,
        }
    }

    /// The codec for sections of small buffers, given their total size in the frame.
    #[must_use]
    pub fn for_small(self, len: usize) -> Self {
        let least = if len <= FEW_BYTES {
            SMALL_LEVEL
        } else {
            MANY_SMALL_LEVEL
        };
        match self {
            Self::Zstd(level) => Self::Zstd(level.max(least)),
            Self::None | Self::Lz4 => self,
        }
    }

    /// The size of `plain` in a file, compressed as by [`Self::compress`] if that is smaller.
    pub fn packed_len(self, plain: &[u8], planes: usize) -> usize {
        let packed = match self {
            _ if plain.len() < TINY => None,
            Self::None => None,
            Self::Lz4 => Some(lz4_flex::block::compress(plain).len()),
            Self::Zstd(MODERATE_LEVEL..) if is_noise(plain) => None,
            Self::Zstd(level) => compress_zstd_to(plain, planes, level, <[u8]>::len).ok(),
        };
        packed.map_or(plain.len(), |len| len.min(plain.len()))
    }
}

/// The level, or the lowest one if a slow level gains nothing: base64 of random bytes has no repetitions to search for.
fn worthwhile_level(plain: &[u8], level: i32) -> i32 {
    if level < SLOW_LEVEL || plain.len() < 2 * LEVEL_SAMPLE || !seldom_repeats(plain) {
        return level;
    }
    let sample = &plain[plain.len() / 2..][..LEVEL_SAMPLE];
    let [lowest, full] =
        [LOWEST_LEVEL, level].map(|level| SectionCodec::Zstd(level).packed_len(sample, 1));
    if lowest <= full + full / 500 {
        LOWEST_LEVEL
    } else {
        level
    }
}

/// True if no codec can make the bytes smaller by more than a fraction of a percent: compressed text, hashes, and
/// numbers packed to their last bit.
fn is_noise(bytes: &[u8]) -> bool {
    if bytes.len() < LEAST_NOISE {
        return false;
    }
    let mut counts = [0_u32; 256];
    for &byte in bytes {
        counts[usize::from(byte)] += 1;
    }
    // A sample of n bytes of pure noise falls short of eight bits by 255 / (2 n ln 2).
    entropy(&counts) + 184.0 / bytes.len() as f64 >= NOISY_BITS && seldom_repeats(bytes)
}

/// The entropy, in bits per symbol, of symbols that occur this often.
pub(crate) fn entropy(counts: &[u32]) -> f64 {
    let counts = counts.iter().filter(|&&count| count > 0);
    let counts = counts.map(|&count| f64::from(count));
    let total: f64 = counts.clone().sum();
    let bits = counts.map(|count| count * (total / count).log2());
    bits.sum::<f64>() / total.max(1.0)
}

/// True if eight bytes that occurred before are hardly ever found again.
fn seldom_repeats(bytes: &[u8]) -> bool {
    // The last position of each hash of eight bytes, for every fourth position.
    let bits = (bytes.len() / 2).ilog2();
    let mut last = vec![0_u64; 1 << bits];
    let most = bytes.len() / BYTES_PER_REPEAT;
    let mut repeats = 0;
    for (at, word) in bytes.windows(8).enumerate() {
        let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
        let place = &mut last[(word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize];
        repeats += usize::from(*place == word);
        if at % 4 == 0 {
            *place = word;
        }
        // A long repetition is found at up to eight overlapping positions.
        if repeats > 8 * most {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(len: usize) -> Vec<u8> {
        let step = |state: &u64| {
            let next = state.wrapping_mul(6_364_136_223_846_793_005);
            Some(next.wrapping_add(1_442_695_040_888_963_407))
        };
        std::iter::successors(Some(1_u64), step)
            .map(|state| (state >> 56) as u8)
            .take(len)
            .collect()
    }

    #[test]
    fn planes_have_codes_of_their_own() {
        // The plane of low bytes cannot be compressed, and a code for high bytes needs one bit for each.
        let low = noise(100_000);
        let high = noise(101_000).split_off(1000);
        let high = high.into_iter().map(|byte| u8::from(byte % 8 == 0));
        let plain: Vec<u8> = low.into_iter().chain(high).collect();
        let least = 100_000 + 100_000 / 8;
        let codec = SectionCodec::Zstd(HUFFMAN_LEVEL);
        let packed = codec.compress(&plain, 2).unwrap().unwrap();
        assert!(packed.len() < least + 100);
        assert_eq!(codec.packed_len(&plain, 2), packed.len());
        assert_eq!(decompress_zstd(&packed, plain.len()).unwrap(), plain);
        assert!(codec.packed_len(&plain, 1) > least + 5000);
    }

    #[test]
    fn only_what_no_codec_can_shrink_is_noise() {
        let bytes = noise(64 << 10);
        assert!(is_noise(&bytes));
        // Few bytes are cheap to try.
        assert!(!is_noise(&bytes[..1 << 10]));
        // The same bytes again, far away.
        let twice = [&bytes[..], &bytes[..4 << 10]].concat();
        assert!(!is_noise(&twice));
        let digits: Vec<u8> = bytes.iter().map(|byte| b'0' + byte % 10).collect();
        assert!(!is_noise(&digits));
    }

    #[test]
    fn noise_is_stored_as_it_is_by_slow_levels() {
        let bytes = noise(64 << 10);
        assert!(
            SectionCodec::Zstd(19)
                .compress(&bytes, 1)
                .unwrap()
                .is_none()
        );
        assert_eq!(SectionCodec::Zstd(19).packed_len(&bytes, 1), bytes.len());
    }

    #[test]
    fn slow_levels_are_used_only_where_they_gain() {
        let digits: Vec<u8> = noise(256 << 10)
            .iter()
            .map(|byte| b'A' + byte % 64)
            .collect();
        assert_eq!(worthwhile_level(&digits, 19), LOWEST_LEVEL);
        let packed = SectionCodec::Zstd(19)
            .compress(&digits, 1)
            .unwrap()
            .unwrap();
        assert_eq!(decompress_zstd(&packed, digits.len()).unwrap(), digits);
        // Three bytes of four repeat the previous ones, as in numbers of four bytes.
        let numbers: Vec<u8> = digits
            .iter()
            .flat_map(|digit| [*digit, b'x', 0, 0])
            .collect();
        assert_eq!(worthwhile_level(&numbers, 19), 19);
        assert_eq!(worthwhile_level(&digits, 3), 3);
        assert_eq!(worthwhile_level(&digits[..LEVEL_SAMPLE], 19), 19);
    }
}
