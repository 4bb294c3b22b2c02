//! Times reads of a file in memory: of data, and of a hole. A hole reads as zeros without touching memory, so its
//! speed says nothing about real data.

use std::fs::File;
use std::io::Write as _;

use crate::bench::run::Run;
use crate::error::{Error, Result};
use crate::workload::{PAGE, next, word_pages};

/// Size of the file: larger than the caches.
const LEN: usize = 512 << 20;
/// Bytes of a sequential read.
const RUN: usize = 1 << 20;
/// A directory on tmpfs.
const DIR: &str = "/dev/shm";

pub fn measure(run: &mut Run<'_>) -> Result<()> {
    let cannot = |error| Error::io(format!("--ram: cannot use {DIR}"), error);
    run.table("memory, one thread");
    let data = tempfile::tempfile_in(DIR).map_err(cannot)?;
    let hole = tempfile::tempfile_in(DIR).map_err(cannot)?;
    if !run.options.args.list {
        let pages = word_pages(RUN / PAGE).concat();
        for _ in 0..LEN / RUN {
            (&data).write_all(&pages).map_err(cannot)?;
        }
        hole.set_len(LEN as u64).map_err(cannot)?;
    }
    run.note("one thread reads 512 MiB of tmpfs with pread; each read is timed by itself, so p99 is that of single reads");
    for (kind, file) in [("data", &data), ("hole", &hole)] {
        let mut buffer = vec![0; RUN];
        let mut at = 0;
        run.row(format!("{kind}, sequential reads of 1 MiB"))
            .through(RUN)
            .alone()
            .time(|| {
                at = (at + RUN) % LEN;
                read(file, &mut buffer, at).map_err(cannot)
            })?;
        let mut state = 1;
        run.row(format!("{kind}, random reads of 4 KiB"))
            .through(PAGE)
            .alone()
            .time(|| {
                state = next(state);
                let page = (state >> 33) as usize % (LEN / PAGE);
                read(file, &mut buffer[..PAGE], page * PAGE).map_err(cannot)
            })?;
    }
    Ok(())
}

#[cfg(unix)]
fn read(file: &File, buffer: &mut [u8], at: usize) -> std::io::Result<()> {
    use std::os::unix::fs::FileExt as _;
    file.read_exact_at(buffer, at as u64)
}

#[cfg(not(unix))]
fn read(_: &File, _: &mut [u8], _: usize) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
