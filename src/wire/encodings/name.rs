//! What encodings are called in reports.

use super::{Encoding, Node};

impl Encoding {
    /// The encoding's name, as in man/mbt-format.5 and in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Constant { .. } => "constant",
            Self::Sequence { .. } => "sequence",
            Self::BitPacked { .. } => "bit-packed",
            Self::BytePlanes { .. } => "byte-planes",
            Self::Delta { .. } => "delta",
            Self::RunLength => "run-length",
            Self::Dictionary => "dictionary",
            Self::Sparse { .. } => "sparse",
            Self::Pco => "pco",
            Self::Interleaved { .. } => "interleaved",
            Self::Plain64 => "plain",
            Self::FloatPlanes => "float-planes",
            Self::Decimal { .. } => "decimal",
            Self::Bits => "bits",
            Self::NearDecimal { .. } => "near-decimal",
            Self::Bytes => "bytes",
            Self::Fsst { .. } => "fsst",
            Self::Template { .. } => "template",
            Self::Hex { .. } => "hex",
            Self::Patched => "patched",
            Self::Ppmd { .. } => "ppmd",
        }
    }
}

impl Node {
    /// The encoding with those of its parts, as `dictionary(bytes, bit-packed)`; parts without
    /// values are left out.
    pub fn name(&self) -> String {
        let name = self.encoding.name();
        let parts: Vec<String> = self
            .children
            .iter()
            .filter(|child| child.len > 0)
            .map(Self::name)
            .collect();
        if parts.is_empty() {
            name.to_owned()
        } else {
            format!("{name}({})", parts.join(", "))
        }
    }
}
