//! Columns as trees of encoded runs, as described in an envelope's header.
//!
//! Nulls and nesting are separated from values, so that runs contain only values: a column with nulls is a run of bits
//! and the values of its valid rows, a struct is its child columns (whose rows are its valid rows), and a list is a run
//! of lengths and a column of all items.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_buffer::Buffer;
use arrow_schema::{DataType, Field};

use super::budget::Budget;
use super::types::{self, StoredType};
use crate::columns::statistics::{MinMax, Statistics};
use crate::error::{Error, Kind, Result};
use crate::schema::keys::UNREAD;
use crate::varint;
use crate::wire::encodings::{Node, ValueKind};
use crate::wire::parse::{read_byte, read_len, read_text, write_string};

/// An encoded column.
#[derive(Clone, Debug)]
pub struct ColumnTree {
    /// Name, type and metadata.
    pub field: Field,
    /// Number of rows, including nulls.
    pub rows: usize,
    /// Which rows are valid, as integers: 1 for valid and 0 for null; `None` if all are valid.
    pub validity: Option<Box<Node>>,
    /// Number of valid rows.
    pub valid: usize,
    /// The minimum and maximum.
    pub statistics: Option<MinMax>,
    /// The position in the header of the column that its values are grouped by; `None` if they are in row order.
    pub key: Option<usize>,
    /// The values of the valid rows.
    pub payload: ColumnValues,
}

/// The values of the valid rows of a column.
#[derive(Clone, Debug)]
pub enum ColumnValues {
    /// No row is valid. (Nested columns have children even then.)
    Nothing,
    /// One run.
    Run(Node),
    /// 128-bit numbers, as low and high halves.
    Wide {
        /// Bits 0 to 63.
        low: Box<Node>,
        /// Bits 64 to 127.
        high: Box<Node>,
    },
    /// One column per field.
    Struct(Vec<ColumnTree>),
    /// Lists, stored end to end.
    List {
        /// Number of items per row; `None` for lists of fixed size, and if no row is valid.
        lengths: Option<Node>,
        /// All items.
        items: Box<ColumnTree>,
    },
    /// Indices into a column of values.
    Dictionary {
        /// The index of each row; `None` if no row is valid.
        keys: Option<Node>,
        /// The values.
        values: Box<ColumnTree>,
    },
    /// Needs a newer version; the message says for what.
    Unread(String),
}

/// Flags of a column.
const NULLABLE: u8 = 1;
const HAS_NULLS: u8 = 2;
const HAS_STATISTICS: u8 = 4;
const ORDERED: u8 = 8;
const GROUPED: u8 = 16;
const HAS_METADATA: u8 = 32;
const KNOWN_FLAGS: u8 = NULLABLE | HAS_NULLS | HAS_STATISTICS | ORDERED | GROUPED | HAS_METADATA;

/// The deepest nesting of columns, which bounds recursion.
const MAX_DEPTH: usize = 128;

/// Approximate size of a column's description in memory in bytes, without its name and metadata. In a header, it takes
/// only a few bytes.
const DESCRIPTION_BYTES: usize = 512;
/// Approximate size of an entry of its metadata.
const METADATA_BYTES: usize = 64;

/// Reads the position of a buffer, given its length if that follows from the encoding, and returns its bytes.
pub type Locate<'a> = dyn FnMut(&[u8], &mut usize, Option<usize>) -> Result<Buffer> + 'a;

/// The version of the column descriptions in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Description {
    /// As in the manual page.
    Final,
    /// As in frames written before the format was final: metadata is always present, even if it is empty.
    Draft,
}

impl ColumnTree {
    /// Appends the description.
    ///
    /// # Errors
    /// If wire 2 lacks its type.
    pub fn write(
        &self,
        out: &mut Vec<u8>,
        place: &mut impl FnMut(&Node, &mut Vec<u8>),
    ) -> Result<()> {
        write_string(self.field.name().as_bytes(), out);
        types::write(self.field.data_type(), out)
            .map_err(|error| error.in_column(self.field.name()))?;
        let ordered = self.field.dict_is_ordered() == Some(true);
        out.push(
            (u8::from(self.field.is_nullable()) * NULLABLE)
                | (u8::from(self.valid < self.rows) * HAS_NULLS)
                | (u8::from(self.statistics.is_some()) * HAS_STATISTICS)
                | (u8::from(ordered) * ORDERED)
                | (u8::from(self.key.is_some()) * GROUPED)
                | (u8::from(!self.field.metadata().is_empty()) * HAS_METADATA),
        );
        if !self.field.metadata().is_empty() {
            types::write_metadata(self.field.metadata().iter(), out);
        }
        if let Some(statistics) = &self.statistics {
            statistics.write(out);
        }
        if self.valid < self.rows {
            varint::push(self.valid as u64, out);
            if let Some(validity) = self.validity.as_ref().filter(|_| self.valid > 0) {
                validity.write(out, place);
            }
        }
        if let Some(key) = self.key {
            varint::push(key as u64, out);
        }
        match &self.payload {
            ColumnValues::Nothing => {}
            ColumnValues::Run(node) => node.write(out, place),
            ColumnValues::Wide { low, high } => {
                low.write(out, place);
                high.write(out, place);
            }
            ColumnValues::Struct(columns) => {
                varint::push(columns.len() as u64, out);
                for column in columns {
                    column.write(out, place)?;
                }
            }
            ColumnValues::List { lengths, items } => {
                varint::push(items.rows as u64, out);
                if let Some(lengths) = lengths {
                    lengths.write(out, place);
                }
                items.write(out, place)?;
            }
            ColumnValues::Dictionary { keys, values } => {
                varint::push(values.rows as u64, out);
                if let Some(keys) = keys {
                    keys.write(out, place);
                }
                values.write(out, place)?;
            }
            ColumnValues::Unread(what) => return Err(Error::new(Kind::Unsupported, what)),
        }
        Ok(())
    }

    /// Calls `visit` for each node with a buffer, in the order of [`Self::write`].
    ///
    /// # Errors
    /// The first error of `visit`.
    pub fn visit_buffers(&mut self, visit: &mut impl FnMut(&mut Node) -> Result<()>) -> Result<()> {
        if let Some(validity) = &mut self.validity {
            validity.visit_buffers(visit)?;
        }
        match &mut self.payload {
            ColumnValues::Nothing | ColumnValues::Unread(_) => Ok(()),
            ColumnValues::Run(node) => node.visit_buffers(visit),
            ColumnValues::Wide { low, high } => {
                low.visit_buffers(visit)?;
                high.visit_buffers(visit)
            }
            ColumnValues::Struct(columns) => {
                let mut columns = columns.iter_mut();
                columns.try_for_each(|column| column.visit_buffers(visit))
            }
            ColumnValues::List {
                lengths: run,
                items: column,
            }
            | ColumnValues::Dictionary {
                keys: run,
                values: column,
            } => {
                if let Some(run) = run {
                    run.visit_buffers(visit)?;
                }
                column.visit_buffers(visit)
            }
        }
    }

    /// Its own runs in the order of the description, without those of child columns.
    pub fn runs(&self) -> impl Iterator<Item = &Node> {
        let (first, second) = match &self.payload {
            ColumnValues::Nothing | ColumnValues::Unread(_) | ColumnValues::Struct(_) => {
                (None, None)
            }
            ColumnValues::Run(node) => (Some(node), None),
            ColumnValues::Wide { low, high } => (Some(&**low), Some(&**high)),
            ColumnValues::List { lengths: run, .. }
            | ColumnValues::Dictionary { keys: run, .. } => (run.as_ref(), None),
        };
        let validity = self.validity.as_deref();
        validity.into_iter().chain(first).chain(second)
    }

    /// Its child columns.
    pub fn children(&self) -> &[Self] {
        match &self.payload {
            ColumnValues::Nothing
            | ColumnValues::Run(_)
            | ColumnValues::Wide { .. }
            | ColumnValues::Unread(_) => &[],
            ColumnValues::Struct(columns) => columns,
            ColumnValues::List { items: column, .. }
            | ColumnValues::Dictionary { values: column, .. } => std::slice::from_ref(column),
        }
    }

    /// Number of buffers of all runs of the column and its children.
    pub fn buffers(&self) -> usize {
        let own: usize = self.runs().map(Node::buffers).sum();
        own + self.children().iter().map(Self::buffers).sum::<usize>()
    }

    /// Counts its rows and those of its child columns.
    ///
    /// # Errors
    /// [`Kind::Limit`] if there are too many for a frame.
    pub fn take_cells(&self, budget: &mut Budget) -> Result<()> {
        budget.take_cells(self.rows)?;
        let mut children = self.children().iter();
        children.try_for_each(|column| column.take_cells(budget))
    }

    /// A column that cannot be read because of `error`.
    pub fn unread(name: &str, rows: usize, error: &Error) -> Self {
        let unread = HashMap::from([(UNREAD.to_owned(), error.what().to_owned())]);
        Self {
            field: Field::new(name, DataType::Null, true).with_metadata(unread),
            rows,
            validity: None,
            valid: rows,
            statistics: None,
            key: None,
            payload: ColumnValues::Unread(error.what().to_owned()),
        }
    }

    /// True if it uses an encoding of the archive profile.
    pub fn is_archive(&self) -> bool {
        self.key.is_some()
            || self.runs().any(Node::is_archive)
            || self.children().iter().any(Self::is_archive)
    }

    /// Its statistics in the header.
    pub fn known(&self) -> Statistics {
        // Null entries of dictionaries are not counted as nulls.
        let is_counted = !matches!(
            self.payload,
            ColumnValues::Dictionary { .. } | ColumnValues::Unread(_)
        );
        Statistics {
            nulls: is_counted.then_some((self.rows - self.valid) as u64),
            extremes: self.statistics.clone(),
        }
    }

    /// The encoding of its values, such as `dictionary(bytes, bit-packed)`; for nested columns, the number of child
    /// columns.
    pub fn encoding_name(&self) -> String {
        match &self.payload {
            ColumnValues::Nothing => "null".to_owned(),
            ColumnValues::Unread(_) => "unknown".to_owned(),
            ColumnValues::Run(node) => node.name(),
            ColumnValues::Wide { low, high } => format!("wide({}, {})", low.name(), high.name()),
            ColumnValues::Struct(columns) => format!("struct of {}", columns.len()),
            ColumnValues::List { lengths, items } => match lengths {
                Some(lengths) => format!("list({}, {})", lengths.name(), items.encoding_name()),
                None => format!("list({})", items.encoding_name()),
            },
            ColumnValues::Dictionary { keys, values } => match keys {
                Some(keys) => format!("dictionary({}, {})", values.encoding_name(), keys.name()),
                None => "dictionary".to_owned(),
            },
        }
    }

    /// Reads the description of a column of `rows` rows at `*at` and moves `*at` past it. Subtracts the size of it and
    /// its child columns from `budget`.
    ///
    /// # Errors
    /// [`Kind::Corrupt`] if the bytes end early or are inconsistent, [`Kind::Unsupported`] if they need a newer
    /// version, [`Kind::Limit`] if the budget is exceeded.
    pub fn read(
        bytes: &[u8],
        at: &mut usize,
        rows: usize,
        description: Description,
        budget: &mut Budget,
        place: &mut Locate<'_>,
    ) -> Result<Self> {
        Self::read_at_depth(bytes, at, rows, (description, 0), budget, place)
    }

    /// Reads the parts of a description in their order: name, type, flags, metadata, statistics, validity, key, values.
    /// The values of a nested column include its child columns, which are read in the same way.
    fn read_at_depth(
        bytes: &[u8],
        at: &mut usize,
        rows: usize,
        (description, depth): (Description, usize),
        budget: &mut Budget,
        place: &mut Locate<'_>,
    ) -> Result<Self> {
        if depth == MAX_DEPTH {
            return Err(Error::corrupt("columns are nested too deep").at_byte(*at as u64));
        }
        let start = *at;
        budget.take_cells(rows)?;
        let name = read_text(bytes, at)?.to_owned();
        let located = |error: Error| error.in_column(&name);
        let found = types::read(bytes, at).map_err(located)?;
        let flags_at = *at as u64;
        let flags = read_byte(bytes, at)?;
        if flags & !KNOWN_FLAGS != 0 {
            let what = format_args!("column flags {:#x}", flags & !KNOWN_FLAGS).to_string();
            return Err(located(Error::unsupported(what).at_byte(flags_at)));
        }
        let has_metadata = description == Description::Draft || flags & HAS_METADATA != 0;
        let metadata = if has_metadata {
            types::read_metadata(bytes, at).map_err(located)?
        } else {
            HashMap::new()
        };
        budget
            .take_bytes(DESCRIPTION_BYTES + 2 * (*at - start) + METADATA_BYTES * metadata.len())?;
        let statistics = (flags & HAS_STATISTICS != 0)
            .then(|| MinMax::read(bytes, at))
            .transpose()?;
        let run = |kind, len, at: &mut usize, place: &mut Locate<'_>| {
            Node::read(bytes, at, kind, len, &mut |bytes, at, implied| {
                place(bytes, at, implied)
            })
            .map_err(located)
        };
        let mut valid = rows;
        let mut validity = None;
        if flags & HAS_NULLS != 0 {
            let start = *at as u64;
            let is_null = matches!(&found, StoredType::Leaf(DataType::Null));
            if flags & NULLABLE == 0 && !is_null {
                let what = "a column that is not nullable has nulls";
                return Err(located(Error::corrupt(what).at_byte(flags_at)));
            }
            valid = read_len(bytes, at)?;
            if valid >= rows {
                return Err(located(
                    Error::corrupt("a column declares nulls but has none").at_byte(start),
                ));
            }
            if valid > 0 {
                validity = Some(Box::new(run(ValueKind::Ints, rows, at, place)?));
            }
        }
        let mut key = None;
        if flags & GROUPED != 0 {
            let has_values = matches!(&found, StoredType::Leaf(ty) if *ty != DataType::Null);
            if depth > 0 || !has_values {
                let what = "only columns of the header that have no children are grouped";
                return Err(located(Error::corrupt(what).at_byte(flags_at)));
            }
            key = Some(read_len(bytes, at)?);
        }
        let mut child =
            |rows, at: &mut usize, place: &mut Locate<'_>| -> Result<(Arc<Field>, Box<Self>)> {
                let below = (description, depth + 1);
                let child = Self::read_at_depth(bytes, at, rows, below, budget, place)?;
                Ok((Arc::new(child.field.clone()), Box::new(child)))
            };
        let mut ordered = false;
        let (data_type, payload) = match found {
            StoredType::Leaf(data_type) => {
                let payload = match types::kind(&data_type) {
                    _ if valid == 0 || data_type == DataType::Null => ColumnValues::Nothing,
                    Some(kind) => ColumnValues::Run(run(kind, valid, at, place)?),
                    None => ColumnValues::Wide {
                        low: Box::new(run(ValueKind::Ints, valid, at, place)?),
                        high: Box::new(run(ValueKind::Ints, valid, at, place)?),
                    },
                };
                (data_type, payload)
            }
            StoredType::Struct => {
                let count = read_len(bytes, at)?;
                let mut columns = Vec::new();
                let mut fields = Vec::new();
                for _ in 0..count {
                    // Members have a row for each valid row of the struct.
                    let (field, column) = child(valid, at, place)?;
                    fields.push(field);
                    columns.push(*column);
                }
                (
                    DataType::Struct(fields.into()),
                    ColumnValues::Struct(columns),
                )
            }
            StoredType::List(list, parameter) => {
                let count = read_len(bytes, at)?;
                // The item follows its list. A placeholder shows which kind of list this is.
                let data_type = list(Arc::new(Field::new("", DataType::Null, true)), parameter);
                let lengths = match data_type {
                    DataType::FixedSizeList(..) => None,
                    _ if valid == 0 => None,
                    _ => Some(run(ValueKind::Ints, valid, at, place)?),
                };
                let start = *at as u64;
                let (field, items) = child(count, at, place)?;
                let is_pair =
                    matches!(field.data_type(), DataType::Struct(fields) if fields.len() == 2);
                if matches!(data_type, DataType::Map(..)) && !is_pair {
                    let what = "the entries of a map are not keys and values";
                    return Err(Error::corrupt(what).at_byte(start));
                }
                (
                    list(field, parameter),
                    ColumnValues::List { lengths, items },
                )
            }
            StoredType::Dictionary(keys) => {
                ordered = flags & ORDERED != 0;
                let count = read_len(bytes, at)?;
                let run = (valid > 0)
                    .then(|| run(ValueKind::Ints, valid, at, place))
                    .transpose()?;
                let (field, values) = child(count, at, place)?;
                let data_type =
                    DataType::Dictionary(Box::new(keys), Box::new(field.data_type().clone()));
                (data_type, ColumnValues::Dictionary { keys: run, values })
            }
        };
        #[expect(
            deprecated,
            reason = "deprecated, but there is no other way to keep the order of a dictionary"
        )]
        let field = Field::new_dict(&name, data_type, flags & NULLABLE != 0, 0, ordered)
            .with_metadata(metadata);
        Ok(Self {
            field,
            rows,
            validity,
            valid,
            statistics,
            key,
            payload,
        })
    }
}
