//! Rows inside a document: `--records data.items` or `runs[0].results` reads the items of an array as rows.
//!
//! The text before the array is skipped value by value and becomes the head; the text after it is the tail. Both are
//! restored with the text, but are not rows.

use std::fmt;
use std::io::Read;

use super::margin::Margin;
use crate::error::{Error, Result};
use crate::format::input::TextWindow;
use crate::schema::path::{self, Path, nearest, quoted_name};
use crate::text::json::fault::{Fault, FaultKind};
use crate::text::json::key::key_name;
use crate::text::json::scan::{string_end, value_end};
use crate::units::counted;

/// The length of the longest JSON word, or more. A value this close to the end of the visible text may continue.
const LONGEST_WORD: usize = 8;

/// Number of keys to list in an error.
const LISTED_KEYS: usize = 20;

/// The path to the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordsPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// The value of a key.
    Key(String),
    /// An item of an array, counted from 0.
    Item(u64),
}

impl Step {
    fn of(step: &path::Step) -> Option<Self> {
        Some(match step {
            path::Step::Name(key) | path::Step::Key(key) => Self::Key(key.clone()),
            path::Step::Item(at) => Self::Item(u64::try_from(*at).ok()?),
        })
    }
}

impl RecordsPath {
    /// Reads `data.items` or `runs[0].results`; names with dots are in double quotes or backticks.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if it is empty, or contains anything but keys and items.
    pub fn parse(text: &str) -> Result<Self> {
        // Paths of columns begin with a name, but the document may be an array.
        let path = if text.starts_with('[') {
            Path::parse(&format!("_{text}"))?.map(|path| path.steps()[1..].to_vec())
        } else {
            Path::parse(text)?.map(|path| path.steps().to_vec())
        };
        let steps: Option<Vec<_>> = path.and_then(|steps| steps.iter().map(Step::of).collect());
        steps.map(Self).ok_or_else(|| {
            let error = Error::usage(format!("cannot read {text:?} as a path"));
            error.hint(
                "separate keys with dots: data.items; quote keys that contain dots: data.\"a.b\"; items of arrays are \
                 counted from 0: runs[0].results",
            )
        })
    }
}

impl RecordsPath {
    /// What the path leads to, for messages.
    fn of_what(&self) -> String {
        if self.0.is_empty() {
            "the document".to_owned()
        } else {
            self.to_string()
        }
    }
}

impl fmt::Display for RecordsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) => {
                    let dot = if at > 0 { "." } else { "" };
                    write!(f, "{dot}{}", quoted_name(key, &[]))?;
                }
                Step::Item(at) => write!(f, "[{at}]")?,
            }
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
    for (depth, step) in path.0.iter().enumerate() {
        let here = RecordsPath(path.0[..depth].to_vec());
        match step {
            Step::Key(key) => enter_key(input, head, &here, key)?,
            Step::Item(at) => enter_item(input, head, &here, *at)?,
        }
    }
    match next_byte(input, head)? {
        Some(b'[') => Ok(()),
        found => Err(no_container(input, path, "array", found)),
    }
}

/// Skips everything before the value of a key of the object at `here`.
fn enter_key<R: Read>(
    input: &mut TextWindow<R>,
    head: &mut Margin,
    here: &RecordsPath,
    key: &str,
) -> Result<()> {
    match next_byte(input, head)? {
        Some(b'{') => head.take(input, 1)?,
        found => return Err(no_container(input, here, "object", found)),
    }
    let mut keys = Vec::new();
    loop {
        match next_byte(input, head)? {
            Some(b'"') => {}
            Some(b'}') => return Err(no_key(input, key, here, &keys)),
            _ => return Err(unexpected(input, "a key")),
        }
        let end = visible(input, string_end)?;
        let name = key_name(&input.text()[..end]);
        head.take(input, end)?;
        expect(input, head, b':')?;
        if name == key {
            return Ok(());
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

/// Skips everything before an item of the array at `here`.
fn enter_item<R: Read>(
    input: &mut TextWindow<R>,
    head: &mut Margin,
    here: &RecordsPath,
    item: u64,
) -> Result<()> {
    match next_byte(input, head)? {
        Some(b'[') => head.take(input, 1)?,
        found => return Err(no_container(input, here, "array", found)),
    }
    for at in 0..=item {
        if next_byte(input, head)? == Some(b']') {
            let (whose, items) = (here.of_what(), counted(at, "item"));
            let error = Error::input(format!("--records: {whose} has {items}"));
            return Err(at_start(input, error).hint("items are counted from 0"));
        }
        if at == item {
            break;
        }
        pass_value(input, head)?;
        match next_byte(input, head)? {
            Some(b',') => head.take(input, 1)?,
            Some(b']') => {}
            _ => return Err(unexpected(input, ", or ]")),
        }
    }
    Ok(())
}

/// Skips everything after the array at the path, up to the end of the enclosing values. A second value at the path is an
/// error, since it would count instead of the first.
pub(super) fn ascend<R: Read>(
    input: &mut TextWindow<R>,
    tail: &mut Margin,
    path: &RecordsPath,
) -> Result<()> {
    for step in path.0.iter().rev() {
        let (end, missing) = match step {
            Step::Key(_) => (b'}', ", or }"),
            Step::Item(_) => (b']', ", or ]"),
        };
        loop {
            match next_byte(input, tail)? {
                Some(b',') => tail.take(input, 1)?,
                Some(byte) if byte == end => break,
                _ => return Err(unexpected(input, missing)),
            }
            if let Step::Key(key) = step {
                pass_key(input, tail, key)?;
            }
            pass_value(input, tail)?;
        }
        tail.take(input, 1)?;
    }
    Ok(())
}

/// Skips a key, which must not be `read`, and its colon.
fn pass_key<R: Read>(input: &mut TextWindow<R>, tail: &mut Margin, read: &str) -> Result<()> {
    let Some(b'"') = next_byte(input, tail)? else {
        return Err(unexpected(input, "a key"));
    };
    let end = visible(input, string_end)?;
    if key_name(&input.text()[..end]) == read {
        let what = format!("a second {read:?} follows the rows that were read");
        let error = at_start(input, Error::input(what));
        return Err(error.hint("--records reads one array; rename or remove the other key"));
    }
    tail.take(input, end)?;
    expect(input, tail, b':')
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
    let whose = path.of_what();
    let error = Error::input(format!("--records: {whose} is not an {what}"));
    let error = at_start(input, error);
    match found {
        Some(b'[') if path.0.is_empty() => error.hint(
            "omit --records if the items are the rows; if one of them contains the rows, begin with it: [0].items",
        ),
        Some(b'[') => error.hint(format!("name an item of this array: {path}[0]")),
        Some(b'{') => error.hint("add a key of this object to the path"),
        _ => error,
    }
}

fn no_key<R: Read>(input: &TextWindow<R>, key: &str, path: &RecordsPath, keys: &[String]) -> Error {
    let whose = path.of_what();
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
    fn paths_are_keys_and_items() {
        for (text, shown) in [
            ("features", "features"),
            ("data.items", "data.items"),
            ("`a.b`.\"c d\"", "\"a.b\".\"c d\""),
            ("d\u{e4}ta", "d\u{e4}ta"),
            ("runs[0].results", "runs[0].results"),
            ("[1]", "[1]"),
            ("[0][12].`a.b`", "[0][12].\"a.b\""),
        ] {
            let path = RecordsPath::parse(text).unwrap();
            assert_eq!(path.to_string(), shown);
            assert_eq!(RecordsPath::parse(shown).unwrap(), path);
        }
        for text in [
            "", ".", "a.", ".a", "a..b", "a[-1]", "a[x]", "[", "\"a", "a b.", "a]",
        ] {
            assert!(RecordsPath::parse(text).is_err(), "{text}");
        }
    }
}
