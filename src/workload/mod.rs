//! Data by exact recipes, for the estimates and benchmarks whose figures are published.

mod bars;

pub use bars::bars;
