//! `mbt estimate`: how many bytes, how long over a link, and which codec to use.

mod cells;
mod clock;
pub(super) mod codec;
mod inputs;
mod measure;
pub(super) mod payload;
mod report;
mod rows;
mod sample;
mod size;
mod stream;
mod summary;
mod table;

use self::codec::PayloadCodec;
use self::measure::{Measurement, MeasurementPlan, measure};
use self::payload::{Payload, RoundTrip};
use self::report::Findings;
use self::rows::InputRows;
use self::stream::MessageStream;
use super::columns::Chosen;
use super::open::{Opener, is_standard, metadata};
use super::options::{max_frame, text_layout, text_options};
use super::output::Output;
use crate::cli::estimate as typed;
use crate::cli::estimate::{Estimate, LinkArgs, Report};
use crate::error::{Error, Result};
use crate::estimate::{Link, Model, NAMED, Tcp};
use crate::format::Sink as _;
use crate::format::csv::CsvOptions;
use crate::report::progress::{Progress, Steps};
use crate::report::table::terminal_width;
use crate::report::{print, print_json, print_styled};
use crate::units::counted;
use crate::workload::bars;

/// Above this loss a link is unusable, and the bound used by the model no longer holds.
const MOST_LOSS: f64 = 0.5;

/// Bytes of a generated row in an uncompressed version 1 frame, which is what --max-frame limits.
const BARS_ROW_BYTES: u64 = 67;

/// Runs `mbt estimate`.
///
/// # Errors
/// If an option is invalid or an input cannot be read.
pub fn run(args: &Estimate) -> Result<()> {
    let layout = text_layout(&args.input)?;
    let max_frame = max_frame(&args.input.limit)?;
    let (link, link_name) = link(&args.path)?;
    let model = model(&args.path)?;
    let stream = stream(&args.path)?;
    let names = if args.rows.is_some() {
        Vec::new()
    } else {
        let (names, skipped) = inputs::files(&args.inputs)?;
        if skipped > 0 {
            let text = counted(skipped, "file");
            crate::report::note(&format!("skipped {text} with unknown extensions"));
        }
        names
    };
    if args.chart && !matches!(args.format, None | Some(Report::Table)) {
        return Err(Error::usage("--chart: only available with tables")
            .hint("use --svg FILE for an SVG file"));
    }
    let svg = match &args.svg {
        Some(path) => Some(Output::open(Some(path), false, args.force)?),
        None => None,
    };
    let plan = plan(args, names.len().max(1) as u64)?;
    let mut totals = Totals {
        text_bytes: Some(0),
        ..Totals::default()
    };
    let mut round_trip = RoundTrip {
        // Parts of the text that options exclude are not written.
        csv: CsvOptions {
            skip_lines: 0,
            comment: None,
            ..layout.csv.clone()
        },
        source: None,
        text: text_options(&args.types, Chosen::default())?,
        infer: args.types.infer,
        max_frame,
    };
    let mut each = |rows: &InputRows, round_trip: &RoundTrip, name: &str| -> Result<()> {
        let steps = Steps::begin(args.messages, Some(1 + plan.payloads.len() as u64));
        let (measured, skipped) = measure(rows, round_trip, &plan, |label| steps.step(label));
        drop(steps);
        for (payload, error) in skipped {
            let payload = payload.name();
            crate::report::note(&format!("{name}: {payload} was skipped: {error}"));
        }
        totals.add(rows, measured);
        Ok(())
    };
    if let Some(rows) = args.rows {
        each(
            &InputRows::generated(bars(generated_rows(rows, max_frame)?)),
            &round_trip,
            "bars",
        )?;
    }
    let mut files = Vec::with_capacity(names.len());
    for path in &names {
        let progress = Progress::begin(args.messages, std::iter::once(metadata(path)));
        let note = |text: &str| progress.note(text);
        let opener = Opener {
            layout: layout.clone(),
            ..Opener::usual(args.input.from, &note)
        };
        let whole = args.what.whole;
        let read = InputRows::read(path, &opener, &args.types, &round_trip, whole, &progress);
        let (rows, notes) = read?;
        round_trip.source = rows.text.as_ref().map(|text| text.format.clone());
        progress.clear();
        for text in &notes {
            crate::report::note(text);
        }
        let name = if is_standard(path) {
            "<stdin>".to_owned()
        } else {
            path.display().to_string()
        };
        each(&rows, &round_trip, &name)?;
        files.push(name);
    }
    let rows = totals.rows;
    let (measured, text_bytes) = totals.finish();
    if measured.is_empty() {
        return Err(Error::input("nothing could be measured")
            .hint("the payload source exists only for text input; see --payloads"));
    }
    let found = Findings {
        files,
        rows,
        text_bytes,
        link,
        link_name,
        model,
        stream,
        measured,
    };
    if let Some(mut svg) = svg {
        svg.write(summary::chart(&found).svg().as_bytes())?;
        svg.finish()?;
    }
    show(args, &found)
}

/// The number of generated rows, if they fit in one frame.
fn generated_rows(rows: u64, max_frame: u64) -> Result<usize> {
    if rows > max_frame / BARS_ROW_BYTES {
        let most = max_frame / BARS_ROW_BYTES;
        return Err(Error::limit(format!(
            "--rows: a frame holds at most {}",
            counted(most, "row")
        ))
        .hint("raise --max-frame"));
    }
    usize::try_from(rows).map_err(|_| Error::limit("--rows: more than fit in memory"))
}

/// Prints the report in the requested format.
fn show(args: &Estimate, found: &Findings) -> Result<()> {
    match args.format {
        _ if args.json => print_json(&report::document(found)),
        Some(Report::Json) => print_json(&report::document(found)),
        Some(Report::Markdown) => print(report::markdown(found).as_bytes()),
        Some(Report::Csv) => print(report::csv(found).as_bytes()),
        None | Some(Report::Table) => {
            let mut text = table::table(found, terminal_width());
            if args.chart {
                text.push('\n');
                text.push_str(&summary::chart(found).text());
            }
            print_styled(&text)
        }
    }
}

/// Totals over all inputs.
#[derive(Default)]
struct Totals {
    inputs: u64,
    rows: u64,
    /// For each payload and codec, the total and the number of inputs it was measured for.
    measured: Vec<(Measurement, u64)>,
    /// Total size as text; `None` if it is unknown for one of the inputs.
    text_bytes: Option<u64>,
}

impl Totals {
    fn add(&mut self, rows: &InputRows, measured: Vec<Measurement>) {
        let json = measured
            .iter()
            .find(|one| one.payload == Payload::Json && one.codec_name() == "none");
        let text = rows
            .text
            .as_ref()
            .map(|text| text.len)
            .or_else(|| json.map(Measurement::bytes));
        self.text_bytes = self.text_bytes.zip(text).map(|(all, text)| all + text);
        self.inputs += 1;
        self.rows += rows.all;
        for one in measured {
            let same = |known: &&mut (Measurement, u64)| {
                known.0.payload == one.payload && known.0.codec == one.codec
            };
            match self.measured.iter_mut().find(same) {
                Some((known, inputs)) => {
                    *known = known.with(&one);
                    *inputs += 1;
                }
                None => self.measured.push((one, 1)),
            }
        }
    }

    /// The payloads and codecs that were measured for every input, and the text size.
    fn finish(self) -> (Vec<Measurement>, Option<u64>) {
        let inputs = self.inputs;
        let all = self
            .measured
            .into_iter()
            .filter(|(_, count)| *count == inputs);
        (all.map(|(one, _)| one).collect(), self.text_bytes)
    }
}

fn plan(args: &Estimate, inputs: u64) -> Result<MeasurementPlan> {
    let payloads = match &args.what.payloads {
        Some(list) => Payload::parse(list)?,
        None => Payload::all().collect(),
    };
    let default = || codec::DEFAULT.map(str::to_owned).to_vec();
    let codecs = PayloadCodec::parse_all(&args.what.codecs.clone().unwrap_or_else(default))?;
    Ok(MeasurementPlan {
        payloads,
        codecs,
        whole: args.what.whole,
        runs: args.what.runs,
        inputs,
    })
}

/// The link from --link, --rtt-ms and --mbit.
fn link(path: &LinkArgs) -> Result<(Link, Option<&'static str>)> {
    let (name, mut link) = match &path.link {
        None => (None, Link::default()),
        Some(wanted) => {
            let found = NAMED
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            let (name, link) = found.ok_or_else(|| {
                let names = NAMED.map(|(name, _)| name).join(", ");
                Error::usage(format!("--link: unknown link {wanted:?}")).hint(format!(
                    "the links are {names}; for others use --rtt-ms and --mbit"
                ))
            })?;
            (Some(*name), *link)
        }
    };
    if let Some(rtt_ms) = path.rtt_ms {
        if !(0.0..=1e9).contains(&rtt_ms) {
            return Err(
                Error::usage(format!("--rtt-ms: {rtt_ms} is not a valid delay"))
                    .hint("write milliseconds, 0 or more"),
            );
        }
        link.rtt_ms = rtt_ms;
    }
    if let Some(mbit) = path.mbit {
        if !(1e-6..=1e9).contains(&mbit) {
            return Err(
                Error::usage(format!("--mbit: {mbit} is not a valid bandwidth"))
                    .hint("write Mbit/s (10^6 bits per second), such as 0.5 or 100"),
            );
        }
        link.mbit = mbit;
    }
    Ok((link, name))
}

fn model(path: &LinkArgs) -> Result<Model> {
    if path.model == typed::ModelName::Basic {
        if path.tls.is_some() || path.loss.is_some() {
            let option = if path.tls.is_some() {
                "--tls"
            } else {
                "--loss"
            };
            return Err(
                Error::usage(format!("{option}: not supported by the basic model"))
                    .hint("use --model tcp"),
            );
        }
        return Ok(Model::Basic);
    }
    let loss = path.loss.unwrap_or(0.0);
    if !(0.0..=MOST_LOSS).contains(&loss) {
        return Err(Error::usage(format!(
            "--loss: {loss} is not a valid fraction of segments"
        ))
        .hint("write 0.01 for one in a hundred; the model allows at most 0.5"));
    }
    Ok(Model::Tcp(Tcp {
        tls_round_trips: path.tls.unwrap_or(0),
        loss,
    }))
}

fn stream(path: &LinkArgs) -> Result<Option<MessageStream>> {
    let Some((count, every_ms)) = path.count.zip(path.every_ms) else {
        return Ok(None);
    };
    if !(1e-6..=1e12).contains(&every_ms) {
        return Err(
            Error::usage(format!("--every-ms: {every_ms} is not a valid interval"))
                .hint("write milliseconds, more than 0"),
        );
    }
    Ok(Some(MessageStream { count, every_ms }))
}
