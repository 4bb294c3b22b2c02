//! Is this text one JSON value?
//!
//! A `json` column holds whatever someone stored as JSON. It is copied into JSON output as it
//! is, so text that breaks the grammar (RFC 8259) must be found, or it would break the whole
//! document. The check neither builds values nor recurses.

/// Checks texts; keeps its stack between them.
#[derive(Debug, Default)]
pub(super) struct Checker {
    /// The containers around the current place; true for objects.
    open: Vec<bool>,
}

impl Checker {
    /// True if `text` is exactly one JSON value, white space around it allowed.
    pub(super) fn is_value(&mut self, text: &[u8]) -> bool {
        self.open.clear();
        self.value(&mut Cursor(text)).is_some()
    }

    /// `None` as soon as the grammar is broken.
    fn value(&mut self, rest: &mut Cursor<'_>) -> Option<()> {
        loop {
            match rest.token()? {
                b'{' if !rest.eat(b'}') => {
                    self.open.push(true);
                    rest.key()?;
                    continue;
                }
                b'[' if !rest.eat(b']') => {
                    self.open.push(false);
                    continue;
                }
                b'{' | b'[' => {}
                b'"' => rest.string()?,
                b't' => rest.word(b"rue")?,
                b'f' => rest.word(b"alse")?,
                b'n' => rest.word(b"ull")?,
                b'-' => {
                    let first = rest.next()?;
                    rest.number(first)?;
                }
                first => rest.number(first)?,
            }
            // A value has ended; so may the containers around it.
            loop {
                let Some(&in_object) = self.open.last() else {
                    rest.skip_space();
                    return rest.0.is_empty().then_some(());
                };
                match rest.token()? {
                    b'}' if in_object => {}
                    b']' if !in_object => {}
                    b',' if in_object => {
                        rest.key()?;
                        break;
                    }
                    b',' => break,
                    _ => return None,
                }
                self.open.pop();
            }
        }
    }
}

/// What is left of the text.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn skip_space(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.0 {
            self.0 = rest;
        }
    }

    /// The next byte that is not white space.
    fn token(&mut self) -> Option<u8> {
        self.skip_space();
        self.next()
    }

    /// True, and one token further, if that token is `wanted`.
    fn eat(&mut self, wanted: u8) -> bool {
        self.skip_space();
        match self.0 {
            [first, rest @ ..] if *first == wanted => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn word(&mut self, tail: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(tail)?;
        Some(())
    }

    /// A member's name and its colon.
    fn key(&mut self) -> Option<()> {
        if self.token()? != b'"' {
            return None;
        }
        self.string()?;
        (self.token()? == b':').then_some(())
    }

    /// The rest of a string after its opening quote.
    fn string(&mut self) -> Option<()> {
        loop {
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => match self.next()? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                    b'u' => {
                        let (digits, rest) = self.0.split_first_chunk::<4>()?;
                        if !digits.iter().all(u8::is_ascii_hexdigit) {
                            return None;
                        }
                        self.0 = rest;
                    }
                    _ => return None,
                },
                0..0x20 => return None,
                _ => {}
            }
        }
    }

    /// The rest of a number after its sign and first digit.
    fn number(&mut self, first: u8) -> Option<()> {
        match first {
            b'0' => {}
            b'1'..=b'9' => self.skip_digits(),
            _ => return None,
        }
        if let [b'.', rest @ ..] = self.0 {
            self.0 = rest;
            self.digits()?;
        }
        if let [b'e' | b'E', b'+' | b'-', rest @ ..] | [b'e' | b'E', rest @ ..] = self.0 {
            self.0 = rest;
            self.digits()?;
        }
        Some(())
    }

    /// One digit or more.
    fn digits(&mut self) -> Option<()> {
        let before = self.0.len();
        self.skip_digits();
        (self.0.len() < before).then_some(())
    }

    fn skip_digits(&mut self) {
        while let [b'0'..=b'9', rest @ ..] = self.0 {
            self.0 = rest;
        }
    }
}

/// Appends a valid JSON text without the white space outside its strings.
pub(super) fn print_compact(text: &[u8], out: &mut Vec<u8>) {
    let mut in_string = false;
    let mut escaped = false;
    out.extend(text.iter().copied().filter(|&byte| {
        if in_string {
            in_string = byte != b'"' || escaped;
            escaped = byte == b'\\' && !escaped;
            return true;
        }
        in_string = byte == b'"';
        !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_value(text: &str) -> bool {
        Checker::default().is_value(text.as_bytes())
    }

    #[test]
    fn the_grammar_is_kept_to_the_letter() {
        for text in [
            "0",
            "-0",
            "1.5",
            "1e5",
            "1E+05",
            "-1.0e-3",
            "true",
            " null ",
            "\"\"",
            "[]",
            "{}",
            "[ ]",
            "{ }",
            "[1,[2,{}]]",
            "{\"a\":{\"b\":[]},\"a\":1}",
            "\t\r\n\"\\u00e9\\n\"\n",
            "\"\\ud800\"",
            "1e999",
        ] {
            assert!(is_value(text), "{text:?}");
        }
        for text in [
            "",
            " ",
            "01",
            "-",
            "+1",
            "1.",
            ".5",
            "1e",
            "1e+",
            "--1",
            "0x1",
            "nul",
            "nulll",
            "True",
            "NaN",
            "\"",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\n\"",
            "[",
            "[1",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{1:1}",
            "[}",
            "{]",
            "1 2",
            "[]]",
            "}",
            "\u{feff}1",
            "'a'",
            "-e",
            "1e5.5",
        ] {
            assert!(!is_value(text), "{text:?}");
        }
    }

    #[test]
    fn deep_nesting_is_no_recursion() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert!(is_value(&deep));
        assert!(!is_value(&deep[1..]));
    }

    proptest! {
        #[test]
        fn serde_json_agrees(text in r#"[\[\]{}:,"a\\tnu0123.eE+\- ]{0,12}"#) {
            let theirs = match serde_json::from_str::<serde_json::Value>(&text) {
                Ok(_) => true,
                // A number that is none to a double, half a surrogate pair: fine by the grammar.
                Err(error) if error.to_string().contains("out of range") => return Ok(()),
                Err(error) if error.to_string().contains("surrogate") => return Ok(()),
                Err(_) => false,
            };
            prop_assert_eq!(is_value(&text), theirs);
        }

        #[test]
        fn compact_text_is_the_same_value(keys: Vec<String>, number: i32) {
            let value: serde_json::Value =
                keys.iter().map(|key| (key.clone(), serde_json::json!([number, key]))).collect();
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            let mut out = Vec::new();
            print_compact(pretty.as_bytes(), &mut out);
            prop_assert_eq!(out, serde_json::to_vec(&value).unwrap());
            prop_assert!(is_value(&pretty));
        }
    }
}
