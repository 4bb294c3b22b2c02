//! Converts nodes back to JSON text, for paths that blocks of one frame shredded differently.

use arrow_buffer::NullBuffer;

use super::{JsonKind, JsonNode, NullKinds};
use crate::columns::column::{Column, Strings};
use crate::text::json::print_string;

/// The compact JSON text of every slot; null if there is no value.
pub fn texts(node: JsonNode) -> Strings {
    let rows = node.rows;
    if let JsonKind::Text(_, texts) = node.kind {
        return texts;
    }
    let printer = NodePrinter::new(node);
    let mut texts = Strings::with_capacity(rows, rows * 16);
    for row in 0..rows {
        if printer.is_valid(row) {
            printer.print(row, &mut texts.data);
        }
        texts.end_row();
    }
    texts
}

/// A node ready to be printed.
struct NodePrinter {
    nulls: Option<NullBuffer>,
    null_kinds: NullKinds,
    body: NodeBody,
}

enum NodeBody {
    Null,
    Texts(Strings),
    /// Each key with its colon, and its values.
    Struct(Vec<(Vec<u8>, NodePrinter)>),
    List(Vec<i32>, Box<NodePrinter>),
    Map(Vec<i32>, Strings, Box<NodePrinter>),
    Variant(Vec<NodePrinter>),
}

impl NodePrinter {
    fn new(node: JsonNode) -> Self {
        let JsonNode {
            rows,
            nulls,
            null_kinds,
            kind,
        } = node;
        let body = match kind {
            JsonKind::Null => NodeBody::Null,
            JsonKind::Scalar(_, values) => {
                let nulls = nulls.clone();
                let column = Column::new(rows, nulls, values);
                NodeBody::Texts(column.into_json())
            }
            JsonKind::Text(_, texts) => NodeBody::Texts(texts),
            JsonKind::Struct(fields) => {
                let fields = fields.fields.into_iter().map(|(name, node)| {
                    let mut key = Vec::with_capacity(name.len() + 3);
                    print_string(name.as_bytes(), &mut key);
                    key.push(b':');
                    (key, Self::new(node))
                });
                NodeBody::Struct(fields.collect())
            }
            JsonKind::List(list) => NodeBody::List(list.offsets, Box::new(Self::new(*list.items))),
            JsonKind::Map(map) => {
                NodeBody::Map(map.offsets, map.keys, Box::new(Self::new(*map.values)))
            }
            JsonKind::Variant(children) => {
                let children = children.into_iter().map(|(_, node)| Self::new(node));
                NodeBody::Variant(children.collect())
            }
        };
        Self {
            nulls,
            null_kinds,
            body,
        }
    }

    fn is_valid(&self, row: usize) -> bool {
        self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row))
    }

    fn is_absent(&self, row: usize) -> bool {
        !self.is_valid(row)
            && match &self.null_kinds.bits {
                Some(bits) => bits.value(row),
                None => !self.null_kinds.null,
            }
    }

    fn print(&self, row: usize, out: &mut Vec<u8>) {
        if !self.is_valid(row) {
            out.extend_from_slice(b"null");
            return;
        }
        let range = |offsets: &[i32]| offsets[row] as usize..offsets[row + 1] as usize;
        match &self.body {
            NodeBody::Null => out.extend_from_slice(b"null"),
            NodeBody::Texts(texts) => out.extend_from_slice(texts.row(row)),
            NodeBody::Struct(fields) => {
                out.push(b'{');
                let there = fields.iter().filter(|(_, node)| !node.is_absent(row));
                for (place, (key, node)) in there.enumerate() {
                    separate(place, out);
                    out.extend_from_slice(key);
                    node.print(row, out);
                }
                out.push(b'}');
            }
            NodeBody::List(offsets, items) => {
                out.push(b'[');
                for (place, item) in range(offsets).enumerate() {
                    separate(place, out);
                    items.print(item, out);
                }
                out.push(b']');
            }
            NodeBody::Map(offsets, keys, values) => {
                out.push(b'{');
                for (place, entry) in range(offsets).enumerate() {
                    separate(place, out);
                    print_string(keys.row(entry), out);
                    out.push(b':');
                    values.print(entry, out);
                }
                out.push(b'}');
            }
            NodeBody::Variant(children) => {
                match children.iter().find(|child| child.is_valid(row)) {
                    Some(child) => child.print(row, out),
                    None => out.extend_from_slice(b"null"),
                }
            }
        }
    }
}

fn separate(place: usize, out: &mut Vec<u8>) {
    if place > 0 {
        out.push(b',');
    }
}
