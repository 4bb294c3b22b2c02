//! Converts blocks to arrays of the type chosen for all of them.

use std::sync::Arc;

use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{
    ArrayRef, BooleanArray, Decimal64Array, Decimal128Array, Float64Array, Int64Array,
    PrimitiveArray, UInt64Array, new_null_array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, TimeUnit};

use super::exact::{ExactType, reread};
use super::uuid_array;
use crate::columns::column::{Column, Floats, Numbers, Values};
use crate::columns::slots::array_of;
use crate::text::wide::WideNumbers;

impl ExactType {
    /// The array of one block. The type was chosen so that every valid row converts.
    pub(super) fn array(&self, block: Column, data_type: &DataType) -> ArrayRef {
        let rows = block.rows;
        let values = self.values(block, data_type);
        values.unwrap_or_else(|| new_null_array(data_type, rows))
    }

    /// The same, or `None` for blocks without a valid row.
    fn values(&self, block: Column, data_type: &DataType) -> Option<ArrayRef> {
        let Column { rows, nulls, .. } = block;
        Some(match (self, block.values) {
            (Self::Comma(number), values) => {
                number.array(Column::new(rows, nulls, values), data_type)
            }
            // Text contains only words for null.
            (_, Values::Null) | (Self::Form(_), Values::Text(_)) => return None,
            (Self::Form(form), Values::Spelled(spelled)) if spelled.form == *form => {
                slot_array(spelled.slots, nulls, data_type)
            }
            (Self::Form(form), values) => {
                let block = Column {
                    values,
                    comma: block.comma,
                    ..Column::new(rows, nulls, Values::Null)
                };
                let slots = reread(&block, form).unwrap_or_else(|| vec![0; rows]);
                slot_array(slots, block.nulls, data_type)
            }
            (Self::Bool, Values::Bool(bits)) => Arc::new(BooleanArray::new(bits, nulls)),
            (Self::Int64, values) => Arc::new(Int64Array::new(narrow(values)?.into(), nulls)),
            (Self::Decimal64(_), values) => typed(
                Decimal64Array::new(narrow(values)?.into(), nulls),
                data_type,
            ),
            (Self::UInt64, values) => {
                let values: Vec<u64> = widen(values)?.iter().map(|&value| value as u64).collect();
                Arc::new(UInt64Array::new(values.into(), nulls))
            }
            (Self::Decimal128(_), values) => typed(
                Decimal128Array::new(widen(values)?.into(), nulls),
                data_type,
            ),
            (Self::Float(_), Values::Floats(Floats { values, .. })) => {
                Arc::new(Float64Array::new(values.into(), nulls))
            }
            (Self::Float(_), Values::Numbers(numbers)) => {
                Arc::new(Float64Array::new(numbers.into_floats().into(), nulls))
            }
            (Self::Timestamp(unit), Values::Timestamps(micros)) => {
                let per_unit = match unit {
                    TimeUnit::Second => 1_000_000,
                    TimeUnit::Millisecond => 1000,
                    _ => 1,
                };
                let slots = micros.into_iter().map(|micros| micros / per_unit).collect();
                slot_array(slots, nulls, data_type)
            }
            (Self::Uuid, Values::Uuids(uuids)) | (Self::UpperUuid, Values::UpperUuids(uuids)) => {
                uuid_array(uuids, nulls)
            }
            (_, _) => return None,
        })
    }
}

/// Mantissas of eight bytes; `None` if the block has no numbers.
fn narrow(values: Values) -> Option<Vec<i64>> {
    match values {
        Values::Numbers(Numbers { mantissas, .. }) => Some(mantissas),
        Values::Wide(WideNumbers { mantissas, .. }) => {
            Some(mantissas.iter().map(|&mantissa| mantissa as i64).collect())
        }
        _ => None,
    }
}

/// Mantissas of sixteen bytes.
fn widen(values: Values) -> Option<Vec<i128>> {
    match values {
        Values::Numbers(Numbers { mantissas, .. }) => {
            Some(mantissas.into_iter().map(i128::from).collect())
        }
        Values::Wide(WideNumbers { mantissas, .. }) => Some(mantissas),
        _ => None,
    }
}

fn typed<T: ArrowPrimitiveType>(array: PrimitiveArray<T>, data_type: &DataType) -> ArrayRef {
    Arc::new(array.with_data_type(data_type.clone()))
}

/// Slots of eight bytes as an array of a type that a [`TextForm`] may have.
#[expect(clippy::expect_used, reason = "see its text")]
fn slot_array(slots: Vec<i64>, nulls: Option<NullBuffer>, data_type: &DataType) -> ArrayRef {
    if *data_type == DataType::Boolean {
        let bits = BooleanBuffer::collect_bool(slots.len(), |row| slots[row] != 0);
        return Arc::new(BooleanArray::new(bits, nulls));
    }
    let array = match data_type.primitive_width() {
        Some(4) => {
            let short = slots.iter().map(|&slot| slot as i32).collect();
            array_of::<i32>(data_type, short, nulls)
        }
        _ => array_of(data_type, slots, nulls),
    };
    array.expect("there is a bit per slot in `nulls`, and text forms have types of these sizes")
}
