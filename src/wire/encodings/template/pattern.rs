//! Learns the pattern that rows share, and splits rows by it.

use std::sync::Arc;

use super::tokens::{Grain, Token, keep_usual, learn_tokens};
use super::{Template, TemplateField};
use crate::wire::choose::{Cascade, Preset};
use crate::wire::encodings::{ByteStrings, Encoding, Node, patched};

/// The most fields of a pattern; more are not worth their descriptions.
const MOST_FIELDS: usize = 24;

/// The fewest bytes of text around a single field that are worth removing.
const SHORTEST_AFFIX: usize = 4;

/// How to split rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPattern {
    /// At most one is [`Token::Rest`]; those after it are found from the end. No two literals are adjacent.
    tokens: Vec<Token>,
}

/// The values of a field while rows are split.
enum FieldValues {
    Numbers {
        values: Vec<i64>,
        lengths: DigitCounts,
    },
    Text(ByteStrings),
}

/// The numbers of digits of a field's numbers.
#[derive(Clone, Copy)]
struct DigitCounts {
    shortest: usize,
    /// The length of the longest zero-padded number; 0 without such numbers.
    longest_padded: usize,
}

impl RowPattern {
    /// The pattern that all rows of a sample share, if they have enough in common.
    pub fn learn(sample: &[&[u8]], grain: Grain) -> Option<Self> {
        let (tokens, ends) = grain.cut(sample);
        let mut rows: Vec<&[&[u8]]> = std::iter::once(0)
            .chain(ends.iter().copied())
            .zip(&ends)
            .map(|(from, &to)| &tokens[from..to])
            .collect();
        keep_usual(&mut rows, grain);
        let shortest = rows.iter().map(|row| row.len()).min()?;
        let is_uniform = rows.iter().all(|row| row.len() == shortest);
        let mut tokens = learn_tokens(&rows, shortest, grain, |row, at| row.get(at).copied());
        if !is_uniform || tokens.len() < shortest {
            let left = shortest - tokens.len();
            let tail = learn_tokens(&rows, left, grain, |row, at| {
                row.iter().nth_back(at).copied()
            });
            tokens.push(Token::Rest);
            tokens.extend(tail.into_iter().rev());
        }
        // Patterns of different grains often differ in nothing but this.
        tokens.dedup_by(|next, literal| match (literal, next) {
            (Token::Literal(literal), Token::Literal(next)) => {
                literal.append(next);
                true
            }
            _ => false,
        });
        let pattern = Self { tokens };
        pattern.is_worthwhile().then_some(pattern)
    }

    /// The pattern of rows that share their first bytes and continue with hex digits, such as `0xc0ffee` and `#1e90ff`.
    /// A Huffman code for sixteen digits takes four bits each; for the bytes before them, it would take more.
    pub fn before_hex(sample: &[&[u8]]) -> Option<Self> {
        let is_other = |byte: &u8| !byte.is_ascii_hexdigit();
        let hex_start = |row: &&[u8]| row.iter().rposition(is_other).map_or(0, |last| last + 1);
        let start = sample.iter().map(hex_start).max()?;
        let prefix = sample.first()?.get(..start)?;
        let fits = |row: &&[u8]| row.starts_with(prefix) && row.len() > start;
        // Decimal digits after a prefix are numbers.
        let has_letters = |row: &&[u8]| row[start..].iter().any(u8::is_ascii_alphabetic);
        let is_hex = start > 0 && sample.iter().all(fits) && sample.iter().any(has_letters);
        is_hex.then(|| Self {
            tokens: vec![Token::Literal(prefix.to_vec()), Token::Rest],
        })
    }

    fn fields(&self) -> impl Iterator<Item = &Token> {
        self.tokens.iter().filter(|token| token.is_field())
    }

    /// The text before the first field, between fields, and after the last one.
    fn literals(&self) -> Vec<Vec<u8>> {
        let mut literals = vec![Vec::new()];
        for token in &self.tokens {
            match (token, literals.last_mut()) {
                (Token::Literal(literal), Some(last)) => last.extend_from_slice(literal),
                _ => literals.push(Vec::new()),
            }
        }
        literals
    }

    /// False for a pattern that is only free text, and for one with far too many fields.
    fn is_worthwhile(&self) -> bool {
        let fields = self.fields().count();
        let has_number = self.tokens.contains(&Token::Number);
        let literal_len: usize = self.literals().iter().map(Vec::len).sum();
        // A general compressor handles a few bytes that all rows start or end with.
        let is_cut = fields > 1 && literal_len > 0 || literal_len >= SHORTEST_AFFIX;
        let is_cut = is_cut || has_number;
        is_cut && (1..=MOST_FIELDS).contains(&fields)
    }

    /// True if it only removes what all rows start or end with, so that it fits rows with more structure, too.
    pub fn is_affix(&self) -> bool {
        self.fields().count() == 1 && !self.tokens.contains(&Token::Number)
    }

    /// Encodes strings, and their fields as in `choice`, a node of the same pattern. Almost all strings must fit; rows
    /// that do not fit become exceptions ([`patched`]).
    pub fn encode(
        &self,
        values: &ByteStrings,
        cascade: Cascade,
        choice: Option<&Node>,
    ) -> Option<Node> {
        let most_exceptions = values.len() / patched::ROWS_PER_EXCEPTION;
        let mut pattern = self.clone();
        let mut fields = Vec::new();
        loop {
            let mut parts = pattern.parts();
            let mut exceptions = Vec::new();
            for (row, text) in values.iter().enumerate() {
                if pattern.split(text, &mut fields) {
                    for (part, field) in parts.iter_mut().zip(&fields) {
                        part.push(field);
                    }
                } else if exceptions.len() < most_exceptions {
                    exceptions.push(row as i64);
                } else {
                    return None;
                }
            }
            if pattern.store_as_text(&parts) {
                continue;
            }
            let rows = values.len() - exceptions.len();
            return Some(if exceptions.is_empty() {
                pattern.node(parts, rows, cascade, choice)
            } else {
                let rest = pattern.node(parts, rows, cascade.deeper(), choice);
                patched::encode(rest, values, &exceptions, cascade, choice)
            });
        }
    }

    fn parts(&self) -> Vec<FieldValues> {
        let part = |token: &Token| match token {
            Token::Number => FieldValues::Numbers {
                values: Vec::new(),
                lengths: DigitCounts {
                    shortest: usize::MAX,
                    longest_padded: 0,
                },
            },
            _ => FieldValues::Text(ByteStrings::default()),
        };
        self.fields().map(part).collect()
    }

    /// Turns fields of unevenly padded numbers (`07` and `007`) into text; false if no field has such numbers.
    fn store_as_text(&mut self, parts: &[FieldValues]) -> bool {
        let mut any = false;
        let fields = self.tokens.iter_mut().filter(|token| token.is_field());
        for (token, part) in fields.zip(parts) {
            if let FieldValues::Numbers { lengths, .. } = part
                && lengths.longest_padded > lengths.shortest
            {
                *token = Token::Digits;
                any = true;
            }
        }
        any
    }

    /// Splits a row into its fields; false if it does not fit.
    fn split<'a>(&self, row: &'a [u8], fields: &mut Vec<&'a [u8]>) -> bool {
        fields.clear();
        let mut rest = row;
        for (at, token) in self.tokens.iter().enumerate() {
            if matches!(token, Token::Rest) {
                return split_end(rest, &self.tokens[at + 1..], fields);
            }
            let Some(len) = token.match_front(rest) else {
                return false;
            };
            let (text, after) = rest.split_at(len);
            rest = after;
            if token.is_field() {
                fields.push(text);
            }
        }
        rest.is_empty()
    }

    fn node(
        &self,
        parts: Vec<FieldValues>,
        rows: usize,
        cascade: Cascade,
        choice: Option<&Node>,
    ) -> Node {
        let deeper = cascade.deeper();
        // The choice for an earlier frame may be patched. Its last part then holds the template.
        let choice = choice.map(|choice| match choice.encoding {
            Encoding::Patched(_) => choice.children.last().unwrap_or(choice),
            _ => choice,
        });
        let (fields, children) = parts
            .into_iter()
            .enumerate()
            .map(|(at, part)| {
                let choice = choice.and_then(|choice| choice.children.get(at));
                match part {
                    FieldValues::Text(text) => (TemplateField::Text, deeper.strings(&text, choice)),
                    FieldValues::Numbers { values, lengths } => {
                        let digits = if lengths.longest_padded > 0 {
                            lengths.shortest as u8
                        } else {
                            0
                        };
                        let node = deeper.ints(&values, choice);
                        (TemplateField::Number { digits }, node)
                    }
                }
            })
            .unzip();
        let literals = self.literals();
        let mut node = Node::of_children(Template { literals, fields }, rows, children);
        node.hints.pattern = Some(Arc::new(self.clone()));
        node
    }
}

/// Splits the end of a row by the tokens after [`Token::Rest`]. What remains before them becomes the field of
/// that token.
fn split_end<'a>(mut rest: &'a [u8], tokens: &[Token], fields: &mut Vec<&'a [u8]>) -> bool {
    let first = fields.len();
    for token in tokens.iter().rev() {
        let Some(len) = token.match_back(rest) else {
            return false;
        };
        let (before, text) = rest.split_at(rest.len() - len);
        rest = before;
        if token.is_field() {
            fields.push(text);
        }
    }
    fields.push(rest);
    fields[first..].reverse();
    true
}

/// The patterns that a few dozen rows share, one per grain at most, and the one before hex digits; some may be equal.
pub fn patterns(rows: &[&[u8]], cascade: Cascade) -> impl Iterator<Item = RowPattern> {
    let is_tried = cascade.preset != Preset::Fast;
    let hex = is_tried.then(|| RowPattern::before_hex(rows)).flatten();
    [Grain::Digits, Grain::Letters, Grain::Words, Grain::Blanks]
        .into_iter()
        .filter(move |_| is_tried)
        .filter_map(move |grain| RowPattern::learn(rows, grain))
        .chain(hex)
}

impl FieldValues {
    fn push(&mut self, text: &[u8]) {
        match self {
            Self::Text(strings) => strings.push(text),
            Self::Numbers { values, lengths } => {
                let digit = |sum, byte: &u8| sum * 10 + i64::from(byte - b'0');
                values.push(text.iter().fold(0, digit));
                lengths.shortest = lengths.shortest.min(text.len());
                if text[0] == b'0' && text.len() > 1 {
                    lengths.longest_padded = lengths.longest_padded.max(text.len());
                }
            }
        }
    }
}
