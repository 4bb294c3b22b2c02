//! A file of the user's own: converted, decoded and printed, as the user would do it.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::bench::run::Run;
use crate::error::{Error, Result};

/// What the file is converted to: a name and the options of `mbt convert`.
const KINDS: [(&str, &[&str]); 11] = [
    ("fast", &["--preset", "fast"]),
    ("balanced", &["--preset", "balanced"]),
    ("small", &["--preset", "small"]),
    ("balanced, codec none", &["--codec", "none"]),
    ("balanced, codec lz4", &["--codec", "lz4"]),
    (
        "balanced, codec zstd 9",
        &["--codec", "zstd", "--level", "9"],
    ),
    ("wire 1", &["--wire", "1"]),
    ("wire 1, plain", &["--wire", "1", "--encodings", "plain"]),
    ("wire 1, zstd 3", &["--wire", "1", "--codec", "zstd"]),
    ("wire 1, gzip 6", &["--wire", "1", "--codec", "gzip"]),
    ("wire 1, lz4", &["--wire", "1", "--codec", "lz4"]),
];

pub fn measure(run: &mut Run<'_>, path: &Path) -> Result<()> {
    let cannot = |error| Error::io("cannot read", error).in_file(path);
    let text = std::fs::metadata(path).map_err(cannot)?.len() as usize;
    let mbt =
        std::env::current_exe().map_err(|error| Error::io("cannot find mbt itself", error))?;
    let dir = tempfile::tempdir().map_err(|error| Error::io("cannot make a directory", error))?;
    let frames = dir.path().join("frames.mbt");
    let call = |args: &[&str], from: &Path, to: Option<&Path>| -> Result<()> {
        let mut command = Command::new(&mbt);
        command.args(["convert", "--quiet"]).arg(from).args(args);
        if let Some(to) = to {
            command.args(["--force", "-o"]).arg(to);
        }
        let output = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output()
            .map_err(|error| Error::io("cannot run mbt", error))?;
        if output.status.success() {
            return Ok(());
        }
        let words = String::from_utf8_lossy(&output.stderr);
        let words = words.trim().trim_start_matches("error: ");
        Err(Error::input(words.to_owned()))
    };
    run.note("every row runs mbt convert, start of the process, reading and writing of files and all threads included; rates count the bytes of the file");
    run.table(format!("{}", path.display()));
    for (name, options) in KINDS {
        if run.options.quick && name == "small" {
            continue;
        }
        let mut to_frames = vec!["--to", "mbt"];
        to_frames.extend(options);
        let mut len = 0;
        if !run.options.list {
            call(&to_frames, path, Some(&frames))?;
            len = std::fs::metadata(&frames).map_err(cannot)?.len() as usize;
        }
        run.row(format!("{name}, convert"))
            .bytes(len)
            .ratio(text)
            .through(text)
            .time(|| call(&to_frames, path, Some(&frames)))?;
        run.row(format!("{name}, decode"))
            .bytes(len)
            .through(text)
            .note("to Arrow IPC")
            .time(|| call(&["--to", "arrow"], &frames, None))?;
        run.row(format!("{name}, print"))
            .bytes(len)
            .through(text)
            .note("to CSV")
            .time(|| call(&["--to", "csv"], &frames, None))?;
    }
    Ok(())
}
