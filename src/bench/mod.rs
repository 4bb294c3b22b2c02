//! `mbt bench`: measures this build on this machine, and keeps a log of the results.
//!
//! A suite ([`suites`]) runs operations on generated data ([`crate::workload`]), each of which the [`harness`]
//! times. The rows ([`results`]) and the environment ([`machine`]) make up an [`entry`] of the [`log`].
//! [`compare`] distinguishes changes from noise.

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
