//! Names that follow from what they are of: who makes the same again, makes it under the same name.

use serde_json::Value;

/// Letters that make no words, as Kubernetes has them.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// A hash of a value: the same for the same value, in whatever order its fields come.
pub(crate) fn hash(value: &Value) -> String {
    let mut fnv = Fnv::new();
    fnv.value(value);
    // As the real one: the digits of 32 bits, in other letters.
    let digits = (fnv.0 as u32).to_string();
    digits.bytes().map(|digit| char::from(LETTERS[usize::from(digit) % LETTERS.len()])).collect()
}

/// The last part of the name of the `n`th child of an owner.
pub(crate) fn suffix(owner_uid: &str, n: u64) -> String {
    let mut fnv = Fnv::new();
    fnv.bytes(owner_uid.as_bytes());
    fnv.bytes(&n.to_le_bytes());
    let mut rest = fnv.mixed();
    let letters = LETTERS.len() as u64;
    (0..5)
        .map(|_| {
            let letter = LETTERS[(rest % letters) as usize];
            rest /= letters;
            char::from(letter)
        })
        .collect()
}

/// A number that follows from a uid, for addresses.
pub(crate) fn number(uid: &str) -> u64 {
    let mut fnv = Fnv::new();
    fnv.bytes(uid.as_bytes());
    fnv.mixed()
}

/// A name before its last dash.
pub(crate) fn stem(name: &str) -> Option<&str> {
    name.rsplit_once('-').map(|(stem, _)| stem)
}

/// A name before its last dash, and the number after it.
pub(crate) fn ordinal(name: &str) -> Option<(&str, i64)> {
    let (stem, number) = name.rsplit_once('-')?;
    // A name has one form: `a-01` is nobody's first.
    let parsed: i64 = number.parse().ok()?;
    (parsed.to_string() == number && parsed >= 0).then_some((stem, parsed))
}

/// FNV-1a.
struct Fnv(u64);

impl Fnv {
    fn new() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // What comes next is another word.
        self.0 = (self.0 ^ 0xff).wrapping_mul(0x0100_0000_01b3);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_unstable_by_key(|(name, _)| *name);
                self.bytes(b"{");
                for (name, value) in fields {
                    self.bytes(name.as_bytes());
                    self.value(value);
                }
                self.bytes(b"}");
            }
            Value::Array(items) => {
                self.bytes(b"[");
                items.iter().for_each(|item| self.value(item));
                self.bytes(b"]");
            }
            other => self.bytes(other.to_string().as_bytes()),
        }
    }

    /// With the upper half mixed into the lower, which FNV leaves poor for short texts.
    fn mixed(&self) -> u64 {
        let x = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^ (x >> 33)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_hash_is_of_the_value_and_its_structure() {
        assert_eq!(hash(&json!({"a": 1, "b": [2]})), hash(&json!({"b": [2], "a": 1})));
        assert_ne!(hash(&json!({"a": ["b"]})), hash(&json!({"a": "b"})));
        assert_ne!(hash(&json!(["ab", "c"])), hash(&json!(["a", "bc"])));
    }

    #[test]
    fn suffixes_differ_and_come_back() {
        let all: std::collections::BTreeSet<_> = (0..1_000).map(|n| suffix("uid", n)).collect();
        assert!(all.len() > 990, "{}", all.len());
        assert_eq!(suffix("uid", 7), suffix("uid", 7));
    }

    #[test]
    fn ordinals_have_one_form() {
        assert_eq!(ordinal("web-10"), Some(("web", 10)));
        assert_eq!(ordinal("web-01"), None);
        assert_eq!(ordinal("web--1"), Some(("web-", 1)));
        assert_eq!(ordinal("web"), None);
    }
}
