//! The syntax tree of a condition, independent of the types of the columns.

use std::ops::{BitAnd, BitOr};

use arrow_buffer::BooleanBuffer;
use regex::bytes::Regex;

use super::number::instant;
use crate::error::Result;
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

/// The truth of a condition: true in `yes`, false in `no`, unknown if in neither. For rows, these have a bit for each;
/// for a frame that has not been read, they say whether the condition may be true or false for any row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth<B = BooleanBuffer> {
    /// Where the condition is true.
    pub yes: B,
    /// Where it is false.
    pub no: B,
}

impl<B> Truth<B>
where
    for<'a> &'a B: BitAnd<&'a B, Output = B> + BitOr<&'a B, Output = B>,
{
    /// Conjunction.
    fn and(&self, other: &Self) -> Self {
        Self {
            yes: &self.yes & &other.yes,
            no: &self.no | &other.no,
        }
    }

    /// Negation.
    fn not(self) -> Self {
        Self {
            yes: self.no,
            no: self.yes,
        }
    }
}

impl Expression {
    /// Evaluates the condition: `constant` has the same truth value for all rows, `is` evaluates [`Expression::Is`],
    /// and `compare` a comparison. Every comparison is evaluated.
    ///
    /// # Errors
    /// The first error of `compare`.
    pub fn truth<B>(
        &self,
        constant: &dyn Fn(Option<bool>) -> Truth<B>,
        is: &dyn Fn(Truth<B>, Option<bool>) -> Truth<B>,
        compare: &dyn Fn(&Comparison) -> Result<Truth<B>>,
    ) -> Result<Truth<B>>
    where
        for<'a> &'a B: BitAnd<&'a B, Output = B> + BitOr<&'a B, Output = B>,
    {
        let truth = |inner: &Self| inner.truth(constant, is, compare);
        Ok(match self {
            Self::All(members) => members
                .iter()
                .try_fold(constant(Some(true)), |all, member| {
                    truth(member).map(|member| all.and(&member))
                })?,
            // One is true unless all are false.
            Self::Any(members) => members
                .iter()
                .try_fold(constant(Some(true)), |none, member| {
                    truth(member).map(|member| none.and(&member.not()))
                })?
                .not(),
            Self::Not(inner) => truth(inner)?.not(),
            Self::Is(inner, known) => is(truth(inner)?, *known),
            Self::Constant(truth) => constant(*truth),
            Self::Comparison(comparison) => compare(comparison)?,
        })
    }

    /// Passes every comparison.
    pub fn each_comparison<'a>(&'a self, pass: &mut impl FnMut(&'a Comparison)) {
        match self {
            Self::All(members) | Self::Any(members) => {
                for member in members {
                    member.each_comparison(pass);
                }
            }
            Self::Not(inner) | Self::Is(inner, _) => inner.each_comparison(pass),
            Self::Constant(_) => {}
            Self::Comparison(comparison) => pass(comparison),
        }
    }
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
    /// The column compares with a value; with [`Op::Equal`], with any of several values, or with none.
    Values {
        /// The operator.
        op: Op,
        /// The values.
        values: Vec<Literal>,
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
    /// True if only finite numbers pass. In one direction, NaN and the infinities pass as well.
    pub fn is_of_finite_numbers(&self) -> bool {
        let Self::Values {
            op: Op::Equal,
            values,
            ..
        } = self
        else {
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
    /// `true` or `false`.
    pub fn of_bool(value: bool) -> Self {
        Self {
            text: value.to_string(),
            kind: LiteralKind::Bool,
        }
    }

    /// The value if the text is `true` or `false`, in quotes or not.
    pub fn as_bool(&self) -> Option<bool> {
        self.text.parse().ok()
    }

    /// True if columns of the same types can be compared with both values.
    pub fn is_like(&self, other: &Self) -> bool {
        let is_instant = |it: &Self| instant(&it.text).is_some();
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
