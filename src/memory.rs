//! Memory that the system may refuse.
//!
//! Rust ends the process when it gets no memory, unless the buffer was asked for with `try_reserve`. Buffers whose size
//! depends on the input are asked for here, so that the error says what they were for. The allocator of the binary
//! ends the process in good order if any other memory is refused; [`is_optional`] tells it when not to.

use std::cell::Cell;

use crate::error::{Error, Result};

thread_local! {
    static IS_OPTIONAL: Cell<bool> = const { Cell::new(false) };
}

/// True while this thread asks for memory that it can do without.
pub fn is_optional() -> bool {
    IS_OPTIONAL.get()
}

/// Makes room for `more` values after those in the buffer; `what` cannot be done without.
///
/// # Errors
/// [`crate::error::Kind::Io`] if the system refuses the memory.
pub fn reserve<T>(buffer: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    optional(|| buffer.try_reserve(more)).map_err(|_| Error::no_memory(what))
}

/// As [`reserve`] for a buffer that will not grow further.
///
/// # Errors
/// As for [`reserve`].
pub fn reserve_exact<T>(buffer: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    optional(|| buffer.try_reserve_exact(more)).map_err(|_| Error::no_memory(what))
}

/// Makes sure that there is memory for a thread to begin with; to be called before one is started.
///
/// A thread first registers what is to be dropped at its end. If the C library gets no memory for that, it aborts the
/// process. It needs a few bytes, but takes memory from the system in steps of 32 MiB, as the binary sets it. So this asks
/// for address space of that size; no memory is written to.
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
