//! Texts that are not written by any known program.

use mbt::CommentMark;

use super::{Ask, CsvOptions, same, there_and_back};

fn flexible() -> Ask {
    Ask {
        csv: CsvOptions {
            flexible: true,
            ..CsvOptions::default()
        },
        ..Ask::default()
    }
}

#[test]
fn only_records_that_stand_otherwise_are_patched() {
    for (text, patched) in [
        (&b""[..], 0),
        (b"\n", 0),
        (b"\xef\xbb\xbf", 0),
        (b"a,b", 0),
        (b"a,b\r\n", 0),
        (b"\xef\xbb\xbf\"a\",b\r\n1,2\r\n", 0),
        (b"\n\n a , b\n1,2\n", 0),
        (b"a,b\n1,2\n\n\n", 0),
        (b"a,b\n\n1,2\n3,4\n", 1),
        (b"a,b\n1,2\n\n3,4\n", 1),
        (b"a,b\n1,2\n3,4", 1),
        (b"a,b\n1,2\r\n3,4\n5,6\n", 1),
        (b"a,b\n1,\"2\"\n3,4\n5,6\n", 1),
        (b"a,b\n1,x\"y\n3,\"4\"\"\"\n5,6\n", 1),
        (b"a,b\n1,\"x\"y\n3,4\n5,6\n", 1),
        (b"a,b\n1,x\ry\n3,4\n5,6\n", 1),
        (b"a\n\n1\n\n", 0),
        (b"a\n\"\"\n1\n", 0),
        (b"a,b\n\"1\",\"\"\n\"\",\"x\"\n\"3\",\"\"\n", 0),
        (b"a,b\n1,\xff\n2,\"\xfe,\"\n", 0),
        (b"a,b\n1,\0\n2,\"\0,\"\n", 0),
        (b"a,b\n1,\"x\"\0\n2,y\n", 1),
    ] {
        let back = same(text, &Ask::default());
        let text = String::from_utf8_lossy(text);
        assert_eq!(back.patched.len(), patched, "{text:?} {:?}", back.patched);
    }
}

#[test]
fn any_bytes_do_for_flexible() {
    for (text, patched) in [
        (&b"a,b\n1\n2,3\n4,5,6\n7,8,,\n9,10\n"[..], 2),
        (b"a,b\n1,\"x\n2,3\n", 1),
        (b"a,\"b\n1,2\n", 0),
        (b"\xff,b\n1,2\n", 0),
        (b"\xff\xfea\0,\0b\0\n\x001\0,\x002\0\n\0", 1),
        (b"a,b\n\"1\"\0,2\n\0", 2),
        (b"a\n1,2\n\n3\n", 0),
    ] {
        let back = same(text, &flexible());
        let text = String::from_utf8_lossy(text);
        assert_eq!(back.patched.len(), patched, "{text:?} {:?}", back.patched);
    }
    let back = same(b"caf\xe9,b\n1,2\n", &flexible());
    assert_eq!(back.columns[0].0, "caf\u{fffd}");
}

#[test]
fn records_that_would_be_filled_up_beyond_measure_are_refused() {
    let mut text = b"a\n".repeat(50_000);
    text.extend(std::iter::repeat_n(b',', 100_000));
    text.push(b'\n');
    let error = there_and_back(&text, &flexible()).unwrap_err();
    assert!(error.to_string().contains("cells each"), "{error}");
}

#[test]
fn backslashes_escape_quotes() {
    let text = br#"a,b
1,"say \"hi\", \\ and \x"
2,"x"
3,"y \" z"
"#;
    let back = same(text, &Ask::default());
    // Only `\x` is patched: the style would print it as `\\x`.
    assert_eq!(back.patched.len(), 1);
    let options = CsvOptions::default();
    assert_eq!(back.style.unwrap().escape, Some(b'\\'));
    let back = same(
        &text.repeat(3),
        &Ask {
            csv: options,
            block_bytes: 20,
            ..Ask::default()
        },
    );
    assert_eq!(back.records, 11);
}

#[test]
fn what_no_type_keeps_is_patched() {
    let text = b"a,b\n1.50,x\n2.0,\"y\"\n3.0,z";
    // Exact types print the numbers, and no type keeps the quotes of one cell or the missing last line end.
    assert_eq!(same(text, &Ask::default()).patched.len(), 2);
}

#[test]
fn words_for_null_that_the_user_names_are_in_the_style() {
    let ask = |nulls: &[&str]| Ask {
        csv: CsvOptions {
            nulls: nulls.iter().map(|null| null.as_bytes().to_vec()).collect(),
            ..CsvOptions::default()
        },
        ..Ask::default()
    };
    for (text, nulls, patched) in [
        (&b"a,b\n1,NA\nNA,x\n,\n"[..], &["NA"][..], 0),
        (b"a,b\n1,NA\nNA,\"\"\n,\n", &["NA"], 1),
        (b"a,b\n1,NA\n-,x\nNA,y\n", &["-", "NA"], 1),
        (b"a,b\n1,NA\n,x\n", &["", "NA"], 1),
        (b"a,b\n1,\"NA\"\n2,\"NA\"\n3,4\n", &["NA"], 0),
    ] {
        let back = same(text, &ask(nulls));
        let text = String::from_utf8_lossy(text);
        assert_eq!(back.patched.len(), patched, "{text:?} {:?}", back.patched);
    }
}

#[test]
fn zero_bytes_are_refused_as_options() {
    let usual = CsvOptions::default;
    for csv in [
        CsvOptions {
            delimiter: Some(0),
            ..usual()
        },
        CsvOptions {
            quote: Some(0),
            ..usual()
        },
    ] {
        let ask = Ask {
            csv,
            ..Ask::default()
        };
        assert!(there_and_back(b"a,b\n1,2\n", &ask).is_err(), "{ask:?}");
    }
    assert_eq!(CommentMark::new(b"\0"), None);
}
