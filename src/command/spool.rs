//! Reading inputs twice.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::PathBuf;

use super::open::{Opener, can_reopen};
use crate::error::{Error, Result};
use crate::pipeline::Source;

/// Number of bytes to copy at a time.
const COPY_BYTES: usize = 1 << 20;

/// Opened inputs that can be read more than once.
pub struct Inputs<'a> {
    /// The inputs, each to be read once.
    pub sources: &'a mut [Source],
    /// Their paths.
    pub paths: &'a [PathBuf],
    /// Opens them again.
    pub opener: &'a Opener<'a>,
}

impl Inputs<'_> {
    /// Returns a second copy of every input; `why` is in the note about inputs that have to be copied.
    ///
    /// # Errors
    /// As for [`Self::again`].
    pub fn twice(&mut self, why: &str) -> Result<Vec<Source>> {
        let places = 0..self.sources.len();
        places.map(|place| self.again(place, why)).collect()
    }

    /// Returns a second copy of an input. If it is not seekable, it is first copied to a temporary file.
    ///
    /// # Errors
    /// If the input cannot be read again, or the temporary file cannot be written.
    pub fn again(&mut self, place: usize, why: &str) -> Result<Source> {
        let source = &mut self.sources[place];
        if can_reopen(&self.paths[place]) {
            return self.opener.open(&self.paths[place]);
        }
        // It may already have been copied.
        let file = match source.file.take() {
            Some(file) => file,
            None => self.opener.copy(source, why)?,
        };
        *source = source.of_file(&file)?;
        source.of_file(&file)
    }
}

/// Copies all bytes to an unnamed temporary file, which disappears with the process. Calls `note` once there are at
/// least `noted_bytes`.
///
/// # Errors
/// If they cannot be read, or the file cannot be written.
pub fn temporary(bytes: &mut impl Read, noted_bytes: usize, note: impl FnOnce()) -> Result<File> {
    let mut file = unnamed()?;
    let mut buffer = vec![0; COPY_BYTES];
    let mut copied = 0;
    let mut note = Some(note);
    loop {
        if copied >= noted_bytes
            && let Some(note) = note.take()
        {
            note();
        }
        match bytes.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                file.write_all(&buffer[..read]).map_err(cannot_use)?;
                copied += read;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io("cannot read", error)),
        }
    }
    file.rewind().map_err(cannot_use)?;
    Ok(file)
}

/// Creates an unnamed temporary file, which disappears with the process.
///
/// # Errors
/// If it cannot be created.
pub fn unnamed() -> Result<File> {
    tempfile::tempfile().map_err(cannot_use)
}

/// The error for a file made by [`unnamed`]. It names the directory: the file itself has no name.
pub fn cannot_use(error: std::io::Error) -> Error {
    let dir = std::env::temp_dir();
    let what = format!("cannot use a temporary file in {}", dir.display());
    Error::io(&what, error).hint("set TMPDIR to use another directory")
}

/// Seeks to the start of every input.
///
/// # Errors
/// If seeking fails.
pub fn rewind(sources: &[Source]) -> Result<()> {
    sources.iter().try_for_each(Source::rewind)
}
