//! Maps the payloads of a column row by row.

use super::{Mapper, NUMBERS, listed, text};
use crate::schema::Type;
use crate::text::print::{print_float, print_uuid};
use crate::text::time::print_timestamp;
use crate::varint;
use crate::wire::v1::dict::Dictionary;
use crate::wire::v1::stored::{Payload, StoredColumn};

impl Mapper<'_> {
    /// Maps lengths and contents of both payloads.
    pub(super) fn payloads(&mut self, column: StoredColumn<'_>) {
        let [first_end, second_end] =
            [&column.layout.payload_1, &column.layout.payload_2].map(|it| it.end);
        self.number(4, "payload_1_len");
        let payload = column.payload();
        let fault = match &payload {
            Ok(Payload::Slots {
                slot_len,
                is_swapped,
                ..
            }) => {
                self.slots(column, *slot_len, *is_swapped);
                None
            }
            Ok(Payload::Deltas(_)) => self.deltas(column),
            Ok(Payload::Spans { offsets, .. }) => {
                self.offsets("offset", offsets.len());
                None
            }
            Ok(Payload::Dict(Some(dictionary))) => {
                self.indices(column, dictionary);
                None
            }
            Ok(Payload::Dict(None)) => Some("not decoded: there are no rows".to_owned()),
            Err(error) => Some(format!("not decoded: {}", error.what())),
        };
        // The rest that could not be mapped.
        let rest = fault.unwrap_or_else(|| "left over".to_owned());
        self.field(first_end - self.builder.at, "payload_1", rest);
        self.number(4, "payload_2_len");
        match payload {
            Ok(Payload::Spans { data, .. }) => {
                let value = format!("the rows' bytes end to end: {}", text(data));
                self.field(data.len(), "data", value);
            }
            Ok(Payload::Dict(Some(dictionary))) => self.dictionary(&dictionary, second_end),
            _ => {}
        }
        self.field(second_end - self.builder.at, "payload_2", "not decoded");
    }

    fn slots(&mut self, column: StoredColumn<'_>, slot_len: usize, is_swapped: bool) {
        let ty = column.layout.ty;
        let shown = listed(column.rows);
        for row in 0..shown {
            let mut slot = [0; 16];
            slot[..slot_len]
                .copy_from_slice(&self.bytes[self.builder.at..self.builder.at + slot_len]);
            if is_swapped && !matches!(ty, Type::Bool | Type::Uuid) {
                slot[..slot_len].reverse();
            }
            let mut value = printed(ty, slot);
            if column.is_null(row) {
                value.push_str(" (null)");
            }
            self.field(slot_len, format!("row {row}"), value);
        }
        self.builder
            .more(column.layout.payload_1.end, column.rows - shown, "rows");
    }

    /// Maps varints. Returns a message if some of them cannot be decoded.
    fn deltas(&mut self, column: StoredColumn<'_>) -> Option<String> {
        let (ty, rows, end) = (column.layout.ty, column.rows, column.layout.payload_1.end);
        if rows == 0 {
            return Some("not decoded: there are no rows".to_owned());
        }
        if end - self.builder.at < 8 {
            return Some("no base of 8 bytes".to_owned());
        }
        let mut running = self.peek(8) as i64;
        let mut slot = [0; 16];
        slot[..8].copy_from_slice(&running.to_le_bytes());
        self.field(8, "base", format!("row 0 = {}", printed(ty, slot)));
        let shown = listed(rows);
        for row in 1..shown {
            let mut stop = self.builder.at;
            let Ok(folded) = varint::read(&self.bytes[..end], &mut stop) else {
                return Some(format!("no varint for row {row}"));
            };
            let delta = varint::unzigzag(folded);
            running = running.wrapping_add(delta);
            let value = format!("{folded} -> delta {delta:+} -> row {row} = {running}");
            self.field(stop - self.builder.at, "varint", value);
        }
        if rows > shown {
            self.builder.more(end, rows - shown, "rows");
        }
        None
    }

    fn offsets(&mut self, name: &str, count: usize) {
        let end = self.builder.at + 4 * count;
        let shown = listed(count);
        for index in 0..shown {
            self.number(4, format!("{name}[{index}]"));
        }
        self.builder.more(end, count - shown, "offsets");
    }

    fn indices(&mut self, column: StoredColumn<'_>, dictionary: &Dictionary<'_>) {
        let shown = column.rows.min(NUMBERS);
        let indices = (0..shown).map(|row| dictionary.index(row).to_string());
        let mut value = indices.collect::<Vec<_>>().join(" ");
        if column.rows > shown {
            value.push_str(" …");
        }
        let value = format!("dictionary index of each row: {value}");
        self.field(column.layout.payload_1.len(), "indices", value);
    }

    fn dictionary(&mut self, dictionary: &Dictionary<'_>, end: usize) {
        let count = dictionary.count();
        self.number(1, "index_width");
        self.number(4, "entry_count");
        self.offsets("entry_offset", count + 1);
        let unused = dictionary.entry_at(0) - self.builder.at;
        self.field(unused, "unused", "bytes before the first entry");
        let shown = listed(count);
        for index in 0..shown {
            let entry = dictionary.entry(index);
            self.field(entry.len(), format!("entry {index}"), text(entry));
        }
        self.builder.more(end, count - shown, "entries");
    }
}

/// A slot as text.
fn printed(ty: Type, slot: [u8; 16]) -> String {
    let [two, four, eight] = [2, 4, 8].map(|len| {
        let mut wide = [0; 8];
        wide[..len].copy_from_slice(&slot[..len]);
        u64::from_le_bytes(wide)
    });
    let mut out = Vec::new();
    match ty {
        Type::Bool => {
            let word = ["false", "true"].get(usize::from(slot[0]));
            return format!("{} ({})", slot[0], word.unwrap_or(&"neither 0 nor 1"));
        }
        Type::I16 => return (two as i16).to_string(),
        Type::I32 => return (four as i32).to_string(),
        Type::I64 => return (eight as i64).to_string(),
        Type::F32 => print_float(f32::from_bits(four as u32), &mut out),
        Type::F64 => print_float(f64::from_bits(eight), &mut out),
        Type::Timestamp => {
            print_timestamp(eight as i64, &mut out);
            let time = String::from_utf8_lossy(&out);
            return format!("{} ({time})", eight as i64);
        }
        Type::Uuid => print_uuid(&slot, &mut out),
        // These types have no slots.
        Type::Utf8 | Type::Bytes | Type::Json => {}
    }
    String::from_utf8_lossy(&out).into_owned()
}
