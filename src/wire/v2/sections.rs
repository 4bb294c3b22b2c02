//! Sections: the parts of an envelope's body, each with its own compression and checksum.
//!
//! A large buffer gets its own section, so that reading one column touches no other and sections are compressed on
//! several threads. Small buffers share sections, separately for numbers and text, because compressors need some data
//! to learn from and every section costs a dozen bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use arrow_buffer::Buffer;

use super::encode::EncodeOptions;
use super::header::{Owners, SectionFormat, SectionInfo};
use crate::error::{Error, Result};
use crate::wire::codec::{SectionCodec, decompress_zstd};
use crate::wire::encodings::BufferSpan;
use crate::wire::parse::read_len;
use crate::wire::workers::{BYTES_WORTH_A_THREAD, Workers, for_task, try_map};

/// Buffers of at least this many bytes get their own section.
const LARGE: usize = 8 << 10;
/// Shared sections are closed when they reach this many bytes.
const SHARED: usize = 64 << 10;

/// The pieces of a far larger section on which codecs are compared, and by how many percent of the smallest result one
/// must be larger to be out of the question for the whole section.
const PIECES: usize = 4;
const PIECE: usize = 4 << 10;
const CLEAR: usize = 103;

/// A compressed section.
#[derive(Clone, Debug)]
pub struct Packed {
    /// Its description in the header.
    pub info: SectionInfo,
    /// Its bytes in the body.
    pub bytes: Vec<u8>,
}

/// True if the buffer gets its own section.
pub fn is_large(buffer: &Buffer) -> bool {
    buffer.len() >= LARGE
}

/// Compresses a section of [`planes`](SectionCodec::compress), unless that would not make it smaller.
///
/// # Errors
/// If the compressor fails because memory is short.
pub fn pack(plain: &[u8], planes: usize, codec: SectionCodec) -> Result<Packed> {
    Ok(packed(plain, codec, codec.compress(plain, planes)?))
}

/// Like [`pack`], for buffers that are alike, one after the other.
fn pack_alike(plain: &[u8], codec: SectionCodec) -> Result<Packed> {
    Ok(packed(plain, codec, codec.compress_far(plain)?))
}

/// A section of these bytes, given the result of compressing them.
fn packed(plain: &[u8], codec: SectionCodec, compressed: Option<Vec<u8>>) -> Packed {
    let format = match codec {
        SectionCodec::None => SectionFormat::Plain,
        SectionCodec::Lz4 => SectionFormat::Lz4,
        SectionCodec::Zstd(_) => SectionFormat::Zstd,
    };
    let (format, bytes) = match compressed {
        Some(bytes) => (format, bytes),
        None => (SectionFormat::Plain, plain.to_vec()),
    };
    Packed {
        info: SectionInfo {
            format,
            plain_len: plain.len(),
            stored_len: bytes.len(),
            crc32: crc32fast::hash(&bytes),
        },
        bytes,
    }
}

/// Compresses a section with the codec at its level or at a lower one, whichever makes it smaller. Also returns that one.
///
/// Numbers and hashes have few repetitions, and short ones cost more than they save. Low levels of zstd pass over these:
/// such sections become up to a quarter smaller, in a fraction of the time of the default level.
///
/// # Errors
/// As for [`pack`].
pub fn pack_best(
    plain: &[u8],
    planes: usize,
    codec: SectionCodec,
) -> Result<(Packed, SectionCodec)> {
    let mut codecs = promising(plain, planes, codec.alternatives()).into_iter();
    let first = codecs.next().unwrap_or(codec);
    let mut best = (pack(plain, planes, first)?, first);
    for codec in codecs {
        let packed = pack(plain, planes, codec)?;
        if packed.info.stored_len < best.0.info.stored_len {
            best = (packed, codec);
        }
    }
    Ok(best)
}

/// The codecs that may make a section the smallest, judged by pieces of it if it is large.
fn promising(plain: &[u8], planes: usize, codecs: Vec<SectionCodec>) -> Vec<SectionCodec> {
    if codecs.len() < 2 || plain.len() < PIECES * PIECE * 16 {
        return codecs;
    }
    let pieces: Vec<&[u8]> = plain
        .chunks_exact(plain.len() / PIECES)
        .take(PIECES)
        .map(|part| &part[part.len() / 2..][..PIECE])
        .collect();
    let sample = pieces.concat();
    // Hardly any piece contains parts of two planes.
    let planes = if planes > 1 { PIECES } else { 1 };
    let with_len = |codec: SectionCodec| (codec, codec.packed_len(&sample, planes));
    let tried: Vec<_> = codecs.into_iter().map(with_len).collect();
    // The whole has more repetitions than its pieces, so a codec that finds none rules out no other.
    let finders = tried.iter().filter(|(codec, _)| codec.finds_repetitions());
    let least = finders.map(|(_, len)| *len).min();
    let may_be_least = |len| least.is_none_or(|least| len * 100 <= least * CLEAR);
    let promising = tried.into_iter().filter(|(_, len)| may_be_least(*len));
    promising.map(|(codec, _)| codec).collect()
}

/// Assigns buffers to sections, in the order of their descriptions.
///
/// Shared sections come first, then the sections of single columns in the order of the columns. A reader that knows the
/// offset of a column therefore gets all it needs in two ranges.
#[derive(Debug)]
pub struct SectionLayout {
    options: EncodeOptions,
    sections: Vec<LayoutSlot>,
    /// The open shared sections for numbers and for text.
    open: [Option<usize>; 2],
    /// The sections of groups, by number.
    groups: BTreeMap<usize, usize>,
}

/// Where a buffer goes.
#[derive(Debug)]
pub enum Destination {
    /// To this section of its own.
    Own(Packed),
    /// To the section of a group of buffers that are alike.
    Group {
        /// The number of the group.
        group: usize,
        /// The codec, if it is the first buffer of the group.
        codec: SectionCodec,
    },
    /// To a section of small buffers.
    Shared {
        /// True if it is part of text.
        is_text: bool,
    },
}

/// A section of the layout.
#[derive(Debug)]
struct LayoutSlot {
    bytes: SlotBytes,
    owners: Owners,
}

#[derive(Debug)]
enum SlotBytes {
    Packed(Packed),
    /// Small buffers, not compressed yet.
    Plain(Vec<u8>),
    /// Large buffers that are alike, not compressed yet.
    Alike(Vec<u8>, SectionCodec),
}

impl SectionLayout {
    /// A layout without sections.
    pub fn new(options: EncodeOptions) -> Self {
        Self {
            options,
            sections: Vec::new(),
            open: [None; 2],
            groups: BTreeMap::new(),
        }
    }

    /// Assigns a buffer of a column to a section and returns the section's number; `None` if the buffer is empty. Must
    /// be called in the order of columns and of buffers in their descriptions.
    pub fn place(
        &mut self,
        column: usize,
        buffer: &Buffer,
        destination: Destination,
    ) -> Option<usize> {
        if buffer.is_empty() {
            return None;
        }
        let section = match destination {
            Destination::Own(packed) => self.push(SlotBytes::Packed(packed)),
            Destination::Group { group, codec } => self.group(buffer, group, codec),
            Destination::Shared { is_text } => self.share(buffer, usize::from(is_text)),
        };
        self.sections[section].owners.add(column, buffer.len());
        Some(section)
    }

    fn push(&mut self, bytes: SlotBytes) -> usize {
        let owners = Owners::default();
        self.sections.push(LayoutSlot { bytes, owners });
        self.sections.len() - 1
    }

    fn group(&mut self, buffer: &Buffer, group: usize, codec: SectionCodec) -> usize {
        let section = if let Some(section) = self.groups.get(&group) {
            *section
        } else {
            // The first buffer may have no repetitions of its own, but the others repeat it.
            let codec = Some(codec).filter(|codec| codec.finds_repetitions());
            let codec = codec.unwrap_or(self.options.codec);
            self.push(SlotBytes::Alike(Vec::new(), codec))
        };
        self.groups.insert(group, section);
        if let SlotBytes::Alike(bytes, _) = &mut self.sections[section].bytes {
            bytes.extend_from_slice(buffer);
        }
        section
    }

    fn share(&mut self, buffer: &Buffer, class: usize) -> usize {
        let open = self.open[class];
        let section = open.unwrap_or_else(|| self.push(SlotBytes::Plain(Vec::new())));
        if let SlotBytes::Plain(bytes) = &mut self.sections[section].bytes {
            bytes.extend_from_slice(buffer);
            self.open[class] = (bytes.len() < SHARED).then_some(section);
        }
        section
    }

    /// All sections, compressed by `workers`, with their owners; and the final position of each section number that
    /// [`Self::place`] returned.
    ///
    /// # Errors
    /// If the compressor fails because memory is short.
    pub fn finish(self, workers: &dyn Workers) -> Result<(Vec<Packed>, Vec<Owners>, Vec<usize>)> {
        let [shared, alike] = self.sections.iter().fold([0, 0], |lens, slot| {
            let [shared, alike] = lens;
            match &slot.bytes {
                SlotBytes::Packed(_) => lens,
                SlotBytes::Plain(bytes) => [shared + bytes.len(), alike],
                SlotBytes::Alike(bytes, _) => [shared, alike + bytes.len()],
            }
        });
        let codec = self.options.codec_of_small(shared);
        let mut slots: Vec<_> = self.sections.into_iter().enumerate().collect();
        slots.sort_by_key(|(_, slot)| (!slot.owners.are_many()).then_some(slot.owners.first));
        let mut places = vec![0; slots.len()];
        let (mut bytes, mut owners) = (Vec::new(), Vec::new());
        for (place, (at, slot)) in slots.into_iter().enumerate() {
            places[at] = place;
            bytes.push(slot.bytes);
            owners.push(slot.owners);
        }
        let workers = for_task(workers, shared + alike >= BYTES_WORTH_A_THREAD);
        let packed = try_map(workers, bytes, |bytes| match bytes {
            SlotBytes::Packed(packed) => Ok(packed),
            SlotBytes::Plain(bytes) => pack(&bytes, 1, codec),
            SlotBytes::Alike(bytes, codec) => pack_alike(&bytes, codec),
        })?;
        Ok((packed, owners, places))
    }
}

/// Finds the positions of buffers in the order of their descriptions in a header.
pub struct BufferCursor {
    /// The parts of sections that no buffer has taken yet: at first, all parts that the column owns; in a draft, all
    /// sections.
    left: Vec<BufferSpan>,
    /// True in a draft of the format, where every buffer has its length and the number of its section.
    pub is_draft: bool,
}

impl BufferCursor {
    /// A cursor at the first buffer of a column that owns these parts of sections.
    pub fn of_column(extents: Vec<BufferSpan>) -> Self {
        Self {
            left: extents,
            is_draft: false,
        }
    }

    /// A cursor at the first buffer of a draft with these sections.
    pub fn of_draft(sections: &[SectionInfo]) -> Self {
        let whole = |(section, info): (usize, &SectionInfo)| BufferSpan {
            section,
            offset: 0,
            len: info.plain_len,
        };
        Self {
            left: sections.iter().enumerate().map(whole).collect(),
            is_draft: true,
        }
    }

    /// Checks that the buffers of a column (in a draft, of all columns) cover all bytes of the sections.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if bytes of a section are left.
    pub fn require_end(&self) -> Result<()> {
        if self.left.iter().any(|extent| extent.len > 0) {
            return Err(Error::corrupt("bytes of a section are in no buffer"));
        }
        Ok(())
    }

    /// Reads the position of the next buffer; `None` if it is empty. `implied` is its length if that follows from the
    /// encoding.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if it is outside all sections.
    pub fn next(
        &mut self,
        bytes: &[u8],
        at: &mut usize,
        implied: Option<usize>,
    ) -> Result<Option<BufferSpan>> {
        let start = *at as u64;
        let len = match implied.filter(|_| !self.is_draft) {
            Some(len) => len,
            None => read_len(bytes, at)?,
        };
        if len == 0 {
            return Ok(None);
        }
        let place = match self.left.len() {
            1 if !self.is_draft => 0,
            _ => read_len(bytes, at)?,
        };
        let extent = self
            .left
            .get_mut(place)
            .filter(|extent| len <= extent.len)
            .ok_or_else(|| Error::corrupt("a buffer is outside all sections").at_byte(start))?;
        // The buffers of a part are stored one after the other, so each is taken from the front of the rest.
        let span = BufferSpan { len, ..*extent };
        extent.offset += len;
        extent.len -= len;
        Ok(Some(span))
    }
}

impl SectionInfo {
    /// Verifies the checksum and returns the plain bytes.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if `stored` does not match the header, [`crate::error::Kind::Unsupported`] if
    /// its codec is unknown.
    pub fn open(self, stored: &[u8]) -> Result<Cow<'_, [u8]>> {
        if let Some(error) = self.format.unsupported() {
            return Err(error);
        }
        if crc32fast::hash(stored) != self.crc32 {
            return Err(Error::corrupt("a section does not match its checksum"));
        }
        let plain = match self.format {
            SectionFormat::Plain => return Ok(Cow::Borrowed(stored)),
            SectionFormat::Lz4 => lz4_flex::block::decompress(stored, self.plain_len).ok(),
            SectionFormat::Zstd => decompress_zstd(stored, self.plain_len).ok(),
            SectionFormat::Unknown(_) => None,
        };
        plain
            .filter(|plain| plain.len() == self.plain_len)
            .map(Cow::Owned)
            .ok_or_else(|| Error::corrupt("a section cannot be decompressed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers below `most`.
    fn numbers(most: u64) -> impl Iterator<Item = usize> {
        let step = |state: &u64| {
            let next = state.wrapping_mul(6_364_136_223_846_793_005);
            Some(next.wrapping_add(1_442_695_040_888_963_407))
        };
        std::iter::successors(Some(1_u64), step).map(move |state| ((state >> 33) % most) as usize)
    }

    #[test]
    fn noise_of_few_symbols_is_compressed_to_its_entropy() {
        // The n-th symbol has the probability 2^-n, which is two bits of entropy.
        let plain: Vec<u8> = numbers(1 << 30)
            .map(|number| (number | 1 << 29).trailing_zeros() as u8)
            .take(400_000)
            .collect();
        let entropy = plain.len() / 4;
        let (packed, codec) = pack_best(&plain, 1, SectionCodec::Zstd(3)).unwrap();
        assert!(!codec.finds_repetitions());
        assert!(packed.bytes.len() < entropy + entropy / 50);
        assert_eq!(*packed.info.open(&packed.bytes).unwrap(), plain);
        let level_3 = pack(&plain, 1, SectionCodec::Zstd(3)).unwrap();
        assert!(level_3.bytes.len() > entropy + entropy / 5);
    }

    #[test]
    fn repetitions_far_apart_are_found_in_spite_of_noise() {
        let noise = numbers(1 << 30).map(|number| (number | 1 << 29).trailing_zeros() as u8);
        let noise: Vec<u8> = noise.take(100_000).collect();
        let plain = noise.repeat(4);
        let (packed, codec) = pack_best(&plain, 1, SectionCodec::Zstd(3)).unwrap();
        assert!(codec.finds_repetitions());
        assert!(packed.bytes.len() < plain.len() / 8);
    }

    #[test]
    fn sections_get_the_level_that_makes_them_smaller() {
        let given = SectionCodec::Zstd(3);
        let words: Vec<String> = numbers(1 << 40)
            .take(500)
            .map(|it| it.to_string())
            .collect();
        for len in [20_000, 600_000] {
            let hashes: Vec<u8> = numbers(16)
                .map(|digit| b"0123456789abcdef"[digit])
                .take(len)
                .collect();
            let text: Vec<u8> = numbers(500)
                .flat_map(|at| words[at].bytes())
                .take(len)
                .collect();
            for plain in [hashes, text] {
                let (packed, codec) = pack_best(&plain, 1, given).unwrap();
                let lens = given
                    .alternatives()
                    .into_iter()
                    .map(|codec| (pack(&plain, 1, codec).unwrap().info.stored_len, codec));
                let best = lens.min_by_key(|(len, _)| *len).unwrap();
                assert_eq!((packed.info.stored_len, codec), best, "{len}");
                assert_eq!(*packed.info.open(&packed.bytes).unwrap(), plain);
            }
        }
    }
}
