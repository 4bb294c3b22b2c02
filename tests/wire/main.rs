//! Bytes of versions 1 and 2 on the wire: published vectors, golden files and second implementations.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod frozen;
mod golden;
mod golden_texts;
mod independent_reader;
mod layout;
mod layout_v2;
mod mended;
mod newer;
mod refused;
mod vectors;
mod wire_v1;
mod wire_v1_cases;
mod wire_v2;

#[path = "../support/chance.rs"]
mod chance;
#[path = "../support/command.rs"]
mod command;
#[path = "../support/envelopes.rs"]
mod envelopes;
#[path = "../support/hand_made.rs"]
mod hand_made;
#[path = "../support/mend.rs"]
mod mend;
#[path = "../support/naive.rs"]
mod naive;
#[path = "../support/python.rs"]
mod python;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/read_all.rs"]
mod read_all;
#[path = "../support/sample_batches.rs"]
mod sample_batches;
#[path = "../support/sample_runs.rs"]
mod sample_runs;
#[path = "../support/skip.rs"]
mod skip;
#[path = "../support/tables.rs"]
mod tables;
