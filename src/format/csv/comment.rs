//! What comment lines start with.

/// The start of comment lines, such as `#` or `//`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommentMark {
    len: u8,
    bytes: [u8; Self::MOST],
}

impl CommentMark {
    /// The most bytes.
    pub const MOST: usize = 7;

    /// The mark with these bytes; `None` if they are too few or too many, or not visible ASCII.
    pub fn new(text: &[u8]) -> Option<Self> {
        text.iter().all(u8::is_ascii_graphic).then_some(())?;
        let mut bytes = [0; Self::MOST];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        let len = u8::try_from(text.len()).ok().filter(|&len| len > 0)?;
        Some(Self { len, bytes })
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// True if a text starts with it.
    #[inline]
    pub fn begins(self, text: &[u8]) -> bool {
        text.starts_with(self.bytes())
    }

    /// True if a text contains it.
    pub fn is_in(self, text: &[u8]) -> bool {
        memchr::memmem::find(text, self.bytes()).is_some()
    }
}
