use arrow_buffer::Buffer;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::error::Kind as ErrorKind;
use crate::varint;
use crate::wire::choose::{Cascade, Preset};
use crate::wire::codec::SectionCodec;
use crate::wire::encodings::constant::Constant;
use crate::wire::encodings::patched::Patched;
use crate::wire::encodings::run_length::RunLength;
use crate::wire::encodings::template::{Grain, RowPattern, Template, TemplateField};
use crate::wire::encodings::{Encoding, ValueKind, bytes, dictionary, fsst, hex, numerals, ppmd};
use crate::wire::parse::read_string;

pub(in crate::wire::encodings) const CASCADES: [(Preset, SectionCodec); 4] = [
    (Preset::Fast, SectionCodec::None),
    (Preset::Fast, SectionCodec::Lz4),
    (Preset::Balanced, SectionCodec::Zstd(1)),
    (Preset::Small, SectionCodec::Zstd(3)),
];

pub(in crate::wire::encodings) fn strings<T: AsRef<[u8]>>(rows: &[T]) -> ByteStrings {
    let mut strings = ByteStrings::default();
    for row in rows {
        strings.push(row.as_ref());
    }
    strings
}

pub(in crate::wire::encodings) fn decoded(node: &Node) -> Result<ByteStrings> {
    node.strings(1 << 24)
}

pub(in crate::wire::encodings) fn cascade() -> Cascade {
    Cascade::new(Preset::Balanced, SectionCodec::Zstd(1))
}

/// The node as stored in a file, except that buffers are inline.
pub(in crate::wire::encodings) fn written(node: &Node) -> Vec<u8> {
    let mut bytes = Vec::new();
    node.write(&mut bytes, &mut |node, out| {
        let buffer = &node.buffer;
        varint::push(buffer.len() as u64, out);
        out.extend_from_slice(buffer);
    });
    bytes
}

pub(in crate::wire::encodings) fn read(bytes: &[u8], len: usize) -> Result<Node> {
    let mut buffers = Vec::new();
    let place = &mut |bytes: &[u8], at: &mut usize, _| {
        buffers.push(Buffer::from_vec(read_string(bytes, at)?.to_vec()));
        Ok(None)
    };
    let mut node = Node::read(bytes, &mut 0, ValueKind::Strings, len, place)?;
    let mut buffers = buffers.into_iter();
    node.visit_buffers(&mut |node| {
        node.buffer = buffers.next().unwrap();
        Ok(())
    })?;
    Ok(node)
}

fn arbitrary_rows() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let row = prop_oneof![
        3 => vec(any::<u8>(), 0..12),
        1 => Just(Vec::new()),
        1 => vec(any::<u8>(), 30..40),
    ];
    vec(row, 0..40)
}

/// Rows that almost share a form, with repeated values, so that every encoding is exercised.
fn formed_rows() -> impl Strategy<Value = Vec<String>> {
    let number = prop_oneof![
        (0..30_u64).prop_map(|n| n.to_string()),
        any::<u64>().prop_map(|n| n.to_string()),
        (0..2000_u64).prop_map(|n| format!("{n:04}")),
        (0..20_u64).prop_map(|n| format!("00{n}")),
    ];
    let word = prop_oneof!["[a-c]{0,3}", "[a-zA-Z0-9é]{1,9}", Just("same".to_owned())];
    let form = prop_oneof![
        Just("user-#"),
        Just("#"),
        Just("2024-#-# #:#"),
        Just("https://x/$?a=#"),
        Just("$@$.org"),
        Just("$$"),
        Just("$ [#] tail"),
        Just("deadbeef"),
        Just("BEEF#"),
    ];
    let row = (
        vec(number, 4),
        vec(word, 3),
        0..10_u8,
        any::<prop::sample::Index>(),
    );
    (vec(form, 1..3), vec(row, 0..60)).prop_map(|(forms, rows)| {
        rows.into_iter()
            .map(|(numbers, words, odd, form)| {
                let form = if odd == 0 {
                    form.get(&forms)
                } else {
                    &forms[0]
                };
                let (mut numbers, mut words) = (numbers.iter(), words.iter());
                let mut text = String::new();
                for byte in form.chars() {
                    match byte {
                        '#' => text += numbers.next().unwrap(),
                        '$' => text += words.next().unwrap(),
                        other => text.push(other),
                    }
                }
                text
            })
            .collect()
    })
}

/// Rows of many numbers, in every spelling that may occur.
fn rows_of_numbers() -> impl Strategy<Value = Vec<String>> {
    let number = prop_oneof![
        4 => (-9_000_000..9_000_000_i64).prop_map(|n| format!("{:.3}", n as f64 / 1e3)),
        2 => any::<i16>().prop_map(|n| (f64::from(n) / 64.0).to_string()),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => "-?[0-9]{1,21}(\\.[0-9]{0,21})?",
    ];
    let other = prop_oneof![8 => Just(" "), 4 => Just(","), 1 => Just("-"), 1 => Just("."), 1 => Just("é(")];
    vec(vec((number, other), 0..12), 0..40).prop_map(|rows| {
        let join = |row: Vec<(String, &str)>| -> String {
            row.into_iter()
                .flat_map(|(number, other)| [number, other.to_owned()])
                .collect()
        };
        rows.into_iter().map(join).collect()
    })
}

fn check_all(rows: &ByteStrings) {
    for (preset, codec) in CASCADES {
        let node = Cascade::new(preset, codec).strings(rows, None);
        let node = read(&written(&node), rows.len()).unwrap();
        assert_eq!(&decoded(&node).unwrap(), rows, "{preset:?} {node:?}");
        // The choice for these rows, applied to others.
        let others = strings(&rows.iter().skip(3).chain([&b"odd"[..]]).collect::<Vec<_>>());
        let node = Cascade::new(preset, codec).strings(&others, Some(&node));
        assert_eq!(decoded(&node).unwrap(), others, "{preset:?} {node:?}");
    }
}

proptest! {
    #[test]
    fn any_rows_come_back(rows in arbitrary_rows()) {
        check_all(&strings(&rows));
    }

    #[test]
    fn rows_of_a_form_come_back(rows in formed_rows()) {
        check_all(&strings(&rows));
    }

    #[test]
    fn rows_of_numbers_come_back(rows in rows_of_numbers()) {
        let rows = strings(&rows);
        check_all(&rows);
        for node in alone(&rows) {
            let node = read(&written(&node), rows.len()).unwrap();
            prop_assert_eq!(&decoded(&node).unwrap(), &rows, "{:?}", node.encoding);
        }
    }

    #[test]
    fn each_encoding_alone_gives_its_rows_back(rows in formed_rows()) {
        let rows = strings(&rows);
        let nodes = alone(&rows);
        for node in nodes {
            prop_assert_eq!(&decoded(&node).unwrap(), &rows, "{:?}", node);
        }
    }

    #[test]
    fn decoding_appends(rows in formed_rows()) {
        let rows = strings(&rows);
        for node in alone(&rows) {
            let mut out = strings(&["before"]);
            node.decode_strings(1 << 24, &mut out).unwrap();
            let after: Vec<&[u8]> = out.iter().skip(1).collect();
            prop_assert_eq!(strings(&after), rows.clone(), "{:?}", node);
        }
    }

    #[test]
    fn damaged_nodes_give_values_or_errors(
        rows in formed_rows(),
        flips in vec((any::<prop::sample::Index>(), 0..8_u8), 1..4),
    ) {
        let rows = strings(&rows);
        for node in alone(&rows) {
            let mut bytes = written(&node);
            for (at, bit) in &flips {
                let at = at.index(bytes.len());
                bytes[at] ^= 1_u8 << bit;
            }
            if let Ok(node) = read(&bytes, rows.len())
                && let Ok(out) = decoded(&node)
            {
                prop_assert_eq!(out.len(), rows.len());
                prop_assert_eq!(*out.offsets.last().unwrap() as usize, out.data.len());
                prop_assert!(out.offsets.is_sorted());
            }
        }
    }
}

/// The result of each encoding that applies to the rows.
fn alone(rows: &ByteStrings) -> Vec<Node> {
    let mut nodes = vec![bytes::encode(rows, cascade(), None)];
    let distinct = dictionary::Distinct::find(rows, rows.len());
    nodes.extend(distinct.map(|distinct| {
        let entries = cascade().deeper().strings(&distinct.entries, None);
        dictionary::node(entries, cascade().deeper().ints(&distinct.codes, None))
    }));
    nodes.extend(
        [false, true]
            .map(|upper| hex::encode(rows, upper, cascade(), None))
            .into_iter()
            .flatten(),
    );
    nodes.extend(fsst::encode(rows, cascade(), None));
    nodes.extend(
        [2, 5, 16]
            .into_iter()
            .filter_map(|order| ppmd::encode(rows, order)),
    );
    let sample: Vec<&[u8]> = rows.iter().collect();
    let grains = [Grain::Digits, Grain::Letters, Grain::Words, Grain::Blanks];
    for grain in grains {
        let learned = RowPattern::learn(&sample, grain);
        nodes.extend(learned.and_then(|pattern| pattern.encode(rows, cascade(), None)));
    }
    nodes.extend((1..4).filter_map(|series| numerals::encode(rows, series, cascade(), None)));
    nodes
}

#[test]
fn digits_that_share_a_form_become_numbers() {
    let rows: Vec<String> = (0..100)
        .map(|n| format!("user-{:03}/{}", n, n * 7))
        .collect();
    let rows = strings(&rows);
    let sample: Vec<&[u8]> = rows.iter().collect();
    let pattern = RowPattern::learn(&sample, Grain::Digits).unwrap();
    let node = pattern.encode(&rows, cascade(), None).unwrap();
    let fields = vec![
        TemplateField::Number { digits: 3 },
        TemplateField::Number { digits: 0 },
    ];
    let literals = [&b"user-"[..], b"/", b""].map(<[u8]>::to_vec).to_vec();
    let expected = Template { literals, fields };
    assert_eq!(node.encoding, Encoding::Template(expected));
    assert_eq!(decoded(&node).unwrap(), rows);
}

#[test]
fn odd_rows_stay_out_of_a_template() {
    let mut rows: Vec<String> = (0..1000).map(|n| (n * 37).to_string()).collect();
    for at in [0, 17, 18, 999] {
        rows[at] = "N/A".to_owned();
    }
    let rows = strings(&rows);
    let sample: Vec<&[u8]> = rows.iter().step_by(9).collect();
    let pattern = RowPattern::learn(&sample, Grain::Digits).unwrap();
    let node = pattern.encode(&rows, cascade(), None).unwrap();
    assert_eq!(node.encoding, Encoding::Patched(Patched));
    assert_eq!((node.children[0].len, node.children[2].len), (4, 996));
    assert_eq!(decoded(&node).unwrap(), rows);
}

#[test]
fn exceptions_must_be_in_place() {
    let rest = bytes::encode(&strings(&["a", "b", "c"]), cascade(), None);
    let exceptions = bytes::encode(&strings(&["x", "y"]), cascade(), None);
    let node = |positions: [i64; 2]| {
        let parts = vec![
            cascade().ints(&positions, None),
            exceptions.clone(),
            rest.clone(),
        ];
        Node::of_children(Patched, 5, parts)
    };
    let rows = strings(&["a", "x", "b", "c", "y"]);
    assert_eq!(decoded(&node([1, 4])).unwrap(), rows);
    for positions in [[1, 5], [4, 1], [1, 1], [-1, 2], [i64::MIN, i64::MAX]] {
        let error = decoded(&node(positions)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{positions:?}");
    }
}

#[test]
fn hex_of_either_case_takes_half() {
    for upper in [false, true] {
        let rows: Vec<String> = (0..50_u64)
            .map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .map(|n| {
                if upper {
                    format!("{n:016X}")
                } else {
                    format!("{n:016x}")
                }
            })
            .collect();
        let rows = strings(&rows);
        let node = hex::encode(&rows, upper, cascade(), None).unwrap();
        assert_eq!(node.children[0].buffer.len(), 50 * 8);
        assert_eq!(decoded(&node).unwrap(), rows);
        assert_eq!(hex::encode(&rows, !upper, cascade(), None), None);
    }
}

#[test]
fn hex_digits_after_a_prefix_take_four_bits() {
    let hasher = foldhash::fast::FixedState::default();
    let words = (0..5000).map(|n| std::hash::BuildHasher::hash_one(&hasher, n));
    let addresses: Vec<String> = words.clone().map(|n| format!("0x{n:016x}")).collect();
    let colors: Vec<String> = words.map(|n| format!("#{:06X}", n >> 40)).collect();
    for (rows, digits) in [(addresses, 16), (colors, 6)] {
        let rows = strings(&rows);
        let node = cascade().strings(&rows, None);
        let least = (rows.len() * digits / 2) as u64;
        assert!(
            cascade().cost(&node) < least + least / 100,
            "{}",
            node.name()
        );
        assert_eq!(decoded(&node).unwrap(), rows);
    }
    for rows in [
        ["ab", "ac"],
        ["x-", "y-"],
        ["0x12", "1x12"],
        ["0x", "0xa"],
        ["n-1", "n-2"],
    ] {
        let pattern = RowPattern::before_hex(&rows.map(str::as_bytes));
        assert_eq!(pattern, None, "{rows:?}");
    }
}

#[test]
fn too_many_bytes_are_refused() {
    let rows: Vec<String> = (0..100).map(|n| format!("user-{}", n % 10)).collect();
    let rows = strings(&rows);
    for node in alone(&rows) {
        let model = match &node.encoding {
            Encoding::Ppmd(ppmd) => 1 << ppmd.memory,
            Encoding::Numerals(numerals) => {
                8 * numerals
                    .series
                    .iter()
                    .map(|series| series.count)
                    .sum::<usize>()
            }
            Encoding::BitFields(_) => 8 * node.children.len() * rows.len(),
            _ => 0,
        };
        let total = rows.data.len() + model;
        node.strings(total).unwrap();
        let error = node.strings(total - 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{node:?}");
    }
}

#[test]
fn expansions_beyond_memory_are_refused_before_it_is_taken() {
    let entries = bytes::encode(&strings(&[vec![b'x'; 1 << 20]]), cascade(), None);
    let codes = Node::leaf(Constant { value: 0 }, 1 << 20);
    let error = dictionary::node(entries, codes)
        .strings(usize::MAX)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn lengths_must_fit_the_bytes() {
    let good = bytes::encode(&strings(&["ab", "c", ""]), cascade(), None);
    for lengths in [
        vec![2, 1, 1],
        vec![2, -1, 2],
        vec![1, 1, 0],
        vec![i64::MAX, 1, 2],
    ] {
        let mut node = good.clone();
        node.children = vec![cascade().ints(&lengths, None)];
        let error = decoded(&node).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{lengths:?}");
    }
}

#[test]
fn codes_must_be_of_entries() {
    let entries = bytes::encode(&strings(&["a", "b"]), cascade(), None);
    for codes in [vec![0, 2], vec![-1, 0], vec![i64::MIN, 1]] {
        let node = dictionary::node(entries.clone(), cascade().ints(&codes, None));
        assert_eq!(decoded(&node).unwrap_err().kind(), ErrorKind::Corrupt);
    }
}

#[test]
fn numbers_of_templates_must_not_be_negative() {
    let encoding = Template {
        literals: vec![b"n".to_vec(), Vec::new()],
        fields: vec![TemplateField::Number { digits: 0 }],
    };
    let node = Node::of_children(encoding, 2, vec![cascade().ints(&[1, -1], None)]);
    assert_eq!(decoded(&node).unwrap_err().kind(), ErrorKind::Corrupt);
}

#[test]
fn runs_must_add_up() {
    let values = bytes::encode(&strings(&["a", "bc"]), cascade(), None);
    let node = |runs: &[i64]| {
        let parts = vec![values.clone(), cascade().ints(runs, None)];
        Node::of_children(RunLength, 3, parts)
    };
    assert_eq!(decoded(&node(&[2, 1])).unwrap(), strings(&["a", "a", "bc"]));
    for runs in [[1, 1], [3, 0], [4, -1], [2, 2], [i64::MAX, 1]] {
        assert_eq!(
            decoded(&node(&runs)).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
    }
}
