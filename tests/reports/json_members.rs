//! The output of `--json`, compared with the manual page of each command.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::stdout_of;
use crate::{folder, json};

/// Adds the paths of the members of a document. The members of objects that the manual page
/// documents with `NAME` have arbitrary names.
fn members(value: &Value, path: &str, documented: &BTreeSet<String>, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            let any = format!("{path}.NAME");
            for (name, value) in object {
                let path = match path {
                    "" => name.clone(),
                    _ if documented.contains(&any) => any.clone(),
                    _ => format!("{path}.{name}"),
                };
                members(value, &path, documented, found);
                found.insert(path);
            }
        }
        Value::Array(items) => {
            let path = format!("{path}[]");
            for item in items {
                if !item.is_object() {
                    found.insert(path.clone());
                }
                members(item, &path, documented, found);
            }
        }
        _ => {}
    }
}

/// The members that a section of a manual page documents.
fn documented(page: &str, section: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("man").join(page)).unwrap();
    let heading = format!(".SH {section}\n.nf\n");
    let section = text.split_once(&heading).expect("the section is there").1;
    let lines = section.split("\n.fi").next().unwrap().lines();
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.map(|name| name.replace("\\-", "-")).collect()
}

/// Compares a section of a manual page with the documents that these commands print.
fn compare(page: &str, section: &str, documents: &[Value]) {
    let documented = documented(page, section);
    let mut found = BTreeSet::new();
    for document in documents {
        let first = document.as_object().unwrap().iter().next().unwrap();
        assert_eq!(first, (&"version".to_owned(), &Value::from(1)), "{page}");
        members(document, "", &documented, &mut found);
    }
    // Lists and objects are documented by their contents.
    let is_told = |path: &String| {
        let inside = [format!("{path}[]"), format!("{path}.")];
        let is_inside = |other: &String| inside.iter().any(|inside| other.starts_with(inside));
        documented.contains(path) || documented.iter().any(is_inside)
    };
    let missing: Vec<_> = found.iter().filter(|path| !is_told(path)).collect();
    assert!(
        missing.is_empty(),
        "{page}, {section}: not documented: {missing:?}"
    );
    let surplus: Vec<_> = documented.difference(&found).collect();
    assert!(
        surplus.is_empty(),
        "{page}, {section}: not printed: {surplus:?}"
    );
}

/// The documents printed by these commands, given as words separated by spaces.
fn documents(folder: &Path, commands: &[&str]) -> Vec<Value> {
    let arguments = commands.iter().map(|command| command.split(' '));
    let print = |arguments: Vec<&str>| json(folder, &[&arguments[..], &["--json"]].concat()).0;
    arguments.map(|words| print(words.collect())).collect()
}

/// A folder with files of many kinds.
fn files(name: &str) -> PathBuf {
    let folder = folder(name);
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let row = |row: usize| {
        let items = vec![r#"{"n":1,"t":"x"}"#; row % 3].join(",");
        format!(r#"{{"id":{row},"user":{{"name":"ada"}},"items":[{items}],"opt":null}}"#) + "\n"
    };
    write("rows.ndjson", &(0..500).map(row).collect::<String>());
    let items = [r#"{"n":1,"s":"yes"}"#; 20].join(",");
    write(
        "document.json",
        &format!(r#"{{"items":[{items}],"x":"NA"}}"#),
    );
    write("words.csv", "a,b\nNA,2024-01-31\n007,2024-02-01\n");
    write("other.csv", "a,c\n7,x\n007,y\n8,z\n");
    for stem in ["rows.ndjson", "document.json", "words.csv"] {
        let output = Path::new(stem).with_extension("mbt");
        stdout_of(
            &folder,
            &["convert", "-q", stem, "-o", output.to_str().unwrap()],
        );
    }
    let v1 = ["convert", "-q", "--wire", "1", "words.csv", "-o"];
    stdout_of(&folder, &[&v1[..], &["plain.mbt"]].concat());
    stdout_of(&folder, &[&v1[..], &["index.mbt", "--index"]].concat());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v1");
    let odd = root.join("good/verbatim_null_slot_and_padding_bits.mathldbt");
    fs::copy(odd, folder.join("odd.mbt")).unwrap();
    let mut damaged = fs::read(folder.join("rows.mbt")).unwrap();
    let (frames, _) = json(&folder, &["inspect", "--frames", "--json", "rows.mbt"]);
    let frame = &frames["files"][0]["entries"][0];
    let end = frame["offset"].as_u64().unwrap() + frame["stored_bytes"].as_u64().unwrap();
    damaged[end as usize - 1] ^= 1;
    fs::write(folder.join("damaged.mbt"), damaged).unwrap();
    folder
}

#[test]
fn the_page_of_inspect_has_every_member() {
    let folder = files("json-members-inspect");
    for (section, commands) in [
        (
            "JSON",
            &["inspect rows.mbt document.mbt words.mbt odd.mbt plain.mbt"][..],
        ),
        (
            "JSON WITH --FRAMES",
            &["inspect --frames rows.mbt index.mbt"],
        ),
        (
            "JSON WITH --LAYOUT",
            &["inspect --layout rows.mbt", "inspect --layout plain.mbt"],
        ),
        ("JSON WITH --EXPLAIN", &["inspect --explain rows.mbt"]),
    ] {
        compare("mbt-inspect.1", section, &documents(&folder, commands));
    }
}

#[test]
fn the_pages_about_data_have_every_member() {
    let folder = files("json-members-data");
    for (page, section, commands) in [
        ("mbt-stats.1", "JSON", &["stats rows.mbt words.csv"][..]),
        ("mbt-schema.1", "JSON", &["schema words.csv"]),
        (
            "mbt-schema.1",
            "JSON WITH OTHER",
            &["schema words.csv other.csv"],
        ),
        ("mbt-diff.1", "JSON", &["diff words.csv other.csv --key a"]),
        (
            "mbt-verify.1",
            "JSON",
            &["verify --deep rows.mbt odd.mbt damaged.mbt"],
        ),
        (
            "mbt-estimate.1",
            "JSON",
            &[
                "estimate words.csv",
                "estimate words.csv --count 9 --every-ms 5",
            ],
        ),
    ] {
        compare(page, section, &documents(&folder, commands));
    }
}

#[test]
fn the_pages_of_bench_have_every_member() {
    let folder = folder("json-members-bench");
    let measure = "bench pages --filter zstd --quick --samples=1 --time=0 --quiet";
    let measured = documents(&folder, &[measure, measure]);
    for (page, command) in [
        (
            "mbt-bench-compare.1",
            "bench compare bench_results.md#1 bench_results.md#2",
        ),
        (
            "mbt-bench-check-log.1",
            "bench check-log bench_results.md --row zstd",
        ),
    ] {
        compare(page, "JSON", &documents(&folder, &[command]));
    }
    compare("mbt-bench.1", "JSON", &measured);
}
