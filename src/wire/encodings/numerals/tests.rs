use super::*;
use crate::error::Kind as ErrorKind;
use crate::wire::choose::Cascade;
use crate::wire::encodings::Encoding;
use crate::wire::encodings::constant::Constant;
use crate::wire::encodings::strings::tests::{CASCADES, cascade, decoded, read, strings, written};

/// A walk of points, as rows of 3 to 12 of them.
fn lines_of_points() -> ByteStrings {
    let hasher = foldhash::fast::FixedState::default();
    let mut steps =
        (0..).map(|n| (std::hash::BuildHasher::hash_one(&hasher, n) >> 54) as i64 - 512);
    let (mut x, mut y) = (7_948_808, 54_953_139);
    let mut point = || {
        (x, y) = (x + steps.next().unwrap(), y + steps.next().unwrap());
        format!(
            "{:.6} {:.6}",
            f64::from(x as i32) / 1e6,
            f64::from(y as i32) / 1e6
        )
    };
    let rows: Vec<String> = (0..400)
        .map(|row| {
            let points: Vec<_> = (0..3 + row % 10).map(|_| point()).collect();
            format!("LINESTRING ({})", points.join(", "))
        })
        .collect();
    strings(&rows)
}

#[test]
fn numbers_in_text_take_the_bits_of_their_differences() {
    let rows = lines_of_points();
    let numbers = 400 * 15;
    for (preset, codec) in &CASCADES[2..] {
        let cascade = Cascade::new(*preset, *codec);
        let node = cascade.strings(&rows, None);
        let Encoding::Numerals(numerals) = &node.encoding else {
            panic!("{}", node.name());
        };
        let counts: Vec<_> = numerals.series.iter().map(|series| series.count).collect();
        assert_eq!(counts, [numbers / 2; 2]);
        // Differences have 11 bits, and the skeletons and what readers must know little.
        let least = (numbers * 11 / 8) as u64;
        assert!(cascade.cost(&node) < least + least / 8, "{}", node.name());
    }
}

#[test]
fn numerals_and_their_places_must_agree() {
    let rows = lines_of_points();
    let good = encode(&rows, 2, cascade(), None).unwrap();
    assert_eq!(decoded(&good).unwrap(), rows);
    let Encoding::Numerals(numerals) = &good.encoding else {
        panic!("{}", good.name());
    };
    let [first, second] = [numerals.series[0], numerals.series[1]];
    let fewer = Series {
        count: second.count - 1,
        ..second
    };
    for series in [
        vec![],
        vec![first],
        vec![first, fewer],
        vec![first, second, second],
    ] {
        let mut node = good.clone();
        let counts: Vec<_> = series.iter().map(|series| series.count).collect();
        node.encoding = Numerals { series }.into();
        node.children.truncate(1);
        let zeros = counts
            .iter()
            .map(|count| Node::leaf(Constant { value: 0 }, *count));
        node.children.extend(zeros);
        assert_eq!(
            decoded(&node).unwrap_err().kind(),
            ErrorKind::Corrupt,
            "{counts:?}"
        );
    }
    let endless = Series {
        count: 1 << 31,
        ..first
    };
    let node = Node::leaf(
        Numerals {
            series: vec![endless],
        },
        1,
    );
    assert_eq!(
        read(&written(&node), 1).unwrap_err().kind(),
        ErrorKind::Corrupt
    );
    for code in [19, 31, 32 + 19, 64, 255] {
        assert_eq!(
            NumeralForm::of_code(code).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
    }
}
