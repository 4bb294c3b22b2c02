use super::*;
use proptest::prelude::*;

#[test]
fn faults_have_their_offset() {
    for (text, at, what) in [
        ("", 0, "the text ends where a value should begin"),
        ("{\"a\" 1}", 5, "expected :"),
        ("{a:1}", 1, "expected a key"),
        ("[1,]", 3, "expected a value"),
        ("[1 2]", 3, "expected , or ]"),
        ("{\"a\":1,}", 7, "expected a key"),
        ("{\"a\":1]", 6, "expected , or }"),
        ("01", 0, "a number must not begin with 0"),
        ("-", 1, "expected a digit"),
        ("1.", 2, "expected a digit after the decimal point"),
        ("1e+", 3, "expected a digit in the exponent"),
        ("tru", 0, "expected a value"),
        ("\"abc", 4, "the text ends inside a string"),
        (
            "\"a\nb\"",
            2,
            "a control character in a string must be escaped",
        ),
        ("\"\\x\"", 1, "unknown escape sequence"),
        (
            "\"\\u12g4\"",
            1,
            "expected four hexadecimal digits after \\u",
        ),
        ("[[1]", 4, "the text ends inside a value"),
    ] {
        assert_eq!(
            value_end(text.as_bytes(), 0).map_err(|fault| (fault.at, fault.kind.message())),
            Err((at, what)),
            "{text}"
        );
    }
}

#[test]
fn deep_nesting_does_not_recurse() {
    let deep = "[{\"a\":".repeat(100_000) + "1" + &"}]".repeat(100_000);
    assert!(check(deep.as_bytes()).is_some());
    assert!(check(&deep.as_bytes()[1..]).is_none());
    assert!(check(&deep.as_bytes()[..deep.len() - 2]).is_none());
}

#[test]
fn the_grammar_is_followed_exactly() {
    for text in [
        "0",
        "-0",
        "1.5",
        "1e5",
        "1E+05",
        "-1.0e-3",
        "true",
        " null ",
        "\"\"",
        "[]",
        "{}",
        "[ ]",
        "{ }",
        "[1,[2,{}]]",
        "{\"a\":{\"b\":[]},\"a\":1}",
        "\t\r\n\"\\u00e9\\n\"\n",
        "\"\\ud800\"",
        "1e999",
    ] {
        assert!(check(text.as_bytes()).is_some(), "{text:?}");
    }
    for text in [
        "",
        " ",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1e",
        "1e+",
        "--1",
        "0x1",
        "nul",
        "nulll",
        "True",
        "NaN",
        "\"",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\n\"",
        "[",
        "[1",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{1:1}",
        "[}",
        "{]",
        "1 2",
        "[]]",
        "}",
        "\u{feff}1",
        "'a'",
        "-e",
        "1e5.5",
    ] {
        assert!(check(text.as_bytes()).is_none(), "{text:?}");
    }
}

#[test]
fn lone_surrogates_are_rejected() {
    let mut out = Vec::new();
    assert_eq!(unescape(br"\ud83d\ude00\u00e9\/", &mut out), Some(()));
    assert_eq!(out, "😀é/".as_bytes());
    for bad in [&br"\ud83d"[..], br"\ude00", br"\ud83dx", br"\ud83d\u0041"] {
        assert_eq!(unescape(bad, &mut Vec::new()), None);
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        "\\PC{0,20}".prop_map(Into::into),
        "[\\x00-\\x7f]{0,20}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            proptest::collection::vec(("\\PC{0,8}", inner), 0..6)
                .prop_map(|pairs| serde_json::Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn pretty_and_compact_agree_with_serde_json(value in json()) {
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(check(pretty.as_bytes()), Some(()));
        let mut out = Vec::new();
        compact(pretty.as_bytes(), &mut out);
        prop_assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string(&value).unwrap());
        if let Some(text) = value.as_str() {
            let quoted = serde_json::to_string(&value).unwrap();
            let mut out = Vec::new();
            prop_assert_eq!(unescape(&quoted.as_bytes()[1..quoted.len() - 1], &mut out), Some(()));
            prop_assert_eq!(out, text.as_bytes());
        }
    }

    #[test]
    fn accepts_what_serde_json_accepts(text in "[\\[\\]{}:,\"\\\\0-2.eE+\\-ntrufalse u\n]{0,24}") {
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        // serde_json also rejects numbers that overflow f64 and strings with lone surrogates.
        let beyond = theirs.as_ref().is_err_and(|e| {
            let what = e.to_string();
            what.contains("out of range") || what.contains("surrogate") || what.contains("hex escape")
        });
        prop_assert!(beyond || check(text.as_bytes()).is_some() == theirs.is_ok(), "{:?}", theirs);
    }
}
