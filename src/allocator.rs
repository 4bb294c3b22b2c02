//! The allocator of the binary; `mbt bench` can count its calls.
//!
//! Columns are vectors of some KiB to some MiB that are made on one thread and given back on another.
//! The C library's allocator has an arena per thread that grows page by page, so a tenth of the time
//! went into page faults; jemalloc with one arena of huge pages spares that.

use mbt::bench::counting::Counting;

#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: Counting<tikv_jemallocator::Jemalloc> = Counting(tikv_jemallocator::Jemalloc);

#[cfg(target_env = "msvc")]
#[global_allocator]
static ALLOCATOR: Counting<std::alloc::System> = Counting(std::alloc::System);

/// One arena, since threads hand their memory on, and threads keep only what is small for themselves;
/// huge pages where the system has them; memory that is free for a third of a second goes back.
// jemalloc reads the symbol as a `const char *`; the name is its own, so nothing else is overridden.
#[cfg(not(target_env = "msvc"))]
#[allow(unsafe_code)]
#[unsafe(export_name = "_rjem_malloc_conf")]
static CONF: &std::ffi::c_char = {
    // A reference to the first byte of a text that ends in a zero: what C takes for a text.
    let text = c"narenas:1,thp:always,dirty_decay_ms:300,muzzy_decay_ms:0,tcache_max:4096";
    unsafe { &*text.as_ptr() }
};
