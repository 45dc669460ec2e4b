//! Objects, judged by what the real server says of them.

use serde_json::{Map, Value, json};

use super::*;

/// What a real kube-apiserver 1.34.4 says of objects: of new ones, and of those that replace others.
const CAPTURED: &str = include_str!("../../../testdata/crd/objects.json");

struct Found {
    errors: Vec<String>,
    warnings: Vec<String>,
    object: Value,
}

/// What the server does with an object, metadata aside.
fn write(custom: &Custom, case: &Value) -> Found {
    let part = if case["sub"] == "status" { Part::Status } else { Part::Main };
    let mut old = case.get("old").cloned();
    let mut object = case["object"].clone();
    custom.prune(&mut object);
    custom.default(&mut object);
    if let Some(old) = &mut old {
        custom.read(old);
    }
    custom.prepare(&mut object, old.as_ref(), part);
    let verdict = custom.validate(&object, old.as_ref(), part);
    let mut warnings = verdict.warnings;
    warnings.extend(finalizer_warnings(&object, old.as_ref()));
    let errors =
        verdict.errors.iter().map(|error| format!("{} {} {}", error.reason(), error.path, error.message()));
    Found { errors: errors.collect(), warnings, object }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn expected_errors(case: &Value) -> Vec<String> {
    let causes = case["causes"].as_array().cloned().unwrap_or_default();
    let told = causes.iter().map(|cause| {
        let reason = text(cause, "reason");
        format!("{reason} {} {}", text(cause, "field"), text(cause, "message"))
    });
    // Names and labels are validated by those who store the object.
    let told =
        told.filter(|error| error.split(' ').nth(1).is_none_or(|field| !field.starts_with("metadata")));
    told.collect()
}

#[test]
fn objects_are_judged_as_by_kubernetes() {
    let captured: Value = serde_json::from_str(CAPTURED).expect("captured");
    let mut wrong = Vec::new();
    let mut judged = 0;
    for case in captured["cases"].as_array().expect("cases") {
        // Others read the text of a request: syntax, fields there twice, unknown fields, its version.
        // A fraction that whole numbers must be multiples of is cut to zero there, and told as an error of the schema.
        if case["note"] == "whole number"
            || case["code"] == 400
            || case["note"] == "odd fieldValidation"
            || case["object"].is_string()
        {
            continue;
        }
        judged += 1;
        let crd = captured["kinds"][text(case, "kind")].as_object().expect("a definition");
        let version = crd["spec"]["versions"][0].as_object().expect("a version");
        let custom = Custom::compile(crd, version);
        let mut found = write(&custom, case);
        let mut expected = expected_errors(case);
        found.errors.sort();
        expected.sort();
        let mut same = found.errors == expected;
        if same && expected.is_empty() && case["code"] != 422 {
            let stored = |value: &Value| -> Map<String, Value> {
                let fields = value.as_object().cloned().unwrap_or_default();
                fields.into_iter().filter(|(name, _)| name != "metadata").collect()
            };
            same = stored(&found.object) == stored(&case["answer"]);
        }
        let mut warned: Vec<String> =
            found.warnings.iter().map(|text| crate::warnings::header(text)).collect();
        let mut warnings: Vec<String> = case["warnings"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .filter(|warning| !warning.contains("unknown field"))
            .map(ToOwned::to_owned)
            .collect();
        warned.sort();
        warnings.sort();
        if !same || warned != warnings {
            wrong.push(format!(
                "{} {} {}\n found {:#?} {warned:#?} {}\n expected {expected:#?} {warnings:#?} {}",
                text(case, "verb"),
                text(case, "kind"),
                text(case, "note"),
                found.errors,
                found.object,
                case["answer"]
            ));
        }
    }
    assert!(judged > 120, "{judged}");
    assert!(wrong.is_empty(), "{} of {judged} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Two versions of a kind, of which the first is stored; each has a default that the other does not know.
fn two_versions() -> (Custom, Custom) {
    let schema = |fields: Value| {
        json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "default": {},
            "properties": fields}}}})
    };
    let text = json!({"type": "string"});
    let default = |value: &str| json!({"type": "string", "default": value});
    let first = schema(json!({"a": text, "d1": default("one"), "both": default("v1")}));
    let second = schema(json!({"a": text, "d2": default("two"), "both": default("v2"), "only2": text}));
    let crd = json!({"spec": {"group": "x.dev", "scope": "Namespaced", "names": {"kind": "Thing"}, "versions": [
        {"name": "v1", "served": true, "storage": true, "schema": first},
        {"name": "v2", "served": true, "storage": false, "schema": second}]}});
    let crd = crd.as_object().expect("a definition");
    let version =
        |index: usize| Custom::compile(crd, crd["spec"]["versions"][index].as_object().expect("a version"));
    (version(0), version(1))
}

/// As a real kube-apiserver 1.34.4 answers it.
#[test]
fn versions_read_and_write_what_the_stored_one_keeps() {
    let (first, second) = two_versions();
    let write = |custom: &Custom, version: &str, spec: Value| {
        let mut object = json!({"apiVersion": format!("x.dev/{version}"), "kind": "Thing", "spec": spec});
        custom.prune(&mut object);
        custom.default(&mut object);
        custom.store(&mut object);
        object
    };
    let read = |custom: &Custom, object: &Value| {
        let mut object = object.clone();
        custom.read(&mut object);
        (object["apiVersion"].clone(), object["spec"].clone())
    };
    let object = write(&first, "v1", json!({"a": "x"}));
    assert_eq!(read(&first, &object), (json!("x.dev/v1"), json!({"a": "x", "both": "v1", "d1": "one"})));
    assert_eq!(read(&second, &object), (json!("x.dev/v2"), json!({"a": "x", "both": "v1"})));
    let object = write(&second, "v2", json!({"a": "x", "only2": "y"}));
    assert_eq!(read(&second, &object), (json!("x.dev/v2"), json!({"a": "x", "both": "v2"})));
    assert_eq!(read(&first, &object), (json!("x.dev/v1"), json!({"a": "x", "both": "v2", "d1": "one"})));
}

fn scaled() -> Custom {
    let scale = json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector"});
    let version = json!({"name": "v1", "subresources": {"scale": scale},
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}});
    Custom::compile(&Map::new(), version.as_object().expect("a version"))
}

/// As a real kube-apiserver 1.34.4 answers it.
#[test]
fn objects_have_a_scale() {
    let custom = scaled();
    let object = json!({"metadata": {"name": "a", "namespace": "n", "uid": "u", "resourceVersion": "5", "labels": {}},
        "spec": {"replicas": 3}, "status": {"replicas": 2, "selector": "x=y"}});
    let scale = json!({"kind": "Scale", "apiVersion": "autoscaling/v1",
        "metadata": {"name": "a", "namespace": "n", "uid": "u", "resourceVersion": "5"},
        "spec": {"replicas": 3}, "status": {"replicas": 2, "selector": "x=y"}});
    assert_eq!(custom.scale(&object).ok(), Some(scale));
    let zero = json!({"metadata": {}, "spec": {"replicas": 0}});
    let scale = custom.scale(&zero).ok().unwrap_or_default();
    assert_eq!((&scale["spec"], &scale["status"]), (&json!({}), &json!({"replicas": 0})));
    let unset = json!({"metadata": {}, "spec": {}});
    let refused = custom.scale(&unset).expect_err("it has no scale");
    let message = "Internal error occurred: the spec replicas field \".spec.replicas\" does not exist";
    assert_eq!((refused.code, refused.message.as_str()), (500, message));
}

#[test]
fn a_scale_changes_its_object() {
    let custom = scaled();
    let change = |mut object: Value, scale: Value| {
        custom
            .with_scale(&mut object, &scale)
            .map(|()| object)
            .map_err(|status| (status.code, status.message))
    };
    let object = json!({"metadata": {"name": "a"}, "other": 1});
    assert_eq!(
        change(object.clone(), json!({"spec": {"replicas": 7}, "metadata": {"resourceVersion": "5"}})),
        Ok(json!({"metadata": {"name": "a", "resourceVersion": "5"}, "other": 1, "spec": {"replicas": 7}}))
    );
    assert_eq!(
        change(json!({"spec": {"replicas": 7}}), json!({"spec": {}})),
        Ok(json!({"spec": {"replicas": 0}}))
    );
    let to_patch = custom.scale_to_patch(&object).ok().unwrap_or_default();
    let message = "the spec replicas field \".spec.replicas\" cannot be empty".to_owned();
    assert_eq!(change(object, to_patch), Err((400, message)));
}
