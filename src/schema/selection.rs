//! Column selections, as written in `--columns`.
//!
//! ```text
//! selection := item ("," item)*
//! item      := "-" target | target [" as " name]
//! target    := name | path | "#" number | name ".." name | glob
//! ```
//!
//! Spaces after a comma are ignored, unless the name of a column begins with them. A name in quotes is only a name. An
//! exact name takes precedence over everything else a target could mean. Paths lead into nested columns; they are written
//! as in `--where`, and the whole path is the name of the new column.

use std::collections::{HashMap, HashSet};

use regex::{Regex, RegexBuilder};

use super::ROW_COLUMN;
use super::path::{Path, name_in_quotes, no_column, no_quoted_column};
use crate::error::{Error, Result};

/// Separates a column from its new name.
const AS: &str = " as ";

/// Which columns are wanted.
#[derive(Clone, Debug)]
pub struct Selection {
    items: Vec<SelectionItem>,
}

#[derive(Clone, Debug)]
struct SelectionItem {
    /// The item as typed, without the new name.
    target: String,
    /// The name, if the whole item is a quoted name.
    quoted: Option<String>,
    /// The new name.
    alias: Option<String>,
}

/// A selected column: the path to its values, and its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OutputColumn {
    /// A column, or a value inside one.
    pub path: Path,
    /// The name; the path's by default.
    pub name: String,
}

impl OutputColumn {
    /// An unchanged column.
    pub fn whole(name: String) -> Self {
        Self::of(Path::of_column(name))
    }

    fn of(path: Path) -> Self {
        let name = path.to_string();
        Self { path, name }
    }

    /// True if its name differs from its path.
    pub fn is_renamed(&self) -> bool {
        self.path.to_string() != self.name
    }

    /// True if it is the column of rows stored whole, or a key of this name.
    pub fn names_rows(&self) -> bool {
        self.path.as_name() == Some(ROW_COLUMN)
    }

    /// The name, if it can only be an unchanged column.
    pub fn as_whole(&self) -> Option<&str> {
        self.path.as_name().filter(|name| *name == self.name)
    }
}

impl Selection {
    /// Parses a list of items.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if a quote is not closed, a name is missing, or the same column is given twice.
    pub fn parse(list: &str) -> Result<Self> {
        let items: Vec<SelectionItem> = items(list)?;
        let mut given = HashSet::new();
        for item in &items {
            if !given.insert((item.name(), &item.alias)) {
                return Err(given_twice(item.name()));
            }
        }
        Ok(Self { items })
    }

    /// The columns, if every item can only be a name or a path.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if two of them are equal or have the same name.
    pub fn plain(&self) -> Result<Option<Vec<OutputColumn>>> {
        let mut columns = Vec::with_capacity(self.items.len());
        let mut each = HashSet::new();
        for item in &self.items {
            let target = &item.target;
            // Whether a space belongs to a name depends on the columns.
            let is_plain = !target.starts_with(['-', '#', ' '])
                && !target.contains(['*', '?'])
                && !target.contains("..");
            if !is_plain && item.quoted.is_none() {
                return Ok(None);
            }
            let path = match &item.quoted {
                Some(name) => Path::of_column(name.clone()),
                None => Path::parse(target)?.unwrap_or_else(|| Path::of_column(target.clone())),
            };
            let column = item.called(path);
            // b and "b as b" are the same.
            if !each.insert(column.clone()) {
                return Err(given_twice(item.name()));
            }
            columns.push(column);
        }
        ensure_different(&columns)?;
        Ok(Some(columns))
    }

    /// The selected columns out of `names`, each once, in the order of the items. If the first item excludes columns,
    /// all others are selected.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if an item matches no column, or two columns have the same name.
    pub fn resolve(&self, names: &[String]) -> Result<Vec<OutputColumn>> {
        let mut wanted: Vec<OutputColumn> = Vec::new();
        let mut is_wanted: HashSet<OutputColumn> = HashSet::new();
        for (at, item) in self.items.iter().enumerate() {
            let target = item.target_in(names);
            let excluded = target.strip_prefix('-');
            if let Some(excluded) = excluded.filter(|_| !names.iter().any(|it| it == target)) {
                if item.alias.is_some() {
                    return Err(Error::usage(format!("{target}{AS}...: it is excluded"))
                        .hint("rename only columns that are kept"));
                }
                if at == 0 {
                    // All columns of a name are selected together.
                    let all = names.iter().cloned().map(OutputColumn::whole);
                    wanted = all.filter(|it| is_wanted.insert(it.clone())).collect();
                }
                let excluded = meant(excluded, names)?;
                if let Some(inside) = excluded.iter().find(|it| it.as_whole().is_none()) {
                    let what = format!("{target}: only whole columns can be excluded");
                    return Err(Error::usage(what)
                        .hint(format!("list what to keep, such as {}", inside.path)));
                }
                let excluded: HashSet<OutputColumn> = excluded.into_iter().collect();
                wanted.retain(|column| !excluded.contains(column));
                is_wanted.retain(|column| !excluded.contains(column));
                continue;
            }
            let found = meant(target, names)?;
            if item.alias.is_some() && found.len() > 1 {
                let what = format!(
                    "{target} matches {} columns, but a name is for one",
                    found.len()
                );
                return Err(Error::usage(what).hint("give a name to each: a as x,b as y"));
            }
            for column in found {
                let column = item.called(column.path);
                if is_wanted.insert(column.clone()) {
                    wanted.push(column);
                }
            }
        }
        if wanted.is_empty() {
            return Err(Error::usage("no column is left").hint("exclude fewer columns"));
        }
        ensure_different(&wanted)?;
        Ok(wanted)
    }
}

impl SelectionItem {
    /// Parses an item: a target, and the name after ` as `, if any.
    fn parse(target: &str, alias: Option<&str>) -> Result<Self> {
        let target = alias.map_or(target, |_| target.trim_end());
        let alias = alias.map(|alias| {
            let alias = alias.trim();
            let name = whole_in_quotes(alias)?.unwrap_or_else(|| alias.to_owned());
            if name.is_empty() {
                return Err(Error::usage(format!("{target}{AS}: the name is missing"))
                    .hint(format!("write {target}{AS}name")));
            }
            Ok(name)
        });
        Ok(Self {
            target: target.to_owned(),
            quoted: whole_in_quotes(target.trim_start())?,
            alias: alias.transpose()?,
        })
    }

    /// The target without the spaces before it, unless it means columns whose names begin with them.
    fn target_in(&self, names: &[String]) -> &str {
        let trimmed = self.target.trim_start();
        if trimmed == self.target || meant(&self.target, names).is_ok() {
            &self.target
        } else {
            trimmed
        }
    }

    fn name(&self) -> &str {
        self.quoted.as_ref().unwrap_or(&self.target)
    }

    /// The column with its new name.
    fn called(&self, path: Path) -> OutputColumn {
        match &self.alias {
            Some(name) => OutputColumn {
                path,
                name: name.clone(),
            },
            None => OutputColumn::of(path),
        }
    }
}

fn given_twice(name: &str) -> Error {
    Error::usage(format!("{name:?} is given twice"))
}

/// Refuses two columns with the same name.
fn ensure_different(columns: &[OutputColumn]) -> Result<()> {
    let mut known: HashMap<&str, &OutputColumn> = HashMap::new();
    for column in columns {
        // Equal columns come from a name that occurs several times in the input.
        let first = known.entry(&column.name).or_insert(column);
        if *first != column {
            let name = &column.name;
            let what = format!("two columns would be called {name:?}");
            return Err(Error::usage(what).hint(format!(
                "give one of them another name: {}{AS}{name}_2",
                column.path
            )));
        }
    }
    Ok(())
}

/// The columns that a target matches; `text` is the target without its `-`.
fn meant(text: &str, names: &[String]) -> Result<Vec<OutputColumn>> {
    let wholes = |names: &[String]| names.iter().cloned().map(OutputColumn::whole).collect();
    if let Some(place) = single(text, names)? {
        return Ok(wholes(&names[place..=place]));
    }
    let path = Path::parse(text)?;
    let path = path.filter(|path| names.iter().any(|name| path.begins_with(name)));
    let is_glob = text.contains(['*', '?']);
    if let Some(path) = path.clone().filter(|_| !is_glob) {
        return Ok(vec![OutputColumn::of(path)]);
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
            Some(names) if !names.is_empty() => Ok(wholes(names)),
            _ => Err(
                Error::usage(format!("{text}: the first column comes after the last"))
                    .hint("exchange them"),
            ),
        };
    }
    if is_glob {
        let glob = regex_of_glob(text)?;
        let matches = |name: &&String| glob.is_match(name);
        let found: Vec<String> = names.iter().filter(matches).cloned().collect();
        if !found.is_empty() {
            return Ok(wholes(&found));
        }
    }
    let path = path.ok_or_else(|| no_column(text, names))?;
    Ok(vec![OutputColumn::of(path)])
}

/// The position of a single column, given by name (quoted or not) or by number.
fn single(text: &str, names: &[String]) -> Result<Option<usize>> {
    let place = |text: &str| names.iter().position(|name| name == text);
    if let Some(at) = place(text) {
        return Ok(Some(at));
    }
    if let Some(name) = whole_in_quotes(text)? {
        let at = place(&name);
        return at.map(Some).ok_or_else(|| no_quoted_column(&name, names));
    }
    let Some(number) = text
        .strip_prefix('#')
        .and_then(|text| text.parse::<usize>().ok())
    else {
        return Ok(None);
    };
    if (1..=names.len()).contains(&number) {
        let name = &names[number - 1];
        if names.iter().filter(|other| *other == name).count() > 1 {
            let what = format!("{text}: several columns are called {name:?}");
            return Err(
                Error::usage(what).hint("columns are selected by name, all of them at once")
            );
        }
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
/// [`crate::error::Kind::Usage`] if a quote is not closed, or a name is missing.
fn items(list: &str) -> Result<Vec<SelectionItem>> {
    let mut items = Vec::new();
    let (mut start, mut alias, mut at) = (0, None, 0);
    while let Some(c) = list[at..].chars().next() {
        let text = &list[start..at];
        // A quote inside a name is part of the name.
        if begins_name(text)
            && let Some((_, rest)) = name_in_quotes(&list[at..])?
        {
            at = list.len() - rest.len();
            continue;
        }
        if c == ',' {
            items.push((start, alias, at));
            (start, alias) = (at + 1, None);
        } else if starts_with_as(&list[at..]) {
            alias = Some(at);
        }
        at += c.len_utf8();
    }
    items.push((start, alias, at));
    items
        .into_iter()
        .map(|(start, alias, end)| {
            let target = &list[start..alias.unwrap_or(end)];
            SelectionItem::parse(target, alias.map(|at| &list[at + AS.len()..end]))
        })
        .collect()
}

fn begins_name(before: &str) -> bool {
    let is_alias = || {
        let word = before.trim_end_matches(' ');
        let at = word.len().checked_sub(AS.len() - 1);
        at.and_then(|at| before.get(at..))
            .is_some_and(starts_with_as)
    };
    let target = before.trim_start();
    target.is_empty() || target == "-" || target.ends_with('.') || is_alias()
}

fn starts_with_as(text: &str) -> bool {
    let begin = text.as_bytes().get(..AS.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(AS.as_bytes()))
}

/// A glob as a regular expression: `*` matches any characters, `?` one.
fn regex_of_glob(glob: &str) -> Result<Regex> {
    let source = regex::escape(glob).replace(r"\*", ".*").replace(r"\?", ".");
    RegexBuilder::new(&format!("^{source}$"))
        .dot_matches_new_line(true)
        .build()
        .map_err(|_| Error::usage(format!("{glob} is too long")))
}

#[cfg(test)]
mod tests;
