//! The suggestions of the completion scripts in the shells themselves.

use std::path::Path;
use std::process::Command;

use crate::skip::skip;

/// The output of a shell that runs these lines in a directory with some files; `None` if there is no such shell.
fn shell(name: &str, lines: &str) -> Option<Vec<String>> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let binary = Path::new(env!("CARGO_BIN_EXE_mbt"));
    let dir = tempfile::tempdir().unwrap();
    for (file, content) in [
        ("a.csv", "id,in_1,in_2,\"x,y\",sold as seen\n1,2,3,4,5\n"),
        (
            "a.ndjson",
            "{\"id\":1,\"user\":{\"name\":\"ann\",\"age\":3}}\n",
        ),
    ] {
        std::fs::write(dir.path().join(file), content).unwrap();
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::split_paths(&paths);
    let paths = std::iter::once(binary.parent().unwrap().to_owned()).chain(paths);
    let output = Command::new(name)
        .args(["-c", lines])
        .env("PATH", std::env::join_paths(paths).unwrap())
        .env("COMPLETIONS", home.join("completions"))
        .env("HOME", dir.path())
        .current_dir(dir.path())
        .output();
    let output = output.ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        !shown.is_empty() || said.is_empty(),
        "{name}: {lines}\n{said}"
    );
    let mut shown: Vec<String> = shown.lines().map(str::to_owned).collect();
    shown.sort();
    Some(shown)
}

/// The suggestions of the script's function for the last of these words.
fn bash(words: &[&str]) -> Option<Vec<String>> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let [.., before, last] = &quoted[..] else {
        panic!("{words:?}");
    };
    let lines = format!(
        "source $COMPLETIONS/mbt.bash\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_mbt mbt {last} {before} 2>/dev/null\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        words.len() - 1
    );
    shell("bash", &lines)
}

#[test]
fn bash_offers_values_and_columns() {
    for (words, expected) in [
        (&["mbt", "bench", "trans"][..], &["transport"][..]),
        (&["mbt", "estimate", "--link", "sat"], &["satellite"]),
        (
            &["mbt", "estimate", "--payloads", "v2"],
            &["v2-balanced", "v2-fast", "v2-small"],
        ),
        (&["mbt", "estimate", "--codecs", "lz"], &["lz4"]),
        (
            &["mbt", "estimate", "--codecs", "zstd,gzip,n"],
            &["zstd,gzip,none"],
        ),
        (&["mbt", "convert", "--preset", "b"], &["balanced"]),
        (&["mbt", "convert", "--to", "par"], &["parquet"]),
        (
            &["mbt", "convert", "a.csv", "--columns", "in_"],
            &["in_1", "in_2"],
        ),
        (
            &["mbt", "head", "a.csv", "--columns", "id,in_"],
            &["id,in_1", "id,in_2"],
        ),
        (
            &["mbt", "head", "a.csv", "--columns", "\""],
            &["\"sold as seen\"", "\"x,y\""],
        ),
        (
            &["mbt", "stats", "a.ndjson", "--columns", "user."],
            &["user.age", "user.name"],
        ),
        (&["mbt", "diff", "a.csv", "b.csv", "--key", "id"], &["id"]),
        // Without a file there are no suggestions, and a number is not a file.
        (&["mbt", "head", "--columns", "a"], &[""]),
        (&["mbt", "head", "--limit", "a"], &["a"]),
    ] {
        let Some(offered) = bash(words) else {
            skip("there is no bash");
            return;
        };
        assert_eq!(offered, expected, "{words:?}");
    }
}

/// The command line that zsh shows after Tab is pressed, without the output before it.
fn zsh(line: &str) -> Option<String> {
    let lines = r#"
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell 'PS1=; fpath=($COMPLETIONS $fpath); autoload -U compinit; compinit -D -u
            show() { print -r -- "<<<$BUFFER>>>" }; zle -N show; bindkey "^X" show; print REA""DY'
        zpty -r shell said '*READY*'
        zpty -w -n shell "$LINE"$'\t\x18'
        zpty -r shell said '*<<<*>>>*'
        print -r -- ${${said##*<<<}%%>>>*}
    "#;
    let shown = shell("zsh", &format!("LINE={line:?}\n{lines}"))?;
    Some(shown.concat())
}

#[test]
fn zsh_completes_options_values_and_columns() {
    for (line, expected) in [
        ("mbt convert a.csv --pres", "mbt convert a.csv --preset="),
        ("mbt estimate --link sat", "mbt estimate --link satellite "),
        ("mbt bench tra", "mbt bench transport "),
        (
            "mbt estimate --codecs zstd:1,lz",
            "mbt estimate --codecs zstd:1,lz4,",
        ),
        (
            "mbt estimate a.csv --codecs=gz",
            "mbt estimate a.csv --codecs=gzip:6,",
        ),
        (
            "mbt convert a.ndjson --columns id,user.n",
            "mbt convert a.ndjson --columns id,user.name",
        ),
        (
            "mbt stats a.ndjson --columns=user.a",
            "mbt stats a.ndjson --columns=user.age",
        ),
        (
            "mbt head a.csv --columns 'id,\"s",
            "mbt head a.csv --columns 'id,\"sold as seen\"",
        ),
        (
            "mbt diff a.ndjson b.csv --key user.a",
            "mbt diff a.ndjson b.csv --key user.age",
        ),
    ] {
        let Some(completed) = zsh(line) else {
            skip("there is no zsh");
            return;
        };
        assert_eq!(completed, expected, "{line}");
    }
}

#[test]
fn fish_offers_values_and_columns() {
    for (line, expected) in [
        ("mbt estimate --link sat", &["satellite"][..]),
        (
            "mbt convert a.csv --columns id,in_",
            &["id,in_1", "id,in_2"],
        ),
        (
            "mbt stats a.ndjson --columns=user.",
            &["--columns=user.age", "--columns=user.name"],
        ),
        ("mbt estimate --codecs zstd:1,l", &["zstd:1,lz4"]),
        (
            "mbt estimate --payloads=json,pa",
            &["--payloads=json,parquet"],
        ),
    ] {
        let lines = format!("source $COMPLETIONS/mbt.fish; complete -C '{line}'");
        match shell("fish", &lines) {
            Some(offered) => assert_eq!(offered, expected, "{line}"),
            None => skip("there is no fish"),
        }
    }
}
