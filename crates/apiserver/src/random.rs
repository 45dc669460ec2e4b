//! What must be unlike anything before.

use std::cell::RefCell;

/// So many bytes are asked of the system at a time: each question is a system call, and every request has an id.
const ASKED: usize = 1024;

thread_local! {
    static POOL: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A new uid, as RFC 9562 writes random ones.
pub(crate) fn uid() -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut bytes = take::<16>();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 0x0f] {
            text.push(char::from(DIGITS[usize::from(digit)]));
        }
    }
    text
}

/// A random number.
pub(crate) fn number() -> u64 {
    u64::from_le_bytes(take())
}

/// Fills it with random bytes.
pub(crate) fn fill(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the system has random numbers");
}

/// What Kubernetes appends to a `generateName`.
pub(crate) fn suffix() -> String {
    /// No vowels and nothing that looks like one: no words.
    const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    take::<5>().iter().map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()])).collect()
}

/// Bytes that nobody has had before.
fn take<const N: usize>() -> [u8; N] {
    POOL.with_borrow_mut(|pool| {
        if pool.len() < N {
            pool.resize(ASKED, 0);
            fill(pool);
        }
        let rest = pool.len() - N;
        let taken = std::array::from_fn(|index| pool[rest + index]);
        pool.truncate(rest);
        taken
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_uuids() {
        let id = uid();
        assert_eq!(id.len(), 36);
        assert_eq!(&id[14..15], "4");
        assert!(matches!(&id[19..20], "8" | "9" | "a" | "b"), "{id}");
    }

    #[test]
    fn nothing_is_had_twice() {
        let ids: BTreeSet<String> = (0..1000).map(|_| uid()).collect();
        assert_eq!(ids.len(), 1000);
        assert_ne!(number(), number());
    }
}
