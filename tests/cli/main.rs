//! The command line itself: documented examples, generated files, signals and exit codes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

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
