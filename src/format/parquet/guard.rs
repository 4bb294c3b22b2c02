//! Turns panics of the crates that decode Parquet into errors.
//!
//! These crates detect most damage, but panic on the rest.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::invalid;
use crate::error::Result;

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// True while a panic of this thread becomes an error, and must not be printed.
pub fn is_guarded() -> bool {
    IS_GUARDED.get()
}

/// Runs `work`. If it panics, its state must not be used any more.
///
/// # Errors
/// The error of `work`, or [`crate::error::Kind::Corrupt`] if it panics.
pub fn guarded<R>(work: impl FnOnce() -> Result<R>) -> Result<R> {
    let was_guarded = IS_GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(was_guarded);
    done.unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Err(invalid(text.unwrap_or("it cannot be decoded")))
    })
}
