//! How the byte map spells what it finds.

use crate::wire::encodings::{Encoding, Field};
use crate::wire::v2::Statistics;

/// Name and parameters: `bit-packed, base 3, width 8`.
pub fn encoding(encoding: &Encoding) -> String {
    let name = encoding.name();
    match encoding {
        Encoding::Constant { value } | Encoding::Sparse { value } => {
            format!("{name}, value {value}")
        }
        Encoding::Sequence { base, step } => format!("{name}, base {base}, step {step}"),
        Encoding::BitPacked { base, width } => format!("{name}, base {base}, width {width}"),
        Encoding::BytePlanes { base, bytes } => format!("{name}, base {base}, bytes {bytes}"),
        Encoding::Delta { first } => format!("{name}, first {first}"),
        Encoding::Interleaved { ways } => format!("{name}, ways {ways}"),
        Encoding::Decimal { exponent } | Encoding::NearDecimal { exponent } => {
            format!("{name}, exponent {exponent}")
        }
        Encoding::Fsst { table_len } => format!("{name}, table_len {table_len}"),
        Encoding::Hex { upper } => format!("{name}, {}", if *upper { "upper" } else { "lower" }),
        Encoding::Ppmd {
            order,
            memory,
            end,
            plain_len,
        } => format!("{name}, order {order}, memory {memory}, end {end}, plain_len {plain_len}"),
        Encoding::Template { literals, fields } => {
            let mut text = Vec::new();
            for (at, literal) in literals.iter().enumerate() {
                text.extend_from_slice(literal);
                match fields.get(at) {
                    Some(Field::Text) => text.extend_from_slice(b"%s"),
                    Some(Field::Number { digits: 0 }) => text.extend_from_slice(b"%d"),
                    Some(Field::Number { digits }) => text.extend(format!("%0{digits}d").bytes()),
                    None => {}
                }
            }
            format!("{name}, {:?}", String::from_utf8_lossy(&text))
        }
        Encoding::RunLength
        | Encoding::Dictionary
        | Encoding::Patched
        | Encoding::Pco
        | Encoding::Plain64
        | Encoding::FloatPlanes
        | Encoding::Bits
        | Encoding::Bytes => name.to_owned(),
    }
}

/// `1 to 2`, as the bytes have them.
pub fn statistics(statistics: &Statistics) -> String {
    match statistics {
        Statistics::Ints(least, greatest) => format!("{least} to {greatest}"),
        Statistics::Floats(least, greatest) => format!("{least:?} to {greatest:?}"),
        Statistics::Strings {
            least,
            greatest,
            cut,
        } => {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            let more = if *cut { "…" } else { "" };
            format!("{:?} to {:?}{more}", text(least), text(greatest))
        }
    }
}

/// The bits of a column's flags.
pub fn flags(flags: u8) -> String {
    let names = [
        "nullable",
        "has nulls",
        "has statistics",
        "ordered",
        "grouped",
    ];
    let set = names.iter().enumerate();
    let set: Vec<_> = set
        .filter(|(bit, _)| flags >> bit & 1 == 1)
        .map(|(_, name)| *name)
        .collect();
    if set.is_empty() {
        flags.to_string()
    } else {
        format!("{flags} ({})", set.join(", "))
    }
}
