//! Lists the columns of an envelope at every depth from its header, without reading the body.
//!
//! Reports need one line per leaf, and bytes that add up: the bytes of a compressed section are divided among its
//! buffers in proportion to their plain bytes, without remainder.

use arrow_schema::{DataType, Field};

use super::column::{ColumnTree, ColumnValues};
use super::envelope::Envelope;
use crate::columns::statistics::MinMax;
use crate::error::Result;
use crate::schema::display_name;
use crate::wire::encodings::Node;

/// The position of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferSpan {
    /// The section, from 0.
    pub section: usize,
    /// Offset in the section's plain bytes.
    pub offset: usize,
    /// Size in plain bytes, at least one.
    pub len: usize,
}

/// A column at any depth.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The path: `user.name`, `coordinates[]`, `tags{}.key`.
    pub path: String,
    /// The number of the top-level column that it is or is part of, from 0.
    pub column: usize,
    /// Name, type and metadata.
    pub field: Field,
    /// False if it has child columns; then its bytes are only validity and lengths.
    pub is_leaf: bool,
    /// Number of rows: for the child of a struct, those where the struct is valid; for that of a list, all items.
    pub rows: usize,
    /// Number of rows with a value; for a dictionary, those with an entry.
    pub valid: usize,
    /// True if there may be nulls that are not counted, such as null entries of a dictionary.
    pub may_hide_nulls: bool,
    /// The minimum and maximum.
    pub statistics: Option<MinMax>,
    /// The encoding of the values, for lists that of their lengths; `None` if there are none.
    pub encoding: Option<String>,
    /// The encoding of validity.
    pub validity: Option<String>,
    /// True if it needs a newer version; its bytes then include those of child columns.
    pub is_unread: bool,
    /// The positions of its own buffers, without those of child columns.
    pub spans: Vec<BufferSpan>,
}

impl Envelope {
    /// All columns, parents before their children.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the header says what cannot be.
    pub fn leaves(&self) -> Result<Vec<Leaf>> {
        let mut leaves = Vec::new();
        self.each_leaf(|leaf| leaves.push(leaf))?;
        Ok(leaves)
    }

    /// Like [`Self::leaves`], one by one.
    ///
    /// # Errors
    /// As for [`Self::leaves`].
    pub fn each_leaf(&self, mut each: impl FnMut(Leaf)) -> Result<()> {
        let columns = self.described()?;
        let names = columns.iter().enumerate();
        let names = names.map(|(at, (column, _))| display_name(column.field.name(), at));
        let names: Vec<_> = names.collect();
        for (position, (column, spans)) in columns.into_iter().enumerate() {
            let mut walk = LeafWalk {
                position,
                spans: spans.into_iter(),
                key: column.key.map(|key| names[key].as_str()),
                each: &mut each,
            };
            walk.column(column, names[position].clone());
        }
        Ok(())
    }

    /// A buffer's share of the stored bytes of its section. The shares of all buffers add up to the
    /// section.
    pub fn stored_len(&self, span: BufferSpan) -> u64 {
        let Some(section) = self.sections.get(span.section) else {
            return 0;
        };
        let (stored, plain) = (
            section.stored_len as u128,
            (section.plain_len as u128).max(1),
        );
        let end = |at: usize| (at as u128 * stored / plain) as u64;
        end(span.offset + span.len) - end(span.offset)
    }

    /// The columns at any depth that have bytes in a section, by path.
    pub fn columns_of_section(&self, section: usize) -> Vec<String> {
        let leaves = self.leaves().unwrap_or_default().into_iter();
        leaves
            .filter(|leaf| leaf.spans.iter().any(|span| span.section == section))
            .map(|leaf| leaf.path)
            .collect()
    }
}

/// Walks a column and its children.
struct LeafWalk<'a> {
    position: usize,
    /// The positions of the remaining buffers, in the order of the header.
    spans: std::vec::IntoIter<Option<BufferSpan>>,
    /// The column that the top-level column is grouped by.
    key: Option<&'a str>,
    each: &'a mut dyn FnMut(Leaf),
}

impl LeafWalk<'_> {
    fn column(&mut self, column: ColumnTree, path: String) {
        let mut spans = Vec::new();
        self.take(column.validity.as_deref(), &mut spans);
        let mut encoding = None;
        let mut is_leaf = true;
        let may_hide_nulls = matches!(
            &column.payload,
            ColumnValues::Dictionary { values, .. } if values.valid < values.rows
        );
        let is_unread = matches!(column.payload, ColumnValues::Unread(_));
        if is_unread {
            spans.extend(self.spans.by_ref().flatten());
            encoding = Some(column.encoding_name());
        }
        let is_map = matches!(column.field.data_type(), DataType::Map(..));
        // Children come after all buffers of their parent.
        let mut children = Vec::new();
        match column.payload {
            ColumnValues::Nothing | ColumnValues::Unread(_) => {}
            ColumnValues::Run(node) => {
                encoding = Some(node.name());
                self.take([&node], &mut spans);
            }
            ColumnValues::Wide { low, high } => {
                encoding = Some(format!("wide({}, {})", low.name(), high.name()));
                self.take([&*low, &*high], &mut spans);
            }
            ColumnValues::Struct(columns) => {
                is_leaf = false;
                children.extend(columns.into_iter().enumerate().map(|(at, child)| {
                    let name = display_name(child.field.name(), at);
                    (format!("{path}.{name}"), child)
                }));
            }
            ColumnValues::List { lengths, items } => {
                is_leaf = false;
                encoding = lengths.as_ref().map(Node::name);
                self.take(lengths.iter(), &mut spans);
                let below = if is_map { "{}" } else { "[]" };
                children.push((format!("{path}{below}"), *items));
            }
            ColumnValues::Dictionary { keys, values } => {
                encoding = keys
                    .as_ref()
                    .map(|keys| format!("dictionary({}, {})", values.encoding_name(), keys.name()));
                self.take(keys.iter(), &mut spans);
                let below = self.spans.by_ref().take(values.buffers());
                spans.extend(below.flatten());
            }
        }
        if let (Some(key), Some(encoding)) = (self.key, &mut encoding) {
            encoding.insert_str(0, &format!("grouped by {key}: "));
        }
        (self.each)(Leaf {
            path,
            column: self.position,
            field: column.field,
            is_leaf,
            rows: column.rows,
            valid: column.valid,
            may_hide_nulls,
            statistics: column.statistics,
            encoding,
            validity: column.validity.as_deref().map(Node::name),
            is_unread,
            spans,
        });
        for (path, child) in children {
            self.column(child, path);
        }
    }

    /// Takes the positions of the buffers of runs.
    fn take<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>, out: &mut Vec<BufferSpan>) {
        for node in nodes {
            out.extend(self.spans.by_ref().take(node.buffers()).flatten());
        }
    }
}

impl ColumnTree {
    /// Number of buffers of all runs of the column and its children.
    fn buffers(&self) -> usize {
        let below = match &self.payload {
            ColumnValues::Nothing | ColumnValues::Unread(_) => 0,
            ColumnValues::Run(node) => node.buffers(),
            ColumnValues::Wide { low, high } => low.buffers() + high.buffers(),
            ColumnValues::Struct(columns) => columns.iter().map(Self::buffers).sum(),
            ColumnValues::List {
                lengths: run,
                items: column,
            }
            | ColumnValues::Dictionary {
                keys: run,
                values: column,
            } => run.as_ref().map_or(0, Node::buffers) + column.buffers(),
        };
        below + self.validity.as_deref().map_or(0, Node::buffers)
    }
}
