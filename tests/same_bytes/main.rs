//! Text is restored through commands and files.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cases;
mod cell_values;
mod decimal;
mod encodings;
mod fractions;
mod frame_sizes;
mod headers;
mod maps;
mod odd_text;
mod outputs;
mod positions;
mod random;
mod records;
mod routes;
mod selections;
mod skipped;
mod trip;
mod variants;

#[path = "../support/command.rs"]
mod command;
