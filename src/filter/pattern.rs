//! Patterns of `like` and `~`, both as regular expressions.

use regex::bytes::RegexBuilder;

use super::expression::TextPattern;
use crate::error::{Error, Result};

/// A pattern of SQL: `%` matches any text, `_` any character.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if nothing follows `escape`.
pub fn like(pattern: &str, escape: Option<char>, ignores_case: bool) -> Result<TextPattern> {
    let (mut source, mut prefix) = ("(?s)^".to_owned(), String::new());
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
                source += if c == '%' { ".*" } else { "." };
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
    if let Some(rest) = source.strip_prefix("(?s)^.*") {
        source = format!("(?s){rest}");
    }
    if let Some(rest) = source.strip_suffix(".*$") {
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
