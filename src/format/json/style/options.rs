//! Converts a style to the name of a common style and a JSON object with the differences, and back.
//!
//! The metadata may come from anywhere, so each piece of white space must be short and contain nothing else.

use serde_json::{Map, Value};

use crate::text::encoding::TextEncoding;
use crate::text::json::MAX_DEPTH;
use crate::text::json::style::{Escapes, JsonStyle, Spacing};

/// The most bytes of any piece of white space.
const MAX_SPACE: usize = 64;
/// The most bytes of indentation per level.
const MAX_INDENT: usize = 8;

/// The most spaces per level in a named style.
const MAX_NAMED: usize = 8;

impl JsonStyle {
    /// The names of common styles.
    pub fn names() -> impl Iterator<Item = String> {
        let words = ["", "spaced", "tab", "ruby"].map(str::to_owned);
        let spaces = (1..=MAX_NAMED).map(|spaces| spaces.to_string());
        words.into_iter().chain(spaces)
    }

    /// The style with a name; the empty name is the compact style.
    pub fn named(name: &str, array: bool) -> Option<Self> {
        let style = Self::compact(array);
        Some(match name {
            "" => style,
            "spaced" => style.spaced(),
            "tab" => style.indented("\t"),
            "ruby" => {
                let mut style = style.indented("  ");
                style.objects.empty = "\n".into();
                style.arrays.empty = "\n\n".into();
                style
            }
            spaces => {
                let mut counts = 1..=MAX_NAMED;
                let count = counts.find(|count| count.to_string() == spaces)?;
                style.indented(&" ".repeat(count))
            }
        })
    }

    /// A space after commas and colons.
    fn spaced(mut self) -> Self {
        self.colon = ": ".into();
        self.objects.comma = ", ".into();
        self.arrays.comma = ", ".into();
        if self.array {
            ", ".clone_into(&mut self.between);
        }
        self
    }

    /// A line for each item.
    fn indented(mut self, indent: &str) -> Self {
        self.colon = ": ".into();
        self.objects.lines = true;
        self.arrays.lines = true;
        self.indent = indent.into();
        if self.array {
            self.between = format!(",\n{indent}");
            self.depth = 1;
        }
        self
    }

    /// The options that differ from the `usual` style.
    pub fn options(&self, usual: &Self) -> Map<String, Value> {
        let mut options = Map::new();
        let encoding = (self.encoding.name(), usual.encoding.name());
        put("encoding", &*encoding.0, &*encoding.1, &mut options);
        put("mark", !self.unmarked, !usual.unmarked, &mut options);
        if let Some(records) = &self.records {
            options.insert("records".to_owned(), (&**records).into());
        }
        put("between", &*self.between, &*usual.between, &mut options);
        put("colon", &*self.colon, &*usual.colon, &mut options);
        put("indent", &*self.indent, &*usual.indent, &mut options);
        put("crlf", self.crlf, usual.crlf, &mut options);
        put("depth", self.depth, usual.depth, &mut options);
        self.objects.put(&usual.objects, &mut options);
        let mut arrays = Map::new();
        self.arrays
            .put(&usual.arrays_like(&self.objects), &mut arrays);
        if !arrays.is_empty() {
            options.insert("arrays".to_owned(), arrays.into());
        }
        let Escapes {
            ascii,
            upper,
            slash,
            hex,
        } = &self.escapes;
        put("ascii", *ascii, false, &mut options);
        put("upper", *upper, false, &mut options);
        put("slash", *slash, false, &mut options);
        put("hex", &**hex, "", &mut options);
        options
    }

    /// The default style of arrays for objects in this style.
    fn arrays_like(&self, objects: &Spacing) -> Spacing {
        let mut arrays = objects.clone();
        if self.arrays.empty != self.objects.empty {
            arrays.empty.clone_from(&self.arrays.empty);
        }
        arrays
    }

    /// Builds a style from its differences to a named one; `None` if these are not valid.
    pub fn from_options(usual: &Self, options: &Map<String, Value>) -> Option<Self> {
        let array = usual.array;
        let mut style = usual.clone();
        for (name, value) in options {
            match name.as_str() {
                "encoding" => style.encoding = TextEncoding::parse(value.as_str()?).ok()?,
                "mark" => style.unmarked = !value.as_bool()?,
                "records" => style.records = Some(value.as_str()?.into()),
                "between" => style.between = separator(value, array.then_some(','))?.into(),
                "colon" => style.colon = separator(value, Some(':'))?,
                "indent" => {
                    style.indent = separator(value, None)?;
                    (style.indent.len() <= MAX_INDENT).then_some(())?;
                }
                "crlf" => style.crlf = value.as_bool()?,
                "depth" => {
                    let depth = usize::try_from(value.as_u64()?).ok()?;
                    style.depth = (depth <= MAX_DEPTH).then_some(depth)?;
                }
                "ascii" => style.escapes.ascii = value.as_bool()?,
                "upper" => style.escapes.upper = value.as_bool()?,
                "slash" => style.escapes.slash = value.as_bool()?,
                "hex" => style.escapes.hex = hex(value)?,
                "arrays" => {}
                name => style.objects.set(name, value)?,
            }
        }
        style.arrays = usual.arrays_like(&style.objects);
        if let Some(arrays) = options.get("arrays") {
            for (name, value) in arrays.as_object()? {
                style.arrays.set(name, value)?;
            }
        }
        Some(style)
    }
}

impl Spacing {
    fn put(&self, usual: &Self, options: &mut Map<String, Value>) {
        put("comma", &*self.comma, &*usual.comma, options);
        put("lines", self.lines, usual.lines, options);
        put("pad", &*self.pad, &*usual.pad, options);
        put("empty", &*self.empty, &*usual.empty, options);
    }

    fn set(&mut self, name: &str, value: &Value) -> Option<()> {
        match name {
            "comma" => self.comma = separator(value, Some(','))?,
            "lines" => self.lines = value.as_bool()?,
            "pad" => self.pad = separator(value, None)?,
            "empty" => self.empty = separator(value, None)?,
            _ => return None,
        }
        Some(())
    }
}

fn put<T: Copy + PartialEq + Into<Value>>(
    name: &str,
    value: T,
    usual: T,
    options: &mut Map<String, Value>,
) {
    if value != usual {
        options.insert(name.to_owned(), value.into());
    }
}

/// White space around one `mark`, or without a mark.
fn separator(value: &Value, mark: Option<char>) -> Option<Box<str>> {
    let text = value.as_str().filter(|text| text.len() <= MAX_SPACE)?;
    let (before, after) = match mark {
        Some(mark) => text.split_once(mark)?,
        None => (text, ""),
    };
    let is_space = |text: &str| text.bytes().all(|byte| b" \t\r\n".contains(&byte));
    (is_space(before) && is_space(after)).then(|| text.into())
}

fn hex(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| text.len() <= 2 * MAX_SPACE)?;
    let may_be = |c: char| c.is_ascii() || Escapes::LINES.contains(&c);
    text.chars().all(may_be).then(|| text.to_owned())
}
