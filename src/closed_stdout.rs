//! Detects a stdout that the caller closed (`mbt ... >&-`).
//!
//! The runtime opens `/dev/null` in its place before `main`, so output would vanish and the exit code would be 0. Only
//! code that runs earlier can detect this.

use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// True if stdout was closed when the process started.
pub fn was_closed() -> bool {
    WAS_CLOSED.load(Ordering::Relaxed)
}

#[cfg(target_os = "linux")]
extern "C" fn look() {
    // SAFETY: only reads a flag of a descriptor, and accesses no memory.
    #[allow(unsafe_code)]
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    WAS_CLOSED.store(flags == -1, Ordering::Relaxed);
}

// SAFETY: the section holds functions without arguments that are called once before `main`; `look` does not depend on
// anything that the runtime sets up.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;
