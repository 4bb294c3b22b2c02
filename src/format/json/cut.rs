//! Cuts JSON text into blocks of complete values.
//!
//! If newlines separate the values, the border is the last newline. Otherwise, strings and brackets are tracked, 64
//! bytes at a time, as in simdjson.

use crate::text::masks::{StringMask, chunks, equal};

/// The arrangement of values in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// One value per line.
    Lines,
    /// A sequence of values on any number of lines.
    Values,
    /// Items of one array, whose opening bracket has been skipped.
    Array,
}

/// Complete values at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueCut {
    /// The offset of the border, after the separator.
    pub end: usize,
    /// Number of values, if a limit was given.
    pub values: usize,
    /// Number of bytes from `end` on that close the array: 1 if it ends here, otherwise 0.
    pub close: usize,
}

/// Finds the complete values in `text`, at most `limit` of them; `None` if there is no border.
pub fn cut(text: &[u8], framing: Framing, limit: Option<usize>) -> Option<ValueCut> {
    match framing {
        Framing::Lines => cut_lines(text, limit),
        Framing::Values | Framing::Array => cut_values(text, framing, limit.unwrap_or(usize::MAX)),
    }
}

fn cut_lines(text: &[u8], limit: Option<usize>) -> Option<ValueCut> {
    let Some(limit) = limit else {
        let end = memchr::memrchr(b'\n', text)? + 1;
        return Some(ValueCut {
            end,
            values: 0,
            close: 0,
        });
    };
    let (mut start, mut values, mut end) = (0, 0, None);
    for newline in memchr::memchr_iter(b'\n', text) {
        values += usize::from(!text[start..newline].trim_ascii().is_empty());
        start = newline + 1;
        end = Some(start);
        if values == limit {
            break;
        }
    }
    end.map(|end| ValueCut {
        end,
        values,
        close: 0,
    })
}

fn cut_values(text: &[u8], framing: Framing, limit: usize) -> Option<ValueCut> {
    let mut depth = 0u64;
    let mut strings = StringMask::default();
    // The text between the border and `blank` is white space and is not scanned again.
    let (mut values, mut border, mut blank) = (0, 0, 0);
    let stop = chunks(text, |chunk, base| {
        let [quotes, backslashes] = equal(chunk, [b'"', b'\\']);
        let (string, _) = strings.next(quotes, backslashes);
        let [objects, arrays, object_ends, array_ends] = equal(chunk, [b'{', b'[', b'}', b']']);
        let opening = (objects | arrays) & !string;
        let brackets = opening | (object_ends | array_ends) & !string;
        if brackets == 0 && depth > 0 {
            return None;
        }
        let separators = !string
            & match framing {
                Framing::Array => equal(chunk, [b','])[0],
                _ => equal(chunk, [b' ', b'\n', b'\r', b'\t'])
                    .into_iter()
                    .fold(0, |all, mask| all | mask),
            };
        let mut unseen = u64::MAX;
        loop {
            let left = unseen
                & if depth == 0 {
                    brackets | separators
                } else {
                    brackets
                };
            if left == 0 {
                return None;
            }
            let bit = left.trailing_zeros();
            unseen = u64::MAX << bit << 1;
            let at = base + bit as usize;
            if opening >> bit & 1 == 1 {
                depth += 1;
                continue;
            }
            let ends_value = if brackets >> bit & 1 == 0 {
                // White space between values ends a number or word, if there is one.
                let is_blank = text[blank..at].trim_ascii().is_empty();
                blank = at + 1;
                framing == Framing::Array || !is_blank
            } else if depth == 0 {
                // The array ends here; in other arrangements, the parser rejects the bracket.
                return Some(Some(at));
            } else {
                depth -= 1;
                depth == 0 && framing == Framing::Values
            };
            if ends_value {
                values += 1;
                border = at + 1;
                blank = border;
                if values == limit {
                    return Some(None);
                }
            }
        }
    });
    match stop.flatten() {
        Some(end) if framing == Framing::Array => {
            values += usize::from(!text[border..end].trim_ascii().is_empty());
            Some(ValueCut {
                end,
                values,
                close: 1,
            })
        }
        Some(end) => Some(ValueCut {
            end: end + 1,
            values: values + 1,
            close: 0,
        }),
        None => (border > 0).then_some(ValueCut {
            end: border,
            values,
            close: 0,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every border found by a walk byte by byte.
    fn naive(text: &str, framing: Framing) -> (Vec<usize>, bool) {
        let (mut depth, mut string, mut escape, mut borders, mut from) =
            (0, false, false, vec![], 0);
        for (at, byte) in text.bytes().enumerate() {
            if string {
                (string, escape) = (escape || byte != b'"', !escape && byte == b'\\');
                continue;
            }
            match byte {
                b'"' => string = true,
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 0 => return (borders, true),
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 && framing == Framing::Values {
                        borders.push(at + 1);
                    }
                }
                b',' if depth == 0 && framing == Framing::Array => borders.push(at + 1),
                b' ' | b'\n'
                    if depth == 0
                        && framing == Framing::Values
                        && !text[from..at].trim().is_empty() =>
                {
                    borders.push(at + 1);
                }
                _ => {}
            }
            from = borders.last().copied().unwrap_or(0);
        }
        (borders, false)
    }

    proptest::proptest! {
        #[test]
        fn borders_are_those_of_a_walk_byte_by_byte(
            pieces in proptest::collection::vec(proptest::sample::select(vec![
                "{\"a\":1}", "[1,{\"b\":[]}]", "\"x,\\\\\"", "\"]}\\\"[{\"", "12", ",", " ", "\n", "null", "[", "]", "{}",
            ]), 0..60),
            limit in 1usize..20,
        ) {
            let text = pieces.concat();
            for framing in [Framing::Array, Framing::Values] {
                let (borders, closed) = naive(&text, framing);
                let found = cut(text.as_bytes(), framing, Some(limit));
                if borders.len() >= limit {
                    proptest::prop_assert_eq!(found, Some(ValueCut { end: borders[limit - 1], values: limit, close: 0 }));
                } else if !closed {
                    let expected = borders.last().map(|&end| ValueCut { end, values: borders.len(), close: 0 });
                    proptest::prop_assert_eq!(found, expected);
                } else if framing == Framing::Array {
                    proptest::prop_assert_eq!(found.map(|cut| cut.close), Some(1));
                }
            }
        }
    }
}
