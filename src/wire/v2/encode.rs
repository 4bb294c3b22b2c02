//! From arrays to encoded columns, and from those to an envelope.

mod regroup;

use std::sync::Arc;

pub use regroup::{Sibling, choose_keys};

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Metadata};

use super::column::{Column, Payload};
use super::envelope::write;
use super::gather::{self, each_valid, floats, ints, items_of, without_nulls};
use super::sections::{Layout, Packed, is_large, pack};
use super::statistics::of_strings;
use super::types;
use crate::columns::statistics::{MinMax, Statistics};
use crate::error::{Error, Result};
use crate::schema::keys::is_patch;
use crate::varint;
use crate::wire::choose::{Cascade, Preset};
use crate::wire::codec::SectionCodec;
use crate::wire::encodings::{BufferClass, Encoding, Kind, Node, Strings, strings};

/// How columns are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How hard to look for encodings.
    pub preset: Preset,
    /// What compresses sections.
    pub codec: SectionCodec,
}

impl Options {
    /// A preset with the codec that comes with it.
    pub fn of(preset: Preset) -> Self {
        Self {
            preset,
            codec: preset.codec(),
        }
    }

    /// True if later frames follow the plan of the first: who wants it small can wait for the search.
    pub fn follows_plans(self) -> bool {
        self.preset != Preset::Small
    }

    /// The same for a frame of about `len` plain bytes: small frames take higher levels of zstd,
    /// since they are compressed in no time whatever the level.
    #[must_use]
    pub fn for_frame(mut self, len: usize) -> Self {
        let least = match len >> 10 {
            0..256 => 15,
            256..1024 => 12,
            1024..4096 => 9,
            _ => 1,
        };
        if let (Preset::Balanced, SectionCodec::Zstd(level)) = (self.preset, &mut self.codec)
            && *level == DEFAULT_LEVEL
        {
            *level = least.max(*level);
        }
        self
    }
}

/// The level of balanced; others were asked for.
const DEFAULT_LEVEL: i32 = 3;

/// Writes envelopes.
#[derive(Clone, Copy, Debug)]
pub struct Encoder {
    options: Options,
}

/// A column ready to be put into an envelope.
#[derive(Debug)]
pub struct EncodedColumn {
    column: Column,
    /// The large buffers in the order of the description, compressed.
    packed: Vec<Packed>,
}

impl EncodedColumn {
    /// How it was encoded, for the same column of later frames.
    pub fn plan(&self) -> Plan {
        Plan(self.column.clone())
    }

    /// Name, type and metadata.
    pub fn field(&self) -> &Field {
        &self.column.field
    }

    /// What the header says of its rows.
    pub fn known(&self) -> Statistics {
        self.column.known()
    }
}

/// How a column was encoded in an earlier frame. Columns seldom change their nature within a file,
/// so later frames follow it and spare the search, except where it holds no more.
#[derive(Clone, Debug)]
pub struct Plan(Column);

/// How a column is to be encoded.
#[derive(Clone, Copy)]
struct How<'a> {
    cascade: Cascade,
    /// Rows can be chosen by it.
    tells_extremes: bool,
    plan: Option<&'a Column>,
}

impl<'a> How<'a> {
    /// For a column below it.
    fn below(self, plan: Option<&'a Column>, tells_extremes: bool) -> Self {
        Self {
            plan,
            tells_extremes: self.tells_extremes && tells_extremes,
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

    /// Encodes whole numbers that stand beside the values: lengths, keys, validity.
    fn aside(self, values: &[i64], of: impl Fn(&'a Column) -> Option<&'a Node>) -> Option<Node> {
        let cascade = self.cascade.deeper();
        (!values.is_empty()).then(|| match self.plan.and_then(of) {
            Some(plan) => cascade.ints_like(plan, values),
            None => cascade.ints(values),
        })
    }

    /// The least and the greatest value, looked for only if they are told.
    fn extremes(self, of: impl FnOnce() -> Option<MinMax>) -> Option<MinMax> {
        self.tells_extremes.then(of).flatten()
    }

    /// The run of values of an earlier frame, if they were of the same kind.
    fn run(self, kind: Kind) -> Option<&'a Node> {
        let plan = self.plan?;
        match &plan.payload {
            Payload::Run(node) if types::kind(plan.field.data_type()) == Some(kind) => Some(node),
            _ => None,
        }
    }
}

/// True if following the plan takes a tenth more per value than it took where the plan was made, and
/// so many bytes more that it is worth the time to look again. Numbers that were taken as they are
/// and have grown wider will be so again, unless the plan was made from a few.
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

impl Encoder {
    /// An encoder; encoding is a function of the values and these options only.
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    /// Encodes the column whose rows are `chunks`, one after the other, all of the field's type. They
    /// are let go as soon as their values are taken.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if wire 2 does not have the type,
    /// [`crate::error::Kind::Limit`] if a column's text is 2 GiB or more.
    pub fn column(
        &self,
        field: &Field,
        chunks: Vec<ArrayRef>,
        plan: Option<&Plan>,
    ) -> Result<EncodedColumn> {
        let Options { preset, codec } = self.options;
        let how = How {
            cascade: Cascade::new(preset, codec),
            // Nobody chooses rows by patches.
            tells_extremes: !is_patch(field),
            plan: plan.map(|plan| &plan.0),
        };
        let column = encode(field, chunks, how).map_err(|error| error.in_column(field.name()))?;
        self.packed(column)
    }

    /// Compresses the large buffers of a column.
    fn packed(&self, column: Column) -> Result<EncodedColumn> {
        let codec = self.options.codec;
        let mut large = Vec::new();
        column.write(&mut Vec::new(), &mut |node, _| {
            if is_large(&node.buffer) {
                large.push(node.buffer.clone());
            }
        })?;
        let packed = large.iter().map(|buffer| pack(buffer, codec));
        let packed = packed.collect::<Result<_>>()?;
        Ok(EncodedColumn { column, packed })
    }

    /// Appends the envelope of these columns, all of `rows` rows; gives the bytes that it would take
    /// without compression.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if the header would be too large.
    pub fn envelope(
        &self,
        rows: usize,
        metadata: &Metadata,
        columns: Vec<EncodedColumn>,
        out: &mut Vec<u8>,
    ) -> Result<usize> {
        let codec = self.options.codec;
        let mut layout = Layout::new(codec);
        let mut described = Vec::new();
        varint::push(columns.len() as u64, &mut described);
        for EncodedColumn { column, packed } in columns {
            let mut packed = packed.into_iter();
            column.write(&mut described, &mut |node, out| {
                let buffer = &node.buffer;
                let packed = is_large(buffer).then(|| packed.next()).flatten();
                let is_text = node.encoding.buffer_class() == Some(BufferClass::Text);
                layout.place(buffer, is_text, packed, out);
            })?;
        }
        let sections = layout.finish()?;
        write(rows, metadata, &sections, &described, codec, out)
    }
}

/// Encodes a column; its nulls come off first. The least and the greatest value are told of columns
/// that rows can be chosen by: not of items of lists.
fn encode(field: &Field, chunks: Vec<ArrayRef>, how: How<'_>) -> Result<Column> {
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
    Ok(Column {
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

fn values(
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
            Payload::Wide {
                low: run(&low),
                high: run(&high),
            }
        }
        leaf => {
            return match types::kind(leaf) {
                Some(Kind::Floats) => {
                    let values = floats(&chunks, valid);
                    drop(chunks);
                    let statistics = how.extremes(|| MinMax::of_floats(&values));
                    let node = follow(
                        how.run(Kind::Floats),
                        |plan| cascade.floats_like(plan, &values),
                        || cascade.floats(&values),
                    );
                    Ok((Payload::Run(node), statistics))
                }
                Some(Kind::Strings) => {
                    let values = gather::strings(&chunks)?;
                    drop(chunks);
                    let node = follow(
                        how.run(Kind::Strings),
                        |plan| cascade.strings_like(plan, &values),
                        || cascade.strings(&values),
                    );
                    let statistics = how.extremes(|| {
                        let few = few_entries(&node);
                        of_strings(few.as_ref().unwrap_or(&values))
                    });
                    Ok((Payload::Run(node), statistics))
                }
                Some(Kind::Ints) => {
                    let values = ints(leaf, &chunks, valid)?;
                    drop(chunks);
                    let unsigned = *leaf == DataType::UInt64;
                    // Halves and singles are bits, whose order is not that of the floats.
                    let ordered = !leaf.is_floating();
                    let extremes = || MinMax::of_ints(&values, unsigned);
                    let statistics = ordered.then(|| how.extremes(extremes)).flatten();
                    let node = follow(
                        how.run(Kind::Ints),
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

/// The entries of a dictionary that is much shorter than its run.
fn few_entries(node: &Node) -> Option<Strings> {
    let entries = node.children.first()?;
    let mut few = Strings::default();
    (matches!(node.encoding, Encoding::Dictionary(_)) && entries.len <= node.len / 8)
        .then(|| strings::decode(entries, usize::MAX, &mut few).ok())
        .flatten()?;
    Some(few)
}

/// Encodes as planned, unless there is no plan or it fits no more.
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

/// Arrow's dictionaries as they are; those of several chunks are put one behind the other.
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
