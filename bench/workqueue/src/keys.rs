//! The keys.

use std::sync::Arc;

/// What Go's strings are: who clones one copies no text.
pub(crate) type Key = Arc<str>;

/// The keys, in an order that is none, which is the same for all contestants.
///
/// They are made in order, and then shuffled: neither a map nor a tree shall profit from neighbours that come together.
pub(crate) fn keys(count: usize) -> Vec<Key> {
    let mut keys: Vec<Key> =
        (0..count).map(|i| format!("team-{:03}/service-{i:06}", i % 100).into()).collect();
    let mut shuffled: u64 = 0x9e37_79b9_7f4a_7c15;
    for i in (1..count).rev() {
        shuffled ^= shuffled << 13;
        shuffled ^= shuffled >> 7;
        shuffled ^= shuffled << 17;
        keys.swap(i, (shuffled % (i as u64 + 1)) as usize);
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_all_there_and_in_no_order() {
        let mut shuffled = keys(1000);
        assert!(!shuffled.is_sorted());
        shuffled.sort_unstable();
        shuffled.dedup();
        assert_eq!((shuffled.len(), &*shuffled[0]), (1000, "team-000/service-000000"));
    }
}
