//! Summarises frames of version 1.

use super::{Summary, Taken, count};
use crate::columns::print::ColumnPrinter;
use crate::command::inspect::extremes::Extremes;
use crate::error::Result;
use crate::schema::type_name;
use crate::wire::v1::anomalies;
use crate::wire::{Decoder, Envelope};

impl Summary {
    pub(super) fn add_v1(
        &mut self,
        index: u64,
        bytes: &[u8],
        envelope: &Envelope,
        decoder: &mut Decoder,
    ) -> Result<()> {
        self.rows += envelope.rows() as u64;
        self.wires.insert(envelope.version());
        self.bytes += bytes.len() as u64;
        self.plain += bytes.len() as u64;
        let batch = decoder.decode(bytes, envelope, |_, _| true)?;
        let mut taken = Taken::default();
        let mut header = bytes.len() as u64;
        for (at, info) in envelope.columns(bytes)?.into_iter().enumerate() {
            let rows = envelope.rows() as u64;
            header = header.saturating_sub(info.stored_len);
            let column = self.column(info.name, &mut taken);
            column.is_top = true;
            column.is_leaf = true;
            column.rows += rows;
            column.add_nulls(Some(info.nulls));
            column.stored += info.stored_len;
            column.plain += info.plain_len;
            count(&mut column.encodings, info.encoding);
            let printed =
                ColumnPrinter::new(batch.column(at).as_ref(), batch.schema_ref().field(at));
            let extremes = printed.map_or_else(
                |_| Extremes::default(),
                |printed| Extremes::of(&printed, envelope.rows()),
            );
            // Frames with only NaN have no extremes, which leaves nothing uncovered.
            let values = if extremes.is_none() {
                0
            } else {
                rows - info.nulls
            };
            column.join(type_name(&info.field), values, extremes);
        }
        self.header.0 += header;
        self.header.1 += header;
        decoder.recycle(batch);
        if let Envelope::V1(envelope) = envelope {
            let found = anomalies(bytes, envelope).into_iter();
            self.anomalies.extend(found.map(|anomaly| (index, anomaly)));
        }
        Ok(())
    }
}
