//! Names of columns and of values inside nested ones, as written in `--where`, `--columns` and `--schema`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use crate::error::{Error, Result};

/// A column, or a value inside a nested one: `user.name`, `tags[0]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    steps: Vec<Step>,
}

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A column or a field. It may be part of a name with dots: `a.b` is the column `a.b` if there is one.
    Name(String),
    /// A name in quotes, which is always a whole name.
    Key(String),
    /// An item of a list, counted from 0, or from the end if negative.
    Item(i64),
}

impl Step {
    /// A name, which may have been in quotes.
    pub fn named(name: String, is_quoted: bool) -> Self {
        if is_quoted {
            Self::Key(name)
        } else {
            Self::Name(name)
        }
    }

    /// The name; `None` for an item of a list.
    pub fn as_name(&self) -> Option<&str> {
        match self {
            Self::Name(name) | Self::Key(name) => Some(name),
            Self::Item(_) => None,
        }
    }
}

impl Path {
    /// A path of at least one step, the first of which is a name.
    pub fn new(first: Step, rest: Vec<Step>) -> Self {
        let mut steps = vec![first];
        steps.extend(rest);
        Self { steps }
    }

    /// The path to the column of this name.
    pub fn of_column(name: String) -> Self {
        Self::new(Step::Key(name), Vec::new())
    }

    /// Parses `user.name`, `tags[0]`, `map['key']` and names in double quotes or backticks, as in `--where`; unquoted
    /// names may contain any characters except dots and brackets. `None` if the text is not a path.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if a quote is not closed.
    pub fn parse(text: &str) -> Result<Option<Self>> {
        let Some((first, mut rest)) = name_step(text)? else {
            return Ok(None);
        };
        let mut steps = vec![first];
        while !rest.is_empty() {
            let next = if let Some(name) = rest.strip_prefix('.') {
                name_step(name)?
            } else if let Some(key) = rest.strip_prefix('[').filter(|it| it.starts_with('\'')) {
                let (key, rest) = quoted(key, '\'')?;
                rest.strip_prefix(']').map(|rest| (Step::Key(key), rest))
            } else {
                let item = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
                item.and_then(|(item, rest)| Some((Step::Item(item.parse().ok()?), rest)))
            };
            let Some((step, after)) = next else {
                return Ok(None);
            };
            steps.push(step);
            rest = after;
        }
        Ok(Some(Self { steps }))
    }

    /// The steps. Several steps in a row may together be one name that contains dots and brackets.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The name, if there is only one.
    pub fn as_name(&self) -> Option<&str> {
        match &self.steps[..] {
            [step] => step.as_name(),
            _ => None,
        }
    }

    /// The names of columns that the path may lead to or into, each with the number of steps in it.
    pub fn beginnings(&self) -> impl Iterator<Item = (String, usize)> {
        let names = spellings(&self.steps).into_iter();
        names.zip(1..).take(joined_steps(&self.steps))
    }

    /// True if the path leads to the column or into it.
    pub fn begins_with(&self, column: &str) -> bool {
        steps_in(&self.steps, column).is_some()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(spellings(&self.steps).last().map_or("", String::as_str))
    }
}

/// A name as a path or `--schema` reads it: in double quotes, unless it consists of letters, digits, `_`, `-` and the
/// characters in `plain`.
pub fn quoted_name<'a>(name: &'a str, plain: &[char]) -> Cow<'a, str> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-') || plain.contains(&c);
    if name.chars().all(is_plain) && name.trim() == name && !name.is_empty() {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    }
}

/// The spelling of the first step, of the first two, and so on.
fn spellings(steps: &[Step]) -> Vec<String> {
    let mut spelled = String::new();
    let next = |(at, step): (usize, &Step)| {
        match step {
            Step::Name(name) | Step::Key(name) if at == 0 => spelled.push_str(name),
            Step::Name(name) | Step::Key(name) => spelled.extend([".", name]),
            Step::Item(item) => spelled.extend(["[", &item.to_string(), "]"]),
        }
        spelled.clone()
    };
    steps.iter().enumerate().map(next).collect()
}

/// The number of steps at the start that may together be one name. A name in quotes is not part of another.
fn joined_steps(steps: &[Step]) -> usize {
    let is_key = |step: &Step| matches!(step, Step::Key(_));
    match steps.iter().position(is_key) {
        Some(0) => 1,
        Some(key) => key,
        None => steps.len(),
    }
}

/// The column at the start of a path, which `column` finds by its name, and the number of steps in its name: the longest
/// name wins.
pub fn longest_name<T>(
    steps: &[Step],
    mut column: impl FnMut(&str) -> Option<T>,
) -> Option<(T, usize)> {
    let names = spellings(&steps[..joined_steps(steps)]);
    let mut longest_first = names.iter().enumerate().rev();
    longest_first.find_map(|(step, name)| Some((column(name)?, step + 1)))
}

/// The number of steps at the start that, written as a path, spell `name`; `None` if the steps do not start with it.
pub fn steps_in(steps: &[Step], name: &str) -> Option<usize> {
    let mut rest = name;
    for (at, step) in steps[..joined_steps(steps)].iter().enumerate() {
        rest = match step {
            Step::Name(part) | Step::Key(part) if at == 0 => rest.strip_prefix(part.as_str())?,
            Step::Name(part) | Step::Key(part) => {
                rest.strip_prefix('.')?.strip_prefix(part.as_str())?
            }
            Step::Item(item) => rest.strip_prefix(&*format!("[{item}]"))?,
        };
        if rest.is_empty() {
            return Some(at + 1);
        }
    }
    None
}

/// The name at the start of a path, and the rest; `None` if the name is empty.
fn name_step(text: &str) -> Result<Option<(Step, &str)>> {
    if let Some((name, rest)) = name_in_quotes(text)? {
        return Ok(Some((Step::Key(name), rest)));
    }
    let (name, rest) = text.split_at(text.find(['.', '[']).unwrap_or(text.len()));
    let is_name = !name.is_empty() && !name.contains(']');
    Ok(is_name.then(|| (Step::Name(name.to_owned()), rest)))
}

/// Reads the quoted text at the start of `text`, in which a doubled quote means one. Returns the content and the rest
/// of `text`.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if the closing quote is missing.
fn quoted(text: &str, quote: char) -> Result<(String, &str)> {
    let mut content = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
            return Ok((content, &text[at + c.len_utf8()..]));
        }
        content.push(c);
    }
    let error = Error::usage(format!("{text} has no closing quote"));
    Err(error.hint("add the closing quote; inside quotes, write a quote twice"))
}

/// Reads a name in double quotes or backticks at the start of `text`. Returns the name and the rest of `text`; `None`
/// if `text` does not start with a quote.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if it has no closing quote.
pub fn name_in_quotes(text: &str) -> Result<Option<(String, &str)>> {
    match text.chars().next() {
        Some(quote @ ('"' | '`')) => quoted(text, quote).map(Some),
        _ => Ok(None),
    }
}

/// The most names in a hint.
const MOST_NAMES: usize = 40;

/// The error for a name that is not in `known`. The hint has the nearest name, or else all of them, in their order, if
/// they are few.
pub fn no_column(name: &str, known: &[String]) -> Error {
    let error = Error::usage(format!("there is no column {name:?}"));
    // The name of a value inside a column was quoted, or else it would have been found.
    if known.iter().any(|known| known == name)
        && let Some(hint) = without_quotes(name)
    {
        return error.hint(hint);
    }
    let mut seen = HashSet::new();
    let distinct = known.iter().filter(|name| seen.insert(*name));
    let distinct: Vec<&String> = distinct.collect();
    error.hint(match (nearest(name, known), &distinct[..]) {
        (Some(nearest), _) => format!("did you mean {nearest}?"),
        (None, []) => "the input has no columns".to_owned(),
        (None, distinct) => {
            let names = distinct.iter().take(MOST_NAMES);
            let names = names.map(|name| match &name[..] {
                "" => "\"\"",
                name => name,
            });
            let names = names.collect::<Vec<_>>().join(", ");
            match distinct.len().saturating_sub(MOST_NAMES) {
                0 => format!("columns are {names}"),
                more => format!("columns are {names} and {more} more, which mbt schema lists"),
            }
        }
    })
}

/// The error for a quoted name of a whole column that is not in `columns`.
pub fn no_quoted_column(name: &str, columns: &[String]) -> Error {
    let path = Path::parse(name).ok().flatten();
    let is_inside = |path: Path| columns.iter().any(|column| path.begins_with(column));
    match without_quotes(name).filter(|_| path.is_some_and(is_inside)) {
        Some(hint) => Error::usage(format!("there is no column {name:?}")).hint(hint),
        None => no_column(name, columns),
    }
}

/// The hint for a quoted name that is a path; `None` if it is not.
fn without_quotes(name: &str) -> Option<String> {
    let path = Path::parse(name).ok().flatten()?;
    match &path.steps[..] {
        [Step::Name(column) | Step::Key(column), _, ..] => Some(format!(
            "without quotes, {name} extracts a value from column {column}"
        )),
        _ => None,
    }
}

/// The known name most similar to `name`, if any is similar.
pub fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a String> {
    let name = name.to_lowercase();
    let score =
        |known: &String| strsim::normalized_damerau_levenshtein(&name, &known.to_lowercase());
    let scored = known.iter().map(|known| (score(known), known));
    let best = scored.reduce(|best, other| if other.0 > best.0 { other } else { best })?;
    (best.0 >= 0.6).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(names: &[&str]) -> Path {
        let rest = names[1..].iter().map(|name| Step::Name((*name).to_owned()));
        Path::new(Step::Name(names[0].to_owned()), rest.collect())
    }

    #[test]
    fn dots_divide_steps_or_belong_to_a_name() {
        let steps = path(&["a", "b", "c"]).steps;
        assert_eq!(steps_in(&steps, "a"), Some(1));
        assert_eq!(steps_in(&steps, "a.b"), Some(2));
        assert_eq!(steps_in(&steps, "a.b.c"), Some(3));
        assert_eq!(steps_in(&steps, "a."), None);
        assert_eq!(steps_in(&steps, "ab"), None);
        let item = Path::parse("a[0].b").unwrap().unwrap();
        assert_eq!(steps_in(item.steps(), "a[0]"), Some(2));
        assert_eq!(steps_in(item.steps(), "a0"), None);
        let beginnings: Vec<_> = item.beginnings().map(|it| it.0).collect();
        assert_eq!(beginnings, ["a", "a[0]", "a[0].b"]);
        assert_eq!(item.to_string(), "a[0].b");
        // An empty name must have been quoted.
        assert_eq!(steps_in(&path(&["", "b"]).steps, ".b"), Some(2));
    }

    #[test]
    fn names_in_quotes_are_not_joined() {
        for (text, expected) in [
            ("a.b.c", &["a", "a.b", "a.b.c"][..]),
            ("\"a\".b.c", &["a"]),
            ("\"a\".\"b\"", &["a"]),
            ("a.b.\"c\"", &["a", "a.b"]),
            ("a['b'].c", &["a"]),
            ("\"a.b\"", &["a.b"]),
        ] {
            let path = Path::parse(text).unwrap().unwrap();
            let names: Vec<_> = path.beginnings().map(|it| it.0).collect();
            assert_eq!(names, expected, "{text}");
            for name in ["a", "a.b", "a.b.c"] {
                let is_beginning = expected.contains(&name);
                assert_eq!(path.begins_with(name), is_beginning, "{text}: {name}");
            }
        }
    }

    #[test]
    fn paths_are_read_step_by_step() {
        let read = |text: &str| Path::parse(text).unwrap().map(|path| path.steps);
        let name = |name: &str| Step::Name(name.to_owned());
        let key = |name: &str| Step::Key(name.to_owned());
        for (text, expected) in [
            ("a", vec![name("a")]),
            ("user.first name", vec![name("user"), name("first name")]),
            ("tags[0]", vec![name("tags"), Step::Item(0)]),
            ("tags[-1].x", vec![name("tags"), Step::Item(-1), name("x")]),
            ("m['a.b''c'].d", vec![name("m"), key("a.b'c"), name("d")]),
            ("\"x.y\".`z[`", vec![key("x.y"), key("z[")]),
            ("q\"r.s", vec![name("q\"r"), name("s")]),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
        for text in [
            "", "a.", ".a", "a..b", "a[", "a[x]", "a[0", "a]", "a[0]c", "\"a\"b", "m['a'",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert!(Path::parse("a.\"b").is_err());
    }

    #[test]
    fn the_nearest_name_is_suggested() {
        let known = ["id", "user.name", "user.id", "price"].map(str::to_owned);
        let hint = |name| no_column(name, &known).message();
        assert!(hint("ID").ends_with("did you mean id?"));
        assert!(hint("user.nmae").ends_with("did you mean user.name?"));
        assert!(hint("prize").ends_with("did you mean price?"));
        let unquoted = "; without quotes, user.name extracts a value from column user";
        assert!(hint("user.name").ends_with(unquoted));
        let columns = ["id", "user"].map(str::to_owned);
        let quoted = |name| no_quoted_column(name, &columns).message();
        assert!(quoted("user.name").ends_with(unquoted));
        assert!(quoted("account.name").ends_with("columns are id, user"));
        assert!(hint("volume").ends_with("columns are id, user.name, user.id, price"));
    }
}
