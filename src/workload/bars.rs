//! The bars fixture: price candles of two symbols, whose sizes are published.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use serde::{Deserialize, Serialize};

use super::messages::{Record, columns, text};

/// A price candle.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Bar {
    pub pair: String,
    pub tf: String,
    pub e_ms: i64,
    pub open: f64,
    pub high: f64,
    pub low: f64,
    pub close: f64,
    pub volume: f64,
}

/// `rows` candles as structs.
pub fn bar_rows(rows: usize) -> Vec<Bar> {
    (0..rows)
        .map(|row| {
            let base = 10000.0 + row as f64 * 0.25;
            Bar {
                pair: ["BTCUSDT", "ETHUSDT"][row % 2].to_owned(),
                tf: "1m".to_owned(),
                e_ms: 1_700_000_000_000 + 60_000 * row as i64,
                open: base + 0.10,
                high: base + 0.20,
                low: base + 0.05,
                close: base + 0.15,
                volume: 100.0 + (row % 10) as f64,
            }
        })
        .collect()
}

/// `rows` candles as columns.
pub fn bars(rows: usize) -> RecordBatch {
    Bar::batch(&bar_rows(rows))
}

impl Record for Bar {
    fn batch(bars: &[Self]) -> RecordBatch {
        let float = |of: fn(&Self) -> f64| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values(bars.iter().map(of)))
        };
        let e_ms = Int64Array::from_iter_values(bars.iter().map(|bar| bar.e_ms));
        columns([
            ("pair", text(bars, |bar| &bar.pair)),
            ("tf", text(bars, |bar| &bar.tf)),
            ("e_ms", Arc::new(e_ms)),
            ("open", float(|bar| bar.open)),
            ("high", float(|bar| bar.high)),
            ("low", float(|bar| bar.low)),
            ("close", float(|bar| bar.close)),
            ("volume", float(|bar| bar.volume)),
        ])
    }
}
