//! Removes skipped parts of a text: comments and lines before the table, which options keep out of the rows.

use std::borrow::Cow;

use super::read::delimiter_line;
use super::{CsvStyle, Punctuation};
use crate::format::input::BYTE_ORDER_MARK;

impl CsvStyle {
    /// True if the text may have comments, or lines before the table.
    pub fn has_skipped(&self) -> bool {
        self.comment.is_some() || self.skip_lines > 0
    }

    /// The style without lines before the table.
    #[must_use]
    pub fn without_skipped(&self) -> Self {
        Self {
            skip_lines: 0,
            ..self.clone()
        }
    }

    /// The head of such a text.
    pub fn head_without_skipped(&self, head: &[u8]) -> Vec<u8> {
        let mark = if head.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK
        } else {
            b""
        };
        let mut rest = &head[mark.len()..];
        for _ in 0..self.skip_lines {
            let line_end = memchr::memchr(self.line_end.newline(), rest);
            rest = &rest[line_end.map_or(rest.len(), |at| at + 1)..];
        }
        let (line, rest) = rest.split_at(delimiter_line(rest).map_or(0, |(_, len)| len));
        [mark, line, &self.without_comments(rest)].concat()
    }

    /// Removes the comments from text that starts with a record or between records.
    pub fn without_comments<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(comment) = self.comment else {
            return text.into();
        };
        let lines = Punctuation {
            newline: self.line_end.newline(),
            comment: self.comment,
            ..Punctuation::default()
        };
        let (mut kept, mut at) = (Vec::new(), 0);
        while let Some(end) = lines.skipped_end(text, at, true) {
            if !comment.begins(&text[at..]) {
                kept.extend_from_slice(&text[at..end]);
            }
            at = end;
        }
        if kept.len() == at {
            return text.into();
        }
        kept.extend_from_slice(&text[at..]);
        kept.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::csv::CommentMark;

    #[test]
    fn comments_before_records_go_and_all_else_stays() {
        let style = CsvStyle {
            comment: CommentMark::new(b"#"),
            skip_lines: 1,
            ..CsvStyle::default()
        };
        let head = "\u{feff}made by \"x\n# note\n\na,#b\n";
        assert_eq!(
            style.head_without_skipped(head.as_bytes()),
            "\u{feff}\na,#b\n".as_bytes()
        );
        for (text, rest) in [
            ("#a\n\n# b\n1,2\n# c\n", "\n1,2\n# c\n"),
            ("1,#\n", "1,#\n"),
            ("\r\n", "\r\n"),
            ("# to the end", ""),
        ] {
            assert_eq!(&*style.without_comments(text.as_bytes()), rest.as_bytes());
        }
    }
}
