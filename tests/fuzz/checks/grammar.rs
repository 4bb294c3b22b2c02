//! Options have the same effect on a text and on its frames, or are refused for both.

use std::cell::RefCell;

use mbt::{Error, Kind};

use super::conversion::{arguments, convert, convert_by};

/// A column of each common type, and names that look like operators and ranges.
const TEXT: &[u8] = b"id,price,name,day,at,ok,a.b,x-y,\"or\"\n\
    1,2.5,ann,2024-01-31,2024-01-31 10:00:00,true,1,,z\n\
    2,-1.25,bob,2024-02-29,2024-02-29 23:59:59,false,,b,\n\
    30,,\"it's\",,,,3,c,null\n";

/// The grammar of `--where`.
///
/// # Panics
/// If a promise is broken.
pub fn where_rows(data: &[u8]) {
    option("--where", data);
}

/// The grammar of `--columns`.
///
/// # Panics
/// If a promise is broken.
pub fn columns(data: &[u8]) {
    option("--columns", data);
}

/// The grammar of `--schema`; types apply to text only.
///
/// # Panics
/// If a promise is broken.
pub fn schema(data: &[u8]) {
    let Some(option) = written("--schema", data) else {
        return;
    };
    // A file that the fuzzer may name.
    if option.starts_with("--schema=@") {
        return;
    }
    let args = arguments(&["--from=csv", "--to=mbt", "--preset=fast", &option]);
    match convert(TEXT, &args) {
        Ok(frames) => {
            let back = convert_by(&frames, &["--from=mbt"]).expect("the text of frames");
            assert_eq!(
                String::from_utf8_lossy(&back),
                String::from_utf8_lossy(TEXT)
            );
        }
        Err(error) => assert!(is_reason(&error), "{error}"),
    }
}

fn option(name: &str, data: &[u8]) {
    let Some(option) = written(name, data) else {
        return;
    };
    thread_local! {
        static FRAMES: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
    }
    let by_frames = FRAMES.with_borrow_mut(|frames| {
        let frames = frames.get_or_insert_with(|| {
            convert_by(TEXT, &["--from=csv", "--to=mbt"]).expect("frames of the text")
        });
        convert(frames, &arguments(&["--from=mbt", "--to=csv", &option]))
    });
    let direct = convert(TEXT, &arguments(&["--from=csv", "--to=csv", &option]));
    match (direct, by_frames) {
        (Ok(direct), Ok(by_frames)) => assert_eq!(
            String::from_utf8_lossy(&direct),
            String::from_utf8_lossy(&by_frames),
            "{option}"
        ),
        (Err(direct), Err(by_frames)) => {
            assert!(is_reason(&direct), "{option}: {direct}");
            assert!(is_reason(&by_frames), "{option}: {by_frames}");
        }
        (direct, by_frames) => panic!("{option}: {direct:?} directly, {by_frames:?} by frames"),
    }
}

/// The option as typed; `None` if no shell could pass it.
fn written(name: &str, data: &[u8]) -> Option<String> {
    let value = std::str::from_utf8(data).ok()?;
    (!value.contains('\0')).then(|| format!("{name}={value}"))
}

fn is_reason(error: &Error) -> bool {
    [Kind::Input, Kind::Usage].contains(&error.kind()) && !error.message().is_empty()
}
