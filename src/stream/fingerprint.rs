//! What tells one text from all others.

use twox_hash::XxHash3_128;

/// The length and the XXH3-128 of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Bytes.
    pub len: u64,
    /// XXH3 of 128 bits, seed 0.
    pub hash: u128,
}

/// Takes the fingerprint of a text that comes piece by piece.
#[derive(Default)]
pub struct Fingerprinter {
    len: u64,
    hasher: XxHash3_128,
}

impl Fingerprinter {
    /// Goes on with the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.len += piece.len() as u64;
        self.hasher.write(piece);
    }

    /// The fingerprint of all so far.
    pub fn finish(&self) -> Fingerprint {
        Fingerprint {
            len: self.len,
            hash: self.hasher.finish_128(),
        }
    }
}

/// What is known of a text at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Of the whole text.
    pub fingerprint: Fingerprint,
    /// What comes behind the last record and belongs to none.
    pub tail: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_the_fingerprint_of_the_whole() {
        let text: Vec<u8> = (0..100_000u32)
            .map(|i| (i.wrapping_mul(i) >> 7) as u8)
            .collect();
        for size in [1, 100, 4096, 100_000] {
            let mut fingerprint = Fingerprinter::default();
            text.chunks(size)
                .for_each(|piece| fingerprint.update(piece));
            let whole = XxHash3_128::oneshot(&text);
            assert_eq!(
                fingerprint.finish(),
                Fingerprint {
                    len: 100_000,
                    hash: whole
                }
            );
        }
        // The value that the reference implementation gives for no bytes.
        let empty = 0x99aa_06d3_0147_98d8_6001_c324_468d_497f;
        assert_eq!(
            Fingerprinter::default().finish(),
            Fingerprint {
                len: 0,
                hash: empty
            }
        );
    }
}
