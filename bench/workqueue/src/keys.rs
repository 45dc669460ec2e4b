//! The keys.

use std::sync::Arc;

/// What Go's strings are: who clones one copies no text.
pub(crate) type Key = Arc<str>;

/// The keys in order, as a list brings them.
pub(crate) fn sorted(count: usize) -> Vec<Key> {
    (0..count).map(|i| format!("service-{i:06}/team-{:03}", i % 100).into()).collect()
}

/// Puts keys into an order that is none, which is the same for all contestants: nobody shall profit from neighbours that
/// come together.
pub(crate) fn shuffle(keys: &mut [Key]) {
    let mut shuffled: u64 = 0x9e37_79b9_7f4a_7c15;
    for i in (1..keys.len()).rev() {
        shuffled ^= shuffled << 13;
        shuffled ^= shuffled >> 7;
        shuffled ^= shuffled << 17;
        keys.swap(i, (shuffled % (i as u64 + 1)) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_all_there_and_in_no_order() {
        let mut keys = sorted(1000);
        assert!(keys.is_sorted());
        shuffle(&mut keys);
        assert!(!keys.is_sorted());
        keys.sort_unstable();
        assert_eq!(keys, sorted(1000));
    }
}
