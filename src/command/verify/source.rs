//! Checks that the original text can be restored from the frames.

use std::io::Read;
use std::path::Path;

use super::Finding;
use crate::columns::TextOptions;
use crate::command::convert::PRINT_ROWS;
use crate::command::open::{Opener, first_frame};
use crate::error::{Error, Kind, Result};
use crate::format::exact::Fidelity;
use crate::format::text::TextWriter;
use crate::format::{ByteSource, Format, Sink, Writer as _};
use crate::pipeline::{self, FrameSize, PipelineOptions};
use crate::report::note;
use crate::units::grouped;

/// Prints the frames at `path` and compares the result with the given text, if any, and with the hash in the index.
/// Returns a description of the first difference; `None` if they are equal, or if the frames record no text.
///
/// # Errors
/// If the frames cannot be read, or if a text is given but the frames record none.
pub fn compare(
    path: &Path,
    text: Option<&Path>,
    max_frame: u64,
    threads: usize,
) -> Result<Option<Finding>> {
    let open = |path: &Path, format| Opener::usual(Some(format), &note).open(path);
    let mut frames = open(path, Format::Mbt)?;
    let Some(dialect) = first_frame(&mut frames, max_frame)?.text else {
        return match text {
            None => Ok(None),
            Some(_) => Err(Error::usage(
                "--source: the frames do not record how the text was written",
            )
            .in_file(path)
            .hint("mbt convert records it in wire 2, unless --exact is off")),
        };
    };
    let text = match text {
        None => None,
        Some(text) => {
            let format = dialect.format();
            let opened = open(text, format)?;
            Some((text, opened.bytes))
        }
    };
    let mut comparison = TextComparison {
        text,
        bytes: 0,
        line: 1,
        differs: None,
    };
    let text = TextOptions::default();
    let options = PipelineOptions {
        batch_rows: Some(PRINT_ROWS),
        threads,
        ..PipelineOptions::all(text, FrameSize::Whole, max_frame)
    };
    let writer = TextWriter::new(dialect, Fidelity::Bytes, None);
    let end = pipeline::run(vec![frames], &options, &writer, |rows| {
        rows.write(&mut comparison)
    })?;
    let finished = writer.finish(end.ending, &mut comparison);
    let what = match (comparison.finish()?, finished) {
        (Some(what), _) => what,
        (None, Ok(_)) => return Ok(None),
        (None, Err(error)) if error.kind() == Kind::Corrupt => error.message(),
        (None, Err(error)) => return Err(error),
    };
    Ok(Some(Finding {
        kind: "source",
        what,
        ..Finding::default()
    }))
}

/// A comparison in progress.
struct TextComparison<'a> {
    text: Option<(&'a Path, ByteSource)>,
    /// Number of bytes printed.
    bytes: u64,
    /// The next line to compare.
    line: u64,
    differs: Option<String>,
}

impl Sink for TextComparison<'_> {
    fn write_runs(&mut self, runs: &mut dyn Iterator<Item = &[u8]>) -> Result<()> {
        for run in runs {
            self.take(run)?;
        }
        Ok(())
    }
}

impl TextComparison<'_> {
    /// Compares the next bytes.
    fn take(&mut self, printed: &[u8]) -> Result<()> {
        let at = self.bytes;
        self.bytes += printed.len() as u64;
        let Some((path, text)) = &mut self.text else {
            return Ok(());
        };
        if self.differs.is_some() {
            return Ok(());
        }
        let mut expected = Vec::with_capacity(printed.len());
        text.take(printed.len() as u64)
            .read_to_end(&mut expected)
            .map_err(|error| Error::io("cannot read", error).in_file(path))?;
        let same = printed
            .iter()
            .zip(&expected)
            .take_while(|(a, b)| a == b)
            .count();
        let newlines = memchr::memchr_iter(b'\n', &printed[..same]).count();
        self.line += newlines as u64;
        if same < printed.len() {
            let what = if same < expected.len() {
                "differs from"
            } else {
                "continues past the end of"
            };
            self.differs = Some(format!(
                "the restored text {what} {} at byte {}, in line {}",
                path.display(),
                grouped(at + same as u64),
                grouped(self.line)
            ));
        }
        Ok(())
    }

    /// The difference, after everything has been compared.
    fn finish(mut self) -> Result<Option<String>> {
        if let (Some((path, text)), None) = (&mut self.text, &self.differs) {
            let mut next = [0];
            let more = text
                .read(&mut next)
                .map_err(|error| Error::io("cannot read", error).in_file(path))?;
            if more > 0 {
                self.differs = Some(format!(
                    "the restored text ends at byte {}, but {} continues",
                    grouped(self.bytes),
                    path.display()
                ));
            }
        }
        Ok(self.differs)
    }
}
