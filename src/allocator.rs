//! The allocator of the binary: that of the C library, with settings for large columns.
//!
//! Columns are vectors of some KiB to some MiB that one thread allocates and another frees. By default glibc maps
//! most of them one by one and returns them at once, so that the same pages are faulted in again for every frame.

#[cfg(feature = "count-allocations")]
#[global_allocator]
static ALLOCATOR: mbt::bench::counting::Counting<std::alloc::System> =
    mbt::bench::counting::Counting(std::alloc::System);

/// Has glibc take memory in large steps and keep more of what is freed; does nothing with another C library.
///
/// To be called first thing in `main`: the settings hold for what is allocated later.
pub fn tune() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let mib = 1 << 20;
        for (setting, value) in [
            (libc::M_MMAP_THRESHOLD, 32 * mib),
            (libc::M_TRIM_THRESHOLD, 128 * mib),
            (libc::M_TOP_PAD, 32 * mib),
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
