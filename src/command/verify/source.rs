//! Checks that the original text can be restored from the frames.

use std::io::Read;
use std::path::Path;

use super::Finding;
use crate::columns::TextOptions;
use crate::command::convert::PRINT_ROWS;
use crate::command::open::{first_frame, source};
use crate::command::writer::{Encoded, Fidelity, Kind, OutputFormat, Text};
use crate::error::{Error, Result};
use crate::format::csv::CsvOptions;
use crate::format::{Bytes, Format};
use crate::pipeline::{self, FrameSize, Options};
use crate::stream::{Fingerprinter, HashKind};
use crate::units::grouped;

/// Prints the frames at `path` and compares them with the text, if it is given, and with what the
/// index says of it; tells where they differ. `None` if they do not, or nothing is known of a text.
///
/// # Errors
/// If the frames cannot be read, or there is no text to compare that was given.
pub fn compare(
    path: &Path,
    text: Option<&Path>,
    max_frame: u64,
    threads: usize,
) -> Result<Option<Finding>> {
    let csv = CsvOptions::default();
    let mut frames = source(path, Some(Format::Mbt), &csv, |bytes| bytes)?;
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
            let opened = source(text, Some(format), &csv, |bytes| bytes)?;
            Some((text, opened.bytes))
        }
    };
    let mut comparison = Comparison {
        text,
        fingerprint: None,
        line: 1,
        differs: None,
    };
    let text = TextOptions::default();
    let options = Options {
        batch_rows: Some(PRINT_ROWS),
        threads,
        ..Options::all(text, FrameSize::Whole, max_frame)
    };
    let printed = Text::new(dialect, Fidelity::Bytes, None);
    let format = OutputFormat::new(Kind::Text(Box::new(printed.clone())));
    let write = |encoded: Encoded| {
        let hash = printed.hash_kind();
        encoded
            .runs()
            .try_for_each(|run| comparison.take(run, hash))
    };
    let end = pipeline::run(vec![frames], &options, &format, write)?;
    comparison.take(&printed.end(end.ending.as_ref()), printed.hash_kind())?;
    let written = comparison.fingerprint(printed.hash_kind()).finish();
    let what = match comparison.finish()? {
        Some(what) => what,
        None => match printed.check(end.ending.as_ref(), written) {
            Ok(()) => return Ok(None),
            Err(error) => error.message(),
        },
    };
    Ok(Some(Finding {
        kind: "source",
        frame: None,
        frame_offset: 0,
        column: None,
        columns: Vec::new(),
        byte: None,
        what,
    }))
}

/// A text, as far as it has been compared.
struct Comparison<'a> {
    text: Option<(&'a Path, Bytes)>,
    /// Of what was printed, once some was.
    fingerprint: Option<Fingerprinter>,
    /// The line that is compared next.
    line: u64,
    differs: Option<String>,
}

impl Comparison<'_> {
    fn fingerprint(&mut self, hash: HashKind) -> &mut Fingerprinter {
        self.fingerprint
            .get_or_insert_with(|| Fingerprinter::new(hash))
    }

    /// Compares what comes next.
    fn take(&mut self, printed: &[u8], hash: HashKind) -> Result<()> {
        let fingerprint = self.fingerprint(hash);
        let at = fingerprint.bytes();
        fingerprint.update(printed);
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
        let same = printed.iter().zip(&expected).take_while(|(a, b)| a == b);
        let same = same.count();
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

    /// What differs, once all has been compared.
    fn finish(mut self) -> Result<Option<String>> {
        if let (Some((path, text)), None) = (&mut self.text, &self.differs) {
            let mut next = [0];
            let more = text
                .read(&mut next)
                .map_err(|error| Error::io("cannot read", error).in_file(path))?;
            if more > 0 {
                self.differs = Some(format!(
                    "the restored text ends at byte {}, but {} continues",
                    grouped(self.fingerprint.map_or(0, |print| print.bytes())),
                    path.display()
                ));
            }
        }
        Ok(self.differs)
    }
}
