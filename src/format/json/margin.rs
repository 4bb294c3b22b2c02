//! The text of a JSON input before its first row and after its last one.

use std::io::Read;

use crate::error::{Error, Result};
use crate::format::input::TextWindow;
use crate::text::json::scan::skip_space;

/// The most bytes before the first row and after the last one that are stored.
const MAX_MARGIN: usize = 64 << 20;

/// The text before the first row or after the last one.
#[derive(Default)]
pub(super) struct Margin {
    /// True if it is kept.
    pub(super) exact: bool,
    pub(super) bytes: Vec<u8>,
}

impl Margin {
    pub(super) fn new(exact: bool) -> Self {
        let bytes = Vec::new();
        Self { exact, bytes }
    }

    /// Takes `len` bytes from the input.
    pub(super) fn take<R: Read>(&mut self, input: &mut TextWindow<R>, len: usize) -> Result<()> {
        if self.exact {
            self.bytes.extend_from_slice(&input.text()[..len]);
            if self.bytes.len() > MAX_MARGIN {
                let what = format!("more than {MAX_MARGIN} bytes before or after the rows");
                let error = Error::limit(what).hint("--exact off does not keep them");
                return Err(input.spot(0).locate(error));
            }
        }
        input.skip(len);
        Ok(())
    }

    /// Takes white space until something else is visible or the input ends.
    pub(super) fn take_space<R: Read>(&mut self, input: &mut TextWindow<R>) -> Result<()> {
        loop {
            let space = skip_space(input.text(), 0);
            self.take(input, space)?;
            if !input.text().is_empty() || input.is_last() {
                return Ok(());
            }
            input.fill_block()?;
        }
    }
}
