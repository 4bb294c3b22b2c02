//! Compares the columns of several inputs, which are joined to one table.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::units::and_more;

/// How many names to list; further ones are counted.
const LISTED_NAMES: usize = 3;
/// The first of several streams in one input.
pub const FIRST_STREAM: &str = "its first part";

/// Compares the columns of each input with those of the first.
#[derive(Debug, Default)]
pub struct SameColumns {
    /// The current input.
    current: Option<Arc<Path>>,
    /// The columns of its current stream were seen.
    seen: bool,
    first: Option<(Arc<Path>, Vec<String>)>,
}

impl SameColumns {
    /// Starts the next input.
    pub fn begin(&mut self, path: Arc<Path>) {
        self.current = Some(path);
        self.seen = false;
    }

    /// Starts the next of several streams in one input; may be called again before its columns are seen.
    pub fn next_stream(&mut self) {
        self.seen = false;
    }

    /// Compares the columns of the next part of the input. Only the first part counts. `names` returns `None` if each
    /// row may have different columns.
    pub fn compare(&mut self, names: impl FnOnce() -> Option<Vec<String>>) -> Option<String> {
        if std::mem::replace(&mut self.seen, true) {
            return None;
        }
        let path = self.current.clone()?;
        let names = names()?;
        let Some((before, known)) = &self.first else {
            self.first = Some((path, names));
            return None;
        };
        let before = if *before == path {
            Path::new(FIRST_STREAM)
        } else {
            before
        };
        let what = difference(known, &names, before)?;
        let path = path.display();
        Some(format!("{path}: {what}; the inputs are joined by name"))
    }
}

/// Describes how `names` differ from the `known` names of an earlier input, ignoring order; `None` if they do not.
pub fn difference(known: &[String], names: &[String], before: &Path) -> Option<String> {
    let before = before.display();
    let (more, less) = (missing(known, names), missing(names, known));
    match (&*more, &*less) {
        ([], []) if sorted(known) == sorted(names) => None,
        ([], []) => Some(format!("the columns that repeat are not those of {before}")),
        ([one], _) => Some(format!("column {one:?} is not in {before}")),
        ([_, ..], _) => Some(format!("columns {} are not in {before}", listed(&more))),
        ([], [one]) => Some(format!("column {one:?} of {before} is missing")),
        ([], _) => Some(format!("columns {} of {before} are missing", listed(&less))),
    }
}

/// Names in `other` that are not in `names`.
fn missing<'a>(names: &[String], other: &'a [String]) -> Vec<&'a String> {
    let names: HashSet<&String> = names.iter().collect();
    other.iter().filter(|name| !names.contains(name)).collect()
}

fn sorted(names: &[String]) -> Vec<&String> {
    let mut names: Vec<_> = names.iter().collect();
    names.sort_unstable();
    names
}

fn listed(names: &[&String]) -> String {
    let shown: Vec<_> = names
        .iter()
        .take(LISTED_NAMES)
        .map(|name| format!("{name:?}"))
        .collect();
    shown.join(", ") + &and_more(names.len() - shown.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named() {
        let names = |names: &str| names.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (known, other, expected) in [
            ("a b", "b a", None),
            ("a b", "a c", Some("column \"c\" is not in x")),
            ("a b", "a", Some("column \"b\" of x is missing")),
            ("a", "a b c", Some("columns \"b\", \"c\" are not in x")),
            (
                "a b c d e",
                "a",
                Some("columns \"b\", \"c\", \"d\" and 1 more of x are missing"),
            ),
            (
                "a a",
                "a",
                Some("the columns that repeat are not those of x"),
            ),
            (
                "a a b",
                "a b b",
                Some("the columns that repeat are not those of x"),
            ),
        ] {
            let found = difference(&names(known), &names(other), Path::new("x"));
            assert_eq!(found.as_deref(), expected, "{known}, {other}");
        }
    }
}
