//! `--out-dir`: converts each input to its own file.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::create_dir_all;
use std::path::{Path, PathBuf};

use super::{ConversionPlan, convert};
use crate::cli::{Convert, Wire};
use crate::command::open::{Opener, is_standard, metadata};
use crate::command::options::{codec, codec_of_extension, threads};
use crate::error::{Error, Kind, Result};
use crate::format::Format;
use crate::pipeline::{QueueLimits, in_order};
use crate::report::progress::Progress;
use crate::stream::Codec;
use crate::units::{counted, grouped};

/// An input and its output path, or the error that prevents one.
struct Task<'a> {
    input: &'a PathBuf,
    output: Result<PathBuf>,
    threads: usize,
}

/// Converts each input to a file in `dir`.
///
/// # Errors
/// If the arguments are wrong for every file. Errors of single files are printed, and the returned error has their
/// number.
pub fn run(args: &Convert, dir: &Path) -> Result<()> {
    // The arguments shared by all conversions.
    let common = Convert {
        inputs: Vec::new(),
        ..args.clone()
    };
    let mut tasks = tasks(&common, &args.inputs, dir)?;
    if dir.metadata().is_ok_and(|metadata| !metadata.is_dir()) {
        return Err(Error::usage("this is a file; --out-dir needs a directory")
            .in_file(dir)
            .hint("use -o FILE"));
    }
    let cannot = |error| Error::io("cannot create the directory", error).in_file(dir);
    create_dir_all(dir).map_err(cannot)?;
    if args.output.skip_existing {
        let exists = |task: &Task<'_>| task.output.as_ref().is_ok_and(|output| output.exists());
        tasks.retain(|task| !exists(task));
    }
    let progress = Progress::begin(
        args.output.messages,
        tasks.iter().map(|task| metadata(task.input)),
    );
    let files = tasks.len();
    let skipped = args.inputs.len() - files;
    let threads = threads(&args.wrap.threads);
    split(threads, &mut tasks);

    let work = |(): &mut (), task: Task<'_>| {
        let converted = task.output.and_then(|output| {
            let mut args = common.clone();
            args.output.output = Some(output);
            args.wrap.threads.threads = Some(task.threads as u64);
            let loss = convert(&args, std::slice::from_ref(task.input), &progress)?;
            loss.map_or(Ok(()), Err)
        });
        match converted {
            Err(error) if is_mistake(&error) => Err(error),
            converted => Ok(converted.map_err(|error| error.in_file(task.input))),
        }
    };
    let mut failed = 0;
    let mut kind = Kind::Input;
    let report = |converted: Result<()>| {
        if let Err(error) = converted {
            progress.error(&error);
            failed += 1;
            if error.kind() == Kind::Io {
                kind = Kind::Io;
            }
        }
        Ok(())
    };
    // Tasks and results are small, so neither they nor later files have to wait.
    let bounds = QueueLimits {
        weight: files,
        waiting: files,
    };
    in_order(
        threads.min(files),
        bounds,
        tasks.into_iter().map(Ok),
        || (),
        work,
        report,
    )?;
    if skipped > 0 {
        let files = counted(skipped as u64, "file");
        progress.note(&format!("{files} skipped, since the output exists"));
    }
    progress.finish();
    if failed > 0 {
        let (failed, files) = (grouped(failed), counted(files as u64, "file"));
        let what = format!("{failed} of {files} could not be converted");
        return Err(Error::new(kind, what));
    }
    Ok(())
}

/// True if the arguments are at fault rather than a file, so that every file would fail with the same error.
fn is_mistake(error: &Error) -> bool {
    error.kind() == Kind::Usage && error.place().file.is_none()
}

/// Divides the threads among the files; with many files, each gets one.
fn split(threads: usize, tasks: &mut [Task<'_>]) {
    let files = tasks.len();
    for (place, task) in tasks.iter_mut().enumerate() {
        let rest = usize::from(place < threads % files);
        task.threads = (threads / files + rest).max(1);
    }
}

/// The inputs with their outputs, which are all different.
fn tasks<'a>(common: &Convert, inputs: &'a [PathBuf], dir: &Path) -> Result<Vec<Task<'a>>> {
    let real_dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let mut taken: HashMap<PathBuf, &Path> = HashMap::new();
    let mut tasks = Vec::with_capacity(inputs.len());
    for input in inputs {
        let name = match output_name(common, input) {
            Err(error) if is_mistake(&error) => return Err(error),
            name => name,
        };
        if let Ok(name) = &name
            && let Some(other) = taken.insert(real_dir.join(name), input)
        {
            let (other, name) = (other.display(), Path::new(name).display());
            let what = format!("its output would be {name}, like that of {other}");
            return Err(Error::usage(what)
                .in_file(input)
                .hint("convert them to different directories"));
        }
        tasks.push(Task {
            input,
            output: name.map(|name| dir.join(name)),
            threads: 1,
        });
    }
    // Without --force, no existing file is replaced.
    for input in inputs.iter().filter(|_| common.output.force) {
        let real = input.canonicalize().ok();
        let replaced_by = real.and_then(|real| taken.get(&real).copied());
        if let Some(other) = replaced_by.filter(|other| other != input) {
            let what = format!("would be replaced by the output of {}", other.display());
            return Err(Error::usage(what)
                .in_file(input)
                .hint("convert them to another directory"));
        }
    }
    Ok(tasks)
}

/// The name of an input with the extension of its new format.
fn output_name(common: &Convert, input: &Path) -> Result<OsString> {
    if is_standard(input) {
        let error = Error::usage("--out-dir: stdin has no name to keep");
        return Err(error.hint("use -o FILE"));
    }
    let format = match common.output.to {
        Some(format) => format,
        None => default_format(common, input)?,
    };
    let plain = match codec_of_extension(input) {
        Some(_) => input.file_stem().map(Path::new),
        None => Some(input),
    };
    let stem = plain.and_then(Path::file_stem);
    let mut name = stem
        .ok_or_else(|| Error::usage("has no file name").in_file(input))?
        .to_owned();
    name.push(".");
    name.push(format.extensions().first().unwrap_or(&format.name()));
    let is_wrapped = format == Format::Mbt && common.output.wire == Some(Wire::V1);
    if format.is_text() || is_wrapped {
        let codec = codec(&common.wrap)?;
        if let Some(extension) = codec.and_then(Codec::extension) {
            name.push(".");
            name.push(extension);
        }
    }
    Ok(name)
}

/// The default output format for an input.
fn default_format(common: &Convert, input: &Path) -> Result<Format> {
    // Notes are printed when the conversion opens the input.
    let source = Opener::new(&common.reading.input, &|_| ())?.open(input)?;
    Ok(ConversionPlan::of(common, &mut [source])?.to)
}
