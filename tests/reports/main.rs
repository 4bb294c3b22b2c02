//! `mbt estimate` and `mbt bench` as people run them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bench;
mod estimate;

#[path = "../support/skip.rs"]
mod skip;
