//! Inputs that are read twice.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::open::can_reopen;
use crate::error::{Error, Result};
use crate::pipeline::Source;

/// Bytes that are copied at once.
const COPY_BYTES: usize = 1 << 20;

/// Gives every input once more. Inputs that cannot be sought in go to a temporary file first, which has
/// no name and so goes away with the process; true if there were such inputs.
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
        // It may have been spooled before.
        let file = if let Some(file) = source.file.take() {
            file
        } else {
            spooled = true;
            temporary(&mut source.bytes).map_err(|error| error.in_file(&source.path))?
        };
        // All of them share one place in the file, but only one is read at a time.
        let clone = || {
            file.try_clone()
                .map_err(|error| Error::io("cannot read", error))
        };
        again.push(Source {
            path: source.path.clone(),
            bytes: Box::new(clone()?),
            file: Some(clone()?),
            format: source.format.clone(),
        });
        source.bytes = Box::new(clone()?);
        source.file = Some(file);
    }
    Ok((again, spooled))
}

/// All bytes in a temporary file without a name, which goes away with the process.
///
/// # Errors
/// If they cannot be read, or the file cannot be written.
pub fn temporary(bytes: &mut impl Read) -> Result<File> {
    let cannot = |error| Error::io("cannot write the temporary file", error);
    let mut file = tempfile::tempfile().map_err(cannot)?;
    let mut buffer = vec![0; COPY_BYTES];
    loop {
        match bytes.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => file.write_all(&buffer[..read]).map_err(cannot)?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io("cannot read", error)),
        }
    }
    file.rewind().map_err(cannot)?;
    Ok(file)
}

/// Goes back to the start of every input.
///
/// # Errors
/// If that cannot be done.
pub fn rewind(sources: &mut [Source]) -> Result<()> {
    for source in sources {
        if let Some(file) = &mut source.file {
            let rewound = File::rewind(file);
            rewound.map_err(|error| Error::io("cannot read", error).in_file(&source.path))?;
        }
    }
    Ok(())
}
