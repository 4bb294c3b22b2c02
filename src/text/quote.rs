//! CSV quoting.

/// Appends the text of a cell that starts with a quote. Doubled and escaped quotes become one; anything after the
/// closing quote is kept as it is.
pub fn unquote(cell: &[u8], escape: Option<u8>, out: &mut Vec<u8>) {
    let quote = cell[0];
    let escape = escape.unwrap_or(quote);
    let mut rest = &cell[1..];
    while let Some(at) = memchr::memchr2(quote, escape, rest) {
        let (found, next) = (rest[at], rest.get(at + 1));
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        match next {
            Some(&byte) if byte == quote || (byte == escape && found == escape) => {
                out.push(byte);
                rest = &rest[1..];
            }
            _ if found == quote => break,
            _ => out.push(escape),
        }
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubled_and_escaped_quotes_become_one() {
        for (cell, text) in [
            ("\"a\"", "a"),
            ("\"\"", ""),
            ("\"", ""),
            ("\"a", "a"),
            ("\"a\"\"b\"", "a\"b"),
            ("\"a\"b", "ab"),
            ("\"a\\\"b\"", "a\"b"),
            ("\"a\\", "a\\"),
        ] {
            let (cell, escape) = (cell.as_bytes(), Some(b'\\'));
            let mut copy = Vec::new();
            unquote(cell, escape, &mut copy);
            assert_eq!(copy, text.as_bytes());
        }
    }
}
