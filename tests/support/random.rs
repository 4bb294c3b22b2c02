//! Random batches over all types of wire 1, the same ones for the same seed.

use std::sync::Arc;

use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Float32Array, Float64Array, Int16Array, Int32Array,
    Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::Schema;
use mbt::schema::Type;

use crate::chance::Random;

/// The shape of a column's values.
struct Pattern {
    /// One row in this many is null; 0 for none.
    nulls: usize,
    /// Distinct values, if few.
    distinct: usize,
    /// Bits of a value or a step.
    bits: u32,
    climbs: bool,
}

impl Pattern {
    fn of(random: &mut Random) -> Self {
        Self {
            nulls: [0, 0, 1, 2, 5][random.below(5)],
            distinct: [1, 2, 5, 300, 100_000][random.below(5)],
            bits: [1, 6, 7, 13, 20, 40, 56, 64][random.below(8)],
            climbs: random.below(2) == 0,
        }
    }

    fn numbers(&self, rows: usize, random: &mut Random) -> Vec<Option<i64>> {
        let mut running = random.next() as i64;
        (0..rows)
            .map(|_| {
                let is_null = self.nulls > 0 && random.below(self.nulls) == 0;
                let drawn = (random.next() >> (64 - self.bits)) as i64;
                let signed = if random.below(4) == 0 {
                    drawn.wrapping_neg()
                } else {
                    drawn
                };
                running = if self.climbs {
                    running.wrapping_add(signed)
                } else {
                    signed
                };
                (!is_null).then_some(running)
            })
            .collect()
    }

    fn texts(&self, rows: usize, random: &mut Random) -> Vec<Option<String>> {
        let longest = [0, 3, 8, 9, 16, 17, 60][random.below(7)];
        let alphabet: Vec<char> = "ab\0é日🦀".chars().collect();
        let words: Vec<String> = (0..self.distinct.min(rows + 1))
            .map(|_| {
                let len = random.below(longest + 1);
                (0..len).map(|_| alphabet[random.below(6)]).collect()
            })
            .collect();
        self.numbers(rows, random)
            .into_iter()
            .map(|number| number.map(|n| words[n as u64 as usize % words.len()].clone()))
            .collect()
    }
}

fn array(ty: Type, rows: usize, random: &mut Random) -> ArrayRef {
    let pattern = Pattern::of(random);
    if matches!(ty, Type::Utf8 | Type::Bytes | Type::Json) {
        let texts = pattern.texts(rows, random);
        return match ty {
            Type::Bytes => Arc::new(BinaryArray::from_iter(texts)),
            _ => Arc::new(StringArray::from_iter(texts)),
        };
    }
    let numbers = pattern.numbers(rows, random).into_iter();
    match ty {
        Type::Bool => Arc::new(numbers.map(|n| Some(n? & 1 == 1)).collect::<BooleanArray>()),
        Type::I16 => Arc::new(numbers.map(|n| Some(n? as i16)).collect::<Int16Array>()),
        Type::I32 => Arc::new(numbers.map(|n| Some(n? as i32)).collect::<Int32Array>()),
        Type::F32 => Arc::new(
            numbers
                .map(|n| Some(f32::from_bits(n? as u32)))
                .collect::<Float32Array>(),
        ),
        Type::F64 => Arc::new(
            numbers
                .map(|n| Some(f64::from_bits(n? as u64)))
                .collect::<Float64Array>(),
        ),
        Type::Timestamp => Arc::new(
            numbers
                .collect::<TimestampMicrosecondArray>()
                .with_timezone("UTC"),
        ),
        Type::Uuid => {
            let mut builder = FixedSizeBinaryBuilder::with_capacity(rows, 16);
            for number in numbers {
                match number {
                    Some(n) => {
                        let bytes = i128::from(n).wrapping_mul(0x1_0000_0001_0001).to_be_bytes();
                        builder.append_value(bytes).expect("16 bytes");
                    }
                    None => builder.append_null(),
                }
            }
            Arc::new(builder.finish())
        }
        _ => Arc::new(numbers.collect::<Int64Array>()),
    }
}

/// A batch of `rows` rows with one to eight columns.
pub fn batch(rows: usize, seed: u64) -> RecordBatch {
    let random = &mut Random(seed);
    let columns = 1 + random.below(8);
    let types: Vec<Type> = (0..columns).map(|_| Type::ALL[random.below(11)]).collect();
    let fields: Vec<_> = (types.iter().enumerate())
        .map(|(i, ty)| ty.field(["", "a", "zażółć", "c d"][i % 4]))
        .collect();
    let arrays = types.iter().map(|ty| array(*ty, rows, random)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("columns of one length")
}
