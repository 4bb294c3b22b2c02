//! Every choice must restore the values bit for bit, with every preset.

use arrow_buffer::Buffer;
use proptest::collection::vec;
use proptest::prelude::*;

use super::{Cascade, Preset};
use crate::error::Kind as ErrorKind;
use crate::wire::codec::SectionCodec;
use crate::wire::encodings::{ByteStrings, Encoding, Node, ValueKind, bits};

const CASCADES: [(Preset, SectionCodec); 5] = [
    (Preset::Fast, SectionCodec::None),
    (Preset::Fast, SectionCodec::Lz4),
    (Preset::Balanced, SectionCodec::Zstd(1)),
    (Preset::Balanced, SectionCodec::None),
    (Preset::Small, SectionCodec::Zstd(9)),
];

fn cascades() -> impl Iterator<Item = Cascade> {
    CASCADES
        .into_iter()
        .map(|(preset, codec)| Cascade::new(preset, codec))
}

/// Writes a description and reads it back, buffers in a list.
fn through_description(node: &Node, kind: ValueKind) -> Node {
    let (mut header, mut buffers) = (Vec::new(), Vec::new());
    node.write(&mut header, &mut |node, out| {
        out.push(7);
        buffers.push(node.buffer.clone());
    });
    let mut buffers = buffers.into_iter();
    let mut at = 0;
    let mut read = Node::read(&header, &mut at, kind, node.len, &mut |_, at, _| {
        *at += 1;
        Ok(None)
    })
    .expect("readable");
    read.visit_buffers(&mut |node| {
        node.buffer = buffers.next().expect("as many as were written");
        Ok(())
    })
    .expect("no error");
    assert_eq!(at, header.len());
    read
}

fn check(kind: ValueKind, values: &[i64], others: &[i64]) {
    for cascade in cascades() {
        let (node, trials) = cascade.explain_numbers(kind, values);
        assert!(!trials.is_empty() || values.is_empty());
        let read = through_description(&node, kind);
        assert_eq!(read, node);
        let mut out = vec![-7];
        read.decode_numbers(kind, &mut out).expect("decodes");
        assert_eq!(out[0], -7, "appends");
        assert_eq!(&out[1..], values, "{}", node.name());
        // A choice made for other values.
        let out = cascade.numbers(kind, others, Some(&node)).numbers(kind);
        assert_eq!(out.expect("decodes"), others, "{}", node.name());
    }
}

fn check_ints(values: &[i64]) {
    let mut others = values.to_vec();
    others.reverse();
    others.extend(values.iter().map(|value| value ^ 0x55));
    check(ValueKind::Ints, values, &others);
}

fn check_floats(values: &[f64]) {
    let thirds = values.iter().map(|value| value / 3.0);
    let others: Vec<i64> = values.iter().copied().chain(thirds).map(bits::of).collect();
    check(ValueKind::Floats, &bits_of(values), &others);
}

fn bits_of(floats: &[f64]) -> Vec<i64> {
    floats.iter().copied().map(bits::of).collect()
}

/// Runs of the shapes that encodings are made for, and others.
fn int_runs() -> impl Strategy<Value = Vec<i64>> {
    let edge = prop_oneof![
        Just(i64::MIN),
        Just(i64::MAX),
        Just(-1),
        Just(0),
        any::<i64>(),
        -100..100_i64
    ];
    let steps = prop_oneof![Just(1..2_i64), Just(-3..9), Just(-1_000_000..1_000_000)];
    prop_oneof![
        vec(any::<i64>(), 0..300),
        vec(edge.clone(), 0..300),
        vec(0..5_i64, 0..3000),
        // Walks of first and second order.
        (edge.clone(), steps.clone(), 0..3000_usize).prop_flat_map(|(first, steps, len)| {
            vec(steps, len).prop_map(move |steps| walk(first, &steps))
        }),
        (edge.clone(), steps, 0..3000_usize).prop_flat_map(|(first, steps, len)| {
            vec(steps, len).prop_map(move |steps| walk(first, &walk(3, &steps)))
        }),
        // Runs, and one value almost everywhere.
        vec((edge.clone(), 1..60_usize), 0..100).prop_map(|runs| runs
            .into_iter()
            .flat_map(|(value, len)| std::iter::repeat_n(value, len))
            .collect()),
        (
            edge.clone(),
            1..2000_usize,
            vec((edge.clone(), any::<usize>()), 0..20)
        )
            .prop_map(|(value, len, others)| {
                let mut values = vec![value; len];
                for (other, at) in others {
                    values[at % len] = other;
                }
                values
            }),
        // Few values far apart; pairs.
        (vec(edge, 2..40), vec(any::<usize>(), 0..2000)).prop_map(|(entries, codes)| codes
            .into_iter()
            .map(|code| entries[code % entries.len()])
            .collect()),
        vec((0..50_i64, 1_000_000..1_000_050_i64), 0..1000)
            .prop_map(|pairs| pairs.into_iter().flat_map(|(x, y)| [x, y]).collect()),
        // Multiples, some of them with noise.
        (1..1_000_000_i64, 0..3_i64, vec(any::<i64>(), 0..2000)).prop_map(
            |(unit, noise, values)| {
                let multiple = |value: i64| (value >> 30).wrapping_mul(unit);
                let noise = |value: i64| if noise == 0 { 0 } else { value & noise };
                values
                    .into_iter()
                    .map(|value| multiple(value).wrapping_add(noise(value)))
                    .collect()
            }
        ),
    ]
}

fn walk(first: i64, steps: &[i64]) -> Vec<i64> {
    steps
        .iter()
        .scan(first, |value, step| {
            *value = value.wrapping_add(*step);
            Some(*value)
        })
        .collect()
}

fn float_runs() -> impl Strategy<Value = Vec<f64>> {
    let odd = prop_oneof![
        Just(-0.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(f64::MIN_POSITIVE / 8.0),
        any::<u64>().prop_map(f64::from_bits),
        Just(1e300),
        Just(9_007_199_254_740_993.0)
    ];
    prop_oneof![
        vec(any::<u64>().prop_map(f64::from_bits), 0..300),
        int_runs().prop_map(|values| values.into_iter().map(|value| value as f64).collect()),
        // Decimal fractions with few exceptions.
        (int_runs(), 0..19_u32, vec((odd, any::<usize>()), 0..10)).prop_map(
            |(values, digits, others)| {
                let power = 10_f64.powi(digits as i32);
                let mut values: Vec<f64> = values
                    .into_iter()
                    .map(|value| (value % 1_000_000_007) as f64 / power)
                    .collect();
                let len = values.len();
                for (other, at) in others {
                    if len > 0 {
                        values[at % len] = other;
                    }
                }
                values
            }
        ),
        vec(any::<f32>().prop_map(f64::from), 0..1000),
        // A few steps off decimal fractions.
        vec((-200_000..200_000_i64, 0..5_u64), 0..1000).prop_map(|pairs| pairs
            .into_iter()
            .map(|(value, steps)| f64::from_bits((value as f64 / 1e3).to_bits() + steps))
            .collect()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn ints_come_back(values in int_runs()) {
        check_ints(&values);
    }

    #[test]
    fn floats_come_back(values in float_runs()) {
        check_floats(&values);
    }

    #[test]
    fn damaged_runs_of_ints_never_panic(
        values in int_runs(),
        which in 0..CASCADES.len(),
        damage in vec(damage(), 1..3),
    ) {
        let (preset, codec) = CASCADES[which];
        let mut node = Cascade::new(preset, codec).ints(&values, None);
        for damage in damage {
            apply(&mut node, damage);
        }
        match node.numbers(ValueKind::Ints) {
            Ok(out) => prop_assert_eq!(out.len(), node.len),
            Err(error) => prop_assert_eq!(error.kind(), ErrorKind::Corrupt),
        }
    }

    #[test]
    fn damaged_runs_of_floats_never_panic(
        values in float_runs(),
        which in 0..CASCADES.len(),
        damage in vec(damage(), 1..3),
    ) {
        let (preset, codec) = CASCADES[which];
        let mut node = Cascade::new(preset, codec).numbers(ValueKind::Floats, &bits_of(&values), None);
        for damage in damage {
            apply(&mut node, damage);
        }
        match node.numbers(ValueKind::Floats) {
            Ok(out) => prop_assert_eq!(out.len(), node.len),
            Err(error) => prop_assert_eq!(error.kind(), ErrorKind::Corrupt),
        }
    }
}

/// Damage to a node somewhere in the tree.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Cut(usize),
    Extend(usize),
    Flip(usize, u8),
    Len(usize),
    Parameter(i64),
    Loose,
    Swap,
}

fn damage() -> impl Strategy<Value = (usize, Damage)> {
    let kind = prop_oneof![
        any::<usize>().prop_map(Damage::Cut),
        (1..20_usize).prop_map(Damage::Extend),
        (any::<usize>(), 1..=255_u8).prop_map(|(at, mask)| Damage::Flip(at, mask)),
        (0..4000_usize).prop_map(Damage::Len),
        any::<i64>().prop_map(Damage::Parameter),
        Just(Damage::Loose),
        Just(Damage::Swap),
    ];
    (0..8_usize, kind)
}

fn apply(node: &mut Node, (place, damage): (usize, Damage)) {
    if place > 0 && !node.children.is_empty() {
        let child = place % node.children.len();
        return apply(&mut node.children[child], (place / 2, damage));
    }
    let mut bytes = node.buffer.to_vec();
    match damage {
        Damage::Cut(at) => bytes.truncate(at % (bytes.len() + 1)),
        Damage::Extend(by) => bytes.resize(bytes.len() + by, 0),
        Damage::Flip(at, mask) => {
            let at = at % bytes.len().max(1);
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= mask;
            }
        }
        Damage::Len(len) => node.len = len,
        Damage::Parameter(number) => match &mut node.encoding {
            Encoding::Constant(constant) => constant.value = number,
            Encoding::Sparse(sparse) => sparse.value = number,
            Encoding::BitPacked(packed) => packed.width = number as u8,
            Encoding::BytePlanes(planes) => planes.bytes = number as u8,
            Encoding::NearDecimal(decimal) => decimal.exponent = number as u8,
            Encoding::Decimal(decimal) => decimal.exponent = number as u8,
            Encoding::Multiple(multiple) => multiple.unit = number as u64 & 0xff,
            _ => {}
        },
        Damage::Loose => {
            node.children.pop();
        }
        Damage::Swap => node.children.reverse(),
    }
    node.buffer = Buffer::from_vec(bytes);
}

/// Enough rows to be sampled.
const LEN: usize = 100_000;

#[test]
fn long_runs_come_back_although_chosen_on_samples() {
    let mut state = 1_u64;
    let mut random = |end: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % end) as i64
    };
    let noise: Vec<i64> = (0..LEN).map(|_| random(1000)).collect();
    check_ints(&walk(1 << 40, &noise));
    let mut outlier = noise.clone();
    outlier[LEN / 2 + 5] = i64::MIN;
    check_ints(&outlier);
    let coded: Vec<i64> = noise
        .iter()
        .map(|code| code % 300 * 1_234_567_891)
        .collect();
    check_ints(&coded);
    let pairs: Vec<i64> = noise
        .iter()
        .enumerate()
        .map(|(row, value)| value + (row as i64 % 2) * 100_000_000)
        .collect();
    check_ints(&pairs);
    let seconds: Vec<i64> = noise.iter().map(|_| random(1 << 20) * 1000 + 7).collect();
    check_ints(&seconds);
    let near: Vec<i64> = seconds.iter().map(|value| value + random(4)).collect();
    check_ints(&near);
    let mut prices: Vec<f64> = walk(10_000, &noise)
        .iter()
        .map(|cents| *cents as f64 / 100.0)
        .collect();
    check_floats(&prices);
    prices[77_777] = f64::NAN;
    check_floats(&prices);
    let bits: Vec<f64> = noise.iter().map(|value| (*value as f64).sqrt()).collect();
    check_floats(&bits);
}

/// Lines of a log: their paths have no common pattern, but their addresses do, which are a tenth of the text. On the
/// sample, that is less than a template of a field needs.
#[test]
fn parts_of_samples_count_as_parts_of_the_whole() {
    let cascade = Cascade::new(Preset::Balanced, SectionCodec::Zstd(3));
    let chosen = |rows: usize| {
        let mut state = 1_u64;
        let mut random = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005);
            state = state.wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % end
        };
        let mut lines = ByteStrings::default();
        for _ in 0..rows {
            let mut path = String::new();
            for _ in 0..=random(6) {
                let word = ["/shop", "/item-", "/a.b", "/user_"][random(4) as usize];
                let most = 1 << (4 * random(5));
                path += word;
                path += &random(most).to_string();
            }
            let [a, b, c, d] = [(); 4].map(|()| random(256));
            let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0";
            lines.push(format!("GET {path} {a}.{b}.{c}.{d} {agent}").as_bytes());
        }
        cascade.strings(&lines, None).name()
    };
    let is_nested = |name: &str| name[1..].contains("template(");
    let (short, long) = (chosen(200), chosen(20_000));
    assert!(long.starts_with("template(") && is_nested(&long), "{long}");
    assert!(!is_nested(&short), "{short}");
}
