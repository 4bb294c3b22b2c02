//! Formats values for the byte map.

use crate::columns::statistics::MinMax;
use crate::wire::v2::head::{ARCHIVE, PACKED_HEADER, PROMISES_END, SIZED_COLUMNS};

/// `1 to 2`, as stored.
pub fn statistics(statistics: &MinMax) -> String {
    match statistics {
        MinMax::Ints(least, greatest) => format!("{least} to {greatest}"),
        MinMax::Wide(least, greatest) => format!("{least} to {greatest}"),
        MinMax::Floats(least, greatest) => format!("{least:?} to {greatest:?}"),
        MinMax::Strings {
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

/// The bits of an envelope's flags.
pub fn features(flags: u16) -> String {
    let named = [
        (PACKED_HEADER, "the header is compressed"),
        (PROMISES_END, "an end follows"),
        (SIZED_COLUMNS, "columns have lengths"),
        (ARCHIVE, "archive"),
    ];
    with_names(flags, &format!("{flags:#x}"), &named)
}

/// The bits of a column's flags.
pub fn flags(flags: u8) -> String {
    let named = [
        (1, "nullable"),
        (2, "has nulls"),
        (4, "has statistics"),
        (8, "ordered"),
        (16, "grouped"),
        (32, "has metadata"),
        (64, "differences"),
    ];
    with_names(flags.into(), &flags.to_string(), &named)
}

fn with_names(flags: u16, shown: &str, known: &[(u16, &str)]) -> String {
    let set = known.iter().filter(|(bit, _)| flags & bit != 0);
    let names: Vec<_> = set.map(|(_, name)| *name).collect();
    if names.is_empty() {
        flags.to_string()
    } else {
        format!("{shown} ({})", names.join(", "))
    }
}
