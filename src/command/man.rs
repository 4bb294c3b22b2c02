//! `mbt man`: writes the manual pages for `mbt`, each command, and the file format.

use std::fmt::Write as _;
use std::{fs, io};

use clap::builder::Resettable;
use clap::{Arg, Command, CommandFactory as _};
use clap_mangen::Man;

use crate::cli;
use crate::error::{Error, Result};

/// The manual page of the file format, which is written by hand.
const FORMAT: &str = include_str!("../../man/mbt-format.5");

/// The usual order of sections. Others follow.
const ORDER: [&str; 8] = [
    "NAME",
    "SYNOPSIS",
    "DESCRIPTION",
    "SUBCOMMANDS",
    "ARGUMENTS",
    "OPTIONS",
    "EXIT STATUS",
    "ENVIRONMENT",
];

const EXIT_STATUS: &str = "\
.nf
0  success; also if the reader of a pipe stops early
2  bad usage or bad input
3  reading or writing failed
130  interrupted; no partial output remains
.fi
";

const ENVIRONMENT: &str = "\
.TP
.B NO_COLOR
Unless it is empty, messages have no colors.
.TP
.B CLICOLOR_FORCE
Unless it is 0, messages have colors even if stderr is not a terminal.
.TP
.B TMPDIR
The directory for temporary files, such as copies of input from a pipe that has to be read twice.
";

/// Writes `mbt.1`, `mbt-convert.1` and so on to the given directory.
///
/// # Errors
/// [`crate::error::Kind::Io`] if the directory or a page cannot be written.
pub fn run(args: &cli::Man) -> Result<()> {
    let dir = &args.dir;
    fs::create_dir_all(dir)
        .map_err(|e| Error::io(format!("cannot create directory {}", dir.display()), e))?;
    for (name, page) in pages()? {
        let path = dir.join(name);
        fs::write(&path, page)
            .map_err(|e| Error::io(format!("cannot write {}", path.display()), e))?;
    }
    Ok(())
}

/// Every page with its file name, as in `man/`.
///
/// # Errors
/// None in practice, since pages are written to memory.
pub fn pages() -> Result<Vec<(String, Vec<u8>)>> {
    // The `help` subcommand needs no page.
    let mbt = cli::Cli::command().disable_help_subcommand(true);
    // The pages do not depend on the build, so omit its commit and features.
    let mut mbt = mbt
        .version(env!("CARGO_PKG_VERSION"))
        .long_version(Resettable::Reset);
    mbt.build();
    let with_subcommands = |command: &Command| -> Vec<Command> {
        std::iter::once(command)
            .chain(command.get_subcommands())
            .cloned()
            .collect()
    };
    let mut pages = std::iter::once(mbt.clone())
        .chain(mbt.get_subcommands().flat_map(with_subcommands))
        .map(|command| page(&command).map_err(|e| Error::io("cannot generate a manual page", e)))
        .collect::<Result<Vec<_>>>()?;
    pages.push(("mbt-format.5".to_owned(), FORMAT.as_bytes().to_vec()));
    Ok(pages)
}

fn page(command: &Command) -> io::Result<(String, Vec<u8>)> {
    // clap_mangen would join the lines of the examples, so they are formatted here.
    let after = command.get_after_long_help().or(command.get_after_help());
    let examples = after.map(ToString::to_string);
    let usage = command.clone().render_usage().to_string();
    let command = command
        .clone()
        .after_help(Resettable::Reset)
        .after_long_help(Resettable::Reset)
        .mut_args(with_long_help)
        .mut_args(with_heading);
    let man = Man::new(command.clone()).source("mbt").manual("mbt manual");
    let mut page = Vec::new();
    man.render(&mut page)?;
    let page = String::from_utf8_lossy(&page);
    let (begin, mut sections) = split(&page);
    // clap_mangen would list every option without its value.
    if let Some(section) = sections.iter_mut().find(|it| it.title == "SYNOPSIS") {
        section.body = synopsis(&usage);
    }
    let mut sections = with_options_in_one(sections, &command);
    sections.extend(split(&verbatim(&examples.unwrap_or_default())).1);
    if !sections.iter().any(|it| it.title == "EXIT STATUS") {
        sections.push(Section::new("EXIT STATUS", EXIT_STATUS));
    }
    sections.push(Section::new("ENVIRONMENT", ENVIRONMENT));
    let rank = |section: &Section| ORDER.iter().position(|title| section.title == *title);
    sections.sort_by_key(|section| rank(section).unwrap_or(ORDER.len()));
    let see_also = match man.get_filename().as_str() {
        "mbt.1" => ".BR mbt\\-format (5)\n",
        _ => ".BR mbt (1),\n.BR mbt\\-format (5)\n",
    };
    sections.push(Section::new("SEE ALSO", see_also));
    let sections: String = sections.iter().map(Section::to_roff).collect();
    Ok((
        man.get_filename(),
        (begin.to_owned() + &sections).into_bytes(),
    ))
}

/// A section of a page.
struct Section {
    title: String,
    body: String,
}

impl Section {
    fn new(title: &str, body: &str) -> Self {
        Self {
            title: title.to_owned(),
            body: body.to_owned(),
        }
    }

    fn to_roff(&self) -> String {
        format!(".SH {}\n{}", self.title, self.body)
    }
}

/// What is before the first section of a page, and its sections.
fn split(page: &str) -> (&str, Vec<Section>) {
    const HEADING: &str = ".SH ";
    let at = if page.starts_with(HEADING) {
        0
    } else {
        page.find("\n.SH ").map_or(page.len(), |at| at + 1)
    };
    let (begin, rest) = page.split_at(at);
    let rest = rest.strip_prefix(HEADING).unwrap_or_default();
    let section = |text: &str| {
        let (title, body) = text.split_once('\n')?;
        let body = body.trim_end_matches('\n').to_owned() + "\n";
        Some(Section::new(title.trim_matches('"'), &body))
    };
    (begin, rest.split("\n.SH ").filter_map(section).collect())
}

/// Merges the sections of options into one, of which they become parts.
fn with_options_in_one(sections: Vec<Section>, command: &Command) -> Vec<Section> {
    let (mut others, mut options) = (Vec::new(), String::new());
    for section in sections {
        let mut headings = command.get_arguments().filter_map(Arg::get_help_heading);
        let heading = headings.find(|heading| heading.to_uppercase() == section.title);
        match heading {
            Some(heading) if heading != ARGUMENTS => {
                let _ = write!(options, ".SS {heading}\n{}", section.body);
            }
            _ if section.title == "OPTIONS" => options.insert_str(0, &section.body),
            _ => others.push(section),
        }
    }
    others.push(Section::new("OPTIONS", &options));
    others
}

/// clap's usage, line by line.
fn synopsis(usage: &str) -> String {
    let lines = usage.trim_start_matches("Usage:").lines();
    let lines: Vec<_> = lines.map(|line| line.trim().replace('-', "\\-")).collect();
    format!(".nf\n{}\n.fi\n", lines.join("\n"))
}

/// The heading of arguments that are not options.
const ARGUMENTS: &str = "Arguments";

/// The argument with a heading, if it is not an option. `clap_mangen` prints those without one among the options.
fn with_heading(arg: Arg) -> Arg {
    if arg.is_positional() {
        arg.help_heading(ARGUMENTS)
    } else {
        arg
    }
}

/// The option with its short help as the long one if it has no other. `clap_mangen` prints the long help alone for options
/// that `-h` hides.
fn with_long_help(arg: Arg) -> Arg {
    match (arg.get_long_help(), arg.get_help().cloned()) {
        (None, Some(help)) => arg.long_help(help),
        _ => arg,
    }
}

/// Formats text line by line; a line such as `Examples:` starts a section of that name. Text before the first one is a
/// section of notes.
fn verbatim(text: &str) -> String {
    let mut roff = String::new();
    let mut open = false;
    for line in text.lines() {
        if let Some(heading) = line.strip_suffix(':').filter(|h| !h.starts_with(' ')) {
            if open {
                roff.push_str(".fi\n");
            }
            let _ = writeln!(roff, ".SH {}\n.nf", heading.to_uppercase());
            open = true;
        } else {
            if roff.is_empty() {
                roff.push_str(".SH NOTES\n");
            }
            let line = line.trim_start().replace('\\', "\\e").replace('-', "\\-");
            // A dot or quote at the start of a line would be a troff request.
            let guard = if line.starts_with(['.', '\'']) {
                "\\&"
            } else {
                ""
            };
            roff.push_str(guard);
            roff.push_str(&line);
            roff.push('\n');
        }
    }
    if open {
        roff.push_str(".fi\n");
    }
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_keep_their_lines_dashes_and_dots() {
        assert_eq!(
            verbatim("Examples:\n  mbt head -n 3\n  .\\x"),
            ".SH EXAMPLES\n.nf\nmbt head \\-n 3\n\\&.\\ex\n.fi\n"
        );
    }

    #[test]
    fn options_that_the_short_help_hides_are_explained() {
        for (name, page) in pages().unwrap() {
            let page = String::from_utf8(page).unwrap();
            let lines: Vec<&str> = page.lines().collect();
            for [tag, option, text] in lines.array_windows() {
                let is_option = *tag == ".TP" && option.starts_with("\\fB\\-");
                assert!(!is_option || !text.starts_with('.'), "{name}: {option}");
            }
        }
    }

    #[test]
    fn every_command_and_the_format_have_a_page() {
        let names: Vec<_> = pages().unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(
            names,
            [
                "mbt.1",
                "mbt-convert.1",
                "mbt-head.1",
                "mbt-tail.1",
                "mbt-stats.1",
                "mbt-schema.1",
                "mbt-diff.1",
                "mbt-inspect.1",
                "mbt-verify.1",
                "mbt-compress.1",
                "mbt-decompress.1",
                "mbt-estimate.1",
                "mbt-bench.1",
                "mbt-bench-check-log.1",
                "mbt-bench-compare.1",
                "mbt-connect.1",
                "mbt-completions.1",
                "mbt-man.1",
                "mbt-format.5"
            ]
        );
    }
}
