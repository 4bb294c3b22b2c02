//! Detects the punctuation of a CSV file.

use super::CommentMark;
use super::split::{CellEnd, CellWalk, quote_end};

/// The punctuation of a CSV file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Punctuation {
    /// The byte between cells.
    pub delimiter: u8,
    /// The byte around quoted cells; `None` if quotes have no meaning.
    pub quote: Option<u8>,
    /// The escape byte: within quotes, the byte after it is not a closing quote. Without an escape, quotes are doubled.
    pub escape: Option<u8>,
    /// The last byte of a record: `\n` (a `\r` before it is part of the line end), or `\r` in files of old Macs.
    pub newline: u8,
    /// A line that starts with this, where a record could start, is a comment.
    pub comment: Option<CommentMark>,
}

impl Default for Punctuation {
    fn default() -> Self {
        Self {
            delimiter: b',',
            quote: Some(b'"'),
            escape: None,
            newline: b'\n',
            comment: None,
        }
    }
}

impl Punctuation {
    /// The first byte of a quoted cell. If quotes have no meaning, this is the newline, which no cell of the text starts
    /// with, except the one that represents the empty string.
    pub(super) fn cell_quote(self) -> u8 {
        self.quote.unwrap_or(self.newline)
    }

    /// The end of the comment that starts at an offset, if there is one.
    #[inline]
    pub(super) fn comment_end(self, text: &[u8], at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        self.comment?.begins(rest).then(|| {
            let line_end = memchr::memchr(self.newline, rest);
            line_end.map_or(text.len(), |end| at + end + 1)
        })
    }

    /// The end of the line that starts at an offset where a record could start, if the line is not a record: a comment,
    /// or an empty line with `skip_blank`.
    pub(super) fn skipped_end(self, text: &[u8], at: usize, skip_blank: bool) -> Option<usize> {
        let blank_end = || {
            // CR before a line end is part of it; in files of old Macs, it is the line end.
            let returns = text[at..].iter().take_while(|&&byte| byte == b'\r');
            let after = if self.newline == b'\r' {
                at
            } else {
                at + returns.count()
            };
            match text.get(after) {
                Some(&byte) => (byte == self.newline).then_some(after + 1),
                None => (after > at).then_some(after),
            }
        };
        self.comment_end(text, at)
            .or_else(|| skip_blank.then(blank_end).flatten())
    }

    /// The end of all such lines at the start of a text.
    pub(super) fn end_of_skipped(self, text: &[u8], skip_blank: bool) -> usize {
        let lines = std::iter::successors(Some(0), |&at| self.skipped_end(text, at, skip_blank));
        lines.last().unwrap_or(0)
    }

    /// True if a line starts like a comment.
    pub(super) fn has_comments(self, text: &[u8]) -> bool {
        self.comment.is_some_and(|mark| {
            let begins_line = |at: usize| at == 0 || text[at - 1] == self.newline;
            memchr::memmem::find_iter(text, mark.bytes()).any(begins_line)
        })
    }
}

/// Delimiters to detect, most common first.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];
/// Number of records to look at.
const RECORDS: usize = 100;

/// Detects the punctuation from the start of a file; parts given by the user are kept. Comments do not count
/// as records.
pub fn detect(
    head: &[u8],
    delimiter: Option<u8>,
    quote: Option<u8>,
    comment: Option<CommentMark>,
) -> Punctuation {
    let newline = newline(head, quote);
    let with = |delimiter| Punctuation {
        delimiter,
        quote,
        escape: None,
        newline,
        comment,
    };
    // Choose the delimiter that splits most records into the same number of cells; on a tie, the one with more cells.
    // There must be more than one cell, and at least half of the records must agree.
    let best = || {
        DELIMITERS
            .into_iter()
            .rev()
            .filter(|&delimiter| Some(delimiter) != quote)
            .map(|delimiter| (regularity(head, with(delimiter)), delimiter))
            .max_by_key(|(score, _)| *score)
            .filter(|((alike, _), _)| *alike > 50)
            .map_or(
                DELIMITERS[usize::from(quote == Some(DELIMITERS[0]))],
                |(_, delimiter)| delimiter,
            )
    };
    let punctuation = with(delimiter.unwrap_or_else(best));
    Punctuation {
        escape: escape(head, punctuation),
        ..punctuation
    }
}

/// A backslash, if quotes follow backslashes and make sense only with it as the escape.
fn escape(head: &[u8], doubling: Punctuation) -> Option<u8> {
    let quote = doubling.quote?;
    let escape = b'\\';
    let taken = [doubling.delimiter, quote].contains(&escape);
    if taken || memchr::memmem::find(head, &[escape, quote]).is_none() {
        return None;
    }
    let escaping = Punctuation {
        escape: Some(escape),
        ..doubling
    };
    (!is_clean(head, doubling) && is_clean(head, escaping)).then_some(escape)
}

/// True if quotes occur only around cells, and properly escaped within them.
fn is_clean(head: &[u8], punctuation: Punctuation) -> bool {
    for (range, ending) in CellWalk::new(head, 0, punctuation) {
        let cell = &head[range];
        let cell = cell.strip_suffix(b"\r").unwrap_or(cell);
        let clean = match punctuation.quote {
            _ if matches!(ending, CellEnd::Text | CellEnd::InQuotes) => return true,
            Some(quote) if cell.first() == Some(&quote) => {
                quote_end(cell, 0, quote, punctuation.escape) == Some(cell.len())
            }
            Some(quote) => memchr::memchr(quote, cell).is_none(),
            None => true,
        };
        if !clean {
            return false;
        }
    }
    true
}

/// The last byte of lines. Files of old Macs with `\r` may have `\n` in their cells, so ignore newlines in quotes.
pub(super) fn newline(head: &[u8], quote: Option<u8>) -> u8 {
    let mut inside = false;
    let mut found = None;
    for at in memchr::memchr3_iter(b'\n', b'\r', quote.unwrap_or(b'\n'), head) {
        if Some(head[at]) == quote {
            inside = !inside;
        } else if !inside && head[at] == b'\n' {
            return b'\n';
        } else if !inside {
            found = Some(b'\r');
        }
    }
    // After a stray quote, everything looks quoted.
    let only_returns = memchr::memchr(b'\n', head).is_none() && head.contains(&b'\r');
    found.unwrap_or(if only_returns { b'\r' } else { b'\n' })
}

/// The percentage of records with as many cells as the first, and that number of cells.
pub(super) fn regularity(head: &[u8], punctuation: Punctuation) -> (usize, usize) {
    let mut counts = Vec::new();
    let mut cells = 0;
    let mut is_comment = false;
    for (cell, ending) in CellWalk::new(head, 0, punctuation) {
        if cells == 0 {
            is_comment = punctuation.comment_end(head, cell.start).is_some();
        }
        cells += 1;
        if ending == CellEnd::Record {
            if !is_comment && (cells > 1 || !cell.is_empty()) {
                counts.push(cells);
            }
            cells = 0;
        }
        let is_enough = counts.len() == RECORDS || counts.first() == Some(&1);
        if is_enough || matches!(ending, CellEnd::Text | CellEnd::InQuotes) {
            break;
        }
    }
    if counts.is_empty() {
        // No complete record: count the cells of the partial one.
        counts.push(cells);
    }
    let first = counts[0];
    if first < 2 {
        return (0, 0);
    }
    let alike = counts.iter().filter(|&&count| count == first).count();
    (100 * alike / counts.len(), first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_the_one_that_cuts_evenly() {
        for (text, delimiter) in [
            ("a,b,c\n1,2,3\n", b','),
            ("a;b;c\n1,5;2,5;3,5\n1,5;2;3\n", b';'),
            ("a\tb\n\"x,y,z\"\t2\n\"1,2,3\"\t3\n", b'\t'),
            ("a|b|c\n1|2|3", b'|'),
            ("name\nx\ny\n", b','),
            ("a title; or two\nx\ny\n", b','),
            ("\"a;b\",\"c;d\"\n\"1;2\",\"3;4\"\n", b','),
            ("", b','),
            ("a;b", b';'),
        ] {
            assert_eq!(
                detect(text.as_bytes(), None, Some(b'"'), None).delimiter,
                delimiter,
                "{text:?}"
            );
        }
    }

    #[test]
    fn backslashes_escape_only_where_doubling_makes_no_sense() {
        for (text, escape) in [
            ("a,b\n\"say \\\"hi\\\"\",1\n", Some(b'\\')),
            (
                "a,b\n\"say \\\"hi, you\\\"\",1\n\"x\",\"\\\\\"\n",
                Some(b'\\'),
            ),
            ("a,b\n\"C:\\dir\\\",1\n", None),
            ("a,b\n\"C:\\dir\\\",\"x\"\n", None),
            ("a,b\n\"say \"\"hi\"\"\",1\n", None),
            ("a,b\n\"say \\\"\"hi\\\"\"\",1\n", None),
            ("a,b\n5\\\" disk,1\n", None),
            ("a,b\n\"say \\\"hi\\\"\",1\n5\" disk,2\n", None),
        ] {
            let found = detect(text.as_bytes(), None, Some(b'"'), None).escape;
            assert_eq!(found, escape, "{text:?}");
        }
    }

    #[test]
    fn comments_are_no_records() {
        let found = detect(b"a;b\n#x,y\n", None, Some(b'"'), CommentMark::new(b"#"));
        assert_eq!(found.delimiter, b';');
    }

    #[test]
    fn old_line_ends_are_told_from_new() {
        assert_eq!(detect(b"a,b\r1,2\r", None, Some(b'"'), None).newline, b'\r');
        assert_eq!(
            detect(b"a,b\r\n1,2\r\n", None, Some(b'"'), None).newline,
            b'\n'
        );
        for (text, newline) in [
            ("a,b\r\"x\ny\",2\r", b'\r'),
            ("\"a\rb\",c\n1,2\n", b'\n'),
            ("\"a\rb\",c", b'\r'),
            ("5\" disk,b\n1,2\n", b'\n'),
            ("5\" disk,b\r1,2\r", b'\r'),
        ] {
            let found = detect(text.as_bytes(), None, Some(b'"'), None).newline;
            assert_eq!(found, newline, "{text:?}");
        }
    }
}
