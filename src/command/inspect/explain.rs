//! `mbt inspect --explain`: shows what the chooser tries for every column, and the estimated sizes.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::{PATCHES, layout, only_input};
use crate::cli::Inspect;
use crate::error::{Error, Result};
use crate::report;
use crate::report::table::{Align, Table, terminal_width};
use crate::schema::keys::is_patch;
use crate::stream::envelopes;
use crate::units::{counted, grouped};
use crate::wire::choose::Cascade;
use crate::wire::v2::{self, Explained, Leaf};
use crate::wire::{Decoder, Envelope};

/// Explains one frame of the input.
///
/// # Errors
/// If there is more than one input, or if the frame does not exist, is damaged, or is of version 1.
pub fn run(args: &Inspect, max_frame: u64) -> Result<()> {
    let (input, path) = only_input(args, "--explain", |_| false)?;
    let (_, plain) =
        layout::frame(input, args.frame, max_frame).map_err(|error| error.in_file(&path))?;
    let preset = args.preset.unwrap_or_default();
    let cascade = Cascade::new(preset, preset.codec());
    let columns = explain(&plain, cascade, max_frame)
        .map_err(|error| error.in_frame(args.frame).in_file(&path))?;
    let file = path.display().to_string();
    if args.json {
        return report::print_json(&json!({
            "file": file,
            "frame": args.frame,
            "preset": preset.name(),
            "columns": columns.iter().map(Choice::document).collect::<Vec<_>>(),
        }));
    }
    let mut text = format!(
        "{file}: frame {}, preset {}, {}\n\n",
        args.frame,
        preset.name(),
        counted(columns.len() as u64, "choice"),
    );
    let mut table = Table::new([
        ("column", Align::Left),
        ("values", Align::Right),
        ("bytes", Align::Right),
        ("estimate", Align::Right),
        ("ratio", Align::Right),
        ("encoding", Align::Left),
        ("", Align::Left),
    ])
    .with_names();
    for column in &columns {
        column.rows(&mut table);
    }
    text.push_str(&table.render(terminal_width()));
    report::print_text(&text)
}

/// One choice, and what the file contains.
struct Choice {
    explained: Explained,
    /// The encoding in the file.
    used: Option<String>,
    /// Its bytes in the file, including validity.
    stored: u64,
}

fn explain(plain: &[u8], cascade: Cascade, max_frame: u64) -> Result<Vec<Choice>> {
    let mut choices = Vec::new();
    let mut decoder = Decoder::new(max_frame);
    for (range, envelope) in envelopes(plain, max_frame)?.envelopes {
        let batch = decoder.decode(&plain[range], &envelope, |_, _| true)?;
        let Envelope::V2(envelope) = &envelope else {
            return Err(Error::usage("--explain supports only wire 2")
                .hint("mbt convert --wire 2 converts wire 1"));
        };
        // The second of two equal paths is matched with the second.
        let mut leaves: HashMap<String, Vec<Leaf>> = HashMap::new();
        for leaf in envelope.leaves()?.into_iter().rev() {
            leaves.entry(leaf.path.clone()).or_default().push(leaf);
        }
        let fields = batch.schema_ref().fields().iter();
        for (position, (field, array)) in fields.zip(batch.columns()).enumerate() {
            for mut explained in v2::explain(field, array, position, cascade)? {
                let same = leaves.get_mut(&explained.path);
                let leaf = same.and_then(|same| {
                    while same.last().is_some_and(|leaf| leaf.encoding.is_none()) {
                        same.pop();
                    }
                    same.pop()
                });
                if is_patch(field) {
                    PATCHES.clone_into(&mut explained.path);
                }
                choices.push(Choice {
                    explained,
                    stored: leaf.as_ref().map_or(0, |leaf| leaf.stored),
                    used: leaf.and_then(|leaf| leaf.encoding),
                });
            }
        }
    }
    Ok(choices)
}

impl Choice {
    /// The encodings tried, cheapest first, including the choice.
    fn trials(&self) -> Vec<(&str, Option<u64>)> {
        let mut trials: Vec<_> = self
            .explained
            .trials
            .iter()
            .map(|trial| (trial.encoding.as_str(), Some(trial.bytes)))
            .collect();
        trials.sort_by_key(|(_, bytes)| *bytes);
        // Of several variants, such as widths, show the best.
        let mut seen = HashSet::new();
        trials.retain(|(name, _)| seen.insert(*name));
        for known in [Some(&self.explained.choice), self.used.as_ref()] {
            let known = known.map(String::as_str);
            if let Some(name) = known
                && !trials.iter().any(|(tried, _)| *tried == name)
            {
                trials.push((name, None));
            }
        }
        trials
    }

    fn rows(&self, table: &mut Table) {
        let Explained { path, values, .. } = &self.explained;
        let mut first = [path.clone(), grouped(*values as u64), grouped(self.stored)];
        for (name, bytes) in self.trials() {
            let [path, values, stored] = std::mem::take(&mut first);
            table.row([
                path,
                values,
                stored,
                bytes.map_or_else(|| "-".to_owned(), grouped),
                ratio(bytes, self.winner()),
                name.to_owned(),
                self.marks(name),
            ]);
        }
    }

    /// Estimated bytes of the choice, if they were estimated.
    fn winner(&self) -> Option<u64> {
        let least = self
            .explained
            .trials
            .iter()
            .filter(|trial| trial.encoding == self.explained.choice)
            .map(|trial| trial.bytes)
            .min();
        least.or_else(|| self.explained.trials.iter().map(|trial| trial.bytes).min())
    }

    fn marks(&self, name: &str) -> String {
        let mut marks = Vec::new();
        if name == self.explained.choice {
            marks.push("chosen");
        }
        if self.used.as_deref() == Some(name) {
            marks.push("in the file");
        }
        marks.join(", ")
    }

    fn document(&self) -> Value {
        let trial = |(name, bytes): (&str, Option<u64>)| {
            json!({
                "encoding": name,
                "estimated_bytes": bytes,
                "is_chosen": name == self.explained.choice,
                "is_used": self.used.as_deref() == Some(name),
            })
        };
        json!({
            "name": self.explained.path,
            "values": self.explained.values,
            "chosen": self.explained.choice,
            "used": self.used,
            "stored_bytes": self.stored,
            "trials": self.trials().into_iter().map(trial).collect::<Vec<_>>(),
        })
    }
}

fn ratio(bytes: Option<u64>, winner: Option<u64>) -> String {
    match (bytes, winner) {
        (Some(bytes), Some(winner)) if winner > 0 => {
            format!("{:.2}", bytes as f64 / winner as f64)
        }
        _ => "-".to_owned(),
    }
}
