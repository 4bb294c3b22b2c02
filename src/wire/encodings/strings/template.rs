//! Text that alternates with fields, as in `user-%d`: each field becomes a run of its own.
//!
//! Numbers inside text are opaque to a general compressor; as whole numbers they meet everything
//! that numbers have. Compressors of logs take variables out of lines like this (CLP, Rodrigues,
//! Luo, Yuan, OSDI 2021).

mod tokens;

pub use tokens::Grain;

use tokens::{Token, keep_usual, learn_tokens};

use super::{ensure_room, numbers, part, patched};
use crate::error::{Error, Result};
use crate::wire::choose::Cascade;
use crate::wire::encodings::{Encoding, Field, Node, Strings};

/// A template of more fields is no template.
const MOST_FIELDS: usize = 24;

/// Bytes of text around a single field that are worth taking off.
const SHORTEST_AFFIX: usize = 4;

/// One row in so many may be odd.
const ROWS_PER_ODD_ONE: usize = 20;

/// How to cut rows: tokens from the front, anything, tokens up to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    head: Vec<Token>,
    /// Whether anything stands between.
    middle: bool,
    tail: Vec<Token>,
}

/// The values of a field while rows are cut.
enum Part {
    Numbers {
        values: Vec<i64>,
        spelling: Spelling,
    },
    Text(Strings),
}

/// What lengths of digits were seen.
#[derive(Clone, Copy)]
struct Spelling {
    shortest: usize,
    /// The longest that begins with a needless zero; 0 if none does.
    longest_filled: usize,
}

impl Template {
    /// The template that all rows of a sample share, if there is any to speak of.
    pub fn learn(sample: &[&[u8]], grain: Grain) -> Option<Self> {
        let mut rows: Vec<Vec<&[u8]>> = sample.iter().map(|row| grain.cut(row)).collect();
        keep_usual(&mut rows, grain);
        let shortest = rows.iter().map(Vec::len).min()?;
        let is_uniform = rows.iter().all(|row| row.len() == shortest);
        let head = learn_tokens(&rows, shortest, grain, |row, at| row.get(at).copied());
        if is_uniform && head.len() == shortest {
            let template = Self {
                head,
                middle: false,
                tail: Vec::new(),
            };
            return template.is_worthwhile().then_some(template);
        }
        let left = shortest - head.len();
        let mut tail = learn_tokens(&rows, left, grain, |row, at| {
            row.iter().nth_back(at).copied()
        });
        tail.reverse();
        let template = Self {
            head,
            middle: true,
            tail,
        };
        template.is_worthwhile().then_some(template)
    }

    fn tokens(&self) -> impl Iterator<Item = &Token> {
        self.head.iter().chain(&self.tail)
    }

    /// A template of nothing but free text, or of far too many fields, is none.
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
        // What few bytes all rows begin or end with, a general compressor sees for itself.
        let is_cut = fields > 1 && literal_len > 0 || literal_len >= SHORTEST_AFFIX;
        let is_cut = is_cut || has_number;
        is_cut && (1..=MOST_FIELDS).contains(&fields)
    }

    /// Writes strings that fit but for a few, fields as in a node of the same template, if given.
    pub fn encode(&self, values: &Strings, cascade: Cascade, plan: Option<&Node>) -> Option<Node> {
        let most_odd = values.len() / ROWS_PER_ODD_ONE;
        let mut template = self.clone();
        let mut fields = Vec::new();
        loop {
            let mut parts = template.parts();
            let mut odd = Vec::new();
            for (row, text) in values.iter().enumerate() {
                if template.split(text, &mut fields) {
                    for (part, field) in parts.iter_mut().zip(&fields) {
                        part.push(field);
                    }
                } else if odd.len() < most_odd {
                    odd.push(row as i64);
                } else {
                    return None;
                }
            }
            if template.spell_as_text(&parts) {
                continue;
            }
            let rows = values.len() - odd.len();
            return Some(if odd.is_empty() {
                template.node(parts, rows, cascade, plan)
            } else {
                let rest = template.node(parts, rows, cascade.deeper(), plan);
                patched::encode(rest, values, &odd, cascade)
            });
        }
    }

    /// True if a node was cut at the same places.
    pub fn is_of(&self, node: &Node) -> bool {
        let mut literals = vec![Vec::new()];
        let mut kinds = Vec::new();
        let middle = self.middle.then_some(&Token::Digits);
        for token in self.head.iter().chain(middle).chain(&self.tail) {
            push_token(token, &mut literals);
            if !matches!(token, Token::Literal(_)) {
                kinds.push(*token == Token::Number);
            }
        }
        // Numbers may have been spelled as text, never the reverse.
        let fits = |(is_number, field): (&bool, &Field)| *is_number || *field == Field::Text;
        matches!(&node.encoding, Encoding::Template { literals: others, fields }
            if *others == literals && fields.len() == kinds.len()
                && kinds.iter().zip(fields).all(fits))
    }

    fn parts(&self) -> Vec<Part> {
        let of = |token: &Token| match token {
            Token::Literal(_) => None,
            Token::Number => Some(Part::Numbers {
                values: Vec::new(),
                spelling: Spelling {
                    shortest: usize::MAX,
                    longest_filled: 0,
                },
            }),
            Token::Digits | Token::Word(_) => Some(Part::Text(Strings::default())),
        };
        let middle = self.middle.then(|| Part::Text(Strings::default()));
        let head = self.head.iter().filter_map(of);
        head.chain(middle)
            .chain(self.tail.iter().filter_map(of))
            .collect()
    }

    /// Turns numbers whose digits are filled up unevenly into text; false if there are none.
    fn spell_as_text(&mut self, parts: &[Part]) -> bool {
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
            if let Some(Part::Numbers { spelling, .. }) = parts.get(at)
                && spelling.longest_filled > spelling.shortest
            {
                *token = Token::Digits;
                any = true;
            }
        }
        any
    }

    /// Cuts a row into its fields; false if it does not fit.
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

    fn node(&self, parts: Vec<Part>, rows: usize, cascade: Cascade, plan: Option<&Node>) -> Node {
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
        let plan = plan.map(|plan| match plan.encoding {
            Encoding::Patched => plan.children.last().unwrap_or(plan),
            _ => plan,
        });
        let (fields, children) = parts
            .into_iter()
            .enumerate()
            .map(|(at, part)| {
                let plan = plan.and_then(|plan| plan.children.get(at));
                match part {
                    Part::Text(text) => (Field::Text, deeper.strings_by(plan, &text)),
                    Part::Numbers { values, spelling } => {
                        let is_filled = spelling.longest_filled > 0;
                        let digits = if is_filled {
                            spelling.shortest as u8
                        } else {
                            0
                        };
                        (Field::Number { digits }, deeper.ints_by(plan, &values))
                    }
                }
            })
            .unzip();
        Node::of_children(Encoding::Template { literals, fields }, rows, children)
    }
}

/// Adds a literal to the last one, or begins the next behind a field.
fn push_token(token: &Token, literals: &mut Vec<Vec<u8>>) {
    match (token, literals.last_mut()) {
        (Token::Literal(literal), Some(last)) => last.extend_from_slice(literal),
        _ => literals.push(Vec::new()),
    }
}

impl Part {
    fn push(&mut self, text: &[u8]) {
        match self {
            Self::Text(strings) => strings.push(text),
            Self::Numbers { values, spelling } => {
                let digit = |sum, byte: &u8| sum * 10 + i64::from(byte - b'0');
                values.push(text.iter().fold(0, digit));
                spelling.shortest = spelling.shortest.min(text.len());
                if text[0] == b'0' && text.len() > 1 {
                    spelling.longest_filled = spelling.longest_filled.max(text.len());
                }
            }
        }
    }
}

/// A field's values as read.
enum Read {
    Numbers { values: Vec<i64>, digits: usize },
    Text(Strings),
}

/// Appends the values of a node.
///
/// # Errors
/// As [`super::decode`].
pub fn decode(
    node: &Node,
    literals: &[Vec<u8>],
    fields: &[Field],
    max_bytes: usize,
    out: &mut Strings,
) -> Result<()> {
    let [first, literals @ ..] = literals else {
        return Err(Error::corrupt("a template without text"));
    };
    if literals.len() != fields.len() || node.children.len() != fields.len() {
        return Err(Error::corrupt("a template with missing fields"));
    }
    let rows = node.len as u64;
    let mut total = (first.len() as u64).saturating_mul(rows);
    let mut read = Vec::with_capacity(fields.len());
    for (at, (field, literal)) in fields.iter().zip(literals).enumerate() {
        total = total.saturating_add((literal.len() as u64).saturating_mul(rows));
        ensure_room(total, max_bytes, out)?;
        let part = part(node, at, node.len)?;
        read.push(match *field {
            Field::Text => {
                let mut text = Strings::default();
                super::decode(part, max_bytes - total as usize, &mut text)?;
                total += text.data.len() as u64;
                Read::Text(text)
            }
            Field::Number { digits } => {
                let values = numbers(part)?;
                let digits = usize::from(digits);
                total += spelled_len(&values, digits)?;
                Read::Numbers { values, digits }
            }
        });
    }
    ensure_room(total, max_bytes, out)?;
    out.data.reserve(total as usize);
    out.offsets.reserve(node.len);
    for row in 0..node.len {
        out.data.extend_from_slice(first);
        for (field, literal) in read.iter().zip(literals) {
            match field {
                Read::Text(text) => out.data.extend_from_slice(text.row(row)),
                Read::Numbers { values, digits } => {
                    push_number(values[row], *digits, &mut out.data);
                }
            }
            out.data.extend_from_slice(literal);
        }
        out.end_row();
    }
    Ok(())
}

/// How many bytes numbers take; they must not be negative.
fn spelled_len(values: &[i64], digits: usize) -> Result<u64> {
    let mut total = 0;
    for &value in values {
        let Ok(value) = u64::try_from(value) else {
            return Err(Error::corrupt(format!(
                "{value} in text that should be only digits"
            )));
        };
        let len = value.checked_ilog10().map_or(1, |log| log as usize + 1);
        total += len.max(digits) as u64;
    }
    Ok(total)
}

fn push_number(value: i64, digits: usize, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(value).as_bytes();
    for _ in text.len()..digits {
        out.push(b'0');
    }
    out.extend_from_slice(text);
}
