//! Styles of other programs, written by hand according to their manuals.

use mbt::format::json::Flavor;
use mbt::text::json::JsonStyle;
use serde_json::{Value, json};

use crate::json_style::read::{assert_alike, printed, read, style};

fn options(text: &str, flavor: Flavor) -> Value {
    let read = read(text.as_bytes(), flavor, None).unwrap();
    let style = style(&read);
    style.options(&JsonStyle::compact(style.array)).into()
}

/// Style and text of documents.
fn samples() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        (
            "Jackson's default pretty printer",
            "[ {\n  \"id\" : 1,\n  \"tags\" : [ \"a\", \"b\" ],\n  \"none\" : [ ],\n  \"of\" : { },\n  \"in\" : {\n    \"x\" : [ {\n      \"y\" : 1.5\n    }, {\n      \"y\" : 2.5\n    } ]\n  }\n}, {\n  \"id\" : 2,\n  \"tags\" : [ \"c\" ],\n  \"none\" : [ ],\n  \"of\" : { },\n  \"in\" : {\n    \"x\" : [ ]\n  }\n} ]",
            json!({"between": ", ", "colon": " : ", "indent": "  ", "lines": true, "empty": " ",
                   "arrays": {"comma": ", ", "lines": false, "pad": " "}}),
        ),
        (
            "JSON_PRETTY_PRINT of PHP",
            "[\n    {\n        \"url\": \"https:\\/\\/a.example\\/\\u00e9\",\n        \"list\": [\n            1,\n            2\n        ],\n        \"none\": [],\n        \"of\": {}\n    },\n    {\n        \"url\": \"\\/\",\n        \"list\": [],\n        \"none\": [],\n        \"of\": {}\n    }\n]",
            json!({"between": ",\n    ", "colon": ": ", "indent": "    ", "depth": 1, "lines": true,
                   "ascii": true, "slash": true}),
        ),
        (
            "jq with a tab",
            "{\n\t\"a\": [\n\t\t1,\n\t\t{\n\t\t\t\"b\": \"é\\u007f\"\n\t\t}\n\t],\n\t\"c\": {}\n}\n{\n\t\"a\": [],\n\t\"c\": {}\n}\n",
            json!({"colon": ": ", "indent": "\t", "lines": true, "hex": "\u{7f}"}),
        ),
        (
            "MarshalIndent of Go",
            "[\n  {\n    \"Html\": \"\\u003cb\\u003e \\u0026 \\u2028\",\n    \"N\": null\n  },\n  {\n    \"Html\": \"é\",\n    \"N\": null\n  }\n]\n",
            json!({"between": ",\n  ", "colon": ": ", "indent": "  ", "depth": 1, "lines": true,
                   "hex": "&<>\u{2028}\u{2029}"}),
        ),
        (
            "jsonb of PostgreSQL",
            "{\"a\": 1, \"b\": [1, 2], \"c\": {}}\n{\"a\": 2, \"b\": [], \"c\": {}}\n",
            json!({"colon": ": ", "comma": ", "}),
        ),
        (
            "json_agg of PostgreSQL",
            "[{\"a\":1,\"b\":\"x\"}, \n {\"a\":2,\"b\":\"y\"}]\n",
            json!({"between": ", \n "}),
        ),
        (
            "System.Text.Json of .NET",
            "[{\"a\":\"\\u0022\\u00E9\\u002B\\u003C\"},{\"a\":\"\\u0027\"}]",
            json!({"ascii": true, "upper": true, "hex": "\"'+<"}),
        ),
        (
            "Prettier, where objects are in a line",
            "[{ \"a\": 1, \"b\": [1, 2] }, { \"a\": 2, \"b\": [] }]\n",
            json!({"between": ", ", "colon": ": ", "comma": ", ", "pad": " ", "arrays": {"pad": ""}}),
        ),
        (
            "pretty_generate of Ruby, as it was",
            "[\n  {\n    \"a\": [\n\n    ],\n    \"b\": {\n    }\n  },\n  {\n    \"a\": [\n      1\n    ],\n    \"b\": {\n    }\n  }\n]",
            json!({"between": ",\n  ", "colon": ": ", "indent": "  ", "depth": 1, "lines": true,
                   "empty": "\n", "arrays": {"empty": "\n\n"}}),
        ),
        (
            "a comma in front",
            "[ {\"a\":1}\n, {\"a\":2}\n, {\"a\":3}\n]\n",
            json!({"between": "\n, "}),
        ),
        (
            "no white space at all",
            "{\"a\":[1,{}]}{\"a\":[2,{}]}",
            json!({"between": ""}),
        ),
        (
            "blank lines",
            "{\"a\":1}\n\n{\"a\":2}\n\n",
            json!({"between": "\n\n"}),
        ),
    ]
}

#[test]
fn styles_are_told_and_kept() {
    for (name, text, expected) in samples() {
        assert_eq!(options(text, Flavor::Document), expected, "{name}");
        assert_alike(text.as_bytes(), Flavor::Document, name);
    }
}

#[test]
fn a_style_begins_and_ends_a_text() {
    for (name, text, _) in samples() {
        let read = read(text.as_bytes(), Flavor::Document, None).unwrap();
        let style = style(&read);
        let (mut begin, mut end) = (Vec::new(), Vec::new());
        style.begin(&mut begin);
        style.end(&mut end);
        let rows: Vec<u8> = printed(read, 1)
            .into_iter()
            .flat_map(|(_, row)| row)
            .collect();
        let whole = String::from_utf8([begin, rows, end].concat()).unwrap();
        if name != "Jackson's default pretty printer" && name != "a comma in front" {
            assert_eq!(whole.trim_end(), text.trim_end(), "{name}");
        }
        let values = |text: &str| -> Vec<Value> {
            let values = serde_json::Deserializer::from_str(text).into_iter();
            values.map(Result::unwrap).collect()
        };
        assert_eq!(values(&whole), values(text), "{name}");
    }
}

#[test]
fn lines_keep_their_ends() {
    assert_eq!(
        options("{\"a\":1}\r\n{\"a\":2}\r\n", Flavor::Lines),
        json!({"between": "\r\n"})
    );
    assert_alike(b"{\"a\":1}\r\n{\"a\":2}\r\n", Flavor::Lines, "CR LF");
    assert_eq!(options("{\"a\":1}\n{\"a\":2}", Flavor::Lines), json!({}));
}

#[test]
fn text_that_is_kept_as_text_takes_the_style() {
    // Objects with repeated keys, and objects nested too deep, remain text.
    let deep = |len| format!("{}{}", "[ ".repeat(len), " ]".repeat(len));
    let text = format!(
        "{{ \"a\": {{ \"é\\/\": 1, \"k\": 2, \"k\": [ 3, 4 ] }}, \"b\": [ {} ] }}\n",
        deep(100).replace("[  ]", "[]")
    );
    assert_alike(text.as_bytes(), Flavor::Lines, "as it stands");
}

#[test]
fn the_last_of_two_values_of_a_key_counts() {
    let text = "{\"a\":[{\"b\":1},{\"b\":2}],\"c\":1,\"a\":[{\"b\":3}]}\n{\"a\":[{\"b\":4}],\"c\":2}\n{\"c\":3,\"c\":{\"a\":[5]},\"c\":null}\n";
    let prints: String = printed(read(text.as_bytes(), Flavor::Lines, None).unwrap(), 1)
        .into_iter()
        .map(|(_, row)| String::from_utf8(row).unwrap())
        .collect();
    assert_eq!(
        prints,
        "{\"a\":[{\"b\":3}],\"c\":1}\n{\"a\":[{\"b\":4}],\"c\":2}\n{\"c\":null}\n"
    );
}

#[test]
fn rows_of_all_kinds_come_back_whatever_frame_they_are_in() {
    let text = "{\"a\":1,\"b\":[1]}\n[1,2]\n\"x\"\nnull\n{\"b\":[2],\"$\":3}\n{\"a\":null}\n{}\n7\n{\"a\":5}\n";
    for limit in 1..9 {
        for frame in [1, 2, 3, usize::MAX] {
            let read = read(text.as_bytes(), Flavor::Lines, Some(limit)).unwrap();
            for (stands, prints) in printed(read, frame) {
                assert_eq!(
                    stands, prints,
                    "{limit} rows to a block, {frame} blocks to a frame"
                );
            }
        }
    }
}

#[test]
fn what_is_no_style_is_refused() {
    for (array, options) in [
        (false, json!({"between": "x"})),
        (true, json!({"between": "\n"})),
        (true, json!({"between": ",,"})),
        (false, json!({"between": " ".repeat(100)})),
        (false, json!({"indent": " ".repeat(9)})),
        (false, json!({"depth": 1000})),
        (false, json!({"colon": "="})),
        (false, json!({"comma": " "})),
        (false, json!({"pad": 1})),
        (false, json!({"arrays": {"pad": "0"}})),
        (false, json!({"arrays": {"colon": ":"}})),
        (false, json!({"hex": "é"})),
        (false, json!({"new": true})),
    ] {
        let map = options.as_object().unwrap();
        assert_eq!(
            JsonStyle::from_options(&JsonStyle::compact(array), map),
            None,
            "{options}"
        );
    }
}
