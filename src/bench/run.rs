//! A run of a suite: measures the selected rows one after the other.

use std::time::{Duration, SystemTime};

use super::counting::{self, Calls};
use super::entry::{LOADS, LogEntry, MACHINE, PROFILE};
use super::harness::{Effort, Repeated, Timing, measure};
use super::results::{ResultTable, Row, rate};
use super::suites::Suite;
use super::{compare, machine};
use crate::cli::Bench;
use crate::error::Result;
use crate::report::progress::Steps;
use crate::text::time::print_timestamp;

/// Options for all suites.
#[derive(Clone, Debug)]
pub struct RunOptions<'a> {
    /// As typed.
    pub args: &'a Bench,
    /// How much time to spend per row.
    pub effort: Effort,
    /// Measure only rows whose name contains this, in lower case.
    pub filter: Option<String>,
    /// The command line, for the log.
    pub command: String,
}

/// A suite being run.
pub struct Run<'a> {
    /// The options.
    pub options: &'a RunOptions<'a>,
    steps: &'a Steps,
    entry: LogEntry,
    failures: Vec<String>,
    gate: Option<String>,
    listed: Vec<String>,
}

/// A row about to be measured.
pub struct RowBuilder<'r, 'a> {
    run: &'r mut Run<'a>,
    row: Row,
    /// Items processed per operation, and their unit.
    work: Option<(u64, &'static str)>,
    is_wanted: bool,
    counts: bool,
    is_alone: bool,
}

/// The result of running a suite.
#[derive(Debug)]
pub struct SuiteResult {
    /// The log entry.
    pub entry: LogEntry,
    /// The names of all rows, if they were only listed.
    pub listed: Vec<String>,
    /// False if a gate failed.
    pub passed: bool,
}

/// Runs a suite.
///
/// # Errors
/// If a row cannot be measured. Failed checks are not errors; they are in the verdict.
pub fn run(suite: &Suite, options: &RunOptions<'_>, steps: &Steps) -> Result<SuiteResult> {
    let mut entry = LogEntry {
        date: now(),
        suite: suite.name().to_owned(),
        notes: options.args.notes.clone(),
        ..LogEntry::default()
    };
    let mut fact = |key: &str, value: String| entry.facts.push((key.to_owned(), value));
    fact("mbt", machine::version());
    fact(MACHINE, machine::machine());
    fact("System", machine::system());
    fact("Build", machine::build());
    fact(PROFILE, machine::profile().to_owned());
    fact("Command", format!("`{}`", options.command));
    fact(LOADS[0], machine::load());
    let mut run = Run {
        options,
        steps,
        entry,
        failures: Vec::new(),
        gate: None,
        listed: Vec::new(),
    };
    suite.measure(&mut run)?;
    let mut entry = run.entry;
    entry.facts.push((LOADS[1].to_owned(), machine::load()));
    let passed = run.failures.is_empty();
    entry.verdict = if passed {
        run.gate.map(|gate| format!("PASS: {gate}"))
    } else {
        Some(format!("FAIL: {}", run.failures.join("; ")))
    };
    entry.tables.retain(|table| !table.rows.is_empty());
    entry.notes.extend(noise_note(&entry.tables));
    Ok(SuiteResult {
        entry,
        listed: run.listed,
        passed,
    })
}

/// A note if many rows are noisy.
fn noise_note(tables: &[ResultTable]) -> Option<String> {
    let rows = tables.iter().flat_map(|table| &table.rows);
    let timings: Vec<Timing> = rows.filter_map(|row| row.timing).collect();
    let noisy = timings.iter().filter(|timing| timing.is_noisy()).count();
    (noisy > timings.len() / 4).then(|| {
        let all = timings.len();
        format!("{noisy} of {all} rows are noisy: the machine was busy, so compare the best times or measure again")
    })
}

/// The time in UTC, to the second.
fn now() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seconds = since.map_or(0, |since| since.as_secs() as i64);
    let mut text = Vec::new();
    print_timestamp(seconds * 1_000_000, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

impl<'a> Run<'a> {
    /// Starts a table.
    pub fn table(&mut self, title: impl Into<String>) {
        self.entry.tables.push(ResultTable {
            title: title.into(),
            rows: Vec::new(),
        });
    }

    /// Adds a note that helps to interpret the figures.
    pub fn note(&mut self, note: &str) {
        self.entry.notes.push(note.to_owned());
    }

    /// Fails the run, with `what` in the verdict, unless `holds`.
    pub fn check(&mut self, holds: bool, what: impl Into<String>) {
        if !holds {
            self.failures.push(what.into());
        }
    }

    /// Sets the text of the verdict for a run that passes its gate.
    pub fn gate(&mut self, what: impl Into<String>) {
        self.gate = Some(what.into());
    }

    /// The sizes to measure: those from the command line, or else the suite's own. A quick run takes only the
    /// first `quick` of these.
    pub fn sizes(&self, own: &[usize], quick: usize) -> Vec<usize> {
        match &self.options.args.rows {
            Some(rows) => rows.clone(),
            None if self.options.args.quick => own[..quick.min(own.len())].to_vec(),
            None => own.to_vec(),
        }
    }

    /// True if the row of this name in the last table will be measured, so that its data is worth preparing.
    pub fn wants(&self, name: &str) -> bool {
        !self.options.args.list && self.passes(&self.full_name(name))
    }

    fn passes(&self, full_name: &str) -> bool {
        let filter = self.options.filter.as_ref();
        filter.is_none_or(|part| full_name.to_lowercase().contains(part))
    }

    fn full_name(&self, name: &str) -> String {
        match self.entry.tables.last() {
            Some(table) => format!(
                "{} / {}",
                self.entry.suite,
                compare::row_name(&table.title, name)
            ),
            None => name.to_owned(),
        }
    }

    /// Starts a row of the last table.
    pub fn row(&mut self, name: impl Into<String>) -> RowBuilder<'_, 'a> {
        let row = Row {
            name: name.into(),
            ..Row::default()
        };
        let full = self.full_name(&row.name);
        let is_wanted = self.wants(&row.name);
        if is_wanted {
            self.steps.step(&full);
        } else if self.options.args.list && self.passes(&full) {
            self.listed.push(full);
        }
        RowBuilder {
            is_wanted,
            run: self,
            row,
            work: None,
            counts: false,
            is_alone: false,
        }
    }
}

impl RowBuilder<'_, '_> {
    /// Sets the size of the output or the input of the operation.
    #[must_use]
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.row.bytes = Some(bytes as u64);
        self
    }

    /// Sets the ratio of plain bytes to [`Self::bytes`].
    #[must_use]
    pub fn ratio(mut self, plain: usize) -> Self {
        let bytes = self.row.bytes.filter(|bytes| *bytes > 0);
        self.row.ratio = bytes.map(|bytes| plain as f64 / bytes as f64);
        self
    }

    /// Sets the number of plain bytes processed per operation.
    #[must_use]
    pub fn through(self, plain: usize) -> Self {
        self.items(plain, "B")
    }

    /// Sets the size of the output or the input, and the number of plain bytes processed.
    #[must_use]
    pub fn sized(self, bytes: usize, plain: usize) -> Self {
        self.bytes(bytes).through(plain)
    }

    /// The same for an operation whose output should be smaller than the plain bytes.
    #[must_use]
    pub fn packed(self, bytes: usize, plain: usize) -> Self {
        self.sized(bytes, plain).ratio(plain)
    }

    /// Sets the number of items processed per operation.
    #[must_use]
    pub fn items(mut self, count: usize, unit: &'static str) -> Self {
        self.work = Some((count as u64, unit));
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: &str) -> Self {
        if !self.row.note.is_empty() && !note.is_empty() {
            self.row.note.push_str(", ");
        }
        self.row.note.push_str(note);
        self
    }

    /// Also counts the allocations of the operation.
    #[must_use]
    pub fn allocations(mut self) -> Self {
        self.counts = true;
        self
    }

    /// Finishes the row without timing anything.
    pub fn done(self) {
        if self.is_wanted
            && let Some(table) = self.run.entry.tables.last_mut()
        {
            table.rows.push(self.row);
        }
    }

    /// Times each operation separately, so that p99 refers to single operations instead of batches.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.is_alone = true;
        self
    }

    /// Times the operation. Dropping its result is not timed.
    ///
    /// # Errors
    /// If the operation fails.
    pub fn time<T>(self, mut operation: impl FnMut() -> Result<T>) -> Result<()> {
        Repeated::with(&mut operation, |operation| self.time_repeated(operation))
    }

    fn time_repeated(mut self, mut operation: Repeated<'_>) -> Result<()> {
        if self.is_wanted {
            let timing = measure(self.effort(), &mut operation)?;
            if self.counts && counting::is_installed() {
                self.row.calls = Some(counting::per_op(2, 10, &mut operation)?);
            }
            self.timed(timing);
        }
        Ok(())
    }

    fn effort(&self) -> Effort {
        let effort = self.run.options.effort;
        let batch = if self.is_alone {
            Duration::ZERO
        } else {
            effort.batch
        };
        Effort { batch, ..effort }
    }

    /// Finishes the row with its timing.
    fn timed(mut self, timing: Timing) {
        if let Some((count, unit)) = self.work {
            self.row.rate = rate(count as f64, timing.median, unit);
        }
        self.row.timing = Some(timing);
        let note = if timing.is_noisy() { "noisy" } else { "" };
        self.note(note).done();
    }

    /// Counts and returns the allocations of the operation over many runs; `None` if the row is not selected.
    ///
    /// # Errors
    /// If the operation fails.
    pub fn count<T>(
        self,
        before: u32,
        times: u32,
        mut operation: impl FnMut() -> Result<T>,
    ) -> Result<Option<Calls>> {
        Repeated::with(&mut operation, |operation| {
            self.count_repeated(before, times, operation)
        })
    }

    fn count_repeated(
        mut self,
        before: u32,
        times: u32,
        mut operation: Repeated<'_>,
    ) -> Result<Option<Calls>> {
        if !self.is_wanted {
            return Ok(None);
        }
        let calls = counting::per_op(before, times, &mut operation)?;
        self.row.calls = Some(calls);
        // A fractional count reveals buffers that still grow, or an operation that depends on the allocator.
        let is_steady = (calls.allocs + calls.reallocs).fract() == 0.0;
        let note = if is_steady { "" } else { "not steady" };
        self.note(note).time_repeated(operation)?;
        Ok(Some(calls))
    }
}
