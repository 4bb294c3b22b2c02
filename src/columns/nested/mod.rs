//! Nested values as columns, and back: the shape of Dremel's shredding (Melnik et al., "Dremel:
//! Interactive Analysis of Web-Scale Datasets", VLDB 2010) in Arrow's terms.
//!
//! An object becomes a struct, an array a list, an object whose keys are data a map, and a path
//! with values of several kinds a *variant*: a struct with one child per kind, of which exactly one
//! is valid. A block of text is read to [`JsonNode`]s; [`column()`] turns the nodes of many blocks into
//! arrays of one type.
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
//! | rows that are no objects | the only column `$` | [`ROLE`](crate::schema::keys::ROLE) = `row` |

mod maps;
mod order;
mod print;
mod project;
mod union;

use arrow_buffer::{BooleanBuffer, NullBuffer};

use super::column::{Column, Strings, Values};

pub use maps::{looks_like_id, maps_by_density};
pub use order::{KeyOrder, order};
pub use project::column;

/// Objects and arrays that lie deeper are kept as JSON text.
pub const MAX_DEPTH: u8 = 64;
/// Most fields of a struct; objects with more keys that are no map are kept as JSON text.
pub const MAX_FIELDS: usize = 4096;

/// The values of one path in one block.
#[derive(Clone, Debug)]
pub struct JsonNode {
    /// Number of slots: one per slot of the parent struct, or one per item of the parent list.
    pub rows: usize,
    /// Which slots are valid; `None` if all are.
    pub nulls: Option<NullBuffer>,
    /// What the slots without a value were.
    pub null_kinds: NullKinds,
    /// What the valid slots are.
    pub kind: JsonKind,
}

/// What the valid slots of a [`JsonNode`] are.
#[derive(Clone, Debug)]
pub enum JsonKind {
    /// There is no valid slot.
    Null,
    /// Scalars of one kind.
    Scalar(Scalar, Values),
    /// Objects.
    Struct(Struct),
    /// Arrays.
    List(List),
    /// Objects whose keys are data.
    Map(Map),
    /// Values of several kinds, in the order of [`Tag`]; each child is valid where the slot is of its
    /// kind.
    Variant(Vec<(Tag, JsonNode)>),
    /// Values of the kind that cannot be taken apart, as compact JSON text.
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
    /// Objects, be they structs or maps.
    Object,
    /// Arrays.
    Array,
}

/// Objects as columns.
#[derive(Clone, Debug)]
pub struct Struct {
    /// The keys in the order of the text as far as there is one, and their values.
    pub fields: Vec<(String, JsonNode)>,
    /// Pairs of fields that followed each other directly in some object.
    pub edges: Vec<(u32, u32)>,
}

/// Arrays as one column of items.
#[derive(Clone, Debug)]
pub struct List {
    /// Slot s has the items `offsets[s]..offsets[s + 1]`.
    pub offsets: Vec<i32>,
    /// The items of all slots.
    pub items: Box<JsonNode>,
}

/// Objects as one column of keys and one of values.
#[derive(Clone, Debug)]
pub struct Map {
    /// Slot s has the entries `offsets[s]..offsets[s + 1]`.
    pub offsets: Vec<i32>,
    /// The key of each entry.
    pub keys: Strings,
    /// The value of each entry.
    pub values: Box<JsonNode>,
}

/// What the slots of a key were that have no value: the key was absent, or null stood there.
#[derive(Clone, Debug, Default)]
pub struct NullKinds {
    /// In some object the key was absent.
    pub absent: bool,
    /// In some object the value was null.
    pub null: bool,
    /// Where the key was absent, if it was null elsewhere.
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

    /// The kind of a JSON value that begins with `byte`; null has none.
    #[inline]
    pub fn of(byte: u8) -> Option<Self> {
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
    /// A node without a value; `absent` says whether an object was there whose key was not.
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

    /// A column as a node; one without a value is a key that was nowhere.
    pub fn from_column(column: Column) -> Self {
        let Column {
            rows,
            nulls,
            values,
        } = column;
        let scalar = match values {
            Values::Nested(node) => return *node,
            Values::Null => return Self::absent(rows, rows > 0),
            Values::Bool(_) => Scalar::Bool,
            Values::Numbers(_) | Values::Floats(_) | Values::Wide(_) => Scalar::Number,
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

    /// Bytes that the slots take, about.
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

    /// The kind of all valid slots, if there is but one.
    pub fn tag(&self) -> Option<Tag> {
        match &self.kind {
            JsonKind::Null | JsonKind::Variant(_) => None,
            JsonKind::Scalar(scalar, _) => Some((*scalar).into()),
            JsonKind::Struct(_) | JsonKind::Map(_) => Some(Tag::Object),
            JsonKind::List(_) => Some(Tag::Array),
            JsonKind::Text(tag, _) => Some(*tag),
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

    /// The node as the column of a block.
    pub fn into_column(self) -> Column {
        Column {
            rows: self.rows,
            nulls: None,
            values: Values::Nested(Box::new(self)),
        }
    }
}

/// Columns of rows as one column of objects; what is nowhere in it is no field.
pub fn object(rows: usize, columns: impl Iterator<Item = (String, Column)>) -> Column {
    let there = columns.filter(|(_, column)| !matches!(column.values, Values::Null));
    let fields: Vec<_> = there
        .map(|(name, column)| (name, JsonNode::from_column(column)))
        .collect();
    let edges = (1..fields.len() as u32).map(|at| (at - 1, at)).collect();
    let node = JsonNode {
        rows,
        nulls: None,
        null_kinds: NullKinds::default(),
        kind: JsonKind::Struct(Struct { fields, edges }),
    };
    node.into_column()
}
