//! What a CSV file's punctuation is, and how to find out.

use super::split::{Ending, field_end};

/// The punctuation of a CSV file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Between cells.
    pub delimiter: u8,
    /// Around cells; `None` if quotes mean nothing.
    pub quote: Option<u8>,
    /// Ends a record: `\n` (a `\r` in front of it belongs to it), or `\r` in files of old Macs.
    pub newline: u8,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            delimiter: b',',
            quote: Some(b'"'),
            newline: b'\n',
        }
    }
}

/// Delimiters that are looked for, the likelier first.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];
/// Records that have a say.
const RECORDS: usize = 100;

/// Finds out the dialect from the beginning of a file; what is given stays as given.
pub fn detect(head: &[u8], delimiter: Option<u8>, quote: Option<u8>) -> Dialect {
    let newline = if memchr::memchr(b'\n', head).is_none() && memchr::memchr(b'\r', head).is_some()
    {
        b'\r'
    } else {
        b'\n'
    };
    let with = |delimiter| Dialect {
        delimiter,
        quote,
        newline,
    };
    // The delimiter that cuts most records into the same number of cells wins, then the one that
    // cuts into more cells; one cell is no cut.
    let best = || {
        DELIMITERS
            .into_iter()
            .rev()
            .map(|delimiter| (regularity(head, with(delimiter)), delimiter))
            .max_by_key(|(score, _)| *score)
            .filter(|((alike, _), _)| *alike > 0)
            .map_or(b',', |(_, delimiter)| delimiter)
    };
    with(delimiter.unwrap_or_else(best))
}

/// How many per cent of the records have as many cells as the first, and how many that is.
fn regularity(head: &[u8], dialect: Dialect) -> (usize, usize) {
    let mut counts = Vec::new();
    let mut cells = 0;
    let mut at = 0;
    while at < head.len() && counts.len() < RECORDS {
        let (end, ending) = field_end(head, at, dialect);
        cells += 1;
        if ending == Ending::Record {
            if cells > 1 || end > at {
                counts.push(cells);
            }
            cells = 0;
        } else if ending != Ending::Cell {
            break;
        }
        at = end + 1;
    }
    if counts.is_empty() {
        // Not one whole record: count what there is.
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
            ("\"a;b\",\"c;d\"\n\"1;2\",\"3;4\"\n", b','),
            ("", b','),
            ("a;b", b';'),
        ] {
            assert_eq!(
                detect(text.as_bytes(), None, Some(b'"')).delimiter,
                delimiter,
                "{text:?}"
            );
        }
    }

    #[test]
    fn old_line_ends_are_told_from_new() {
        assert_eq!(detect(b"a,b\r1,2\r", None, Some(b'"')).newline, b'\r');
        assert_eq!(detect(b"a,b\r\n1,2\r\n", None, Some(b'"')).newline, b'\n');
    }
}
