//! Memory: how much a long record takes, and what happens when the system refuses it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const KIB: usize = 1 << 10;

/// Runs the binary in at most this many KiB of address space.
fn within(limit: usize, dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new("sh");
    let script = format!("ulimit -c 0; ulimit -v {limit}; exec \"$0\" \"$@\"");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_mbt")]);
    command.args(args).current_dir(dir).output().unwrap()
}

/// Approximately the least address space that a conversion of one row needs, in KiB.
fn least(dir: &Path) -> usize {
    fs::write(dir.join("one.csv"), "a\n1\n").unwrap();
    let args = ["convert", "one.csv", "--threads", "1", "--to", "ndjson"];
    let mut limits = (1..).map(|step| step * 16 * KIB);
    let works = |limit: &usize| within(*limit, dir, &args).status.success();
    limits.find(works).unwrap()
}

/// CSV of lines that are hard to compress.
fn table(rows: u64) -> String {
    let mut text = "id,word,price\n".to_owned();
    for row in 0..rows {
        let word = row.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        writeln!(text, "{row},{word:x},{}.{:02}", word >> 50, row % 100).unwrap();
    }
    text
}

#[test]
fn refused_memory_is_an_error_and_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let least = least(dir);
    fs::write(dir.join("a.csv"), table(60_000)).unwrap();
    for frames in ["a.mbt", "b.mbt"] {
        let wire = if frames == "a.mbt" { "2" } else { "1" };
        let made = within(
            least << 6,
            dir,
            &["convert", "a.csv", "--wire", wire, "-o", frames],
        );
        assert!(made.status.success(), "{made:?}");
    }
    let jobs = [
        ["a.csv", "--to", "mbt"],
        ["a.mbt", "--to", "csv"],
        ["b.mbt", "--to", "ndjson"],
    ];
    for [input, to, format] in jobs {
        let mut codes = Vec::new();
        for step in 0..16 {
            let limit = least + step * step * 2 * KIB;
            let args = ["convert", input, to, format, "--threads", "2", "-o", "out"];
            let output = within(limit, dir, &args);
            let said = String::from_utf8(output.stderr).unwrap();
            let code = output.status.code();
            match code {
                Some(0) => fs::remove_file(dir.join("out")).unwrap(),
                Some(3) => {
                    assert!(
                        said.starts_with("error: ") && said.lines().count() == 1,
                        "{said}"
                    );
                }
                _ => panic!("{input} in {limit} KiB: {:?}: {said}", output.status),
            }
            codes.push(code);
            let names = fs::read_dir(dir)
                .unwrap()
                .map(|entry| entry.unwrap().file_name());
            let names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
            assert_eq!(names.len(), 4, "{input} in {limit} KiB left {names:?}");
        }
        assert!(codes.contains(&Some(3)), "{input}: nothing was refused");
    }
}

#[test]
fn a_long_record_takes_a_few_times_its_size() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let len = 24 << 20;
    let mut long = table(len as u64 / 20);
    long.truncate(len);
    fs::write(dir.join("cell.csv"), format!("a,b\n1,\"{long}\"\n2,x\n")).unwrap();
    fs::write(dir.join("open.csv"), format!("a,b\n1,\"{long}")).unwrap();
    let blank = "\n".repeat(len);
    fs::write(dir.join("between.csv"), format!("a,b\n1,x\n{blank}2,x\n")).unwrap();
    fs::write(dir.join("between.ndjson"), format!("{{}}\n{blank}{{}}\n")).unwrap();
    let long = long.replace('\n', " ");
    fs::write(
        dir.join("text.json"),
        format!("[{{\"a\":\"{long}\"}},{{}}]\n"),
    )
    .unwrap();
    // This limits address space. The process needs more of it than of memory, since buffers grow by doubling
    // and are moved.
    let limit = least(dir) + 10 * len / KIB;
    for (input, output) in [
        ("cell.csv", "b.csv"),
        ("open.csv", "c.csv"),
        ("text.json", "d.json"),
        ("between.csv", "e.csv"),
        ("between.ndjson", "f.ndjson"),
    ] {
        for args in [
            ["convert", "--flexible", input, "-o", "frames.mbt"],
            ["convert", "--force", "frames.mbt", "-o", output],
        ] {
            // Only open.csv needs --flexible, and JSON does not accept it.
            let args = args
                .into_iter()
                .filter(|arg| *arg != "--flexible" || input == "open.csv");
            let args: Vec<_> = args.chain(["--threads", "1"]).collect();
            let done = within(limit, dir, &args);
            assert!(done.status.success(), "{args:?}: {done:?}");
        }
        let (before, after) = (fs::read(dir.join(input)), fs::read(dir.join(output)));
        assert!(
            before.unwrap() == after.unwrap(),
            "{input} comes back otherwise"
        );
        fs::remove_file(dir.join("frames.mbt")).unwrap();
    }
}

/// The writers of the crate take 130 KiB per column, so they must not all exist at once.
#[test]
fn wide_tables_become_parquet_in_little_memory() {
    const COLUMNS: usize = 4000;
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let least = least(dir);
    let mut text = String::new();
    for row in 0..6 {
        for column in 0..COLUMNS {
            let end = if column + 1 < COLUMNS { ',' } else { '\n' };
            match (row, column % 3) {
                (0, _) => write!(text, "c{column}{end}").unwrap(),
                (_, 0) => write!(text, "{}.5{end}", row * column).unwrap(),
                (_, 1) => write!(text, "{}{end}", row * column).unwrap(),
                _ => write!(text, "word {column}{end}").unwrap(),
            }
        }
    }
    fs::write(dir.join("a.csv"), &text).unwrap();
    let convert = |limit: usize, input: &str, output: &str| {
        let args = ["convert", input, "--threads", "1", "-o", output];
        let done = within(limit, dir, &args);
        assert!(done.status.success(), "{done:?}");
    };
    convert(least << 6, "a.csv", "a.mbt");
    convert(least + 256 * KIB, "a.mbt", "a.parquet");
    convert(least + 256 * KIB, "a.parquet", "b.csv");
    assert!(fs::read_to_string(dir.join("b.csv")).unwrap() == text);
}
