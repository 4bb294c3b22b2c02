//! Statistics for people and for programs.

use serde_json::{Value, json};

use super::Stats;
use super::column::{ColumnStats, Point, QUANTILES};
use crate::cli;
use crate::error::Result;
use crate::report;
use crate::report::table::{Align, Table, terminal_width};
use crate::units::{counted, grouped, shortened};

/// Characters of a value that are shown.
const SHOWN: usize = 20;
/// Bars of a histogram.
const BARS: usize = 10;
/// Frequent values in a table.
const FREQUENT: usize = 3;

/// Prints what is known of each input.
///
/// # Errors
/// If stdout cannot be written.
pub fn print(args: &cli::Stats, inputs: &[Stats]) -> Result<()> {
    if args.json {
        let files: Vec<_> = inputs
            .iter()
            .map(|stats| document(stats, args.top))
            .collect();
        return report::print_json(&json!({ "version": 1, "files": files }));
    }
    let texts: Vec<_> = inputs.iter().map(text).collect();
    report::print_text(&texts.join("\n"))
}

fn text(stats: &Stats) -> String {
    let rows = counted(stats.rows, "row");
    let columns = counted(stats.columns.len() as u64, "column");
    let mut table = Table::new([
        ("column", Align::Left),
        ("type", Align::Left),
        ("nulls", Align::Right),
        ("distinct", Align::Right),
        ("min", Align::Left),
        ("25 %", Align::Left),
        ("50 %", Align::Left),
        ("75 %", Align::Left),
        ("max", Align::Left),
        ("mean", Align::Right),
        ("histogram", Align::Left),
        ("bytes", Align::Right),
        ("most frequent", Align::Left),
    ])
    .with_names();
    let value = |text: &str| shortened(text, SHOWN);
    let mut is_estimated = false;
    for (path, column) in &stats.columns {
        let (distinct, is_exact) = column.distinct();
        let about = if is_exact { "" } else { "≈" };
        is_estimated |= !is_exact;
        let (least, greatest) = column.extremes().unwrap_or_default();
        let sample = column.sorted_sample();
        let [low, middle, high] = QUANTILES.map(|at| quantile(&sample, at).unwrap_or_default());
        table.row([
            path.clone(),
            types(column),
            grouped(column.nulls),
            format!("{about}{}", grouped(distinct)),
            value(least),
            value(low),
            value(middle),
            value(high),
            value(greatest),
            column.mean().map(short_number).unwrap_or_default(),
            histogram(&sample),
            column.stored_bytes.map(grouped).unwrap_or_default(),
            frequent(column),
        ]);
    }
    let mut out = format!("{}: {rows}, {columns}\n\n", stats.file);
    out.push_str(&table.render(terminal_width()));
    if is_estimated {
        out.push_str("\n≈ estimated; the standard error is 1.6 %\n");
    }
    out
}

fn types(column: &ColumnStats) -> String {
    let types: Vec<_> = column.types.iter().map(String::as_str).collect();
    types.join(", ")
}

fn quantile(sorted: &[Point], at: f64) -> Option<&str> {
    let rank = (at * sorted.len() as f64).ceil() as usize;
    Some(&sorted.get(rank.saturating_sub(1))?.text)
}

/// Six digits are enough for people.
fn short_number(number: f64) -> String {
    let magnitude = number.abs();
    if magnitude != 0.0 && !(1e-4..1e15).contains(&magnitude) {
        return format!("{number:.5e}");
    }
    let whole = (magnitude.max(1.0).log10().floor() as usize) + 1;
    let text = format!("{number:.*}", 6_usize.saturating_sub(whole));
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// How the values are spread between the smallest and the largest, in bars of equal width.
fn histogram(sorted: &[Point]) -> String {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let positions = sorted.iter().filter_map(|point| point.position);
    let positions: Vec<_> = positions.filter(|position| position.is_finite()).collect();
    let (Some(first), Some(last)) = (positions.first(), positions.last()) else {
        return String::new();
    };
    let width = (last / 2.0 - first / 2.0) * 2.0 / BARS as f64;
    if !(width > 0.0 && width.is_finite()) {
        return String::new();
    }
    let mut bars = [0_usize; BARS];
    for position in &positions {
        let bar = ((position - first) / width) as usize;
        bars[bar.min(BARS - 1)] += 1;
    }
    let most = bars.iter().max().copied().unwrap_or(1).max(1);
    let level = |&count: &usize| match count {
        0 => ' ',
        count => LEVELS[((count * LEVELS.len()).div_ceil(most)).clamp(1, LEVELS.len()) - 1],
    };
    bars.iter().map(level).collect()
}

fn frequent(column: &ColumnStats) -> String {
    let (values, is_exact) = column.most_frequent(FREQUENT);
    let about = if is_exact { "" } else { "≈" };
    let shown = values.iter().map(|(value, count)| {
        let text = String::from_utf8_lossy(value);
        format!("{} ({about}{})", shortened(&text, SHOWN), grouped(*count))
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn document(stats: &Stats, top: usize) -> Value {
    let column = |(path, column): &(String, ColumnStats)| {
        let (distinct, is_exact) = column.distinct();
        let (values, counts_are_exact) = column.most_frequent(top);
        let values = values.iter().map(
            |(value, count)| json!({ "value": String::from_utf8_lossy(value), "count": count }),
        );
        let sample = column.sorted_sample();
        let [low, middle, high] = QUANTILES.map(|at| quantile(&sample, at));
        let extremes = column.extremes();
        json!({
            "name": path,
            "type": types(column),
            "rows": column.rows,
            "nulls": column.nulls,
            "distinct": distinct,
            "distinct_is_exact": is_exact,
            "min": extremes.map(|(least, _)| least),
            "max": extremes.map(|(_, greatest)| greatest),
            "mean": column.mean(),
            "quantiles": { "0.25": low, "0.5": middle, "0.75": high },
            "quantiles_are_exact": sample.len() as u64 == column.rows - column.nulls,
            "most_frequent": values.collect::<Vec<_>>(),
            "counts_are_exact": counts_are_exact,
            "stored_bytes": column.stored_bytes,
        })
    };
    json!({
        "file": stats.file,
        "rows": stats.rows,
        "columns": stats.columns.iter().map(column).collect::<Vec<_>>(),
    })
}
