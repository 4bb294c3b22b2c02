//! The output of Python's `json` is restored without patches.

use std::process::Command;

use mbt::format::json::Flavor;

use crate::json_style::read::assert_alike;
use crate::skip::skip;

/// Prints a text per combination of arguments, as a line with a description and hex digits.
const PYTHON: &str = r#"
import itertools, json
rows = [
    {"id": i, "name": "Zoë \U0001f600 <b>&</b> a/b \"q\" \\ \t\x08\x0c\x1f\x7f\u2028" + str(i),
     "price": i * 1.5, "tiny": 1.5e-07 * (i + 1), "none": None, "yes": i % 2 == 0,
     "tags": ["x"] * (i % 3), "deep": {"a": {"b": [1, [2, {}], {"c": []}]}, "e": {}},
     "points": [{"x": 1.25, "y": -2.5}, {"x": 3.5, "y": 4.75}]}
    for i in range(7)
]
def put(name, text):
    print(name.replace(" ", "_"), text.encode().hex())
for ascii, indent, separators, sort in itertools.product(
        [True, False], [None, 0, 1, 2, 3, 4, 8, "\t"],
        [None, (",", ":"), (", ", ": "), (",", ": "), (" , ", " : "), (", ", ":")], [True, False]):
    args = dict(ensure_ascii=ascii, indent=indent, separators=separators, sort_keys=sort)
    put("document " + str(args), json.dumps(rows, **args))
    put("one " + str(args), json.dumps(rows[1], **args) + "\n")
    if indent is None:
        put("lines " + str(args), "".join(json.dumps(row, **args) + "\n" for row in rows))
    else:
        put("values " + str(args), "".join(json.dumps(row, **args) + "\n" for row in rows))
        put("crlf " + str(args), json.dumps(rows, **args).replace("\n", "\r\n"))
"#;

#[test]
fn texts_of_pythons_json_print_as_they_stand() {
    let Ok(output) = Command::new("python3").args(["-c", PYTHON]).output() else {
        skip("python3 does not start");
        return;
    };
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    let mut texts = 0;
    for line in lines.lines() {
        let (name, hex) = line.split_once(' ').unwrap();
        let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        let text: Vec<u8> = (0..hex.len()).step_by(2).map(digit).collect();
        let flavor = if name.starts_with("lines") {
            Flavor::Lines
        } else {
            Flavor::Document
        };
        assert_alike(&text, flavor, name);
        texts += 1;
    }
    assert!(texts > 500, "{texts} texts");
}
