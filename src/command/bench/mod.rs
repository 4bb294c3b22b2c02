//! `mbt bench`: runs benchmarks and keeps a log.

mod check_log;
mod compare;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use super::Outcome;
use crate::bench::counting::is_installed;
use crate::bench::entry::{LOADS, LogEntry};
use crate::bench::harness::Effort;
use crate::bench::run::{RunOptions, run as run_suite};
use crate::bench::suites::{ALLOC, Suite};
use crate::bench::{log, machine};
use crate::cli::{Bench, BenchTask};
use crate::error::{Error, Kind, Result, shell_word};
use crate::report;
use crate::report::progress::Steps;
use crate::report::table::terminal_width;

/// Runs suites, or one of the commands for log entries.
///
/// # Errors
/// If something cannot be measured, read or written. A failed gate is not an error but [`Outcome::No`].
pub fn run(args: &Bench) -> Result<Outcome> {
    match &args.task {
        Some(BenchTask::CheckLog(args)) => return check_log::run(args),
        Some(BenchTask::Compare(args)) => return compare::run(args).map(|()| Outcome::Done),
        None => {}
    }
    let suites = suites(&args.suites)?;
    let options = |suite: &Suite| options(args, starts(args, suite));
    if let Some(suite) = args.part.and_then(|part| suites.get(part)) {
        let steps = Steps::begin(args.messages, None);
        let finished = run_suite(suite, &options(suite)?, &steps)?;
        report::print_json(&json!({ "entries": [finished.entry.document()] }))?;
        return Ok(Outcome::Done);
    }
    let log = (!args.no_log && !args.list).then_some(&args.log);
    if let Some(path) = log {
        log::ensure_appendable(path)?;
    }
    if !args.list && machine::profile() != "release" {
        report::note("this is a debug build: its times are meaningless");
    }
    let mut entries = Vec::new();
    let mut outcome = Outcome::Done;
    let mut found = 0;
    let mut appended = Ok(());
    for (number, suite) in suites.iter().enumerate() {
        let steps = Steps::begin(args.messages, None);
        let mut finished = run_suite(suite, &options(suite)?, &steps)?;
        drop(steps);
        if !finished.entry.tables.is_empty() {
            let others = 1..starts(args, suite);
            let others = others
                .map(|_| another_process(number))
                .collect::<Result<Vec<_>>>()?;
            finished.entry.join(&others);
            let mut facts = finished.entry.facts.iter_mut();
            if let Some((_, load)) = facts.find(|(key, _)| key == LOADS[1]) {
                *load = machine::load();
            }
        }
        for name in &finished.listed {
            report::print(format!("{name}\n").as_bytes())?;
        }
        if !finished.listed.is_empty() || !finished.entry.tables.is_empty() {
            found += 1;
        }
        if finished.entry.tables.is_empty() {
            continue;
        }
        // Show the results even if the log cannot be written.
        appended = log.map_or(Ok(()), |path| log::append(path, &mut finished.entry));
        if !finished.passed {
            outcome = Outcome::No;
        }
        if args.json {
            entries.push(finished.entry.document());
        } else {
            report::print_text(&text(&finished.entry, terminal_width()))?;
        }
        if appended.is_err() {
            break;
        }
    }
    if found == 0 {
        return Err(Error::usage("--filter: no row name matches")
            .hint("see mbt bench all --list for the names"));
    }
    if args.json && !args.list {
        report::print_json(&json!({ "entries": entries }))?;
    }
    appended?;
    if let Some(path) = log {
        let s = if found == 1 { "entry" } else { "entries" };
        report::note(&format!("appended the {s} to {}", path.display()));
    }
    Ok(outcome)
}

/// The suites given; the word after `file` is a path.
fn suites(words: &[String]) -> Result<Vec<Suite>> {
    let mut suites = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "all" => {
                let can_run = |suite: &Suite| suite.name() != ALLOC || is_installed();
                suites.extend(Suite::ALL.into_iter().filter(can_run));
            }
            "file" => {
                let path = words.next().ok_or_else(|| {
                    Error::usage("file: expected a file name")
                        .hint("write mbt bench file prices.csv")
                })?;
                suites.push(Suite::File(PathBuf::from(path)));
            }
            name => {
                let known = Suite::ALL.into_iter().find(|suite| suite.name() == name);
                suites.push(known.ok_or_else(|| {
                    let names = Suite::ALL.map(|suite| suite.name()).join(", ");
                    Error::usage(format!("unknown suite {name:?}"))
                        .hint(format!("the suites are {names}, file FILE and all"))
                })?);
            }
        }
    }
    Ok(suites)
}

/// How many processes measure a suite. One is enough for a file, since converting it takes long.
fn starts(args: &Bench, suite: &Suite) -> u32 {
    let usual = if matches!(suite, Suite::File(_)) {
        1
    } else {
        3
    };
    let starts = args.starts.unwrap_or(usual);
    if args.list {
        1
    } else {
        u32::try_from(starts).unwrap_or(u32::MAX)
    }
}

/// Measures a suite in a process of its own.
fn another_process(suite: usize) -> Result<LogEntry> {
    let cannot = |error| Error::io("cannot start mbt once more", error);
    let program = std::env::current_exe().map_err(cannot)?;
    let output = Command::new(program)
        .args(std::env::args_os().skip(1))
        .args(["--part", &suite.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .map_err(cannot)?;
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let entry = LogEntry::from_document(&document["entries"][0]);
    entry.ok_or_else(|| {
        let what = format!(
            "another process did not measure the suite: {}",
            output.status
        );
        Error::new(Kind::Io, what).hint("--starts 1 measures in this one")
    })
}

fn options(args: &Bench, starts: u32) -> Result<RunOptions<'_>> {
    let mut effort = if args.quick {
        Effort::QUICK
    } else {
        Effort::FULL
    };
    effort.time /= starts;
    if let Some(samples) = args.samples {
        effort.samples = samples;
    }
    if let Some(time) = args.time {
        effort.time = Duration::from_millis(time) / starts;
    }
    // --samples and --time can exceed the default maximum.
    if args.samples.is_some() || args.time.is_some() {
        effort.max_time = effort.max_time.max(effort.time).max(Effort::FULL.max_time);
    }
    if args.rows.iter().flatten().any(|rows| *rows == 0) {
        return Err(Error::usage("--rows: expected 1 or more"));
    }
    if args.gate.is_nan() {
        return Err(Error::usage("--gate: not a number"));
    }
    let words = std::env::args_os()
        .skip(1)
        .map(|word| shell_word(&word.to_string_lossy()));
    Ok(RunOptions {
        args,
        effort,
        filter: args.filter.as_ref().map(|part| part.to_lowercase()),
        command: std::iter::once("mbt".to_owned())
            .chain(words)
            .collect::<Vec<_>>()
            .join(" "),
    })
}

/// An entry as text: its tables, notes and verdict.
fn text(entry: &LogEntry, width: Option<u16>) -> String {
    let mut out = String::new();
    for table in &entry.tables {
        let _ = writeln!(out, "{}: {}\n", entry.suite, table.title);
        out.push_str(&table.table().render(width));
        out.push('\n');
    }
    for note in &entry.notes {
        let _ = writeln!(out, "* {note}");
    }
    if let Some(verdict) = &entry.verdict {
        let _ = writeln!(out, "{verdict}");
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_named_and_file_takes_a_path() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let found = suites(&words("pages file all json")).unwrap();
        let names: Vec<_> = found.iter().map(Suite::name).collect();
        assert_eq!(names, ["pages", "file", "json"]);
        assert!(matches!(&found[1], Suite::File(path) if *path == *"all"));
        let all = suites(&words("all")).unwrap();
        // The test binary does not count allocations.
        assert_eq!(all.len(), Suite::ALL.len() - 1);
        assert!(all.iter().all(|suite| suite.name() != ALLOC));
        assert!(suites(&words("file")).is_err());
        let error = suites(&words("transprot")).unwrap_err().to_string();
        assert!(error.contains("suites are transport, json"), "{error}");
    }
}
