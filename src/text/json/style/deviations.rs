//! Finds places where the layout of a text deviates from its style, 64 bytes at a time.

use super::{Escapes, JsonStyle, Spacing};
use crate::text::masks::{StringMask, at_most, chunks, equal, non_ascii};

/// The layout of a style that can be checked by looking at neighboring bytes only.
struct ObservedStyle<'a> {
    space_after_comma: bool,
    space_after_colon: bool,
    escapes: &'a Escapes,
}

impl<'a> ObservedStyle<'a> {
    /// `None` for styles with line breaks, or with white space anywhere but after commas and colons.
    fn of(style: &'a JsonStyle) -> Option<Self> {
        let after = |text: &str, mark: &str| match text.strip_prefix(mark) {
            Some("") => Some(false),
            Some(" ") => Some(true),
            _ => None,
        };
        let space_after_comma = after(&style.objects.comma, ",")?;
        let spacing = Spacing {
            comma: style.objects.comma.clone(),
            ..Spacing::compact()
        };
        let is_simple = style.objects == spacing && style.arrays == spacing;
        (is_simple && style.escapes.hex.is_empty()).then_some(Self {
            space_after_comma,
            space_after_colon: after(&style.colon, ":")?,
            escapes: &style.escapes,
        })
    }

    /// True if the style prints the escape at `at` for its character.
    fn has_usual_escape(&self, text: &[u8], at: usize) -> bool {
        match text.get(at + 1) {
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => true,
            Some(b'/') => self.escapes.slash,
            Some(b'u') => match self.unit(text, at) {
                Some(8 | 9 | 10 | 12 | 13) => false,
                Some(0..0x20) => true,
                // Halves of surrogate pairs.
                Some(0xd800..0xdc00) => {
                    self.escapes.ascii && matches!(self.unit(text, at + 6), Some(0xdc00..0xe000))
                }
                Some(0xdc00..0xe000) => {
                    let before = at.checked_sub(6).and_then(|at| self.unit(text, at));
                    self.escapes.ascii && matches!(before, Some(0xd800..0xdc00))
                }
                Some(0x80..) => self.escapes.ascii,
                _ => false,
            },
            _ => false,
        }
    }

    /// The number after `\u`, if its digits are in the usual case.
    fn unit(&self, text: &[u8], at: usize) -> Option<u16> {
        let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        let other_case = if self.escapes.upper {
            u8::is_ascii_lowercase
        } else {
            u8::is_ascii_uppercase
        };
        if digits.iter().any(other_case) {
            return None;
        }
        u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
    }
}

impl JsonStyle {
    /// The offsets in a valid text of one or more values at which white space or an escape differs from this style, in
    /// order; this includes white space between the values. `None` if [`ObservedStyle`] cannot describe the style.
    pub(crate) fn deviations(&self, text: &[u8]) -> Option<Vec<u32>> {
        let layout = ObservedStyle::of(self)?;
        let mut deviations = Vec::new();
        let mut strings = StringMask::default();
        let mut carry = 0;
        chunks(text, |chunk, base| {
            let [quotes, backslashes] = equal(chunk, [b'"', b'\\']);
            let (inside, escaped) = strings.next(quotes, backslashes);
            let mut odd = at_most(chunk, b' ') & !inside;
            if layout.space_after_comma || layout.space_after_colon {
                let [spaces, commas, colons] = equal(chunk, [b' ', b',', b':']);
                let commas = if layout.space_after_comma { commas } else { 0 };
                let colons = if layout.space_after_colon { colons } else { 0 };
                let marks = (commas | colons) & !inside;
                let wanted = marks << 1 | carry;
                carry = marks >> 63;
                odd = odd & !(wanted & spaces) | wanted & !spaces;
            }
            if layout.escapes.ascii {
                odd |= non_ascii(chunk) & inside;
            }
            if layout.escapes.slash {
                let [slashes] = equal(chunk, [b'/']);
                odd |= slashes & inside & !escaped;
            }
            let mut left = backslashes & !escaped;
            while left != 0 {
                let at = base + left.trailing_zeros() as usize;
                if !layout.has_usual_escape(text, at) {
                    odd |= left & left.wrapping_neg();
                }
                left &= left - 1;
            }
            while odd != 0 {
                deviations.push((base + odd.trailing_zeros() as usize) as u32);
                odd &= odd - 1;
            }
            None::<()>
        });
        // The last chunk is padded.
        deviations.retain(|&at| (at as usize) < text.len());
        Some(deviations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json::escape::{Escaper, Escapes, print_with};
    use crate::text::json::scan::unescape;
    use proptest::prelude::*;

    fn style(name: &str, escapes: Escapes) -> JsonStyle {
        let style = JsonStyle::named(name, false).unwrap();
        JsonStyle { escapes, ..style }
    }

    fn escapes() -> impl Strategy<Value = Escapes> {
        any::<[bool; 3]>().prop_map(|[ascii, upper, slash]| Escapes {
            ascii,
            upper,
            slash,
            hex: String::new(),
        })
    }

    #[test]
    fn white_space_and_escapes_of_another_style_are_found() {
        for (name, text, at) in [
            ("", r#"{"a":[1,"b, c"],"d\n":{}}"#, &[][..]),
            ("", r#"{"a": 1}"#, &[5]),
            ("", "{\"a\":1}\n{\"b\":2}", &[7]),
            ("", r#"["\/","\u00e9","\u0007","\u000A"]"#, &[2, 7, 25]),
            ("spaced", r#"{"a": [1, 2], "b:c,d": {}}"#, &[]),
            ("spaced", r#"{"a":1,  "b": 2}"#, &[5, 8]),
        ] {
            let style = style(name, Escapes::default());
            assert_eq!(style.deviations(text.as_bytes()).unwrap(), at, "{text}");
        }
        assert_eq!(style("2", Escapes::default()).deviations(b"{}"), None);
    }

    proptest! {
        #[test]
        fn text_without_deviations_prints_as_it_stands(
            pieces in proptest::collection::vec(proptest::sample::select(vec![
                "a", "/", "é", "😀", "\u{2028}", "\u{7f}", r"\n", r"\u000a", r"\/", r"\u00e9", r"\u00E9", r"\ud83d\ude00",
                r"\u0001", r"\u001F", r"\\", r#"\""#, r"\ud800", r"\udc00", "x".repeat(63).leak(), " ", ", ", ": ",
            ]), 0..12),
            spaced: bool,
            spaces in any::<[bool; 3]>(),
            escapes in escapes(),
        ) {
            let style = style(if spaced { "spaced" } else { "" }, escapes);
            let escaper = Escaper::new(&style.escapes);
            let [colon, comma, open] = spaces.map(|is_there| if is_there { " " } else { "" });
            let string = format!("\"{}\"", pieces.concat());
            let text = format!("{{{open}\"k\":{colon}{string},{comma}\"l\":{colon}[{string},{comma}1]}}");
            let deviations = style.deviations(text.as_bytes()).unwrap();
            let mut printed = Vec::new();
            style.lay_out(text.as_bytes(), 0, escaper.as_ref(), &mut printed);
            let mut plain = Vec::new();
            let has_text = unescape(pieces.concat().as_bytes(), &mut plain).is_some();
            let mut respelled = Vec::new();
            print_with(escaper.as_ref(), &plain, &mut respelled);
            let is_same = printed == text.as_bytes() && (!has_text || respelled == string.as_bytes());
            prop_assert!(!deviations.is_empty() || is_same, "{}", text);
            // Half a surrogate pair counts, since keys lose it.
            prop_assert!(deviations.is_empty() || !is_same || !has_text, "{}: {:?}", text, deviations);
        }
    }
}
