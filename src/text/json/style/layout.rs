//! Prints JSON with the white space of a style.

use super::{JsonStyle, Spacing};
use crate::text::json::MAX_DEPTH;
use crate::text::json::escape::Escaper;
use crate::text::json::scan::{skip_space, string_end};

/// An object or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Objects.
    Object,
    /// Arrays.
    Array,
}

impl Container {
    fn brackets(self) -> (u8, u8) {
        match self {
            Self::Object => (b'{', b'}'),
            Self::Array => (b'[', b']'),
        }
    }
}

impl JsonStyle {
    fn spacing(&self, container: Container) -> &Spacing {
        match container {
            Container::Object => &self.objects,
            Container::Array => &self.arrays,
        }
    }

    /// The depth of the items of a container at the given depth.
    pub(crate) fn inside(&self, container: Container, depth: usize) -> usize {
        depth + usize::from(self.spacing(container).lines)
    }

    /// Starts a line.
    pub(crate) fn line(&self, depth: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.crlf { b"\r\n" } else { b"\n" });
        self.indentation(depth, out);
    }

    fn indentation(&self, depth: usize, out: &mut Vec<u8>) {
        for _ in 0..depth.min(MAX_DEPTH) {
            out.extend_from_slice(self.indent.as_bytes());
        }
    }

    /// Prints what comes before the first item.
    pub(crate) fn open(&self, container: Container, depth: usize, out: &mut Vec<u8>) {
        let spacing = self.spacing(container);
        out.push(container.brackets().0);
        if spacing.lines {
            self.line(depth + 1, out);
        } else {
            out.extend_from_slice(spacing.pad.as_bytes());
        }
    }

    /// Prints what comes between two items.
    pub(crate) fn comma(&self, container: Container, depth: usize, out: &mut Vec<u8>) {
        let spacing = self.spacing(container);
        out.extend_from_slice(spacing.comma.as_bytes());
        if spacing.lines {
            self.line(depth + 1, out);
        }
    }

    /// Prints what comes after the last item.
    pub(crate) fn close(&self, container: Container, depth: usize, out: &mut Vec<u8>) {
        let spacing = self.spacing(container);
        if spacing.lines {
            self.line(depth, out);
        } else {
            out.extend_from_slice(spacing.pad.as_bytes());
        }
        out.push(container.brackets().1);
    }

    /// Prints a container without items.
    pub(crate) fn empty(&self, container: Container, depth: usize, out: &mut Vec<u8>) {
        let (open, close) = container.brackets();
        let space = &self.spacing(container).empty;
        out.push(open);
        out.extend_from_slice(space.as_bytes());
        if space.ends_with('\n') {
            self.indentation(depth, out);
        }
        out.push(close);
    }

    /// Appends a valid value in this style, whatever its white space and escapes.
    pub(crate) fn lay_out(
        &self,
        value: &[u8],
        depth: usize,
        escaper: Option<&Escaper>,
        out: &mut Vec<u8>,
    ) {
        let mut levels = vec![];
        let mut depth = depth;
        let mut at = skip_space(value, 0);
        while let Some(&byte) = value.get(at) {
            match byte {
                b'"' => {
                    let end = string_end(value, at).unwrap_or(value.len());
                    match escaper {
                        Some(escaper) => escaper.respell(&value[at..end], out),
                        None => out.extend_from_slice(&value[at..end]),
                    }
                    at = end;
                }
                b'{' | b'[' => {
                    let container = if byte == b'{' {
                        Container::Object
                    } else {
                        Container::Array
                    };
                    at = skip_space(value, at + 1);
                    if let Some(b'}' | b']') = value.get(at) {
                        self.empty(container, depth, out);
                        at += 1;
                    } else {
                        self.open(container, depth, out);
                        levels.push(container);
                        depth = self.inside(container, depth);
                    }
                }
                b'}' | b']' => {
                    if let Some(container) = levels.pop() {
                        depth -= usize::from(self.spacing(container).lines);
                        self.close(container, depth, out);
                    }
                    at += 1;
                }
                b',' => {
                    if let Some(&container) = levels.last() {
                        // `depth` is the depth of the items, but `comma` takes the depth of their container.
                        let outer = depth - usize::from(self.spacing(container).lines);
                        self.comma(container, outer, out);
                    }
                    at += 1;
                }
                b':' => {
                    out.extend_from_slice(self.colon.as_bytes());
                    at += 1;
                }
                _ => {
                    out.push(byte);
                    at += 1;
                }
            }
            at = skip_space(value, at);
        }
    }
}
