//! Maps the payloads of a column row by row.

use std::ops::Range;

use super::{Mapper, NUMBERS, listed, text};
use crate::schema::Type;
use crate::text::print::{print_float, print_uuid};
use crate::text::time::print_timestamp;
use crate::varint;
use crate::wire::v1::{ColumnLayout, PayloadEncoding, slot_len, validity};

impl Mapper<'_> {
    /// Maps lengths and contents of both payloads.
    pub(super) fn payloads(&mut self, layout: &ColumnLayout, rows: usize) {
        let [first, second] = [&layout.payload_1, &layout.payload_2];
        self.number(4, "payload_1_len");
        let fault = match (slot_len(layout.ty), layout.encoding()) {
            (Some(slot_len), Some(encoding @ (PayloadEncoding::Plain | PayloadEncoding::PgBe))) => {
                if first.len() == rows * slot_len {
                    self.slots(layout, encoding, slot_len, rows);
                    None
                } else {
                    Some(format!("not {rows} slots of {slot_len} bytes"))
                }
            }
            (Some(_), Some(PayloadEncoding::Delta))
                if matches!(layout.ty, Type::I64 | Type::Timestamp) =>
            {
                self.deltas(layout, rows)
            }
            (None, Some(PayloadEncoding::Plain)) if first.len() as u64 == 4 * (rows as u64 + 1) => {
                self.offsets("offset", rows + 1);
                None
            }
            (None, Some(PayloadEncoding::Plain)) => {
                Some(format!("not {} offsets", rows as u64 + 1))
            }
            (None, Some(PayloadEncoding::Dict)) if layout.ty != Type::Bytes => {
                self.indices(first, second, rows)
            }
            _ => Some(format!("no such encoding of {}", layout.ty)),
        };
        // The rest that could not be mapped.
        let left = first.end - self.builder.at;
        self.field(
            left,
            "payload_1",
            fault.unwrap_or_else(|| "left over".to_owned()),
        );
        self.number(4, "payload_2_len");
        match (slot_len(layout.ty), layout.encoding()) {
            (None, Some(PayloadEncoding::Plain)) => {
                let data = text(&self.bytes[second.clone()]);
                let value = format!("the rows' bytes end to end: {data}");
                self.field(second.len(), "data", value);
            }
            (None, Some(PayloadEncoding::Dict)) if rows > 0 && layout.ty != Type::Bytes => {
                self.dictionary(second);
            }
            _ => {}
        }
        self.field(second.end - self.builder.at, "payload_2", "not decoded");
    }

    fn is_null(&self, layout: &ColumnLayout, row: usize) -> bool {
        !validity::is_valid(&self.bytes[layout.validity.clone()], row)
    }

    fn slots(
        &mut self,
        layout: &ColumnLayout,
        encoding: PayloadEncoding,
        slot_len: usize,
        rows: usize,
    ) {
        let shown = listed(rows);
        for row in 0..shown {
            let mut slot = [0; 16];
            slot[..slot_len]
                .copy_from_slice(&self.bytes[self.builder.at..self.builder.at + slot_len]);
            if encoding == PayloadEncoding::PgBe && !matches!(layout.ty, Type::Bool | Type::Uuid) {
                slot[..slot_len].reverse();
            }
            let mut value = printed(layout.ty, slot);
            if self.is_null(layout, row) {
                value.push_str(" (null)");
            }
            self.field(slot_len, format!("row {row}"), value);
        }
        self.builder
            .more(layout.payload_1.end, rows - shown, "rows");
    }

    /// Maps varints. Returns a message if some of them cannot be decoded.
    fn deltas(&mut self, layout: &ColumnLayout, rows: usize) -> Option<String> {
        let end = layout.payload_1.end;
        if rows == 0 {
            return Some("not decoded: there are no rows".to_owned());
        }
        if end - self.builder.at < 8 {
            return Some("no base of 8 bytes".to_owned());
        }
        let mut running = self.peek(8) as i64;
        let mut slot = [0; 16];
        slot[..8].copy_from_slice(&running.to_le_bytes());
        self.field(8, "base", format!("row 0 = {}", printed(layout.ty, slot)));
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

    /// Maps indices. Returns a message if they cannot be decoded.
    fn indices(
        &mut self,
        first: &Range<usize>,
        second: &Range<usize>,
        rows: usize,
    ) -> Option<String> {
        if rows == 0 {
            return Some("not decoded: there are no rows".to_owned());
        }
        let width = self.bytes[second.clone()]
            .first()
            .copied()
            .filter(|width| matches!(width, 1 | 2 | 4))?;
        let width = usize::from(width);
        if first.len() != rows * width {
            return Some(format!("not {rows} indices of {width} bytes"));
        }
        let mut value = self.bytes[first.clone()]
            .chunks_exact(width)
            .map(|index| {
                let mut wide = [0; 4];
                wide[..width].copy_from_slice(index);
                u32::from_le_bytes(wide).to_string()
            })
            .take(NUMBERS)
            .collect::<Vec<_>>()
            .join(" ");
        if rows > NUMBERS {
            value.push_str(" …");
        }
        let value = format!("dictionary index of each row: {value}");
        self.field(first.len(), "indices", value);
        None
    }

    fn dictionary(&mut self, blob: &Range<usize>) {
        if blob.len() < 5 {
            return;
        }
        let width = self.peek(1);
        self.field(1, "index_width", width.to_string());
        let count = self.peek(4) as usize;
        self.number(4, "entry_count");
        let table = self.builder.at;
        if (blob.end - table) as u64 / 4 < count as u64 + 1 {
            return;
        }
        self.offsets("entry_offset", count + 1);
        let entries = self.builder.at;
        let offset = |index: usize| {
            let at = table + 4 * index;
            let bytes = self.bytes[at..].first_chunk().copied().unwrap_or_default();
            entries.saturating_add(u32::from_le_bytes(bytes) as usize)
        };
        let shown = listed(count);
        let borders: Vec<usize> = (0..=shown).map(offset).collect();
        let rises = borders.is_sorted() && borders.iter().all(|border| *border <= blob.end);
        if !rises {
            return;
        }
        self.field(
            borders[0] - entries,
            "unused",
            "bytes before the first entry",
        );
        for (index, pair) in borders.windows(2).enumerate() {
            let entry = text(&self.bytes[pair[0]..pair[1]]);
            self.field(pair[1] - pair[0], format!("entry {index}"), entry);
        }
        if count > shown {
            self.builder.more(blob.end, count - shown, "entries");
        }
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
