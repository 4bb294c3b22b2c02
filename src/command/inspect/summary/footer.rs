//! Summarizes the footer of a file of pages.

use super::{Summary, Taken};
use crate::error::Result;
use crate::format::footer::ReadFooter;
use crate::pipeline::Source;

impl Summary {
    /// Reads the footer of a file of pages.
    pub(super) fn of_footer(input: Source, read: ReadFooter, max_frame: u64) -> Result<Self> {
        let mut summary = Self {
            file: input.path.display().to_string(),
            paged: Some(input.format.kind),
            ..Self::default()
        };
        let footer = read(input.bytes, input.file, max_frame)?;
        summary.header = (footer.footer_bytes, footer.footer_bytes);
        summary.index = footer.index_bytes;
        let mut known = footer.footer_bytes + footer.index_bytes;
        let mut plain = known;
        summary.frames = footer.groups.len() as u64;
        for group in &footer.groups {
            summary.rows += group.rows;
            let mut taken = Taken::default();
            for leaf in group.leaves(&footer.schema) {
                known += leaf.stored;
                plain += leaf.plain;
                summary.column(leaf.path.clone(), &mut taken).add_leaf(leaf);
            }
        }
        summary.unused = footer.file_bytes.saturating_sub(known);
        summary.plain = plain + summary.unused;
        summary.bytes = footer.file_bytes.saturating_sub(summary.index);
        summary.arrange();
        Ok(summary)
    }
}
