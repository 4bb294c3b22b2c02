//! Sets the version, commit and features that `mbt --version` prints.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Features that `mbt --version` lists.
const FEATURES: [&str; 2] = ["parquet", "count-allocations"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let revision = revision().map(|revision| format!(" (rev {revision})"));
    let version = env!("CARGO_PKG_VERSION");
    let revision = revision.unwrap_or_default();
    println!("cargo::rustc-env=MBT_VERSION={version}{revision}");
    let sign = |feature: &str| {
        let variable = feature.to_uppercase().replace('-', "_");
        let is_on = env::var_os(format!("CARGO_FEATURE_{variable}")).is_some();
        format!("{}{feature}", if is_on { '+' } else { '-' })
    };
    let features = FEATURES.map(sign).join(",");
    println!("cargo::rustc-env=MBT_FEATURES={features}");
}

/// The commit that a cargo package was made from, or the one that is checked out; `None` for other sources, such as a
/// tarball. Debug builds of a checkout have no commit: otherwise, each commit would rebuild them.
fn revision() -> Option<String> {
    if let Ok(info) = fs::read_to_string(".cargo_vcs_info.json") {
        let (_, sha1) = info.split_once("\"sha1\": \"")?;
        return sha1.get(..10).map(str::to_owned);
    }
    if env::var("PROFILE").ok()? != "release" {
        return None;
    }
    // If this is not the top directory, the repository belongs to another project.
    if !git(&["--show-prefix"])?.is_empty() {
        return None;
    }
    let log = git(&["--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists());
    if let Some(log) = log {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["--short=10", "HEAD"])
}

/// The output of `git rev-parse`; `None` if it fails.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("rev-parse")
        .args(arguments)
        .output();
    let output = output.ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned())
}
