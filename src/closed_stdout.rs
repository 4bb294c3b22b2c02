//! A stdout that was closed by whoever runs us (`mbt ... >&-`).
//!
//! The runtime opens `/dev/null` in its place before `main`, so that output would vanish and the exit code be 0.
//! Only code that runs before that can tell.

use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// True if stdout was closed when the process began.
pub fn was_closed() -> bool {
    WAS_CLOSED.load(Ordering::Relaxed)
}

#[cfg(target_os = "linux")]
extern "C" fn look() {
    // SAFETY: only asks the kernel for a flag of a descriptor, and touches no memory.
    #[allow(unsafe_code)]
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    WAS_CLOSED.store(flags == -1, Ordering::Relaxed);
}

// SAFETY: the section holds functions without arguments that are called once before `main`; `look` uses nothing
// that the runtime would have to set up first.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;
