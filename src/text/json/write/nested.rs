//! Values of any Arrow type to JSON, row by row.
//!
//! Arrays are taken apart once per batch, keys are escaped once, and a row costs a walk down the
//! printers. Fields of structs follow [`crate::text::nested`]: variants print their valid child,
//! absent keys are left out, hidden fields never show.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};

use super::JsonWriter;
use crate::error::{Error, Result};
use crate::schema::{Type, display_name};
use crate::text::json::escape::print_string;
use crate::text::nested::{is_absent, is_hidden, is_key, is_variant};
use crate::text::print::Column;

/// An array taken apart.
pub(super) enum Printer<'a> {
    Scalar(Column<'a>),
    /// Nothing but nulls.
    Null,
    Struct(Option<&'a NullBuffer>, Vec<Member<'a>>),
    List(Option<&'a NullBuffer>, Ranges<'a>, Box<Self>),
    /// Keys and values.
    Map(Option<&'a NullBuffer>, &'a [i32], Box<(Self, Self)>),
    /// The child that is valid is the value.
    Variant(Option<&'a NullBuffer>, Vec<Self>),
}

/// A field of a struct.
pub(super) struct Member<'a> {
    /// `,"name":`.
    key: Vec<u8>,
    /// What a null means here.
    gap: Gap<'a>,
    values: Printer<'a>,
}

enum Gap<'a> {
    /// A null.
    Null,
    /// An absent key.
    Absent,
    /// An absent key where this is true.
    Either(&'a BooleanArray),
}

/// The items of each row of a list.
pub(super) enum Ranges<'a> {
    Small(&'a [i32]),
    Large(&'a [i64]),
    Fixed(usize),
}

impl Ranges<'_> {
    fn of(&self, row: usize) -> std::ops::Range<usize> {
        match self {
            Self::Small(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
            Self::Large(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
            Self::Fixed(len) => row * len..(row + 1) * len,
        }
    }
}

impl<'a> Printer<'a> {
    /// Takes an array apart.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if a type has no spelling in text.
    pub fn new(array: &'a dyn Array, field: &Field) -> Result<Self> {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        let unlike = || {
            let what = format!("cannot print values of type {}", array.data_type());
            Error::input(what).in_column(field.name())
        };
        Ok(match field.data_type() {
            DataType::Null => Self::Null,
            DataType::Struct(fields) if is_variant(field) => {
                let array = array.as_struct_opt().ok_or_else(unlike)?;
                let children = array.columns().iter().zip(fields);
                let children = children.map(|(array, field)| Self::new(array, field));
                Self::Variant(nulls, children.collect::<Result<_>>()?)
            }
            DataType::Struct(fields) => {
                let array = array.as_struct_opt().ok_or_else(unlike)?;
                Self::Struct(
                    nulls,
                    members(array.columns(), fields, |field, _| field.name().clone())?,
                )
            }
            DataType::List(item) => {
                let array = array.as_list_opt::<i32>().ok_or_else(unlike)?;
                let items = Box::new(Self::new(array.values(), item)?);
                Self::List(nulls, Ranges::Small(array.offsets()), items)
            }
            DataType::LargeList(item) => {
                let array = array.as_list_opt::<i64>().ok_or_else(unlike)?;
                let items = Box::new(Self::new(array.values(), item)?);
                Self::List(nulls, Ranges::Large(array.offsets()), items)
            }
            DataType::FixedSizeList(item, len) => {
                let array = array.as_fixed_size_list_opt().ok_or_else(unlike)?;
                let items = Box::new(Self::new(array.values(), item)?);
                Self::List(nulls, Ranges::Fixed(*len as usize), items)
            }
            DataType::Map(entries, _) => {
                let array = array.as_map_opt().ok_or_else(unlike)?;
                let DataType::Struct(fields) = entries.data_type() else {
                    return Err(unlike());
                };
                let [key, value] = &fields[..] else {
                    return Err(unlike());
                };
                let keys = Self::new(array.keys(), key)?;
                let values = Self::new(array.values(), value)?;
                Self::Map(nulls, array.offsets(), Box::new((keys, values)))
            }
            _ => Self::Scalar(Column::new(array, field)?),
        })
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Scalar(column) => column.is_null(row),
            Self::Null => true,
            Self::Struct(nulls, _)
            | Self::List(nulls, ..)
            | Self::Map(nulls, ..)
            | Self::Variant(nulls, _) => nulls.is_some_and(|nulls| nulls.is_null(row)),
        }
    }
}

impl Member<'_> {
    #[inline]
    fn is_absent(&self, row: usize) -> bool {
        match self.gap {
            Gap::Null => false,
            Gap::Absent => self.values.is_null(row),
            Gap::Either(absent) => absent.value(row) && self.values.is_null(row),
        }
    }
}

/// The members that show, each with what tells its nulls from absent keys.
pub(super) fn members<'a>(
    columns: &'a [ArrayRef],
    fields: &Fields,
    name: impl Fn(&Field, usize) -> String,
) -> Result<Vec<Member<'a>>> {
    let mut members: Vec<Member<'a>> = Vec::with_capacity(fields.len());
    for (array, field) in columns.iter().zip(fields) {
        if is_hidden(field) {
            if let (Some(before), Some(bits)) = (members.last_mut(), array.as_boolean_opt()) {
                before.gap = Gap::Either(bits);
            }
            continue;
        }
        let mut key = vec![b','];
        print_string(name(field, members.len()).as_bytes(), &mut key);
        key.push(b':');
        members.push(Member {
            key,
            gap: if is_absent(field) {
                Gap::Absent
            } else {
                Gap::Null
            },
            values: Printer::new(array, field)?,
        });
    }
    Ok(members)
}

impl JsonWriter {
    /// Appends an object.
    #[inline]
    pub(super) fn object(&mut self, members: &[Member<'_>], row: usize, out: &mut Vec<u8>) {
        out.push(b'{');
        let mut comma = 1;
        for member in members {
            if !member.is_absent(row) {
                out.extend_from_slice(&member.key[comma..]);
                self.value(&member.values, row, out);
                comma = 0;
            }
        }
        out.push(b'}');
    }

    /// Appends a value.
    pub(super) fn value(&mut self, values: &Printer<'_>, row: usize, out: &mut Vec<u8>) {
        if let Printer::Scalar(column) = values {
            return self.cell(column, row, out);
        }
        if values.is_null(row) {
            return out.extend_from_slice(b"null");
        }
        match values {
            Printer::Scalar(_) | Printer::Null => {}
            Printer::Struct(_, members) => self.object(members, row, out),
            Printer::List(_, ranges, items) => {
                out.push(b'[');
                let range = ranges.of(row);
                let first = range.start;
                for item in range {
                    if item > first {
                        out.push(b',');
                    }
                    self.value(items, item, out);
                }
                out.push(b']');
            }
            Printer::Map(_, offsets, entries) => {
                let (keys, values) = &**entries;
                out.push(b'{');
                let first = offsets[row] as usize;
                for entry in first..offsets[row + 1] as usize {
                    if entry > first {
                        out.push(b',');
                    }
                    self.key(keys, entry, out);
                    out.push(b':');
                    self.value(values, entry, out);
                }
                out.push(b'}');
            }
            Printer::Variant(_, children) => {
                match children.iter().find(|child| !child.is_null(row)) {
                    Some(child) => self.value(child, row, out),
                    None => out.extend_from_slice(b"null"),
                }
            }
        }
    }

    /// Appends the key of an entry, which is a string whatever its type.
    fn key(&mut self, keys: &Printer<'_>, entry: usize, out: &mut Vec<u8>) {
        let start = out.len();
        self.value(keys, entry, out);
        if out.get(start) != Some(&b'"') {
            let bare = out.split_off(start);
            print_string(&bare, out);
        }
    }
}

/// True if a column of this type is JSON text in formats that know no nesting.
pub fn is_nested(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Struct(_)
            | DataType::List(_)
            | DataType::LargeList(_)
            | DataType::FixedSizeList(..)
            | DataType::Map(..)
    )
}

fn is_flat(schema: &Schema) -> bool {
    let mut fields = schema.fields().iter();
    fields.all(|field| !is_nested(field.data_type()) && !is_hidden(field))
}

/// The schema of [`flatten_to_json`].
pub fn flat_schema(schema: &Schema) -> Schema {
    let visible = schema.fields().iter().filter(|field| !is_hidden(field));
    let flat = |field: &FieldRef| {
        if is_nested(field.data_type()) {
            Arc::new(Type::Json.field(field.name()))
        } else {
            Arc::clone(field)
        }
    };
    Schema::new(visible.map(flat).collect::<Fields>())
}

/// The batch with nested columns as JSON text and without hidden ones, for formats that know
/// neither.
///
/// # Errors
/// [`crate::error::Kind::Input`] if a type has no spelling in text, [`crate::error::Kind::Limit`] if
/// the text of a column is longer than Arrow can hold.
pub fn flatten_to_json(batch: &RecordBatch) -> Result<RecordBatch> {
    let schema = batch.schema_ref();
    if is_flat(schema) {
        return Ok(batch.clone());
    }
    let mut writer = JsonWriter::new(super::JsonLayout::Lines);
    let columns = batch.columns().iter().zip(schema.fields());
    let visible = columns.filter(|(_, field)| !is_hidden(field));
    let arrays = visible.map(|(array, field)| {
        if is_nested(field.data_type()) {
            texts(&mut writer, array, field)
        } else {
            Ok(Arc::clone(array))
        }
    });
    let arrays = arrays.collect::<Result<_>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(flat_schema(schema)), arrays, &options)
        .map_err(|error| Error::limit(format!("cannot hold the columns: {error}")))
}

/// The values of a column of any type as JSON texts.
///
/// # Errors
/// As [`flatten_to_json`].
pub fn json_texts(array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    texts(&mut JsonWriter::new(super::JsonLayout::Lines), array, field)
}

fn texts(writer: &mut JsonWriter, array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    let printer = Printer::new(array, field)?;
    let mut offsets = Vec::with_capacity(array.len() + 1);
    offsets.push(0);
    let mut data = Vec::new();
    for row in 0..array.len() {
        if !printer.is_null(row) {
            writer.value(&printer, row, &mut data);
        }
        offsets.push(i32::try_from(data.len()).map_err(|_| {
            Error::limit("the column is longer than 2 GiB as JSON text").in_column(field.name())
        })?);
    }
    let valid = BooleanBuffer::collect_bool(array.len(), |row| !printer.is_null(row));
    let nulls = (valid.count_set_bits() < array.len()).then(|| NullBuffer::new(valid));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let texts = StringArray::try_new(offsets, Buffer::from_vec(data), nulls)
        .map_err(|error| Error::input(error.to_string()).in_column(field.name()))?;
    Ok(Arc::new(texts))
}

/// The columns as members of the rows. A column without a name goes by its position, unless the
/// empty text is its name.
pub(super) fn rows(batch: &RecordBatch) -> Result<Vec<Member<'_>>> {
    let name = |field: &Field, position: usize| {
        if is_key(field) {
            field.name().clone()
        } else {
            display_name(field.name(), position)
        }
    };
    members(batch.columns(), batch.schema_ref().fields(), name)
}
