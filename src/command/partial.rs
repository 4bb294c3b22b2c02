//! Files on their way to their name, and what becomes of them if we are interrupted.
//!
//! A signal may come at any time and finds the other threads waiting for input. So a thread of its
//! own waits for the signals that end a process, removes the files that have no name yet and lets the
//! signal do what it would have done: the shell sees 130 after SIGINT, and a script that runs us
//! stops as well. The list of these files is the crate's only global state, as signals are global.

use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::error::Error;
use crate::report;
use crate::report::progress::Progress;

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is gone when it is dropped, when [`leave`] is called and when a signal ends us,
/// unless it was given its name before.
#[derive(Debug)]
pub struct Partial {
    // Dropped, and thereby removed, before it is taken off the list.
    file: NamedTempFile,
    listed: ListedFile,
}

#[derive(Debug)]
struct ListedFile(PathBuf);

impl Drop for ListedFile {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

impl Partial {
    /// Takes on the file that `make` makes.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn create(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<Self> {
        signals::watch();
        // A signal that comes between making and listing waits for the lock.
        let mut list = unfinished();
        list.reserve(1);
        let file = make()?;
        list.push(file.path().to_path_buf());
        let listed = ListedFile(file.path().to_path_buf());
        Ok(Self { file, listed })
    }

    /// Gives the file its name; another file of that name is replaced, or is an error.
    ///
    /// # Errors
    /// If it cannot be renamed; the file is gone then.
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

impl Deref for Partial {
    type Target = NamedTempFile;

    fn deref(&self) -> &NamedTempFile {
        &self.file
    }
}

impl DerefMut for Partial {
    fn deref_mut(&mut self) -> &mut NamedTempFile {
        &mut self.file
    }
}

/// Ends the process because of `error`, at once and cleanly.
///
/// For errors of writing: returning them would have to wait for the threads, and one of them may be
/// waiting for input that comes in an hour or never.
pub fn leave(error: &Error, progress: &Progress) -> ! {
    progress.clear();
    remove(&mut unfinished());
    std::process::exit(report::failure(error).into())
}

/// Removes unfinished files before the process ends for lack of memory; takes none, and waits for no lock.
pub fn remove_unfinished() {
    if let Ok(mut list) = UNFINISHED.try_lock() {
        remove(&mut list);
    }
}

fn remove(list: &mut Vec<PathBuf>) {
    for path in list.drain(..) {
        // Nothing is left to be done about one that resists.
        let _ = std::fs::remove_file(path);
    }
}

/// Makes a write beyond the file size limit (`ulimit -f`) an error, which can be reported, instead of a signal that
/// kills the process.
pub fn outlive_file_size_limit() {
    signals::outlive_file_size_limit();
}

#[cfg(unix)]
mod signals {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Once};

    use signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ,
    };
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// Removes unfinished files when a signal is about to end the process.
    pub fn watch() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let ignored = ignored();
            let heeded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM].into_iter();
            // Whoever had us ignore a signal, as `nohup` does, wants us to go on.
            let heeded = heeded.filter(|signal| ignored >> (signal - 1) & 1 == 0);
            // Without the handler or the thread, partial files can remain; everything else works.
            let Ok(mut signals) = Signals::new(heeded) else {
                return;
            };
            let wait = move || {
                if let Some(signal) = signals.forever().next() {
                    // Held to the end, so that no file is made meanwhile.
                    let mut list = super::unfinished();
                    super::remove(&mut list);
                    let _ = emulate_default_handler(signal);
                }
            };
            let _ = std::thread::Builder::new().spawn(wait);
        });
    }

    /// The ignored signals, signal 1 in bit 0. Only Linux reveals them without unsafe code; elsewhere SIGHUP is assumed to
    /// be ignored, since honouring `nohup` matters more than a partial file.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .unwrap_or(1 << (SIGHUP - 1))
    }

    pub fn outlive_file_size_limit() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // The write itself fails as well, and is reported there.
            let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        });
    }
}

#[cfg(not(unix))]
mod signals {
    pub fn watch() {}

    pub fn outlive_file_size_limit() {}
}
