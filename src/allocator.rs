//! The allocator of the binary: mimalloc for small blocks, the C library for large ones.
//!
//! Threads hand columns to each other: one fills them, another encodes them. glibc takes the lock of a heap for most of
//! these blocks, and with hundreds of small columns per frame the threads wait for each other. mimalloc frees the blocks
//! of other threads without locks: packing a file of tweets on two threads takes a quarter less time. Large blocks
//! remain in glibc, since mimalloc keeps pages of every size for every thread, which takes up to twice the memory. musl's
//! allocator has one lock for everything and returns every large block to the kernel, so there mimalloc handles all.
//!
//! Converting a frame fills tens of MiB of columns, and the kernel maps and clears each page of 4 KiB when it is first
//! written. Mapping 64 KiB with one system call takes 0.6 times as long as 16 page faults. Huge pages are faster still
//! where they are at hand, but this allocator does not request them: virtual machines often return unused ones to their
//! host, and getting one back takes several milliseconds, which makes short runs take up to twice as long.
//!
//! If the system refuses memory, the process exits with an error and removes its unfinished files; see [`refused`].

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_int;
use std::sync::Once;

#[cfg(feature = "count-allocations")]
#[global_allocator]
static ALLOCATOR: mbt::bench::counting::Counting<BySize> = mbt::bench::counting::Counting(BySize);

#[cfg(not(feature = "count-allocations"))]
#[global_allocator]
static ALLOCATOR: BySize = BySize;

/// Blocks up to this size never have their pages mapped ahead, since mimalloc spreads them over its areas by size.
const FEW_BYTES: usize = 4096;

/// Blocks up to this size come from mimalloc.
const SMALL: usize = if cfg!(target_env = "musl") {
    usize::MAX
} else {
    FEW_BYTES
};

/// Larger blocks are mapped by glibc, each by itself, and returned to the kernel when they are freed.
#[cfg(target_os = "linux")]
const MOST_KEPT: usize = 32 << 20;

/// Blocks of zeros up to this size are cleared here: glibc would clear them before their pages are mapped ahead.
const MOST_CLEARED: usize = 1 << 20;

/// mimalloc for small blocks, the C library for large ones.
///
/// A block's size is known when it is freed, and shows which of the two allocators made it.
struct BySize;

// SAFETY: every call passes its arguments to the allocator that the size of the block selects, and returns the result
// unchanged. `map` only asks the kernel for pages at addresses; it neither allocates nor accesses memory.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for BySize {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `alloc`, which both allocators share.
        let block = unsafe {
            if layout.size() <= SMALL {
                MiMalloc.alloc(layout)
            } else {
                System.alloc(layout)
            }
        };
        taken(block, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`; a block that is not null may be written.
        unsafe {
            if layout.size() <= SMALL {
                let block = MiMalloc.alloc_zeroed(layout);
                return taken(block, layout.size());
            }
            if layout.size() <= MOST_CLEARED {
                let block = self.alloc(layout);
                if !block.is_null() {
                    block.write_bytes(0, layout.size());
                }
                return block;
            }
            // The parts that are never written should take no memory.
            let block = System.alloc_zeroed(layout);
            if block.is_null() {
                refused();
            }
            block
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the allocator for `layout.size()` made the block, and `size` is valid with the alignment of
        // `layout`, as the caller guarantees. A block that moves to the other allocator is copied up to the
        // smaller of the two sizes.
        unsafe {
            match (layout.size() <= SMALL, size <= SMALL) {
                (true, true) => taken(MiMalloc.realloc(block, layout, size), size),
                (false, false) => taken(System.realloc(block, layout, size), size),
                _ => {
                    let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
                    if !new.is_null() {
                        block.copy_to_nonoverlapping(new, layout.size().min(size));
                        self.dealloc(block, layout);
                    }
                    new
                }
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as for `realloc`.
        unsafe {
            if layout.size() <= SMALL {
                MiMalloc.dealloc(block, layout);
            } else {
                System.dealloc(block, layout);
            }
        }
    }
}

/// mimalloc with the settings of this binary.
struct MiMalloc;

// SAFETY: mimalloc upholds the contract: blocks have the requested size and alignment, which is a power of two, and
// `mi_realloc_aligned` keeps their contents.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for MiMalloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MiMalloc::set_up();
        // SAFETY: the caller upholds the contract.
        unsafe { libmimalloc_sys::mi_malloc_aligned(layout.size(), layout.align()).cast() }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        MiMalloc::set_up();
        // SAFETY: the caller upholds the contract.
        unsafe { libmimalloc_sys::mi_zalloc_aligned(layout.size(), layout.align()).cast() }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller upholds the contract.
        unsafe { libmimalloc_sys::mi_realloc_aligned(block.cast(), size, layout.align()).cast() }
    }

    unsafe fn dealloc(&self, block: *mut u8, _layout: Layout) {
        // SAFETY: the caller upholds the contract.
        unsafe { libmimalloc_sys::mi_free(block.cast()) }
    }
}

impl MiMalloc {
    /// Makes mimalloc return pages to the kernel soon after no block uses them; otherwise each thread would keep pages
    /// of every size that it ever needed. Returned at once, many would be needed again immediately: packing tweets would
    /// take 4 % more time, and 4 % less memory.
    ///
    /// The settings apply to areas that mimalloc reserves later, and the runtime allocates before `main`, so this is
    /// called before each allocation. If mimalloc handles all blocks, it keeps its defaults: returning large blocks at
    /// once saves a third of the memory, but takes up to twice the CPU time.
    #[inline]
    fn set_up() {
        /// Milliseconds until unused pages are returned: `mi_option_purge_delay` of `mimalloc.h`.
        const PURGE_DELAY: c_int = 15;
        /// Whether a reserved area is usable at once, as a whole: `mi_option_arena_eager_commit`.
        const ARENA_EAGER_COMMIT: c_int = 4;
        static ONCE: Once = Once::new();

        if SMALL < usize::MAX {
            ONCE.call_once(|| {
                for (option, value) in [(PURGE_DELAY, 20), (ARENA_EAGER_COMMIT, 0)] {
                    // SAFETY: sets an integer in a table; mimalloc ignores options that it does not know.
                    #[allow(unsafe_code)]
                    unsafe {
                        libmimalloc_sys::mi_option_set(option, value);
                    }
                }
            });
        }
    }
}

/// Handles the result of an allocation: maps its pages ahead, or reports that memory ran out.
#[inline]
fn taken(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        refused();
    } else if size > FEW_BYTES {
        ahead::map(block.addr(), size);
    }
    block
}

/// Ends the process with an error, unless the caller can do without the memory.
///
/// Returning would make the runtime abort the process, which leaves unfinished files and perhaps a core dump. The
/// caller may be anywhere and hold any lock, so this function does not allocate, does not wait for locks, and writes to
/// stderr unbuffered.
#[cold]
#[cfg(unix)]
pub fn refused() {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    const MESSAGE: &str =
        "error: out of memory; --threads 1 or a smaller --frame-rows needs less\n";
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    thread_local! {
        static IS_ENDING_HERE: Cell<bool> = const { Cell::new(false) };
    }

    if mbt::memory::is_optional() {
        return;
    }
    if IS_ENDING.swap(true, Relaxed) && !IS_ENDING_HERE.get() {
        // Another thread is already ending the process.
        loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
    }
    // Removing a file with a very long name allocates as well. If that fails, the file remains.
    if !IS_ENDING_HERE.replace(true) {
        mbt::command::partial::remove_unfinished();
    }
    // SAFETY: writes static bytes and ends the process without running any more of its code.
    #[allow(unsafe_code)]
    unsafe {
        libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
        libc::_exit(3)
    }
}

#[cfg(not(unix))]
pub fn refused() {}

#[cfg(target_os = "linux")]
mod ahead {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// Memory is divided into areas of 64 KiB, which are mapped once.
    const AREA_BITS: u32 = 16;

    /// One bit per area that was mapped. Areas 8 GiB apart share a bit; the second one is mapped page by page.
    static MAPPED: [AtomicU64; 2048] = [const { AtomicU64::new(0) }; 2048];

    /// Maps the areas of a block, unless that was done before, or the block is so large that perhaps only a part of it
    /// will be used.
    pub(super) fn map(address: usize, size: usize) {
        if size > super::MOST_KEPT {
            return;
        }
        let end = (address.saturating_add(size - 1) >> AREA_BITS) + 1;
        let mut area = address >> AREA_BITS;
        while area < end {
            let first = area;
            while area < end && is_new(area) {
                area += 1;
            }
            if first < area {
                map_areas(first, area);
            }
            area += 1;
        }
    }

    /// True if this area is seen for the first time.
    fn is_new(area: usize) -> bool {
        let bits = &MAPPED[area / 64 % MAPPED.len()];
        let bit = 1 << (area % 64);
        bits.load(Relaxed) & bit == 0 && bits.fetch_or(bit, Relaxed) & bit == 0
    }

    #[cold]
    fn map_areas(first: usize, end: usize) {
        // SAFETY: MADV_POPULATE_WRITE maps pages as writing to each of them would, and changes no contents. Addresses
        // that are not mapped or not writable, and kernels before 5.14, cause an error, which only costs speed.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(
                std::ptr::without_provenance_mut(first << AREA_BITS),
                (end - first) << AREA_BITS,
                libc::MADV_POPULATE_WRITE,
            );
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod ahead {
    pub(super) fn map(_address: usize, _size: usize) {}
}

/// Makes glibc request memory in large steps, keep more freed memory, and use few heaps. Does nothing with another C
/// library.
///
/// Call this first in `main`: the settings apply to later allocations.
pub fn tune() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let mib = 1 << 20;
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        for (setting, value) in [
            (libc::M_MMAP_THRESHOLD, MOST_KEPT as i32),
            (libc::M_TRIM_THRESHOLD, 128 * mib),
            (libc::M_TOP_PAD, 32 * mib),
            // Half as many heaps as busy threads: each heap keeps freed memory that the others cannot use. Large blocks
            // are few, so threads that share a heap hardly wait for each other.
            (
                libc::M_ARENA_MAX,
                i32::try_from(threads.div_ceil(2)).unwrap_or(64),
            ),
        ] {
            // SAFETY: `mallopt` takes two integers by value, locks the allocator itself, and rejects unsupported
            // settings; no other thread exists yet. A rejected setting only costs speed.
            #[allow(unsafe_code)]
            unsafe {
                libc::mallopt(setting, value);
            }
        }
    }
}
