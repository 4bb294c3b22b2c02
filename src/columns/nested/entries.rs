//! Turns the structs of a block into maps, for paths whose objects are maps in the frame as a whole.
//!
//! Strings, and arrays of strings, are gathered from the fields as they are. Values of other kinds may need a wider type
//! when they are put together; the caller prints and parses those again.

use arrow_buffer::{BooleanBuffer, NullBuffer};

use super::{JsonKind, JsonNode, List, Map, NullKinds, Scalar, Struct};
use crate::columns::column::{Column, Strings, Values};

/// The position of a value: the number of its field, and its slot there.
type ValuePlace = (u32, u32);

/// Converts structs to maps in place. Returns `false`, with the node unchanged, if these are not structs whose values
/// are gathered here.
pub fn make_map(node: &mut JsonNode) -> bool {
    let JsonKind::Struct(Struct { fields, .. }) = &mut node.kind else {
        return false;
    };
    let mut values = fields.iter().map(|(_, field)| field);
    if !are_gathered(&mut values) {
        return false;
    }
    let (names, fields): (Vec<_>, Vec<_>) = std::mem::take(fields).into_iter().unzip();
    let (offsets, origins) = members(node.rows, node.nulls.as_ref(), &fields);
    let mut keys = Strings::with_capacity(origins.len(), 0);
    for &(field, _) in &origins {
        keys.data
            .extend_from_slice(names[field as usize].as_bytes());
        keys.end_row();
    }
    let values = Box::new(gather(fields, &origins));
    node.kind = JsonKind::Map(Map {
        offsets,
        keys,
        values,
    });
    node.null_kinds = NullKinds::default();
    true
}

/// True if the values of all nodes together can only be strings, or only arrays of strings. One node with text is
/// enough: inference finds no narrower type for a column that contains it.
fn are_gathered(nodes: &mut dyn Iterator<Item = &JsonNode>) -> bool {
    let (mut scalars, mut has_text, mut items) = (0, false, Vec::new());
    for node in nodes {
        match &node.kind {
            JsonKind::Null => {}
            // A string that is not Unicode makes its column JSON text.
            JsonKind::Scalar(Scalar::String, values) if values.is_string_in_json() => {
                scalars += 1;
                has_text |= matches!(values, Values::Text(_));
            }
            JsonKind::List(list) => items.push(&*list.items),
            _ => return false,
        }
    }
    match (scalars, items.len()) {
        (0, 1..) => are_gathered(&mut items.into_iter()),
        (_, 0) => has_text,
        _ => false,
    }
}

/// The offsets of each object's members among all members, and where their values are.
fn members(
    rows: usize,
    nulls: Option<&NullBuffer>,
    fields: &[JsonNode],
) -> (Vec<i32>, Vec<ValuePlace>) {
    let present: Vec<_> = fields.iter().map(|field| present(field, nulls)).collect();
    // Count the members of each object, and add the counts up to offsets.
    let mut offsets = vec![0_i32; rows + 1];
    for bits in &present {
        for row in bits.set_indices() {
            offsets[row + 1] += 1;
        }
    }
    for row in 0..rows {
        offsets[row + 1] += offsets[row];
    }
    // Field by field, so that the members of each object are in the order of the fields.
    let mut free = offsets.clone();
    let mut origins = vec![(0, 0); offsets[rows] as usize];
    for (field, bits) in present.iter().enumerate() {
        for row in bits.set_indices() {
            origins[free[row] as usize] = (field as u32, row as u32);
            free[row] += 1;
        }
    }
    (offsets, origins)
}

/// The slots in which an object has the field.
fn present(field: &JsonNode, objects: Option<&NullBuffer>) -> BooleanBuffer {
    let objects = || match objects {
        Some(objects) => objects.inner().clone(),
        None => BooleanBuffer::new_set(field.rows),
    };
    match (&field.null_kinds, &field.nulls) {
        (
            NullKinds {
                bits: Some(absent), ..
            },
            _,
        ) => &objects() & &!absent,
        (NullKinds { null: true, .. }, _) | (_, None) => objects(),
        (_, Some(nulls)) => nulls.inner().clone(),
    }
}

/// The values at `origins` as one node.
fn gather(nodes: Vec<JsonNode>, origins: &[ValuePlace]) -> JsonNode {
    let nulls: Vec<_> = nodes.iter().map(|node| node.nulls.clone()).collect();
    let is_valid = |&(node, slot): &ValuePlace| {
        let nulls = nulls[node as usize].as_ref();
        nulls.is_none_or(|nulls| nulls.is_valid(slot as usize))
    };
    let valid = BooleanBuffer::collect_bool(origins.len(), |at| is_valid(&origins[at]));
    let is_list = |node: &JsonNode| matches!(node.kind, JsonKind::List(_));
    let kind = if valid.count_set_bits() == 0 {
        JsonKind::Null
    } else if nodes.iter().any(is_list) {
        JsonKind::List(lists(nodes, origins, &valid))
    } else {
        JsonKind::Scalar(Scalar::String, Values::Text(strings(nodes, origins)))
    };
    let nulls = NullBuffer::new(valid);
    let nulls = (nulls.null_count() > 0).then_some(nulls);
    JsonNode::new(origins.len(), nulls, kind)
}

/// The lists at `origins`, in this order. Their items are listed first and then gathered like any other
/// values.
fn lists(nodes: Vec<JsonNode>, origins: &[ValuePlace], valid: &BooleanBuffer) -> List {
    let (mut ranges, mut items) = (Vec::new(), Vec::new());
    for node in nodes {
        let (offsets, node) = match node.kind {
            JsonKind::List(list) => (list.offsets, *list.items),
            _ => (Vec::new(), JsonNode::absent(0, false)),
        };
        ranges.push(offsets);
        items.push(node);
    }
    let mut offsets = Vec::with_capacity(origins.len() + 1);
    offsets.push(0);
    let mut places = Vec::new();
    for (at, &(node, slot)) in origins.iter().enumerate() {
        if valid.value(at) {
            let range = &ranges[node as usize][slot as usize..];
            places.extend((range[0]..range[1]).map(|item| (node, item as u32)));
        }
        offsets.push(places.len() as i32);
    }
    List {
        offsets,
        items: Box::new(gather(items, &places)),
    }
}

fn strings(nodes: Vec<JsonNode>, origins: &[ValuePlace]) -> Strings {
    let text = |node: JsonNode| match node.kind {
        JsonKind::Scalar(_, values) => Some(Column::new(node.rows, node.nulls, values).into_text()),
        _ => None,
    };
    let texts: Vec<_> = nodes.into_iter().map(text).collect();
    let bytes = texts.iter().flatten().map(|text| text.data.len()).sum();
    let mut strings = Strings::with_capacity(origins.len(), bytes);
    for &(node, slot) in origins {
        if let Some(text) = &texts[node as usize] {
            strings.data.extend_from_slice(text.row(slot as usize));
        }
        strings.end_row();
    }
    strings
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::columns::nested::project::texts;
    use crate::columns::shred::shred_as_maps;

    const WORDS: [&str; 5] = ["a", "", "2024-01-02", "\u{e9}", "7"];

    /// A slot of a field.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Slot {
        Absent,
        Null,
        Text(&'static str),
    }
    use Slot::{Absent, Null, Text};

    fn field(slots: &[Slot]) -> JsonNode {
        let mut strings = Strings::with_capacity(slots.len(), 0);
        for slot in slots {
            if let Text(text) = slot {
                strings.data.extend(text.bytes());
            }
            strings.end_row();
        }
        let absent: Vec<_> = slots.iter().map(|slot| *slot == Absent).collect();
        let valid: Vec<_> = slots.iter().map(|slot| matches!(slot, Text(_))).collect();
        let null = slots.contains(&Null);
        JsonNode {
            rows: slots.len(),
            nulls: valid.contains(&false).then(|| NullBuffer::from(valid)),
            null_kinds: NullKinds {
                absent: absent.contains(&true),
                null,
                bits: null.then(|| BooleanBuffer::from(absent)),
            },
            kind: JsonKind::Scalar(Scalar::String, Values::Text(strings)),
        }
    }

    /// Arrays of two items per slot.
    fn pairs(slots: usize, items: JsonNode) -> JsonNode {
        JsonNode {
            rows: slots,
            nulls: None,
            null_kinds: NullKinds::default(),
            kind: JsonKind::List(List {
                offsets: (0..=slots as i32).map(|slot| 2 * slot).collect(),
                items: Box::new(items),
            }),
        }
    }

    fn object(rows: usize, nulls: Option<NullBuffer>, fields: Vec<JsonNode>) -> JsonNode {
        let name = |at: usize| format!("key \"{at}\"");
        let fields = fields.into_iter().enumerate();
        JsonNode {
            rows,
            nulls,
            null_kinds: NullKinds::default(),
            kind: JsonKind::Struct(Struct {
                fields: fields.map(|(at, field)| (name(at), field)).collect(),
                edges: Vec::new(),
            }),
        }
    }

    fn outline(node: &JsonNode) -> String {
        let kind = match &node.kind {
            JsonKind::Map(map) => {
                let keys: Vec<_> = map.keys.iter().collect();
                format!("{:?} {keys:?} {}", map.offsets, outline(&map.values))
            }
            JsonKind::List(list) => format!("{:?} {}", list.offsets, outline(&list.items)),
            JsonKind::Scalar(Scalar::String, Values::Text(text)) => {
                format!("{:?}", text.iter().collect::<Vec<_>>())
            }
            JsonKind::Null => "null".to_owned(),
            other => panic!("{other:?}"),
        };
        let nulls = node
            .nulls
            .as_ref()
            .map(|nulls| nulls.iter().collect::<Vec<_>>());
        format!("{} {nulls:?} {kind}", node.rows)
    }

    fn slot() -> impl Strategy<Value = Slot> {
        let texts = proptest::sample::select(&WORDS[..]).prop_map(Text);
        prop_oneof![Just(Absent), Just(Null), texts]
    }

    proptest! {
        /// Gathering maps must give the same as printing the objects and parsing the text as maps.
        #[test]
        fn maps_are_those_parsed_from_the_printed_objects(
            fields in proptest::collection::vec(proptest::collection::vec(slot(), 6), 1..5),
            valid in proptest::collection::vec(any::<bool>(), 6),
        ) {
            let in_objects = |slots: &Vec<Slot>| {
                let slots = slots
                    .iter()
                    .zip(&valid)
                    .map(|(&slot, &valid)| if valid { slot } else { Absent });
                field(&slots.collect::<Vec<_>>())
            };
            let masked = fields.iter().map(in_objects).collect();
            let fields = fields.iter().map(|slots| field(slots)).collect();
            // Items cannot be absent.
            let items = [Text("x"), Null, Text("")];
            let lists = (0..2).map(|_| pairs(3, field(&items.repeat(2))));
            for mut node in [
                object(6, valid.contains(&false).then(|| NullBuffer::from(valid)), masked),
                object(6, None, fields),
                object(3, None, lists.collect()),
            ] {
                let expected = shred_as_maps(&texts(node.clone(), true).unwrap(), false);
                prop_assert!(make_map(&mut node));
                prop_assert_eq!(outline(&node), outline(&expected));
            }
        }
    }

    #[test]
    fn other_values_are_left_to_printing() {
        let numbers = JsonNode {
            kind: JsonKind::Scalar(Scalar::Bool, Values::Bool(BooleanBuffer::new_set(1))),
            ..field(&[Text("x")])
        };
        let halves = JsonNode {
            kind: JsonKind::Scalar(Scalar::String, Values::Json(Strings::with_capacity(0, 0))),
            ..field(&[Text("x")])
        };
        let instant = || JsonNode {
            kind: JsonKind::Scalar(Scalar::String, Values::Timestamps(vec![0])),
            ..field(&[Text("x")])
        };
        let list = || pairs(1, field(&[Text("x"); 2]));
        let text = || field(&[Text("x")]);
        for fields in [
            [text(), numbers],
            [text(), halves],
            [text(), list()],
            [list(), text()],
            [instant(), list()],
            [list(), instant()],
            // Inference may find that they are instants together.
            [instant(), instant()],
        ] {
            let mut node = object(1, None, fields.to_vec());
            assert!(!make_map(&mut node));
            assert!(
                matches!(node.kind, JsonKind::Struct(Struct { fields, .. }) if fields.len() == 2)
            );
        }
    }
}
