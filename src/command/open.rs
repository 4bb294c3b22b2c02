//! Opens inputs (files and stdin) and determines their format.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{IsTerminal, Read, Seek};
use std::path::{Path, PathBuf};

use arrow_schema::Schema;

use super::options::{format_of_extension, text_layout};
use super::spool;
use super::wrapped::{self, Unwrapped};
use crate::error::{Error, Kind, Result, shell_word};
use crate::format::exact::Dialect;
use crate::format::{ByteSource, Format, InputFormat, TextLayout};
use crate::pipeline::Source;
use crate::report;
use crate::schema::keys::{HEAD, TEXT};
use crate::schema::shown_names;
use crate::stream::Codec;
use crate::text::encoding::TextEncoding;
use crate::wire::{MAGIC, v2};
use crate::{cli, stream};

/// The number of bytes used to detect the format.
const SNIFF_BYTES: usize = 4 << 10;

/// True for the name of stdin and stdout.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// True for files that can be opened again.
pub fn can_reopen(path: &Path) -> bool {
    !is_standard(path) && path.is_file()
}

/// True for stdin, and for pipes and devices, which can be read only once.
pub fn is_stream(path: &Path) -> bool {
    let is_other = |it: Metadata| !it.is_file() && !it.is_dir();
    is_standard(path) || path.metadata().is_ok_and(is_other)
}

/// Refuses inputs that name stdin more than once.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if they do.
pub fn ensure_stdin_once(inputs: &[PathBuf]) -> Result<()> {
    if inputs.iter().filter(|path| is_standard(path)).count() > 1 {
        return Err(Error::usage("stdin can be read only once"));
    }
    Ok(())
}

/// Refuses a last input that does not exist after one that does: it may be the output.
///
/// # Errors
/// [`Kind::Io`] if so.
pub fn ensure_last_exists(inputs: &[PathBuf]) -> Result<()> {
    let [.., before, last] = inputs else {
        return Ok(());
    };
    if is_standard(last) || !(is_standard(before) || before.exists()) {
        return Ok(());
    }
    match last.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let output = shell_word(&last.to_string_lossy());
            let hint = format!("if it is the output, write -o {output}");
            Err(cannot_open(last, error).hint(hint))
        }
        _ => Ok(()),
    }
}

fn cannot_open(path: &Path, error: std::io::Error) -> Error {
    Error::io("cannot open", error).in_file(path)
}

/// Keeps the error to return at the end: the last one other than an I/O error, or else the last one. Prints
/// the others.
pub fn keep_failure(failed: &mut Option<Error>, error: Error) {
    let stays = |before: &Error| before.kind() != Kind::Io && error.kind() == Kind::Io;
    let printed = if failed.as_ref().is_some_and(stays) {
        Some(error)
    } else {
        failed.replace(error)
    };
    if let Some(error) = printed {
        report::failure(&error);
    }
}

/// Reads each input. Also returns an error as [`keep_failure`] does; the others are printed as they occur.
pub fn read_each<T>(
    inputs: &[PathBuf],
    read: impl Fn(&Path) -> Result<T>,
) -> (Vec<T>, Option<Error>) {
    let mut failed = None;
    let found = inputs.iter().filter_map(|path| {
        let found = read(path).map_err(|error| keep_failure(&mut failed, error));
        found.ok()
    });
    (found.collect(), failed)
}

/// The metadata of `path`, or of stdin for `-`; `None` if unavailable.
pub fn metadata(path: &Path) -> Option<Metadata> {
    if !is_standard(path) {
        return path.metadata().ok();
    }
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let stdin = std::io::stdin().as_fd().try_clone_to_owned().ok()?;
        File::from(stdin).metadata().ok()
    }
    #[cfg(not(unix))]
    None
}

/// Opens `path`, or stdin for `-`, without reading from it. Returns a [`Source`] without its format.
fn open(path: &Path) -> Result<(PathBuf, ByteSource, Option<File>)> {
    if is_standard(path) {
        if std::io::stdin().is_terminal() {
            report::note("reading from the terminal until Ctrl-D; name a file to read that");
        }
        let path = PathBuf::from("<stdin>");
        return Ok((path, Box::new(std::io::stdin()), None));
    }
    let cannot = |error| cannot_open(path, error);
    let file = File::open(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if metadata.is_dir() {
        let error = cannot(std::io::ErrorKind::IsADirectory.into());
        return Err(error.hint("name the files in it, as in DIR/*.csv"));
    }
    let seekable = if metadata.is_file() {
        Some(file.try_clone().map_err(cannot)?)
    } else {
        None
    };
    Ok((path.to_path_buf(), Box::new(file), seekable))
}

/// Opens an input of a command that reads only frames.
///
/// # Errors
/// If it cannot be opened; [`crate::error::Kind::Input`] if it is a file of another binary format.
pub fn open_frames(path: &Path) -> Result<Source> {
    open_frames_or(path, |_| false)
}

/// Like [`open_frames`], but accepts certain other binary formats as well.
///
/// # Errors
/// As for [`open_frames`].
pub fn open_frames_or(path: &Path, accepts: fn(Format) -> bool) -> Result<Source> {
    let (shown, bytes, file) = open(path)?;
    let mut found = Format::Mbt;
    let cannot = |error| Error::io("cannot read", error).in_file(path);
    if let Some(mut file) = file.as_ref() {
        let mut head = Vec::new();
        let read = file.take(MAGIC.len() as u64).read_to_end(&mut head);
        read.and_then(|_| file.rewind()).map_err(cannot)?;
        let format = Format::of_content(&head).filter(|format| !format.is_text());
        found = format.unwrap_or(Format::Mbt);
        if found != Format::Mbt && !accepts(found) {
            let what = format!("this is {}, not MATHLDBT frames", found.name());
            return Err(Error::input(what)
                .in_file(path)
                .hint("mbt stats and mbt schema show its contents; mbt convert packs it"));
        }
    }
    Ok(Source {
        path: shown,
        bytes,
        file,
        format: found.into(),
    })
}

/// How to open inputs.
pub struct Opener<'a> {
    /// Their format; detected unless given.
    pub from: Option<Format>,
    /// Layout of text.
    pub layout: TextLayout,
    /// Prints a note.
    pub note: &'a dyn Fn(&str),
    /// The note about the copy of a pipe is printed once it has this many bytes.
    pub noted_copy: usize,
}

impl<'a> Opener<'a> {
    /// An opener for the options of the input.
    ///
    /// # Errors
    /// As for [`text_layout`].
    pub fn new(input: &cli::Input, note: &'a dyn Fn(&str)) -> Result<Self> {
        let layout = text_layout(input)?;
        Ok(Self {
            from: input.from,
            layout,
            note,
            noted_copy: 0,
        })
    }

    /// An opener for inputs of the usual layout.
    pub fn usual(from: Option<Format>, note: &'a dyn Fn(&str)) -> Self {
        Self {
            from,
            layout: TextLayout::default(),
            note,
            noted_copy: 0,
        }
    }

    /// Opens an input and determines its format: the given one, or else by the extension, or else by the content. Text
    /// can be compressed.
    ///
    /// # Errors
    /// If it cannot be opened or read, or if it is empty and its format is unknown.
    pub fn open(&self, path: &Path) -> Result<Source> {
        self.open_counted(path, |bytes| bytes)
    }

    /// Like [`Self::open`]; all bytes are read through `count`.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub fn open_counted(
        &self,
        path: &Path,
        count: impl FnOnce(ByteSource) -> ByteSource,
    ) -> Result<Source> {
        let layout = &self.layout;
        let (path, mut bytes, file) = open(path)?;
        let of = |format: Format| InputFormat {
            layout: layout.clone(),
            ..format.into()
        };
        let known = self.from.or_else(|| format_of_extension(&path));
        // Another program may have compressed the frames, so the content decides how they are read.
        if let Some(format) = known.filter(|format| *format != Format::Mbt) {
            let bytes = count(bytes);
            return self.seekable(Source {
                path,
                bytes: if format.is_text() {
                    Box::new(Unwrapped::new(bytes))
                } else {
                    bytes
                },
                file,
                format: of(format),
            });
        }
        let cannot = |error| Error::io("cannot read", error).in_file(&path);
        let mut head = sniff_head(&mut bytes, layout).map_err(cannot)?;
        let codec = wrapped::codec_of(&mut bytes, &mut head).map_err(cannot)?;
        let wrapped = Some(codec).filter(|codec| *codec != Codec::None);
        let (plain, is_whole) = match wrapped {
            Some(codec) => {
                wrapped::decompress_head(codec, &mut bytes, &mut head).map_err(cannot)?
            }
            None => (head.clone(), head.len() < SNIFF_BYTES),
        };
        // Version 1 compresses its frames; version 2 can only be wrapped as a whole.
        let holds_frames = wrapped.is_some() && v2::is_envelope(&plain);
        let inner = || format_of_extension(Path::new(path.file_stem()?));
        // Without a single plain byte, damaged frames are reported as such unless the name says that this is text.
        let may_be_text = !plain.is_empty() || is_whole || inner().is_some_and(Format::is_text);
        let holds_text =
            known.is_none() && wrapped.is_some() && may_be_text && stream::sniff(&plain).is_none();
        let named = known.or_else(|| inner().filter(|_| holds_text));
        if named.is_none() && is_whole && is_cut_magic(&plain) {
            let error = Error::corrupt("the input ends within the first bytes of a frame");
            let error = error.at_byte(plain.len() as u64).in_file(&path);
            return Err(error.hint("if it is text, name its format with --from"));
        }
        let text = decoded(&plain, layout);
        let is_wrapped = wrapped.is_some() && !holds_text;
        let guess = || Format::of_content(if is_wrapped { &head } else { &text });
        let format = named.or_else(guess).ok_or_else(|| {
            Error::input("the input is empty, so its format cannot be detected")
                .in_file(&path)
                .hint("name the format with --from")
        })?;
        if format == Format::Csv
            && let Some(what) = wrapped::foreign(&plain, Some(&path))
        {
            return Err(Error::input(what).in_file(&path));
        }
        let is_binary = !layout.csv.flexible && text.contains(&0);
        if named.is_none() && format == Format::Csv && is_binary {
            return Err(Error::input(
                "the input is not text, Arrow IPC, Parquet or MATHLDBT frames",
            )
            .in_file(&path)
            .hint("name the format with --from"));
        }
        let format = InputFormat {
            is_guess: named.is_none(),
            ..of(format)
        };
        if let Some(mut file) = file.as_ref() {
            file.rewind().map_err(cannot)?;
        } else {
            bytes = Box::new(std::io::Cursor::new(head).chain(bytes));
        }
        let bytes = count(bytes);
        self.seekable(Source {
            path,
            bytes: if holds_text || holds_frames {
                Box::new(Unwrapped::new(bytes))
            } else {
                bytes
            },
            file: file.filter(|_| !holds_frames),
            format,
        })
    }

    /// Copies an input to a temporary file if its format is read from the end and it is not seekable.
    fn seekable(&self, mut source: Source) -> Result<Source> {
        if source.file.is_some() || !source.format.kind.has_pages() {
            return Ok(source);
        }
        let file = self.copy(&mut source, "its format is read from the end")?;
        source.of_file(&file)
    }

    /// Copies an input that is not seekable to a temporary file, with a note that says why.
    ///
    /// # Errors
    /// If the input cannot be read, or the file cannot be written.
    pub fn copy(&self, source: &mut Source, why: &str) -> Result<File> {
        let note = || {
            (self.note)(&format!(
                "{}: the input is a pipe and is copied to a temporary file, since {why}",
                source.path.display()
            ));
        };
        let copied = spool::temporary(&mut source.bytes, self.noted_copy, note);
        copied.map_err(|error| error.in_file(&source.path))
    }

    /// Checks that the options for reading text apply to at least one input. Options that apply to CSV output as well
    /// apply if `output` is CSV. Options without an effect are noted.
    ///
    /// # Errors
    /// [`Kind::Usage`] for options that ask for what the inputs cannot give: another encoding, rows inside a document,
    /// other types.
    pub fn ensure_text_options_fit(
        &self,
        sources: &[&Source],
        types: &cli::Types,
        output: Option<Format>,
    ) -> Result<()> {
        let Some(first) = sources.first() else {
            return Ok(());
        };
        let name = first.format.kind.name();
        let is_any = |fits: fn(Format) -> bool| sources.iter().any(|it| fits(it.format.kind));
        let has_text = is_any(Format::is_text);
        let TextLayout {
            csv,
            encoding,
            records,
        } = &self.layout;
        if types.schema.is_some() && !has_text {
            return Err(
                Error::usage("--schema: only columns read from text can be given types")
                    .hint("columns of MATHLDBT, Arrow and Parquet input keep their types"),
            );
        }
        if encoding.is_some() && !has_text {
            let error = Error::usage(format!("--encoding: {name} input is not text"))
                .hint("text output is UTF-8, or has the encoding of the source text");
            return Err(error.in_file(&first.path));
        }
        if records.is_some() && !is_any(Format::is_json) {
            let error = Error::usage(format!("--records: {name} input is not a JSON document"))
                .hint("--from json reads the input as JSON");
            return Err(error.in_file(&first.path));
        }
        let no_effect = |options: Vec<&str>, why: &str| {
            if !options.is_empty() {
                let (options, path) = (options.join(", "), first.path.display());
                (self.note)(&format!("{path}: {options}: no effect, since {why}"));
            }
        };
        if !is_any(Format::is_csv) {
            no_effect(csv.only_for_input(), "no input is CSV or TSV");
            if !output.is_some_and(Format::is_csv) {
                let why = "neither the input nor the output is CSV or TSV";
                no_effect(csv.also_for_output(), why);
            }
        }
        // Casts to typed formats treat it like --infer exact.
        let casts = output.is_some_and(|to| !to.is_text());
        if types.infer == Some(cli::Infer::None) && !has_text && !casts {
            let why = "the types of columns are known";
            no_effect(vec!["--infer none"], why);
        }
        Ok(())
    }
}

/// True for at least half of the magic of a frame, but not all of it. Anything shorter may well be text.
fn is_cut_magic(plain: &[u8]) -> bool {
    let half = MAGIC.len() / 2;
    (half..MAGIC.len()).contains(&plain.len()) && MAGIC.starts_with(plain)
}

/// The start of a text as UTF-8.
fn decoded<'a>(head: &'a [u8], layout: &TextLayout) -> Cow<'a, [u8]> {
    let marked = || TextEncoding::of_mark(head).filter(|_| !layout.csv.flexible);
    match layout.encoding.or_else(marked) {
        None | Some(TextEncoding::Utf8) => head.into(),
        Some(encoding) => encoding.decoded_head(head).into(),
    }
}

/// Properties of a stream, taken from its first frame.
#[derive(Clone, Debug)]
pub struct First {
    /// The version; frames compressed as a whole are of version 1.
    pub wire: cli::Wire,
    /// The dialect of the text that the frames were made from, if they record it.
    pub text: Option<Dialect>,
    /// The same as metadata of the frame.
    pub text_metadata: Option<String>,
    /// The text before the first record, if the first frame is the start of the text.
    pub head: Option<String>,
    /// The displayed names of the columns.
    pub names: Vec<String>,
}

/// Reads the header of the first frame of a source, unless it is larger than `max_frame`.
///
/// # Errors
/// If it cannot be read.
pub fn first_frame(source: &mut Source, max_frame: u64) -> Result<First> {
    let read = stream::first_header(&mut source.bytes, max_frame);
    let (head, header) = read.map_err(|error| error.in_file(&source.path))?;
    let mut first = First {
        wire: if v2::is_envelope(&head) {
            cli::Wire::V2
        } else {
            cli::Wire::V1
        },
        text: None,
        text_metadata: None,
        head: None,
        names: Vec::new(),
    };
    if let Some(header) = header {
        let fields = header.fields();
        let fields = fields.map_err(|error| error.in_file(&source.path))?;
        first.names = shown_names(&fields).collect();
        first.text = Dialect::of(&header.metadata);
        first.text_metadata = header.metadata.get(TEXT).cloned();
        let text = first.text.as_ref().zip(header.metadata.get(HEAD).cloned());
        first.head = text.map(|(text, head)| text.written_head(head, &Schema::new(fields)));
    }
    if source.file.is_some() {
        source.rewind()?;
    } else {
        let bytes = std::mem::replace(&mut source.bytes, Box::new(std::io::empty()));
        source.bytes = Box::new(std::io::Cursor::new(head).chain(bytes));
    }
    Ok(first)
}

/// The first bytes of an input, up to [`SNIFF_BYTES`], but no more than needed to detect the format: more may arrive
/// much later.
fn sniff_head(bytes: &mut ByteSource, layout: &TextLayout) -> std::io::Result<Vec<u8>> {
    let mut head = vec![0; SNIFF_BYTES];
    let mut len = 0;
    while len < SNIFF_BYTES && !Format::is_settled(&decoded(&head[..len], layout)) {
        match bytes.read(&mut head[len..]) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(len);
    Ok(head)
}
