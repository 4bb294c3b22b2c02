//! How the byte map spells what it finds.

use crate::columns::statistics::MinMax;

/// `1 to 2`, as the bytes have them.
pub fn statistics(statistics: &MinMax) -> String {
    match statistics {
        MinMax::Ints(least, greatest) => format!("{least} to {greatest}"),
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
