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
    /// Returns a second copy of every input, and whether any of them was copied to a temporary file for it.
    ///
    /// # Errors
    /// As for [`Self::again`].
    pub fn twice(&mut self) -> Result<(Vec<Source>, bool)> {
        let mut again = Vec::with_capacity(self.sources.len());
        let mut spooled = false;
        for place in 0..self.sources.len() {
            let (source, was_spooled) = self.again(place)?;
            again.push(source);
            spooled |= was_spooled;
        }
        Ok((again, spooled))
    }

    /// Returns a second copy of an input. If it is not seekable, it is first copied to an unnamed temporary file, which
    /// disappears with the process. Also returns whether that was necessary.
    ///
    /// # Errors
    /// If the input cannot be read again, or the temporary file cannot be written.
    pub fn again(&mut self, place: usize) -> Result<(Source, bool)> {
        let source = &mut self.sources[place];
        if can_reopen(&self.paths[place]) {
            return Ok((self.opener.open(&self.paths[place])?, false));
        }
        // It may already have been copied.
        let (file, spooled) = if let Some(file) = source.file.take() {
            (file, false)
        } else {
            let file = temporary(&mut source.bytes);
            (file.map_err(|error| error.in_file(&source.path))?, true)
        };
        *source = source.of_file(&file)?;
        Ok((source.of_file(&file)?, spooled))
    }
}

/// Copies all bytes to an unnamed temporary file, which disappears with the process.
///
/// # Errors
/// If they cannot be read, or the file cannot be written.
pub fn temporary(bytes: &mut impl Read) -> Result<File> {
    let mut file = unnamed()?;
    let mut buffer = vec![0; COPY_BYTES];
    loop {
        match bytes.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => file.write_all(&buffer[..read]).map_err(cannot_use)?,
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
