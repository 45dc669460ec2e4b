//! The real server's answers, which ours must equal.

use serde::Deserialize;
use serde_json::{Value, json};

use super::*;
use crate::document::Counting;
use crate::key::Resource;
use crate::kinds::Subresource;
use crate::metadata;

#[derive(Deserialize)]
struct Case {
    path: String,
    kind: String,
    input: Json,
    answer: Json,
    #[serde(default)]
    uid: String,
}

fn cases(text: &str) -> Vec<Case> {
    serde_json::from_str(text).expect("the test data is well formed")
}

/// The kind at a path, as far as the functions here look at it.
fn kind_at(path: &str, kind: &str) -> (Kind, String) {
    let parsed = crate::path::parse(path).expect("a path");
    let crate::path::Path::Resource(path) = parsed else { panic!("a path of a resource") };
    let without = ["ConfigMap", "Secret", "ServiceAccount", "Lease", "Event", "Endpoints", "LimitRange", "PodTemplate"];
    let status = (!without.contains(&kind)).then(|| Subresource {
        name: "status".into(),
        group: "".into(),
        version: "".into(),
        kind: kind.into(),
        verbs: Vec::new(),
    });
    let kind = Kind {
        resource: Resource::new(&path.group, &path.plural),
        group: path.group.into(),
        version: path.version.into(),
        kind: kind.into(),
        list_kind: format!("{kind}List").into(),
        plural: path.plural.into(),
        singular: kind.to_lowercase().into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: !path.namespace.is_empty(),
        verbs: Vec::new(),
        subresources: status.into_iter().collect(),
        counting: Counting::Spec,
        custom: None,
    };
    (kind, path.namespace)
}

struct Fresh;

impl Neighbours for Fresh {
    fn get(&self, resource: &str, _: &str, name: &str) -> Option<Json> {
        let found = match (resource, name) {
            ("/serviceaccounts", "default") => json!({"metadata": {"name": "default"}}),
            ("scheduling.k8s.io/priorityclasses", "system-node-critical") => {
                json!({"metadata": {"name": name}, "value": 2_000_001_000, "preemptionPolicy": "PreemptLowerPriority"})
            }
            _ => return None,
        };
        found.as_object().cloned()
    }

    fn list(&self, _: &str) -> Vec<Json> {
        Vec::new()
    }
}

/// A new object as the server would keep it, or what it says against it.
fn create(case: &Case) -> Result<Json, Json> {
    let (kind, namespace) = kind_at(&case.path, &case.kind);
    let mut json = case.input.clone();
    let said = |status: Status| match serde_json::to_value(status) {
        Ok(Value::Object(status)) => status,
        other => panic!("a status is an object: {other:?}"),
    };
    read(&kind, &mut json).map_err(|error| {
        let message = format!("{0} in version \"{1}\" cannot be handled as a {0}: {error}", kind.kind, kind.version);
        said(Status::bad_request(message))
    })?;
    default(&kind, &mut json);
    metadata::prepare_create(&kind, &mut json, &namespace, Moment::now()).map_err(said)?;
    if !case.uid.is_empty() {
        json["metadata"]["uid"] = case.uid.clone().into();
    }
    prepare_create(&kind, &mut json, &Fresh, Moment::now()).map_err(said)?;
    if case.kind == "Service" {
        let addresses = Addresses::new("127.200.0.0/24").expect("a range");
        match addresses.assign(&mut json, None) {
            Ok(held) => held.keep(),
            Err(errors) => return Err(said(Status::invalid(&kind, &name_of(&json), &errors))),
        }
    }
    let errors = validate_create(&kind, &json);
    if !errors.is_empty() {
        return Err(said(Status::invalid(&kind, &name_of(&json), &errors)));
    }
    json.insert("apiVersion".into(), kind.api_version().into());
    json.insert("kind".into(), case.kind.clone().into());
    write(&kind, &mut json);
    Ok(json)
}

fn name_of(json: &Json) -> String {
    json["metadata"]["name"].as_str().unwrap_or_default().to_owned()
}

/// Without what is another each time.
fn normal(json: &Json) -> Value {
    let mut json = json.clone();
    if let Some(metadata) = json.get_mut("metadata").and_then(Value::as_object_mut) {
        for name in ["uid", "creationTimestamp", "generation"] {
            metadata.remove(name);
        }
        if metadata.contains_key("generateName") {
            metadata.remove("name");
            if let Some(labels) = metadata.get_mut("labels").and_then(Value::as_object_mut) {
                labels.remove("kubernetes.io/metadata.name");
            }
        }
    }
    if let Some(spec) = json.get_mut("spec").and_then(Value::as_object_mut) {
        if spec.get("clusterIP").is_some_and(|address| address != "None") {
            spec.remove("clusterIP");
            spec.remove("clusterIPs");
        }
    }
    if let Some(status) = json.get_mut("status").and_then(Value::as_object_mut) {
        status.remove("lastPhaseTransitionTime");
        for condition in status.get_mut("conditions").and_then(Value::as_array_mut).into_iter().flatten() {
            if condition["lastTransitionTime"].is_string() {
                condition["lastTransitionTime"] = "NOW".into();
            }
        }
    }
    let text = Value::Object(json).to_string();
    let mut parts = text.split("kube-api-access-");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("kube-api-access-");
        out.push_str(part.get(5..).unwrap_or_default());
    }
    serde_json::from_str(&out).expect("still JSON")
}

/// Where two values differ.
fn differences(path: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let mut names: Vec<_> = ours.keys().chain(theirs.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                match (ours.get(name), theirs.get(name)) {
                    (Some(a), Some(b)) => differences(&format!("{path}.{name}"), a, b, found),
                    (a, b) => found.push(format!("{path}.{name}: {a:?}, expected {b:?}")),
                }
            }
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            for (index, (a, b)) in ours.iter().zip(theirs).enumerate() {
                differences(&format!("{path}[{index}]"), a, b, found);
            }
        }
        _ if ours != theirs => found.push(format!("{path}:\n      {ours}\n  not {theirs}")),
        _ => {}
    }
}

fn compare(case: &Case, ours: &Value, failures: &mut Vec<String>) {
    let mut found = Vec::new();
    differences("", ours, &normal(&case.answer), &mut found);
    if !found.is_empty() {
        let input = Value::Object(case.input.clone());
        failures.push(format!("{} {input}\n    {}", case.path, found.join("\n    ")));
    }
}

#[test]
fn what_is_filled_in_is_what_the_real_server_fills_in() {
    let mut failures = Vec::new();
    let cases = cases(include_str!("testdata/defaults.json"));
    for case in &cases {
        let ours = create(case).unwrap_or_else(|status| status);
        compare(case, &normal(&ours), &mut failures);
    }
    assert!(cases.len() >= 40);
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

#[test]
fn what_is_refused_is_refused_in_the_words_of_the_real_server() {
    let mut failures = Vec::new();
    let cases = cases(include_str!("testdata/invalid.json"));
    for case in &cases {
        let ours = create(case).unwrap_or_else(|status| status);
        compare(case, &normal(&ours), &mut failures);
    }
    assert!(cases.len() >= 80);
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}
