use clap::CommandFactory as _;

use super::*;
use crate::format::Format;

#[test]
fn clap_accepts_the_definitions() {
    Cli::command().debug_assert();
}

#[test]
fn help_of_every_command_fits_a_screen_and_shows_an_example() {
    let mut cli = Cli::command();
    cli.build();
    let commands = cli.get_subcommands();
    let commands = commands.filter(|command| command.get_name() != "help");
    for command in std::iter::once(&cli).chain(commands) {
        let help = command.clone().term_width(80).render_help().to_string();
        let name = command.get_name();
        let lines = help.lines().count();
        assert!(lines <= 50, "{name}: {lines} lines of help");
        assert!(help.contains("Examples:\n  "), "{name}: no example");
    }
}

#[test]
fn values_that_look_like_options_are_parsed_as_values() {
    let cli = Cli::try_parse_from([
        "mbt",
        "convert",
        "--null",
        "-",
        "--null",
        "",
        "--delimiter",
        "-",
        "--rows",
        "..5",
        "--encodings",
        "dict,delta",
        "--from",
        "jsonl",
        "--to",
        "mathldbt",
        "-",
    ])
    .unwrap();
    let Command::Convert(args) = cli.command else {
        panic!("not convert")
    };
    assert_eq!(args.input.dialect.nulls, ["-", ""]);
    assert_eq!(args.input.dialect.delimiter.as_deref(), Some("-"));
    assert_eq!(args.rows.as_deref(), Some("..5"));
    assert_eq!(
        args.output.encodings,
        Some(vec![Encoding::Dict, Encoding::Delta])
    );
    assert_eq!(args.input.from, Some(Format::Ndjson));
    assert_eq!(args.output.to, Some(Format::Mbt));
    assert_eq!(args.inputs, [PathBuf::from("-")]);
}

#[test]
fn frames_without_rows_are_refused() {
    for rows in ["0", "-1", "many", "1.5"] {
        assert!(Cli::try_parse_from(["mbt", "convert", "--frame-rows", rows]).is_err());
    }
    assert!(Cli::try_parse_from(["mbt", "convert", "--frame-rows", "1"]).is_ok());
}
