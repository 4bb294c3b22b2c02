//! Nested values as columns and back, similar to Dremel's shredding (Melnik et al., "Dremel: Interactive Analysis of
//! Web-Scale Datasets", VLDB 2010) but with Arrow's types.
//!
//! An object becomes a struct, an array a list, an object whose keys are data a map, and a path with values of several
//! kinds a *variant*: a struct with one child per kind, of which exactly one is valid. A block of text is parsed to
//! [`JsonNode`]s; [`column()`] turns the nodes of many blocks into arrays of one type.
//!
//! | JSON | Arrow | metadata |
//! |---|---|---|
//! | object | `Struct`, a field per key | |
//! | array | `List`, item field `item` | |
//! | object used as a map | `Map`, entries `key` (`Utf8`) and `value` | |
//! | several kinds | `Struct` of `bool`, `number`, `string`, `object`, `array` | [`VARIANT`](crate::schema::keys::VARIANT) = `true` |
//! | key absent, never null | null | [`GAP`](crate::schema::keys::GAP) = `absent` |
//! | key null, never absent | null | |
//! | both | null, and a `Boolean` field of the same name after it | [`ROLE`](crate::schema::keys::ROLE) = `absent` on that |
//! | the empty key of rows | a column without name | [`ROLE`](crate::schema::keys::ROLE) = `key` |
//! | rows that are not objects | the only column `$` | [`ROLE`](crate::schema::keys::ROLE) = `row` |

mod entries;
mod maps;
mod order;
mod project;
mod union;

use arrow_buffer::{BooleanBuffer, NullBuffer};

use super::column::{Column, Strings, Values};

pub use maps::{Kinds, MANY_KEYS, looks_like_id, maps_by_density};
pub use order::{Edges, KeyGraph, KeyOrder, join_names, order};
pub use project::{column, shred_structs};

/// The most fields of a struct; objects with more keys that are not maps are kept as JSON text.
pub const MAX_FIELDS: usize = 4096;

/// The values of one path in one block.
#[derive(Clone, Debug)]
pub struct JsonNode {
    /// Number of slots: one per slot of the parent struct, or one per item of the parent list.
    pub rows: usize,
    /// Which slots are valid; `None` if all are.
    pub nulls: Option<NullBuffer>,
    /// What the slots without a value were in the text.
    pub null_kinds: NullKinds,
    /// The values of the valid slots.
    pub kind: JsonKind,
}

/// The values of a [`JsonNode`].
#[derive(Clone, Debug)]
pub enum JsonKind {
    /// No slot is valid.
    Null,
    /// Scalars of one kind.
    Scalar(Scalar, Values),
    /// Objects.
    Struct(Struct),
    /// Arrays.
    List(List),
    /// Objects whose keys are data.
    Map(Map),
    /// Values of several kinds, in the order of [`Tag`]; each child is valid in the slots of its kind.
    Variant(Vec<(Tag, JsonNode)>),
    /// Values of one kind that cannot be shredded, as compact JSON text.
    Text(Tag, Strings),
}

/// Kinds of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `true` and `false`.
    Bool,
    /// Numbers.
    Number,
    /// Strings.
    String,
}

/// Kinds of values, in the order of a variant's children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// `true` and `false`.
    Bool,
    /// Numbers.
    Number,
    /// Strings.
    String,
    /// Objects, whether structs or maps.
    Object,
    /// Arrays.
    Array,
}

/// Objects, stored as one column per key.
#[derive(Clone, Debug)]
pub struct Struct {
    /// The keys and their values, in the order of the text if there is a common order.
    pub fields: Vec<(String, JsonNode)>,
    /// Pairs of fields that are adjacent in some object.
    pub edges: Vec<(u32, u32)>,
}

/// Arrays, stored as one column of items.
#[derive(Clone, Debug)]
pub struct List {
    /// Slot `s` has the items `offsets[s]..offsets[s + 1]`.
    pub offsets: Vec<i32>,
    /// The items of all slots.
    pub items: Box<JsonNode>,
}

/// Objects, stored as one column of keys and one of values.
#[derive(Clone, Debug)]
pub struct Map {
    /// Slot `s` has the entries `offsets[s]..offsets[s + 1]`.
    pub offsets: Vec<i32>,
    /// The key of each entry.
    pub keys: Strings,
    /// The value of each entry.
    pub values: Box<JsonNode>,
}

/// Why slots of a key have no value: the key was absent, or its value was null.
#[derive(Clone, Debug, Default)]
pub struct NullKinds {
    /// The key was absent in some object.
    pub absent: bool,
    /// The value was null in some object.
    pub null: bool,
    /// The slots in which the key was absent, if it was null in others.
    pub bits: Option<BooleanBuffer>,
}

impl Tag {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Bool,
        Self::Number,
        Self::String,
        Self::Object,
        Self::Array,
    ];

    /// The name of the variant's child.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Number => "number",
            Self::String => "string",
            Self::Object => "object",
            Self::Array => "array",
        }
    }

    /// The kind of a JSON value that starts with `byte`; `None` for null.
    #[inline]
    pub const fn of(byte: u8) -> Option<Self> {
        Some(match byte {
            b't' | b'f' => Self::Bool,
            b'-' | b'0'..=b'9' => Self::Number,
            b'"' => Self::String,
            b'{' => Self::Object,
            b'[' => Self::Array,
            _ => return None,
        })
    }
}

/// The columns in which nodes are stored.
#[derive(Debug, Default)]
pub struct Leaves {
    /// Number of columns.
    pub count: usize,
    /// Number of cells in all of them, with a value or without.
    pub cells: usize,
    /// Number of values in all of them.
    pub values: usize,
}

impl Leaves {
    /// Adds the leaves of a node.
    pub fn add(&mut self, node: &JsonNode) {
        let mut add_leaf = |cells, values| {
            self.count += 1;
            self.cells += cells;
            self.values += values;
        };
        match &node.kind {
            JsonKind::Null => add_leaf(node.rows, 0),
            JsonKind::Scalar(..) | JsonKind::Text(..) => {
                let nulls = node.nulls.as_ref().map_or(0, NullBuffer::null_count);
                add_leaf(node.rows, node.rows - nulls);
            }
            JsonKind::Struct(of) => of.fields.iter().for_each(|(_, field)| self.add(field)),
            JsonKind::List(of) => self.add(&of.items),
            JsonKind::Map(of) => {
                add_leaf(of.values.rows, of.values.rows);
                self.add(&of.values);
            }
            JsonKind::Variant(kinds) => kinds.iter().for_each(|(_, kind)| self.add(kind)),
        }
    }
}

impl From<Scalar> for Tag {
    fn from(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool => Self::Bool,
            Scalar::Number => Self::Number,
            Scalar::String => Self::String,
        }
    }
}

impl JsonNode {
    /// A node whose slots without a value are not members of objects.
    pub fn new(rows: usize, nulls: Option<NullBuffer>, kind: JsonKind) -> Self {
        Self {
            rows,
            nulls,
            null_kinds: NullKinds::default(),
            kind,
        }
    }

    /// A node without values; `absent` says whether the key was absent from objects.
    pub fn absent(rows: usize, absent: bool) -> Self {
        Self {
            rows,
            nulls: (rows > 0).then(|| NullBuffer::new_null(rows)),
            null_kinds: NullKinds {
                absent,
                ..NullKinds::default()
            },
            kind: JsonKind::Null,
        }
    }

    /// Converts a column; one without values becomes an absent key.
    pub fn from_column(column: Column) -> Self {
        let Column {
            rows,
            nulls,
            values,
            ..
        } = column;
        let scalar = match values {
            Values::Nested(node) => return *node,
            Values::Null => return Self::absent(rows, rows > 0),
            Values::Bool(_) => Scalar::Bool,
            ref values if values.are_numbers() => Scalar::Number,
            _ => Scalar::String,
        };
        let null_kinds = NullKinds {
            null: nulls.is_some(),
            ..NullKinds::default()
        };
        Self {
            rows,
            nulls,
            null_kinds,
            kind: JsonKind::Scalar(scalar, values),
        }
    }

    /// Approximate size of the slots in bytes.
    pub fn len_bytes(&self) -> usize {
        let texts = |strings: &Strings| 4 * strings.offsets.len() + strings.data.len();
        self.rows / 8
            + match &self.kind {
                JsonKind::Null => 0,
                JsonKind::Scalar(_, values) => values.len_bytes(self.rows),
                JsonKind::Text(_, strings) => texts(strings),
                JsonKind::Struct(object) => {
                    object.fields.iter().map(|(_, node)| node.len_bytes()).sum()
                }
                JsonKind::List(list) => 4 * self.rows + list.items.len_bytes(),
                JsonKind::Map(map) => 4 * self.rows + texts(&map.keys) + map.values.len_bytes(),
                JsonKind::Variant(children) => {
                    children.iter().map(|(_, node)| node.len_bytes()).sum()
                }
            }
    }

    /// Number of valid slots.
    pub fn valid(&self) -> usize {
        self.rows - self.nulls.as_ref().map_or(0, NullBuffer::null_count)
    }

    /// The kind of all valid slots, if there is only one.
    pub fn tag(&self) -> Option<Tag> {
        match &self.kind {
            JsonKind::Null | JsonKind::Variant(_) => None,
            JsonKind::Scalar(scalar, _) => Some((*scalar).into()),
            JsonKind::Struct(_) | JsonKind::Map(_) => Some(Tag::Object),
            JsonKind::List(_) => Some(Tag::Array),
            JsonKind::Text(tag, _) => Some(*tag),
        }
    }

    /// Adds the kinds of the values and of the items of arrays.
    fn add_kinds(&self, kinds: &mut Kinds) {
        self.tags().for_each(|tag| kinds.add(tag));
        for list in self.lists() {
            list.items.tags().for_each(|tag| kinds.add_item(tag));
        }
    }

    /// The kinds of the values.
    fn tags(&self) -> impl Iterator<Item = Tag> {
        let of_variant = self.variants().iter().map(|(tag, _)| *tag);
        self.tag().into_iter().chain(of_variant)
    }

    /// The arrays among the values.
    fn lists(&self) -> impl Iterator<Item = &List> {
        let of_variant = self.variants().iter().map(|(_, child)| child);
        let nodes = std::iter::once(self).chain(of_variant);
        nodes.filter_map(|node| match &node.kind {
            JsonKind::List(list) => Some(list),
            _ => None,
        })
    }

    /// The values of each kind, if there are several.
    fn variants(&self) -> &[(Tag, Self)] {
        match &self.kind {
            JsonKind::Variant(children) => children,
            _ => &[],
        }
    }

    /// True if all objects have their members in the order of the fields.
    pub fn is_in_order(&self) -> bool {
        match &self.kind {
            JsonKind::Null | JsonKind::Scalar(..) | JsonKind::Text(..) => true,
            JsonKind::Struct(Struct { fields, edges }) => {
                edges.iter().all(|(a, b)| a < b)
                    && fields.iter().all(|(_, field)| field.is_in_order())
            }
            JsonKind::List(list) => list.items.is_in_order(),
            JsonKind::Map(map) => map.values.is_in_order(),
            JsonKind::Variant(children) => children.iter().all(|(_, child)| child.is_in_order()),
        }
    }

    /// Converts the node to a column of a block.
    pub fn into_column(self) -> Column {
        Column::new(self.rows, None, Values::Nested(Box::new(self)))
    }
}

/// Combines the columns of rows to one column of objects. Columns that are absent everywhere are dropped.
pub fn object(rows: usize, columns: impl Iterator<Item = (String, Column)>) -> Column {
    let fields: Vec<_> = columns
        .filter(|(_, column)| !matches!(column.values, Values::Null))
        .map(|(name, column)| (name, JsonNode::from_column(column)))
        .collect();
    let edges = (1..fields.len() as u32).map(|at| (at - 1, at)).collect();
    let node = JsonNode::new(rows, None, JsonKind::Struct(Struct { fields, edges }));
    node.into_column()
}
