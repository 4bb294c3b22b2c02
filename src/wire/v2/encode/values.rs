//! From arrays to encoded columns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};

use crate::columns::statistics::MinMax;
use crate::error::{Error, Result};
use crate::wire::choose::Cascade;
use crate::wire::encodings::{Node, ValueKind};
use crate::wire::v2::column::{ColumnTree, Payload};
use crate::wire::v2::gather::{self, each_valid, floats, ints, items_of, wide, without_nulls};
use crate::wire::v2::statistics::{few_entries, of_ints, of_strings};
use crate::wire::v2::types;

/// How a column is to be encoded.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    pub cascade: Cascade,
    /// The least and the greatest value are stored, as filters may use them.
    pub has_extremes: bool,
    /// How the column was encoded in an earlier frame.
    pub plan: Option<&'a ColumnTree>,
}

impl<'a> How<'a> {
    /// For a column below it.
    fn below(self, plan: Option<&'a ColumnTree>, has_extremes: bool) -> Self {
        Self {
            plan,
            has_extremes: self.has_extremes && has_extremes,
            ..self
        }
    }

    /// For the items of its lists or the entries of its dictionary.
    fn items(self) -> Self {
        let items = self.plan.and_then(|plan| match &plan.payload {
            Payload::List { items, .. } => Some(&**items),
            Payload::Dictionary { values, .. } => Some(&**values),
            _ => None,
        });
        self.below(items, false)
    }

    /// For one of its members.
    fn member(self, name: &str) -> Self {
        let member = self.plan.and_then(|plan| match &plan.payload {
            Payload::Struct(columns) => columns.iter().find(|column| column.field.name() == name),
            _ => None,
        });
        self.below(member, true)
    }

    /// Encodes whole numbers that come with the values: lengths, keys, validity.
    fn aside(
        self,
        values: &[i64],
        of: impl Fn(&'a ColumnTree) -> Option<&'a Node>,
    ) -> Option<Node> {
        let cascade = self.cascade.deeper();
        (!values.is_empty()).then(|| match self.plan.and_then(of) {
            Some(plan) => cascade.ints_like(plan, values),
            None => cascade.ints(values),
        })
    }

    /// The least and the greatest value, looked for only if they are stored.
    fn extremes(self, of: impl FnOnce() -> Option<MinMax>) -> Option<MinMax> {
        self.has_extremes.then(of).flatten()
    }

    /// The run of values of an earlier frame, if they were of the same kind.
    fn run(self, kind: ValueKind) -> Option<&'a Node> {
        let plan = self.plan?;
        match &plan.payload {
            Payload::Run(node) if types::kind(plan.field.data_type()) == Some(kind) => Some(node),
            _ => None,
        }
    }
}

/// Encodes a column; its nulls come off first. The least and the greatest value are stored for columns
/// that filters can name: not for items of lists.
pub(super) fn encode(field: &Field, chunks: Vec<ArrayRef>, how: How<'_>) -> Result<ColumnTree> {
    let rows = chunks.iter().map(Array::len).sum();
    let data_type = field.data_type();
    if let Some(other) = chunks.iter().find(|chunk| chunk.data_type() != data_type) {
        let what = format!(
            "a batch has {} where its schema says {data_type}",
            other.data_type()
        );
        return Err(Error::input(what));
    }
    let nulls = match data_type {
        DataType::Null => rows,
        _ => chunks.iter().map(Array::null_count).sum(),
    };
    let valid = rows - nulls;
    let mut bits = Vec::new();
    if nulls > 0 && valid > 0 {
        bits.reserve_exact(rows);
        for chunk in &chunks {
            match chunk.nulls() {
                Some(nulls) => extend_bits(&mut bits, nulls),
                None => bits.resize(bits.len() + chunk.len(), 1),
            }
        }
    }
    let validity = how.aside(&bits, |plan| plan.validity.as_ref());
    drop(bits);
    let (payload, statistics) = values(data_type, chunks, valid, how)?;
    Ok(ColumnTree {
        field: field.clone(),
        rows,
        validity,
        valid,
        statistics,
        key: None,
        payload,
    })
}

/// Appends 1 for valid rows and 0 for nulls.
fn extend_bits(bits: &mut Vec<i64>, nulls: &NullBuffer) {
    let chunks = nulls.inner().bit_chunks();
    for word in &chunks {
        bits.extend((0..64).map(|row| (word >> row & 1) as i64));
    }
    let rest = chunks.remainder_bits();
    bits.extend((0..chunks.remainder_len()).map(|row| (rest >> row & 1) as i64));
}

/// Encodes the values of the valid rows.
pub(super) fn values(
    data_type: &DataType,
    chunks: Vec<ArrayRef>,
    valid: usize,
    how: How<'_>,
) -> Result<(Payload, Option<MinMax>)> {
    let cascade = how.cascade;
    let payload = match data_type {
        DataType::Struct(fields) => {
            let mut members = vec![Vec::with_capacity(chunks.len()); fields.len()];
            for chunk in without_nulls(chunks)? {
                for (member, array) in members.iter_mut().zip(chunk.as_struct().columns()) {
                    member.push(Arc::clone(array));
                }
            }
            let columns = fields.iter().zip(members).map(|(field, chunks)| {
                encode(field, chunks, how.member(field.name()))
                    .map_err(|error| error.in_column(field.name()))
            });
            Payload::Struct(columns.collect::<Result<_>>()?)
        }
        DataType::List(field) | DataType::LargeList(field) | DataType::Map(field, _) => {
            let mut lengths = Vec::with_capacity(valid);
            let mut items = Vec::with_capacity(chunks.len());
            for chunk in without_nulls(chunks)? {
                items.push(match data_type {
                    DataType::List(_) => {
                        let list = chunk.as_list::<i32>();
                        items_of(list.offsets(), list.values(), &mut lengths)
                    }
                    DataType::LargeList(_) => {
                        let list = chunk.as_list::<i64>();
                        items_of(list.offsets(), list.values(), &mut lengths)
                    }
                    _ => {
                        let map = chunk.as_map();
                        let entries: ArrayRef = Arc::new(map.entries().clone());
                        items_of(map.offsets(), &entries, &mut lengths)
                    }
                });
            }
            Payload::List {
                lengths: how.aside(&lengths, |plan| match &plan.payload {
                    Payload::List { lengths, .. } => lengths.as_ref(),
                    _ => None,
                }),
                items: Box::new(encode(field, items, how.items())?),
            }
        }
        DataType::FixedSizeList(field, len) => {
            let len = *len as usize;
            let lists = without_nulls(chunks)?.into_iter();
            let items = lists.map(|chunk| {
                let list = chunk.as_fixed_size_list();
                list.values()
                    .slice(list.value_offset_at(0), list.len() * len)
            });
            Payload::List {
                lengths: None,
                items: Box::new(encode(field, items.collect(), how.items())?),
            }
        }
        DataType::Dictionary(_, value_type) => dictionary(value_type, &chunks, how)?,
        _ if valid == 0 => Payload::Nothing,
        DataType::Decimal128(..) => {
            let mut low = Vec::with_capacity(valid);
            let mut high = Vec::with_capacity(valid);
            for chunk in &chunks {
                each_valid(chunk, |from, to| {
                    for value in &chunk.as_primitive::<Decimal128Type>().values()[from..to] {
                        low.push(*value as i64);
                        high.push((*value >> 64) as i64);
                    }
                });
            }
            let run = |values: &[i64]| cascade.deeper().ints(values);
            let statistics = how.extremes(|| MinMax::of_wide(wide(&low, &high)));
            let payload = Payload::Wide {
                low: run(&low),
                high: run(&high),
            };
            return Ok((payload, statistics));
        }
        leaf => {
            return match types::kind(leaf) {
                Some(ValueKind::Floats) => {
                    let values = floats(&chunks, valid);
                    drop(chunks);
                    let statistics = how.extremes(|| MinMax::of_floats(values.iter().copied()));
                    let node = follow(
                        how.run(ValueKind::Floats),
                        |plan| cascade.floats_like(plan, &values),
                        || cascade.floats(&values),
                    );
                    Ok((Payload::Run(node), statistics))
                }
                Some(ValueKind::Strings) => {
                    let values = gather::strings(&chunks)?;
                    drop(chunks);
                    let node = follow(
                        how.run(ValueKind::Strings),
                        |plan| cascade.strings_like(plan, &values),
                        || cascade.strings(&values),
                    );
                    let statistics = how.extremes(|| {
                        let few = few_entries(&node);
                        of_strings(few.as_ref().unwrap_or(&values))
                    });
                    Ok((Payload::Run(node), statistics))
                }
                Some(ValueKind::Ints) => {
                    let values = ints(leaf, &chunks, valid)?;
                    drop(chunks);
                    let statistics = how.extremes(|| of_ints(leaf, &values));
                    let node = follow(
                        how.run(ValueKind::Ints),
                        |plan| cascade.ints_like(plan, &values),
                        || cascade.ints(&values),
                    );
                    Ok((Payload::Run(node), statistics))
                }
                None => Err(Error::input(format!("wire 2 has no type {leaf}"))),
            };
        }
    };
    Ok((payload, None))
}

/// True if a run that was encoded by a plan takes a tenth more per value than the run of the plan, and so
/// many bytes more that a new search is worth its time. Numbers without any encoding that have grown
/// wider would get none again, unless the plan was made from a few values.
fn has_drifted(node: &Node, plan: &Node) -> bool {
    const WORTH_BYTES: f64 = 32_768.0;
    const FEW: usize = 8;
    let is_plain = plan.children.is_empty() && node.children.is_empty();
    if is_plain && plan.len >= node.len / FEW {
        return false;
    }
    let size = |node: &Node| {
        let mut bytes = 0;
        node.write(&mut Vec::new(), &mut |node, _| bytes += node.buffer.len());
        bytes as f64
    };
    let planned = size(plan) * node.len as f64 / plan.len.max(1) as f64;
    size(node) > 1.1 * planned && size(node) - planned > WORTH_BYTES
}

/// Encodes as planned, unless there is no plan or it no longer fits.
fn follow(
    plan: Option<&Node>,
    like: impl FnOnce(&Node) -> Node,
    search: impl FnOnce() -> Node,
) -> Node {
    match plan.map(|plan| (like(plan), plan)) {
        Some((node, plan)) if !has_drifted(&node, plan) => node,
        _ => search(),
    }
}

/// Arrow's dictionaries as they are; those of several chunks are put one after the other.
fn dictionary(value_type: &DataType, chunks: &[ArrayRef], how: How<'_>) -> Result<Payload> {
    let mut keys = Vec::new();
    let mut values: Vec<ArrayRef> = Vec::new();
    let mut known = 0;
    for chunk in chunks {
        let dictionary = chunk.as_any_dictionary();
        let same = values
            .last()
            .is_some_and(|last| last.to_data().ptr_eq(&dictionary.values().to_data()));
        if !same {
            known = values.iter().map(Array::len).sum();
            values.push(dictionary.values().clone());
        }
        if dictionary.values().is_empty() {
            // Every row is null, and Arrow refuses to look for entries.
            continue;
        }
        let places = dictionary.normalized_keys();
        each_valid(chunk, |from, to| {
            keys.extend(places[from..to].iter().map(|place| (known + place) as i64));
        });
    }
    let field = Field::new("", value_type.clone(), true);
    Ok(Payload::Dictionary {
        keys: how.aside(&keys, |plan| match &plan.payload {
            Payload::Dictionary { keys, .. } => keys.as_ref(),
            _ => None,
        }),
        values: Box::new(encode(&field, values, how.items())?),
    })
}
