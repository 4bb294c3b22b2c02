use super::*;
use crate::error::Kind as ErrorKind;
use crate::wire::choose::Cascade;
use crate::wire::encodings::strings::tests::{CASCADES, cascade, decoded, read, strings, written};

/// Identifiers of several kinds, 3,000 of each, and the bits that each takes at most.
fn identifiers() -> [(ByteStrings, u64); 4] {
    const ROWS: u64 = 3000;
    let mut state = 1_u64;
    let mut random = |bits: u32| {
        // The numbers of xorshift64* (Vigna, 2016).
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> (64 - bits)
    };
    let mut of_bytes = Vec::new();
    let mut time = 1_763_000_000_000_u64;
    for _ in 0..ROWS {
        time += random(6);
        let high = time << 16 | 7 << 12 | random(12);
        of_bytes.push([high.to_be_bytes(), (2 << 62 | random(62)).to_be_bytes()].concat());
    }
    let base32 = |mut number: u128| {
        let mut text = [0; 26];
        for place in text.iter_mut().rev() {
            *place = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"[(number % 32) as usize];
            number /= 32;
        }
        text.to_vec()
    };
    let mut of_base32 = Vec::new();
    for _ in 0..ROWS {
        time += random(6);
        let high = u128::from(time) << 80 | u128::from(random(16)) << 64;
        of_base32.push(base32(high | u128::from(random(64))));
    }
    let object_id = |row| {
        format!(
            "{:08x}5f3a9c17e2{:06x}",
            1_763_000_000 + row / 7,
            65_000 + row
        )
    };
    let object_ids: Vec<String> = (0..ROWS).map(object_id).collect();
    let typed: Vec<String> = (0..ROWS)
        .map(|_| format!("user_{:08x}-{:04x}", random(32), random(10)))
        .collect();
    [
        (strings(&of_bytes), 74 + 6),
        (strings(&of_base32), 80 + 6),
        (strings(&object_ids), 8),
        (strings(&typed), 32 + 10),
    ]
}

#[test]
fn identifiers_become_bit_fields() {
    for (rows, bits) in identifiers() {
        for (preset, codec) in CASCADES {
            let cascade = Cascade::new(preset, codec);
            let node = cascade.strings(&rows, None);
            assert!(node.name().contains("bit-fields"), "{}", node.name());
            let stored = read(&written(&node), rows.len()).unwrap();
            assert_eq!(decoded(&stored).unwrap(), rows);
            let least = rows.len() as u64 * bits / 8;
            let cost = cascade.cost(&node);
            assert!(
                cost < least + least / 20 + 100,
                "{cost} {least} {}",
                node.name()
            );
            let again = cascade.strings(&rows, Some(&node));
            assert_eq!(written(&again), written(&node));
            // A later frame may have no value at all.
            let empty = cascade.strings(&ByteStrings::default(), Some(&node));
            assert_eq!(decoded(&empty).unwrap(), ByteStrings::default());
        }
    }
}

#[test]
fn odd_rows_stay_out_of_bit_fields() {
    let [_, (of_base32, _), ..] = identifiers();
    let mut rows: Vec<&[u8]> = of_base32.iter().collect();
    for (at, odd) in [
        (0, "-"),
        (7, ""),
        (1501, "01K9XFT7GMBPEHG6unknown!!!"),
        (2999, "none"),
    ] {
        rows[at] = odd.as_bytes();
    }
    let rows = strings(&rows);
    for (preset, codec) in CASCADES {
        let cascade = Cascade::new(preset, codec);
        let node = cascade.strings(&rows, None);
        assert!(node.name().contains("bit-fields"), "{}", node.name());
        assert_eq!(decoded(&node).unwrap(), rows);
        let again = cascade.strings(&rows, Some(&node));
        assert_eq!(written(&again), written(&node));
    }
}

#[test]
fn fields_of_too_many_bits_are_refused() {
    let fields = |digits, parts: &[Part], values: &[i64]| {
        let parts = parts.to_vec();
        let len = values.len();
        let of_field = |_| cascade().ints(values, None);
        let count = parts.iter().filter(|part| matches!(part, Part::Field(_)));
        let children = count.map(of_field).collect();
        Node::of_children(BitFields { digits, parts }, len, children)
    };
    for digits in Digits::ALL {
        for len in 1..=digits.most() {
            let bits = digits.bits() * len as u32;
            let most = u64::MAX >> (64 - bits);
            let twice = [Part::Field(len), Part::Field(len)];
            let empty = read(&written(&fields(digits, &twice, &[])), 0).unwrap();
            assert_eq!(decoded(&empty).unwrap(), ByteStrings::default());
            let good = fields(digits, &[Part::Field(len)], &[0, most.cast_signed()]);
            let rows = decoded(&read(&written(&good), 2).unwrap()).unwrap();
            let parsed: Vec<_> = rows.iter().map(|row| digits.parse(row)).collect();
            assert_eq!(parsed, [Some(0), Some(most)]);
            if bits < 64 {
                let bad = fields(digits, &[Part::Field(len)], &[0, 1 << bits]);
                assert_eq!(decoded(&bad).unwrap_err().kind(), ErrorKind::Corrupt);
            }
        }
    }
    let too_long = [Part::Field(9)];
    for (digits, parts) in [
        (Digits::Bytes, &too_long[..]),
        (Digits::Bytes, &[]),
        (Digits::HexLower, &[Part::Field(0)]),
        (Digits::HexLower, &[Part::Text(Vec::new())]),
    ] {
        let bytes = written(&fields(digits, parts, &[1, 2]));
        let error = read(&bytes, 2).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{parts:?}");
    }
    assert_eq!(
        Digits::of_code(5).unwrap_err().kind(),
        ErrorKind::Unsupported
    );
}
