#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mbt_fuzz::arrow(data));
