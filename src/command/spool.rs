//! Inputs that are read twice.

use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::pipeline::Source;

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
        if source.file.is_some() {
            again.push(open(path)?);
            continue;
        }
        spooled = true;
        let cannot = |error| Error::io("cannot write the temporary file", error);
        let file = tempfile::tempfile().map_err(cannot)?;
        let mut out = BufWriter::new(file);
        let read = |error| Error::io("cannot read", error).in_file(&source.path);
        std::io::copy(&mut source.bytes, &mut out).map_err(read)?;
        out.flush().map_err(cannot)?;
        let mut file = out
            .into_inner()
            .map_err(|error| cannot(error.into_error()))?;
        file.rewind().map_err(cannot)?;
        // All of them share one place in the file, but only one is read at a time.
        let clone = || file.try_clone().map_err(cannot);
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
