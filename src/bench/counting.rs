//! Counts the allocations of an operation.
//!
//! With the feature `count-allocations`, the binary's allocator reads a flag before each call; without it, nothing is
//! counted and there is no overhead. While the flag is set, each thread counts its own calls. Allocations by C
//! libraries, such as contexts of zstd, are not counted.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use serde::Deserialize;

use super::harness::Repeated;
use crate::error::Result;

/// True while an operation is counted.
static COUNTING: AtomicBool = AtomicBool::new(false);

thread_local! {
    static CALLS: Cell<Calls> = const { Cell::new(Calls::NONE) };
}

/// Number of calls of the allocator, and the bytes requested: of one operation, or the mean of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub struct Calls {
    /// New blocks.
    pub allocs: f64,
    /// Blocks that were resized, which includes every growing `Vec`.
    #[serde(default)]
    pub reallocs: f64,
    /// Bytes of new blocks, and bytes by which blocks grew.
    #[serde(rename = "alloc_bytes", default)]
    pub bytes: f64,
    /// Freed blocks.
    #[serde(default)]
    pub deallocs: f64,
}

impl Calls {
    const NONE: Self = Self {
        allocs: 0.0,
        reallocs: 0.0,
        bytes: 0.0,
        deallocs: 0.0,
    };

    fn add(change: impl FnOnce(&mut Self)) {
        if COUNTING.load(Relaxed) {
            // Fails if the thread is ending; its calls are then not counted.
            let _ = CALLS.try_with(|calls| {
                let mut counts = calls.get();
                change(&mut counts);
                calls.set(counts);
            });
        }
    }
}

/// An allocator that counts on demand; for `#[global_allocator]`.
#[derive(Debug)]
pub struct Counting<A>(pub A);

// SAFETY: every call passes its arguments to the inner allocator and returns the result unchanged, so its guarantees
// hold. Counting neither allocates (the `Cell` is const-initialized) nor accesses the memory.
#[allow(unsafe_code)]
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Calls::add(|calls| {
            calls.allocs += 1.0;
            calls.bytes += layout.size() as f64;
        });
        // SAFETY: the caller upholds the contract of `alloc`, which the inner allocator shares.
        unsafe { self.0.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Calls::add(|calls| {
            calls.allocs += 1.0;
            calls.bytes += layout.size() as f64;
        });
        // SAFETY: as for `alloc`.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        Calls::add(|calls| {
            calls.reallocs += 1.0;
            calls.bytes += new_size.saturating_sub(layout.size()) as f64;
        });
        // SAFETY: as for `alloc`; every block comes from the inner allocator.
        unsafe { self.0.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Calls::add(|calls| calls.deallocs += 1.0);
        // SAFETY: as for `realloc`.
        unsafe { self.0.dealloc(pointer, layout) }
    }
}

/// True if the program's allocator is [`Counting`]: in the binary, but not in programs that use the library.
pub fn is_installed() -> bool {
    let calls = counted(|| {
        black_box(Box::new(black_box(1_u8)));
        Ok(())
    });
    calls.is_ok_and(|calls| calls.allocs > 0.0)
}

/// Counts the allocations of `work` on this thread. Only one thread may count at a time.
///
/// # Errors
/// The error of `work`.
pub fn counted(work: impl FnOnce() -> Result<()>) -> Result<Calls> {
    CALLS.set(Calls::NONE);
    COUNTING.store(true, Relaxed);
    let result = work();
    COUNTING.store(false, Relaxed);
    result.map(|()| CALLS.get())
}

/// The mean allocations of an operation over `times` runs, after `before` uncounted runs.
///
/// # Errors
/// The error of the operation.
pub fn per_op(before: u32, times: u32, operation: &mut Repeated<'_>) -> Result<Calls> {
    let mut run = |times: u32| (0..times).try_for_each(|_| operation.once());
    run(before)?;
    let calls = counted(|| run(times))?;
    let each = |count: f64| count / f64::from(times.max(1));
    Ok(Calls {
        allocs: each(calls.allocs),
        reallocs: each(calls.reallocs),
        bytes: each(calls.bytes),
        deallocs: each(calls.deallocs),
    })
}
