//! Learns the pattern that rows share, and splits rows by it.

use super::tokens::{Grain, Token, keep_usual, learn_tokens};
use super::{Template, TemplateField};
use crate::wire::choose::{Cascade, Preset};
use crate::wire::encodings::{ByteStrings, Encoding, Node, patched};

/// The most fields of a pattern; more are not worth their descriptions.
const MOST_FIELDS: usize = 24;

/// The fewest bytes of text around a single field that are worth removing.
const SHORTEST_AFFIX: usize = 4;

/// One row in this many may be an exception.
const ROWS_PER_EXCEPTION: usize = 20;

/// How to split rows: tokens at the front, then anything, then tokens at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPattern {
    head: Vec<Token>,
    /// True if there is a field in between.
    middle: bool,
    tail: Vec<Token>,
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
    /// The length of the longest zero-padded number; 0 if there is none.
    longest_padded: usize,
}

impl RowPattern {
    /// The pattern that all rows of a sample share, if they have enough in common.
    pub fn learn(sample: &[&[u8]], grain: Grain) -> Option<Self> {
        let (tokens, ends) = grain.cut(sample);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let mut rows: Vec<&[&[u8]]> = starts
            .zip(&ends)
            .map(|(from, &to)| &tokens[from..to])
            .collect();
        keep_usual(&mut rows, grain);
        let shortest = rows.iter().map(|row| row.len()).min()?;
        let is_uniform = rows.iter().all(|row| row.len() == shortest);
        let head = learn_tokens(&rows, shortest, grain, |row, at| row.get(at).copied());
        if is_uniform && head.len() == shortest {
            let pattern = Self {
                head,
                middle: false,
                tail: Vec::new(),
            };
            return pattern.is_worthwhile().then_some(pattern);
        }
        let left = shortest - head.len();
        let mut tail = learn_tokens(&rows, left, grain, |row, at| {
            row.iter().nth_back(at).copied()
        });
        tail.reverse();
        let pattern = Self {
            head,
            middle: true,
            tail,
        };
        pattern.is_worthwhile().then_some(pattern)
    }

    fn tokens(&self) -> impl Iterator<Item = &Token> {
        self.head.iter().chain(&self.tail)
    }

    /// False for a pattern that is only free text, and for one with far too many fields.
    fn is_worthwhile(&self) -> bool {
        let mut fields = usize::from(self.middle);
        let mut literal_len = 0;
        let mut has_number = false;
        for token in self.tokens() {
            match token {
                Token::Literal(literal) => literal_len += literal.len(),
                field => {
                    has_number |= *field == Token::Number;
                    fields += 1;
                }
            }
        }
        // A general compressor handles a few bytes that all rows start or end with.
        let is_cut = fields > 1 && literal_len > 0 || literal_len >= SHORTEST_AFFIX;
        let is_cut = is_cut || has_number;
        is_cut && (1..=MOST_FIELDS).contains(&fields)
    }

    /// Encodes strings, almost all of which must fit, with fields like those of `choice`, a node of the same pattern.
    /// Rows that do not fit become exceptions ([`patched`]).
    pub fn encode(
        &self,
        values: &ByteStrings,
        cascade: Cascade,
        choice: Option<&Node>,
    ) -> Option<Node> {
        let most_exceptions = values.len() / ROWS_PER_EXCEPTION;
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
                patched::encode(rest, values, &exceptions, cascade)
            });
        }
    }

    /// True if a template was made with the same pattern.
    pub fn is_of(&self, template: &Template) -> bool {
        let mut literals = vec![Vec::new()];
        let mut kinds = Vec::new();
        let middle = self.middle.then_some(&Token::Digits);
        for token in self.head.iter().chain(middle).chain(&self.tail) {
            push_token(token, &mut literals);
            if !matches!(token, Token::Literal(_)) {
                kinds.push(*token == Token::Number);
            }
        }
        // Numbers may have been stored as text, never the reverse.
        let fits = |(is_number, field): (&bool, &TemplateField)| {
            *is_number || *field == TemplateField::Text
        };
        template.literals == literals
            && template.fields.len() == kinds.len()
            && kinds.iter().zip(&template.fields).all(fits)
    }

    fn parts(&self) -> Vec<FieldValues> {
        let of = |token: &Token| match token {
            Token::Literal(_) => None,
            Token::Number => Some(FieldValues::Numbers {
                values: Vec::new(),
                lengths: DigitCounts {
                    shortest: usize::MAX,
                    longest_padded: 0,
                },
            }),
            Token::Digits | Token::Word(_) => Some(FieldValues::Text(ByteStrings::default())),
        };
        let middle = self
            .middle
            .then(|| FieldValues::Text(ByteStrings::default()));
        let head = self.head.iter().filter_map(of);
        head.chain(middle)
            .chain(self.tail.iter().filter_map(of))
            .collect()
    }

    /// Turns fields of unevenly padded numbers (`07` and `007`) into text; false if there are none.
    fn store_as_text(&mut self, parts: &[FieldValues]) -> bool {
        let mut tokens: Vec<&mut Token> = self
            .head
            .iter_mut()
            .filter(|token| !matches!(token, Token::Literal(_)))
            .collect();
        let heads = tokens.len();
        tokens.extend(
            self.tail
                .iter_mut()
                .filter(|token| !matches!(token, Token::Literal(_))),
        );
        let mut any = false;
        for (at, token) in tokens.into_iter().enumerate() {
            let at = at + usize::from(self.middle && at >= heads);
            if let Some(FieldValues::Numbers { lengths, .. }) = parts.get(at)
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
        for token in &self.head {
            let Some(len) = token.match_front(rest) else {
                return false;
            };
            let (text, after) = rest.split_at(len);
            rest = after;
            if !matches!(token, Token::Literal(_)) {
                fields.push(text);
            }
        }
        if !self.middle {
            return rest.is_empty();
        }
        let middle = fields.len();
        for token in self.tail.iter().rev() {
            let Some(len) = token.match_back(rest) else {
                return false;
            };
            let (before, text) = rest.split_at(rest.len() - len);
            rest = before;
            if !matches!(token, Token::Literal(_)) {
                fields.push(text);
            }
        }
        fields.push(rest);
        fields[middle..].reverse();
        true
    }

    fn node(
        &self,
        parts: Vec<FieldValues>,
        rows: usize,
        cascade: Cascade,
        choice: Option<&Node>,
    ) -> Node {
        let mut literals = vec![Vec::new()];
        for token in &self.head {
            push_token(token, &mut literals);
        }
        if self.middle {
            literals.push(Vec::new());
        }
        for token in &self.tail {
            push_token(token, &mut literals);
        }
        let deeper = cascade.deeper();
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
        Node::of_children(Template { literals, fields }, rows, children)
    }
}

/// Appends a literal to the last one, or starts the next one after a field.
fn push_token(token: &Token, literals: &mut Vec<Vec<u8>>) {
    match (token, literals.last_mut()) {
        (Token::Literal(literal), Some(last)) => last.extend_from_slice(literal),
        _ => literals.push(Vec::new()),
    }
}

/// The patterns that a few dozen rows share, one per grain at most; some may be equal.
pub fn patterns(rows: &[&[u8]], cascade: Cascade) -> impl Iterator<Item = RowPattern> {
    let grains = [Grain::Digits, Grain::Letters, Grain::Words, Grain::Blanks].into_iter();
    let grains = grains.filter(move |_| cascade.preset != Preset::Fast);
    grains.filter_map(move |grain| RowPattern::learn(rows, grain))
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
