//! Formats of files: CSV, JSON and Arrow IPC, and what makes text come back to the byte.

pub mod arrow;
pub mod csv;
pub mod exact;
pub mod frame;
pub mod input;
pub mod json;
