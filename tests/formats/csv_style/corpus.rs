//! Real files.

use super::{Ask, same};

/// `MBT_CORPUS=dir cargo test --test formats csv_style -- --ignored --nocapture`
#[test]
#[ignore = "needs a directory of CSV files in MBT_CORPUS"]
fn every_file_of_a_corpus_comes_back() {
    let dir = std::env::var_os("MBT_CORPUS").unwrap();
    let mut paths: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        let text = std::fs::read(&path).unwrap();
        let back = same(&text, &Ask::default());
        println!(
            "{}: {} of {} records print otherwise, {:?}",
            path.display(),
            back.patched.len(),
            back.records,
            back.style,
        );
        for (printed, source) in back.patched.iter().take(3) {
            println!("  printed {:?}", String::from_utf8_lossy(printed));
            println!("  stands  {:?}", String::from_utf8_lossy(source));
        }
    }
}
