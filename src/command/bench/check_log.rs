//! `mbt bench check-log`: checks that a log was not edited, and shows the history of rows.

use std::fmt::Write as _;

use serde_json::json;

use crate::bench::compare::row_name;
use crate::bench::harness::Timing;
use crate::bench::log::{Log, SealedEntry};
use crate::bench::plot::{Series, svg};
use crate::bench::results::{DELTA, Row, time};
use crate::cli::CheckLog;
use crate::command::Outcome;
use crate::command::output::Output;
use crate::error::{Error, Result};
use crate::format::Sink as _;
use crate::report;
use crate::report::table::Align::{Left, Right};
use crate::report::table::{Table, terminal_width};
use crate::units::{counted, grouped};

/// Checks the log and, if requested, shows the history of rows.
///
/// # Errors
/// If the file cannot be read or is not a log, if no row matches, or if the plot cannot be written.
pub fn run(args: &CheckLog) -> Result<Outcome> {
    let log = Log::read(&args.path)?;
    let trend = args.row.as_deref().map(|row| trend(&log, row));
    if let (Some(row), Some(trend)) = (&args.row, &trend)
        && trend.is_empty()
    {
        return Err(Error::usage(format!("no row is named {row:?}"))
            .in_file(&args.path)
            .hint("see `mbt bench all --list` for the names, without the suite"));
    }
    if let (Some(path), Some(trend)) = (&args.svg, &trend) {
        let mut output = Output::open(Some(path), false, args.force)?;
        output.write(plot(trend).as_bytes())?;
        output.finish()?;
    }
    if args.json {
        report::print_json(&document(&log, trend.as_deref()))?;
    } else {
        let mut text = states(args, &log);
        if let Some(trend) = &trend {
            text.push('\n');
            text.push_str(&table(trend).render(terminal_width()));
        }
        report::print(text.as_bytes())?;
    }
    Ok(Outcome::of(log.is_intact()))
}

/// A row of one entry.
struct HistoryPoint<'a> {
    /// Number of the entry, counted from 1.
    entry: usize,
    sealed: &'a SealedEntry,
    name: String,
    row: &'a Row,
}

/// The history of rows whose name contains `part`.
fn trend<'a>(log: &'a Log, part: &str) -> Vec<HistoryPoint<'a>> {
    let part = part.to_lowercase();
    let mut points = Vec::new();
    for (entry, sealed) in (1..).zip(&log.entries) {
        for table in &sealed.entry.tables {
            for row in &table.rows {
                let name = row_name(&table.title, &row.name);
                if name.to_lowercase().contains(&part) {
                    points.push(HistoryPoint {
                        entry,
                        sealed,
                        name,
                        row,
                    });
                }
            }
        }
    }
    points.sort_by(|a, b| (&a.name, a.entry).cmp(&(&b.name, b.entry)));
    points
}

fn table(trend: &[HistoryPoint<'_>]) -> Table {
    let timed = |point: &HistoryPoint<'_>, of: fn(&Timing) -> f64| {
        let timing = point.row.timing.as_ref();
        timing.map(|timing| time(of(timing))).unwrap_or_default()
    };
    let table = Table::of(
        trend,
        &[
            ("row", Left, &|it| it.name.clone()),
            ("entry", Right, &|it| it.entry.to_string()),
            ("date", Left, &|it| it.sealed.entry.date.clone()),
            ("bytes", Right, &|it| {
                it.row.bytes.map(grouped).unwrap_or_default()
            }),
            ("median", Right, &|it| timed(it, |timing| timing.median)),
            ("best", Right, &|it| timed(it, |timing| timing.best)),
            (DELTA, Left, &|it| it.row.delta.clone()),
        ],
    );
    table.with_names()
}

/// The result of the check, with a line for each entry that is not intact.
fn states(args: &CheckLog, log: &Log) -> String {
    let path = args.path.display();
    let count = counted(log.entries.len() as u64, "entry");
    if log.is_intact() {
        return format!("{path}: ok, {count}\n");
    }
    let mut text = format!("{path}: not as written, {count}\n");
    if !log.header_is_intact {
        text.push_str("  header: edited\n");
    }
    for (at, SealedEntry { entry, state }) in (1..).zip(&log.entries) {
        let (date, suite) = (&entry.date, &entry.suite);
        let _ = writeln!(text, "  entry {at}, {date} {suite}: {}", state.name());
    }
    if log.unsealed > 0 {
        let bytes = counted(log.unsealed as u64, "byte");
        let _ = writeln!(text, "  {bytes} after the last hash belong to no entry");
    }
    text
}

fn plot(trend: &[HistoryPoint<'_>]) -> String {
    let series = trend.chunk_by(|a, b| a.name == b.name).map(|points| {
        let median = |point: &HistoryPoint<'_>| {
            let timing = point.row.timing?;
            Some((point.sealed.entry.date.clone(), timing.median))
        };
        Series {
            name: points[0].name.clone(),
            points: points.iter().filter_map(median).collect(),
        }
    });
    let series: Vec<_> = series.filter(|it| !it.points.is_empty()).collect();
    svg(&series)
}

fn document(log: &Log, trend: Option<&[HistoryPoint<'_>]>) -> serde_json::Value {
    let entry = |SealedEntry { entry, state }: &SealedEntry| json!({ "date": entry.date, "suite": entry.suite, "state": state.name() });
    let point = |point: &HistoryPoint<'_>| {
        json!({
            "row": point.name,
            "entry": point.entry,
            "date": point.sealed.entry.date,
            "bytes": point.row.bytes,
            "median_ns": point.row.timing.map(|timing| timing.median),
            "best_ns": point.row.timing.map(|timing| timing.best),
        })
    };
    json!({
        "ok": log.is_intact(),
        "header_ok": log.header_is_intact,
        "unsealed_bytes": log.unsealed,
        "entries": log.entries.iter().map(entry).collect::<Vec<_>>(),
        "trend": trend.map(|trend| trend.iter().map(point).collect::<Vec<_>>()),
    })
}
