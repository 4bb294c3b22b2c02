//! `mbt bench`: what this build costs on this machine, and the log of it.
//!
//! A suite ([`suites`]) runs operations on data by exact recipes ([`crate::workload`]) and gives the
//! [`harness`] each of them to time; the rows ([`results`]) make an [`entry`] of the [`log`], together
//! with what they depend on ([`machine`]). [`compare`] tells changes from noise.

pub mod compare;
pub mod counting;
pub mod entry;
pub mod harness;
pub mod log;
pub mod machine;
pub mod plot;
pub mod results;
pub mod run;
pub mod suites;
