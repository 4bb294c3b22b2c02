//! Encodes arrays to columns.

use arrow_array::Array as _;
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, Field};

use super::positions::{by_position, positions};
use crate::columns::dictionaries::{MergedDictionary, most_entries};
use crate::columns::statistics::MinMax;
use crate::error::{Error, Result};
use crate::wire::choose::Cascade;
use crate::wire::encodings::{Node, ValueKind};
use crate::wire::v2::column::{ColumnTree, below};
use crate::wire::v2::gather::{self, Chunk, Values, wide};
use crate::wire::v2::groups::Groups;
use crate::wire::v2::pick::RowValues;
use crate::wire::v2::reference::{Reference, ReferenceValues};
use crate::wire::v2::relation::Relation;
use crate::wire::v2::statistics::{few_entries, of_numbers};
use crate::wire::v2::types;
use crate::wire::workers::{BYTES_WORTH_A_THREAD, CallingThread, Workers, for_task, try_map};

/// Options for encoding a column.
#[derive(Clone, Copy)]
pub(in crate::wire::v2) struct EncodeSpec<'a> {
    pub cascade: Cascade,
    /// True to store minimum and maximum, for use in conditions.
    pub has_extremes: bool,
    /// The column's encoding in an earlier frame.
    pub plan: Option<&'a ColumnTree>,
    /// The other column that it needs, if any.
    pub related: Option<Related<'a>>,
    /// True for the items at one position of lists. Those of lists inside are not divided again: the number of columns
    /// would grow with the product of the lengths.
    pub is_at_position: bool,
    /// The threads that encode the members of structs and the items at positions.
    pub workers: &'a dyn Workers,
}

/// A [`Relation`], and what it needs of the other column.
#[derive(Clone, Copy)]
pub(in crate::wire::v2) enum Related<'a> {
    GroupedBy(usize, &'a Groups),
    DifferenceFrom(Reference, &'a ReferenceValues),
}

impl Related<'_> {
    pub fn relation(self) -> Relation {
        match self {
            Self::GroupedBy(key, _) => Relation::GroupedBy(key),
            Self::DifferenceFrom(reference, _) => Relation::DifferenceFrom(reference),
        }
    }
}

impl<'a> EncodeSpec<'a> {
    /// The options for values without statistics that need no other column.
    pub fn alone(cascade: Cascade, plan: Option<&'a ColumnTree>) -> Self {
        Self {
            cascade,
            has_extremes: false,
            plan,
            related: None,
            is_at_position: false,
            workers: &CallingThread,
        }
    }

    /// The options for a child column.
    fn below(self, plan: Option<&'a ColumnTree>, has_extremes: bool) -> Self {
        Self {
            plan,
            related: None,
            has_extremes: self.has_extremes && has_extremes,
            ..self
        }
    }

    /// The options for the items of its lists or the entries of its dictionary.
    fn items(self) -> Self {
        let plan = self
            .plan
            .filter(|plan| !plan.is_struct() && plan.positions().is_none())
            .and_then(|plan| plan.children.first());
        self.below(plan, false)
    }

    /// The options for the items at a position of its lists.
    pub fn position(self, at: usize) -> Self {
        let plan = self.plan.filter(|plan| plan.positions().is_some());
        let plan = plan.and_then(|plan| plan.children.get(at));
        Self {
            is_at_position: true,
            ..self.below(plan, false)
        }
    }

    /// The options for one of its members.
    fn member(self, name: &str) -> Self {
        let plan = self
            .plan
            .filter(|plan| plan.is_struct())
            .into_iter()
            .flat_map(|plan| &plan.children)
            .find(|member| member.field.name() == name);
        self.below(plan, true)
    }

    /// Encodes integers that accompany the values: lengths, keys, validity.
    fn companion(self, values: &[i64], plan: Option<&Node>) -> Option<Node> {
        (!values.is_empty()).then(|| self.cascade.deeper().ints(values, plan))
    }

    /// The lengths or keys, or the values, in an earlier frame, if the column consisted of the same parts.
    fn run(self, data_type: &DataType) -> Option<&'a Node> {
        let plan = self.plan.filter(|plan| plan.is_like(data_type))?;
        plan.runs.first()
    }

    /// The minimum and maximum, computed only if they are stored.
    fn extremes(self, of: impl FnOnce() -> Option<MinMax>) -> Option<MinMax> {
        self.has_extremes.then(of).flatten()
    }
}

/// Encodes a column after separating its nulls. Minimum and maximum are stored for columns that conditions can refer
/// to, but not for items of lists.
pub(super) fn encode(field: &Field, chunks: Vec<Chunk>, how: EncodeSpec<'_>) -> Result<ColumnTree> {
    let rows = chunks.iter().map(Chunk::rows).sum();
    let data_type = field.data_type();
    if let Some(other) = chunks
        .iter()
        .map(|chunk| chunk.array().data_type())
        .find(|&other| other != data_type)
    {
        let what = format!("a batch has {other} where its schema says {data_type}");
        return Err(Error::input(what));
    }
    let valid = match data_type {
        DataType::Null => 0,
        _ => chunks.iter().map(Chunk::valid).sum(),
    };
    let mut bits = Vec::new();
    if (1..rows).contains(&valid) {
        bits.reserve_exact(rows);
        for chunk in &chunks {
            chunk.extend_validity(&mut bits, i64::from);
        }
    }
    let validity = how.companion(&bits, how.plan.and_then(|plan| plan.validity.as_ref()));
    drop(bits);
    let mut relation = how.related.map(Related::relation);
    let (runs, children, statistics) = match how.related {
        None => parts(data_type, chunks, valid, how)?,
        Some(Related::GroupedBy(_, groups)) => {
            let column = RowValues::of(data_type, &chunks)?;
            drop(chunks);
            let values = column.pick(groups.order());
            drop(column);
            let (runs, statistics) = leaf(data_type, values, how);
            (runs, Vec::new(), statistics)
        }
        Some(Related::DifferenceFrom(reference, others)) => {
            let nulls = gather::nulls(&chunks);
            let mut values = Values::of(data_type, &chunks)?;
            drop(chunks);
            let statistics = how.extremes(|| match &values {
                Values::Numbers(values) => of_numbers(data_type, values),
                Values::Wide { .. } | Values::Strings(_) => None,
            });
            if let Values::Numbers(values) = &mut values
                && others.subtract(reference, nulls.as_ref(), values)
            {
                let encode = |like: Option<&Node>| how.cascade.ints(values, like);
                let node = follow(how.run(data_type), encode);
                (vec![node], Vec::new(), statistics)
            } else {
                relation = None;
                // A plan for differences says nothing about values.
                let how = EncodeSpec { plan: None, ..how };
                let (runs, statistics) = leaf(data_type, values, how);
                (runs, Vec::new(), statistics)
            }
        }
    };
    Ok(ColumnTree {
        field: field.clone(),
        rows,
        validity,
        valid,
        statistics,
        relation,
        runs,
        children,
        unread: None,
    })
}

/// The runs, child columns and statistics of a column.
type Parts = (Vec<Node>, Vec<ColumnTree>, Option<MinMax>);

/// Encodes the values of the valid rows.
fn parts(
    data_type: &DataType,
    chunks: Vec<Chunk>,
    valid: usize,
    how: EncodeSpec<'_>,
) -> Result<Parts> {
    let plan = how.run(data_type);
    match data_type {
        DataType::Struct(fields) => {
            let bytes: usize = chunks.iter().map(Chunk::len_bytes).sum();
            let members = gather::members(chunks, fields.len());
            let workers = for_task(how.workers, bytes >= BYTES_WORTH_A_THREAD);
            let members = fields.iter().zip(members).collect();
            let columns = try_map(workers, members, |(field, chunks)| {
                encode(field, chunks, how.member(field.name()))
                    .map_err(|error| below(error, data_type, field.name()))
            })?;
            Ok((Vec::new(), columns, None))
        }
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::Map(field, _)
        | DataType::FixedSizeList(field, _) => {
            let mut lengths = Vec::with_capacity(valid);
            let items = gather::items(chunks, &mut lengths);
            if types::can_be_by_position(data_type)
                && let Some(positions) = positions(field, &items, &lengths, how)
            {
                let columns = by_position(field, &items, positions, lengths.len(), how)
                    .map_err(|error| below(error, data_type, field.name()))?;
                return Ok((Vec::new(), columns, None));
            }
            let lengths = how.companion(&lengths, plan);
            let items = encode(field, items, how.items())
                .map_err(|error| below(error, data_type, field.name()))?;
            Ok((lengths.into_iter().collect(), vec![items], None))
        }
        DataType::Dictionary(key_type, value_type) => {
            let field = Field::new("", value_type.as_ref().clone(), true);
            let (keys, entries) = dictionary(key_type, &field, &chunks)?;
            let keys = how.companion(&keys, plan);
            let entries = encode(&field, entries, how.items())?;
            Ok((keys.into_iter().collect(), vec![entries], None))
        }
        _ if valid == 0 => Ok((Vec::new(), Vec::new(), None)),
        _ => {
            let values = Values::of(data_type, &chunks)?;
            drop(chunks);
            let (runs, statistics) = leaf(data_type, values, how);
            Ok((runs, Vec::new(), statistics))
        }
    }
}

/// Encodes the values of a column without children.
fn leaf(data_type: &DataType, values: Values, how: EncodeSpec<'_>) -> (Vec<Node>, Option<MinMax>) {
    let cascade = how.cascade;
    let plan = how.run(data_type);
    match values {
        Values::Wide { low, high } => {
            let statistics = how.extremes(|| MinMax::of_wide(wide(&low, &high)));
            let runs = [low, high].map(|values| cascade.deeper().ints(&values, None));
            (runs.into(), statistics)
        }
        Values::Strings(values) => {
            let node = follow(plan, |like| cascade.strings(&values, like));
            let statistics = how.extremes(|| {
                // The entries of a dictionary have the same minimum and maximum as the values.
                let few = few_entries(&node);
                MinMax::of_strings(few.as_ref().unwrap_or(&values).iter())
            });
            (vec![node], statistics)
        }
        Values::Numbers(values) => {
            let kind = match data_type {
                DataType::Float64 => ValueKind::Floats,
                _ => ValueKind::Ints,
            };
            let statistics = how.extremes(|| of_numbers(data_type, &values));
            let node = follow(plan, |like| cascade.numbers(kind, &values, like));
            (vec![node], statistics)
        }
    }
}

/// The runs of values of this type, as in `plan` if there is one.
pub(super) fn runs(
    data_type: &DataType,
    values: Values,
    cascade: Cascade,
    plan: Option<&ColumnTree>,
) -> Vec<Node> {
    leaf(data_type, values, EncodeSpec::alone(cascade, plan)).0
}

/// Size of runs in bytes.
pub(super) fn cost(runs: &[Node], cascade: Cascade) -> u64 {
    runs.iter().map(|run| cascade.cost(run)).sum()
}

/// True if a run encoded by a plan takes a tenth more per value than the run of the plan, and enough bytes more that a
/// new search is worth its time. For plain numbers that have become wider, a search would find nothing better, unless
/// the plan was made from few values.
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

/// Encodes by the plan if it still fits, else without one.
fn follow(plan: Option<&Node>, encode: impl Fn(Option<&Node>) -> Node) -> Node {
    match plan.map(|plan| (encode(Some(plan)), plan)) {
        Some((node, plan)) if !has_drifted(&node, plan) => node,
        _ => encode(None),
    }
}

/// The keys of the valid rows, and the entries of the dictionaries of all chunks, merged.
///
/// # Errors
/// [`crate::error::Kind::Input`] if they have more entries than keys can refer to; callers cut frames so that they fit.
fn dictionary(
    key_type: &DataType,
    field: &Field,
    chunks: &[Chunk],
) -> Result<(Vec<i64>, Vec<Chunk>)> {
    let mut keys = Vec::new();
    let mut merged = MergedDictionary::default();
    for chunk in chunks {
        let dictionary = chunk.array().as_any_dictionary();
        let moved = merged.add(dictionary.values(), field)?;
        if dictionary.values().is_empty() {
            // Skip chunks in which every row is null, since Arrow refuses to look up entries.
            continue;
        }
        let places = dictionary.normalized_keys();
        for (from, to) in chunk.valid_ranges() {
            let places = places[from..to].iter();
            match &moved {
                None => keys.extend(places.map(|place| *place as i64)),
                Some(moved) => keys.extend(places.map(|place| moved[*place] as i64)),
            }
        }
    }
    if keys
        .iter()
        .max()
        .zip(most_entries(key_type))
        .is_some_and(|(last, room)| *last >= room as i64)
    {
        return Err(Error::input(format!(
            "the dictionary of a frame has more entries than {key_type} can number"
        )));
    }
    Ok((keys, gather::chunks(merged.parts())))
}
