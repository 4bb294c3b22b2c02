//! `mbt convert` within memory: no files, no signals, and a command line that is parsed once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Cursor;
use std::rc::Rc;

use clap::Parser as _;
use mbt::Result;
use mbt::cli::{Cli, Command, Convert};
use mbt::command::columns::chosen;
use mbt::command::convert::ConversionPlan;
use mbt::command::open::Opener;
use mbt::command::options::text_layout;
use mbt::command::spool::Inputs;
use mbt::format::{Format, InputFormat};
use mbt::pipeline::{self, Source};

/// The memory limit of a conversion; inputs of fuzzers are small.
const FIXED: [&str; 6] = [
    "mbt",
    "convert",
    "--threads=1",
    "--max-frame=16M",
    "--max-record=1M",
    "-",
];

/// The arguments of `mbt convert` with these options.
///
/// # Panics
/// If they are not valid.
pub fn arguments(options: &[&str]) -> Box<Convert> {
    let cli = Cli::try_parse_from(FIXED.iter().chain(options)).expect("a command line");
    match cli.command {
        Command::Convert(args) => args,
        other => panic!("{other:?} is not convert"),
    }
}

/// As [`convert`], with options that are the same for many inputs.
pub fn convert_by(input: &[u8], options: &[&str]) -> Result<Vec<u8>> {
    thread_local! {
        static PARSED: RefCell<HashMap<String, Rc<Convert>>> = RefCell::default();
    }
    let args = PARSED.with_borrow_mut(|parsed| {
        let args = parsed.entry(options.join(" "));
        args.or_insert_with(|| arguments(options).into()).clone()
    });
    convert(input, &args)
}

/// The output of `mbt convert` for an input.
///
/// # Errors
/// If the input cannot be read or the output cannot be written.
pub fn convert(input: &[u8], args: &Convert) -> Result<Vec<u8>> {
    let layout = text_layout(&args.reading.input)?;
    let format = args.reading.input.from.unwrap_or(Format::Mbt);
    let mut sources = vec![Source {
        path: "input".into(),
        bytes: Box::new(Cursor::new(input.to_vec())),
        file: None,
        format: InputFormat {
            layout: layout.clone(),
            ..format.into()
        },
    }];
    let plan = ConversionPlan::of(args, &mut sources)?;
    let frames = plan.frames(args)?;
    let opener = Opener {
        layout: layout.clone(),
        ..Opener::usual(None, &|_| ())
    };
    let frame_size = plan.frame_size(args, &sources);
    let mut inputs = Inputs {
        sources: &mut sources,
        paths: &["-".into()],
        opener: &opener,
    };
    let columns = &args.reading.columns;
    let chosen = chosen(columns, &mut inputs, frame_size, frames.max_frame)?;
    let (options, fidelity) = plan.options(args, &frames, &sources, chosen)?;
    let writer = plan.writer(args, &layout.csv, frames, fidelity, &options, None)?;
    let mut out = Vec::new();
    let end = pipeline::run(sources, &options, &*writer, |encoded| {
        encoded.write(&mut out)
    })?;
    writer.finish(end.ending, &mut out)?;
    Ok(out)
}
