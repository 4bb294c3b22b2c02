//! Detects columns whose digits are rounded as by C's `printf`.
//!
//! Few columns are, so readers of blocks only check for the shortest digits. If one block needs a rounding form, that
//! form is tried here on the blocks read with the shortest digits.

use crate::columns::column::{Column, NumberForm, Values};
use crate::text::print::{FloatFormat, FloatFormats};

/// The rounding form that prints every cell exactly; `form` is the joint form of the blocks of [`Values::Numbers`].
pub(super) fn rounded_form(typed: &[&Column], form: NumberForm) -> Option<FloatFormat> {
    let mut forms = form.rounded_forms();
    // Start with blocks that need such a form: they leave the fewest candidates.
    for block in typed {
        match &block.values {
            Values::Floats(floats)
                if floats.forms.and(FloatFormats::ROUNDED) != FloatFormats::NONE =>
            {
                forms = forms.and(floats.forms);
            }
            Values::Wide(_) => return None,
            _ => {}
        }
    }
    let mut cell = Vec::with_capacity(32);
    let mut printed = Vec::with_capacity(32);
    for block in typed {
        let value_of: &dyn Fn(usize) -> f64 = match &block.values {
            Values::Numbers(numbers) => &|row| numbers.decimal(row).to_f64(),
            Values::Floats(floats)
                if floats.forms.and(FloatFormats::ROUNDED) == FloatFormats::NONE =>
            {
                &|row| floats.values[row]
            }
            _ => continue,
        };
        for row in (0..block.rows).filter(|&row| block.is_valid(row)) {
            if forms == FloatFormats::NONE {
                return None;
            }
            let value = value_of(row);
            if value.is_nan() {
                return None;
            }
            cell.clear();
            block.values.print(row, &mut cell);
            forms = forms.filter(value, &cell, &mut printed);
        }
    }
    forms.first()
}
