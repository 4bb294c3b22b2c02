//! Text in other encodings than UTF-8 is read like the same text in UTF-8, and restored in its original bytes.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::routes::same_on_both_routes;
use super::trip::Trip;

/// UTF-16 with a byte order mark, by the standard library.
fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(bytes).collect()
}

/// ISO 8859-1: the number of each character.
fn latin_1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap()).collect()
}

/// A text in UTF-8, and the same in another encoding with the option that names it, if it needs one.
fn encoded(text: &str, encoding: &str) -> (Vec<u8>, Vec<u8>, Option<&'static str>) {
    let marked = || format!("\u{FEFF}{text}").into_bytes();
    match encoding {
        "utf-16le" => (marked(), utf_16(text, u16::to_le_bytes), None),
        "utf-16be" => (marked(), utf_16(text, u16::to_be_bytes), None),
        _ => (text.into(), latin_1(text), Some("--encoding=latin1")),
    }
}

const ENCODINGS: [&str; 3] = ["utf-16le", "utf-16be", "latin1"];

const TEXTS: [(&str, &str); 4] = [
    (
        "a.csv",
        "Größe;Preis;\"Stück\"\r\n1,5;\"3,20 £\";7\r\n\r\n2;\"é\";\"\"\r\n30;ü;8",
    ),
    ("a.tsv", "navn\tår\nÅse\t1999\nØyvind\t2001\n"),
    (
        "a.json",
        "[\n  {\"å\": 1, \"b\": \"ö\"},\n  {\"å\": 2,\"b\": \"\\u00e9\"}\n]\n",
    ),
    ("a.ndjson", "{\"a\":\"ß\"}\n{\"a\":\"ÿ\",\"b\":[1]}\n"),
];

#[test]
fn exports_come_back_in_their_encoding() {
    let trip = Trip::new();
    for (name, text) in TEXTS {
        for encoding in ENCODINGS {
            let (plain, bytes, option) = encoded(text, encoding);
            for more in [
                &[][..],
                &["--frame-rows=1"],
                &["--threads=1", "--preset=small"],
            ] {
                let options = [option.as_slice(), more].concat();
                let frames = trip.there_from(name, &bytes, &options).unwrap();
                assert!(
                    trip.back(&frames, &[]).unwrap() == bytes,
                    "{encoding} {more:?} {text}"
                );
                // Other formats are the same as from UTF-8.
                let known = trip.there_from(name, &plain, more).unwrap();
                for target in ["--to=ndjson", "--to=json", "--to=csv", "--exact=off"] {
                    let is_own = name.ends_with(&target.replace("--to=", "."));
                    let expected = trip.back(&known, &[target]).ok();
                    let found = trip.back(&frames, &[target]).ok();
                    assert_eq!(is_own, found != expected, "{encoding} {target} {text}");
                }
            }
            let options = option.as_slice();
            same_on_both_routes(&trip, name, &bytes, options);
        }
    }
}

#[test]
fn selections_are_written_in_the_encoding_of_the_text() {
    let trip = Trip::new();
    for (name, text) in TEXTS {
        let to = format!("--to={}", name.split_once('.').unwrap().1);
        for encoding in ENCODINGS {
            let (plain, bytes, option) = encoded(text, encoding);
            for selection in ["--rows=1..", "--where=false", "--columns=#1", "--limit=1"] {
                let options = [option.as_slice(), &[selection, &to]].concat();
                let utf_8 = trip.convert(name, &plain, &[selection, &to]).unwrap();
                let utf_8 = String::from_utf8(utf_8).unwrap();
                // Text without a head gets the byte order mark that UTF-16 needs.
                let utf_8 = utf_8.trim_start_matches('\u{FEFF}');
                let expected = encoded(utf_8, encoding).1;
                let direct = trip.convert(name, &bytes, &options).unwrap();
                assert!(
                    direct == expected,
                    "{encoding} {options:?} {utf_8:?} {direct:x?}"
                );
                let frames = trip.there_from(name, &bytes, option.as_slice()).unwrap();
                let through = trip.back(&frames, &[selection]).unwrap();
                assert!(through == expected, "{encoding} {selection} {utf_8:?}");
            }
        }
    }
}

#[test]
fn utf_16_without_a_mark_gets_none_in_selections() {
    let trip = Trip::new();
    for (name, text) in TEXTS {
        let to = format!("--to={}", name.split_once('.').unwrap().1);
        for (encoding, bytes) in [
            (
                "--encoding=utf-16le",
                u16::to_le_bytes as fn(u16) -> [u8; 2],
            ),
            ("--encoding=utf-16be", u16::to_be_bytes),
        ] {
            let unmarked = |text: &str| utf_16(text, bytes).split_off(2);
            let source = unmarked(text);
            let frames = trip.there_from(name, &source, &[encoding]).unwrap();
            assert!(trip.back(&frames, &[]).unwrap() == source, "{text}");
            for selection in ["--rows=1..", "--columns=#1", "--limit=1"] {
                let utf_8 = trip
                    .convert(name, text.as_bytes(), &[selection, &to])
                    .unwrap();
                let expected = unmarked(&String::from_utf8(utf_8).unwrap());
                let direct = trip
                    .convert(name, &source, &[encoding, selection, &to])
                    .unwrap();
                assert!(direct == expected, "{encoding} {selection} {text}");
                let through = trip.back(&frames, &[selection]).unwrap();
                assert!(through == expected, "{encoding} {selection} {text}");
            }
        }
    }
}

#[test]
fn tables_are_those_of_python() {
    // The bytes of Python's codec of that name for these characters.
    let trip = Trip::new();
    for (encoding, text, bytes) in [
        ("windows-1252", "€ŒÿŠ", &b"\x80\x8c\xff\x8a"[..]),
        ("iso-8859-15", "€Œÿ", b"\xa4\xbc\xff"),
        ("koi8-r", "Привет", b"\xf0\xd2\xc9\xd7\xc5\xd4"),
        ("windows-1251", "Привет", b"\xcf\xf0\xe8\xe2\xe5\xf2"),
        ("shift_jis", "漢字カナ", b"\x8a\xbf\x8e\x9a\x83J\x83i"),
        ("euc-jp", "漢字カナ", b"\xb4\xc1\xbb\xfa\xa5\xab\xa5\xca"),
        ("gb18030", "汉字😀", b"\xba\xba\xd7\xd6\x94\x39\xfc\x36"),
        ("big5", "漢字", b"\xba\x7e\xa6\x72"),
        ("euc-kr", "한글", b"\xc7\xd1\xb1\xdb"),
        ("macintosh", "Åéü", b"\x81\x8e\x9f"),
        ("ibm866", "Привет", b"\x8f\xe0\xa8\xa2\xa5\xe2"),
    ] {
        let option = format!("--encoding={encoding}");
        let source = [b"a,b\n1,", bytes, b"\n"].concat();
        let frames = trip.there(&source, &["--from=csv", &option]).unwrap();
        assert_eq!(trip.back(&frames, &[]).unwrap(), source, "{encoding}");
        let json = trip.back(&frames, &["--to=ndjson"]).unwrap();
        let expected = format!("{{\"a\":1,\"b\":\"{text}\"}}\n");
        assert_eq!(String::from_utf8(json).unwrap(), expected, "{encoding}");
    }
}

#[test]
fn what_is_not_text_of_its_encoding_is_refused_with_its_place() {
    let trip = Trip::new();
    let utf_16 = |text: &[u16]| text.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let odd: Vec<u8> = [&*utf_16_le("a,b\n1,2\n"), b"3"].concat();
    let lone: Vec<u8> = utf_16(&[0xFEFF, 0x61, 0x0A, 0x31, 0x0A, 0x32, 0xD800, 0x0A]);
    for (bytes, option, what) in [
        (
            odd,
            None,
            "text:3:1: the text ends within a character of utf-16le",
        ),
        (lone, None, "text:3:2: 0x00D8 at offset 12 is not utf-16le"),
        (
            b"a\n1\n\x81\x20\n".to_vec(),
            Some("--encoding=shift_jis"),
            "text:3:1: 0x81 at offset 4 is not shift_jis",
        ),
        (
            b"a\n1\n\xED\x40\n".to_vec(),
            Some("--encoding=sjis"),
            "text:3:1: 0xED400A at offset 4 would not come back",
        ),
    ] {
        let options = [&["--from=csv"][..], option.as_slice()].concat();
        let error = trip.there(&bytes, &options).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
    // If the text is not needed, the values are enough.
    let options = ["--from=csv", "--encoding=sjis", "--exact=off"];
    let frames = trip.there(b"a\n\xED\x40\n", &options).unwrap();
    assert_eq!(
        trip.back(&frames, &["--to=csv"]).unwrap(),
        "a\n纊\n".as_bytes()
    );
    let frames = trip.there(b"a\n", &["--from=csv"]).unwrap();
    let error = trip.back(&frames, &["--encoding=latin1"]).unwrap_err();
    assert!(
        error.to_string().contains("mbt input is not text"),
        "{error}"
    );
    let error = trip.there(b"a\n", &["--encoding=utf-16el"]).unwrap_err();
    assert!(error.to_string().contains("did you mean utf-16"), "{error}");
    let error = trip
        .there(b"\xFF\xFEa\0", &["--from=csv", "--encoding=utf-8"])
        .unwrap_err();
    assert!(error.to_string().contains("this is UTF-16"), "{error}");
}

fn utf_16_le(text: &str) -> Vec<u8> {
    utf_16(text, u16::to_le_bytes)
}

#[test]
fn flexible_takes_any_bytes_unless_an_encoding_is_named() {
    let trip = Trip::new();
    let odd = [&*utf_16_le("a,b\n1\n"), b"x"].concat();
    assert!(trip.same_or_refused(&odd, &["--from=csv", "--flexible"]));
    let ragged = utf_16_le("a,b\n1\n2,3,4\n");
    let options = ["--from=csv", "--flexible", "--encoding=utf-16"];
    let frames = trip.there(&ragged, &options).unwrap();
    assert_eq!(trip.back(&frames, &[]).unwrap(), ragged);
    let json = trip.back(&frames, &["--to=ndjson", "--columns=b"]).unwrap();
    assert_eq!(json, b"{\"b\":null}\n{\"b\":3}\n");
}

#[test]
fn long_texts_are_decoded_piece_by_piece() {
    let trip = Trip::new();
    let mut text = String::from("id,wört\n");
    for row in 0..60_000 {
        writeln!(text, "{row},\"é😀 {}\"", row % 97).unwrap();
    }
    let bytes = utf_16_le(&text);
    let frames = trip.there_from("a.csv", &bytes, &[]).unwrap();
    assert!(trip.back(&frames, &[]).unwrap() == bytes);
    let single = trip.there_from("a.csv", &bytes, &["--threads=1"]).unwrap();
    assert!(single == frames);
    let plain = trip.back(&frames, &["--exact=off"]).unwrap();
    assert!(plain == text.replace('"', "").as_bytes());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_table_comes_back_in_utf_16(
        cells in prop::collection::vec("[a-c0-9\"',;é€\u{1F600} \\.\\-]{0,6}", 1..30),
        line_end in prop::sample::select(vec!["\n", "\r\n"]),
        width in 1usize..4,
    ) {
        let trip = Trip::new();
        let lines = cells.chunks(width).map(|cells| cells.join(";") + line_end);
        let bytes = utf_16_le(&lines.collect::<String>());
        let options = ["--from=csv", "--delimiter=;"];
        if let Ok(frames) = trip.there(&bytes, &options) {
            prop_assert_eq!(trip.back(&frames, &[]).unwrap(), bytes);
        }
    }
}
