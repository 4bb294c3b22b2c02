//! How `mbt` behaves if it is interrupted, if its output is a terminal or cannot be written: no file is left half
//! written, and messages go to the right place with the right exit code.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::command::words;

/// A process that takes longer is considered hung. The limit is generous, since tests share their machine.
const PATIENCE: Duration = Duration::from_mins(1);
const BIN: &str = env!("CARGO_BIN_EXE_mbt");

fn dir() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

fn mbt(dir: &TempDir, args: &[&str]) -> Command {
    let mut command = Command::new(BIN);
    command.args(args).current_dir(dir.path());
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR"] {
        command.env_remove(name);
    }
    command.env("TERM", "xterm");
    heed_signals(&mut command);
    command
}

/// Gives the child the default reaction to signals.
///
/// A shell starts its background jobs with SIGINT ignored, and `nohup` ignores SIGHUP. Both are inherited, a
/// shell cannot undo them, and `mbt` leaves ignored signals alone.
#[allow(unsafe_code)]
fn heed_signals(command: &mut Command) {
    // SAFETY: runs in the child between fork and exec, where only async-signal-safe functions may be called;
    // `signal` is one, and nothing else happens here: no allocation, no lock.
    unsafe {
        command.pre_exec(|| {
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
                if libc::signal(signal, libc::SIG_DFL) == libc::SIG_ERR {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
}

/// Runs `script` in a shell that knows the binary as `$MBT`.
fn shell(dir: &TempDir, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script]).env("MBT", BIN);
    command.current_dir(dir.path());
    heed_signals(&mut command);
    command.output().expect("a shell")
}

fn run(dir: &TempDir, args: &[&str]) -> Output {
    mbt(dir, args).stdin(Stdio::null()).output().expect("runs")
}

/// The stderr of a run that must end with `code`.
fn refusal(output: &Output, code: i32) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

fn names(dir: &TempDir) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.path()).expect("readable");
    let mut names: Vec<_> = entries
        .map(|entry| PathBuf::from(entry.expect("readable").file_name()))
        .collect();
    names.sort();
    names
}

/// Waits until `done` returns true.
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits for the end of a child that must not hang.
fn end(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("waitable") {
            return status;
        }
        if begun.elapsed() > PATIENCE {
            child.kill().expect("killable");
            panic!("hangs");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// A CSV file of about `bytes` bytes whose rows differ.
fn csv(bytes: usize) -> Vec<u8> {
    let mut text = b"id,name,value\n".to_vec();
    for row in 0.. {
        if text.len() >= bytes {
            break;
        }
        writeln!(text, "{row},name {row},{}.25", row * 7919 % 100_003).expect("memory");
    }
    text
}

fn interrupted_by(signal: Signal) {
    let dir = dir();
    let args = words("convert - --from csv --frame-rows 100 -o out.mbt");
    let mut child = mbt(&dir, &args)
        .stdin(Stdio::piped())
        .spawn()
        .expect("runs");
    // The pipe stays open to the end of the test: the input never ends.
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(&csv(1 << 20)).expect("it reads");
    until("the output is begun", || !names(&dir).is_empty());
    let pid = Pid::from_raw(child.id() as i32).expect("a process");
    kill_process(pid, signal).expect("it is alive");
    let status = end(&mut child);
    assert_eq!(status.signal(), Some(signal.as_raw()), "{status}");
    assert!(names(&dir).is_empty(), "left: {:?}", names(&dir));
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    interrupted_by(Signal::INT);
}

#[test]
fn a_request_to_end_leaves_nothing_behind() {
    interrupted_by(Signal::TERM);
}

#[test]
fn a_terminal_that_closes_leaves_nothing_behind() {
    interrupted_by(Signal::HUP);
}

#[test]
fn other_signals_that_end_a_process_leave_nothing_behind() {
    for signal in [
        Signal::USR1,
        Signal::USR2,
        Signal::ALARM,
        Signal::QUIT,
        Signal::XCPU,
    ] {
        interrupted_by(signal);
    }
}

#[test]
fn an_interrupt_among_many_files_leaves_whole_ones_only() {
    let dir = dir();
    fs::write(dir.path().join("done.csv"), "a\n1\n").unwrap();
    for name in ["waits.csv", "waits too.csv"] {
        let made = Command::new("mkfifo").arg(dir.path().join(name)).status();
        assert!(made.expect("mkfifo").success());
    }
    let args = ["convert", "waits.csv", "waits too.csv", "done.csv"];
    let options = ["--to", "mbt", "--out-dir", "out", "-T", "3"];
    let mut child = mbt(&dir, &[&args[..], &options].concat())
        .spawn()
        .expect("runs");
    // Held open: these inputs never end.
    let mut held = Vec::new();
    for name in ["waits.csv", "waits too.csv"] {
        let mut pipe = File::options()
            .write(true)
            .open(dir.path().join(name))
            .expect("it reads");
        pipe.write_all(b"a\n1\n").expect("it reads");
        held.push(pipe);
    }
    let names = || -> Vec<_> {
        let entries = fs::read_dir(dir.path().join("out"));
        let entries = entries.into_iter().flatten();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    };
    let is_begun = || names().len() == 3 && names().contains(&"done.mbt".into());
    until("one is done and two are begun", is_begun);
    let pid = Pid::from_raw(child.id() as i32).expect("a process");
    kill_process(pid, Signal::INT).expect("it is alive");
    let status = end(&mut child);
    assert_eq!(status.signal(), Some(Signal::INT.as_raw()), "{status}");
    assert_eq!(names(), ["done.mbt"]);
}

#[test]
fn the_shell_sees_130_and_the_old_file_stays() {
    let dir = dir();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("out.mbt"), "old").unwrap();
    let script =
        "sh -c 'echo $$ > pid; exec \"$MBT\" convert - --from csv -o out.mbt --force'; echo $?";
    let mut command = Command::new("sh");
    command.args(["-c", script]).env("MBT", BIN);
    command.current_dir(dir.path());
    heed_signals(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("a shell");
    // Held open: the input never ends.
    let stdin = child.stdin.take();
    until("the output is begun", || {
        let is_temporary = |name: &PathBuf| name.to_string_lossy().starts_with(".mbt-");
        names(&dir).iter().any(is_temporary)
    });
    let pid = fs::read_to_string(path("pid")).expect("written by then");
    let pid = Pid::from_raw(pid.trim().parse().expect("a number")).expect("a process");
    kill_process(pid, Signal::INT).expect("it is alive");
    end(&mut child);
    drop(stdin);
    let mut told = String::new();
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_to_string(&mut told).expect("text");
    assert_eq!(told, "130\n");
    assert_eq!(names(&dir), ["out.mbt", "pid"].map(PathBuf::from));
    assert_eq!(fs::read(path("out.mbt")).unwrap(), b"old");
}

#[cfg(target_os = "linux")]
#[test]
fn nohup_is_heeded() {
    let dir = dir();
    let script = "mkfifo in; (trap '' HUP; exec \"$MBT\" convert in --from csv -o out.mbt) & \
        child=$!; exec 3>in; while ! ls -A | grep -q '^[.]mbt-'; do sleep 0.01; done; \
        kill -HUP $child; printf 'a\\n1\\n' >&3; exec 3>&-; wait $child";
    refusal(&shell(&dir, script), 0);
    assert!(dir.path().join("out.mbt").is_file());
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing_behind() {
    let dir = dir();
    fs::write(dir.path().join("in.csv"), csv(1 << 20)).unwrap();
    for to in ["mbt --wire 1", "csv", "ndjson"] {
        let script = format!("ulimit -f 8; exec \"$MBT\" convert in.csv --to {to} -o out");
        let text = refusal(&shell(&dir, &script), 3);
        assert!(text.starts_with("error: out: cannot write: "), "{text}");
        assert!(!text.contains(".mbt-"), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert_eq!(names(&dir), [PathBuf::from("in.csv")]);
        let script = format!("ulimit -f 8; exec \"$MBT\" convert in.csv --to {to} > out");
        let text = refusal(&shell(&dir, &script), 3);
        assert!(
            text.starts_with("error: <stdout>: cannot write: "),
            "{text}"
        );
        fs::remove_file(dir.path().join("out")).unwrap();
    }
}

#[test]
fn a_missing_directory_for_temporary_files_is_named() {
    let dir = dir();
    fs::write(dir.path().join("in.csv"), "a\n1\n").unwrap();
    for command in [
        "cat in.csv | \"$MBT\" convert --from csv -o out.parquet",
        "\"$MBT\" diff --key a in.csv in.csv",
    ] {
        let script = format!("TMPDIR=/nowhere; export TMPDIR; {command}");
        let text = refusal(&shell(&dir, &script), 3);
        let what = "cannot use a temporary file in /nowhere: No such file";
        assert!(text.contains(what), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_told() {
    let dir = dir();
    for bytes in [20, 1 << 20] {
        fs::write(dir.path().join("in.csv"), csv(bytes)).unwrap();
        for to in ["mbt", "csv", "ndjson", "json"] {
            for out in ["> /dev/full", "-o /dev/full --force"] {
                let script = format!("exec \"$MBT\" convert in.csv --to {to} {out}");
                let text = refusal(&shell(&dir, &script), 3);
                assert!(text.contains("cannot write: No space left"), "{text}");
            }
        }
    }
}

#[test]
fn compress_and_decompress_have_the_same_manners() {
    let dir = dir();
    fs::write(dir.path().join("in.csv"), csv(1 << 20)).unwrap();
    let frames = words("convert in.csv --wire 1 --frame-rows 1000 -o in.mbt");
    refusal(&run(&dir, &frames), 0);
    for command in ["compress -c lz4 in.mbt", "decompress in.mbt"] {
        let script = format!("ulimit -f 8; exec \"$MBT\" {command} -o out");
        let told = refusal(&shell(&dir, &script), 3);
        assert!(told.starts_with("error: out: cannot write: "), "{told}");
        assert_eq!(names(&dir), ["in.csv", "in.mbt"].map(PathBuf::from));
        let script = format!("exec \"$MBT\" {command} >> in.mbt");
        let told = refusal(&shell(&dir, &script), 2);
        assert!(told.contains("is also stdout; use -o "), "{told}");
        let script = format!("exec \"$MBT\" {command} --progress always -o in.mbt --force");
        let told = refusal(&shell(&dir, &script), 0);
        assert!(
            told.ends_with(" MB/s\n") && told.lines().count() == 1,
            "{told}"
        );
    }
    let script = "\"$MBT\" decompress in.mbt; echo $? >&2";
    let output = shell(&dir, &format!("({script}) | head -c 1"));
    assert_eq!(refusal(&output, 0), "0\n");
}

/// Reads one byte of the output and closes it. The input never ends; if `more` is true, further rows arrive.
fn reader_leaves(to: &str, more: bool) {
    let dir = dir();
    let args = format!("convert - --from csv --frame-rows 1000 --to {to}");
    let args = words(&args);
    let mut child = mbt(&dir, &args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writing = thread::spawn(move || {
        let block = csv(4 << 20);
        // Write until the process ends, or has so much input that it must write to the closed pipe.
        let mut blocks = 0;
        while stdin.write_all(&block).is_ok() && (more || blocks < 2) {
            blocks += 1;
        }
        stdin
    });
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_exact(&mut [0]).expect("some output");
    drop(stdout);
    let status = end(&mut child);
    let mut text = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut text)
        .expect("text");
    assert_eq!((status.code(), text.as_str()), (Some(0), ""), "{to}");
    drop(writing.join());
}

#[test]
fn it_ends_quietly_when_its_reader_has_seen_enough() {
    for to in ["mbt", "csv", "ndjson", "json"] {
        reader_leaves(to, true);
    }
}

#[test]
fn it_does_not_wait_for_input_when_its_reader_is_gone() {
    for to in ["mbt", "csv"] {
        reader_leaves(to, false);
    }
}

#[test]
fn a_file_can_be_replaced_by_what_is_made_of_it() {
    let dir = dir();
    let path = dir.path().join("a.csv");
    let text = csv(1 << 20);
    fs::write(&path, &text).unwrap();
    let same = || assert!(fs::read(&path).unwrap() == text, "not what it was");
    refusal(
        &run(&dir, &["convert", "a.csv", "-o", "a.csv", "--force"]),
        0,
    );
    same();
    refusal(
        &shell(
            &dir,
            "exec \"$MBT\" convert - --to csv -o a.csv --force < a.csv",
        ),
        0,
    );
    same();
    // A run that fails keeps the existing file.
    let wrong = [
        "convert", "a.csv", "-o", "a.csv", "--force", "--schema", "name:i64",
    ];
    refusal(&run(&dir, &wrong), 2);
    same();
    assert_eq!(names(&dir), [PathBuf::from("a.csv")]);
}

#[test]
fn a_stdout_that_is_an_input_is_refused_before_it_grows() {
    let dir = dir();
    let path = dir.path().join("a.csv");
    let text = csv(1000);
    for redirection in ["a.csv >> a.csv", "- < a.csv >> a.csv", "a.csv 1<> a.csv"] {
        fs::write(&path, &text).unwrap();
        let script = format!("exec \"$MBT\" convert --to csv {redirection}");
        let told = refusal(&shell(&dir, &script), 2);
        assert!(told.contains("is also stdout; use -o "), "{told}");
        assert_eq!(fs::read(&path).unwrap(), text);
    }
}

#[test]
fn outputs_that_cannot_be_made_are_told_apart() {
    let dir = dir();
    fs::write(dir.path().join("a.csv"), "a\n1\n").unwrap();
    fs::create_dir(dir.path().join("there")).unwrap();
    for (output, code, text) in [
        (
            "there",
            2,
            "there: this is a directory; name a file inside it",
        ),
        (
            "new/",
            2,
            "new/: this is the name of a directory; name a file inside it",
        ),
        (
            "not/b",
            3,
            "not/b: there is no directory not; create it with mkdir -p not",
        ),
        ("a.csv/b", 3, "a.csv/b: a.csv is not a directory"),
    ] {
        let told = refusal(&run(&dir, &["convert", "a.csv", "-o", output]), code);
        assert!(told.contains(text) && told.lines().count() == 1, "{told}");
    }
    assert_eq!(names(&dir), ["a.csv", "there"].map(PathBuf::from));
}

#[test]
fn inputs_that_cannot_be_read_are_told_apart() {
    let dir = dir();
    fs::create_dir(dir.path().join("there")).unwrap();
    for (script, text) in [
        (
            "convert missing.csv",
            "error: missing.csv: cannot open: No such file",
        ),
        ("convert there", "error: there: cannot open: is a directory"),
        (
            "convert --from csv - < there",
            "error: <stdin>: cannot read: Is a directory",
        ),
    ] {
        let told = refusal(&shell(&dir, &format!("exec \"$MBT\" {script} -o out")), 3);
        assert!(told.starts_with(text), "{told}");
    }
    assert_eq!(names(&dir), [PathBuf::from("there")]);
}

/// The exit code is that of the bad input, not that of the missing one, whichever comes first.
#[test]
fn the_order_of_bad_inputs_does_not_matter() {
    let dir = dir();
    fs::write(dir.path().join("good.csv"), "a,b\n1,2\n").unwrap();
    fs::write(dir.path().join("bad.csv"), "a,b\n1\n").unwrap();
    for command in ["head", "stats"] {
        for (inputs, code) in [
            ("good.csv bad.csv none.csv", 2),
            ("none.csv bad.csv good.csv", 2),
            ("none.csv good.csv", 3),
        ] {
            let output = shell(&dir, &format!("exec \"$MBT\" {command} {inputs}"));
            assert_eq!(output.status.code(), Some(code), "{command} {inputs}");
            let told = String::from_utf8_lossy(&output.stderr);
            for name in ["bad.csv", "none.csv"].map(|name| (name, inputs.contains(name))) {
                assert_eq!(told.contains(name.0), name.1, "{command} {inputs}: {told}");
            }
        }
    }
}

/// Permissions do not apply to root, who may run the tests.
#[test]
fn what_may_not_be_read_or_written_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let dir = dir();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("a.csv"), "a\n1\n").unwrap();
    fs::write(path("secret.csv"), "a\n1\n").unwrap();
    fs::set_permissions(path("secret.csv"), fs::Permissions::from_mode(0o0)).unwrap();
    if File::open(path("secret.csv")).is_ok() {
        return;
    }
    let told = refusal(&run(&dir, &["convert", "secret.csv"]), 3);
    assert!(
        told.starts_with("error: secret.csv: cannot open: Permission"),
        "{told}"
    );
    fs::create_dir(path("locked")).unwrap();
    fs::set_permissions(path("locked"), fs::Permissions::from_mode(0o500)).unwrap();
    let told = refusal(&run(&dir, &["convert", "a.csv", "-o", "locked/a"]), 3);
    assert!(
        told.contains("locked/a: cannot create a temporary file next to it: permission"),
        "{told}"
    );
}

/// A new terminal: the controlling end, and the path of the other.
fn terminal() -> (File, PathBuf) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::os::unix::ffi::OsStrExt;
    let watcher = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&watcher).expect("granted");
    unlockpt(&watcher).expect("unlocked");
    let name = ptsname(&watcher, Vec::new()).expect("a name");
    let path = Path::new(OsStr::from_bytes(name.as_bytes())).to_path_buf();
    (File::from(watcher), path)
}

/// Runs with stderr on a terminal and slow input: the second half, a bad row if `bad`,
/// arrives once `go` returns true for the contents of the terminal. Returns its final contents.
fn watched(args: &[&str], bad: bool, go: impl Fn(&str) -> bool) -> (ExitStatus, String) {
    let dir = dir();
    let (watcher, path) = terminal();
    let own = File::options()
        .read(true)
        .write(true)
        .open(path)
        .expect("the terminal");
    let mut command = mbt(&dir, &["convert", "-", "--from", "csv", "-o", "out.mbt"]);
    command.args(args).stdin(Stdio::piped()).stderr(own);
    let mut child = command.spawn().expect("runs");
    // It also holds an end of the terminal.
    drop(command);
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let watching = {
        let seen = std::sync::Arc::clone(&seen);
        thread::spawn(move || {
            let mut watcher = watcher;
            let mut buf = [0; 4096];
            // It fails when the other end is closed.
            while let Ok(read @ 1..) = watcher.read(&mut buf) {
                seen.lock().unwrap().extend_from_slice(&buf[..read]);
            }
        })
    };
    let text = || String::from_utf8_lossy(&seen.lock().unwrap()).into_owned();
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(&csv(1 << 20)).expect("it reads");
    until("it is time to go on", || go(&text()));
    stdin
        .write_all(if bad { b"1,2,3,4\n" } else { b"1,2,3\n" })
        .expect("it reads");
    drop(stdin);
    let status = end(&mut child);
    watching.join().expect("watched");
    (status, text())
}

/// The lines that remain visible: each one as far as it was not erased.
fn left_over(screen: &str) -> String {
    let lines = screen.split('\n').map(|line| {
        let line = line.rsplit("\u{1b}[2K").next().unwrap_or_default();
        line.rsplit('\r')
            .find(|part| !part.is_empty())
            .unwrap_or_default()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn long_work_shows_a_bar_and_closes_with_a_line() {
    let (status, screen) = watched(&[], false, |text| text.contains("MB/s"));
    assert_eq!(status.code(), Some(0), "{screen:?}");
    let left = left_over(&screen);
    assert!(left.starts_with(|c: char| c.is_ascii_digit()), "{screen:?}");
    assert!(
        left.contains(" rows, 1.0 MB in, ") && left.ends_with(" MB/s\n"),
        "{screen:?}"
    );
    assert_eq!(left.lines().count(), 1, "{screen:?}");
}

#[test]
fn an_error_takes_the_place_of_the_bar() {
    let (status, screen) = watched(&[], true, |text| text.contains("MB/s"));
    assert_eq!(status.code(), Some(2), "{screen:?}");
    let left = left_over(&screen);
    assert!(
        left.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m <stdin>:"),
        "{screen:?}"
    );
    assert_eq!(left.lines().count(), 1, "{screen:?}");
}

#[test]
fn quiet_work_shows_nothing_however_long_it_takes() {
    for args in [
        &["-q"][..],
        &["-q", "--progress", "always"],
        &["--progress", "never"],
    ] {
        let begun = Instant::now();
        let long = |_: &str| begun.elapsed() > Duration::from_millis(700);
        let (status, screen) = watched(args, false, long);
        assert_eq!((status.code(), screen.as_str()), (Some(0), ""));
    }
}

#[test]
fn a_pipe_sees_no_bar_and_the_closing_line_on_demand() {
    let dir = dir();
    fs::write(dir.path().join("a.csv"), csv(1000)).unwrap();
    let told = refusal(&run(&dir, &["convert", "a.csv", "-o", "a.mbt"]), 0);
    assert_eq!(told, "");
    let args = words("convert a.csv -o a.mbt --force --progress always");
    let told = refusal(&run(&dir, &args), 0);
    let rows = csv(1000).split(|&byte| byte == b'\n').count() - 2;
    assert!(
        told.starts_with(&format!("{rows} rows, 1.0 kB in, ")),
        "{told:?}"
    );
    assert!(
        told.ends_with(" MB/s\n") && !told.contains(['\r', '\u{1b}']),
        "{told:?}"
    );
    let written = fs::metadata(dir.path().join("a.mbt")).unwrap().len();
    assert!(
        told.contains(&format!(" in, {} out (", mbt::units::human(written))),
        "{told:?}"
    );
}

#[test]
fn messages_are_coloured_on_demand_only() {
    let dir = dir();
    for (args, environment, coloured) in [
        (&["--color", "auto"][..], None, false),
        (&["--color", "always"], None, true),
        (&["--color", "always"], Some("NO_COLOR"), true),
        (&["--color", "never"], Some("CLICOLOR_FORCE"), false),
        (&[], Some("CLICOLOR_FORCE"), true),
        (&[], None, false),
    ] {
        let mut command = mbt(&dir, &["convert", "missing"]);
        command.args(args);
        if let Some(name) = environment {
            command.env(name, "1");
        }
        let told = refusal(&command.output().expect("runs"), 3);
        assert_eq!(
            told.contains('\u{1b}'),
            coloured,
            "{args:?} {environment:?}: {told:?}"
        );
        assert!(told.contains("missing: cannot open"), "{told:?}");
    }
}

#[test]
fn notes_can_be_silenced() {
    let dir = dir();
    fs::write(dir.path().join("a.csv"), csv(1000)).unwrap();
    refusal(&run(&dir, &["convert", "a.csv", "-o", "a.mbt"]), 0);
    let mut file = File::options()
        .append(true)
        .open(dir.path().join("a.mbt"))
        .unwrap();
    file.write_all(b"junk").unwrap();
    let keep = ["convert", "a.mbt", "--salvage"];
    let told = refusal(&run(&dir, &keep), 2);
    assert!(told.starts_with("note: a.mbt: "), "{told}");
    let told = refusal(&run(&dir, &[&keep[..], &["-q"]].concat()), 2);
    assert!(told.starts_with("error: a.mbt: "), "{told}");
}

#[test]
fn options_for_text_are_noted_if_they_have_no_effect() {
    let dir = dir();
    fs::write(dir.path().join("a.csv"), csv(1000)).unwrap();
    for to in ["a.mbt", "a.arrow", "a.ndjson"] {
        refusal(&run(&dir, &["convert", "a.csv", "-o", to]), 0);
    }
    for (line, noted) in [
        ("head a.csv --comment # --flexible", None),
        ("head a.mbt --comment # --flexible", Some("--flexible: ")),
        ("head a.mbt --comment # --flexible", Some("--comment: ")),
        ("stats a.arrow --decimal ,", Some("--decimal: ")),
        ("schema a.ndjson --skip-lines 1", Some("--skip-lines: ")),
        ("schema a.ndjson --infer none", None),
        ("head a.arrow --infer none", Some("--infer none: ")),
        ("diff a.csv a.mbt --infer none --null x", None),
        ("convert a.mbt --to csv --null NA --delimiter ;", None),
        (
            "convert a.mbt --to ndjson --null NA --delimiter ;",
            Some("--delimiter, --null: "),
        ),
        ("convert a.csv --to ndjson --null NA", None),
    ] {
        let said = refusal(&run(&dir, &words(line)), 0);
        let note = noted.map(|options| format!("{options}no effect, since "));
        let is_noted = said.contains("no effect");
        assert_eq!(is_noted, noted.is_some(), "{line}: {said}");
        assert!(
            note.is_none_or(|note| said.contains(&note)),
            "{line}: {said}"
        );
    }
}
