//! Which place is whose.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use siphasher::sip::SipHasher13;

use crate::entry::Entry;
use crate::lanes::Place;

/// The places by their keys, which are in the entries. Nobody walks along it, so nothing that a queue does depends on the
/// hashes, or on the seed.
///
/// A tree would need no seed, and was three times as slow with 100,000 names (`bench/README.md`). Users choose the names, so
/// the hash is one that is made to be keyed.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    places: HashTable<Place>,
    seed: (u64, u64),
}

impl Index {
    pub(crate) fn new(seed: (u64, u64)) -> Index {
        Index { places: HashTable::new(), seed }
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// What the other methods want to know of a key.
    pub(crate) fn hash<K: Hash>(&self, key: &K) -> u64 {
        hash(self.seed, key)
    }

    /// The place of a key.
    pub(crate) fn find<K: Eq>(&self, entries: &[Entry<K>], key: &K, hash: u64) -> Option<Place> {
        self.places.find(hash, |place| entries[*place as usize].key == *key).copied()
    }

    /// A place has a key that had none.
    pub(crate) fn insert<K: Hash>(&mut self, entries: &[Entry<K>], place: Place, hash_of_key: u64) {
        let seed = self.seed;
        self.places.insert_unique(hash_of_key, place, |other| hash(seed, &entries[*other as usize].key));
    }

    /// A place is given to somebody else.
    pub(crate) fn remove<K: Hash>(&mut self, entries: &[Entry<K>], place: Place) {
        let hash = self.hash(&entries[place as usize].key);
        if let Ok(found) = self.places.find_entry(hash, |other| *other == place) {
            found.remove();
        }
    }
}

fn hash<K: Hash>(seed: (u64, u64), key: &K) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(seed.0, seed.1);
    key.hash(&mut hasher);
    hasher.finish()
}
