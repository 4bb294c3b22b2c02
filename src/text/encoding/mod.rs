//! Character encodings other than UTF-8.
//!
//! All other modules see UTF-8. A [`TextDecoder`] sits between the input and the reader of its format, an [`TextEncoder`]
//! between the writer and the output. The encoder restores byte for byte whatever an exact decoder accepts; an exact
//! decoder rejects everything else and reports where it is.

mod decode;
mod encode;

use encoding_rs as tables;

pub use self::decode::{TextDecoder, Undecodable};
pub use self::encode::TextEncoder;
use crate::error::{Error, Result};
use crate::schema::path::nearest;

/// A character encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextEncoding {
    /// UTF-8, or bytes whose encoding does not matter.
    #[default]
    Utf8,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// ISO 8859-1: each byte is the character of that number.
    Latin1,
    /// An encoding of the WHATWG Encoding Standard.
    Table(&'static tables::Encoding),
}

/// The encodings that have tables.
static TABLES: [&tables::Encoding; 34] = [
    tables::WINDOWS_1250,
    tables::WINDOWS_1251,
    tables::WINDOWS_1252,
    tables::WINDOWS_1253,
    tables::WINDOWS_1254,
    tables::WINDOWS_1255,
    tables::WINDOWS_1256,
    tables::WINDOWS_1257,
    tables::WINDOWS_1258,
    tables::WINDOWS_874,
    tables::ISO_8859_2,
    tables::ISO_8859_3,
    tables::ISO_8859_4,
    tables::ISO_8859_5,
    tables::ISO_8859_6,
    tables::ISO_8859_7,
    tables::ISO_8859_8,
    tables::ISO_8859_10,
    tables::ISO_8859_13,
    tables::ISO_8859_14,
    tables::ISO_8859_15,
    tables::ISO_8859_16,
    tables::MACINTOSH,
    tables::X_MAC_CYRILLIC,
    tables::IBM866,
    tables::KOI8_R,
    tables::KOI8_U,
    tables::SHIFT_JIS,
    tables::EUC_JP,
    tables::ISO_2022_JP,
    tables::EUC_KR,
    tables::GBK,
    tables::GB18030,
    tables::BIG5,
];

/// The other encodings.
const OTHERS: [(&str, TextEncoding); 4] = [
    ("utf-8", TextEncoding::Utf8),
    ("utf-16le", TextEncoding::Utf16Le),
    ("utf-16be", TextEncoding::Utf16Be),
    ("latin1", TextEncoding::Latin1),
];

/// Names of ISO 8859-1. The WHATWG standard treats them as windows-1252, which differs in 0x80 to 0x9F.
const LATIN_1: [&str; 6] = [
    "latin1",
    "latin-1",
    "iso-8859-1",
    "iso8859-1",
    "iso_8859-1",
    "l1",
];

/// A hint for text whose zero bytes show that it is not UTF-8.
pub fn hint_about_zeros(text: &[u8]) -> Option<&'static str> {
    /// Number of bytes to look at.
    const HEAD: usize = 64;
    let head = &text[..text.len().min(HEAD)];
    // The share of zeros among the bytes at each of four places.
    let zeros = |place: usize| {
        let bytes = head.iter().skip(place).step_by(4);
        let zeros = bytes.clone().filter(|byte| **byte == 0).count();
        zeros as f64 / bytes.len().max(1) as f64
    };
    let is_zero = [0, 1, 2, 3].map(|place| zeros(place) > 0.7);
    match is_zero {
        [false, true, false, true] => Some("this may be UTF-16: --encoding utf-16le"),
        [true, false, true, false] => Some("this may be UTF-16: --encoding utf-16be"),
        [_, true, true, _] => Some(
            "this may be UTF-32, which mbt does not read; iconv -f utf-32 -t utf-8 converts it",
        ),
        _ => None,
    }
}

impl TextEncoding {
    /// Looks up an encoding by any label of the WHATWG Encoding Standard, in upper or lower case.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] for an unknown name; the hint suggests the nearest one.
    pub fn parse(name: &str) -> Result<Self> {
        Self::of_name(name).ok_or_else(|| {
            let names = || OTHERS.iter().map(|(name, _)| (*name).to_owned());
            let tables = TABLES.iter().map(|table| table.name().to_ascii_lowercase());
            let known: Vec<String> = names().chain(tables).collect();
            let hint = match nearest(name, &known) {
                Some(nearest) => format!("did you mean {nearest}?"),
                None => format!("encodings are {}", known.join(", ")),
            };
            Error::usage(format!("there is no encoding {name:?}")).hint(hint)
        })
    }

    fn of_name(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        if LATIN_1.contains(&&*name) {
            return Some(Self::Latin1);
        }
        let other = OTHERS.iter().find(|(other, _)| *other == name);
        if let Some((_, other)) = other {
            return Some(*other);
        }
        let table = tables::Encoding::for_label_no_replacement(name.as_bytes())?;
        Some(match table {
            _ if table == tables::UTF_8 => Self::Utf8,
            _ if table == tables::UTF_16LE => Self::Utf16Le,
            _ if table == tables::UTF_16BE => Self::Utf16Be,
            _ => Self::Table(TABLES.into_iter().find(|known| *known == table)?),
        })
    }

    /// Its name in options and in frames.
    pub fn name(self) -> String {
        let other = OTHERS.iter().find(|(_, other)| *other == self);
        let name = match (self, other) {
            (Self::Table(table), _) => table.name(),
            (_, Some((name, _))) => name,
            (_, None) => "",
        };
        name.to_ascii_lowercase()
    }

    /// The encoding of UTF-16 that begins with a byte order mark. UTF-8 needs no mark to be known.
    pub fn of_mark(head: &[u8]) -> Option<Self> {
        match head {
            // The mark of UTF-32.
            [0xFF, 0xFE, 0, 0, ..] => None,
            [0xFF, 0xFE, ..] => Some(Self::Utf16Le),
            [0xFE, 0xFF, ..] => Some(Self::Utf16Be),
            _ => None,
        }
    }

    /// True if readers need a byte order mark to recognize the encoding.
    pub fn needs_mark(self) -> bool {
        matches!(self, Self::Utf16Le | Self::Utf16Be)
    }

    /// Decodes the start of a text, up to the first invalid bytes.
    pub fn decoded_head(self, head: &[u8]) -> Vec<u8> {
        if self == Self::Utf8 {
            return head.to_vec();
        }
        let mut decoder = TextDecoder::new(self, false);
        decoder.give(head);
        let mut text = Vec::new();
        let mut buffer = [0; 4 << 10];
        while let Ok(read @ 1..) = decoder.read(&mut std::io::empty(), &mut buffer, &mut |_| ()) {
            text.extend_from_slice(&buffer[..read]);
        }
        text
    }

    fn table(self) -> Option<&'static tables::Encoding> {
        match self {
            Self::Utf8 | Self::Latin1 => None,
            Self::Utf16Le => Some(tables::UTF_16LE),
            Self::Utf16Be => Some(tables::UTF_16BE),
            Self::Table(table) => Some(table),
        }
    }

    /// True if different bytes can decode to the same text, so that only encoding it again shows whether the bytes are
    /// restored.
    fn is_ambiguous(self) -> bool {
        matches!(self, Self::Table(table) if !table.is_single_byte())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    use proptest::prelude::*;

    /// Decodes in pieces of the given size.
    fn decoded(
        encoding: TextEncoding,
        bytes: &[u8],
        piece: usize,
    ) -> std::result::Result<String, String> {
        let mut decoder = TextDecoder::new(encoding, true);
        let mut pieces = Pieces(Cursor::new(bytes.to_vec()), piece);
        let (mut text, mut seen) = (Vec::new(), Vec::new());
        let mut buffer = [0; 7];
        loop {
            match decoder.read(&mut pieces, &mut buffer, &mut |raw| {
                seen.extend_from_slice(raw);
            }) {
                Ok(0) => break,
                Ok(read) => text.extend_from_slice(&buffer[..read]),
                Err(error) => return Err(error.to_string()),
            }
        }
        assert_eq!(seen, bytes);
        Ok(String::from_utf8(text).unwrap())
    }

    struct Pieces(Cursor<Vec<u8>>, usize);

    impl std::io::Read for Pieces {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let len = out.len().min(self.1);
            self.0.read(&mut out[..len])
        }
    }

    fn encoded(encoding: TextEncoding, text: &str) -> Result<Vec<u8>> {
        let mut encoder = TextEncoder::new(encoding);
        let mut out = Vec::new();
        for piece in text.split_inclusive('\n') {
            encoder.encode(piece.as_bytes(), &mut out)?;
        }
        encoder.finish(&mut out);
        Ok(out)
    }

    fn all() -> impl Iterator<Item = TextEncoding> {
        OTHERS
            .iter()
            .map(|(_, encoding)| *encoding)
            .chain(TABLES.into_iter().map(TextEncoding::Table))
    }

    #[test]
    fn names_and_labels_are_read() {
        for encoding in all() {
            assert_eq!(TextEncoding::parse(&encoding.name()).unwrap(), encoding);
        }
        for (label, name) in [
            ("UTF8", "utf-8"),
            ("utf-16", "utf-16le"),
            ("cp1252", "windows-1252"),
            ("ISO-8859-1", "latin1"),
            ("sjis", "shift_jis"),
            ("gb2312", "gbk"),
        ] {
            assert_eq!(TextEncoding::parse(label).unwrap().name(), name);
        }
        let error = TextEncoding::parse("windows-125").unwrap_err();
        assert!(
            error.message().contains("did you mean windows-125"),
            "{error}"
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        for (name, bytes, what) in [
            (
                "utf-16le",
                &b"a\0\x00\xD8b\0"[..],
                "0x00D8 at offset 2 is not utf-16le",
            ),
            (
                "utf-16be",
                b"\0a\xDC\x00",
                "0xDC00 at offset 2 is not utf-16be",
            ),
            (
                "utf-16le",
                b"a\0b",
                "the text ends within a character of utf-16le",
            ),
            (
                "utf-16le",
                b"a\0\x00\xD8",
                "the text ends within a character of utf-16le",
            ),
            ("shift_jis", b"ok\xFF", "0xFF at offset 2 is not shift_jis"),
            ("iso-8859-6", b"\xA1", "0xA1 at offset 0 is not iso-8859-6"),
            // Two rows of the table map to this character, and the encoder uses the other one.
            (
                "shift_jis",
                b"a\n\xED\x40",
                "0xED40 at offset 2 would not come back: shift_jis encodes its text as other bytes",
            ),
            (
                "euc-jp",
                b"\xA4\xA2\x8F",
                "the text ends within a character of euc-jp",
            ),
        ] {
            let encoding = TextEncoding::parse(name).unwrap();
            for piece in [1, 2, 100] {
                let error = decoded(encoding, bytes, piece).unwrap_err();
                assert_eq!(error, what);
            }
        }
    }

    #[test]
    fn characters_that_an_encoding_lacks_have_a_place() {
        for name in ["latin1", "windows-1252", "koi8-r"] {
            let encoding = TextEncoding::parse(name).unwrap();
            let error = encoded(encoding, "a\nb\n\u{4E00}\n").unwrap_err();
            let what = format!(
                "line 3 of the output contains '\u{4E00}' (U+4E00), which {name} cannot represent"
            );
            assert!(error.message().starts_with(&what), "{error}");
        }
    }

    proptest! {
        #[test]
        fn what_is_decoded_comes_back(
            which in 0..TABLES.len() + OTHERS.len(),
            bytes in prop::collection::vec(any::<u8>(), 0..60),
            piece in 1usize..9,
        ) {
            let encoding = all().nth(which).unwrap();
            if encoding != TextEncoding::Utf8
                && let Ok(text) = decoded(encoding, &bytes, piece)
            {
                prop_assert_eq!(encoded(encoding, &text).unwrap(), bytes);
            }
        }

        #[test]
        fn text_is_read_as_it_was_written(
            which in 0..TABLES.len() + OTHERS.len(),
            text in "[a-z\n\"é€Жя한字かカ \u{1F600}]{0,40}",
            piece in 1usize..9,
        ) {
            let encoding = all().nth(which).unwrap();
            if encoding != TextEncoding::Utf8
                && let Ok(bytes) = encoded(encoding, &text)
            {
                prop_assert_eq!(decoded(encoding, &bytes, piece), Ok(text));
            }
        }
    }

    #[test]
    fn zeros_show_which_encoding_it_may_be() {
        let wide = |order: fn(u32) -> [u8; 4]| -> Vec<u8> {
            "a,b\n1,\u{e9}\n"
                .chars()
                .flat_map(|c| order(u32::from(c)))
                .collect()
        };
        let (little, big) = (wide(u32::to_le_bytes), wide(u32::to_be_bytes));
        let half = |from: usize| -> Vec<u8> {
            let chars = little.chunks(4).chain(big.chunks(4));
            let chars = chars.skip(from * little.len() / 4).take(little.len() / 4);
            chars.flat_map(|c| c[2 * from..][..2].to_vec()).collect()
        };
        for (text, named) in [
            (half(0), Some("utf-16le")),
            (half(1), Some("utf-16be")),
            (little.clone(), Some("UTF-32")),
            (big.clone(), Some("UTF-32")),
            (b"a,b\n1,\xC3\xA9\n".to_vec(), None),
            (b"a,b\n1,\0\n".to_vec(), None),
            (Vec::new(), None),
        ] {
            let hint = hint_about_zeros(&text);
            assert_eq!(hint.is_some(), named.is_some(), "{text:?}");
            assert!(
                hint.is_none_or(|hint| hint.contains(named.unwrap())),
                "{hint:?}"
            );
        }
    }
}
