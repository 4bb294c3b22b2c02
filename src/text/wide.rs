//! Decimal numbers with more digits than fit in an i64.

use super::number::{Decimal, scan_i128};

/// The number of digits that fit in an Arrow `Decimal128`.
pub const MAX_DIGITS: usize = 38;

/// A decimal of up to [`MAX_DIGITS`] digits.
pub type WideDecimal = Decimal<i128>;

/// Numbers, at least one of them too long for [`Decimal`].
#[derive(Clone, Debug, Default)]
pub struct WideNumbers {
    /// All digits of each row as an integer.
    pub mantissas: Vec<i128>,
    /// Number of digits after the point of each row.
    pub scales: Vec<u8>,
}

/// Like [`super::number::scan`], with up to 38 digits.
pub fn scan_wide(cell: &[u8]) -> Option<WideDecimal> {
    let (is_negative, value, scale) = scan_i128(cell, MAX_DIGITS)?;
    Some(WideDecimal {
        mantissa: if is_negative { -value } else { value },
        scale,
    })
}

impl From<Decimal> for WideDecimal {
    fn from(narrow: Decimal) -> Self {
        Self {
            mantissa: narrow.mantissa.into(),
            scale: narrow.scale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_that_would_not_print_back_is_rejected() {
        for text in [
            "", "-", "007", "-0", "-0.00", ".5", "5.", "1e5", "1.2.3", "+1", "1-",
        ] {
            assert_eq!(scan_wide(text.as_bytes()), None, "{text}");
        }
        assert_eq!(scan_wide(&[b'9'; 39]), None);
    }

    proptest! {
        #[test]
        fn parsed_numbers_print_back(text in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,20})?") {
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            let Some(decimal) = scan_wide(text.as_bytes()) else {
                let zero = !text.bytes().any(|byte| byte.is_ascii_digit() && byte != b'0');
                prop_assert!(digits > MAX_DIGITS || (zero && text.starts_with('-')));
                return Ok(());
            };
            let mut out = Vec::new();
            decimal.print(&mut out);
            prop_assert_eq!(out, text.as_bytes());
            let mantissa: i128 = text.replace('.', "").parse().unwrap();
            prop_assert_eq!(decimal.mantissa, mantissa);
        }
    }
}
