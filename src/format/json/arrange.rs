//! Compares the order of members in a record with the order of the columns, without printing the record or reading its
//! text again: parsing has noted the outlines of all rows.

use arrow_schema::{DataType, Field, Fields, Schema};

use super::reorder::Moves;
use crate::columns::print::json::bare_row;
use crate::columns::shred::{Outline, OutlineToken, Outlines};
use crate::schema::column_name;
use crate::schema::keys::{is_hidden, is_variant};
use crate::text::json::escape::{Escaper, print_with};
use crate::text::json::style::JsonStyle;

/// The order of members in printed records; reuses its memory.
#[derive(Debug)]
pub struct PrintedOrder {
    rows: MemberShape,
    nested: Vec<Nested>,
    /// The members of an object, sorted by their position in the columns, each with its position in the
    /// source.
    sorted: Vec<(u32, usize)>,
    /// The rank of each member of the source among these.
    order: Vec<usize>,
    moves: Moves,
}

/// The structure of a column's values, as far as it affects the order of members.
#[derive(Debug)]
enum MemberShape {
    /// Scalars, which have no members.
    Whole,
    Object(Vec<Member>),
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
struct Member {
    /// The key as printed, in quotes.
    key: Vec<u8>,
    values: MemberShape,
}

/// For each path of outlines, where its members are printed.
#[derive(Debug)]
pub struct PrintedPlaces(Vec<PathPlaces>);

#[derive(Clone, Debug, Default)]
struct PathPlaces {
    /// The paths of the members and of the items of arrays.
    below: Vec<u32>,
    items: u32,
    objects: ObjectPlaces,
    arrays: ArrayPlaces,
}

/// How the objects of a path are printed.
#[derive(Clone, Debug, Default)]
enum ObjectPlaces {
    /// The columns have no objects at this path.
    #[default]
    Nowhere,
    /// As in the text.
    Whole,
    /// With their members in the order of the text.
    Entries,
    /// With each member at this position among the columns; `None` if there is no such column.
    Members(Vec<Option<u32>>),
}

/// How the arrays of a path are printed.
#[derive(Clone, Copy, Debug, Default)]
enum ArrayPlaces {
    #[default]
    Nowhere,
    Whole,
    Items,
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
            nested: Vec::new(),
            sorted: Vec::new(),
            order: Vec::new(),
            moves: Moves::default(),
        }
    }

    /// Finds the members of the paths of a block among the columns.
    pub fn places(&self, outlines: &Outlines) -> PrintedPlaces {
        let mut places = PrintedPlaces(vec![PathPlaces::default(); outlines.paths().len()]);
        places.add(0, &self.rows, outlines);
        places
    }

    /// The moves that put the members of a printed record in the order of its source, as read by
    /// [`MemberOrder::apply`](super::MemberOrder::apply); empty if no member moves. `None` if moves are not enough.
    pub fn moves_to(&mut self, source: Outline<'_>, places: &PrintedPlaces) -> Option<Vec<u8>> {
        if source.is_empty() {
            return Some(Vec::new());
        }
        self.nested.clear();
        self.moves.clear();
        let mut arrangement = Arrangement {
            source,
            places,
            begun: 0,
            nested: &mut self.nested,
            sorted: &mut self.sorted,
            order: &mut self.order,
            moves: &mut self.moves,
        };
        arrangement.value(0, 0)?;
        Some(if self.moves.is_empty() {
            Vec::new()
        } else {
            self.moves.finish()
        })
    }
}

impl PrintedPlaces {
    /// Adds a path whose values have this structure, and the paths below it.
    fn add(&mut self, path: u32, shape: &MemberShape, outlines: &Outlines) {
        let known = &outlines.paths()[path as usize];
        let this = &mut self.0[path as usize];
        this.below = known.keys.iter().map(|(_, below)| *below).collect();
        match shape {
            MemberShape::Whole => {
                (this.objects, this.arrays) = (ObjectPlaces::Whole, ArrayPlaces::Whole);
            }
            MemberShape::Object(members) => {
                // Most keys are in the order of the columns.
                let mut guess = 0;
                let mut find = |key: &[u8]| {
                    let is_it = |member: &Member| member.key == *key;
                    let is_next = members.get(guess).is_some_and(is_it);
                    let found = is_next.then_some(guess);
                    let found = found.or_else(|| members.iter().position(is_it))?;
                    guess = found + 1;
                    Some(found)
                };
                let found: Vec<_> = known.keys.iter().map(|(key, _)| find(key)).collect();
                let places = found.iter().map(|place| place.map(|place| place as u32));
                this.objects = ObjectPlaces::Members(places.collect());
                for ((_, below), place) in known.keys.iter().zip(found) {
                    if let Some(place) = place {
                        self.add(*below, &members[place].values, outlines);
                    }
                }
            }
            MemberShape::Entries(values) => {
                this.objects = ObjectPlaces::Entries;
                for (_, below) in &known.keys {
                    self.add(*below, values, outlines);
                }
            }
            MemberShape::Items(values) => {
                this.arrays = ArrayPlaces::Items;
                if let Some(items) = known.items {
                    this.items = items;
                    self.add(items, values, outlines);
                }
            }
            MemberShape::Variant { object, array } => {
                self.add(path, object, outlines);
                let objects = std::mem::take(&mut self.0[path as usize].objects);
                self.add(path, array, outlines);
                self.0[path as usize].objects = objects;
            }
        }
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
                let values = Self::of(field, escaper);
                Member { key, values }
            });
        Self::Object(members.collect())
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

/// Walks a record in printed order.
struct Arrangement<'a> {
    source: Outline<'a>,
    places: &'a PrintedPlaces,
    /// Number of objects that have started.
    begun: u64,
    /// The members of the enclosing objects that are objects or arrays, the innermost object last.
    nested: &'a mut Vec<Nested>,
    sorted: &'a mut Vec<(u32, usize)>,
    order: &'a mut Vec<usize>,
    moves: &'a mut Moves,
}

/// A member that is an object or array.
#[derive(Clone, Copy, Debug)]
struct Nested {
    /// Its position in the columns.
    printed: u32,
    path: u32,
    /// The position of its value in the outline.
    value: usize,
}

impl<'a> Arrangement<'a> {
    /// Walks the object or array at a position of the outline; returns the position after it.
    fn value(&mut self, at: usize, path: u32) -> Option<usize> {
        let places: &'a PathPlaces = &self.places.0[path as usize];
        if self.source.token(at) == OutlineToken::Object {
            match &places.objects {
                ObjectPlaces::Nowhere => None,
                ObjectPlaces::Whole => Some(self.whole(at)),
                ObjectPlaces::Entries => {
                    self.begun += 1;
                    self.values(at + 1, |member| places.below[member])
                }
                ObjectPlaces::Members(printed) => self.object(at + 1, printed, &places.below),
            }
        } else {
            match places.arrays {
                ArrayPlaces::Nowhere => None,
                ArrayPlaces::Whole => Some(self.whole(at)),
                ArrayPlaces::Items => self.values(at + 1, |_| places.items),
            }
        }
    }

    fn whole(&mut self, at: usize) -> usize {
        let (after, objects) = self.source.skip(at);
        self.begun += objects;
        after
    }

    /// Walks the contents of a container in the order of the source. `path_of` has the path of the values of a member;
    /// items count as member 0.
    fn values(&mut self, mut at: usize, path_of: impl Fn(usize) -> u32) -> Option<usize> {
        let mut member = 0;
        loop {
            match self.source.token(at) {
                OutlineToken::End => return Some(at + 1),
                OutlineToken::Member(place) => {
                    member = place;
                    at += 1;
                }
                OutlineToken::Object | OutlineToken::Array => {
                    at = self.value(at, path_of(member))?;
                }
            }
        }
    }

    /// Walks the object whose members start at a position.
    fn object(&mut self, start: usize, places: &[Option<u32>], below: &[u32]) -> Option<usize> {
        let number = self.begun;
        self.begun += 1;
        let first = self.nested.len();
        let (mut at, mut before, mut is_sorted) = (start, None, true);
        while let OutlineToken::Member(member) = self.source.token(at) {
            at += 1;
            let place = places[member];
            is_sorted &= before < place;
            before = place;
            let printed = place?;
            if self.source.is_container(at) {
                self.nested.push(Nested {
                    printed,
                    path: below[member],
                    value: at,
                });
                at = self.source.skip(at).0;
            }
        }
        if !is_sorted {
            self.add_moves(number, start, places)?;
            self.nested[first..].sort_unstable_by_key(|nested| nested.printed);
        }
        for nested in first..self.nested.len() {
            let Nested { path, value, .. } = self.nested[nested];
            self.value(value, path)?;
        }
        self.nested.truncate(first);
        Some(at + 1)
    }

    /// Adds the moves of an object whose members are not in the order of the columns; `None` if a key is repeated.
    fn add_moves(&mut self, number: u64, start: usize, places: &[Option<u32>]) -> Option<()> {
        self.sorted.clear();
        let mut at = start;
        while let OutlineToken::Member(member) = self.source.token(at) {
            at += 1;
            self.sorted.push((places[member]?, self.sorted.len()));
            if self.source.is_container(at) {
                at = self.source.skip(at).0;
            }
        }
        self.sorted.sort_unstable();
        self.order.clear();
        self.order.resize(self.sorted.len(), 0);
        for (printed, (_, source)) in self.sorted.iter().enumerate() {
            self.order[*source] = printed;
        }
        self.moves.push(number, self.order);
        let is_repeated = |pair: &[(u32, usize); 2]| pair[0].0 == pair[1].0;
        (!self.sorted.array_windows().any(is_repeated)).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::columns::shred::{JsonScratch, Paths};
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
        let mut paths = Paths::new(source.as_bytes(), true, &mut JsonScratch::default());
        paths.object(0).ok()?;
        let outlines = paths.take_outlines();
        let mut printed = PrintedOrder::new(&schema(), &JsonStyle::lines());
        let places = printed.places(&outlines);
        printed.moves_to(outlines.row(0)?, &places)
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
            // The second spelling of a key is not noted.
            r#"{"e":1,"\u0061":2}"#,
            r#"{"a":1,"b":{"c":1,"\u0063":2}}"#,
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
