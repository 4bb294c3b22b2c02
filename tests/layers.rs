//! The layers of the crate: arrows point down the list in `src/lib.rs`, never up.
//!
//! Reads the sources as text. An arrow goes from the top-level module of a file to every top-level module that
//! the file names, by `use` or by path. Comments and tests do not count.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Arrows that point up and are still to be removed: (file under `src`, module that it must not know).
///
/// Never add to this list. The test fails if an arrow is listed that no longer exists.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// Files of the crate's root, which may know everything.
const ROOT: [&str; 4] = ["lib.rs", "main.rs", "allocator.rs", "closed_stdout.rs"];

#[test]
fn modules_know_only_the_layers_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let ranks = ranks(&fs::read_to_string(src.join("lib.rs")).unwrap());
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let mut needed = BTreeSet::new();
    let mut mistakes = Vec::new();
    for path in &files {
        let file = path.strip_prefix(&src).unwrap().to_str().unwrap();
        let file = file.replace('\\', "/");
        if ROOT.contains(&file.as_str()) {
            continue;
        }
        let module = module_path(&file);
        let Some(own) = ranks.get(&module[0]) else {
            mistakes.push(format!("{file}: lib.rs does not list {}", module[0]));
            continue;
        };
        let source = code(&fs::read_to_string(path).unwrap());
        for known in known_modules(&source, module.len()) {
            let arrow = (file.clone(), known);
            let (_, known) = &arrow;
            match ranks.get(known) {
                None => mistakes.push(format!("{file}: lib.rs does not list {known}")),
                Some(rank) if rank <= own => {}
                Some(_) if EXCEPTIONS.contains(&(&file, known)) => {
                    needed.insert(arrow);
                }
                Some(_) => mistakes.push(format!("{file}: must not know {known}, which is above")),
            }
        }
    }
    for (file, known) in EXCEPTIONS {
        if !needed.contains(&(file.to_string(), known.to_string())) {
            mistakes.push(format!(
                "{file}: no longer knows {known}; remove the exception"
            ));
        }
    }
    assert!(mistakes.is_empty(), "\n{}", mistakes.join("\n"));
}

/// The place of each module in the table of lib.rs, whose rows read ``//! | `a`, `b` | ... |``.
fn ranks(lib: &str) -> BTreeMap<String, usize> {
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! | "));
    let cells = rows.filter_map(|row| row.split(" | ").next());
    let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let names = names.enumerate();
    names.map(|(rank, name)| (name.to_owned(), rank)).collect()
}

/// All Rust files in a folder and its folders, except modules of tests.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !is_test_module(&path)
        {
            files.push(path);
        }
    }
    files.sort();
}

/// True if the parent declares this file as `#[cfg(test)] mod name;`.
fn is_test_module(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let folder = path.parent().unwrap();
    let declaration = format!("mod {name};");
    let parents = [folder.join("mod.rs"), folder.with_extension("rs")];
    let mut sources = parents
        .iter()
        .filter_map(|parent| fs::read_to_string(parent).ok());
    sources.any(|source| {
        let mut after = source.split("#[cfg(test)]").skip(1).map(str::trim_start);
        after.any(|after| after.starts_with(&declaration))
    })
}

/// `wire/v1/mod.rs` is `wire::v1`.
fn module_path(file: &str) -> Vec<String> {
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

/// The source without comments and without its module of tests.
fn code(source: &str) -> String {
    let source = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let lines = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The top-level modules that a source names, `depth` modules below the root.
fn known_modules(source: &str, depth: usize) -> BTreeSet<String> {
    let from_root = "super::".repeat(depth);
    let mut known = BTreeSet::new();
    for root in ["crate::", &from_root] {
        for (at, _) in source.match_indices(root) {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
            let rest = source[at + root.len()..].trim_start();
            // A longer chain of `super` begins in a module within the file and is counted wrongly.
            if source[..at].ends_with(is_word) || rest.starts_with("super::") {
                continue;
            }
            match rest.strip_prefix('{') {
                Some(group) => known.extend(heads_of_group(group)),
                None => known.extend(head(rest)),
            }
        }
    }
    known
}

/// The first name of a path; `None` for a macro, which lives at the root wherever it is written.
fn head(path: &str) -> Option<String> {
    let end = path.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    (end > 0 && !path[end..].starts_with('!')).then(|| path[..end].to_owned())
}

/// The first names of all paths in `{a::b, c::{d, e}, f}`, after its opening brace.
fn heads_of_group(group: &str) -> Vec<String> {
    let mut depth = 0;
    let mut begin = 0;
    let mut heads = Vec::new();
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                heads.extend(head(group[begin..=at].trim_start()));
                begin = at + 1;
                if c == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    heads
}

#[test]
fn names_are_found_in_every_form_of_path() {
    let known = |source: &str| {
        known_modules(&code(source), 2)
            .into_iter()
            .collect::<Vec<_>>()
    };
    assert_eq!(known("use crate::wire::v1;"), ["wire"]);
    assert_eq!(
        known("use crate::{error::{A, B}, stream, units::C};"),
        ["error", "stream", "units"]
    );
    assert_eq!(
        known("use super::super::text::X; // crate::format"),
        ["text"]
    );
    assert_eq!(
        known("super::sibling(); super::super::super::deep();"),
        [""; 0]
    );
    assert_eq!(
        known("crate::each_type!(x); let y = crate::varint::read(z);"),
        ["varint"]
    );
    assert_eq!(
        known("#[cfg(test)]\nmod tests { use crate::bench; }"),
        [""; 0]
    );
}
