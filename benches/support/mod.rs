//! Code shared by several benchmarks.

use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

/// Size of the columns as plain arrays: values, string offsets, validity. Decimals count as eight bytes, like floats,
/// although Arrow uses sixteen.
pub fn plain_len(batches: &[RecordBatch]) -> usize {
    let columns = batches.iter().flat_map(RecordBatch::columns);
    columns
        .map(|column| {
            if matches!(column.data_type(), DataType::Decimal128(..)) {
                return 8 * column.len();
            }
            let len = column.to_data().get_slice_memory_size();
            len.expect("flat")
        })
        .sum()
}
