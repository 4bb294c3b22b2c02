//! Finding the values of rows, column by column.

use hashbrown::HashMap;

use crate::columns::shred::{JsonScratch, KEY_TWICE, NO_OBJECT, Walk};
use crate::columns::span::Span;
use crate::text::json::key::{Key, key_name};
use crate::text::json::scan::{Fault, skip_space, string_end, value_behind_colon, value_end};

/// The spans of the rows read so far, by column.
pub(super) struct Rows<'a> {
    text: &'a [u8],
    columns: &'a mut Vec<Vec<Span>>,
    /// Each column's key as written in the text, including quotes.
    keys: Vec<Key<'a>>,
    by_key: HashMap<&'a [u8], usize, foldhash::fast::FixedState>,
    /// Some key is spelled with an escape, so that keys may be the same that look different.
    has_escapes: bool,
    /// The column whose key last followed that of this column; the first is followed by `after[0]`.
    after: Vec<usize>,
    pub(super) count: usize,
}

impl<'a> Rows<'a> {
    pub(super) fn new(text: &'a [u8], scratch: &'a mut JsonScratch) -> Self {
        for column in &mut scratch.columns {
            column.clear();
        }
        Self {
            text,
            columns: &mut scratch.columns,
            keys: Vec::new(),
            by_key: HashMap::default(),
            has_escapes: false,
            after: vec![0],
            count: 0,
        }
    }

    /// Pads the columns and returns their names.
    pub(super) fn finish(self) -> Vec<String> {
        for column in self.columns.iter_mut().take(self.keys.len()) {
            column.resize(self.count, Span::NULL);
        }
        self.keys.iter().map(|key| key_name(key.text)).collect()
    }

    /// The column of a key; `previous` is where the guess looked.
    #[cold]
    fn column(&mut self, key: &'a [u8], previous: usize) -> usize {
        let column = *self.by_key.entry(key).or_insert_with(|| {
            // Two spellings of one key (`"é"` and `"\u00e9"`) meet in one column.
            self.has_escapes |= key.contains(&b'\\');
            let same = |known: &&[u8]| key_name(known) == key_name(key);
            let known = if self.has_escapes {
                self.keys.iter().map(|key| &key.text).position(same)
            } else {
                None
            };
            let column = known.unwrap_or(self.keys.len());
            if column == self.keys.len() {
                self.keys.push(Key::new(key));
                self.after.push(0);
                if self.columns.len() < self.keys.len() {
                    self.columns.push(Vec::new());
                }
            }
            column
        });
        self.after[previous] = column;
        column
    }
}

impl<'a> Walk<'a> for Rows<'a> {
    fn limit(&mut self, text: &'a [u8]) {
        self.text = text;
    }

    fn value(&mut self, at: usize) -> Result<usize, Fault> {
        let end = value_end(self.text, at)?;
        if self.columns.is_empty() {
            self.columns.push(Vec::new());
        }
        self.columns[0].push(Span {
            start: at as u32,
            len: (end - at) as u32,
        });
        self.count += 1;
        Ok(end)
    }

    fn object(&mut self, at: usize) -> Result<usize, Fault> {
        let text = self.text;
        if text.get(at) != Some(&b'{') {
            value_end(text, at)?;
            return Err(Fault {
                at,
                what: NO_OBJECT,
            });
        }
        let mut at = skip_space(text, at + 1);
        let mut previous = 0;
        if text.get(at) == Some(&b'}') {
            self.count += 1;
            return Ok(at + 1);
        }
        loop {
            let key = at;
            let guess = self.after[previous];
            let column = match self.keys.get(guess) {
                // Rows that a program wrote repeat their keys in order.
                Some(known) if known.begins(&text[at..]) => {
                    at += known.text.len();
                    guess
                }
                _ => {
                    at = match text.get(at) {
                        Some(b'"') => string_end(text, at)?,
                        Some(_) => {
                            return Err(Fault {
                                at,
                                what: "expected a key",
                            });
                        }
                        None => {
                            return Err(Fault {
                                at,
                                what: "the text ends inside an object",
                            });
                        }
                    };
                    self.column(&text[key..at], previous)
                }
            };
            previous = column + 1;
            at = value_behind_colon(text, at)?;
            let end = value_end(text, at)?;
            let span = if text[at] == b'n' {
                Span::NULL
            } else {
                Span {
                    start: at as u32,
                    len: (end - at) as u32,
                }
            };
            let spans = &mut self.columns[column];
            if spans.len() != self.count {
                if spans.len() > self.count {
                    return Err(Fault {
                        at: key,
                        what: KEY_TWICE,
                    });
                }
                spans.resize(self.count, Span::NULL);
            }
            spans.push(span);
            at = skip_space(text, end);
            match text.get(at) {
                Some(b',') => at = skip_space(text, at + 1),
                Some(b'}') => break,
                Some(_) => {
                    return Err(Fault {
                        at,
                        what: "expected , or }",
                    });
                }
                None => {
                    return Err(Fault {
                        at,
                        what: "the text ends inside an object",
                    });
                }
            }
        }
        self.count += 1;
        Ok(at + 1)
    }
}
