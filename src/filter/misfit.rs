//! Decides after the last frame whether a comparison suits a column whose type differs from frame to frame.
//!
//! `2024-01-02` is a date in a frame of dates, and text in a frame that has other cells, too. Whether the comparison
//! `a = 'x'` is an error must not depend on how many rows a frame has. So the frames whose types it does not suit are
//! joined to the type that a single frame of their rows would have.

use arrow_array::Array as _;

use super::bind::{BoundTest, is_text};
use super::expression::Test;
use super::sides::{Side, ensure_comparable, incomparable};
use crate::columns::cast::Provenance;
use crate::columns::cast::join::Joined;
use crate::error::Result;
use crate::schema::path::Path;

/// The rows of frames whose types do not suit a comparison.
#[derive(Debug, Default)]
pub struct Misfits {
    /// Text and typed sources may be mixed in one stream. Each is read by its own rules.
    sources: Vec<Misfit>,
}

#[derive(Debug)]
struct Misfit {
    from: Provenance,
    /// The values of all rows.
    joined: Joined,
    /// Some value suits the test if it is compared as text.
    fits_as_text: bool,
}

impl Misfits {
    /// Adds the values of a frame. `fits_as_text` is true if some of them suit the test as text.
    pub fn add(&mut self, side: &Side<'_>, fits_as_text: bool) {
        let from = side.from;
        let (field, array) = match &side.text {
            Some((field, array)) if side.is_written_as_text() => (field, array),
            _ => (&side.stored.0, &side.stored.1),
        };
        if array.logical_null_count() == array.len() {
            return;
        }
        let field = field.clone().with_name("");
        let joined = Joined::of_column(&field, array, from);
        match self.sources.iter_mut().find(|known| known.from == from) {
            Some(known) => {
                known.joined.join(joined);
                known.fits_as_text |= fits_as_text;
            }
            None => self.sources.push(Misfit {
                from,
                joined,
                fits_as_text,
            }),
        }
    }

    /// Checks that the test suits the type of all rows; `path` is the column's name in the condition.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`].
    pub fn conclude(&self, path: &Path, test: &Test) -> Result<()> {
        any_ok(self.sources.iter().map(|it| it.conclude(path, test)))
    }
}

impl Misfit {
    fn conclude(&self, path: &Path, test: &Test) -> Result<()> {
        let Some(field) = self.joined.clone().type_by_value() else {
            return Ok(());
        };
        let bound = BoundTest::bind(&field, path, test, self.from)?;
        if bound.reads_text() && !self.fits_as_text {
            return Err(bound.unread(path));
        }
        Ok(())
    }
}

/// The rows of frames in which no values of two columns were of one kind.
#[derive(Debug, Default)]
pub struct UnlikePairs {
    left: Misfits,
    right: Misfits,
    /// Some row had two values.
    has_pairs: bool,
}

impl UnlikePairs {
    /// Adds the values of a frame, which may lack a column. `has_pairs` is true if a row has two values.
    pub fn add(&mut self, left: Option<&Side<'_>>, right: Option<&Side<'_>>, has_pairs: bool) {
        for (known, side) in [(&mut self.left, left), (&mut self.right, right)] {
            if let Some(side) = side {
                known.add(side, false);
            }
        }
        self.has_pairs |= has_pairs;
    }

    /// Checks that the types of all rows can be compared; `paths` are the columns' names in the condition.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`].
    pub fn conclude(&self, paths: [&Path; 2]) -> Result<()> {
        let pairs = self.left.sources.iter().flat_map(|left| {
            let rights = self.right.sources.iter();
            rights.map(move |right| [left, right])
        });
        any_ok(pairs.map(|sources| {
            let fields = sources.map(|it| it.joined.clone().type_by_value());
            let [Some(left), Some(right)] = fields else {
                return Ok(());
            };
            let sides = [(paths[0], &left), (paths[1], &right)];
            ensure_comparable(sides)?;
            // All cells compare as text.
            let are_texts = sources.iter().all(|it| it.from == Provenance::Csv)
                && sides.iter().all(|(_, field)| is_text(field));
            if self.has_pairs && !are_texts {
                return Err(incomparable(sides));
            }
            Ok(())
        }))
    }
}

/// The first error, unless some result is `Ok`.
fn any_ok(mut results: impl Iterator<Item = Result<()>>) -> Result<()> {
    let first = results.next().unwrap_or(Ok(()));
    results.fold(first, Result::or)
}
