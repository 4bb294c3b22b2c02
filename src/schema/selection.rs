//! Column selections, as written in `--columns`.
//!
//! ```text
//! selection := item ("," item)*
//! item      := ["-"] (name | "#" number | name ".." name | glob)
//! ```
//!
//! A name in quotes is only a name. An exact name takes precedence over everything else an item could mean.

use super::path::{name_in_quotes, no_column};
use crate::error::{Error, Result};

/// Which columns are wanted.
#[derive(Clone, Debug)]
pub struct Selection {
    items: Vec<SelectionItem>,
}

#[derive(Clone, Debug)]
struct SelectionItem {
    /// The item as typed.
    text: String,
    /// The name, if the whole item is a quoted name.
    quoted: Option<String>,
}

impl Selection {
    /// Parses a list of items.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if a quote is not closed, or the same name comes twice.
    pub fn parse(list: &str) -> Result<Self> {
        let items = items(list)?.into_iter().map(|text| {
            let quoted = whole_in_quotes(text)?;
            let text = text.to_owned();
            Ok(SelectionItem { text, quoted })
        });
        let items: Vec<SelectionItem> = items.collect::<Result<_>>()?;
        for (at, item) in items.iter().enumerate() {
            if items[..at].iter().any(|other| other.name() == item.name()) {
                return Err(Error::usage(format!("{:?} is given twice", item.name())));
            }
        }
        Ok(Self { items })
    }

    /// The names, if every item can only be the name of a column.
    pub fn plain(&self) -> Option<Vec<String>> {
        let plain = |item: &SelectionItem| {
            let text = &item.text;
            let is_plain = !text.starts_with(['-', '#'])
                && !text.contains(['*', '?', '"', '`'])
                && !text.contains("..");
            (is_plain || item.quoted.is_some()).then(|| item.name().to_owned())
        };
        self.items.iter().map(plain).collect()
    }

    /// The selected names out of `names`, each once, in the order of the items. If the first item excludes columns, all
    /// others are selected.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if an item matches no column.
    pub fn resolve(&self, names: &[String]) -> Result<Vec<String>> {
        let mut wanted: Vec<String> = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            let excluded = item.text.strip_prefix('-');
            match excluded.filter(|_| !names.contains(&item.text)) {
                Some(excluded) => {
                    if at == 0 {
                        wanted = names.to_vec();
                    }
                    let excluded = meant(excluded, names)?;
                    wanted.retain(|name| !excluded.contains(name));
                }
                None => {
                    for name in meant(&item.text, names)? {
                        if !wanted.contains(&name) {
                            wanted.push(name);
                        }
                    }
                }
            }
        }
        if wanted.is_empty() {
            return Err(Error::usage("no column is left").hint("exclude fewer columns"));
        }
        Ok(wanted)
    }
}

impl SelectionItem {
    fn name(&self) -> &str {
        self.quoted.as_ref().unwrap_or(&self.text)
    }
}

/// The columns that an item matches; `text` is the item without its `-`.
fn meant(text: &str, names: &[String]) -> Result<Vec<String>> {
    if let Some(place) = single(text, names)? {
        return Ok(vec![names[place].clone()]);
    }
    if let Some((from, to)) = text.split_once("..") {
        let end = |text: &str, open: usize| {
            if text.is_empty() {
                return Ok(open);
            }
            single(text, names)?.ok_or_else(|| no_column(text, names))
        };
        let (from, to) = (end(from, 0)?, end(to, names.len().saturating_sub(1))?);
        return match names.get(from..=to) {
            Some(names) if !names.is_empty() => Ok(names.to_vec()),
            _ => Err(
                Error::usage(format!("{text}: the first column comes after the last"))
                    .hint("exchange them"),
            ),
        };
    }
    if text.contains(['*', '?']) {
        let glob: Vec<char> = text.chars().collect();
        let matches = |name: &&String| is_match(&glob, &name.chars().collect::<Vec<_>>());
        let found: Vec<String> = names.iter().filter(matches).cloned().collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Err(no_column(text, names))
}

/// The position of a single column, given by name (quoted or not) or by number.
fn single(text: &str, names: &[String]) -> Result<Option<usize>> {
    let place = |text: &str| names.iter().position(|name| name == text);
    if let Some(at) = place(text) {
        return Ok(Some(at));
    }
    if let Some(name) = whole_in_quotes(text)? {
        let at = place(&name);
        return at.map(Some).ok_or_else(|| no_column(&name, names));
    }
    let Some(number) = text
        .strip_prefix('#')
        .and_then(|text| text.parse::<usize>().ok())
    else {
        return Ok(None);
    };
    if (1..=names.len()).contains(&number) {
        return Ok(Some(number - 1));
    }
    let what = format!("there is no column {text}");
    Err(Error::usage(what).hint(format!("columns are counted from #1 to #{}", names.len())))
}

/// The name, if the whole text is a quoted name.
fn whole_in_quotes(text: &str) -> Result<Option<String>> {
    let name = name_in_quotes(text)?;
    Ok(name.and_then(|(name, rest)| rest.is_empty().then_some(name)))
}

/// Splits a list at commas outside of quotes.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if a quote is not closed.
fn items(list: &str) -> Result<Vec<&str>> {
    let mut items = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(c) = list[at..].chars().next() {
        // A quote inside a name is part of the name.
        if begins_name(&list[start..at])
            && let Some((_, rest)) = name_in_quotes(&list[at..])?
        {
            at = list.len() - rest.len();
            continue;
        }
        if c == ',' {
            items.push(&list[start..at]);
            start = at + 1;
        }
        at += c.len_utf8();
    }
    items.push(&list[start..]);
    Ok(items)
}

fn begins_name(before: &str) -> bool {
    before.is_empty() || before == "-" || before.ends_with("..")
}

/// True if the glob matches the whole text: `*` matches any characters, `?` one.
fn is_match(glob: &[char], text: &[char]) -> bool {
    match (glob, text) {
        ([], []) => true,
        (['*', rest @ ..], _) => (0..=text.len()).any(|at| is_match(rest, &text[at..])),
        (['?', rest @ ..], [_, after @ ..]) => is_match(rest, after),
        ([c, rest @ ..], [first, after @ ..]) if c == first => is_match(rest, after),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(list: &str) -> Result<String> {
        let names = [
            "id", "x,y", "a", "b", "c", "in_1", "in_2", "q\"r", "d..e", "s*", "sun", "-m",
        ];
        let names = names.map(str::to_owned);
        Ok(Selection::parse(list)?.resolve(&names)?.join("|"))
    }

    #[test]
    fn items_mean_columns() {
        for (list, expected) in [
            ("c,a", "c|a"),
            ("\"x,y\",id", "x,y|id"),
            ("`x,y`", "x,y"),
            ("q\"r", "q\"r"),
            ("\"q\"\"r\"", "q\"r"),
            ("#3,#1", "a|id"),
            ("a..c", "a|b|c"),
            ("#2..a", "x,y|a"),
            ("\"x,y\"..b,id", "x,y|a|b|id"),
            ("..a", "id|x,y|a"),
            ("sun..", "sun|-m"),
            ("in_*", "in_1|in_2"),
            ("in_?,id", "in_1|in_2|id"),
            ("c,*", "c|id|x,y|a|b|in_1|in_2|q\"r|d..e|s*|sun|-m"),
            ("-in_*,-#2,-a..c,-\"q\"\"r\"", "id|d..e|s*|sun|-m"),
            ("in_*,-in_1", "in_2"),
            // An exact name takes precedence.
            ("d..e,s*,-m", "d..e|s*|-m"),
        ] {
            assert_eq!(resolved(list).unwrap(), expected, "{list}");
        }
    }

    #[test]
    fn items_that_mean_nothing_are_named() {
        for (list, expected) in [
            ("ID", "there is no column \"ID\"; did you mean id?"),
            (
                "#0",
                "there is no column #0; columns are counted from #1 to #12",
            ),
            ("#13", "columns are counted from #1 to #12"),
            ("z*", "there is no column \"z*\""),
            ("c..a", "the first column comes after the last"),
            ("a..zz", "there is no column \"zz\""),
            ("\"a", "\"a has no closing quote"),
            ("a,b,a", "\"a\" is given twice"),
            ("a,-a", "no column is left"),
        ] {
            let message = resolved(list).unwrap_err().message();
            assert!(message.contains(expected), "{list}: {message}");
        }
    }

    #[test]
    fn plain_names_need_no_columns_to_be_known() {
        let plain = |list: &str| Selection::parse(list).unwrap().plain();
        assert_eq!(
            plain("a,odd name,\"x,y\"").unwrap(),
            ["a", "odd name", "x,y"]
        );
        for list in ["a*", "-a", "#1", "a..b", "a,b?"] {
            assert!(plain(list).is_none(), "{list}");
        }
    }
}
