//! Checks that the buffers of a message have valid lengths for its types.
//!
//! The buffers of a batch are in the order of its fields, children after their parents. arrow-ipc walks them in the
//! same way, but panics if offsets end within a number or a union is shorter than its rows.

use arrow_data::{BufferSpec, layout};
use arrow_ipc::{FieldNode, MetadataVersion};
use arrow_schema::DataType;

use crate::error::{Error, Result};
use crate::schema::child_fields;

/// The remaining buffers and nodes of a batch.
pub(super) struct Buffers<'a, N> {
    pub nodes: N,
    /// The uncompressed length of each buffer.
    pub lens: std::slice::Iter<'a, u64>,
    pub version: MetadataVersion,
}

impl<'a, N: Iterator<Item = &'a FieldNode>> Buffers<'_, N> {
    /// Checks the next array and its children.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if a buffer is missing or has an invalid length.
    pub fn array(&mut self, ty: &DataType, views: &mut impl Iterator<Item = i64>) -> Result<()> {
        let missing = || Error::corrupt(format!("no length for a column of type {ty}"));
        let rows = self.nodes.next().ok_or_else(missing)?.length();
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        // Before version 5 of the metadata, unions had a validity buffer.
        let has_validity = match ty {
            DataType::Union(..) => self.version < MetadataVersion::V5,
            _ => layout(ty).can_contain_null_mask,
        };
        if has_validity {
            self.buffer(ty, 1)?;
        }
        let is_union = matches!(ty, DataType::Union(..));
        for spec in layout(ty).buffers {
            let width = match spec {
                BufferSpec::FixedWidth {
                    byte_width,
                    alignment,
                } if alignment > 1 => byte_width as u64,
                _ => 1,
            };
            let len = self.buffer(ty, width)?;
            if is_union && len / width < rows {
                return Err(Error::corrupt(format!(
                    "a buffer of {len} bytes for {rows} rows of type {ty}"
                )));
            }
        }
        if let DataType::Utf8View | DataType::BinaryView = ty {
            for _ in 0..views.next().unwrap_or(0) {
                self.buffer(ty, 1)?;
            }
        }
        child_fields(ty)
            .into_iter()
            .try_for_each(|child| self.array(child.data_type(), views))
    }

    /// The length of the next buffer, whose items have `width` bytes.
    fn buffer(&mut self, ty: &DataType, width: u64) -> Result<u64> {
        let missing = || Error::corrupt(format!("a buffer of type {ty} is missing"));
        let len = *self.lens.next().ok_or_else(missing)?;
        if len % width == 0 {
            return Ok(len);
        }
        Err(Error::corrupt(format!(
            "a buffer of {len} bytes does not hold items of {width} bytes, as type {ty} needs"
        )))
    }
}
