//! Writes text, in the requested style or in the style of the original text.

mod kinds;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use self::kinds::Kinds;
use crate::columns::cast::{Provenance, Target};
use crate::columns::nested::KeyOrder;
use crate::error::{Error, Result};
use crate::format::absent_keys::AbsentKeys;
use crate::format::csv::BlockMemory;
use crate::format::exact::{Dialect, Fidelity, Printer, SourceTexts, USUAL_HEAD, with_patches};
use crate::format::frame::{MaybeTyped, UntypedFrame, provenance};
use crate::format::held_names::{held_names, note_of_names};
use crate::format::input::BYTE_ORDER_MARK;
use crate::format::scratch_pool::ScratchPool;
use crate::format::write::{Encoded, Job, Sink, TextRetention, Writer};
use crate::schema::distinct::Renamed;
use crate::schema::keys::{HASH, HEAD, TEXT};
use crate::stream::{Ending, Fingerprint, Fingerprinter, HashKind};
use crate::sync::lock;
use crate::text::encoding::{TextEncoder, TextEncoding};
use crate::units::counted;

/// Number of batches to print per job if they are blocks of text: about a megabyte. Any other batch is a job of its
/// own. Cutting it into slices would cost more, for preparing printers and waiting for memory, than the cache saves.
const PRINT_BATCHES: usize = 4;

/// Largest buffer for the rows of a job whose size is a guess: somewhat more than the text of a frame.
const MOST_RESERVED: usize = 20 << 20;

/// Writes rows in a dialect of text.
pub struct TextWriter {
    /// The requested dialect.
    plain: Dialect,
    /// True if the null word of the source is kept, since no option names one.
    keeps_null: bool,
    /// The text metadata whose style is restored, whatever frame is first.
    first_text: Option<String>,
    /// How much of the original text to restore.
    fidelity: Fidelity,
    /// The cast to apply.
    cast: Option<Target>,
    chosen: OnceLock<ChosenDialect>,
    /// The kind of hash, from the first frame.
    hash: OnceLock<HashKind>,
    /// True if a record was printed.
    begun: AtomicBool,
    /// True if the first frame is the start of its text.
    whole: AtomicBool,
    /// The JSON types of columns.
    kinds: Kinds,
    /// Absent keys, which CSV cannot distinguish from nulls.
    absent_keys: AbsentKeys,
    written: Mutex<OutputState>,
    /// Number of bytes to expect per row: slightly more than the last job printed.
    row_bytes: AtomicUsize,
    memory: Arc<ScratchPool<BlockMemory>>,
}

#[derive(Default)]
struct OutputState {
    fingerprint: Option<Fingerprinter>,
    /// The last byte, before it was encoded.
    last_byte: Option<u8>,
    /// The encoder for text that is not UTF-8, and its buffer.
    encoder: Option<TextEncoder>,
    encoded: Vec<u8>,
    /// Number of values with bytes that JSON cannot represent.
    lossy_cells: u64,
    /// Renamed columns.
    renamed: BTreeSet<Renamed>,
}

/// The dialect of the output.
#[derive(Debug)]
struct ChosenDialect {
    dialect: Dialect,
    /// The text metadata of frames made from text in this dialect; `None` for the requested dialect.
    source: Option<String>,
}

impl ChosenDialect {
    fn is_of_text(&self) -> bool {
        self.source.is_some()
    }
}

/// Rows printed by one job.
struct RowRun<'w> {
    writer: &'w TextWriter,
    frame: UntypedFrame,
    /// True if the head of the text comes before them.
    head: bool,
    /// True if they start with the first record.
    first: bool,
    /// True if patches are applied.
    patched: bool,
    /// The texts of the batches, if they have not been compared with the printed rows, and the number of the first
    /// batch. If the texts are whole, they are copied, and the frame has no columns.
    texts: Option<(Arc<SourceTexts>, usize)>,
}

impl TextWriter {
    /// Writes text in the requested dialect, or restores the original as far as `fidelity` says.
    pub fn new(plain: Dialect, fidelity: Fidelity, cast: Option<Target>) -> Self {
        Self {
            plain,
            keeps_null: false,
            first_text: None,
            fidelity,
            cast,
            chosen: OnceLock::new(),
            hash: OnceLock::new(),
            begun: AtomicBool::new(false),
            whole: AtomicBool::new(false),
            kinds: Kinds::default(),
            absent_keys: AbsentKeys::default(),
            written: Mutex::default(),
            row_bytes: AtomicUsize::new(0),
            memory: Arc::default(),
        }
    }

    /// Keeps the null word of the source, if `keeps_null`, in a style that is not the source's.
    #[must_use]
    pub fn keeping_null(self, keeps_null: bool) -> Self {
        Self { keeps_null, ..self }
    }

    /// Restores the style of this text metadata, whatever frame is first.
    #[must_use]
    pub fn in_style_of(self, source: Option<&str>) -> Self {
        Self {
            first_text: source.map(str::to_owned),
            ..self
        }
    }

    /// The chosen dialect, or the default if there was no frame.
    fn dialect(&self) -> &Dialect {
        &self.chosen(None, false, false).dialect
    }

    /// The dialect, set by the first frame; `source` is its text metadata, and `is_named` true if a column has a name.
    fn chosen(&self, source: Option<&String>, has_rows: bool, is_named: bool) -> &ChosenDialect {
        self.chosen.get_or_init(|| {
            let has_rows = has_rows || self.first_text.is_some();
            let source = self.first_text.as_ref().or(source);
            let dialect = source.and_then(|source| Dialect::from_metadata(source));
            // Without rows, a document that is not an array would not be valid JSON.
            let in_parts = !matches!(&dialect, Some(Dialect::Json(style)) if style.document);
            let is_kept = self.fidelity != Fidelity::Values
                && (in_parts || self.fidelity > Fidelity::Style && has_rows);
            match dialect {
                Some(dialect) if is_kept && dialect.format() == self.plain.format() => {
                    ChosenDialect {
                        dialect: dialect.with_header(is_named),
                        source: source.cloned(),
                    }
                }
                other => ChosenDialect {
                    dialect: match other {
                        Some(other) => self.plain.after(&other, is_named, self.keeps_null),
                        None => self.plain.clone(),
                    },
                    source: None,
                },
            }
        })
    }

    /// True if the original bytes are restored.
    fn is_exact(&self) -> bool {
        self.fidelity > Fidelity::Style
            && self.whole.load(Ordering::Relaxed)
            && self.chosen.get().is_some_and(ChosenDialect::is_of_text)
    }

    /// Writes the next part of the text; `last` is true for the last one.
    fn put(&self, text: &[u8], last: bool, out: &mut dyn Sink) -> Result<()> {
        let mut written = lock(&self.written);
        let OutputState {
            fingerprint,
            last_byte,
            encoder,
            encoded,
            ..
        } = &mut *written;
        // A byte order mark does not start a line.
        if text != BYTE_ORDER_MARK {
            *last_byte = text.last().copied().or(*last_byte);
        }
        let encoding = self.dialect().encoding();
        let bytes = if encoding == TextEncoding::Utf8 {
            text
        } else {
            let encoder = encoder.get_or_insert_with(|| TextEncoder::new(encoding));
            encoded.clear();
            encoder.encode(text, encoded)?;
            if last {
                encoder.finish(encoded);
            }
            encoded
        };
        let start = || Fingerprinter::new(self.hash.get().copied().unwrap_or_default());
        fingerprint.get_or_insert_with(start).update(bytes);
        out.write(bytes)
    }

    /// Adds the line end of the record written last, if it is missing because its text stopped there. In CSV, only the
    /// last record of a text can lack it. Several JSON values may share a line, so they get one only before the next
    /// text.
    fn end_record(&self, starts_text: bool, out: &mut dyn Sink) -> Result<()> {
        let dialect = self.dialect();
        let is_open = lock(&self.written)
            .last_byte
            .is_some_and(|last| !matches!(last, b'\n' | b'\r'));
        match dialect.record_end() {
            Some(end) if is_open && (starts_text || matches!(dialect, Dialect::Csv(_))) => {
                self.put(end.as_bytes(), false, out)
            }
            _ => Ok(()),
        }
    }

    /// The text after the last record.
    fn end(&self, ending: Option<&Ending>) -> Vec<u8> {
        // With other columns, the head and the records change, but not what closes an array of rows.
        let is_end = |tail: &[u8]| match self.dialect() {
            Dialect::Json(style) => style.is_end(tail),
            Dialect::Csv(_) => false,
        };
        let has_style = self.chosen.get().is_some_and(ChosenDialect::is_of_text);
        let keeps = |ending: &&Ending| self.is_exact() || has_style && is_end(&ending.tail);
        if let Some(ending) = ending.filter(keeps) {
            return ending.tail.clone();
        }
        let mut end = Vec::new();
        self.dialect().end(&mut end);
        end
    }

    /// Compares the written text with the fingerprint of the original.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if they differ.
    fn check(&self, ending: Option<&Ending>, written: Fingerprint) -> Result<()> {
        let expected = ending.and_then(|ending| ending.fingerprint);
        match expected.filter(|_| self.is_exact()) {
            Some(expected) if !expected.fits(&written) => Err(other_text(expected, written)),
            _ => Ok(()),
        }
    }
}

impl Writer for TextWriter {
    fn plan(&self, frame: UntypedFrame, first: bool) -> Result<Vec<Job<'_>>> {
        let source = frame.metadata.get(TEXT);
        let hash = frame.metadata.get(HASH).map(String::as_str);
        self.hash.get_or_init(|| HashKind::of_key(hash));
        let has_rows = frame.rows() > 0 || self.fidelity == Fidelity::Bytes;
        let is_named = frame.columns.iter().any(MaybeTyped::is_named);
        let chosen = self.chosen(source, has_rows, is_named);
        let is_source = source.is_some() && chosen.source.as_ref() == source;
        // A patch fits only if the record is still first, or still not first: only the first record has no separator
        // before it.
        let has_head = frame.metadata.contains_key(HEAD);
        if first && has_head {
            self.whole.store(true, Ordering::Relaxed);
        }
        let fits = first == has_head && self.whole.load(Ordering::Relaxed);
        let patched = is_source && fits && self.fidelity > Fidelity::Style;
        let from = provenance(&frame.metadata);
        let is_json = matches!(self.dialect(), Dialect::Json(_));
        let json = (is_json && !patched).then_some(Target::Json);
        let mut frame = frame;
        let texts = frame.texts.take().filter(|_| patched);
        if texts.as_ref().is_some_and(|texts| texts.are_whole()) {
            frame.columns.clear();
        }
        for target in self.cast.into_iter().chain(json) {
            frame = frame.cast(target, from)?;
        }
        // In JSON input, columns of mixed types are normal.
        if json.is_some() && from != Provenance::Json {
            self.kinds.add(&frame);
        }
        let batches = match &texts {
            Some(_) => PRINT_BATCHES,
            None => 1,
        };
        let parts = frame.split(batches)?.into_iter().enumerate();
        let job = |(at, frame): (usize, UntypedFrame)| -> Job<'_> {
            let run = RowRun {
                writer: self,
                head: first && at == 0,
                first: frame.rows() > 0 && !self.begun.swap(true, Ordering::Relaxed),
                patched,
                texts: texts
                    .as_ref()
                    .map(|texts| (Arc::clone(texts), at * PRINT_BATCHES)),
                frame,
            };
            Box::new(move |_| run.encode().map(Some))
        };
        Ok(parts.map(job).collect())
    }

    fn jobs_are_small(&self) -> bool {
        true
    }

    fn finish(&self, ending: Option<Ending>, out: &mut dyn Sink) -> Result<Vec<String>> {
        self.put(&self.end(ending.as_ref()), true, out)?;
        let written = std::mem::take(&mut *lock(&self.written));
        if let Some(fingerprint) = &written.fingerprint {
            self.check(ending.as_ref(), fingerprint.finish())?;
        }
        let mut notes = Vec::new();
        if written.lossy_cells > 0 {
            notes.push(format!(
                "{}: not UTF-8; U+FFFD replaces the bytes that JSON cannot represent; to keep the text, name \
                 its encoding when it is read, for example --encoding windows-1252",
                counted(written.lossy_cells, "value")
            ));
        }
        notes.extend(self.kinds.note());
        notes.extend(self.absent_keys.note());
        notes.extend(note_of_names(&written.renamed));
        Ok(notes)
    }

    fn source_text(&self) -> TextRetention {
        if self.is_exact() {
            TextRetention::Restored
        } else {
            TextRetention::Dropped
        }
    }
}

impl<'w> RowRun<'w> {
    fn encode(self) -> Result<Encoded<'w>> {
        let mut frame = self.frame.finish()?;
        let dialect = self.writer.dialect();
        let mut renamed = Vec::new();
        if matches!(dialect, Dialect::Csv(_)) {
            self.writer.absent_keys.count(&frame);
        }
        if !self.patched {
            (frame, renamed) = held_names(frame, dialect)?;
        }
        // A buffer that grows is copied, and takes twice the memory.
        let rows = frame.rows();
        let expected = rows.saturating_mul(self.writer.row_bytes.load(Ordering::Relaxed));
        let mut out = Vec::with_capacity(expected.min(MOST_RESERVED));
        let mut printer = Printer::new(dialect, self.first).sharing(&self.writer.memory);
        if self.head {
            match frame.schema.metadata().get(HEAD) {
                Some(head) if self.patched && head != USUAL_HEAD => {
                    out.extend_from_slice(head.as_bytes());
                }
                Some(_) if self.patched => printer.head(&frame.schema, &mut out),
                _ => {
                    if dialect.needs_mark() {
                        out.extend_from_slice(BYTE_ORDER_MARK);
                    }
                    printer.head(&frame.schema, &mut out);
                }
            }
        }
        for (at, batch) in frame.batches.iter().enumerate() {
            if let Some((texts, first)) = &self.texts {
                if texts.are_whole() {
                    texts.copy(first + at, &mut out);
                    continue;
                }
                let patches = texts.compare(first + at, batch, KeyOrder::Unknown)?;
                for batch in with_patches(vec![batch.clone()], vec![patches])? {
                    printer.patched(&batch, &mut out)?;
                }
            } else if self.patched {
                printer.patched(batch, &mut out)?;
            } else {
                printer.batch(batch, &mut out, None)?;
            }
        }
        let row_bytes = (out.len() + out.len() / 16).div_ceil(rows.max(1));
        self.writer.row_bytes.store(row_bytes, Ordering::Relaxed);
        let lossy_cells = printer.lossy_cells();
        let writer = self.writer;
        let starts_text = !self.patched;
        Ok(Encoded::new(frame.rows(), move |sink| {
            if !self.head && !out.is_empty() {
                writer.end_record(starts_text, sink)?;
            }
            writer.put(&out, false, sink)?;
            let mut written = lock(&writer.written);
            written.lossy_cells += lossy_cells;
            written.renamed.extend(renamed);
            Ok(())
        }))
    }
}

/// The error for restored text that differs from the original.
fn other_text(expected: Fingerprint, written: Fingerprint) -> Error {
    let shown = |print: Fingerprint| match print.hash {
        Some(hash) => format!("{} bytes with {} {hash}", print.len, hash.kind().name()),
        None => format!("{} bytes", print.len),
    };
    let (expected, found) = (shown(expected), shown(written));
    Error::corrupt(format!(
        "the restored text differs from the original: {found}, expected {expected}"
    ))
    .hint("mbt verify shows what is damaged; --exact off prints only the values")
}
