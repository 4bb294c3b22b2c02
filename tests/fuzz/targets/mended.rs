//! Frames whose checksums are mended are read or refused in every way there is: as a stream, by the index, by verify.
//!
//! `cargo +nightly fuzz run -s none --fuzz-dir tests/fuzz mended fixtures/v2`
#![no_main]

#[path = "../../support/mend.rs"]
mod mend;
#[path = "../../support/read_all.rs"]
mod read_all;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    read_all::read_all(data);
    let mut mended = data.to_vec();
    mend::mend(&mut mended);
    read_all::read_all(&mended);
});
