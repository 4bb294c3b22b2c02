//! The bars fixture: candles of two symbols, the batch whose sizes are published.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::Schema;

use crate::schema::Type;

/// `rows` candles.
#[expect(
    clippy::expect_used,
    reason = "the columns are made here, all of one length"
)]
#[expect(clippy::missing_panics_doc, reason = "the same")]
pub fn bars(rows: usize) -> RecordBatch {
    let base = |row: usize| 10000.0 + row as f64 * 0.25;
    let price = |above: f64| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values(
            (0..rows).map(|row| base(row) + above),
        ))
    };
    let pairs = (0..rows).map(|row| ["BTCUSDT", "ETHUSDT"][row % 2]);
    let volumes = (0..rows).map(|row| 100.0 + (row % 10) as f64);
    let columns: Vec<(&str, Type, ArrayRef)> = vec![
        (
            "pair",
            Type::Utf8,
            Arc::new(StringArray::from_iter_values(pairs)),
        ),
        (
            "tf",
            Type::Utf8,
            Arc::new(StringArray::from_iter_values((0..rows).map(|_| "1m"))),
        ),
        (
            "e_ms",
            Type::I64,
            Arc::new(Int64Array::from_iter_values(
                (0..rows).map(|row| 1_700_000_000_000 + 60_000 * row as i64),
            )),
        ),
        ("open", Type::F64, price(0.10)),
        ("high", Type::F64, price(0.20)),
        ("low", Type::F64, price(0.05)),
        ("close", Type::F64, price(0.15)),
        (
            "volume",
            Type::F64,
            Arc::new(Float64Array::from_iter_values(volumes)),
        ),
    ];
    let fields: Vec<_> = columns.iter().map(|(name, ty, _)| ty.field(name)).collect();
    let arrays = columns.into_iter().map(|(_, _, array)| array).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("columns of one length")
}
