//! Converts the nodes of many blocks to arrays of one type.
//!
//! Different kinds are joined to a variant, structs to a struct with the union of their keys, and a map and structs to
//! a map. Scalars get the type that [`crate::columns::project`] chooses for all blocks together.

use std::cell::Cell;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BooleanArray, ListArray, MapArray, StructArray};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};

use super::entries::make_map;
use super::union::Union;
use super::{JsonKind, JsonNode, KeyOrder, List, MAX_FIELDS, Map, Struct, Tag, order};
use crate::columns::column::{Column, Strings, Values};
use crate::columns::print::json::json_texts;
use crate::columns::project::project;
use crate::columns::shred::{shred_as_maps, shred_as_structs};
use crate::error::{Error, Result};
use crate::schema::keys::{ABSENT, FIXED, GAP, ROLE, ROW, as_member, as_variant, with, without};
use crate::schema::{FixedType, Type};

/// A field and its array in each block.
type Projected = (Field, Vec<ArrayRef>);

/// Projects one JSON column over all blocks of a frame. If its key was absent in some rows and null in others, a second
/// field records where it was absent. `rows` is true if the values are the rows themselves. Also returns whether the
/// members of objects are in the order of the fields.
///
/// # Errors
/// [`crate::error::Kind::Limit`] if the arrays are too large for Arrow.
pub fn column(
    name: &str,
    blocks: Vec<Column>,
    fixed: Option<FixedType>,
    infer: bool,
    rows: bool,
) -> Result<(Vec<Projected>, KeyOrder)> {
    let nodes = blocks.into_iter().map(JsonNode::from_column).collect();
    // Values of a fixed type may print differently.
    let order = match fixed {
        Some(_) => KeyOrder::Unknown,
        None => KeyOrder::Kept,
    };
    let is_found = fixed.is_none();
    let projector = Projector {
        infer,
        fixed,
        order: order.into(),
        keeps_structs: false,
    };
    let projected = if rows {
        let values = projector.any(name, nodes);
        values.map(|(field, arrays)| vec![(with(field, ROLE, ROW), arrays)])
    } else {
        projector.member(name, nodes).map(|mut members| {
            // A column `$` whose type the user chose may contain the rows themselves, so it is not marked as a member.
            if let Some((field, _)) = members.first_mut()
                && (name.is_empty() || is_found)
            {
                *field = as_member(field.clone());
            }
            members
        })
    };
    let projected = projected.map_err(|error| {
        Error::limit(format!("cannot hold the columns: {error}")).in_column(name)
    })?;
    Ok((projected, projector.order.get()))
}

struct Projector {
    infer: bool,
    fixed: Option<FixedType>,
    /// The key order of all objects so far.
    order: Cell<KeyOrder>,
    /// True if structs never become maps or text.
    keeps_structs: bool,
}

type ArrowResult<T> = std::result::Result<T, ArrowError>;

/// The compact JSON text of every slot; empty if there is no value. Members keep the order of this node.
pub(super) fn texts(node: JsonNode, infer: bool) -> ArrowResult<Strings> {
    if let JsonKind::Text(_, texts) = node.kind {
        return Ok(texts);
    }
    let projector = Projector {
        infer,
        fixed: None,
        order: KeyOrder::Kept.into(),
        keeps_structs: true,
    };
    let (field, arrays) = projector.any("", vec![node])?;
    let printed = json_texts(&arrays[0], &field)
        .map_err(|error| ArrowError::from_external_error(Box::new(error)))?;
    let texts = printed.as_string::<i32>();
    Ok(Strings {
        offsets: texts.value_offsets().to_vec(),
        data: texts.value_data().to_vec(),
        utf8: true,
        is_literal: false,
        comma: false,
    })
}

/// Objects in JSON text as structs, even if their keys look like data; `None` if they are too wide. Null rows have no
/// text.
pub fn shred_structs(name: &str, texts: &Strings, infer: bool) -> Option<(Field, ArrayRef)> {
    let projector = Projector {
        infer,
        fixed: None,
        order: KeyOrder::Kept.into(),
        keeps_structs: true,
    };
    let node = shred_as_structs(texts, infer)?;
    let (field, mut arrays) = projector.any(name, vec![node]).ok()?;
    Some((field, arrays.pop()?))
}

impl Projector {
    fn note_order(&self, order: KeyOrder) {
        self.order.set(self.order.get().max(order));
    }

    /// Records the key order of a node that becomes text, since its text has the order of its own block.
    fn prints(&self, node: &JsonNode) {
        if !node.is_in_order() {
            self.note_order(KeyOrder::Unknown);
        }
    }

    /// A member of objects: its field, followed by the hidden one if needed.
    fn member(&self, name: &str, nodes: Vec<JsonNode>) -> ArrowResult<Vec<Projected>> {
        let absent = nodes.iter().any(|node| node.null_kinds.absent);
        let null = nodes.iter().any(|node| node.null_kinds.null);
        let hidden = (absent && null).then(|| {
            let arrays = nodes.iter().map(|node| {
                let bits = absent_bits(node);
                Arc::new(BooleanArray::new(bits, None)) as ArrayRef
            });
            let field = Field::new(name, DataType::Boolean, false);
            (with(field, ROLE, ABSENT), arrays.collect())
        });
        let (mut field, arrays) = self.any(name, nodes)?;
        if absent && !null {
            field = with(field, GAP, ABSENT);
        }
        Ok(std::iter::once((field, arrays)).chain(hidden).collect())
    }

    /// Values of any kind.
    fn any(&self, name: &str, nodes: Vec<JsonNode>) -> ArrowResult<Projected> {
        let mut kinds = [false; 5];
        for tag in nodes.iter().flat_map(JsonNode::tags) {
            kinds[tag as usize] = true;
        }
        if self.fixed.is_some() {
            return Ok(self.scalars(name, nodes));
        }
        let mut tags = Tag::ALL.into_iter().filter(|&tag| kinds[tag as usize]);
        match (tags.next(), tags.next()) {
            (None, _) => Ok(self.scalars(name, nodes)),
            (Some(tag), None) => self.one_kind(tag, name, nodes),
            _ => self.variant(kinds, name, nodes),
        }
    }

    /// Values of several kinds, a child for each.
    fn variant(
        &self,
        kinds: [bool; 5],
        name: &str,
        nodes: Vec<JsonNode>,
    ) -> ArrowResult<Projected> {
        let rows: Vec<_> = nodes.iter().map(|node| node.rows).collect();
        let nulls: Vec<_> = nodes.iter().map(|node| node.nulls.clone()).collect();
        let mut parts: Vec<Vec<_>> = nodes.into_iter().map(by_kind).collect();
        let mut children = Vec::new();
        for tag in Tag::ALL.into_iter().filter(|&tag| kinds[tag as usize]) {
            let take = |(parts, &rows): (&mut Vec<(Tag, JsonNode)>, &usize)| {
                let place = parts.iter().position(|(other, _)| *other == tag);
                place.map_or_else(
                    || JsonNode::absent(rows, false),
                    |at| parts.swap_remove(at).1,
                )
            };
            let nodes = parts.iter_mut().zip(&rows).map(take).collect();
            children.push(self.one_kind(tag, tag.name(), nodes)?);
        }
        let (field, arrays) = structs(name, children, &rows, nulls)?;
        Ok((as_variant(field), arrays))
    }

    /// Values of one kind.
    fn one_kind(&self, tag: Tag, name: &str, nodes: Vec<JsonNode>) -> ArrowResult<Projected> {
        if nodes
            .iter()
            .any(|node| matches!(node.kind, JsonKind::Text(..)))
        {
            return self.text(name, nodes);
        }
        match tag {
            Tag::Bool | Tag::Number | Tag::String => Ok(self.scalars(name, nodes)),
            Tag::Array => self.lists(name, nodes),
            Tag::Object
                if nodes
                    .iter()
                    .any(|node| matches!(node.kind, JsonKind::Map(_))) =>
            {
                self.maps(name, nodes)
            }
            Tag::Object => self.objects(name, nodes),
        }
    }

    fn scalars(&self, name: &str, nodes: Vec<JsonNode>) -> Projected {
        let column = |node: JsonNode| match node.kind {
            JsonKind::Scalar(_, values) => Column::new(node.rows, node.nulls, values),
            _ => Column::null(node.rows),
        };
        let columns = nodes.into_iter().map(column).collect();
        self.project(name, columns, self.fixed.as_ref())
    }

    fn project(&self, name: &str, blocks: Vec<Column>, fixed: Option<&FixedType>) -> Projected {
        let mut blocks = blocks;
        let projection = project(name, &mut blocks, fixed, self.infer, true);
        let mut field = projection.field().clone();
        if self.fixed.is_none() && (self.infer || Type::of(&field) != Some(Type::Json)) {
            // Strings need no fixed type to keep their values.
            field = without(field, &[FIXED]);
        }
        (field, projection.arrays(blocks))
    }

    /// Values that cannot be shredded, or were shredded differently.
    fn text(&self, name: &str, nodes: Vec<JsonNode>) -> ArrowResult<Projected> {
        for node in &nodes {
            self.prints(node);
        }
        let column = |node: JsonNode| {
            if matches!(node.kind, JsonKind::Null) {
                return Ok(Column::null(node.rows));
            }
            let (rows, nulls) = (node.rows, node.nulls.clone());
            let texts = texts(node, self.infer)?;
            Ok(Column::new(rows, nulls, Values::Json(texts)))
        };
        let columns = nodes.into_iter().map(column).collect::<ArrowResult<_>>()?;
        Ok(self.project(name, columns, Some(&Type::Json.into())))
    }

    /// Arrays as lists. Blocks without arrays have empty lists.
    fn lists(&self, name: &str, nodes: Vec<JsonNode>) -> ArrowResult<Projected> {
        let mut slots = Vec::with_capacity(nodes.len());
        let mut items = Vec::with_capacity(nodes.len());
        for node in nodes {
            let list = match node.kind {
                JsonKind::List(list) => list,
                _ => List {
                    offsets: vec![0; node.rows + 1],
                    items: Box::new(JsonNode::absent(0, false)),
                },
            };
            slots.push((offsets(list.offsets), node.nulls));
            items.push(*list.items);
        }
        let (item, arrays) = self.any("item", items)?;
        let item = Arc::new(item);
        let arrays = slots
            .into_iter()
            .zip(arrays)
            .map(|((offsets, nulls), array)| {
                let list = ListArray::try_new(Arc::clone(&item), offsets, array, nulls)?;
                Ok(Arc::new(list) as ArrayRef)
            })
            .collect::<ArrowResult<_>>()?;
        Ok((Field::new(name, DataType::List(item), true), arrays))
    }

    /// Objects as maps. Blocks that shredded them as structs are converted first, and blocks without objects have empty
    /// maps. If a key cannot be represented as text, all values become text.
    fn maps(&self, name: &str, nodes: Vec<JsonNode>) -> ArrowResult<Projected> {
        let nodes: Vec<_> = nodes
            .into_iter()
            .map(|mut node| {
                if !matches!(node.kind, JsonKind::Struct(_)) {
                    return Ok(node);
                }
                self.prints(&node);
                if make_map(&mut node) {
                    return Ok(node);
                }
                Ok(shred_as_maps(&texts(node, self.infer)?, self.infer))
            })
            .collect::<ArrowResult<_>>()?;
        if nodes
            .iter()
            .any(|node| matches!(node.kind, JsonKind::Text(..)))
        {
            return self.text(name, nodes);
        }
        let mut slots = Vec::with_capacity(nodes.len());
        let mut keys = Vec::with_capacity(nodes.len());
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            let map = match node.kind {
                JsonKind::Map(map) => map,
                _ => Map {
                    offsets: vec![0; node.rows + 1],
                    keys: Strings::with_capacity(0, 0),
                    values: Box::new(JsonNode::absent(0, false)),
                },
            };
            slots.push((offsets(map.offsets), node.nulls));
            keys.push(Column::new(map.values.rows, None, Values::Text(map.keys)));
            values.push(*map.values);
        }
        let utf8 = Type::Utf8.into();
        let (key, keys) = self.project("key", keys, Some(&utf8));
        let (value, values) = self.any("value", values)?;
        let fields = Fields::from(vec![key.with_nullable(false), value]);
        let entries = DataType::Struct(fields.clone());
        let entries = Arc::new(Field::new("entries", entries, false));
        let arrays = slots
            .into_iter()
            .zip(keys.into_iter().zip(values))
            .map(|((offsets, nulls), (keys, values))| {
                let rows = StructArray::try_new(fields.clone(), vec![keys, values], None)?;
                let map = MapArray::try_new(Arc::clone(&entries), offsets, rows, nulls, false)?;
                Ok(Arc::new(map) as ArrayRef)
            })
            .collect::<ArrowResult<_>>()?;
        Ok((
            Field::new(name, DataType::Map(entries, false), true),
            arrays,
        ))
    }

    /// Structs, which may turn out to be maps or too wide.
    fn objects(&self, name: &str, nodes: Vec<JsonNode>) -> ArrowResult<Projected> {
        let union = Union::of(&nodes);
        if !self.keeps_structs {
            if union.is_map(&nodes) {
                return self.maps(name, nodes);
            }
            if union.names.len() > MAX_FIELDS {
                return self.text(name, nodes);
            }
        }
        let rows: Vec<_> = nodes.iter().map(|node| node.rows).collect();
        let nulls: Vec<_> = nodes.iter().map(|node| node.nulls.clone()).collect();
        let mut columns: Vec<Vec<JsonNode>> = union.names.iter().map(|_| Vec::new()).collect();
        for (block, node) in nodes.into_iter().enumerate() {
            let (rows, valid) = (node.rows, node.valid());
            if let JsonKind::Struct(Struct { fields, .. }) = node.kind {
                for (name, node) in fields {
                    if let Some(&place) = union.places.get(&name) {
                        columns[place].push(node);
                    }
                }
            }
            for column in &mut columns {
                if column.len() == block {
                    column.push(JsonNode::absent(rows, valid > 0));
                }
            }
        }
        let mut fields = Vec::with_capacity(columns.len());
        let order = order(union.names.len(), &union.edges);
        self.note_order(KeyOrder::of(&order, &union.edges));
        for key in order {
            let nodes = std::mem::take(&mut columns[key as usize]);
            fields.extend(self.member(&union.names[key as usize], nodes)?);
        }
        structs(name, fields, &rows, nulls)
    }
}

/// Splits a node by kind.
fn by_kind(node: JsonNode) -> Vec<(Tag, JsonNode)> {
    match (node.tag(), node.kind) {
        (_, JsonKind::Variant(children)) => children,
        (Some(tag), kind) => {
            let node = JsonNode::new(node.rows, node.nulls, kind);
            vec![(tag, node)]
        }
        (None, _) => Vec::new(),
    }
}

/// A struct per block.
fn structs(
    name: &str,
    members: Vec<Projected>,
    rows: &[usize],
    nulls: Vec<Option<NullBuffer>>,
) -> ArrowResult<Projected> {
    let mut blocks: Vec<Vec<ArrayRef>> = rows.iter().map(|_| Vec::new()).collect();
    let mut fields = Vec::with_capacity(members.len());
    for (field, arrays) in members {
        fields.push(field);
        for (block, array) in blocks.iter_mut().zip(arrays) {
            block.push(array);
        }
    }
    let fields = Fields::from(fields);
    let arrays = blocks
        .into_iter()
        .zip(rows)
        .zip(nulls)
        .map(|((arrays, &rows), nulls)| {
            let array = if fields.is_empty() {
                StructArray::new_empty_fields(rows, nulls)
            } else {
                StructArray::try_new(fields.clone(), arrays, nulls)?
            };
            Ok(Arc::new(array) as ArrayRef)
        })
        .collect::<ArrowResult<_>>()?;
    Ok((Field::new(name, DataType::Struct(fields), true), arrays))
}

/// The slots in which the key was absent, or that are not objects.
fn absent_bits(node: &JsonNode) -> BooleanBuffer {
    match (&node.null_kinds.bits, &node.nulls) {
        (Some(bits), _) => bits.clone(),
        (None, Some(nulls)) if !node.null_kinds.null => !nulls.inner(),
        _ => BooleanBuffer::new_unset(node.rows),
    }
}

fn offsets(offsets: Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(ScalarBuffer::from(offsets))
}
