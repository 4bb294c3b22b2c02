//! `mbt bench compare`: shows two entries side by side.

use std::path::Path;

use serde_json::{Value, json};

use crate::bench::compare::{busy, changes};
use crate::bench::entry::LogEntry;
use crate::bench::log::Log;
use crate::cli::Compare;
use crate::error::{Error, Result};
use crate::report;
use crate::report::table::{Align, Table, terminal_width};

/// Compares two entries.
///
/// # Errors
/// If an entry cannot be read or the two have no row in common.
pub fn run(args: &Compare) -> Result<()> {
    let (before, after) = (read(&args.before)?, read(&args.after)?);
    let changes = changes(&before, &after);
    if changes.is_empty() {
        let what = format!(
            "the entries have no row in common: {} and {}",
            before.suite, after.suite
        );
        return Err(Error::usage(what).hint("compare entries of the same suite"));
    }
    if args.json {
        let rows = changes.iter().map(|change| {
            json!({
                "row": change.name,
                "before_ns": change.before.timing.map(|timing| timing.median),
                "after_ns": change.after.timing.map(|timing| timing.median),
                "before_bytes": change.before.bytes,
                "after_bytes": change.after.bytes,
                "grown": change.growth(),
                "beyond_noise": change.is_beyond_noise(),
            })
        });
        return report::print_json(&json!({
            "comparable": before.is_comparable(&after),
            "rows": rows.collect::<Vec<_>>(),
        }));
    }
    let mut table = Table::new([
        ("row", Align::Left),
        ("before", Align::Right),
        ("after", Align::Right),
        ("change", Align::Left),
    ])
    .with_names();
    for change in &changes {
        let [before, after] = change.medians();
        table.row([change.name.clone(), before, after, change.summary()]);
    }
    let heading = format!(
        "{} {} -> {} {}\n\n",
        before.date, before.suite, after.date, after.suite
    );
    if let Some(why) = busy(&before, &after) {
        report::note(&why);
    }
    report::print((heading + &table.render(terminal_width())).as_bytes())?;
    if !before.is_comparable(&after) {
        report::note(
            "they were measured on different machines or profiles: only bytes and allocations are comparable",
        );
    }
    Ok(())
}

/// Reads the entry `FILE` or `FILE#N`, from a log or from the output of `--json`.
fn read(name: &str) -> Result<LogEntry> {
    let (path, number) = match name.rsplit_once('#') {
        Some((path, number)) if !Path::new(name).exists() => {
            let number: usize = number.parse().map_err(|_| {
                Error::usage(format!("cannot read {number:?} as an entry number"))
                    .hint("entries are counted from 1: bench_results.md#1")
            })?;
            (Path::new(path), Some(number))
        }
        _ => (Path::new(name), None),
    };
    let bytes =
        std::fs::read(path).map_err(|error| Error::io("cannot read", error).in_file(path))?;
    let mut entries: Vec<LogEntry> = if bytes.starts_with(b"{") {
        let document: Value = serde_json::from_slice(&bytes).map_err(|error| {
            Error::input(format!("is not JSON from mbt bench: {error}")).in_file(path)
        })?;
        document["entries"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(LogEntry::from_document)
            .collect()
    } else {
        let log = Log::read(path)?;
        log.entries.into_iter().map(|sealed| sealed.entry).collect()
    };
    let count = entries.len();
    let place = number.unwrap_or(count).wrapping_sub(1);
    if place >= count {
        let what = format!("no entry {}, only {count}", place.wrapping_add(1));
        return Err(Error::usage(what).in_file(path));
    }
    Ok(entries.swap_remove(place))
}
