//! Uniform access to the values of text and bytes columns of all Arrow layouts.

use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryViewArray, StringViewArray};
use arrow_schema::DataType;

use crate::text::print::append_first;

/// The values of a text or bytes column with any width of offsets.
#[derive(Debug)]
pub struct Slices<'a> {
    layout: SliceLayout<'a>,
    values: &'a [u8],
    is_utf8: bool,
}

#[derive(Debug)]
enum SliceLayout<'a> {
    Small(&'a [i32]),
    Large(&'a [i64]),
    Fixed(usize),
    TextView(&'a StringViewArray),
    BytesView(&'a BinaryViewArray),
}

/// Up to so many bytes are copied as so many.
const SHORT: usize = 32;

impl<'a> Slices<'a> {
    /// The bytes of one row.
    #[inline]
    pub fn row(&self, row: usize) -> &'a [u8] {
        let (values, start, end) = self.place(row);
        &values[start..end]
    }

    /// Appends the bytes of one row.
    #[inline]
    pub fn append(&self, row: usize, out: &mut Vec<u8>) {
        let (values, start, end) = self.place(row);
        match values.get(start..).and_then(<[u8]>::first_chunk::<SHORT>) {
            Some(bytes) if end - start <= SHORT => append_first(bytes, end - start, out),
            _ => out.extend_from_slice(&values[start..end]),
        }
    }

    /// Where the bytes of a row are.
    #[inline]
    fn place(&self, row: usize) -> (&'a [u8], usize, usize) {
        let (start, end) = match self.layout {
            SliceLayout::Small(offsets) => (offsets[row] as usize, offsets[row + 1] as usize),
            SliceLayout::Large(offsets) => (offsets[row] as usize, offsets[row + 1] as usize),
            SliceLayout::Fixed(width) => (row * width, (row + 1) * width),
            SliceLayout::TextView(array) => {
                let value = array.value(row).as_bytes();
                return (value, 0, value.len());
            }
            SliceLayout::BytesView(array) => {
                let value = array.value(row);
                return (value, 0, value.len());
            }
        };
        (self.values, start, end)
    }

    /// The bytes of all rows in one slice, if they are contiguous.
    pub fn all(&self) -> Option<&'a [u8]> {
        let ends = |first: Option<usize>, last: Option<usize>| first.zip(last);
        let (start, end) = match self.layout {
            SliceLayout::Small(offsets) => {
                let place = |offset: Option<&i32>| offset.map(|&offset| offset as usize);
                ends(place(offsets.first()), place(offsets.last()))?
            }
            SliceLayout::Large(offsets) => {
                let place = |offset: Option<&i64>| offset.map(|&offset| offset as usize);
                ends(place(offsets.first()), place(offsets.last()))?
            }
            SliceLayout::Fixed(_) => (0, self.values.len()),
            SliceLayout::TextView(_) | SliceLayout::BytesView(_) => return None,
        };
        self.values.get(start..end)
    }

    /// True if the Arrow type guarantees UTF-8.
    #[inline]
    pub fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    /// The values of a text or bytes array; `None` for arrays of other types.
    pub fn of(array: &'a dyn Array) -> Option<Self> {
        let is_utf8 = matches!(
            array.data_type(),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        );
        let (layout, values) = match array.data_type() {
            DataType::Utf8 => {
                let array = array.as_string::<i32>();
                (
                    SliceLayout::Small(array.offsets()),
                    array.values().as_slice(),
                )
            }
            DataType::LargeUtf8 => {
                let array = array.as_string::<i64>();
                (
                    SliceLayout::Large(array.offsets()),
                    array.values().as_slice(),
                )
            }
            DataType::Binary => {
                let array = array.as_binary::<i32>();
                (
                    SliceLayout::Small(array.offsets()),
                    array.values().as_slice(),
                )
            }
            DataType::LargeBinary => {
                let array = array.as_binary::<i64>();
                (
                    SliceLayout::Large(array.offsets()),
                    array.values().as_slice(),
                )
            }
            DataType::FixedSizeBinary(width) => {
                let width = usize::try_from(*width).ok()?;
                (
                    SliceLayout::Fixed(width),
                    array.as_fixed_size_binary().value_data(),
                )
            }
            DataType::Utf8View => (SliceLayout::TextView(array.as_string_view()), &[][..]),
            DataType::BinaryView => (SliceLayout::BytesView(array.as_binary_view()), &[][..]),
            _ => return None,
        };
        Some(Self {
            layout,
            values,
            is_utf8,
        })
    }
}
