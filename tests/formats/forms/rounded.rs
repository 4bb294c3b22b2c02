//! Floats of a fixed number of digits, compared with long division and with Python.

use crate::rule::Infer;
use mbt::text::print::{FloatFormat, FloatFormats};
use proptest::prelude::*;
use proptest::sample::select;

use super::read::read;

/// All decimal digits of a finite double above zero, and how many of them are before the point.
fn exact(value: f64) -> (Vec<u32>, i32) {
    let bits = value.to_bits();
    let (field, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    let (mantissa, exponent) = if field == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, field - 1075)
    };
    let mut digits: Vec<u32> = mantissa
        .to_string()
        .bytes()
        .map(|byte| u32::from(byte - b'0'))
        .collect();
    let mut point = digits.len() as i32;
    // At most 20 bits at a time, so that everything fits in a u32.
    let steps = |bits: i32| (0..bits).step_by(20).map(move |done| (bits - done).min(20));
    for step in steps(exponent.max(0)) {
        let mut carry = 0;
        for digit in digits.iter_mut().rev() {
            carry += *digit << step;
            *digit = carry % 10;
            carry /= 10;
        }
        while carry > 0 {
            digits.insert(0, carry % 10);
            carry /= 10;
            point += 1;
        }
    }
    for step in steps((-exponent).max(0)) {
        let mut rest = 0;
        for digit in &mut digits {
            rest = 10 * rest + *digit;
            *digit = rest >> step;
            rest %= 1 << step;
        }
        while rest > 0 {
            rest *= 10;
            digits.push(rest >> step);
            rest %= 1 << step;
        }
    }
    let zeros = digits.iter().take_while(|&&digit| digit == 0).count();
    digits.drain(..zeros);
    (digits, point - zeros as i32)
}

/// C's `%.*g`.
pub fn printf(value: f64, count: usize) -> String {
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value == 0.0 {
        return format!("{sign}0");
    }
    let (mut digits, mut point) = exact(value.abs());
    if digits.len() > count {
        let rest = digits.split_off(count);
        let above_half = rest[0] > 5 || (rest[0] == 5 && rest[1..].iter().any(|&digit| digit > 0));
        let half = rest[0] == 5 && !above_half;
        if above_half || (half && digits[count - 1] % 2 == 1) {
            let mut at = count;
            while at > 0 && digits[at - 1] == 9 {
                at -= 1;
                digits[at] = 0;
            }
            if at == 0 {
                digits.insert(0, 1);
                point += 1;
            } else {
                digits[at - 1] += 1;
            }
        }
    }
    while digits.last() == Some(&0) {
        digits.pop();
    }
    let digits: String = digits.iter().map(u32::to_string).collect();
    let power = point - 1;
    if power < -4 || power >= count as i32 {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let minus = if power < 0 { '-' } else { '+' };
        return format!("{sign}{first}{dot}{rest}e{minus}{:02}", power.abs());
    }
    if point <= 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(-point as usize));
    }
    let whole = point as usize;
    if digits.len() <= whole {
        return format!("{sign}{digits:0<whole$}");
    }
    format!("{sign}{}.{}", &digits[..whole], &digits[whole..])
}

fn jsoncpp(value: f64) -> String {
    let text = printf(value, 17);
    if text.contains(['.', 'e']) {
        text
    } else {
        text + ".0"
    }
}

fn spell(name: &str, value: f64) -> String {
    let mut out = Vec::new();
    FloatFormat::parse(name).unwrap().print(value, &mut out);
    String::from_utf8(out).unwrap()
}

const FORMS: [(&str, usize); 4] = [("%g", 6), ("%.15g", 15), ("%.16g", 16), ("%.17g", 17)];

/// Doubles of all sizes: most are near 1, many have few digits, and some have a tie after the 17th digit.
fn value() -> BoxedStrategy<f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |value| value.is_finite()),
        (-1_000_000_000i64..1_000_000_000, -12..12i32).prop_map(|(m, e)| m as f64 * 10f64.powi(e)),
        (-180.0..180.0).prop_map(|value: f64| value),
        (1u64 << 52..1 << 53, -70..20i32).prop_map(|(m, e)| m as f64 * 2f64.powi(e)),
        (any::<u32>(), 1..30i32).prop_map(|(m, e)| f64::from(m) / 2f64.powi(e)),
        (-400..400i32, -2..3i64).prop_map(|(e, ulps)| {
            let near = 10f64.powi(e.clamp(-300, 300));
            f64::from_bits(near.to_bits().wrapping_add_signed(ulps))
        }),
        select(vec![
            0.0,
            -0.0,
            5e-324,
            f64::MAX,
            f64::MIN_POSITIVE,
            1e22,
            1e23
        ]),
    ]
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn digits_are_those_of_the_exact_value(value in value()) {
        for (name, count) in FORMS {
            prop_assert_eq!(spell(name, value), printf(value, count), "{} of {:?}", name, value);
        }
        prop_assert_eq!(spell("jsoncpp", value), jsoncpp(value));
        let text = printf(value, 17);
        prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn columns_of_17_digits_are_floats_however_they_are_cut(
        values in prop::collection::vec(prop_oneof![Just(0.1), value()], 1..30),
        point_zero: bool,
        json: bool,
        spoiler in prop::option::weighted(0.2, select(vec!["0.1", "1.50", "x1", "1E5", "12345678901234567890123"])),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let print = |value: &f64| if point_zero { jsoncpp(*value) } else { printf(*value, 17) };
        let mut cells: Vec<_> = values.iter().map(print).collect();
        let has_17 = cells.iter().any(|cell| cell == "0.10000000000000001");
        cells.extend(spoiler.map(str::to_owned));
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(cells.len())).collect();
        cuts.sort_unstable();
        let found = read(&cells, &cuts, Infer::Exact, json);
        prop_assert_eq!(found.csv(), &cells[..], "{}", found.kind());
        if spoiler.is_some() && has_17 {
            prop_assert!(!found.kind().starts_with("Float64"), "{}", found.kind());
        }
        let whole = read(&cells, &[], Infer::Exact, json);
        if spoiler.is_none() && has_17 && whole.kind().starts_with("Float64") {
            prop_assert_eq!(found.kind(), whole.kind());
        }
        if spoiler.is_none() && has_17 && !whole.kind().starts_with("Decimal") {
            prop_assert!(whole.kind().starts_with("Float64"), "{} {:?}", whole.kind(), cells);
        }
    }
}

/// Each line is the output of Python 3 for `repr(x), '%.17g' % x, '%.16g' % x, '%.15g' % x, '%g' % x`.
#[test]
fn digits_are_those_that_python_prints() {
    for line in PYTHON.lines() {
        let mut texts = line.split(' ');
        let value: f64 = texts.next().unwrap().parse().unwrap();
        for (name, _) in FORMS.iter().rev() {
            assert_eq!(spell(name, value), texts.next().unwrap(), "{line}");
        }
    }
}

const PYTHON: &str = "\
1234567890.0039062 1234567890.0039062 1234567890.003906 1234567890.00391 1.23457e+09
1234567890.0117188 1234567890.0117188 1234567890.011719 1234567890.01172 1.23457e+09
0.1 0.10000000000000001 0.1 0.1 0.1
1e-05 1.0000000000000001e-05 1e-05 1e-05 1e-05
0.0001 0.0001 0.0001 0.0001 0.0001
1e+16 10000000000000000 1e+16 1e+16 1e+16
1e+17 1e+17 1e+17 1e+17 1e+17
1.2345678901234568e+17 1.2345678901234568e+17 1.234567890123457e+17 1.23456789012346e+17 1.23457e+17
5e-324 4.9406564584124654e-324 4.940656458412465e-324 4.94065645841247e-324 4.94066e-324
1.7976931348623157e+308 1.7976931348623157e+308 1.797693134862316e+308 1.79769313486232e+308 1.79769e+308
9.95 9.9499999999999993 9.949999999999999 9.95 9.95
0.00048828125 0.00048828125 0.00048828125 0.00048828125 0.000488281
4503599627370498.0 4503599627370498 4503599627370498 4.5035996273705e+15 4.5036e+15
9007199254740992.0 9007199254740992 9007199254740992 9.00719925474099e+15 9.0072e+15
1e+22 1e+22 1e+22 1e+22 1e+22
1e+23 9.9999999999999992e+22 9.999999999999999e+22 1e+23 1e+23
0.3 0.29999999999999999 0.3 0.3 0.3
0.9999999999999999 0.99999999999999989 0.9999999999999999 1 1
9.999999999999998 9.9999999999999982 9.999999999999998 10 10
1000000000000000.0 1000000000000000 1000000000000000 1e+15 1e+15
1000000.0 1000000 1000000 1000000 1e+06
999999.5 999999.5 999999.5 999999.5 1e+06
99999.95 99999.949999999997 99999.95 99999.95 99999.9
1234565.0 1234565 1234565 1234565 1.23456e+06
0.0001234565 0.00012345650000000001 0.0001234565 0.0001234565 0.000123457
-65.61361699999998 -65.613616999999977 -65.61361699999998 -65.613617 -65.6136
-0.0 -0 -0 -0 -0
2.5e-11 2.5000000000000001e-11 2.5e-11 2.5e-11 2.5e-11
7e-12 7.0000000000000001e-12 7e-12 7e-12 7e-12";

#[test]
fn columns_get_the_form_that_prints_back_every_cell() {
    for (text, kind) in [
        (
            "-65.613616999999977 43.420273000000009",
            "Decimal64(18, 15)",
        ),
        ("-65.613616999999977 43.5 7", "Float64 form=%.17g"),
        ("43.4 -65.613616999999977", "Utf8"),
        ("43.5 7 -65.613616999999977", "Float64 form=%.17g"),
        ("0.5 1.0 -0.89270740747499999", "Float64 form=jsoncpp"),
        ("0.5 1 2.0 -0.89270740747499999", "Utf8"),
        ("0.0020749139529000001 0.5", "Float64 form=%.17g"),
        ("1e+20 0.10000000000000001", "Float64 form=%.17g"),
        ("1e-05 0.10000000000000001", "Utf8"),
        ("1e+06 20 0.5", "Float64 form=%g"),
        ("1e+15 1234567 0.1", "Float64 form=%.15g"),
        (
            "9.949999999999999 20 1e+16 123456789012345",
            "Float64 form=%.16g",
        ),
        ("0.10000000000000001 20 -inf", "Float64 form=%.17g"),
        ("0.10000000000000001 20 nan", "Float64 form=%.17g null=nan"),
        ("0.10000000000000001 NA 20", "Float64 form=%.17g null=NA"),
        ("0.10000000000000001 1234567890123456789012345", "Utf8"),
        ("0.1 0.10000000000000001", "Utf8"),
    ] {
        let cells: Vec<_> = text.split(' ').map(str::to_owned).collect();
        for cut in 0..=cells.len() {
            let found = read(&cells, &[cut], Infer::Exact, false);
            assert_eq!(found.kind(), kind, "{text} cut at {cut}");
            assert_eq!(found.csv(), cells, "{text} cut at {cut}");
        }
    }
}

#[test]
fn sets_of_forms_intersect() {
    let fits =
        |cell: &str| FloatFormats::ROUNDED.that_print(cell.parse().unwrap(), cell.as_bytes());
    assert_eq!(fits("0.5"), FloatFormats::ROUNDED);
    assert_eq!(
        fits("0.1").and(fits("0.10000000000000001")),
        FloatFormats::NONE
    );
    let both = fits("7").and(fits("0.10000000000000001"));
    assert_eq!(both.first(), FloatFormat::parse("%.17g"));
}
