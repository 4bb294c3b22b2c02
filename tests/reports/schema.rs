//! `mbt schema`: `--schema` accepts its output.

use std::fs;
use std::path::Path;

use crate::command::{stdout_of, text_of};
use crate::{folder, json};

fn schema(folder: &Path, file: &str) -> String {
    text_of(folder, &["schema", file])
}

#[test]
fn a_schema_fits_the_file_that_it_is_from() {
    let folder = folder("schema_fits");
    let texts = [
        (
            "a.csv",
            "d,z,p,b,n,t\n31.1.2024,007,1.50,Yes,NA,2024-01-01T00:00:00Z\n1.2.2023,010,2.25,No,7,2024-01-01T00:00:00Z\n",
        ),
        ("b.csv", "\"a,b\",#c,\"say \"\"x\"\"\",  e\n1,2,3,4\n"),
        (
            "c.ndjson",
            "{\"a\":{\"b\":1},\"l\":[1.5],\"n\":null,\"s\":\"x\",\"f\":1e5}\n",
        ),
        ("d.csv", "only\n"),
        ("e.ndjson", "{\"\":\"5\",\"a\":1}\n"),
        ("f.csv", "a,\n1,2\n"),
    ];
    for (file, text) in texts {
        fs::write(folder.join(file), text).unwrap();
        fs::write(folder.join("s"), schema(&folder, file)).unwrap();
        stdout_of(
            &folder,
            &[
                "convert", "-q", file, "--schema", "@s", "-o", "x.mbt", "--force",
            ],
        );
        stdout_of(
            &folder,
            &[
                "convert",
                "-q",
                "x.mbt",
                "-o",
                &format!("again-{file}"),
                "--force",
            ],
        );
        assert_eq!(
            fs::read(folder.join(format!("again-{file}"))).unwrap(),
            text.as_bytes(),
            "{file}"
        );
        // The result does not depend on the route, and a file does not differ from itself.
        stdout_of(&folder, &["convert", "-q", file, "-o", "y.mbt", "--force"]);
        assert_eq!(schema(&folder, "y.mbt"), schema(&folder, file));
        let (document, status) = json(&folder, &["schema", "--json", file, "y.mbt"]);
        assert_eq!((status, &document["equal"]), (0, &true.into()));
    }
    let lines = schema(&folder, "a.csv");
    assert_eq!(
        lines,
        "# d:date, written as %-d.%-m.%Y\nz:utf8\np:decimal(18,2)\n# b:bool, written as Yes/No\n\
         # n:i64, nulls written as \"NA\"\nt:timestamp(s,UTC)\n"
    );
}

#[test]
fn drift_is_named_by_column() {
    let folder = folder("schema_drift");
    fs::write(folder.join("a.csv"), "a,b,c\n1,2,3\n").unwrap();
    fs::write(folder.join("b.csv"), "c,b,d\n1,x,3\n").unwrap();
    let (document, status) = json(&folder, &["schema", "--json", "a.csv", "b.csv"]);
    assert_eq!((status, &document["equal"]), (1, &false.into()));
    assert_eq!(document["order_differs"], true);
    let columns = document["columns"].as_array().unwrap().iter();
    let columns: Vec<_> = columns
        .map(|column| {
            [&column["name"], &column["left"], &column["right"]]
                .map(|text| text.as_str().unwrap_or("-").to_owned())
        })
        .collect();
    assert_eq!(
        columns,
        [["a", "i64", "-"], ["b", "i64", "utf8"], ["d", "-", "i64"]]
    );
}

#[test]
fn values_are_the_types_that_parquet_gets() {
    let folder = folder("schema_values");
    fs::write(folder.join("a.csv"), "a,b,c\n1.50,Yes,007\n2.25,No,010\n").unwrap();
    let types = |args: &[&str]| text_of(&folder, args);
    // --schema would not read Yes and No.
    let expected = "a:f64\n# b:bool, written as Yes/No\nc:utf8\n";
    assert_eq!(types(&["schema", "--infer", "values", "a.csv"]), expected);
    stdout_of(&folder, &["convert", "-q", "a.csv", "-o", "a.parquet"]);
    assert_eq!(types(&["schema", "a.parquet"]), "a:f64\nb:bool\nc:utf8\n");
    let rows = types(&["head", "--json", "--infer", "values", "a.csv"]);
    let expected = r#"[{"a":1.5,"b":true,"c":"007"},{"a":2.25,"b":false,"c":"010"}]"#;
    assert_eq!(rows.trim(), expected);
    let (document, _) = json(&folder, &["stats", "--json", "--infer", "values", "a.csv"]);
    assert_eq!(document["files"][0]["columns"][0]["type"], "f64");
}

/// No type that `--schema` knows reads such text, so its line is a comment.
#[test]
fn text_that_is_not_utf_8_is_bytes_in_every_report() {
    let folder = folder("schema_bytes");
    fs::write(folder.join("a.csv"), b"a,b\nx,1\n\xff\xfe,2\n").unwrap();
    stdout_of(&folder, &["convert", "-q", "a.csv", "-o", "a.mbt"]);
    let expected = "# a:bytes, written as text that is not UTF-8\nb:i64\n";
    for file in ["a.csv", "a.mbt"] {
        assert_eq!(schema(&folder, file), expected);
        let values = text_of(&folder, &["schema", "--infer=values", file]);
        assert_eq!(values, expected);
        let (stats, _) = json(&folder, &["stats", "--json", file]);
        assert_eq!(stats["files"][0]["columns"][0]["type"], "bytes");
    }
    fs::write(folder.join("s"), expected).unwrap();
    let arguments = ["convert", "-q", "a.csv", "--schema=@s", "-o", "fixed.mbt"];
    stdout_of(&folder, &arguments);
    stdout_of(&folder, &["convert", "-q", "fixed.mbt", "-o", "again.csv"]);
    let again = fs::read(folder.join("again.csv")).unwrap();
    assert!(again == fs::read(folder.join("a.csv")).unwrap());
}

#[test]
fn zero_padded_digits_are_text_in_every_report() {
    let folder = folder("schema_padded");
    fs::write(folder.join("a.csv"), "a\n007\n010\n").unwrap();
    stdout_of(&folder, &["convert", "-q", "a.csv", "-o", "a.mbt"]);
    for file in ["a.csv", "a.mbt"] {
        assert_eq!(schema(&folder, file), "a:utf8\n");
        let (stats, _) = json(&folder, &["stats", "--json", file]);
        assert_eq!(stats["files"][0]["columns"][0]["type"], "utf8");
    }
    let (stats, _) = json(&folder, &["stats", "--json", "--quick", "a.mbt"]);
    assert_eq!(stats["files"][0]["columns"][0]["type"], "utf8");
}
