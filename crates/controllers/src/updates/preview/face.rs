//! What people see of an object: nothing that servers set, nothing that only Bowline needs, and nothing secret.

use serde_json::{Map, Value};

use super::super::marks;

/// What stands for a value that nobody sees; kubectl has the same.
const MASK: &str = "***";
/// The fields of a Secret that hold what is secret.
const SECRET: [&str; 2] = ["data", "stringData"];
/// Who applied an object before keeps a copy of all of it here, secrets included.
const COPY: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// An object before and after, as people see it.
pub(super) fn pair(before: Option<&Value>, after: Option<&Value>) -> (Option<Value>, Option<Value>) {
    let (mut before, mut after) = (before.map(plain), after.map(plain));
    for field in SECRET {
        mask(before.as_mut(), after.as_mut(), field);
    }
    (before, after)
}

/// An object without what servers set. Of our marks the one is left that says whose it is: where an object is taken over, or
/// given back, that changes hands. The others are for us alone, and of a stack that is not there yet not even known.
fn plain(object: &Value) -> Value {
    let mut object = marks::said(object);
    let Some(metadata) = object["metadata"].as_object_mut() else { return object };
    metadata.remove("managedFields");
    without(metadata, "labels", &[marks::STACK_UID]);
    without(metadata, "annotations", &[marks::ATTEMPT, marks::OBJECT, COPY]);
    object
}

/// Takes entries off, and the whole if nothing is left of it.
fn without(metadata: &mut Map<String, Value>, of: &str, keys: &[&str]) {
    let Some(entries) = metadata.get_mut(of).and_then(Value::as_object_mut) else { return };
    entries.retain(|key, _| !keys.contains(&key.as_str()));
    if entries.is_empty() {
        metadata.remove(of);
    }
}

/// Masks what is secret, so that it is seen which values change, and none of them.
fn mask(before: Option<&mut Value>, after: Option<&mut Value>, field: &str) {
    let mut none = Value::Null;
    let mut nothing = Value::Null;
    let (before, after) = (before.unwrap_or(&mut none), after.unwrap_or(&mut nothing));
    let old = secrets(before, field).cloned().unwrap_or_default();
    let new = secrets(after, field).cloned().unwrap_or_default();
    let masked = |mine: &Value, other: Option<&Value>, which: &str| match other {
        Some(other) if other != mine => Value::from(format!("{MASK} ({which})")),
        _ => Value::from(MASK),
    };
    if let Some(values) = secrets(before, field) {
        values.iter_mut().for_each(|(key, value)| *value = masked(&old[key], new.get(key), "before"));
    }
    if let Some(values) = secrets(after, field) {
        values.iter_mut().for_each(|(key, value)| *value = masked(&new[key], old.get(key), "after"));
    }
}

fn secrets<'a>(object: &'a mut Value, field: &str) -> Option<&'a mut Map<String, Value>> {
    let is_secret = object["kind"] == "Secret" && object["apiVersion"] == "v1";
    object.get_mut(field).filter(|_| is_secret)?.as_object_mut()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_of_secrets_are_not_seen_and_their_changes_are() {
        let secret = |data: Value| json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" }, "data": data });
        let (old, new) = (
            secret(json!({ "same": "c2FtZQ==", "changed": "b2xk", "gone": "Z29uZQ==" })),
            secret(json!({ "same": "c2FtZQ==", "changed": "bmV3", "come": "Y29tZQ==" })),
        );
        let (before, after) = pair(Some(&old), Some(&new));
        let (before, after) = (before.expect("an object"), after.expect("an object"));
        assert_eq!(before["data"], json!({ "same": "***", "changed": "*** (before)", "gone": "***" }));
        assert_eq!(after["data"], json!({ "same": "***", "changed": "*** (after)", "come": "***" }));
        let text =
            json!({ "apiVersion": "v1", "kind": "Secret", "metadata": {}, "stringData": { "a": "b" } });
        let (_, after) = pair(None, Some(&text));
        assert_eq!(after.expect("an object")["stringData"], json!({ "a": "***" }));
        let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": {}, "data": { "a": "b" } });
        assert_eq!(pair(Some(&map), None).0.expect("an object")["data"], json!({ "a": "b" }));
    }

    #[test]
    fn what_servers_set_and_what_only_we_need_is_left_out() {
        let live = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "status": {},
            "metadata": {
                "name": "a", "uid": "u", "resourceVersion": "1", "generation": 1, "managedFields": [],
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "labels": { "bowline.dev/stack-uid": "x" },
                "annotations": { "bowline.dev/stack": "a/shop", "bowline.dev/attempt": "3", "bowline.dev/object": "ConfigMap/a", COPY: "{}" },
            },
        });
        let (seen, _) = pair(Some(&live), None);
        let left = json!({ "name": "a", "annotations": { "bowline.dev/stack": "a/shop" } });
        assert_eq!(seen, Some(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": left })));
    }
}
