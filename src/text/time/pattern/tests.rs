use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::*;

const PATTERNS: [&str; 19] = [
    "%Y-%m-%d",
    "%m/%d/%Y",
    "%-m/%-d/%Y",
    "%d.%m.%Y",
    "%B %-d, %Y",
    "%H:%M:%S",
    "%-I:%M %p",
    "%H:%M:%S%.3f",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S%.3fZ",
    "%Y-%m-%dT%H:%M:%S%.fZ",
    "%Y-%m-%d %H:%M:%S%.9f",
    "%d/%b/%Y:%H:%M:%S %z",
    "%a %b %d %H:%M:%S %z %Y",
    "%Y-%m-%d %H:%M:%S,%6f%:z",
    "%A, %d %B %Y %I:%M:%S %p%#z",
    "%Y-%m-%d %H:%M:%S%.1-6f%#z",
    "%-m/%-d/%Y %H:%M:%S%.1-9f",
    "%Y-%m-%dT%H:%M:%S%.6-6f%:z",
];

fn print(pattern: &Pattern, value: i64, offset: i32) -> String {
    let mut out = Vec::new();
    pattern.print(value, pattern.unit(), offset, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn patterns_without_a_complete_date_or_time_are_rejected() {
    for text in [
        "",
        "%Y",
        "%Y-%m",
        "%H",
        "%S",
        "%H:%S",
        "%Y-%m-%d %H",
        "%I:%M",
        "%H:%M %p",
        "%Y-%m-%d %Y",
        "%Q",
        "%",
        "%H:%M%.3f",
        "%H:%M:%S %z",
        "%j",
        "%H:%M:%S%.4-6f",
        "%H:%M:%S%.0-6f",
        "%H:%M:%S%.6-3f",
        "%H:%M:%S%.1-6f%.f",
        "abc",
    ] {
        assert_eq!(Pattern::compile(text), None, "{text}");
    }
}

#[test]
fn text_that_does_not_exist_or_print_back_is_rejected() {
    for (pattern, cells) in [
        (
            "%Y-%m-%d",
            "2023-02-29 2024-13-01 2024-00-10 2024-1-2 02024-01-02 2024-01-02x 2024/01/02",
        ),
        ("%-m/%-d/%Y", "01/2/2020 1/02/2020 13/1/2020 1//2020"),
        ("%H:%M:%S", "24:00:00 23:60:00 23:59:60 1:02:03"),
        ("%I:%M%p", "00:30AM 13:00PM 01:00am 01:00XM"),
        (
            "%a_%b_%d_%Y",
            "Mon_Jan_02_2024 Tue_jan_02_2024 TUE_Jan_02_2024",
        ),
        (
            "%Y-%m-%dT%H:%M%z",
            "2024-01-02T00:00-0000 2024-01-02T00:00+2400 2024-01-02T00:00+0160",
        ),
        (
            "%Y-%m-%dT%H:%M:%S%.fZ",
            "2024-01-02T00:00:00.000Z 2024-01-02T00:00:00.120000Z 2024-01-02T00:00:00.12Z",
        ),
        (
            "%H:%M:%S%.1-6f",
            "10:00:00. 10:00:00.0 10:00:00.50 10:00:00.1234567 10:00:00,5 10:00:00.5x",
        ),
        (
            "%Y-%m-%dT%H:%M:%S%.6-6f+00",
            "2024-01-02T00:00:00.5+00 2024-01-02T00:00:00.000000+00 2024-01-02T00:00:00.1234567+00",
        ),
    ] {
        let compiled = Pattern::compile(pattern).unwrap();
        for cell in cells.split(' ') {
            let offset = compiled.offset_of(cell.as_bytes()).unwrap_or(0);
            assert_eq!(
                compiled.read(cell.as_bytes(), offset),
                None,
                "{pattern} {cell}"
            );
        }
    }
    let monday = Pattern::compile("%a %Y-%m-%d").unwrap();
    assert_eq!(monday.read(b"Tue 2024-01-02", 0), Some(19724));
}

/// The expected text is what Postgres prints for `timestamp`, and Python's `isoformat`.
#[test]
fn optional_fractions_have_the_fewest_digits() {
    for (pattern, cells) in [
        (
            "%H:%M:%S%.1-6f",
            "10:00:00 10:00:00.5 10:00:00.25 10:00:00.000001 10:00:00.123456",
        ),
        ("%H:%M:%S%.6-6f", "10:00:00 10:00:00.500000 10:00:00.000001"),
        (
            "%H:%M:%S%.3-9f",
            "10:00:00 10:00:00.500 10:00:00.000001 10:00:00.000000001",
        ),
        (
            "%b %d %H:%M:%S%.1-3f %Y",
            "Jan_02_10:00:00_2024 Jan_02_10:00:00.01_2024",
        ),
    ] {
        let pattern = Pattern::compile(pattern).unwrap();
        for cell in cells.split(' ') {
            let cell = cell.replace('_', " ");
            let value = pattern.read(cell.as_bytes(), 0).unwrap();
            assert_eq!(print(&pattern, value, 0), cell);
        }
    }
}

#[test]
fn values_beyond_the_calendar_print_as_numbers() {
    for (text, unit) in [
        ("%Y-%m-%d", TimeUnit::Second),
        ("%Y-%m-%d %H:%M:%S", TimeUnit::Second),
    ] {
        let pattern = Pattern::compile(text).unwrap();
        for value in [i64::MIN, i64::MAX, 1 << 60] {
            let mut out = Vec::new();
            pattern.print(value, unit, 3600, &mut out);
            assert_eq!(out, value.to_string().as_bytes());
        }
    }
}

#[test]
fn pythons_strptime_agrees() {
    const SCRIPT: &str = "
import sys
from datetime import datetime, timezone
for line in sys.stdin:
    pattern, text = line.rstrip('\\n').split('\\t')
    t = datetime.strptime(text, pattern)
    if t.tzinfo is None: t = t.replace(tzinfo=timezone.utc)
    d = t - datetime(1970, 1, 1, tzinfo=timezone.utc)
    print((d.days * 86400 + d.seconds) * 1000000 + d.microseconds)
";
    let patterns = [
        "%Y-%m-%d %H:%M:%S",
        "%d/%b/%Y:%H:%M:%S %z",
        "%a %b %d %H:%M:%S %z %Y",
        "%A, %d %B %Y %I:%M:%S %p",
    ];
    let mut lines = String::new();
    let mut expected = Vec::new();
    for (i, text) in patterns.iter().enumerate() {
        let pattern = Pattern::compile(text).unwrap();
        for n in 0..200i64 {
            let value = n * 52_345_679 - 3_000_000_000 + i as i64 * 7;
            let offset = if pattern.has_offset() {
                (n as i32 % 27 - 13) * 1800
            } else {
                0
            };
            writeln!(lines, "{text}\t{}", print(&pattern, value, offset)).unwrap();
            expected.push((value * 1_000_000).to_string());
        }
    }
    let Ok(mut python) = Command::new("python3")
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    else {
        return eprintln!("skipped, python3 does not start");
    };
    let mut stdin = python.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = python.wait_with_output().unwrap();
    feeder.join().unwrap().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.lines().collect::<Vec<_>>(), expected);
}

proptest! {
    #[test]
    fn printed_values_parse_to_the_same(
        at in 0..PATTERNS.len(), value in -62_167_219_200i64..253_402_300_800, nanos in 0..1_000_000_000i64,
        minutes in -1439..1440i32,
    ) {
        let pattern = Pattern::compile(PATTERNS[at]).unwrap();
        let text = PATTERNS[at];
        let seconds = value - value.rem_euclid(60) * i64::from(!text.contains("%S"));
        let offset = if text.contains("%#z") { minutes / 60 * 3600 } else { minutes * 60 };
        let offset = if pattern.has_offset() { offset } else { 0 };
        let (per_second, in_unit) = per_second(pattern.unit());
        let value = match pattern.kind() {
            TimeKind::Date => seconds.div_euclid(86_400),
            TimeKind::Time => seconds.rem_euclid(86_400) * per_second + nanos / in_unit,
            // Nanoseconds cover 1677 to 2262.
            TimeKind::Timestamp if in_unit == 1 => (seconds % 9_000_000_000) * per_second + nanos,
            TimeKind::Timestamp => (seconds - i64::from(offset)) * per_second + nanos / in_unit,
        };
        let cell = print(&pattern, value, offset);
        if cell.contains(".000") && text.contains("%.f") { return Ok(()); }
        prop_assert_eq!(pattern.read(cell.as_bytes(), offset), Some(value), "{} {}", text, cell);
        prop_assert_eq!(pattern.offset_of(cell.as_bytes()), Some(offset));
        let faster = pattern.clone().with_offset(offset);
        prop_assert_eq!(print(&faster, value, offset), &cell[..]);
        prop_assert_eq!(faster.read(cell.as_bytes(), offset), Some(value));
        if pattern.has_offset() {
            prop_assert_eq!(faster.read(cell.as_bytes(), offset + 3600), None);
        }
        let walked = pattern.walk(cell.as_bytes(), Some(offset)).and_then(|(civil, _)| pattern.value(civil, offset));
        prop_assert_eq!(walked, Some(value));
    }

    #[test]
    fn parsed_text_prints_back(at in 0..PATTERNS.len(), cell in "[0-9]{1,4}[-/. ][0-9]{1,2}[-/. ][0-9]{1,4}([T ][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?( ?[AP]M)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?") {
        for pattern in crate::text::time::guess(cell.as_bytes()).iter().chain(&Pattern::compile(PATTERNS[at])) {
            let Some(offset) = pattern.offset_of(cell.as_bytes()) else { continue };
            if let Some(value) = pattern.read(cell.as_bytes(), offset) {
                prop_assert_eq!(print(pattern, value, offset), &cell[..]);
            }
        }
    }
}
