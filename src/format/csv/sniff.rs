//! Detects the style of a text from its start.
//!
//! Only styles that programs produce are detected. Every record that deviates from the style costs a patch later.

use std::borrow::Cow;

use super::quoter::{Nulls, Quoter};
use super::split::{CellEnd, CellWalk, field_end, quote_end};
use super::style::{CsvStyle, LineEnd, Quoted, Spaces};
use super::{CsvOptions, Punctuation};
use crate::columns::infer::as_null_word;

/// Quoting habits seen in the cells of a column.
#[derive(Clone, Debug, Default)]
struct Habits<'a> {
    /// For each kind of [`Spaces`], the number of values that would be quoted differently if only cells that need
    /// quotes had them.
    misfits: [usize; Spaces::ALL.len()],
    /// Number of quoted values that need no quotes, apart from spaces.
    needless: usize,
    /// Number of values without quotes.
    bare: usize,
    /// The null words among these.
    words: NullWords<'a>,
}

/// The distinct values seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NullWords<'a> {
    #[default]
    None,
    One(&'a [u8]),
    Several,
}

/// Detects the style.
///
/// `sample` is the first records, and `whole` is true if there are no more; `head` is the text before them, and `width`
/// the number of cells per record.
pub(super) fn sniff(
    head: &[u8],
    sample: &[u8],
    whole: bool,
    width: usize,
    punctuation: Punctuation,
    options: &CsvOptions,
) -> CsvStyle {
    let mut style = CsvStyle {
        tsv: options.tsv,
        delimiter: punctuation.delimiter,
        quote: punctuation.quote,
        escape: punctuation.escape,
        comment: punctuation.comment,
        skip_lines: options.skip_lines,
        line_end: LineEnd::Lf,
        header: options.header,
        width: options
            .flexible
            .then(|| u32::try_from(width).unwrap_or(u32::MAX)),
        ..CsvStyle::default()
    };
    let sample = without_comments(sample, punctuation);
    let cells = SampleCells {
        text: &sample,
        whole,
        punctuation,
        walk: CellWalk::new(&sample, 0, punctuation),
    };
    style.null = null_word(cells.clone(), &options.nulls, &style);
    style.bare_empty = !style.null.is_empty() && !options.nulls.iter().any(Vec::is_empty);
    style.line_end = line_end(cells.clone(), head, punctuation);
    // Without quotes in the text, the plainest rules fit best.
    let is_quote = |quote| memchr::memchr(quote, &sample).is_some();
    if punctuation.quote.is_some_and(is_quote) {
        quoting(cells, width, &Nulls::new(&options.nulls), &mut style);
    }
    style
}

/// The text without its comments.
fn without_comments(text: &[u8], punctuation: Punctuation) -> Cow<'_, [u8]> {
    if !punctuation.has_comments(text) {
        return text.into();
    }
    let (mut kept, mut at) = (Vec::with_capacity(text.len()), 0);
    while at < text.len() {
        if let Some(end) = punctuation.comment_end(text, at) {
            at = end;
            continue;
        }
        let start = at;
        loop {
            let (end, ending) = field_end(text, at, punctuation);
            at = text.len().min(end + 1);
            if ending != CellEnd::Cell {
                break;
            }
        }
        kept.extend_from_slice(&text[start..at]);
    }
    kept.into()
}

/// The cells of a sample, without delimiters.
#[derive(Clone)]
struct SampleCells<'a> {
    text: &'a [u8],
    whole: bool,
    punctuation: Punctuation,
    walk: CellWalk<'a>,
}

/// A cell, and the line end if it is the last one of its record.
type SampleCell<'a> = (&'a [u8], Option<LineEnd>);

impl<'a> Iterator for SampleCells<'a> {
    type Item = SampleCell<'a>;

    fn next(&mut self) -> Option<SampleCell<'a>> {
        let (range, ending) = self.walk.next()?;
        let cell = &self.text[range];
        let whole = cell.strip_suffix(b"\r");
        match ending {
            CellEnd::Cell => Some((cell, None)),
            CellEnd::Record if self.punctuation.newline == b'\r' => Some((cell, Some(LineEnd::Cr))),
            CellEnd::Record => Some(match whole {
                Some(cell) => (cell, Some(LineEnd::CrLf)),
                None => (cell, Some(LineEnd::Lf)),
            }),
            CellEnd::Text if self.whole => Some((cell, None)),
            CellEnd::Text | CellEnd::InQuotes => None,
        }
    }
}

/// The most frequent null word that the style can write.
fn null_word(cells: SampleCells<'_>, nulls: &[Vec<u8>], style: &CsvStyle) -> Vec<u8> {
    let can_be_written = |null: &[u8]| {
        let style = CsvStyle {
            null: null.to_vec(),
            ..style.clone()
        };
        style.check().is_ok() && str::from_utf8(null).is_ok()
    };
    let words: Vec<&[u8]> = nulls
        .iter()
        .map(Vec::as_slice)
        .filter(|null| can_be_written(null))
        .collect();
    if let [word] = words[..] {
        return word.to_vec();
    }
    let mut counts = vec![0; words.len()];
    for (cell, _) in cells {
        if let Some(at) = words.iter().position(|&null| null == cell) {
            counts[at] += 1;
        }
    }
    // The first of equally frequent words.
    let most = (0..words.len()).rev().max_by_key(|&at| counts[at]);
    most.map(|at| words[at].to_vec()).unwrap_or_default()
}

/// The most frequent line end of records, or the line end of the head if there are no records.
fn line_end(cells: SampleCells<'_>, head: &[u8], punctuation: Punctuation) -> LineEnd {
    if punctuation.newline == b'\r' {
        return LineEnd::Cr;
    }
    let text = cells.text;
    let mut ends = cells.filter_map(|(_, end)| end);
    let is_usual = match ends.next() {
        None => !head.ends_with(b"\r\n"),
        // Not all records have to be looked at.
        Some(_) if memchr::memchr(b'\r', text).is_none() => true,
        Some(first) => {
            let is_long = |end: LineEnd| end == LineEnd::CrLf;
            let (mut records, mut long) = (1, usize::from(is_long(first)));
            for end in ends {
                records += 1;
                long += usize::from(is_long(end));
            }
            2 * long <= records
        }
    };
    if is_usual { LineEnd::Lf } else { LineEnd::CrLf }
}

/// Detects which cells are quoted.
fn quoting(cells: SampleCells<'_>, width: usize, nulls: &Nulls, style: &mut CsvStyle) {
    let mut columns = vec![Habits::default(); width];
    let quoters = Spaces::ALL.map(|spaces| {
        Quoter::new(CsvStyle {
            spaces,
            ..style.clone()
        })
    });
    let punctuation = cells.punctuation;
    let mut position = 0;
    for (cell, end) in cells {
        if let Some(column) = columns.get_mut(position) {
            column.add(cell, punctuation, nulls, &quoters);
        }
        position = if end.is_some() { 0 } else { position + 1 };
    }
    // As in R, one word may be unquoted in columns that are otherwise quoted.
    let is_comment = |word: &[u8]| style.comment.is_some_and(|mark| mark.begins(word));
    let word = columns.iter().find_map(|column| match column.words {
        NullWords::One(word) if column.needless > 0 && !is_comment(word) => as_null_word(word),
        _ => None,
    });
    let cost = |spaces: usize, word: Option<&[u8]>| -> usize {
        columns
            .iter()
            .map(|column| column.misfits[spaces].min(column.if_quoted(word)))
            .sum()
    };
    let rules = [None, word]
        .into_iter()
        .flat_map(|word| (0..Spaces::ALL.len()).map(move |spaces| (spaces, word)));
    let Some((spaces, word)) = rules.min_by_key(|&(spaces, word)| cost(spaces, word)) else {
        return;
    };
    style.spaces = Spaces::ALL[spaces];
    let is_quoted = |column: &Habits<'_>| column.if_quoted(word) < column.misfits[spaces];
    let is_open = |column: &Habits<'_>| column.needless == 0 && column.bare == 0;
    let quoted = columns.iter().filter(|column| is_quoted(column)).count();
    let open = columns.iter().filter(|column| is_open(column)).count();
    style.quoted = if quoted > 0 && quoted + open == columns.len() {
        Quoted::All
    } else {
        let quoted = (0..).zip(&columns).filter(|(_, column)| is_quoted(column));
        Quoted::Columns(quoted.map(|(position, _)| position).collect())
    };
    if quoted > 0 {
        style.bare_word = word.map(<[u8]>::to_vec);
    }
}

impl<'a> Habits<'a> {
    fn add(&mut self, cell: &'a [u8], punctuation: Punctuation, nulls: &Nulls, quoters: &[Quoter]) {
        if nulls.has(cell) {
            return;
        }
        let quoted = match punctuation.quote {
            Some(quote) if cell.first() == Some(&quote) => {
                if quote_end(cell, 0, quote, punctuation.escape) != Some(cell.len()) {
                    return;
                }
                true
            }
            _ => false,
        };
        // The check for required quotes gives the same result with quotes still doubled.
        let text = if quoted {
            &cell[1..cell.len() - 1]
        } else {
            cell
        };
        let needs_quotes = quoters[0].quotes(text, b"");
        // The quoters differ only in how they treat spaces.
        let has_space = text.iter().any(|byte| matches!(byte, b' ' | b'\t'));
        for (misfits, quoter) in self.misfits.iter_mut().zip(quoters) {
            let would_quote = if has_space {
                quoter.quotes(text, b"")
            } else {
                needs_quotes
            };
            *misfits += usize::from(would_quote != quoted);
        }
        if quoted {
            self.needless += usize::from(!needs_quotes);
        } else {
            self.bare += 1;
            let is_only = self.words == NullWords::None || self.words == NullWords::One(cell);
            self.words = if is_only {
                NullWords::One(cell)
            } else {
                NullWords::Several
            };
        }
    }

    /// The number of values that differ from a column in which everything except `word` is quoted.
    fn if_quoted(&self, word: Option<&[u8]>) -> usize {
        match self.words {
            NullWords::One(only) if Some(only) == word => 0,
            _ => self.bare,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::format::csv::detect;

    fn sniffed(text: &str, options: &CsvOptions) -> String {
        let text = text.as_bytes();
        let punctuation = detect(text, options.delimiter, options.quote, None);
        let head = memchr::memchr(punctuation.newline, text).map_or(text.len(), |at| at + 1);
        let (head, sample) = text.split_at(head);
        let width = head.split(|&byte| byte == punctuation.delimiter).count();
        let style = sniff(head, sample, true, width, punctuation, options);
        Value::Object(style.options(&CsvStyle::named("", style.tsv).unwrap())).to_string()
    }

    #[test]
    fn styles_of_programs_are_known() {
        for (text, style) in [
            ("a,b\n1,x\n2,\"y,z\"\n", "{}"),
            // A column whose values all need quotes gives no information.
            ("a,b\n1,\"x,\"\n2,\"y,z\"\n", "{}"),
            ("a,b\n", "{}"),
            ("a,b\r\n", r#"{"line_end":"\r\n"}"#),
            ("a;b\r1;2\r", r#"{"delimiter":";","line_end":"\r"}"#),
            ("a,b\r\n1,2\r\n3,4\n5,6\r\n", r#"{"line_end":"\r\n"}"#),
            ("a\tb\n1\t\"x\"\n", r#"{"delimiter":"\t","quoted":[1]}"#),
            ("a,b\n\"1\",\"x\"\n\"\",\"y\"\n", r#"{"quoted":true}"#),
            // A column without values is treated like the others.
            ("a,b\n\"1\",\"\"\n\"2\",\"\"\n", r#"{"quoted":true}"#),
            ("a,b,c\n1,\"x\",\"\"\n2,\"y\",\"\"\n", r#"{"quoted":[1]}"#),
            // R's write.csv
            (
                "a,b\n\"x\",1\nNA,NA\n\"NA\",3\n\"y\",4\n",
                r#"{"quoted":[0],"bare":"NA"}"#,
            ),
            // Go's encoding/csv, and even more careful programs
            ("a,b\n1,\" x\"\n2,y \n3,y z\n", r#"{"spaces":"leading"}"#),
            ("a,b\n1,\" x\"\n2,\"y \"\n3,y z\n", r#"{"spaces":"edges"}"#),
            (
                "a,b\n1,\"x y\"\n2,z\n3,w\n4,\"u v\"\n5,u\n",
                r#"{"spaces":"any"}"#,
            ),
            // A single cell is not a rule.
            ("a,b\n1,\"x\"\n2,y\n3,z\n", "{}"),
            (
                "a,b\n1,\"say \\\"hi\\\"\"\n2,\"y\"\n",
                r#"{"escape":"\\","quoted":[1]}"#,
            ),
        ] {
            assert_eq!(sniffed(text, &CsvOptions::default()), style, "{text:?}");
        }
    }

    #[test]
    fn the_word_for_null_is_the_one_in_use() {
        let with = |nulls: &[&str]| CsvOptions {
            nulls: nulls.iter().map(|null| null.as_bytes().to_vec()).collect(),
            ..CsvOptions::default()
        };
        let text = "a,b\n1,NA\n,-\n2,NA\n";
        for (nulls, style) in [
            (&["NA"][..], r#"{"null":"NA","empty":"bare"}"#),
            (&["-", "NA"], r#"{"null":"NA","empty":"bare"}"#),
            (&["-", "", "NA"], r#"{"null":"NA"}"#),
            (&["", "-"], "{}"),
            (&["x,y"], "{}"),
        ] {
            assert_eq!(sniffed(text, &with(nulls)), style, "{nulls:?}");
        }
    }
}
