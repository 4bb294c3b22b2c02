//! Word lists in several formats, from a table or a trie to bytes and back.

mod proto;
mod trie;

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::Schema;

use self::trie::Trie;
use super::formats::{LIMIT, broken, compressor, decode, encode_v1, encode_v2};
use crate::bench::run::Run;
use crate::error::{Error, Result};
use crate::schema::Type;
use crate::stream::Codec;
use crate::units::counted;
use crate::wire;
use crate::wire::choose::Preset;
use crate::wire::v1::EncodeOptions;
use crate::workload::{repeated_terms, terms};

const TERMS: [usize; 4] = [1_000, 100, 500, 5_000];
/// Number of rows in the column with repeats, and its number of distinct terms.
const REPEATED: (usize, usize) = (100_000, 1_000);

/// A format for word lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Bincode,
    Json,
    ProtobufV1,
    ProtobufV2,
    V1(EncodeOptions),
    V2(Preset),
}

const FORMS: [(&str, Form); 8] = [
    ("bincode layout", Form::Bincode),
    ("JSON pretty", Form::Json),
    ("Protobuf V1", Form::ProtobufV1),
    ("Protobuf V2", Form::ProtobufV2),
    ("v1 plain", Form::V1(EncodeOptions::PLAIN)),
    ("v1 dict", Form::V1(EncodeOptions::ALL)),
    ("v2 balanced", Form::V2(Preset::Balanced)),
    ("v2 small", Form::V2(Preset::Small)),
];

pub fn measure(run: &mut Run<'_>) -> Result<()> {
    run.note("encode: table of terms to bytes; decode: bytes to table; load: bytes to a trie that can look up words; dump: such a trie to bytes; each stage is timed by itself");
    run.note("the published figures include walking a trie of hash maps: compare only load and dump with them, and most of the difference is due to the data structure");
    run.note("Protobuf builds its trie within encode, since the trie is what it writes; with all terms different, v1 dict falls back to plain");
    run.note("sizes: raw, and compressed as a whole with gzip 6 (zlib-rs) and zstd 3");
    for count in run.sizes(&TERMS, 1) {
        let terms = terms(count);
        let title = counted(count as u64, "term");
        run.table(title.clone());
        for (name, form) in FORMS {
            stages(run, name, form, &terms)?;
        }
        sizes(run, &title, &terms, &FORMS)?;
    }
    let (rows, count) = REPEATED;
    let repeated = repeated_terms(count, rows);
    let rows = counted(rows as u64, "row");
    run.table(format!("a column of {rows} with repeats"));
    let columns: Vec<_> = FORMS
        .into_iter()
        .filter(|(_, form)| !matches!(form, Form::ProtobufV1 | Form::ProtobufV2))
        .collect();
    for (name, form) in &columns {
        column(run, name, *form, &repeated)?;
    }
    sizes(run, &format!("{rows} with repeats"), &repeated, &columns)
}

fn stages(run: &mut Run<'_>, name: &str, form: Form, terms: &[String]) -> Result<()> {
    column(run, name, form, terms)?;
    let bytes = encode(form, terms)?;
    let trie = load(form, &bytes)?;
    run.check(
        trie.len() == terms.len() && terms.iter().all(|term| trie.contains(term)),
        format!("{name}: the trie does not contain the terms"),
    );
    run.check(
        dump(form, &trie)? == bytes,
        format!("{name}: a dump has different bytes"),
    );
    run.row(format!("{name}, load"))
        .bytes(bytes.len())
        .items(terms.len(), "terms")
        .time(|| load(form, &bytes))?;
    run.row(format!("{name}, dump"))
        .bytes(bytes.len())
        .items(terms.len(), "terms")
        .time(|| dump(form, &trie))
}

/// The stages without the trie.
fn column(run: &mut Run<'_>, name: &str, form: Form, terms: &[String]) -> Result<()> {
    // Building the array is not timed, just like building the list for the other formats.
    let batch = batch(terms)?;
    let bytes = encode(form, terms)?;
    run.check(
        decode_terms(form, &bytes)? == terms,
        format!("{name}: the terms were not restored"),
    );
    run.row(format!("{name}, encode"))
        .bytes(bytes.len())
        .items(terms.len(), "terms")
        .time(|| encode_from(form, terms, &batch))?;
    run.row(format!("{name}, decode"))
        .bytes(bytes.len())
        .items(terms.len(), "terms")
        .time(|| decode_terms(form, &bytes))
}

fn sizes(run: &mut Run<'_>, title: &str, terms: &[String], forms: &[(&str, Form)]) -> Result<()> {
    run.table(format!("{title}: sizes"));
    let text = terms.iter().map(String::len).sum();
    for (name, form) in forms {
        let bytes = encode(*form, terms)?;
        run.row(*name).bytes(bytes.len()).ratio(text).done();
        for (codec_name, codec) in [("gzip 6", Codec::Gzip), ("zstd 3", Codec::Zstd)] {
            let mut packed = Vec::new();
            compressor(codec)?.compress(&bytes, &mut packed)?;
            run.row(format!("{name}, {codec_name}"))
                .bytes(packed.len())
                .ratio(text)
                .done();
        }
    }
    Ok(())
}

fn batch(terms: &[String]) -> Result<RecordBatch> {
    let array: ArrayRef = Arc::new(StringArray::from_iter_values(terms));
    let schema = Arc::new(Schema::new(vec![Type::Utf8.field("term")]));
    RecordBatch::try_new(schema, vec![array]).map_err(broken)
}

fn encode(form: Form, terms: &[String]) -> Result<Vec<u8>> {
    encode_from(form, terms, &batch(terms)?)
}

fn encode_from(form: Form, terms: &[String], batch: &RecordBatch) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    match form {
        Form::Bincode => {
            let text: usize = terms.iter().map(String::len).sum();
            out.reserve(8 + 8 * terms.len() + text);
            out.extend_from_slice(&(terms.len() as u64).to_le_bytes());
            for term in terms {
                out.extend_from_slice(&(term.len() as u64).to_le_bytes());
                out.extend_from_slice(term.as_bytes());
            }
        }
        Form::Json => out = serde_json::to_vec_pretty(terms).map_err(broken)?,
        Form::ProtobufV1 => out = proto::encode_v1(&Trie::new(terms)),
        Form::ProtobufV2 => out = proto::encode_v2(&Trie::new(terms)),
        Form::V1(options) => out = encode_v1(options, batch)?,
        Form::V2(preset) => encode_v2(preset, batch, &mut out)?,
    }
    Ok(out)
}

fn decode_terms(form: Form, bytes: &[u8]) -> Result<Vec<String>> {
    match form {
        Form::Bincode => bincode_terms(bytes).ok_or_else(|| broken("bincode is cut short")),
        Form::Json => serde_json::from_slice(bytes).map_err(broken),
        Form::ProtobufV1 => Ok(proto::decode_v1(bytes)?.terms()),
        Form::ProtobufV2 => Ok(proto::decode_v2(bytes)?.terms()),
        Form::V1(_) | Form::V2(_) => {
            let batch = decode(&mut wire::Decoder::new(LIMIT), bytes)?;
            let array = batch.column(0);
            let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
            if let Some(array) = array.as_string_opt::<i32>() {
                return Ok(array.iter().map(text).collect());
            }
            if let Some(array) = array.as_string_view_opt() {
                return Ok(array.iter().map(text).collect());
            }
            let found = array.data_type();
            Err(Error::corrupt(format!("terms were decoded as {found}")))
        }
    }
}

fn bincode_terms(bytes: &[u8]) -> Option<Vec<String>> {
    let length = |bytes: &[u8]| {
        bytes
            .first_chunk::<8>()
            .map(|len| u64::from_le_bytes(*len) as usize)
    };
    let count = length(bytes)?;
    let mut rest = bytes.get(8..)?;
    let mut terms = Vec::with_capacity(count.min(bytes.len()));
    for _ in 0..count {
        let len = length(rest)?;
        let (term, after) = rest.get(8..)?.split_at_checked(len)?;
        terms.push(String::from_utf8(term.to_vec()).ok()?);
        rest = after;
    }
    Some(terms)
}

fn dump(form: Form, trie: &Trie) -> Result<Vec<u8>> {
    match form {
        Form::ProtobufV1 => Ok(proto::encode_v1(trie)),
        Form::ProtobufV2 => Ok(proto::encode_v2(trie)),
        _ => encode(form, &trie.terms()),
    }
}

fn load(form: Form, bytes: &[u8]) -> Result<Trie> {
    match form {
        Form::ProtobufV1 => proto::decode_v1(bytes),
        Form::ProtobufV2 => proto::decode_v2(bytes),
        _ => Ok(Trie::new(&decode_terms(form, bytes)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_takes_the_published_bytes() {
        let published = [
            (100, [1_636, 1_430, 1_725, 669]),
            (500, [8_297, 7_291, 9_742, 4_056]),
            (1_000, [16_636, 14_630, 19_805, 8_326]),
            (5_000, [85_076, 75_070, 95_533, 40_547]),
        ];
        for (count, lens) in published {
            let terms = terms(count);
            let found: Vec<_> = FORMS[..4]
                .iter()
                .map(|(_, form)| encode(*form, &terms).unwrap().len())
                .collect();
            assert_eq!(found, lens, "{count} terms");
        }
        let text: usize = terms(1_000).iter().map(String::len).sum();
        assert_eq!(text, 8_628);
    }

    #[test]
    fn every_form_gives_the_terms_back() {
        let terms = terms(500);
        for (name, form) in FORMS {
            let bytes = encode(form, &terms).unwrap();
            assert_eq!(decode_terms(form, &bytes).unwrap(), terms, "{name}");
            let trie = load(form, &bytes).unwrap();
            assert!(terms.iter().all(|term| trie.contains(term)), "{name}");
            assert!(!trie.contains("wor") && !trie.contains("word99x"), "{name}");
        }
    }

    #[test]
    fn a_trie_has_the_published_number_of_nodes() {
        assert_eq!(Trie::new(&terms(1_000)).nodes(), 1_526);
    }
}
