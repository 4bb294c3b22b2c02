//! Which files to measure.

use std::path::{Path, PathBuf};

use crate::command::open::{ensure_stdin_once, is_standard};
use crate::command::options::format_of_extension;
use crate::error::{Error, Result};

/// The files that were named, and those in directories that were named whose names tell a format;
/// stdin if there is nothing. Also the number of files in directories that were passed over.
///
/// # Errors
/// If a directory cannot be read or has no such file.
pub fn files(named: &[PathBuf]) -> Result<(Vec<PathBuf>, u64)> {
    let mut files = Vec::new();
    let mut passed_over = 0;
    for path in named {
        if is_standard(path) || !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        walk(path, &mut files, &mut passed_over)?;
        if files.len() == before {
            return Err(
                Error::input("the directory has no file with a known extension")
                    .in_file(path)
                    .hint(
                        "known extensions are .csv, .tsv, .json, .ndjson, .jsonl, .arrow or .mbt",
                    ),
            );
        }
    }
    if named.is_empty() {
        files.push(PathBuf::from("-"));
    }
    ensure_stdin_once(&files)?;
    Ok((files, passed_over))
}

/// In the order of names, so that reports do not depend on the file system. Links to directories are
/// not followed, as they may lead round in circles.
fn walk(dir: &Path, files: &mut Vec<PathBuf>, passed_over: &mut u64) -> Result<()> {
    let cannot = |error| Error::io("cannot read", error).in_file(dir);
    let entries = std::fs::read_dir(dir).map_err(cannot)?;
    let mut entries = entries
        .collect::<std::io::Result<Vec<_>>>()
        .map_err(cannot)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().map_err(cannot)?.is_dir() {
            walk(&path, files, passed_over)?;
        } else if path.is_file() && format_of_extension(&path).is_some() {
            files.push(path);
        } else {
            *passed_over += 1;
        }
    }
    Ok(())
}
