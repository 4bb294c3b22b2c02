//! Names of all Arrow types, for reports and for `--schema`.

use std::borrow::Cow;

use arrow_schema::{DataType, Field, TimeUnit};

use super::keys::UNREAD;
use super::path::nearest;
use super::{EXTENSION_NAME, Type};
use crate::units::shortened;

/// The name of a column's type: `i64`, `decimal(18,2)`, `timestamp(ms,UTC)`, `list<f64>`.
pub fn type_name(field: &Field) -> String {
    let metadata = field.metadata();
    if metadata.contains_key(UNREAD) {
        return "unknown".to_owned();
    }
    if (Type::held(field).is_some() || metadata.contains_key(EXTENSION_NAME))
        && let Some(ty) = Type::of(field)
    {
        return ty.name().to_owned();
    }
    data_type_name(field.data_type())
}

/// The name of a column's type for a message, which long names of structs would fill.
pub fn short_type_name(field: &Field) -> String {
    shortened(&type_name(field), 80)
}

/// [`type_name`] for a data type without a field.
pub fn data_type_name(data_type: &DataType) -> String {
    let name = match data_type {
        DataType::Null => "null",
        DataType::Boolean => "bool",
        DataType::Int8 => "i8",
        DataType::Int16 => "i16",
        DataType::Int32 => "i32",
        DataType::Int64 => "i64",
        DataType::UInt8 => "u8",
        DataType::UInt16 => "u16",
        DataType::UInt32 => "u32",
        DataType::UInt64 => "u64",
        DataType::Float16 => "f16",
        DataType::Float32 => "f32",
        DataType::Float64 => "f64",
        DataType::Date32 | DataType::Date64 => "date",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "utf8",
        DataType::FixedSizeBinary(16) => "uuid",
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => "bytes",
        DataType::Interval(_) => "interval",
        DataType::Union(_, _) => "union",
        DataType::Timestamp(TimeUnit::Microsecond, Some(zone)) if &**zone == "UTC" => "timestamp",
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => return format!("decimal({precision},{scale})"),
        DataType::Time32(unit) | DataType::Time64(unit) => {
            return format!("time({})", unit_name(*unit));
        }
        DataType::Timestamp(unit, None) => return format!("timestamp({})", unit_name(*unit)),
        DataType::Timestamp(unit, Some(zone)) => {
            return format!("timestamp({},{zone})", unit_name(*unit));
        }
        DataType::Duration(unit) => return format!("duration({})", unit_name(*unit)),
        DataType::Dictionary(_, value) => return data_type_name(value),
        DataType::RunEndEncoded(_, values) => return type_name(values),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => return format!("list<{}>", type_name(item)),
        DataType::Struct(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|field| format!("{}:{}", field.name(), type_name(field)))
                .collect();
            return format!("struct<{}>", fields.join(","));
        }
        DataType::Map(entries, _) => {
            return match entries.data_type() {
                DataType::Struct(fields) if fields.len() == 2 => {
                    format!("map<{},{}>", type_name(&fields[0]), type_name(&fields[1]))
                }
                _ => "map".to_owned(),
            };
        }
    };
    name.to_owned()
}

/// A field of the type with the given name, the inverse of [`type_name`]; `None` if the name does not describe the
/// type fully.
pub fn named_field(name: &str, ty: &str) -> Option<Field> {
    match parse_data_type(ty) {
        Some(data_type) => Some(Field::new(name, data_type, true)),
        None => Type::parse(ty).map(|ty| ty.field(name)),
    }
}

/// The names of types in SQL, in Arrow and in the specification of wire 1, and ours. `int8` is missing because it is i8
/// in Arrow and i64 in `PostgreSQL`; `float` is f32, as in Arrow.
const ALIASES: [(&str, &str); 33] = [
    ("bigint", "i64"),
    ("binary", "bytes"),
    ("blob", "bytes"),
    ("boolean", "bool"),
    ("bytea", "bytes"),
    ("date32", "date"),
    ("double", "f64"),
    ("float", "f32"),
    ("float32", "f32"),
    ("float64", "f64"),
    ("int", "i32"),
    ("int16", "i16"),
    ("int32", "i32"),
    ("int64", "i64"),
    ("integer", "i32"),
    ("jsonb", "json"),
    ("jsonb_text", "json"),
    ("large_string", "utf8"),
    ("real", "f32"),
    ("smallint", "i16"),
    ("str", "utf8"),
    ("string", "utf8"),
    ("text", "utf8"),
    ("timestamptz", "timestamp"),
    ("timestamptz_micros", "timestamp"),
    ("tinyint", "i8"),
    ("ubigint", "u64"),
    ("uint16", "u16"),
    ("uint32", "u32"),
    ("uint64", "u64"),
    ("uint8", "u8"),
    ("uinteger", "u32"),
    ("varchar", "utf8"),
];

/// Our name of a type that may have its name in SQL or Arrow, in any case.
pub(super) fn plain_name(name: &str) -> Cow<'_, str> {
    let lower = name.to_ascii_lowercase();
    if let Some((_, ours)) = ALIASES.iter().find(|(alias, _)| *alias == lower) {
        return Cow::Borrowed(ours);
    }
    match lower.split_once('(') {
        Some(("numeric", inside)) => Cow::Owned(format!("decimal({inside}")),
        // The name of a time zone keeps its case.
        Some((word, _)) => Cow::Owned(format!("{word}{}", &name[word.len()..])),
        None => Cow::Owned(lower),
    }
}

/// The known name of a type that is most similar to an unknown one.
pub(super) fn similar_name(name: &str) -> Option<String> {
    if name.starts_with("decimal") || name.starts_with("numeric") {
        return Some("decimal(18,2)".to_owned());
    }
    let ours = Type::ALL.iter().map(|ty| ty.name());
    let others = ["null", "i8", "u8", "u16", "u32", "u64", "date", "time(us)"];
    let aliases = ALIASES.iter().map(|(alias, _)| *alias);
    let known: Vec<String> = ours
        .chain(others)
        .chain(["timestamp(us)"])
        .chain(aliases)
        .map(str::to_owned)
        .collect();
    nearest(name, &known).cloned()
}

fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}

/// Parses a type that wire 1 does not have. As in SQL, `decimal(10)` is `decimal(10,0)`.
pub(super) fn parse_data_type(name: &str) -> Option<DataType> {
    let (word, inside) = match name.strip_suffix(')').and_then(|name| name.split_once('(')) {
        Some((word, inside)) => (word, Some(inside)),
        None => (name, None),
    };
    Some(match (word, inside) {
        ("null", None) => DataType::Null,
        ("i8", None) => DataType::Int8,
        ("u8", None) => DataType::UInt8,
        ("u16", None) => DataType::UInt16,
        ("u32", None) => DataType::UInt32,
        ("u64", None) => DataType::UInt64,
        ("date", None) => DataType::Date32,
        ("time", inside) => match unit(inside.unwrap_or("us"))? {
            unit @ (TimeUnit::Second | TimeUnit::Millisecond) => DataType::Time32(unit),
            unit => DataType::Time64(unit),
        },
        ("timestamp", Some(inside)) => match inside.split_once(',') {
            None => DataType::Timestamp(unit(inside)?, None),
            Some((name, zone)) => {
                let zone = zone.trim();
                crate::schema::offset_of_zone(zone)?;
                DataType::Timestamp(unit(name)?, Some(zone.into()))
            }
        },
        ("decimal", Some(inside)) => {
            let (precision, scale) = inside.split_once(',').unwrap_or((inside, "0"));
            let precision: u8 = precision.trim().parse().ok()?;
            let scale: i8 = scale.trim().parse().ok()?;
            if !(0..=precision as i8).contains(&scale) {
                return None;
            }
            match precision {
                1..=18 => DataType::Decimal64(precision, scale),
                19..=38 => DataType::Decimal128(precision, scale),
                _ => return None,
            }
        }
        _ => return None,
    })
}

fn unit(name: &str) -> Option<TimeUnit> {
    Some(match name.trim() {
        "s" => TimeUnit::Second,
        "ms" => TimeUnit::Millisecond,
        "us" => TimeUnit::Microsecond,
        "ns" => TimeUnit::Nanosecond,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::schema::tests::HELD;

    #[test]
    fn names_parse_to_the_types_they_name() {
        for name in [
            "null",
            "i8",
            "u8",
            "u16",
            "u32",
            "u64",
            "date",
            "time(s)",
            "time(ms)",
            "time(us)",
            "time(ns)",
            "timestamp(s)",
            "timestamp(ms,UTC)",
            "timestamp(ns,+02:00)",
            "decimal(18,2)",
            "decimal(38,0)",
        ] {
            let data_type = parse_data_type(name).unwrap();
            assert_eq!(data_type_name(&data_type), name);
        }
        assert_eq!(
            parse_data_type("decimal(20)"),
            Some(DataType::Decimal128(20, 0))
        );
        for name in [
            "i9",
            "decimal",
            "decimal(39,2)",
            "decimal(2,3)",
            "timestamp(m)",
            "timestamp(s,Mars)",
            "date(1)",
        ] {
            assert_eq!(parse_data_type(name), None, "{name}");
        }
    }

    #[test]
    fn names_of_sql_and_arrow_mean_the_types_that_duckdb_and_arrow_give_them() {
        for (alias, ours) in ALIASES {
            assert!(named_field("x", ours).is_some(), "{ours}");
            assert_eq!(plain_name(alias), ours);
            assert_eq!(plain_name(&alias.to_uppercase()), ours);
        }
        for (typed, meant) in [
            ("INTEGER", "i32"),
            ("NUMERIC(18,2)", "decimal(18,2)"),
            ("Decimal(10)", "decimal(10)"),
            ("TIMESTAMP(us,Etc/UTC)", "timestamp(us,Etc/UTC)"),
            ("int8", "int8"),
        ] {
            assert_eq!(plain_name(typed), meant);
        }
        assert_eq!(similar_name("intt").as_deref(), Some("int"));
        assert_eq!(similar_name("decimal").as_deref(), Some("decimal(18,2)"));
        assert_eq!(similar_name("xyz"), None);
    }

    #[test]
    fn every_type_of_wire_1_keeps_its_name() {
        for ty in Type::ALL {
            assert_eq!(type_name(&ty.field("x")), ty.name());
        }
        for (ty, data_type) in HELD {
            assert_eq!(type_name(&ty.field_held_as("x", data_type)), ty.name());
        }
        let item = Arc::new(Field::new("item", DataType::Float64, true));
        assert_eq!(data_type_name(&DataType::List(item)), "list<f64>");
    }
}
