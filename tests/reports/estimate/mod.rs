//! The command `mbt estimate`: its figures, its forms, and its model compared with real transfers.

mod figures;
mod forms;
mod packets;
mod transfer;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const BIN: &str = env!("CARGO_BIN_EXE_mbt");

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    path.join(name).display().to_string()
}

fn run(args: &[&str]) -> Output {
    Command::new(BIN)
        .arg("estimate")
        .args(args)
        .output()
        .unwrap()
}

fn text(args: &[&str]) -> String {
    let output = run(args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&text(&args)).unwrap()
}

/// The report on a payload under a codec.
fn cell<'a>(document: &'a Value, payload: &str, codec: &str, level: Option<i64>) -> &'a Value {
    let cells = document["payloads"].as_array().unwrap();
    let mut cells = cells.iter().filter(|cell| {
        cell["payload"] == payload && cell["codec"] == codec && cell["level"].as_i64() == level
    });
    let found = cells.next().expect("it was measured");
    assert!(cells.next().is_none(), "{payload} {codec} {level:?} twice");
    found
}
