//! Any text is restored or refused.

use proptest::prelude::*;
use proptest::sample::select;
use serde::de::IgnoredAny;

use super::trip::Trip;

/// Ways to convert that must not change the text.
fn options() -> impl Strategy<Value = Vec<&'static str>> {
    let frames = select(&["", "--frame-rows=1", "--frame-rows=2", "--frame-rows=7"][..]);
    let preset = select(&["", "", "--preset=fast", "--preset=small"][..]);
    let threads = select(&["--threads=1", "--threads=2"][..]);
    (frames, preset, threads).prop_map(|(frames, preset, threads)| {
        let words = [frames, preset, threads].into_iter();
        words.filter(|word| !word.is_empty()).collect()
    })
}

fn asked<'a>(from: &[&'a str], options: &[&'a str]) -> Vec<&'a str> {
    [from, options].concat()
}

fn csv_like() -> impl Strategy<Value = Vec<u8>> {
    let byte = select(&b",,,\"\"\";\t\r\n\n\n\\ab1 .N-'|\xc3\xa9\xef\xbb\xbf\0"[..]);
    proptest::collection::vec(byte, 0..150)
}

/// Tokens of JSON, mostly in a meaningless order.
fn json_tokens() -> impl Strategy<Value = String> {
    let token = select(
        &[
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\n",
            " ",
            "\t",
            "\r",
            "{\"a\":1}",
            "{\"b\":[]}",
            "\"a\"",
            "\"b\"",
            "1",
            "-0",
            "1.0",
            "1e5",
            "null",
            "true",
            "\"\\u00e9\"",
            "\"é\"",
            "\"\"",
        ][..],
    );
    proptest::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

/// White space of a document: what follows its tokens.
#[derive(Clone, Debug)]
struct Space {
    colon: &'static str,
    comma: &'static str,
    open: &'static str,
    between: &'static str,
}

fn space() -> impl Strategy<Value = Space> {
    (
        select(&[":", ": ", " : ", ":\n"][..]),
        select(&[",", ", ", " ,", ",\n  "][..]),
        select(&["", "", " ", "\n  "][..]),
        select(&["\n", "\n", "\r\n", "\n\n", " ", " \n"][..]),
    )
        .prop_map(|(colon, comma, open, between)| Space {
            colon,
            comma,
            open,
            between,
        })
}

fn scalar() -> impl Strategy<Value = String> {
    let known = select(
        &[
            "null",
            "true",
            "false",
            "0",
            "-0",
            "1",
            "-1",
            "1.0",
            "1.50",
            "1E5",
            "1e+05",
            "-0.0",
            "9223372036854775808",
            "123456789012345678901234567890",
            "0.1",
            "1e400",
            "5e-324",
            "\"\"",
            "\"a\"",
            "\"a\\/b\"",
            "\"\\u00e9\"",
            "\"é\"",
            "\"\\ud83d\\ude00\"",
            "\"😀\"",
            "\"\\ud83d\"",
            "\"\\u0000\"",
            "\"\\n\"",
            "\"\\u000a\"",
            "\"2024-01-02\"",
            "\"2024-01-02T03:04:05Z\"",
            "\"1\"",
            "\"1.50\"",
            "\"true\"",
            "\"null\"",
            "\"550e8400-e29b-41d4-a716-446655440000\"",
            "\"\u{7f}\\u007f\"",
            "\"<\\u003c\"",
        ][..],
    );
    prop_oneof![
        4 => known.prop_map(str::to_owned),
        1 => any::<i32>().prop_map(|number| number.to_string()),
        1 => any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(|x| format!("{x:?}")),
    ]
}

/// A value with members in any order, occasionally repeated keys, and some style.
fn value(space: Space) -> BoxedStrategy<String> {
    let key = select(&["a", "b", "c", "", "$", "a.b", "\\u0061", "é"][..]);
    scalar()
        .prop_recursive(3, 24, 5, move |inner| {
            let (of_list, of_object) = (space.clone(), space.clone());
            let list = proptest::collection::vec(inner.clone(), 0..4).prop_map(move |items| {
                let Space { comma, open, .. } = of_list;
                format!("[{open}{}{open}]", items.join(comma))
            });
            let member = (key.clone(), inner);
            let object = proptest::collection::vec(member, 0..5).prop_map(move |members| {
                let Space {
                    colon, comma, open, ..
                } = of_object;
                let members = members.iter();
                let members: Vec<String> = members
                    .map(|(key, value)| format!("\"{key}\"{colon}{value}"))
                    .collect();
                format!("{{{open}{}{open}}}", members.join(comma))
            });
            prop_oneof![1 => list, 3 => object]
        })
        .boxed()
}

/// Values of few kinds, concatenated or in an array.
fn json_text() -> impl Strategy<Value = (&'static str, String)> {
    let values = space().prop_flat_map(|space| {
        let between = space.between;
        let kinds = proptest::collection::vec(value(space), 1..6);
        (kinds, Just(between))
    });
    let picks = proptest::collection::vec(any::<u8>(), 0..30);
    let last = select(&["", "\n", "\n\n", " "][..]);
    let bom = select(&["", "", "", "\u{feff}"][..]);
    (values, picks, last, bom, any::<bool>()).prop_map(
        |((kinds, between), picks, last, bom, is_array)| {
            let picks = picks.into_iter();
            let picked: Vec<&str> = picks
                .map(|pick| &kinds[usize::from(pick) % kinds.len()][..])
                .collect();
            if is_array {
                let comma = format!(",{between}");
                let text = format!("{bom}[{}]{last}", picked.join(&comma));
                ("--from=json", text)
            } else {
                (
                    "--from=ndjson",
                    format!("{bom}{}{last}", picked.join(between)),
                )
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 4096, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_come_back_as_flexible_csv(text: Vec<u8>, options in options()) {
        prop_assert!(Trip::new().same_or_refused(&text, &asked(&["--from=csv", "--flexible"], &options)));
    }

    #[test]
    fn what_looks_like_csv_comes_back(
        text in csv_like(),
        options in options(),
        from in select(&["--from=csv", "--from=tsv"][..]),
        header: bool,
    ) {
        let from = [from, "--flexible", "--no-header"];
        let from = &from[..if header { 2 } else { 3 }];
        prop_assert!(Trip::new().same_or_refused(&text, &asked(from, &options)));
    }

    #[test]
    fn text_that_is_no_table_comes_back(
        parts in proptest::collection::vec(csv_like(), 10..20),
        words in "[a-z ]{0,40}",
        times in 1..20usize,
        options in options(),
        from in select(&["--from=csv", "--from=tsv"][..]),
        crlf: bool,
    ) {
        let mut text = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            text.extend_from_slice(part);
            for _ in 0..times {
                text.extend_from_slice(words.as_bytes());
                text.extend_from_slice(&b",\n"[usize::from(at % 3 > 0)..]);
            }
        }
        if crlf {
            text = text.iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }).collect();
        }
        prop_assert!(Trip::new().same_or_refused(&text, &asked(&[from, "--flexible"], &options)));
    }

    #[test]
    fn csv_comes_back_or_is_refused(text in csv_like(), options in options()) {
        Trip::new().same_or_refused(&text, &asked(&["--from=csv"], &options));
    }

    #[test]
    fn any_text_comes_back_as_json_or_is_refused(text: String, options in options(), lines: bool) {
        let from = ["--from=json", "--from=ndjson"][usize::from(lines)];
        Trip::new().same_or_refused(text.as_bytes(), &asked(&[from], &options));
    }

    #[test]
    fn tokens_of_json_come_back_or_are_refused(text in json_tokens(), options in options(), lines: bool) {
        let from = ["--from=json", "--from=ndjson"][usize::from(lines)];
        Trip::new().same_or_refused(text.as_bytes(), &asked(&[from], &options));
    }

    #[test]
    fn json_comes_back_whatever_its_style((from, text) in json_text(), options in options()) {
        let came_back = Trip::new().same_or_refused(text.as_bytes(), &asked(&[from], &options));
        prop_assert!(came_back || from == "--from=ndjson" || !is_json(&text), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Frames store such columns as dictionaries, from which they are printed.
    #[test]
    fn cells_that_repeat_often_come_back(
        records in proptest::collection::vec(csv_like(), 1..5),
        picks in proptest::collection::vec(any::<u8>(), 60..200),
        preset in select(&["--preset=fast", "--preset=balanced", "--preset=small"][..]),
        from in select(&["--from=csv", "--from=tsv"][..]),
    ) {
        let picked = picks.iter().map(|pick| &records[usize::from(*pick) % records.len()]);
        let text: Vec<u8> = picked.flat_map(|record| [&record[..], b"\n"].concat()).collect();
        prop_assert!(Trip::new().same_or_refused(&text, &[from, "--flexible", preset]));
    }
}

/// True if an independent parser accepts the text as concatenated JSON values.
fn is_json(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.all(|value| value.is_ok())
}
