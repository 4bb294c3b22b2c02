//! The environment of a measurement: the machine, the build, and the load.

use std::fs;
use std::process::Command;

use sha2::{Digest as _, Sha256};

use crate::stream::Hash;

/// Crates whose code is measured, by their names in Cargo.lock.
const MEASURED: [&str; 8] = [
    "arrow-array",
    "flate2",
    "lz4_flex",
    "pco",
    "prost",
    "serde_json",
    "zlib-rs",
    "zstd-safe",
];
const LOCK: &str = include_str!("../../Cargo.lock");

/// CPU model, cores and memory, which must be equal for times to be comparable.
pub fn machine() -> String {
    let cpu = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown CPU".to_owned());
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.strip_suffix(" kB")?.parse::<f64>().ok())
        .map_or_else(String::new, |kib| {
            format!(", {:.1} GiB", kib / 1024.0 / 1024.0)
        });
    format!("{cpu}, {cores} cores{memory}")
}

/// Operating system and kernel.
pub fn system() -> String {
    let name = read("/etc/os-release").and_then(|text| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("PRETTY_NAME="));
        Some(line?.trim_matches('"').to_owned())
    });
    let kernel = read("/proc/sys/kernel/osrelease").unwrap_or_default();
    let name = name.unwrap_or_else(|| std::env::consts::OS.to_owned());
    format!("{name}, kernel {}", kernel.trim())
        .trim_end_matches(", kernel ")
        .to_owned()
}

/// This build: version, compiler, target features, and the crates that are measured.
pub fn build() -> String {
    let crates: Vec<_> = MEASURED
        .iter()
        .filter_map(|name| Some(format!("{name} {}", locked(name)?)))
        .collect();
    format!(
        "rustc {}, {} with {}; {}, zstd {}",
        rustc_version_runtime::version(),
        std::env::consts::ARCH,
        features(),
        crates.join(", "),
        zstd::zstd_safe::version_string(),
    )
}

/// The version of mbt and the hash of this binary. Within a checkout of mbt also the commit, although the binary may
/// have been built from a different one.
pub fn version() -> String {
    let commit = commit().map(|commit| format!("git {commit}"));
    let binary = binary().map(|digest| format!("sha256 of the binary {digest}..."));
    let parts = [Some(env!("CARGO_PKG_VERSION").to_owned()), commit, binary];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The first digits of the SHA-256 hash of a release binary. Debug binaries are large, and their results are not
/// worth identifying.
fn binary() -> Option<String> {
    if cfg!(debug_assertions) {
        return None;
    }
    let bytes = fs::read(std::env::current_exe().ok()?).ok()?;
    let mut hash = Hash::Sha256(Sha256::digest(&bytes).into()).to_string();
    hash.truncate(12);
    Some(hash)
}

/// `release` or `debug`.
pub fn profile() -> &'static str {
    if cfg!(debug_assertions) {
        "debug (its times mean nothing)"
    } else {
        "release"
    }
}

/// Load average over 1, 5 and 15 minutes, and the percentage of time that some task waited for a CPU.
pub fn load() -> String {
    let load = read("/proc/loadavg").map_or_else(
        || "unknown".to_owned(),
        |text| text.split(' ').take(3).collect::<Vec<_>>().join(" "),
    );
    let pressure = read("/proc/pressure/cpu").and_then(|text| {
        let avg10 = text.split("avg10=").nth(1)?.split(' ').next()?;
        Some(format!(", CPU pressure {avg10} %"))
    });
    format!("{load}{}", pressure.unwrap_or_default())
}

/// The percentage in a report of [`load`].
pub fn pressure(load: &str) -> Option<f64> {
    let (_, rest) = load.split_once("CPU pressure ")?;
    rest.split(' ').next()?.parse().ok()
}

/// The current commit, if the command runs in a checkout of mbt.
fn commit() -> Option<String> {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let manifest = read(&format!(
        "{}/Cargo.toml",
        git(&["rev-parse", "--show-toplevel"])?
    ))?;
    if !manifest.contains("\nname = \"mbt\"\n") {
        return None;
    }
    let id = git(&["rev-parse", "--short=12", "HEAD"])?;
    // The log being written does not count as a change.
    let but_the_log = ["--", ":/", ":(top,exclude,glob)**/bench_results.md"];
    let status = ["status", "--porcelain", "--untracked-files=no"];
    let is_clean = git(&[&status[..], &but_the_log].concat())?.is_empty();
    Some(if is_clean {
        id
    } else {
        format!("{id}+changes")
    })
}

/// Target features that the compiler could use.
fn features() -> String {
    let known = [
        ("sse2", cfg!(target_feature = "sse2")),
        ("sse4.2", cfg!(target_feature = "sse4.2")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("neon", cfg!(target_feature = "neon")),
    ];
    let used = known.iter().filter(|(_, used)| *used);
    let names: Vec<_> = used.map(|(name, _)| *name).collect();
    if names.is_empty() {
        "no extensions".to_owned()
    } else {
        names.join(" ")
    }
}

/// The version of a crate in Cargo.lock.
fn locked(name: &str) -> Option<&'static str> {
    let package = LOCK.split(&format!("name = \"{name}\"\n")).nth(1)?;
    let line = package.lines().next()?;
    Some(line.strip_prefix("version = ")?.trim_matches('"'))
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// The value of the first line `name : value` in a file in `/proc`.
fn field(path: &str, name: &str) -> Option<String> {
    let text = read(path)?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let (_, value) = line.split_once(':')?;
    Some(value.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measured_crate_has_a_version() {
        for name in MEASURED {
            let version = locked(name).unwrap();
            assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{name}");
        }
        assert_eq!(locked("no-such-crate"), None);
    }
}
