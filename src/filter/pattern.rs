//! Patterns of `like` and `~`, both as regular expressions.

use regex::bytes::RegexBuilder;

use super::expression::TextPattern;
use crate::error::{Error, Result};

/// The start of the text; a dot also matches line ends.
const START: &str = "(?s)^";

/// A character; each byte that is not part of UTF-8 counts as one.
const ANY: &str = r"(?:.|(?-u:[\x80-\xff]))";

/// Any text, UTF-8 or not.
const ALL: &str = "(?s-u:.)*";

/// A pattern of SQL: `%` matches any text, `_` any character.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if nothing follows `escape`.
pub fn like(pattern: &str, escape: Option<char>, ignores_case: bool) -> Result<TextPattern> {
    let (mut source, mut prefix) = (START.to_owned(), String::new());
    let mut is_prefix = !ignores_case;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        let literal = match c {
            c if Some(c) == escape => chars.next().ok_or_else(|| {
                Error::usage(format!(
                    "the pattern {pattern:?} ends in its escape character"
                ))
            })?,
            '%' | '_' => {
                is_prefix = false;
                source += if c == '%' { ALL } else { ANY };
                continue;
            }
            c => c,
        };
        source += &regex_syntax_of(literal);
        if is_prefix {
            prefix.push(literal);
        }
    }
    source.push('$');
    // The search is faster without a leading part that matches anything.
    if let Some(rest) = source.strip_prefix(&[START, ALL].concat()) {
        source = format!("(?s){rest}");
    }
    if let Some(rest) = source.strip_suffix(&[ALL, "$"].concat()) {
        source = rest.to_owned();
    }
    regex(&source, ignores_case, prefix)
}

fn regex_syntax_of(literal: char) -> String {
    regex::escape(literal.encode_utf8(&mut [0; 4]))
}

/// Compiles a regular expression; `prefix` is the prefix of every match, if known.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if it is invalid.
pub fn regex(source: &str, ignores_case: bool, prefix: String) -> Result<TextPattern> {
    let mut builder = RegexBuilder::new(source);
    let regex = builder
        .case_insensitive(ignores_case)
        .build()
        .map_err(|error| {
            let error = error.to_string();
            let what = error
                .lines()
                .last()
                .unwrap_or_default()
                .trim_start_matches("error: ");
            Error::usage(format!(
                "cannot read the regular expression {source:?}: {what}"
            ))
        })?;
    Ok(TextPattern { regex, prefix })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf_8_are_characters() {
        let matches = |pattern: &str, text: &[u8]| {
            let like = like(pattern, None, false).unwrap();
            like.regex.is_match(text)
        };
        for pattern in ["a%b", "a_b", "%_b", "a_%", "%a%b%", "___", "%"] {
            assert!(matches(pattern, b"a\xffb"), "{pattern}");
            assert!(matches(pattern, "a\u{20ac}b".as_bytes()), "{pattern}");
        }
        for pattern in ["a%c", "a__b", "__", "____", "b%"] {
            assert!(!matches(pattern, b"a\xffb"), "{pattern}");
            assert!(!matches(pattern, "a\u{20ac}b".as_bytes()), "{pattern}");
        }
    }
}
