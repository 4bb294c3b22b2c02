//! Any text comes back to the byte or is refused; with `--flexible`, any bytes come back as CSV.
//!
//! `cargo +nightly fuzz run -s none --fuzz-dir tests/fuzz same_bytes`
#![no_main]

#[path = "../../same_bytes/trip.rs"]
mod trip;

use libfuzzer_sys::fuzz_target;
use std::cell::OnceCell;
use trip::Trip;

thread_local! {
    static TRIP: OnceCell<Trip> = const { OnceCell::new() };
}

fuzz_target!(|data: &[u8]| {
    // The first byte says how the rest is read.
    let Some((&how, text)) = data.split_first() else {
        return;
    };
    let from = ["--from=csv", "--from=csv", "--from=json", "--from=ndjson"][usize::from(how & 3)];
    let mut options = vec![from, "--threads=1"];
    let is_flexible = how & 3 == 0;
    if is_flexible {
        options.push("--flexible");
    }
    if how & 4 != 0 {
        options.push("--frame-rows=3");
    }
    if how & 3 < 2 && how & 8 != 0 {
        options.push("--no-header");
    }
    if how & 16 != 0 {
        options.push("--preset=fast");
    }
    TRIP.with(|trip| {
        let came_back = trip.get_or_init(Trip::new).same_or_refused(text, &options);
        assert!(came_back || !is_flexible, "refused");
    });
});
