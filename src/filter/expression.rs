//! What a condition says, whatever the columns are.

use regex::bytes::Regex;

use crate::schema::path::Path;

/// A condition on a row: true, false or, where a null is involved, unknown.
#[derive(Clone, Debug)]
pub enum Expression {
    /// True if all are.
    All(Vec<Expression>),
    /// True if any is.
    Any(Vec<Expression>),
    /// The contrary.
    Not(Box<Expression>),
    /// True if the condition is true, false or (`None`) unknown, and never unknown itself.
    Is(Box<Expression>, Option<bool>),
    /// The same for every row.
    Constant(Option<bool>),
    /// About a column.
    Comparison(Comparison),
}

/// A column, or a value inside it, compared with something.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The column.
    pub path: Path,
    /// What is said of it.
    pub test: Test,
    /// Its place among the comparisons of the condition.
    pub place: usize,
}

/// What is said of a column.
#[derive(Clone, Debug)]
pub enum Test {
    /// It is null.
    Null,
    /// It is a bool, and true.
    True,
    /// It compares so with a value, or for [`Op::Equal`] with one of several.
    Values {
        /// How.
        op: Op,
        /// With what.
        values: Vec<Literal>,
        /// Null is one of the values.
        or_null: bool,
    },
    /// Its text matches.
    Matches(Pattern),
    /// It compares so with another column.
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
    /// The operator with its sides exchanged.
    pub fn flipped(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
        }
    }

    /// True if values in this order compare so.
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
    /// It was in double quotes: where no column has that name, it is text.
    pub quoted: bool,
}

/// A value as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The text, without quotes.
    pub text: String,
    /// What it says it is.
    pub kind: LiteralKind,
}

/// What a value says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralKind {
    /// In quotes: whatever the column is.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// `date '2024-01-31'` and the like: an instant, in text columns too.
    Instant,
}

/// A pattern, which the text of a value matches or not.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The pattern.
    pub regex: Regex,
    /// What every match begins with; empty if that is not known.
    pub prefix: String,
}
