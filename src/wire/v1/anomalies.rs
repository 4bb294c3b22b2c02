//! Anomalies: content that readers of version 1 accept but good writers do not produce.

use std::collections::HashSet;
use std::fmt;

use crate::schema::{Type, display_name};
use crate::text::json;

use super::dict::Dictionary;
use super::stored::{Payload, StoredColumn};
use super::{Envelope, validity};

/// One kind of anomaly in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// Its kind.
    pub what: NonCanonical,
    /// The displayed name of the column; `None` for the header.
    pub column: Option<String>,
    /// Offset of the first such byte in the envelope.
    pub byte: u64,
    /// The number of rows, bytes, bits or entries affected.
    pub count: u64,
}

/// Kinds of content that a good writer would not produce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NonCanonical {
    /// Header flags other than 0, which readers ignore.
    HeaderFlags,
    /// A schema id, which readers skip.
    SchemaId,
    /// Column flags other than 0, which readers ignore.
    ColumnFlags,
    /// Bits set after the last row's in a bitmap.
    PaddingBits,
    /// Bools stored as neither 0 nor 1.
    BoolBytes,
    /// Slots of null rows that are not 0.
    SlotsUnderNulls,
    /// Null rows that span bytes.
    BytesUnderNulls,
    /// Values declared as text that are not UTF-8.
    NotUtf8,
    /// Values declared as JSON text that are UTF-8, but not JSON.
    NotJson,
    /// Dictionary entries that no row uses.
    UnusedEntries,
    /// Dictionary entries equal to earlier ones.
    DuplicateEntries,
}

impl NonCanonical {
    /// True if the values are not of the declared type. The others cost a few bytes but are harmless.
    pub fn is_fault(self) -> bool {
        matches!(self, Self::BoolBytes | Self::NotUtf8 | Self::NotJson)
    }

    /// The name in reports with stable keys.
    pub fn name(self) -> &'static str {
        match self {
            Self::HeaderFlags => "header_flags",
            Self::SchemaId => "schema_id",
            Self::ColumnFlags => "column_flags",
            Self::PaddingBits => "padding_bits",
            Self::BoolBytes => "bool_bytes",
            Self::SlotsUnderNulls => "slots_under_nulls",
            Self::BytesUnderNulls => "bytes_under_nulls",
            Self::NotUtf8 => "not_utf8",
            Self::NotJson => "not_json",
            Self::UnusedEntries => "unused_entries",
            Self::DuplicateEntries => "duplicate_entries",
        }
    }
}

impl Anomaly {
    /// A description without the place.
    pub fn message(&self) -> String {
        let (count, s) = (self.count, if self.count == 1 { "" } else { "s" });
        match self.what {
            NonCanonical::HeaderFlags => "header flags are set".to_owned(),
            NonCanonical::SchemaId => format!("a schema id of {count} byte{s}"),
            NonCanonical::ColumnFlags => "column flags are set".to_owned(),
            NonCanonical::PaddingBits => format!("{count} padding bit{s} set after the last row"),
            NonCanonical::BoolBytes => format!("{count} bool{s} stored as neither 0 nor 1"),
            NonCanonical::SlotsUnderNulls => format!("{count} null{s} with a slot that is not 0"),
            NonCanonical::BytesUnderNulls => format!("{count} null{s} spanning bytes"),
            NonCanonical::NotUtf8 => format!("{count} value{s} not in UTF-8"),
            NonCanonical::NotJson => format!("{count} value{s} not JSON"),
            NonCanonical::UnusedEntries => format!("{count} unused dictionary entr{}", ies(count)),
            NonCanonical::DuplicateEntries => {
                format!("{count} duplicate dictionary entr{}", ies(count))
            }
        }
    }
}

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(column) = &self.column {
            write!(f, "column \"{}\": ", column.escape_debug())?;
        }
        write!(f, "byte {}: {}", self.byte, self.message())
    }
}

fn ies(count: u64) -> &'static str {
    if count == 1 { "y" } else { "ies" }
}

/// The anomalies of an envelope that has been walked. Columns that cannot be decoded may be omitted.
///
/// The caller must check for bytes after the envelope.
pub fn anomalies(bytes: &[u8], envelope: &Envelope) -> Vec<Anomaly> {
    let mut found = Tally::default();
    let Some(bytes) = bytes.get(..envelope.len) else {
        return Vec::new();
    };
    found.add(
        NonCanonical::HeaderFlags,
        10,
        usize::from(envelope.flags != 0),
    );
    found.add(
        NonCanonical::SchemaId,
        envelope.schema_id.start,
        envelope.schema_id.len(),
    );
    for (position, layout) in envelope.columns.iter().enumerate() {
        found.column = Some((position, layout.name(bytes)));
        let column = StoredColumn {
            bytes,
            layout,
            rows: envelope.rows,
        };
        column.descriptor(&mut found);
        match column.payload() {
            Ok(Payload::Slots {
                slots, slot_len, ..
            }) => column.slots(slots, slot_len, &mut found),
            Ok(Payload::Spans { offsets, data }) => column.spans(offsets, data, &mut found),
            Ok(Payload::Dict(Some(dictionary))) => column.dictionary(&dictionary, &mut found),
            // Null slots of a delta column contain the running value.
            Ok(Payload::Deltas(_) | Payload::Dict(None)) | Err(_) => {}
        }
    }
    found.anomalies
}

/// Collects anomalies.
#[derive(Default)]
struct Tally<'a> {
    anomalies: Vec<Anomaly>,
    /// Position and name of the current column.
    column: Option<(usize, &'a str)>,
}

impl Tally<'_> {
    fn add(&mut self, what: NonCanonical, byte: usize, count: usize) {
        if count > 0 {
            let column = self
                .column
                .map(|(position, name)| display_name(name, position));
            let (byte, count) = (byte as u64, count as u64);
            self.anomalies.push(Anomaly {
                what,
                column,
                byte,
                count,
            });
        }
    }

    /// Adds the positions of the affected rows or entries, if any, as one anomaly.
    fn add_all(&mut self, what: NonCanonical, mut places: impl Iterator<Item = usize>) {
        if let Some(first) = places.next() {
            self.add(what, first, 1 + places.count());
        }
    }
}

fn is_utf8(text: &[u8]) -> bool {
    simdutf8::basic::from_utf8(text).is_ok()
}

/// True for text that is not JSON; bytes that are not UTF-8 are reported as such instead.
pub fn is_not_json(text: &[u8]) -> bool {
    is_utf8(text) && json::check(text).is_none()
}

impl StoredColumn<'_> {
    fn has_nulls(self) -> bool {
        self.layout.null_count(self.bytes, self.rows) > 0
    }

    fn is_text(self) -> bool {
        matches!(self.layout.ty, Type::Utf8 | Type::Json)
    }

    fn descriptor(self, found: &mut Tally<'_>) {
        let flags_at = self.layout.range().start + 4;
        let flagged = usize::from(self.layout.flags != 0);
        found.add(NonCanonical::ColumnFlags, flags_at, flagged);
        let padding = validity::padding_bits(self.validity(), self.rows);
        found.add(
            NonCanonical::PaddingBits,
            self.layout.validity.end.saturating_sub(1),
            padding,
        );
    }

    fn slots(self, slots: &[u8], slot_len: usize, found: &mut Tally<'_>) {
        let place = |row: usize| self.layout.payload_1.start + row * slot_len;
        let slots = slots.chunks_exact(slot_len).enumerate();
        if self.layout.ty == Type::Bool {
            let odd = slots.clone().filter(|(_, slot)| slot[0] > 1);
            found.add_all(NonCanonical::BoolBytes, odd.map(|(row, _)| place(row)));
        }
        if self.has_nulls() {
            let odd =
                slots.filter(|(row, slot)| self.is_null(*row) && slot.iter().any(|b| *b != 0));
            found.add_all(
                NonCanonical::SlotsUnderNulls,
                odd.map(|(row, _)| place(row)),
            );
        }
    }

    /// Finds bytes under nulls, text that is not UTF-8 and JSON that cannot be parsed.
    fn spans(self, offsets: &[[u8; 4]], data: &[u8], found: &mut Tally<'_>) {
        let place =
            |row: usize| self.layout.payload_2.start + u32::from_le_bytes(offsets[row]) as usize;
        let rows = offsets
            .array_windows()
            .enumerate()
            .map(|(row, [from, to])| {
                let span = u32::from_le_bytes(*from) as usize..u32::from_le_bytes(*to) as usize;
                (row, &data[span])
            });
        if self.has_nulls() {
            let odd = rows
                .clone()
                .filter(|(row, text)| self.is_null(*row) && !text.is_empty());
            found.add_all(
                NonCanonical::BytesUnderNulls,
                odd.map(|(row, _)| place(row)),
            );
        }
        if self.is_text() {
            let odd = rows.clone().filter(|(_, text)| !is_utf8(text));
            found.add_all(NonCanonical::NotUtf8, odd.map(|(row, _)| place(row)));
        }
        if self.layout.ty == Type::Json {
            let odd = rows.filter(|(row, text)| !self.is_null(*row) && is_not_json(text));
            found.add_all(NonCanonical::NotJson, odd.map(|(row, _)| place(row)));
        }
    }

    fn dictionary(self, dictionary: &Dictionary<'_>, found: &mut Tally<'_>) {
        let is_json = self.layout.ty == Type::Json;
        // Check each entry that is used, and only once, however many rows use it.
        let mut verdicts = vec![None; dictionary.count()];
        let (mut not_utf8, mut not_json) = (Vec::new(), Vec::new());
        for row in (0..self.rows).filter(|row| !self.is_null(*row)) {
            let index = dictionary.index(row);
            let Some(verdict) = verdicts.get_mut(index) else {
                return;
            };
            let verdict = verdict.get_or_insert_with(|| {
                let entry = dictionary.entry(index);
                (!is_utf8(entry), is_json && is_not_json(entry))
            });
            match verdict {
                (true, _) => not_utf8.push(dictionary.entry_at(index)),
                (_, true) => not_json.push(dictionary.entry_at(index)),
                _ => {}
            }
        }
        for (what, mut places) in [
            (NonCanonical::NotUtf8, not_utf8),
            (NonCanonical::NotJson, not_json),
        ] {
            places.sort_unstable();
            found.add_all(what, places.into_iter());
        }
        let unused = (0..verdicts.len())
            .filter(|index| verdicts[*index].is_none())
            .map(|index| dictionary.entry_at(index));
        found.add_all(NonCanonical::UnusedEntries, unused);
        let mut seen = HashSet::with_capacity(verdicts.len());
        let twice = (0..verdicts.len())
            .filter(|index| !seen.insert(dictionary.entry(*index)))
            .map(|index| dictionary.entry_at(index));
        found.add_all(NonCanonical::DuplicateEntries, twice);
    }
}
