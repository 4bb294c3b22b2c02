//! Summarizes frames of version 1.

use arrow_array::RecordBatch;

use super::{Summary, Taken, count};
use crate::columns::print::ColumnPrinter;
use crate::command::inspect::extremes::Extremes;
use crate::schema::{display_name, type_name};
use crate::wire::v1::{self, anomalies};

impl Summary {
    /// Adds an envelope, whose bytes and rows these are.
    pub(super) fn add_v1(
        &mut self,
        frame: u64,
        bytes: &[u8],
        envelope: &v1::Envelope,
        batch: &RecordBatch,
    ) {
        let rows = envelope.rows as u64;
        self.rows += rows;
        self.wires.insert(v1::VERSION);
        self.bytes += bytes.len() as u64;
        self.plain += bytes.len() as u64;
        let mut taken = Taken::default();
        let mut header = bytes.len() as u64;
        let columns = envelope.columns.iter().zip(envelope.fields(bytes));
        for (at, (layout, field)) in columns.enumerate() {
            let stored = layout.stored_len() as u64;
            let nulls = layout.null_count(bytes, envelope.rows) as u64;
            header = header.saturating_sub(stored);
            let column = self.column(display_name(field.name(), at), &mut taken);
            column.is_top = true;
            column.is_leaf = true;
            column.rows += rows;
            column.add_nulls(Some(nulls));
            column.stored += stored;
            column.plain += stored;
            count(&mut column.encodings, layout.encoding_name().to_owned());
            let printed = ColumnPrinter::new(batch.column(at), batch.schema_ref().field(at));
            let extremes = printed
                .map(|printed| Extremes::of(&printed, envelope.rows))
                .unwrap_or_default();
            // Frames with only NaN have no extremes, which leaves nothing uncovered.
            let values = if extremes.is_none() { 0 } else { rows - nulls };
            column.join(type_name(&field), values, extremes);
        }
        self.header.0 += header;
        self.header.1 += header;
        let found = anomalies(bytes, envelope).into_iter();
        self.anomalies.extend(found.map(|anomaly| (frame, anomaly)));
    }
}
