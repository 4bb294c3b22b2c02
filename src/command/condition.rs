//! Parses `--where` conditions.
//!
//! ```text
//! condition  := comparison ("and" comparison)*
//! comparison := column ("=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=") value
//!             | column ["not"] "in" "(" value ("," value)* ")"
//!             | column "is" ["not"] "null"
//! ```
//!
//! A column is a name up to a space or an operator, or is quoted in any way. A value extends to the next `and`, or is
//! quoted; a doubled quote means one.

use crate::error::{Error, Result};
use crate::filter::{Condition, Literal, Op, Predicate};

/// Parses a condition.
///
/// # Errors
/// [`crate::error::Kind::Usage`] that says what was expected.
pub fn parse(text: &str) -> Result<Predicate> {
    let mut parser = Parser { rest: text };
    let mut conditions = Vec::new();
    loop {
        conditions.push(
            parser
                .comparison()
                .map_err(|error| error.of_option("--where"))?,
        );
        parser.space();
        if parser.rest.is_empty() {
            return Ok(Predicate::new(conditions));
        }
        if !parser.word("and") {
            return Err(Error::usage(format!(
                "--where: cannot read {:?} after a comparison",
                parser.rest
            ))
            .hint("join comparisons with and; quote values that contain special characters"));
        }
    }
}

const OPERATORS: [(&str, Op); 8] = [
    ("==", Op::In { not: false }),
    ("!=", Op::In { not: true }),
    ("<>", Op::In { not: true }),
    ("<=", Op::AtMost),
    (">=", Op::AtLeast),
    ("=", Op::In { not: false }),
    ("<", Op::Less),
    (">", Op::Greater),
];

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn comparison(&mut self) -> Result<Condition> {
        let path = self.path()?;
        self.space();
        for (sign, op) in OPERATORS {
            if let Some(rest) = self.rest.strip_prefix(sign) {
                self.rest = rest;
                let values = vec![self.value(false)?];
                return Ok(Condition { path, op, values });
            }
        }
        if self.word("is") {
            let not = self.word("not");
            if self.word("null") {
                let op = Op::Null { not };
                let values = Vec::new();
                return Ok(Condition { path, op, values });
            }
        } else {
            let not = self.word("not");
            if self.word("in") && self.sign("(") {
                let mut values = vec![self.value(true)?];
                while self.sign(",") {
                    values.push(self.value(true)?);
                }
                if self.sign(")") {
                    let op = Op::In { not };
                    return Ok(Condition { path, op, values });
                }
            }
        }
        Err(
            Error::usage(format!("cannot read {:?} as an operator", self.rest)).hint(
                "the operators are = != < <= > >=, is null, is not null, in (A, B) and not in (A, B)",
            ),
        )
    }

    fn path(&mut self) -> Result<Vec<String>> {
        let mut path = Vec::new();
        self.space();
        loop {
            let quote = self.rest.chars().next();
            let part = if let Some(quote @ ('`' | '"' | '\'')) = quote {
                self.quoted(quote)?
            } else {
                let ends = |c: char| c.is_whitespace() || "=!<>.".contains(c);
                let end = self.rest.find(ends).unwrap_or(self.rest.len());
                self.take(end).to_owned()
            };
            if part.is_empty() {
                return Err(Error::usage("a comparison must start with a column").hint(
                    "write --where 'column > 5', and put unusual names in backticks: `my column`",
                ));
            }
            path.push(part);
            match self.rest.strip_prefix('.') {
                Some(rest) => self.rest = rest,
                None => return Ok(path),
            }
        }
    }

    /// A value; one in a list ends at a comma or the list's end.
    fn value(&mut self, listed: bool) -> Result<Literal> {
        self.space();
        if let Some(quote @ ('"' | '\'')) = self.rest.chars().next() {
            let text = self.quoted(quote)?;
            return Ok(Literal { text, quoted: true });
        }
        let end = if listed {
            self.rest.find([',', ')'])
        } else {
            let starts = self.rest.char_indices().filter(|(_, c)| c.is_whitespace());
            let mut starts = starts.map(|(at, _)| at);
            starts.find(|&at| {
                Parser {
                    rest: &self.rest[at..],
                }
                .word("and")
            })
        };
        let text = self.take(end.unwrap_or(self.rest.len())).trim().to_owned();
        if text.is_empty() {
            return Err(Error::usage("a value is missing").hint("write '' for the empty string"));
        }
        let words = |sign: &str| text.split_whitespace().any(|word| word == sign);
        if words("or") || words("OR") || words("||") || words("&&") {
            return Err(
                Error::usage(format!("cannot read {text:?} as a value")).hint(
                    "comparisons can only be joined with and; use in (A, B) for several values; quote a value that contains such words",
                ),
            );
        }
        Ok(Literal {
            text,
            quoted: false,
        })
    }

    fn quoted(&mut self, quote: char) -> Result<String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            if c == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
                self.rest = &self.rest[at + c.len_utf8()..];
                return Ok(text);
            }
            text.push(c);
        }
        Err(Error::usage(format!("{} has no closing quote", self.rest))
            .hint("add the closing quote; inside quotes, write a quote twice"))
    }

    fn take(&mut self, end: usize) -> &str {
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn sign(&mut self, sign: &str) -> bool {
        self.space();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes a word if it comes next.
    fn word(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start();
        let found = rest
            .get(..word.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(word));
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if found && ends(&rest[word.len()..]) {
            self.rest = &rest[word.len()..];
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(String, Op, Vec<String>)> {
        let predicate = parse(text).unwrap();
        let conditions = predicate.conditions().iter();
        let text = |value: &Literal| {
            if value.quoted {
                format!("'{}'", value.text)
            } else {
                value.text.clone()
            }
        };
        conditions
            .map(|it| {
                let values = it.values.iter().map(text).collect();
                (it.path.join("|"), it.op, values)
            })
            .collect()
    }

    fn one(path: &str, op: Op, values: &[&str]) -> (String, Op, Vec<String>) {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        (path.to_owned(), op, values)
    }

    #[test]
    fn comparisons_are_read_as_they_look() {
        const IS: Op = Op::In { not: false };
        const NOT: Op = Op::In { not: true };
        for (text, expected) in [
            ("a=5", vec![one("a", IS, &["5"])]),
            ("a == -5.0 ", vec![one("a", IS, &["-5.0"])]),
            (
                "a<=2024-01-31 10:00:00",
                vec![one("a", Op::AtMost, &["2024-01-31 10:00:00"])],
            ),
            ("`my col` <> 'it''s'", vec![one("my col", NOT, &["'it's'"])]),
            ("\"a.b\".c >''", vec![one("a.b|c", Op::Greater, &["''"])]),
            (
                "city = New York AND x is not null",
                vec![
                    one("city", IS, &["New York"]),
                    one("x", Op::Null { not: true }, &[]),
                ],
            ),
            (
                "a.b IS NULL",
                vec![one("a|b", Op::Null { not: false }, &[])],
            ),
            (
                "é in (1, 'b, c',d)",
                vec![one("é", IS, &["1", "'b, c'", "d"])],
            ),
            (
                "x not in (sand)and y<1",
                vec![one("x", NOT, &["sand"]), one("y", Op::Less, &["1"])],
            ),
            ("x = android", vec![one("x", IS, &["android"])]),
            (
                "x = a and b = \"and\"",
                vec![one("x", IS, &["a"]), one("b", IS, &["'and'"])],
            ),
            (
                "isin is null",
                vec![one("isin", Op::Null { not: false }, &[])],
            ),
        ] {
            assert_eq!(shown(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for text in [
            "",
            " ",
            "a",
            "a >",
            "> 5",
            "a ! 5",
            "a is",
            "a is not",
            "a = 'b",
            "a = 1 or b = 2",
            "a = 1 && b = 2",
            "a in 1",
            "a in (1",
            "a in ()",
            "a = 'b' c",
            "a = 1 and",
            "`a = 1",
            "a. = 5",
            "é",
            "a like 'b%'",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}
