//! Parses UUIDs of 36 characters, and bytes in hexadecimal.

const HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// The value of each hexadecimal digit; `0xFF` for all other bytes.
const DIGIT: [u8; 256] = {
    let mut table = [0xFF; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            digit @ b'0'..=b'9' => digit - b'0',
            digit @ b'a'..=b'f' => digit - b'a' + 10,
            digit @ b'A'..=b'F' => digit - b'A' + 10,
            _ => 0xFF,
        };
        byte += 1;
    }
    table
};

/// Parses `8-4-4-4-12` hexadecimal digits of either case.
pub fn parse(text: &[u8]) -> Option<[u8; 16]> {
    if text.len() != 36 || HYPHENS.iter().any(|&at| text[at] != b'-') {
        return None;
    }
    let mut digits = text
        .iter()
        .enumerate()
        .filter(|(at, _)| !HYPHENS.contains(at))
        .map(|(_, &b)| b);
    let mut bytes = [0; 16];
    for byte in &mut bytes {
        *byte = hex_byte(digits.next()?, digits.next()?)?;
    }
    Some(bytes)
}

/// True if the text has no upper-case letter, so that the default form restores it.
pub fn is_lowercase(text: &[u8]) -> bool {
    !text.iter().any(u8::is_ascii_uppercase)
}

/// True if the text has no lower-case letter.
pub fn is_uppercase(text: &[u8]) -> bool {
    !text.iter().any(u8::is_ascii_lowercase)
}

/// Parses pairs of hexadecimal digits of either case and appends the bytes. With `None`, some bytes may already have
/// been appended.
pub fn parse_hex(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (pairs, []) = text.as_chunks::<2>() else {
        return None;
    };
    let mut seen = 0;
    out.extend(pairs.iter().map(|pair| {
        let [high, low] = pair.map(|digit| DIGIT[usize::from(digit)]);
        seen |= high | low;
        high << 4 | low & 15
    }));
    (seen <= 15).then_some(())
}

fn hex_byte(high: u8, low: u8) -> Option<u8> {
    let (high, low) = (DIGIT[usize::from(high)], DIGIT[usize::from(low)]);
    (high <= 15 && low <= 15).then_some(high << 4 | low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::print::print_uuid;

    #[test]
    fn uuids_survive_a_round_trip() {
        let text = b"00010203-0405-0607-0809-0a0b0c0d0eff";
        let bytes = parse(text).unwrap();
        let mut printed = Vec::new();
        print_uuid(&bytes, &mut printed);
        assert_eq!(printed, text);
        assert_eq!(parse(&text.to_ascii_uppercase()), Some(bytes));
        assert!(is_lowercase(text) && !is_lowercase(&text.to_ascii_uppercase()));
        for bad in [
            &text[1..],
            b"00010203-0405-0607-0809-0a0b0c0d0efg",
            b"0001020304050607-0809-0a0b0c0d0eff00",
        ] {
            assert_eq!(parse(bad), None);
        }
    }

    #[test]
    fn hex_digits_come_in_pairs() {
        let mut bytes = Vec::new();
        assert!(parse_hex(b"00fFa1", &mut bytes).is_some());
        assert_eq!(bytes, [0, 255, 161]);
        assert!(parse_hex(b"0", &mut bytes).is_none() && parse_hex(b"0g", &mut bytes).is_none());
    }
}
