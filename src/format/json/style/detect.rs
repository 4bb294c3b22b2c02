//! Detects the style of a text from its beginning.
//!
//! Each occurrence in the text votes for the properties of the style that it shows, and the most frequent choice wins.
//! So the style is found even if the first record does not show all of it.

use crate::format::json::cut::Framing;
use crate::text::json::scan::{skip_space, string_end, value_end};
use crate::text::json::style::{Container, Escapes, JsonStyle, Spacing};

/// Number of bytes that vote, unless the first row is longer.
const VOTERS: usize = 64 << 10;

/// The most distinct choices counted per property.
const MAX_KINDS: usize = 64;

impl JsonStyle {
    /// The style of a text that continues with `text`, whose first byte starts a row; `whole` if nothing follows it.
    pub(in crate::format::json) fn detect(text: &[u8], framing: Framing, whole: bool) -> Self {
        let array = framing == Framing::Array;
        let mut votes = Votes::default();
        votes.rows(text, array, whole);
        let compact = Self::compact(array);
        let between = match votes.between.first() {
            Some(gap) if framing != Framing::Lines => String::from_utf8_lossy(gap).into_owned(),
            Some(gap) if gap.starts_with(b"\r\n") => "\r\n".to_owned(),
            _ => compact.between.clone(),
        };
        // Without nested containers, use the first items.
        let flat = || votes.inner.first().filter(|_| !array);
        let unit = votes.indent.first().or_else(flat).unwrap_or_default();
        // A row that is longer than the sample does not end in it.
        let inner = || Some(votes.inner.first()?.len().saturating_sub(unit.len()));
        let outer = votes.outer.first().map(<[u8]>::len).or_else(inner);
        let depth = outer.unwrap_or_default();
        let (objects, arrays) = (votes.objects.spacing(), votes.arrays.spacing());
        // If one kind of container did not occur, use the style of the other.
        let usual = objects
            .as_ref()
            .or(arrays.as_ref())
            .map_or_else(Spacing::compact, |spacing| Spacing {
                empty: "".into(),
                ..spacing.clone()
            });
        let with_empty = |spacing: Option<Spacing>, votes: &ContainerVotes<'_>| Spacing {
            empty: lossy(votes.empty.first().unwrap_or_default()),
            ..spacing.unwrap_or_else(|| usual.clone())
        };
        let mut objects = with_empty(objects, &votes.objects);
        let arrays = with_empty(arrays, &votes.arrays);
        // The style of Ruby.
        if votes.objects.empty.first().is_none() && &*arrays.empty == "\n\n" {
            objects.empty = "\n".into();
        }
        let crlf = memchr::memchr(b'\n', text).is_some_and(|at| text[..at].ends_with(b"\r"));
        let crlf = crlf && (objects.lines || arrays.lines);
        let style = Self {
            array,
            document: false,
            encoding: compact.encoding,
            unmarked: compact.unmarked,
            records: None,
            between,
            colon: votes.colon.first().map_or(compact.colon, lossy),
            objects,
            arrays,
            indent: lossy(unit),
            crlf,
            depth: depth.checked_div(unit.len()).unwrap_or_default(),
            escapes: Escapes::detect(text),
        };
        // Ignore pieces that are too long to be stored.
        let plain = Self::compact(array);
        let options = style.options(&plain);
        Self::from_options(&plain, &options).unwrap_or(plain)
    }
}

fn lossy(bytes: &[u8]) -> Box<str> {
    String::from_utf8_lossy(bytes).into()
}

/// Counts occurrences.
#[derive(Default)]
struct Count<'a>(Vec<(&'a [u8], usize)>);

impl<'a> Count<'a> {
    fn add(&mut self, seen: &'a [u8]) {
        if let Some((_, count)) = self.0.iter_mut().find(|(known, _)| *known == seen) {
            *count += 1;
        } else if self.0.len() < MAX_KINDS {
            self.0.push((seen, 1));
        }
    }

    /// The most frequent item; the first of equally frequent ones.
    fn first(&self) -> Option<&'a [u8]> {
        self.most(|_| true)
    }

    fn most(&self, wanted: impl Fn(&[u8]) -> bool) -> Option<&'a [u8]> {
        self.0
            .iter()
            .rev()
            .filter(|(seen, _)| wanted(seen))
            .max_by_key(|(_, count)| count)
            .map(|(seen, _)| *seen)
    }
}

#[derive(Default)]
struct ContainerVotes<'a> {
    open: Count<'a>,
    comma: Count<'a>,
    empty: Count<'a>,
    on_lines: usize,
    inline: usize,
}

impl ContainerVotes<'_> {
    /// The style, ignoring empty containers; `None` if all are empty.
    fn spacing(&self) -> Option<Spacing> {
        if self.on_lines + self.inline == 0 {
            return None;
        }
        let lines = self.on_lines > self.inline;
        let fits = |seen: &[u8]| seen.contains(&b'\n') == lines;
        let comma = self.comma.most(fits).unwrap_or(b",");
        let line = memchr::memchr2(b'\r', b'\n', comma);
        let pad = self.open.most(fits).filter(|_| !lines);
        Some(Spacing {
            // Styles never put a comma at the start of a line.
            comma: lossy(&comma[..line.unwrap_or(comma.len())]),
            lines,
            pad: lossy(pad.unwrap_or_default()),
            empty: "".into(),
        })
    }
}

#[derive(Default)]
struct Votes<'a> {
    between: Count<'a>,
    colon: Count<'a>,
    objects: ContainerVotes<'a>,
    arrays: ContainerVotes<'a>,
    /// The indentation of one level.
    indent: Count<'a>,
    /// Indentation of lines that close a row.
    outer: Count<'a>,
    /// Indentation of the first items of rows.
    inner: Count<'a>,
}

/// The text before the first item of each container around a position.
type OpenContainers<'a> = Vec<(Container, &'a [u8])>;

impl<'a> Votes<'a> {
    fn of(&mut self, container: Container) -> &mut ContainerVotes<'a> {
        match container {
            Container::Object => &mut self.objects,
            Container::Array => &mut self.arrays,
        }
    }

    fn rows(&mut self, text: &'a [u8], array: bool, whole: bool) {
        let mut at = 0;
        while let Some(end) = self.value(text, at) {
            let next = skip_space(text, end);
            at = next;
            if array {
                if text.get(next) != Some(&b',') {
                    return;
                }
                at = skip_space(text, next + 1);
            }
            // The text after the only row shows how rows are separated. A row at the very end shows nothing: the text
            // just lacks its last line end, and rows of other texts may follow.
            let is_only = whole && self.between.0.is_empty() && !array;
            if at < text.len() || is_only && at > end {
                self.between.add(&text[end..at]);
            }
            if at >= text.len().min(VOTERS) {
                return;
            }
        }
    }

    /// Counts what surrounds the value at `at`; `None` if the value is incomplete.
    fn value(&mut self, text: &'a [u8], mut at: usize) -> Option<usize> {
        let mut levels = OpenContainers::new();
        loop {
            let mut end = match text.get(at)? {
                open @ (b'{' | b'[') => {
                    let container = if *open == b'{' {
                        Container::Object
                    } else {
                        Container::Array
                    };
                    let first = skip_space(text, at + 1);
                    let space = &text[at + 1..first];
                    if let b'}' | b']' = text.get(first)? {
                        let line = memchr::memrchr(b'\n', space);
                        let space = line.map_or(space, |at| &space[..=at]);
                        self.of(container).empty.add(space);
                        first + 1
                    } else {
                        let votes = self.of(container);
                        votes.open.add(space);
                        if space.contains(&b'\n') {
                            votes.on_lines += 1;
                        } else {
                            votes.inline += 1;
                        }
                        self.open(levels.last().map(|(_, outer)| *outer), space);
                        levels.push((container, space));
                        at = self.after_key(text, container, first)?;
                        continue;
                    }
                }
                _ => value_end(text, at).ok()?,
            };
            // After a value: close the containers that end here, then continue with the next value.
            loop {
                let Some(&(container, open)) = levels.last() else {
                    return Some(end);
                };
                let next = skip_space(text, end);
                let space = &text[end..next];
                match text.get(next)? {
                    b',' => {
                        let item = skip_space(text, next + 1);
                        self.of(container).comma.add(&text[end..item]);
                        at = self.after_key(text, container, item)?;
                        break;
                    }
                    b'}' | b']' => {
                        levels.pop();
                        self.close(open, space, levels.is_empty());
                        end = next + 1;
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Counts the space before the first item of a container. `outer` is the indentation of the container
    /// around it.
    fn open(&mut self, outer: Option<&'a [u8]>, space: &'a [u8]) {
        let Some(inner) = indentation(space) else {
            return;
        };
        match outer.map(indentation) {
            None => self.inner.add(inner),
            Some(Some(outer)) => {
                if let Some(unit) = inner.strip_prefix(outer) {
                    self.indent.add(unit);
                }
            }
            Some(None) => {}
        }
    }

    fn close(&mut self, open: &'a [u8], close: &'a [u8], is_row: bool) {
        if let (Some(inner), Some(outer)) = (indentation(open), indentation(close)) {
            if let Some(unit) = inner.strip_prefix(outer) {
                self.indent.add(unit);
            }
            if is_row {
                self.outer.add(outer);
            }
        }
    }

    /// The start of the value of an item.
    fn after_key(&mut self, text: &'a [u8], container: Container, at: usize) -> Option<usize> {
        if container == Container::Array {
            return Some(at);
        }
        if text.get(at) != Some(&b'"') {
            return None;
        }
        let end = string_end(text, at).ok()?;
        let colon = skip_space(text, end);
        if text.get(colon) != Some(&b':') {
            return None;
        }
        let value = skip_space(text, colon + 1);
        self.colon.add(&text[end..value]);
        Some(value)
    }
}

/// The white space from the last line end on, if there is one.
fn indentation(space: &[u8]) -> Option<&[u8]> {
    let line = memchr::memrchr(b'\n', space)?;
    Some(&space[line + 1..])
}

impl Escapes {
    /// The escapes of a text: a character counts as escaped if most of its occurrences are.
    fn detect(text: &[u8]) -> Self {
        let mut escaped = [0usize; 128];
        let (mut ascii, mut lines, mut slash) = (0, 0, 0);
        let (mut upper, mut lower) = (0, 0);
        let mut short = [0usize; 128];
        let mut rest = text;
        while let Some(at) = memchr::memchr(b'\\', rest) {
            rest = &rest[at + 1..];
            let Some(&kind) = rest.first() else {
                break;
            };
            rest = &rest[1..];
            match kind {
                b'/' => slash += 1,
                b'b' => short[0x08] += 1,
                b'f' => short[0x0c] += 1,
                b'n' => short[0x0a] += 1,
                b'r' => short[0x0d] += 1,
                b't' => short[0x09] += 1,
                b'"' | b'\\' => short[usize::from(kind)] += 1,
                b'u' => {
                    let digits = rest.get(..4).and_then(|digits| str::from_utf8(digits).ok());
                    let Some(digits) = digits else { continue };
                    upper += digits.bytes().filter(u8::is_ascii_uppercase).count();
                    lower += digits.bytes().filter(u8::is_ascii_lowercase).count();
                    match u16::from_str_radix(digits, 16) {
                        Ok(unit @ 0..0x80) => escaped[usize::from(unit)] += 1,
                        Ok(0x2028 | 0x2029) => lines += 1,
                        Ok(_) => ascii += 1,
                        Err(_) => {}
                    }
                }
                _ => {}
            }
        }
        let bare = |byte: u8| memchr::memchr_iter(byte, text).count();
        let is_hex = |&byte: &u8| {
            let code = usize::from(byte);
            let must = byte < 0x20 || matches!(byte, b'"' | b'\\');
            let has_short = matches!(byte, 8 | 9 | 10 | 12 | 13 | b'"' | b'\\');
            // Other characters that must be escaped have only one form.
            escaped[code] > 0
                && (!must || has_short)
                && escaped[code] > if must { short[code] } else { bare(byte) }
        };
        let mut hex: String = (0..0x80).filter(is_hex).map(char::from).collect();
        let kept = text.iter().filter(|&&byte| byte >= 0xc0).count();
        let ascii = ascii > kept;
        let line_ends =
            |end: char| memchr::memmem::find_iter(text, end.encode_utf8(&mut [0; 4])).count();
        if !ascii && lines > Self::LINES.map(line_ends).iter().sum::<usize>() {
            hex.extend(Self::LINES);
        }
        Self {
            ascii,
            upper: upper > lower,
            slash: slash > bare(b'/') - slash,
            hex,
        }
    }
}
