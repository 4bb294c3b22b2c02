//! Byte sequences in which long runs are shared instead of copied.
//!
//! Most bytes that an encoder writes are already in memory. Copying them first costs as much as writing them, and
//! allocating memory for the copy costs more.

use arrow_buffer::Buffer;

/// Shorter runs are copied, which is cheaper than a separate piece.
const SHARED_BYTES: usize = 4 << 10;

/// Owned bytes interspersed with shared ones.
#[derive(Debug)]
pub struct Rope {
    /// The owned bytes, end to end.
    pub own: Vec<u8>,
    /// The shared buffers, each with the number of owned bytes before it.
    shared: Vec<(usize, Buffer)>,
    shared_len: usize,
    shares: bool,
}

impl Rope {
    /// A rope that starts with the bytes in `own`.
    pub fn new(own: Vec<u8>) -> Self {
        Self {
            own,
            shared: Vec::new(),
            shared_len: 0,
            shares: true,
        }
    }

    /// A rope that copies everything, so that `own` contains all bytes.
    pub fn contiguous(own: Vec<u8>) -> Self {
        Self {
            shares: false,
            ..Self::new(own)
        }
    }

    /// Number of bytes.
    pub fn len_bytes(&self) -> usize {
        self.own.len() + self.shared_len
    }

    /// Appends `len` bytes of a buffer.
    pub fn push(&mut self, buffer: &Buffer, start: usize, len: usize) {
        if self.shares && len >= SHARED_BYTES {
            let run = buffer.slice_with_length(start, len);
            self.shared.push((self.own.len(), run));
            self.shared_len += len;
        } else {
            self.own.extend_from_slice(&buffer[start..start + len]);
        }
    }

    /// The bytes, run by run.
    pub fn runs(&self) -> impl Iterator<Item = &[u8]> {
        let mut at = 0;
        let shared = self.shared.iter().flat_map(move |(before, run)| {
            let own = &self.own[at..*before];
            at = *before;
            [own, run.as_slice()]
        });
        let last = self.shared.last().map_or(0, |(before, _)| *before);
        shared
            .chain(std::iter::once(&self.own[last..]))
            .filter(|run| !run.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_stay_where_they_are() {
        let long = Buffer::from_vec(vec![7u8; 2 * SHARED_BYTES]);
        let short = Buffer::from_vec(vec![1u8, 2, 3]);
        let mut whole = Rope::contiguous(vec![0]);
        let mut rope = Rope::new(vec![0]);
        for rope in [&mut whole, &mut rope] {
            rope.push(&short, 1, 2);
            rope.push(&long, 5, SHARED_BYTES);
            rope.push(&long, 0, SHARED_BYTES);
            rope.own.push(9);
        }
        assert_eq!(rope.own[..], [0, 2, 3, 9]);
        assert_eq!(rope.len_bytes(), whole.own.len());
        assert_eq!(rope.runs().collect::<Vec<_>>().concat(), whole.own[..]);
        assert_eq!(rope.runs().count(), 4);
    }
}
