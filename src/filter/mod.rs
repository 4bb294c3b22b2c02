//! Conditions on rows, as written in `--where`.
//!
//! A [`Predicate`] is the parsed condition, with values still as text. The meaning of a value depends on the column's
//! type, which may differ from frame to frame, so each comparison is bound to each frame's field (`bind`). It becomes a
//! set of ranges. These are applied to single values (`scan`), and also to the minimum and maximum of a whole frame
//! (`skip`), so that frames without a matching row need not be read (Moerkotte, "Small Materialized Aggregates", VLDB
//! 1998). Conditions are true, false or unknown, as in SQL.

mod bind;
mod expression;
mod incomparable;
mod literal;
mod misfit;
mod number;
mod outcome;
mod parse;
mod pattern;
mod readings;
mod scan;
mod sides;
mod skip;
mod text_value;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{BooleanArray, RecordBatch};
use arrow_buffer::BooleanBuffer;
use arrow_schema::Field;

use self::expression::{Comparison, Expression, Test, Truth};
use self::outcome::{ComparisonOutcome, unlike};
use self::sides::Side;
use crate::columns::LookedAt;
use crate::columns::cast::{Provenance, provenance};
use crate::columns::place::{find, names};
use crate::columns::statistics::MinMax;
use crate::error::{Error, Result};
use crate::schema::ROW_COLUMN;
use crate::schema::keys::is_hidden;
use crate::schema::path::{Path, no_column};
use crate::sync::lock;

/// A condition on rows.
#[derive(Debug)]
pub struct Predicate {
    expression: Expression,
    /// Every name in the condition, without repetitions.
    names: Vec<Name>,
    /// The outcome of each comparison.
    found: Vec<ComparisonOutcome>,
    /// The column names of frames that lacked a column of the condition.
    known: Mutex<BTreeSet<Vec<String>>>,
    /// Some rows came from JSON, in which a column may appear later.
    may_gain_columns: AtomicBool,
}

/// A name in the condition that is, or may be, a column.
#[derive(Debug)]
struct Name {
    path: Path,
    /// It is the right side of a comparison with a column, so it may be meant as text.
    is_operand: bool,
    /// Some frame had a column of this name.
    exists: AtomicBool,
    /// The number of steps in the name of the column that the path began with, in each frame.
    column_steps: Mutex<BTreeSet<usize>>,
    /// Some frame had several columns of this name.
    is_repeated: AtomicBool,
}

impl Clone for Predicate {
    fn clone(&self) -> Self {
        Self::new(self.expression.clone(), self.found.len())
    }
}

/// What is known about the rows of a column.
#[derive(Clone, Copy, Debug)]
pub struct FrameStatistics<'a> {
    /// Number of rows.
    pub rows: u64,
    /// Rows without a value.
    pub nulls: u64,
    /// The minimum and maximum.
    pub extremes: Option<&'a MinMax>,
    /// The column may be cells of CSV: if it is text, that may contain values of another type.
    pub may_be_cells: bool,
    /// Nulls may be written as a word that is a value.
    pub may_spell_nulls: bool,
}

impl Predicate {
    /// Parses an SQL condition.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] that says what was expected.
    pub fn parse(text: &str) -> Result<Self> {
        let (expression, comparisons) = parse::parse(text)?;
        Ok(Self::new(expression, comparisons))
    }

    /// True for a condition that is certain to be true for every row.
    pub fn is_always_true(&self) -> bool {
        matches!(self.expression, Expression::Constant(Some(true)))
    }

    fn new(expression: Expression, comparisons: usize) -> Self {
        let mut names = Vec::new();
        collect_names(&expression, &mut names);
        Self {
            expression,
            names,
            found: (0..comparisons)
                .map(|_| ComparisonOutcome::default())
                .collect(),
            known: Mutex::default(),
            may_gain_columns: AtomicBool::new(false),
        }
    }

    /// The columns, and values inside them, that the comparisons read.
    pub fn looks_at(&self) -> Vec<LookedAt> {
        let look = |name: &Name| LookedAt {
            path: name.path.clone(),
            is_operand: name.is_operand,
        };
        self.names.iter().map(look).collect()
    }

    /// True if a comparison may read the column.
    pub fn needs(&self, name: &str) -> bool {
        self.names.iter().any(|it| it.path.begins_with(name))
    }

    /// Records the names of all columns, since batches may contain only some of them.
    pub fn see_names(&self, names: &[String]) {
        let is_missing = |name: &Name| !names.iter().any(|known| name.path.begins_with(known));
        if self.names.iter().any(is_missing) {
            let mut known = lock(&self.known);
            known.insert(names.to_vec());
        }
    }

    /// A bit for each row, set if the condition is true.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if a column does not exist, or its type cannot be compared.
    pub fn mask(&self, batch: &RecordBatch) -> Result<BooleanBuffer> {
        let all = |truth| Truth::of_all(batch.num_rows(), truth);
        let compare = |comparison: &Comparison| self.compare(comparison, batch);
        let truth = self.expression.truth(&all, &Truth::is, &compare);
        truth
            .map(|truth| truth.yes)
            .map_err(|error| error.of_option("--where"))
    }

    fn compare(
        &self,
        Comparison { path, test, place }: &Comparison,
        batch: &RecordBatch,
    ) -> Result<Truth> {
        let (found, rows) = (&self.found[*place], batch.num_rows());
        let from = provenance(batch.schema_ref().metadata());
        let side = self.side(path, batch)?;
        if let Test::Column(op, operand) = test {
            let other = self.side(&operand.path, batch)?;
            return match (side, other) {
                // A name in double quotes that is not a column is text.
                (Some(side), None) if operand.quoted => {
                    self.meet(&operand.path);
                    found.compare_with_name(&side, *op, operand)
                }
                (side, other) => found.compare_columns(rows, side.as_ref(), *op, other.as_ref()),
            };
        }
        match side {
            Some(side) => found.compare_values(&side, test),
            // The rows of this frame are objects, and so equal to no other value.
            None if path.as_name() == Some(ROW_COLUMN) && from == Provenance::Json => {
                Ok(unlike(test, rows))
            }
            // A missing column is null in all rows.
            None => {
                let is_null = matches!(test, Test::Null).then_some(true);
                Ok(Truth::of_all(rows, is_null))
            }
        }
    }

    /// The column or value at a path, if the batch has it.
    fn side<'a>(&self, path: &'a Path, batch: &RecordBatch) -> Result<Option<Side<'a>>> {
        let (schema, steps) = (batch.schema_ref(), path.steps());
        let from = provenance(schema.metadata());
        let fields = schema.fields().iter().map(|field| &**field);
        if let Some((at, _, used)) = find(steps, fields) {
            let (field, array) = (&schema.fields()[at], batch.column(at));
            if let Some(side) = Side::new(path, &steps[used..], field, array, from)? {
                self.meet(path);
                // Rows that are stored whole are searched one by one.
                if let Some(name) = self.name(path).filter(|_| used > 0) {
                    lock(&name.column_steps).insert(used);
                    let is_same = |it: &Field| !is_hidden(it) && it.name() == field.name();
                    if schema.fields().iter().filter(|it| is_same(it)).count() > 1 {
                        name.is_repeated.store(true, Ordering::Relaxed);
                    }
                }
                return Ok(Some(side));
            }
        }
        let mut known = lock(&self.known);
        known.insert(names(schema.fields()));
        if from == Provenance::Json {
            self.may_gain_columns.store(true, Ordering::Relaxed);
        }
        Ok(None)
    }

    fn meet(&self, path: &Path) {
        if let Some(name) = self.name(path) {
            name.exists.store(true, Ordering::Relaxed);
        }
    }

    fn has_met(&self, path: &Path) -> bool {
        self.name(path)
            .is_some_and(|name| name.exists.load(Ordering::Relaxed))
    }

    fn name(&self, path: &Path) -> Option<&Name> {
        self.names.iter().find(|name| name.path == *path)
    }

    /// Checks after the last frame that every column occurred and could be compared. If not all rows were read, a
    /// missing column of JSON is not an error, nor are values that could not be compared: others might have come later.
    /// How many frames were read ahead must not matter either.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`].
    pub fn conclude(&self, has_all_rows: bool) -> Result<()> {
        let may_gain_columns = !has_all_rows && self.may_gain_columns.load(Ordering::Relaxed);
        let missing = self
            .names
            .iter()
            .find(|name| !name.exists.load(Ordering::Relaxed));
        if let Some(name) = missing.filter(|_| !may_gain_columns) {
            return Err(self.no_column(name));
        }
        if !has_all_rows {
            return Ok(());
        }
        let comparisons = self.comparisons();
        let each = |ensure: fn(&ComparisonOutcome, &Path, &Test) -> Result<()>| {
            let mut comparisons = comparisons.iter();
            comparisons.try_for_each(|it| ensure(&self.found[it.place], &it.path, &it.test))
        };
        self.ensure_one_column_each()
            .and_then(|()| each(ComparisonOutcome::ensure_one_meaning))
            .and_then(|()| each(ComparisonOutcome::ensure_fits))
            .map_err(|error| error.of_option("--where"))
    }

    fn comparisons(&self) -> Vec<&Comparison> {
        let mut comparisons = Vec::new();
        self.expression
            .each_comparison(&mut |comparison| comparisons.push(comparison));
        comparisons
    }

    /// Notes about names of several columns, and about values that comparisons for order left unknown, once per column.
    pub fn notes(&self) -> Vec<String> {
        let is_repeated = |name: &&Name| name.is_repeated.load(Ordering::Relaxed);
        let repeated = self.names.iter().filter(is_repeated).map(|name| {
            let name = name.path.to_string();
            format!("--where: several columns are called {name:?}; the condition reads the first")
        });
        let mut notes = BTreeMap::new();
        self.expression.each_comparison(&mut |comparison| {
            let name = comparison.path.to_string();
            if let Some(note) = self.found[comparison.place].note(&name) {
                notes.entry(name).or_insert(note);
            }
        });
        repeated.chain(notes.into_values()).collect()
    }

    fn ensure_one_column_each(&self) -> Result<()> {
        self.names
            .iter()
            .try_for_each(|name| readings::ensure_one_column(&name.path, &lock(&name.column_steps)))
    }

    fn no_column(&self, name: &Name) -> Error {
        let known = lock(&self.known);
        let known: Vec<_> = known.iter().flatten().cloned().collect();
        let error = no_column(&name.path.to_string(), &known).of_option("--where");
        match name.path.as_name().filter(|_| name.is_operand) {
            Some(word) => error.hint(format!("put text in single quotes: '{word}'")),
            None => error,
        }
    }
}

/// The rows of a batch whose bits are set.
///
/// # Errors
/// If Arrow cannot hold them.
pub fn rows_of(batch: &RecordBatch, mask: &BooleanBuffer) -> Result<RecordBatch> {
    let kept = mask.count_set_bits();
    if kept == batch.num_rows() {
        return Ok(batch.clone());
    }
    if kept == 0 {
        return Ok(batch.slice(0, 0));
    }
    arrow_select::filter::filter_record_batch(batch, &BooleanArray::new(mask.clone(), None))
        .map_err(|error| Error::limit(format!("cannot hold the rows: {error}")))
}

fn collect_names(expression: &Expression, names: &mut Vec<Name>) {
    let mut add = |path: &Path, is_operand: bool| {
        if let Some(name) = names.iter_mut().find(|name| name.path == *path) {
            name.is_operand &= is_operand;
            return;
        }
        names.push(Name {
            path: path.clone(),
            is_operand,
            exists: AtomicBool::new(false),
            column_steps: Mutex::default(),
            is_repeated: AtomicBool::new(false),
        });
    };
    expression.each_comparison(&mut |Comparison { path, test, .. }| {
        add(path, false);
        if let Test::Column(_, operand) = test {
            add(&operand.path, true);
        }
    });
}
