//! Every encoding of wire 2, built by hand: the chooser would not take all of them.

use arrow_schema::DataType;
use mbt::wire::choose::{Cascade, Preset};
use mbt::wire::codec::SectionCodec;
use mbt::wire::encodings::bit_fields::{BitFields, Digits, Part};
use mbt::wire::encodings::decimal::Decimal;
use mbt::wire::encodings::delta::Delta;
use mbt::wire::encodings::hex::Hex;
use mbt::wire::encodings::interleaved::Interleaved;
use mbt::wire::encodings::multiple::Multiple;
use mbt::wire::encodings::near_decimal::NearDecimal;
use mbt::wire::encodings::numerals::{NumeralForm, Numerals, Series};
use mbt::wire::encodings::patched::Patched;
use mbt::wire::encodings::run_length::RunLength;
use mbt::wire::encodings::scientific::Scientific;
use mbt::wire::encodings::sequence::Sequence;
use mbt::wire::encodings::sparse::Sparse;
use mbt::wire::encodings::template::{Template, TemplateField};
use mbt::wire::encodings::{
    ByteStrings, Node, ValueKind, bit_packed, bits, byte_planes, bytes, constant, decimal, delta,
    dictionary, fsst, interleaved, multiple, near_decimal, pco, ppmd, run_length, scientific,
    sequence, sparse,
};

use crate::chance::Random;

/// A run and the type of its column.
pub type Run = (String, DataType, Node);

/// Integers of the full range.
fn packed(values: &[i64]) -> Node {
    let base = values.iter().copied().min().unwrap_or(0);
    let range = values.iter().map(|value| value.wrapping_sub(base) as u64);
    let width = bit_packed::width_of(range.max().unwrap_or(0));
    bit_packed::encode(values, base, width)
}

fn delta_of(values: &[i64], differences: impl Fn(&[i64]) -> Node) -> Node {
    let first = values[0];
    let parts = vec![differences(&delta::differences(values))];
    Node::of_children(Delta { first }, values.len(), parts)
}

/// Columns of multiples, which came after the other encodings of integers.
pub fn multiple() -> Vec<Run> {
    let run = |name: &str, unit, quotients, remainders| {
        let node = Node::of_children(Multiple { unit }, 19, vec![quotients, remainders]);
        (name.to_owned(), DataType::Int64, node)
    };
    let near: Vec<_> = (0..19)
        .map(|row| 10_000 * (row * row - 70) + row % 4 - 1)
        .collect();
    let edges: Vec<_> = (0..19)
        .map(|row| [i64::MAX, i64::MIN, 0, -1][row % 4])
        .collect();
    let split = |name: &str, unit: i64, values: &[i64]| {
        let quotients = packed(&multiple::quotients(values, unit));
        let remainders = packed(&multiple::remainders(values, unit));
        run(name, unit as u64, quotients, remainders)
    };
    let rows = packed(&(0..19).collect::<Vec<_>>());
    let half = constant::encode(&[30; 19]).unwrap();
    vec![
        split("multiple", 10_000, &near),
        split("multiple of an odd unit", 7, &edges),
        split("multiple of a great unit", i64::MAX, &edges),
        run("multiple, one remainder", 60, rows.clone(), half),
        // The product wraps, and so does the sum.
        run("multiple wraps", u64::MAX - 5, packed(&edges), rows),
    ]
}

/// A column for every encoding of integers, and for every kind of width.
pub fn whole() -> Vec<Run> {
    let mut random = Random(1);
    let mut runs: Vec<Run> = Vec::new();
    let mut add = |name: String, node: Node| runs.push((name, DataType::Int64, node));
    for width in [0, 1, 3, 7, 8, 12, 16, 24, 31, 32, 33, 56, 57, 58, 63, 64] {
        let mask = if width == 0 { 0 } else { !0 >> (64 - width) };
        let base = [-5, i64::MIN, i64::MAX][usize::from(width) % 3];
        let values: Vec<_> = (0..19)
            .map(|_| base.wrapping_add((random.next() & mask) as i64))
            .collect();
        add(
            format!("bits {width}"),
            bit_packed::encode(&values, base, width),
        );
        if width % 8 == 0 && width > 0 {
            let node = byte_planes::encode(&values, base, width / 8);
            add(format!("planes {width}"), node);
        }
    }
    let random: Vec<_> = (0..19).map(|_| random.next() as i64 >> 45).collect();
    let squares: Vec<_> = (0..19).map(|row| row * row - 40).collect();
    let edges: Vec<_> = (0..19)
        .map(|row| [i64::MAX, i64::MIN, 0][row % 3])
        .collect();
    let steps: Vec<_> = (0..19).map(|row| i64::from(row > 6) * 9 - 2).collect();
    add("constant".to_owned(), constant::encode(&[-9; 19]).unwrap());
    let climbing: Vec<_> = (0..19_i64)
        .map(|row| i64::MAX - 3 + row.wrapping_mul(-7))
        .collect();
    add("sequence".to_owned(), sequence::encode(&climbing).unwrap());
    let wraps = Sequence {
        base: i64::MAX - 3,
        step: i64::MAX / 2,
    };
    add("sequence wraps".to_owned(), Node::leaf(wraps, 19));
    add("delta".to_owned(), delta_of(&random, packed));
    let second = |differences: &[i64]| delta_of(differences, |d| constant::encode(d).unwrap());
    add("delta of delta".to_owned(), delta_of(&squares, second));
    add("delta wraps".to_owned(), delta_of(&edges, packed));
    let (values, lengths) = run_length::runs(&steps);
    let node = Node::of_children(RunLength, 19, vec![packed(&values), packed(&lengths)]);
    add("run length".to_owned(), node);
    let (entries, codes) = dictionary::distinct(&edges, 9).unwrap();
    add(
        "dictionary".to_owned(),
        dictionary::node(packed(&entries), packed(&codes)),
    );
    let mut seldom = vec![4; 19];
    (seldom[0], seldom[7], seldom[18]) = (-1, i64::MIN, 5);
    let (positions, others) = sparse::exceptions(&seldom, 4);
    let fours = |positions: &[i64], others: &[i64]| {
        let parts = vec![packed(positions), packed(others)];
        Node::of_children(Sparse { value: 4 }, 19, parts)
    };
    let node = fours(&positions, &others);
    add("sparse".to_owned(), node);
    let common = fours(&[], &[]);
    add("sparse of nothing".to_owned(), common);
    add(
        "pco".to_owned(),
        pco::encode(ValueKind::Ints, &random, 8).unwrap(),
    );
    let both: Vec<_> = (0..18)
        .map(|row| squares[row] * (1 - 2 * (row as i64 % 2)))
        .collect();
    let ways = interleaved::ways(&both, 2)
        .iter()
        .map(|way| packed(way))
        .collect();
    // Delta has one value more than its part.
    add(
        "delta of interleaved".to_owned(),
        Node::of_children(
            Delta { first: 1 },
            19,
            vec![Node::of_children(Interleaved { ways: 2 }, 18, ways)],
        ),
    );
    runs
}

/// A column for every encoding of floats.
pub fn floats() -> Vec<Run> {
    let mut random = Random(2);
    let mut runs: Vec<Run> = Vec::new();
    let mut add = |name: &str, node| runs.push((name.to_owned(), DataType::Float64, node));
    let odd = [
        f64::NAN,
        f64::from_bits(0xfff8_dead_beef_0001),
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        5e-324,
        f64::MAX,
        0.1 + 0.2,
    ];
    let odd: Vec<i64> = (0..18).map(|row| bits::of(odd[row % 8])).collect();
    let prices: Vec<i64> = (0..18)
        .map(|row| bits::of(f64::from(row * 37 % 100) / 100.0))
        .collect();
    let mut mixed = prices.clone();
    (mixed[0], mixed[9], mixed[17]) = (odd[1], bits::of(-0.0), bits::of(1.0 / 3.0));
    let near: Vec<i64> = (0..18)
        .map(|row| bits::of(f64::from(row) * 0.1 + 0.2))
        .collect();
    let noise: Vec<i64> = (0..18).map(|_| (random.next() >> 2) as i64).collect();
    let whole = |values: &[i64]| bits::node(bit_packed::encode(values, 0, 64));
    add("whole bits", whole(&odd));
    for (name, values, exponent) in [("decimal", &prices, 2), ("decimal with others", &mixed, 2)] {
        let parts = decimal::split(values, exponent);
        let exceptions = whole(&parts.exceptions);
        let parts = vec![
            packed(&parts.mantissas),
            packed(&parts.positions),
            exceptions,
        ];
        let node = Node::of_children(Decimal { exponent }, 18, parts);
        add(name, node);
    }
    // A second rounding would show in large mantissas and powers.
    let mantissas: Vec<i64> = (0..18).map(|row| (1 << 53) - row * 1_000_003).collect();
    let parts = vec![packed(&mantissas), packed(&[]), whole(&[])];
    let node = Node::of_children(Decimal { exponent: 22 }, 18, parts);
    add("decimal of 22 digits", node);
    add("bits", bits::node(packed(&noise)));
    let (mantissas, steps) = near_decimal::split(&near, 1);
    let parts = vec![packed(&mantissas), packed(&steps)];
    let node = Node::of_children(NearDecimal { exponent: 1 }, 18, parts);
    add("near decimal", node);
    let runs_of: Vec<i64> = (0..18).map(|row| prices[row / 5]).collect();
    let (values, lengths) = run_length::runs(&runs_of);
    let node = Node::of_children(RunLength, 18, vec![whole(&values), packed(&lengths)]);
    add("run length", node);
    let (entries, codes) = dictionary::distinct(&odd, 18).unwrap();
    add(
        "dictionary",
        dictionary::node(whole(&entries), packed(&codes)),
    );
    let ways = interleaved::ways(&noise, 3);
    add(
        "interleaved",
        Node::of_children(
            Interleaved { ways: 3 },
            18,
            ways.iter().map(|way| whole(way)).collect(),
        ),
    );
    add("pco", pco::encode(ValueKind::Floats, &prices, 8).unwrap());
    runs
}

/// Columns of floats with an exponent per value, which came after the other encodings of floats.
pub fn scientific() -> Vec<Run> {
    let measured = [
        6.02e23,
        1.6e-19,
        -3e8,
        0.0,
        9.81,
        1e-310,
        1.8e-308,
        -0.0,
        f64::NAN,
    ];
    let values: Vec<i64> = (0..18).map(|row| bits::of(measured[row % 9])).collect();
    let whole = |values: &[i64]| bits::node(bit_packed::encode(values, 0, 64));
    let run = |digits, parts: &scientific::ScientificParts| {
        let children = vec![
            packed(&parts.mantissas),
            packed(&parts.exponents),
            packed(&parts.positions),
            whole(&parts.exceptions),
        ];
        let node = Node::of_children(Scientific { digits }, 18, children);
        (
            format!("scientific, {digits} digits"),
            DataType::Float64,
            node,
        )
    };
    // Only correct rounding gives these: mantissas beyond 2^53, and powers that no double holds.
    let odd = [i64::MAX, 9_007_199_254_740_993, 123_456_789_012_345];
    let far = scientific::ScientificParts {
        mantissas: (0..18).map(|row| odd[row % 3] - 10 * row as i64).collect(),
        exponents: (0..18).map(|row| 40 * row - 330).collect(),
        ..scientific::ScientificParts::default()
    };
    vec![run(3, &scientific::split(&values, 3)), run(15, &far)]
}

fn strings_of<T: AsRef<[u8]>>(rows: impl IntoIterator<Item = T>) -> ByteStrings {
    let mut strings = ByteStrings::default();
    rows.into_iter().for_each(|row| strings.push(row.as_ref()));
    strings
}

/// A column for every encoding of strings.
pub fn strings() -> Vec<Run> {
    let mut random = Random(3);
    let plain = Cascade::new(Preset::Fast, SectionCodec::None);
    let words = ["", "é", "snow", "snowflake", "a,b\n", "🦀"];
    let odd = strings_of((0..40).map(|row| words[row % 6]));
    let prose = strings_of((0..40).map(|row| {
        format!(
            "the {} of row {row} is the {}",
            words[row % 4],
            words[row % 3]
        )
    }));
    let digests: Vec<_> = (0..40)
        .map(|row| random.next().to_be_bytes()[row % 3..].to_vec())
        .collect();
    let hexed = |upper| {
        Node::of_children(
            Hex { upper },
            40,
            vec![bytes::encode(&strings_of(&digests), plain, None)],
        )
    };
    let template = Node::of_children(
        Template {
            literals: ["id-", "/", ":", ""]
                .map(|text| text.as_bytes().to_vec())
                .to_vec(),
            fields: vec![
                TemplateField::Number { digits: 0 },
                TemplateField::Text,
                TemplateField::Number { digits: 5 },
            ],
        },
        40,
        vec![
            packed(&(0..40).map(|row| row * 99_999_999_937).collect::<Vec<_>>()),
            bytes::encode(&odd, plain, None),
            packed(&(0..40).map(|row| row * 5003).collect::<Vec<_>>()),
        ],
    );
    let literal = Template {
        literals: vec![b"always this".to_vec()],
        fields: Vec::new(),
    };
    let entries = bytes::encode(&strings_of(words), plain, None);
    let codes: Vec<_> = (0..40).map(|_| random.below(6) as i64).collect();
    let values = bytes::encode(&strings_of(&words[..4]), plain, None);
    let runs = Node::of_children(RunLength, 40, vec![values, packed(&[1, 30, 2, 7])]);
    let patched = Node::of_children(
        Patched,
        40,
        vec![
            packed(&[0, 7, 39]),
            bytes::encode(&strings_of(&words[..3]), plain, None),
            Node::of_children(
                Template {
                    literals: vec![b"n".to_vec(), Vec::new()],
                    fields: vec![TemplateField::Number { digits: 3 }],
                },
                37,
                vec![packed(&(0..37).collect::<Vec<_>>())],
            ),
        ],
    );
    let nodes = [
        ("bytes", bytes::encode(&odd, plain, None)),
        ("fsst", fsst::encode(&prose, plain, None).unwrap()),
        ("ppmd", ppmd::encode(&prose, 5).unwrap()),
        ("template", template),
        ("template of no field", Node::leaf(literal, 40)),
        ("hex", hexed(false)),
        ("HEX", hexed(true)),
        ("patched", patched),
        ("dictionary", dictionary::node(entries, packed(&codes))),
        ("run length", runs),
    ];
    let run = |(name, node): (&str, Node)| (name.to_owned(), DataType::Utf8, node);
    nodes.into_iter().map(run).collect()
}

/// Columns of numerals, which came after the other encodings of strings.
pub fn numerals() -> Vec<Run> {
    let plain = Cascade::new(Preset::Fast, SectionCodec::None);
    let run = |name: &str, skeletons: &[&str], forms: &[(u8, &[i64])]| {
        let mut parts = vec![bytes::encode(&strings_of(skeletons), plain, None)];
        parts.extend(forms.iter().map(|(_, numbers)| packed(numbers)));
        let series = forms.iter().map(|(code, numbers)| Series {
            form: NumeralForm::of_code(*code).unwrap(),
            count: numbers.len(),
        });
        let series = series.collect();
        let node = Node::of_children(Numerals { series }, skeletons.len(), parts);
        (name.to_owned(), DataType::Utf8, node)
    };
    let points = ["POINT (\0 \0)", "LINESTRING (\0 \0, \0 \x017)", "", "none"];
    let fixed = [7_948_808, -5, 0];
    let trimmed = [54_953_139, -7_950_000];
    let edges = [i64::MAX, i64::MIN, 0, -1];
    vec![
        run("points", &points, &[(6, &fixed), (38, &trimmed)]),
        run("whole", &["\0,\0", ",\0\x01\0,", "é", ""], &[(0, &edges)]),
        run("18 digits", &["\0", "\0", "\0", "\0"], &[(18, &edges)]),
        run(
            "18 digits at most",
            &["\0 \0", "", "\0", "\0"],
            &[(50, &edges)],
        ),
        run(
            "skipped",
            &["\x01a\x01", "", "\x01", "b"],
            &[(0, &[]), (6, &[]), (50, &[])],
        ),
    ]
}

/// Columns of bit fields, which came after the numerals.
pub fn bit_fields() -> Vec<Run> {
    let run = |name: &str, data_type, digits, parts: &[Part], fields: &[&[i64]]| {
        let parts = parts.to_vec();
        let runs = fields.iter().map(|numbers| packed(numbers)).collect();
        let node = Node::of_children(BitFields { digits, parts }, fields[0].len(), runs);
        (name.to_owned(), data_type, node)
    };
    let text = |text: &str| Part::Text(text.as_bytes().to_vec());
    let times = [0x019a_7afd_1e14, 0x019a_7afd_1e15, 0, (1 << 48) - 1];
    let random = [i64::MIN, -1, 0, i64::MAX];
    let versions = [0x7d20, 0x7000, 0, 0xffff];
    vec![
        run(
            "uuid",
            DataType::FixedSizeBinary(16),
            Digits::Bytes,
            &[Part::Field(6), Part::Field(2), Part::Field(8)],
            &[&times, &versions, &random],
        ),
        run(
            "hex",
            DataType::Utf8,
            Digits::HexLower,
            &[Part::Field(16), Part::Field(1)],
            &[&random, &[0, 9, 10, 15]],
        ),
        run(
            "hex in upper case",
            DataType::Utf8,
            Digits::HexUpper,
            &[text("N\u{b0} "), Part::Field(4), text("-"), Part::Field(12)],
            &[&versions, &times],
        ),
        run(
            "base 32",
            DataType::Utf8,
            Digits::Base32Upper,
            &[Part::Field(10), Part::Field(4), Part::Field(12)],
            &[&times, &[0, 1, 31, 0xf_ffff], &[0, 31, 32, (1 << 60) - 1]],
        ),
        run(
            "base 32 in lower case",
            DataType::Utf8,
            Digits::Base32Lower,
            &[text("user_"), Part::Field(12), text("!")],
            &[&times],
        ),
    ]
}
