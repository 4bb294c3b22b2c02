//! Changed frames whose checksums are right: readers refuse them or read them, but never panic, and agree.
//!
//! The fuzz target of the same name goes further; this test needs only a stable compiler.

use std::fs;
use std::path::Path;

use crate::chance::Random;
use crate::mend::mend;
use crate::read_all::read_all;

const CHANGES: usize = 12;

#[test]
fn changed_frames_with_right_checksums_are_read_or_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v2");
    let mut random = Random(14);
    let (mut changed, mut read) = (0, 0);
    for folder in [&folder, &folder.join("text")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|end| end != "mbt") {
                continue;
            }
            let whole = fs::read(&path).unwrap();
            let mut same = whole.clone();
            mend(&mut same);
            assert!(same == whole, "{}", path.display());
            assert!(read_all(&whole), "{}", path.display());
            for _ in 0..CHANGES {
                let mut bytes = whole.clone();
                for _ in 0..=random.below(3) {
                    // Mostly the header of the first frame, which has most of the variety.
                    let within = [bytes.len(), bytes.len().min(300)][random.below(2)];
                    let at = random.below(within);
                    bytes[at] = match random.below(3) {
                        0 => bytes[at] ^ 1 << random.below(8),
                        1 => [0, 1, 127, 128, 255][random.below(5)],
                        _ => random.next() as u8,
                    };
                }
                mend(&mut bytes);
                changed += 1;
                read += usize::from(read_all(&bytes));
            }
        }
    }
    // Some changes are in values, names or unused bytes.
    assert!(changed > 1000 && read > 20, "{read} of {changed}");
}
