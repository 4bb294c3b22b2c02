//! Recognises JSON by its first bytes.

use serde::de::IgnoredAny;

use crate::format::Match;
use crate::format::input::BYTE_ORDER_MARK;

/// Whether an input is JSON with rows that are objects or arrays. (Lines of a log may also start with brackets.)
pub fn sniff(head: &[u8]) -> Match {
    let text = beginning(head);
    if !matches!(text.first(), Some(b'{' | b'[')) {
        return Match::No;
    }
    let values = |text| serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    if let Some(row) = first_object(text) {
        return match values(row).next() {
            // No other format looks like this, so later errors are errors in JSON.
            Some(Ok(_)) => Match::Certain,
            Some(Err(error)) if !error.is_eof() => Match::No,
            Some(Err(_)) | None => Match::Likely,
        };
    }
    let mut values = values(text);
    loop {
        match values.next() {
            Some(Ok(_)) => {}
            Some(Err(error)) if !error.is_eof() => return Match::No,
            Some(Err(_)) | None => return Match::Likely,
        }
        let rest = text[values.byte_offset()..].trim_ascii_start();
        let between = &text[values.byte_offset()..text.len() - rest.len()];
        if between.contains(&b'\n') {
            return Match::Certain;
        }
        if rest.is_empty() {
            return Match::Likely;
        }
    }
}

/// True if the first row looks like an object, even if the input is not JSON: also for `{a: 1}` and `{'a': 1}`, which
/// other languages accept.
pub fn resembles_rows(head: &[u8]) -> bool {
    let text = beginning(head);
    first_object(text).is_some() || is_foreign_object(text)
}

/// True if the first row begins like an object whose first key has no quotes or single ones.
fn is_foreign_object(text: &[u8]) -> bool {
    let rows = text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start();
    let Some(key) = rows.strip_prefix(b"{").map(<[u8]>::trim_ascii_start) else {
        return false;
    };
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let rest = if let Some(quoted) = key.strip_prefix(b"'") {
        match memchr::memchr2(b'\'', b'\n', quoted) {
            Some(end) if quoted[end] == b'\'' => &quoted[end + 1..],
            _ => return false,
        }
    } else {
        let word = key.iter().take_while(|byte| is_word(byte)).count();
        &key[word..]
    };
    rest.len() < key.len() && rest.trim_ascii_start().starts_with(b":")
}

/// The text from the first row on, if that looks like an object.
fn first_object(text: &[u8]) -> Option<&[u8]> {
    let rows = text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start();
    let object = rows.strip_prefix(b"{")?.trim_ascii_start();
    matches!(object.first(), Some(b'"' | b'}')).then_some(rows)
}

fn beginning(head: &[u8]) -> &[u8] {
    head.strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(head)
        .trim_ascii_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_resembles_rows_begins_with_an_object() {
        for text in [
            &b"{\"a\": oops}"[..],
            b"\xEF\xBB\xBF [ { } oops",
            b"[{\"a\"",
            b"{a: 1}",
            b"[{ 'a b' : 1}]",
            b"{_id2:",
        ] {
            assert!(resembles_rows(text), "{text:?}");
        }
        for text in [
            &b"{oops}"[..],
            b"[2016] {\"a\": 1}",
            b"a,{\"",
            b"[[{}",
            b"{a},b:c",
            b"{'a'},b",
            b"{:",
            b"{a",
        ] {
            assert!(!resembles_rows(text), "{text:?}");
        }
    }

    #[test]
    fn json_is_distinguished_from_logs_that_begin_with_brackets() {
        for json in [
            &b"  \n[1]"[..],
            b"\xEF\xBB\xBF{\"a\":1}",
            b"[2016, 1",
            b"[]",
            b"[1]\n[2]\n",
            b"[1] [2]",
            b"{",
            b"[ { \"a\":1}, oops",
            b"[[[[[",
        ] {
            assert_ne!(sniff(json), Match::No, "{json:?}");
        }
        for other in [
            &b"[2016-11-22 04:15:02] started, 3 threads\n"[..],
            b"[2016] started\n",
            b"[1] [INFO] started\n",
            b"[ERROR] {\"a\": 1}\n",
            b"{oops}\n",
            b"{\"a\": oops}",
            b"[ { \"a\": oops}",
            b"a,b\n",
            b"",
        ] {
            assert_eq!(sniff(other), Match::No, "{other:?}");
        }
    }
}
