//! Binds a comparison to the type of a column: it becomes a test for ranges of values.

use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::sync::Arc;

use arrow_schema::{DataType, Field};
use regex::bytes::Regex;

use super::expression::{Literal, LiteralKind, Op, Test};
use super::literal::{bytes, float, whole};
use super::text_value::{Kinds, NumberWords, TextValue};
use crate::columns::cast::Provenance;
use crate::error::{Error, Result};
use crate::schema::keys::is_variant;
use crate::schema::path::Path;
use crate::schema::{Type, short_type_name};
use crate::text::form::{BOOL_LITERALS, BoolLiterals, form_of};

/// A range of values.
pub type Interval<T> = (Bound<T>, Bound<T>);

/// A comparison with values or a pattern, bound to the type of one field. It is true for values in any of its ranges.
#[derive(Clone, Debug)]
pub enum BoundTest {
    /// Ranges of integers, of types that Arrow stores as integers, and of the keys of floats; both ends are included. They
    /// are sorted and disjoint.
    Ranges(Vec<(i128, i128)>),
    /// Ranges of text or bytes, sorted. If there are several, each has a single value.
    Bytes(Vec<Interval<Vec<u8>>>),
    /// For text that may hold values of other types, which compare by value.
    Parsed(Op, Vec<TextLiteral>),
    /// A pattern for the text of values.
    Matches {
        /// The pattern.
        regex: Regex,
        /// The prefix of every match.
        prefix: String,
        /// The values are text; otherwise they are printed first.
        is_text: bool,
    },
    /// For a struct that holds values of several kinds: the test for each child; `None` if no value of the child can
    /// match.
    Variant(Op, Vec<Option<BoundTest>>),
}

/// A literal compared with text that may hold values of other types.
#[derive(Clone, Debug)]
pub struct TextLiteral {
    text: Vec<u8>,
    /// The kinds of values that it holds.
    pub kinds: Kinds,
    /// It also compares with text of no kind.
    is_text: bool,
}

impl TextLiteral {
    /// The meaning of a literal among values of `kind`, which come from `from`. Cells of CSV may be of any type. JSON
    /// text is no string, as its strings are apart.
    fn of(literal: &Literal, kind: Option<Type>, from: Provenance) -> Self {
        let is_json = from == Provenance::Json && kind == Some(Type::Json);
        let is_quoted = literal.kind == LiteralKind::Text;
        let is_cell = (is_json || from == Provenance::Csv) && is_quoted;
        let may_be_bool = is_cell || literal.kind == LiteralKind::Bool;
        let kinds = if literal.kind == LiteralKind::Number {
            Kinds::numbers_of(from)
        } else {
            Kinds {
                numbers: is_cell.then_some(NumberWords::Any),
                moments: !is_json,
                uuids: !is_json,
                bools: may_be_bool && literal.as_bool().is_some(),
            }
        };
        let text = literal.text.as_bytes();
        Self {
            text: text.to_vec(),
            kinds: kinds.of_value(&TextValue::read(text, text, kinds)),
            is_text: !is_json && is_quoted,
        }
    }

    /// The values that it holds.
    pub fn read(&self) -> TextValue<'_> {
        let value = TextValue::read(&self.text, &self.text, self.kinds);
        TextValue {
            text: value.text.filter(|_| self.is_text),
            ..value
        }
    }

    fn is_only_text(&self) -> bool {
        self.is_text && self.read().is_only_text()
    }
}

impl BoundTest {
    /// Binds a comparison to a field; `path` is the field's name in the condition. Cells of CSV are numbers in a frame
    /// that has only numbers, and text next to other cells. To compare alike in both, text that holds a number compares
    /// by value with a number in quotes.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if a value is not of the field's type, or the type cannot be compared.
    pub fn bind(field: &Field, path: &Path, test: &Test, from: Provenance) -> Result<Self> {
        let (op, values) = match test {
            Test::Values { op, values } => (*op, &values[..]),
            Test::Matches(pattern) => {
                return Self::of_pattern(field, path, pattern);
            }
            Test::True | Test::Null | Test::Column(..) => {
                if Type::of(field) == Some(Type::Bool) {
                    return Ok(Self::Ranges(vec![(1, 1)]));
                }
                // The column may have another type in another frame.
                if *field.data_type() == DataType::Null {
                    return Ok(Self::Bytes(Vec::new()));
                }
                if let (Test::True, true) = (test, is_text(field)) {
                    // Words that are neither true nor false are unknown.
                    let literal = TextLiteral::of(&Literal::of_bool(true), None, from);
                    return Ok(Self::Parsed(Op::AtLeast, vec![literal]));
                }
                if let (Test::True, true, DataType::Struct(children)) =
                    (test, is_variant(field), field.data_type())
                {
                    let child = |child: &Arc<Field>| Self::bind(child, path, test, from).ok();
                    let tests: Vec<_> = children.iter().map(child).collect();
                    if tests.iter().any(Option::is_some) {
                        return Ok(Self::Variant(Op::AtLeast, tests));
                    }
                }
                let ty = short_type_name(field);
                let what = format!("column {:?} is {ty}, not a condition", path.to_string());
                return Err(Error::usage(what).hint(format!("compare it: {path} > 5")));
            }
        };
        Self::of_values(field, path, op, values, from)
    }

    /// True if the test parses text, which may fail for each value.
    pub fn reads_text(&self) -> bool {
        matches!(self, Self::Parsed(..) | Self::Variant(..))
    }

    /// The error if none of the text could be parsed.
    pub fn unread(&self, path: &Path) -> Error {
        let name = path.to_string();
        let with_text = "compare it with text, in single quotes";
        let any = |test: fn(&TextValue<'_>) -> bool| match self {
            Self::Parsed(_, literals) => literals.iter().any(|it| test(&it.read())),
            _ => false,
        };
        let (kind, hint) = if any(|it| it.truth.is_some()) {
            ("true or false", with_text)
        } else if any(|it| it.moment.is_some()) {
            ("dates or times in ISO 8601", "compare it with plain text")
        } else if any(|it| it.number.is_some()) {
            ("numbers", with_text)
        } else {
            let what = format!("no value of column {name:?} can be compared with this");
            return Error::usage(what).hint("compare it with a value of another kind");
        };
        let what = format!("column {name:?} is text, and none of its values are {kind}");
        Error::usage(what).hint(hint)
    }

    fn of_pattern(
        field: &Field,
        path: &Path,
        pattern: &super::expression::TextPattern,
    ) -> Result<Self> {
        if is_variant(field)
            && let DataType::Struct(children) = field.data_type()
        {
            let child = |child: &Arc<Field>| Self::of_pattern(child, path, pattern).ok();
            return Ok(Self::Variant(
                Op::Equal,
                children.iter().map(child).collect(),
            ));
        }
        if field.data_type().is_nested() {
            return Err(nested(field, path));
        }
        Ok(Self::Matches {
            regex: pattern.regex.clone(),
            prefix: pattern.prefix.clone(),
            is_text: is_text(field),
        })
    }

    /// Binds a comparison with literals. A column of several kinds of values gets a test for each kind that
    /// can be compared; strings get a test of text or bytes; all other types are compared as ranges of
    /// integers.
    fn of_values(
        field: &Field,
        path: &Path,
        op: Op,
        values: &[Literal],
        from: Provenance,
    ) -> Result<Self> {
        let misfit = |literal: &Literal| misfit(field, path, literal);
        let data_type = value_type(field);
        if is_variant(field)
            && let DataType::Struct(children) = data_type
        {
            let child = |child: &Arc<Field>| Self::of_values(child, path, op, values, from).ok();
            return Ok(Self::Variant(op, children.iter().map(child).collect()));
        }
        match data_type {
            DataType::Null => Ok(Self::Bytes(Vec::new())),
            DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => {
                Self::of_strings(field, data_type, path, op, values, from)
            }
            _ if Type::of(field) == Some(Type::Bool) => {
                let of = |literal: &Literal| bools(field, op, literal, from);
                let ranges = values
                    .iter()
                    .map(|it| of(it).ok_or_else(|| misfit(it)))
                    .collect::<Result<Vec<_>>>()?;
                Ok(Self::Ranges(disjoint(ranges.concat())))
            }
            _ => {
                let range = |literal: &Literal| {
                    let found = if data_type.is_floating() {
                        float(data_type, literal)
                    } else {
                        whole(field, data_type, literal)
                    };
                    let (floor, exact) = found.ok_or_else(|| misfit(literal))?;
                    Ok(ints(op, floor, exact))
                };
                let ranges = values.iter().map(range).collect::<Result<Vec<_>>>()?;
                Ok(Self::Ranges(disjoint(
                    ranges.into_iter().flatten().collect(),
                )))
            }
        }
    }

    /// Text is compared by value if a literal can be parsed as another type. Otherwise, bytes are compared.
    fn of_strings(
        field: &Field,
        data_type: &DataType,
        path: &Path,
        op: Op,
        values: &[Literal],
        from: Provenance,
    ) -> Result<Self> {
        let kind = Type::of(field);
        let is_text = is_text(field);
        let misfit = |literal: &Literal| misfit(field, path, literal);
        let parsed = values.iter().map(|it| TextLiteral::of(it, kind, from));
        let parsed: Vec<_> = parsed.collect();
        if is_text && !parsed.iter().all(TextLiteral::is_only_text) {
            return Ok(Self::Parsed(op, parsed));
        }
        let of = |literal| bytes(kind, data_type, literal).ok_or_else(|| misfit(literal));
        let mut bytes = values.iter().map(of).collect::<Result<Vec<_>>>()?;
        bytes.sort_unstable();
        let ranges = bytes.into_iter().map(|bytes| bound(op, bytes));
        Ok(Self::Bytes(ranges.collect()))
    }
}

/// The bools that compare with a literal as `op` says; `None` if it is not a word for a bool. In text, a word in quotes
/// is that word, except that `true` and `false` are all words of this meaning.
fn bools(field: &Field, op: Op, literal: &Literal, from: Provenance) -> Option<Vec<(i128, i128)>> {
    let (_, value) = BoolLiterals::of(literal.text.as_bytes())?;
    let is_word = from != Provenance::Typed && literal.as_bool().is_none();
    let words = form_of(field).and_then(BoolLiterals::parse);
    let words = words.unwrap_or(&BOOL_LITERALS[0]).words;
    let order = |bool: bool| {
        if is_word {
            words[usize::from(!bool)].cmp(&literal.text)
        } else {
            bool.cmp(&value)
        }
    };
    let holds = [false, true].into_iter().filter(|it| op.holds(order(*it)));
    Some(holds.map(|it| (it.into(), it.into())).collect())
}

/// True for a column of text or of JSON text.
pub fn is_text(field: &Field) -> bool {
    match Type::of(field) {
        Some(ty) => matches!(ty, Type::Utf8 | Type::Json),
        None => value_type(field).is_string(),
    }
}

/// The type of the values, also if they are the entries of a dictionary.
pub fn value_type(field: &Field) -> &DataType {
    match field.data_type() {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// The error for a nested column that is compared as a whole.
pub fn nested(field: &Field, path: &Path) -> Error {
    let (name, ty) = (path.to_string(), short_type_name(field));
    let what = format!("column {name:?} is {ty}, which cannot be compared");
    Error::usage(what).hint("test it with is null, or compare a value in it: user.name, tags[0]")
}

fn misfit(field: &Field, path: &Path, literal: &Literal) -> Error {
    let ty = short_type_name(field);
    let name = path.to_string();
    let hint = match field.data_type() {
        other if other.is_nested() => return nested(field, path),
        DataType::Boolean => "write true or false",
        DataType::Date32 | DataType::Date64 => "write a date such as '2024-01-31'",
        DataType::Time32(_) | DataType::Time64(_) => "write a time such as '13:45:00'",
        DataType::Timestamp(..) => "write a time such as '2024-01-31T13:45:00Z'",
        DataType::Duration(_) => "write a duration such as 'PT1.5S', or a number of its unit",
        DataType::FixedSizeBinary(16) => {
            "write a UUID such as '123e4567-e89b-12d3-a456-426614174000'"
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            "write bytes in hex: '00ff'"
        }
        _ => "write a number such as 5 or -1.5",
    };
    let what = format!("column {name:?} is {ty}, and {:?} is not", literal.text);
    Error::usage(what).hint(hint)
}

/// The same ranges, sorted and without overlaps.
fn disjoint(mut ranges: Vec<(i128, i128)>) -> Vec<(i128, i128)> {
    ranges.retain(|(from, to)| from <= to);
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let meets = next.0 <= last.1.saturating_add(1);
        if meets {
            last.1 = last.1.max(next.1);
        }
        meets
    });
    ranges
}

/// The range that an operator selects.
fn bound<T: Clone>(op: Op, value: T) -> Interval<T> {
    match op {
        Op::Less => (Unbounded, Excluded(value)),
        Op::AtMost => (Unbounded, Included(value)),
        Op::Greater => (Excluded(value), Unbounded),
        Op::AtLeast => (Included(value), Unbounded),
        Op::Equal => (Included(value.clone()), Included(value)),
    }
}

/// The integers that an operator selects (`< 1.5` selects those up to 1); `None` if it selects no integer. `floor` is the
/// floor of the value; `exact` says whether it equals the value.
pub fn ints(op: Op, floor: i128, exact: bool) -> Option<(i128, i128)> {
    let next = floor.saturating_add(1);
    let range = match op {
        Op::Less if exact => (i128::MIN, floor.saturating_sub(1)),
        Op::Less | Op::AtMost => (i128::MIN, floor),
        Op::AtLeast if exact => (floor, i128::MAX),
        Op::Greater | Op::AtLeast => (next, i128::MAX),
        Op::Equal => return exact.then_some((floor, floor)),
    };
    Some(range)
}
