//! The byte map of an envelope of version 2.
//!
//! The columns have already been parsed by the actual reader. The map follows its result and uses the same small
//! functions to find the extent of each field, so it does not parse anything in its own way. If the header is stored
//! compressed, its stored bytes are one field, and the plain bytes are mapped after it.

mod values;

use arrow_schema::DataType;

use super::column::{ColumnTree, HAS_METADATA};
use super::envelope::{Envelope, cut_short};
use super::head::{EnvelopeHead, HEAD_LEN};
use super::header::Owners;
use super::relation::Relation;
use super::sections::BufferCursor;
use super::types;
use crate::columns::statistics::MinMax;
use crate::error::Result;
use crate::schema::{display_name, type_name};
use crate::units::{and_more, shortened};
use crate::wire::ByteMap;
use crate::wire::byte_map::MapBuilder;
use crate::wire::encodings::{BufferSpan, Encoding, Node};
use crate::wire::parse::{read_byte, read_len, read_text, read_unsigned};

/// Number of characters of a value to show.
const SHOWN: usize = 100;
/// Number of buffers of a section to name.
const NAMED: usize = 8;

/// Maps an envelope; `bytes` is all of it.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the header is inconsistent.
pub fn byte_map(bytes: &[u8], envelope: &Envelope) -> Result<ByteMap> {
    let cut = || cut_short(envelope.header_len(), bytes);
    let head = EnvelopeHead::read(bytes)?.ok_or_else(cut)?;
    let mut map = Mapper {
        bytes: bytes.get(..envelope.header_len()).ok_or_else(cut)?,
        builder: MapBuilder::default(),
        contents: vec![Vec::new(); envelope.sections.len()],
        buffers: BufferCursor::of_draft(&envelope.sections),
        is_draft: envelope.owners().is_none(),
    };
    map.skip(8, "magic", "\"MATHLDBT\"");
    map.skip(1, "version", super::VERSION.to_string());
    map.skip(1, "minor", head.minor.to_string());
    map.skip(2, "flags", values::features(head.flags));
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
            section.format.name(),
            section.plain_len,
            listed(&buffers)
        );
        map.skip(place.len(), &format!("section {at}"), value);
    }
    Ok(map.builder.map)
}

fn listed(buffers: &[String]) -> String {
    let named = &buffers[..buffers.len().min(NAMED)];
    named.join(", ") + &and_more(buffers.len() - named.len())
}

/// Walks a header and fills the map.
struct Mapper<'a> {
    /// The envelope up to the body, or the plain header.
    bytes: &'a [u8],
    builder: MapBuilder,
    /// The names of the buffers in each section.
    contents: Vec<Vec<String>>,
    /// The position of the next buffer.
    buffers: BufferCursor,
    is_draft: bool,
}

impl Mapper<'_> {
    /// Adds the next `len` bytes; adds nothing if `len` is 0.
    fn skip(&mut self, len: usize, name: &str, value: impl Into<String>) {
        let value: String = value.into();
        self.builder.field(len, name, shortened(&value, SHOWN));
    }

    /// Adds the bytes that `read` consumes, with a value formatted by `show`.
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
            let pairs: Vec<_> = pairs
                .iter()
                .map(|(key, value)| format!("{key} = {value:?}"))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        };
        self.take("metadata", types::read_metadata, show).map(drop)
    }

    fn header(&mut self, envelope: &Envelope) -> Result<()> {
        self.number("rows", read_len)?;
        self.metadata()?;
        let columns = envelope.columns()?;
        let extents = envelope.extents();
        if !self.is_draft {
            self.number("columns", read_len)?;
        }
        self.number("sections", read_len)?;
        for (at, section) in envelope.sections.iter().enumerate() {
            let name = |what| format!("section {at} {what}");
            let format = section.format;
            let codec = format!("{} {}", format.number(), format.name());
            if let Some(owners) = envelope.owners() {
                self.owners(at, &codec, &owners[at])?;
            } else {
                self.take(&name("codec"), read_byte, |_| codec)?;
                self.number(&name("plain_len"), read_len)?;
            }
            if section.format != super::SectionFormat::Plain {
                self.number(&name("stored_len"), read_len)?;
            }
            self.skip(4, &name("crc32"), format!("{:08x}", section.crc32));
        }
        if self.is_draft {
            self.number("columns", read_len)?;
        }
        for (at, column) in columns.iter().enumerate() {
            let path = display_name(column.field.name(), at);
            let Some(extents) = &extents else {
                self.column(column, &path)?;
                continue;
            };
            self.buffers = BufferCursor::of_column(extents[at].clone());
            self.builder.begin_column(path.clone());
            let len = self.number("len", read_len)?;
            let end = self.builder.at + len;
            if let Some(unread) = &column.unread {
                self.skip(len, "column", unread.what.clone());
            } else {
                self.column(column, &path)?;
            }
            debug_assert_eq!(self.builder.at, end);
        }
        Ok(())
    }

    /// The codec of a section and the columns that have bytes in it.
    fn owners(&mut self, at: usize, codec: &str, owners: &Owners) -> Result<()> {
        let name = |what| format!("section {at} {what}");
        let shared = if owners.are_many() { ", shared" } else { "" };
        self.take(&name("codec"), read_byte, |_| format!("{codec}{shared}"))?;
        self.number(&name("column"), read_len)?;
        if !owners.are_many() {
            return self.number(&name("plain_len"), read_len).map(drop);
        }
        self.number(&name("columns"), read_len)?;
        for column in owners.first..owners.first + owners.shares.len() {
            let show = |share: &usize| format!("{share} of column {column}");
            self.take(&name("share"), read_len, show)?;
        }
        Ok(())
    }

    fn column(&mut self, column: &ColumnTree, path: &str) -> Result<()> {
        if self.builder.column() != path {
            self.builder.begin_column(path.to_owned());
        }
        self.take(
            "name",
            |bytes, at| read_text(bytes, at).map(str::to_owned),
            |name| format!("{name:?}"),
        )?;
        let number = self.bytes.get(self.builder.at).copied().unwrap_or_default();
        let ty = match column.field.data_type() {
            _ if let Some(positions) = column.positions() => {
                format!("{number} by position, list of {positions}")
            }
            DataType::Struct(_) => format!("{number} struct"),
            DataType::Map(..) => format!("{number} map"),
            nested if nested.is_nested() && !matches!(nested, DataType::Dictionary(..)) => {
                format!("{number} list")
            }
            _ => format!("{number} {}", type_name(&column.field)),
        };
        self.take("type", types::read_layout, |_| ty)?;
        let flags = self.take("flags", read_byte, |flags| values::flags(*flags))?;
        if self.is_draft || flags & HAS_METADATA != 0 {
            self.metadata()?;
        }
        if column.statistics.is_some() {
            self.take("statistics", MinMax::read, values::statistics)?;
        }
        if column.valid < column.rows {
            self.number("valid", read_len)?;
            if let Some(validity) = &column.validity {
                self.run(validity, "validity")?;
            }
        }
        match column.relation {
            None => {}
            Some(Relation::GroupedBy(_)) => {
                let show = |at: &usize| format!("{at}, the column whose values group these");
                self.take("key", read_len, show)?;
            }
            Some(Relation::DifferenceFrom(reference)) => {
                let show =
                    |at: &usize| format!("{at}, the column that the values are differences from");
                self.take("reference", read_len, show)?;
                self.number("lag", read_len)?;
                if reference.exponent.is_some() {
                    self.take("exponent", read_byte, u8::to_string)?;
                }
            }
        }
        let data_type = column.field.data_type();
        let (count, runs): (_, &[&str]) = match data_type {
            DataType::Struct(_) => ("children", &[]),
            DataType::Dictionary(..) => ("entries", &["keys"]),
            _ if types::has_children(data_type) => ("items", &["lengths"]),
            DataType::Decimal128(..) => ("", &["low", "high"]),
            _ => ("", &["values"]),
        };
        if types::has_children(data_type) && column.positions().is_none() {
            self.number(count, read_len)?;
        }
        for (run, name) in column.runs.iter().zip(runs) {
            self.run(run, name)?;
        }
        for (at, child) in column.children.iter().enumerate() {
            let path = match data_type {
                DataType::Dictionary(..) => format!("{path}#"),
                _ => column.child_path(path, at),
            };
            self.column(child, &path)?;
        }
        Ok(())
    }

    fn run(&mut self, node: &Node, name: &str) -> Result<()> {
        let number = self.bytes.get(self.builder.at).copied().unwrap_or_default();
        let encoding = format!("{number} {}", node.encoding.describe());
        self.take(name, Encoding::read_any, |_| encoding)?;
        if node.is_counted() {
            self.number(&format!("{name} count"), read_len)?;
        }
        if node.has_buffer() {
            self.buffer(name, node.implied_len())?;
        }
        for (at, child) in node.children.iter().enumerate() {
            self.run(child, &format!("{name}/{at}"))?;
        }
        Ok(())
    }

    fn buffer(&mut self, name: &str, implied: Option<usize>) -> Result<()> {
        let start = self.builder.at;
        let mut end = start;
        let mut value = "len 0".to_owned();
        if let Some(span) = self.buffers.next(self.bytes, &mut end, implied)? {
            let BufferSpan {
                section,
                offset,
                len,
            } = span;
            value = format!("len {len}, at {offset} of section {section}");
            let column = self.builder.column();
            self.contents[section].push(format!("{column} {name} ({len})"));
        }
        self.skip(end - start, &format!("{name} buffer"), value);
        Ok(())
    }
}
