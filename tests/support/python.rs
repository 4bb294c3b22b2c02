//! Python with packages that a test needs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// pip must not install to the same environment twice at the same time.
static INSTALLING: Mutex<()> = Mutex::new(());

/// A Python that can run `import`, in its own environment called `name`, in which pip installs `packages` if they are
/// missing; `None` if that is not possible.
pub fn python_with(name: &str, import: &str, packages: &[&str]) -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let python = dir.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let runs = |python: &Path, args: &[&str]| {
        let output = Command::new(python).args(args).output();
        output.is_ok_and(|output| output.status.success())
    };
    let has_packages = || runs(&python, &["-c", import]);
    if has_packages() {
        return Some(python);
    }
    let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let venv = runs(Path::new("python3"), &["-m", "venv", dir.to_str()?]);
    let pip = [&["-m", "pip", "install", "--quiet"], packages].concat();
    (venv && runs(&python, &pip) && has_packages()).then_some(python)
}
