use super::*;

fn from_text(options: &str) -> Option<CsvStyle> {
    CsvStyle::from_options(CsvStyle::default(), &serde_json::from_str(options).unwrap())
}

#[test]
fn styles_come_back_from_their_options() {
    let odd = CsvStyle {
        tsv: false,
        encoding: TextEncoding::Utf16Le,
        unmarked: true,
        delimiter: b';',
        quote: Some(b'\''),
        escape: Some(b'\\'),
        comment: CommentMark::new(b"//"),
        skip_lines: 2,
        line_end: LineEnd::CrLf,
        header: false,
        null: b"NA".to_vec(),
        bare_empty: true,
        quoted: Quoted::Columns(vec![0, 7]),
        bare_word: Some(b"-".to_vec()),
        spaces: Spaces::Edges,
        width: Some(3),
    };
    let text = Value::from(odd.options(&CsvStyle::default())).to_string();
    assert_eq!(
        text,
        r#"{"encoding":"utf-16le","mark":false,"delimiter":";","quote":"'","escape":"\\","comment":"//","skip_lines":2,"line_end":"\r\n","header":false,"#
            .to_owned()
            + r#""null":"NA","empty":"bare","quoted":[0,7],"bare":"-","spaces":"edges","width":3}"#
    );
    assert_eq!(from_text(&text), Some(odd));
    let all = CsvStyle {
        quote: None,
        quoted: Quoted::All,
        ..CsvStyle::default()
    };
    let text = Value::from(all.options(&CsvStyle::default())).to_string();
    assert_eq!(text, r#"{"quote":null,"quoted":true}"#);
    assert_eq!(from_text(&text), Some(all));
    assert_eq!(from_text("{}"), Some(CsvStyle::default()));
    let tabs = CsvStyle {
        tsv: true,
        delimiter: b'\t',
        ..CsvStyle::default()
    };
    assert_eq!(tabs, CsvStyle::plain(true));
    assert_eq!(tabs.options(&CsvStyle::plain(true)), Map::new());
}

#[test]
fn options_that_are_none_are_refused() {
    for options in [
        r#"{"color":"red"}"#,
        r#"{"encoding":"latin"}"#,
        r#"{"delimiter":""}"#,
        r#"{"delimiter":"ab"}"#,
        r#"{"delimiter":"\n"}"#,
        r#"{"delimiter":5}"#,
        r#"{"delimiter":"é"}"#,
        r#"{"quote":","}"#,
        r#"{"quote":"5"}"#,
        r#"{"comment":"a"}"#,
        r#"{"comment":","}"#,
        r##"{"comment":"#,"}"##,
        r#"{"comment":"-#"}"#,
        r#"{"comment":""}"#,
        r#"{"comment":"////////"}"#,
        r#"{"skip_lines":-1}"#,
        r#"{"escape":"\""}"#,
        r#"{"line_end":"\n\r"}"#,
        r#"{"header":1}"#,
        r#"{"null":"a,b"}"#,
        r#"{"empty":"bare"}"#,
        r#"{"quoted":false}"#,
        r#"{"quoted":[2,1]}"#,
        r#"{"quoted":[1,1]}"#,
        r#"{"quoted":[-1]}"#,
        r#"{"quoted":[4294967296]}"#,
        r#"{"spaces":"some"}"#,
        r#"{"width":1.5}"#,
    ] {
        assert_eq!(from_text(options), None, "{options}");
    }
}
