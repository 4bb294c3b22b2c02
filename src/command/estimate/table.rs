//! Prints the findings as a table for people.

use std::fmt::Write as _;

use anstyle::Style;

use super::measure::Measurement;
use super::report::Findings;
use super::summary::{self, best, conclusions};
use crate::estimate::Cost;
use crate::report::table::Align::{self, Left, Right};
use crate::report::table::Table;
use crate::report::visible;
use crate::units::{counted, grouped};

/// A heading, its alignment, and the cell of a measurement.
type Column<'a> = (&'a str, Align, Box<dyn Fn(&Measurement) -> String + 'a>);

/// The table, with the best choice in bold, and a summary.
pub fn table(found: &Findings, width: Option<u16>) -> String {
    let columns = columns(found);
    let mut table = Table::new(columns.iter().map(|(name, align, _)| (name, *align)));
    for one in &found.measured {
        table.row(columns.iter().map(|(_, _, cell)| cell(one)));
    }
    let mut out = format!("{}\n\n", heading(found));
    // The rows start after two lines of heading.
    let best = best(found).map(|best| best.index + 2);
    out.push_str(&bold_line(&table.render(width), best));
    out.push('\n');
    if found.is_sampled() {
        out.push_str("≈ extrapolated from a sample; most sizes are within the error\n");
    }
    out.push_str(&bold_line(&conclusions(found).join("\n"), Some(0)));
    out
}

/// The columns, the most important first, since a narrow terminal drops those on the right.
fn columns(found: &Findings) -> Vec<Column<'_>> {
    let time = |name, seconds: fn(&Findings, Cost) -> f64| -> Column<'_> {
        let of = move |one: &Measurement| seconds(found, one.cost);
        let decimals = decimals(found.measured.iter().map(of));
        (
            name,
            Right,
            Box::new(move |one| format!("{:.decimals$}", of(one))),
        )
    };
    let mut columns: Vec<Column<'_>> = vec![
        (
            "payload",
            Left,
            Box::new(|one| one.payload.name().to_owned()),
        ),
        (
            "codec",
            Left,
            Box::new(|one| match one.level() {
                Some(level) => format!("{} {level}", one.codec_name()),
                None => one.codec_name().to_owned(),
            }),
        ),
        (
            "bytes",
            Right,
            Box::new(|one| {
                let mark = if one.error.is_some() { "≈" } else { "" };
                format!("{mark}{}", grouped(one.bytes()))
            }),
        ),
    ];
    if found.is_sampled() {
        let error = |one: &Measurement| {
            let error = one.error.map(|error| format!("{:.1} %", error * 100.0));
            error.unwrap_or_default()
        };
        columns.push(("error", Right, Box::new(error)));
    }
    columns.push(time("total s", |found, cost| {
        cost.total_s(found.model, found.link)
    }));
    if let Some(stream) = found.stream {
        let load = move |one: &Measurement| stream.load(one.cost, found.model, found.link);
        let keeps_up = move |one: &Measurement| match load(one) {
            load if load.fits => "yes".to_owned(),
            load => format!("no, {} late at the end", summary::span(load.late_s)),
        };
        let share = move |one: &Measurement| format!("{:.1} %", load(one).link_share * 100.0);
        let rate = move |one: &Measurement| grouped(load(one).bytes_per_s.round() as u64);
        let of_stream: [Column<'_>; 3] = [
            ("of link", Right, Box::new(share)),
            ("keeps up", Left, Box::new(keeps_up)),
            ("bytes/s", Right, Box::new(rate)),
        ];
        columns.extend(of_stream);
    }
    let ratio = |one: &Measurement| {
        let ratio = found.ratio(one);
        ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
    };
    columns.extend([
        time("transfer s", |found, cost| {
            found.model.transfer_s(found.link, cost.bytes)
        }),
        ("ratio", Right, Box::new(ratio)),
        time("encode s", |_, cost| cost.encode_s),
        time("decode s", |_, cost| cost.decode_s),
    ]);
    if found.stream.is_none() {
        columns.push(time("overlapped s", |found, cost| {
            cost.overlapped_s(found.model, found.link)
        }));
    }
    columns
}

/// The decimals of the seconds of one column: microseconds if they are small, and no meaningless digits if they are
/// large.
fn decimals(seconds: impl Iterator<Item = f64>) -> usize {
    match seconds.fold(0.0, f64::max) {
        100.0.. => 1,
        10.0.. => 2,
        1.0.. => 4,
        _ => 6,
    }
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
