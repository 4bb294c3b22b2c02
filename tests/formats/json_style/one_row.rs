//! The style of a text does not depend on the size of its frames.

use std::fs;
use std::path::Path;
use std::process::Command;

fn mbt(dir: &Path, args: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
    let output = command.args(args.split(' ')).current_dir(dir).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{args}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn selections_from_frames_of_one_row_have_the_style_of_the_text() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for [start, between, end] in [
        ["[", ",", "]"],
        ["[\n  ", ",\n  ", "\n]\n"],
        ["[\r\n", ",\r\n", "\r\n]\r\n"],
        ["", "\n\n", "\n"],
        ["", "\n", "\n"],
    ] {
        let row = |n: u32| format!("{{\"a\": {n}, \"b\": \"x\"}}");
        let of = |rows: &[u32], row: &dyn Fn(u32) -> String| {
            let rows: Vec<_> = rows.iter().map(|&n| row(n)).collect();
            format!("{start}{}{end}", rows.join(between))
        };
        let text = of(&[1, 2, 3], &row);
        fs::write(dir.join("a.json"), &text).unwrap();
        for frame_rows in [1, 2, 1000] {
            let args = format!("convert a.json -o a.mbt --force --frame-rows {frame_rows}");
            mbt(dir, &args);
            assert_eq!(mbt(dir, "convert a.mbt"), text);
            for (selection, expected) in [
                ("--rows 1..", of(&[2, 3], &row)),
                ("--where a!=2", of(&[1, 3], &row)),
                (
                    "--columns a",
                    of(&[1, 2, 3], &|n| format!("{{\"a\": {n}}}")),
                ),
            ] {
                let found = |source| mbt(dir, &format!("convert {source} --to json {selection}"));
                let from_text = found("a.json");
                // A separator may follow the last row.
                let rows = |text: &str| text.trim_end_matches('\n').to_owned();
                assert_eq!(rows(&from_text), rows(&expected), "{selection}: {text:?}");
                assert_eq!(
                    found("a.mbt"),
                    from_text,
                    "{selection}, {frame_rows}: {text:?}"
                );
            }
        }
    }
}
