//! Numbers with a decimal comma are numbers, and are restored with their comma.

use proptest::prelude::*;

use super::routes::same_on_both_routes;
use super::trip::Trip;

const OPTIONS: [&str; 3] = ["--from=csv", "--delimiter=;", "--decimal=,"];

#[test]
fn decimal_commas_are_read_as_numbers() {
    let trip = Trip::new();
    let text = "price;size;rate;date;version;word;n;one\r\n\
                1,50;1.234,5;0,1;31.12.2024;1.2;NA;1;7\r\n\
                -2,25;7;1e-05;01.02.2025;3.4;\"2,5\";2;\r\n\
                30,00;;12345678,25;28.02.2025;5.6;3,25;3;8\r\n";
    for more in [&[][..], &["--frame-rows=1"], &["--threads=1"]] {
        let options = [&["--from=csv", "--decimal=,"][..], more].concat();
        let frames = trip.there(text.as_bytes(), &options).unwrap();
        assert_eq!(
            String::from_utf8(trip.back(&frames, &[]).unwrap()).unwrap(),
            text
        );
        for target in [
            &["--to=ndjson"][..],
            &["--to=tsv"],
            &["--to=csv", "--exact=off"],
        ] {
            let direct = trip
                .convert("text", text.as_bytes(), &[&options, target].concat())
                .unwrap();
            let direct = String::from_utf8(direct).unwrap();
            if more.is_empty() && target == ["--to=ndjson"] {
                let first = direct.lines().next().unwrap();
                assert_eq!(
                    first,
                    "{\"price\":1.50,\"size\":\"1.234,5\",\"rate\":0.1,\"date\":\"31.12.2024\",\"version\":\"1.2\",\"word\":null,\"n\":1,\"one\":7}"
                );
            }
            let through = trip.back(&frames, target).unwrap();
            if target != ["--to=csv", "--exact=off"] {
                assert_eq!(direct, String::from_utf8(through).unwrap(), "{target:?}");
            }
        }
        let found = trip
            .back(&frames, &["--where=price > 1.25", "--columns=price"])
            .unwrap();
        assert_eq!(found, b"price\r\n1,50\r\n30,00\r\n", "{more:?}");
    }
    same_on_both_routes(&trip, "a.csv", text.as_bytes(), &["--decimal=,"]);
    same_on_both_routes(
        &trip,
        "a.csv",
        text.as_bytes(),
        &["--decimal=,", "--frame-rows=1"],
    );
}

#[test]
fn commas_between_cells_need_quotes_around_numbers() {
    let trip = Trip::new();
    let text = "a,b\n\"1,5\",2\n\"2,75\",3\n";
    let options = ["--from=csv", "--decimal=,"];
    let frames = trip.there(text.as_bytes(), &options).unwrap();
    assert_eq!(trip.back(&frames, &[]).unwrap(), text.as_bytes());
    assert_eq!(
        trip.back(&frames, &["--exact=off"]).unwrap(),
        text.as_bytes()
    );
    let tsv = trip.back(&frames, &["--to=tsv"]).unwrap();
    assert_eq!(tsv, b"a\tb\n1,5\t2\n2,75\t3\n");
    let error = trip.there(b"a\n", &["--decimal=;"]).unwrap_err();
    assert!(error.to_string().contains("--decimal"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_cells_come_back(
        cells in prop::collection::vec("-?[0-9]{1,3}([,.][0-9]{1,3}){0,2}|NA|\\.|1e[0-9]|x|[0-9]{20},[0-9]|\"1,5\"", 1..24),
        width in 1usize..4,
        rows in 1usize..4,
    ) {
        let trip = Trip::new();
        let width = width.min(cells.len());
        let lines = cells.chunks_exact(width).map(|cells| cells.join(";") + "\n");
        let text: String = lines.collect();
        let rows = format!("--frame-rows={rows}");
        let options = [&OPTIONS[..], &["--no-header", &rows]].concat();
        let frames = trip.there(text.as_bytes(), &options).unwrap();
        prop_assert_eq!(String::from_utf8(trip.back(&frames, &[]).unwrap()).unwrap(), text);
    }
}
