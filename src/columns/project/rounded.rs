//! Whether all blocks of a column have digits as C's `printf` rounds them.
//!
//! Few columns have, and while a block is read the shortest digits are all that is looked for. So a
//! block that they print back is held against the other forms here, once some block needs those.

use crate::columns::column::{Column, NumberForm, Values};
use crate::text::print::{FloatFormat, FloatFormats};

/// The form that rounds to a number of digits and prints back every cell; `form` is what the blocks of
/// [`Values::Numbers`] have in common.
pub(super) fn rounded_form(typed: &[(&Column, &Values)], form: NumberForm) -> Option<FloatFormat> {
    let mut forms = form.rounded_forms();
    // Blocks that only such a form prints back leave the fewest.
    for (_, values) in typed {
        match values {
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
    for (block, values) in typed {
        let value_of: &dyn Fn(usize) -> f64 = match values {
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
            values.print(row, &mut cell);
            forms = forms.filter(value, &cell, &mut printed);
        }
    }
    forms.first()
}
