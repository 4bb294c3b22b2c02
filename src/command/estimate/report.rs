//! Prints the findings as Markdown, CSV and JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::measure::Measurement;
use super::stream::MessageStream;
use super::summary::{best, crossovers, name};
use crate::estimate::{Link, Model};
use crate::report::table::{Align, Table};
use crate::units::grouped;

/// The results, and the assumptions behind them.
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
    let mut table = Table::new([
        ("Payload", Align::Left),
        ("Compression", Align::Right),
        ("Bytes", Align::Right),
        ("Estimated t_transfer", Align::Right),
    ]);
    for one in &found.measured {
        table.row(published(found, one));
    }
    out.push_str(&table.markdown());
    out
}

/// The cells of a row of that table.
fn published(found: &Findings, one: &Measurement) -> [String; 4] {
    let compression = match one.level() {
        Some(level) => format!("{} (level={level})", one.codec_name()),
        None => one.codec_name().to_owned(),
    };
    let mark = if one.error.is_some() { "≈ " } else { "" };
    let seconds = found.transfer_s(one);
    let time = if seconds < 1.0 {
        format!("{:.3} ms", seconds * 1e3)
    } else {
        format!("{seconds:.6} s")
    };
    [
        one.payload.title().to_owned(),
        compression,
        format!("{mark}{}", grouped(one.bytes())),
        time,
    ]
}

/// CSV with a line per payload and codec.
pub fn csv(found: &Findings) -> String {
    let mut out = String::from(
        "payload,codec,level,bytes,ratio,encode_s,decode_s,transfer_s,total_s,overlapped_s,error",
    );
    if found.stream.is_some() {
        out.push_str(",bytes_per_s,link_share,fits,late_s");
    }
    out.push('\n');
    let optional = |text: Option<String>| text.unwrap_or_default();
    for one in &found.measured {
        let cells = [
            one.payload.name().to_owned(),
            one.codec_name().to_owned(),
            optional(one.level().map(|level| level.to_string())),
            one.bytes().to_string(),
            optional(found.ratio(one).map(|ratio| format!("{ratio:.4}"))),
            seconds(one.cost.encode_s),
            seconds(one.cost.decode_s),
            seconds(found.transfer_s(one)),
            seconds(one.cost.total_s(found.model, found.link)),
            seconds(one.cost.overlapped_s(found.model, found.link)),
            optional(one.error.map(|error| format!("{error:.4}"))),
        ];
        out.push_str(&cells.join(","));
        if let Some(stream) = found.stream {
            let load = stream.load(one.cost, found.model, found.link);
            let _ = write!(
                out,
                ",{:.0},{:.6},{},{:.6}",
                load.bytes_per_s, load.link_share, load.fits, load.late_s
            );
        }
        out.push('\n');
    }
    out
}

/// All results as JSON.
pub fn document(found: &Findings) -> Value {
    let payload = |one: &Measurement| {
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
        if let (Some(stream), Value::Object(members)) = (found.stream, &mut value) {
            let load = stream.load(one.cost, found.model, found.link);
            members.insert("bytes_per_s".to_owned(), json!(load.bytes_per_s));
            members.insert("link_share".to_owned(), json!(load.link_share));
            members.insert("fits".to_owned(), json!(load.fits));
            members.insert("late_s".to_owned(), json!(load.late_s));
        }
        value
    };
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
        "payloads": found.measured.iter().map(payload).collect::<Vec<_>>(),
        "best": best.as_ref().map(|best| named(&best.index)),
        "equal": equal.map(Iterator::collect::<Vec<_>>),
        "crossovers": crossovers.collect::<Vec<_>>(),
    })
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.6}")
}
