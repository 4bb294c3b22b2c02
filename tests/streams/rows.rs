//! Streams of frames under every operation: the rows stay the same.

use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;

use crate::command::{BIN, mbt, stdout_of, text_of, words};
use crate::skip::skip;

const HEADER: &str = "id,name,price";

fn row(id: usize) -> String {
    let name = ["", "ada", "grace", "\"a, b\""][id % 4];
    format!("{id},{name},{}.5", id * 3 % 100)
}

fn csv(rows: &[String]) -> String {
    std::iter::once(HEADER)
        .chain(rows.iter().map(String::as_str))
        .fold(String::new(), |csv, line| csv + line + "\n")
}

/// Operations on a stream.
#[derive(Clone, Debug)]
enum Step {
    /// Other frames.
    Recut {
        frame_rows: usize,
        codec: &'static str,
        index: bool,
    },
    Compress {
        codec: &'static str,
        threads: &'static str,
    },
    Decompress,
    Rows(std::ops::Range<usize>),
    Frames(std::ops::Range<usize>),
    /// The stream twice, put together by hand or by convert.
    Twice {
        by_convert: bool,
        index: bool,
    },
}

impl Step {
    /// The step with a codec that wire 2 knows.
    fn without_gzip(mut self) -> Self {
        if let Self::Recut { codec, .. } | Self::Compress { codec, .. } = &mut self
            && *codec == "gzip"
        {
            *codec = "zstd";
        }
        self
    }
}

fn step() -> impl Strategy<Value = Step> {
    let codec = || prop::sample::select(vec!["none", "zstd", "gzip", "lz4"]);
    let range = |most: usize| (0..most, 0..most).prop_map(|(a, b)| a.min(b)..a.max(b));
    prop_oneof![
        (1usize..40, codec(), any::<bool>()).prop_map(|(frame_rows, codec, index)| Step::Recut {
            frame_rows,
            codec,
            index
        }),
        (codec(), prop::sample::select(vec!["1", "2", "5"]))
            .prop_map(|(codec, threads)| Step::Compress { codec, threads }),
        Just(Step::Decompress),
        range(120).prop_map(Step::Rows),
        range(9).prop_map(Step::Frames),
        (any::<bool>(), any::<bool>())
            .prop_map(|(by_convert, index)| Step::Twice { by_convert, index }),
    ]
}

/// The expected result of a step.
type Model = Vec<Modelled>;

#[derive(Clone, Debug)]
struct Modelled {
    rows: Vec<String>,
    /// True if the rows begin a text, which continues in the frames after this one.
    begins: bool,
}

fn rows_of(model: &Model) -> Vec<String> {
    model.iter().flat_map(|frame| frame.rows.clone()).collect()
}

fn apply_to_model(step: &Step, frames: Model) -> Model {
    match step {
        Step::Recut { frame_rows, .. } => {
            // Frames before the first head continue a text whose beginning is missing. All texts after it have
            // the same head, so that they share frames.
            let headless = frames.iter().take_while(|frame| !frame.begins).count();
            let (headless, texts) = frames.split_at(headless);
            let recut = [headless, texts].into_iter().flat_map(|frames| {
                let rows: Vec<_> = (frames.iter())
                    .flat_map(|frame| {
                        let rows = frame.rows.iter().cloned().enumerate();
                        rows.map(|(at, row)| (row, frame.begins && at == 0))
                    })
                    .collect();
                let cut: Model = (rows.chunks(*frame_rows))
                    .map(|rows| Modelled {
                        rows: rows.iter().map(|(row, _)| row.clone()).collect(),
                        begins: rows[0].1,
                    })
                    .collect();
                cut
            });
            recut.collect()
        }
        Step::Compress { .. } | Step::Decompress => frames,
        Step::Rows(range) => {
            let mut seen = 0;
            // A selection keeps the head of the text.
            let mut head = frames.first().is_some_and(|frame| frame.begins);
            let cut = frames.into_iter().filter_map(|frame| {
                let from = range.start.saturating_sub(seen).min(frame.rows.len());
                let to = range.end.saturating_sub(seen).min(frame.rows.len());
                seen += frame.rows.len();
                (from < to).then(|| Modelled {
                    rows: frame.rows[from..to].to_vec(),
                    begins: std::mem::take(&mut head) || frame.begins && from == 0,
                })
            });
            cut.collect()
        }
        Step::Frames(range) => {
            let len = frames.len();
            frames[range.start.min(len)..range.end.min(len)].to_vec()
        }
        Step::Twice { .. } => [frames.clone(), frames].concat(),
    }
}

fn apply(step: &Step, from: &Path, to: &Path) {
    let (input, output) = (from.to_str().unwrap(), to.to_str().unwrap());
    let range = |range: &std::ops::Range<usize>| format!("{}..{}", range.start, range.end);
    let mut convert = vec![
        "convert", "--from", "mbt", "--to", "mbt", input, "-o", output,
    ];
    match step {
        Step::Recut {
            frame_rows,
            codec,
            index,
        } => {
            let frame_rows = frame_rows.to_string();
            convert.extend(["--frame-rows", &frame_rows, "--codec", codec]);
            convert.extend(index.then_some("--index"));
            stdout_of(".", &convert);
        }
        Step::Compress { codec, threads } => {
            stdout_of(
                ".",
                &["compress", input, "-o", output, "-c", codec, "-T", threads],
            );
        }
        Step::Decompress => drop(stdout_of(".", &["decompress", input, "-o", output])),
        Step::Rows(rows) => drop(stdout_of(
            ".",
            &[&convert[..], &["--rows", &range(rows)]].concat(),
        )),
        Step::Frames(frames) => drop(stdout_of(
            ".",
            &[&convert[..], &["--frames", &range(frames)]].concat(),
        )),
        Step::Twice {
            by_convert: false, ..
        } => {
            std::fs::write(to, std::fs::read(from).unwrap().repeat(2)).unwrap();
        }
        Step::Twice {
            by_convert: true,
            index,
        } => {
            convert.push(input);
            convert.extend(index.then_some("--index"));
            stdout_of(".", &convert);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_steps_keeps_the_rows(
        rows in 1usize..100,
        wire in prop_oneof![Just("1"), Just("2")],
        exact in prop_oneof![Just("on"), Just("off")],
        steps in prop::collection::vec(step(), 1..7),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let place = |at: usize| -> PathBuf { dir.path().join(format!("{at}.mbt")) };
        let rows = (0..rows).map(row).collect();
        let begins = (wire, exact) == ("2", "on");
        let mut model: Model = vec![Modelled { rows, begins }];
        let source = dir.path().join("source.csv");
        std::fs::write(&source, csv(&model[0].rows)).unwrap();
        let (source, first) = (source.to_str().unwrap(), place(0));
        let options = ["--wire", wire, "--exact", exact, "-o", first.to_str().unwrap()];
        stdout_of(".", &[&["convert", source], &options[..]].concat());

        for (at, step) in steps.into_iter().enumerate() {
            // gzip wraps frames of version 1 only.
            let step = if wire == "2" { step.without_gzip() } else { step };
            model = apply_to_model(&step, model);
            if model.is_empty() || model.len() > 200 {
                // Without frames it is no longer a stream.
                return Ok(());
            }
            apply(&step, &place(at), &place(at + 1));
            let printed = stdout_of(".", &["convert", place(at + 1).to_str().unwrap(), "--to", "csv"]);
            prop_assert_eq!(String::from_utf8(printed).unwrap(), csv(&rows_of(&model)), "after {:?}", step);
        }
    }
}

/// A file of ten frames of ten rows, with an index or without.
fn ten_frames(dir: &Path, name: &str, more: &[&str]) -> PathBuf {
    let source = dir.join("rows.csv");
    std::fs::write(&source, csv(&(0..100).map(row).collect::<Vec<_>>())).unwrap();
    let path = dir.join(name);
    let args = [
        "convert",
        source.to_str().unwrap(),
        "-o",
        path.to_str().unwrap(),
        "--wire",
        "1",
        "--frame-rows",
        "10",
    ];
    stdout_of(".", &[&args[..], more].concat());
    path
}

/// Readers of version 1 expect a single frame.
#[test]
fn several_frames_of_version_1_are_noted_unless_they_were_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (text, frames, old) = (path("a.csv"), path("a.mbt"), path("b.mbt"));
    std::fs::write(&text, "a\n1\n2\n3\n").unwrap();
    stdout_of(".", &["convert", &text, "-o", &frames, "--frame-rows", "1"]);
    let noted = |args: &[&str]| {
        let output = mbt(".", &[&["convert", "-o", &old, "--force"], args].concat());
        assert!(output.status.success());
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("--frame-rows 3")
    };
    assert!(noted(&[&frames, "--wire", "1"]));
    assert!(!noted(&[&frames, "--wire", "1", "--frame-rows", "2"]));
    assert!(!noted(&[&frames, "--wire", "1", "--frame-rows", "3"]));
    assert!(!noted(&[&text, "--wire", "1"]));
}

#[test]
fn whole_frames_are_passed_on_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let plain = ten_frames(dir.path(), "plain.mbt", &["--encodings", "plain"]);
    let packed = ten_frames(dir.path(), "packed.mbt", &["-c", "zstd", "-l", "19"]);
    let (plain, packed) = (plain.to_str().unwrap(), packed.to_str().unwrap());
    let both = stdout_of(".", &["convert", plain, packed, "--to", "mbt"]);
    assert_eq!(
        both,
        [
            std::fs::read(plain).unwrap(),
            std::fs::read(packed).unwrap()
        ]
        .concat()
    );
    // A frame that is divided is rewritten, the complete ones around it are not.
    let most = stdout_of(".", &["convert", packed, "--to", "mbt", "--rows", "5.."]);
    assert!(
        std::fs::read(packed)
            .unwrap()
            .ends_with(&most[most.len() - 200..])
    );
}

#[test]
fn an_index_lets_damage_before_the_wanted_rows_pass_unread() {
    let dir = tempfile::tempdir().unwrap();
    let path = ten_frames(dir.path(), "a.mbt", &["--index"]);
    let path = path.to_str().unwrap();
    let rows = |path: &str| {
        mbt(
            ".",
            &words(&format!(
                "convert {path} --to csv --rows 95..97 --no-header"
            )),
        )
    };
    let whole = rows(path).stdout;
    assert_eq!(whole, format!("{}\n{}\n", row(95), row(96)).as_bytes());
    // The first frame becomes nonsense, which is not noticed if the index is used to skip it.
    let mut bytes = std::fs::read(path).unwrap();
    bytes[0] ^= 0xFF;
    std::fs::write(path, &bytes).unwrap();
    assert_eq!(rows(path).stdout, whole);
    assert_eq!(
        mbt(".", &["convert", path, "--from", "mbt", "--to", "csv"])
            .status
            .code(),
        Some(2)
    );
    // A damaged index is not used: the file is read from the start.
    let end = bytes.len();
    bytes[0] ^= 0xFF;
    bytes[end - 20] ^= 1;
    std::fs::write(path, &bytes).unwrap();
    assert_eq!(rows(path).stdout, whole);
}

#[test]
fn output_is_the_same_for_any_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("rows.ndjson");
    let lines = (0..60_000).map(|id| {
        format!(
            "{{\"id\":{id},\"name\":\"n{}\",\"x\":{}.25,\"text\":\"number {id} of many\"}}\n",
            id % 7,
            id % 100
        )
    });
    std::fs::write(&source, lines.collect::<String>()).unwrap();
    let source = source.to_str().unwrap();
    for to in [
        &words("mbt --wire 1 --frame-rows 7000 -c zstd --index")[..],
        &["mbt", "--wire", "1", "--frame-rows", "7000", "-c", "lz4"],
        &["mbt", "--wire", "1", "--frame-rows", "7000", "--index"],
        &["mbt", "--wire", "1", "--frame-rows", "9"],
        &["mbt", "--wire", "1"],
        &["mbt", "--preset", "fast", "--frame-rows", "7000"],
        &["mbt", "--preset", "small", "--frame-rows", "7000"],
        &["mbt", "--frame-rows", "9"],
        &["mbt"],
        &["csv"],
        &["json"],
    ] {
        let with = |threads: &str| {
            stdout_of(
                ".",
                &[&["convert", source, "-T", threads, "--to"], to].concat(),
            )
        };
        let one = with("1");
        assert!(one == with("2") && one == with("8"), "{to:?}");
    }
}

#[test]
fn frames_put_together_from_columns_are_those_written_as_they_come() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("rows.csv");
    let rows: Vec<String> = (0..30_000).map(row).collect();
    std::fs::write(&source, csv(&rows)).unwrap();
    let source = source.to_str().unwrap();
    let convert = ["convert", source, "--wire", "1", "--frame-rows", "4000"];
    let streamed = stdout_of(".", &[&convert[..], &["--to", "mbt"]].concat());
    let indexed = stdout_of(".", &[&convert[..], &["--to", "mbt", "--index"]].concat());
    assert!(indexed.starts_with(&streamed));
    let path = dir.path().join("rows.mbt.gz");
    let packed = path.to_str().unwrap();
    stdout_of(".", &[&convert[..], &["-o", packed]].concat());
    assert!(stdout_of(".", &["decompress", packed]) == streamed);
}

#[test]
fn tools_of_zstd_pass_over_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let path = ten_frames(dir.path(), "a.mbt.zst", &["--index"]);
    let Ok(zstd) = Command::new("zstd")
        .args(["-t", path.to_str().unwrap()])
        .output()
    else {
        skip("there is no zstd");
        return;
    };
    assert!(
        zstd.status.success(),
        "{}",
        String::from_utf8_lossy(&zstd.stderr)
    );
    let listed = Command::new("zstd")
        .args(["-l", path.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(
        listed.status.success(),
        "{}",
        String::from_utf8_lossy(&listed.stderr)
    );
}

#[test]
fn damage_that_only_the_index_sees_is_neither_read_nor_passed_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = ten_frames(dir.path(), "a.mbt", &["--index", "--encodings", "plain"]);
    let path = path.to_str().unwrap();
    // Another price in the fourth frame: an uncompressed frame has no checksum.
    let mut bytes = std::fs::read(path).unwrap();
    let frame = bytes
        .windows(8)
        .enumerate()
        .filter(|(_, w)| w == b"MATHLDBT")
        .map(|(at, _)| at);
    let end_of_fourth = frame.take(5).last().unwrap();
    bytes[end_of_fourth - 6] ^= 1;
    std::fs::write(path, &bytes).unwrap();
    for to in ["csv", "mbt"] {
        let output = mbt(".", &["convert", path, "--to", to]);
        assert_eq!(output.status.code(), Some(2), "{to}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            told.contains("frame 3: byte 0: the frame does not match its entry in the index"),
            "{told}"
        );
    }
    let kept = mbt(".", &["convert", path, "--to", "csv", "--salvage"]);
    let expected: Vec<_> = (0..30).chain(40..100).map(row).collect();
    assert_eq!(String::from_utf8(kept.stdout).unwrap(), csv(&expected));
    assert!(
        String::from_utf8(kept.stderr)
            .unwrap()
            .contains("frame 3 is damaged")
    );
}

#[test]
fn a_selection_of_nothing_still_tells_the_columns() {
    let dir = tempfile::tempdir().unwrap();
    for more in [&["--index"][..], &[]] {
        let path = ten_frames(dir.path(), "a.mbt", &[more, &["--force"]].concat());
        let path = path.to_str().unwrap();
        for nothing in [
            ["--rows", "1000.."],
            ["--frames", "10.."],
            ["--frames", "1..1"],
            ["--frames", "..0"],
        ] {
            let printed = stdout_of(
                ".",
                &[&["convert", path, "--to", "csv"][..], &nothing].concat(),
            );
            assert_eq!(
                String::from_utf8(printed).unwrap(),
                format!("{HEADER}\n"),
                "{nothing:?}"
            );
        }
    }
}

#[test]
fn a_column_without_a_name_is_chosen_by_the_one_it_is_shown_by() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("a.csv");
    std::fs::write(&source, "a,\n1,x\n2,y\n").unwrap();
    for wire in ["1", "2"] {
        let frames = dir.path().join(wire).with_extension("mbt");
        let (source, frames) = (source.to_str().unwrap(), frames.to_str().unwrap());
        stdout_of(".", &["convert", source, "--wire", wire, "-o", frames]);
        let chosen = stdout_of(
            ".",
            &["convert", frames, "--columns", "column_2", "--to", "csv"],
        );
        assert_eq!(chosen, b"column_2\nx\ny\n");
    }
}

#[test]
fn head_and_convert_mean_the_same_rows() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let rows: Vec<String> = (0..40).map(row).collect();
    let (text, frames) = (path("a.csv"), path("a.mbt"));
    std::fs::write(&text, csv(&rows)).unwrap();
    stdout_of(
        ".",
        &["convert", "-q", "--frame-rows", "7", &text, "-o", &frames],
    );
    for (options, expected) in [
        (&["--rows", "3..9"][..], 3..9),
        (&["--rows", "30..99"], 30..40),
        (&["--rows", "5..", "--limit", "4"], 5..9),
        (&["--limit", "3", "--where", "id >= 20"], 20..23),
        (
            &["--rows", "1..30", "--limit", "2", "--where", "id >= 20"],
            21..23,
        ),
        (&["--limit", "0"], 0..0),
    ] {
        let expected: Vec<usize> = expected.collect();
        let kept = expected.iter().map(|id| row(*id));
        for input in [&text, &frames] {
            let shown = stdout_of(".", &[&["head", "--json", input], options].concat());
            assert_eq!(ids(&shown), expected, "head {options:?} {input}");
            let converted = stdout_of(".", &[&["convert", input, "--to", "csv"], options].concat());
            let kept: Vec<String> = kept.clone().collect();
            assert_eq!(
                String::from_utf8(converted).unwrap(),
                csv(&kept),
                "{options:?} {input}"
            );
        }
    }
    assert_eq!(
        ids(&stdout_of(".", &["head", "--json", "-2", &text, &frames])),
        [0, 1, 0, 1]
    );
    assert_eq!(
        ids(&stdout_of(
            ".",
            &["head", "--json", "--rows", "36..", &frames]
        ))
        .len(),
        4
    );
    let lists = stdout_of(
        ".",
        &words(&format!("head -x --rows 1..2 --columns id,name {frames}")),
    );
    assert_eq!(lists, b"-[ row 1 ]-\nid   | 1\nname | ada\n");
}

#[test]
fn a_word_that_is_null_only_inside_frames_is_shown_and_compared_as_text() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (text, frames, piped) = (path("a.csv"), path("a.mbt"), path("b.mbt"));
    std::fs::write(&text, "d,p\n31.1.2024,1.50\nsoon,dear\n01.2.2024,2.50\n").unwrap();
    stdout_of(".", &["convert", "-q", &text, "-o", &frames]);
    stdout_of(
        ".",
        &["convert", "-q", "--frame-rows", "2", &text, "-o", &piped],
    );
    for input in [&text, &frames, &piped] {
        let table = text_of(".", &["head", "-2", input]);
        let last = table.lines().last().unwrap();
        assert_eq!(
            last.split_whitespace().collect::<Vec<_>>(),
            ["soon", "dear"],
            "{input}"
        );
        assert!(!table.contains("date"), "{table}");
        let expanded = stdout_of(".", &["head", "-x", "--rows", "1..2", input]);
        assert_eq!(expanded, b"-[ row 1 ]-\nd | soon\np | dear\n");
        for (condition, expected) in [
            ("d = 'soon'", "soon,dear\n"),
            ("d like 's%'", "soon,dear\n"),
            ("d > 'm'", "soon,dear\n"),
            ("d is null", ""),
            ("p > 2", "01.2.2024,2.50\n"),
            ("p <> 1.5", "soon,dear\n01.2.2024,2.50\n"),
            (
                "d is not null and p = p",
                "31.1.2024,1.50\nsoon,dear\n01.2.2024,2.50\n",
            ),
        ] {
            let found = text_of(
                ".",
                &["convert", input, "--to", "csv", "--where", condition],
            );
            assert_eq!(found, format!("d,p\n{expected}"), "{condition} {input}");
        }
    }
}

/// Files with forty rows, in all formats; the first is CSV.
fn forty_rows(dir: &Path) -> Vec<String> {
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let rows: Vec<String> = (0..40).map(row).collect();
    let text = path("a.csv");
    std::fs::write(&text, csv(&rows)).unwrap();
    let mut inputs = vec![text.clone()];
    for (name, options) in [
        ("a.ndjson", &[][..]),
        ("a.json", &[]),
        ("a.arrow", &[]),
        ("a.parquet", &[]),
        ("a.mbt", &["--frame-rows", "7"]),
        ("one.mbt", &[]),
        ("a1.mbt", &["--wire", "1", "--frame-rows", "7"]),
    ] {
        let output = path(name);
        stdout_of(
            ".",
            &[&["convert", "-q", &text, "-o", &output], options].concat(),
        );
        inputs.push(output);
    }
    inputs
}

#[test]
fn rows_are_counted_from_the_end_whatever_the_input() {
    let dir = tempfile::tempdir().unwrap();
    let inputs = forty_rows(dir.path());
    let text = &inputs[0];
    let all: Vec<usize> = (0..40).collect();
    for (options, expected) in [
        (&["--rows", "-10.."][..], &all[30..]),
        (&["--rows", "-10..-2"], &all[30..38]),
        (&["--rows=-100..-39"], &all[..1]),
        (&["--rows", "-0.."], &all[..0]),
        (&["--rows", "5..-20"], &all[5..20]),
        (&["--rows", "..-33"], &all[..7]),
        (&["--rows", "..-50"], &all[..0]),
        (&["--rows", "-10..", "--limit", "3"], &all[30..33]),
        (&["--rows", "2..-10", "--limit", "3"], &all[2..5]),
        (&["--rows", "-7..-1", "--where", "id < 20"], &all[13..19]),
        (&["--rows", "3..-8", "--where", "id >= 20"], &all[23..32]),
    ] {
        let kept: Vec<String> = expected.iter().map(|id| row(*id)).collect();
        for input in &inputs {
            for threads in ["1", "3"] {
                let convert = ["convert", "-T", threads, input, "--to", "csv"];
                let kept_rows = stdout_of(".", &[&convert[..], options].concat());
                // Only CSV has a word for null.
                let kept_rows = String::from_utf8(kept_rows).unwrap();
                assert_eq!(kept_rows, csv(&kept), "{options:?} {input}");
            }
            let format = input.rsplit('.').next().unwrap();
            let bytes = std::fs::read(input).unwrap();
            let from = ["convert", "--from", format, "-", "--to"];
            let direct = piped(&[&from[..], &["csv"], options].concat(), &bytes);
            let frames = piped(&[&from[..], &["mbt"], options].concat(), &bytes);
            let by_frames = piped(&["convert", "--from", "mbt", "-", "--to", "csv"], &frames);
            for found in [direct, by_frames] {
                assert_eq!(
                    String::from_utf8(found).unwrap(),
                    csv(&kept),
                    "{options:?} {input} in a pipe"
                );
            }
            let shown = stdout_of(".", &[&["head", "--json", input], options].concat());
            assert_eq!(ids(&shown), expected, "head {options:?} {input}");
        }
    }
    for input in &inputs {
        assert_eq!(ids(&stdout_of(".", &["tail", "--json", input])), all[30..]);
        let shown = stdout_of(".", &["tail", "--json", "-3", input, text]);
        assert_eq!(ids(&shown), [&all[37..], &all[37..]].concat());
        let lists = stdout_of(".", &["tail", "-x", "-2", "--columns", "id", input]);
        let expected = "-[ row -2 ]-\nid | 38\n-[ row -1 ]-\nid | 39\n";
        assert_eq!(String::from_utf8(lists).unwrap(), expected, "{input}");
        let lists = stdout_of(
            ".",
            &words(&format!("head -x -n 1 --rows -9..-3 --columns id {input}")),
        );
        assert_eq!(lists, b"-[ row -9 ]-\nid | 31\n", "{input}");
    }
}

#[test]
fn a_sample_is_the_same_whatever_the_input() {
    let dir = tempfile::tempdir().unwrap();
    let inputs = forty_rows(dir.path());
    let text = &inputs[0];
    let sample = |input: &str, options: &[&str]| {
        let convert = ["convert", input, "--to", "json"];
        ids(&stdout_of(".", &[&convert[..], options].concat()))
    };
    let mut times = [0; 40];
    for seed in 0..100 {
        let seed = seed.to_string();
        let chosen = sample(text, &["--sample", "10", "--seed", &seed]);
        assert!(chosen.len() == 10 && chosen.is_sorted_by(|a, b| a < b));
        for id in chosen {
            times[id] += 1;
        }
    }
    // 25 are expected, with a standard deviation of 4.3.
    assert!(
        times.iter().all(|times| (6..=44).contains(times)),
        "{times:?}"
    );
    for (options, of) in [
        (&["--sample", "10"][..], 0..40),
        (&["--sample", "0"], 0..40),
        (&["--sample", "99", "--seed", "7"], 0..40),
        (&["--sample", "5", "--rows", "-20..-3"], 20..37),
        (&["--sample", "5", "--rows", "4..30"], 4..30),
        (&["--sample", "5", "--where", "id > 8"], 9..40),
    ] {
        let expected = sample(text, options);
        let wanted: usize = options[1].parse().unwrap();
        assert_eq!(expected.len(), wanted.min(of.len()), "{options:?}");
        assert!(expected.iter().all(|id| of.contains(id)), "{options:?}");
        let kept: Vec<String> = expected.iter().map(|id| row(*id)).collect();
        for input in &inputs {
            for threads in ["1", "3"] {
                let options = [options, &["-T", threads]].concat();
                assert_eq!(sample(input, &options), expected, "{options:?} {input}");
            }
            // head does the same for each input.
            let shown = [&["head", "--json", input, text], options].concat();
            assert_eq!(
                ids(&stdout_of(".", &shown)),
                expected.repeat(2),
                "{shown:?}"
            );
            let printed = stdout_of(".", &[&["convert", input, "--to", "csv"], options].concat());
            assert_eq!(String::from_utf8(printed).unwrap(), csv(&kept), "{input}");
        }
    }
}

#[test]
fn the_last_rows_of_a_text_keep_their_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (text, frames) = (path("a.csv"), path("a.mbt"));
    let lines: Vec<String> = (0..30).map(|id| format!(" {id},'\"{id:03}\"'")).collect();
    std::fs::write(&text, format!("id,name\r\n{}", lines.join("\r\n"))).unwrap();
    stdout_of(
        ".",
        &["convert", "-q", "--frame-rows", "4", &text, "-o", &frames],
    );
    for input in [&text, &frames] {
        for (rows, same) in [
            ("-5..", "25..30"),
            ("-9..-2", "21..28"),
            ("..-4", "0..26"),
            ("-40..", "0..30"),
        ] {
            let kept =
                |rows: &str| stdout_of(".", &["convert", input, "--to", "csv", "--rows", rows]);
            let (kept, expected) = (kept(rows), kept(same));
            assert_eq!(
                String::from_utf8(kept).unwrap(),
                String::from_utf8(expected).unwrap(),
                "{rows} {input}"
            );
        }
    }
}

fn ids(shown: &[u8]) -> Vec<usize> {
    let rows: Vec<serde_json::Value> = serde_json::from_slice(shown).unwrap();
    let id = |row: &serde_json::Value| row["id"].as_u64().unwrap() as usize;
    rows.iter().map(id).collect()
}

/// Stdout of a command that must succeed, given this on stdin.
fn piped(args: &[&str], input: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut child = Command::new(BIN)
        .args(args)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("mbt runs");
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{args:?}");
    output.stdout
}
