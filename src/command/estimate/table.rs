//! Prints the findings as a table for people.

use std::fmt::Write as _;

use anstyle::Style;

use super::measure::Measurement;
use super::report::Findings;
use super::summary::{self, best, conclusions};
use crate::report::table::{Align, Table};
use crate::report::visible;
use crate::units::{counted, grouped};

/// Columns to drop on a narrow terminal, the least important first.
const SPARE: [&str; 6] = [
    "overlapped s",
    "decode s",
    "encode s",
    "ratio",
    "transfer s",
    "bytes/s",
];

struct Column {
    name: &'static str,
    align: Align,
    cells: Vec<String>,
}

/// The table, with the best choice in bold, and a summary.
pub fn table(found: &Findings, width: Option<u16>) -> String {
    let mut columns = columns(found);
    let mut skipped = Vec::new();
    for name in SPARE {
        if width.is_none_or(|width| breadth(&columns) <= usize::from(width)) {
            break;
        }
        if let Some(at) = columns.iter().position(|column| column.name == name) {
            skipped.push(columns.remove(at).name);
        }
    }
    let mut out = format!("{}\n\n", heading(found));
    // The rows start after two lines of heading.
    let best = best(found).map(|best| best.index + 2);
    out.push_str(&bold_line(&drawn(&columns).render(width), best));
    if !skipped.is_empty() {
        let _ = writeln!(out, "… no room for: {}", skipped.join(", "));
    }
    out.push('\n');
    if found.is_sampled() {
        out.push_str("≈ extrapolated from a sample; most sizes are within the error\n");
    }
    out.push_str(&bold_line(&conclusions(found).join("\n"), Some(0)));
    out
}

fn columns(found: &Findings) -> Vec<Column> {
    let of = |name, align, cell: &dyn Fn(&Measurement) -> String| Column {
        name,
        align,
        cells: found.measured.iter().map(cell).collect(),
    };
    let left = |name, cell: &dyn Fn(&Measurement) -> String| of(name, Align::Left, cell);
    let right = |name, cell: &dyn Fn(&Measurement) -> String| of(name, Align::Right, cell);
    let time = |name, seconds: &dyn Fn(&Measurement) -> f64| Column {
        name,
        align: Align::Right,
        cells: times(&found.measured.iter().map(seconds).collect::<Vec<_>>()),
    };
    let mut columns = vec![
        left("payload", &|one| one.payload.name().to_owned()),
        left("codec", &|one| match one.level() {
            Some(level) => format!("{} {level}", one.codec_name()),
            None => one.codec_name().to_owned(),
        }),
        right("bytes", &|one| {
            let mark = if one.error.is_some() { "≈" } else { "" };
            format!("{mark}{}", grouped(one.bytes()))
        }),
    ];
    if found.is_sampled() {
        columns.push(right("error", &|one| {
            one.error
                .map(|error| format!("{:.1} %", error * 100.0))
                .unwrap_or_default()
        }));
    }
    columns.extend([
        right("ratio", &|one| {
            let ratio = found.ratio(one);
            ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
        }),
        time("encode s", &|one| one.cost.encode_s),
        time("decode s", &|one| one.cost.decode_s),
        time("transfer s", &|one| found.transfer_s(one)),
        time("total s", &|one| one.cost.total_s(found.model, found.link)),
    ]);
    let Some(stream) = found.stream else {
        columns.push(time("overlapped s", &|one| {
            one.cost.overlapped_s(found.model, found.link)
        }));
        return columns;
    };
    let load = |one: &Measurement| stream.load(one.cost, found.model, found.link);
    columns.extend([
        right("bytes/s", &|one| {
            grouped(load(one).bytes_per_s.round() as u64)
        }),
        right("of link", &|one| {
            format!("{:.1} %", load(one).link_share * 100.0)
        }),
        left("keeps up", &|one| {
            let load = load(one);
            if load.fits {
                "yes".to_owned()
            } else {
                format!("no, {} late at last", summary::span(load.late_s))
            }
        }),
    ]);
    columns
}

/// The seconds of one column: with microseconds if they are small, and without meaningless digits if they
/// are large.
fn times(seconds: &[f64]) -> Vec<String> {
    let decimals = match seconds.iter().copied().fold(0.0, f64::max) {
        100.0.. => 1,
        10.0.. => 2,
        1.0.. => 4,
        _ => 6,
    };
    seconds
        .iter()
        .map(|seconds| format!("{seconds:.decimals$}"))
        .collect()
}

fn drawn(columns: &[Column]) -> Table {
    let mut table = Table::new(columns.iter().map(|column| (column.name, column.align)));
    let rows = columns.first().map_or(0, |column| column.cells.len());
    for row in 0..rows {
        table.row(columns.iter().map(|column| &column.cells[row]));
    }
    table
}

/// The length of the longest line, if nothing is shortened.
fn breadth(columns: &[Column]) -> usize {
    let table = drawn(columns).render(None);
    table
        .lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0)
}

/// The line with inputs, rows, link and model.
fn heading(found: &Findings) -> String {
    let of = match &found.files[..] {
        [] => "bars".to_owned(),
        [file] => visible(file).into_owned(),
        files => counted(files.len() as u64, "file"),
    };
    let text = found.text_bytes.map_or_else(String::new, |bytes| {
        format!(", {} of text", counted(bytes, "byte"))
    });
    let link = found
        .link_name
        .map_or_else(String::new, |name| format!("{name}: "));
    let stream = found.stream.map_or_else(String::new, |stream| {
        let messages = counted(stream.count, "message");
        format!(", {messages}, one every {} ms", stream.every_ms)
    });
    format!(
        "{of}: {}{text}; {link}{} Mbit/s, round trip {} ms, model {}{stream}",
        counted(found.rows, "row"),
        found.link.mbit,
        found.link.rtt_ms,
        found.model.name(),
    )
}

/// The lines, one of them in bold.
fn bold_line(lines: &str, wanted: Option<usize>) -> String {
    let bold = Style::new().bold();
    let mut out = String::with_capacity(lines.len());
    for (at, line) in lines.lines().enumerate() {
        let _ = if Some(at) == wanted {
            writeln!(out, "{bold}{line}{bold:#}")
        } else {
            writeln!(out, "{line}")
        };
    }
    out
}
