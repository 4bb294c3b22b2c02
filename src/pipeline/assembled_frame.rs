//! Frames between the assembler and whoever prints them.

use crate::columns::TextOptions;
use crate::error::Result;
use crate::format::frame::{Frame, FrameBuilder, UntypedFrame};
use crate::stream::StoredFrame;

/// A frame on its way to be printed.
pub struct AssembledFrame {
    pub rows: Rows,
    /// The columns in the order of the header; `None` if that is how they are.
    pub order: Option<Vec<usize>>,
    /// It is the first frame.
    pub first: bool,
    /// No row was dropped where it was read.
    pub has_all_rows: bool,
}

/// The rows of a frame, in the form in which they came.
pub enum Rows {
    /// Columns whose types are still to be chosen.
    Text(FrameBuilder),
    /// Columns with types.
    Batches(Frame),
    /// As they were read.
    Stored(StoredFrame),
}

/// What there is to print.
pub enum FrameContent {
    /// Rows, whose types may still have to be chosen.
    Rows(UntypedFrame),
    /// A frame as it was read.
    Stored(StoredFrame),
}

impl AssembledFrame {
    /// What there is to print, its columns in the order of the header.
    ///
    /// # Errors
    /// If rows do not go together.
    pub fn into_content(mut self, options: &TextOptions) -> Result<FrameContent> {
        let order = self.order.take();
        let mut content = self.into_unordered(options)?;
        if let (FrameContent::Rows(untyped), Some(order)) = (&mut content, order) {
            untyped.reorder(&order);
        }
        Ok(content)
    }

    /// What there is to print, its columns as they came, those that only a condition asked for too.
    ///
    /// # Errors
    /// If rows do not go together.
    pub fn into_unordered(self, options: &TextOptions) -> Result<FrameContent> {
        Ok(match self.rows {
            Rows::Text(builder) => FrameContent::Rows(builder.finish(options)?),
            Rows::Batches(frame) => FrameContent::Rows(UntypedFrame::from(frame)),
            Rows::Stored(stored) => FrameContent::Stored(stored),
        })
    }

    /// The order of its columns in the header, if it is another one.
    pub fn order(&self) -> Option<Vec<usize>> {
        self.order.clone()
    }

    /// True for rows whose types are still to be chosen.
    pub fn is_text(&self) -> bool {
        matches!(self.rows, Rows::Text(_))
    }
}
