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

impl AssembledRows {
    /// The contents, with columns in their original order.
    ///
    /// # Errors
    /// If the rows cannot be combined.
    pub fn into_content(self, options: &TextOptions) -> Result<FrameContent> {
        Ok(match self {
            Self::Text(builder) => FrameContent::Rows(builder.finish(options)?),
            Self::Batches(frame) => FrameContent::Rows(frame.into()),
            Self::Stored(stored) => FrameContent::Stored(stored),
        })
    }
}
