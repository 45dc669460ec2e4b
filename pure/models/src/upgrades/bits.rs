//! Small numbers, one after the other.

/// Numbers that are written.
#[derive(Default)]
pub(crate) struct Pack {
    bits: u128,
    at: u32,
}

impl Pack {
    /// The next number, in so many bits.
    pub(crate) fn put(&mut self, width: u32, number: impl Into<u64>) {
        let number: u64 = number.into();
        assert!(number >> width == 0, "{number} does not fit into {width} bits");
        self.bits |= u128::from(number) << self.at;
        self.at += width;
    }

    /// What comes next begins at this bit.
    pub(crate) fn skip_to(&mut self, at: u32) {
        assert!(self.at <= at, "there is no room for it");
        self.at = at;
    }

    pub(crate) fn bits(&self) -> u128 {
        self.bits
    }
}

/// Numbers that are read.
pub(crate) struct Unpack {
    bits: u128,
    at: u32,
}

impl Unpack {
    pub(crate) fn of(bits: u128) -> Unpack {
        Unpack { bits, at: 0 }
    }

    pub(crate) fn get(&mut self, width: u32) -> u8 {
        let number = self.bits >> self.at & ((1 << width) - 1);
        self.at += width;
        number as u8
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.get(1) == 1
    }

    pub(crate) fn skip_to(&mut self, at: u32) {
        self.at = at;
    }
}

/// The bits of a body, and a body of bits.
pub(crate) fn from_bytes<const N: usize>(bytes: [u8; N]) -> u128 {
    bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

pub(crate) fn to_bytes<const N: usize>(bits: u128) -> [u8; N] {
    std::array::from_fn(|place| (bits >> (8 * place)) as u8)
}
