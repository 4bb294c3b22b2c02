//! Column types: their names on the command line, and their Arrow representation.
//!
//! A batch is an Arrow `RecordBatch`. Types of wire 1 that Arrow lacks are marked in field metadata: JSON text and
//! UUIDs by Arrow's canonical extension names, and content that wire 1 permits but the proper Arrow array cannot
//! hold by [`HELD_AS`].

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;

use arrow_schema::{DataType, Field, TimeUnit};

use self::keys::{is_hidden, is_key};
use crate::error::{Error, Result};

pub mod choice;
pub mod distinct;
pub mod keys;
mod names;
pub mod path;
pub mod selection;
mod zone;

pub use names::{data_type_name, named_field, short_type_name, type_name};
pub use zone::{offset_of, offset_of_zone, parse_offset};

/// Arrow's metadata key for extension types.
pub const EXTENSION_NAME: &str = "ARROW:extension:name";
/// Extension name of JSON text (a `Utf8` array).
pub const JSON_EXTENSION: &str = "arrow.json";
/// Extension name of UUIDs (a `FixedSizeBinary(16)` array).
pub const UUID_EXTENSION: &str = "arrow.uuid";
/// Metadata key for the declared [`Type`] of a column whose content does not fit its Arrow type: bool bytes other
/// than 0 and 1 (stored as `UInt8`), and text that is not UTF-8 (stored as `Binary` or `LargeBinary`).
pub const HELD_AS: &str = "mbt.type";

/// Name of the single column for rows that are not JSON objects; its values are JSON text. `$` is the root in
/// `JSONPath`.
pub const ROW_COLUMN: &str = "$";

/// The eleven column types of wire 1, as named by `--schema` and `inspect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// True or false.
    Bool,
    /// 16-bit signed integer.
    I16,
    /// 32-bit signed integer.
    I32,
    /// 64-bit signed integer.
    I64,
    /// IEEE 754 single precision.
    F32,
    /// IEEE 754 double precision.
    F64,
    /// 16 bytes, printed as 36 characters.
    Uuid,
    /// Microseconds since 1970-01-01T00:00:00Z.
    Timestamp,
    /// Text.
    Utf8,
    /// Raw bytes.
    Bytes,
    /// One JSON value as text.
    Json,
}

impl Type {
    /// Every type, in the order of the type ids.
    pub const ALL: [Self; 11] = [
        Self::Bool,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::F32,
        Self::F64,
        Self::Uuid,
        Self::Timestamp,
        Self::Utf8,
        Self::Bytes,
        Self::Json,
    ];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Uuid => "uuid",
            Self::Timestamp => "timestamp",
            Self::Utf8 => "utf8",
            Self::Bytes => "bytes",
            Self::Json => "json",
        }
    }

    /// The type of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// The Arrow type that stores it.
    pub fn data_type(self) -> DataType {
        match self {
            Self::Bool => DataType::Boolean,
            Self::I16 => DataType::Int16,
            Self::I32 => DataType::Int32,
            Self::I64 => DataType::Int64,
            Self::F32 => DataType::Float32,
            Self::F64 => DataType::Float64,
            Self::Uuid => DataType::FixedSizeBinary(16),
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Self::Utf8 | Self::Json => DataType::Utf8,
            Self::Bytes => DataType::Binary,
        }
    }

    /// A nullable field of this type; an empty name means unnamed.
    pub fn field(self, name: &str) -> Field {
        let field = Field::new(name, self.data_type(), true);
        match self {
            Self::Uuid => with_metadata(field, EXTENSION_NAME, UUID_EXTENSION),
            Self::Json => with_metadata(field, EXTENSION_NAME, JSON_EXTENSION),
            _ => field,
        }
    }

    /// A field for a column declared as this type but stored in an array of `data_type` (see [`HELD_AS`]).
    pub fn field_held_as(self, name: &str, data_type: DataType) -> Field {
        with_metadata(Field::new(name, data_type, true), HELD_AS, self.name())
    }

    /// The declared type of a field whose array is of another type (see [`HELD_AS`]). Metadata that declares anything
    /// else is ignored, since it may be from another program.
    pub fn held(field: &Field) -> Option<Self> {
        let declared = Self::parse(field.metadata().get(HELD_AS)?)?;
        let is_held = match field.data_type() {
            DataType::UInt8 => declared == Self::Bool,
            DataType::Binary | DataType::LargeBinary => {
                matches!(declared, Self::Utf8 | Self::Json)
            }
            _ => false,
        };
        is_held.then_some(declared)
    }

    /// The type of a field, or `None` if wire 1 has no such type.
    pub fn of(field: &Field) -> Option<Self> {
        if let Some(held) = Self::held(field) {
            return Some(held);
        }
        let extension = field.metadata().get(EXTENSION_NAME).map(String::as_str);
        Some(match field.data_type() {
            DataType::Boolean => Self::Bool,
            DataType::Int16 => Self::I16,
            DataType::Int32 => Self::I32,
            DataType::Int64 => Self::I64,
            DataType::Float32 => Self::F32,
            DataType::Float64 => Self::F64,
            DataType::FixedSizeBinary(16) => Self::Uuid,
            DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => Self::Timestamp,
            DataType::Utf8 | DataType::LargeUtf8 if extension == Some(JSON_EXTENSION) => Self::Json,
            DataType::Utf8 | DataType::LargeUtf8 => Self::Utf8,
            DataType::Binary | DataType::LargeBinary => Self::Bytes,
            _ => return None,
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

fn with_metadata(field: Field, key: &str, value: &str) -> Field {
    field.with_metadata(HashMap::from([(key.to_owned(), value.to_owned())]))
}

/// The name of a column in text and reports: its own, or `column_N` if it is empty, counted from 1.
pub fn display_name(name: &str, position: usize) -> String {
    if name.is_empty() {
        format!("column_{}", position + 1)
    } else {
        name.to_owned()
    }
}

/// True for the names of columns without one.
pub fn is_numbered(name: &str) -> bool {
    let number = name.strip_prefix("column_");
    name.is_empty() || number.is_some_and(|number| number.parse::<usize>().is_ok())
}

/// Names with numbers, for columns that cannot have their own.
#[derive(Debug, Default)]
pub struct NumberedNames {
    /// The next number to try for each name.
    next: HashMap<String, u64>,
}

impl NumberedNames {
    /// The first of `base_2`, `base_3` and so on that is free. Names that were taken must stay taken.
    pub fn next(&mut self, base: &str, is_taken: impl Fn(&str) -> bool) -> String {
        let number = self.next.entry(base.to_owned()).or_insert(2);
        loop {
            let name = format!("{base}_{number}");
            *number += 1;
            if !is_taken(&name) {
                return name;
            }
        }
    }
}

/// The columns directly inside a column of a type.
pub fn child_fields(of: &DataType) -> Vec<&Field> {
    match of {
        DataType::Struct(fields) => fields.iter().map(AsRef::as_ref).collect(),
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field.as_ref()).collect(),
        DataType::RunEndEncoded(ends, values) => vec![ends, values],
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::Map(item, _) => vec![item],
        _ => Vec::new(),
    }
}

/// True if a field or a field inside it passes the test.
pub fn any_field(field: &Field, passes: fn(&Field) -> bool) -> bool {
    let mut inside = child_fields(field.data_type()).into_iter();
    passes(field) || inside.any(|field| any_field(field, passes))
}

/// The path of child `at` of a column: `user.name` in a struct, `tags{}` for the entries of a map, `tags[]` for the items
/// of a list.
pub fn child_path(parent: &DataType, path: &str, child: &Field, at: usize) -> String {
    match parent {
        DataType::Struct(_) => format!("{path}.{}", display_name(child.name(), at)),
        DataType::Map(..) => format!("{path}{{}}"),
        _ => format!("{path}[]"),
    }
}

/// The name of a column in options and in text: like [`display_name`], but empty for the empty key of JSON, and for the
/// hidden column after it.
pub fn column_name(field: &Field, position: usize) -> String {
    if is_key(field) || is_hidden(field) {
        field.name().clone()
    } else {
        display_name(field.name(), position)
    }
}

/// The names of all columns that are not hidden. Hidden ones are not counted.
pub fn shown_names<F: Borrow<Field>>(fields: &[F]) -> impl Iterator<Item = String> {
    fields
        .iter()
        .map(Borrow::borrow)
        .filter(|field| !is_hidden(field))
        .enumerate()
        .map(|(position, field)| column_name(field, position))
}

/// A type set by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixedType {
    /// A type that wire 1 has.
    Wire1(Type),
    /// Any other type.
    Arrow(DataType),
}

impl From<Type> for FixedType {
    fn from(ty: Type) -> Self {
        Self::Wire1(ty)
    }
}

impl From<DataType> for FixedType {
    fn from(data_type: DataType) -> Self {
        // The only type of wire 1 that has a second name of this kind: `timestamp(us,UTC)`.
        if data_type == Type::Timestamp.data_type() {
            return Self::Wire1(Type::Timestamp);
        }
        Self::Arrow(data_type)
    }
}

impl FixedType {
    /// Parses a name, which may be that in SQL or Arrow.
    fn parse(typed: &str) -> Result<Self> {
        let name = &*names::plain_name(typed);
        if let Some(data_type) = names::parse_data_type(name) {
            return Ok(data_type.into());
        }
        Type::parse(name).map(Self::Wire1).ok_or_else(|| {
            let names: Vec<_> = Type::ALL.iter().map(|ty| ty.name()).collect();
            let similar = names::similar_name(typed);
            let similar = similar.map(|similar| format!("did you mean {similar}? "));
            Error::usage(format!("unknown type {typed:?}")).hint(format!(
                "{}the types are {}, null, i8, u8, u16, u32, u64, decimal(18,2) (at most 38 digits), date, \
                 time(us), timestamp(us), timestamp(us,UTC)",
                similar.unwrap_or_default(),
                names.join(", ")
            ))
        })
    }

    /// The Arrow type that stores it.
    pub fn data_type(&self) -> DataType {
        match self {
            Self::Wire1(ty) => ty.data_type(),
            Self::Arrow(data_type) => data_type.clone(),
        }
    }

    /// True for numbers, bools, times and UUIDs: no value of these types is written as empty text.
    pub fn is_value(&self) -> bool {
        match self {
            Self::Wire1(ty) => !matches!(ty, Type::Utf8 | Type::Bytes | Type::Json),
            Self::Arrow(ty) => ty.is_numeric() || ty.is_temporal() || *ty == DataType::Boolean,
        }
    }
}

impl fmt::Display for FixedType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wire1(ty) => ty.fmt(f),
            Self::Arrow(data_type) => f.pad(&data_type_name(data_type)),
        }
    }
}

/// Types set by the user, by displayed column name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixedTypes(Vec<(String, FixedType)>);

impl FixedTypes {
    /// Parses `a:i64,b:utf8`. The last colon of an item is the separator, so names can contain colons; those with commas
    /// go in quotes. Items can also be separated by line ends. The types are those of wire 1 and `null`, `i8`, `u8` to
    /// `u64`, `decimal(18,2)`, `date`, `time(ms)`, `timestamp(ms)` (without zone), `timestamp(ms,UTC)`.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] for an item without a type, an unknown type or a repeated name.
    pub fn parse(spec: &str) -> Result<Self> {
        let mut types: Vec<(String, FixedType)> = Vec::new();
        for item in items(spec).map(str::trim).filter(|item| !item.is_empty()) {
            let no_type = || {
                Error::usage(format!("--schema: {item:?} has no type"))
                    .hint(format!("write {item}:utf8"))
            };
            let (name, ty) = if let Some((name, rest)) = path::name_in_quotes(item)? {
                (name, rest.strip_prefix(':').ok_or_else(no_type)?)
            } else {
                let (name, ty) = item.rsplit_once(':').ok_or_else(no_type)?;
                ensure_not_nested(item)?;
                (name.to_owned(), ty)
            };
            if types.iter().any(|(known, _)| *known == name) {
                return Err(Error::usage(format!("--schema: {name:?} is given twice")));
            }
            let ty = FixedType::parse(ty.trim());
            let ty = ty.map_err(|error| error.of_option(&format!("--schema: column {name:?}")))?;
            types.push((name, ty));
        }
        Ok(Self(types))
    }

    /// The type set for the column, if any.
    pub fn get(&self, name: &str) -> Option<FixedType> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, ty)| ty.clone())
    }

    /// The names, in the order given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// True if no type is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Refuses nested types, whose names contain colons and commas.
fn ensure_not_nested(item: &str) -> Result<()> {
    for word in ["struct", "list", "map"] {
        if let Some((name, _)) = item.split_once(&format!(":{word}<")) {
            let what = format!("--schema: column {name:?}: the type cannot be a {word}");
            return Err(Error::usage(what).hint(format!(
                "omit the column, so that its type is inferred, or keep its values as JSON text: {name}:json"
            )));
        }
    }
    Ok(())
}

/// Splits at commas and line ends, but not within `decimal(18,2)` or `timestamp(ms,UTC)`.
fn items(spec: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(spec);
    std::iter::from_fn(move || {
        let text = rest?;
        let name_end = match path::name_in_quotes(text.trim_start()) {
            Ok(Some((_, rest))) => text.len() - rest.len(),
            Ok(None) | Err(_) => 0,
        };
        let ends_item = |&(at, _): &(usize, &str)| {
            if at < name_end {
                return false;
            }
            let item = &text[..at];
            let lower = item.to_ascii_lowercase();
            let open = [":decimal(", ":numeric(", ":timestamp("]
                .iter()
                .filter_map(|word| lower.rfind(word))
                .max();
            open.is_none_or(|open| item[open..].contains([')', '\n']))
        };
        let end = text
            .match_indices([',', '\n'])
            .find(ends_item)
            .map(|(at, _)| at);
        rest = end.map(|end| &text[end + 1..]);
        Some(end.map_or(text, |end| &text[..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The types that content can need another array for, and these arrays.
    pub(crate) const HELD: [(Type, DataType); 5] = [
        (Type::Bool, DataType::UInt8),
        (Type::Utf8, DataType::Binary),
        (Type::Utf8, DataType::LargeBinary),
        (Type::Json, DataType::Binary),
        (Type::Json, DataType::LargeBinary),
    ];

    #[test]
    fn every_type_survives_a_round_trip_through_an_arrow_field() {
        for ty in Type::ALL {
            assert_eq!(Type::of(&ty.field("x")), Some(ty));
            assert_eq!(Type::parse(ty.name()), Some(ty));
            // Any other type in such an array is ignored.
            let of_bytes = Type::of(&ty.field_held_as("x", DataType::Binary));
            let is_held = HELD.contains(&(ty, DataType::Binary));
            assert_eq!(of_bytes, Some(if is_held { ty } else { Type::Bytes }));
        }
        for (ty, data_type) in HELD {
            assert_eq!(Type::of(&ty.field_held_as("x", data_type)), Some(ty));
        }
    }

    #[test]
    fn all_types_may_be_fixed_where_there_are_all() {
        let spec = "a:decimal(18,2),b,c:timestamp(ms,UTC),d:i64";
        let types = FixedTypes::parse(spec.replace("b,", "b:u8,").as_str()).unwrap();
        assert_eq!(types.names().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        assert_eq!(types.get("c").unwrap().to_string(), "timestamp(ms,UTC)");
        assert!(FixedTypes::parse(spec).is_err());
        let types = FixedTypes::parse("a:INTEGER,b:Numeric(10,1),c:varchar").unwrap();
        let names = ["a", "b", "c"].map(|name| types.get(name).unwrap().to_string());
        assert_eq!(names, ["i32", "decimal(10,1)", "utf8"]);
        let types = FixedTypes::parse("a:timestamp(us,UTC)").unwrap();
        assert_eq!(types.get("a"), Some(Type::Timestamp.into()));
    }

    #[test]
    fn a_type_that_cannot_be_set_is_reported_with_option_and_column() {
        for (spec, expected) in [
            (
                "a:intt",
                "--schema: column \"a\": unknown type \"intt\"; did you mean int? the types are bool",
            ),
            (
                "a:i64,b:struct<c:i64,d:utf8>",
                "--schema: column \"b\": the type cannot be a struct; omit the column",
            ),
            ("a:list<i64>", "keep its values as JSON text: a:json"),
        ] {
            let message = FixedTypes::parse(spec).unwrap_err().message();
            assert!(message.contains(expected), "{message}");
        }
        assert!(FixedTypes::parse("\"a:list<\":i64").is_ok());
    }

    #[test]
    fn fixed_types_keep_colons_in_names_and_refuse_nonsense() {
        let types = FixedTypes::parse("a:i64, time:utc:timestamp\nb:utf8").unwrap();
        assert_eq!(types.get("time:utc"), Some(Type::Timestamp.into()));
        assert_eq!(types.get("b"), Some(Type::Utf8.into()));
        assert!(FixedTypes::parse("a").is_err());
        assert!(FixedTypes::parse("a:i65").is_err());
        assert!(FixedTypes::parse("a:i64,a:utf8").is_err());
    }
}
