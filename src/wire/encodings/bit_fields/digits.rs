//! The digits of bit fields.

use crate::error::{Error, Result};

/// A digit's value is its place in the alphabet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// Any bytes, 8 bits each.
    Bytes,
    /// `0` to `9` and `a` to `f`.
    HexLower,
    /// `0` to `9` and `A` to `F`.
    HexUpper,
    /// Crockford's base 32 in upper case: digits and letters without I, L, O and U.
    Base32Upper,
    /// The same in lower case.
    Base32Lower,
}

/// What no digit has as its value.
const NONE: u8 = u8::MAX;

const ALPHABETS: [&[u8]; 4] = [
    b"0123456789abcdef",
    b"0123456789ABCDEF",
    b"0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    b"0123456789abcdefghjkmnpqrstvwxyz",
];

/// The value of each byte as a digit of each alphabet, or `NONE`.
static VALUES: [[u8; 256]; 4] = {
    let mut values = [[NONE; 256]; 4];
    let mut alphabet = 0;
    while alphabet < ALPHABETS.len() {
        let mut value = 0;
        while value < ALPHABETS[alphabet].len() {
            values[alphabet][ALPHABETS[alphabet][value] as usize] = value as u8;
            value += 1;
        }
        alphabet += 1;
    }
    values
};

impl Digits {
    /// All kinds, by their number in files; of several that suit a text, the first is taken.
    pub const ALL: [Self; 5] = [
        Self::Bytes,
        Self::HexLower,
        Self::HexUpper,
        Self::Base32Upper,
        Self::Base32Lower,
    ];

    /// The number in files.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The digits of a number in files.
    ///
    /// # Errors
    /// [`crate::error::Kind::Unsupported`] if no digits have this number.
    pub fn of_code(code: u8) -> Result<Self> {
        let known = Self::ALL.get(usize::from(code)).copied();
        known.ok_or_else(|| Error::unsupported(format_args!("digits {code}")))
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::HexLower => "hex",
            Self::HexUpper => "HEX",
            Self::Base32Upper => "BASE32",
            Self::Base32Lower => "base32",
        }
    }

    /// Number of bits of a digit.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bytes => 8,
            Self::HexLower | Self::HexUpper => 4,
            Self::Base32Upper | Self::Base32Lower => 5,
        }
    }

    /// The most digits of a field, which has 64 bits at most.
    pub fn most(self) -> usize {
        (u64::BITS / self.bits()) as usize
    }

    /// The number of the alphabet; `None` for bytes.
    fn alphabet(self) -> Option<usize> {
        (self as usize).checked_sub(1)
    }

    /// The value of a byte; `None` if it is not a digit.
    pub fn value(self, byte: u8) -> Option<u8> {
        match self.alphabet() {
            None => Some(byte),
            Some(alphabet) => {
                Some(VALUES[alphabet][usize::from(byte)]).filter(|value| *value != NONE)
            }
        }
    }

    /// The integer that some digits represent, which have at most 64 bits; `None` if one is not a digit.
    pub fn parse(self, text: &[u8]) -> Option<u64> {
        let bits = self.bits();
        text.iter().try_fold(0, |number: u64, byte| {
            Some(number << bits | u64::from(self.value(*byte)?))
        })
    }

    /// Prints an integer in as many digits as `place` has; false if these are too few.
    pub fn print(self, number: u64, place: &mut [u8]) -> bool {
        let mut rest = u128::from(number);
        let mask = (1 << self.bits()) - 1;
        let alphabet = self.alphabet().map(|alphabet| ALPHABETS[alphabet]);
        for byte in place.iter_mut().rev() {
            let value = (rest & mask) as u8;
            *byte = alphabet.map_or(value, |alphabet| alphabet[usize::from(value)]);
            rest >>= self.bits();
        }
        rest == 0
    }
}
