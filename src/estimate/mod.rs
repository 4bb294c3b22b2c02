//! Models the cost of sending data: bytes, a link and a transfer model give seconds. No I/O, no clock.
//!
//! [`Link`] is a bandwidth and a round trip time, [`Model`] gives the transfer time of bytes over it, [`Cost`] adds
//! encoding and decoding, and [`crossover`] finds the least cost for each range of bandwidths.

mod cost;
pub mod crossover;
mod link;
mod model;
mod tcp;

pub use cost::Cost;
pub use link::{Link, NAMED};
pub use model::Model;
pub use tcp::Tcp;
