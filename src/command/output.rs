//! Outputs: stdout, a file that appears complete or not at all, or memory.

use std::fs::File;
use std::io::{ErrorKind, IoSlice, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::open::{is_standard, metadata};
use super::partial::{Partial, outlive_file_size_limit};
use crate::error::{Error, Kind, Result, shell_word};
use crate::format::Sink;
use crate::report::ensure_stdout_is_open;
use crate::report::progress::{Progress, ProgressCounts};

/// An opened output.
pub struct Output {
    /// As typed.
    shown: PathBuf,
    to: To,
    /// Counts written bytes.
    counts: Arc<ProgressCounts>,
}

enum To {
    Stdout(std::io::Stdout),
    /// Devices and named pipes are written in place.
    Device(File),
    /// A temporary file next to the final path, which it replaces at the end.
    Neighbor {
        file: Partial,
        path: PathBuf,
        replace: bool,
    },
}

impl Output {
    /// Opens `path`, or stdout for `None` and `-`.
    ///
    /// # Errors
    /// Unless `force`: if the file exists, or if stdout is a terminal and the output is `binary`. Also if the file
    /// cannot be created.
    pub fn open(path: Option<&Path>, binary: bool, force: bool) -> Result<Self> {
        outlive_file_size_limit();
        let Some(path) = path.filter(|path| !is_standard(path)) else {
            let stdout = std::io::stdout();
            if binary && !force && stdout.is_terminal() {
                return Err(Error::usage("refusing to write binary data to a terminal")
                    .hint("use -o FILE, or --force to write it anyway"));
            }
            return Ok(Self {
                shown: PathBuf::from("<stdout>"),
                to: To::Stdout(stdout),
                counts: Arc::default(),
            });
        };
        let shown = path.to_path_buf();
        // Replace the target of a symbolic link, not the link.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let cannot = |what: &str, error| Error::io(what, error).in_file(&shown);
        let to = match path.metadata() {
            Ok(found) if found.is_dir() => {
                return Err(Error::usage("this is a directory")
                    .in_file(&shown)
                    .hint("name a file inside it"));
            }
            Ok(found) if !found.is_file() => {
                let file = File::options().write(true).open(&path);
                To::Device(file.map_err(|error| cannot("cannot open", error))?)
            }
            Ok(_) if !force => {
                return Err(exists(&shown));
            }
            found => {
                let mut builder = tempfile::Builder::new();
                builder.prefix(".mbt-");
                permissions(&mut builder, found.ok().map(|found| found.permissions()));
                let dir = directory(&path).map_err(|error| error.in_file(&shown))?;
                // Keep only the kind: the message of tempfile adds the random name of the temporary file.
                let file = Partial::create(|| builder.tempfile_in(dir)).map_err(|error| {
                    cannot(
                        "cannot create a temporary file next to it",
                        error.kind().into(),
                    )
                })?;
                let replace = force;
                To::Neighbor {
                    file,
                    path,
                    replace,
                }
            }
        };
        let counts = Arc::default();
        Ok(Self { shown, to, counts })
    }

    /// Counts written bytes in `progress`.
    #[must_use]
    pub fn counted(mut self, progress: &Progress) -> Self {
        self.counts = progress.counts();
        self
    }

    /// Makes what was written final.
    ///
    /// # Errors
    /// If it cannot be flushed or the file cannot be renamed.
    pub fn finish(self) -> Result<()> {
        let cannot = |error| Error::io("cannot write", error).in_file(&self.shown);
        match self.to {
            To::Stdout(mut stdout) => ensure_stdout_is_open()
                .and_then(|()| stdout.flush())
                .map_err(cannot),
            To::Device(mut file) => file.flush().map_err(cannot),
            To::Neighbor {
                file,
                path,
                replace,
            } => file
                .persist(&path, replace)
                .map_err(|error| match error.kind() {
                    // The file was created in the meantime, or is a dangling link.
                    ErrorKind::AlreadyExists => exists(&self.shown),
                    _ => cannot(error),
                }),
        }
    }
}

impl Sink for Output {
    /// [`Error::is_broken_pipe`] recognizes a closed pipe.
    fn write_runs(&mut self, runs: &mut dyn Iterator<Item = &[u8]>) -> Result<()> {
        let mut slices: Vec<_> = runs.map(IoSlice::new).collect();
        let len = slices.iter().map(|run| run.len()).sum();
        let result = match &mut self.to {
            // The standard library buffers text after the last line break, which would delay a frame until the next
            // one.
            To::Stdout(stdout) => ensure_stdout_is_open().and_then(|()| {
                let mut stdout = stdout.lock();
                write_slices(&mut stdout, &mut slices)?;
                stdout.flush()
            }),
            To::Device(file) => write_slices(file, &mut slices),
            To::Neighbor { file, .. } => write_slices(file.file(), &mut slices),
        };
        if result.is_ok() {
            self.counts.add_written(len);
        }
        result.map_err(|error| Error::io("cannot write", error).in_file(&self.shown))
    }
}

/// Like [`Write::write_all`] for many slices, in few system calls.
fn write_slices(out: &mut impl Write, mut slices: &mut [IoSlice<'_>]) -> std::io::Result<()> {
    // Remove empty slices: writing 0 bytes would look like a full disk.
    IoSlice::advance_slices(&mut slices, 0);
    while !slices.is_empty() {
        match out.write_vectored(slices) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut slices, written),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn exists(path: &Path) -> Error {
    Error::usage("the file already exists")
        .in_file(path)
        .hint("use --force to replace it")
}

/// The directory of a new file at `path`.
fn directory(path: &Path) -> Result<&Path> {
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(Error::usage("this is the name of a directory").hint("name a file inside it"));
    }
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    if dir.is_dir() {
        return Ok(dir);
    }
    let shown = dir.display();
    Err(if dir.exists() {
        Error::new(Kind::Io, format!("{shown} is not a directory"))
    } else {
        Error::new(Kind::Io, format!("there is no directory {shown}")).hint(format!(
            "create it with mkdir -p {}",
            shell_word(&shown.to_string())
        ))
    })
}

/// Refuses to write to stdout if it is also an input, as in `mbt convert a.csv >> a.csv`, which would read its own
/// output, or `> a.csv`, which empties the input first. A file given with `-o` is safe, since it is replaced after
/// everything has been read.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if stdout is an input.
pub fn ensure_not_an_input(output: Option<&Path>, inputs: &[PathBuf]) -> Result<()> {
    if output.is_some_and(|path| !is_standard(path)) {
        return Ok(());
    }
    let Some(output) = stdout_identity() else {
        return Ok(());
    };
    let is_output = |input: &&PathBuf| metadata(input).as_ref().and_then(identity) == Some(output);
    let Some(input) = inputs.iter().find(is_output) else {
        return Ok(());
    };
    let (shown, name) = if is_standard(input) {
        (Path::new("<stdin>"), "FILE".to_owned())
    } else {
        (input.as_path(), shell_word(&input.display().to_string()))
    };
    Err(Error::usage("this file is also stdout")
        .in_file(shown)
        .hint(format!(
            "use -o {name} --force to replace it after it has been read"
        )))
}

/// Identifies a regular file.
#[cfg(unix)]
fn identity(file: &std::fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    file.is_file().then(|| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn identity(_: &std::fs::Metadata) -> Option<(u64, u64)> {
    None
}

fn stdout_identity() -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let stdout = std::io::stdout().as_fd().try_clone_to_owned().ok()?;
        identity(&File::from(stdout).metadata().ok()?)
    }
    #[cfg(not(unix))]
    None
}

/// A new file gets the permissions that a shell would give it, a replaced one keeps its own.
#[cfg(unix)]
fn permissions(builder: &mut tempfile::Builder<'_, '_>, replaced: Option<std::fs::Permissions>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(replaced.unwrap_or_else(|| std::fs::Permissions::from_mode(0o666)));
}

#[cfg(not(unix))]
fn permissions(_: &mut tempfile::Builder<'_, '_>, _: Option<std::fs::Permissions>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.mbt");
        let mut output = Output::open(Some(&path), true, false).unwrap();
        output.write(b"half").unwrap();
        drop(output);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);

        let mut output = Output::open(Some(&path), true, false).unwrap();
        output.write(b"whole").unwrap();
        assert!(!path.exists());
        output.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_existing_file_needs_force() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.mbt");
        std::fs::write(&path, b"old").unwrap();
        assert!(Output::open(Some(&path), true, false).is_err());
        let mut output = Output::open(Some(&path), true, true).unwrap();
        output.write(b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        output.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_file_that_came_meanwhile_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.mbt");
        let output = Output::open(Some(&path), true, false).unwrap();
        std::fs::write(&path, b"other").unwrap();
        assert!(output.finish().is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"other");
    }
}
