//! Files that Python's csv module writes in all its dialects.

use std::path::Path;
use std::process::Command;

use mbt::format::csv::{CsvOptions, Quoted};

use super::{Ask, Back, same, there_and_back};
use crate::skip::skip;

/// Writes a file per dialect, and its name and description to standard output.
const WRITE: &str = r#"
import csv, io, itertools, json, sys

# Python quotes only what ends lines in the dialect.
def row(i, end):
    return [
        i,
        None if i % 7 == 0 else i / 4,
        ['plain', 'with space', 'a,b;c|d\te', 'say "hi"', 'back\\slash', f'two{end}lines', '', ' lead', 'trail '][i % 9],
        f'2020-01-{i % 28 + 1:02}',
        None if i % 5 else 'now and then',
        'Zürich' if i % 2 else "it's",
    ]

def plain(cell):
    return cell if not isinstance(cell, str) or cell.isalnum() else 'x'

names = ['id', 'quarter', 'text', 'day', 'rare', 'place']

what = itertools.product(
    [',', ';', '\t', '|'],
    ['MINIMAL', 'ALL', 'NONNUMERIC', 'NONE'],
    [True, False],
    ['\n', '\r\n', '\r'],
    [True, False],
    ['', 'bom', 'cut', 'single'],
)
for i, (delimiter, quoting, double, end, header, odd) in enumerate(what):
    table = [row(i, end) for i in range(60)]
    if quoting == 'NONE':
        table = [[plain(cell) for cell in row] for row in table]
    elif odd == 'single':
        table = [[row[2]] for row in table]
    out = io.StringIO(newline='')
    writer = csv.writer(out, delimiter=delimiter, quoting=getattr(csv, 'QUOTE_' + quoting),
        doublequote=double, escapechar=None if double else '\\', lineterminator=end)
    if header:
        writer.writerow(names[:len(table[0])])
    writer.writerows(table)
    text = out.getvalue()
    if odd == 'cut':
        text = text[:-len(end)]
    data = text.encode('utf-8-sig' if odd == 'bom' else 'utf-8')
    name = f'{i}.csv'
    with open(f'{sys.argv[1]}/{name}', 'wb') as file:
        file.write(data)
    print(name, repr(delimiter)[1:-1], quoting, double, repr(end), header, odd or 'whole')
"#;

fn ask(header: bool) -> Ask {
    Ask {
        csv: CsvOptions {
            header,
            ..CsvOptions::default()
        },
        ..Ask::default()
    }
}

fn show(back: &Back) -> String {
    let shown = back.patched.iter().take(3).map(|(printed, source)| {
        let [printed, source] = [printed, source].map(|text| String::from_utf8_lossy(text));
        format!("{printed:?} stands as {source:?}")
    });
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_python_writes_comes_back_without_patches() {
    let dir = std::env::temp_dir().join(format!("mbt-csv-style-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let output = Command::new("python3")
        .args(["-c", WRITE])
        .arg(&dir)
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return skip("python3 does not start");
        }
        Err(error) => panic!("{error}"),
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let files = String::from_utf8(output.stdout).unwrap();
    assert_eq!(files.lines().count(), 768);
    for line in files.lines() {
        let [name, _, quoting, double, _, header, odd] =
            line.split(' ').collect::<Vec<_>>()[..].try_into().unwrap();
        check(
            &dir.join(name),
            line,
            quoting,
            double == "True",
            header == "True",
            odd,
        );
    }
    std::fs::remove_dir_all(dir).unwrap();
}

fn check(path: &Path, line: &str, quoting: &str, double: bool, header: bool, odd: &str) {
    let text = std::fs::read(path).unwrap();
    // Escapes outside quotes have no meaning here.
    if quoting == "MINIMAL" && !double {
        if there_and_back(&text, &ask(header)).is_ok() {
            same(&text, &ask(header));
        }
        return;
    }
    let back = same(&text, &ask(header));
    let patched = usize::from(odd == "cut");
    assert_eq!(back.patched.len(), patched, "{line}\n{}", show(&back));
    assert!(back.records >= 60);
    let style = back.style.as_ref().unwrap();
    if quoting == "ALL" {
        assert_eq!(style.quoted, Quoted::All, "{line}");
    }
    if odd != "single" {
        let missing = (quoting == "ALL" || quoting == "NONNUMERIC").then(|| "\"\"".to_owned());
        let (_, kind, token) = &back.columns[1];
        assert_eq!(
            (kind.starts_with("Float") || kind.starts_with("Dec"), token),
            (true, &missing),
            "{line}"
        );
    }
    for block_bytes in [300, 1000] {
        for blocks in [1, 2, 1000] {
            let ask = Ask {
                block_bytes,
                blocks,
                ..ask(header)
            };
            same(&text, &ask);
        }
    }
}
