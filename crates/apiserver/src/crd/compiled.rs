//! The kinds that definitions add, each compiled once.

use std::collections::BTreeMap;
use std::sync::Arc;

use bowline_kernel::{Object, Version};

use super::served::kinds;
use crate::document::Document;
use crate::key::Key;
use crate::kinds::Kind;

/// What definitions have added, and by which version of each.
///
/// Compiling is much work, and all wait for it who write: without this each definition would cost as much as there are already.
#[derive(Default)]
pub(crate) struct Compiled(BTreeMap<Key, (Version, Vec<Arc<Kind>>)>);

impl Compiled {
    /// The kinds of all of these definitions. What has not changed since the last time is taken from there.
    pub(crate) fn kinds<'a>(
        &mut self,
        definitions: impl Iterator<Item = &'a Arc<Document>>,
    ) -> Vec<Arc<Kind>> {
        let mut before = std::mem::take(&mut self.0);
        let mut all = Vec::new();
        for definition in definitions {
            let (key, version) = (definition.key(), definition.meta().version);
            let known = before.remove(key).filter(|(known, _)| *known == version);
            let (_, kinds) = known.unwrap_or_else(|| (version, kinds(&definition.json())));
            all.extend(kinds.iter().cloned());
            self.0.insert(key.clone(), (version, kinds));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::crd::definitions;
    use crate::document::Counting;

    fn definition(plural: &str, version: u64) -> Arc<Document> {
        let names = json!({ "plural": plural, "kind": plural });
        let json = json!({
            "metadata": { "name": plural, "uid": plural },
            "spec": { "group": "x.dev", "names": names, "versions": [{ "name": "v1", "served": true }] },
            "status": { "acceptedNames": names, "conditions": [{ "type": "Established", "status": "True" }] },
        });
        let (json, key) = (json.as_object().expect("an object"), Key::new(definitions(), "", plural));
        let document = Document::new(key, json, Counting::Nothing, &|_, _, _, _| None).expect("metadata");
        Arc::new(document.at(Version(version)))
    }

    #[test]
    fn only_what_has_changed_is_compiled_again() {
        let mut compiled = Compiled::default();
        let kinds = |compiled: &mut Compiled, all: &[(&str, u64)]| {
            let all: Vec<_> = all.iter().map(|(plural, version)| definition(plural, *version)).collect();
            compiled.kinds(all.iter())
        };
        let first = kinds(&mut compiled, &[("ants", 1), ("bees", 2)]);
        let later = kinds(&mut compiled, &[("ants", 1), ("bees", 3), ("cats", 4)]);
        let names: Vec<_> = later.iter().map(|kind| &*kind.plural).collect();
        assert_eq!(names, ["ants", "bees", "cats"]);
        assert!(Arc::ptr_eq(&first[0], &later[0]) && !Arc::ptr_eq(&first[1], &later[1]));
        // Nothing is left of what is gone.
        assert_eq!(kinds(&mut compiled, &[]).len(), 0);
        assert!(!Arc::ptr_eq(&first[0], &kinds(&mut compiled, &[("ants", 1)])[0]));
    }
}
