//! Text without a header, and its null word, on every route.

use super::routes::same_through;
use super::trip::Trip;

#[test]
fn text_without_a_header_gets_none_on_any_route() {
    let trip = Trip::new();
    let text = b"1,a\n2,b\n3,c d\n";
    let options = ["--no-header"];
    for frame_rows in ["--frame-rows=1", "--frame-rows=100"] {
        let made = [&options[..], &[frame_rows]].concat();
        let frames = trip.there_from("a.csv", text, &made).unwrap();
        for selection in [
            &[][..],
            &["--exact=off"],
            &["--quote='"],
            &["--null=X"],
            &["--delimiter=,"],
            &["--rows=1..3"],
            &["--columns=column_2"],
            &["--columns=column_2,column_1"],
            &["--where=column_1 > 1"],
            &["--where=column_1 > 100"],
            &["--columns=column_1 as id"],
            &["--columns=column_1 as id,column_2 as name"],
            &["--columns=column_1 as id,column_2", "--exact=off"],
        ] {
            same_through(&frames, &trip, "a.csv", text, &made, selection);
        }
    }
}

#[test]
fn only_columns_that_get_names_have_a_header() {
    let trip = Trip::new();
    let text = b"1,a\n2,b\n";
    for (options, expected) in [
        (&["--to=tsv"][..], "1\ta\n2\tb\n"),
        (&["--to=csv", "--exact=off"], "1,a\n2,b\n"),
        (&["--to=csv", "--columns=column_2"], "a\nb\n"),
        (&["--to=csv", "--columns=column_1 as id"], "id\n1\n2\n"),
        (
            &["--to=tsv", "--columns=column_1 as id,column_2"],
            "id\tcolumn_2\n1\ta\n2\tb\n",
        ),
        (
            &["--to=csv", "--columns=column_1 as id,column_2 as name"],
            "id,name\n1,a\n2,b\n",
        ),
    ] {
        let out = trip.convert("a.csv", text, &[options, &["--no-header"]].concat());
        assert_eq!(
            String::from_utf8(out.unwrap()).unwrap(),
            expected,
            "{options:?}"
        );
    }
    // Named columns stay without a header if the output is to have none.
    let frames = trip.there_from("b.csv", b"x,y\n1,a\n", &[]).unwrap();
    let out = trip.convert("frames.mbt", &frames, &["--to=csv", "--no-header"]);
    assert_eq!(out.unwrap(), b"1,a\n");
    // Frames of renamed columns keep their names.
    let renamed = ["--no-header", "--columns=column_1 as id"];
    let frames = trip.there_from("a.csv", text, &renamed).unwrap();
    let out = trip.convert("frames.mbt", &frames, &["--to=csv"]);
    assert_eq!(out.unwrap(), b"id\n1\n2\n");
    // A header of empty names is one.
    let out = trip.convert("a.csv", b",\n1,a\n", &["--to=tsv"]);
    assert_eq!(out.unwrap(), b"column_1\tcolumn_2\n1\ta\n");
}

#[test]
fn nulls_keep_their_word_unless_an_option_names_another() {
    let trip = Trip::new();
    let text = b"id\tend\tname\n1\t\\N\tx\n2\t1999\t\\N\n3\t2001\t\n";
    let options = ["--null=\\N", "--quote=none"];
    let frames = trip.there_from("a.tsv", text, &options).unwrap();
    for selection in [
        &[][..],
        &["--exact=off"],
        &["--columns=end,id"],
        &["--rows=1.."],
    ] {
        same_through(&frames, &trip, "a.tsv", text, &options, selection);
    }
    for (more, null) in [
        (&[][..], "\\N"),
        (&["--exact=off"], "\\N"),
        (&["--delimiter=;"], "\\N"),
        (&["--null=NULL"], "NULL"),
        (&["--null="], ""),
    ] {
        let out = trip.convert("frames.mbt", &frames, &[&["--to=csv"], more].concat());
        let out = String::from_utf8(out.unwrap()).unwrap().replace(';', ",");
        let first = out.lines().nth(1).unwrap();
        assert_eq!(first, format!("1,{null},x"), "{more:?}");
    }
    // A word with the delimiter of the output cannot be written without quotes.
    let frames = trip.there_from("a.csv", b"a,b\n1,n;a\n2,x\n", &["--null=n;a"]);
    let out = trip.convert(
        "frames.mbt",
        &frames.unwrap(),
        &["--to=csv", "--delimiter=;"],
    );
    assert_eq!(out.unwrap(), b"a;b\n1;\n2;x\n");
}
