//! Models what it costs to send data: bytes, a link and a transfer model give seconds. No I/O, no clock.
//!
//! [`Link`] is a bandwidth and a round trip time, [`Model`] gives the time that bytes take over it, [`Cost`]
//! adds encoding and decoding, and [`crossover`] finds which of several costs is the least at which
//! bandwidths.

mod cost;
pub mod crossover;
mod link;
mod model;
mod tcp;

pub use cost::Cost;
pub use link::{Link, NAMED};
pub use model::Model;
pub use tcp::Tcp;
