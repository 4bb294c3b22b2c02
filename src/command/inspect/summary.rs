//! What all frames of a stream hold, by column.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use super::extremes::Extremes;
use crate::error::Result;
use crate::frame::{FrameReader, RawFrame};
use crate::schema::type_name;
use crate::text::print::Column;
use crate::wire::v1::{Oddity, oddities};
use crate::wire::{Decoder, Envelope};

/// One stream of frames.
#[derive(Debug, Default)]
pub struct Summary {
    /// Where it came from.
    pub file: String,
    /// Number of frames.
    pub frames: u64,
    /// Rows of all frames.
    pub rows: u64,
    /// Bytes of all frames.
    pub bytes: u64,
    /// The columns of all frames, by name and occurrence, in the order they were first seen.
    pub columns: Vec<ColumnSummary>,
    /// What the format lets pass, by frame.
    pub oddities: Vec<(u64, Oddity)>,
    /// Bytes behind the last frame that are no frame.
    pub trailing_bytes: u64,
    /// The versions of the frames.
    pub wires: BTreeSet<u16>,
}

/// One column over all frames that have it.
#[derive(Debug)]
pub struct ColumnSummary {
    /// As displayed.
    pub name: String,
    types: Vec<String>,
    /// Rows without a value.
    pub nulls: u64,
    /// Frames by encoding.
    pub encodings: BTreeMap<String, u64>,
    /// Bytes in the frames: descriptors, names, bitmaps and payloads.
    pub stored: u64,
    /// Smallest and largest value; of one type only.
    pub extremes: Extremes,
}

impl ColumnSummary {
    /// The type, or all of them where frames differ.
    pub fn types(&self) -> String {
        self.types.join(", ")
    }

    /// The encoding, or all of them with the number of frames where frames differ.
    pub fn encodings(&self) -> String {
        if self.encodings.len() == 1 {
            return self.encodings.keys().cloned().collect();
        }
        let counted = self
            .encodings
            .iter()
            .map(|(name, frames)| format!("{name} ×{frames}"));
        counted.collect::<Vec<_>>().join(", ")
    }
}

impl Summary {
    /// Reads a whole stream.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn read(file: String, bytes: impl Read, max_frame: u64) -> Result<Self> {
        let mut summary = Self {
            file,
            ..Self::default()
        };
        let mut reader = FrameReader::new(bytes, max_frame);
        let mut decoder = Decoder::new(max_frame);
        while let Some(frame) = reader.next_frame()? {
            summary.add(&frame, &mut decoder)?;
        }
        summary.trailing_bytes = reader.trailing_bytes();
        Ok(summary)
    }

    fn add(&mut self, frame: &RawFrame<'_>, decoder: &mut Decoder) -> Result<()> {
        let RawFrame {
            index,
            bytes,
            envelope,
            ..
        } = frame;
        self.frames += 1;
        self.rows += envelope.rows() as u64;
        self.wires.insert(envelope.version());
        self.bytes += bytes.len() as u64;
        let batch = decoder
            .decode(bytes, envelope, |_, _| true)
            .map_err(|error| error.in_frame(*index))?;
        let mut taken = Vec::new();
        for (at, info) in envelope.columns(bytes)?.into_iter().enumerate() {
            let place = self.column(info.name, &taken);
            taken.push(place);
            let column = &mut self.columns[place];
            column.nulls += info.nulls;
            column.stored += info.stored_len;
            *column.encodings.entry(info.encoding).or_default() += 1;
            let ty = type_name(&info.field);
            if !column.types.contains(&ty) {
                column.types.push(ty);
            }
            // Nested columns have no least value.
            let printed = Column::new(batch.column(at).as_ref(), batch.schema_ref().field(at));
            let extremes = printed.map_or_else(
                |_| Extremes::default(),
                |printed| Extremes::of(&printed, envelope.rows()),
            );
            if column.types.len() == 1 {
                column.extremes.merge(extremes);
            } else {
                column.extremes = Extremes::default();
            }
        }
        decoder.recycle(batch);
        if let Envelope::V1(envelope) = envelope {
            let found = oddities(bytes, envelope).into_iter();
            self.oddities.extend(found.map(|oddity| (*index, oddity)));
        }
        Ok(())
    }

    /// The place of the column of this name that is not taken in this frame yet.
    fn column(&mut self, name: String, taken: &[usize]) -> usize {
        let free = |at: &usize| self.columns[*at].name == name && !taken.contains(at);
        let found = (0..self.columns.len()).find(free);
        found.unwrap_or_else(|| {
            self.columns.push(ColumnSummary {
                name,
                types: Vec::new(),
                nulls: 0,
                encodings: BTreeMap::new(),
                stored: 0,
                extremes: Extremes::default(),
            });
            self.columns.len() - 1
        })
    }
}
