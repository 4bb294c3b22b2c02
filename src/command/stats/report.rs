//! Prints statistics as text or JSON.

use serde_json::{Value, json};

use super::Stats;
use super::column::{ColumnStats, NULL_TYPE, Point, QUANTILES, ValueStats};
use super::sketch::SAMPLE_VALUES;
use crate::cli;
use crate::error::Result;
use crate::report;
use crate::report::table::{Align, Table, terminal_width};
use crate::units::{counted, grouped, shortened};

/// How many characters of a value to show.
const SHOWN: usize = 20;
/// How many characters of a type to show.
const TYPE: usize = 44;
/// Number of bars in a histogram.
const BARS: usize = 10;
/// Number of frequent values in a table.
const FREQUENT: usize = 3;

/// Prints the statistics of each input.
///
/// # Errors
/// If stdout cannot be written.
pub fn print(args: &cli::Stats, inputs: &[Stats]) -> Result<()> {
    if args.json {
        let files: Vec<_> = inputs
            .iter()
            .map(|stats| document(stats, args.top))
            .collect();
        return report::print_json(&json!({ "files": files }));
    }
    let texts: Vec<_> = inputs.iter().map(text).collect();
    report::print_text(&texts.join("\n"))
}

fn text(stats: &Stats) -> String {
    let rows = counted(stats.rows, "row");
    let columns = counted(stats.columns.len() as u64, "column");
    let mut out = format!("{}: {rows}, {columns}\n\n", stats.file);
    out.push_str(&table(stats).render(terminal_width()));
    let values = stats
        .columns
        .iter()
        .filter_map(|(_, column)| column.values.as_ref());
    let is_estimated = values.clone().any(|values| !values.distinct().1);
    let mut sampled = values.clone().filter(|values| values.is_sampled());
    let is_sampled = sampled.any(|values| !values.sorted_sample().is_empty());
    let of_sample = format!(
        "quantiles and the histogram are of a sample of {} values",
        grouped(SAMPLE_VALUES)
    );
    let note = match (is_estimated, is_sampled) {
        (true, true) => {
            format!("\n≈ estimated; distinct has a standard error of 1.6 %, {of_sample}\n")
        }
        (true, false) => "\n≈ estimated; the standard error is 1.6 %\n".to_owned(),
        (false, true) => format!("\n≈ {of_sample}\n"),
        (false, false) => String::new(),
    };
    out.push_str(&note);
    if values.into_iter().any(|values| !has_exact_counts(values)) {
        out.push_str("\n≥ the true count may be higher\n");
    }
    out
}

/// A line per column. Figures that require reading the values are shown only if all columns have them.
fn table(stats: &Stats) -> Table {
    let from_values = stats
        .columns
        .iter()
        .all(|(_, column)| column.values.is_some());
    let mut headings = vec![
        ("column", Align::Left),
        ("type", Align::Left),
        ("nulls", Align::Right),
        ("distinct", Align::Right),
        ("min", Align::Left),
        ("max", Align::Left),
        ("25 %", Align::Left),
        ("50 %", Align::Left),
        ("75 %", Align::Left),
        ("mean", Align::Right),
        ("histogram", Align::Left),
        ("bytes", Align::Right),
        ("most frequent", Align::Left),
    ];
    let is_known = |heading: &str| {
        from_values || ["column", "type", "nulls", "min", "max", "bytes"].contains(&heading)
    };
    let shown: Vec<bool> = headings.iter().map(|(name, _)| is_known(name)).collect();
    headings.retain(|(name, _)| is_known(name));
    let mut table = Table::new(headings).with_names();
    let value = |text: &str| shortened(text, SHOWN);
    for (path, column) in &stats.columns {
        let extreme = |point: &Point| {
            let more = if point.is_cut { "…" } else { "" };
            format!("{}{more}", value(&point.text))
        };
        let extremes = column.extremes();
        let values = column.values.as_ref();
        let sample = values.map(ValueStats::sorted_sample).unwrap_or_default();
        let about = match values {
            Some(values) if values.is_sampled() => "≈",
            _ => "",
        };
        let quantiles = QUANTILES.map(|at| quantile(&sample, at));
        let [low, middle, high] =
            quantiles.map(|it| it.map_or(String::new(), |it| format!("{about}{}", value(it))));
        let cells = [
            path.clone(),
            shortened(&types(column), TYPE),
            column.nulls.map(grouped).unwrap_or_default(),
            values.map(distinct).unwrap_or_default(),
            extremes
                .map(|(least, _)| extreme(least))
                .unwrap_or_default(),
            extremes
                .map(|(_, greatest)| extreme(greatest))
                .unwrap_or_default(),
            low,
            middle,
            high,
            values
                .and_then(ValueStats::mean)
                .map(short_number)
                .unwrap_or_default(),
            histogram(&sample),
            column.stored_bytes.map(grouped).unwrap_or_default(),
            values.map(frequent).unwrap_or_default(),
        ];
        let cells = cells.into_iter().zip(&shown);
        table.row(cells.filter(|(_, shown)| **shown).map(|(cell, _)| cell));
    }
    table
}

fn distinct(values: &ValueStats) -> String {
    let (distinct, is_exact) = values.distinct();
    let about = if is_exact { "" } else { "≈" };
    format!("{about}{}", grouped(distinct))
}

fn types(column: &ColumnStats) -> String {
    let types: Vec<_> = column.types.iter().map(String::as_str).collect();
    if types.is_empty() {
        return NULL_TYPE.to_owned();
    }
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

/// The distribution of the values between minimum and maximum, in bars of equal width.
fn histogram(sorted: &[Point]) -> String {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let positions: Vec<_> = sorted
        .iter()
        .filter_map(|point| point.position)
        .filter(|position| position.is_finite())
        .collect();
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

fn has_exact_counts(values: &ValueStats) -> bool {
    let (shown, is_exact) = values.most_frequent(FREQUENT);
    is_exact || shown.is_empty()
}

fn frequent(values: &ValueStats) -> String {
    let (values, is_exact) = values.most_frequent(FREQUENT);
    let about = if is_exact { "" } else { "≥" };
    values
        .iter()
        .map(|(value, count)| {
            let text = String::from_utf8_lossy(value);
            format!("{} ({about}{})", shortened(&text, SHOWN), grouped(*count))
        })
        .collect::<Vec<_>>()
        .join(", ")
}

fn document(stats: &Stats, top: usize) -> Value {
    let column = |(path, column): &(String, ColumnStats)| {
        let values = column.values.as_ref();
        let distinct = values.map(ValueStats::distinct);
        let frequent = values.map(|values| values.most_frequent(top));
        let count = |(value, count): &(&[u8], u64)| json!({ "value": String::from_utf8_lossy(value), "count": count });
        let sample = values.map(ValueStats::sorted_sample);
        let [low, middle, high] = QUANTILES.map(|at| quantile(sample.as_deref()?, at));
        let extremes = column.extremes();
        json!({
            "name": path,
            "type": types(column),
            "rows": column.rows,
            "nulls": column.nulls,
            "distinct": distinct.map(|(distinct, _)| distinct),
            "distinct_is_exact": distinct.map(|(_, is_exact)| is_exact),
            "min": extremes.map(|(least, _)| &least.text),
            "min_is_cut": extremes.map(|(least, _)| least.is_cut),
            "max": extremes.map(|(_, greatest)| &greatest.text),
            "max_is_cut": extremes.map(|(_, greatest)| greatest.is_cut),
            "mean": values.and_then(ValueStats::mean),
            "quantiles": { "0.25": low, "0.5": middle, "0.75": high },
            "quantiles_are_exact": values.map(|values| !values.is_sampled()),
            "most_frequent": frequent.as_ref().map(|(values, _)| values.iter().map(count).collect::<Vec<_>>()),
            "counts_are_exact": frequent.as_ref().map(|(_, are_exact)| are_exact),
            "stored_bytes": column.stored_bytes,
        })
    };
    json!({
        "file": stats.file,
        "rows": stats.rows,
        "columns": stats.columns.iter().map(column).collect::<Vec<_>>(),
    })
}
