//! Round trips by the command itself, within this process.

use std::path::{Path, PathBuf};

use clap::Parser as _;
use mbt::cli::Cli;
use mbt::command;
use mbt::error::{Error, Kind};

/// A directory for the files of successive round trips.
pub struct Trip(tempfile::TempDir);

impl Trip {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory for files"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The frames of a text; `options` are those of `mbt convert`.
    pub fn there(&self, text: &[u8], options: &[&str]) -> Result<Vec<u8>, Error> {
        self.there_from("text", text, options)
    }

    /// The frames of a text in a file of that name.
    pub fn there_from(&self, name: &str, text: &[u8], options: &[&str]) -> Result<Vec<u8>, Error> {
        let (source, frames) = (self.path(name), self.path("frames.mbt"));
        std::fs::write(&source, text).expect("a file of text");
        convert(&source, &frames, &["--to=mbt"], options)
    }

    /// The output of `mbt convert` with these options for an input in a file of that name.
    pub fn convert(&self, name: &str, input: &[u8], options: &[&str]) -> Result<Vec<u8>, Error> {
        let (source, out) = (self.path(name), self.path("out"));
        std::fs::write(&source, input).expect("a file to convert");
        convert(&source, &out, &[], options)
    }

    /// The text restored from frames; `options` are those of `mbt convert`.
    pub fn back(&self, frames: &[u8], options: &[&str]) -> Result<Vec<u8>, Error> {
        let (source, text) = (self.path("frames.mbt"), self.path("back"));
        std::fs::write(&source, frames).expect("a file of frames");
        // Frames are enough to restore the text: no format is given.
        convert(&source, &text, &[], options)
    }

    /// Frames made from a selection of frames.
    pub fn select(&self, frames: &[u8], option: &str) -> Result<Vec<u8>, Error> {
        let (source, selected) = (self.path("frames.mbt"), self.path("selected.mbt"));
        std::fs::write(&source, frames).expect("a file of frames");
        convert(&source, &selected, &["--to=mbt"], &[option])
    }

    /// Asserts that a text is restored byte for byte, or refused with a reason; true if it
    /// is restored.
    pub fn same_or_refused(&self, text: &[u8], options: &[&str]) -> bool {
        let frames = match self.there(text, options) {
            Ok(frames) => frames,
            Err(error) => {
                assert_eq!(error.kind(), Kind::Input, "{error}");
                assert!(!error.to_string().is_empty());
                return false;
            }
        };
        let back = self.back(&frames, &[]).expect("frames that can be read");
        assert_eq!(
            String::from_utf8_lossy(&back),
            String::from_utf8_lossy(text),
            "{options:?}"
        );
        assert!(back == text, "{options:?}: {text:?} became {back:?}");
        true
    }
}

fn convert(from: &Path, to: &Path, fixed: &[&str], options: &[&str]) -> Result<Vec<u8>, Error> {
    let words = ["mbt", "convert", "--quiet", "--force"].iter();
    let words = words.chain(fixed).chain(options).map(Path::new);
    let words = words.chain([Path::new("-o"), to, from]);
    let cli = Cli::try_parse_from(words.map(Path::as_os_str)).expect("a command line");
    command::run(cli)?;
    Ok(std::fs::read(to).expect("what was written"))
}
