//! Progress on stderr: a bar for work that takes a while, and a summary line when it ends.

use std::fs::Metadata;
use std::io::{self, IsTerminal as _, Read};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{When, failure, is_quiet, note, write_line};
use crate::error::Error;
use crate::units::{grouped, human, percent};

/// Work that finishes sooner than this shows no bar.
const DELAY: Duration = Duration::from_millis(500);
/// How often the bar is redrawn.
const TICK: Duration = Duration::from_millis(100);

/// Which messages besides errors and notes go to stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Output")]
pub struct Messages {
    /// When to show progress on stderr: auto, always or never
    ///
    /// auto shows a bar if stderr is a terminal and the work takes longer than half a second, then a
    /// summary line with the rows, bytes in and out, their ratio, and the speed. always shows the bar
    /// from the start, and prints the summary even if stderr is not a terminal.
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub progress: When,
}

impl Messages {
    /// How long work takes before its progress is shown; `None` if it never is, as if `quiet`.
    fn delay(self, quiet: bool) -> Option<Duration> {
        match self.progress {
            _ if quiet => None,
            When::Auto => io::stderr().is_terminal().then_some(DELAY),
            When::Always => Some(Duration::ZERO),
            When::Never => None,
        }
    }
}

/// Bytes and rows processed so far, shared between the threads that count and the one that draws.
#[derive(Debug, Default)]
pub struct ProgressCounts {
    read: AtomicU64,
    written: AtomicU64,
    rows: AtomicU64,
}

impl ProgressCounts {
    /// Adds to the bytes written.
    pub fn add_written(&self, bytes: usize) {
        self.written.fetch_add(bytes as u64, Relaxed);
    }
}

/// The progress of one command, from [`Progress::begin`] to [`Progress::finish`].
///
/// If dropped before that, as on an error, it removes its bar and prints nothing.
#[derive(Debug)]
pub struct Progress {
    /// Print the summary line even if no bar was shown.
    always: bool,
    started: Instant,
    counts: Arc<ProgressCounts>,
    bar: ProgressBar,
    ticker: Mutex<Option<Ticker>>,
}

#[derive(Debug)]
struct Ticker {
    /// Dropping it ends the thread.
    stop: Sender<()>,
    /// Returns whether a bar was shown.
    thread: JoinHandle<bool>,
}

impl Progress {
    /// Starts. `inputs` is the metadata of each input, if it has any.
    ///
    /// If all inputs are regular files, the total size is known, and the bar shows a percentage and the
    /// time left.
    pub fn begin(messages: Messages, inputs: impl Iterator<Item = Option<Metadata>>) -> Self {
        let counts = Arc::new(ProgressCounts::default());
        let bar = bar(total_bytes(inputs));
        let delay = messages.delay(is_quiet());
        let ticker = delay.and_then(|delay| tick(bar.clone(), Arc::clone(&counts), delay));
        Self {
            always: delay.is_some() && messages.progress == When::Always,
            started: Instant::now(),
            counts,
            bar,
            ticker: Mutex::new(ticker),
        }
    }

    /// Wraps a reader so that the bytes read from it are counted.
    pub fn count_reads(&self, bytes: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        let counts = Arc::clone(&self.counts);
        let count = move |read| {
            counts.read.fetch_add(read, Relaxed);
        };
        Box::new(CountedReader { bytes, count })
    }

    /// The counters, for counting bytes written.
    pub fn counts(&self) -> Arc<ProgressCounts> {
        Arc::clone(&self.counts)
    }

    /// Adds to the rows processed.
    pub fn add_rows(&self, rows: usize) {
        self.counts.rows.fetch_add(rows as u64, Relaxed);
    }

    /// Prints a note above the bar, unless quiet.
    pub fn note(&self, text: &str) {
        self.bar.suspend(|| note(text));
    }

    /// Prints an error above the bar.
    pub fn error(&self, error: &Error) {
        self.bar.suspend(|| failure(error));
    }

    /// Removes the bar for good. Returns whether one was shown.
    pub fn clear(&self) -> bool {
        let ticker = self.ticker.lock().map(|mut ticker| ticker.take());
        let Some(Ticker { stop, thread }) =
            ticker.unwrap_or_else(|poison| poison.into_inner().take())
        else {
            return false;
        };
        drop(stop);
        thread.join().unwrap_or(false)
    }

    /// Removes the bar and, if one was shown or progress is always wanted, prints a summary line.
    pub fn finish(self) {
        if self.clear() || self.always {
            write_line(&summary(&self.counts, self.started.elapsed()));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Progress of work in steps: a bar and the name of the current step.
///
/// The bar is drawn only between steps, so that drawing never disturbs a measurement. Dropping it removes
/// the bar.
#[derive(Debug)]
pub struct Steps {
    bar: ProgressBar,
    delay: Duration,
    started: Instant,
}

impl Steps {
    /// Starts; `steps` is their number, if known. A bar is shown under the same conditions as for
    /// [`Progress`].
    pub fn begin(messages: Messages, steps: Option<u64>) -> Self {
        let template = match steps {
            Some(_) => "{bar:20} {percent:>3} %  {msg}",
            None => "{elapsed:>4}  {pos} rows  {msg}",
        };
        Self {
            bar: hidden_bar(steps, template),
            delay: messages.delay(is_quiet()).unwrap_or(Duration::MAX),
            started: Instant::now(),
        }
    }

    /// Starts the next step.
    pub fn step(&self, name: &str) {
        if self.bar.is_hidden() && self.started.elapsed() >= self.delay {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_message(name.to_owned());
        self.bar.inc(1);
        self.bar.tick();
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The total size of all inputs. `None` if one of them is not a regular file, or if the total is 0, which
/// is what files in `/proc` report.
fn total_bytes(mut inputs: impl Iterator<Item = Option<Metadata>>) -> Option<u64> {
    let total = inputs.try_fold(0_u64, |total, input| {
        let input = input.filter(Metadata::is_file)?;
        Some(total.saturating_add(input.len()))
    });
    total.filter(|&total| total > 0)
}

/// A hidden bar for bytes.
fn bar(total: Option<u64>) -> ProgressBar {
    let template = match total {
        Some(_) => {
            "{bar:20} {percent:>3} %  {decimal_bytes} of {decimal_total_bytes}  \
             {decimal_bytes_per_sec}  {msg}  {eta} left"
        }
        None => "{spinner} {decimal_bytes}  {decimal_bytes_per_sec}  {msg}",
    };
    hidden_bar(total, template)
}

fn hidden_bar(len: Option<u64>, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    // The templates are valid; if one were not, the default style would do.
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(len, ProgressDrawTarget::hidden()).with_style(style)
}

/// Redraws the bar from a thread of its own, since the other threads may be waiting for input. `None` if
/// no thread can be started.
fn tick(bar: ProgressBar, counts: Arc<ProgressCounts>, delay: Duration) -> Option<Ticker> {
    let (stop, stopped) = channel::<()>();
    let show = move || {
        let mut shown = false;
        let mut wait = delay;
        while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(wait) {
            if !shown {
                // Stays hidden if stderr is not a terminal or cannot move its cursor.
                bar.set_draw_target(ProgressDrawTarget::stderr());
                shown = !bar.is_hidden();
            }
            let (read, written) = (counts.read.load(Relaxed), counts.written.load(Relaxed));
            bar.set_message(format!(
                "{} out ({})",
                human(written),
                percent(written, read)
            ));
            bar.set_position(read);
            bar.tick();
            wait = TICK;
        }
        bar.finish_and_clear();
        shown
    };
    let thread = std::thread::Builder::new().spawn(show).ok()?;
    Some(Ticker { stop, thread })
}

/// `2,000 rows, 10 B in, 4 B out (40.0 %), 2.0 MB/s`.
fn summary(counts: &ProgressCounts, time: Duration) -> String {
    let load = |count: &AtomicU64| count.load(Relaxed);
    let (read, written, rows) = (
        load(&counts.read),
        load(&counts.written),
        load(&counts.rows),
    );
    let rows = match rows {
        0 => String::new(),
        1 => "1 row, ".to_owned(),
        rows => format!("{} rows, ", grouped(rows)),
    };
    let mega_per_second = read as f64 / 1e6 / time.as_secs_f64().max(1e-6);
    format!(
        "{rows}{} in, {} out ({}), {mega_per_second:.1} MB/s",
        human(read),
        human(written),
        percent(written, read)
    )
}

/// Passes the number of bytes of each read to `count`.
pub struct CountedReader<F> {
    /// The bytes.
    pub bytes: Box<dyn Read + Send>,
    /// Takes the number.
    pub count: F,
}

impl<F: Fn(u64)> Read for CountedReader<F> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buf)?;
        (self.count)(read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn bytes_and_rows_are_counted() {
        let always = Messages {
            progress: When::Always,
        };
        let progress = Progress::begin(always, std::iter::once(None));
        let mut bytes = progress.count_reads(Box::new(&b"0123456789"[..]));
        bytes.read_to_end(&mut Vec::new()).unwrap();
        let counts = progress.counts();
        counts.add_written(4);
        progress.add_rows(2000);
        let line = summary(&counts, Duration::from_micros(5));
        assert_eq!(line, "2,000 rows, 10 B in, 4 B out (40.0 %), 2.0 MB/s");
    }

    #[test]
    fn nothing_is_shown_if_that_is_unwanted() {
        let [always, never] = [When::Always, When::Never].map(|progress| Messages { progress });
        assert_eq!(always.delay(true), None);
        assert_eq!(never.delay(false), None);
        let progress = Progress::begin(never, std::iter::once(None));
        assert!(!progress.clear());
    }

    #[test]
    fn only_regular_files_have_a_known_size() {
        let file = || PathBuf::from("Cargo.toml").metadata().ok();
        let len = file().unwrap().len();
        assert_eq!(total_bytes([file(), file()].into_iter()), Some(2 * len));
        assert_eq!(total_bytes([file(), None].into_iter()), None);
        assert_eq!(
            total_bytes([file(), PathBuf::from("src").metadata().ok()].into_iter()),
            None
        );
        assert_eq!(total_bytes(std::iter::empty()), None);
    }
}
