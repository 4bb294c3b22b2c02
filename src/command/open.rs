//! Opening inputs: files and stdin, and finding out what they are.

use std::fs::{File, Metadata};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use super::options::{format_of_extension, source_format};
use crate::cli;
use crate::error::{Error, Result};
use crate::frame;
use crate::ipc;
use crate::pipeline::{Format, Source};
use crate::text::csv::CsvOptions;
use crate::text::json::Flavor;
use crate::wire::v2::is_envelope;

/// Bytes that are looked at to tell formats apart.
const SNIFF_BYTES: usize = 4 << 10;

/// True for the names that stand for stdin and stdout.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What the file system says of `path`, or of stdin for `-`; `None` if it does not say.
pub fn metadata(path: &Path) -> Option<Metadata> {
    if !is_standard(path) {
        return path.metadata().ok();
    }
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let stdin = std::io::stdin().as_fd().try_clone_to_owned().ok()?;
        File::from(stdin).metadata().ok()
    }
    #[cfg(not(unix))]
    None
}

/// An input before it is known what it is.
pub struct Input {
    /// The path as typed, or `<stdin>`.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Box<dyn Read + Send>,
    /// The same where it can be sought in; shares its place with `bytes`.
    pub file: Option<File>,
}

/// Opens `path`, or stdin for `-`, without reading from it.
///
/// # Errors
/// [`crate::error::Kind::Io`] if it cannot be opened.
pub fn open(path: &Path) -> Result<Input> {
    if is_standard(path) {
        let path = PathBuf::from("<stdin>");
        return Ok(Input {
            path,
            bytes: Box::new(std::io::stdin()),
            file: None,
        });
    }
    let cannot = |error| Error::io("cannot open", error).in_file(path);
    let file = File::open(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if metadata.is_dir() {
        return Err(cannot(std::io::ErrorKind::IsADirectory.into()));
    }
    let seekable = if metadata.is_file() {
        Some(file.try_clone().map_err(cannot)?)
    } else {
        None
    };
    Ok(Input {
        path: path.to_path_buf(),
        bytes: Box::new(file),
        file: seekable,
    })
}

/// Opens an input and finds out what it is: by `from`, else by its extension, else by its content.
///
/// # Errors
/// If it cannot be opened or read, or is empty and nothing tells what it should be.
pub fn source(path: &Path, from: Option<cli::Format>, csv: &CsvOptions) -> Result<Source> {
    let Input {
        path,
        mut bytes,
        file,
    } = open(path)?;
    let known = from.or_else(|| format_of_extension(&path));
    if let Some(format) = known {
        return Ok(Source {
            path,
            bytes,
            file,
            format: source_format(format, csv),
        });
    }
    let cannot = |error| Error::io("cannot read", error).in_file(&path);
    let mut head = Vec::with_capacity(SNIFF_BYTES);
    (&mut bytes)
        .take(SNIFF_BYTES as u64)
        .read_to_end(&mut head)
        .map_err(cannot)?;
    let format = sniff(&head, csv).ok_or_else(|| {
        Error::input("the input is empty, so its format cannot be told")
            .in_file(&path)
            .hint("say what it should be with --from")
    })?;
    if matches!(format, Format::Csv(_)) && head.contains(&0) {
        return Err(
            Error::input("this is neither text nor Arrow IPC nor MATHLDBT frames")
                .in_file(&path)
                .hint("say what it should be with --from"),
        );
    }
    if let Some(mut file) = file.as_ref() {
        file.rewind().map_err(cannot)?;
    } else {
        bytes = Box::new(std::io::Cursor::new(head).chain(bytes));
    }
    Ok(Source {
        path,
        bytes,
        file,
        format,
    })
}

/// The version of the first frame of a source; what is compressed as a whole is version 1.
///
/// # Errors
/// If it cannot be read.
pub fn wire_of(source: &mut Source) -> Result<cli::Wire> {
    const HEAD: u64 = 10;
    let mut head = Vec::with_capacity(HEAD as usize);
    let read = (&mut source.bytes).take(HEAD).read_to_end(&mut head);
    let cannot = |error| Error::io("cannot read", error).in_file(&source.path);
    read.map_err(cannot)?;
    let is_2 = is_envelope(&head);
    if let Some(file) = &mut source.file {
        file.rewind().map_err(cannot)?;
    } else {
        let bytes = std::mem::replace(&mut source.bytes, Box::new(std::io::empty()));
        source.bytes = Box::new(std::io::Cursor::new(head).chain(bytes));
    }
    Ok(if is_2 { cli::Wire::V2 } else { cli::Wire::V1 })
}

/// What begins like this; `None` if there is nothing.
fn sniff(head: &[u8], csv: &CsvOptions) -> Option<Format> {
    if frame::sniff(head).is_some() {
        return Some(Format::Mbt);
    }
    if ipc::sniff(head) {
        return Some(Format::Arrow);
    }
    let text = head
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(head)
        .trim_ascii_start();
    match text.first() {
        None if head.is_empty() => None,
        Some(b'{' | b'[') => Some(Format::Json(Flavor::Unknown)),
        _ => Some(Format::Csv(csv.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_what_an_input_is() {
        let csv = CsvOptions::default();
        assert!(matches!(sniff(b"MATHLDBT\x01", &csv), Some(Format::Mbt)));
        assert!(matches!(sniff(b"ARROW1\0\0", &csv), Some(Format::Arrow)));
        let zstd = b"\x28\xb5\x2f\xfd\0";
        assert!(matches!(sniff(zstd, &csv), Some(Format::Mbt)));
        assert!(matches!(
            sniff(b"  \n[1]", &csv),
            Some(Format::Json(Flavor::Unknown))
        ));
        assert!(matches!(
            sniff(b"\xEF\xBB\xBF{\"a\":1}", &csv),
            Some(Format::Json(_))
        ));
        assert!(matches!(sniff(b"a,b\n", &csv), Some(Format::Csv(_))));
        assert!(sniff(b"", &csv).is_none());
    }
}
