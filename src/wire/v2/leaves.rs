//! What an envelope's header says about every column at every depth, without reading the body.
//!
//! Reports need one line per leaf, and bytes that add up: the bytes of a compressed section are divided
//! among the buffers in it in proportion to their plain bytes, without remainder.

use arrow_schema::{DataType, Field};

use super::column::{ColumnTree, Payload};
use super::envelope::Envelope;
use crate::columns::statistics::MinMax;
use crate::error::Result;
use crate::schema::display_name;
use crate::wire::encodings::Node;

/// Where a buffer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferSpan {
    /// The section, from 0.
    pub section: usize,
    /// Offset in the section's plain bytes.
    pub offset: usize,
    /// Plain bytes, at least one.
    pub len: usize,
}

/// A column at any depth.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The names down to it: `user.name`, `coordinates[]`, `tags{}.key`.
    pub path: String,
    /// The column of the table that it is or is part of, from 0.
    pub column: usize,
    /// Name, type and metadata.
    pub field: Field,
    /// False if there are columns below it; then its bytes are validity and lengths only.
    pub is_leaf: bool,
    /// Its rows: of a struct's child those where the struct is valid, of a list's all items.
    pub rows: usize,
    /// Rows with a value; of a dictionary those that have an entry.
    pub valid: usize,
    /// Some entries of its dictionary may be null.
    pub has_null_entries: bool,
    /// The least and the greatest value.
    pub statistics: Option<MinMax>,
    /// How values are written, of lists their lengths; `None` if there is nothing to write.
    pub encoding: Option<String>,
    /// How validity is written.
    pub validity: Option<String>,
    /// Only newer versions can read it; then its bytes are all that belong to it.
    pub is_unread: bool,
    /// Where its own bytes lie, those of columns below it not included.
    pub spans: Vec<BufferSpan>,
}

impl Envelope {
    /// All columns, parents before their children.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the header says what cannot be.
    pub fn leaves(&self) -> Result<Vec<Leaf>> {
        let mut leaves = Vec::new();
        let columns = self.described()?;
        let names = columns.iter().enumerate();
        let names = names.map(|(at, (column, _))| display_name(column.field.name(), at));
        let names: Vec<_> = names.collect();
        for (position, (column, spans)) in columns.into_iter().enumerate() {
            let mut walk = LeafWalk {
                position,
                spans: spans.into_iter(),
                key: column.key.map(|key| names[key].as_str()),
                leaves: &mut leaves,
            };
            walk.column(column, names[position].clone());
        }
        Ok(leaves)
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

/// Takes a column apart.
struct LeafWalk<'a> {
    position: usize,
    /// Where the remaining buffers are, in the order of the header.
    spans: std::vec::IntoIter<Option<BufferSpan>>,
    /// What the column of the table is grouped by.
    key: Option<&'a str>,
    leaves: &'a mut Vec<Leaf>,
}

impl LeafWalk<'_> {
    fn column(&mut self, column: ColumnTree, path: String) {
        let mut spans = Vec::new();
        self.take(column.validity.iter(), &mut spans);
        let mut encoding = None;
        let mut is_leaf = true;
        let has_null_entries = matches!(
            &column.payload,
            Payload::Dictionary { values, .. } if values.valid < values.rows
        );
        let is_unread = matches!(column.payload, Payload::Unread(_));
        if is_unread {
            spans.extend(self.spans.by_ref().flatten());
            encoding = Some(column.encoding_name());
        }
        let is_map = matches!(column.field.data_type(), DataType::Map(..));
        // Children come after everything that belongs to their parent.
        let mut children = Vec::new();
        match column.payload {
            Payload::Nothing | Payload::Unread(_) => {}
            Payload::Run(node) => {
                encoding = Some(node.name());
                self.take([&node], &mut spans);
            }
            Payload::Wide { low, high } => {
                encoding = Some(format!("wide({}, {})", low.name(), high.name()));
                self.take([&low, &high], &mut spans);
            }
            Payload::Struct(columns) => {
                is_leaf = false;
                children.extend(columns.into_iter().enumerate().map(|(at, child)| {
                    let name = display_name(child.field.name(), at);
                    (format!("{path}.{name}"), child)
                }));
            }
            Payload::List { lengths, items } => {
                is_leaf = false;
                encoding = lengths.as_ref().map(Node::name);
                self.take(lengths.iter(), &mut spans);
                let below = if is_map { "{}" } else { "[]" };
                children.push((format!("{path}{below}"), *items));
            }
            Payload::Dictionary { keys, values } => {
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
        self.leaves.push(Leaf {
            path,
            column: self.position,
            field: column.field,
            is_leaf,
            rows: column.rows,
            valid: column.valid,
            has_null_entries,
            statistics: column.statistics,
            encoding,
            validity: column.validity.as_ref().map(Node::name),
            is_unread,
            spans,
        });
        for (path, child) in children {
            self.column(child, path);
        }
    }

    /// Takes where the buffers of runs lie.
    fn take<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>, out: &mut Vec<BufferSpan>) {
        for node in nodes {
            out.extend(self.spans.by_ref().take(node.buffers()).flatten());
        }
    }
}

impl ColumnTree {
    /// Buffers of all runs at and below it.
    fn buffers(&self) -> usize {
        let below = match &self.payload {
            Payload::Nothing | Payload::Unread(_) => 0,
            Payload::Run(node) => node.buffers(),
            Payload::Wide { low, high } => low.buffers() + high.buffers(),
            Payload::Struct(columns) => columns.iter().map(Self::buffers).sum(),
            Payload::List {
                lengths: run,
                items: column,
            }
            | Payload::Dictionary {
                keys: run,
                values: column,
            } => run.as_ref().map_or(0, Node::buffers) + column.buffers(),
        };
        below + self.validity.as_ref().map_or(0, Node::buffers)
    }
}
