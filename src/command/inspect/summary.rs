//! Summarizes all frames of a stream by column.

mod footer;
mod v1;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use arrow_schema::{DataType, Field};

use super::extremes::Extremes;
use super::source::SourceText;
use super::{PATCHES, each_item, wires};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::pipeline::Source;
use crate::schema::keys::{ABSENT, ROLE, is_patch, is_variant};
use crate::schema::type_name;
use crate::stream::{FrameOpener, Item, StoredFrame};
use crate::text::form;
use crate::units::counted;
use crate::wire::v1::Anomaly;
use crate::wire::v2::{self, Leaf};
use crate::wire::{Decoder, Envelope};

/// One stream of frames, or file of pages.
#[derive(Debug, Default)]
pub struct Summary {
    /// Name of the input.
    pub file: String,
    /// Its format, if it has a footer instead of frames.
    pub paged: Option<Format>,
    /// Number of frames or row groups.
    pub frames: u64,
    /// Number of rows in all frames.
    pub rows: u64,
    /// Number of bytes of all envelopes.
    pub bytes: u64,
    /// The same, before compression of headers and sections.
    pub plain: u64,
    /// Number of bytes of heads and headers (in version 1, everything outside columns): stored, and before compression.
    pub header: (u64, u64),
    /// Number of bytes of indexes and other skippable frames.
    pub index: u64,
    /// Number of bytes of sections that belong to no column.
    pub unused: u64,
    /// The text that the frames were made from.
    pub source: SourceText,
    /// The columns of all frames, by name and occurrence, in the order of their first occurrence; for version 2, at
    /// every depth.
    pub columns: Vec<ColumnSummary>,
    /// Anomalies that the format permits, by frame.
    pub anomalies: Vec<(u64, Anomaly)>,
    /// Bytes after the last frame that are not a frame.
    pub trailing_bytes: u64,
    /// Why the stream is incomplete although its frames are valid.
    pub fault: Option<Error>,
    /// True if some frames announce no end, so that missing frames after them would go unnoticed.
    pub lacks_end: bool,
    /// The versions of the frames.
    pub wires: BTreeSet<u16>,
    /// Positions in `columns` by name and occurrence.
    places: HashMap<(String, usize), usize>,
    /// The positions in `columns` in the order of the report.
    order: Vec<usize>,
}

/// Names in order, each with a number. Most columns have one name, for which a map would take ten times the memory.
pub type NameCounts = Vec<(String, u64)>;

fn count(counts: &mut NameCounts, name: String) {
    match counts.binary_search_by(|(known, _)| known.cmp(&name)) {
        Ok(at) => counts[at].1 += 1,
        Err(at) => counts.insert(at, (name, 1)),
    }
}

/// Items of an array that may be the rows of a document.
const LEAST_ITEMS: u64 = 10;

/// One column over all frames that have it.
#[derive(Debug, Default)]
pub struct ColumnSummary {
    /// The displayed path.
    pub name: String,
    /// True for top-level columns, false for nested ones.
    pub is_top: bool,
    /// True if it has no child columns.
    pub is_leaf: bool,
    types: Vec<String>,
    /// The text form of values, if the type does not imply it.
    pub forms: Vec<String>,
    /// The words for null in text.
    pub null_tokens: Vec<String>,
    /// The role, if it is not an ordinary column, such as `absent`.
    pub role: Option<String>,
    /// Number of rows in all frames that have it.
    pub rows: u64,
    /// Number of rows without a value, if known.
    pub nulls: Option<u64>,
    /// Number of frames by encoding.
    pub encodings: NameCounts,
    /// Number of frames by encoding of validity; empty for version 1.
    pub validity: NameCounts,
    /// Number of bytes in the frames: descriptors, names, bitmaps and payloads; for version 2, its share of the
    /// sections.
    pub stored: u64,
    /// The same, before compression.
    pub plain: u64,
    /// Minimum and maximum; of a single type.
    pub extremes: Extremes,
    /// True if `extremes` does not cover all frames.
    extremes_incomplete: bool,
}

impl ColumnSummary {
    /// True if it only records where another column is absent.
    pub fn is_hidden(&self) -> bool {
        self.role.as_deref() == Some(ABSENT)
    }

    /// The type, or all types if frames differ.
    pub fn types(&self) -> String {
        self.types.join(", ")
    }

    /// The encoding, or all encodings with their number of frames if frames differ.
    pub fn encodings(&self) -> String {
        if let [(name, _)] = &self.encodings[..] {
            return name.clone();
        }
        self.encodings
            .iter()
            .map(|(name, frames)| format!("{name} ×{frames}"))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Adds the nulls of the rows that were added last.
    fn add_nulls(&mut self, nulls: Option<u64>) {
        let is_first = self.encodings.is_empty() && self.types.is_empty();
        let before = if is_first { Some(0) } else { self.nulls };
        self.nulls = before.zip(nulls).map(|(before, nulls)| before + nulls);
    }

    fn join(&mut self, ty: String, values: u64, extremes: Extremes) {
        if !self.types.contains(&ty) {
            self.types.push(ty);
        }
        self.extremes_incomplete |= self.types.len() > 1 || (values > 0 && extremes.is_none());
        if self.extremes_incomplete {
            self.extremes = Extremes::default();
        } else {
            self.extremes.merge(extremes);
        }
    }
}

impl Summary {
    /// Reads frames, or the footer of a file of pages.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn of(input: Source, max_frame: u64) -> Result<Self> {
        match input.format.kind.footer() {
            Some(read) => Self::of_footer(input, read, max_frame),
            None => Self::of_frames(input, max_frame),
        }
    }

    /// Reads a whole stream. For version 2, uses only the headers, and reads nothing else if the input is seekable.
    fn of_frames(input: Source, max_frame: u64) -> Result<Self> {
        let mut summary = Self {
            file: input.path.display().to_string(),
            ..Self::default()
        };
        let mut decoder = Decoder::new(max_frame);
        let mut opener = FrameOpener::new(max_frame);
        (summary.trailing_bytes, summary.fault) = each_item(input, max_frame, |item| {
            match item {
                Item::Frame(frame) => summary.add_frame(frame, &mut opener, &mut decoder)?,
                Item::End(end) => {
                    summary.index += end.frame.stored_len();
                    summary.lacks_end = false;
                    if let Some(index) = end.index.take() {
                        summary.source.end(index, summary.frames);
                    }
                }
                Item::Skippable(skippable) => summary.index += skippable.stored_len(),
            }
            Ok(())
        })?;
        summary.arrange();
        Ok(summary)
    }

    /// Whether the stream is complete; `None` if unknown.
    pub fn is_complete(&self) -> Option<bool> {
        match (&self.fault, self.lacks_end) {
            (Some(_), _) => Some(false),
            (None, true) => None,
            (None, false) => Some(true),
        }
    }

    /// The path and length of the longest array in a single document, if its items are probably the actual rows. Arrays
    /// around it have one item.
    pub fn array_of_rows(&self) -> Option<(String, u64)> {
        if !self.source.is_document() || self.rows != 1 {
            return None;
        }
        let mut arrays: BTreeMap<&str, u64> = BTreeMap::new();
        for column in &self.columns {
            if let Some((path, _)) = column.name.rsplit_once("[]") {
                let items = arrays.entry(path).or_default();
                *items = column.rows.max(*items);
            }
        }
        let has_one_place = |path: &str| {
            let mut around = path.match_indices("[]").map(|(at, _)| &path[..at]);
            around.all(|around| arrays.get(around) == Some(&1))
        };
        let in_one_place: Vec<_> = arrays
            .iter()
            .filter(|(path, _)| has_one_place(path))
            .collect();
        let all: u64 = in_one_place.iter().map(|(_, items)| **items).sum();
        let (path, items) = in_one_place.into_iter().max_by_key(|(_, items)| **items)?;
        let is_long = *items >= LEAST_ITEMS && 2 * *items > all;
        is_long.then(|| (path.replace("[]", "[0]"), *items))
    }

    /// The columns at the top level.
    pub fn tops(&self) -> impl Iterator<Item = &ColumnSummary> {
        self.columns
            .iter()
            .filter(|column| column.is_top && !column.is_hidden())
    }

    /// True if the bytes of each column at any depth are known: in version 2, and in files of pages.
    pub fn has_leaves(&self) -> bool {
        self.wires.contains(&v2::VERSION) || self.paged.is_some()
    }

    /// The format, or the versions of the frames, in words.
    pub fn kind(&self) -> String {
        match self.paged {
            Some(format) => format.name().to_owned(),
            None => wires(&self.wires),
        }
    }

    /// The number of frames or row groups, in words.
    pub fn parts(&self) -> String {
        let what = if self.paged.is_some() {
            "row group"
        } else {
            "frame"
        };
        counted(self.frames, what)
    }

    /// Number of bytes of the whole stream, with version 1 frames uncompressed.
    pub fn total(&self) -> u64 {
        self.bytes + self.index + self.trailing_bytes
    }

    /// Number of bytes of all headers and indexes.
    pub fn around_columns(&self) -> u64 {
        self.header.0 + self.index
    }

    /// Bytes outside of columns: what they are, in parentheses, and their number before compression and in the stream.
    pub fn others(&self) -> impl Iterator<Item = (&'static str, u64, u64)> {
        let (header, plain_header) = self.header;
        let header_name = if self.paged.is_some() {
            "(footer)"
        } else {
            "(header)"
        };
        let others = [
            (PATCHES, self.source.plain_patches, self.source.patches),
            (header_name, plain_header, header),
            ("(unused)", self.unused, self.unused),
            ("(index)", self.index, self.index),
            ("(no frame)", self.trailing_bytes, self.trailing_bytes),
        ];
        others.into_iter().filter(|(_, _, stored)| *stored > 0)
    }

    fn add_frame(
        &mut self,
        frame: &StoredFrame,
        opener: &mut FrameOpener,
        decoder: &mut Decoder,
    ) -> Result<()> {
        let located = |error: Error| error.in_frame(frame.index);
        self.lacks_end |= !frame.v2().is_some_and(v2::Envelope::promises_end);
        if let Some(envelope) = frame.v2() {
            self.frames += 1;
            return self.add_v2(envelope).map_err(located);
        }
        let content = opener.open(frame)?;
        decoder.set_held_bytes(frame.held_bytes(content.plain));
        for (range, envelope) in content.contents.envelopes {
            self.frames += 1;
            let bytes = &content.plain[range];
            let added = match &envelope {
                Envelope::V2(envelope) => self.add_v2(envelope),
                Envelope::V1(layout) => {
                    let batch = decoder.decode(bytes, &envelope, |_, _| true);
                    batch.map(|batch| {
                        self.add_v1(frame.index, bytes, layout, &batch);
                        decoder.recycle(batch);
                    })
                }
            };
            added.map_err(located)?;
        }
        Ok(())
    }

    fn add_v2(&mut self, envelope: &v2::Envelope) -> Result<()> {
        self.rows += envelope.rows as u64;
        self.wires.insert(v2::VERSION);
        self.bytes += envelope.len as u64;
        self.plain += envelope.plain_len();
        self.source.add(envelope);
        let in_sections: u64 = envelope
            .sections
            .iter()
            .map(|section| section.plain_len as u64)
            .sum();
        self.header.0 += envelope.header_len() as u64;
        self.header.1 += envelope.plain_len() - in_sections;
        self.unused += (envelope.len - envelope.header_len()) as u64;
        let mut taken = Taken::default();
        for leaf in envelope.leaves()? {
            self.unused -= leaf.stored;
            if is_patch(&leaf.field) {
                self.source.plain_patches += leaf.plain;
                self.source.patches += leaf.stored;
                continue;
            }
            self.column(leaf.path.clone(), &mut taken).add_leaf(leaf);
        }
        Ok(())
    }

    /// The column with this name that the current frame has not used yet. A new one is inserted after the previous
    /// column of the frame, or at the end.
    fn column(&mut self, name: String, taken: &mut Taken) -> &mut ColumnSummary {
        let occurrence = taken.names.entry(name.clone()).or_default();
        let key = (name, *occurrence);
        *occurrence += 1;
        let place = self.places.get(&key).copied().unwrap_or_else(|| {
            let place = self.columns.len();
            self.order.insert(taken.next_in(&self.order), place);
            self.columns.push(ColumnSummary {
                name: key.0.clone(),
                ..ColumnSummary::default()
            });
            self.places.insert(key, place);
            place
        });
        taken.previous = Some(place);
        &mut self.columns[place]
    }

    /// Sorts the columns when all frames are known.
    fn arrange(&mut self) {
        self.places = HashMap::new();
        let mut columns = std::mem::take(&mut self.columns);
        let places = std::mem::take(&mut self.order).into_iter();
        self.columns = places.map(|at| std::mem::take(&mut columns[at])).collect();
    }
}

/// The columns of a frame so far.
#[derive(Default)]
struct Taken {
    names: HashMap<String, usize>,
    /// The last one.
    previous: Option<usize>,
}

impl Taken {
    /// Where a new column comes in the order of all columns.
    fn next_in(&self, order: &[usize]) -> usize {
        // In most frames, the previous column is the last of all.
        let place = order
            .iter()
            .rposition(|place| Some(*place) == self.previous);
        place.map_or(0, |at| at + 1)
    }
}

impl ColumnSummary {
    fn add_leaf(&mut self, leaf: Leaf) {
        let field = &leaf.field;
        self.is_top = leaf.depth == 0;
        self.is_leaf = leaf.is_leaf;
        self.rows += leaf.rows as u64;
        let nulls = (leaf.rows - leaf.valid) as u64;
        self.add_nulls((!leaf.may_hide_nulls).then_some(nulls));
        self.stored += leaf.stored;
        self.plain += leaf.plain;
        for (names, name) in [
            (&mut self.encodings, leaf.encoding),
            (&mut self.validity, leaf.validity),
        ] {
            if let Some(name) = name {
                count(names, name);
            }
        }
        for (known, found) in [
            (&mut self.forms, form::form_of(field)),
            (&mut self.null_tokens, form::null_of(field)),
        ] {
            if let Some(found) = found.filter(|found| !known.iter().any(|form| form == found)) {
                known.push(found.to_owned());
            }
        }
        if let Some(role) = field.metadata().get(ROLE) {
            self.role = Some(role.clone());
        }
        let extremes = leaf
            .statistics
            .as_ref()
            .map_or_else(Extremes::default, |statistics| {
                Extremes::of_statistics(statistics, field)
            });
        self.join(kind_name(field, leaf.is_leaf), leaf.valid as u64, extremes);
    }
}

/// The type; for nested columns, without their children.
fn kind_name(field: &Field, is_leaf: bool) -> String {
    match field.data_type() {
        _ if is_leaf => type_name(field),
        DataType::Struct(_) if is_variant(field) => "variant".to_owned(),
        DataType::Struct(_) => "struct".to_owned(),
        DataType::Map(..) => "map".to_owned(),
        _ => "list".to_owned(),
    }
}
