//! `--where`, compared with a second filter: on text, on frames with and without an index, from files
//! and pipes, with any number of threads.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::chance::Random;
use crate::command::{BIN, mbt, run_in, run_with, text_of, words};

const COLUMNS: [&str; 7] = ["int", "big", "dec", "float", "text", "flag", "odd name"];
const OPS: [&str; 7] = ["=", "==", "!=", "<", "<=", ">", ">="];

impl Random {
    fn of<'a>(&mut self, values: &[&'a str]) -> &'a str {
        values[self.below(values.len())]
    }

    fn cell(&mut self, column: usize, row: u64) -> String {
        match column {
            // Sorted, so that frames can be ruled out.
            0 => (row as i64 / 3 - 10).to_string(),
            1 => (u64::MAX - self.below(5) as u64 * (row % 7)).to_string(),
            2 => format!("{}.{:02}", self.below(30) as i64 - 15, self.below(4) * 25),
            3 => self
                .of(&["-0.0", "0.0", "1.5", "-2.25", "NaN", "1e300"])
                .to_owned(),
            4 => {
                let prefix = self.of(&["", "sixteen bytes and", "sixteen bytes and"]);
                format!("{prefix}{} {}", self.of(&["a", "z", "it's"]), row / 20)
            }
            5 => self.of(&["true", "false"]).to_owned(),
            _ => self
                .of(&["2024-01-31", "2023-12-01", "2024-02-29"])
                .to_owned(),
        }
    }

    /// Rows of cells; the empty ones are null.
    fn table(&mut self, rows: u64) -> Vec<Vec<String>> {
        let row = |row: u64| {
            let cell = |column: usize| {
                // A column is null in many successive rows, so that it is in whole frames.
                let gap = column > 0 && (row / 16 + column as u64).is_multiple_of(5);
                if gap || self.below(9) == 0 {
                    String::new()
                } else {
                    self.cell(column, row)
                }
            };
            (0..COLUMNS.len()).map(cell).collect()
        };
        (0..rows).map(row).collect()
    }

    fn comparison(&mut self, rows: u64) -> Comparison {
        let column = self.below(COLUMNS.len());
        let row = self.below(rows as usize) as u64;
        let op = match self.below(6) {
            0 => self.of(&["is null", "is not null"]),
            1 => self.of(&["in", "not in"]),
            _ => self.of(&OPS),
        };
        let mut value = || {
            let value = self.cell(column, row);
            // Between values of the column.
            if column == 0 && self.below(4) == 0 {
                value + ".5"
            } else {
                value
            }
        };
        let mut values = vec![value()];
        if op.ends_with("in") {
            values.extend([value(), value()]);
        }
        Comparison { column, op, values }
    }

    fn condition(&mut self, rows: u64, depth: u64) -> Condition {
        let kind = if depth < 3 { self.below(6) } else { 0 };
        let mut inner = || Box::new(self.condition(rows, depth + 1));
        match kind {
            1 => Condition::And(inner(), inner()),
            2 => Condition::Or(inner(), inner()),
            3 => Condition::Not(inner()),
            _ => Condition::Leaf(self.comparison(rows)),
        }
    }
}

/// Comparisons joined by and, or and not.
enum Condition {
    Leaf(Comparison),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

impl Condition {
    fn text(&self) -> String {
        match self {
            Self::Leaf(comparison) => comparison.text(),
            Self::And(a, b) => format!("({} and {})", a.text(), b.text()),
            Self::Or(a, b) => format!("({} or {})", a.text(), b.text()),
            Self::Not(a) => format!("not {}", a.text()),
        }
    }

    /// True, false or unknown.
    fn holds(&self, row: &[String]) -> Option<bool> {
        match self {
            Self::Leaf(comparison) => comparison.holds(row),
            Self::And(a, b) => match (a.holds(row), b.holds(row)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (a, b) => a.zip(b).map(|_| true),
            },
            Self::Or(a, b) => match (a.holds(row), b.holds(row)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (a, b) => a.zip(b).map(|_| false),
            },
            Self::Not(a) => a.holds(row).map(|holds| !holds),
        }
    }
}

struct Comparison {
    column: usize,
    op: &'static str,
    values: Vec<String>,
}

impl Comparison {
    fn text(&self) -> String {
        let value = |value: &String| match self.column {
            4 | 6 => format!("'{}'", value.replace('\'', "''")),
            3 if value == "NaN" => "'NaN'".to_owned(),
            _ => value.clone(),
        };
        let name = match COLUMNS[self.column] {
            "odd name" => "`odd name`",
            name => name,
        };
        let op = self.op;
        match op {
            "is null" | "is not null" => format!("{name} {op}"),
            "in" | "not in" => {
                let values: Vec<_> = self.values.iter().map(value).collect();
                format!("{name} {op} ({})", values.join(", "))
            }
            _ => format!("{name}{op}{}", value(&self.values[0])),
        }
    }

    /// According to the rules, cell by cell.
    fn holds(&self, row: &[String]) -> Option<bool> {
        let cell = &row[self.column];
        match (self.op, cell.is_empty()) {
            ("is null", null) => return Some(null),
            ("is not null", null) => return Some(!null),
            (_, true) => return None,
            _ => {}
        }
        let among = |value: &String| self.compare(cell, value) == Some(std::cmp::Ordering::Equal);
        let order = self.compare(cell, &self.values[0]);
        Some(match self.op {
            "in" | "=" | "==" => self.values.iter().any(among),
            "not in" | "!=" => !self.values.iter().any(among),
            "<" => order.is_some_and(std::cmp::Ordering::is_lt),
            "<=" => order.is_some_and(std::cmp::Ordering::is_le),
            ">" => order.is_some_and(std::cmp::Ordering::is_gt),
            _ => order.is_some_and(std::cmp::Ordering::is_ge),
        })
    }

    fn compare(&self, cell: &str, value: &str) -> Option<std::cmp::Ordering> {
        let hundredths = |text: &str| {
            let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
            let rest = format!("{rest:0<2}");
            format!("{whole}{rest}").parse::<i128>().unwrap()
        };
        match self.column {
            0..=2 => Some(hundredths(cell).cmp(&hundredths(value))),
            3 => {
                let (cell, value): (f64, f64) = (cell.parse().unwrap(), value.parse().unwrap());
                // NaN equals itself and is greater than all others.
                let by_nan = cell.is_nan().cmp(&value.is_nan());
                cell.partial_cmp(&value).or(Some(by_nan))
            }
            5 => Some((cell == "true").cmp(&(value == "true"))),
            // ISO dates sort as text.
            _ => Some(cell.as_bytes().cmp(value.as_bytes())),
        }
    }
}

fn csv<'a>(columns: &[usize], rows: impl Iterator<Item = &'a Vec<String>>) -> String {
    let mut text = String::new();
    let names: Vec<_> = columns.iter().map(|&column| COLUMNS[column]).collect();
    writeln!(text, "{}", names.join(",")).unwrap();
    for row in rows {
        let cells: Vec<_> = columns.iter().map(|&column| row[column].as_str()).collect();
        writeln!(text, "{}", cells.join(",")).unwrap();
    }
    text
}

/// Runs `mbt` on files, or with a file as a pipe, which is not seekable.
fn run(args: &[&str], pipe: Option<&Path>) -> (Vec<u8>, String, i32) {
    match pipe {
        None => run_in(".", args),
        Some(path) => run_with(BIN, args, &std::fs::read(path).unwrap()).unwrap(),
    }
}

/// The file without the index at its end; the flag of its frames that promises an index is cleared.
fn without_index(path: &Path) -> PathBuf {
    let mut bytes = std::fs::read(path).unwrap();
    let mut at = 0;
    while bytes[at..].starts_with(b"MATHLDBT") {
        let header = u32::from_le_bytes(bytes[at + 12..at + 16].try_into().unwrap());
        let body = u64::from_le_bytes(bytes[at + 16..at + 24].try_into().unwrap());
        bytes[at + 10] &= !2;
        let header_end = at + 28 + header as usize;
        let head = [&bytes[at..at + 24], &bytes[at + 28..header_end]].concat();
        bytes[at + 24..at + 28].copy_from_slice(&crc32fast::hash(&head).to_le_bytes());
        at = header_end + body as usize;
    }
    assert!(at < bytes.len() && bytes.ends_with(b"MBTX"));
    let plain = path.with_extension("plain.mbt");
    std::fs::write(&plain, &bytes[..at]).unwrap();
    plain
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn rows_are_those_of_a_naive_filter(
        seed in 1u64..,
        rows in 1u64..300,
        frame_rows in 1u64..60,
        from in 0usize..20,
        len in 0usize..200,
    ) {
        let mut random = Random(seed);
        let table = random.table(rows);
        let dir = tempfile::tempdir().unwrap();
        let text = dir.path().join("a.csv");
        let all: Vec<usize> = (0..COLUMNS.len()).collect();
        std::fs::write(&text, csv(&all, table.iter())).unwrap();
        let frames = dir.path().join("a.mbt");
        let frame_rows = frame_rows.to_string();
        let args = [text.to_str().unwrap(), "-o", frames.to_str().unwrap()];
        text_of(".", &[&["convert", "-q", "--frame-rows", &frame_rows], &args[..]].concat());
        let plain = without_index(&frames);

        for round in 0..4 {
            let tree = random.condition(rows, 0);
            let condition = tree.text();
            let passing = table.iter().filter(|row| tree.holds(row) == Some(true));
            let columns = if round % 2 == 0 { all.clone() } else { vec![4, 0] };
            let names: Vec<_> = columns.iter().map(|&column| COLUMNS[column]).collect();
            let (names, range) = (names.join(","), format!("{from}..{}", from + len));
            let mut options = vec!["--to", "csv", "--where", &condition, "--columns", &names];
            let expected = if round < 2 {
                csv(&columns, passing)
            } else {
                options.extend(["--rows", &range]);
                csv(&columns, passing.skip(from).take(len))
            };
            for (threads, input, is_pipe) in [
                ("1", &text, false),
                ("4", &text, false),
                ("1", &frames, false),
                ("4", &frames, false),
                ("4", &frames, true),
                ("1", &plain, false),
            ] {
                let path = if is_pipe { "-" } else { input.to_str().unwrap() };
                let args = [&["convert", "-q", "-T", threads, path], &options[..]].concat();
                let (found, said, code) = run(&args, is_pipe.then_some(input));
                prop_assert_eq!(code, 0, "{}", said);
                prop_assert_eq!(&String::from_utf8(found).unwrap(), &expected, "{:?}", args);
            }
        }
    }
}

/// A condition is an error only if it was tried on all rows and suits none. How many frames were read ahead
/// must not matter.
#[test]
fn a_limit_ends_the_search_for_values_that_suit_a_condition() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let mut text = String::new();
    for id in 0..4000 {
        let name = if id < 10 { "null" } else { "\"x\"" };
        writeln!(text, "{{\"id\":{id},\"name\":{name}}}").unwrap();
    }
    let (ndjson, frames) = (path("a.ndjson"), path("a.mbt"));
    std::fs::write(&ndjson, text).unwrap();
    let frames_of_ten = format!("convert -q --frame-rows 10 {ndjson} -o {frames}");
    let frames_of_ten = words(&frames_of_ten);
    text_of(".", &frames_of_ten);
    for input in [&ndjson, &frames] {
        for threads in ["1", "2", "4"] {
            let condition = ["--where", "name > 1 or id in (5, 200)"];
            let all = [
                &["convert", "-q", "-T", threads, input, "--to", "ndjson"],
                &condition[..],
            ];
            assert_eq!(mbt(".", &all.concat()).status.code(), Some(2));
            for (limit, found) in [
                ("1", "{\"id\":5,\"name\":null}\n"),
                (
                    "2",
                    "{\"id\":5,\"name\":null}\n{\"id\":200,\"name\":\"x\"}\n",
                ),
            ] {
                let limited = [&all.concat()[..], &["--limit", limit]].concat();
                assert_eq!(text_of(".", &limited), found);
            }
        }
    }
}

#[test]
fn frames_that_are_left_out_by_index_or_header_are_not_looked_at() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let mut text = String::from("id,text\n");
    for id in 0..4000 {
        writeln!(text, "{id},some text of row {}", id * 7919 % 4001).unwrap();
    }
    std::fs::write(path("a.csv"), text).unwrap();
    let (csv, frames) = (path("a.csv"), path("a.mbt"));
    text_of(
        ".",
        &["convert", "-q", "--frame-rows", "1000", &csv, "-o", &frames],
    );
    let plain = without_index(Path::new(&frames));
    let plain = plain.to_str().unwrap();

    // The damage in the second frame shows whether it was read.
    for (name, damaged) in [("with.mbt", frames.as_str()), ("without.mbt", plain)] {
        let mut bytes = std::fs::read(damaged).unwrap();
        let found = bytes
            .windows(8)
            .enumerate()
            .filter(|(_, it)| *it == b"MATHLDBT");
        let third = found.map(|(at, _)| at).nth(2).unwrap();
        bytes[third - 1] ^= 1;
        std::fs::write(path(name), bytes).unwrap();
        let file = path(name);
        let fixed = ["convert", "-q", "--to", "csv", &file];
        let fails = |options: &[&str]| run_in(".", &[&fixed[..], options].concat()).2 != 0;
        let lines = |options: &[&str]| {
            let text = text_of(".", &[&fixed[..], options].concat());
            text.lines().count()
        };
        assert!(fails(&[]));
        assert_eq!(lines(&["--where", "id >= 2000 and id < 2010"]), 11);
        assert_eq!(lines(&["--where", "id = 5"]), 2);
        assert!(fails(&["--where", "id = 1005"]));
        // The damage is in the text.
        assert_eq!(lines(&["--columns", "id"]), 4001);
        assert!(fails(&["--columns", "text"]));
        assert_eq!(lines(&["--columns", "id", "--where", "id = 1005"]), 2);
    }
}

/// Whether a column exists, and whether its values suit the condition, also depends on the frames that are left out.
#[test]
fn frames_that_are_left_out_change_no_answer() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let nested = "{\"k\":1,\"o\":{\"i\":1}}\n{\"k\":2,\"o\":null}\n{\"k\":3,\"o\":null}\n";
    let mixed = "k,c\n1,5\n2,x\n3,6\n";
    for (name, text, conditions) in [
        (
            "a.ndjson",
            nested,
            &[
                ("k = 2 and o.i is null", Some(0)),
                ("k = 9 and o.i = 1", Some(0)),
                ("k = 2 and o.i = 1", Some(0)),
                ("k = 2 and o.z is null", Some(2)),
            ][..],
        ),
        (
            "b.csv",
            mixed,
            &[
                ("k = 3 and c = 'x'", Some(0)),
                ("k = 1 and c = 'x'", Some(0)),
                ("k = 2 and c = 5", Some(0)),
            ],
        ),
        (
            "c.csv",
            "k,name,flag\n1,ann,true\n2,bob,false\n3,eve,true\n",
            &[
                ("k = 3 and name > 5", Some(2)),
                ("k = 9 and name > 5", Some(2)),
                ("k = 9 and flag > 5", Some(2)),
                ("k = 9 and nam = 'ann'", Some(2)),
                ("k = 9 and name = 'ann'", Some(0)),
                ("k = 9 and name > flag", Some(2)),
            ],
        ),
    ] {
        let (text_file, frames) = (path(name), path("a.mbt"));
        std::fs::write(&text_file, text).unwrap();
        let args = format!("convert -q --force --frame-rows 1 {text_file} -o {frames}");
        let args = words(&args);
        text_of(".", &args);
        for (condition, status) in conditions {
            let select = |input: &str, pipe: Option<&Path>| {
                let args = [
                    "convert", "-q", "--to", "ndjson", "--where", condition, input,
                ];
                let (found, _, code) = run(&args, pipe);
                assert_eq!(Some(code), *status, "{input} {condition}");
                found
            };
            let expected = select(&text_file, None);
            assert_eq!(select(&frames, None), expected, "{condition}");
            assert_eq!(
                select("-", Some(Path::new(&frames))),
                expected,
                "{condition}"
            );
        }
    }
}

#[test]
fn conditions_that_cannot_be_met_say_why() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    std::fs::write(&path, "id,name,day\n1,ann,2024-01-31\n2,bob,2024-02-01\n").unwrap();
    let csv = path.to_str().unwrap();
    let [frames, arrow] = ["mbt", "arrow"].map(|ending| path.with_extension(ending));
    for to in [&frames, &arrow] {
        text_of(".", &["convert", "-q", csv, "-o", to.to_str().unwrap()]);
    }
    let inputs = [csv, frames.to_str().unwrap(), arrow.to_str().unwrap()];
    for (condition, expected) in [
        (
            "nope = 1",
            "there is no column \"nope\"; columns are id, name, day",
        ),
        (
            "id = 1 or nmae = 'ann'",
            "there is no column \"nmae\"; did you mean name?",
        ),
        ("ID = 1", "there is no column \"ID\"; did you mean id?"),
        (
            "name = ann",
            "there is no column \"ann\"; put text in single quotes: 'ann'",
        ),
        (
            "id = 'ann'",
            "column \"id\" is i64, and \"ann\" is not; write a number such as 5 or -1.5",
        ),
        (
            "id > 'ann'",
            "column \"id\" is i64, and \"ann\" is not; write a number such as 5 or -1.5",
        ),
        (
            "name < 5",
            "column \"name\" is text, and none of its values are numbers; compare it with text, in single quotes",
        ),
        (
            "day > 'monday'",
            "column \"day\" is date, and \"monday\" is not; write a date such as '2024-01-31'",
        ),
        (
            "day = id",
            "column \"day\" is date and column \"id\" is i64; only columns of one kind can be compared",
        ),
        (
            "not id",
            "column \"id\" is i64, not a condition; compare it: id > 5",
        ),
        ("id >", "a value is missing"),
    ] {
        for path in inputs {
            let args = ["convert", path, "--to", "csv", "--where", condition];
            let (_, stderr, code) = run_in(".", &args);
            assert_eq!(code, 2, "{path}: {condition}");
            assert!(
                stderr.contains(&format!("--where: {expected}")),
                "{path}: {condition}: {stderr}"
            );
        }
    }
}

#[test]
fn values_are_compared_whatever_their_type_and_spelling() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.ndjson");
    let rows = [
        r#"{"n":0,"i":9007199254740993,"f":0.5,"t":"10","v":3,"d":"2024-01-31T23:30:00-01:00"}"#,
        r#"{"n":1,"i":9007199254740992,"f":1e20,"t":"x","v":"a","d":"2024-02-01T00:30:00Z"}"#,
        r#"{"n":2,"i":18446744073709551615,"f":2,"t":"007","v":[1],"d":"2024-02-02T12:00:00Z"}"#,
        r#"{"n":3,"i":-1,"f":null,"t":null,"v":null,"d":null,"u":{"k.x":[{"a":5}]}}"#,
    ];
    std::fs::write(&path, rows.join("\n") + "\n").unwrap();
    let text = path.to_str().unwrap();
    let frames = path.with_extension("mbt");
    let frames = frames.to_str().unwrap();
    text_of(".", &["convert", "-q", text, "-o", frames]);
    for (condition, expected) in [
        ("i = 9007199254740993", "0"),
        ("i > 9007199254740992.5", "02"),
        ("i < f", "1"),
        ("f = 100000000000000000000", "1"),
        ("f = 100000000000000000001", ""),
        ("f > 99999999999999999999.5", "1"),
        ("t >= 7", "02"),
        ("t = 7.0", "2"),
        ("t <> 7", "01"),
        ("not t > 7", "2"),
        ("t = '007'", "2"),
        ("v = 3 or v = 'a'", "01"),
        ("v <> 3", "12"),
        ("v < 4", "0"),
        ("not v < 4", ""),
        ("d = '2024-02-01T00:30:00Z'", "01"),
        ("d = timestamp '2024-02-01 02:30:00+02:00'", "01"),
        ("u.\"k.x\"[0].a = 5", "3"),
        ("u.k.x[-1].a = 5", "3"),
        ("u.k.x[1].a is null and u is not null", "3"),
        ("t = \"x\"", "1"),
        ("i::text = '1'", "error"),
    ] {
        for input in [text, frames] {
            let args = [
                "convert",
                "-q",
                input,
                "--to",
                "csv",
                "--columns",
                "n",
                "--where",
                condition,
            ];
            if expected == "error" {
                assert_eq!(run_in(".", &args).2, 2, "{condition}");
                continue;
            }
            let found: String = text_of(".", &args).lines().skip(1).collect();
            assert_eq!(found, expected, "{input}: {condition}");
        }
    }
}

#[test]
fn an_index_costs_little() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (csv, frames) = (path("a.csv"), path("a.mbt"));
    for (rows, most) in [(100, 450), (10_000, 800)] {
        let mut text = String::from("MsgID,User,Text,Lang,Seen\n");
        for row in 0..rows {
            let words = "This is a test message with some content to make it realistic";
            let (id, user, seen) = (row + 1, 1000 + row % 100, row % 2 == 0);
            writeln!(text, "{id},{user},{words},en,{seen}").unwrap();
        }
        std::fs::write(&csv, text).unwrap();
        let args = [
            "convert", "-q", "--force", "--preset", "small", &csv, "-o", &frames,
        ];
        text_of(".", &args);
        let len = std::fs::metadata(&frames).unwrap().len();
        assert!(len <= most, "{rows} rows: {len} bytes");
    }
}

/// Values of several kinds in one list, in columns whose type differs between frames.
#[test]
fn lists_of_mixed_values_match_in_frames_of_any_type() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "a\n10\n2\nx\n10\n").unwrap();
    let path = path.to_str().unwrap();
    for rows in ["1", "2", "3", "4"] {
        for (condition, expected) in [
            ("a in ('x', 10)", "a\n10\nx\n10\n"),
            ("a not in ('x', 10)", "a\n2\n"),
            ("a in ('x', '10')", "a\n10\nx\n10\n"),
            ("a not in ('x', '10')", "a\n2\n"),
            ("a in ('x', 'y')", "a\nx\n"),
        ] {
            let args = ["convert", path, "--frame-rows", rows, "--where", condition];
            let found = text_of(".", &[&args[..], &["--to", "csv"]].concat());
            assert_eq!(found, expected, "{condition} with {rows} rows per frame");
        }
    }
    let path = folder.path().join("times.csv");
    std::fs::write(&path, "a\n13:00:00\n13:00:00.5\n13:00:00.25\nx\n").unwrap();
    let path = path.to_str().unwrap();
    for rows in ["1", "2", "4"] {
        for (condition, expected) in [
            ("a = '13:00:00.500'", "a\n13:00:00.5\n"),
            ("a = time '13:00'", "a\n13:00:00\n"),
            ("a < '13:00:00.3'", "a\n13:00:00\n13:00:00.25\n"),
            ("a <> '13:00'", "a\n13:00:00.5\n13:00:00.25\nx\n"),
        ] {
            let args = ["convert", path, "--frame-rows", rows, "--where", condition];
            let found = text_of(".", &[&args[..], &["--to", "csv"]].concat());
            assert_eq!(found, expected, "{condition} with {rows} rows per frame");
        }
    }
    let path = folder.path().join("a.ndjson");
    std::fs::write(&path, "{\"a\":null}\n{\"a\":true}\n").unwrap();
    let args = ["convert", path.to_str().unwrap(), "--frame-rows", "1"];
    let args = [&args[..], &["--where", "a", "--to", "ndjson"]].concat();
    assert_eq!(text_of(".", &args), "{\"a\":true}\n");
}

/// A string with half a surrogate pair makes JSON text of its column, in which the other strings keep their values.
#[test]
fn strings_are_compared_beside_those_that_are_not_unicode() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ndjson");
    let rows = [
        r#"{"n":0,"x":"x","u":{"t":["q"]},"v":"x"}"#,
        r#"{"n":1,"x":"7","u":{"t":["\n"]},"v":5}"#,
        r#"{"n":2,"x":"\ud800","u":{"t":["\udc00"]},"v":"\ud800"}"#,
    ];
    std::fs::write(&path, rows.join("\n") + "\n").unwrap();
    let path = path.to_str().unwrap();
    let frames = folder.path().join("a.mbt");
    let frames = frames.to_str().unwrap();
    for size in ["1", "2", "3"] {
        let args = ["convert", "-q", "--force", "--frame-rows", size, path];
        text_of(".", &[&args[..], &["-o", frames]].concat());
        for (condition, expected) in [
            ("x = 'x'", "0"),
            ("x <> 'x'", "12"),
            ("x in ('x', '7')", "01"),
            ("x ~ '^x$'", "0"),
            ("x = 7", "1"),
            ("x = v", "02"),
            ("u.t[0] = 'q'", "0"),
            ("v = 'x' or v = 5", "01"),
        ] {
            for input in [path, frames] {
                let args = ["convert", "-q", input, "--to", "csv", "--columns", "n"];
                let args = [&args[..], &["--where", condition]].concat();
                let found: String = text_of(".", &args).lines().skip(1).collect();
                assert_eq!(found, expected, "{input} in frames of {size}: {condition}");
            }
        }
        let cells = "x,v\nx,x\n7,5\n\"\"\"\\ud800\"\"\",\"\"\"\\ud800\"\"\"\n";
        for input in [path, frames] {
            let args = ["convert", "-q", input, "--to", "csv", "--columns", "x,v"];
            assert_eq!(text_of(".", &args), cells, "{input} in frames of {size}");
        }
    }
}

/// Lists so long that their values are not tested one after the other: integers that follow each other and repeat, and
/// others that occur in no row.
#[test]
fn long_lists_match_the_rows_with_one_of_their_values() {
    type Value = fn(u64) -> String;
    let columns: [(&str, Value); 7] = [
        ("int", |row| (row as i64 - 500).to_string()),
        ("wide", |row| {
            format!("{}", 90_000_000_000_000_000_000 + u128::from(row))
        }),
        ("float", |row| format!("{row}.5e-3")),
        // Some look like numbers, such as 90710952 and 9e677173.
        ("hash", |row| {
            format!("'{:08x}'", (row + 1) * 2_654_435_761 % (1 << 32))
        }),
        // Numbers next to text, some of them in quotes.
        ("code", |row| match row % 3 {
            0 => format!("'A{row}'"),
            1 => format!("'{row}'"),
            _ => row.to_string(),
        }),
        ("text", |row| format!("'row {row:03}'")),
        ("day", |row| {
            format!(
                "'20{:02}-{:02}-{:02}'",
                row / 300,
                row / 25 % 12 + 1,
                row % 25 + 1
            )
        }),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let mut text = String::from("row");
    for (name, _) in columns {
        write!(text, ",{name}").unwrap();
    }
    for row in 0..1000 {
        write!(text, "\n{row}").unwrap();
        for (_, value) in columns {
            write!(text, ",{}", value(row).trim_matches('\'')).unwrap();
        }
    }
    text.push('\n');
    std::fs::write(&path, text).unwrap();
    let frames = folder.path().join("a.mbt");
    let [path, frames] = [&path, &frames].map(|it| it.to_str().unwrap());
    text_of(".", &["convert", path, "-o", frames, "--frame-rows", "400"]);
    let is_listed = |row: u64| row % 7 == 3 || (600..650).contains(&row);
    for (name, value) in columns {
        let mut listed: Vec<_> = (0..1000).filter(|&row| is_listed(row)).collect();
        listed.extend([5003, 610, 10, 8888]);
        listed.reverse();
        let listed: Vec<_> = listed.into_iter().map(value).collect();
        for (word, expected) in [("in", true), ("not in", false)] {
            let condition = format!("{name} {word} ({})", listed.join(", "));
            for input in [path, frames] {
                let args = ["convert", input, "--to", "csv", "--columns", "row"];
                let found = text_of(".", &[&args[..], &["--where", &condition]].concat());
                let rows = (0..1000).filter(|&row| is_listed(row) == expected);
                let rows: Vec<_> = rows.map(|row| row.to_string()).collect();
                let expected = format!("row\n{}\n", rows.join("\n"));
                assert_eq!(found, expected, "{name} {word}, {input}");
            }
        }
    }
}
