//! Counts what an operation allocates.
//!
//! With the feature `count-allocations` the binary's allocator reads one flag before each call; without it
//! nothing is counted and nothing is in the way. While the flag is set, each thread counts its own calls. What C
//! libraries allocate is not seen: contexts of zstd, for instance.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::error::Result;

/// Set while some operation is counted.
static COUNTING: AtomicBool = AtomicBool::new(false);

thread_local! {
    static CALLS: Cell<Calls> = const { Cell::new(Calls::NONE) };
}

/// Calls of the allocator, and the bytes they asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// New pieces of memory.
    pub allocs: u64,
    /// Pieces that grew or shrank: forwarding these uncounted would hide every growing `Vec`.
    pub reallocs: u64,
    /// Pieces given back.
    pub deallocs: u64,
    /// Bytes of new pieces, and by which pieces grew.
    pub bytes: u64,
}

impl Calls {
    const NONE: Self = Self {
        allocs: 0,
        reallocs: 0,
        deallocs: 0,
        bytes: 0,
    };

    fn add(change: impl FnOnce(&mut Self)) {
        if COUNTING.load(Relaxed) {
            // The thread may be ending, when nothing of it is counted any more.
            let _ = CALLS.try_with(|calls| {
                let mut counts = calls.get();
                change(&mut counts);
                calls.set(counts);
            });
        }
    }
}

/// Calls per operation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PerOp {
    /// New pieces of memory.
    pub allocs: f64,
    /// Pieces that grew or shrank.
    pub reallocs: f64,
    /// Bytes asked for.
    pub bytes: f64,
    /// Pieces given back.
    pub deallocs: f64,
}

/// An allocator, counted on demand; for `#[global_allocator]`.
#[derive(Debug)]
pub struct Counting<A>(pub A);

// SAFETY: an allocator must hand out memory that nobody else has. All of that is left to the one within: every call goes
// to it with the arguments as they came, and counting beside it neither allocates (a const-initialised `Cell`) nor looks
// at the memory.
#[allow(unsafe_code)]
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Calls::add(|calls| {
            calls.allocs += 1;
            calls.bytes += layout.size() as u64;
        });
        // SAFETY: the caller keeps to the contract of `alloc`, which is that of the allocator within.
        unsafe { self.0.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Calls::add(|calls| {
            calls.allocs += 1;
            calls.bytes += layout.size() as u64;
        });
        // SAFETY: as for `alloc`.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        Calls::add(|calls| {
            calls.reallocs += 1;
            calls.bytes += new_size.saturating_sub(layout.size()) as u64;
        });
        // SAFETY: as for `alloc`; the allocator within made every block.
        unsafe { self.0.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Calls::add(|calls| calls.deallocs += 1);
        // SAFETY: as for `realloc`.
        unsafe { self.0.dealloc(pointer, layout) }
    }
}

/// True if the program's allocator is [`Counting`]: in the binary, not where the library is used.
pub fn is_installed() -> bool {
    let calls = counted(|| {
        black_box(Box::new(black_box(1_u8)));
        Ok(())
    });
    calls.is_ok_and(|calls| calls.allocs > 0)
}

/// What `work` allocates on this thread. One thread at a time may count.
///
/// # Errors
/// Those of `work`.
pub fn counted(work: impl FnOnce() -> Result<()>) -> Result<Calls> {
    CALLS.set(Calls::NONE);
    COUNTING.store(true, Relaxed);
    let result = work();
    COUNTING.store(false, Relaxed);
    result.map(|()| CALLS.get())
}

/// What an operation allocates in the mean of `times`, after `before` that do not count.
///
/// # Errors
/// Those of the operation.
pub fn per_op<T>(
    before: u32,
    times: u32,
    mut operation: impl FnMut() -> Result<T>,
) -> Result<PerOp> {
    let mut run = |times: u32| (0..times).try_for_each(|_| operation().map(black_box).map(drop));
    run(before)?;
    let calls = counted(|| run(times))?;
    let each = |count: u64| count as f64 / f64::from(times.max(1));
    Ok(PerOp {
        allocs: each(calls.allocs),
        reallocs: each(calls.reallocs),
        bytes: each(calls.bytes),
        deallocs: each(calls.deallocs),
    })
}
