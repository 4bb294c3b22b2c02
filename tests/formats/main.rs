//! CSV, JSON, Arrow and Parquet, in and out, compared with other readers and writers of these formats.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod advice;
mod csv_style;
mod forms;
mod ipc;
mod json_style;
mod malformed;
mod names;
mod nested;
#[cfg(feature = "parquet")]
mod parquet;
mod rule;
mod text_in;
mod text_out;

#[path = "../support/chance.rs"]
mod chance;
#[path = "../support/command.rs"]
mod command;
#[path = "../support/python.rs"]
mod python;
#[path = "../support/skip.rs"]
mod skip;
