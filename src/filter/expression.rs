//! The syntax tree of a condition, independent of the types of the columns.

use regex::bytes::Regex;

use super::number::instant;
use crate::schema::path::Path;

/// A condition on a row: true, false or, where a null is involved, unknown.
#[derive(Clone, Debug)]
pub enum Expression {
    /// Conjunction.
    All(Vec<Expression>),
    /// Disjunction.
    Any(Vec<Expression>),
    /// Negation.
    Not(Box<Expression>),
    /// True if the condition has the given truth value, where `None` is unknown; never unknown itself.
    Is(Box<Expression>, Option<bool>),
    /// The same truth value for every row.
    Constant(Option<bool>),
    /// A comparison of a column.
    Comparison(Comparison),
}

/// A column, or a value inside it, compared with something.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The column.
    pub path: Path,
    /// What it is compared with.
    pub test: Test,
    /// Its number among the comparisons of the condition.
    pub place: usize,
}

/// What a column is compared with.
#[derive(Clone, Debug)]
pub enum Test {
    /// The column is null.
    Null,
    /// The column is a bool and true.
    True,
    /// The column compares with a value; with [`Op::Equal`], with any of several values.
    Values {
        /// The operator.
        op: Op,
        /// The values.
        values: Vec<Literal>,
        /// Null is one of the values.
        or_null: bool,
    },
    /// The text of the column matches a pattern.
    Matches(TextPattern),
    /// The column compares with another column.
    Column(Op, Operand),
}

/// How values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Equal.
    Equal,
    /// Less than the value.
    Less,
    /// Less or equal.
    AtMost,
    /// Greater.
    Greater,
    /// Greater or equal.
    AtLeast,
}

impl Op {
    /// The operator with its sides swapped.
    pub fn flipped(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
        }
    }

    /// True if the operator holds for values in this order.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }
}

impl Test {
    /// True if values are compared with numbers only.
    pub fn is_of_numbers(&self) -> bool {
        let Self::Values { values, .. } = self else {
            return false;
        };
        values.iter().all(|value| value.kind == LiteralKind::Number)
    }
}

/// The right side of a comparison of columns.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The column.
    pub path: Path,
    /// True if it was in double quotes: if no column has that name, it is text.
    pub quoted: bool,
}

/// A value as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The text, without quotes.
    pub text: String,
    /// How it was written.
    pub kind: LiteralKind,
}

impl Literal {
    /// True if columns of the same types can be compared with both values.
    pub fn is_like(&self, other: &Self) -> bool {
        let is_instant = |it: &Self| instant(&it.text, 0).is_some();
        self.kind == other.kind && is_instant(self) == is_instant(other)
    }
}

/// How a value was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralKind {
    /// In quotes; takes the type of the column.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// `date '2024-01-31'` and the like: an instant, even in text columns.
    Instant,
}

/// A pattern for text.
#[derive(Clone, Debug)]
pub struct TextPattern {
    /// The pattern.
    pub regex: Regex,
    /// The prefix of every match; empty if unknown.
    pub prefix: String,
}
