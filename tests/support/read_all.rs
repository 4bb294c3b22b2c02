//! Runs every reader of streams of frames on the same bytes.

use std::io::Cursor;

use mbt::columns::TextOptions;
use mbt::command::verify::{StreamReport, Tier};
use mbt::pipeline::{self, FrameSize, PipelineOptions, Source};
use mbt::{Format, IndexedReader, Kind};

const LIMIT: u64 = 16 << 20;

/// Reads arbitrary bytes in every way. True if all of them are valid.
pub fn read_all(bytes: &[u8]) -> bool {
    let source = Source {
        path: "bytes".into(),
        bytes: Box::new(Cursor::new(bytes.to_vec())),
        file: None,
        format: Format::Mbt.into(),
    };
    let options = PipelineOptions::all(TextOptions::default(), FrameSize::Whole, LIMIT);
    let read = pipeline::frames(vec![source], &options, |_| Ok(()));
    let report = StreamReport::read(bytes, Tier::Deep, LIMIT, 1);
    if let Ok(mut reader) = IndexedReader::open(Cursor::new(bytes)) {
        for frame in 0..reader.frames().min(4) {
            let _ = reader.read(frame, &["a", "id", "value"]);
        }
    }
    let is_whole = report.is_ok_and(|report| report.is_whole());
    // Whole frames may need a newer version, or not fit into one table.
    if let Err(error) = read
        && is_whole
    {
        let may_be = [Kind::Unsupported, Kind::Input].contains(&error.kind());
        assert!(may_be, "verify and convert disagree: {error}");
    }
    is_whole
}
