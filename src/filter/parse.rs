//! Parses `--where`: SQL conditions without arithmetic and functions.

use sqlparser::ast::{
    AccessExpr, BinaryOperator, Expr, Ident, Subscript, TypedString, UnaryOperator, Value,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, TokenizerError};

use super::expression::{Comparison, Expression, Literal, LiteralKind, Op, Operand, Test};
use super::pattern::{like, regex};
use crate::error::{Error, Result};
use crate::schema::ROW_COLUMN;
use crate::schema::path::{Path, Step};

const DATES: &str = "put dates and times in quotes: '2024-01-31'";
const MATCH: &str = "write ~ before a regular expression: name ~ '^a'";
const JOIN: &str = "join comparisons with AND or OR; put text in single quotes, and names with spaces in double \
                    quotes";

/// Parses a condition. Also returns its number of comparisons.
///
/// # Errors
/// [`crate::error::Kind::Usage`] that says what was expected.
pub fn parse(text: &str) -> Result<(Expression, usize)> {
    let mut reader = ConditionReader { comparisons: 0 };
    let parsed = tree(text).and_then(|tree| reader.condition(tree));
    let expression = parsed.map_err(|error| error.of_option("--where"))?;
    Ok((expression, reader.comparisons))
}

fn tree(text: &str) -> Result<Expr> {
    let dialect = GenericDialect {};
    let mut tokens = Tokenizer::new(&dialect, text)
        .tokenize_with_location()
        .map_err(|error| unreadable(&error))?;
    free_names(&mut tokens);
    let mut parser = Parser::new(&dialect).with_tokens_with_locations(tokens);
    let tree = parser.parse_expr().map_err(|error| match error {
        ParserError::TokenizerError(what) | ParserError::ParserError(what) => {
            unexpected(&what, text)
        }
        ParserError::RecursionLimitExceeded => {
            Error::usage("too many parentheses").hint("write fewer levels of them")
        }
    })?;
    let rest = parser.peek_token();
    if rest.token != Token::EOF {
        let what = format!("cannot read {:?} after {tree}", rest.token.to_string());
        let place = place(rest.span.start);
        return Err(Error::usage(what).hint(match &rest.token {
            Token::RParen => format!("the closing parenthesis {place} has no opening one"),
            Token::SemiColon => {
                format!("the condition ends at the semicolon {place}; omit the rest")
            }
            _ if is_cut_date(&tree, &rest.token) => DATES.to_owned(),
            Token::Word(word) => hint_for(&word.value).to_owned(),
            _ => JOIN.to_owned(),
        }));
    }
    Ok(tree)
}

/// The hint for a word that may be an operator or a clause of other dialects.
fn hint_for(word: &str) -> &'static str {
    match &*word.to_ascii_lowercase() {
        "limit" => "--limit N keeps the first N rows",
        "match" | "matches" | "regexp" | "rlike" | "similar" => MATCH,
        "contains" | "ends" | "ends_with" | "endswith" | "glob" | "starts" | "starts_with"
        | "startswith" => "write like with a pattern: name like 'a%'",
        _ => JOIN,
    }
}

/// A place in the condition.
fn place(of: Location) -> String {
    let Location { line, column } = of;
    match line {
        0 | 1 => format!("at character {column}"),
        _ => format!("in line {line}, at character {column},"),
    }
}

/// The error for text that cannot be divided into tokens.
fn unreadable(error: &TokenizerError) -> Error {
    let place = place(error.location);
    let (what, hint) = if error.message.contains("comment") {
        ("the comment", "close it with */")
    } else if error.message.contains("nterminated") || error.message.contains("close delimiter") {
        let hint = "add the closing quote; inside quotes, write a quote twice";
        ("the text in quotes", hint)
    } else {
        return Error::usage(format!("cannot read what is {place}")).hint(JOIN);
    };
    Error::usage(format!("{what} that begins {place} has no end")).hint(hint)
}

/// The error for a condition and the message of the parser: `Expected: ), found: 'x' at Line: 1, Column: 11`, or
/// `found: EOF`.
fn unexpected(message: &str, text: &str) -> Error {
    let parts = || {
        let (expected, found) = message
            .strip_prefix("Expected: ")?
            .rsplit_once(", found: ")?;
        if found.starts_with("EOF") {
            return Some((expected, None));
        }
        let (found, location) = found.rsplit_once(" at Line: ")?;
        let (line, column) = location.split_once(", Column: ")?;
        let (line, column) = (line.parse().ok()?, column.parse().ok()?);
        Some((expected, Some((found, Location { line, column }))))
    };
    let Some((expected, found)) = parts() else {
        return Error::usage(format!("cannot read the condition: {message}"));
    };
    let (expected, hint) = match expected {
        "an expression" if text.ends_with('%') => {
            ("a value", "put patterns in single quotes: 'BTC%'")
        }
        "an expression" => ("a value", "write --where 'column > 5'"),
        ")" => (
            "a closing parenthesis or a comma",
            "put commas between values, and close each parenthesis",
        ),
        ":" => ("a closing bracket", "write items like this: tags[0]"),
        "(" => (
            "an opening parenthesis",
            "write lists like this: column in (1, 2)",
        ),
        "AND" => ("and", "write column between 1 and 2"),
        _ if expected.starts_with("[NOT] NULL") => (
            "null, true, false or unknown",
            "write = to compare with a value",
        ),
        other => (other, JOIN),
    };
    let what = match found {
        None => format!("{expected} is missing at the end of the condition"),
        Some((found, location)) => {
            format!("{expected} is missing {} before {found}", place(location))
        }
    };
    Error::usage(what).hint(hint)
}

/// Turns all keywords that conditions do not use into names, so that columns can be called `end` and `order`, and `$` into
/// the name of the column of rows that are not objects.
fn free_names(tokens: &mut [TokenWithSpan]) {
    // From the end to the start, since what follows decides: `date '2024-01-31'` is a literal, but in `date = 5`,
    // `date` is a column.
    let mut before_text = false;
    for token in tokens.iter_mut().rev() {
        match &mut token.token {
            Token::Whitespace(_) => continue,
            Token::Word(word) => match word.keyword {
                Keyword::AND
                | Keyword::OR
                | Keyword::NOT
                | Keyword::IN
                | Keyword::IS
                | Keyword::NULL
                | Keyword::TRUE
                | Keyword::FALSE
                | Keyword::UNKNOWN
                | Keyword::BETWEEN
                | Keyword::LIKE
                | Keyword::ILIKE
                | Keyword::ESCAPE => {}
                Keyword::DATE | Keyword::TIME | Keyword::TIMESTAMP if before_text => {}
                _ => word.keyword = Keyword::NoKeyword,
            },
            Token::Placeholder(name) if name == ROW_COLUMN => {
                token.token = Token::make_word(ROW_COLUMN, None);
            }
            _ => {}
        }
        before_text = matches!(token.token, Token::SingleQuotedString(_));
    }
}

fn is_number(tree: &Expr) -> bool {
    matches!(tree, Expr::Value(value) if matches!(value.value, Value::Number(..)))
}

/// True if a condition such as `x = 2024-01-31` and the token after it are the start of an unquoted time or date.
fn is_cut_date(tree: &Expr, next: &Token) -> bool {
    match tree {
        Expr::BinaryOp {
            op: BinaryOperator::Minus | BinaryOperator::Divide,
            ..
        } => is_date(tree),
        Expr::BinaryOp { right, .. } => is_cut_date(right, next),
        _ => {
            let is_point = |digits: &str| digits.starts_with('.');
            let goes_on = match next {
                Token::Colon => true,
                Token::Number(digits, _) => is_point(digits),
                _ => false,
            };
            goes_on && is_number(tree)
        }
    }
}

/// True for numbers with signs or slashes between them, such as 2024-01-31.
fn is_date(tree: &Expr) -> bool {
    match tree {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::Minus | BinaryOperator::Divide,
            right,
        } => is_date(left) && is_number(right),
        other => is_number(other),
    }
}

/// One side of a comparison.
enum ParsedSide {
    Column(Operand),
    Value(Literal),
    Null,
}

struct ConditionReader {
    comparisons: usize,
}

impl ConditionReader {
    fn condition(&mut self, tree: Expr) -> Result<Expression> {
        let ignores_case = matches!(tree, Expr::ILike { .. });
        Ok(match tree {
            Expr::Nested(inner) => self.condition(*inner)?,
            Expr::BinaryOp {
                op: BinaryOperator::And,
                ..
            } => Expression::All(self.conditions(tree, &BinaryOperator::And)?),
            Expr::BinaryOp {
                op: BinaryOperator::Or,
                ..
            } => Expression::Any(self.conditions(tree, &BinaryOperator::Or)?),
            Expr::UnaryOp {
                op: UnaryOperator::Not,
                expr,
            } => not(self.condition(*expr)?),
            Expr::BinaryOp { left, op, right } => self.comparison(*left, op, *right)?,
            Expr::IsNull(of) => self.null(*of)?,
            Expr::IsNotNull(of) => not(self.null(*of)?),
            Expr::IsTrue(of) => self.is(*of, Some(true))?,
            Expr::IsNotTrue(of) => not(self.is(*of, Some(true))?),
            Expr::IsFalse(of) => self.is(*of, Some(false))?,
            Expr::IsNotFalse(of) => not(self.is(*of, Some(false))?),
            Expr::IsUnknown(of) => self.is(*of, None)?,
            Expr::IsNotUnknown(of) => not(self.is(*of, None)?),
            Expr::Between {
                expr,
                negated,
                low,
                high,
            } => {
                let low = self.compare(side(*expr.clone())?, Op::AtLeast, side(*low)?)?;
                let high = self.compare(side(*expr)?, Op::AtMost, side(*high)?)?;
                not_if(negated, Expression::All(vec![low, high]))
            }
            Expr::InList {
                expr,
                list,
                negated,
            } => {
                let among = self.among(&column(*expr)?, list)?;
                not_if(negated, among)
            }
            Expr::Like {
                negated,
                any: false,
                expr,
                pattern,
                escape_char,
            }
            | Expr::ILike {
                negated,
                any: false,
                expr,
                pattern,
                escape_char,
            } => {
                let regex = like(&text_of(*pattern)?, escape_of(escape_char)?, ignores_case)?;
                not_if(negated, self.on(column(*expr)?.path, Test::Matches(regex)))
            }
            Expr::Value(ref value) => match value.value {
                Value::Boolean(value) => Expression::Constant(Some(value)),
                Value::Null => Expression::Constant(None),
                _ => return Err(no_condition(&tree)),
            },
            Expr::Identifier(_)
            | Expr::CompoundIdentifier(_)
            | Expr::CompoundFieldAccess { .. } => self.on(column(tree)?.path, Test::True),
            other => return Err(unsupported(&other)),
        })
    }

    /// The conditions in a chain of `and` or `or`. The tree leans to the left and may be deep, so this does not
    /// recurse.
    fn conditions(&mut self, tree: Expr, joint: &BinaryOperator) -> Result<Vec<Expression>> {
        let mut members = Vec::new();
        let mut rest = tree;
        loop {
            match rest {
                Expr::BinaryOp { left, op, right } if op == *joint => {
                    members.push(*right);
                    rest = *left;
                }
                first => {
                    members.push(first);
                    break;
                }
            }
        }
        members
            .into_iter()
            .rev()
            .map(|member| self.condition(member))
            .collect()
    }

    fn comparison(&mut self, left: Expr, op: BinaryOperator, right: Expr) -> Result<Expression> {
        let op = match op {
            BinaryOperator::Eq => Op::Equal,
            BinaryOperator::NotEq => {
                return Ok(not(self.compare(side(left)?, Op::Equal, side(right)?)?));
            }
            BinaryOperator::Lt => Op::Less,
            BinaryOperator::LtEq => Op::AtMost,
            BinaryOperator::Gt => Op::Greater,
            BinaryOperator::GtEq => Op::AtLeast,
            BinaryOperator::PGRegexMatch => return self.regex(left, right, false),
            BinaryOperator::PGRegexIMatch => return self.regex(left, right, true),
            BinaryOperator::PGRegexNotMatch => return self.regex(left, right, false).map(not),
            BinaryOperator::PGRegexNotIMatch => return self.regex(left, right, true).map(not),
            op => {
                return Err(unsupported(&Expr::BinaryOp {
                    left: Box::new(left),
                    op,
                    right: Box::new(right),
                }));
            }
        };
        self.compare(side(left)?, op, side(right)?)
    }

    fn regex(&mut self, of: Expr, pattern: Expr, ignores_case: bool) -> Result<Expression> {
        let pattern = regex(&text_of(pattern)?, ignores_case, String::new())?;
        Ok(self.on(column(of)?.path, Test::Matches(pattern)))
    }

    fn compare(&mut self, left: ParsedSide, op: Op, right: ParsedSide) -> Result<Expression> {
        Ok(match (left, right) {
            (ParsedSide::Column(left), ParsedSide::Column(right)) => {
                // A quoted word on the left may be meant as text.
                if left.quoted && !right.quoted {
                    self.on(right.path, Test::Column(op.flipped(), left))
                } else {
                    self.on(left.path, Test::Column(op, right))
                }
            }
            (ParsedSide::Column(column), ParsedSide::Value(value)) => {
                let values = vec![value];
                self.on(column.path, Test::Values { op, values })
            }
            (ParsedSide::Column(column), ParsedSide::Null) => self.among_null(column.path),
            (value, ParsedSide::Column(column)) => {
                return self.compare(ParsedSide::Column(column), op.flipped(), value);
            }
            _ => {
                return Err(Error::usage("a comparison needs a column")
                    .hint("write --where 'column > 5'; column names do not go in single quotes"));
            }
        })
    }

    fn among(&mut self, column: &Operand, list: Vec<Expr>) -> Result<Expression> {
        // Values of different kinds are compared separately, since a column may have another type in another frame:
        // where it is a number, `10` is a value of its type, but `'x'` is not.
        let mut kinds: Vec<Vec<Literal>> = Vec::new();
        let mut has_null = false;
        let mut members = Vec::new();
        for member in list {
            match side(member)? {
                ParsedSide::Value(value) => {
                    let alike = kinds
                        .iter_mut()
                        .find(|kind| kind.iter().all(|other| other.is_like(&value)));
                    match alike {
                        Some(kind) => kind.push(value),
                        None => kinds.push(vec![value]),
                    }
                }
                ParsedSide::Null => has_null = true,
                other @ ParsedSide::Column(_) => {
                    members.push(self.compare(
                        ParsedSide::Column(column.clone()),
                        Op::Equal,
                        other,
                    )?);
                }
            }
        }
        if has_null {
            members.push(self.among_null(column.path.clone()));
        }
        for values in kinds {
            let op = Op::Equal;
            let test = Test::Values { op, values };
            members.push(self.on(column.path.clone(), test));
        }
        Ok(Expression::Any(members))
    }

    /// A comparison with null, which is unknown. The column has to exist all the same.
    fn among_null(&mut self, path: Path) -> Expression {
        let none = Test::Values {
            op: Op::Equal,
            values: Vec::new(),
        };
        Expression::Any(vec![self.on(path, none), Expression::Constant(None)])
    }

    fn null(&mut self, of: Expr) -> Result<Expression> {
        Ok(self.on(column(of)?.path, Test::Null))
    }

    fn is(&mut self, of: Expr, truth: Option<bool>) -> Result<Expression> {
        Ok(Expression::Is(Box::new(self.condition(of)?), truth))
    }

    fn on(&mut self, path: Path, test: Test) -> Expression {
        let place = self.comparisons;
        self.comparisons += 1;
        Expression::Comparison(Comparison { path, test, place })
    }
}

fn not(expression: Expression) -> Expression {
    Expression::Not(Box::new(expression))
}

fn not_if(negated: bool, expression: Expression) -> Expression {
    if negated { not(expression) } else { expression }
}

fn side(tree: Expr) -> Result<ParsedSide> {
    let literal = |text: String, kind| Ok(ParsedSide::Value(Literal { text, kind }));
    match tree {
        Expr::Nested(inner) => side(*inner),
        Expr::UnaryOp {
            op: sign @ (UnaryOperator::Minus | UnaryOperator::Plus),
            expr,
        } if is_number(&expr) => {
            let sign = if sign == UnaryOperator::Minus {
                "-"
            } else {
                ""
            };
            literal(format!("{sign}{expr}"), LiteralKind::Number)
        }
        Expr::Value(value) => match value.value {
            Value::Number(text, _) => literal(text, LiteralKind::Number),
            Value::SingleQuotedString(text) => literal(text, LiteralKind::Text),
            Value::Boolean(value) => Ok(ParsedSide::Value(Literal::of_bool(value))),
            Value::Null => Ok(ParsedSide::Null),
            other => Err(Error::usage(format!("cannot read {other} as a value"))
                .hint("put text in single quotes")),
        },
        Expr::TypedString(TypedString { value, .. }) => match value.value {
            Value::SingleQuotedString(text) => literal(text, LiteralKind::Instant),
            other => Err(Error::usage(format!("cannot read {other} as a time"))),
        },
        other => column(other).map(ParsedSide::Column),
    }
}

/// A column, or a value inside it.
fn column(tree: Expr) -> Result<Operand> {
    let (root, accesses) = match tree {
        Expr::Nested(inner) => return column(*inner),
        Expr::CompoundFieldAccess { root, access_chain } => (*root, access_chain),
        other => (other, Vec::new()),
    };
    let mut names = match root {
        Expr::Identifier(name) => vec![name].into_iter(),
        Expr::CompoundIdentifier(names) => names.into_iter(),
        other => return Err(unsupported(&other)),
    };
    let quoted = |name: &Ident| name.quote_style == Some('"');
    let step = |name: Ident| Step::named(name.value, name.quote_style.is_some());
    let Some(first) = names.next() else {
        return Err(Error::usage("a column is missing"));
    };
    let is_quoted = quoted(&first) && names.len() == 0 && accesses.is_empty();
    let mut steps: Vec<Step> = names.map(step).collect();
    for access in accesses {
        steps.push(match access {
            AccessExpr::Dot(Expr::Identifier(name)) => step(name),
            AccessExpr::Subscript(Subscript::Index { index }) => match side(index)? {
                ParsedSide::Value(Literal {
                    text,
                    kind: LiteralKind::Text,
                }) => Step::Key(text),
                ParsedSide::Value(Literal {
                    text,
                    kind: LiteralKind::Number,
                }) => Step::Item(text.parse().map_err(|_| {
                    Error::usage(format!("cannot read [{text}] as the place of an item"))
                })?),
                _ => return Err(Error::usage("an item has a number: tags[0]")),
            },
            other => return Err(Error::usage(format!("cannot read {other} as a field"))),
        });
    }
    Ok(Operand {
        path: Path::new(step(first), steps),
        quoted: is_quoted,
    })
}

/// The text of a pattern.
fn text_of(tree: Expr) -> Result<String> {
    match side(tree)? {
        ParsedSide::Value(value) if value.kind == LiteralKind::Text => Ok(value.text),
        ParsedSide::Column(Operand { path, quoted: true }) => Ok(path.to_string()),
        _ => Err(Error::usage("a pattern must be text").hint("put it in single quotes")),
    }
}

fn escape_of(tree: Option<Box<Expr>>) -> Result<Option<char>> {
    let text = tree.map(|tree| text_of(*tree)).transpose()?;
    let mut chars = text.iter().flat_map(|text| text.chars());
    match (chars.next(), chars.next()) {
        (escape, None) => Ok(escape),
        _ => Err(Error::usage("escape takes one character")),
    }
}

fn no_condition(tree: &Expr) -> Error {
    Error::usage(format!("{tree} is not a condition")).hint("write --where 'column > 5'")
}

fn unsupported(tree: &Expr) -> Error {
    let hint = match tree {
        // It binds more tightly than comparisons, so it may be deep in the tree.
        Expr::BinaryOp { .. } if tree.to_string().contains(" && ") => "write and for &&",
        Expr::BinaryOp {
            op: BinaryOperator::StringConcat,
            ..
        } => "write or for ||",
        Expr::BinaryOp { .. } if is_date(tree) => DATES,
        Expr::BinaryOp {
            op:
                BinaryOperator::Plus
                | BinaryOperator::Minus
                | BinaryOperator::Multiply
                | BinaryOperator::Divide
                | BinaryOperator::Modulo,
            ..
        } => "arithmetic is not supported; column names with signs in them go in double quotes",
        Expr::UnaryOp {
            op: UnaryOperator::BitwiseNot,
            ..
        } => MATCH,
        Expr::Function(_) => "functions are not supported; ilike and ~* ignore case",
        Expr::Cast { .. } => {
            "casts are not supported; values are compared by the type of the column"
        }
        Expr::BinaryOp {
            op:
                BinaryOperator::Lt
                | BinaryOperator::LtEq
                | BinaryOperator::Gt
                | BinaryOperator::GtEq
                | BinaryOperator::Eq,
            ..
        } => "join comparisons with and: 1 < x and x < 3",
        _ => {
            "conditions consist of columns, values, = <> < <= > >=, between, in, like, ilike, ~, is null, and, or, \
             not and parentheses"
        }
    };
    Error::usage(format!("cannot read {tree} here")).hint(hint)
}

#[cfg(test)]
mod tests;
