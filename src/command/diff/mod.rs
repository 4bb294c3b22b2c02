//! `mbt diff`: compares the rows of two inputs by value.

mod by_key;
mod by_position;
mod cells;
mod found;
mod report;

use self::cells::ComparedColumns;
use self::found::Differences;
use super::Outcome;
use super::open::ensure_stdin_once;
use super::options::threads;
use super::reading::{self, ReportTypes};
use crate::cli;
use crate::error::Result;
use crate::pipeline::{Batches, PipelineOptions, Source};

/// Compares two inputs and reports how they differ.
///
/// # Errors
/// If an input cannot be read.
pub fn run(args: &cli::Diff) -> Result<Outcome> {
    ensure_stdin_once(&[args.left.clone(), args.right.clone()])?;
    let threads = threads(&args.threads);
    let (paths, types) = ([&*args.left, &*args.right], ReportTypes::OfAllRows);
    let [left, right] = reading::open_both(paths, &args.reading, types, threads)?;
    let batches =
        |(source, options): (Source, PipelineOptions)| Batches::new(vec![source], options);
    let inputs = [batches(left)?, batches(right)?];
    let mut paths = ComparedColumns::default();
    let mut found = Differences {
        most: args.show,
        ..Differences::default()
    };
    if args.key.is_empty() {
        by_position::compare(inputs, &mut paths, &mut found)?;
    } else {
        by_key::compare(inputs, &args.key, &mut paths, &mut found)?;
    }
    found.settle();
    report::print(args, &paths, &found)?;
    Ok(Outcome::of(found.is_none()))
}
