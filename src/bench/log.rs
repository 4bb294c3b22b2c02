//! The benchmark log: an append-only Markdown file.
//!
//! The header and each entry end with a line that has the SHA-256 hash of all bytes before it, which reveals
//! any later edit. An entry is appended by a single write under a lock, so that concurrent runs do not mix.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::compare::{changes, record_changes};
use super::entry::LogEntry;
use crate::error::{Error, Result};
use crate::stream::Hash;

const TITLE: &str = "# mbt bench log\n";
const HEADER: &str = include_str!("log/header.md");
/// The start of the line that ends the header and each entry; it is followed by 64 hex digits and
/// [`SEAL_END`].
const SEAL: &str = "<!-- sha256 of all above: ";
const SEAL_END: &str = " -->\n";

/// A parsed log.
#[derive(Debug, Default)]
pub struct Log {
    /// Entries in file order, which is chronological.
    pub entries: Vec<SealedEntry>,
    /// True if the header matches its hash.
    pub header_is_intact: bool,
    /// Bytes after the last hash: an incomplete entry, or text written by hand.
    pub unsealed: usize,
}

/// An entry and the state of its hash.
#[derive(Debug)]
pub struct SealedEntry {
    /// The entry.
    pub entry: LogEntry,
    /// Whether it is as written.
    pub state: SealState,
}

/// What the hash of an entry shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealState {
    /// Everything up to the end of the entry is as written.
    Intact,
    /// The entry was edited, and nothing before it was.
    Edited,
    /// Something before it was edited, so it cannot be checked.
    AfterEdited,
    /// There is not exactly one heading before the hash: part of an entry is missing or was added.
    Incomplete,
}

impl SealState {
    /// A short description.
    pub fn name(self) -> &'static str {
        match self {
            Self::Intact => "ok",
            Self::Edited => "edited",
            Self::AfterEdited => "after an edited entry",
            Self::Incomplete => "incomplete",
        }
    }
}

impl Log {
    /// Reads the log at `path`.
    ///
    /// # Errors
    /// If the file cannot be read or is not a log.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes =
            std::fs::read(path).map_err(|error| Error::io("cannot read", error).in_file(path))?;
        Self::parse(&bytes).map_err(|error| error.in_file(path))
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        if !bytes.starts_with(TITLE.as_bytes()) {
            return Err(Error::input("this is not a log of mbt bench")
                .hint("the first line of a log is `# mbt bench log`"));
        }
        let mut log = Self::default();
        let mut hasher = Sha256::new();
        let mut start = 0;
        let mut at = 0;
        let mut was_whole = true;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            at += line.len();
            if line.starts_with(SEAL.as_bytes()) {
                let is_whole = line == seal(&hasher).as_bytes();
                let part = String::from_utf8_lossy(&bytes[start..at - line.len()]);
                if start == 0 {
                    log.header_is_intact = is_whole;
                } else {
                    let state = match (is_whole, was_whole) {
                        (true, _) if part.matches("\n## ").count() == 1 => SealState::Intact,
                        (true, _) => SealState::Incomplete,
                        (false, true) => SealState::Edited,
                        (false, false) => SealState::AfterEdited,
                    };
                    let entry = LogEntry::read(&part).unwrap_or_default();
                    log.entries.push(SealedEntry { entry, state });
                }
                was_whole = is_whole;
                start = at;
            }
            hasher.update(line);
        }
        log.unsealed = bytes.len() - start;
        Ok(log)
    }

    /// True if nothing was edited or cut off.
    pub fn is_intact(&self) -> bool {
        let entries = self.entries.iter();
        self.header_is_intact
            && self.unsealed == 0
            && entries
                .map(|sealed| sealed.state)
                .all(|state| state == SealState::Intact)
    }

    /// The newest unedited entry that `entry` can be compared with.
    fn baseline(&self, entry: &LogEntry) -> Option<&LogEntry> {
        let kept = self.entries.iter().rev().filter(|sealed| {
            let state = sealed.state;
            state == SealState::Intact || state == SealState::AfterEdited
        });
        kept.map(|sealed| &sealed.entry)
            .filter(|other| other.suite == entry.suite && other.is_comparable(entry))
            .find(|other| !changes(other, entry).is_empty())
    }
}

/// Checks that [`append`] can append to the file, before anything is measured.
///
/// # Errors
/// If the file cannot be written or is not a log.
pub fn ensure_appendable(path: &Path) -> Result<()> {
    let cannot = |error| Error::io("cannot append to the log", error).in_file(path);
    match File::options().append(true).read(true).open(path) {
        Ok(mut file) => {
            let mut head = Vec::new();
            let most = TITLE.len() as u64;
            (&mut file)
                .take(most)
                .read_to_end(&mut head)
                .map_err(cannot)?;
            if head.is_empty() {
                return Ok(());
            }
            Log::parse(&head)
                .map_err(|error| error.in_file(path))
                .map(drop)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
            match dir {
                Some(dir) if !dir.is_dir() => Err(cannot(error)),
                _ => Ok(()),
            }
        }
        Err(error) => Err(cannot(error)),
    }
}

/// Compares the rows of an entry with the newest entry of the same suite, machine and profile, and appends it. A
/// new log starts with the rules.
///
/// # Errors
/// If the file cannot be written. It is then left as it was.
pub fn append(path: &Path, entry: &mut LogEntry) -> Result<()> {
    let cannot = |error| Error::io("cannot append to the log", error).in_file(path);
    let mut file = File::options()
        .append(true)
        .read(true)
        .create(true)
        .open(path)
        .map_err(cannot)?;
    file.lock().map_err(cannot)?;
    let mut before = Vec::new();
    file.read_to_end(&mut before).map_err(cannot)?;
    let mut addition = String::new();
    if before.is_empty() {
        addition = format!("{TITLE}{HEADER}");
        addition.push_str(&seal(&Sha256::new_with_prefix(&addition)));
    } else {
        let log = Log::parse(&before).map_err(|error| error.in_file(path))?;
        if let Some(baseline) = log.baseline(entry) {
            let fact = ("Baseline".to_owned(), format!("entry of {}", baseline.date));
            entry.facts.push(fact);
            record_changes(entry, baseline);
        }
        if !before.ends_with(b"\n") {
            addition.push('\n');
        }
    }
    addition.push('\n');
    addition.push_str(&entry.markdown());
    addition.push('\n');
    let hasher = Sha256::new_with_prefix(&before).chain_update(&addition);
    addition.push_str(&seal(&hasher));
    // A single call, so that the entry is not split by another writer or by the end of this process.
    match file.write(addition.as_bytes()) {
        Ok(written) if written == addition.len() => file.sync_data().map_err(cannot),
        result => {
            // Remove the incomplete entry and keep what was there before.
            file.set_len(before.len() as u64).map_err(cannot)?;
            Err(cannot(
                result.err().unwrap_or(ErrorKind::StorageFull.into()),
            ))
        }
    }
}

/// The line with the hash of everything before it.
fn seal(hasher: &Sha256) -> String {
    let hash = Hash::Sha256(hasher.clone().finalize().into());
    format!("{SEAL}{hash}{SEAL_END}")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::bench::entry::{MACHINE, PROFILE};
    use crate::bench::harness::Timing;
    use crate::bench::results::{ResultTable, Row};

    fn entry(second: u32, median: f64) -> LogEntry {
        let timing = Timing {
            median,
            best: median,
            p99: median,
            low: median,
            high: median,
            samples: 30,
        };
        let row = Row {
            name: "encode".to_owned(),
            timing: Some(timing),
            ..Row::default()
        };
        LogEntry {
            date: format!("2026-11-21T00:00:0{second}Z"),
            suite: "transport".to_owned(),
            facts: vec![
                (MACHINE.to_owned(), "one".to_owned()),
                (PROFILE.to_owned(), "release".to_owned()),
            ],
            tables: vec![ResultTable {
                title: "bars".to_owned(),
                rows: vec![row],
            }],
            ..LogEntry::default()
        }
    }

    fn log_of(count: u32) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log.md");
        for second in 0..count {
            append(&path, &mut entry(second, 100.0)).unwrap();
        }
        (dir, path)
    }

    fn states(bytes: &[u8]) -> Vec<SealState> {
        let log = Log::parse(bytes).unwrap();
        log.entries.iter().map(|sealed| sealed.state).collect()
    }

    #[test]
    fn entries_are_appended_and_nothing_else_changes() {
        let (_dir, path) = log_of(2);
        let before = std::fs::read(&path).unwrap();
        let mut slower = entry(2, 150.0);
        append(&path, &mut slower).unwrap();
        let after = std::fs::read(&path).unwrap();
        assert!(after.starts_with(&before));
        let log = Log::read(&path).unwrap();
        assert!(log.is_intact());
        assert_eq!(log.entries.len(), 3);
        assert_eq!(log.entries[2].entry, slower);
        assert_eq!(slower.tables[0].rows[0].delta, "+50.0 % slower");
        assert_eq!(
            slower.fact("Baseline"),
            Some("entry of 2026-11-21T00:00:01Z")
        );
    }

    #[test]
    fn an_edited_entry_is_not_a_baseline() {
        let (_dir, path) = log_of(2);
        let text = std::fs::read_to_string(&path).unwrap();
        let at = text.rfind("100.0 ns").unwrap();
        std::fs::write(&path, format!("{}2{}", &text[..at], &text[at + 1..])).unwrap();
        let mut next = entry(2, 100.0);
        append(&path, &mut next).unwrap();
        assert_eq!(next.fact("Baseline"), Some("entry of 2026-11-21T00:00:00Z"));
        assert_eq!(next.tables[0].rows[0].delta, "+0.0 %");
    }

    #[test]
    fn entries_of_other_machines_are_not_a_baseline() {
        let (_dir, path) = log_of(1);
        let mut other = entry(1, 1.0);
        other.facts[0].1 = "another".to_owned();
        append(&path, &mut other).unwrap();
        assert_eq!(other.fact("Baseline"), None);
        assert_eq!(other.tables[0].rows[0].delta, "");
    }

    #[test]
    fn an_edit_of_any_byte_is_located() {
        let (_dir, path) = log_of(3);
        let whole = std::fs::read(&path).unwrap();
        let text = String::from_utf8(whole.clone()).unwrap();
        let ends: Vec<usize> = text
            .match_indices(SEAL)
            .map(|(at, seal)| at + seal.len() + 64 + SEAL_END.len())
            .collect();
        let places = (TITLE.len()..whole.len()).filter(|&at| {
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            // Without its marker, an entry continues into the next one.
            !text[line..].starts_with(SEAL)
                || (line + SEAL.len()..line + SEAL.len() + 64).contains(&at)
        });
        for at in places.step_by(7) {
            let mut edited = whole.clone();
            edited[at] ^= 1;
            let log = Log::parse(&edited).unwrap();
            let part = ends.iter().filter(|end| **end <= at).count();
            assert_eq!(log.header_is_intact, part > 0, "byte {at}");
            let states = states(&edited);
            for (entry, state) in (1..).zip(states) {
                let expected = match entry {
                    entry if entry < part => SealState::Intact,
                    entry if entry == part => SealState::Edited,
                    _ => SealState::AfterEdited,
                };
                assert_eq!(state, expected, "byte {at}, entry {entry}");
            }
        }
    }

    #[test]
    fn truncated_logs_are_not_intact_but_can_be_appended_to() {
        let (_dir, path) = log_of(2);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 100]).unwrap();
        let log = Log::read(&path).unwrap();
        assert!(!log.is_intact() && log.unsealed > 0);
        append(&path, &mut entry(5, 100.0)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(states(&bytes), [SealState::Intact, SealState::Incomplete]);
    }

    #[test]
    fn the_hash_equals_that_of_sha256sum() {
        let (_dir, path) = log_of(1);
        let text = std::fs::read_to_string(&path).unwrap();
        let at = text.rfind(SEAL).unwrap();
        let mut sum = std::process::Command::new("sha256sum")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = sum.stdin.take().unwrap();
        stdin.write_all(&text.as_bytes()[..at]).unwrap();
        drop(stdin);
        let output = sum.wait_with_output().unwrap();
        let hex = String::from_utf8(output.stdout).unwrap();
        assert!(text[at + SEAL.len()..].starts_with(&hex[..64]));
    }

    #[test]
    fn other_files_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notes.md");
        std::fs::write(&path, "# my notes\n").unwrap();
        assert!(ensure_appendable(&path).is_err());
        assert!(append(&path, &mut entry(0, 1.0)).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"# my notes\n");
        assert!(ensure_appendable(&dir.path().join("new.md")).is_ok());
        assert!(ensure_appendable(&dir.path().join("no/new.md")).is_err());
    }
}
