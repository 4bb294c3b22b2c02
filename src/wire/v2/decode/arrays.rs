//! Builds arrays from the values of valid rows.

use std::sync::Arc;

use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{Array as _, ArrayRef, GenericByteArray, make_array};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::columns::slots::array_of;
use crate::error::{Error, Result};
use crate::wire::encodings::ByteStrings;
use crate::wire::v2::groups::Groups;

/// The rows of an array, and where the values of the valid ones come from.
#[derive(Clone, Copy)]
pub(in crate::wire::v2) struct Placement<'a> {
    pub rows: usize,
    pub nulls: Option<&'a NullBuffer>,
    /// If any, values are stored group by group, otherwise in the order of the rows.
    pub groups: Option<&'a Groups>,
}

impl Placement<'_> {
    /// Rows without nulls, in order.
    pub fn all(rows: usize) -> Self {
        Self {
            rows,
            nulls: None,
            groups: None,
        }
    }

    /// Moves the values of valid rows to their rows, with zeros for nulls.
    pub fn expand<T: Copy + Default>(self, values: Vec<T>) -> Vec<T> {
        if let Some(groups) = self.groups {
            return groups.scatter(values, self.nulls);
        }
        let Some(nulls) = self.nulls else {
            return values;
        };
        let mut out = vec![T::default(); self.rows];
        let mut next = 0;
        for (from, to) in nulls.valid_slices() {
            let len = to - from;
            if let Some(values) = values.get(next..next + len) {
                out[from..to].copy_from_slice(values);
            }
            next += len;
        }
        out
    }

    /// Number of rows whose values are copied because they are stored in groups.
    pub fn regrouped_rows(self) -> usize {
        self.groups.map_or(0, |_| self.rows)
    }

    /// The strings of valid rows in the order of the rows.
    pub fn in_order(self, values: ByteStrings<Buffer>) -> ByteStrings<Buffer> {
        if self.groups.is_none() {
            return values;
        }
        let places = self.expand((0..values.len() as u32).collect());
        let mut offsets = Vec::with_capacity(values.len() + 1);
        offsets.push(0);
        let mut data = Vec::with_capacity(values.data.len());
        for row in self.valid_rows() {
            data.extend_from_slice(values.row(places[row] as usize));
            offsets.push(data.len() as i32);
        }
        ByteStrings {
            offsets,
            data: data.into(),
        }
    }

    fn valid_rows(&self) -> impl Iterator<Item = usize> {
        (0..self.rows).filter(|&row| self.nulls.is_none_or(|nulls| nulls.is_valid(row)))
    }
}

/// An array of a type with the width of the values.
pub(super) fn primitive<T: ArrowNativeType>(
    data_type: &DataType,
    values: Vec<T>,
    placement: Placement<'_>,
) -> Result<ArrayRef> {
    array_of(
        data_type,
        placement.expand(values),
        placement.nulls.cloned(),
    )
    .map_err(Error::corrupt)
}

/// An array of any type that Arrow stores as numbers.
pub(in crate::wire::v2) fn numbers(
    data_type: &DataType,
    values: Vec<i64>,
    placement: Placement<'_>,
) -> Result<ArrayRef> {
    let unsigned = data_type.is_unsigned_integer() || data_type.is_floating();
    match (data_type.primitive_width(), unsigned) {
        (Some(1), false) => narrow::<i8>(data_type, &values, placement),
        (Some(2), false) => narrow::<i16>(data_type, &values, placement),
        (Some(4), false) => narrow::<i32>(data_type, &values, placement),
        (Some(1), true) => narrow::<u8>(data_type, &values, placement),
        (Some(2), true) => narrow::<u16>(data_type, &values, placement),
        (Some(4), true) => narrow::<u32>(data_type, &values, placement),
        _ => primitive(data_type, values, placement),
    }
}

fn narrow<T: ArrowNativeType + TryFrom<i64>>(
    data_type: &DataType,
    values: &[i64],
    placement: Placement<'_>,
) -> Result<ArrayRef> {
    let narrow = |&value: &i64| {
        T::try_from(value)
            .map_err(|_| Error::corrupt(format!("{value} does not fit into {data_type}")))
    };
    let values = values.iter().map(narrow).collect::<Result<Vec<_>>>()?;
    primitive(data_type, values, placement)
}

/// An array of rows that refer to values.
pub(super) fn dictionary(
    data_type: &DataType,
    keys: &ArrayRef,
    values: &ArrayRef,
) -> Result<ArrayRef> {
    let data = keys
        .to_data()
        .into_builder()
        .data_type(data_type.clone())
        .child_data(vec![values.to_data()])
        .build()
        .map_err(Error::corrupt)?;
    Ok(make_array(data))
}

/// An array of a type of text or bytes.
pub(super) fn text(
    data_type: &DataType,
    values: ByteStrings<Buffer>,
    placement: Placement<'_>,
) -> Result<ArrayRef> {
    let values = placement.in_order(values);
    let Placement { rows, nulls, .. } = placement;
    match data_type {
        DataType::Utf8View => {
            let mut builder = StringViewBuilder::with_capacity(rows);
            for value in each_row(&values, rows, nulls) {
                let value = value
                    .map(std::str::from_utf8)
                    .transpose()
                    .map_err(|_| not_utf8())?;
                builder.append_option(value);
            }
            return Ok(Arc::new(builder.finish()));
        }
        DataType::BinaryView => {
            let mut builder = BinaryViewBuilder::with_capacity(rows);
            each_row(&values, rows, nulls).for_each(|value| builder.append_option(value));
            return Ok(Arc::new(builder.finish()));
        }
        DataType::FixedSizeBinary(len) => {
            let len = *len as usize;
            if values.iter().any(|value| value.len() != len) {
                return Err(Error::corrupt(format!("a value is not {len} bytes long")));
            }
            let mut data = Vec::with_capacity(rows.saturating_mul(len));
            for value in each_row(&values, rows, nulls) {
                match value {
                    Some(value) => data.extend_from_slice(value),
                    None => data.resize(data.len() + len, 0),
                }
            }
            let data = ArrayData::builder(data_type.clone())
                .len(rows)
                .add_buffer(Buffer::from_vec(data))
                .nulls(nulls.cloned());
            return Ok(make_array(data.build().map_err(Error::corrupt)?));
        }
        _ => {}
    }
    let ByteStrings { mut offsets, data } = values;
    // Only valid rows have values. Null rows become empty: they repeat the end of the row before.
    if let Some(nulls) = nulls {
        let mut ends = offsets.into_iter();
        let mut end = ends.next().unwrap_or(0);
        let mut expanded = Vec::with_capacity(rows + 1);
        expanded.push(end);
        for row in 0..rows {
            if nulls.is_valid(row) {
                end = ends.next().unwrap_or(end);
            }
            expanded.push(end);
        }
        offsets = expanded;
    }
    match data_type {
        DataType::Utf8 => bytes_array::<Utf8Type>(offsets, data, nulls),
        DataType::LargeUtf8 => bytes_array::<LargeUtf8Type>(wide(offsets), data, nulls),
        DataType::Binary => bytes_array::<BinaryType>(offsets, data, nulls),
        DataType::LargeBinary => bytes_array::<LargeBinaryType>(wide(offsets), data, nulls),
        other => Err(Error::corrupt(format!("text is not of type {other}"))),
    }
}

fn wide(offsets: Vec<i32>) -> Vec<i64> {
    offsets.into_iter().map(i64::from).collect()
}

/// An array of text or bytes. Its own constructor checks the text once; the constructor of [`ArrayData`]
/// checks offsets more slowly.
fn bytes_array<T: ByteArrayType>(
    offsets: Vec<T::Offset>,
    data: Buffer,
    nulls: Option<&NullBuffer>,
) -> Result<ArrayRef> {
    let starts_well = offsets.first().is_some_and(|first| first.as_usize() == 0);
    if !starts_well || !offsets.is_sorted() {
        return Err(Error::corrupt("the offsets of texts do not ascend"));
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let array =
        GenericByteArray::<T>::try_new(offsets, data, nulls.cloned()).map_err(|_| not_utf8())?;
    Ok(Arc::new(array))
}

/// The value of each row, `None` for nulls.
fn each_row<'a>(
    values: &'a ByteStrings<Buffer>,
    rows: usize,
    nulls: Option<&'a NullBuffer>,
) -> impl Iterator<Item = Option<&'a [u8]>> {
    let mut values = values.iter();
    (0..rows).map(move |row| match nulls {
        Some(nulls) if nulls.is_null(row) => None,
        _ => values.next(),
    })
}

fn not_utf8() -> Error {
    Error::corrupt("the text is not UTF-8")
}
