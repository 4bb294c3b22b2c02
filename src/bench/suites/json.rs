//! The bars fixture as JSON text, serialized and parsed, compared with frames of the same rows.

use arrow_select::concat::concat_batches;
use serde_json::Value;

use super::formats::{both_ways_v2, broken, decode_v1_again, encode_v1, read_text, same_rows};
use crate::bench::run::Run;
use crate::error::Result;
use crate::format::Format;
use crate::format::exact::{Dialect, Printer};
use crate::pipeline::FrameSize;
use crate::text::json::JsonStyle;
use crate::units::counted;
use crate::wire::choose::Preset;
use crate::wire::v1::{EncodeOptions, Encoder};
use crate::workload::{Bar, Record as _, bar_rows};

const ROWS: [usize; 2] = [2_000, 100_000];

pub fn measure(run: &mut Run<'_>) -> Result<()> {
    run.note("rates count the bytes of the JSON text, whatever the format");
    run.note(
        "serde_json converts from and to a Vec of structs, all others from and to Arrow columns",
    );
    let array = Dialect::Json(JsonStyle::array());
    for rows in run.sizes(&ROWS, 1) {
        let bars = bar_rows(rows);
        let batch = Bar::batch(&bars);
        let text = serde_json::to_vec(&bars).map_err(broken)?;
        let through = text.len();
        let mut out = Vec::new();
        run.table(format!("bars as JSON, {}", counted(rows as u64, "row")));
        run.row("serde_json serialize")
            .sized(text.len(), through)
            .time(|| {
                out.clear();
                serde_json::to_writer(&mut out, &bars).map_err(broken)
            })?;
        run.row("mbt print JSON")
            .sized(text.len(), through)
            .time(|| {
                out.clear();
                Printer::whole(&array, &batch, &mut out)
            })?;
        out.clear();
        Printer::whole(&array, &batch, &mut out)?;
        run.check(out == text, "JSON differs from serde_json's");

        let parsed: Vec<Bar> = serde_json::from_slice(&text).map_err(broken)?;
        run.check(parsed == bars, "JSON was not restored");
        run.row("serde_json parse")
            .sized(text.len(), through)
            .time(|| serde_json::from_slice::<Vec<Bar>>(&text).map_err(broken))?;
        run.row("serde_json parse to Value")
            .sized(text.len(), through)
            .time(|| serde_json::from_slice::<Value>(&text).map_err(broken))?;
        let read = || {
            let format = Format::Json;
            read_text(&text, format, FrameSize::Whole)
        };
        let mut same = false;
        for frame in read()? {
            let back = concat_batches(&frame.schema, &frame.batches).map_err(broken)?;
            same = same_rows(&back, &batch)?;
        }
        run.check(same, "JSON was parsed into different values");
        run.row("mbt read JSON")
            .sized(text.len(), through)
            .time(read)?;

        let mut encoder = Encoder::new(EncodeOptions::default());
        let schema = batch.schema();
        let envelope = encode_v1(EncodeOptions::default(), &batch)?;
        run.row("v1 dict+delta encode")
            .packed(envelope.len(), through)
            .time(|| {
                out.clear();
                encoder.encode(&schema, std::slice::from_ref(&batch), &mut out)
            })?;
        run.row("v1 dict+delta decode")
            .sized(envelope.len(), through)
            .time(decode_v1_again(&envelope))?;
        both_ways_v2(run, Preset::Balanced, &batch, through)?;
    }
    Ok(())
}
