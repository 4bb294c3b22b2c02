//! Names and inputs that do not fit the output: renamed with a note, or refused, the same on every route.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::{BIN, run_in, words};

fn mbt(dir: &Path, line: &str) -> (String, String, i32) {
    let (stdout, stderr, code) = run_in(dir, &words(line));
    (String::from_utf8(stdout).unwrap(), stderr, code)
}

#[test]
fn columns_without_a_header_have_numbers_in_typed_files() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("a.csv"), "x,1\ny,2\n").unwrap();
    mbt(dir, "convert a.csv --no-header -o a.mbt");
    for to in ["arrow", "parquet"] {
        for route in ["a.csv --no-header", "a.mbt"] {
            let (_, stderr, code) = mbt(dir, &format!("convert {route} -o out.{to} --force"));
            assert_eq!((&*stderr, code), ("", 0), "{route} to {to}");
            let bytes = fs::read(dir.join(format!("out.{to}"))).unwrap();
            for name in ["column_1", "column_2"] {
                let stored = bytes.windows(8).any(|it| it == name.as_bytes());
                assert!(stored, "{name}, {route} to {to}");
            }
        }
    }
}

#[test]
fn names_that_the_output_cannot_hold_are_noted_on_every_route() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let cases = [
        (
            "a.csv",
            "a,a,a_2\n1,2,3\n",
            "ndjson",
            "{\"a\":1,\"a_3\":2,\"a_2\":3}\n",
            "\"a\" is \"a_3\"",
        ),
        (
            "b.ndjson",
            "{\"\":1,\"a\":2}\n",
            "csv",
            "column_1,a\n1,2\n",
            "\"\" is \"column_1\"",
        ),
        (
            "c.csv",
            ",column_1\n1,2\n",
            "ndjson",
            "{\"column_1_2\":1,\"column_1\":2}\n",
            "\"\" is \"column_1_2\"",
        ),
        ("d.csv", "a,a\n1,2\n", "tsv", "a\ta\n1\t2\n", ""),
        ("e.ndjson", "{\"\":1}\n", "json", "[{\"\":1}]", ""),
    ];
    for (source, text, to, expected, renamed) in cases {
        fs::write(dir.join(source), text).unwrap();
        let (_, stderr, code) = mbt(dir, &format!("convert {source} -o x.mbt --force"));
        assert!(code == 0 && stderr.is_empty(), "{stderr}");
        for route in [source, "x.mbt"] {
            let (stdout, stderr, code) = mbt(dir, &format!("convert {route} --to {to}"));
            assert_eq!(
                (&*stdout, code),
                (expected, 0),
                "{source} by {route}: {stderr}"
            );
            assert_eq!(
                stderr.is_empty(),
                renamed.is_empty(),
                "{source} by {route}: {stderr}"
            );
            assert!(stderr.contains(renamed), "{source} by {route}: {stderr}");
        }
        // The original names are still present in the format of the source.
        let (stdout, stderr, _) = mbt(dir, "convert x.mbt");
        assert_eq!((&*stdout, &*stderr), (text, ""));
    }
}

/// Arrow permits repeated names, but Polars and pyarrow's datasets refuse Parquet files that have them.
#[cfg(feature = "parquet")]
#[test]
fn repeated_names_are_numbered_in_parquet() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (text, header, renamed) in [
        ("a,a,b,a_2\n1,2,3,4\n", "a,a_3,b,a_2", "\"a\" is \"a_3\""),
        (
            "a,,\n1,2,3\n",
            "a,column_2,column_3",
            "\"\" is \"column_3\"",
        ),
        ("a,,A\n1,2,3\n", "a,column_2,A", ""),
    ] {
        fs::write(dir.join("a.csv"), text).unwrap();
        assert_eq!(mbt(dir, "convert a.csv -o a.mbt --force").1, "");
        for source in ["a.csv", "a.mbt"] {
            let args = format!("convert {source} -o a.parquet --force");
            let (_, stderr, code) = mbt(dir, &args);
            assert_eq!((stderr.is_empty(), code), (renamed.is_empty(), 0), "{args}");
            assert!(stderr.contains(renamed), "{args}: {stderr}");
            let (stdout, ..) = mbt(dir, "convert a.parquet --to csv");
            let (_, row) = text.split_once('\n').unwrap();
            assert_eq!(stdout, format!("{header}\n{row}"), "{args}");
            let (stdout, ..) = mbt(
                dir,
                &format!("convert {source} --to arrow -o a.arrow --force"),
            );
            assert_eq!(stdout, "");
            assert_eq!(mbt(dir, "convert a.arrow -o b.mbt --force").2, 0);
        }
    }
}

#[test]
fn columns_of_one_name_and_several_types_are_not_mixed() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.csv"), "a,a\n1,x\n2,y\n").unwrap();
    let (rows, notes, _) = mbt(dir.path(), "convert a.csv --to ndjson");
    assert_eq!(rows.lines().next(), Some(r#"{"a":1,"a_2":"x"}"#));
    assert!(!notes.contains("in some frames"), "{notes}");
}

/// If the input can be read twice, names are looked up before rows are converted.
#[test]
fn a_name_that_no_row_has_is_refused_before_any_output() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (name, text, known) in [
        ("a.ndjson", "1\n[2]\n\"x\"\n", "$"),
        ("a.json", "[1,2,3]", "$"),
        ("a.ndjson", "{\"a\":1}\n{\"b\":2}\n", "a, b"),
    ] {
        fs::write(dir.join(name), text).unwrap();
        assert_eq!(mbt(dir, &format!("convert {name} -o a.mbt --force")).2, 0);
        for source in [name, "a.mbt"] {
            for to in ["ndjson", "json", "csv", "mbt", "arrow"] {
                let args = format!("convert {source} --columns zz --to {to}");
                let (stdout, stderr, code) = mbt(dir, &args);
                assert_eq!((&*stdout, code), ("", 2), "{args}");
                let expected = format!(
                    "error: {source}: --columns: there is no column \"zz\"; columns are {known}\n"
                );
                assert_eq!(stderr, expected, "{args}");
            }
        }
    }
}

#[test]
fn inputs_with_different_columns_are_refused_before_any_output() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (name, text) in [
        ("ab.csv", "a,b\n1,2\n"),
        ("ba.csv", "b,a\n4,3\n"),
        ("ac.csv", "a,c\n5,6\n"),
        ("a.ndjson", "{\"a\":1}\n"),
        ("c.ndjson", "{\"c\":2}\n"),
    ] {
        fs::write(dir.join(name), text).unwrap();
        let (stem, _) = name.split_once('.').unwrap();
        let (_, stderr, code) = mbt(dir, &format!("convert {name} -o {stem}.mbt --force"));
        assert_eq!(code, 0, "{stderr}");
    }
    let (_, _, code) = mbt(dir, "convert ab.csv -o ab.mbt --force");
    assert_eq!(code, 0);
    for inputs in ["ab.csv ac.csv", "ab.mbt ac.mbt", "ab.csv ac.mbt"] {
        for to in ["csv", "ndjson", "arrow", "mbt"] {
            let (stdout, stderr, code) = mbt(dir, &format!("convert {inputs} --to {to}"));
            assert_eq!((&*stdout, code), ("", 2), "{inputs} to {to}");
            assert!(stderr.contains("column \"c\" is not in ab."), "{stderr}");
        }
        let (stdout, _, code) = mbt(dir, &format!("convert {inputs} --to csv --columns a"));
        assert_eq!((&*stdout, code), ("a\n1\n5\n", 0), "{inputs}");
    }
    for inputs in ["ab.csv ba.csv", "ab.mbt ba.mbt"] {
        let (stdout, _, code) = mbt(dir, &format!("convert {inputs} --to csv"));
        assert_eq!((&*stdout, code), ("a,b\n1,2\n3,4\n", 0), "{inputs}");
    }
    let (stdout, _, code) = mbt(dir, "convert a.ndjson c.ndjson --to ndjson");
    assert_eq!((&*stdout, code), ("{\"a\":1}\n{\"c\":2}\n", 0));
}

#[test]
fn different_columns_of_a_pipe_are_noted() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (stem, text) in [
        ("ab", "a,b\n1,2\n"),
        ("ba", "b,a\n4,3\n"),
        ("acd", "a,c,d\n5,6,7\n"),
    ] {
        fs::write(dir.join(stem).with_extension("csv"), text).unwrap();
        for to in ["mbt", "arrow", "ndjson"] {
            let (_, stderr, code) = mbt(dir, &format!("convert {stem}.csv -o {stem}.{to}"));
            assert_eq!((&*stderr, code), ("", 0));
        }
    }
    let piped = |inputs: &str, piped: &str, to: &str| {
        let mut command = Command::new(BIN);
        let (_, format) = piped.split_once('.').unwrap();
        let args = format!("convert {inputs} --from {format} --to {to}");
        // `cat` provides a pipe; a file as standard input would be seekable.
        let mut cat = Command::new("cat")
            .arg(dir.join(piped))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        command.args(args.split(' ')).current_dir(dir);
        let output = command.stdin(cat.stdout.take().unwrap()).output().unwrap();
        assert!(cat.wait().unwrap().success());
        let code = output.status.code();
        assert_eq!(code, Some(0), "{args}");
        String::from_utf8(output.stderr).unwrap()
    };
    let note =
        "note: <stdin>: columns \"c\", \"d\" are not in ab.FORMAT; the inputs are joined by name\n";
    for format in ["csv", "mbt", "arrow"] {
        for to in ["ndjson", "mbt"] {
            let inputs = format!("ab.{format} -");
            let stderr = piped(&inputs, &format!("acd.{format}"), to);
            assert_eq!(stderr, note.replace("FORMAT", format), "{format} to {to}");
            assert_eq!(piped(&inputs, &format!("ba.{format}"), to), "");
            let chosen = format!("ab.{format} - --columns a");
            assert_eq!(piped(&chosen, &format!("acd.{format}"), to), "");
        }
    }
    assert_eq!(piped("ab.ndjson -", "acd.ndjson", "csv"), "");
}

/// A column with absent keys and nulls has a hidden column after it, which version 1 cannot store.
#[test]
fn a_key_that_is_absent_here_and_null_there_is_one_column_of_version_1() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(
        dir.join("a.ndjson"),
        "{\"n\":1,\"s\":2}\n{\"n\":2}\n{\"n\":3,\"s\":null}\n",
    )
    .unwrap();
    let (_, _, code) = mbt(dir, "convert a.ndjson -o a.mbt");
    assert_eq!(code, 0);
    let expected = "{\"n\":1,\"s\":2}\n{\"n\":2,\"s\":null}\n{\"n\":3,\"s\":null}\n";
    for source in ["a.ndjson", "a.mbt"] {
        for codec in ["none", "zstd"] {
            let args = format!("convert {source} --wire 1 -c {codec} -o b.mbt --force");
            assert_eq!(mbt(dir, &args).2, 0);
            let (stdout, stderr, code) = mbt(dir, "convert b.mbt --to ndjson");
            assert_eq!((&*stdout, code), (expected, 0), "{args}: {stderr}");
        }
    }
}

#[test]
fn absent_keys_beside_nulls_are_noted_where_both_become_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let note = "note: 1 column with absent keys and with nulls: the output shows no difference\n";
    for (text, expected) in [
        ("{\"a\":1,\"b\":2}\n{\"a\":2}\n{\"a\":3,\"b\":null}\n", note),
        ("{\"a\":1,\"b\":null}\n{\"a\":2}\n{\"a\":3}\n", note),
        // One record has a patch, whose column comes after the hidden one.
        (
            "{\"a\":1,\"b\":2}\n{\"a\": 2}\n{\"a\":3,\"b\":null}\n",
            note,
        ),
        // Frames of one row have one kind of null each.
        ("{\"a\":1}\n{\"a\":2,\"b\":null}\n", note),
        // Absent in one column, null in the other.
        ("{\"a\":null,\"b\":2}\n{\"a\":2}\n{\"a\":3}\n", ""),
        ("{\"a\":1,\"b\":2}\n{\"a\":2,\"b\":null}\n", ""),
    ] {
        fs::write(dir.join("a.ndjson"), text).unwrap();
        for frame_rows in [1, 2, 1000] {
            let args = format!("convert a.ndjson -o a.mbt --force --frame-rows {frame_rows}");
            assert_eq!(mbt(dir, &args).1, "");
            for source in ["a.ndjson", "a.mbt"] {
                // The header of CSV cannot wait for a key that appears later.
                let args = format!("convert {source} -o b.arrow --force");
                assert_eq!(mbt(dir, &args).1, expected, "{args}: {text}");
                let args = format!("convert {source} --wire 1 -o b.mbt --force");
                let said = mbt(dir, &args).1;
                let is_other = |line: &&str| !line.contains("other readers of wire 1");
                let notes: String = said.split_inclusive('\n').filter(is_other).collect();
                assert_eq!(notes, expected, "{args}: {text}");
                let args = format!("convert {source} -o b.ndjson --force");
                assert_eq!(mbt(dir, &args).1, "", "{args}: {text}");
                if frame_rows == 1000 {
                    let args = format!("convert {source} --to csv -o b.csv --force");
                    assert_eq!(mbt(dir, &args).1, expected, "{args}: {text}");
                }
            }
        }
    }
}

/// Whole rows of one JSON input and the objects of another are one column, unless there are other records.
#[test]
fn whole_rows_of_one_input_lose_no_values_of_another() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (name, text) in [
        ("o.ndjson", "{\"a\":1}\n"),
        ("w.ndjson", "{\"a\":3}\n[4]\n"),
        ("c.csv", "a,b\n5,x\n"),
    ] {
        fs::write(dir.join(name), text).unwrap();
        let to = Path::new(name).with_extension("mbt");
        assert_eq!(
            mbt(dir, &format!("convert {name} -o {}", to.display())).2,
            0
        );
    }
    let (objects, wholes) = ("\"{\"\"a\"\":1}\"\n", "\"{\"\"a\"\":3}\"\n[4]\n");
    for from in ["ndjson", "mbt"] {
        for (inputs, rows) in [
            (["o", "w"], format!("$\n{objects}{wholes}")),
            (["w", "o"], format!("$\n{wholes}{objects}")),
        ] {
            let [one, other] = inputs.map(|stem| format!("{stem}.{from}"));
            for options in ["", " --columns *"] {
                let args = format!("convert {one} {other} --to csv{options}");
                assert_eq!(mbt(dir, &args).0, rows, "{args}");
            }
        }
        let records = if from == "mbt" { "c.mbt" } else { "c.csv" };
        let args = format!("convert {records} w.{from} -o a.arrow --force");
        assert_eq!(mbt(dir, &args).2, 0);
        let expected = "{\"a\":5,\"b\":\"x\"}\n\
                        {\"a\":null,\"b\":null,\"$\":{\"a\":3}}\n\
                        {\"a\":null,\"b\":null,\"$\":[4]}\n";
        assert_eq!(
            mbt(dir, "convert a.arrow --to ndjson").0,
            expected,
            "{args}"
        );
    }
}

/// Neither the type of whole rows nor an input without rows changes what other rows are.
#[test]
fn inputs_are_joined_alike_in_frames_of_all_sizes() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (name, text) in [
        ("a.ndjson", "{\"z\":[1]}\n2.5\n"),
        ("b.ndjson", "{\"z\":2}\n12345678901234567890\n"),
        ("c.csv", "c,d\n2.50,NA\n2.50,1\n2.50,1\n"),
        ("d.csv", "d;c\n7;\"NA\"\nx;\"NA\"\n"),
        ("none.ndjson", ""),
    ] {
        fs::write(dir.join(name), text).unwrap();
    }
    for (inputs, expected) in [
        (
            ["a.ndjson", "b.ndjson"],
            "{\"z\":[1]}\n2.5\n{\"z\":2}\n12345678901234567890\n",
        ),
        (
            ["c.csv", "d.csv"],
            "{\"c\":2.5,\"d\":\"NA\"}\n{\"c\":2.5,\"d\":\"1\"}\n{\"c\":2.5,\"d\":\"1\"}\n\
             {\"c\":null,\"d\":\"7\"}\n{\"c\":null,\"d\":\"x\"}\n",
        ),
    ] {
        for size in ["1", "2", "3", "9"] {
            let mut frames = Vec::new();
            for (at, input) in inputs.into_iter().chain(["none.ndjson"]).enumerate() {
                let args = format!("convert {input} --frame-rows {size} -o {at}.mbt --force");
                assert_eq!(mbt(dir, &args).2, 0);
                frames.push(format!("{at}.mbt"));
            }
            let (texts, frames) = (inputs.join(" "), frames.join(" "));
            for inputs in [&texts, &format!("{texts} none.ndjson"), &frames] {
                let args = format!("convert {inputs} --frame-rows {size} -o o.arrow --force");
                assert_eq!(mbt(dir, &args).2, 0);
                let found = mbt(dir, "convert o.arrow --to ndjson").0;
                assert_eq!(found, expected, "{args}");
            }
        }
    }
}

/// Only the rows show which keys JSON text has, so a path is refused only after all of them.
#[test]
fn paths_into_json_text_are_refused_only_if_no_row_has_them() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(
        dir.join("a.csv"),
        "k,b\n1,\"{\"\"c\"\":1}\"\n2,\"{\"\"c\"\":2}\"\n",
    )
    .unwrap();
    fs::write(
        dir.join("b.ndjson"),
        "{\"k\":1,\"b\":{\"c\":1}}\n{\"k\":2,\"b\":{\"c\":2}}\n",
    )
    .unwrap();
    for name in ["a.csv", "b.ndjson"] {
        let to = Path::new(name).with_extension("mbt");
        let args = format!("convert {name} --schema b:json -o {}", to.display());
        assert_eq!(mbt(dir, &args).2, 0);
    }
    let refused = "error: --columns: there is no b.d in the JSON text of column \"b\"; \
                   --columns b keeps the column as it is\n";
    for input in [
        "a.csv --schema b:json",
        "b.ndjson --schema b:json",
        "a.mbt",
        "b.mbt",
    ] {
        for (options, rows, stderr) in [
            ("b.c", "{\"b.c\":1}\n{\"b.c\":2}\n", ""),
            ("b.c --where b.c>1", "{\"b.c\":2}\n", ""),
            ("b.c --where b.c>5", "", ""),
            ("b.c --rows 2..", "", ""),
            ("b.c --rows 1..-1", "", ""),
            ("b.d --where b.c>1", "{\"b.d\":null}\n", ""),
            ("b.d", "{\"b.d\":null}\n{\"b.d\":null}\n", refused),
        ] {
            let args = format!("convert {input} --to ndjson --columns {options}");
            let (out, error, code) = mbt(dir, &args);
            assert_eq!((&*out, &*error), (rows, stderr), "{args}");
            assert_eq!(code, if stderr.is_empty() { 0 } else { 2 }, "{args}");
        }
    }
    // A pattern does not make other items of the list optional.
    for columns in ["k.a", "k.a,*", "*,k.a", "b*,k.a"] {
        let args = format!("convert a.csv --to ndjson --columns {columns}");
        let (out, error, code) = mbt(dir, &args);
        assert_eq!((&*out, code), ("", 2), "{args}");
        assert!(error.contains("there is no k.a"), "{args}: {error}");
    }
}

/// Arrow marks a column whose nulls are all absent keys, also if `--schema` states its type.
#[test]
fn absent_keys_stay_absent_in_arrow_whatever_the_frame_size() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let text = "{\"a\":\"x\",\"b\":1}\n{\"b\":2}\n{\"a\":\"y\",\"b\":3}\n";
    fs::write(dir.join("a.ndjson"), text).unwrap();
    fs::write(dir.join("null.ndjson"), "{\"a\":null,\"b\":4}\n").unwrap();
    let with_null = text.replace("{\"b\":2}", "{\"a\":null,\"b\":2}") + "{\"a\":null,\"b\":4}\n";
    for options in ["", " --schema a:utf8"] {
        for frame_rows in [1, 2, 1000] {
            for (inputs, expected) in [("a.ndjson", text), ("a.ndjson null.ndjson", &with_null)] {
                let size = format!("--frame-rows {frame_rows}");
                let args = format!("convert {inputs}{options} {size} -o a.arrow --force");
                let (_, stderr, code) = mbt(dir, &args);
                assert_eq!(code, 0, "{args}: {stderr}");
                let (out, ..) = mbt(dir, "convert a.arrow --to ndjson");
                assert_eq!(out, expected, "{args}");
            }
        }
    }
}

/// Comments are kept in a hidden column, whose name is not that of a column.
#[test]
fn columns_without_a_header_are_not_renamed_beside_comments() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("a.csv"), "#c\n1,a\n#d\n2,b\n").unwrap();
    let options = "--no-header --comment #";
    let (_, stderr, code) = mbt(dir, &format!("convert a.csv {options} -o a.mbt"));
    assert_eq!((&*stderr, code), ("", 0));
    for route in [&format!("a.csv {options}"), "a.mbt"] {
        let (out, stderr, code) = mbt(dir, &format!("convert {route} --to ndjson"));
        let rows = "{\"column_1\":1,\"column_2\":\"a\"}\n{\"column_1\":2,\"column_2\":\"b\"}\n";
        assert_eq!((&*out, &*stderr, code), (rows, "", 0), "{route}");
    }
}

/// All strings of a column become JSON text if UTF-8 cannot hold one of them.
#[test]
fn columns_that_are_json_text_because_of_half_a_surrogate_pair_are_noted() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (name, text, column) in [
        (
            "t.ndjson",
            r#"{"t":"x"}|{"t":"cut \ud83d"}|{"t":"\ud83d\ude00"}"#,
            "t",
        ),
        ("u.ndjson", r#"{"u":{"n":"cut \ude00"}}|{"u":null}"#, "u.n"),
        (
            "v.ndjson",
            r#"{"t":"x"}|{"t":"\ud83d\ude00"}|{"t":"\\ud83d"}"#,
            "",
        ),
    ] {
        fs::write(dir.join(name), text.replace('|', "\n") + "\n").unwrap();
        mbt(
            dir,
            &format!("convert {name} -o a.mbt --force --frame-rows 1"),
        );
        for (route, to) in [(name, "arrow"), ("a.mbt", "arrow"), (name, "parquet")] {
            if to == "parquet" && !cfg!(feature = "parquet") {
                continue;
            }
            let (_, stderr, code) = mbt(dir, &format!("convert {route} -o out.{to} --force"));
            assert_eq!(code, 0, "{stderr}");
            let expected = if column.is_empty() {
                String::new()
            } else {
                format!(
                    "note: column {column:?}: JSON text, with quotes and escapes, because a string has half a \
                     surrogate pair, which text in UTF-8 cannot represent\n"
                )
            };
            assert_eq!(stderr, expected, "{route} to {to}");
        }
    }
}

#[test]
fn names_are_listed_in_the_order_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("a.csv"), "zeta,alpha,mid\n1,2,3\n").unwrap();
    for to in ["a.mbt", "a.ndjson", "a.arrow"] {
        mbt(dir, &format!("convert a.csv -o {to}"));
    }
    for input in ["a.csv", "a.mbt", "a.ndjson", "a.arrow"] {
        for option in ["--columns=qqq", "--where=qqq=1"] {
            let (_, stderr, code) = mbt(dir, &format!("convert {input} --to csv {option}"));
            let list = "there is no column \"qqq\"; columns are zeta, alpha, mid\n";
            assert!(stderr.ends_with(list), "{input} {option}: {stderr}");
            assert_eq!(code, 2);
        }
    }
}

#[test]
fn messages_do_not_list_all_members_of_a_type() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let members = (0..500).map(|at| format!("\"member_{at}\":{at},\"text_{at}\":\"x\""));
    let members = members.collect::<Vec<_>>().join(",");
    let row = format!("{{\"v\":{{{members}}},\"n\":1}}\n");
    fs::write(dir.join("a.ndjson"), row.repeat(3)).unwrap();
    mbt(dir, "convert a.ndjson -o a.mbt");
    for input in ["a.ndjson", "a.mbt"] {
        for condition in ["v", "v=1", "v=n"] {
            let line = format!("convert {input} --to csv --where {condition}");
            let (_, stderr, code) = mbt(dir, &line);
            assert_eq!(code, 2);
            assert!(stderr.contains("struct<member_0:i64,"), "{stderr}");
            assert!(stderr.len() < 400, "{condition}: {} bytes", stderr.len());
        }
    }
}
