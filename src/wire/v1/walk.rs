//! Finds the parts of an envelope without reading their contents.
//!
//! An envelope has no total length: its end follows from the lengths of its last column. In a pipe these arrive piece
//! by piece, so the [`Walker`] resumes where it stopped and returns how many bytes it needs to continue. Lengths are
//! used for nothing else; in particular, no memory is allocated by them.

use std::ops::Range;

use arrow_schema::Field;

use crate::error::{Error, Result};
use crate::schema::{Type, display_name};
use crate::wire::Scan;

use super::{HEADER_LEN, MAGIC, VERSION, type_of_id, validity};

/// The encoding of a column's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadEncoding {
    /// Plain slots, or plain offsets and data.
    Plain,
    /// Slots in big-endian order, as `PostgreSQL` sends them; only read, never written.
    PgBe,
    /// Indices into a dictionary of distinct texts.
    Dict,
    /// First value, then zigzag varints of the differences.
    Delta,
}

impl PayloadEncoding {
    /// Every encoding, in the order of the encoding ids from 0.
    pub const ALL: [Self; 4] = [Self::Plain, Self::PgBe, Self::Dict, Self::Delta];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::PgBe => "pg-be",
            Self::Dict => "dict",
            Self::Delta => "delta",
        }
    }
}

/// The positions of a column's parts, relative to the envelope's first byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnLayout {
    /// The declared type.
    pub ty: Type,
    /// The encoding's number, which the walker does not check.
    pub encoding_id: u16,
    /// Flags; writers leave them 0.
    pub flags: u16,
    /// The name, valid UTF-8; empty if the column is unnamed.
    pub name: Range<usize>,
    /// The validity bitmap, one bit per row.
    pub validity: Range<usize>,
    /// Slots, offsets, indices or varints.
    pub payload_1: Range<usize>,
    /// Data or dictionary; otherwise empty.
    pub payload_2: Range<usize>,
}

impl ColumnLayout {
    /// The encoding, if its number is known.
    pub fn encoding(&self) -> Option<PayloadEncoding> {
        PayloadEncoding::ALL
            .get(usize::from(self.encoding_id))
            .copied()
    }

    /// The encoding's name for reports.
    pub fn encoding_name(&self) -> &'static str {
        self.encoding().map_or("unknown", PayloadEncoding::name)
    }

    /// The name as stored; empty if the column is unnamed or `bytes` is not the walked envelope.
    pub fn name<'a>(&self, bytes: &'a [u8]) -> &'a str {
        let name = bytes.get(self.name.clone()).unwrap_or_default();
        std::str::from_utf8(name).unwrap_or_default()
    }

    /// The whole column: descriptor, name, bitmap and payloads.
    pub fn range(&self) -> Range<usize> {
        self.name.start - 8..self.payload_2.end
    }

    /// Size of the column in the envelope in bytes.
    pub fn stored_len(&self) -> usize {
        self.range().len()
    }

    /// Number of rows without a value.
    pub fn null_count(&self, bytes: &[u8], rows: usize) -> usize {
        validity::null_count(&bytes[self.validity.clone()], rows)
    }
}

/// The positions of an envelope's parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// Number of rows.
    pub rows: usize,
    /// Header flags; writers leave them 0.
    pub flags: u16,
    /// The schema id, which readers ignore; writers leave it empty.
    pub schema_id: Range<usize>,
    /// The columns, in order.
    pub columns: Vec<ColumnLayout>,
    /// Size of the whole envelope in bytes.
    pub len: usize,
}

impl Envelope {
    /// The fields of the columns; `bytes` is the walked envelope.
    pub fn fields(&self, bytes: &[u8]) -> impl Iterator<Item = Field> {
        self.columns
            .iter()
            .map(|column| column.ty.field(column.name(bytes)))
    }
}

/// Walks one envelope as its bytes arrive.
#[derive(Debug, Default)]
pub struct Walker {
    found: Envelope,
    /// The number of columns, after the header has been read.
    promised: Option<usize>,
}

type StepResult<T> = std::result::Result<T, Stop>;

/// Why a step stopped early.
enum Stop {
    Needs(usize),
    Bad(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Bad(error)
    }
}

impl Walker {
    /// A walker at the start of an envelope.
    pub fn new() -> Self {
        Self::default()
    }

    /// Continues with all bytes of the envelope that have arrived: the bytes of the last call, and perhaps more.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] for the first fault that more bytes cannot repair.
    pub fn walk(&mut self, bytes: &[u8]) -> Result<Scan<Envelope>> {
        match self.advance(bytes) {
            Ok(()) => {
                self.promised = None;
                Ok(Scan::Complete(std::mem::take(&mut self.found)))
            }
            Err(Stop::Needs(len)) => Ok(Scan::Needs(len)),
            Err(Stop::Bad(error)) => Err(error),
        }
    }

    /// The part walked so far: all complete columns.
    pub fn so_far(&self) -> &Envelope {
        &self.found
    }

    /// The error for input that ends although [`Scan::Needs`] asks for more.
    pub fn cut_short(&self, needs: usize, has: usize) -> Error {
        let column = self.found.columns.len();
        let within = match self.promised {
            Some(promised) => format!("in column {} of {promised}", column + 1),
            None => "in the header".to_owned(),
        };
        Error::corrupt(format!(
            "envelope is cut short {within}: expected at least {needs} bytes, found {has}"
        ))
        .at_byte(has as u64)
    }

    fn advance(&mut self, bytes: &[u8]) -> StepResult<()> {
        let promised = match self.promised {
            Some(promised) => promised,
            None => self.header(bytes)?,
        };
        while self.found.columns.len() < promised {
            let column = self.column(bytes)?;
            self.found.len = column.payload_2.end;
            self.found.columns.push(column);
        }
        Ok(())
    }

    /// Reads the header and checks it field by field, as the format demands: a wrong version is reported even if
    /// nothing follows it.
    fn header(&mut self, bytes: &[u8]) -> StepResult<usize> {
        let mut fields = Fields { bytes, at: 0 };
        let magic: [u8; 8] = fields.array()?;
        if magic != MAGIC {
            let found = magic.escape_ascii();
            let text = format!("expected magic \"MATHLDBT\", found \"{found}\"");
            return Err(Error::corrupt(text).at_byte(0).into());
        }
        let version = fields.u16()?;
        if version != VERSION {
            let text = format!("expected MATHLDBT version {VERSION}, found {version}");
            return Err(Error::corrupt(text).at_byte(8).into());
        }
        let flags = fields.u16()?;
        let rows = fields.u32()? as usize;
        let promised = usize::from(fields.u16()?);
        if promised == 0 {
            let text = "expected at least one column, found none";
            return Err(Error::corrupt(text).at_byte(16).into());
        }
        let schema_id_len = usize::from(fields.u16()?);
        debug_assert_eq!(fields.at, HEADER_LEN);
        let schema_id = fields.range(schema_id_len)?;
        self.found = Envelope {
            rows,
            flags,
            len: schema_id.end,
            schema_id,
            columns: Vec::new(),
        };
        self.promised = Some(promised);
        Ok(promised)
    }

    fn column(&self, bytes: &[u8]) -> StepResult<ColumnLayout> {
        let position = self.found.columns.len();
        let start = self.found.len;
        let mut fields = Fields { bytes, at: start };
        let id = fields.u16()?;
        let ty = type_of_id(id).ok_or_else(|| {
            Error::corrupt(format!("expected a type id from 1 to 11, found {id}"))
                .in_column(display_name("", position))
                .at_byte(start as u64)
        })?;
        let encoding_id = fields.u16()?;
        let flags = fields.u16()?;
        let name_len = usize::from(fields.u16()?);
        let name = fields.range(name_len)?;
        let text = std::str::from_utf8(&bytes[name.clone()]).map_err(|fault| {
            let at = name.start + fault.valid_up_to();
            let text = format!(
                "expected a column name in UTF-8, found byte {:#04x}",
                bytes[at]
            );
            Error::corrupt(text)
                .in_column(display_name("", position))
                .at_byte(at as u64)
        })?;
        let validity_len = fields.u32()? as usize;
        let expected = validity::len_bytes(self.found.rows);
        if validity_len != expected {
            let rows = self.found.rows;
            return Err(Error::corrupt(format!(
                "expected a validity bitmap of {expected} bytes for {rows} rows, found {validity_len}"
            ))
            .in_column(display_name(text, position))
            .at_byte(fields.at as u64 - 4)
            .into());
        }
        let validity = fields.range(validity_len)?;
        let payload_1_len = fields.u32()? as usize;
        let payload_1 = fields.range(payload_1_len)?;
        let payload_2_len = fields.u32()? as usize;
        let payload_2 = fields.range(payload_2_len)?;
        Ok(ColumnLayout {
            ty,
            encoding_id,
            flags,
            name,
            validity,
            payload_1,
            payload_2,
        })
    }
}

/// Reads consecutive fields as far as there are bytes.
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Fields<'_> {
    fn range(&mut self, len: usize) -> StepResult<Range<usize>> {
        let end = self.at.saturating_add(len);
        if end > self.bytes.len() {
            return Err(Stop::Needs(end));
        }
        let range = self.at..end;
        self.at = end;
        Ok(range)
    }

    fn array<const N: usize>(&mut self) -> StepResult<[u8; N]> {
        let mut array = [0; N];
        let range = self.range(N)?;
        array.copy_from_slice(&self.bytes[range]);
        Ok(array)
    }

    fn u16(&mut self) -> StepResult<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> StepResult<u32> {
        self.array().map(u32::from_le_bytes)
    }
}
