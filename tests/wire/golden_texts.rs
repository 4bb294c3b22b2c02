//! Texts that were written to frames once and must always be restored: `fixtures/v2/text`, see `fixtures/v2/README`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use arrow_schema::{DataType, Field};
use mbt::wire::v2::Envelope;

use crate::command::words;

/// The options that a file was written with.
const OPTIONS: [(&str, &[&str]); 19] = [
    ("quote-escape.csv", &["--quote='"]),
    ("no-quotes.csv", &["--quote=none"]),
    ("ragged.csv", &["--flexible"]),
    ("no-header.csv", &["--no-header"]),
    ("null-word.csv", &["--null=\\N"]),
    ("lines.csv", &["--flexible", "--no-header"]),
    ("frames.csv", &["--frame-rows=10"]),
    ("sha256.csv", &["--hash=sha256"]),
    ("frames.ndjson", &["--frame-rows=10"]),
    ("frames.json", &["--frame-rows=10"]),
    ("archive.csv", &["--preset=small"]),
    ("archive.ndjson", &["--preset=small"]),
    (
        "archive-frames.csv",
        &["--preset=small", "--frame-rows=1000"],
    ),
    ("fast.csv", &["--preset=fast"]),
    ("fast.ndjson", &["--preset=fast"]),
    ("encoding.csv", &["--encoding=windows-1252"]),
    ("comments.csv", &["--comment=#", "--skip-lines=1"]),
    ("decimal-comma.csv", &["--decimal=,"]),
    ("records.json", &["--records=data.items"]),
];

/// Every form on the page except those of dates and times.
const FORMS: &str = ", %.0e %.15g %.16g %.17g %.18e %.2E %05d %g .T./.F. .TRUE./.FALSE. .true./.false. ON/OFF On/Off T/F \
    TRUE/FALSE True/False Y/N YES/NO Yes/No go javascript jsoncpp on/off plain python rust ryu t/f upper \
    y/n yes/no";

/// The parts of the patterns that are inferred from text. Minutes and seconds without a leading zero never are.
const PARTS: &str = "#z -H -I -d -m .1-6f .6-6f .1f .2f .3f .4f .5f .6f .7f .8f .9f 3f :z A B H I M S Y a b d m p z";

/// What the layout of a text is made of: formats, names of styles, and members.
const LAYOUTS: &str = "csv tsv json document ndjson crlf spaced tab ruby 1 2 3 4 8 arrays ascii bare between colon comma \
    comment crlf: delimiter depth empty encoding escape header hex indent leading edges any line_end \
    lines null pad quote quoted records skip_lines slash upper width";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v2/text")
}

fn mbt(args: &[&OsStr]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
    command.args(args).output().unwrap()
}

/// Every text and its frames.
pub fn golden_texts() -> Vec<(PathBuf, PathBuf)> {
    let entries = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_text = |path: &PathBuf| path.extension().is_some_and(|end| end != "mbt");
    let mut texts: Vec<_> = entries.filter(is_text).collect();
    texts.sort();
    let with_frames = |text: PathBuf| {
        let mut frames = text.clone().into_os_string();
        frames.push(".mbt");
        (text, frames.into())
    };
    texts.into_iter().map(with_frames).collect()
}

#[test]
fn texts_that_were_written_once_come_back() {
    let texts = golden_texts();
    assert!(texts.len() > 80);
    for (text, frames) in texts {
        let format = text.extension().unwrap();
        let back = mbt(&["convert".as_ref(), frames.as_ref(), "--to".as_ref(), format]);
        let stderr = String::from_utf8_lossy(&back.stderr);
        assert!(back.status.success(), "{}: {stderr}", text.display());
        assert!(
            back.stdout == fs::read(&text).unwrap(),
            "{}",
            text.display()
        );
        let deep = mbt(&["verify".as_ref(), "--deep".as_ref(), frames.as_ref()]);
        assert!(deep.status.success(), "{}", frames.display());
    }
}

/// Adds the forms of a field and of those inside it.
fn add_forms(field: &Field, found: &mut BTreeSet<String>) {
    found.extend(field.metadata().get("mbt.form").cloned());
    match field.data_type() {
        DataType::Struct(fields) => fields.iter().for_each(|field| add_forms(field, found)),
        DataType::List(item) | DataType::Map(item, _) => add_forms(item, found),
        _ => {}
    }
}

/// Parts of a pattern.
fn parts(pattern: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    while let Some((_, part)) = rest.split_once('%') {
        let len = part.find(|c: char| c.is_ascii_alphabetic() || c == '%');
        let len = len.unwrap() + 1;
        parts.push(part[..len].to_owned());
        rest = &part[len..];
    }
    parts
}

/// Words of a layout: the format, the name of the style, the members, and the values of `spaces`.
fn layout_words(layout: &str, words: &mut BTreeSet<String>) {
    let (named, options) = match layout.find('{') {
        Some(at) => layout.split_at(at),
        None => (layout, "{}"),
    };
    words.extend(named.split_whitespace().map(str::to_owned));
    let options: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(options).unwrap();
    for (name, value) in &options {
        match name.as_str() {
            "spaces" => words.extend(value.as_str().map(str::to_owned)),
            // To distinguish it from the style of that name.
            "crlf" => drop(words.insert("crlf:".to_owned())),
            "arrays" => {
                words.extend(value.as_object().unwrap().keys().cloned());
                words.insert(name.clone());
            }
            _ => drop(words.insert(name.clone())),
        }
    }
}

/// Every form and everything that a layout can say is in some golden text.
#[test]
fn golden_texts_have_all_forms_and_layouts() {
    let (mut forms, mut layouts) = (BTreeSet::new(), BTreeSet::new());
    let (mut packed, mut column, mut archive) = (false, false, false);
    for (_, frames) in golden_texts() {
        let bytes = fs::read(&frames).unwrap();
        let mut rest = &bytes[..];
        while rest.starts_with(b"MATHLDBT") {
            let envelope = Envelope::read(rest, 1 << 30).unwrap();
            layout_words(&envelope.metadata["mbt.text"], &mut layouts);
            packed |= envelope.metadata.contains_key("mbt.patches");
            archive |= envelope.is_archive();
            for tree in envelope.columns().unwrap() {
                add_forms(&tree.field, &mut forms);
                let role = tree.field.metadata().get("mbt.role");
                column |= role.is_some_and(|role| role == "patch");
            }
            rest = &rest[envelope.len..];
        }
    }
    assert!(packed && column && archive);
    let known = words(FORMS);
    let is_pattern = |form: &&String| form.starts_with('%') && !known.contains(&form.as_str());
    let patterns = forms.iter().filter(is_pattern);
    let found = patterns.flat_map(|form| parts(form)).collect();
    for (all, found, of) in [
        (PARTS, &found, "pattern"),
        (FORMS, &forms, "column"),
        (LAYOUTS, &layouts, "layout"),
    ] {
        let mut missing = words(all);
        missing.retain(|word| !found.contains(*word));
        assert!(missing.is_empty(), "no {of} has {missing:?}");
    }
}

/// Keeps existing files: released files are never rewritten.
#[test]
#[ignore = "writes what is missing in fixtures/v2/text"]
fn write_golden_texts() {
    for (text, frames) in golden_texts() {
        if frames.exists() {
            continue;
        }
        let name = text.file_name().unwrap().to_str().unwrap();
        let name = name.split_once('-').unwrap().1;
        let options = OPTIONS.iter().find(|(text, _)| *text == name);
        let mut args: Vec<&OsStr> = vec!["convert".as_ref(), text.as_ref(), "-o".as_ref()];
        args.push(frames.as_ref());
        args.extend(
            options
                .iter()
                .flat_map(|(_, options)| options.iter().map(OsStr::new)),
        );
        let written = mbt(&args);
        let stderr = String::from_utf8_lossy(&written.stderr);
        assert!(written.status.success(), "{}: {stderr}", text.display());
    }
}
