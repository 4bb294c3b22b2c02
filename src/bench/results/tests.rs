//! Tables survive writing and parsing.

use super::*;

fn table() -> ResultTable {
    let timing = Timing {
        median: 1234.0,
        best: 1200.0,
        p99: 2.5e6,
        low: 999.9,
        high: 1.5e9,
        samples: 30,
    };
    let full = Row {
        name: "odd | name \\".to_owned(),
        bytes: Some(12_700_001),
        ratio: Some(2.5),
        timing: Some(timing),
        rate: "1.00 GB/s".to_owned(),
        calls: Some(Calls {
            allocs: 1.25,
            reallocs: 0.0,
            bytes: 4096.0,
            deallocs: 1.0,
        }),
        delta: "+1.0 %".to_owned(),
        note: "stored".to_owned(),
    };
    let sizes = Row {
        name: "bytes alone".to_owned(),
        bytes: Some(7),
        ..Row::default()
    };
    ResultTable {
        title: "a table".to_owned(),
        rows: vec![full, sizes],
    }
}

#[test]
fn a_table_reads_as_it_was_written() {
    let markdown = table().table().markdown();
    let read = ResultTable::read("a table", markdown.lines()).unwrap();
    assert_eq!(read, table());
    let widths: Vec<_> = markdown.lines().map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{markdown}");
    assert_eq!(
        ResultTable::deserialize(table().document()).unwrap(),
        table()
    );
}

#[test]
fn columns_without_cells_are_left_out() {
    let mut table = table();
    table.rows.remove(0);
    let markdown = table.table().markdown();
    assert_eq!(split(markdown.lines().next().unwrap()), ["row", "bytes"]);
}

#[test]
fn times_have_four_digits_and_come_back() {
    for (nanos, text) in [
        (0.5, "0.500 ns"),
        (56.25, "56.25 ns"),
        (999.9, "999.9 ns"),
        (999.99, "1.000 us"),
        (12_345.6, "12.35 us"),
        (1.5e9, "1.500 s"),
    ] {
        assert_eq!(time(nanos), text);
        let back = parse_time(text).unwrap();
        assert!((back / nanos - 1.0).abs() < 1e-3, "{text}");
    }
    assert_eq!(parse_time("fast"), None);
    assert_eq!(rate(4096.0, 1000.0, "B"), "4.10 GB/s");
    assert_eq!(rate(1.0, 2e6, "pages"), "500 pages/s");
    assert_eq!(rate(1.0, 671.0, "terms"), "1.49 M terms/s");
}
