//! What data costs on a wire: bytes, a link and a model of it give seconds. No I/O, no clock.
//!
//! [`Link`] is a bandwidth and a delay, [`Model`] says how long bytes take over it, [`Cost`] adds
//! what encoding and decoding take, and [`crossover`] finds for which bandwidths which of several
//! costs is the least.

mod cost;
pub mod crossover;
mod link;
mod model;
mod tcp;

pub use cost::Cost;
pub use link::{Link, NAMED};
pub use model::Model;
pub use tcp::Tcp;
