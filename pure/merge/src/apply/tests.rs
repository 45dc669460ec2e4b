//! Who owns what after which write.

use serde_json::{Value, json};

use super::*;

fn schema() -> Schema {
    Schema::stored(&json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
            "a": {"type": "string"},
            "b": {"type": "integer"},
            "atoms": {"type": "array", "items": {"type": "string"}},
            "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "list": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "required": ["k"], "properties": {
                    "k": {"type": "string"}, "v": {"type": "string"}, "w": {"type": "string"}}}},
            "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        }},
        "status": {"type": "object", "properties": {"s": {"type": "string"}}},
    }}))
}

fn manager(name: &str, operation: Operation) -> Manager<'_> {
    Manager { name, operation, api_version: "a/v1", subresource: "", time: "2024-01-01T00:00:00Z" }
}

fn config(spec: &Value) -> Value {
    json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "x"}, "spec": spec})
}

fn applied(live: Option<&Value>, name: &str, spec: &Value, force: bool) -> Result<Value, ApplyError> {
    let manager = manager(name, Operation::Apply);
    apply(&schema(), live, &config(spec), &manager, force, &FieldSet::of(&["status"]))
}

/// The fields of one manager, as paths.
fn owned(object: &Value, name: &str) -> Vec<String> {
    let entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let of = entries.iter().filter(|entry| entry["manager"] == name);
    of.flat_map(|entry| FieldSet::from_json(&entry["fieldsV1"]).unwrap().paths())
        .map(|path| path.to_string())
        .collect()
}

#[test]
fn an_applier_owns_what_it_applies() {
    let object =
        applied(None, "one", &json!({"a": "x", "set": ["p"], "list": [{"k": "i", "v": "1"}]}), false)
            .unwrap();
    assert_eq!(
        owned(&object, "one"),
        [
            ".spec.a",
            ".spec.list[k=\"i\"]",
            ".spec.list[k=\"i\"].k",
            ".spec.list[k=\"i\"].v",
            ".spec.set[=\"p\"]",
        ]
    );
    assert_eq!(object["spec"]["a"], "x");
}

#[test]
fn what_is_no_longer_applied_goes_unless_somebody_else_owns_it() {
    let spec = json!({"a": "x", "b": 1, "list": [{"k": "i", "v": "1"}, {"k": "j"}]});
    let object = applied(None, "one", &spec, false).unwrap();
    let object =
        applied(Some(&object), "two", &json!({"b": 1, "list": [{"k": "j", "w": "2"}]}), false).unwrap();
    let object = applied(Some(&object), "one", &json!({"a": "x"}), false).unwrap();
    assert_eq!(object["spec"], json!({"a": "x", "b": 1, "list": [{"k": "j", "w": "2"}]}));
    assert_eq!(owned(&object, "one"), [".spec.a"]);
}

#[test]
fn changing_what_another_applied_is_a_conflict() {
    let object = applied(None, "one", &json!({"a": "x", "b": 1}), false).unwrap();
    let error = applied(Some(&object), "two", &json!({"a": "y"}), false).unwrap_err();
    assert_eq!(error.to_string(), "Apply failed with 1 conflict: conflict with \"one\": .spec.a");
    let error = applied(Some(&object), "two", &json!({"a": "y", "b": 2}), false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Apply failed with 2 conflicts: conflicts with \"one\":\n- .spec.a\n- .spec.b"
    );
    let object = applied(Some(&object), "two", &json!({"a": "y", "b": 2}), true).unwrap();
    assert_eq!(owned(&object, "one"), Vec::<String>::new());
    assert_eq!(owned(&object, "two"), [".spec.a", ".spec.b"]);
}

#[test]
fn equal_values_are_owned_together() {
    let object = applied(None, "one", &json!({"a": "x"}), false).unwrap();
    let object = applied(Some(&object), "two", &json!({"a": "x"}), false).unwrap();
    assert_eq!(owned(&object, "one"), owned(&object, "two"));
    let object = applied(Some(&object), "one", &json!({}), false).unwrap();
    assert_eq!(object["spec"], json!({"a": "x"}));
}

#[test]
fn an_update_takes_what_it_changes() {
    let object = applied(None, "one", &json!({"a": "x", "b": 1}), false).unwrap();
    let mut new = object.clone();
    new["spec"]["a"] = json!("y");
    new["metadata"]["labels"] = json!({"l": "1"});
    track(&schema(), Some(&object), &mut new, &manager("up", Operation::Update), &FieldSet::default());
    assert_eq!(owned(&new, "up"), [".metadata.labels", ".metadata.labels.l", ".spec.a"]);
    assert_eq!(owned(&new, "one"), [".spec.b"]);
    let error = applied(Some(&new), "one", &json!({"a": "x", "b": 1}), false).unwrap_err();
    assert_eq!(error.to_string(), "Apply failed with 1 conflict: conflict with \"up\" using a/v1: .spec.a");
}

#[test]
fn a_write_that_changes_nothing_changes_nothing() {
    let object = applied(None, "one", &json!({"a": "x"}), false).unwrap();
    let mut new = object.clone();
    new["metadata"]["resourceVersion"] = json!("5");
    let later = Manager { time: "2025-01-01T00:00:00Z", ..manager("up", Operation::Update) };
    track(&schema(), Some(&object), &mut new, &later, &FieldSet::default());
    assert_eq!(new["metadata"]["managedFields"], object["metadata"]["managedFields"]);
    let again = Manager { time: "2025-01-01T00:00:00Z", ..manager("one", Operation::Apply) };
    let same =
        apply(&schema(), Some(&object), &config(&json!({"a": "x"})), &again, false, &FieldSet::default());
    assert_eq!(same.unwrap(), object);
}

#[test]
fn an_empty_list_resets_and_nothing_is_tracked_until_the_next_apply() {
    let object = applied(None, "one", &json!({"a": "x"}), false).unwrap();
    for reset in [json!([]), json!([{}])] {
        let mut new = object.clone();
        new["metadata"]["managedFields"] = reset;
        new["spec"]["a"] = json!("y");
        track(&schema(), Some(&object), &mut new, &manager("up", Operation::Update), &FieldSet::default());
        assert_eq!(new["metadata"].get("managedFields"), None);
        let applied = applied(Some(&new), "two", &json!({"b": 1}), false).unwrap();
        assert_eq!(owned(&applied, "before-first-apply"), [".spec", ".spec.a"]);
        assert_eq!(owned(&applied, "two"), [".spec.b"]);
    }
}

#[test]
fn clients_that_do_not_know_managed_fields_keep_them() {
    let object = applied(None, "one", &json!({"a": "x"}), false).unwrap();
    let mut new = config(&json!({"a": "x"}));
    track(&schema(), Some(&object), &mut new, &manager("up", Operation::Update), &FieldSet::default());
    assert_eq!(owned(&new, "one"), [".spec.a"]);
}

#[test]
fn what_an_endpoint_resets_is_not_owned() {
    let mut config = config(&json!({"a": "x"}));
    config["status"] = json!({"s": "1"});
    let ignored = FieldSet::of(&["status"]);
    let object = apply(&schema(), None, &config, &manager("one", Operation::Apply), false, &ignored).unwrap();
    assert_eq!(owned(&object, "one"), [".spec.a"]);
    let mut created = config.clone();
    track(&schema(), None, &mut created, &manager("up", Operation::Update), &ignored);
    assert_eq!(owned(&created, "up"), [".spec", ".spec.a"]);
}

#[test]
fn old_updates_are_thrown_together() {
    let mut object = config(&json!({}));
    let names: Vec<_> = (0..13).map(|n| (format!("m{n:02}"), format!("2024-01-01T00:00:{n:02}Z"))).collect();
    for (index, (name, time)) in names.iter().enumerate() {
        let old = object.clone();
        object["metadata"]["labels"][name] = json!(index.to_string());
        let by = Manager { time, ..manager(name, Operation::Update) };
        let old = (index > 0).then_some(&old);
        track(&schema(), old, &mut object, &by, &FieldSet::default());
    }
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    assert_eq!(entries.len(), 10);
    assert_eq!(entries[0]["manager"], "ancient-changes");
    assert_eq!(entries[0]["time"], "2024-01-01T00:00:03Z");
    assert_eq!(owned(&object, "ancient-changes").iter().filter(|path| path.contains(".labels.")).count(), 4);
}

#[test]
fn requests_that_are_refused() {
    let mut with_fields = config(&json!({}));
    with_fields["metadata"]["managedFields"] = json!([]);
    let by = manager("one", Operation::Apply);
    let error = apply(&schema(), None, &with_fields, &by, false, &FieldSet::default()).unwrap_err();
    assert_eq!(error, ApplyError::BadRequest("metadata.managedFields must be nil".into()));
    let error = applied(None, "one", &json!({"odd": 1}), false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to create typed patch object (/x; a/v1, Kind=A): .spec.odd: field not declared in schema"
    );
    let error = applied(None, "one", &json!({"b": "x"}), false).unwrap_err();
    assert!(error.to_string().ends_with(".spec.b: expected numeric (int or float), got string"), "{error}");
    let error = applied(None, "one", &json!({"list": [{"k": "i"}, {"k": "i"}]}), false).unwrap_err();
    assert!(error.to_string().ends_with(".spec.list: duplicate entries for key [k=\"i\"]"), "{error}");
}

#[test]
fn kubectl_takes_over_what_it_applied_from_the_client() {
    let annotation = "kubectl.kubernetes.io/last-applied-configuration";
    let mut created = config(&json!({"a": "x", "b": 1}));
    let text = created.to_string();
    created["metadata"]["annotations"] = json!({annotation: text});
    let by = manager("kubectl-client-side-apply", Operation::Update);
    track(&schema(), None, &mut created, &by, &FieldSet::default());
    let object = applied(Some(&created), "kubectl", &json!({"a": "y", "b": 1}), false).unwrap();
    assert_eq!(object["spec"]["a"], "y");
    assert!(object["metadata"]["annotations"][annotation].as_str().unwrap().contains("\"a\":\"y\""));
    // Somebody changed it since: it is not the client's any more.
    let mut changed = created.clone();
    changed["spec"]["a"] = json!("z");
    track(&schema(), Some(&created), &mut changed, &manager("up", Operation::Update), &FieldSet::default());
    assert!(applied(Some(&changed), "kubectl", &json!({"a": "y"}), false).is_err());
}

#[test]
fn ownership_follows_a_list_that_becomes_atomic() {
    let granular = applied(None, "one", &json!({"set": ["p", "q"]}), false).unwrap();
    let atomic =
        Schema::stored(&json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "set": {"type": "array", "items": {"type": "string"}}, "a": {"type": "string"}}}}}));
    let by = manager("one", Operation::Apply);
    let config = config(&json!({"set": ["p", "q"], "a": "x"}));
    let object = apply(&atomic, Some(&granular), &config, &by, false, &FieldSet::default()).unwrap();
    assert_eq!(owned(&object, "one"), [".spec.a", ".spec.set"]);
}

/// Two versions of a kind; a third is no longer served.
struct TwoVersions(Schema, Schema);

impl Versions for TwoVersions {
    fn at(&self, api_version: &str) -> Option<&Schema> {
        match api_version {
            "a/v1" => Some(&self.0),
            "a/v2" => Some(&self.1),
            _ => None,
        }
    }
}

#[test]
fn fields_are_owned_in_the_version_they_were_written_in() {
    let versions = TwoVersions(schema(), schema());
    let none = FieldSet::default();
    let one = manager("one", Operation::Apply);
    let object = apply(&versions, None, &config(&json!({"a": "x", "b": 1})), &one, false, &none).unwrap();
    // Another version conflicts too, and its applier has one entry whatever it applies in.
    let mut newer = config(&json!({"a": "y"}));
    newer["apiVersion"] = json!("a/v2");
    let two = Manager { api_version: "a/v2", ..manager("two", Operation::Apply) };
    assert!(matches!(
        apply(&versions, Some(&object), &newer, &two, false, &none),
        Err(ApplyError::Conflict(_))
    ));
    let object = apply(&versions, Some(&object), &newer, &two, true, &none).unwrap();
    let one = Manager { api_version: "a/v2", ..one };
    let mut again = config(&json!({"b": 1}));
    again["apiVersion"] = json!("a/v2");
    let object = apply(&versions, Some(&object), &again, &one, false, &none).unwrap();
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    assert_eq!(entries.len(), 2);
    assert!(entries.iter().all(|entry| entry["apiVersion"] == "a/v2"), "{entries:?}");
}

#[test]
fn what_was_owned_in_a_version_that_is_gone_is_forgotten() {
    let versions = TwoVersions(schema(), schema());
    let mut object = applied(None, "one", &json!({"a": "x"}), false).unwrap();
    object["metadata"]["managedFields"][0]["apiVersion"] = json!("a/v0");
    let two = manager("two", Operation::Apply);
    let object =
        apply(&versions, Some(&object), &config(&json!({"a": "y"})), &two, false, &FieldSet::default())
            .unwrap();
    assert_eq!(owned(&object, "one"), Vec::<String>::new());
    assert_eq!(owned(&object, "two"), [".spec.a"]);
}
