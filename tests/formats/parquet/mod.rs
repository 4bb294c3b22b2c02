//! Parquet in and out, checked against pyarrow.

mod malformed;
mod pyarrow;
