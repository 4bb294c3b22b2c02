//! The byte map of an envelope of version 2.
//!
//! The columns have already been read by the reader proper. The map follows what that found and asks
//! the same small functions how far each field goes, so it decides nothing by itself. If the header is
//! stored compressed, its stored bytes are one field, and the plain ones are mapped after it.

mod values;

use std::fmt::Write as _;

use arrow_schema::DataType;

use super::column::{ColumnTree, Payload};
use super::envelope::{Envelope, EnvelopeHead, HEAD_LEN};
use super::types;
use crate::columns::statistics::MinMax;
use crate::error::{Error, Result};
use crate::schema::{display_name, type_name};
use crate::wire::ByteMap;
use crate::wire::byte_map::Builder;
use crate::wire::encodings::{Encoding, Node};
use crate::wire::parse::{read_byte, read_len, read_text, read_unsigned};

/// Characters of a value that are shown.
const SHOWN: usize = 100;
/// Buffers of a section that are named.
const NAMED: usize = 8;

/// Maps an envelope; `bytes` is all of it.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the header says what cannot be.
pub fn byte_map(bytes: &[u8], envelope: &Envelope) -> Result<ByteMap> {
    let cut = || Error::corrupt("the envelope is cut short").at_byte(bytes.len() as u64);
    let head = EnvelopeHead::read(bytes)?.ok_or_else(cut)?;
    let mut map = Mapper {
        bytes: bytes.get(..envelope.header_len()).ok_or_else(cut)?,
        builder: Builder::default(),
        contents: vec![Vec::new(); envelope.sections.len()],
        cursors: vec![0; envelope.sections.len()],
    };
    map.skip(8, "magic", "\"MATHLDBT\"");
    map.skip(2, "version", super::VERSION.to_string());
    let meaning = match (envelope.is_packed, envelope.promises_end) {
        (true, true) => " (the header is compressed, an end follows)",
        (true, false) => " (the header is compressed)",
        (false, true) => " (an end follows)",
        (false, false) => "",
    };
    map.skip(2, "flags", format!("{}{meaning}", head.flags));
    map.skip(4, "header_len", head.header_len.to_string());
    map.skip(8, "body_len", head.body_len.to_string());
    map.skip(
        4,
        "crc32",
        format!("{:08x}, of head and header", head.crc32),
    );
    debug_assert_eq!(map.builder.at, HEAD_LEN);
    if envelope.is_packed {
        map.number("plain_header_len", read_unsigned)?;
        let rest = map.bytes.len() - map.builder.at;
        map.skip(rest, "packed_header", "one zstd frame, mapped below");
        map.bytes = &envelope.header;
        map.builder.at = 0;
        map.builder.in_plain_header = true;
        map.builder.map.plain_header = Some(envelope.header.clone());
    }
    map.header(envelope)?;
    map.builder.in_plain_header = false;
    map.builder.end_columns();
    let contents = std::mem::take(&mut map.contents);
    let sections = envelope.sections.iter().zip(envelope.places());
    for (at, ((section, place), buffers)) in sections.zip(contents).enumerate() {
        map.builder.at = place.start;
        let value = format!(
            "{}, plain_len {}: {}",
            section.format.codec().name(),
            section.plain_len,
            listed(&buffers)
        );
        map.skip(place.len(), &format!("section {at}"), value);
    }
    Ok(map.builder.map)
}

fn listed(buffers: &[String]) -> String {
    let mut text = buffers[..buffers.len().min(NAMED)].join(", ");
    if buffers.len() > NAMED {
        let _ = write!(text, " and {} more", buffers.len() - NAMED);
    }
    text
}

/// Walks a header and fills the map.
struct Mapper<'a> {
    /// The envelope up to the body, or the plain header.
    bytes: &'a [u8],
    builder: Builder,
    /// The buffers of each section, as reports list them.
    contents: Vec<Vec<String>>,
    /// How many bytes of each section belong to buffers so far.
    cursors: Vec<usize>,
}

impl Mapper<'_> {
    /// Adds the next `len` bytes, unless there are none.
    fn skip(&mut self, len: usize, name: &str, value: impl Into<String>) {
        self.builder.field(len, name, shortened(value.into()));
    }

    /// Adds what `read` takes, shown as `show` says.
    fn take<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&[u8], &mut usize) -> Result<T>,
        show: impl FnOnce(&T) -> String,
    ) -> Result<T> {
        let start = self.builder.at;
        let mut end = start;
        let value = read(self.bytes, &mut end)?;
        self.skip(end - start, name, show(&value));
        Ok(value)
    }

    fn number<T: std::fmt::Display>(
        &mut self,
        name: &str,
        read: impl FnOnce(&[u8], &mut usize) -> Result<T>,
    ) -> Result<T> {
        self.take(name, read, T::to_string)
    }

    fn metadata(&mut self) -> Result<()> {
        let show = |pairs: &std::collections::HashMap<String, String>| {
            let mut pairs: Vec<_> = pairs.iter().collect();
            pairs.sort_unstable();
            let pairs = pairs
                .iter()
                .map(|(key, value)| format!("{key} = {value:?}"));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        };
        self.take("metadata", types::read_metadata, show).map(drop)
    }

    fn header(&mut self, envelope: &Envelope) -> Result<()> {
        self.number("rows", read_len)?;
        self.metadata()?;
        self.number("sections", read_len)?;
        for (at, section) in envelope.sections.iter().enumerate() {
            let name = |what| format!("section {at} {what}");
            let codec = format!(
                "{} {}",
                section.format.number(),
                section.format.codec().name()
            );
            self.take(&name("codec"), read_byte, |_| codec)?;
            self.number(&name("plain_len"), read_len)?;
            if section.format != super::SectionFormat::Plain {
                self.number(&name("stored_len"), read_len)?;
            }
            self.skip(4, &name("crc32"), format!("{:08x}", section.crc32));
        }
        self.number("columns", read_len)?;
        for (at, (column, _)) in envelope.described()?.iter().enumerate() {
            self.column(column, &display_name(column.field.name(), at))?;
        }
        Ok(())
    }

    fn column(&mut self, column: &ColumnTree, path: &str) -> Result<()> {
        self.builder.begin_column(path.to_owned());
        self.take(
            "name",
            |bytes, at| read_text(bytes, at).map(str::to_owned),
            |name| format!("{name:?}"),
        )?;
        let number = self.bytes.get(self.builder.at).copied().unwrap_or_default();
        let ty = match &column.payload {
            Payload::Struct(_) => format!("{number} struct"),
            Payload::List { .. } if matches!(column.field.data_type(), DataType::Map(..)) => {
                format!("{number} map")
            }
            Payload::List { .. } => format!("{number} list"),
            _ => format!("{number} {}", type_name(&column.field)),
        };
        self.take("type", types::read, |_| ty)?;
        self.take("flags", read_byte, |flags| values::flags(*flags))?;
        self.metadata()?;
        if column.statistics.is_some() {
            self.take("statistics", MinMax::read, values::statistics)?;
        }
        if column.valid < column.rows {
            self.number("valid", read_len)?;
            self.run(column.validity.as_ref(), "validity")?;
        }
        if let Some(key) = column.key {
            let show = |_: &usize| format!("{key}, the column whose values group these");
            self.take("key", read_len, show)?;
        }
        match &column.payload {
            Payload::Nothing => Ok(()),
            Payload::Run(node) => self.run(Some(node), "values"),
            Payload::Wide { low, high } => {
                self.run(Some(low), "low")?;
                self.run(Some(high), "high")
            }
            Payload::Struct(columns) => {
                self.number("children", read_len)?;
                for (at, child) in columns.iter().enumerate() {
                    let name = display_name(child.field.name(), at);
                    self.column(child, &format!("{path}.{name}"))?;
                }
                Ok(())
            }
            Payload::List { lengths, items } => {
                self.number("items", read_len)?;
                self.run(lengths.as_ref(), "lengths")?;
                let is_map = matches!(column.field.data_type(), DataType::Map(..));
                let below = if is_map { "{}" } else { "[]" };
                self.column(items, &format!("{path}{below}"))
            }
            Payload::Dictionary { keys, values } => {
                self.number("entries", read_len)?;
                self.run(keys.as_ref(), "keys")?;
                self.column(values, &format!("{path}#"))
            }
        }
    }

    fn run(&mut self, node: Option<&Node>, name: &str) -> Result<()> {
        let Some(node) = node else {
            return Ok(());
        };
        let number = self.bytes.get(self.builder.at).copied().unwrap_or_default();
        let encoding = format!("{number} {}", node.encoding.describe());
        self.take(name, Encoding::read_any, |_| encoding)?;
        if node.is_counted() {
            self.number(&format!("{name} count"), read_len)?;
        }
        if node.has_buffer() {
            self.buffer(name)?;
        }
        for (at, child) in node.children.iter().enumerate() {
            self.run(Some(child), &format!("{name}/{at}"))?;
        }
        Ok(())
    }

    fn buffer(&mut self, name: &str) -> Result<()> {
        let start = self.builder.at;
        let mut end = start;
        let len = read_len(self.bytes, &mut end)?;
        let mut value = "len 0".to_owned();
        if len > 0 {
            let section = read_len(self.bytes, &mut end)?;
            if let (Some(cursor), Some(contents)) = (
                self.cursors.get_mut(section),
                self.contents.get_mut(section),
            ) {
                value = format!("len {len}, at {cursor} of section {section}");
                *cursor += len;
                let column = self.builder.column();
                contents.push(format!("{column} {name} ({len})"));
            }
        }
        self.skip(end - start, &format!("{name} buffer"), value);
        Ok(())
    }
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
