//! What objects on a cluster say of whose they are.

use bowline_updates::Whose;
use serde_json::{Map, Value, json};

use super::names::{Place, Read, StackName, Text};

/// The label that says which stack an object is of.
pub(crate) const STACK_UID: &str = "bowline.dev/stack-uid";
/// The annotation that says so for people.
const STACK: &str = "bowline.dev/stack";
/// The annotation that says of which object the marks are: who copies an object copies its marks.
pub(crate) const OBJECT: &str = "bowline.dev/object";
/// The annotation that says in which attempt it was made, or taken over.
pub(crate) const ATTEMPT: &str = "bowline.dev/attempt";
/// The marks, and where they stand.
pub(crate) const MARKS: [(&str, &str); 4] =
    [("labels", STACK_UID), ("annotations", STACK), ("annotations", OBJECT), ("annotations", ATTEMPT)];
/// The label of objects that placements manage.
const PLACEMENT: &str = "bowline.dev/placement";

/// Who writes, as servers of clusters are told.
pub(crate) const MANAGER: &str = "bowline";

/// The stack that acts, and in which attempt.
#[derive(Clone, Debug)]
pub(crate) struct Actor {
    pub(crate) stack: StackName,
    pub(crate) uid: String,
    pub(crate) attempt: u64,
}

impl Actor {
    /// What is wanted at a place, as its server says it, with the marks of the stack.
    pub(crate) fn marked(&self, body: &Value, at: &Place, read: Option<&Read>) -> Value {
        let mut body = body.clone();
        let attempt = read.and_then(|read| read.made.clone()).unwrap_or_else(|| self.attempt.to_string());
        let fields = metadata(&mut body);
        put(fields, "labels", STACK_UID, &self.uid);
        put(fields, "annotations", STACK, &self.stack.to_string());
        put(fields, "annotations", OBJECT, &named(at));
        put(fields, "annotations", ATTEMPT, &attempt);
        body
    }

    /// Whose an object is. What a stack of the same name has left behind, that is not there any more, is nobody's.
    pub(crate) fn whose(&self, live: &Value) -> Whose<Text> {
        let meta = &live["metadata"];
        if let Some(placement) = meta["labels"][PLACEMENT].as_str() {
            return Whose::Anothers(format!("the placement {placement}"));
        }
        match stack_of(live) {
            None => Whose::Nobodys,
            Some((_, uid)) if uid == self.uid => Whose::Ours,
            Some((name, _)) if name == self.stack.to_string() => Whose::Nobodys,
            Some((name, _)) => Whose::Anothers(format!("the stack {name}")),
        }
    }
}

/// The stack that an object says it is of, and which of that name.
pub(crate) fn stack_of(live: &Value) -> Option<(&str, &str)> {
    let meta = &live["metadata"];
    // Controllers copy labels to what they make of an object, and no annotations. People copy both.
    let is_of_it = meta["annotations"][OBJECT] == named(&Place::of(live)?);
    is_of_it.then_some((meta["annotations"][STACK].as_str()?, meta["labels"][STACK_UID].as_str()?))
}

/// What an object is called in its marks: `Deployment.apps/web/front`.
fn named(Place { group, kind, namespace, name }: &Place) -> String {
    let kind = if group.is_empty() { kind.clone() } else { format!("{kind}.{group}") };
    if namespace.is_empty() { format!("{kind}/{name}") } else { format!("{kind}/{namespace}/{name}") }
}

/// What a write to an object is guarded by.
pub(crate) fn read(live: &Value) -> Read {
    let meta = &live["metadata"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Read {
        uid: text(&meta["uid"]),
        version: text(&meta["resourceVersion"]),
        made: meta["annotations"][ATTEMPT].as_str().map(ToOwned::to_owned),
        is_raw: raw_entry(live).is_some(),
    }
}

/// Which entry of those who own fields is of one who made the object, and did not apply it: what is applied later, and lacks a
/// field, would not take it away.
pub(crate) fn raw_entry(live: &Value) -> Option<usize> {
    let entries = live["metadata"]["managedFields"].as_array()?;
    entries.iter().position(|entry| {
        entry["manager"] == MANAGER
            && entry["operation"] == "Update"
            && entry["subresource"].as_str().is_none_or(str::is_empty)
    })
}

/// An object with what says which one, and at which version, it is to be.
pub(crate) fn guarded(mut body: Value, read: &Read) -> Value {
    let fields = metadata(&mut body);
    fields.insert("uid".into(), json!(read.uid));
    fields.insert("resourceVersion".into(), json!(read.version));
    body
}

/// What an object says that its server does not say by itself.
pub(crate) fn said(live: &Value) -> Value {
    let mut body = live.clone();
    let fields = metadata(&mut body);
    for of_server in ["resourceVersion", "uid", "generation", "creationTimestamp", "selfLink"] {
        fields.remove(of_server);
    }
    if let Some(object) = body.as_object_mut() {
        object.remove("status");
    }
    body
}

/// Whether a server would leave an object as it is: who owns what, its version, and what others say of how it does, aside.
pub(crate) fn is_same(live: &Value, tried: &Value) -> bool {
    plain(live) == plain(tried)
}

/// What is compared of an object.
pub(crate) fn plain(object: &Value) -> Value {
    let mut object = object.clone();
    let fields = metadata(&mut object);
    for other in ["managedFields", "resourceVersion", "generation"] {
        fields.remove(other);
    }
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    object
}

fn metadata(body: &mut Value) -> &mut Map<String, Value> {
    if !body.is_object() {
        *body = json!({});
    }
    let meta = &mut body["metadata"];
    if !meta.is_object() {
        *meta = json!({});
    }
    match meta {
        Value::Object(fields) => fields,
        _ => unreachable!("it was just made an object"),
    }
}

fn put(fields: &mut Map<String, Value>, of: &str, key: &str, value: &str) {
    let map = fields.entry(of).or_insert_with(|| json!({}));
    if !map.is_object() {
        *map = json!({});
    }
    map[key] = json!(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actor(name: &str, uid: &str) -> Actor {
        let stack = StackName { namespace: "a".into(), name: name.into() };
        Actor { stack, uid: uid.into(), attempt: 3 }
    }

    fn body() -> Value {
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "x", "namespace": "a", "labels": { "mine": "1" }, "annotations": null } })
    }

    fn place() -> Place {
        Place::of(&body()).expect("a place")
    }

    #[test]
    fn whose_it_is_stands_on_it() {
        let ours = actor("shop", "1").marked(&body(), &place(), None);
        assert_eq!(ours["metadata"]["labels"]["mine"], "1");
        assert_eq!(actor("shop", "1").whose(&ours), Whose::Ours);
        assert_eq!(actor("shop", "2").whose(&ours), Whose::Nobodys, "the one of that name is gone");
        assert_eq!(actor("bank", "2").whose(&ours), Whose::Anothers("the stack a/shop".into()));
        assert_eq!(actor("shop", "1").whose(&body()), Whose::Nobodys);
        let mut copied = ours.clone();
        copied["metadata"]["annotations"] = json!({});
        assert_eq!(actor("shop", "1").whose(&copied), Whose::Nobodys, "somebody has copied its labels");
        for (field, other) in [("/metadata/name", "y"), ("/metadata/namespace", "b"), ("/kind", "Secret")] {
            let mut copy = ours.clone();
            *copy.pointer_mut(field).expect("a field") = json!(other);
            assert_eq!(actor("shop", "1").whose(&copy), Whose::Nobodys, "somebody has copied it: {field}");
        }
        let mut placed = body();
        placed["metadata"]["labels"][PLACEMENT] = json!("home");
        assert_eq!(actor("shop", "1").whose(&placed), Whose::Anothers("the placement home".into()));
    }

    #[test]
    fn an_object_keeps_the_attempt_that_made_it() {
        let first = actor("shop", "1").marked(&body(), &place(), None);
        let later = Actor { attempt: 9, ..actor("shop", "1") };
        assert_eq!(later.marked(&body(), &place(), Some(&read(&first))), first);
        assert_ne!(later.marked(&body(), &place(), None), first);
    }

    #[test]
    fn it_is_the_same_if_only_its_version_differs() {
        let at = |version: &str, data: &str| json!({ "metadata": { "resourceVersion": version, "generation": version, "managedFields": [version] }, "data": data });
        assert!(is_same(&at("1", "x"), &at("2", "x")) && !is_same(&at("1", "x"), &at("1", "y")));
        let ready = |replicas: u8| json!({ "spec": 1, "status": { "readyReplicas": replicas } });
        assert!(is_same(&ready(1), &ready(2)), "what its controller says of it is no wish");
    }

    #[test]
    fn who_made_it_without_applying_is_found() {
        let entry = |manager: &str, operation: &str| json!({ "manager": manager, "operation": operation });
        let of = |entries: Vec<Value>| json!({ "metadata": { "managedFields": entries } });
        let others = entry("kubectl", "Update");
        assert_eq!(raw_entry(&of(vec![others.clone(), entry(MANAGER, "Apply")])), None);
        assert_eq!(raw_entry(&of(vec![others, entry(MANAGER, "Update")])), Some(1));
        assert_eq!(raw_entry(&json!({})), None);
    }
}
