//! Columns as trees of encoded runs, as described in an envelope's header.
//!
//! Nulls and nesting are separated from values, so that runs contain only values: a column with nulls is a run of bits
//! and the values of its valid rows, a struct is its child columns (whose rows are its valid rows), and a list is a run
//! of lengths and a column of all items, or a column per position if all lists are equally long.

use std::collections::HashMap;
use std::hash::BuildHasher;

use arrow_schema::{DataType, Field};
use foldhash::fast::FixedState;

use super::budget::Budget;
use super::reference::Reference;
use super::relation::Relation;
use super::sections::BufferCursor;
use super::types;
use crate::columns::statistics::{MinMax, Statistics};
use crate::error::{Error, Kind, Result};
use crate::schema::child_path;
use crate::schema::keys::UNREAD;
use crate::varint;
use crate::wire::encodings::{BufferSpan, Node, ValueKind};
use crate::wire::parse::{read_byte, read_len, read_text, write_string};

/// An encoded column.
#[derive(Clone, Debug)]
pub struct ColumnTree {
    /// Name, type and metadata.
    pub field: Field,
    /// Number of rows, including nulls.
    pub rows: usize,
    /// Which rows are valid, as integers: 1 for valid and 0 for null; `None` if all are valid.
    pub validity: Option<Node>,
    /// Number of valid rows.
    pub valid: usize,
    /// The minimum and maximum.
    pub statistics: Option<MinMax>,
    /// The other column of the header that it needs, if any; otherwise, its values are in row order.
    pub relation: Option<Relation>,
    /// The runs of its valid rows, which depend on the type: see `types::runs`; or a run of differences.
    /// Empty if no row is valid.
    pub runs: Vec<Node>,
    /// The members of a struct, the items of lists stored end to end, the items of lists at each position, or the values of
    /// a dictionary.
    pub children: Vec<ColumnTree>,
    /// Why it cannot be read, if it needs a newer version.
    pub unread: Option<Unread>,
}

/// A column that needs a newer version.
#[derive(Clone, Debug)]
pub struct Unread {
    /// What it needs.
    pub what: String,
    /// The parts of sections that it owns.
    pub spans: Vec<BufferSpan>,
}

/// Flags of a column.
const NULLABLE: u8 = 1;
const HAS_NULLS: u8 = 2;
const HAS_STATISTICS: u8 = 4;
const ORDERED: u8 = 8;
const GROUPED: u8 = 16;
pub(super) const HAS_METADATA: u8 = 32;
const DIFFERENCES: u8 = 64;
const KNOWN_FLAGS: u8 =
    NULLABLE | HAS_NULLS | HAS_STATISTICS | ORDERED | GROUPED | HAS_METADATA | DIFFERENCES;

/// The deepest nesting of columns, which bounds recursion.
const MAX_DEPTH: usize = 128;

/// Approximate size of a column's description in memory in bytes, without its name and metadata. In a header, it takes
/// only a few bytes.
const DESCRIPTION_BYTES: usize = 512;
/// Approximate size of an entry of its metadata.
const METADATA_BYTES: usize = 64;

/// Adds to the path of an error the step from a column of type `parent` to a child column: `.name`, `[]` for the items
/// of lists, `{}` for the entries of maps.
pub(super) fn below(error: Error, parent: &DataType, child: &str) -> Error {
    match parent {
        DataType::Struct(_) => error.below_column(&format!(".{child}")),
        DataType::Map(..) => error.below_column("{}"),
        DataType::Dictionary(..) => error,
        _ => error.below_column("[]"),
    }
}

impl ColumnTree {
    /// Appends the description.
    ///
    /// # Errors
    /// If wire 2 lacks its type or the type of a column inside; the error names the path.
    pub fn write(
        &self,
        out: &mut Vec<u8>,
        place: &mut impl FnMut(&Node, &mut Vec<u8>),
    ) -> Result<()> {
        self.write_inner(out, place)
            .map_err(|error| error.below_column(self.field.name()))
    }

    /// Like [`Self::write`]; the path in errors begins below this column.
    fn write_inner(
        &self,
        out: &mut Vec<u8>,
        place: &mut impl FnMut(&Node, &mut Vec<u8>),
    ) -> Result<()> {
        write_string(self.field.name().as_bytes(), out);
        types::write_layout(self.field.data_type(), self.positions(), out)?;
        let ordered = self.field.dict_is_ordered() == Some(true);
        out.push(
            (u8::from(self.field.is_nullable()) * NULLABLE)
                | (u8::from(self.valid < self.rows) * HAS_NULLS)
                | (u8::from(self.statistics.is_some()) * HAS_STATISTICS)
                | (u8::from(ordered) * ORDERED)
                | (u8::from(self.key().is_some()) * GROUPED)
                | (u8::from(!self.field.metadata().is_empty()) * HAS_METADATA)
                | (u8::from(self.reference().is_some()) * DIFFERENCES),
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
        match self.relation {
            Some(Relation::GroupedBy(key)) => varint::push(key as u64, out),
            Some(Relation::DifferenceFrom(reference)) => reference.write(out),
            None => {}
        }
        if let Some(unread) = &self.unread {
            return Err(Error::new(Kind::Unsupported, &unread.what));
        }
        match self.field.data_type() {
            DataType::Struct(_) => varint::push(self.children.len() as u64, out),
            _ if self.positions().is_some() => {}
            _ => (self.children.iter()).for_each(|child| varint::push(child.rows as u64, out)),
        }
        self.runs.iter().for_each(|run| run.write(out, place));
        self.children.iter().try_for_each(|child| {
            let written = child.write_inner(out, place);
            written.map_err(|error| below(error, self.field.data_type(), child.field.name()))
        })
    }

    /// Calls `visit` for each node with a buffer, in the order of [`Self::write`].
    ///
    /// # Errors
    /// The first error of `visit`.
    pub fn visit_buffers(&mut self, visit: &mut impl FnMut(&mut Node) -> Result<()>) -> Result<()> {
        self.validity
            .iter_mut()
            .chain(&mut self.runs)
            .try_for_each(|run| run.visit_buffers(visit))?;
        self.children
            .iter_mut()
            .try_for_each(|child| child.visit_buffers(visit))
    }

    /// Appends a number for each node with a buffer, in the order of [`Self::write`]: a hash of the names of the columns
    /// and the position of the node below them, so that the buffers of other frames have the same numbers. `above` is
    /// the number of the column around it.
    pub fn buffer_keys(&self, above: u64, keys: &mut Vec<u64>) {
        let own = FixedState::default().hash_one((above, self.field.name()));
        let validity = self.validity.iter().map(|run| (0, run));
        let runs = self.runs.iter().zip(1..).map(|(run, at)| (at, run));
        for (at, run) in validity.chain(runs) {
            run.buffer_keys(FixedState::default().hash_one((own, at)), keys);
        }
        let children = self.children.iter();
        children.for_each(|child| child.buffer_keys(own, keys));
    }

    /// Its own runs in the order of the description, with the validity but without child columns.
    fn own_runs(&self) -> impl Iterator<Item = &Node> {
        self.validity.iter().chain(&self.runs)
    }

    /// True if its children are members.
    pub fn is_struct(&self) -> bool {
        matches!(self.field.data_type(), DataType::Struct(_))
    }

    /// The number of items of each list, if they are stored by position: each child column has the items at one position.
    pub fn positions(&self) -> Option<usize> {
        let is_list = types::can_be_by_position(self.field.data_type());
        (is_list && self.children.len() > 1).then_some(self.children.len())
    }

    /// The path of a child column, given the path of this one.
    pub fn child_path(&self, path: &str, at: usize) -> String {
        match self.positions() {
            Some(_) => format!("{path}[{at}]"),
            None => child_path(self.field.data_type(), path, &self.children[at].field, at),
        }
    }

    /// True if columns of a type consist of the same parts as this column.
    pub fn is_like(&self, data_type: &DataType) -> bool {
        let own = self.field.data_type();
        types::runs(own) == types::runs(data_type)
            && types::kind(own) == types::kind(data_type)
            && own.is_nested() == data_type.is_nested()
            && self.is_struct() == matches!(data_type, DataType::Struct(_))
    }

    /// The positions of its buffers, without child columns unless it is unread.
    pub fn own_spans(&self) -> Vec<BufferSpan> {
        let mut spans = match &self.unread {
            Some(unread) => unread.spans.clone(),
            None => Vec::new(),
        };
        self.own_runs()
            .for_each(|run| run.visit(&mut |node| spans.extend(node.span)));
        spans
    }

    /// Calls `visit` for each node of the column and its child columns.
    pub fn visit_nodes(&self, visit: &mut impl FnMut(&Node)) {
        self.own_runs().for_each(|run| run.visit(visit));
        self.children
            .iter()
            .for_each(|child| child.visit_nodes(visit));
    }

    /// The positions of the buffers of the column and its child columns.
    pub fn spans(&self) -> Vec<BufferSpan> {
        let children = self.children.iter().flat_map(Self::spans);
        self.own_spans().into_iter().chain(children).collect()
    }

    /// Counts the rows of the column and its child columns.
    ///
    /// # Errors
    /// [`Kind::Limit`] if there are too many for a frame.
    pub fn take_cells(&self, budget: &mut Budget) -> Result<()> {
        budget.take_cells(self.rows)?;
        self.children
            .iter()
            .try_for_each(|column| column.take_cells(budget))
    }

    /// A column that cannot be read because of `error`, and the parts of sections that it owns.
    pub fn unread(name: &str, rows: usize, error: &Error, spans: Vec<BufferSpan>) -> Self {
        let unread = HashMap::from([(UNREAD.to_owned(), error.what().to_owned())]);
        Self {
            field: Field::new(name, DataType::Null, true).with_metadata(unread),
            rows,
            validity: None,
            valid: rows,
            statistics: None,
            relation: None,
            runs: Vec::new(),
            children: Vec::new(),
            unread: Some(Unread {
                what: error.what().to_owned(),
                spans,
            }),
        }
    }

    /// True if it uses an encoding of the archive profile.
    pub fn is_archive(&self) -> bool {
        self.relation.is_some()
            || self.own_runs().any(Node::is_archive)
            || self.children.iter().any(Self::is_archive)
    }

    /// Its statistics in the header.
    pub fn known(&self) -> Statistics {
        // Null entries of dictionaries are not counted as nulls.
        let is_dictionary = matches!(self.field.data_type(), DataType::Dictionary(..));
        let is_counted = !is_dictionary && self.unread.is_none();
        Statistics {
            nulls: is_counted.then_some((self.rows - self.valid) as u64),
            extremes: self.statistics.clone(),
        }
    }

    /// The encoding of its values, such as `dictionary(bytes, bit-packed)`; for nested columns, the number of child
    /// columns.
    pub fn encoding_name(&self) -> String {
        let children = self.children.iter().map(Self::encoding_name);
        let runs = self.runs.iter().map(Node::name);
        let listed = |names: Vec<String>| names.join(", ");
        match self.field.data_type() {
            _ if self.unread.is_some() => "unknown".to_owned(),
            DataType::Struct(_) => format!("struct of {}", self.children.len()),
            DataType::Dictionary(..) if self.runs.is_empty() => "dictionary".to_owned(),
            DataType::Dictionary(..) => {
                format!("dictionary({})", listed(children.chain(runs).collect()))
            }
            _ if let Some(positions) = self.positions() => format!("{positions} positions"),
            _ if !self.children.is_empty() => {
                format!("list({})", listed(runs.chain(children).collect()))
            }
            _ => match &self.runs[..] {
                [] => "null".to_owned(),
                [run] => run.name(),
                _ => format!("wide({})", listed(runs.collect())),
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
        budget: &mut Budget,
        buffers: &mut BufferCursor,
    ) -> Result<Self> {
        Self::read_at_depth(bytes, at, (rows, 0), budget, buffers)
    }

    /// Reads the parts of a description in their order: name, type, flags, metadata, statistics, validity, relation,
    /// values.
    /// The values of a nested column include its child columns, which are read in the same way.
    fn read_at_depth(
        bytes: &[u8],
        at: &mut usize,
        (rows, depth): (usize, usize),
        budget: &mut Budget,
        buffers: &mut BufferCursor,
    ) -> Result<Self> {
        if depth == MAX_DEPTH {
            return Err(Error::corrupt("columns are nested too deep").at_byte(*at as u64));
        }
        let start = *at;
        budget.take_cells(rows)?;
        let name = read_text(bytes, at)?.to_owned();
        let located = |error: Error| error.in_column(&name);
        let (data_type, positions) = types::read_layout(bytes, at).map_err(located)?;
        let flags_at = *at as u64;
        let flags = read_byte(bytes, at)?;
        if flags & !KNOWN_FLAGS != 0 {
            let what = format_args!("column flags {:#x}", flags & !KNOWN_FLAGS).to_string();
            return Err(located(Error::unsupported(what).at_byte(flags_at)));
        }
        let has_metadata = buffers.is_draft || flags & HAS_METADATA != 0;
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
        let mut run = |kind, len, at: &mut usize| {
            Node::read(bytes, at, kind, len, &mut |bytes, at, implied| {
                buffers.next(bytes, at, implied)
            })
            .map_err(located)
        };
        let mut valid = rows;
        let mut validity = None;
        if flags & HAS_NULLS != 0 {
            let start = *at as u64;
            if flags & NULLABLE == 0 && data_type != DataType::Null {
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
                validity = Some(run(ValueKind::Ints, rows, at)?);
            }
        }
        if flags & (GROUPED | DIFFERENCES) != 0 && depth > 0 {
            let what = "only columns of the header need others";
            return Err(located(Error::corrupt(what).at_byte(flags_at)));
        }
        let relation = match (flags & GROUPED != 0, flags & DIFFERENCES != 0) {
            (false, false) => None,
            (true, false) if types::can_be_grouped(&data_type) => {
                Some(Relation::GroupedBy(read_len(bytes, at)?))
            }
            (true, false) => {
                let what = "only columns that have no children are grouped";
                return Err(located(Error::corrupt(what).at_byte(flags_at)));
            }
            (false, true) => {
                let reference = Reference::read(&data_type, bytes, at);
                let reference = reference.map_err(|error| located(error.at_byte(flags_at)))?;
                Some(Relation::DifferenceFrom(reference))
            }
            (true, true) => {
                let what = "a column is both grouped and stored as differences";
                return Err(located(Error::corrupt(what).at_byte(flags_at)));
            }
        };
        let has_children = types::has_children(&data_type);
        // By position, each row has one item per child column.
        let count = if has_children && positions.is_none() {
            read_len(bytes, at)?
        } else {
            0
        };
        let kinds: &[ValueKind] = match relation {
            _ if valid == 0 || positions.is_some() => &[],
            Some(Relation::DifferenceFrom(_)) => &[Reference::KIND],
            Some(Relation::GroupedBy(_)) | None => types::runs(&data_type),
        };
        let runs = kinds
            .iter()
            .map(|kind| run(*kind, valid, at))
            .collect::<Result<_>>()?;
        // Members have a row for each valid row of the struct.
        let (child_count, child_rows) = match data_type {
            DataType::Struct(_) => (count, valid),
            _ if let Some(positions) = positions => (positions, valid),
            _ => (usize::from(has_children), count),
        };
        let children_at = *at as u64;
        let mut children = Vec::new();
        for _ in 0..child_count {
            let below = (child_rows, depth + 1);
            children.push(Self::read_at_depth(bytes, at, below, budget, buffers)?);
        }
        if positions.is_some()
            && children
                .iter()
                .any(|child| child.field != children[0].field)
        {
            let what = "items at different positions have different types";
            return Err(located(Error::corrupt(what).at_byte(children_at)));
        }
        let data_type = types::with_children(data_type, &children);
        if let DataType::Map(entry, _) = &data_type
            && !matches!(entry.data_type(), DataType::Struct(fields) if fields.len() == 2)
        {
            let what = "the entries of a map are not keys and values";
            return Err(Error::corrupt(what).at_byte(children_at));
        }
        let ordered = matches!(data_type, DataType::Dictionary(..)) && flags & ORDERED != 0;
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
            relation,
            runs,
            children,
            unread: None,
        })
    }
}
