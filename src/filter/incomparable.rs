//! Counts the values that a condition cannot compare, such as `1,234.50` with a number.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, BooleanArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::Field;
use arrow_select::filter::filter;

use super::expression::Literal;
use crate::columns::print::TypedCells;
use crate::error::{Error, Result};
use crate::schema::keys::is_variant;
use crate::units::counted;

/// The values of one column that could not be compared with one literal, in the frames so far.
#[derive(Debug, Default)]
pub struct Incomparable {
    count: u64,
    /// The literal.
    other: String,
    /// The example to show: the first one that contains a digit if there is one, since that may be meant as a number.
    /// First means in the order of text, so that it does not depend on which thread was first.
    example: Option<(bool, String)>,
}

impl Incomparable {
    /// Adds the values whose bits are set in `rows`, which a test for order left unknown. Nested values are not counted.
    ///
    /// # Errors
    /// If the values do not fit in memory.
    pub fn add(
        &mut self,
        literal: &Literal,
        field: &Field,
        array: &ArrayRef,
        rows: &BooleanBuffer,
    ) -> Result<()> {
        if let (true, Some(variant)) = (is_variant(field), array.as_struct_opt()) {
            // Each row has a value in one child.
            let mut children = variant.fields().iter().zip(variant.columns());
            return children.try_for_each(|(field, child)| {
                let nulls = child.logical_nulls();
                let values = nulls.map(|nulls| rows & nulls.inner());
                self.add(literal, field, child, values.as_ref().unwrap_or(rows))
            });
        }
        let found = filter(array, &BooleanArray::new(rows.clone(), None))
            .map_err(|error| Error::limit(format!("cannot hold the values: {error}")))?;
        let Some(cells) = TypedCells::new(&found, field) else {
            return Ok(());
        };
        let mut text = Vec::new();
        let examples = (0..found.len()).map(|row| {
            text.clear();
            cells.print(row, &mut text);
            let has_digit = text.iter().any(u8::is_ascii_digit);
            (!has_digit, String::from_utf8_lossy(&text).into_owned())
        });
        self.count += found.len() as u64;
        self.other.clone_from(&literal.text);
        self.example = self.example.take().into_iter().chain(examples).min();
        Ok(())
    }

    /// A note about these values, if there are any, of the column called `name`.
    pub fn note(&self, name: &str) -> Option<String> {
        let (_, example) = self.example.as_ref()?;
        let (values, other) = (counted(self.count, "value"), &self.other);
        Some(format!(
            "{values} of column {name:?} cannot be compared with {other}, such as {example:?}; like nulls, they are neither \
             less nor greater"
        ))
    }
}
