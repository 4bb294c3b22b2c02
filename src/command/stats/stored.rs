//! How many bytes `mbt convert` stores for each column.

use crate::error::Result;
use crate::format::csv::CsvOptions;
use crate::format::exact::Fidelity;
use crate::format::mbt::FrameEncoding;
use crate::format::{Format, WriteOptions};
use crate::pipeline::{self, PipelineOptions, Source};
use crate::wire::choose::Preset;
use crate::wire::v2::{self, Leaf};

/// Converts the selected rows as `mbt convert` does, and calls `each` with the columns of every frame.
///
/// # Errors
/// If the source cannot be read.
pub fn stored_leaves(
    source: Source,
    mut options: PipelineOptions,
    mut each: impl FnMut(&[Leaf]),
) -> Result<()> {
    // A copy of a pipe has one position for all readers.
    source.rewind()?;
    // What restores the text is stored as well: some of it shares sections with columns.
    options.text.exact = source.format.kind.is_text();
    let csv = CsvOptions::default();
    let encoding = FrameEncoding::V2(v2::EncodeOptions::of(Preset::default()));
    let writer = Format::Mbt.writer(&WriteOptions {
        fidelity: if options.is_whole() {
            Fidelity::Bytes
        } else {
            Fidelity::Records
        },
        ..WriteOptions::values(&csv, encoding, options.max_frame)
    });
    let mut frame = Vec::new();
    let end = pipeline::run(vec![source], &options, &*writer, |encoded| {
        frame.clear();
        encoded.write(&mut frame)?;
        each(&v2::Envelope::read(&frame, u64::MAX)?.leaves()?);
        Ok(())
    })?;
    end.loss.map_or(Ok(()), Err)
}
