//! Reading inputs twice.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::open::can_reopen;
use crate::error::{Error, Result};
use crate::pipeline::Source;

/// Number of bytes to copy at a time.
const COPY_BYTES: usize = 1 << 20;

/// Returns a second copy of every input. Inputs that are not seekable are first copied to an unnamed temporary file,
/// which disappears with the process. Also returns whether there were such inputs.
///
/// # Errors
/// If an input cannot be read again, or the temporary file cannot be written.
pub fn twice(
    sources: &mut [Source],
    inputs: &[PathBuf],
    open: impl Fn(&Path) -> Result<Source>,
) -> Result<(Vec<Source>, bool)> {
    let mut again = Vec::with_capacity(sources.len());
    let mut spooled = false;
    for (source, path) in sources.iter_mut().zip(inputs) {
        if can_reopen(path) {
            again.push(open(path)?);
            continue;
        }
        // It may already have been copied.
        let file = if let Some(file) = source.file.take() {
            file
        } else {
            spooled = true;
            temporary(&mut source.bytes).map_err(|error| error.in_file(&source.path))?
        };
        again.push(source.of_file(&file)?);
        *source = source.of_file(&file)?;
    }
    Ok((again, spooled))
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
