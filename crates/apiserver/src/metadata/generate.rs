//! Names and ids that the server chooses.

/// Letters and digits that make no words, and that are not mistaken for each other.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
/// How long a suffix is.
const SUFFIX: usize = 5;
/// How long a prefix may be, so that the name has at most 63 characters.
const PREFIX: usize = 63 - SUFFIX;

/// A name that begins like this.
pub(super) fn name(prefix: &str) -> String {
    let mut end = prefix.len().min(PREFIX);
    while !prefix.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{}", &prefix[..end], suffix())
}

/// Five letters or digits.
pub fn suffix() -> String {
    random::<SUFFIX>().iter().map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()])).collect()
}

/// A new id: a UUID of version 4.
pub fn uid() -> String {
    let mut bytes = random::<16>();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has a source of randomness");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_fit() {
        assert_eq!(name("a-").len(), 7);
        assert!(name("a-").starts_with("a-"));
        assert_eq!(name(&"x".repeat(200)).len(), 63);
    }

    #[test]
    fn ids_are_uuids() {
        let id = uid();
        assert_eq!(id.len(), 36);
        assert_eq!(&id[14..15], "4");
        assert!(matches!(&id[19..20], "8" | "9" | "a" | "b"), "{id}");
        assert_ne!(id, uid());
    }
}
