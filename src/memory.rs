//! Allocations that may fail.
//!
//! Rust aborts the process when an allocation fails, unless it was made with `try_reserve`. Buffers whose size depends
//! on the input are allocated here, so that the error says what they were for. If any other allocation fails, the
//! allocator of the binary reports it and exits, except while [`is_optional`] is true.

use std::cell::Cell;

use crate::error::{Error, Result};

thread_local! {
    static IS_OPTIONAL: Cell<bool> = const { Cell::new(false) };
}

/// True while this thread makes an allocation whose failure it handles.
pub fn is_optional() -> bool {
    IS_OPTIONAL.get()
}

/// Reserves room for `more` further values in the buffer; `what` names the purpose in the error.
///
/// # Errors
/// [`crate::error::Kind::Io`] if the system refuses the memory.
pub fn reserve<T>(buffer: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    optional(|| buffer.try_reserve(more)).map_err(|_| Error::no_memory(what))
}

/// Like [`reserve`], for a buffer that will not grow further.
///
/// # Errors
/// As for [`reserve`].
pub fn reserve_exact<T>(buffer: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    optional(|| buffer.try_reserve_exact(more)).map_err(|_| Error::no_memory(what))
}

/// Checks that there is enough memory to start a thread. Call this before starting one.
///
/// A new thread first registers destructors for its thread-local values. The C library aborts the process if it gets no
/// memory for that. It needs only a few bytes, but requests memory in steps of 32 MiB (set by the binary). So this
/// reserves address space of that size without writing to it.
///
/// # Errors
/// As for [`reserve`].
pub fn room_for_thread() -> Result<()> {
    const ROOM: usize = 40 << 20;
    let mut room: Vec<u8> = Vec::new();
    reserve_exact(&mut room, ROOM, "cannot start a thread")?;
    std::hint::black_box(&room);
    Ok(())
}

fn optional<R>(ask: impl FnOnce() -> R) -> R {
    IS_OPTIONAL.set(true);
    let result = ask();
    IS_OPTIONAL.set(false);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    #[test]
    fn memory_that_nobody_has_is_an_error() {
        let mut buffer = vec![1u8];
        let error = reserve(&mut buffer, isize::MAX as usize - 1, "cannot read").unwrap_err();
        assert_eq!((error.kind(), error.what()), (Kind::Io, "cannot read"));
        assert!(reserve_exact(&mut buffer, usize::MAX, "cannot read").is_err());
        assert_eq!(buffer, [1]);
        assert!(!is_optional());
    }
}
