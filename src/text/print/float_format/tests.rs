use super::*;
use proptest::prelude::*;

fn spell(name: &str, value: f64) -> String {
    let mut out = Vec::new();
    FloatFormat::parse(name).unwrap().print(value, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn each_form_has_its_own_ideas_of_exponents_and_whole_numbers() {
    let values = [
        2.0, -0.0, 1e-4, 1e-5, 1.5e-7, 1e15, 1e16, 1.25e20, 1e21, 5e-324,
    ];
    for (name, spelled) in [
        (
            "",
            "2.0 -0.0 0.0001 0.00001 1.5e-7 1000000000000000.0 1e+16 1.25e+20 1e+21 5e-324",
        ),
        (
            "javascript",
            "2 -0 0.0001 0.00001 1.5e-7 1000000000000000 10000000000000000 125000000000000000000 1e+21 5e-324",
        ),
        (
            "python",
            "2.0 -0.0 0.0001 1e-05 1.5e-07 1000000000000000.0 1e+16 1.25e+20 1e+21 5e-324",
        ),
        (
            "rust",
            "2.0 -0.0 0.0001 1e-5 1.5e-7 1000000000000000.0 1e16 1.25e20 1e21 5e-324",
        ),
        (
            "ryu",
            "2.0 -0.0 0.0001 0.00001 1.5e-7 1000000000000000.0 1e16 1.25e20 1e21 5e-324",
        ),
        (
            "go",
            "2 -0 0.0001 1e-05 1.5e-07 1000000000000000 10000000000000000 125000000000000000000 1e+21 5e-324",
        ),
    ] {
        assert_eq!(
            values.map(|value| spell(name, value)).join(" "),
            spelled,
            "{name}"
        );
    }
    assert_eq!(spell("python", f64::NEG_INFINITY), "-inf");
    assert_eq!(spell("go", f64::INFINITY), "+Inf");
}

proptest! {
    #[test]
    fn rust_spells_as_rust_does(value: f64, near in -1000i64..1000, power in -25i32..25) {
        for value in [value, near as f64, near as f64 * 10f64.powi(power)] {
            prop_assert_eq!(spell("rust", value), format!("{value:?}"));
            prop_assert_eq!(spell("plain", value), format!("{value}"));
        }
    }

    #[test]
    fn ties_are_rounded_as_rust_rounds_them(digits in 1i64 << 44..1 << 53, halvings in 0i32..30) {
        // Short binary fractions, many of which are halfway between two decimals.
        let value = digits as f64 * 0.5f64.powi(halvings);
        prop_assert_eq!(spell("rust", value), format!("{value:?}"));
        prop_assert_eq!(spell("rust", -value), format!("{:?}", -value));
        let spelled = format!("{value}");
        prop_assert_eq!(spell("plain", value), &spelled[..]);
        let forms = FloatFormats::ALL.that_print(value, spelled.as_bytes());
        let all = forms.and(FloatFormats::SHORTEST) == FloatFormats::SHORTEST;
        prop_assert!(all || !FloatFormats::surely_print(value, spelled.as_bytes()));
        for form in FloatFormat::all() {
            prop_assert_eq!(forms.has(form), spell(form.name(), value) == spelled);
        }
    }

    #[test]
    fn every_spelling_reads_back(value: f64) {
        for form in FloatFormat::all() {
            let text = spell(form.name(), value);
            let read: f64 = text.parse().unwrap();
            // Only columns whose cells have fewer digits can have such a form.
            let rounds = (1..17).contains(&form.style().digits);
            prop_assert!(rounds || read.to_bits() == value.to_bits() || value.is_nan());
            let forms = FloatFormats::ALL.that_print(value, text.as_bytes());
            prop_assert!(forms.has(form));
            let all = forms.and(FloatFormats::SHORTEST) == FloatFormats::SHORTEST;
            prop_assert!(all || !FloatFormats::surely_print(value, text.as_bytes()));
        }
    }
}
