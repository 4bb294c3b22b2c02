//! A comparison applied to the frames of a stream, and what is known about it after the last one.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use arrow_array::ArrayRef;
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::Field;

use super::bind::BoundTest;
use super::expression::{Literal, LiteralKind, Op, Operand, Test, Truth};
use super::incomparable::Incomparable;
use super::misfit::{Misfits, UnlikePairs};
use super::readings;
use super::sides::{self, Side};
use crate::error::Result;
use crate::schema::path::Path;
use crate::sync::lock;

/// The outcome of a comparison in the frames so far, on any thread.
#[derive(Debug, Default)]
pub struct ComparisonOutcome {
    /// In some frame, the comparison suited the column's type.
    fits: AtomicBool,
    /// The values of the frames where it did not.
    misfits: Mutex<Misfits>,
    /// In some frame, a name in double quotes was text.
    was_text: AtomicBool,
    /// In some frame, the right side was a column.
    was_column: AtomicBool,
    /// The values of two columns in frames where none can be compared.
    unlike_pairs: Mutex<UnlikePairs>,
    /// How frames read dates and times.
    date_forms: Mutex<BTreeSet<String>>,
    /// How frames read dates and times of two columns.
    pair_forms: Mutex<BTreeSet<[String; 2]>>,
    /// The values that are neither less nor greater.
    incomparable: Mutex<Incomparable>,
}

impl ComparisonOutcome {
    /// True if the comparison suited the column's type in some frame.
    pub fn fits(&self) -> bool {
        self.fits.load(Relaxed)
    }

    /// Records a frame that it suits.
    pub fn set_fits(&self) {
        self.fits.store(true, Relaxed);
    }

    /// Compares two columns in a frame of `rows`. If it lacks one, all its values are null.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if values of the type have no order.
    pub fn compare_columns(
        &self,
        rows: usize,
        left: Option<&Side<'_>>,
        op: Op,
        right: Option<&Side<'_>>,
    ) -> Result<Truth> {
        let (truth, fits) = match (left, right) {
            (Some(left), Some(right)) => {
                lock(&self.pair_forms).extend(readings::of_pair(left, right)?);
                sides::compare(left, op, right)?
            }
            _ => (Truth::of_all(rows, None), None),
        };
        if right.is_some() {
            self.was_column.store(true, Relaxed);
        }
        if fits == Some(true) {
            self.set_fits();
        }
        self.add_unlike(left, right, fits.is_some());
        Ok(truth)
    }

    /// Compares a column with a name in double quotes that is text in this frame.
    ///
    /// # Errors
    /// As for [`Self::compare_values`].
    pub fn compare_with_name(&self, side: &Side<'_>, op: Op, name: &Operand) -> Result<Truth> {
        self.was_text.store(true, Relaxed);
        let truth = self.compare_values(side, &text_test(op, name))?;
        self.add_unlike(Some(side), None, false);
        Ok(truth)
    }

    /// Records the values of two columns, unless some were of one kind. `has_pairs` is true if a row has two values.
    fn add_unlike(&self, left: Option<&Side<'_>>, right: Option<&Side<'_>>, has_pairs: bool) {
        if !self.fits() {
            lock(&self.unlike_pairs).add(left, right, has_pairs);
        }
    }

    /// Compares a column with values or a pattern.
    ///
    /// # Errors
    /// If values cannot be printed.
    pub fn compare_values(&self, side: &Side<'_>, test: &Test) -> Result<Truth> {
        let rows = side.array.len();
        let valid = side.nulls();
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
        let bound = BoundTest::bind(field, side.path, test, side.from);
        lock(&self.date_forms).extend(readings::of_dates(side, test, bound.is_ok())?);
        let truth = if let Ok(bound) = bound {
            let (truth, fits) = bound.scan(field, array, above)?;
            match fits {
                Some(true) => self.set_fits(),
                Some(false) => self.add_misfits(side, false),
                None => {}
            }
            truth
        } else {
            // The column may have another type in another frame.
            let (truth, fits_as_text) = misfit_truth(side, test, valid.as_ref())?;
            self.add_misfits(side, fits_as_text);
            truth
        };
        if let Test::Values { op, values } = test
            && *op != Op::Equal
        {
            let unknown = !&(&truth.yes | &truth.no);
            let unknown = valid.map_or(unknown.clone(), |valid| &unknown & valid.inner());
            if unknown.count_set_bits() > 0 {
                lock(&self.incomparable).add(&values[0], field, array, &unknown)?;
            }
        }
        Ok(truth)
    }

    /// Records the values of a side that the test does not suit. `fits_as_text` is true if it suits some of them as text.
    fn add_misfits(&self, side: &Side<'_>, fits_as_text: bool) {
        if !self.fits() {
            lock(&self.misfits).add(side, fits_as_text);
        }
    }

    /// Checks that the comparison means the same in all frames; `path` is the column's name, and `test` what it is
    /// compared with.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`].
    pub fn ensure_one_meaning(&self, path: &Path, test: &Test) -> Result<()> {
        if let Test::Column(op, operand) = test {
            readings::ensure_one_form_each([path, &operand.path], *op, &lock(&self.pair_forms))?;
            if self.was_text.load(Relaxed) && self.was_column.load(Relaxed) {
                return Err(readings::text_or_column(&operand.path));
            }
        }
        readings::ensure_one_form(path, &lock(&self.date_forms))
    }

    /// Checks that the comparison suits the type of all rows.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`].
    pub fn ensure_fits(&self, path: &Path, test: &Test) -> Result<()> {
        if self.fits() {
            return Ok(());
        }
        let misfits = lock(&self.misfits);
        let Test::Column(op, operand) = test else {
            return misfits.conclude(path, test);
        };
        lock(&self.unlike_pairs).conclude([path, &operand.path])?;
        misfits.conclude(path, &text_test(*op, operand))
    }

    /// The note about values of the column `name` that are neither less nor greater.
    pub fn note(&self, name: &str) -> Option<String> {
        lock(&self.incomparable).note(name)
    }
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
    let found = if let Some((field, texts)) = side.as_written()? {
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
pub fn unlike(test: &Test, rows: usize) -> Truth {
    let is_false = match test {
        Test::Values { op, .. } => *op == Op::Equal,
        Test::Matches(_) | Test::Null => true,
        Test::True | Test::Column(..) => false,
    };
    Truth::of_all(rows, is_false.then_some(false))
}

/// A test for equality with only the literals that can be compared with the column; `None` for other tests, or if no
/// literal can.
fn fitting(test: &Test, side: &Side<'_>) -> Option<Test> {
    let of = |values: Vec<Literal>| Test::Values {
        op: Op::Equal,
        values,
    };
    match test {
        Test::Values {
            op: Op::Equal,
            values,
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
    }
}
