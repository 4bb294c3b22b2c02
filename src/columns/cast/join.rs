//! One schema for batches of several.
//!
//! Columns meet by name. The joined type holds every value of both; where only text can, it is text,
//! or JSON text if one side is nested.

use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{
    DECIMAL64_MAX_PRECISION, DECIMAL128_MAX_PRECISION, DataType, Field, FieldRef, Fields, Schema,
    SchemaRef, TimeUnit,
};

use super::doubles::Doubles;
use super::words::{is_odd, spelled};
use super::{by_name, cast, is_json, shown};
use crate::columns::print::json::is_nested;
use crate::error::{Error, Result, shell_word};
use crate::format::frame::Frame;
use crate::schema::keys::{is_hidden, is_variant};
use crate::schema::{EXTENSION_NAME, FixedTypes, HELD_AS, Type, display_name, type_name};

/// The frame with odd words for null as the texts they were.
///
/// # Errors
/// As [`spelled`].
pub fn spell_odd_nulls(frame: Frame) -> Result<Frame> {
    if !frame.schema.fields().iter().any(|field| is_odd(field)) {
        return Ok(frame);
    }
    let fields = frame.schema.fields();
    let schema = Arc::new(spelled_schema(&frame.schema));
    let batch = |batch: &RecordBatch| {
        let columns = batch.columns().iter().zip(fields);
        let column = |(array, field): (&ArrayRef, &FieldRef)| {
            if is_odd(field) {
                Ok(spelled(array, field)?.1)
            } else {
                Ok(Arc::clone(array))
            }
        };
        let columns = columns.map(column).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::clone(&schema), columns, &options)
            .map_err(|error| Error::input(error.to_string()))
    };
    let batches = frame.batches.iter().map(batch).collect::<Result<_>>()?;
    Ok(Frame { schema, batches })
}

fn spelled_schema(schema: &Schema) -> Schema {
    let field = |field: &FieldRef| {
        if is_odd(field) {
            Arc::new(Type::Utf8.field(field.name()))
        } else {
            Arc::clone(field)
        }
    };
    Schema::new(schema.fields().iter().map(field).collect::<Fields>())
}

/// The schema under which frames of this one are written: without hidden fields, odd words for null
/// spelled out.
pub fn written_schema(schema: &Schema) -> Schema {
    visible_schema(&spelled_schema(schema))
}

/// What is known of the columns so far.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    columns: Vec<Known>,
    begun: bool,
}

#[derive(Clone, Debug)]
struct Known {
    field: Field,
    /// Which values so far would do as doubles.
    doubles: Doubles,
}

impl Joined {
    /// What a batch says of its columns.
    pub fn of(schema: &Schema, batches: &[RecordBatch]) -> Self {
        let fields = schema.fields().iter().enumerate();
        let columns = fields.filter(|(_, field)| !is_hidden(field));
        let columns = columns.map(|(at, field)| {
            let arrays = batches.iter().map(|batch| Doubles::of(batch.column(at)));
            let doubles = arrays.reduce(|mut all, next| {
                all.join(&next);
                all
            });
            Known {
                doubles: doubles.unwrap_or_else(|| Doubles::of(&NullArray::new(0))),
                field: visible(field),
            }
        });
        Self {
            columns: columns.collect(),
            begun: true,
        }
    }

    /// Takes in what is known of rows that follow.
    pub fn join(&mut self, other: Self) {
        if !self.begun {
            *self = other;
            return;
        }
        let mut others = other.columns;
        for known in &mut self.columns {
            let alike = |other: &Known| other.field.name() == known.field.name();
            match others.iter().position(alike) {
                Some(place) => *known = known.join(&others.remove(place)),
                None => known.field.set_nullable(true),
            }
        }
        self.columns.extend(others.into_iter().map(|mut known| {
            known.field.set_nullable(true);
            known
        }));
    }

    /// The schema that all rows fit.
    pub fn schema(self) -> SchemaRef {
        let fields = self.columns.into_iter().map(|known| Arc::new(known.field));
        Arc::new(Schema::new(fields.collect::<Fields>()))
    }
}

impl Known {
    fn join(&self, other: &Self) -> Self {
        let mut doubles = self.doubles.clone();
        doubles.join(&other.doubles);
        Self {
            field: join_fields(&self.field, &other.field, &doubles),
            doubles,
        }
    }
}

/// The schema without hidden fields.
pub fn visible_schema(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().filter(|field| !is_hidden(field));
    Schema::new(fields.map(|field| visible(field)).collect::<Vec<_>>())
}

fn visible(field: &Field) -> Field {
    let one = |field: &FieldRef| Arc::new(visible(field));
    let data_type = match field.data_type() {
        DataType::Struct(fields) => {
            let fields = fields.iter().filter(|field| !is_hidden(field));
            DataType::Struct(fields.map(one).collect())
        }
        DataType::List(item) => DataType::List(one(item)),
        DataType::LargeList(item) => DataType::LargeList(one(item)),
        DataType::FixedSizeList(item, len) => DataType::FixedSizeList(one(item), *len),
        DataType::Map(entries, sorted) => DataType::Map(one(entries), *sorted),
        _ => return field.clone(),
    };
    field.clone().with_data_type(data_type)
}

/// The batch with the columns and types of `schema`.
///
/// # Errors
/// [`crate::error::Kind::Input`] with the column that does not fit.
pub fn fit(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    if batch.schema_ref() == schema {
        return Ok(batch.clone());
    }
    let rows = batch.num_rows();
    let (have, want) = (batch.schema_ref().fields(), schema.fields());
    let Some(columns) = by_name(batch.columns(), have, want, rows)? else {
        return Err(misfit(batch, schema)?);
    };
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
        .map_err(|error| Error::input(error.to_string()))
}

/// Why a batch does not fit.
fn misfit(batch: &RecordBatch, schema: &SchemaRef) -> Result<Error> {
    let have = batch.schema_ref().fields();
    let mut found: Vec<_> = (0..have.len())
        .filter(|&at| !is_hidden(&have[at]))
        .collect();
    for (at, to) in schema.fields().iter().enumerate() {
        let place = found.iter().position(|&at| have[at].name() == to.name());
        let Some(place) = place else {
            if to.is_nullable() {
                continue;
            }
            let what = "the schema is already written, and these rows lack a column that it declares as never null";
            return Ok(Error::input(what).in_column(shown(schema.fields(), at)));
        };
        let at = found.remove(place);
        let from = &have[at];
        if cast(batch.column(at), from, to)?.is_none() {
            let name = display_name(to.name(), at);
            let (was, is) = (type_name(to), type_name(from));
            let joined = join_fields(to, from, &Doubles::of(batch.column(at)));
            let fixed = format!("{name}:{}", type_name(&joined));
            let fixed = match FixedTypes::parse_all(&fixed) {
                Ok(_) => fixed,
                Err(_) => format!("{name}:json"),
            };
            return Ok(Error::input(format!(
                "the schema is already written with {was}, but later rows are {is}"
            ))
            .in_column(name)
            .hint(format!(
                "read from a file instead of a pipe, or use --schema {} or --infer none",
                shell_word(&fixed)
            )));
        }
    }
    let new = found
        .first()
        .map_or_else(String::new, |&at| shown(have, at));
    let names = schema.fields().iter().enumerate();
    let names: Vec<_> = names.map(|(at, _)| shown(schema.fields(), at)).collect();
    Ok(Error::input(format!(
        "column {new:?} appears too late: the schema is already written"
    ))
    .hint(format!(
        "read from a file instead of a pipe, or choose columns with --columns {}",
        shell_word(&names.join(","))
    )))
}

fn join_fields(a: &Field, b: &Field, doubles: &Doubles) -> Field {
    let nullable = a.is_nullable() || b.is_nullable();
    let mut field = join_kinds(a, b, doubles);
    // What both say of themselves stays true of the joined column.
    let same = field.metadata().iter().all(|(key, value)| {
        [a, b].iter().all(|side| {
            *side.data_type() == DataType::Null || side.metadata().get(key) == Some(value)
        })
    });
    let is_fallback = Type::of(&field) == Some(Type::Json);
    if !same && !is_fallback {
        let metadata = field.metadata().iter().filter(|(key, value)| {
            [a, b]
                .iter()
                .all(|side| side.metadata().get(key) == Some(*value))
        });
        let metadata = metadata.map(|(key, value)| (key.clone(), value.clone()));
        let metadata: std::collections::HashMap<_, _> = metadata.collect();
        field = field.with_metadata(metadata);
    }
    field.with_nullable(nullable)
}

fn join_kinds(a: &Field, b: &Field, doubles: &Doubles) -> Field {
    if *b.data_type() == DataType::Null {
        return a.clone().with_nullable(true);
    }
    if *a.data_type() == DataType::Null {
        return b.clone().with_nullable(true);
    }
    let extension = |field: &Field| field.metadata().get(EXTENSION_NAME).cloned();
    let held = |field: &Field| field.metadata().get(HELD_AS).cloned();
    let alike =
        extension(a) == extension(b) && held(a) == held(b) && is_variant(a) == is_variant(b);
    let joined = if alike {
        join_types(a.data_type(), b.data_type(), doubles)
    } else {
        None
    };
    match joined {
        Some(joined) => a.clone().with_data_type(joined),
        None if [a, b]
            .iter()
            .any(|field| is_nested(field.data_type()) || is_json(field)) =>
        {
            Type::Json.field(a.name())
        }
        None => Type::Utf8.field(a.name()),
    }
}

/// The narrowest type for the values of both, if it is not text.
fn join_types(a: &DataType, b: &DataType, doubles: &Doubles) -> Option<DataType> {
    use DataType as T;
    if a == b {
        return Some(a.clone());
    }
    let item = |a: &FieldRef, b: &FieldRef| {
        let doubles = doubles.child(a.name());
        Arc::new(join_fields(a, b, doubles))
    };
    Some(match (a, b) {
        (T::Dictionary(_, a), b) | (b, T::Dictionary(_, a)) => {
            let b = match b {
                T::Dictionary(_, values) => values,
                plain => plain,
            };
            return join_types(a, b, doubles);
        }
        (T::Utf8 | T::LargeUtf8 | T::Utf8View, T::Utf8 | T::LargeUtf8 | T::Utf8View) => {
            T::LargeUtf8
        }
        (
            T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_),
            T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_),
        ) => T::LargeBinary,
        (T::Date32, T::Date64) | (T::Date64, T::Date32) => T::Date64,
        (T::Timestamp(a, zone), T::Timestamp(b, other)) if zone == other => {
            T::Timestamp(*a.max(b), zone.clone())
        }
        (T::Duration(a), T::Duration(b)) => T::Duration(*a.max(b)),
        (T::Time32(a) | T::Time64(a), T::Time32(b) | T::Time64(b)) => match *a.max(b) {
            unit @ (TimeUnit::Second | TimeUnit::Millisecond) => T::Time32(unit),
            unit => T::Time64(unit),
        },
        (T::Struct(a), T::Struct(b)) => T::Struct(join_structs(a, b, doubles)),
        (T::List(a), T::List(b)) => T::List(item(a, b)),
        (T::LargeList(a), T::LargeList(b)) => T::LargeList(item(a, b)),
        (T::FixedSizeList(a, len), T::FixedSizeList(b, other)) if len == other => {
            T::FixedSizeList(item(a, b), *len)
        }
        (T::Map(a, sorted), T::Map(b, other)) if sorted == other => {
            let (T::Struct(x), T::Struct(y)) = (a.data_type(), b.data_type()) else {
                return None;
            };
            let ([key, value], [other_key, other_value]) = (&x[..], &y[..]) else {
                return None;
            };
            let pair = [item(key, other_key), item(value, other_value)];
            let entries = a.as_ref().clone();
            let entries = entries.with_data_type(T::Struct(pair.into_iter().collect()));
            T::Map(Arc::new(entries), *sorted)
        }
        (T::Float16, T::Float32) | (T::Float32, T::Float16) => T::Float32,
        (a, b) if a.is_floating() && b.is_floating() => T::Float64,
        (a, b) if (a.is_floating() || b.is_floating()) && doubles.fit() => T::Float64,
        (a, b) => return join_whole(a, b),
    })
}

/// Whole numbers and decimals: as many digits before and behind the point as both need.
fn join_whole(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType as T;
    let bits = |ty: &DataType| {
        Some(match ty {
            T::Int8 => (8, true),
            T::Int16 => (16, true),
            T::Int32 => (32, true),
            T::Int64 => (64, true),
            T::UInt8 => (8, false),
            T::UInt16 => (16, false),
            T::UInt32 => (32, false),
            T::UInt64 => (64, false),
            _ => return None,
        })
    };
    if let (Some((a, a_signed)), Some((b, b_signed))) = (bits(a), bits(b)) {
        let signed = a_signed || b_signed;
        let need = |bits: i32, own: bool| if signed && !own { bits * 2 } else { bits };
        return Some(match (need(a, a_signed).max(need(b, b_signed)), signed) {
            (..=16, true) => T::Int16,
            (32, true) => T::Int32,
            (64, true) => T::Int64,
            (..=16, false) => T::UInt16,
            (32, false) => T::UInt32,
            (64, false) => T::UInt64,
            _ => T::Decimal128(20, 0),
        });
    }
    let digits = |ty: &DataType| {
        Some(match ty {
            T::Decimal32(precision, scale)
            | T::Decimal64(precision, scale)
            | T::Decimal128(precision, scale)
                if *scale >= 0 =>
            {
                (precision - scale.unsigned_abs(), scale.unsigned_abs())
            }
            T::Int8 | T::UInt8 => (3, 0),
            T::Int16 | T::UInt16 => (5, 0),
            T::Int32 | T::UInt32 => (10, 0),
            T::Int64 => (19, 0),
            T::UInt64 => (20, 0),
            _ => return None,
        })
    };
    let ((a_whole, a_scale), (b_whole, b_scale)) = (digits(a)?, digits(b)?);
    let scale = a_scale.max(b_scale);
    let precision = a_whole.max(b_whole) + scale;
    let is_small = |ty: &DataType| matches!(ty, T::Decimal32(..) | T::Decimal64(..));
    if precision <= DECIMAL64_MAX_PRECISION && (is_small(a) || is_small(b)) {
        Some(T::Decimal64(precision, scale as i8))
    } else {
        (precision <= DECIMAL128_MAX_PRECISION).then_some(T::Decimal128(precision, scale as i8))
    }
}

fn join_structs(a: &Fields, b: &Fields, doubles: &Doubles) -> Fields {
    let mut others: Vec<&FieldRef> = b.iter().collect();
    let mut fields: Vec<FieldRef> = Vec::with_capacity(a.len());
    for field in a {
        let place = others.iter().position(|other| other.name() == field.name());
        fields.push(Arc::new(match place {
            Some(place) => {
                let doubles = doubles.child(field.name());
                join_fields(field, others.remove(place), doubles)
            }
            None => field.as_ref().clone().with_nullable(true),
        }));
    }
    let rest = others.into_iter();
    fields.extend(rest.map(|field| Arc::new(field.as_ref().clone().with_nullable(true))));
    fields.into()
}
