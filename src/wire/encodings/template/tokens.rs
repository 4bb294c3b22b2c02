//! Splits rows into tokens, and finds the tokens that rows share.

use crate::wire::encodings::ByteStrings;

/// The most digits of a number; more might exceed an i64.
const MOST_DIGITS: usize = 18;

/// A token that every row has at one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// The same bytes.
    Literal(Vec<u8>),
    /// A run of digits, as a number.
    Number,
    /// A run of digits, as text.
    Digits,
    /// A run of bytes of the class.
    Word(Grain),
    /// Everything between the tokens before and after it.
    Rest,
}

/// How finely rows are split into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Digits, and everything else.
    Digits,
    /// Letters, digits, and everything else.
    Letters,
    /// Letters with digits, and everything else.
    Words,
    /// Everything between blanks, commas, slashes and the like.
    Blanks,
}

/// A class of bytes; a token consists of bytes of one class.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteClass {
    Digit,
    Word,
    Other,
}

/// The class of each byte, by grain.
static CLASSES: [[ByteClass; 256]; 4] = {
    let mut classes = [[ByteClass::Other; 256]; 4];
    let mut byte = 0;
    while byte < 256 {
        let grains = [Grain::Digits, Grain::Letters, Grain::Words, Grain::Blanks];
        let mut at = 0;
        while at < grains.len() {
            classes[grains[at] as usize][byte] = grains[at].class_of(byte as u8);
            at += 1;
        }
        byte += 1;
    }
    classes
};

impl Grain {
    const fn class_of(self, byte: u8) -> ByteClass {
        match (self, byte) {
            (Self::Digits | Self::Letters, b'0'..=b'9') => ByteClass::Digit,
            (Self::Blanks, b' ' | b'\t' | b',' | b';' | b'|' | b'/' | b'?' | b'&' | b'=') => {
                ByteClass::Other
            }
            (Self::Letters | Self::Words, b'a'..=b'z' | b'A'..=b'Z' | 0x80..)
            | (Self::Words, b'0'..=b'9')
            | (Self::Blanks, _) => ByteClass::Word,
            _ => ByteClass::Other,
        }
    }

    #[inline]
    pub(super) fn class(self, byte: u8) -> ByteClass {
        CLASSES[self as usize][usize::from(byte)]
    }

    /// The length of the token at the start of a text.
    fn token(self, text: &[u8]) -> usize {
        let Some(&first) = text.first() else { return 0 };
        let class = self.class(first);
        // Each punctuation character is a separate token, except with the coarsest grain.
        if class == ByteClass::Other && self != Self::Digits {
            return 1;
        }
        text.iter()
            .position(|&byte| self.class(byte) != class)
            .unwrap_or(text.len())
    }

    /// The tokens of all rows in sequence, and the end of each row in them.
    pub(super) fn cut<'a>(self, rows: &[&'a [u8]]) -> (Vec<&'a [u8]>, Vec<usize>) {
        let mut tokens = Vec::with_capacity(rows.len() * 4);
        let cut_row = |row: &&'a [u8]| {
            let mut rest = *row;
            while !rest.is_empty() {
                let (token, after) = rest.split_at(self.token(rest));
                tokens.push(token);
                rest = after;
            }
            tokens.len()
        };
        let ends = rows.iter().map(cut_row).collect();
        (tokens, ends)
    }
}

impl Token {
    /// True unless it is the same in all rows.
    pub(super) fn is_field(&self) -> bool {
        !matches!(self, Self::Literal(_))
    }

    /// The length of the token at the start of a text; `None` if the text does not start with it.
    pub(super) fn match_front(&self, text: &[u8]) -> Option<usize> {
        let run = |belongs: &dyn Fn(u8) -> bool| {
            text.iter()
                .position(|&byte| !belongs(byte))
                .unwrap_or(text.len())
        };
        self.match_by(|literal| text.starts_with(literal), run)
    }

    /// The length of the token at the end of a text; `None` if the text does not end with it.
    pub(super) fn match_back(&self, text: &[u8]) -> Option<usize> {
        let run = |belongs: &dyn Fn(u8) -> bool| {
            text.iter()
                .rev()
                .position(|&byte| !belongs(byte))
                .unwrap_or(text.len())
        };
        self.match_by(|literal| text.ends_with(literal), run)
    }

    fn match_by(
        &self,
        is_there: impl Fn(&[u8]) -> bool,
        run: impl Fn(&dyn Fn(u8) -> bool) -> usize,
    ) -> Option<usize> {
        match self {
            Self::Literal(literal) => is_there(literal).then_some(literal.len()),
            Self::Number => {
                let len = run(&|byte| byte.is_ascii_digit());
                (1..=MOST_DIGITS).contains(&len).then_some(len)
            }
            Self::Digits => Some(run(&|byte| byte.is_ascii_digit())),
            Self::Word(grain) => Some(run(&|byte| grain.class(byte) == ByteClass::Word)),
            Self::Rest => Some(run(&|_| true)),
        }
    }
}

/// Drops the rows with an unusual shape, if almost all rows have the same shape.
pub(super) fn keep_usual(rows: &mut Vec<&[&[u8]]>, grain: Grain) {
    let mut shapes = ByteStrings::default();
    shapes.data.reserve(rows.iter().map(|row| row.len()).sum());
    for row in rows.iter() {
        for token in *row {
            match grain.class(token[0]) {
                ByteClass::Digit => shapes.data.push(0),
                ByteClass::Word => shapes.data.push(1),
                ByteClass::Other => shapes.data.extend_from_slice(token),
            }
        }
        shapes.end_row();
    }
    // If most rows have one shape, they outvote all others (Boyer and Moore's majority vote, 1981).
    let (mut usual, mut votes): (&[u8], usize) = (&[], 0);
    for shape in shapes.iter() {
        match votes {
            0 => (usual, votes) = (shape, 1),
            _ if shape == usual => votes += 1,
            _ => votes -= 1,
        }
    }
    let count = shapes.iter().filter(|shape| *shape == usual).count();
    if rows.len() - count <= rows.len() / 8 {
        let mut shapes = shapes.iter();
        rows.retain(|_| shapes.next() == Some(usual));
    }
}

/// The tokens at up to `most` positions, as far as all rows have the same classes.
pub(super) fn learn_tokens<'a>(
    rows: &[&[&'a [u8]]],
    most: usize,
    grain: Grain,
    token_at: impl Fn(&[&'a [u8]], usize) -> Option<&'a [u8]>,
) -> Vec<Token> {
    let mut tokens = Vec::new();
    for at in 0..most {
        let mut seen = rows.iter().filter_map(|row| token_at(row, at));
        let Some(first) = seen.next() else { break };
        let mut is_literal = true;
        let mut is_digits = first.iter().all(u8::is_ascii_digit);
        let class = grain.class(first[0]);
        let mut is_word = class == ByteClass::Word;
        for token in seen {
            is_literal &= token == first;
            is_digits &= token.len() <= MOST_DIGITS && token.iter().all(u8::is_ascii_digit);
            is_word &= grain.class(token[0]) == ByteClass::Word;
        }
        tokens.push(if is_literal && class != ByteClass::Digit {
            Token::Literal(first.to_vec())
        } else if is_digits {
            Token::Number
        } else if is_word {
            Token::Word(grain)
        } else {
            break;
        });
    }
    tokens
}
