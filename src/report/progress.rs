//! Progress on stderr: a bar while work takes long, and one line at its end.

use std::fs::Metadata;
use std::io::{self, IsTerminal as _, Read};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{note, tell};
use crate::cli::{Telling, When};
use crate::units::{grouped, human, percent};

/// Work that takes no longer shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the bar is drawn.
const TICK: Duration = Duration::from_millis(100);

/// What has gone through so far; shared with the ends that bytes go through.
#[derive(Debug, Default)]
pub struct Counts {
    read: AtomicU64,
    written: AtomicU64,
    rows: AtomicU64,
}

impl Counts {
    /// Counts bytes that were written.
    pub fn wrote(&self, bytes: usize) {
        self.written.fetch_add(bytes as u64, Relaxed);
    }
}

/// The progress of one command, from [`Progress::begin`] to [`Progress::finish`].
///
/// Dropped before its end, as on an error, it takes its bar off the terminal and says nothing.
#[derive(Debug)]
pub struct Progress {
    quiet: bool,
    /// The closing line comes even if no bar was shown.
    always: bool,
    begun: Instant,
    /// `None` if nothing is ever to be shown; then nothing is counted either.
    counts: Option<Arc<Counts>>,
    bar: ProgressBar,
    ticker: Mutex<Option<Ticker>>,
}

#[derive(Debug)]
struct Ticker {
    /// Dropped, it ends the thread.
    stop: Sender<()>,
    /// Tells whether there was a bar.
    thread: JoinHandle<bool>,
}

impl Progress {
    /// Begins; `inputs` are the metadata of what will be read, as far as they have any.
    ///
    /// With regular files only, their size is known, and a share and the time left are shown.
    pub fn begin(telling: &Telling, inputs: impl Iterator<Item = Option<Metadata>>) -> Self {
        let wanted = match telling.progress {
            When::Auto => io::stderr().is_terminal(),
            When::Always => true,
            When::Never => false,
        };
        let always = telling.progress == When::Always;
        let mut progress = Self {
            quiet: telling.quiet,
            always,
            begun: Instant::now(),
            counts: None,
            bar: ProgressBar::hidden(),
            ticker: Mutex::new(None),
        };
        if wanted && !telling.quiet {
            let counts = Arc::new(Counts::default());
            progress.bar = bar(total_bytes(inputs));
            let patience = if always { Duration::ZERO } else { PATIENCE };
            let ticker = tick(progress.bar.clone(), Arc::clone(&counts), patience);
            progress.ticker = Mutex::new(ticker);
            progress.counts = Some(counts);
        }
        progress
    }

    /// The same bytes, counted as they are read.
    pub fn reading(&self, bytes: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        match &self.counts {
            Some(counts) => Box::new(Counted {
                bytes,
                counts: Arc::clone(counts),
            }),
            None => bytes,
        }
    }

    /// Where bytes that are written are counted; `None` if nobody will look.
    pub fn counts(&self) -> Option<Arc<Counts>> {
        self.counts.clone()
    }

    /// Counts rows that are through.
    pub fn add_rows(&self, rows: usize) {
        if let Some(counts) = &self.counts {
            counts.rows.fetch_add(rows as u64, Relaxed);
        }
    }

    /// Tells something that is worth knowing, above the bar, unless all is to be quiet.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| note(text));
        }
    }

    /// Takes the bar off the terminal for good; true if there was one.
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

    /// Ends: the bar goes, and one line says what was done if there was a bar or one always wants it.
    pub fn finish(self) {
        let shown = self.clear();
        if let (Some(counts), true) = (&self.counts, shown || self.always) {
            tell(&closing_line(counts, self.begun.elapsed()));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Progress of work in steps, whose number may be known: a bar, and what is being done.
///
/// It is drawn between steps only: nothing else may happen while one is measured. Dropped, it takes
/// its bar off the terminal.
#[derive(Debug)]
pub struct Steps {
    bar: ProgressBar,
    patience: Duration,
    begun: Instant,
}

impl Steps {
    /// Begins; a bar is shown under the same conditions as that of [`Progress`].
    pub fn begin(telling: &Telling, steps: Option<u64>) -> Self {
        let patience = match telling.progress {
            _ if telling.quiet => Duration::MAX,
            When::Auto if io::stderr().is_terminal() => PATIENCE,
            When::Always => Duration::ZERO,
            When::Auto | When::Never => Duration::MAX,
        };
        let style = ProgressStyle::with_template(match steps {
            Some(_) => "{bar:20} {percent:>3} %  {msg}",
            None => "{elapsed:>4}  {pos} rows  {msg}",
        });
        let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::hidden())
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self {
            bar,
            patience,
            begun: Instant::now(),
        }
    }

    /// The next step begins.
    pub fn step(&self, what: &str) {
        if self.bar.is_hidden() && self.begun.elapsed() >= self.patience {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_message(what.to_owned());
        self.bar.inc(1);
        self.bar.tick();
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The size of all inputs together; `None` if one of them is no regular file, or all are empty, as
/// the files of `/proc` say of themselves.
fn total_bytes(mut inputs: impl Iterator<Item = Option<Metadata>>) -> Option<u64> {
    let total = inputs.try_fold(0_u64, |total, input| {
        let input = input.filter(Metadata::is_file)?;
        Some(total.saturating_add(input.len()))
    });
    total.filter(|&total| total > 0)
}

/// A bar that is not shown yet.
fn bar(total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
    let template = match total {
        Some(_) => {
            "{bar:20} {percent:>3} %  {decimal_bytes} of {decimal_total_bytes}  \
             {decimal_bytes_per_sec}  {msg}  {eta} left"
        }
        None => "{spinner} {decimal_bytes}  {decimal_bytes_per_sec}  {msg}",
    };
    // The templates are valid; were one not, the plain style would do.
    bar.with_style(
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
    )
}

/// Keeps the bar up to date on a thread of its own, since the others may be waiting for input;
/// `None` if there is no thread to be had.
fn tick(bar: ProgressBar, counts: Arc<Counts>, patience: Duration) -> Option<Ticker> {
    let (stop, stopped) = channel::<()>();
    let show = move || {
        let mut shown = false;
        let mut wait = patience;
        while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(wait) {
            if !shown {
                // Stays hidden if stderr is no terminal, or one that cannot move its cursor.
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

fn closing_line(counts: &Counts, time: Duration) -> String {
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

/// Counts what is read through it.
struct Counted {
    bytes: Box<dyn Read + Send>,
    counts: Arc<Counts>,
}

impl Read for Counted {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buf)?;
        self.counts.read.fetch_add(read as u64, Relaxed);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn telling(quiet: bool, progress: When) -> Telling {
        Telling { quiet, progress }
    }

    #[test]
    fn what_is_read_and_written_is_counted() {
        let progress = Progress::begin(&telling(false, When::Always), std::iter::once(None));
        let mut bytes = progress.reading(Box::new(&b"0123456789"[..]));
        bytes.read_to_end(&mut Vec::new()).unwrap();
        let counts = progress.counts().unwrap();
        counts.wrote(4);
        progress.add_rows(2000);
        let line = closing_line(&counts, Duration::from_micros(5));
        assert_eq!(line, "2,000 rows, 10 B in, 4 B out (40.0 %), 2.0 MB/s");
    }

    #[test]
    fn nothing_is_counted_where_nothing_will_be_shown() {
        for telling in [telling(true, When::Always), telling(false, When::Never)] {
            let progress = Progress::begin(&telling, std::iter::once(None));
            assert!(progress.counts().is_none());
            assert!(!progress.clear());
        }
    }

    #[test]
    fn the_size_is_known_of_regular_files_only() {
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
