//! Conditions on rows: which rows a user wants, by the values of some columns.
//!
//! A [`Predicate`] is what the user typed, with values still as text. What a value means depends on the
//! column's type, which may differ from frame to frame, so each frame's field gets its own [`Test`]. A
//! test is a set of ranges. It can therefore be applied to single values, and also to the least and the
//! greatest value of a whole frame ([`Test::may_hold`]), so that frames without a wanted row need not be
//! read (Moerkotte, "Small Materialized Aggregates", VLDB 1998).

mod bind;
mod scan;
mod skip;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, Field};

pub use self::bind::Test;
use crate::columns::statistics::MinMax;
use crate::error::{Error, Result};
use crate::schema::display_name;
use crate::schema::keys::is_hidden;

/// A comparison of a column with values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Any of the values, or none of them.
    In {
        /// None of them.
        not: bool,
    },
    /// Less than the value.
    Less,
    /// Less or equal.
    AtMost,
    /// Greater.
    Greater,
    /// Greater or equal.
    AtLeast,
    /// Null, or not null.
    Null {
        /// Not null.
        not: bool,
    },
}

/// A value as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The text, without quotes.
    pub text: String,
    /// It was quoted.
    pub quoted: bool,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The column, and fields below it; what was typed with dots may also be one name.
    pub path: Vec<String>,
    /// How to compare.
    pub op: Op,
    /// With what: one value, or any number for [`Op::In`].
    pub values: Vec<Literal>,
}

/// Comparisons that must all hold.
#[derive(Debug, Default)]
pub struct Predicate {
    conditions: Vec<Condition>,
    /// What came of each.
    found: Vec<Found>,
}

/// What came of a comparison in the frames so far, from any thread.
#[derive(Debug, Default)]
struct Found {
    /// The column was there.
    met: AtomicBool,
    /// Its values could be what was asked for.
    fits: AtomicBool,
    /// Or not: frames differ.
    misfit: Mutex<Option<Error>>,
}

impl Found {
    fn meet(&self) {
        self.met.store(true, Ordering::Relaxed);
    }

    fn fit(&self, field: &Field) {
        // Everything fits where there are no values.
        if *field.data_type() != DataType::Null {
            self.fits.store(true, Ordering::Relaxed);
        }
    }

    fn misfit(&self, error: Error) {
        let mut misfit = self.misfit.lock().unwrap_or_else(PoisonError::into_inner);
        // Whichever thread comes first, the same error is reported.
        let known = misfit.as_ref().map(Error::message);
        if known.is_none_or(|known| error.message() < known) {
            *misfit = Some(error);
        }
    }
}

impl Clone for Predicate {
    fn clone(&self) -> Self {
        Self::new(self.conditions.clone())
    }
}

impl Condition {
    /// The column's name as it was typed.
    pub fn name(&self) -> String {
        self.path.join(".")
    }

    /// How many parts of the path are the name of a column, if it begins with that.
    fn parts_in(&self, name: &str) -> Option<usize> {
        parts_in(&self.path, name)
    }
}

fn parts_in(path: &[String], name: &str) -> Option<usize> {
    let mut rest = name;
    for (at, part) in path.iter().enumerate() {
        rest = rest.strip_prefix(part.as_str())?;
        if rest.is_empty() {
            return Some(at + 1);
        }
        rest = rest.strip_prefix('.')?;
    }
    None
}

impl Predicate {
    /// All of these.
    pub fn new(conditions: Vec<Condition>) -> Self {
        let found = conditions.iter().map(|_| Found::default());
        Self {
            found: found.collect(),
            conditions,
        }
    }

    /// The comparisons.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The columns that the comparisons use, whole or by a field of theirs.
    pub fn columns(&self) -> impl Iterator<Item = &String> {
        let conditions = self.conditions.iter();
        conditions.filter_map(|condition| condition.path.first())
    }

    /// True if some comparison may look into the column.
    pub fn needs(&self, name: &str) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|condition| condition.parts_in(name).is_some())
    }

    /// True if rows with these columns may be wanted; `facts` returns what is known of the rows of a
    /// column, by its position.
    pub fn may_hold<'a>(
        &self,
        fields: &[&'a Field],
        facts: impl Fn(usize) -> Option<Facts<'a>>,
    ) -> bool {
        let mut may_hold = true;
        // No early return: `conclude` has to know which columns occurred.
        for (condition, found) in self.conditions.iter().zip(&self.found) {
            let column = find(&condition.path, fields.iter().copied());
            let Some((at, field, used)) = column else {
                continue;
            };
            found.meet();
            if used == condition.path.len()
                && let (Some(facts), Ok(test)) = (facts(at), Test::bind(field, condition))
            {
                found.fit(field);
                may_hold &= test.may_hold(facts, *field.data_type() == DataType::UInt64);
            }
        }
        may_hold
    }

    /// The rows for which all comparisons hold.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if a value is not of its column's type.
    pub fn filter(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let Some(mask) = self.mask(batch)? else {
            return Ok(batch.clone());
        };
        let kept = mask.count_set_bits();
        if kept == batch.num_rows() {
            return Ok(batch.clone());
        }
        if kept == 0 {
            return Ok(batch.slice(0, 0));
        }
        arrow_select::filter::filter_record_batch(batch, &BooleanArray::new(mask, None))
            .map_err(|error| Error::limit(format!("cannot hold the rows: {error}")))
    }

    /// True for the wanted rows; `None` if all are.
    fn mask(&self, batch: &RecordBatch) -> Result<Option<BooleanBuffer>> {
        let schema = batch.schema_ref();
        let mut mask: Option<BooleanBuffer> = None;
        for (condition, found) in self.conditions.iter().zip(&self.found) {
            let fields = schema.fields().iter().map(|field| &**field);
            let column = find(&condition.path, fields).and_then(|(at, field, used)| {
                below(field, batch.column(at), &condition.path[used..], None)
            });
            let holds = if let Some((field, array, nulls)) = column {
                found.meet();
                let test = match (Test::bind(&field, condition), condition.op) {
                    (Ok(test), _) => {
                        found.fit(&field);
                        Some(test)
                    }
                    // In another frame the column may have another type.
                    (Err(error), Op::In { not }) => {
                        found.misfit(error);
                        not.then_some(Test::Null { not })
                    }
                    (Err(error), _) => return Err(error),
                };
                match test {
                    Some(test) => test.scan(&array, nulls.as_ref())?,
                    None => BooleanBuffer::new_unset(batch.num_rows()),
                }
            } else if matches!(condition.op, Op::Null { not: false }) {
                // Where there is no such column, all its rows are null.
                BooleanBuffer::new_set(batch.num_rows())
            } else {
                BooleanBuffer::new_unset(batch.num_rows())
            };
            mask = Some(match mask {
                Some(mask) => &mask & &holds,
                None => holds,
            });
        }
        Ok(mask)
    }

    /// Checks at the end that every column occurred and could be compared; `known` are names to suggest
    /// if not.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`].
    pub fn conclude(&self, known: &[String]) -> Result<()> {
        for (condition, found) in self.conditions.iter().zip(&self.found) {
            if !found.met.load(Ordering::Relaxed) {
                let name = condition.name();
                let error = Error::usage(format!("--where: there is no column {name:?}"));
                return Err(match known {
                    [] => error,
                    _ => error.hint(format!("columns are {}", known.join(", "))),
                });
            }
            let misfit = found.misfit.lock();
            let misfit = misfit.unwrap_or_else(PoisonError::into_inner).take();
            if let (Some(error), false) = (misfit, found.fits.load(Ordering::Relaxed)) {
                return Err(error);
            }
        }
        Ok(())
    }
}

/// What is known of the rows of a column.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Number of rows.
    pub rows: u64,
    /// Rows without a value.
    pub nulls: u64,
    /// The least and the greatest value.
    pub extremes: Option<&'a MinMax>,
}

/// The column that a path begins with: its place, its field and how many parts name it. The longest
/// name counts, and of equal names the first.
fn find<'a>(
    path: &[String],
    fields: impl Iterator<Item = &'a Field>,
) -> Option<(usize, &'a Field, usize)> {
    let mut best: Option<(usize, &Field, usize)> = None;
    let mut shown = 0;
    for (at, field) in fields.enumerate() {
        if is_hidden(field) {
            continue;
        }
        let name = display_name(field.name(), shown);
        shown += 1;
        if let Some(used) = parts_in(path, &name)
            && best.is_none_or(|(_, _, most)| used > most)
        {
            best = Some((at, field, used));
        }
    }
    best
}

/// The field below a column that the rest of a path names, and the nulls of what is above it.
fn below(
    field: &Field,
    array: &ArrayRef,
    path: &[String],
    above: Option<NullBuffer>,
) -> Option<(Field, ArrayRef, Option<NullBuffer>)> {
    if path.is_empty() {
        return Some((field.clone(), array.clone(), above));
    }
    let DataType::Struct(fields) = field.data_type() else {
        return None;
    };
    let array = array.as_struct();
    let above = NullBuffer::union(above.as_ref(), array.nulls());
    let (at, field, used) = find(path, fields.iter().map(|field| &**field))?;
    below(field, array.column(at), &path[used..], above)
}
