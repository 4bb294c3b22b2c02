//! `mbt completions`: prints a shell completion script.
//!
//! The scripts are static but for the names of columns, which only the file on the command line has: bash, zsh and fish
//! ask `mbt completions --columns` for them. `clap_complete` can do all of this by asking the program, but so far that
//! part of it is unstable.

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

/// What asks for the names of columns, in each shell that can.
const ASK_BASH: &str = r#"
_mbt_columns() {
    local IFS=$'\n'
    COMPREPLY=($("${COMP_WORDS[0]}" completions bash --columns="${cur}" -- "${COMP_WORDS[@]:1}" 2>/dev/null))
    # Names are quoted as those of files are.
    compopt -o filenames -o nospace 2>/dev/null
}
"#;
const ASK_ZSH: &str = r#"
_mbt_columns() {
    local -a names
    names=("${(@f)$(mbt completions zsh --columns="$PREFIX" -- "${(@Q)words}" 2>/dev/null)}")
    [[ -n "$names" ]] && compadd -S '' -a names
}
"#;
const ASK_FISH: &str = r#"
function __fish_mbt_columns
    set -l current (string replace -r -- '^--(columns|key)=' '' (commandline -ct))
    mbt completions fish --columns="$current" -- (commandline -opc)[2..] 2>/dev/null
end
"#;

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
    let mut cli = told(Cli::command());
    clap_complete::generate(shell, &mut cli, "mbt", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let asking = match shell {
        Shell::Bash => asking_bash(&script),
        Shell::Zsh => {
            let script = with_lines(
                &script,
                &["'--columns=", "'*--key="],
                ":' \\",
                ":_mbt_columns' \\",
            );
            // What comes last runs what was defined before.
            let end = script.rfind("\nif [").unwrap_or(script.len());
            [&script[..end], ASK_ZSH, &script[end..]].concat()
        }
        Shell::Fish => {
            let asking = " -r -f -a \"(__fish_mbt_columns)\"";
            with_lines(&script, &[" -l columns ", " -l key "], " -r -f", asking) + ASK_FISH
        }
        _ => script,
    };
    asking.into_bytes()
}

fn asking_bash(script: &str) -> String {
    let mut asking = String::with_capacity(script.len() + ASK_BASH.len());
    let mut rest = script;
    let options = ["--columns)\n", "--key)\n"];
    while let Some((at, option)) = options
        .iter()
        .filter_map(|option| Some((rest.find(option)?, option)))
        .min()
    {
        let (before, after) = rest.split_at(at + option.len());
        let _ = writeln!(asking, "{before}                    _mbt_columns");
        rest = &after[after.find("                    return 0").unwrap_or(0)..];
    }
    asking + rest + ASK_BASH
}

/// The script with another end of the lines that have one of these words.
fn with_lines(script: &str, words: &[&str], end: &str, new: &str) -> String {
    let lines = script.split_inclusive('\n').map(|line| {
        let begin = line.trim_end().strip_suffix(end);
        let begin = begin.filter(|_| words.iter().any(|word| line.contains(word)));
        begin.map_or_else(|| line.to_owned(), |begin| [begin, new, "\n"].concat())
    });
    lines.collect()
}

/// A command with all that scripts can know of it: values that only the commands check, and what is no file.
fn told(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|arg| {
        let values: Vec<&str> = match (&*name, arg.get_id().as_str()) {
            ("bench", "suites") => {
                let suites = Suite::ALL.into_iter().map(|suite| suite.name());
                suites.chain(["file", "all"]).collect()
            }
            ("estimate", "link") => NAMED.map(|(name, _)| name).to_vec(),
            ("estimate", "payloads") => {
                let payloads = payload::Payload::ALL.iter();
                payloads.map(|payload| payload.name()).collect()
            }
            ("estimate", "codecs") => codec::DEFAULT.to_vec(),
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
    let command = if name == "completions" {
        // Scripts do not know of hidden options by themselves.
        let about = command.get_about().cloned().unwrap_or_default();
        let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
        Command::new("completions").about(about).args(shown)
    } else {
        command
    };
    command.mut_subcommands(told)
}

/// What may follow the columns typed so far, as whole words, a line each. The columns are those of the first file among
/// the words. Nothing is said of what goes wrong: there is a command line half typed.
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
