//! Any text is restored byte for byte or refused, and its values do not depend on the route.

use mbt::{Error, Kind};

use super::conversion::convert_by;

/// Bits of the last byte, which selects how the text before it is read.
const FLEXIBLE: u8 = 1;
const NO_HEADER: u8 = 2;
const NULL_WORD: u8 = 4;
const SEMICOLONS: u8 = 8;
const LINES: u8 = 1;

/// CSV; with `--flexible` any bytes are CSV.
///
/// # Panics
/// If a promise is broken.
pub fn csv(data: &[u8]) {
    let Some((&how, text)) = data.split_last() else {
        return;
    };
    let mut options = vec!["--from=csv"];
    let mut option = |bit, option| {
        if how & bit != 0 {
            options.push(option);
        }
    };
    option(FLEXIBLE, "--flexible");
    option(NO_HEADER, "--no-header");
    option(NULL_WORD, "--null=NA");
    option(SEMICOLONS, "--delimiter=;");
    let refused = both_routes(text, how, &mut options, "--to=ndjson");
    assert!(
        how & FLEXIBLE == 0 || refused.is_none(),
        "--flexible: {refused:?}"
    );
}

/// JSON and NDJSON.
///
/// # Panics
/// If a promise is broken.
pub fn json(data: &[u8]) {
    let Some((&how, text)) = data.split_last() else {
        return;
    };
    let from = if how & LINES == 0 {
        "--from=json"
    } else {
        "--from=ndjson"
    };
    both_routes(text, how, &mut vec![from], "--to=csv");
}

/// Converts to frames and back, and to another format directly and through frames; returns why the text was refused.
fn both_routes(
    text: &[u8],
    how: u8,
    options: &mut Vec<&'static str>,
    other: &str,
) -> Option<Error> {
    options.push(["--frame-rows=3", "--frame-rows=1000"][usize::from(how >> 7)]);
    let direct = convert_by(text, &[options, &[other][..]].concat());
    let preset = ["fast", "balanced", "small", "fast"][usize::from(how >> 5 & 3)];
    let preset = format!("--preset={preset}");
    let frames = convert_by(text, &[options, &["--to=mbt", &preset][..]].concat());
    let frames = match frames {
        Ok(frames) => frames,
        Err(error) => {
            assert!(is_reason(&error), "{error}");
            assert!(
                direct.is_err(),
                "{other} is possible, frames are not: {error}"
            );
            return Some(error);
        }
    };
    let back = convert_by(&frames, &["--from=mbt"]).expect("the text of frames");
    assert!(back == text, "{:?}", String::from_utf8_lossy(&back));
    let by_frames = convert_by(&frames, &["--from=mbt", other]);
    match (direct, by_frames) {
        (Ok(direct), Ok(by_frames)) => assert!(
            direct == by_frames,
            "{:?} by frames, {:?} directly",
            String::from_utf8_lossy(&by_frames),
            String::from_utf8_lossy(&direct)
        ),
        (Err(direct), Err(by_frames)) => {
            assert!(is_reason(&direct), "{direct}");
            assert!(is_reason(&by_frames), "{by_frames}");
        }
        (direct, by_frames) => panic!("{direct:?} directly, {by_frames:?} by frames"),
    }
    None
}

fn is_reason(error: &Error) -> bool {
    [Kind::Input, Kind::Usage, Kind::Limit].contains(&error.kind()) && !error.message().is_empty()
}
