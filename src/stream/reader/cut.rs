//! Reads one frame or skippable frame, whose end is found as its bytes arrive.

use std::io::{BufRead, Read};

use super::{FrameReader, READ_BYTES, Select, Skippable, cannot_read};
use crate::error::{Error, Result};
use crate::stream::blocks::{BlockWalker, Extent, Header};
use crate::stream::frame::StoredFrame;
use crate::stream::gzip::Inflater;
use crate::stream::index;
use crate::stream::lz4::Lz4Header;
use crate::stream::sniff::{SKIPPABLE_HEADER, skippable_header};
use crate::stream::zstd::ZstdHeader;
use crate::stream::{Codec, cut_short, within};
use crate::wire::{Envelope, Scan, Scanner, v2};

impl<R: Read> FrameReader<R> {
    /// Reads a frame into the buffer, exactly.
    pub(super) fn frame(&mut self, codec: Codec, select: &mut Select<'_>) -> Result<StoredFrame> {
        let mut frame = StoredFrame {
            index: self.frames,
            offset: self.offset,
            codec,
            ..StoredFrame::default()
        };
        if codec != Codec::None && self.max_frame == 0 {
            within(1, 0)?;
        }
        match codec {
            Codec::None => {
                let partial = self.partial(self.envelope_limit(), select)?;
                frame.is_partial = partial.is_some();
                let envelope = match partial {
                    Some(envelope) => Envelope::V2(Box::new(envelope)),
                    None => self.envelope()?,
                };
                frame.plain_len = Some(envelope.plain_len());
                frame.checksum = envelope.is_guarded();
                frame.envelope = Some(envelope);
            }
            Codec::Zstd => {
                let header = self.walk::<ZstdHeader>()?;
                frame.checksum = header.checksum;
                frame.plain_len = header.content();
            }
            Codec::Lz4 => {
                let header = self.walk::<Lz4Header>()?;
                frame.checksum = header.has_checksum();
                frame.plain_len = header.content();
            }
            Codec::Gzip => {
                let plain = self.inflate()?;
                frame.checksum = true;
                frame.plain_len = Some(plain.len() as u64);
                frame.inflated = Some(plain);
            }
        }
        Ok(frame)
    }

    pub(super) fn envelope_limit(&self) -> u64 {
        match self.max_frame {
            0 => u64::MAX,
            limit => limit,
        }
    }

    /// Reads the header of the envelope that starts in the buffer and returns its head; `None` if it is not of version
    /// 2 or ends early.
    pub(super) fn header(&mut self) -> Result<Option<v2::EnvelopeHead>> {
        self.fill(v2::HEAD_LEN)?;
        let Ok(Some(head)) = v2::EnvelopeHead::read(&self.buffer) else {
            return Ok(None);
        };
        let header_end = v2::HEAD_LEN + head.header_len as usize;
        within(header_end as u64, self.envelope_limit())?;
        self.fill(header_end)?;
        Ok(Some(head).filter(|_| self.buffer.len() == header_end))
    }

    /// Reads an envelope of either version into the buffer.
    fn envelope(&mut self) -> Result<Envelope> {
        let limit = self.envelope_limit();
        let mut walker = Scanner::new(limit);
        loop {
            let needs = match walker.walk(&self.buffer)? {
                Scan::Complete(envelope) => {
                    within(envelope.stored_len() as u64, limit)?;
                    return Ok(envelope);
                }
                Scan::Needs(needs) => needs,
            };
            within(needs as u64, limit)?;
            self.fill(needs)?;
            if self.buffer.len() < needs {
                return Err(walker.cut_short(needs, &self.buffer));
            }
        }
    }

    /// Reads a frame of blocks into the buffer and returns its header.
    fn walk<H: Header>(&mut self) -> Result<H> {
        let mut walker = BlockWalker::<H>::new();
        loop {
            let needs = match walker.walk(&self.buffer, self.max_frame)? {
                Extent::Whole(header, _) => return Ok(header),
                Extent::Needs(needs) => needs,
            };
            self.stored_within(needs)?;
            self.fill(needs)?;
            if self.buffer.len() < needs {
                return Err(cut_short(H::CODEC, needs, self.buffer.len()));
            }
        }
    }

    /// Reads a gzip member. Its end is found by inflating it.
    fn inflate(&mut self) -> Result<Vec<u8>> {
        let mut inflater = Inflater::new();
        let mut plain = Vec::new();
        let (mut used, mut ended) = inflater.feed(&self.buffer, self.max_frame, &mut plain)?;
        debug_assert!(
            used == self.buffer.len() && !ended,
            "a gzip member is longer than its magic"
        );
        while !ended {
            let from_again = !self.again.fill_buf().map_err(cannot_read)?.is_empty();
            let source: &mut dyn BufRead = if from_again {
                &mut self.again
            } else {
                &mut self.input
            };
            let arrived = source.fill_buf().map_err(cannot_read)?;
            if arrived.is_empty() {
                let has = self.buffer.len();
                return Err(cut_short(Codec::Gzip, has + 1, has));
            }
            (used, ended) = inflater.feed(arrived, self.max_frame, &mut plain)?;
            self.buffer.extend_from_slice(&arrived[..used]);
            source.consume(used);
            self.taken += used as u64;
            self.stored_within(self.buffer.len())?;
        }
        Ok(plain)
    }

    /// Codecs add few bytes to incompressible data, so a much longer frame exceeds the limit.
    fn stored_within(&self, bytes: usize) -> Result<()> {
        let limit = self.max_frame;
        let most = limit.saturating_add(limit / 8).saturating_add(64 << 10);
        within(bytes as u64, most)
    }

    /// Reads the skippable frame that starts in the buffer.
    pub(super) fn skippable(&mut self) -> Result<Skippable> {
        let header_len = SKIPPABLE_HEADER as u64;
        let Some((nibble, payload_len)) = skippable_header(&self.buffer) else {
            return Err(cut_short_skippable(header_len, self.buffer.len() as u64));
        };
        let offset = self.offset;
        self.buffer.clear();
        let wanted = payload_len as usize;
        let is_passed_over = self.in_parts && !index::NIBBLES.contains(&nibble);
        let payload = if u64::from(payload_len) > self.max_frame || is_passed_over {
            let skipped = self.skip(u64::from(payload_len))?;
            (skipped == u64::from(payload_len)).then_some(None)
        } else {
            self.fill(wanted)?;
            (self.buffer.len() == wanted).then(|| Some(std::mem::take(&mut self.buffer)))
        };
        let cut = || cut_short_skippable(header_len + u64::from(payload_len), header_len);
        let skippable = Skippable {
            nibble,
            offset,
            payload_len,
            payload: payload.ok_or_else(cut)?,
        };
        self.offset += skippable.stored_len();
        Ok(skippable)
    }

    /// Reads until the buffer has exactly `wanted` bytes or the input ends. The buffer grows with the data that
    /// arrives, not with a claimed length.
    pub(super) fn fill(&mut self, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(self.buffer.len());
        self.buffer.reserve(missing.min(READ_BYTES));
        let taken = (&mut self.again)
            .chain(&mut self.input)
            .take(missing as u64)
            .read_to_end(&mut self.buffer)
            .map_err(cannot_read)?;
        self.taken += taken as u64;
        Ok(())
    }
}

fn cut_short_skippable(needs: u64, has: u64) -> Error {
    Error::corrupt(format!(
        "the skippable frame is cut short: expected {needs} bytes"
    ))
    .at_byte(has)
}
