use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Option<i64> {
    parse_timestamp(text.as_bytes())
}

fn print(micros: i64) -> String {
    let mut out = Vec::new();
    print_timestamp(micros, &mut out);
    String::from_utf8(out).unwrap()
}

/// A deterministic pseudo-random sequence (splitmix64).
fn numbers() -> impl Iterator<Item = u64> {
    (1..).map(|i: u64| {
        let mut z = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

#[test]
fn known_edge_cases_print_and_parse() {
    for (micros, text) in [
        (i64::MIN, "-290308-12-21T19:59:05.224192Z"),
        (i64::MAX, "+294247-01-10T04:00:54.775807Z"),
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
        (-1000, "1969-12-31T23:59:59.999Z"),
        (1_704_187_800_000_000, "2024-01-02T09:30:00Z"),
        (1_704_187_800_120_000, "2024-01-02T09:30:00.120Z"),
        (1_704_187_800_000_120, "2024-01-02T09:30:00.000120Z"),
        (951_782_400_000_000, "2000-02-29T00:00:00Z"),
        (-2_203_891_200_000_000, "1900-03-01T00:00:00Z"),
        (-2_203_977_600_000_000, "1900-02-28T00:00:00Z"),
        (4_107_542_400_000_000, "2100-03-01T00:00:00Z"),
        (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        (253_402_300_800_000_000, "+010000-01-01T00:00:00Z"),
        (-62_167_219_200_000_000, "0000-01-01T00:00:00Z"),
        (-62_167_219_200_000_001, "-000001-12-31T23:59:59.999999Z"),
    ] {
        assert_eq!(print(micros), text);
        assert_eq!(parse(text), Some(micros), "{text}");
        assert_eq!(
            parse_canonical_timestamp(text.as_bytes()),
            Some(micros),
            "{text}"
        );
    }
}

#[test]
fn every_accepted_spelling_is_the_same_instant() {
    let instant = parse("2024-01-02T09:30:00Z");
    for text in [
        "2024-01-02t09:30:00z",
        "2024-01-02 09:30:00Z",
        "2024-01-02T09:30Z",
        "2024-01-02T09:30:00.0Z",
        "2024-01-02T09:30:00.000000000Z",
        "2024-01-02T09:30:00+00:00",
        "2024-01-02T09:30:00-00:00",
        "2024-01-02T11:30:00+02:00",
        "2024-01-02T11:30:00+0200",
        "2024-01-02 11:30+02",
        "2024-01-01T22:00:00-11:30",
        "+002024-01-02T09:30:00Z",
        "+02024-01-02T09:30:00Z",
    ] {
        assert_eq!(parse(text), instant, "{text}");
        assert_eq!(parse_canonical_timestamp(text.as_bytes()), None, "{text}");
    }
    assert_eq!(parse("1970-01-01T00:00:00.1Z"), Some(100_000));
    assert_eq!(parse("1970-01-01T00:00:00.000001000Z"), Some(1));
}

#[test]
fn invalid_instants_are_rejected() {
    for text in [
        "",
        "2024-01-02",
        "2024-01-02T09:30:00",
        "2024-01-02T09:30:00.5",
        "2024-01-02T09Z",
        "2024-01-02T09:30:60Z",
        "2016-12-31T23:59:60Z",
        "2024-01-02T24:00:00Z",
        "2024-01-02T23:60:00Z",
        "2024-04-31T00:00:00Z",
        "2024-00-01T00:00:00Z",
        "2024-13-01T00:00:00Z",
        "2024-99-01T00:00:00Z",
        "2024-01-00T00:00:00Z",
        "2024-01-32T00:00:00Z",
        "2023-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z",
        "2000-02-30T00:00:00Z",
        "2024-01-02  09:30:00Z",
        "2024-01-02_09:30:00Z",
        "2024/01/02T09:30:00Z",
        "2024-01-02T09:30:00 Z",
        " 2024-01-02T09:30:00Z",
        "2024-01-02T09:30:00Z ",
        "2024-01-02T09:30:00.Z",
        "2024-01-02T09:30:00,5Z",
        "2024-01-02T09:30.5Z",
        "2024-01-02T09:30:00.0000001Z",
        "2024-01-02T09:30:00.0000000000Z",
        "2024-01-02T09:30:00+24:00",
        "2024-01-02T09:30:00+02:60",
        "2024-01-02T09:30:00+2",
        "2024-01-02T09:30:00+02:",
        "2024-01-02T09:30:00+02:0",
        "2024-01-02T09:30:00+020",
        "12024-01-02T09:30:00Z",
        "+2024-01-02T09:30:00Z",
        "+0002024-01-02T09:30:00Z",
        "-000000-01-02T09:30:00Z",
        "-00000-01-02T09:30:00Z",
        "+294247-01-10T04:00:54.775808Z",
        "+294247-01-10T04:00:54.775807-00:01",
        "-290308-12-21T19:59:05.224191Z",
        "-290308-12-21T19:59:05.224192+00:01",
        "+999999-01-01T00:00:00Z",
        "-999999-01-01T00:00:00Z",
        "２024-01-02T09:30Z",
    ] {
        assert_eq!(parse(text), None, "{text}");
    }
}

#[test]
fn the_fast_path_distinguishes_digits_from_all_other_bytes() {
    let text = *b"2024-01-02T09:30:00Z";
    for place in 0..text.len() {
        for byte in 0..=255u8 {
            let mut text = text;
            text[place] = byte;
            if let Some(micros) = parse_seconds_in_utc(&text) {
                assert_eq!(print(micros).as_bytes(), text);
            }
            if byte.is_ascii_digit() || byte == b'Z' || byte == b'T' {
                continue;
            }
            let accepted = parse_seconds_in_utc(&text).is_some();
            assert_eq!(accepted, text == *b"2024-01-02T09:30:00Z", "{text:?}");
        }
    }
}

#[test]
fn every_day_of_the_range_is_one_after_the_last() {
    // Walks the calendar by its rules, independently of the arithmetic.
    let (mut year, mut month, mut day) = (1970, 1, 1);
    let mut days = 0;
    while year < 1970 + 801 {
        assert_eq!(civil_from_days(days), (year, month, day));
        assert_eq!(days_from_civil(year, month, day), Some(days));
        // The calendar repeats every 400 years, so this covers both ends.
        for cycles in [-730, 728] {
            let far = days + cycles * 146_097;
            if (FIRST_YEAR..=LAST_YEAR).contains(&(year + 400 * cycles)) {
                assert_eq!(civil_from_days(far), (year + 400 * cycles, month, day));
                assert_eq!(days_from_civil(year + 400 * cycles, month, day), Some(far));
            }
        }
        days += 1;
        day += 1;
        if days_from_civil(year, month, day).is_none() {
            (month, day) = (month + 1, 1);
        }
        if month == 13 {
            (year, month) = (year + 1, 1);
        }
    }
    assert_eq!(days, 801 * 365 + 194); // 194 leap days in 1970..=2770
}

#[test]
fn pythons_datetime_agrees() {
    const SCRIPT: &str = "
import sys
from datetime import datetime, timedelta, timezone
epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
for line in sys.stdin:
    t = epoch + timedelta(microseconds=int(line))
    zone = timezone(timedelta(minutes=int(line) % 1439 - 719))
    try:
        local = t.astimezone(zone).isoformat()
    except OverflowError:
        local = t.isoformat()
    print(t.isoformat(), local, sep='\\t')
";
    let mut python = match Command::new("python3")
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    {
        Ok(child) => child,
        Err(error) => return eprintln!("skipped, python3 does not start: {error}"),
    };
    // Python supports the years 1 to 9999.
    let (first, last) = (-62_135_596_800_000_000_i64, 253_402_300_799_999_999_i64);
    let width = last.abs_diff(first) + 1;
    let instants: Vec<i64> = numbers()
        .take(6000)
        .enumerate()
        .map(|(i, n)| {
            let instant = first + (n % width) as i64;
            // A third in whole seconds, a third in whole milliseconds.
            let unit = [1, 1000, 1_000_000][i % 3];
            instant.div_euclid(unit) * unit
        })
        .chain([first, last])
        .collect();
    let lines: Vec<String> = instants.iter().map(i64::to_string).collect();
    let input = lines.join("\n");
    let mut stdin = python.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = python.wait_with_output().unwrap();
    feeder.join().unwrap().unwrap();
    assert!(output.status.success());
    let output = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.lines().count(), instants.len());
    for (line, &instant) in output.lines().zip(&instants) {
        let (utc, local) = line.split_once('\t').unwrap();
        assert_eq!(parse(utc), Some(instant), "{utc}");
        assert_eq!(parse(local), Some(instant), "{local}");
        let expected = match utc.strip_suffix("+00:00").unwrap() {
            text if instant % 1_000_000 != 0 && instant % 1000 == 0 => &text[..text.len() - 3],
            text => text,
        };
        assert_eq!(print(instant), format!("{expected}Z"));
    }
}

proptest! {
    #[test]
    fn every_instant_reads_back(micros: i64) {
        let text = print(micros);
        prop_assert_eq!(parse(&text), Some(micros));
        prop_assert_eq!(parse_canonical_timestamp(text.as_bytes()), Some(micros));
    }

    #[test]
    fn every_whole_second_and_millisecond_reads_back(n in -9_223_372_036_854i64..9_223_372_036_854) {
        for micros in [n * 1000, n * 1_000_000] {
            prop_assert_eq!(parse(&print(micros)), Some(micros));
        }
    }

    #[test]
    fn the_fast_path_agrees_with_the_slow_one(
        year in 0..=9999u32, month in 0..=13u32, day in 0..=32u32,
        hour in 0..=25u32, minute in 0..=61u32, second in 0..=61u32,
    ) {
        let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
        let bytes: &[u8; 20] = text.as_bytes().try_into().unwrap();
        prop_assert_eq!(parse_seconds_in_utc(bytes), parse_any_form(bytes));
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(text in "[-+0-9TZ:. ]{0,32}") {
        if let Some(micros) = parse(&text) {
            prop_assert_eq!(parse(&print(micros)), Some(micros));
        }
    }
}
