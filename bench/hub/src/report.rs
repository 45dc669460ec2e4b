//! What was measured, each quantity by its name, with its unit at the end.

use std::collections::BTreeMap;

use serde::Serialize;

#[derive(Default, Serialize)]
pub(crate) struct Report(BTreeMap<String, f64>);

impl Report {
    pub(crate) fn put(&mut self, name: impl Into<String>, value: f64) {
        self.0.insert(name.into(), value);
    }

    /// Takes all of another one, each name after a prefix.
    pub(crate) fn put_all(&mut self, prefix: &str, other: Report) {
        self.0.extend(other.0.into_iter().map(|(name, value)| (format!("{prefix}{name}"), value)));
    }
}
