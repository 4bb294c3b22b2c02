//! Parquet in and out, checked against pyarrow.

mod legacy;
mod malformed;
mod pyarrow;
mod row_groups;

use std::fs::{self, File};
use std::process::Command;

use crate::command::stdout_of;

#[test]
fn the_note_that_a_pipe_is_spooled_names_it_unless_quiet() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.csv"), "a,b\n1,x\n").unwrap();
    stdout_of(dir.path(), &["convert", "a.csv", "-o", "a.parquet"]);
    for (quiet, note) in [
        (&[][..], "note: <stdin>: the input is a pipe"),
        (&["-q"], ""),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
        let command = command.args(["convert", "--to", "csv"]).args(quiet);
        let input = File::open(dir.path().join("a.parquet")).unwrap();
        let output = command.stdin(input).output().unwrap();
        assert_eq!(output.stdout, b"a,b\n1,x\n");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.starts_with(note) && said.is_empty() == note.is_empty(),
            "{said}"
        );
    }
}
