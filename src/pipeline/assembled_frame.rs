//! Frames on the way from the assembler to the writer.

use crate::columns::TextOptions;
use crate::error::Result;
use crate::format::frame::{Frame, FrameBuilder, UntypedFrame};
use crate::stream::StoredFrame;

/// A frame to be written.
pub struct AssembledFrame {
    pub rows: AssembledRows,
    /// The positions of the columns in the order of the header; `None` if they already have that order.
    pub order: Option<Vec<usize>>,
    /// True for the first frame.
    pub first: bool,
    /// True if no row was dropped when it was read.
    pub has_all_rows: bool,
}

/// The rows of a frame, in the form they were read in.
pub enum AssembledRows {
    /// Columns whose types have not been chosen yet.
    Text(FrameBuilder),
    /// Columns with types.
    Batches(Frame),
    /// A stored frame, not decoded.
    Stored(StoredFrame),
}

/// The contents of a frame, ready to be written.
pub enum FrameContent {
    /// Rows, whose types may not have been chosen yet.
    Rows(UntypedFrame),
    /// A stored frame, not decoded.
    Stored(StoredFrame),
}

impl AssembledFrame {
    /// The contents, with columns in the order of the header.
    ///
    /// # Errors
    /// If the rows cannot be combined.
    pub fn into_content(mut self, options: &TextOptions) -> Result<FrameContent> {
        let order = self.order.take();
        let mut content = self.into_unordered(options)?;
        if let (FrameContent::Rows(untyped), Some(order)) = (&mut content, order) {
            untyped.reorder(&order);
        }
        Ok(content)
    }

    /// The contents, with columns in their original order, including those that only a condition uses.
    ///
    /// # Errors
    /// If the rows cannot be combined.
    pub fn into_unordered(self, options: &TextOptions) -> Result<FrameContent> {
        Ok(match self.rows {
            AssembledRows::Text(builder) => FrameContent::Rows(builder.finish(options)?),
            AssembledRows::Batches(frame) => FrameContent::Rows(UntypedFrame::from(frame)),
            AssembledRows::Stored(stored) => FrameContent::Stored(stored),
        })
    }

    /// The order of its columns in the header, if it differs.
    pub fn order(&self) -> Option<Vec<usize>> {
        self.order.clone()
    }

    /// True for rows whose types have not been chosen yet.
    pub fn is_text(&self) -> bool {
        matches!(self.rows, AssembledRows::Text(_))
    }
}
