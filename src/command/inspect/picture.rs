//! `mbt inspect --svg`: draws the sizes of columns as a treemap.

use super::columns::typed;
use super::only_input;
use super::summary::{ColumnSummary, Summary};
use crate::cli::Inspect;
use crate::error::Result;
use crate::format::Format;
use crate::report;
use crate::report::treemap::{Area, Treemap};
use crate::units::counted;

/// Draws the columns of one input.
///
/// # Errors
/// If there is more than one input, or it cannot be read or is incomplete.
pub fn run(args: &Inspect, max_frame: u64) -> Result<()> {
    let (input, path) = only_input(args, "--svg", Format::has_pages)?;
    let mut summary = Summary::of(input, max_frame).map_err(|error| error.in_file(&path))?;
    report::print(treemap(&summary).svg().as_bytes())?;
    summary
        .fault
        .take()
        .map_or(Ok(()), |error| Err(error.in_file(&path)))
}

fn treemap(summary: &Summary) -> Treemap {
    let shown = summary
        .columns
        .iter()
        .filter(|column| column.is_top && !column.is_hidden());
    let title = format!(
        "{}: {}, {}, {}",
        summary.file,
        counted(summary.total(), "byte"),
        counted(summary.rows, "row"),
        counted(shown.count() as u64, "column"),
    );
    let mut groups: Vec<Vec<Area>> = Vec::new();
    for column in &summary.columns {
        // Draw a hidden field next to its column.
        match groups.last_mut() {
            Some(above) if !column.is_top || column.is_hidden() => above.push(area(column)),
            _ => groups.push(vec![area(column)]),
        }
    }
    let others = summary.others().map(|(name, _, stored)| Area {
        name: name.to_owned(),
        about: "no column".to_owned(),
        kind: None,
        bytes: stored,
    });
    groups.push(others.collect());
    Treemap { title, groups }
}

fn area(column: &ColumnSummary) -> Area {
    let encodings = column.encodings();
    let encoding = match &encodings[..] {
        "" => "no values",
        encodings => encodings,
    };
    let most_frequent = column.encodings.iter().max_by_key(|(_, frames)| *frames);
    Area {
        name: column.name.clone(),
        about: format!("{}, {encoding}", typed(column)),
        kind: most_frequent.map(|(encoding, _)| outermost(encoding).to_owned()),
        bytes: column.stored,
    }
}

/// The name of the outermost encoding, without its children and the column that it needs, such as `delta` of
/// `grouped by day: delta(bit-packed)`.
fn outermost(encoding: &str) -> &str {
    let own = encoding.rsplit_once(": ").map_or(encoding, |(_, own)| own);
    own.split('(').next().unwrap_or(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_colored_by_the_outermost_encoding() {
        for (encoding, kind) in [
            ("plain", "plain"),
            ("dictionary(bytes, bit-packed)", "dictionary"),
            ("grouped by a: b(c): delta(bit-packed)", "delta"),
            ("difference from a: bit-packed", "bit-packed"),
        ] {
            assert_eq!(outermost(encoding), kind);
        }
    }
}
