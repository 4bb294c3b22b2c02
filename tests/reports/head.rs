//! `mbt head` and `tail`: long values are cut in tables and lists.

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
