//! What JSON begins with.

use serde::de::IgnoredAny;

use crate::format::Match;
use crate::format::input::BYTE_ORDER_MARK;

/// Whether an input is JSON with rows that are objects or arrays. Lines of a log begin with brackets, too.
pub fn sniff(head: &[u8]) -> Match {
    let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let text = text.trim_ascii_start();
    if !matches!(text.first(), Some(b'{' | b'[')) {
        return Match::No;
    }
    let rows = text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start();
    if let Some(object) = rows.strip_prefix(b"{")
        && matches!(object.trim_ascii_start().first(), Some(b'"' | b'}'))
    {
        // Nothing else looks like that; what is wrong with it later is an error in JSON.
        return Match::Certain;
    }
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_from_logs_that_begin_with_brackets() {
        for json in [
            &b"  \n[1]"[..],
            b"\xEF\xBB\xBF{\"a\":1}",
            b"[2016, 1",
            b"[]",
            b"[1]\n[2]\n",
            b"[1] [2]",
            b"{\"a\": oops}",
            b"[ { \"a\":1}, oops",
            b"{",
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
            b"a,b\n",
            b"",
        ] {
            assert_eq!(sniff(other), Match::No, "{other:?}");
        }
    }
}
