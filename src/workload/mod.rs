//! Deterministic test data for estimates and benchmarks with published figures.

mod bars;
mod messages;
mod nested;
mod pages;
mod terms;
#[cfg(test)]
mod tests;

pub use bars::{Bar, bar_rows, bars};
pub use messages::{Blob, ChatMessage, Counter, Record, blobs, counters, messages};
pub use nested::{Nested, nested};
pub use pages::{PAGE, Page, next, store_page, word_pages, workloads};
pub use terms::{repeated_terms, terms};
