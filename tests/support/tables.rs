//! Tables as NDJSON, with each cell in the canonical spelling of its value.

use std::fmt::Write as _;

use crate::chance::Random;

/// A column as in NDJSON: its values, `None` if the key is absent.
pub type Cells = (&'static str, Vec<Option<String>>);

/// The lines of a table without the columns `skipped`.
pub fn lines(table: &[Cells], skipped: &[String]) -> String {
    let mut out = String::new();
    for row in 0..table[0].1.len() {
        let members: Vec<_> = table
            .iter()
            .filter(|(name, _)| !skipped.iter().any(|skipped| skipped == name))
            .filter_map(|(name, cells)| Some(format!("\"{name}\":{}", cells[row].as_ref()?)))
            .collect();
        writeln!(out, "{{{}}}", members.join(",")).unwrap();
    }
    out
}

/// A column of a table, computed from the row's number and a random number.
fn cells(rows: usize, mut cell: impl FnMut(usize, &mut Random) -> String) -> Vec<Option<String>> {
    let mut random = Random(7);
    (0..rows).map(|row| Some(cell(row, &mut random))).collect()
}

/// A table of such columns.
struct Table {
    rows: usize,
    columns: Vec<Cells>,
}

impl Table {
    fn of(rows: usize) -> Self {
        let columns = Vec::new();
        Self { rows, columns }
    }

    fn add(&mut self, name: &'static str, cell: impl FnMut(usize, &mut Random) -> String) {
        self.columns.push((name, cells(self.rows, cell)));
    }
}

/// Numbers of shapes that suit the encodings.
pub fn numbers(rows: usize) -> Vec<Cells> {
    let steps = |row: usize, random: &mut Random| (row * 1000 + random.below(90)).to_string();
    let mut table = Table::of(rows);
    table.add("id", |row, _| row.to_string());
    table.add("same", |_, _| "-7".to_owned());
    table.add("climbs", steps);
    table.add("small", |_, random| random.below(100).to_string());
    table.add("huge", |_, random| random.next().to_string());
    table.add("negative", |_, random| {
        (random.next() as i64 >> 40).to_string()
    });
    table.add("seldom", |row, random| {
        (if row % 97 == 5 { random.below(9000) } else { 0 }).to_string()
    });
    table.add("runs", |row, _| (row / 50 * 7919 % 613).to_string());
    table.add("few", |_, random| {
        ["900001", "17", "123456789"][random.below(3)].to_owned()
    });
    table.add("price", |_, random| {
        format!("{}.{:02}", random.below(500), random.below(100))
    });
    table.add("wide", |_, random| {
        format!("{}{:020}.5", random.below(9) + 1, random.next())
    });
    table.add("float", |_, random| {
        format!(
            "{}",
            (random.next() >> 12) as f64 / (1u64 << 52) as f64 + 1.0
        )
    });
    table.add("near", |row, _| {
        format!("{}", (3 * row + 1) as f64 * 0.1 + 0.2 + 1e-9)
    });
    table.add("mixed_float", |row, random| match row % 40 {
        0 => format!("{}", (random.next() >> 20) as f64 / 3.0),
        _ => format!("{}.25", random.below(80)),
    });
    table.add("exponent", |row, _| {
        format!("{}e+{}", row % 9 + 1, 16 + row % 100)
    });
    table.add("yes", |_, random| (random.below(9) > 0).to_string());
    table.columns
}

/// Text, and types that are text in JSON.
pub fn texts(rows: usize) -> Vec<Cells> {
    const WORDS: [&str; 12] = [
        "column",
        "frame",
        "the",
        "of",
        "naïve",
        "\\\"quoted\\\"",
        "tab\\there",
        "ﬁ",
        "🦀",
        "row",
        "which",
        "never",
    ];
    let hex = |random: &mut Random| format!("{:016x}{:016x}", random.next(), random.next());
    let mut table = Table::of(rows);
    table.add("colour", |_, random| {
        format!("\"{}\"", ["red", "green", "blue"][random.below(3)])
    });
    table.add("user", |_, random| {
        format!(
            "\"user-{:05}@host{}\"",
            random.below(90_000),
            random.below(12)
        )
    });
    table.add("md5", |_, random| format!("\"{}\"", hex(random)));
    table.add("MD5", |_, random| {
        format!("\"{}\"", hex(random).to_uppercase())
    });
    table.add("uuid", |_, random| {
        let hex = hex(random);
        format!(
            "\"{}-{}-{}-{}-{}\"",
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..]
        )
    });
    table.add("day", |row, _| {
        format!("\"2024-{:02}-{:02}\"", row % 12 + 1, row % 28 + 1)
    });
    table.add("at", |row, random| {
        format!(
            "\"2024-02-29T{:02}:{:02}:{:02}.{:03}Z\"",
            row % 24,
            row % 60,
            row % 59,
            random.below(999) + 1
        )
    });
    table.add("local", |row, _| {
        format!(
            "\"{}/{}/1999 {:02}:30\"",
            row % 12 + 1,
            row % 28 + 1,
            row % 24
        )
    });
    table.add("padded", |row, _| format!("\"{:05}\"", row * 3));
    table.add("prose", |_, random| {
        let words: Vec<_> = (0..random.below(12))
            .map(|_| WORDS[random.below(12)])
            .collect();
        format!("\"{}\"", words.join(" "))
    });
    table.add("runs", |row, _| format!("\"group {}\"", row / 300));
    table.columns
}

/// Objects, arrays, and missing values.
pub fn nested(rows: usize) -> Vec<Cells> {
    let mut absent = cells(rows, |row, _| format!("{}.5", row % 30));
    let mut both = absent.clone();
    let mut with_null = absent.clone();
    for row in 0..rows {
        if row % 3 == 1 {
            absent[row] = None;
        }
        if row % 4 > 1 {
            with_null[row] = Some("null".to_owned());
            both[row] = (row % 4 == 2).then(|| "null".to_owned());
        }
    }
    let mut table = Table::of(rows);
    table.add("place", |row, random| {
        format!(
            "{{\"lat\":{}.125,\"lon\":-{}.5,\"name\":\"p{row}\"}}",
            random.below(90),
            random.below(180)
        )
    });
    table.add("tags", |row, random| {
        let tags: Vec<_> = (0..row % 4)
            .map(|_| format!("\"t{}\"", random.below(5)))
            .collect();
        format!("[{}]", tags.join(","))
    });
    table.add("line", |row, _| {
        let points = (0..=row % 5).map(|at| format!("[{}.25,{}.5]", 1000 + row + at, row % 90));
        format!("[{}]", points.collect::<Vec<_>>().join(","))
    });
    table.add("items", |row, random| match row % 6 {
        0 => "null".to_owned(),
        1 => "[]".to_owned(),
        _ => format!(
            "[{{\"sku\":\"S-{}\",\"count\":{row}}},{{\"sku\":\"x\",\"count\":null}}]",
            random.below(999)
        ),
    });
    table.add("kinds", |row, _| {
        ["1", "\"one\"", "true", "null", "{\"one\":1}", "[1]"][row % 6].to_owned()
    });
    table.add("by_id", |row, random| {
        format!(
            "{{\"{}\":{row},\"{}\":1}}",
            100_000 + random.below(900_000),
            10_000_000 + row
        )
    });
    table.add("unnamed", |row, _| {
        format!("{{\"\":{row},\"b\":{{\"\":null}}}}")
    });
    table.add("nothing", |_, _| "null".to_owned());
    table
        .columns
        .extend([("absent", absent), ("both", both), ("with_null", with_null)]);
    table.columns
}
