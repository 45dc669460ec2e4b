//! Which effects do not work, told once: they are tried again and again, and mostly fail in the same way.

use std::collections::BTreeMap;

/// What was told last of each key that has not come to rest since, by what was decided: that a step fails and that it cannot be
/// shown take turns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failures<K>(BTreeMap<K, BTreeMap<String, String>>);

impl<K: Ord + Clone> Failures<K> {
    pub(crate) fn new() -> Failures<K> {
        Failures(BTreeMap::new())
    }

    /// Whether this is something else than what was told last.
    pub(crate) fn is_new(&mut self, key: &K, decision: &str, outcome: &str) -> bool {
        let told = self.0.entry(key.clone()).or_default();
        told.insert(decision.to_owned(), outcome.to_owned()).as_deref() != Some(outcome)
    }

    /// A key has come to rest: what goes wrong from now on is new.
    pub(crate) fn rests(&mut self, key: &K) {
        self.0.remove(key);
    }

    /// Nothing was told.
    pub(crate) fn begin_anew(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_failure_is_told_once_until_the_key_rests() {
        let mut failures = Failures::new();
        assert!(failures.is_new(&"a", "look", "silence"));
        assert!(failures.is_new(&"a", "failing", "refused"), "that it cannot be shown is another thing");
        assert!(!failures.is_new(&"a", "look", "silence"));
        assert!(!failures.is_new(&"a", "failing", "refused"));
        assert!(failures.is_new(&"b", "look", "silence"), "another key");
        assert!(failures.is_new(&"a", "look", "unauthorized"), "it has changed");
        failures.rests(&"a");
        assert!(failures.is_new(&"a", "look", "unauthorized"), "it had worked meanwhile");
        assert!(!failures.is_new(&"b", "look", "silence"));
        failures.begin_anew();
        assert!(failures.is_new(&"b", "look", "silence"));
    }
}
