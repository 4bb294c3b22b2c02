//! Seeds of fuzz targets: the files in fixtures/, split where a check assembles them.

use std::fs;
use std::path::Path;

use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use mbt::wire::v2::{Envelope, HEAD_LEN};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{WriterProperties, WriterVersion};

use crate::sample_batches::{differences, grouped, interval, leaves, nested, positions};

/// The contents of the files with an extension in a folder of fixtures/, in the order of their names.
fn fixtures(folder: &str, extension: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(folder);
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|end| end == extension))
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Texts with every relevant way to read them.
fn texts(extensions: &[&str], ways: &[u8]) -> Vec<Vec<u8>> {
    let texts = extensions
        .iter()
        .flat_map(|extension| fixtures("v2/text", extension));
    let texts = texts.filter(|text| text.len() < 1 << 14);
    let with = |text: Vec<u8>| ways.iter().map(move |&way| [&text[..], &[way]].concat());
    texts.flat_map(with).collect()
}

pub fn csv() -> Vec<Vec<u8>> {
    texts(&["csv", "tsv"], &[0, 1, 0x26, 0x4b])
}

pub fn json() -> Vec<Vec<u8>> {
    [texts(&["json"], &[0, 0x20]), texts(&["ndjson"], &[1, 0x41])].concat()
}

pub fn v1() -> Vec<Vec<u8>> {
    [fixtures("v1/good", "mathldbt"), fixtures("v1/bad", "bad")].concat()
}

pub fn streams() -> Vec<Vec<u8>> {
    let folders = ["v2", "v2/accepted", "v2/refused", "v2/text"];
    let frames = folders.iter().flat_map(|folder| fixtures(folder, "mbt"));
    let wrapped = ["zst", "gz"]
        .iter()
        .flat_map(|end| fixtures("v1/compressed", end));
    frames.chain(wrapped).chain(v1()).collect()
}

pub fn v2() -> Vec<Vec<u8>> {
    streams()
        .iter()
        .filter_map(|bytes| taken_apart(bytes))
        .collect()
}

/// Flags, the length of the header, header and body of the first frame.
fn taken_apart(bytes: &[u8]) -> Option<Vec<u8>> {
    let envelope = Envelope::read(bytes, 1 << 24).ok()?;
    let header = u32::from_le_bytes(bytes[12..16].try_into().ok()?);
    let header = u16::try_from(header).ok()?.to_le_bytes();
    Some([&bytes[10..12], &header, &bytes[HEAD_LEN..envelope.len]].concat())
}

pub fn index() -> Vec<Vec<u8>> {
    let files = fixtures("v2", "mbt")
        .into_iter()
        .chain(fixtures("v2/text", "mbt"));
    let contents = files.filter_map(|bytes| {
        let magic = 0x184d_2a5a_u32.to_le_bytes();
        let index = bytes.windows(4).rposition(|part| part == magic)?;
        Some(bytes[index + 12..bytes.len() - 12].to_vec())
    });
    contents.collect()
}

pub fn arrow() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for batch in [
        leaves(5),
        nested(5),
        grouped(9),
        differences(80),
        positions(70),
        interval(),
    ] {
        let schema = batch.schema();
        let mut file = FileWriter::try_new(Vec::new(), &schema).unwrap();
        file.write(&batch).unwrap();
        seeds.push(file.into_inner().unwrap());
        let lz4 = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME));
        let stream = StreamWriter::try_new_with_options(Vec::new(), &schema, lz4.unwrap());
        let mut stream = stream.unwrap();
        stream.write(&batch).unwrap();
        stream.write(&batch.slice(1, 2)).unwrap();
        seeds.push(stream.into_inner().unwrap());
        // One column each: small enough to be changed in many ways.
        for column in 0..batch.num_columns() {
            let batch = batch.project(&[column]).unwrap();
            let mut stream = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
            stream.write(&batch).unwrap();
            seeds.push(stream.into_inner().unwrap());
        }
    }
    seeds
}

pub fn parquet() -> Vec<Vec<u8>> {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::LZ4_RAW,
    ];
    let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
    let mut seeds = Vec::new();
    for batch in [leaves(5), nested(5), grouped(9)] {
        // One column each: small enough to be changed in many ways.
        for place in 0..batch.num_columns() {
            let column = batch.project(&[place]).unwrap();
            let properties = WriterProperties::builder()
                .set_compression(codecs[place % codecs.len()])
                .set_writer_version(versions[place % versions.len()])
                .set_dictionary_enabled(place % 5 < 3)
                .set_max_row_group_row_count(Some(4))
                .build();
            let mut file = Vec::new();
            // Parquet lacks some of the types.
            let writer = ArrowWriter::try_new(&mut file, column.schema(), Some(properties));
            let written = writer.and_then(|mut writer| {
                writer.write(&column)?;
                writer.close()
            });
            if written.is_ok() {
                seeds.push(file);
            }
        }
    }
    seeds
}

fn lines(text: &str) -> Vec<Vec<u8>> {
    text.lines().map(|line| line.as_bytes().to_vec()).collect()
}

pub fn where_rows() -> Vec<Vec<u8>> {
    lines(include_str!("seeds/where_rows"))
}

pub fn columns() -> Vec<Vec<u8>> {
    lines(include_str!("seeds/columns"))
}

pub fn schema() -> Vec<Vec<u8>> {
    lines(include_str!("seeds/schema"))
}
