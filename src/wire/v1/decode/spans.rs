//! Builds arrays of text or bytes from offsets and data.
//!
//! Arrow's checked constructors check every offset and every byte again one by one, which took half of the time of
//! reading a text column. The checks here are as strict and let the compiler use wide registers. This is the only
//! unsafe code in `wire`.
#![allow(unsafe_code)]

use std::sync::Arc;

use arrow_array::types::{ByteArrayType, GenericBinaryType, GenericStringType};
use arrow_array::{ArrayRef, GenericByteArray, OffsetSizeTrait};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};

/// The array of the rows given by 32-bit `offsets` into `data`: text if requested and all of it is UTF-8, otherwise
/// bytes. Uses 64-bit offsets if Arrow's signed 32-bit ones are too small.
///
/// # Panics
/// If offsets decrease or exceed the data, which callers must rule out.
pub(super) fn array(
    text: bool,
    offsets: Buffer,
    data: Buffer,
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    if i32::try_from(data.len()).is_ok() {
        return of_width::<i32>(text, ScalarBuffer::from(offsets), data, nulls);
    }
    let wide: Vec<i64> = ScalarBuffer::<u32>::from(offsets)
        .iter()
        .map(|offset| i64::from(*offset))
        .collect();
    of_width(text, ScalarBuffer::from(wide), data, nulls)
}

fn of_width<O: OffsetSizeTrait>(
    text: bool,
    offsets: ScalarBuffer<O>,
    data: Buffer,
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    if text && is_text(&offsets, &data) {
        // SAFETY: this is text.
        Arc::new(unsafe { checked::<GenericStringType<O>>(offsets, data, nulls) })
    } else {
        // SAFETY: bytes may be any.
        Arc::new(unsafe { checked::<GenericBinaryType<O>>(offsets, data, nulls) })
    }
}

/// True if all data is UTF-8 and no offset is inside a character.
fn is_text<O: OffsetSizeTrait>(offsets: &[O], data: &[u8]) -> bool {
    if data.is_ascii() {
        return true;
    }
    let starts_character = |offset: &O| match data.get(offset.as_usize()) {
        Some(byte) => byte & 0xc0 != 0x80,
        None => true,
    };
    simdutf8::basic::from_utf8(data).is_ok()
        && offsets
            .iter()
            .fold(true, |all, offset| all & starts_character(offset))
}

/// The array, after the checks of Arrow's `try_new`, except that text is not checked.
///
/// # Safety
/// If `T` is text, [`is_text`] must be true.
///
/// # Panics
/// If there is no offset, offsets decrease or exceed the data, or the number of nulls is another one.
unsafe fn checked<T: ByteArrayType>(
    offsets: ScalarBuffer<T::Offset>,
    data: Buffer,
    nulls: Option<NullBuffer>,
) -> GenericByteArray<T> {
    let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
    assert!(first >= T::Offset::default() && last.as_usize() <= data.len());
    let falls = |[from, to]: &[T::Offset; 2]| from > to;
    assert!(
        !offsets
            .array_windows()
            .fold(false, |any, pair| any | falls(pair))
    );
    assert!(
        nulls
            .as_ref()
            .is_none_or(|nulls| nulls.len() == offsets.len() - 1)
    );
    // SAFETY: there is an offset, the first is not negative, and none is less than the previous one.
    let offsets = unsafe { OffsetBuffer::new_unchecked(offsets) };
    // SAFETY: the last offset, and so every offset, is within the data, and there is a validity bit per row; if `T` is
    // text, the caller guarantees that the data is UTF-8 and that offsets are between characters.
    unsafe { GenericByteArray::new_unchecked(offsets, data, nulls) }
}

#[cfg(test)]
mod tests {
    use arrow_array::{BinaryArray, StringArray};

    use super::*;

    /// The same array with Arrow's own checks.
    fn by_arrow(offsets: &[i32], data: &[u8]) -> ArrayRef {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets.to_vec()));
        match StringArray::try_new(offsets.clone(), Buffer::from(data), None) {
            Ok(text) => Arc::new(text),
            Err(_) => Arc::new(BinaryArray::new(offsets, Buffer::from(data), None)),
        }
    }

    #[test]
    fn text_is_what_arrow_takes_for_text() {
        let euro = "a€b".as_bytes();
        for data in [
            &b""[..],
            b"abcde",
            euro,
            b"a\xe2\x82bb",
            b"\x80abcd",
            b"abcd\xe2",
            b"abcd\xff",
        ] {
            let end = data.len() as i32;
            for from in 0..=end {
                for to in from..=end {
                    let offsets = [0, from, to, end];
                    let found = array(
                        true,
                        Buffer::from_slice_ref(offsets),
                        Buffer::from(data),
                        None,
                    );
                    assert_eq!(&found, &by_arrow(&offsets, data));
                    assert_eq!(found.data_type(), by_arrow(&offsets, data).data_type());
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "any | falls")]
    fn offsets_that_decrease_make_no_array() {
        array(
            true,
            Buffer::from_slice_ref([0, 2, 1, 3]),
            Buffer::from(b"abc"),
            None,
        );
    }

    #[test]
    #[should_panic(expected = "data.len()")]
    fn offsets_beyond_the_data_make_no_array() {
        array(
            false,
            Buffer::from_slice_ref([0, 4]),
            Buffer::from(b"abc"),
            None,
        );
    }
}
