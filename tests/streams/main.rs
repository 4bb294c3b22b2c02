//! Files and pipes of many frames, through the commands that read, write, check and repair them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bombs;
mod compressed_text;
mod coverage;
mod frames;
mod grouped;
mod hashes;
mod indexed;
mod inspect;
mod picture;
mod recode;
mod rows;
mod salvage;
mod salvage_columns;
mod statistics;
mod verify;
mod verify_v2;
mod where_duckdb;
mod where_frames;
mod where_rows;
mod whole;

#[path = "../support/chance.rs"]
mod chance;
#[path = "../support/command.rs"]
mod command;
#[path = "../support/index_bytes.rs"]
mod index_bytes;
#[path = "../support/python.rs"]
mod python;
#[path = "../support/skip.rs"]
mod skip;
