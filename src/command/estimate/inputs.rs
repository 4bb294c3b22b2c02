//! Which files to measure.

use std::path::{Path, PathBuf};

use crate::command::open::{ensure_stdin_once, is_standard};
use crate::command::options::format_of_extension;
use crate::error::{Error, Result};
use crate::format::Format;

/// The files given, and all files with a known extension in the directories given; stdin if nothing was
/// given. Also returns the number of files skipped in directories.
///
/// # Errors
/// If a directory cannot be read or has no file with a known extension.
pub fn files(named: &[PathBuf]) -> Result<(Vec<PathBuf>, u64)> {
    let mut files = Vec::new();
    let mut skipped = 0;
    for path in named {
        if is_standard(path) || !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        walk(path, &mut files, &mut skipped)?;
        if files.len() == before {
            let extensions: Vec<_> = Format::ALL
                .iter()
                .flat_map(|it| it.extensions())
                .copied()
                .collect();
            return Err(
                Error::input("the directory has no file with a known extension")
                    .in_file(path)
                    .hint(format!("known extensions are .{}", extensions.join(", ."))),
            );
        }
    }
    if named.is_empty() {
        files.push(PathBuf::from("-"));
    }
    ensure_stdin_once(&files)?;
    Ok((files, skipped))
}

/// Collects files in the order of their names, so that reports do not depend on the file system. Symbolic
/// links to directories are not followed, since they can form cycles.
fn walk(dir: &Path, files: &mut Vec<PathBuf>, skipped: &mut u64) -> Result<()> {
    let cannot = |error| Error::io("cannot read", error).in_file(dir);
    let mut entries = std::fs::read_dir(dir)
        .map_err(cannot)?
        .collect::<std::io::Result<Vec<_>>>()
        .map_err(cannot)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().map_err(cannot)?.is_dir() {
            walk(&path, files, skipped)?;
        } else if path.is_file() && format_of_extension(&path).is_some() {
            files.push(path);
        } else {
            *skipped += 1;
        }
    }
    Ok(())
}
