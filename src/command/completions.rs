//! `mbt completions`: prints a shell completion script.
//!
//! In bash, zsh and fish, lists are completed after each comma, and names of columns come from the file on the
//! command line: the scripts ask `mbt completions --columns` for them. `clap_complete` can do all of this by asking the
//! program, but so far that part of it is unstable.

use std::fmt::Write as _;
use std::path::Path;

use clap::builder::{PossibleValuesParser, ValueParser};
use clap::{Command, CommandFactory as _, ValueHint};
use clap_complete::Shell;

use super::columns::names_in;
use super::estimate::{codec, payload};
use crate::bench::suites::Suite;
use crate::cli::{Cli, Completions};
use crate::error::Result;
use crate::estimate::NAMED;
use crate::report;
use crate::schema::selection::Selection;

/// The functions that the scripts call for options whose value is a list.
const BASH: &str = r#"
_mbt_columns() {
    local IFS=$'\n'
    COMPREPLY=($("${COMP_WORDS[0]}" completions bash --columns="${cur}" -- "${COMP_WORDS[@]:1}" 2>/dev/null))
    # Names are quoted as those of files are.
    compopt -o filenames -o nospace 2>/dev/null
}

_mbt_list() {
    local before=
    [[ "${cur}" == *,* ]] && before="${cur%,*},"
    COMPREPLY=($(compgen -P "${before}" -W "$*" -- "${cur##*,}"))
    compopt -o nospace 2>/dev/null
}
"#;
const ZSH: &str = r#"
_mbt_columns() {
    local -a names
    names=("${(@f)$(mbt completions zsh --columns="$PREFIX" -- "${(@Q)words}" 2>/dev/null)}")
    [[ -n "$names" ]] && compadd -S '' -a names
}
"#;
const FISH: &str = r#"
function __fish_mbt_columns
    set -l current (string replace -r -- '^--(columns|key)=' '' (commandline -ct))
    mbt completions fish --columns="$current" -- (commandline -opc)[2..] 2>/dev/null
end
"#;

/// Options whose value is a list: of columns, or of these values.
fn lists() -> [(&'static str, Option<Vec<&'static str>>); 4] {
    let payloads = payload::Payload::all();
    [
        ("columns", None),
        ("key", None),
        (
            "payloads",
            Some(payloads.map(payload::Payload::name).collect()),
        ),
        ("codecs", Some(codec::DEFAULT.to_vec())),
    ]
}

/// Prints the script for the given shell, or the names of columns for one.
///
/// # Errors
/// [`crate::error::Kind::Io`] if stdout cannot be written.
pub fn run(args: &Completions) -> Result<()> {
    match &args.columns {
        Some(typed) => report::print(candidates(typed, &args.words).as_bytes()),
        None => report::print(&script(args.shell)),
    }
}

/// The script for `shell`, as in `completions/`.
pub fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    let mut cli = described(Cli::command());
    clap_complete::generate(shell, &mut cli, "mbt", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let script = match shell {
        Shell::Bash => {
            let with_list = |script: String, list| with_list_in_bash(&script, list);
            lists().iter().fold(script, with_list) + BASH
        }
        Shell::Zsh => {
            // With two colons, no option would be completed after an input.
            let script = script.replace("\n'*::", "\n'*:");
            let script = lists().iter().fold(script, |script, (name, values)| {
                let call = values.as_ref().map_or("_mbt_columns".to_owned(), |values| {
                    let values = values.join(" ").replace(':', "\\:");
                    format!("_sequence compadd - {values}")
                });
                with_lines(
                    &script,
                    &format!("--{name}="),
                    ":' \\",
                    &format!(":{call}' \\"),
                )
            });
            // The last lines call what was defined before them.
            let end = script.rfind("\nif [").unwrap_or(script.len());
            [&script[..end], ZSH, &script[end..]].concat()
        }
        Shell::Fish => {
            lists().iter().fold(script, |script, (name, values)| {
                let call = values
                    .as_ref()
                    .map_or("__fish_mbt_columns".to_owned(), |values| {
                        format!("__fish_append , {}", values.join(" "))
                    });
                // Without this description, each value would get the description of the option.
                let call = format!(" -r -f -a \"({call})\\t''\"");
                with_lines(&script, &format!(" -l {name} "), " -r -f", &call)
            }) + FISH
        }
        _ => script,
    };
    script.into_bytes()
}

/// Replaces the completion of an option's values in the script by a call.
fn with_list_in_bash(script: &str, (name, values): &(&str, Option<Vec<&str>>)) -> String {
    let call = values.as_ref().map_or("_mbt_columns".to_owned(), |values| {
        format!("_mbt_list {}", values.join(" "))
    });
    let option = format!(" --{name})\n");
    let mut cases = script.split(&option);
    let first = cases.next().unwrap_or_default().to_owned();
    cases.fold(first, |script, case| {
        let end = case.find("                    return 0").unwrap_or(0);
        format!(
            "{script}{option}                    {call}\n{}",
            &case[end..]
        )
    })
}

/// Replaces the end `end` of every line that contains `part` by `new`.
fn with_lines(script: &str, part: &str, end: &str, new: &str) -> String {
    script
        .split_inclusive('\n')
        .map(|line| {
            line.trim_end()
                .strip_suffix(end)
                .filter(|_| line.contains(part))
                .map_or_else(|| line.to_owned(), |begin| [begin, new, "\n"].concat())
        })
        .collect()
}

/// Adds to a command what the scripts need: values that are checked only when it runs, and which values are not files.
fn described(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|arg| {
        let values: Vec<&str> = match (&*name, arg.get_id().as_str()) {
            ("bench", "suites") => Suite::ALL
                .into_iter()
                .map(|suite| suite.name())
                .chain(["file", "all"])
                .collect(),
            ("estimate", "link") => NAMED.map(|(name, _)| name).to_vec(),
            ("man", "dir") | ("convert", "out_dir") => return arg.value_hint(ValueHint::DirPath),
            _ => Vec::new(),
        };
        let is_path = arg.get_value_parser().type_id() == ValueParser::path_buf().type_id();
        if !values.is_empty() {
            arg.value_parser(PossibleValuesParser::new(values))
        } else if is_path || !arg.get_action().takes_values() {
            arg
        } else {
            arg.value_hint(ValueHint::Other)
        }
    });
    // The scripts would offer hidden options, too.
    let with_hidden = ["bench", "completions"].into_iter().find(|it| *it == name);
    let command = match with_hidden {
        Some(name) => {
            let about = command.get_about().cloned().unwrap_or_default();
            let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
            let subcommands = command.get_subcommands().cloned();
            let new = Command::new(name).about(about);
            new.args(shown).subcommands(subcommands)
        }
        None => command,
    };
    command.mut_subcommands(described)
}

/// The completions of the columns typed so far, as whole words, one per line. The columns come from the first file
/// among the words. Errors are ignored, since the command line is only half typed.
fn candidates(typed: &str, words: &[String]) -> String {
    let file = words.iter().map(Path::new).find(|path| path.is_file());
    let names = file
        .and_then(|file| names_in(file).ok())
        .unwrap_or_default();
    let (before, name) = typed.split_at(typed.rfind(',').map_or(0, |comma| comma + 1));
    let (minus, name) = name.split_at(usize::from(name.starts_with('-')));
    let written = names.iter().map(|name| written(name));
    let mut lines = String::new();
    for fitting in written.filter(|it| it.starts_with(name)) {
        let _ = writeln!(lines, "{before}{minus}{fitting}");
    }
    lines
}

/// A name as `--columns` reads it.
fn written(name: &str) -> String {
    let plain = Selection::parse(name).and_then(|selection| selection.plain());
    match plain.ok().flatten().as_deref() {
        Some([column]) if column.name == name => name.to_owned(),
        _ => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}
