//! Resolves `--columns` where that depends on the columns of the input.

use std::collections::{HashMap, HashSet};
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::open::Opener;
use super::spool::{Inputs, rewind};
use arrow_schema::{Fields, Metadata};

use crate::cli;
use crate::columns::TextOptions;
use crate::columns::cast::{Provenance, provenance};
use crate::columns::nested::join_names;
use crate::columns::place::{self, ColumnIndex, Reach};
use crate::error::{Error, Result};
use crate::format::{ByteSource, Format};
use crate::pipeline::{self, Batches, FrameSize, Source};
use crate::schema::ROW_COLUMN;
use crate::schema::keys::is_row;
use crate::schema::path::no_column;
use crate::schema::selection::{OutputColumn, Selection};
use crate::schema::shown_names;
use crate::stream::{FrameReader, Wanted};
use crate::sync::lock;
use crate::wire::v2::Envelope;

/// Number of JSON rows whose keys are offered to complete names.
const SEEN_ROWS: u64 = 100;
/// Number of bytes of text to read at a time to find names.
const NAMES_BYTES: u64 = 1 << 20;
/// Larger frames are not read to complete names.
const NAMES_MAX_FRAME: u64 = 1 << 30;

/// The selected columns.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The columns in their order; `None` for all.
    pub columns: Option<Vec<OutputColumn>>,
    /// True if these are all columns of the input, in its order.
    pub is_all: bool,
    /// True if frames may lack some of them.
    pub some_frames_lack_columns: bool,
    /// True if a column `$` holds whole rows rather than members of objects.
    pub makes_whole_rows: bool,
}

impl Chosen {
    /// Drops the list if it selects all columns in their order, since it then changes nothing.
    #[must_use]
    pub fn or_all(mut self) -> Self {
        self.columns.take_if(|_| self.is_all);
        self
    }
}

/// Resolves a selection. Patterns match the columns of all sources. If later rows may have more columns, text has to be
/// read twice to match a pattern, and pipes are copied to a temporary file.
///
/// # Errors
/// If an item of the selection matches no column, or an input cannot be read.
pub fn chosen(
    columns: &cli::ColumnArgs,
    inputs: &mut Inputs<'_>,
    frame_size: FrameSize,
    max_frame: u64,
) -> Result<Chosen> {
    let Some(list) = &columns.columns else {
        return Ok(Chosen::default());
    };
    let of_option = |error: Error| error.of_option("--columns");
    let selection = Selection::parse(list).map_err(of_option)?;
    if let Some(columns) = selection.plain().map_err(of_option)? {
        let are_found = find_in_frames(&columns, inputs.sources, max_frame)?;
        // Objects may have a key of this name, which a pipe shows too late. Faults are reported when the rows are read.
        let is_key = columns.iter().any(OutputColumn::names_rows)
            && inputs.sources.iter().all(|source| source.file.is_some())
            && all_names(inputs, frame_size, max_frame).is_ok_and(|all| !all.has_whole_rows);
        return Ok(Chosen {
            columns: Some(columns),
            some_frames_lack_columns: are_found || inputs.sources.iter().any(is_flexible),
            makes_whole_rows: !is_key,
            ..Chosen::default()
        });
    }
    let SourceNames {
        names: known,
        has_whole_rows,
        ..
    } = all_names(inputs, frame_size, max_frame)?;
    let of_input = |error| match &*inputs.sources {
        [source] => of_option(error).in_file(&source.path),
        _ => of_option(error),
    };
    let columns = selection.resolve(&known).map_err(of_input)?;
    find_in_frames(&columns, inputs.sources, max_frame)?;
    // A name that occurs several times is selected once.
    let mut each = HashSet::new();
    let each = known.iter().filter(|name| each.insert(*name));
    Ok(Chosen {
        is_all: columns
            .iter()
            .map(OutputColumn::as_whole)
            .eq(each.map(|name| Some(&name[..]))),
        columns: Some(columns),
        some_frames_lack_columns: inputs.sources.len() > 1
            || inputs.sources.iter().any(gains_columns),
        makes_whole_rows: has_whole_rows,
    })
}

/// Selects all columns by their names; selects nothing if the inputs have no columns.
///
/// # Errors
/// If an input cannot be read.
pub fn all_by_name(
    inputs: &mut Inputs<'_>,
    frame_size: FrameSize,
    max_frame: u64,
) -> Result<Chosen> {
    let known = all_names(inputs, frame_size, max_frame)?;
    if known.names.is_empty() {
        return Ok(Chosen::default());
    }
    Ok(Chosen {
        columns: Some(Selection::parse("*")?.resolve(&known.names)?),
        is_all: true,
        some_frames_lack_columns: true,
        makes_whole_rows: known.has_whole_rows,
    })
}

/// The names of the columns of all rows.
fn all_names(
    inputs: &mut Inputs<'_>,
    frame_size: FrameSize,
    max_frame: u64,
) -> Result<SourceNames> {
    let mut all = SourceNames::of_nothing();
    for place in 0..inputs.sources.len() {
        let source = &mut inputs.sources[place];
        let names = if source.file.is_some() || gains_columns(source) {
            let again = inputs.again(place, "its columns are known only at its end")?;
            let names = names_of(again, frame_size, max_frame)?;
            inputs.sources[place].rewind()?;
            names
        } else {
            names_of_pipe(source, frame_size, max_frame)?
        };
        all.has_whole_rows |= names.has_whole_rows;
        all.is_json &= names.is_json;
        add_names(names.names, &mut all.names);
    }
    if all.has_whole_rows && all.is_json {
        all.names = vec![ROW_COLUMN.to_owned()];
    }
    Ok(all)
}

/// The names of the columns of sources.
struct SourceNames {
    names: Vec<String>,
    /// True if some rows are stored whole. A single frame of all rows would store all of them whole.
    has_whole_rows: bool,
    /// True if all rows are JSON.
    is_json: bool,
}

impl SourceNames {
    fn of_nothing() -> Self {
        Self {
            names: Vec::new(),
            has_whole_rows: false,
            is_json: true,
        }
    }
}

/// Adds the names that are not known. A name that occurs several times in a header is added as often, so that positions
/// are the same as in the header.
fn add_names(names: impl IntoIterator<Item = String>, known: &mut Vec<String>) {
    let mut left: HashMap<String, usize> = HashMap::new();
    for name in &*known {
        *left.entry(name.clone()).or_default() += 1;
    }
    for name in names {
        match left.get_mut(&name) {
            Some(count) if *count > 0 => *count -= 1,
            _ => known.push(name),
        }
    }
}

/// The names of all columns of a source, in the order of a conversion with frames of this size.
fn names_of(source: Source, frame_size: FrameSize, max_frame: u64) -> Result<SourceNames> {
    let text = TextOptions {
        infer: false,
        ..TextOptions::default()
    };
    if source.format.kind.has_schema() {
        let options = pipeline::PipelineOptions::all(text, frame_size, max_frame);
        let stated = pipeline::stated_schema(source, &options)?;
        let names = stated.iter().flat_map(|it| shown_names(it.fields()));
        return Ok(SourceNames {
            names: names.collect(),
            has_whole_rows: false,
            is_json: false,
        });
    }
    let mut are_known = !is_late(&source) && !is_wrapped(&source);
    let mut all = SourceNames::of_nothing();
    let mut add = |fields: &Fields, metadata: &Metadata| {
        all.has_whole_rows |= fields.iter().any(|field| is_row(field));
        if provenance(metadata) == Provenance::Json {
            let later: Vec<_> = shown_names(fields).collect();
            all.names = join_names(&all.names, &later);
        } else {
            all.is_json = false;
            add_names(shown_names(fields), &mut all.names);
        }
    };
    // Frames of JSON may have columns of their own. Damage is reported when the rows are read.
    let mut has_header = false;
    let _ = headers(&source, max_frame, |header| {
        let known = header.and_then(|header| Some((fields_of(header)?, &header.metadata)));
        are_known &= known.is_some();
        has_header |= known.is_some();
        if let Some((fields, metadata)) = known {
            add(&fields, metadata);
        }
        true
    });
    if !are_known || !has_header {
        let options = pipeline::PipelineOptions {
            rows: if are_known { 0..0 } else { 0..u64::MAX },
            ..pipeline::PipelineOptions::all(text, frame_size, max_frame)
        };
        source.rewind()?;
        pipeline::frames(vec![source], &options, |frame| {
            add(frame.schema.fields(), frame.schema.metadata());
            Ok(())
        })?;
    }
    if all.has_whole_rows {
        all.names = vec![ROW_COLUMN.to_owned()];
    }
    Ok(all)
}

/// The names of the columns of a file and of the values inside them, as far as the start of the file shows them.
///
/// # Errors
/// If it cannot be read.
pub fn names_in(path: &Path) -> Result<Vec<String>> {
    let source = Opener::usual(None, &|_| ()).open(path)?;
    // Text of JSON has no header: the columns are the keys of its rows.
    let rows = if is_json(&source) { SEEN_ROWS } else { 0 };
    let mut names = Vec::new();
    columns_of(source, rows, NAMES_MAX_FRAME, |fields| {
        names.extend(place::names(fields));
    })?;
    Ok(names)
}

/// Calls `look` with the columns of the first `rows` rows, frame by frame.
///
/// # Errors
/// If the source cannot be read.
pub fn columns_of(
    source: Source,
    rows: u64,
    max_frame: u64,
    mut look: impl FnMut(&Fields),
) -> Result<()> {
    let options = pipeline::PipelineOptions {
        rows: 0..rows,
        ..pipeline::PipelineOptions::all(TextOptions::default(), FrameSize::Whole, max_frame)
    };
    pipeline::frames(vec![source], &options, |frame| {
        look(frame.schema.fields());
        Ok(())
    })?;
    Ok(())
}

fn is_json(source: &Source) -> bool {
    source.format.kind.is_json()
}

/// True for CSV whose longer records have columns that the header lacks.
fn is_flexible(source: &Source) -> bool {
    let format = &source.format;
    matches!(format.kind, Format::Csv | Format::Tsv) && format.layout.csv.flexible
}

/// True for text whose later rows may have more columns.
fn is_late(source: &Source) -> bool {
    is_json(source) || is_flexible(source)
}

/// True for frames whose headers are known only by reading everything before them.
fn is_wrapped(source: &Source) -> bool {
    source.is_frames() && source.file.is_none()
}

/// True if later rows may have more columns; frames may have been made from such text.
fn gains_columns(source: &Source) -> bool {
    is_late(source) || source.is_frames()
}

/// Calls `look` with the header of each frame until it returns false; with `None` for frames of version 1. Returns false
/// if the source is not a file of frames.
///
/// # Errors
/// If the file cannot be read or is damaged, after the headers before the damage.
pub fn headers(
    source: &Source,
    max_frame: u64,
    mut look: impl FnMut(Option<&Envelope>) -> bool,
) -> Result<bool> {
    let Some(file) = source.file.as_ref().filter(|_| source.is_frames()) else {
        return Ok(false);
    };
    let mut reader = FrameReader::of_file(file, max_frame)?.in_parts();
    while let Some(frame) = reader.next_frame_of(&mut |_| Ok(Wanted::Header))? {
        if !look(frame.v2()) {
            break;
        }
    }
    Ok(true)
}

/// The columns that a header lists, if they can be read.
fn fields_of(header: &Envelope) -> Option<Fields> {
    let fields = header.fields().ok()?;
    Some(fields.into())
}

/// Selected columns that have not been found yet.
struct Missing<'a> {
    columns: Vec<&'a OutputColumn>,
    /// The names of all columns so far.
    known: Vec<String>,
    /// Some of them may be in JSON text.
    may_be_in_text: bool,
}

impl<'a> Missing<'a> {
    fn of(columns: &'a [OutputColumn]) -> Self {
        Self {
            columns: columns.iter().collect(),
            known: Vec::new(),
            may_be_in_text: false,
        }
    }

    /// Looks for them among these columns; true if any is still missing.
    fn look(&mut self, fields: &Fields) -> bool {
        let columns = ColumnIndex::new(fields);
        let mut is_missing = |it: &OutputColumn| {
            let reach = columns.reach(&it.path);
            self.may_be_in_text |= reach == Reach::Text;
            reach < Reach::Value
        };
        self.columns.retain(|column| is_missing(column));
        self.known.extend(place::names(fields));
        !self.columns.is_empty()
    }

    /// Refuses a column that is not in any of the sources.
    fn conclude(self, sources: &[Source]) -> Result<()> {
        let column = self.columns.first().filter(|_| !self.may_be_in_text);
        let Some(column) = column else {
            return Ok(());
        };
        let error = no_column(&column.path.to_string(), &self.known).of_option("--columns");
        Err(match sources {
            [source] => error.in_file(&source.path),
            _ => error,
        })
    }
}

/// Refuses columns that no row of the text has before any row is written. Reads the text until all columns have
/// occurred. The columns of a pipe are known only after its rows are written.
///
/// # Errors
/// [`crate::error::Kind::Usage`] with the existing names.
pub fn ensure_in_text(options: &pipeline::PipelineOptions, inputs: &mut Inputs<'_>) -> Result<()> {
    let is_file_of_text = |source: &Source| source.file.is_some() && is_late(source);
    let Some(columns) = options.text.selected() else {
        return Ok(());
    };
    if !inputs.sources.iter().all(is_file_of_text) {
        return Ok(());
    }
    let again = inputs.twice("its columns are known only at its end")?;
    // Which names there are may depend on the rows of a frame.
    let frame_size = match options.frame_size {
        rows @ FrameSize::Rows(_) => rows,
        FrameSize::TextBytes(_) | FrameSize::Whole => FrameSize::TextBytes(NAMES_BYTES),
    };
    let text = TextOptions {
        infer: options.text.infer,
        fixed: options.text.fixed.clone(),
        ..TextOptions::default()
    };
    let reading = pipeline::PipelineOptions::all(text, frame_size, options.max_frame);
    let mut missing = Missing::of(columns);
    let mut batches = Batches::new(again, reading)?;
    let is_known = loop {
        match batches.next() {
            Some(Ok(batch)) if missing.look(batch.schema_ref().fields()) => {}
            None => break true,
            // An error is reported if its row is read.
            Some(_) => break false,
        }
    };
    rewind(inputs.sources)?;
    if is_known {
        missing.conclude(inputs.sources)?;
    }
    Ok(())
}

/// Refuses columns that no frame has, if headers show that before any row is read. Returns whether they show that each
/// column is in some frame.
fn find_in_frames(columns: &[OutputColumn], sources: &[Source], max_frame: u64) -> Result<bool> {
    let mut missing = Missing::of(columns);
    let mut are_known = true;
    for source in sources {
        let has_headers = headers(source, max_frame, |header| {
            let Some(fields) = header.and_then(fields_of) else {
                are_known = false;
                return false;
            };
            missing.look(&fields)
        });
        // Damage is reported when the rows are read.
        are_known &= has_headers.unwrap_or(true);
    }
    rewind(sources)?;
    // Whether a column is inside JSON text is known only when the rows are read.
    let are_found = are_known && missing.columns.is_empty();
    if are_known {
        missing.conclude(sources)?;
    }
    Ok(are_found)
}

/// The names of the columns of a pipe. Reads as little as possible and puts it back into the source.
fn names_of_pipe(
    source: &mut Source,
    frame_size: FrameSize,
    max_frame: u64,
) -> Result<SourceNames> {
    let bytes = std::mem::replace(&mut source.bytes, Box::new(std::io::empty()));
    let shared = Arc::new(Mutex::new(Recorded {
        bytes,
        seen: Vec::new(),
    }));
    let again = Recording(Arc::clone(&shared));
    let again = Source::stream(&source.path, again, source.format.clone());
    let names = names_of(again, frame_size, max_frame);
    let mut recorded = lock(&shared);
    let seen = Cursor::new(std::mem::take(&mut recorded.seen));
    let bytes = std::mem::replace(&mut recorded.bytes, Box::new(std::io::empty()));
    source.bytes = Box::new(seen.chain(bytes));
    names
}

/// The part of a pipe that was read, followed by the rest.
struct Recorded {
    bytes: ByteSource,
    seen: Vec<u8>,
}

struct Recording(Arc<Mutex<Recorded>>);

impl Read for Recording {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut recorded = lock(&self.0);
        let len = recorded.bytes.read(buffer)?;
        recorded.seen.extend_from_slice(&buffer[..len]);
        Ok(len)
    }
}
