//! `mbt head` and `tail`.

use super::{command, folder, json};

#[test]
fn long_values_are_cut_but_whole_in_json() {
    let folder = folder("long_values");
    let long = "ä".repeat(10_000);
    let nested = format!(r#"{{"a":{{"b":"{long}"}},"c":1}}"#);
    std::fs::write(folder.join("a.ndjson"), format!("{nested}\n")).unwrap();
    std::fs::write(folder.join("b.csv"), format!("a,c\n{long},1\n")).unwrap();
    for file in ["a.ndjson", "b.csv"] {
        for (options, most) in [(&[][..], 200), (&["-x"][..], 2000)] {
            for program in ["head", "tail"] {
                let output = command::mbt(&folder, &[&[program, file], options].concat());
                let text = String::from_utf8(output.stdout).unwrap();
                let longest = text.matches(['ä', '…']).count();
                assert!((most - 10..=most).contains(&longest), "{text}");
                assert_eq!(text.matches('…').count(), 1, "{text}");
                assert!(text.contains('1'), "{text}");
            }
        }
    }
    let (rows, status) = json(&folder, &["head", "--json", "b.csv"]);
    assert_eq!((rows[0]["a"].as_str(), status), (Some(&long[..]), 0));
}

/// The first of several columns of one name is as good a guess as any other, but a guess.
#[test]
fn a_condition_on_a_name_of_several_columns_is_noted() {
    let folder = folder("head_repeated");
    std::fs::write(folder.join("t.csv"), "a,a,b\n1,2,3\n4,5,6\n").unwrap();
    command::stdout_of(&folder, &["convert", "-q", "t.csv", "-o", "t.mbt"]);
    for file in ["t.csv", "t.mbt"] {
        for (condition, is_noted) in [("a = 1", true), ("b = 3", false)] {
            let output = command::mbt(&folder, &["head", "--json", file, "--where", condition]);
            let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(rows.as_array().unwrap().len(), 1, "{file}, {condition}");
            assert_eq!(rows[0]["a_2"], 2, "{file}: keys are distinct");
            let note = String::from_utf8(output.stderr).unwrap();
            assert_eq!(
                note.contains("several columns are called \"a\""),
                is_noted,
                "{note}"
            );
        }
    }
}
