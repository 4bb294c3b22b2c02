//! Compares the order of members in a record with that of the columns, without printing the record.

use arrow_schema::{DataType, Field, Fields, Schema};

use super::reorder::{DEEPEST, Moves, value_of};
use crate::columns::print::json::bare_row;
use crate::schema::column_name;
use crate::schema::keys::{is_hidden, is_variant};
use crate::text::json::escape::{Escaper, print_with};
use crate::text::json::style::JsonStyle;
use crate::text::json::tape::Tape;

/// The order of members in printed records; reuses its memory.
#[derive(Debug)]
pub struct PrintedOrder {
    rows: MemberShape,
    tape: Tape,
    members: Vec<FoundMember>,
    order: Vec<usize>,
    moves: Moves,
}

/// The structure of a column's values, as far as it affects the order of members.
#[derive(Debug)]
enum MemberShape {
    /// Scalars, which have no members.
    Whole,
    Object(Object),
    /// Arrays of values with this structure.
    Items(Box<Self>),
    /// Objects whose keys are data.
    Entries(Box<Self>),
    Variant {
        object: Box<Self>,
        array: Box<Self>,
    },
}

#[derive(Debug)]
struct Object {
    members: Vec<Member>,
    /// The first member of the previous object.
    first: usize,
}

#[derive(Debug)]
struct Member {
    /// The key as printed, in quotes.
    key: Vec<u8>,
    values: MemberShape,
    /// The member that followed this one in the previous object.
    next: usize,
}

impl PrintedOrder {
    /// The order in records of batches with this schema.
    pub fn new(schema: &Schema, style: &JsonStyle) -> Self {
        let escaper = Escaper::new(&style.escapes);
        let rows = match bare_row(schema) {
            Some(place) => MemberShape::of(schema.field(place), escaper.as_ref()),
            None => MemberShape::object(schema.fields(), escaper.as_ref(), column_name),
        };
        Self {
            rows,
            tape: Tape::default(),
            members: Vec::new(),
            order: Vec::new(),
            moves: Moves::default(),
        }
    }

    /// The moves that put the members of a printed record in the order of `source`, as read by
    /// [`MemberOrder::apply`](super::MemberOrder::apply); empty if no member moves. `None` if moves are not enough.
    pub fn moves_to(&mut self, source: &[u8]) -> Option<Vec<u8>> {
        self.members.clear();
        self.moves.clear();
        self.tape.read(source, value_of(source), DEEPEST)?;
        let mut arrangement = Arrangement {
            source,
            tape: &self.tape,
            begun: 0,
            members: &mut self.members,
            order: &mut self.order,
            moves: &mut self.moves,
        };
        arrangement.value(0, &mut self.rows)?;
        Some(if self.moves.is_empty() {
            Vec::new()
        } else {
            self.moves.finish()
        })
    }
}

impl MemberShape {
    fn of(field: &Field, escaper: Option<&Escaper>) -> Self {
        match field.data_type() {
            DataType::Struct(fields) if is_variant(field) => {
                let child = |wanted: DataKind| {
                    let mut fields = fields.iter();
                    let child = fields.find(|field| wanted.is_of(field.data_type()));
                    Box::new(child.map_or(Self::Whole, |field| Self::of(field, escaper)))
                };
                Self::Variant {
                    object: child(DataKind::Object),
                    array: child(DataKind::Array),
                }
            }
            DataType::Struct(fields) => {
                Self::object(fields, escaper, |field, _| field.name().clone())
            }
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                Self::Items(Box::new(Self::of(item, escaper)))
            }
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(fields) if fields.len() == 2 => {
                    Self::Entries(Box::new(Self::of(&fields[1], escaper)))
                }
                _ => Self::Whole,
            },
            _ => Self::Whole,
        }
    }

    fn object(
        fields: &Fields,
        escaper: Option<&Escaper>,
        name: impl Fn(&Field, usize) -> String,
    ) -> Self {
        let members = fields
            .iter()
            .filter(|field| !is_hidden(field))
            .enumerate()
            .map(|(place, field)| {
                let mut key = Vec::new();
                print_with(escaper, name(field, place).as_bytes(), &mut key);
                Member {
                    key,
                    values: Self::of(field, escaper),
                    next: place + 1,
                }
            });
        Self::Object(Object {
            members: members.collect(),
            first: 0,
        })
    }
}

/// The children of a variant that contain members.
enum DataKind {
    Object,
    Array,
}

impl DataKind {
    fn is_of(&self, data_type: &DataType) -> bool {
        match data_type {
            DataType::Struct(_) | DataType::Map(..) => matches!(self, Self::Object),
            DataType::List(_) => matches!(self, Self::Array),
            _ => false,
        }
    }
}

impl Object {
    /// The position of the member with this key, given that of the previous one.
    fn place(&mut self, key: &[u8], before: Option<usize>) -> Option<usize> {
        let guess = match before {
            None => self.first,
            Some(before) => self.members[before].next,
        };
        let is_it = |member: &Member| member.key == key;
        if self.members.get(guess).is_some_and(is_it) {
            return Some(guess);
        }
        let place = self.members.iter().position(is_it)?;
        match before {
            None => self.first = place,
            Some(before) => self.members[before].next = place,
        }
        Some(place)
    }
}

/// Walks a record in printed order.
struct Arrangement<'a> {
    source: &'a [u8],
    tape: &'a Tape,
    /// Number of objects that have started.
    begun: u64,
    /// The members of the enclosing objects, the innermost last.
    members: &'a mut Vec<FoundMember>,
    /// The printed position of each member of an object of the source.
    order: &'a mut Vec<usize>,
    moves: &'a mut Moves,
}

/// A member of an object of the source.
#[derive(Clone, Copy, Debug)]
struct FoundMember {
    /// Its position in the columns.
    printed: usize,
    /// Its position in the source.
    source: usize,
    /// Its index on the tape.
    child: usize,
}

impl Arrangement<'_> {
    fn value(&mut self, place: usize, shape: &mut MemberShape) -> Option<()> {
        let objects = self.tape.objects_in(place);
        if objects == 0 {
            return Some(());
        }
        let is_object = self.source[self.tape.value(place).range().start] == b'{';
        match shape {
            MemberShape::Whole => {
                self.begun += objects;
                Some(())
            }
            MemberShape::Object(object) if is_object => self.object(place, object),
            MemberShape::Entries(values) if is_object => {
                self.begun += 1;
                self.values(place, values)
            }
            MemberShape::Items(items) if !is_object => self.values(place, items),
            MemberShape::Variant { object, array } => {
                let child = if is_object { object } else { array };
                self.value(place, child)
            }
            MemberShape::Object(_) | MemberShape::Entries(_) | MemberShape::Items(_) => None,
        }
    }

    fn values(&mut self, place: usize, shape: &mut MemberShape) -> Option<()> {
        let tape = self.tape;
        tape.children(place)
            .try_for_each(|child| self.value(child, shape))
    }

    fn object(&mut self, place: usize, object: &mut Object) -> Option<()> {
        let tape = self.tape;
        let number = self.begun;
        self.begun += 1;
        let first = self.members.len();
        let mut before = None;
        let mut is_sorted = true;
        for (source, child) in tape.children(place).enumerate() {
            let printed = object.place(&self.source[tape.value(child).key()], before)?;
            is_sorted &= before.is_none_or(|before| before < printed);
            before = Some(printed);
            self.members.push(FoundMember {
                printed,
                source,
                child,
            });
        }
        if !is_sorted {
            let members = &mut self.members[first..];
            members.sort_unstable_by_key(|member| member.printed);
            if members.is_sorted_by(|a, b| a.printed < b.printed) {
                self.order.clear();
                self.order.resize(members.len(), 0);
                for (printed, member) in members.iter().enumerate() {
                    self.order[member.source] = printed;
                }
                self.moves.push(number, self.order);
            } else {
                // A repeated key.
                return None;
            }
        }
        for at in first..self.members.len() {
            let FoundMember { printed, child, .. } = self.members[at];
            self.value(child, &mut object.members[printed].values)?;
        }
        self.members.truncate(first);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::format::json::MemberOrder;
    use crate::schema::keys::VARIANT;
    use proptest::prelude::*;

    fn object(name: &str, fields: Vec<Field>) -> Field {
        Field::new(name, DataType::Struct(fields.into()), true)
    }

    /// Rows of `a`, `b` (an object or an array of objects with `c` and `d`) and `e`.
    fn schema() -> Schema {
        let scalar = |name: &str| Field::new(name, DataType::Int64, true);
        let pair = |name: &str| object(name, vec![scalar("c"), scalar("d")]);
        let list = DataType::List(pair("item").into());
        let kinds = vec![pair("object"), Field::new("array", list, true)];
        let metadata = HashMap::from([(VARIANT.to_owned(), "true".to_owned())]);
        let b = object("b", kinds).with_metadata(metadata);
        Schema::new(vec![scalar("a"), b, scalar("e")])
    }

    fn moves(source: &str) -> Option<Vec<u8>> {
        PrintedOrder::new(&schema(), &JsonStyle::lines()).moves_to(source.as_bytes())
    }

    #[test]
    fn records_in_order_need_no_moves() {
        for source in [r#"{"a":1,"b":{"c":1,"d":2},"e":3}"#, r#"{"e":1}"#, "{}"] {
            assert_eq!(moves(source), Some(Vec::new()), "{source}");
        }
    }

    #[test]
    fn what_is_more_than_order_is_not_decided() {
        for source in [
            r#"{"a":1,"x":2}"#,
            r#"{"b":1,"a":1,"b":1}"#,
            r#"{"a":1"#,
            r#"[{"a":1}]"#,
        ] {
            assert_eq!(moves(source), None, "{source}");
        }
    }

    proptest! {
        /// The moves must be the same as those found by comparing with the printed record.
        #[test]
        fn moves_are_those_between_printed_record_and_source(
            rows in Just(vec!["a", "b", "e"]).prop_shuffle(),
            pairs in proptest::collection::vec(Just(["c", "d"]).prop_shuffle(), 1..4),
            is_array: bool,
        ) {
            let pair = |keys: &[&str; 2]| format!("{{\"{}\":0,\"{}\":0}}", keys[0], keys[1]);
            let text = |rows: &[&str], pairs: &[[&str; 2]]| {
                let pairs: Vec<String> = pairs.iter().map(pair).collect();
                let b = if is_array { format!("[{}]", pairs.join(",")) } else { pairs[0].clone() };
                let member = |key: &&str| match *key {
                    "b" => format!("\"b\":{b}"),
                    key => format!("\"{key}\":1"),
                };
                format!("{{{}}}", rows.iter().map(member).collect::<Vec<_>>().join(","))
            };
            let source = text(&rows, &pairs);
            let printed = text(&["a", "b", "e"], &vec![["c", "d"]; pairs.len()]);
            let (mut order, mut restored) = (MemberOrder::default(), Vec::new());
            let expected = order.restore(printed.as_bytes(), source.as_bytes(), &mut restored);
            prop_assert_eq!(&restored[..], source.as_bytes());
            let found = moves(&source).unwrap();
            prop_assert_eq!(if found.is_empty() { vec![0] } else { found }, expected);
        }
    }
}
