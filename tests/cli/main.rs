//! The command line itself: documented examples, generated files, signals and exit codes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(unix)]
mod completions;
#[cfg(unix)]
mod connect;
mod examples;
mod generated;
mod live;
#[cfg(target_os = "linux")]
mod memory;
mod out_dir;
#[cfg(unix)]
mod process_behavior;
#[cfg(unix)]
mod terminal;

#[path = "../support/command.rs"]
mod command;
#[cfg(unix)]
#[path = "../support/python.rs"]
mod python;
#[cfg(unix)]
#[path = "../support/skip.rs"]
mod skip;
