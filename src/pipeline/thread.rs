//! Starts threads.

use std::io;
use std::sync::{Arc, Barrier};
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

use crate::error::{Error, Result};
use crate::memory;

/// Starts a thread and waits until it runs.
///
/// # Errors
/// [`crate::error::Kind::Io`] if there is no thread or no memory for one; `work` is then dropped.
pub fn start<T: Send + 'static>(
    builder: Builder,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>> {
    started(|begun| {
        builder.spawn(move || {
            begun.wait();
            work()
        })
    })
}

/// Like [`start`], for a scoped thread.
///
/// # Errors
/// As for [`start`].
pub fn start_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    started(|begun| {
        Builder::new().spawn_scoped(scope, move || {
            begun.wait();
            work()
        })
    })
}

/// A new thread first allocates memory that it requires. Waiting keeps other threads from taking that memory in the
/// meantime.
fn started<H>(spawn: impl FnOnce(Arc<Barrier>) -> io::Result<H>) -> Result<H> {
    memory::room_for_thread()?;
    let begun = Arc::new(Barrier::new(2));
    let thread = spawn(Arc::clone(&begun));
    let thread = thread.map_err(|error| Error::io("cannot start a thread", error))?;
    begun.wait();
    Ok(thread)
}
