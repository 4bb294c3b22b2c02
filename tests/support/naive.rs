//! A second reader of wire 1, written from the format's description and as simple as possible: no
//! Arrow, no code of the crate. Tests compare the crate with it.

/// A column as encoded.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub name: String,
    pub type_id: u16,
    pub encoding_id: u16,
    pub validity: Vec<u8>,
    pub slots: Slots,
}

/// The physical rows of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Slots {
    /// All slots, little-endian, end to end.
    Fixed(Vec<u8>),
    /// Offsets and data.
    Spans(Vec<u32>, Vec<u8>),
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], &'static str> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or("truncated mathldbt")?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self, len: usize) -> Result<usize, &'static str> {
        Ok(number(self.take(len)?))
    }
}

fn number(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rev()
        .fold(0, |n, byte| n << 8 | usize::from(*byte))
}

fn ensure(holds: bool, error: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(error) }
}

/// Reads one envelope: rows, columns, and the bytes it took.
pub fn decode(bytes: &[u8]) -> Result<(usize, Vec<Column>, usize), &'static str> {
    let mut input = Input(bytes);
    ensure(input.take(8)? == b"MATHLDBT", "magic")?;
    ensure(input.number(2)? == 1, "version")?;
    input.number(2)?;
    let rows = input.number(4)?;
    let count = input.number(2)?;
    ensure(count > 0, "no column")?;
    let schema_id_len = input.number(2)?;
    input.take(schema_id_len)?;
    let mut columns = Vec::new();
    for _ in 0..count {
        let type_id = input.number(2)? as u16;
        ensure((1..=11).contains(&type_id), "type id")?;
        let encoding_id = input.number(2)? as u16;
        input.number(2)?;
        let name_len = input.number(2)?;
        let name = String::from_utf8(input.take(name_len)?.to_vec()).map_err(|_| "name")?;
        let validity_len = input.number(4)?;
        ensure(validity_len == rows.div_ceil(8), "validity length")?;
        let validity = input.take(validity_len)?.to_vec();
        let payload_1_len = input.number(4)?;
        let payload_1 = input.take(payload_1_len)?;
        let payload_2_len = input.number(4)?;
        let payload_2 = input.take(payload_2_len)?;
        let width = match type_id {
            1 => 1,
            2 => 2,
            3 | 5 => 4,
            4 | 6 | 8 => 8,
            7 => 16,
            _ => 0,
        };
        let slots = match (width, encoding_id) {
            (0, 0) => plain_spans(payload_1, payload_2, rows)?,
            (0, 2) if type_id != 10 => dictionary(payload_1, payload_2, &validity, rows)?,
            (0, _) => return Err("encoding"),
            (_, 0 | 1) => {
                ensure(payload_2.is_empty(), "payload_2")?;
                ensure(payload_1.len() == rows * width, "values length")?;
                let mut bytes = payload_1.to_vec();
                if encoding_id == 1 && type_id != 7 {
                    bytes.chunks_mut(width).for_each(<[u8]>::reverse);
                }
                Slots::Fixed(bytes)
            }
            (8, 3) if type_id != 6 => {
                ensure(payload_2.is_empty(), "payload_2")?;
                deltas(payload_1, rows)?
            }
            _ => return Err("encoding"),
        };
        columns.push(Column {
            name,
            type_id,
            encoding_id,
            validity,
            slots,
        });
    }
    for column in &columns {
        if let Slots::Spans(offsets, _) = &column.slots {
            ensure(offsets[0] == 0, "first offset")?;
        }
    }
    Ok((rows, columns, bytes.len() - input.0.len()))
}

fn plain_spans(payload_1: &[u8], payload_2: &[u8], rows: usize) -> Result<Slots, &'static str> {
    ensure(payload_1.len() == 4 * (rows + 1), "offsets length")?;
    let offsets: Vec<u32> = payload_1
        .chunks(4)
        .map(|bytes| number(bytes) as u32)
        .collect();
    ensure(offsets.is_sorted(), "offsets decrease")?;
    ensure(offsets[rows] as usize == payload_2.len(), "final offset")?;
    Ok(Slots::Spans(offsets, payload_2.to_vec()))
}

fn dictionary(
    indices: &[u8],
    blob: &[u8],
    validity: &[u8],
    rows: usize,
) -> Result<Slots, &'static str> {
    if rows == 0 {
        return Ok(Slots::Spans(vec![0], Vec::new()));
    }
    ensure(blob.len() >= 5, "dict blob")?;
    let width = usize::from(blob[0]);
    ensure([1, 2, 4].contains(&width), "width")?;
    let count = number(&blob[1..5]);
    let table = blob.get(5..5 + 4 * (count + 1)).ok_or("dict offsets")?;
    let entries = &blob[5 + 4 * (count + 1)..];
    let ends: Vec<usize> = table.chunks(4).map(number).collect();
    ensure(ends[count] == entries.len(), "dict final offset")?;
    ensure(ends.is_sorted(), "dict offsets decrease")?;
    ensure(indices.len() == rows * width, "indices length")?;
    let (mut offsets, mut data) = (vec![0], Vec::new());
    for (row, index) in indices.chunks(width).enumerate() {
        if validity[row / 8] >> (row % 8) & 1 == 1 {
            let index = number(index);
            ensure(index < count, "index")?;
            data.extend_from_slice(&entries[ends[index]..ends[index + 1]]);
        }
        offsets.push(u32::try_from(data.len()).map_err(|_| "overflow")?);
    }
    Ok(Slots::Spans(offsets, data))
}

fn deltas(payload: &[u8], rows: usize) -> Result<Slots, &'static str> {
    if rows == 0 {
        return Ok(Slots::Fixed(Vec::new()));
    }
    let mut bytes = payload.iter().copied();
    let base: Vec<u8> = bytes.by_ref().take(8).collect();
    ensure(base.len() == 8, "base")?;
    let mut value = number(&base) as u64;
    let mut slots = base;
    for _ in 1..rows {
        let (mut folded, mut shift) = (0u64, 0);
        loop {
            let byte = bytes.next().ok_or("truncated varint")?;
            ensure(shift < 64, "varint overflow")?;
            folded |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        value = value.wrapping_add((folded >> 1) ^ (folded & 1).wrapping_neg());
        slots.extend_from_slice(&value.to_le_bytes());
    }
    ensure(bytes.next().is_none(), "trailing bytes")?;
    Ok(Slots::Fixed(slots))
}
