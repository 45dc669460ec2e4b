//! Writes that are for one part of an object: whatever else they say, it stays as it is.

use serde_json::Value;

use crate::builtin::fields::{copy, enter, fill, list, object, objects, objects_mut, text};
use crate::document::Json;
use crate::time::Moment;

/// What makes somebody's decision about a certificate.
const DECISIONS: [&str; 2] = ["Approved", "Denied"];

/// Of a pod only its ephemeral containers change.
pub(super) fn only_ephemeral(new: &mut Json, old: &Json) {
    const NAME: &str = "ephemeralContainers";
    let said = object(new, "spec").clone();
    keep(new, old);
    copy(enter(new, "spec"), &said, NAME);
}

/// Of a pod only what its containers need and may have changes.
pub(super) fn only_resources(new: &mut Json, old: &Json) {
    const LISTS: [&str; 2] = ["containers", "initContainers"];
    let said = object(new, "spec").clone();
    let before = object(old, "spec");
    // Which containers there are does not change: validation says that better than silence would.
    if LISTS.iter().any(|name| list(&said, name).len() != list(before, name).len()) {
        return;
    }
    keep(new, old);
    let spec = enter(new, "spec");
    for name in LISTS {
        let pairs = || objects(&said, name).zip(objects(before, name));
        if pairs().any(|(new, old)| text(new, "name") != text(old, "name")) {
            copy(spec, &said, name);
            continue;
        }
        for (container, said) in objects_mut(spec, name).zip(objects(&said, name)) {
            copy(container, said, "resources");
            copy(container, said, "resizePolicy");
        }
    }
}

/// Of a request for a certificate only the conditions change.
pub(super) fn only_conditions(new: &mut Json, old: &Json, now: Moment) {
    note_times(new, old, now);
    let said = object(new, "status").clone();
    copy(new, old, "spec");
    copy(new, old, "status");
    copy(enter(new, "status"), &said, "conditions");
}

/// What was decided about a certificate is not changed by who only notes what became of it.
pub(super) fn keep_decisions(new: &mut Json, old: &Json, now: Moment) {
    for kind in DECISIONS {
        let is = |condition: &&Json| text(condition, "type") == kind;
        let before: Vec<&Json> = objects(object(old, "status"), "conditions").filter(is).collect();
        let status = enter(new, "status");
        // One more or less is refused, not undone.
        if objects(status, "conditions").filter(is).count() != before.len() {
            continue;
        }
        let after = objects_mut(status, "conditions").filter(|condition| text(condition, "type") == kind);
        for (condition, before) in after.zip(before) {
            *condition = before.clone();
        }
    }
    note_times(new, old, now);
}

/// Conditions say since when they hold, and when that was last said.
fn note_times(new: &mut Json, old: &Json, now: Moment) {
    const SINCE: &str = "lastTransitionTime";
    let before = object(old, "status");
    for condition in objects_mut(enter(new, "status"), "conditions") {
        let same = objects(before, "conditions").find(|old| {
            ["type", "status"].iter().all(|name| text(old, name) == text(condition, name))
                && old.get(SINCE).is_some_and(Value::is_string)
        });
        let since = same.and_then(|same| same.get(SINCE).cloned()).unwrap_or_else(|| now.to_string().into());
        fill(condition, "lastUpdateTime", now.to_string());
        fill(condition, SINCE, since);
    }
}

/// All of a pod stays as it is, but for who owns what of it.
fn keep(new: &mut Json, old: &Json) {
    copy(new, old, "spec");
    copy(new, old, "status");
    let (metadata, before) = (enter(new, "metadata"), object(old, "metadata"));
    for name in ["labels", "annotations", "finalizers", "ownerReferences", "deletionTimestamp"] {
        copy(metadata, before, name);
    }
}
