//! The trait that every encoding implements, and the registry of encodings.

use crate::error::{Error, Result};
use crate::varint;
use crate::wire::choose::{Cascade, NumberRun, NumberSearch, RunStats, StringSearch};
use crate::wire::encodings::{ByteStrings, Node, ValueKind};
use crate::wire::parse::{push_signed, read_byte, read_signed, read_unsigned};

/// The class of a buffer's bytes. Small buffers of one class share a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferClass {
    /// Numbers, codes and bits.
    Binary,
    /// Text that a general compressor can still compress as text.
    Text,
}

/// The shape of a run. The shapes of its children follow from it.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The kind of its values.
    pub kind: ValueKind,
    /// Number of its values.
    pub len: usize,
    /// Number of values of the counted child; 0 without one. Never more than `len`.
    pub count: usize,
}

/// Properties of an encoding that do not depend on its parameters.
pub(crate) struct Info {
    /// Its number in files.
    pub number: u8,
    /// Its name in man/mbt-format.5 and in reports.
    pub name: &'static str,
    /// The kinds of values that it encodes.
    pub kinds: &'static [ValueKind],
    /// The class of its buffer; `None` if it has no buffer.
    pub buffer: Option<BufferClass>,
    /// The first child whose length does not follow from the length of the run, so that it must be stored.
    pub counted_child: Option<usize>,
    /// True if a sample in chunks is not representative for it, so that the preset small always tries it on the whole
    /// run.
    pub needs_whole_run: bool,
    /// True if only frames of the archive profile use it, so that other readers may omit it.
    pub is_archive: bool,
}

impl Info {
    /// An encoding without a buffer whose children have as many values as follow from the run.
    pub const fn of(number: u8, name: &'static str, kinds: &'static [ValueKind]) -> Self {
        Self {
            number,
            name,
            kinds,
            buffer: None,
            counted_child: None,
            needs_whole_run: false,
            is_archive: false,
        }
    }

    pub const fn with_buffer(mut self, class: BufferClass) -> Self {
        self.buffer = Some(class);
        self
    }

    pub const fn counting(mut self, child: usize) -> Self {
        self.counted_child = Some(child);
        self
    }

    pub const fn archive(mut self) -> Self {
        self.is_archive = true;
        self
    }

    pub const fn on_whole_runs(mut self) -> Self {
        self.needs_whole_run = true;
        self
    }
}

/// Encoding and decoding, and when to try an encoding. The constant `INFO` next to it is its identity in the format.
///
/// The implementing type contains the encoding's parameters. Only the methods for the kinds in [`Info::kinds`] need an
/// implementation.
pub(crate) trait Scheme {
    /// The length of its buffer for `len` values, if that follows from the parameters; it is then not stored.
    fn buffer_len(&self, _len: usize) -> Option<usize> {
        None
    }

    /// The number of planes in its buffer: parts of the same length that have little in common.
    fn planes(&self) -> usize {
        1
    }

    /// Appends the parameters.
    fn write(&self, _out: &mut Vec<u8>) {}

    /// Reads what [`Self::write`] wrote and moves `*at` past it.
    fn read(bytes: &[u8], at: &mut usize) -> Result<Self>
    where
        Self: Sized;

    /// The parameters for reports: `base 3, width 8`.
    fn parameters(&self) -> String {
        String::new()
    }

    /// The kind and the length of each child.
    fn children(&self, _run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        Ok(Vec::new())
    }

    /// Appends the values of `node`, which has this encoding: exactly `node.len`.
    fn decode_numbers(&self, node: &Node, kind: ValueKind, _out: &mut Vec<i64>) -> Result<()> {
        Err(wrong_kind(node, kind))
    }

    /// Like [`Self::decode_numbers`]; refuses more than `max_bytes` bytes of text.
    fn decode_strings(&self, node: &Node, _max_bytes: usize, _out: &mut ByteStrings) -> Result<()> {
        Err(wrong_kind(node, ValueKind::Strings))
    }

    /// The encoding, if its parameters alone describe the run, so that no search is needed.
    fn verdict(_stats: &RunStats, _values: &[i64]) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Adds candidates for a run of numbers, if the encoding may suit it.
    fn propose_numbers(_search: &mut NumberSearch<'_>)
    where
        Self: Sized,
    {
    }

    /// Adds candidates for a run of strings.
    fn propose_strings(_search: &mut StringSearch<'_>)
    where
        Self: Sized,
    {
    }

    /// Encodes other values in the same way; `None` if the choice no longer suits them.
    fn apply_numbers(&self, _run: &NumberRun<'_>) -> Option<Node> {
        None
    }

    /// Like [`Self::apply_numbers`]; `choice` is the node of the strings that the choice was made for.
    fn apply_strings(
        &self,
        _choice: &Node,
        _values: &ByteStrings,
        _cascade: Cascade,
    ) -> Option<Node> {
        None
    }

    /// The fraction of a candidate's size that is added to its price for slower decoding.
    fn surcharge(&self, _kind: ValueKind, _cascade: Cascade) -> f64 {
        0.02
    }

    /// The part of `bytes` bytes of buffers that does not depend on the number of rows.
    fn fixed_bytes(&self, _bytes: f64) -> f64 {
        0.0
    }
}

/// A parameter of an encoding, as stored in headers.
pub(super) trait Parameter: Sized {
    fn write(&self, out: &mut Vec<u8>);
    fn read(bytes: &[u8], at: &mut usize) -> Result<Self>;
}

macro_rules! parameter {
    ($($number:ty: $write:expr, $read:expr;)+) => {$(
        impl Parameter for $number {
            fn write(&self, out: &mut Vec<u8>) {
                $write(*self, out);
            }

            fn read(bytes: &[u8], at: &mut usize) -> Result<Self> {
                $read(bytes, at)
            }
        }
    )+};
}

parameter! {
    i64: push_signed, read_signed;
    u64: varint::push, read_unsigned;
    u8: |byte, out: &mut Vec<u8>| out.push(byte), read_byte;
}

/// Implements [`Scheme::write`], [`Scheme::read`] and [`Scheme::parameters`] for parameters in the order in which they
/// are stored.
macro_rules! parameters {
    () => {
        fn read(_: &[u8], _: &mut usize) -> Result<Self> {
            Ok(Self)
        }
    };
    ($($name:ident),+) => {
        fn write(&self, out: &mut Vec<u8>) {
            $($crate::wire::encodings::scheme::Parameter::write(&self.$name, out);)+
        }

        fn read(bytes: &[u8], at: &mut usize) -> Result<Self> {
            Ok(Self {
                $($name: $crate::wire::encodings::scheme::Parameter::read(bytes, at)?,)+
            })
        }

        fn parameters(&self) -> String {
            [$(format!(concat!(stringify!($name), " {}"), self.$name)),+].join(", ")
        }
    };
}

pub(super) use parameters;

fn wrong_kind(node: &Node, kind: ValueKind) -> Error {
    let name = node.encoding.name();
    Error::corrupt(format!("{name} is not an encoding for {kind}"))
}

/// Builds [`Encoding`](super::Encoding) from the list of encodings.
macro_rules! registry {
    ($($name:ident in $module:ident,)+) => {
        /// The encoding of a run, with all parameters that are not runs themselves.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Encoding {
            $(
                #[doc = concat!("See the module `", stringify!($module), "`.")]
                $name($module::$name),
            )+
        }

        $(
            impl From<$module::$name> for Encoding {
                fn from(scheme: $module::$name) -> Self {
                    Self::$name(scheme)
                }
            }
        )+

        impl Encoding {
            /// The properties that do not depend on the parameters.
            pub(crate) fn info(&self) -> &'static Info {
                match self {
                    $(Self::$name(_) => &$module::INFO,)+
                }
            }

            /// The parameters, with what depends on them.
            pub(crate) fn scheme(&self) -> &dyn Scheme {
                match self {
                    $(Self::$name(scheme) => scheme,)+
                }
            }

            /// Reads the number and parameters of an encoding that suits `kind`, or of any encoding if `kind` is
            /// `None`.
            fn read_of(bytes: &[u8], at: &mut usize, kind: Option<ValueKind>) -> Result<Self> {
                let start = *at as u64;
                let suits = |kinds: &[ValueKind]| kind.is_none_or(|kind| kinds.contains(&kind));
                let number = read_byte(bytes, at)?;
                $(
                    if number == $module::INFO.number && suits($module::INFO.kinds) {
                        return <$module::$name as Scheme>::read(bytes, at).map(Self::from);
                    }
                )+
                Err(unknown(number, kind).at_byte(start))
            }

            /// The encoding for a run that needs no search.
            pub(crate) fn verdict(stats: &RunStats, values: &[i64]) -> Option<Self> {
                None
                    $(.or_else(|| {
                        <$module::$name as Scheme>::verdict(stats, values).map(Self::from)
                    }))+
            }

            /// Lets every encoding for the run's kind of numbers propose itself, in the order of the registry.
            pub(crate) fn propose_numbers(search: &mut NumberSearch<'_>) {
                $(
                    if $module::INFO.kinds.contains(&search.kind) {
                        <$module::$name as Scheme>::propose_numbers(search);
                    }
                )+
            }

            /// As [`Self::propose_numbers`].
            pub(crate) fn propose_strings(search: &mut StringSearch<'_>) {
                $(<$module::$name as Scheme>::propose_strings(search);)+
            }
        }

        /// The numbers of all encodings.
        const NUMBERS: &[u8] = &[$($module::INFO.number,)+];
    };
}
pub(super) use registry;
