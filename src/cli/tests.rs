use super::*;
use crate::format::Format;

#[test]
fn clap_accepts_the_definitions() {
    Cli::command().debug_assert();
}

#[test]
fn help_of_every_command_fits_a_screen_and_shows_an_example() {
    let mut cli = command_line();
    cli.build();
    let commands = cli.get_subcommands();
    let commands = commands.filter(|command| command.get_name() != "help");
    for command in std::iter::once(&cli).chain(commands) {
        let help = command.clone().term_width(80).render_help().to_string();
        let name = command.get_name();
        let lines = help.lines().count();
        assert!(lines <= 50, "{name}: {lines} lines of help");
        assert!(help.contains("Examples:\n  "), "{name}: no example");
        let more = format!("\n\nMore options: mbt {name} --help\n");
        assert!(name == "mbt" || help.ends_with(&more), "{name}: {help}");
        let long = command.clone().render_long_help().to_string();
        assert!(!long.contains("More options:"), "{name}: {long}");
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
        "--where",
        "-5 < close",
        "--columns",
        "-a",
        "--frames",
        "-1..",
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
    assert_eq!(args.reading.input.dialect.nulls, ["-", ""]);
    assert_eq!(args.reading.input.dialect.delimiter.as_deref(), Some("-"));
    assert_eq!(args.rows.as_deref(), Some("..5"));
    let condition = args.reading.filter.condition;
    assert_eq!(condition.as_deref(), Some("-5 < close"));
    assert_eq!(args.reading.columns.columns.as_deref(), Some("-a"));
    assert_eq!(args.frames.as_deref(), Some("-1.."));
    assert_eq!(
        args.output.encodings,
        Some(vec![EncodingName::Dict, EncodingName::Delta])
    );
    assert_eq!(args.reading.input.from, Some(Format::Ndjson));
    assert_eq!(args.output.to, Some(Format::Mbt));
    assert_eq!(args.inputs, [PathBuf::from("-")]);
}

#[test]
fn the_option_that_differs_in_one_letter_is_suggested() {
    for (typed, expected) in [
        ("mbt convert --tp csv", "'--to'"),
        ("mbt --color always head --colums a", "'--columns'"),
        ("mbt convert --output-dir x", "'--out-dir'"),
    ] {
        let error = parse(typed.split(' ').map(Into::into)).unwrap_err();
        let expected = format!("a similar argument exists: {expected}");
        assert!(error.to_string().contains(&expected), "{error}");
    }
}

#[test]
fn frames_without_rows_are_refused() {
    for rows in ["0", "-1", "many", "1.5"] {
        assert!(Cli::try_parse_from(["mbt", "convert", "--frame-rows", rows]).is_err());
    }
    assert!(Cli::try_parse_from(["mbt", "convert", "--frame-rows", "1"]).is_ok());
}

#[test]
fn a_number_after_head_is_a_number_of_rows() {
    let arguments = |line: &str| {
        let args = arguments(line.split(' ').map(Into::into)).into_iter();
        let args: Vec<_> = args.map(|arg| arg.into_string().unwrap()).collect();
        args.join(" ")
    };
    for (typed, meant) in [
        ("mbt head -3 a.csv", "mbt head -n 3 a.csv"),
        (
            "mbt --color always head a.csv -12",
            "mbt --color always head a.csv -n 12",
        ),
        ("mbt head --null -9 a.csv", "mbt head --null -9 a.csv"),
        ("mbt head -n -9", "mbt head -n -9"),
        ("mbt head --where -9 -2", "mbt head --where -9 -n 2"),
        ("mbt convert -3", "mbt convert -3"),
        ("mbt head -x3", "mbt head -x3"),
        ("mbt head - -0", "mbt head - -n 0"),
        ("mbt", "mbt"),
    ] {
        assert_eq!(arguments(typed), meant);
    }
}
