//! The bars batch of the format's published sizes.

use std::sync::Arc;

use arrow_array::{Array, Float64Array, Int64Array, RecordBatch, StringArray};
use mbt::wire::v1::{EncodeOptions, Encoder};

/// `rows` bars: two pairs in turn, one time frame, equal steps.
pub fn batch(rows: usize) -> RecordBatch {
    let texts = |text: fn(usize) -> &'static str| {
        Arc::new(StringArray::from_iter_values((0..rows).map(text))) as Arc<dyn Array>
    };
    let prices = |of: fn(usize, f64) -> f64| {
        let values = (0..rows).map(|row| of(row, 10_000.0 + row as f64 * 0.25));
        Arc::new(Float64Array::from_iter_values(values)) as Arc<dyn Array>
    };
    let times = (0..rows as i64).map(|row| 1_700_000_000_000 + 60_000 * row);
    RecordBatch::try_from_iter([
        ("pair", texts(|row| ["BTCUSDT", "ETHUSDT"][row % 2])),
        ("tf", texts(|_| "1m")),
        (
            "e_ms",
            Arc::new(Int64Array::from_iter_values(times)) as Arc<dyn Array>,
        ),
        ("open", prices(|_, base| base + 0.10)),
        ("high", prices(|_, base| base + 0.20)),
        ("low", prices(|_, base| base + 0.05)),
        ("close", prices(|_, base| base + 0.15)),
        ("volume", prices(|row, _| 100.0 + (row % 10) as f64)),
    ])
    .unwrap()
}

/// The batch as an envelope with both encodings.
pub fn envelope(rows: usize) -> Vec<u8> {
    let batch = batch(rows);
    let options = EncodeOptions {
        dict: true,
        delta: true,
    };
    let mut out = Vec::new();
    Encoder::new(options)
        .encode(&batch.schema(), std::slice::from_ref(&batch), &mut out)
        .unwrap();
    out
}
