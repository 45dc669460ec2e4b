//! What an object is given back as.

use bowline_merge::fields::{Element, FieldSet, Item, given_back};
use serde_json::{Map, Value};

use super::marks::{MANAGER, MARKS};

/// What is not a stack's to say: it is left as it is.
const OF_THE_SERVER: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

/// An object as it was before a stack had it, but for what others have set since.
pub(crate) fn returned(now: &Value, before: &Value) -> Value {
    let owned = Owned::of(now, before);
    let mut now = now.clone();
    for mark in MARKS {
        // Whoever owns a mark has copied it: it is ours all the same.
        unmark(&mut now, mark);
    }
    let said = given_back(now.clone(), before, &owned.others, &owned.shape);
    let (Value::Object(mut back), Value::Object(mut said)) = (now, said) else { return before.clone() };
    let meta_said = said.remove("metadata").unwrap_or_default();
    back.retain(|name, _| OF_THE_SERVER.contains(&name.as_str()));
    back.extend(said.into_iter().filter(|(name, _)| !OF_THE_SERVER.contains(&name.as_str())));
    if let Some(meta) = back.get_mut("metadata").and_then(Value::as_object_mut) {
        for of in ["labels", "annotations"] {
            let said = meta_said.get(of).filter(|said| said.as_object().is_some_and(|said| !said.is_empty()));
            put(meta, of, said.cloned());
        }
        for of in ["finalizers", "ownerReferences"] {
            let was = before["metadata"][of].as_array();
            let mut held = meta.get(of).and_then(Value::as_array).cloned().unwrap_or_default();
            // What held it before, and has let go since, must not hold it again.
            held.retain(|item| was.is_some_and(|was| was.contains(item)) || !owned.is_ours_alone(of, item));
            put(meta, of, (!held.is_empty()).then_some(Value::from(held)));
        }
        let entries = meta.get("managedFields").and_then(Value::as_array);
        let others = entries.into_iter().flatten().filter(|entry| !is_ours(entry)).cloned().collect();
        meta.insert("managedFields".into(), Value::Array(others));
    }
    Value::Object(back)
}

fn unmark(object: &mut Value, (of, mark): (&str, &str)) {
    let fields = object.pointer_mut(&format!("/metadata/{of}")).and_then(Value::as_object_mut);
    if let Some(fields) = fields {
        fields.remove(mark);
    }
}

fn put(fields: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(fields.insert(name.into(), value)),
        None => drop(fields.remove(name)),
    }
}

/// Who owns what of an object.
#[derive(Default)]
struct Owned {
    ours: FieldSet,
    others: FieldSet,
    /// All that anybody owns, or owned before.
    shape: FieldSet,
}

impl Owned {
    fn of(now: &Value, before: &Value) -> Owned {
        let mut owned = Owned::default();
        for (entry, set) in sets(now) {
            owned.shape.extend(&set);
            if is_ours(entry) { owned.ours.extend(&set) } else { owned.others.extend(&set) }
        }
        for (_, set) in sets(before) {
            owned.shape.extend(&set);
        }
        owned
    }

    /// Whether nobody but us says that this item is in a list of the metadata.
    fn is_ours_alone(&self, of: &str, item: &Value) -> bool {
        let item = match item.get("uid") {
            Some(uid) => Item::Key(vec![("uid".into(), uid.clone())]),
            None => Item::Value(item.clone()),
        };
        let path = [Element::Field("metadata".into()), Element::Field(of.into()), Element::Item(item)];
        self.ours.has(&path) && !self.others.has(&path)
    }
}

/// What each of those who own fields owns. A server that says what cannot be read says nothing.
fn sets(object: &Value) -> impl Iterator<Item = (&Value, FieldSet)> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries.filter_map(|entry| Some((entry, FieldSet::from_json(&entry["fieldsV1"]).ok()?)))
}

fn is_ours(entry: &Value) -> bool {
    entry["manager"] == MANAGER && entry["subresource"].as_str().is_none_or(str::is_empty)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(manager: &str, fields: Value) -> Value {
        json!({ "manager": manager, "operation": "Update", "fieldsV1": fields })
    }

    fn before() -> Value {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {
                "name": "x", "labels": { "a": "1" }, "finalizers": ["done", "held"],
                "managedFields": [entry("kubectl", json!({ "f:data": { ".": {}, "f:x": {} } }))],
            },
            "data": { "x": "1" },
        })
    }

    fn now() -> Value {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {
                "name": "x", "uid": "u", "resourceVersion": "7", "finalizers": ["held", "new", "ours"],
                "labels": { "a": "1", "bowline.dev/stack-uid": "9" },
                "annotations": { "bowline.dev/stack": "a/b", "bowline.dev/object": "o", "bowline.dev/attempt": "1" },
                "managedFields": [
                    entry("kubectl", json!({ "f:data": { ".": {} } })),
                    entry(MANAGER, json!({ "f:data": { "f:x": {} }, "f:metadata": { "f:labels": { "f:bowline.dev/stack-uid": {} }, "f:finalizers": { r#"v:"ours""#: {} } } })),
                    entry("person", json!({ "f:data": { "f:y": {} }, "f:metadata": { "f:finalizers": { r#"v:"new""#: {} }, "f:labels": { "f:bowline.dev/stack-uid": {} } } })),
                ],
            },
            "data": { "x": "ours", "y": "theirs" },
            "status": { "seen": 1 },
        })
    }

    #[test]
    fn what_others_have_set_since_is_kept_and_nothing_of_ours() {
        let back = returned(&now(), &before());
        assert_eq!(back["data"], json!({ "x": "1", "y": "theirs" }));
        let meta = &back["metadata"];
        assert_eq!(meta["labels"], json!({ "a": "1" }), "a mark that others own goes too");
        assert_eq!(meta["annotations"], Value::Null);
        assert_eq!(meta["finalizers"], json!(["held", "new"]), "what let go of it holds it no more");
        assert_eq!((&meta["uid"], &meta["resourceVersion"]), (&json!("u"), &json!("7")));
        let managers: Vec<_> =
            meta["managedFields"].as_array().expect("entries").iter().map(|it| &it["manager"]).collect();
        assert_eq!(managers, ["kubectl", "person"]);
        assert_eq!(back["status"], json!({ "seen": 1 }));
    }

    #[test]
    fn where_nobody_says_who_owns_what_all_is_as_it_was() {
        let mut now = now();
        now["metadata"]["managedFields"] = Value::Null;
        let back = returned(&now, &before());
        assert_eq!(
            (&back["data"], &back["metadata"]["labels"]),
            (&json!({ "x": "1" }), &json!({ "a": "1" }))
        );
        assert_eq!(
            back["metadata"]["finalizers"],
            json!(["held", "new", "ours"]),
            "nobody knows whose they are"
        );
    }
}
