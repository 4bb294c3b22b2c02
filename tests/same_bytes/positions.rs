//! Arrays of the same length, whose items frames store by position.

use std::fmt::Write as _;

use mbt::wire::v2::Envelope;
use proptest::prelude::*;
use proptest::sample::select;

use super::trip::Trip;

/// What the items at a position are; the numbers are pseudo-random.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Count,
    Price,
    Word,
    MaybeNull,
    Flag,
    List,
    Object,
    /// Another kind in the last rows.
    Late,
}

impl Kind {
    const ALL: [Self; 8] = [
        Self::Count,
        Self::Price,
        Self::Word,
        Self::MaybeNull,
        Self::Flag,
        Self::List,
        Self::Object,
        Self::Late,
    ];

    fn item(self, row: usize, rows: usize, chance: u64) -> String {
        match self {
            Self::Count => format!("{}", 1_700_000_000 + 60 * row),
            Self::Price => format!("{}.{:02}", chance % 900, chance % 97),
            Self::Word => format!("\"{}\"", ["red", "gr\\u00fcn", ""][chance as usize % 3]),
            Self::MaybeNull if chance.is_multiple_of(3) => "null".to_owned(),
            Self::MaybeNull => format!("{}", chance % 50),
            Self::Flag => format!("{}", chance.is_multiple_of(2)),
            Self::List => format!("{:?}", vec![chance % 10; chance as usize % 3]),
            Self::Object => format!("{{\"a\":{},\"b\":\"{:x}\"}}", chance % 4, chance),
            Self::Late if row + 3 > rows => "\"late\"".to_owned(),
            Self::Late => format!("{}", row % 7),
        }
    }
}

fn ndjson(kinds: &[Kind], rows: usize, seed: u64) -> String {
    let mut text = String::new();
    for row in 0..rows {
        let items = kinds.iter().zip(1_u64..).map(|(kind, at)| {
            let chance = (seed + row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ at << 20) >> 40;
            kind.item(row, rows, chance)
        });
        let items: Vec<_> = items.collect();
        let _ = writeln!(text, "[{}]", items.join(","));
    }
    text
}

#[test]
fn rows_of_arrays_are_stored_by_position() {
    let trip = Trip::new();
    let kinds = [Kind::Count, Kind::Price, Kind::Word, Kind::MaybeNull];
    let text = ndjson(&kinds, 500, 1);
    let frames = trip.there_from("a.ndjson", text.as_bytes(), &[]).unwrap();
    let envelope = Envelope::read(&frames, 1 << 20).unwrap();
    let columns = envelope.columns().unwrap();
    assert_eq!(columns[0].positions(), Some(4));
    // One shorter row is enough to store all in a row.
    let frames = trip.there_from("a.ndjson", (text + "[1]\n").as_bytes(), &[]);
    let frames = frames.unwrap();
    let envelope = Envelope::read(&frames, 1 << 20).unwrap();
    assert_eq!(envelope.columns().unwrap()[0].positions(), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Frames give the same as the text, whatever is stored by position.
    #[test]
    fn arrays_of_one_length_come_back_by_every_route(
        kinds in prop::collection::vec(select(&Kind::ALL[..]), 2..7),
        rows in 60_usize..260,
        seed in 0_u64..1000,
        size in select(vec!["--frame-rows=64", "--frame-rows=100", "--frame-rows=1000"]),
        at in 0_usize..8,
    ) {
        let trip = Trip::new();
        let text = ndjson(&kinds, rows, seed);
        let frames = trip.there_from("a.ndjson", text.as_bytes(), &[size, "--threads=1"]).unwrap();
        let on_two = trip.there_from("a.ndjson", text.as_bytes(), &[size, "--threads=2"]).unwrap();
        prop_assert_eq!(&frames, &on_two);
        prop_assert_eq!(trip.back(&frames, &[]).unwrap(), text.as_bytes());
        let column = format!("--columns=$[{}] as x", at % kinds.len());
        for options in [
            &["--to=csv"][..],
            &["--to=arrow", size],
            &["--to=ndjson", &column],
            &["--to=ndjson", "--where=$[0] is not null"],
            &["--to=ndjson", "--rows=5..70"],
        ] {
            let direct = trip.convert("a.ndjson", text.as_bytes(), options).unwrap();
            let options: Vec<_> = options.iter().filter(|it| **it != size).copied().collect();
            let through = trip.convert("a.mbt", &frames, &options).unwrap();
            prop_assert_eq!(direct, through, "{:?}", options);
        }
    }
}
