//! What proves that what is read is what was written: redb checks pages when a file is opened, but not those that it
//! reads while it runs. A page that went bad meanwhile would be copied into good ones, and nobody could tell any more.
//!
//! So each record carries a seal over itself and its key, and the state of the store a sum over which records there are,
//! each at its version. The sum is carried on in memory: what is read from a bad disk does not get into it.

use std::hash::Hasher;

use bowline_kernel::Version;
use siphasher::sip128::{Hasher128, SipHasher13};

/// How long a seal is.
pub(super) const SEAL: usize = 16;

/// What damage does not leave as it is. Whoever wants to forge it can: that is not what it is for.
pub(super) fn seal(key: &[u8], record: &[u8]) -> [u8; SEAL] {
    hash(key, record).to_le_bytes()
}

fn hash(key: &[u8], rest: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new();
    // Where the key ends must not be open to doubt.
    hasher.write_u64(key.len() as u64);
    hasher.write(key);
    hasher.write(rest);
    hasher.finish128().as_u128()
}

/// Which records there are, each at its version: the same for the same set, in whatever order they came and went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Sum {
    hashes: u128,
    /// How many.
    pub(super) count: u64,
}

/// How long a sum is in the file.
pub(super) const SUM: usize = 24;

impl Sum {
    /// A record comes.
    pub(super) fn add(&mut self, key: &[u8], version: Version) {
        self.hashes = self.hashes.wrapping_add(hash(key, &version.0.to_le_bytes()));
        self.count = self.count.wrapping_add(1);
    }

    /// A record goes.
    pub(super) fn remove(&mut self, key: &[u8], version: Version) {
        self.hashes = self.hashes.wrapping_sub(hash(key, &version.0.to_le_bytes()));
        self.count = self.count.wrapping_sub(1);
    }

    pub(super) fn to_bytes(self) -> [u8; SUM] {
        let mut out = [0; SUM];
        out[..16].copy_from_slice(&self.hashes.to_le_bytes());
        out[16..].copy_from_slice(&self.count.to_le_bytes());
        out
    }

    pub(super) fn from_bytes(bytes: &[u8; SUM]) -> Sum {
        let (hashes, count) = bytes.split_at(16);
        let hashes = hashes.try_into().map_or(0, u128::from_le_bytes);
        let count = count.try_into().map_or(0, u64::from_le_bytes);
        Sum { hashes, count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_tells_sets_apart_and_not_orders() {
        let mut one = Sum::default();
        one.add(b"a", Version(1));
        one.add(b"b", Version(2));
        let mut other = Sum::default();
        other.add(b"b", Version(1));
        other.add(b"a", Version(1));
        assert_ne!(one, other);
        other.remove(b"b", Version(1));
        other.add(b"b", Version(2));
        assert_eq!(one, other);
        assert_eq!(Sum::from_bytes(&one.to_bytes()), one);
        other.remove(b"b", Version(2));
        assert_ne!(one, other);
    }

    #[test]
    fn a_seal_is_of_one_key_and_one_record() {
        let whole = seal(b"key", b"record");
        assert_ne!(whole, seal(b"key", b"recorc"));
        assert_ne!(whole, seal(b"kez", b"record"));
        assert_ne!(whole, seal(b"keyr", b"ecord"));
    }
}
