//! Lists the columns of an envelope at every depth from its header, without reading the body.
//!
//! Reports need one line per leaf, and bytes that add up: the bytes of a compressed section are divided among its
//! buffers in proportion to their plain bytes, without remainder.

use arrow_schema::{DataType, Field};

use super::column::ColumnTree;
use super::envelope::Envelope;
use super::reference::Reference;
use super::relation::Relation;
use crate::columns::statistics::MinMax;
use crate::error::Result;
use crate::schema::display_name;
use crate::wire::encodings::{BufferSpan, Node};

/// A column at any depth.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The path: `user.name`, `coordinates[]`, `candles[0]` if items are stored by position, `tags{}.key`.
    pub path: String,
    /// The number of the top-level column that it is or is part of, from 0.
    pub column: usize,
    /// The number of columns that contain it; 0 for a column of the table.
    pub depth: usize,
    /// Name, type and metadata.
    pub field: Field,
    /// False if it has child columns; then its bytes are only validity and lengths.
    pub is_leaf: bool,
    /// Number of rows: for the child of a struct, the rows in which the struct is valid; for the child of a
    /// list, all items.
    pub rows: usize,
    /// Number of rows with a value; for a dictionary, those with an entry.
    pub valid: usize,
    /// True if there may be nulls that are not counted, such as null entries of a dictionary.
    pub may_hide_nulls: bool,
    /// The minimum and maximum.
    pub statistics: Option<MinMax>,
    /// The encoding of the values, or of the lengths of lists; `None` for leaves without values.
    pub encoding: Option<String>,
    /// The encoding of validity.
    pub validity: Option<String>,
    /// True if it needs a newer version; its bytes then include child columns.
    pub is_unread: bool,
    /// The positions of its own buffers, without child columns.
    pub spans: Vec<BufferSpan>,
    /// The bytes of these buffers in the file.
    pub stored: u64,
    /// The same, before compression.
    pub plain: u64,
}

impl Envelope {
    /// All columns, parents before their children.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the header is inconsistent.
    pub fn leaves(&self) -> Result<Vec<Leaf>> {
        let columns = self.columns()?;
        let name = |at: usize| display_name(columns[at].field.name(), at);
        let mut leaves = Vec::new();
        for (position, column) in columns.iter().enumerate() {
            let first = leaves.len();
            self.push_leaves(column, position, &name(position), 0, &mut leaves);
            let Some(encoding) = &mut leaves[first].encoding else {
                continue;
            };
            let relation = match column.relation {
                None => continue,
                Some(Relation::GroupedBy(key)) => format!("grouped by {}: ", name(key)),
                Some(Relation::DifferenceFrom(Reference { column, lag, .. })) => match lag {
                    0 => format!("difference from {}: ", name(column)),
                    1 => format!("difference from {} one row before: ", name(column)),
                    _ => format!("difference from {} {lag} rows before: ", name(column)),
                },
            };
            encoding.insert_str(0, &relation);
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
        self.leaves()
            .unwrap_or_default()
            .into_iter()
            .filter(|leaf| leaf.spans.iter().any(|span| span.section == section))
            .map(|leaf| leaf.path)
            .collect()
    }

    /// Adds a column and its children.
    fn push_leaves(
        &self,
        column: &ColumnTree,
        position: usize,
        path: &str,
        depth: usize,
        leaves: &mut Vec<Leaf>,
    ) {
        let data_type = column.field.data_type();
        let is_dictionary = matches!(data_type, DataType::Dictionary(..));
        let is_leaf = is_dictionary || !data_type.is_nested();
        let spans = if is_dictionary {
            column.spans()
        } else {
            column.own_spans()
        };
        let encoding = match column.runs.first() {
            None if column.positions().is_some() => Some(column.encoding_name()),
            None if column.unread.is_none() => None,
            Some(lengths) if !is_leaf => Some(lengths.name()),
            _ => Some(column.encoding_name()),
        };
        leaves.push(Leaf {
            path: path.to_owned(),
            column: position,
            depth,
            field: column.field.clone(),
            is_leaf,
            rows: column.rows,
            valid: column.valid,
            may_hide_nulls: is_leaf && column.children.iter().any(|child| child.valid < child.rows),
            statistics: column.statistics.clone(),
            encoding,
            validity: column.validity.as_ref().map(Node::name),
            is_unread: column.unread.is_some(),
            stored: spans.iter().map(|span| self.stored_len(*span)).sum(),
            plain: spans.iter().map(|span| span.len as u64).sum(),
            spans,
        });
        if is_leaf {
            return;
        }
        for (at, child) in column.children.iter().enumerate() {
            let path = column.child_path(path, at);
            self.push_leaves(child, position, &path, depth + 1, leaves);
        }
    }
}
