//! Rows inside a document: `--records data.items` reads the items of an array as rows.
//!
//! The text before the array is skipped value by value and becomes the head; the text after it is the tail. Both are
//! restored with the text, but are not rows.

use std::fmt;
use std::io::Read;

use super::margin::Margin;
use crate::error::{Error, Result};
use crate::format::input::TextWindow;
use crate::schema::path::{Path, nearest, quoted_name};
use crate::text::json::fault::{Fault, FaultKind};
use crate::text::json::key::key_name;
use crate::text::json::scan::{string_end, value_end};

/// The length of the longest JSON word, or more. A value this close to the end of the visible text may continue.
const LONGEST_WORD: usize = 8;

/// Number of keys to list in an error.
const LISTED_KEYS: usize = 20;

/// The path of keys to the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordsPath(Vec<String>);

impl RecordsPath {
    /// Reads `data.items`; names with dots are in double quotes or backticks.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if it is empty, or does not consist of keys.
    pub fn parse(text: &str) -> Result<Self> {
        let path = Path::parse(text)?;
        let steps = path.as_ref().map_or(&[][..], Path::steps);
        let keys = steps.iter().map(|step| Some(step.as_name()?.to_owned()));
        match keys.collect::<Option<Vec<_>>>() {
            Some(keys) if !keys.is_empty() => Ok(Self(keys)),
            _ => {
                let error = Error::usage(format!("cannot read {text:?} as keys"));
                Err(error
                    .hint("separate them with dots: data.items; quote keys that contain dots: data.\"a.b\""))
            }
        }
    }
}

impl fmt::Display for RecordsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, key) in self.0.iter().enumerate() {
            let dot = if at > 0 { "." } else { "" };
            write!(f, "{dot}{}", quoted_name(key, &[]))?;
        }
        Ok(())
    }
}

/// Skips everything before the array at the path.
pub(super) fn descend<R: Read>(
    input: &mut TextWindow<R>,
    head: &mut Margin,
    path: &RecordsPath,
) -> Result<()> {
    for (depth, key) in path.0.iter().enumerate() {
        let here = RecordsPath(path.0[..depth].to_vec());
        match next_byte(input, head)? {
            Some(b'{') => head.take(input, 1)?,
            found => return Err(no_container(input, &here, "object", found)),
        }
        let mut keys = Vec::new();
        loop {
            match next_byte(input, head)? {
                Some(b'"') => {}
                Some(b'}') => return Err(no_key(input, key, &here, &keys)),
                _ => return Err(unexpected(input, "a key")),
            }
            let end = visible(input, string_end)?;
            let name = key_name(&input.text()[..end]);
            head.take(input, end)?;
            expect(input, head, b':')?;
            if name == *key {
                break;
            }
            keys.push(name);
            pass_value(input, head)?;
            match next_byte(input, head)? {
                Some(b',') => head.take(input, 1)?,
                Some(b'}') => {}
                _ => return Err(unexpected(input, ", or }")),
            }
        }
    }
    match next_byte(input, head)? {
        Some(b'[') => Ok(()),
        found => Err(no_container(input, path, "array", found)),
    }
}

/// Skips everything after the array at the path, up to the end of the enclosing objects. A second value at the path is an
/// error, since it would count instead of the first.
pub(super) fn ascend<R: Read>(
    input: &mut TextWindow<R>,
    tail: &mut Margin,
    path: &RecordsPath,
) -> Result<()> {
    for key in path.0.iter().rev() {
        loop {
            match next_byte(input, tail)? {
                Some(b'}') => break,
                Some(b',') => tail.take(input, 1)?,
                _ => return Err(unexpected(input, ", or }")),
            }
            let Some(b'"') = next_byte(input, tail)? else {
                return Err(unexpected(input, "a key"));
            };
            let end = visible(input, string_end)?;
            if key_name(&input.text()[..end]) == *key {
                let what = format!("a second {key:?} follows the rows that were read");
                let error = at_start(input, Error::input(what));
                return Err(error.hint("--records reads one array; rename or remove the other key"));
            }
            tail.take(input, end)?;
            expect(input, tail, b':')?;
            pass_value(input, tail)?;
        }
        tail.take(input, 1)?;
    }
    Ok(())
}

/// The next byte that is not white space; `None` at the end.
fn next_byte<R: Read>(input: &mut TextWindow<R>, margin: &mut Margin) -> Result<Option<u8>> {
    margin.take_space(input)?;
    Ok(input.text().first().copied())
}

fn expect<R: Read>(input: &mut TextWindow<R>, margin: &mut Margin, byte: u8) -> Result<()> {
    if next_byte(input, margin)? != Some(byte) {
        return Err(unexpected(input, &char::from(byte).to_string()));
    }
    margin.take(input, 1)
}

fn pass_value<R: Read>(input: &mut TextWindow<R>, margin: &mut Margin) -> Result<()> {
    next_byte(input, margin)?;
    let end = visible(input, value_end)?;
    margin.take(input, end)
}

/// Reads the value or key that starts here, and returns its end.
fn visible<R: Read>(
    input: &mut TextWindow<R>,
    end: fn(&[u8], usize) -> std::result::Result<usize, Fault>,
) -> Result<usize> {
    loop {
        let text = input.text();
        let may_be_cut = match end(text, 0) {
            Ok(end) if end < text.len() || input.is_last() => {
                if str::from_utf8(&text[..end]).is_err() {
                    return Err(at_start(input, Error::input("this is not UTF-8"))
                        .hint("name the encoding, for example --encoding windows-1252"));
                }
                return Ok(end);
            }
            Ok(_) => true,
            Err(fault) => fault.kind.is_end() || fault.at + LONGEST_WORD > text.len(),
        };
        if !may_be_cut || input.is_last() {
            let fault = end(text, 0).err();
            let ends = FaultKind::EndsInValue;
            let (at, kind) = fault.map_or((0, ends), |fault| (fault.at, fault.kind));
            let spot = input.spot(at.min(text.len()));
            return Err(spot.locate(Error::input(kind.message())));
        }
        input.grow()?;
    }
}

fn at_start<R: Read>(input: &TextWindow<R>, error: Error) -> Error {
    input.spot(0).locate(error)
}

fn unexpected<R: Read>(input: &TextWindow<R>, what: &str) -> Error {
    at_start(input, Error::input(format!("expected {what}")))
}

fn no_container<R: Read>(
    input: &TextWindow<R>,
    path: &RecordsPath,
    what: &str,
    found: Option<u8>,
) -> Error {
    let whose = if path.0.is_empty() {
        "the document".to_owned()
    } else {
        path.to_string()
    };
    let error = Error::input(format!("--records: {whose} is not an {what}"));
    let error = at_start(input, error);
    match found {
        Some(b'[') if path.0.is_empty() => {
            error.hint("omit --records: the document is an array of rows itself")
        }
        Some(b'{') => error.hint("add a key of this object to the path"),
        _ => error,
    }
}

fn no_key<R: Read>(input: &TextWindow<R>, key: &str, path: &RecordsPath, keys: &[String]) -> Error {
    let whose = if path.0.is_empty() {
        "the document".to_owned()
    } else {
        path.to_string()
    };
    let error = Error::input(format!("--records: {whose} has no key {key:?}"));
    let listed = keys.iter().take(LISTED_KEYS).cloned().collect::<Vec<_>>();
    at_start(input, error).hint(match (nearest(key, keys), keys) {
        (Some(nearest), _) => format!("did you mean {nearest}?"),
        (None, []) => "there are no keys".to_owned(),
        (None, _) => format!("keys are {}", listed.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_keys_with_dots_between() {
        for (text, shown) in [
            ("features", "features"),
            ("data.items", "data.items"),
            ("`a.b`.\"c d\"", "\"a.b\".\"c d\""),
            ("d\u{e4}ta", "d\u{e4}ta"),
        ] {
            let path = RecordsPath::parse(text).unwrap();
            assert_eq!(path.to_string(), shown);
            assert_eq!(RecordsPath::parse(shown).unwrap(), path);
        }
        for text in ["", ".", "a.", ".a", "a..b", "a[0]", "\"a", "a b.", "a]"] {
            assert!(RecordsPath::parse(text).is_err(), "{text}");
        }
    }
}
