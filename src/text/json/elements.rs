//! The members of an object or the items of an array, one by one.

use std::ops::Range;

use super::scan::{skip_space, value_end, value_start};

/// A member or an item.
pub(crate) struct Element {
    /// The key with its quotes; empty for an item.
    pub key: Range<usize>,
    pub value: Range<usize>,
}

/// The elements of the object or array that starts at `start`; a last `None` if the text is at fault there.
pub(crate) fn elements(text: &[u8], start: usize) -> impl Iterator<Item = Option<Element>> {
    let is_object = text.get(start) == Some(&b'{');
    let close = if is_object { b'}' } else { b']' };
    let mut at = skip_space(text, start + 1);
    let mut is_over = text.get(at) == Some(&close);
    std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let element = element(text, at, is_object);
        let after = element.as_ref().map(|it| skip_space(text, it.value.end));
        let next = after.and_then(|after| text.get(after));
        is_over = next != Some(&b',');
        at = skip_space(text, after.unwrap_or(at) + 1);
        Some(element.filter(|_| !is_over || next == Some(&close)))
    })
}

fn element(text: &[u8], at: usize, is_member: bool) -> Option<Element> {
    let (key, start) = value_start(text, at, is_member).ok()?;
    let value = start..value_end(text, start).ok()?;
    Some(Element { key, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys and values; `None` for a fault.
    fn all(text: &str) -> Vec<Option<(&str, &str)>> {
        elements(text.as_bytes(), 0)
            .map(|element| element.map(|it| (&text[it.key], &text[it.value])))
            .collect()
    }

    #[test]
    fn elements_are_read_up_to_the_end_or_a_fault() {
        let members = [Some(("\"a\"", "{\"b\":[1]}")), Some(("\"c\"", "\"}\""))];
        assert_eq!(all(r#"{ "a" : {"b":[1]} , "c":"}"} x"#), members);
        assert_eq!(all("[1, [2] ]"), [Some(("", "1")), Some(("", "[2]"))]);
        assert_eq!(all("{ }"), []);
        assert_eq!(all("[ ]"), []);
        for fault in [
            "{\"a\":1",
            "{\"a\":1,}",
            "{\"a\"}",
            "{a:1}",
            "[1 2]",
            "[1}",
            "[",
        ] {
            assert!(all(fault).last().is_some_and(Option::is_none), "{fault}");
        }
    }
}
