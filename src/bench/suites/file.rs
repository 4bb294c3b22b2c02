//! Converts, decodes and prints a user's file by running the command line.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Result as IoResult};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::bench::run::Run;
use crate::error::{Error, Result};

/// The conversions: a name and the options of `mbt convert`.
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
    let cannot = |path: &Path| {
        let path = path.to_owned();
        move |error| Error::io("cannot read", error).in_file(&path)
    };
    let text = std::fs::metadata(path).map_err(cannot(path))?.len() as usize;
    let is_text = is_text(path).map_err(cannot(path))?;
    let mbt =
        std::env::current_exe().map_err(|error| Error::io("cannot find mbt itself", error))?;
    let dir = tempfile::tempdir().map_err(|error| Error::io("cannot create a directory", error))?;
    let (frames, back) = (dir.path().join("frames.mbt"), dir.path().join("back"));
    let call = |args: &[&str], paths: &[&Path]| -> Result<()> {
        let output = Command::new(&mbt)
            .args(args)
            .args(paths)
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
    let convert = |args: &[&str], from: &Path, to: &Path| {
        let args = [&["convert", "--quiet", "--force"], args, &["-o"]].concat();
        call(&args, &[to, from])
    };
    run.note("rows run mbt convert with all threads, including process start and file I/O; rates count the bytes of the file");
    run.table(format!("{}", path.display()));
    run.row("start of a process")
        .note("mbt --version")
        .time(|| call(&["--version"], &[]))?;
    for (name, options) in KINDS {
        let rows = ["convert", "decode", "print"].map(|row| format!("{name}, {row}"));
        let to_frames = [&["--to", "mbt"], options].concat();
        let mut len = 0;
        if rows.iter().any(|row| run.wants(row)) {
            convert(&to_frames, path, &frames)?;
            len = std::fs::metadata(&frames).map_err(cannot(&frames))?.len() as usize;
            if is_text && !options.contains(&"--wire") {
                convert(&[], &frames, &back)?;
                let same = same_bytes(path, &back).map_err(cannot(&back))?;
                run.check(same, format!("{name}: the file was not restored"));
            }
        }
        let [to_mbt, to_arrow, to_text] = rows;
        run.row(to_mbt)
            .packed(len, text)
            .time(|| convert(&to_frames, path, &frames))?;
        run.row(to_arrow)
            .sized(len, text)
            .note("to Arrow IPC")
            .time(|| call(&["convert", "--quiet", "--to", "arrow"], &[&frames]))?;
        run.row(to_text)
            .sized(len, text)
            .note("to text")
            .time(|| convert(&[], &frames, &back))?;
    }
    Ok(())
}

/// True if the file starts without a NUL byte. Frames and Arrow IPC have one there, and are not restored byte for byte.
fn is_text(path: &Path) -> IoResult<bool> {
    Ok(!BufReader::new(File::open(path)?).fill_buf()?.contains(&0))
}

fn same_bytes(a: &Path, b: &Path) -> IoResult<bool> {
    let (mut a, mut b) = (
        BufReader::new(File::open(a)?),
        BufReader::new(File::open(b)?),
    );
    loop {
        let (part_a, part_b) = (a.fill_buf()?, b.fill_buf()?);
        let len = part_a.len().min(part_b.len());
        if len == 0 || part_a[..len] != part_b[..len] {
            return Ok(part_a.is_empty() && part_b.is_empty());
        }
        a.consume(len);
        b.consume(len);
    }
}
