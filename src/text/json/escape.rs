//! JSON strings: escapes as few characters as the grammar allows, and as `serde_json` does.

/// What follows the backslash, or 0 if the byte stands for itself; `u` means `u00` and two digits.
const ESCAPES: [u8; 256] = {
    let mut escapes = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escapes[byte] = b'u';
        byte += 1;
    }
    escapes[0x08] = b'b';
    escapes[0x09] = b't';
    escapes[0x0a] = b'n';
    escapes[0x0c] = b'f';
    escapes[0x0d] = b'r';
    escapes[b'"' as usize] = b'"';
    escapes[b'\\' as usize] = b'\\';
    escapes
};

/// Appends `text` between quotes. Bytes from 0x80 on pass through, so the result is UTF-8 only if
/// `text` is.
#[inline]
pub fn print_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    // No early exit, so that the loop becomes vector instructions.
    let special = text.iter().fold(0, |found, &byte| {
        found | u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\')
    });
    if special != 0 {
        escaped(text, out);
    } else {
        out.extend_from_slice(text);
    }
    out.push(b'"');
}

/// Like [`print_string`] for text that may not be UTF-8: invalid sequences become U+FFFD. True if
/// there were any.
pub(super) fn print_string_lossy(text: &[u8], out: &mut Vec<u8>) -> bool {
    if simdutf8::basic::from_utf8(text).is_ok() {
        print_string(text, out);
        return false;
    }
    out.push(b'"');
    for chunk in text.utf8_chunks() {
        escaped(chunk.valid().as_bytes(), out);
        if !chunk.invalid().is_empty() {
            out.extend_from_slice("\u{fffd}".as_bytes());
        }
    }
    out.push(b'"');
    true
}

#[cold]
fn escaped(text: &[u8], out: &mut Vec<u8>) {
    let mut start = 0;
    for (i, &byte) in text.iter().enumerate() {
        let escape = ESCAPES[usize::from(byte)];
        if escape == 0 {
            continue;
        }
        out.extend_from_slice(&text[start..i]);
        out.extend_from_slice(&[b'\\', escape]);
        if escape == b'u' {
            let digit = b"0123456789abcdef"[usize::from(byte & 15)];
            out.extend_from_slice(&[b'0', b'0', b'0' + (byte >> 4), digit]);
        }
        start = i + 1;
    }
    out.extend_from_slice(&text[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn print(text: &str) -> String {
        let mut out = Vec::new();
        print_string(text.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_what_must_be_escaped_is() {
        assert_eq!(
            print("\"\\\u{8}\u{c}\n\r\t\u{0}\u{1f}/\u{7f}é✓\u{2028}"),
            "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f/\u{7f}é✓\u{2028}\""
        );
        assert_eq!(print(""), "\"\"");
    }

    #[test]
    fn invalid_utf8_is_replaced_and_told() {
        let mut out = Vec::new();
        assert!(print_string_lossy(b"a\xff\n\xc3", &mut out));
        assert_eq!(out, "\"a\u{fffd}\\n\u{fffd}\"".as_bytes());
        assert!(!print_string_lossy("é".as_bytes(), &mut out));
    }

    proptest! {
        #[test]
        fn serde_json_escapes_the_same(text: String) {
            prop_assert_eq!(print(&text), serde_json::to_string(&text).unwrap());
        }

        #[test]
        fn std_replaces_the_same(text: Vec<u8>) {
            let mut out = Vec::new();
            let lossy = print_string_lossy(&text, &mut out);
            prop_assert_eq!(lossy, std::str::from_utf8(&text).is_err());
            prop_assert_eq!(out, print(&String::from_utf8_lossy(&text)).into_bytes());
        }
    }
}
