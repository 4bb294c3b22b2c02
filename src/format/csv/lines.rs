//! Detects text that is not a table.
//!
//! If records may have any number of cells, any text is CSV: prose, source code, noise. As columns it would be larger
//! than as text and useless, so it is stored line by line, with each line as the first cell of its record.

use super::style::LineEnd;
use crate::columns::span::Span;
use crate::error::{Error, Result};
use crate::wire::codec::compress_zstd;

/// Number of bytes at the start of a block that are compressed both ways for the comparison.
const SAMPLE: usize = 64 << 10;

/// Shorter texts are always treated as tables.
const LEAST: usize = 1 << 10;

/// The level of zstd for the comparison.
const LEVEL: i32 = 1;

/// True if most records have the same number of cells, more than one, or if the text is UTF-8 and compresses clearly
/// better as columns than as text. A record's cells end with the last of `width` spans that is not padding.
///
/// # Errors
/// If zstd runs out of memory.
pub(super) fn is_table(text: &[u8], spans: &[Span], width: usize) -> Result<bool> {
    let records = || spans.chunks_exact(width.max(1));
    let count = |record: &[Span]| {
        let last = record.iter().rposition(|span| *span != Span::NULL);
        last.map_or(1, |last| last + 1)
    };
    let mut alike = vec![0usize; width + 1];
    records().for_each(|record| alike[count(record)] += 1);
    let most = alike.iter().skip(2).max().copied().unwrap_or(0);
    if text.len() < LEAST || 2 * most >= records().len() {
        return Ok(true);
    }
    if simdutf8::basic::from_utf8(text).is_err() {
        return Ok(false);
    }
    // The cells of a sample with their delimiters, column by column, for records with the same number of cells.
    let end = |span: &Span| (span.start + span.len) as usize;
    let in_sample = records().take_while(|record| end(&record[0]) < SAMPLE);
    let mut cells = Vec::new();
    for record in in_sample {
        let count = count(record);
        cells.extend(
            record[..count]
                .iter()
                .zip(0..)
                .map(|(span, at)| (count, at, span)),
        );
    }
    let len = cells.last().map_or(0, |(.., span)| end(span));
    cells.sort_by_key(|&(count, at, _): &(usize, usize, _)| (count, at));
    let mut columns = Vec::with_capacity(len);
    for (.., span) in cells {
        columns.extend_from_slice(&text[span.start as usize..(end(span) + 1).min(text.len())]);
    }
    let packed_len = |bytes: &[u8]| {
        let packed = compress_zstd(bytes, LEVEL);
        packed
            .map(|packed| packed.len())
            .map_err(|error| Error::io("cannot compress", error))
    };
    // Leave room for the lengths and patches that columns also need.
    Ok(packed_len(&columns)? < packed_len(&text[..len])? / 20 * 19)
}

/// Collects the lines of a text. Each line takes `width` spans: the line itself, then padding.
pub(super) fn split_lines(text: &[u8], line_end: LineEnd, width: usize, spans: &mut Vec<Span>) {
    spans.clear();
    let newline = line_end.newline();
    let mut start = 0;
    while start < text.len() {
        let found = memchr::memchr(newline, &text[start..]);
        let next = found.map_or(text.len(), |at| start + at + 1);
        let mut line = &text[start..next];
        for end in [line_end.text().as_bytes(), &[newline]] {
            if let Some(rest) = line.strip_suffix(end) {
                line = rest;
                break;
            }
        }
        spans.push(Span {
            start: start as u32,
            len: line.len() as u32,
        });
        spans.resize(spans.len() + width - 1, Span::NULL);
        start = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::csv::Punctuation;
    use crate::format::csv::split::{Quoting, split};

    fn is_a_table(text: &str) -> bool {
        let mut spans = Vec::new();
        let width = text
            .lines()
            .map(|line| line.split(',').count())
            .max()
            .unwrap();
        let text = text.as_bytes();
        split(
            text,
            Punctuation::default(),
            Quoting::None,
            width,
            true,
            true,
            &mut spans,
        )
        .unwrap();
        is_table(text, &spans, width).unwrap()
    }

    #[test]
    fn prose_is_no_table_and_records_of_several_kinds_are_one() {
        let words = [
            "so", "much", "depends,", "upon", "a", "red", "wheel,", "barrow", "glazed",
        ];
        let mut state = 1u32;
        let mut random = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        };
        let mut prose = String::new();
        for _ in 0..400 {
            for _ in 0..5 + random(5) {
                prose.extend([words[random(words.len())], " "]);
            }
            prose.push('\n');
        }
        assert!(!is_a_table(&prose));
        let kinds = |line: usize| {
            let time = 1_700_000_000 + line * 10;
            match line % 3 {
                0 => format!(
                    "{time},gps,{},{},ok\n",
                    52_500_000 + line * 13,
                    13_400_000 + line * 7
                ),
                1 => format!("{time},temp,{}\n", 200 + line % 9),
                _ => format!("{time},door\n"),
            }
        };
        assert!(is_a_table(&(0..400).map(kinds).collect::<String>()));
        // Records with the same number of cells are a table, whatever the cost.
        let alike = "a,b\nc,d\ne\nf,g\n".repeat(100);
        assert!(is_a_table(&alike));
    }

    #[test]
    fn lines_are_all_there_is() {
        let lines = |text: &str, line_end| {
            let mut spans = Vec::new();
            split_lines(text.as_bytes(), line_end, 2, &mut spans);
            assert!(
                spans
                    .iter()
                    .skip(1)
                    .step_by(2)
                    .all(|span| *span == Span::NULL)
            );
            let cell = |span: &Span| text[span.start as usize..][..span.len as usize].to_owned();
            spans.iter().step_by(2).map(cell).collect::<Vec<_>>()
        };
        assert_eq!(lines("a,\"b\n\n\"c", LineEnd::Lf), ["a,\"b", "", "\"c"]);
        assert_eq!(lines("a\r\nb\nc\r", LineEnd::CrLf), ["a", "b", "c\r"]);
        assert_eq!(lines("a\r\nb\r", LineEnd::Cr), ["a", "\nb"]);
    }
}
