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
mod parse;
mod pattern;
mod readings;
mod scan;
mod sides;
mod skip;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{Array as _, ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::Field;

use self::bind::BoundTest;
use self::expression::{Comparison, Expression, Literal, LiteralKind, Op, Operand, Test, Truth};
use self::incomparable::Incomparable;
use self::misfit::Misfits;
use self::sides::Side;
use crate::columns::LookedAt;
use crate::columns::cast::{Provenance, provenance, spelled};
use crate::columns::place::{find, names};
use crate::columns::statistics::MinMax;
use crate::error::{Error, Kind, Result};
use crate::schema::ROW_COLUMN;
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
}

/// The outcome of a comparison in the frames so far, on any thread.
#[derive(Debug, Default)]
struct ComparisonOutcome {
    /// In some frame, the comparison suited the column's type.
    fits: AtomicBool,
    /// The values of the frames where it did not.
    misfits: Mutex<Misfits>,
    /// The error from a frame with two columns that cannot be compared with each other.
    unlike_columns: Mutex<Option<Error>>,
    /// How frames read dates and times.
    date_forms: Mutex<BTreeSet<String>>,
    /// The values that are neither less nor greater.
    incomparable: Mutex<Incomparable>,
}

impl ComparisonOutcome {
    fn fits(&self) -> bool {
        self.fits.load(Ordering::Relaxed)
    }

    fn set_fits(&self) {
        self.fits.store(true, Ordering::Relaxed);
    }

    /// Records the values of a side that the test does not suit. `fits_as_text` is true if it suits some of them as text.
    fn add_misfits(&self, side: &Side<'_>, fits_as_text: bool) {
        if !self.fits() {
            lock(&self.misfits).add(side, fits_as_text);
        }
    }

    /// Records two columns that cannot be compared.
    fn add_unlike(&self, error: Error) {
        let mut known = lock(&self.unlike_columns);
        // Report the same error regardless of which thread comes first.
        let message = known.as_ref().map(Error::message);
        if message.is_none_or(|known| error.message() < known) {
            *known = Some(error);
        }
    }
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

/// The right side of a comparison of columns, in some frame.
enum RightSide<'a> {
    Column(Box<Side<'a>>),
    /// The name in double quotes is not a column, so it is text.
    Text(Test),
    /// The frame has no such column.
    Nothing,
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
        let as_text;
        let (side, test) = match (side, test) {
            (Some(side), Test::Column(op, operand)) => match self.other(*op, operand, batch)? {
                RightSide::Column(other) => {
                    let (truth, fits) = match sides::compare(&side, *op, &other) {
                        Ok(compared) => compared,
                        // The columns may have other types in another frame.
                        Err(error) if error.kind() == Kind::Usage => {
                            found.add_unlike(error);
                            return Ok(Truth::of_all(rows, None));
                        }
                        Err(error) => return Err(error),
                    };
                    match fits {
                        Some(true) => found.set_fits(),
                        Some(false) => found.add_unlike(sides::incomparable(&side, &other)),
                        None => {}
                    }
                    return Ok(truth);
                }
                RightSide::Text(test) => {
                    as_text = test;
                    (side, &as_text)
                }
                RightSide::Nothing => return Ok(Truth::of_all(rows, None)),
            },
            (Some(side), test) => (side, test),
            // The rows of this frame are objects, and so equal to no other value.
            (None, test) if path.as_name() == Some(ROW_COLUMN) && from == Provenance::Json => {
                return Ok(unlike(test, rows));
            }
            // A missing column is null in all rows.
            (None, test) => {
                let is_null = matches!(test, Test::Null).then_some(true);
                return Ok(Truth::of_all(rows, is_null));
            }
        };
        let own = side.array.logical_nulls();
        let valid = NullBuffer::union(own.as_ref(), side.above.as_ref());
        if let Test::Null = test {
            return Ok(Truth::known(match &valid {
                Some(valid) => !valid.inner(),
                None => BooleanBuffer::new_unset(rows),
            }));
        }
        if rows == 0 {
            return Ok(Truth::of_all(0, None));
        }
        // A pattern applies to the text, but to no null.
        let (field, array, above) = match (&side.text, test) {
            (Some((field, array)), Test::Matches(_)) => (field, array, valid.as_ref()),
            _ => (&side.field, &side.array, side.above.as_ref()),
        };
        let bound = BoundTest::bind(field, path, test, side.from);
        lock(&found.date_forms).extend(readings::of_dates(&side, test, bound.is_ok())?);
        let mut truth = if let Ok(bound) = bound {
            let (truth, fits) = bound.scan(field, array, above)?;
            match fits {
                Some(true) => found.set_fits(),
                Some(false) => found.add_misfits(&side, false),
                None => {}
            }
            truth
        } else {
            // The column may have another type in another frame.
            let (truth, fits_as_text) = misfit_truth(&side, test, valid.as_ref())?;
            found.add_misfits(&side, fits_as_text);
            truth
        };
        match test {
            Test::Values { or_null: true, .. } => truth.no = BooleanBuffer::new_unset(rows),
            Test::Values { op, values, .. } if *op != Op::Equal => {
                let unknown = !&(&truth.yes | &truth.no);
                let unknown = valid.map_or(unknown.clone(), |valid| &unknown & valid.inner());
                if unknown.count_set_bits() > 0 {
                    lock(&found.incomparable).add(&values[0], field, array, &unknown)?;
                }
            }
            _ => {}
        }
        Ok(truth)
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

    /// The right side of a comparison: a column of the batch; or if there is none of that name and the name
    /// is in quotes, the name as text.
    fn other<'a>(
        &self,
        op: Op,
        operand: &'a Operand,
        batch: &RecordBatch,
    ) -> Result<RightSide<'a>> {
        if let Some(side) = self.side(&operand.path, batch)? {
            return Ok(RightSide::Column(Box::new(side)));
        }
        if !operand.quoted {
            return Ok(RightSide::Nothing);
        }
        self.meet(&operand.path);
        Ok(RightSide::Text(text_test(op, operand)))
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
        self.ensure_one_meaning()
            .map_err(|error| error.of_option("--where"))?;
        self.ensure_all_fit()
            .map_err(|error| error.of_option("--where"))
    }

    /// Checks that each comparison suits the type of its column in all rows.
    fn ensure_all_fit(&self) -> Result<()> {
        self.comparisons()
            .into_iter()
            .try_for_each(|Comparison { path, test, place }| {
                let found = &self.found[*place];
                if found.fits() {
                    return Ok(());
                }
                if let Some(error) = lock(&found.unlike_columns).take() {
                    return Err(error);
                }
                let misfits = lock(&found.misfits);
                match test {
                    Test::Column(op, operand) => misfits.conclude(path, &text_test(*op, operand)),
                    test => misfits.conclude(path, test),
                }
            })
    }

    fn comparisons(&self) -> Vec<&Comparison> {
        let mut comparisons = Vec::new();
        self.expression
            .each_comparison(&mut |comparison| comparisons.push(comparison));
        comparisons
    }

    /// Notes about values that comparisons for order left unknown, once per column.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = BTreeMap::new();
        self.expression.each_comparison(&mut |comparison| {
            let name = comparison.path.to_string();
            let found = lock(&self.found[comparison.place].incomparable);
            if let Some(note) = found.note(&name) {
                notes.entry(name).or_insert(note);
            }
        });
        notes.into_values().collect()
    }

    fn ensure_one_meaning(&self) -> Result<()> {
        for name in &self.names {
            readings::ensure_one_column(&name.path, &lock(&name.column_steps))?;
        }
        self.comparisons().into_iter().try_for_each(|it| {
            readings::ensure_one_form(&it.path, &lock(&self.found[it.place].date_forms))
        })
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

/// The truth of a test that does not suit the type of the column, and whether it suits any value that is read as text.
/// Cells of CSV and strings of JSON compare as text, which they are in frames with other cells or strings. Other values are
/// unequal to values of another kind; whether they are greater is unknown.
fn misfit_truth(side: &Side<'_>, test: &Test, valid: Option<&NullBuffer>) -> Result<(Truth, bool)> {
    let scan = |field: &Field, array: &ArrayRef, test: &Test| {
        let bound = BoundTest::bind(field, side.path, test, side.from).ok();
        let scan = bound.map(|bound| bound.scan(field, array, side.above.as_ref()));
        scan.transpose()
    };
    let found = if let Some((field, texts)) = &side.text {
        scan(field, texts, test)?
    } else if side.is_written_as_text() {
        let (field, texts) = spelled(&side.array, &side.field)?;
        scan(&field, &texts, test)?
    } else if let Some(rest) = fitting(test, side) {
        let found = scan(&side.field, &side.array, &rest)?;
        found.map(|(truth, _)| (truth, None))
    } else {
        None
    };
    let (truth, fits) = found.unwrap_or_else(|| (unlike(test, side.array.len()), None));
    let truth = match valid {
        Some(valid) => Truth {
            yes: &truth.yes & valid.inner(),
            no: &truth.no & valid.inner(),
        },
        None => truth,
    };
    Ok((truth, fits == Some(true)))
}

/// The truth for rows with values of another kind than the test is for.
fn unlike(test: &Test, rows: usize) -> Truth {
    let is_false = match test {
        Test::Values { op, or_null, .. } => *op == Op::Equal && !or_null,
        Test::Matches(_) | Test::Null => true,
        Test::True | Test::Column(..) => false,
    };
    Truth::of_all(rows, is_false.then_some(false))
}

/// A test for equality with only the literals that can be compared with the column; `None` for other tests, or if there
/// are none.
fn fitting(test: &Test, side: &Side<'_>) -> Option<Test> {
    let of = |values: Vec<Literal>| Test::Values {
        op: Op::Equal,
        values,
        or_null: false,
    };
    match test {
        Test::Values {
            op: Op::Equal,
            values,
            ..
        } => {
            let fits = |value: &&Literal| {
                let test = of(vec![(*value).clone()]);
                BoundTest::bind(&side.field, side.path, &test, side.from).is_ok()
            };
            let values: Vec<_> = values.iter().filter(fits).cloned().collect();
            (!values.is_empty()).then(|| of(values))
        }
        _ => None,
    }
}

/// The test for a name in double quotes that is no column.
fn text_test(op: Op, operand: &Operand) -> Test {
    let literal = Literal {
        text: operand.path.to_string(),
        kind: LiteralKind::Text,
    };
    Test::Values {
        op,
        values: vec![literal],
        or_null: false,
    }
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
        });
    };
    expression.each_comparison(&mut |Comparison { path, test, .. }| {
        add(path, false);
        if let Test::Column(_, operand) = test {
            add(&operand.path, true);
        }
    });
}
