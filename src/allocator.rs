//! The allocator of the binary: that of the C library, on huge pages where Linux has them.
//!
//! Converting a frame fills tens of MiB of columns. In pages of 4 KiB the kernel takes about as long to map and clear
//! this memory as the columns take to decode; in pages of 2 MiB it takes a fraction of that. Most systems give huge
//! pages only to memory that asks for them (`madvise` in `/sys/kernel/mm/transparent_hugepage/enabled`), and glibc
//! asks only if an environment variable says so. So the first block in each 64 MiB of address space asks.
//!
//! If the system refuses memory, the process ends with an error and without leaving files behind; see [`refused`].

use std::alloc::{GlobalAlloc, Layout, System};

#[cfg(feature = "count-allocations")]
#[global_allocator]
static ALLOCATOR: mbt::bench::counting::Counting<HugePages> =
    mbt::bench::counting::Counting(HugePages);

#[cfg(not(feature = "count-allocations"))]
#[global_allocator]
static ALLOCATOR: HugePages = HugePages;

/// The system's allocator, whose memory asks for huge pages.
struct HugePages;

// SAFETY: every call goes to `System` with the arguments as they came, and its result is returned as it came.
// `ask` only gives the kernel advice about addresses; it neither allocates nor looks at memory.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps to the contract of `alloc`, which is that of `System`.
        let block = unsafe { System.alloc(layout) };
        taken(block, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`.
        let block = unsafe { System.alloc_zeroed(layout) };
        taken(block, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as for `alloc`; `System` made every block.
        let block = unsafe { System.realloc(block, layout, size) };
        taken(block, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as for `realloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

/// What there is to do for a block, or for want of one.
#[inline]
fn taken(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        refused();
    } else {
        huge::ask(block.addr(), size);
    }
    block
}

/// Ends the process with an error if it has to have the memory that the system refused.
///
/// Returning makes the runtime abort the process, which leaves files and perhaps a core dump behind. The caller may be
/// anywhere and hold any lock, so this takes no memory, waits for no lock and writes past all buffers.
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
        // Another thread does the rest.
        loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
    }
    // The name of a file may be so long that removing it takes memory, too; then that file stays.
    if !IS_ENDING_HERE.replace(true) {
        mbt::command::partial::remove_unfinished();
    }
    // SAFETY: writes bytes that live forever, and ends the process without running any more of its code.
    #[allow(unsafe_code)]
    unsafe {
        libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
        libc::_exit(3)
    }
}

#[cfg(not(unix))]
pub fn refused() {}

#[cfg(target_os = "linux")]
mod huge {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// Areas of 64 MiB: one of glibc's heaps for threads. To ask in time is to ask for more than the block at hand,
    /// because glibc writes after each block, and a huge page has to come before any small one in its place.
    const AREA_BITS: u32 = 26;

    /// One bit per area that has asked. Areas 4 TiB apart share a bit; the second one stays in small pages.
    static ASKED: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];

    /// Asks for huge pages for the areas of a block that have not asked before.
    pub(super) fn ask(address: usize, size: usize) {
        let last = address.saturating_add(size.saturating_sub(1)) >> AREA_BITS;
        for area in address >> AREA_BITS..=last {
            let bits = &ASKED[area / 64 % ASKED.len()];
            let bit = 1 << (area % 64);
            if bits.load(Relaxed) & bit == 0 {
                bits.fetch_or(bit, Relaxed);
                ask_for_area(area);
            }
        }
    }

    #[cold]
    fn ask_for_area(area: usize) {
        // SAFETY: MADV_HUGEPAGE changes how the kernel backs these addresses, never what they contain. Those that
        // are not mapped, and kernels without huge pages, give an error, which costs speed only.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(
                std::ptr::without_provenance_mut(area << AREA_BITS),
                1 << AREA_BITS,
                libc::MADV_HUGEPAGE,
            );
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod huge {
    pub(super) fn ask(_address: usize, _size: usize) {}
}

/// Has glibc take memory in large steps, keep more of what is freed, and use few heaps; does nothing with another C
/// library.
///
/// To be called first thing in `main`: the settings hold for what is allocated later.
pub fn tune() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let mib = 1 << 20;
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        for (setting, value) in [
            (libc::M_MMAP_THRESHOLD, 32 * mib),
            (libc::M_TRIM_THRESHOLD, 128 * mib),
            (libc::M_TOP_PAD, 32 * mib),
            // One heap per busy thread. More would keep memory that nobody uses.
            (libc::M_ARENA_MAX, i32::try_from(threads).unwrap_or(64)),
        ] {
            // SAFETY: `mallopt` takes two integers by value, locks the allocator itself, and rejects what it does
            // not support; no other thread exists yet. A rejected setting costs speed only.
            #[allow(unsafe_code)]
            unsafe {
                libc::mallopt(setting, value);
            }
        }
    }
}
