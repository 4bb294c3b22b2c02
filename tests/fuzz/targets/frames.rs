//! Bytes that claim to be frames are read or refused; nothing panics or takes memory without end.
//!
//! `cargo +nightly fuzz run -s none --fuzz-dir tests/fuzz frames fixtures/v2`
#![no_main]

#[allow(dead_code)] // of trips, the way back
#[path = "../../same_bytes/trip.rs"]
mod trip;

use libfuzzer_sys::fuzz_target;
use std::cell::OnceCell;
use trip::Trip;

thread_local! {
    static TRIP: OnceCell<Trip> = const { OnceCell::new() };
}

fuzz_target!(|data: &[u8]| {
    TRIP.with(|trip| {
        let options = ["--from=mbt", "--max-frame=16M", "--threads=1"];
        let _ = trip.get_or_init(Trip::new).back(data, &options);
    });
});
