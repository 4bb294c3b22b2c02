//! Text as people have it that is probably not read as they mean it: the note or hint says what to do.

use std::fs;

use crate::command::{mbt, words};

#[test]
fn values_that_conditions_cannot_compare_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let mut text = "item;price;n\na;1.052,88;1\nb;n/a;2\nc;3;3\nd;;4\n".to_owned();
    text.extend((0..3000).map(|at| format!("x;5;{at}\n")));
    fs::write(dir.path().join("a.csv"), text).unwrap();
    let note = "note: 2 values of column \"price\" cannot be compared with 1000, such as \"1.052,88\"; like nulls, they \
                are neither less nor greater\n";
    let make = mbt(
        dir.path(),
        &words("convert a.csv -o a.mbt --frame-rows 100"),
    );
    assert!(make.status.success());
    for (input, condition, expected) in [
        ("a.csv", "price > 1000", note),
        ("a.mbt", "price > 1000", note),
        ("a.csv", "not price <= 1000 and n >= 0", note),
        ("a.csv", "price between 1000 and 2000", note),
        ("a.csv", "price = 1000", ""),
        ("a.csv", "price is null", ""),
        ("a.csv", "n > 1000", ""),
        ("a.csv", "item > 'b'", ""),
    ] {
        for more in [
            &["--to", "csv"][..],
            &["--to", "ndjson"],
            &["-o", "a.arrow", "--force"],
            &["--to", "csv", "--threads", "1"],
        ] {
            let args = [&["convert", input, "--where", condition], more].concat();
            let done = mbt(dir.path(), &args);
            assert!(done.status.success(), "{args:?}");
            assert_eq!(String::from_utf8_lossy(&done.stderr), expected, "{args:?}");
            let quiet = mbt(dir.path(), &[&args[..], &["-q"]].concat());
            assert_eq!(String::from_utf8_lossy(&quiet.stderr), "", "{args:?}");
        }
    }
}

#[test]
fn text_that_is_not_utf8_becomes_bytes_with_a_note() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.csv"), b"Nom;n\n\xc9cole;1\n").unwrap();
    for (line, is_noted) in [
        ("-o a.arrow", true),
        ("-o b.mbt --wire 1", true),
        ("-o a.arrow --encoding windows-1252", false),
        ("-o a.mbt", false),
    ] {
        let done = mbt(dir.path(), &words(&format!("convert a.csv --force {line}")));
        let told = String::from_utf8(done.stderr).unwrap();
        let note = "note: column \"Nom\" is not UTF-8 and becomes bytes";
        assert_eq!(told.starts_with(note), is_noted, "{line}: {told}");
        assert_eq!(told.lines().count(), usize::from(is_noted), "{told}");
    }
}
