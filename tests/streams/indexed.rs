//! One column of one frame of a large file: how many reads that takes, and of how many bytes.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use mbt::wire::v2::Envelope;
use mbt::{IndexedReader, Kind, Preset, Writer};

/// A file that logs which bytes were read; adjacent reads count as one.
#[derive(Debug)]
struct Logged {
    file: Cursor<Vec<u8>>,
    log: Rc<RefCell<Vec<Range<u64>>>>,
}

impl Read for Logged {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let at = self.file.position();
        let read = self.file.read(bytes)? as u64;
        let mut log = self.log.borrow_mut();
        match log.last_mut() {
            _ if read == 0 => {}
            Some(last) if last.end == at => last.end += read,
            _ => log.push(at..at + read),
        }
        Ok(read as usize)
    }
}

impl Seek for Logged {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.file.seek(to)
    }
}

const ROWS: usize = 20_000;
const COLUMNS: usize = 12;

fn noise(seed: u64) -> u64 {
    // splitmix64, Steele 2014
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ z >> 31
}

/// Large columns without order, and small ones that share sections.
fn frame(number: u64) -> RecordBatch {
    let value =
        |row: usize, column: usize| noise(number << 40 | (column as u64) << 32 | row as u64);
    let columns = (0..COLUMNS).map(|column| {
        let rows = 0..ROWS;
        let array: ArrayRef = match column % 4 {
            0 => Arc::new(Int64Array::from_iter_values(
                rows.map(|row| value(row, column) as i64),
            )),
            1 => Arc::new(Float64Array::from_iter_values(
                rows.map(|row| f64::from_bits(value(row, column) >> 2)),
            )),
            2 => Arc::new(Int64Array::from_iter_values(
                rows.map(|row| (row / 700 * column) as i64),
            )),
            _ => Arc::new(StringArray::from_iter_values(
                rows.map(|row| format!("{:x}", value(row, column))),
            )),
        };
        (format!("c{column}"), array)
    });
    RecordBatch::try_from_iter(columns).unwrap()
}

type Log = Rc<RefCell<Vec<Range<u64>>>>;

fn open(bytes: Vec<u8>) -> (mbt::Result<IndexedReader<Logged>>, Log) {
    let log = Log::default();
    let file = Logged {
        file: Cursor::new(bytes),
        log: Rc::clone(&log),
    };
    (IndexedReader::open(file), log)
}

fn file_of(frames: u64) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), Preset::Balanced);
    (0..frames).for_each(|number| writer.write(&frame(number)).unwrap());
    writer.finish().unwrap()
}

fn len_of(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

#[test]
fn a_column_of_a_frame_takes_two_rounds_of_reads() {
    let bytes = file_of(3);
    let len = bytes.len() as u64;
    assert!(len > 2 << 20, "{len} bytes are too few to show anything");
    let (reader, log) = open(bytes);
    let mut reader = reader.unwrap();
    // The first round: the end of the file.
    let first = log.take();
    assert_eq!(first.len(), 1);
    assert_eq!((first[0].end, len_of(&first)), (len, 64 << 10));
    assert_eq!(reader.frames(), 3);
    let share = len / 3 / COLUMNS as u64;
    for (number, column) in [(1, "c0"), (0, "c5"), (2, "c7"), (1, "c10"), (0, "c6")] {
        let batch = reader.read(number, &[column]).unwrap();
        let whole = frame(number as u64);
        assert_eq!(batch.column(0), whole.column_by_name(column).unwrap());
        // The second round: the bytes shared by all columns, and the column's own.
        let second = log.take();
        assert!(second.len() <= 2, "{column}: {second:?}");
        assert!(
            len_of(&second) < share * 2 + 4096,
            "{column}: {second:?} of {len}"
        );
    }
    // The small columns need little.
    reader.read(1, &["c2"]).unwrap();
    assert!(len_of(&log.take()) < 4096);
    // Adjacent ranges are read at once.
    assert_eq!(
        reader
            .read(1, &["c3", "c4", "nothing"])
            .unwrap()
            .num_columns(),
        2
    );
    assert!(log.take().len() <= 2);
}

#[test]
fn a_grouped_column_takes_two_rounds_as_well() {
    // Counters of stations that report in random order: each grows independently.
    let dir = tempfile::tempdir().unwrap();
    let mut counters = [0_i64; 100];
    let mut text = "station,row,value\n".to_owned();
    let mut values = Vec::new();
    for row in 0..240_000 {
        let station = (noise(row) % 100) as usize;
        counters[station] += 1 + noise(row) as i64 % 2;
        let value = counters[station] + station as i64 * 1_000_003;
        writeln!(text, "s{station},{row},{value}").unwrap();
        values.push(value);
    }
    fs::write(dir.path().join("a.csv"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
    command.args(["convert", "a.csv", "-o", "a.mbt", "--preset", "small"]);
    command
        .args(["--frame-rows", "80000"])
        .current_dir(dir.path());
    assert!(command.status().unwrap().success());
    let bytes = fs::read(dir.path().join("a.mbt")).unwrap();
    let envelope = Envelope::read(&bytes, 1 << 30).unwrap();
    assert_eq!(envelope.columns().unwrap()[2].key(), Some(0));
    let len = bytes.len() as u64;
    let (reader, log) = open(bytes);
    let mut reader = reader.unwrap();
    log.take();
    let batch = reader.read(0, &["value"]).unwrap();
    let expected = Int64Array::from(values[..80_000].to_vec());
    assert_eq!(batch.column(0).as_primitive::<Int64Type>(), &expected);
    // If only the header named the key, it would be read after the column.
    let read = log.take();
    assert!(
        len > 64 << 10 && !read.is_empty(),
        "{len} bytes show nothing"
    );
    assert!(read.is_sorted_by_key(|range| range.start), "{read:?}");
}

#[test]
fn a_column_of_differences_takes_two_rounds_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let mut text = "low,other,high\n".to_owned();
    let mut values = Vec::new();
    for row in 0..240_000 {
        let low = noise(row) as i64 % (1 << 30);
        values.push(low + noise(row + 1) as i64 % 100);
        let other = noise(row + 500_000);
        writeln!(text, "{low},{other},{}", values[values.len() - 1]).unwrap();
    }
    fs::write(dir.path().join("a.csv"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
    command.args(["convert", "a.csv", "-o", "a.mbt", "--frame-rows", "80000"]);
    assert!(command.current_dir(dir.path()).status().unwrap().success());
    let bytes = fs::read(dir.path().join("a.mbt")).unwrap();
    let envelope = Envelope::read(&bytes, 1 << 30).unwrap();
    let reference = envelope.columns().unwrap()[2].reference();
    assert_eq!(reference.map(|reference| reference.column), Some(0));
    let (reader, log) = open(bytes);
    let mut reader = reader.unwrap();
    log.take();
    let batch = reader.read(2, &["high"]).unwrap();
    let expected = Int64Array::from(values[160_000..].to_vec());
    assert_eq!(batch.column(0).as_primitive::<Int64Type>(), &expected);
    // If only the header named the reference column, it would be read after the differences.
    let read = log.take();
    assert!(
        read.len() > 1 && read.is_sorted_by_key(|range| range.start),
        "{read:?}"
    );
}

#[test]
fn files_put_together_are_one() {
    let bytes = [file_of(2), file_of(1)].concat();
    let (reader, _) = open(bytes);
    let mut reader = reader.unwrap();
    assert_eq!(reader.frames(), 3);
    for (number, expected) in [(0, 0), (1, 1), (2, 0)] {
        assert_eq!(reader.rows(number).unwrap(), ROWS as u64);
        let batch = reader.read(number, &["c9", "c0"]).unwrap();
        let expected = frame(expected);
        assert_eq!(batch.column(0), expected.column_by_name("c0").unwrap());
        assert_eq!(batch.column(1), expected.column_by_name("c9").unwrap());
    }
    assert_eq!(reader.read(3, &["c0"]).unwrap_err().kind(), Kind::Usage);
}

#[test]
fn what_does_not_fit_the_index_is_refused() {
    let bytes = file_of(2);
    let (reader, _) = open(bytes[..bytes.len() - 1].to_vec());
    assert_eq!(reader.unwrap_err().kind(), Kind::Incomplete);
    let (reader, _) = open(Vec::new());
    assert_eq!(reader.unwrap_err().kind(), Kind::Incomplete);
    // Another frame in the place of the first, of the same length.
    let mut other = bytes.clone();
    let at = 40;
    other[at] ^= 1;
    let (reader, _) = open(other);
    assert!(reader.unwrap().read(0, &["c0"]).is_err());
}

#[test]
fn a_file_without_its_end_is_refused() {
    // The writer marks its frames as part of a segment.
    let bytes = file_of(2);
    let read = |bytes: &[u8]| {
        let file = Cursor::new(bytes.to_vec());
        let mut batches = mbt::Reader::new(file, mbt::Format::Mbt).unwrap();
        batches.try_for_each(|batch| batch.map(drop))
    };
    assert!(read(&bytes).is_ok());
    let magic = 0x184d_2a5a_u32.to_le_bytes();
    let end = bytes.windows(4).rposition(|at| at == magic).unwrap();
    assert_eq!(read(&bytes[..end]).unwrap_err().kind(), Kind::Incomplete);
}
