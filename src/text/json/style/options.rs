//! A style as a JSON object of what is not as usual, and back.
//!
//! What is read may come from anywhere: white space must be white space, and short.

use serde_json::{Map, Value};

use super::{Escapes, JsonStyle, MAX_LEVELS, Spacing};

/// Most bytes of any piece of white space.
const MAX_SPACE: usize = 64;
/// Most bytes that a level adds.
const MAX_INDENT: usize = 8;

impl JsonStyle {
    /// What differs from the default style of the format, by name.
    pub fn options(&self) -> Map<String, Value> {
        let usual = Self::compact(self.array);
        let mut options = Map::new();
        if self.document {
            options.insert("array".to_owned(), false.into());
        }
        put("between", &*self.between, &*usual.between, &mut options);
        put("colon", &*self.colon, &*usual.colon, &mut options);
        put("indent", &*self.indent, &*usual.indent, &mut options);
        put("crlf", self.crlf, usual.crlf, &mut options);
        put("depth", self.depth, usual.depth, &mut options);
        self.objects.put(&usual.objects, &mut options);
        let mut arrays = Map::new();
        self.arrays.put(&self.objects, &mut arrays);
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

    /// The style of JSON or of NDJSON that has these options; `None` if they are none.
    pub fn from_options(json: bool, options: &Map<String, Value>) -> Option<Self> {
        let document = json && options.get("array") == Some(&Value::Bool(false));
        let array = json && !document;
        let mut style = Self::compact(array);
        style.document = document;
        for (name, value) in options {
            match name.as_str() {
                "between" => style.between = separator(value, array.then_some(','))?.into(),
                "colon" => style.colon = separator(value, Some(':'))?,
                "indent" => {
                    style.indent = separator(value, None)?;
                    (style.indent.len() <= MAX_INDENT).then_some(())?;
                }
                "crlf" => style.crlf = value.as_bool()?,
                "depth" => {
                    let depth = usize::try_from(value.as_u64()?).ok()?;
                    style.depth = (depth <= MAX_LEVELS).then_some(depth)?;
                }
                "ascii" => style.escapes.ascii = value.as_bool()?,
                "upper" => style.escapes.upper = value.as_bool()?,
                "slash" => style.escapes.slash = value.as_bool()?,
                "hex" => style.escapes.hex = hex(value)?,
                "array" if document => {}
                "arrays" => {}
                name => style.objects.set(name, value)?,
            }
        }
        style.arrays = style.objects.clone();
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

/// White space with one `mark` in it, or with none.
fn separator(value: &Value, mark: Option<char>) -> Option<Box<str>> {
    let text = value.as_str().filter(|text| text.len() <= MAX_SPACE)?;
    let (before, behind) = match mark {
        Some(mark) => text.split_once(mark)?,
        None => (text, ""),
    };
    let is_space = |text: &str| text.bytes().all(|byte| b" \t\r\n".contains(&byte));
    (is_space(before) && is_space(behind)).then(|| text.into())
}

fn hex(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| text.len() <= 2 * MAX_SPACE)?;
    let may_be = |c: char| c.is_ascii() || Escapes::LINES.contains(&c);
    text.chars().all(may_be).then(|| text.to_owned())
}
