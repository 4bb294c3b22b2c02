//! The files of `fixtures/v2` never change: what release 1.0 wrote, every later version reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Descriptions, which may change.
const NOT_FROZEN: [&str; 3] = ["README.md", "SHA256SUMS", "reasons.json"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v2")
}

/// The hash of each file below `folder`, by its path there.
fn hashes(folder: &Path, below: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder.join(below)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let path = format!("{below}{name}");
        if folder.join(&path).is_dir() {
            hashes(folder, &format!("{path}/"), found);
        } else if !NOT_FROZEN.contains(&&*name) {
            let digest = Sha256::digest(fs::read(folder.join(&path)).unwrap());
            let hash = digest.iter().fold(String::new(), |mut hash, byte| {
                let _ = write!(hash, "{byte:02x}");
                hash
            });
            found.insert(path, hash);
        }
    }
}

#[test]
fn golden_files_are_those_of_the_release() {
    let sums = fs::read_to_string(folder().join("SHA256SUMS")).unwrap();
    let lines = sums.lines().map(|line| line.split_once("  ").unwrap());
    let frozen: BTreeMap<_, _> = lines
        .map(|(hash, path)| (path.to_owned(), hash.to_owned()))
        .collect();
    let mut found = BTreeMap::new();
    hashes(&folder(), "", &mut found);
    let added: Vec<_> = found
        .keys()
        .filter(|path| !frozen.contains_key(*path))
        .collect();
    assert!(added.is_empty(), "not in SHA256SUMS: {added:?}");
    for (path, hash) in &frozen {
        let now = found.get(path).map(String::as_str);
        assert_eq!(now, Some(&**hash), "{path} was changed or removed");
    }
}
