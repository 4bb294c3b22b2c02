//! Timestamps of 96 bits and intervals, as old writers store them; the crate parquet would lose some of their values.
//!
//! | stored | the crate reads | here |
//! |---|---|---|
//! | INT96: nanoseconds of a day, and the Julian day | i64 of nanoseconds, wrapped outside 1677 to 2262 | microseconds for Spark, and where nanoseconds do not fit |
//! | INTERVAL: months, days and milliseconds of 32 bits | days and milliseconds | months, days and nanoseconds |
//!
//! If the metadata contains an Arrow schema, it has the types that were written, so they are not changed.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::IntervalMonthDayNano;
use arrow_array::{Array as _, ArrayRef, IntervalMonthDayNanoArray};
use arrow_schema::{DataType, FieldRef, Fields, IntervalUnit, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::{ConvertedType, Type as PhysicalType};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::data_type::Int96;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{FileMetaData, ParquetMetaDataBuilder, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::guard::guarded;
use super::source::Pages;
use super::{corrupt, invalid};
use crate::columns::lists::{children, with_children, with_fields};
use crate::error::{Error, Result};
use crate::schema::{child_fields, display_name};

/// Number of rows of INT96 to look at in one step.
const SCAN_ROWS: usize = 8 << 10;
const INTERVAL_BYTES: i32 = 12;
const MONTH_DAY_NANO: DataType = DataType::Interval(IntervalUnit::MonthDayNano);
/// The start of the keys of Spark's metadata. It stores microseconds as INT96.
const SPARK: &str = "org.apache.spark.";

/// Returns metadata with which the crate reads intervals as their 12 bytes, and the schema with
/// [`IntervalUnit::MonthDayNano`] in their place; [`with_intervals`] converts the arrays.
pub fn keep_months(metadata: ArrowReaderMetadata) -> Result<(ArrowReaderMetadata, SchemaRef)> {
    let schema = Arc::clone(metadata.schema());
    let leaves = metadata.parquet_schema().columns();
    let is_interval = |leaf: usize| leaves[leaf].converted_type() == ConvertedType::INTERVAL;
    if has_key(&metadata, |key| key == ARROW_SCHEMA_META_KEY) || !(0..leaves.len()).any(is_interval)
    {
        return Ok((metadata, schema));
    }
    let schema = with_leaves(&schema, |leaf, _| {
        is_interval(leaf).then_some(MONTH_DAY_NANO)
    });
    let file = metadata.metadata().file_metadata();
    let root = without_intervals(&metadata.parquet_schema().root_schema_ptr()).map_err(corrupt)?;
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        Arc::new(SchemaDescriptor::new(root)),
        file.column_orders().cloned(),
    );
    let groups = metadata.metadata().row_groups().to_vec();
    let file = ParquetMetaDataBuilder::new(file).set_row_groups(groups);
    let metadata = ArrowReaderMetadata::try_new(Arc::new(file.build()), ArrowReaderOptions::new());
    Ok((metadata.map_err(corrupt)?, schema))
}

/// The schema with the bytes of intervals in their place, so that each leaf is one column chunk.
pub fn stored_intervals(schema: &Schema) -> SchemaRef {
    with_leaves(schema, |_, of| {
        matches!(of, DataType::Interval(_)).then_some(DataType::FixedSizeBinary(INTERVAL_BYTES))
    })
}

/// The type with plain bytes in place of intervals.
fn without_intervals(of: &TypePtr) -> ParquetResult<TypePtr> {
    let info = of.get_basic_info();
    let id = info.has_id().then(|| info.id());
    match &**of {
        Type::PrimitiveType {
            physical_type,
            type_length,
            ..
        } if info.converted_type() == ConvertedType::INTERVAL => {
            let plain = Type::primitive_type_builder(info.name(), *physical_type)
                .with_repetition(info.repetition())
                .with_length(*type_length)
                .with_id(id);
            Ok(Arc::new(plain.build()?))
        }
        Type::PrimitiveType { .. } => Ok(Arc::clone(of)),
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(without_intervals);
            let mut group = Type::group_type_builder(info.name())
                .with_fields(fields.collect::<ParquetResult<_>>()?)
                .with_converted_type(info.converted_type())
                .with_logical_type(info.logical_type_ref().cloned())
                .with_id(id);
            // The root has no repetition.
            if info.has_repetition() {
                group = group.with_repetition(info.repetition());
            }
            Ok(Arc::new(group.build()?))
        }
    }
}

/// Converts the bytes of intervals to the type `to`, in which only they differ from the type of the array.
pub fn with_intervals(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(Arc::clone(array));
    }
    if *to == MONTH_DAY_NANO {
        let bytes = array
            .as_fixed_size_binary_opt()
            .filter(|bytes| bytes.value_length() == INTERVAL_BYTES)
            .ok_or_else(|| invalid("an interval does not have 12 bytes"))?;
        let part = |bytes: &[u8], at: usize| {
            let bytes = bytes[at..].first_chunk();
            u32::from_le_bytes(bytes.copied().unwrap_or_default())
        };
        let values = bytes.iter().map(|bytes| {
            bytes.map(|bytes| {
                let (months, days) = (part(bytes, 0), part(bytes, 4));
                let nanoseconds = i64::from(part(bytes, 8)) * 1_000_000;
                let (months, days) = (months.cast_signed(), days.cast_signed());
                IntervalMonthDayNano::new(months, days, nanoseconds)
            })
        });
        return Ok(Arc::new(values.collect::<IntervalMonthDayNanoArray>()));
    }
    let parts = children(array);
    let parts = parts
        .iter()
        .zip(child_fields(to))
        .map(|(part, field)| with_intervals(part, field.data_type()));
    with_children(array, to, parts.collect::<Result<_>>()?)
        .map_err(|error| invalid(&error.to_string()))
}

/// Chooses microseconds for those INT96 timestamps in the `wanted` columns that do not fit nanoseconds, and for all
/// that Spark wrote. Reads the others to find out: their statistics are seldom written and had no defined order.
///
/// # Errors
/// [`crate::error::Kind::Input`] if neither unit holds all timestamps of a column.
pub fn widen_timestamps(
    source: &Pages,
    (metadata, schema): (ArrowReaderMetadata, SchemaRef),
    wanted: &[usize],
) -> Result<(ArrowReaderMetadata, SchemaRef)> {
    if has_key(&metadata, |key| key == ARROW_SCHEMA_META_KEY) {
        return Ok((metadata, schema));
    }
    let is_spark = has_key(&metadata, |key| key.starts_with(SPARK));
    let stored = metadata.parquet_schema();
    let mut in_microseconds = vec![false; stored.num_columns()];
    for (leaf, column) in stored.columns().iter().enumerate() {
        let root = stored.get_column_root_idx(leaf);
        if column.physical_type() != PhysicalType::INT96 || !wanted.contains(&root) {
            continue;
        }
        in_microseconds[leaf] = is_spark
            || {
                let found = Timestamps::scan(source, metadata.metadata().row_groups(), leaf);
                if found.exceed_nanoseconds && found.need_nanoseconds {
                    let name = display_name(schema.field(root).name(), root);
                    let what = "no type holds these INT96 timestamps: some lie outside the years 1677 to 2262, and some \
                            have digits below a microsecond";
                    let hint = format!("leave the column out with --columns=-{name}");
                    return Err(Error::input(what).in_column(name).hint(hint));
                }
                found.exceed_nanoseconds
            };
    }
    if !in_microseconds.contains(&true) {
        return Ok((metadata, schema));
    }
    let widened = |schema: &Schema| {
        let microseconds = DataType::Timestamp(TimeUnit::Microsecond, None);
        with_leaves(schema, |leaf, _| {
            in_microseconds[leaf].then(|| microseconds.clone())
        })
    };
    let options = ArrowReaderOptions::new().with_schema(widened(metadata.schema()));
    let read = ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options);
    Ok((read.map_err(corrupt)?, widened(&schema)))
}

/// What the timestamps of a column need.
#[derive(Default)]
struct Timestamps {
    /// Some do not fit 64 bits of nanoseconds.
    exceed_nanoseconds: bool,
    /// Some are not a whole number of microseconds.
    need_nanoseconds: bool,
}

impl Timestamps {
    /// Looks at all row groups up to the first damage, which is reported when the column is read.
    fn scan(source: &Pages, groups: &[RowGroupMetaData], leaf: usize) -> Self {
        let mut found = Self::default();
        for group in groups {
            if guarded(|| found.scan_group(source, group, leaf)).is_err() {
                break;
            }
        }
        found
    }

    fn scan_group(&mut self, source: &Pages, group: &RowGroupMetaData, leaf: usize) -> Result<()> {
        let chunk = group.column(leaf);
        let rows = usize::try_from(group.num_rows()).unwrap_or(0);
        let pages = SerializedPageReader::new(Arc::new(source.clone()), chunk, rows, None);
        let pages = Box::new(pages.map_err(corrupt)?);
        let ColumnReader::Int96ColumnReader(mut reader) =
            get_column_reader(chunk.column_descr_ptr(), pages)
        else {
            return Err(invalid("the column is not INT96"));
        };
        let mut values = Vec::new();
        let (mut definitions, mut repetitions) = (Vec::new(), Vec::new());
        loop {
            values.clear();
            definitions.clear();
            repetitions.clear();
            let (records, ..) = reader
                .read_records(
                    SCAN_ROWS,
                    Some(&mut definitions),
                    Some(&mut repetitions),
                    &mut values,
                )
                .map_err(corrupt)?;
            if records == 0 {
                return Ok(());
            }
            for value in &values {
                self.add(value);
            }
        }
    }

    fn add(&mut self, value: &Int96) {
        let [low, high, day] = *value.data() else {
            return;
        };
        let of_day = i128::from(u64::from(high) << 32 | u64::from(low));
        let days = i128::from(day.cast_signed()) - 2_440_588;
        let nanoseconds = days * 86_400_000_000_000 + of_day;
        self.exceed_nanoseconds |= i64::try_from(nanoseconds).is_err();
        self.need_nanoseconds |= of_day % 1000 != 0;
    }
}

/// The schema with other types for some leaves, which have the numbers of the column chunks.
fn with_leaves(
    schema: &Schema,
    mut change: impl FnMut(usize, &DataType) -> Option<DataType>,
) -> SchemaRef {
    fn in_field(
        field: &FieldRef,
        leaf: &mut usize,
        change: &mut dyn FnMut(usize, &DataType) -> Option<DataType>,
    ) -> FieldRef {
        let to = match field.data_type() {
            DataType::ListView(item) => DataType::ListView(in_field(item, leaf, change)),
            DataType::LargeListView(item) => DataType::LargeListView(in_field(item, leaf, change)),
            of if child_fields(of).is_empty() => {
                *leaf += 1;
                match change(*leaf - 1, of) {
                    Some(to) => to,
                    None => return Arc::clone(field),
                }
            }
            of => with_fields(of, |child| in_field(child, leaf, change)),
        };
        Arc::new(field.as_ref().clone().with_data_type(to))
    }
    let mut leaf = 0;
    let fields: Fields = schema
        .fields()
        .iter()
        .map(|field| in_field(field, &mut leaf, &mut change))
        .collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn has_key(metadata: &ArrowReaderMetadata, is_meant: impl Fn(&str) -> bool) -> bool {
    let pairs = metadata.metadata().file_metadata().key_value_metadata();
    pairs.is_some_and(|pairs| pairs.iter().any(|pair| is_meant(&pair.key)))
}
