//! One error type for the whole crate: what happened, where, and how to solve it.

use std::fmt;
use std::path::{Path, PathBuf};

/// A result with [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of a failure; determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The command line asks for something impossible.
    Usage,
    /// Text that cannot be read as its format or type.
    Input,
    /// Binary input that violates its format.
    Corrupt,
    /// Binary input that uses a feature of a newer version of its format.
    Unsupported,
    /// An incomplete stream of valid frames: its index is missing or lists other frames, or other bytes follow the
    /// frames.
    Incomplete,
    /// Input that would need more memory than the limit.
    Limit,
    /// The operating system refused a read, a write or a rename.
    Io,
}

/// Where in the input a failure occurred; every part is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Path as the user typed it, or `<stdin>`.
    pub file: Option<PathBuf>,
    /// Line, counted from 1.
    pub line: Option<u64>,
    /// Byte within the line, counted from 1.
    pub byte_in_line: Option<u64>,
    /// Frame, counted from 0.
    pub frame: Option<u64>,
    /// Row group of Parquet, counted from 0.
    pub row_group: Option<u64>,
    /// Column name as shown to the user.
    pub column: Option<String>,
    /// Byte offset, counted from 0 (from the start of the frame if one is named).
    pub byte: Option<u64>,
}

/// Quotes `text` as one word for a shell, for hints that can be pasted.
pub fn shell_word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:,/@%+=".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// A failure with its place, a hint on what to do, and its cause.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    what: String,
    place: Place,
    hint: Option<String>,
    source: Option<std::io::Error>,
}

impl Error {
    /// An error of any kind; prefer the named constructors.
    pub fn new(kind: Kind, what: impl fmt::Display) -> Self {
        Self(Box::new(Inner {
            kind,
            what: what.to_string(),
            place: Place::default(),
            hint: None,
            source: None,
        }))
    }

    /// The command line asks for something impossible.
    pub fn usage(what: impl fmt::Display) -> Self {
        Self::new(Kind::Usage, what)
    }

    /// Text input cannot be read as its format or type.
    pub fn input(what: impl fmt::Display) -> Self {
        Self::new(Kind::Input, what)
    }

    /// Binary input violates its format.
    pub fn corrupt(what: impl fmt::Display) -> Self {
        Self::new(Kind::Corrupt, what)
    }

    /// Binary input uses `what`, such as `encoding 99`, which this version does not know.
    pub fn unsupported(what: impl fmt::Display) -> Self {
        Self::new(
            Kind::Unsupported,
            format!("needs {what}, written by a newer version of mbt"),
        )
    }

    /// Input exceeds a memory limit.
    pub fn limit(what: impl fmt::Display) -> Self {
        Self::new(Kind::Limit, what)
    }

    /// The operating system reported an error, or a decoder did: then the input is damaged.
    pub fn io(what: impl fmt::Display, source: std::io::Error) -> Self {
        let kind = match source.kind() {
            std::io::ErrorKind::InvalidData => Kind::Corrupt,
            _ => Kind::Io,
        };
        let mut error = Self::new(kind, what);
        error.0.source = Some(source);
        error
    }

    /// The system has no memory left for `what`.
    pub fn no_memory(what: impl fmt::Display) -> Self {
        Self::io(what, std::io::ErrorKind::OutOfMemory.into())
    }

    /// Adds a hint on what to do, ready to paste where possible.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Appends to the existing hint.
    #[must_use]
    pub fn and_hint(mut self, more: &str) -> Self {
        self.0.hint = Some(match self.0.hint.take() {
            Some(hint) => format!("{hint}; {more}"),
            None => more.to_owned(),
        });
        self
    }

    /// Adds a hint if the input is damaged and there is no hint yet.
    #[must_use]
    pub fn or_hint_of_damage(mut self, hint: &str) -> Self {
        if matches!(self.0.kind, Kind::Corrupt | Kind::Incomplete) {
            self.0.hint.get_or_insert_with(|| hint.to_owned());
        }
        self
    }

    /// Prefixes the message with the name of the option at fault.
    #[must_use]
    pub fn of_option(mut self, option: &str) -> Self {
        self.0.what = format!("{option}: {}", self.0.what);
        self
    }

    /// Sets the input file, unless it is set already.
    #[must_use]
    pub fn in_file(mut self, file: &Path) -> Self {
        self.0.place.file.get_or_insert_with(|| file.to_path_buf());
        self
    }

    /// Sets the line and the byte within it, both counted from 1.
    #[must_use]
    pub fn at_line(mut self, line: u64, byte_in_line: u64) -> Self {
        self.0.place.line = Some(line);
        self.0.place.byte_in_line = Some(byte_in_line);
        self
    }

    /// Sets the frame, counted from 0.
    #[must_use]
    pub fn in_frame(mut self, frame: u64) -> Self {
        self.0.place.frame = Some(frame);
        self
    }

    /// Sets the row group, counted from 0.
    #[must_use]
    pub fn in_row_group(mut self, row_group: u64) -> Self {
        self.0.place.row_group = Some(row_group);
        self
    }

    /// Sets the column.
    #[must_use]
    pub fn in_column(mut self, column: impl Into<String>) -> Self {
        self.0.place.column = Some(column.into());
        self
    }

    /// Prefixes the column with its parent: `user` and `.name` make `user.name`.
    #[must_use]
    pub fn below_column(mut self, above: &str) -> Self {
        let column = self.0.place.column.take().unwrap_or_default();
        self.0.place.column = Some(format!("{above}{column}"));
        self
    }

    /// Sets the byte offset, counted from 0.
    #[must_use]
    pub fn at_byte(mut self, byte: u64) -> Self {
        self.0.place.byte = Some(byte);
        self
    }

    /// The kind of failure.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Where it occurred.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// What happened, without the place and the hint.
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// What happened, the cause, and the hint, without the place.
    pub fn message(&self) -> String {
        use std::fmt::Write as _;
        let mut text = self.0.what.clone();
        if let Some(source) = &self.0.source {
            let _ = write!(text, ": {}", without_number(&source.to_string()));
        }
        if let Some(hint) = &self.0.hint {
            text.push_str("; ");
            text.push_str(hint);
        }
        text
    }

    /// Exit code for the shell: 3 for I/O, 2 for everything else.
    pub fn exit_code(&self) -> u8 {
        match self.0.kind {
            Kind::Usage
            | Kind::Input
            | Kind::Corrupt
            | Kind::Unsupported
            | Kind::Incomplete
            | Kind::Limit => 2,
            Kind::Io => 3,
        }
    }

    /// True if the reader of our output closed the pipe, which does not count as a failure.
    pub fn is_broken_pipe(&self) -> bool {
        self.0
            .source
            .as_ref()
            .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}", file.display())?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
                if let Some(byte) = self.byte_in_line {
                    write!(f, ":{byte}")?;
                }
            }
            f.write_str(": ")?;
        } else if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(frame) = self.frame {
            write!(f, "frame {frame}: ")?;
        }
        if let Some(row_group) = self.row_group {
            write!(f, "row group {row_group}: ")?;
        }
        if let Some(column) = &self.column {
            write!(f, "column \"{}\": ", column.escape_debug())?;
        }
        if let Some(byte) = self.byte {
            write!(f, "byte {byte}: ")?;
        }
        Ok(())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0.place, self.message())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|e| e as _)
    }
}

/// Strips the number that the standard library appends to system errors, ` (os error 2)`.
fn without_number(text: &str) -> &str {
    let number = text.rfind(" (os error ").filter(|_| text.ends_with(')'));
    number.map_or(text, |at| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_errors_look_like_compiler_errors() {
        let error = Error::input("cannot read \"D1000263\" as i64")
            .at_line(8_123_649, 17)
            .in_column("patent_id")
            .in_file(Path::new("prices.csv"))
            .hint("use --schema patent_id:utf8");
        assert_eq!(
            error.to_string(),
            "prices.csv:8123649:17: column \"patent_id\": cannot read \"D1000263\" as i64; use --schema patent_id:utf8"
        );
        assert_eq!(error.exit_code(), 2);
    }

    #[test]
    fn binary_errors_name_frame_column_and_byte() {
        let error = Error::corrupt("varint cut short")
            .in_file(Path::new("a.mbt"))
            .in_frame(3)
            .in_column("t")
            .at_byte(127);
        assert_eq!(
            error.to_string(),
            "a.mbt: frame 3: column \"t\": byte 127: varint cut short"
        );
    }

    #[test]
    fn hints_can_be_pasted_into_a_shell() {
        assert_eq!(shell_word("a_b.c:utf8"), "a_b.c:utf8");
        assert_eq!(shell_word("$:json"), "'$:json'");
        assert_eq!(shell_word("it's:utf8"), r"'it'\''s:utf8'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn a_closed_pipe_differs_from_a_full_disk() {
        let closed = Error::io("cannot write", std::io::ErrorKind::BrokenPipe.into());
        let full = Error::io("cannot write", std::io::ErrorKind::StorageFull.into());
        assert!(closed.is_broken_pipe() && !full.is_broken_pipe());
        assert_eq!(full.exit_code(), 3);
    }
}
