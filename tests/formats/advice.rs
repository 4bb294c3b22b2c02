//! Text as people have it that is probably not read as they mean it: the note or hint says what to do.

use std::fs;

use crate::command::{mbt, words};

/// What `mbt` says about a text when it is converted, whose bytes must come back if it is accepted.
fn said(name: &str, text: &[u8], options: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(name), text).unwrap();
    let options: Vec<_> = options.split_whitespace().collect();
    let args = [&["convert", name, "-o", "out.mbt"][..], &options].concat();
    let done = mbt(dir.path(), &args);
    if done.status.success() {
        let extension = name.rsplit_once('.').unwrap().1;
        let to = if extension == "tsv" { "tsv" } else { "csv" };
        let back = mbt(dir.path(), &["convert", "out.mbt", "--to", to]);
        assert!(back.stdout == text, "{name} comes back otherwise");
    }
    String::from_utf8(done.stderr).unwrap()
}

const DATA: &str = "looks like data; --no-header reads it as a row";

#[test]
fn first_records_that_are_rows_are_noted() {
    for text in [
        // Iris, BED, OpenFlights, the census of UCI, prices of a day, numbers of seq
        "5.1,3.5,1.4,0.2,setosa\n4.9,3.0,1.4,0.2,setosa\n7.0,3.2,4.7,1.4,versicolor\n",
        "chr1\t11873\t14409\t+\nchr1\t14361\t16765\t-\n",
        "1,\"Goroka\",\"Papua New Guinea\",-6.08,145.39,5282\n2,\"Madang\",\"Papua New Guinea\",-5.2,145.78,20\n",
        "39, State-gov, 77516, Bachelors\n50, Self-emp, 83311, Bachelors\n",
        "2024-01-02,472.16,473.67,470.49\n2024-01-03,470.43,471.19,468.17\n",
        "1\n2\n3\n",
        "1000025,5,1,1,1,2\n1002945,5,4,4,5,7\n",
    ] {
        let told = said("a.csv", text.as_bytes(), "");
        assert!(told.contains(DATA), "{text:?}: {told:?}");
        assert_eq!(told.lines().count(), 1, "{told:?}");
        assert_eq!(said("a.csv", text.as_bytes(), "--no-header"), "");
        assert_eq!(said("a.csv", text.as_bytes(), "-q"), "");
    }
}

#[test]
fn headers_with_numbers_are_headers() {
    for text in [
        "country,1990,1991,1992\nGermany,5.5,6,7\nFrance,1,2,3\n",
        "country,2021,2020,2019\nGermany,5.5,6,7\n",
        "2019,2020\n5,6\n",
        "Province,Country,Lat,1/22/20,1/23/20\n,Albania,41.1,2,3\n,Peru,1.1,2,3\n",
        "id,2024-01-01,2024-01-02\n1,2.5,3.5\n2,3.5,5\n",
        // pandas: an index, columns without names, a series
        ",0,1,2\n0,1.5,2.5,3.5\n1,2.5,7,9\n",
        "0,1,2\n5,3,1\n",
        "0\n5\n7\n",
        "sample,400.5,401.0,401.5\na,0.1,0.2,0.3\n",
        "stop,08:00,09:00\nA,08:05,09:05\nB,08:07,09:07\n",
        "name,5\nx,1\nname,2\nx,y\n",
        "a,b\n1,2\n",
        "1a,2b\n3,4\n",
        "1,x\n",
    ] {
        assert_eq!(said("a.csv", text.as_bytes(), ""), "", "{text:?}");
    }
}

#[test]
fn layouts_that_are_no_table_get_advice() {
    for (name, text, part) in [
        (
            "report.csv",
            "Konto;;;;\nZeit:;1.1.2024;;;\n\nTag;Wert;Zweck;Betrag;W\n1;2;3;4;5\nSumme;;;9;\n",
            "if line 4 is the header, --skip-lines 3 skips",
        ),
        (
            "report.csv",
            "Account,Statement\nName,\"Smith, John\"\nDate,Text,Sum\n1,a,5\n2,b,6\n",
            "if this is the header, --skip-lines 2 skips",
        ),
        (
            "station.csv",
            "703165,AK,55.317\nDate,Time,ETR,GHI,Wind\n1/1/1997,01:00,0,0,4.1\n1/1/1997,02:00,0,0,3.9\n",
            "if this is the header, --skip-lines 1 skips",
        ),
        (
            "r.txt",
            "\"mpg\" \"cyl\" \"disp\"\n\"Mazda RX4\" 21 6 160\n\"Datsun 710\" 22.8 4 108\n",
            "--delimiter ' ' makes 4 columns",
        ),
        (
            "access.log",
            "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200\n::1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a,b,c HTTP/1.0\" 404\n",
            "--delimiter ' ' makes 7 columns",
        ),
        (
            "df.txt",
            "Filesystem   1K-blocks   Used\n/dev/root     30298176      1\ntmpfs          8123456      0\n",
            "tr -s ' ' and --delimiter ' '",
        ),
        (
            "ps.txt",
            "USER    PID COMMAND\nroot      1 init\njoe    1234 vim a,b.csv\n",
            "tr -s ' ' and --delimiter ' '",
        ),
        (
            "psql.txt",
            " id | name  | n\n----+-------+--\n  1 | Alice | 3\n(1 row)\n",
            "psql --csv",
        ),
        (
            "mysql.txt",
            "+----+-------+\n| id | name  |\n+----+-------+\n|  1 | Alice |\n+----+-------+\n",
            "mysql --batch",
        ),
        (
            "a.md",
            "| a | b |\n|---|--:|\n| x | 1 |\n",
            "drawn with lines",
        ),
        (
            "iis.log",
            "#Software: IIS\n#Version: 1.0\n#Fields: date time\n2024-01-01 00:00:01\n",
            "--comment '#' skips them",
        ),
        (
            "a.vcf",
            "##fileformat=VCFv4.2\n##INFO=<ID=DP,Number=1>\n#CHROM\tPOS\n1\t100\n",
            "--comment '##' skips",
        ),
        ("a.csv", "// x, y\n// z\na,b\n1,2\n", "--comment '//' skips"),
        (
            "a.csv",
            "a, b, c\n1, 2, \"x, y\"\n3, 4, \"z\"\n",
            "sed 's/, \"/,\"/g' removes the spaces",
        ),
        (
            "a.csv",
            "Details,Amount,Balance\nDEBIT,-23.45,7,\nCREDIT,2500.00,8,\nCHECK,100,9,\n",
            "the header has 3; --flexible adds columns for the extra cells\n",
        ),
        (
            "a.tsv",
            "id\ttitle\tyear\n1\t\"Rome\t1999\n2\tx\t2000\n3\t\"Foo\" bar\t2001\n",
            "line 2, but closes within a cell; if quotes are part of the text, use --quote none",
        ),
        (
            "a.tsv",
            "id\ttitle\tyear\n1\t\"Rome\t1999\n2\tx\t2000\n3\tx\t\"2001\n4\ty\t5\n",
            "opens a cell of 3 lines here; if quotes are part of the text, use --quote none",
        ),
    ] {
        let told = said(name, text.as_bytes(), "");
        assert!(told.contains(part), "{text:?}: {told:?}");
        assert_eq!(told.lines().count(), 1, "{told:?}");
    }
}

#[test]
fn advice_on_layout_helps() {
    for (text, options) in [
        (
            "##v=4\n##x=<a,b>\n#CHROM\tPOS\n1\t100\n2\t7\n",
            "--comment ##",
        ),
        (
            "Konto;;;;\n\nTag;Wert;Zweck;Betrag;W\n1;2;3;4;5\n",
            "--skip-lines 2",
        ),
        (
            "id\ttitle\n1\t\"Rome\n2\tx\n3\t\"Foo\" bar\n",
            "--quote none",
        ),
    ] {
        assert_eq!(said("a.csv", text.as_bytes(), options), "", "{text:?}");
    }
}

#[test]
fn plain_tables_and_lists_get_no_advice() {
    for text in [
        "name\nJohn Smith\nMary Jones\n",
        "full name\nJohn\nMary Ann Jones\n",
        "id,note\n1,\"one\ntwo, with \"\"quotes\"\"\"\n2,\"x\"\n",
        "id,size\n1,5\" disk\n2,3\" disk\n",
        "id,name,sum,,\n1,A,2.5,,\n2,B,3.5,,\n",
        "a;b\n-;-\n--;1\n",
        "a,,\n1,2,3\n",
    ] {
        assert_eq!(said("a.csv", text.as_bytes(), ""), "", "{text:?}");
    }
}

#[test]
fn values_that_conditions_cannot_compare_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let mut text = "item;price;n\na;1.052,88;1\nb;n/a;2\nc;3;3\nd;;4\n".to_owned();
    text.extend((0..3000).map(|at| format!("x;5;{at}\n")));
    fs::write(dir.path().join("a.csv"), text).unwrap();
    let note = "note: 2 values of column \"price\" cannot be compared with 1000, such as \"1.052,88\"; like nulls, they \
                are neither less nor greater\n";
    let make = mbt(
        dir.path(),
        &words("convert a.csv -o a.mbt --frame-rows 100"),
    );
    assert!(make.status.success());
    for (input, condition, expected) in [
        ("a.csv", "price > 1000", note),
        ("a.mbt", "price > 1000", note),
        ("a.csv", "not price <= 1000 and n >= 0", note),
        ("a.csv", "price between 1000 and 2000", note),
        ("a.csv", "price = 1000", ""),
        ("a.csv", "price is null", ""),
        ("a.csv", "n > 1000", ""),
        ("a.csv", "item > 'b'", ""),
    ] {
        for more in [
            &["--to", "csv"][..],
            &["--to", "ndjson"],
            &["-o", "a.arrow", "--force"],
            &["--to", "csv", "--threads", "1"],
        ] {
            let args = [&["convert", input, "--where", condition], more].concat();
            let done = mbt(dir.path(), &args);
            assert!(done.status.success(), "{args:?}");
            assert_eq!(String::from_utf8_lossy(&done.stderr), expected, "{args:?}");
            let quiet = mbt(dir.path(), &[&args[..], &["-q"]].concat());
            assert_eq!(String::from_utf8_lossy(&quiet.stderr), "", "{args:?}");
        }
    }
}

#[test]
fn text_that_is_not_utf8_becomes_bytes_with_a_note() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.csv"), b"Nom;n\n\xc9cole;1\n").unwrap();
    for (line, is_noted) in [
        ("-o a.arrow", true),
        ("-o b.mbt --wire 1", true),
        ("-o a.arrow --encoding windows-1252", false),
        ("-o a.mbt", false),
    ] {
        let done = mbt(dir.path(), &words(&format!("convert a.csv --force {line}")));
        let told = String::from_utf8(done.stderr).unwrap();
        let note = "note: column \"Nom\" is not UTF-8 and becomes bytes";
        assert_eq!(told.starts_with(note), is_noted, "{line}: {told}");
        assert_eq!(told.lines().count(), usize::from(is_noted), "{told}");
    }
}
