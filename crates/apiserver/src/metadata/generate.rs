//! Names that the server chooses.

use crate::random;

/// How long a prefix may be, so that the name has at most 63 characters with the five that are appended.
const PREFIX: usize = 58;

/// A name that begins like this.
pub(super) fn name(prefix: &str) -> String {
    let mut end = prefix.len().min(PREFIX);
    while !prefix.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{}", &prefix[..end], random::suffix())
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
}
