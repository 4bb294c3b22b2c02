//! The manual page of `mbt inspect` against what `--json` prints.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command::mbt;
use crate::inspect::{json, rows};

/// The members of a document by their paths; those of `encodings` are named by encodings.
fn members(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members_of) => {
            for (name, value) in members_of {
                let name = if path.ends_with("encodings") {
                    "NAME"
                } else {
                    name
                };
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{name}");
                found.insert(path.clone());
                members(value, &path, found);
            }
        }
        Value::Array(items) => {
            let path = format!("{path}[]");
            for item in items {
                if !item.is_object() {
                    found.insert(path.clone());
                }
                members(item, &path, found);
            }
        }
        _ => {}
    }
}

/// The members that a section of the manual page documents.
fn documented(page: &str, section: &str) -> BTreeSet<String> {
    let heading = format!(".SH {section}\n.nf\n");
    let section = page.split_once(&heading).expect("the section is there").1;
    let lines = section.split("\n.fi").next().unwrap().lines();
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

#[test]
fn the_manual_page_documents_every_member() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let run = |arguments: &[&str]| assert!(mbt(path, arguments).status.success(), "{arguments:?}");
    fs::write(path.join("rows.ndjson"), rows()).unwrap();
    let items: Vec<_> = (0..20)
        .map(|item| format!("{{\"n\":{item},\"s\":\"yes\"}}"))
        .collect();
    fs::write(
        path.join("document.json"),
        format!("{{\"items\":[{}],\"x\":\"NA\"}}", items.join(",")),
    )
    .unwrap();
    fs::write(
        path.join("words.csv"),
        "a,b\nNA,2024-01-31\n007,2024-02-01\n",
    )
    .unwrap();
    for (from, to) in [
        ("rows.ndjson", "rows.mbt"),
        ("document.json", "document.mbt"),
        ("words.csv", "words.mbt"),
    ] {
        run(&["convert", "-q", from, "-o", to]);
    }
    let v1 = root.join("fixtures/v1/good/verbatim_null_slot_and_padding_bits.mathldbt");
    fs::copy(v1, path.join("odd.mbt")).unwrap();
    run(&[
        "convert",
        "-q",
        "words.csv",
        "-o",
        "plain.mbt",
        "--wire",
        "1",
    ]);
    run(&[
        "convert",
        "-q",
        "words.csv",
        "-o",
        "index.mbt",
        "--wire",
        "1",
        "--index",
    ]);

    let page = fs::read_to_string(root.join("man/mbt-inspect.1")).unwrap();
    let files = [
        "rows.mbt",
        "document.mbt",
        "words.mbt",
        "odd.mbt",
        "plain.mbt",
    ];
    for (section, runs) in [
        ("JSON", vec![files.to_vec()]),
        (
            "JSON WITH --FRAMES",
            vec![vec!["--frames", "rows.mbt", "index.mbt"]],
        ),
        (
            "JSON WITH --LAYOUT",
            vec![vec!["--layout", "rows.mbt"], vec!["--layout", "plain.mbt"]],
        ),
        ("JSON WITH --EXPLAIN", vec![vec!["--explain", "rows.mbt"]]),
    ] {
        let mut found = BTreeSet::new();
        for arguments in runs {
            let document = json(path, &[&["inspect", "--json"], &arguments[..]].concat());
            assert_eq!(document["version"], 1);
            members(&document, "", &mut found);
        }
        // Lists of objects are documented by what is in them.
        let documented = documented(&page, section);
        let is_told = |path: &String| {
            let inside = [format!("{path}[]"), format!("{path}.NAME")];
            documented.contains(path)
                || documented
                    .iter()
                    .any(|other| inside.iter().any(|inside| other.starts_with(inside)))
        };
        let missing: Vec<_> = found.iter().filter(|path| !is_told(path)).collect();
        assert!(missing.is_empty(), "{section}: not documented: {missing:?}");
        let surplus: Vec<_> = documented.difference(&found).collect();
        assert!(surplus.is_empty(), "{section}: not printed: {surplus:?}");
    }
}
