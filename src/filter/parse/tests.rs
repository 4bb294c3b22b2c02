use super::super::expression::TextPattern;
use super::*;

/// The condition as its structure, each comparison in brackets.
fn shown(expression: &Expression) -> String {
    let all = |members: &[Expression], word: &str| {
        let members: Vec<_> = members.iter().map(shown).collect();
        format!("{word}({})", members.join(" "))
    };
    match expression {
        Expression::All(members) => all(members, "all"),
        Expression::Any(members) => all(members, "any"),
        Expression::Not(inner) => format!("not {}", shown(inner)),
        Expression::Is(inner, truth) => format!("is {truth:?} {}", shown(inner)),
        Expression::Constant(truth) => format!("{truth:?}"),
        Expression::Comparison(Comparison { path, test, .. }) => match test {
            Test::Null => format!("[{path} null]"),
            Test::True => format!("[{path}]"),
            Test::Values { op, values } => {
                let texts: Vec<_> = values
                    .iter()
                    .map(|value| {
                        let kind = match value.kind {
                            LiteralKind::Text => "'",
                            LiteralKind::Number | LiteralKind::Bool => "",
                            LiteralKind::Instant => "@",
                        };
                        format!("{kind}{}", value.text)
                    })
                    .collect();
                format!("[{path} {op:?} {}]", texts.join(","))
            }
            Test::Matches(TextPattern { regex, prefix }) => {
                format!("[{path} ~ {regex} {prefix:?}]")
            }
            Test::Column(
                op,
                Operand {
                    path: other,
                    quoted,
                },
            ) => {
                format!("[{path} {op:?} {other}{}]", if *quoted { "?" } else { "" })
            }
        },
    }
}

#[test]
fn conditions_are_read_as_sql_reads_them() {
    for (text, expected) in [
        (
            "a = 5 and b < 'x' or not c",
            "any(all([a Equal 5] [b Less 'x]) not [c])",
        ),
        ("$[0] > 5 and $ is null", "all([$[0] Greater 5] [$ null])"),
        (
            "a = 1 or b = 2 or c = 3",
            "any([a Equal 1] [b Equal 2] [c Equal 3])",
        ),
        (
            "(a = 1 or b = 2) and c == -3.5",
            "all(any([a Equal 1] [b Equal 2]) [c Equal -3.5])",
        ),
        ("5 >= a", "[a AtMost 5]"),
        ("a != 'it''s'", "not [a Equal 'it's]"),
        (
            "a not between 1 and 2",
            "not all([a AtLeast 1] [a AtMost 2])",
        ),
        (
            "a in (1, null, 2)",
            "any(any([a Equal ] None) [a Equal 1,2])",
        ),
        ("a not in ('x', b)", "not any([a Equal b] [a Equal 'x])"),
        ("a = \"x\"", "[a Equal x?]"),
        ("\"x\" < a", "[a Greater x?]"),
        ("`my col` is not null", "not [my col null]"),
        ("user.name = order.\"by.x\"", "[user.name Equal order.by.x]"),
        ("end[0].tags[-1]['k'] > 1", "[end[0].tags[-1].k Greater 1]"),
        ("d >= date '2024-01-31'", "[d AtLeast @2024-01-31]"),
        (
            "date > timestamp '2024-01-31 10:00'",
            "[date Greater @2024-01-31 10:00]",
        ),
        (
            "a like 'x.%_'",
            r#"[a ~ (?s)^x\.(?s-u:.)*(?:.|(?-u:[\x80-\xff]))$ "x."]"#,
        ),
        ("a like '%x%'", "[a ~ (?s)x \"\"]"),
        ("a not ilike 'x!%' escape '!'", "not [a ~ (?s)^x%$ \"\"]"),
        ("a !~* '^x'", "not [a ~ ^x \"\"]"),
        ("a ~* '^x'", "[a ~ ^x \"\"]"),
        ("a > +1 and (b) = (2)", "all([a Greater 1] [b Equal 2])"),
        ("(a = 1) is not unknown", "not is None [a Equal 1]"),
        ("(a = 1) is not true", "not is Some(true) [a Equal 1]"),
        ("a = null", "any([a Equal ] None)"),
        ("true and null", "all(Some(true) None)"),
    ] {
        let (expression, _) = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let found = shown(&expression);
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn mistakes_are_named() {
    for (text, expected) in [
        ("", "a value is missing at the end of the condition"),
        ("a >", "a value is missing at the end of the condition"),
        ("a in ()", "a value is missing at character 7 before )"),
        (
            "a = 'b",
            "the text in quotes that begins at character 5 has no end",
        ),
        (
            "a = \"b",
            "the text in quotes that begins at character 5 has no end",
        ),
        (
            "a =\n'b",
            "that begins in line 2, at character 1, has no end",
        ),
        (
            "a = /* b",
            "the comment that begins at character 9 has no end",
        ),
        (
            "a is 5",
            "null, true, false or unknown is missing at character 6 before 5",
        ),
        (
            "a in ('b' 'c')",
            "a closing parenthesis or a comma is missing at character 11",
        ),
        ("a between 1", "and is missing at the end of the condition"),
        (
            "a = 5)",
            "the closing parenthesis at character 6 has no opening one",
        ),
        (
            "a = 5; b",
            "the condition ends at the semicolon at character 6",
        ),
        ("a = 5 6", "join comparisons with AND or OR"),
        ("a b > 6", "names with spaces in double quotes"),
        ("a > 5 limit 3", "--limit N keeps the first N rows"),
        ("a like b%", "put patterns in single quotes"),
        ("a = 1 b", "cannot read \"b\" after a = 1"),
        ("a = 1 && b = 2", "write and for &&"),
        ("a > 2024-01-31", "put dates and times in quotes"),
        ("a > 2024-01-31T10:00:00Z", "put dates and times in quotes"),
        ("a > 2024-01-31 10:00", "put dates and times in quotes"),
        ("a > 1/31/2024", "put dates and times in quotes"),
        ("a > 31.01.2024", "put dates and times in quotes"),
        ("a > 10:00", "put dates and times in quotes"),
        (
            "a + 1 > 2",
            "cannot read a + 1 here; arithmetic is not supported",
        ),
        (
            "my-column = 2",
            "column names with signs in them go in double quotes",
        ),
        (
            "lower(a) = 'x'",
            "cannot read lower(a) here; functions are not supported",
        ),
        ("a::int = 5", "cannot read a::int here; casts are not"),
        (
            "1 < a < 3",
            "cannot read 1 < a here; join comparisons with and",
        ),
        ("a =~ 'x'", "write ~ before a regular expression"),
        ("a rlike 'x'", "write ~ before a regular expression"),
        ("a starts with 'x'", "write like with a pattern"),
        ("a in 1", "write lists like this: column in (1, 2)"),
        ("a = x'41'", "cannot read X'41' as a value"),
        ("a[1.5] = 1", "cannot read [1.5] as the place of an item"),
        ("a like 'b' escape '!!'", "escape takes one character"),
        ("a || 'x' = 'bx'", "write or for ||"),
        ("a ~ '('", "unclosed group"),
        ("a like b", "a pattern must be text"),
        ("1 = 1", "a comparison needs a column"),
        ("5", "5 is not a condition"),
        (
            "a = (select 1)",
            "a closing parenthesis or a comma is missing at character 13 before 1",
        ),
        ("a[x] = 1", "an item has a number"),
    ] {
        let message = parse(text).unwrap_err().message();
        assert!(message.starts_with("--where: "), "{text}: {message}");
        assert!(message.contains(expected), "{text}: {message}");
    }
    let deep = format!("{}a = 1{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(
        parse(&deep)
            .unwrap_err()
            .message()
            .contains("too many parentheses")
    );
    let long = vec!["a = 1"; 20_000].join(" or ");
    assert_eq!(parse(&long).unwrap().1, 20_000);
}
