//! Runs the checks of fuzz targets on their seeds.
//!
//! To fuzz: `cargo test --test fuzz -- --ignored write_seeds`, then, with a nightly compiler and cargo-fuzz,
//! `cargo +nightly fuzz run -s none --fuzz-dir tests/fuzz csv`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod checks;
mod seeds;

#[path = "../support/sample_batches.rs"]
mod sample_batches;

use std::fs;
use std::path::{Path, PathBuf};

macro_rules! checks {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let seeds = seeds::$name();
                assert!(!seeds.is_empty());
                for seed in seeds.iter().chain(&finds(stringify!($name))) {
                    checks::$name(seed);
                }
            }
        )*

        /// For fuzzers, a folder of seeds per target.
        #[test]
        #[ignore = "writes tests/fuzz/corpus"]
        fn write_seeds() {
            $(write(stringify!($name), &seeds::$name());)*
        }

        #[test]
        fn every_check_has_a_target() {
            let manifest = include_str!("Cargo.toml");
            $(
                let target = include_str!(concat!("targets/", stringify!($name), ".rs"));
                assert!(target.contains(concat!("mbt_fuzz::", stringify!($name), "(data)")));
                assert!(manifest.contains(concat!("name = \"", stringify!($name), "\"")));
            )*
        }
    };
}

checks! {
    csv
    json
    arrow
    parquet
    v1
    v2
    streams
    index
    where_rows
    schema
    columns
}

/// Inputs that once failed: files in tests/fuzz/finds, named `TARGET-WHAT`.
fn finds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/finds");
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_of = |path: &PathBuf| {
        let found = path.file_name().and_then(|found| found.to_str());
        found
            .and_then(|found| found.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with('-'))
    };
    paths
        .filter(is_of)
        .map(|path| fs::read(path).unwrap())
        .collect()
}

fn write(name: &str, seeds: &[Vec<u8>]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fuzz/corpus")
        .join(name);
    fs::create_dir_all(&folder).unwrap();
    for (number, seed) in seeds.iter().enumerate() {
        fs::write(folder.join(format!("seed-{number}")), seed).unwrap();
    }
}
