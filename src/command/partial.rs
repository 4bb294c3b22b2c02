//! Temporary output files, and their removal when the process is interrupted.
//!
//! A signal may arrive while all other threads wait for input. So a separate thread waits for the signals that end a
//! process, removes unfinished files and then raises the signal with its default action: the shell sees 130 after
//! SIGINT, and a script that runs mbt stops as well. The list of these files is global state because signals are
//! global.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::NamedTempFile;

use crate::error::Error;
use crate::report;
use crate::report::progress::Progress;
use crate::sync::lock;

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file. It is removed when it is dropped, when [`exit_with`] is called and when a signal ends the process,
/// unless it was persisted before.
#[derive(Debug)]
pub struct Partial {
    // Fields are dropped in order, so the file is removed before its entry in the list.
    file: NamedTempFile,
    listed: ListedFile,
}

#[derive(Debug)]
struct ListedFile(PathBuf);

impl Drop for ListedFile {
    fn drop(&mut self) {
        lock(&UNFINISHED).retain(|path| *path != self.0);
    }
}

impl Partial {
    /// Wraps and registers the file that `make` creates.
    ///
    /// # Errors
    /// The error of `make`.
    pub fn create(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<Self> {
        signals::watch();
        // Holding the lock makes a signal wait until the file is in the list.
        let mut list = lock(&UNFINISHED);
        list.reserve(1);
        let file = make()?;
        list.push(file.path().to_path_buf());
        let listed = ListedFile(file.path().to_path_buf());
        Ok(Self { file, listed })
    }

    /// The file, to write to it. Errors do not mention its name, which users do not know.
    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Renames the file to `path`. An existing file is replaced, or is an error if `replace` is false.
    ///
    /// # Errors
    /// If it cannot be renamed; the file is then removed.
    pub fn persist(self, path: &Path, replace: bool) -> io::Result<()> {
        let Self { file, listed } = self;
        let named = if replace {
            file.persist(path)
        } else {
            file.persist_noclobber(path)
        };
        let named = named.map(drop).map_err(|failed| failed.error);
        drop(listed);
        named
    }
}

/// Reports `error` and exits immediately, after removing unfinished files.
///
/// For write errors: returning them would mean joining all threads, one of which may wait for input indefinitely.
pub fn exit_with(error: &Error, progress: &Progress) -> ! {
    progress.clear();
    remove(&mut lock(&UNFINISHED));
    std::process::exit(report::failure(error).into())
}

/// Removes unfinished files when memory has run out; does not allocate and does not wait for locks.
pub fn remove_unfinished() {
    if let Ok(mut list) = UNFINISHED.try_lock() {
        remove(&mut list);
    }
}

fn remove(list: &mut Vec<PathBuf>) {
    for path in list.drain(..) {
        // Nothing more can be done if this fails.
        let _ = std::fs::remove_file(path);
    }
}

pub use signals::outlive_file_size_limit;

#[cfg(unix)]
mod signals {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Once};

    use signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use crate::sync::lock;

    /// Removes unfinished files when a signal is about to end the process.
    pub fn watch() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let ignored = ignored();
            let watched = [
                SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU,
            ]
            .into_iter();
            // If the caller set a signal to be ignored, as `nohup` does, keep ignoring it.
            let watched = watched.filter(|signal| ignored >> (signal - 1) & 1 == 0);
            // Without the handler or the thread, unfinished files may remain; everything else works.
            let Ok(mut signals) = Signals::new(watched) else {
                return;
            };
            let wait = move || {
                if let Some(signal) = signals.forever().next() {
                    // Held until the end, so that no file is created in the meantime.
                    let mut list = lock(&super::UNFINISHED);
                    super::remove(&mut list);
                    let _ = emulate_default_handler(signal);
                }
            };
            let _ = std::thread::Builder::new().spawn(wait);
        });
    }

    /// The ignored signals, signal 1 in bit 0. Only Linux reveals them without unsafe code; elsewhere SIGHUP is assumed to
    /// be ignored, since honoring `nohup` matters more than a partial file.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .unwrap_or(1 << (SIGHUP - 1))
    }

    /// Turns writes beyond the file size limit (`ulimit -f`) into errors that can be reported, instead of a signal that
    /// kills the process.
    pub fn outlive_file_size_limit() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // The write fails as well and reports the error.
            let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        });
    }
}

#[cfg(not(unix))]
mod signals {
    pub fn watch() {}

    /// Does nothing: such a limit needs no signal.
    pub fn outlive_file_size_limit() {}
}
