//! `mbt verify`: checks that streams are complete and undamaged.

mod check;
mod source;
mod stream;
mod v2;

use serde_json::{Value, json};

pub use self::check::{Finding, Tier};
pub use self::stream::StreamReport;

use super::Outcome;
use super::open::{ensure_stdin_once, is_stream, keep_failure, open_frames};
use super::options::{cores, max_frame};
use crate::cli::Verify;
use crate::error::{Error, Result};
use crate::pipeline::Source;
use crate::report;
use crate::units::{counted, grouped};

/// Checks each input and reports its problems.
///
/// # Errors
/// If an input cannot be opened or read, is not a stream of frames at all, or starts with a frame above the limit; the
/// others are checked first. Damage is not an error but a result.
pub fn run(args: &Verify) -> Result<Outcome> {
    let max_frame = max_frame(&args.limit)?;
    if args.source.is_some() && args.inputs.len() > 1 {
        return Err(Error::usage("--source: takes one input at a time"));
    }
    ensure_stdin_once(&args.inputs)?;
    if args.source.is_some() && args.inputs.iter().any(|path| is_stream(path)) {
        return Err(Error::usage(
            "--source: the frames are read twice, which is impossible from a pipe",
        )
        .hint("save them to a file; the text can come from a pipe"));
    }
    let tier = match (args.structure, args.deep) {
        (true, _) => Tier::Structure,
        (_, true) => Tier::Deep,
        _ => Tier::Checksums,
    };
    let threads = cores();
    let mut outcome = Outcome::Done;
    let mut documents = Vec::new();
    let mut failed = None;
    for named in &args.inputs {
        let read = open_frames(named).and_then(|Source { path, bytes, .. }| {
            let report = StreamReport::read(bytes, tier, max_frame, threads);
            let mut report = report.map_err(|error| error.in_file(&path))?;
            if let Some(error) = report.refused.take() {
                return Err(error.in_file(&path));
            }
            if let Some(error) = report.unsupported.take() {
                if report.is_whole() {
                    return Err(error.in_file(&path));
                }
                let (frame, offset) = (error.place().frame, 0);
                report
                    .notes
                    .push(Finding::of(&error, "unsupported", frame, offset));
            }
            let text = args.source.as_deref();
            if report.is_whole() && (text.is_some() || tier == Tier::Deep && !is_stream(named)) {
                let found = source::compare(&path, text, max_frame, threads)?;
                report.problems.extend(found);
            }
            Ok((path.display().to_string(), report))
        });
        let (file, report) = match read {
            Ok(read) => read,
            Err(error) => {
                // Check the others anyway.
                keep_failure(&mut failed, error);
                continue;
            }
        };
        if !report.is_whole() {
            outcome = Outcome::No;
        }
        if args.json {
            documents.push(document(&file, tier, &report));
        } else {
            report::print_text(&lines(&file, tier, &report))?;
        }
    }
    if args.json {
        let whole = outcome == Outcome::Done && failed.is_none();
        report::print_json(&json!({ "ok": whole, "files": documents }))?;
    }
    failed.map_or(Ok(outcome), Err)
}

fn lines(file: &str, tier: Tier, report: &StreamReport) -> String {
    let mut out = String::new();
    let mut line = |text: &str| {
        out.push_str(file);
        out.push_str(": ");
        out.push_str(text);
        out.push('\n');
    };
    for problem in &report.problems {
        line(&problem.to_string());
    }
    for note in &report.notes {
        line(&format!("note: {note}"));
    }
    if let Some(lost) = report.lost.as_ref().filter(|lost| !lost.is_empty()) {
        line(&format!(
            "{} from byte {} on could not be checked",
            counted(lost.end - lost.start, "byte"),
            grouped(lost.start)
        ));
    }
    let mut whole = counted(report.whole, "frame");
    if let Some(rows) = report.rows {
        whole = format!("{whole}, {}", counted(rows, "row"));
    }
    // Coverage matters only if checksums were checked.
    if tier != Tier::Structure
        && let Some(uncovered) = uncovered(report)
    {
        line(&uncovered);
    }
    line(&if report.is_whole() {
        format!("ok, {whole}")
    } else {
        let problems = counted(report.problems.len() as u64, "problem");
        let only_text = report.problems.iter().all(|found| found.kind == "source");
        let verdict = if only_text {
            "different text"
        } else {
            "damaged"
        };
        format!("{verdict}, {problems}; intact: {whole}")
    });
    out
}

/// Describes what no checksum covers; `None` if every byte is covered.
fn uncovered(report: &StreamReport) -> Option<String> {
    let covers = |frames: u64, what: &str| {
        let of = counted(frames, "frame");
        (frames > 0).then(|| what.replace("{}", &of))
    };
    let [nothing, contents, every_byte] = report.covered;
    let parts = [
        covers(nothing, "no checksum covers {}"),
        covers(contents, "the checksums of {} do not cover headers"),
        covers(every_byte, "checksums cover every byte of {}"),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (every_byte < report.frames).then(|| parts.join("; "))
}

fn document(file: &str, tier: Tier, report: &StreamReport) -> Value {
    let [nothing, contents, every_byte] = report.covered;
    json!({
        "file": file,
        "ok": report.is_whole(),
        "tier": tier.name(),
        "frames": report.frames,
        "whole_frames": report.whole,
        "whole_rows": report.rows,
        "frames_under_checksum": every_byte,
        "frames_with_checked_contents": contents,
        "frames_without_checksum": nothing,
        "problems": report.problems,
        "notes": report.notes,
        "unknown_from": report.lost.as_ref().map(|lost| lost.start),
        "unknown_bytes": report.lost.as_ref().map(|lost| lost.end - lost.start),
    })
}
