//! Fractions of a second that are omitted if zero, and without zeros at the end: as Postgres and Python print them.

use arrow_ipc::reader::StreamReader;
use arrow_schema::{DataType, TimeUnit};

use super::trip::Trip;

const SIZES: [&str; 3] = ["--frame-rows=1", "--frame-rows=2", "--frame-rows=1000"];

fn timestamp(unit: TimeUnit, zone: Option<&str>) -> DataType {
    DataType::Timestamp(unit, zone.map(Into::into))
}

/// The type of the first column in an Arrow file, and the file as CSV without its header.
fn in_arrow(trip: &Trip, name: &str, input: &[u8], options: &[&str]) -> (DataType, String) {
    let arrow = trip.convert(name, input, &[&["--to=arrow"], options].concat());
    let arrow = arrow.unwrap();
    let reader = StreamReader::try_new(&arrow[..], None).unwrap();
    let found = reader.schema().field(0).data_type().clone();
    let csv = trip.convert("a.arrow", &arrow, &["--to=csv"]).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    (found, csv.split_once('\n').unwrap().1.to_owned())
}

/// Asserts that a column has this type and these values in Arrow, with frames of any size, and that its text comes back.
fn is_in_arrow(name: &str, text: &str, expected: &DataType, values: &str) {
    let trip = Trip::new();
    for size in SIZES {
        let frames = trip.there_from(name, text.as_bytes(), &[size]).unwrap();
        let back = trip.back(&frames, &[]).unwrap();
        assert_eq!(String::from_utf8(back).unwrap(), text, "{size}");
        for (name, input) in [(name, text.as_bytes()), ("frames.mbt", &frames)] {
            let (found, csv) = in_arrow(&trip, name, input, &[size]);
            assert_eq!(&found, expected, "{text} {size} {name}");
            let values = values.replace(' ', "\n") + "\n";
            assert_eq!(csv, values, "{text} {size} {name}");
        }
    }
}

#[test]
fn cells_with_optional_fractions_are_times_in_frames_of_all_sizes() {
    use TimeUnit::{Microsecond, Millisecond};

    let micros = timestamp(Microsecond, None);
    let utc = timestamp(Microsecond, Some("UTC"));
    let day = "2024-01-02";
    for (cells, expected, values) in [
        // Postgres
        (
            "2024-01-02 10:00:00.5,2024-01-02 10:00:00.25,2024-01-02 10:00:00",
            &micros,
            format!("{day}T10:00:00.500 {day}T10:00:00.250 {day}T10:00:00"),
        ),
        (
            "2024-01-02 10:00:00,NA,2024-01-02 10:00:00.000001",
            &micros,
            format!("{day}T10:00:00  {day}T10:00:00.000001"),
        ),
        (
            "2024-01-02 10:00:00+00,2024-01-02 10:00:00.25+00,2024-01-02 10:00:00.5+00",
            &utc,
            format!("{day}T10:00:00Z {day}T10:00:00.250Z {day}T10:00:00.500Z"),
        ),
        (
            "10:00:00.5,10:00:01",
            &DataType::Time64(Microsecond),
            "10:00:00.500 10:00:01".to_owned(),
        ),
        // Python
        (
            "2024-01-02T10:00:00.500000,2024-01-02T10:00:00,2024-01-02T10:00:00.000001",
            &micros,
            format!("{day}T10:00:00.500 {day}T10:00:00 {day}T10:00:00.000001"),
        ),
        // Java
        (
            "2024-01-02T10:00:00.500,2024-01-02T10:00:00,2024-01-02T10:00:00.000001",
            &micros,
            format!("{day}T10:00:00.500 {day}T10:00:00 {day}T10:00:00.000001"),
        ),
        // .NET
        (
            "2024-01-02T10:00:00.5Z,2024-01-02T10:00:00Z",
            &utc,
            format!("{day}T10:00:00.500Z {day}T10:00:00Z"),
        ),
        // No form prints these.
        (
            "2024-01-02 10:00:00.5,2024-01-02 10:00:00.50",
            &micros,
            format!("{day}T10:00:00.500 {day}T10:00:00.500"),
        ),
        (
            "2024-01-02 10:00:00.5,2024-01-02 10:00:00.7",
            &timestamp(Millisecond, None),
            format!("{day}T10:00:00.500 {day}T10:00:00.700"),
        ),
        (
            "10:00:00.123456789,10:00:00.5",
            &DataType::Utf8,
            "10:00:00.123456789 10:00:00.5".to_owned(),
        ),
    ] {
        let text = format!("t\n{}\n", cells.replace(',', "\n"));
        is_in_arrow("a.csv", &text, expected, &values);
    }
}

#[test]
fn strings_with_optional_fractions_are_times_in_frames_of_all_sizes() {
    let micros = |zone| timestamp(TimeUnit::Microsecond, zone);
    let day = "2024-01-02";
    for (cells, expected, values) in [
        (
            "2024-01-02T10:00:00.500000,2024-01-02T10:00:00",
            micros(None),
            format!("{day}T10:00:00.500 {day}T10:00:00"),
        ),
        (
            "2024-01-02T10:00:00.5+00:00,2024-01-02T10:00:00+00:00,2024-01-02T10:00:00.25+00:00",
            micros(Some("+00:00")),
            format!("{day}T10:00:00.500Z {day}T10:00:00Z {day}T10:00:00.250Z"),
        ),
        (
            "2024-01-02T10:00:00Z,2024-01-02T10:00:00.5Z",
            micros(Some("UTC")),
            format!("{day}T10:00:00Z {day}T10:00:00.500Z"),
        ),
        (
            "10:00:00.5,10:00:00.50",
            DataType::Utf8,
            "10:00:00.5 10:00:00.50".to_owned(),
        ),
    ] {
        let rows = cells
            .split(',')
            .map(|cell| format!("{{\"t\":\"{cell}\"}}\n"));
        let text: String = rows.collect();
        is_in_arrow("a.ndjson", &text, &expected, &values);
    }
}

/// Selected rows have the type of all rows, and the form of the frame.
#[test]
fn selections_keep_optional_fractions() {
    let trip = Trip::new();
    let text = "t,n\n2024-01-02 10:00:00.5,1\n2024-01-02 10:00:00,2\n2024-01-02 10:00:00.25,3\n";
    let frames = trip.there_from("a.csv", text.as_bytes(), &[]).unwrap();
    for (name, input) in [("a.csv", text.as_bytes()), ("frames.mbt", &frames)] {
        for (option, kept) in [
            (
                "--where=t > '2024-01-02 10:00:00.30'",
                "2024-01-02 10:00:00.5,1\n",
            ),
            (
                "--where=t = '2024-01-02T10:00:00'",
                "2024-01-02 10:00:00,2\n",
            ),
            ("--rows=2..", "2024-01-02 10:00:00.25,3\n"),
        ] {
            let found = trip.convert(name, input, &["--to=csv", option]).unwrap();
            assert_eq!(String::from_utf8(found).unwrap(), format!("t,n\n{kept}"));
            let (found, _) = in_arrow(&trip, name, input, &[option]);
            assert_eq!(
                found,
                timestamp(TimeUnit::Microsecond, None),
                "{name} {option}"
            );
        }
    }
}
