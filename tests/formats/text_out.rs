//! The output of the text writers, read by Python's `csv` and `json` modules.
//!
//! Python prints one line per cell in a lossless form: floats by their bits, text
//! by its code points in hex.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
};
use arrow_array::{
    Array, BinaryArray, BooleanArray, FixedSizeBinaryArray, Float32Array, Float64Array, Int16Array,
    Int32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::Schema;
use mbt::columns::print::json::JsonWriter;
use mbt::format::csv::{CsvStyle, CsvWriter};
use mbt::schema::Type;
use mbt::text::json::JsonStyle;
use mbt::text::time::parse_timestamp;

use crate::chance::Random;
use crate::skip::skip;

/// Prints each cell in this form, given the types of the columns.
const PYTHON: &str = r#"
import csv, io, json, struct, sys

def text(s):
    return 't' + s.encode().hex()

def number(s, kind):
    if kind in ('f64', 'f32'):
        value = float(s)
        if value != value:
            return 'nan'
        return kind + struct.pack('>d' if kind == 'f64' else '>f', value).hex()
    return 'i%d' % int(s)

def from_csv(cell, kind, null):
    if cell == null:
        return 'null'
    if kind == 'bool':
        return {'true': 'i1', 'false': 'i0'}[cell]
    if kind in ('utf8', 'bytes', 'uuid', 'timestamp'):
        return text(cell)
    if kind == 'json':
        return text(json.dumps(json.loads(cell)))
    return number(cell, kind)

def from_json(value, kind):
    if kind == 'json':
        return text(json.dumps(value)) if value is not None else 'null'
    if value is None:
        return 'null'
    if kind in ('utf8', 'bytes', 'uuid', 'timestamp'):
        assert isinstance(value, str)
        return text(value)
    if kind == 'bool':
        assert isinstance(value, bool)
        return 'i1' if value else 'i0'
    if kind in ('f64', 'f32'):
        assert isinstance(value, float) or value in ('NaN', 'Infinity', '-Infinity')
    else:
        assert isinstance(value, int) and not isinstance(value, bool)
    return number(value, kind)

layout, kinds, null = sys.argv[1], sys.argv[2].split(','), sys.argv[3]
source = sys.stdin.buffer.read().decode()
names = ['c%d,"\n' % i for i in range(len(kinds))]
if layout == 'csv':
    rows = list(csv.reader(io.StringIO(source, newline=''), strict=True))
    assert rows[0] == names, rows[0]
    rows = [[from_csv(c, k, null) for c, k in zip(row, kinds, strict=True)] for row in rows[1:]]
else:
    if layout == 'lines':
        assert source.endswith('\n') and '\r' not in source
        objects = [json.loads(line) for line in source[:-1].split('\n')]
    else:
        objects = json.loads(source)
    assert all(list(o) == names for o in objects)
    rows = [[from_json(v, k) for v, k in zip(o.values(), kinds)] for o in objects]
sys.stdout.write('\n'.join(cell for row in rows for cell in row))
"#;

/// A null token that random text never equals.
const NULL: &str = "\\N";

impl Random {
    fn column<T>(&mut self, rows: usize, mut value: impl FnMut(&mut Self) -> T) -> Vec<Option<T>> {
        (0..rows)
            .map(|_| (self.below(8) > 0).then(|| value(self)))
            .collect()
    }

    /// Few characters, among them all that CSV and JSON treat specially.
    fn text(&mut self) -> String {
        const ALPHABET: [char; 24] = [
            'a', 'b', 'z', '0', ' ', ',', '"', '\'', '\n', '\r', '\t', '\\', '/', '\u{0}', '\u{8}',
            '\u{c}', '\u{1f}', '\u{7f}', 'é', '✓', '\u{feff}', '\u{2028}', '𝄞', ';',
        ];
        let special = self.below(2) == 0;
        let len = self.below(40);
        (0..len)
            .map(|_| ALPHABET[self.below(if special { 24 } else { 5 })])
            .collect()
    }

    /// All magnitudes, subnormals and NaN.
    fn double(&mut self) -> f64 {
        match self.below(6) {
            0 => f64::from_bits(self.next()),
            1 => [
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                -0.0,
                5e-324,
                f64::MAX,
            ][self.below(6)],
            2 => self.below(1_000_000) as f64,
            _ => self.below(1_000_000) as f64 / 100.0,
        }
    }

    fn json(&mut self) -> String {
        let value = match self.below(5) {
            0 => serde_json::json!({"a b": [self.next() as i64, self.text()], "": null}),
            1 => serde_json::json!([[], {}, self.text(), 1.5]),
            2 => serde_json::json!(self.text()),
            3 => serde_json::json!(self.below(2) == 0),
            _ => serde_json::json!(self.next()),
        };
        match self.below(2) {
            0 => serde_json::to_string_pretty(&value).unwrap(),
            _ => value.to_string(),
        }
    }
}

fn random_batch(seed: u64, rows: usize) -> RecordBatch {
    let random = &mut Random(seed);
    let uuids = random.column(rows, |r| {
        (u128::from(r.next()) << 64 | u128::from(r.next())).to_be_bytes()
    });
    let bytes = random.column(rows, |r| r.text().into_bytes());
    let columns: [(Type, Arc<dyn Array>); 11] = [
        (
            Type::Bool,
            Arc::new(BooleanArray::from(random.column(rows, |r| r.below(2) == 0))),
        ),
        (
            Type::I16,
            Arc::new(Int16Array::from(random.column(rows, |r| r.next() as i16))),
        ),
        (
            Type::I32,
            Arc::new(Int32Array::from(random.column(rows, |r| r.next() as i32))),
        ),
        (
            Type::I64,
            Arc::new(Int64Array::from(random.column(rows, |r| r.next() as i64))),
        ),
        (
            Type::F32,
            Arc::new(Float32Array::from(
                random.column(rows, |r| r.double() as f32),
            )),
        ),
        (
            Type::F64,
            Arc::new(Float64Array::from(random.column(rows, Random::double))),
        ),
        (
            Type::Uuid,
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(uuids.into_iter(), 16)
                    .unwrap(),
            ),
        ),
        (
            Type::Timestamp,
            Arc::new(
                TimestampMicrosecondArray::from(random.column(rows, |r| r.next() as i64))
                    .with_timezone("UTC"),
            ),
        ),
        (
            Type::Utf8,
            Arc::new(StringArray::from(random.column(rows, Random::text))),
        ),
        (
            Type::Bytes,
            Arc::new(bytes.iter().map(Option::as_deref).collect::<BinaryArray>()),
        ),
        (
            Type::Json,
            Arc::new(StringArray::from(random.column(rows, Random::json))),
        ),
    ];
    let (fields, arrays): (Vec<_>, Vec<_>) = columns
        .into_iter()
        .enumerate()
        .map(|(i, (ty, array))| (ty.field(&format!("c{i},\"\n")), array))
        .unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

/// The form of a cell, from the batch alone.
fn form(batch: &RecordBatch, column: usize, row: usize) -> String {
    let array = batch.column(column);
    if array.is_null(row) {
        return "null".to_owned();
    }
    let text = |text: &[u8]| format!("t{}", hex(text));
    match Type::of(batch.schema_ref().field(column)).unwrap() {
        Type::Bool => format!("i{}", u8::from(array.as_boolean().value(row))),
        Type::I16 => format!("i{}", array.as_primitive::<Int16Type>().value(row)),
        Type::I32 => format!("i{}", array.as_primitive::<Int32Type>().value(row)),
        Type::I64 => format!("i{}", array.as_primitive::<Int64Type>().value(row)),
        Type::F32 => match array.as_primitive::<Float32Type>().value(row) {
            value if value.is_nan() => "nan".to_owned(),
            value => format!("f32{:08x}", value.to_bits()),
        },
        Type::F64 => match array.as_primitive::<Float64Type>().value(row) {
            value if value.is_nan() => "nan".to_owned(),
            value => format!("f64{:016x}", value.to_bits()),
        },
        Type::Uuid => {
            let digits = hex(array.as_fixed_size_binary().value(row));
            let (a, b, c) = (&digits[..8], &digits[8..12], &digits[12..16]);
            text(format!("{a}-{b}-{c}-{}-{}", &digits[16..20], &digits[20..]).as_bytes())
        }
        Type::Utf8 => text(array.as_string::<i32>().value(row).as_bytes()),
        Type::Bytes => text(hex(array.as_binary::<i32>().value(row)).as_bytes()),
        // Compared by meaning, see `meaning`.
        Type::Timestamp => array
            .as_primitive::<TimestampMicrosecondType>()
            .value(row)
            .to_string(),
        Type::Json => {
            let value: serde_json::Value =
                serde_json::from_str(array.as_string::<i32>().value(row)).unwrap();
            value.to_string()
        }
    }
}

/// Python's answer as a `form`.
fn meaning(ty: Type, answer: &str) -> String {
    let Some(digits) = answer.strip_prefix('t') else {
        return answer.to_owned();
    };
    let text = || -> Vec<u8> {
        let pairs = digits.as_bytes().chunks(2);
        pairs
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    };
    match ty {
        Type::Timestamp => parse_timestamp(&text()).unwrap().to_string(),
        Type::Json => {
            let value: serde_json::Value = serde_json::from_slice(&text()).unwrap();
            value.to_string()
        }
        _ => answer.to_owned(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// The output of Python for `text`; `None` if there is no Python.
fn ask_python(layout: &str, kinds: &str, text: Vec<u8>) -> Option<Vec<String>> {
    let mut python = match Command::new("python3")
        .args(["-c", PYTHON, layout, kinds, NULL])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    {
        Ok(python) => python,
        Err(error) => {
            skip(&format!("python3 does not start: {error}"));
            return None;
        }
    };
    let mut stdin = python.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || stdin.write_all(&text));
    let output = python.wait_with_output().unwrap();
    feeder.join().unwrap().unwrap();
    assert!(output.status.success(), "Python cannot read the {layout}");
    let answers = String::from_utf8(output.stdout).unwrap();
    Some(answers.lines().map(str::to_owned).collect())
}

fn check(layout: &str, write: impl Fn(&[RecordBatch], &mut Vec<u8>)) {
    let whole = random_batch(7, 2000);
    // Batches that begin inside their buffers, and an empty batch.
    let batches = [
        whole.slice(0, 1),
        whole.slice(1, 0),
        whole.slice(1, 999),
        whole.slice(1000, 1000),
    ];
    let mut text = Vec::new();
    write(&batches, &mut text);

    let kinds = Type::ALL.map(Type::name).join(",");
    let types: Vec<Type> = whole
        .schema_ref()
        .fields()
        .iter()
        .map(|field| Type::of(field).unwrap())
        .collect();
    let Some(answers) = ask_python(layout, &kinds, text) else {
        return;
    };
    assert_eq!(answers.len(), whole.num_rows() * types.len());
    for (i, answer) in answers.iter().enumerate() {
        let (row, column) = (i / types.len(), i % types.len());
        let ty = types[column];
        assert_eq!(
            meaning(ty, answer),
            form(&whole, column, row),
            "{ty}, row {row}"
        );
    }
}

#[test]
fn pythons_csv_module_reads_the_same_cells() {
    check("csv", |batches, out| {
        let options = CsvStyle {
            null: NULL.into(),
            ..CsvStyle::default()
        };
        let mut writer = CsvWriter::new(options);
        writer.header(batches[0].schema_ref(), out);
        for batch in batches {
            writer.batch(batch, out, None).unwrap();
        }
    });
}

fn write_json(style: JsonStyle) -> impl Fn(&[RecordBatch], &mut Vec<u8>) {
    move |batches, out| {
        let mut writer = JsonWriter::new(style.clone(), true);
        style.begin(out);
        for batch in batches {
            writer.batch(batch, out, None).unwrap();
        }
        style.end(out);
        assert_eq!(writer.lossy_cells(), 0);
    }
}

#[test]
fn pythons_json_module_reads_the_same_lines() {
    check("lines", write_json(JsonStyle::lines()));
}

#[test]
fn pythons_json_module_reads_the_same_array() {
    check("array", write_json(JsonStyle::array()));
}
