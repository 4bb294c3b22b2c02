//! Prints the findings as Markdown, CSV and JSON.

use serde_json::{Value, json};

use super::measure::Measurement;
use super::stream::MessageStream;
use super::summary::{best, crossovers, name};
use crate::estimate::{Link, Model};
use crate::report::table::Align::{Left, Right};
use crate::report::table::Table;
use crate::units::grouped;

/// The results, and the assumptions that they depend on.
pub struct Findings {
    /// The inputs, as given on the command line.
    pub files: Vec<String>,
    /// Total number of rows.
    pub rows: u64,
    /// Their total size as text, or as JSON if they are not text.
    pub text_bytes: Option<u64>,
    /// The link.
    pub link: Link,
    /// Its name.
    pub link_name: Option<&'static str>,
    /// The transfer model.
    pub model: Model,
    /// The stream, if the input is a message of one.
    pub stream: Option<MessageStream>,
    /// Payloads and codecs in the order of reports.
    pub measured: Vec<Measurement>,
}

impl Findings {
    /// Text size divided by bytes.
    pub fn ratio(&self, one: &Measurement) -> Option<f64> {
        let text = self.text_bytes?;
        (one.bytes() > 0).then(|| text as f64 / one.cost.bytes)
    }

    /// Seconds on the wire.
    pub fn transfer_s(&self, one: &Measurement) -> f64 {
        self.model.transfer_s(self.link, one.cost.bytes)
    }

    /// True if any result is extrapolated.
    pub fn is_sampled(&self) -> bool {
        self.measured.iter().any(|one| one.error.is_some())
    }
}

/// A Markdown table in the layout of the published ones.
pub fn markdown(found: &Findings) -> String {
    let mut out = format!(
        "### rows = {} (rtt={}ms, bandwidth={}Mbit/s{})\n\n",
        grouped(found.rows),
        found.link.rtt_ms,
        found.link.mbit,
        if found.model == Model::Basic {
            String::new()
        } else {
            format!(", model={}", found.model.name())
        },
    );
    let compression = |one: &Measurement| match one.level() {
        Some(level) => format!("{} (level={level})", one.codec_name()),
        None => one.codec_name().to_owned(),
    };
    let bytes = |one: &Measurement| {
        let mark = if one.error.is_some() { "≈ " } else { "" };
        format!("{mark}{}", grouped(one.bytes()))
    };
    let time = |one: &Measurement| match found.transfer_s(one) {
        seconds if seconds < 1.0 => format!("{:.3} ms", seconds * 1e3),
        seconds => format!("{seconds:.6} s"),
    };
    let table = Table::of(
        &found.measured,
        &[
            ("Payload", Left, &|one| one.payload.title().to_owned()),
            ("Compression", Right, &compression),
            ("Bytes", Right, &bytes),
            ("Estimated t_transfer", Right, &time),
        ],
    );
    out.push_str(&table.markdown());
    out
}

/// The columns of CSV, which are members of the JSON of a payload, and the digits after the point.
const COLUMNS: [(&str, usize); 11] = [
    ("payload", 0),
    ("codec", 0),
    ("level", 0),
    ("bytes", 0),
    ("ratio", 4),
    ("encode_s", 6),
    ("decode_s", 6),
    ("transfer_s", 6),
    ("total_s", 6),
    ("overlapped_s", 6),
    ("error", 4),
];

/// The columns after these for a stream.
const STREAM_COLUMNS: [(&str, usize); 4] = [
    ("bytes_per_s", 0),
    ("link_share", 6),
    ("fits", 0),
    ("late_s", 6),
];

/// CSV with a line per payload and codec.
pub fn csv(found: &Findings) -> String {
    let of_stream = found.stream.iter().flat_map(|_| STREAM_COLUMNS);
    let columns: Vec<_> = COLUMNS.into_iter().chain(of_stream).collect();
    let mut lines = vec![columns.iter().map(|(name, _)| (*name).to_owned()).collect()];
    for one in &found.measured {
        let values = payload(found, one);
        let cells = columns.iter();
        lines.push(
            cells
                .map(|&(name, digits)| cell(&values[name], digits))
                .collect(),
        );
    }
    lines
        .iter()
        .map(|cells: &Vec<String>| cells.join(",") + "\n")
        .collect()
}

fn cell(value: &Value, digits: usize) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            format!("{:.digits$}", number.as_f64().unwrap_or_default())
        }
        other => other.to_string(),
    }
}

/// A payload with a codec as JSON.
fn payload(found: &Findings, one: &Measurement) -> Value {
    let mut value = json!({
        "payload": one.payload.name(),
        "codec": one.codec_name(),
        "level": one.level(),
        "bytes": one.bytes(),
        "ratio": found.ratio(one),
        "encode_s": one.cost.encode_s,
        "decode_s": one.cost.decode_s,
        "transfer_s": found.transfer_s(one),
        "total_s": one.cost.total_s(found.model, found.link),
        "overlapped_s": one.cost.overlapped_s(found.model, found.link),
        "extrapolated": one.error.is_some(),
        "error": one.error,
        "noise": one.noise,
    });
    if let Some(stream) = found.stream {
        let load = stream.load(one.cost, found.model, found.link);
        value["bytes_per_s"] = json!(load.bytes_per_s);
        value["link_share"] = json!(load.link_share);
        value["fits"] = json!(load.fits);
        value["late_s"] = json!(load.late_s);
    }
    value
}

/// All results as JSON.
pub fn document(found: &Findings) -> Value {
    let crossovers = crossovers(found).into_iter().map(|range| {
        json!({
            "best": name(&found.measured[range.best]),
            "from_mbit": range.from_mbit,
            "to_mbit": range.to_mbit,
        })
    });
    let best = best(found);
    let named = |at: &usize| name(&found.measured[*at]);
    let equal = best.as_ref().map(|best| best.equal.iter().map(named));
    json!({
        "files": found.files,
        "rows": found.rows,
        "text_bytes": found.text_bytes,
        "link": found.link_name,
        "rtt_ms": found.link.rtt_ms,
        "mbit": found.link.mbit,
        "model": found.model.name(),
        "count": found.stream.map(|stream| stream.count),
        "every_ms": found.stream.map(|stream| stream.every_ms),
        "payloads": found.measured.iter().map(|one| payload(found, one)).collect::<Vec<_>>(),
        "best": best.as_ref().map(|best| named(&best.index)),
        "equal": equal.map(Iterator::collect::<Vec<_>>),
        "crossovers": crossovers.collect::<Vec<_>>(),
    })
}
