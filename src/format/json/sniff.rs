//! What JSON begins with.

use serde::de::IgnoredAny;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// True if an input that begins like this is JSON with rows that are objects or arrays, as far as it is there. Lines of
/// a log begin with brackets, too.
pub fn sniff(head: &[u8]) -> bool {
    let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let text = text.trim_ascii_start();
    if !matches!(text.first(), Some(b'{' | b'[')) {
        return false;
    }
    let rows = text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start();
    if let Some(object) = rows.strip_prefix(b"{")
        && matches!(object.trim_ascii_start().first(), Some(b'"' | b'}') | None)
    {
        // Nothing else looks like that; what is wrong with it later is an error in JSON.
        return true;
    }
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    loop {
        match values.next() {
            Some(Ok(_)) => {}
            Some(Err(error)) => return error.is_eof(),
            None => return true,
        }
        let rest = text[values.byte_offset()..].trim_ascii_start();
        let between = &text[values.byte_offset()..text.len() - rest.len()];
        if rest.is_empty() || between.contains(&b'\n') {
            return true;
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
            assert!(sniff(json), "{json:?}");
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
            assert!(!sniff(other), "{other:?}");
        }
    }
}
