#![no_main]

use mbt::format::parquet::is_guarded;

libfuzzer_sys::fuzz_target!(
    init: {
        // Panics of the crate parquet become errors and are no finds.
        let abort = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !is_guarded() {
                abort(panic);
            }
        }));
    },
    |data: &[u8]| mbt_fuzz::parquet(data)
);
