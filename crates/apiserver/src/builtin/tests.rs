//! The real server's answers, which ours must equal.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::*;
use crate::builtin::testing::differences;
use crate::document::Counting;
use crate::key::Resource;
use crate::kinds::Subresource;
use crate::metadata;

#[derive(Clone, Deserialize)]
struct Case {
    path: String,
    kind: String,
    input: Json,
    answer: Json,
    #[serde(default)]
    uid: String,
    /// What there was, if something changes.
    #[serde(default)]
    old: Json,
    #[serde(default)]
    subresource: String,
}

fn cases(text: &str) -> Vec<Case> {
    serde_json::from_str(text).expect("the test data is well formed")
}

/// The kind at a path, as far as the functions here look at it.
fn kind_at(path: &str, kind: &str) -> (Kind, String) {
    let parsed = crate::path::parse(path);
    let crate::path::Path::Resource(path) = parsed else { panic!("a path of a resource") };
    let without =
        ["ConfigMap", "Secret", "ServiceAccount", "Lease", "Event", "Endpoints", "LimitRange", "PodTemplate"];
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
        let message =
            format!("{0} in version \"{1}\" cannot be handled as a {0}: {error}", kind.kind, kind.version);
        said(Status::bad_request(message))
    })?;
    default(&kind, &mut json);
    metadata::prepare_create(&kind, &mut json, &namespace, Moment::now()).map_err(said)?;
    if !case.uid.is_empty() {
        json["metadata"]["uid"] = case.uid.clone().into();
    }
    prepare_create(&kind, &mut json, &Fresh, Moment::now()).map_err(said)?;
    if case.kind == "Service" {
        let addresses = Arc::new(Addresses::new("127.200.0.0/24").expect("a range"));
        let assigned = Reservation::new(&addresses).assign(&mut json, None);
        assigned.map_err(|errors| said(Status::invalid(&kind, &name_of(&json), &errors)))?;
    }
    let errors = validate_create(&kind, &json);
    if !errors.is_empty() {
        return Err(said(Status::invalid(&kind, &name_of(&json), &errors)));
    }
    json.insert("apiVersion".into(), kind.api_version().into());
    json.insert("kind".into(), case.kind.clone().into());
    write(&kind, &mut json);
    to_kept(&kind, &mut json);
    from_kept(&kind, &mut json);
    Ok(json)
}

/// A changed object as the server would keep it, or what it says against it.
fn update(case: &Case) -> Result<Json, Json> {
    let (kind, namespace) = kind_at(&case.path, &case.kind);
    let said = |status: Status| match serde_json::to_value(status) {
        Ok(Value::Object(status)) => status,
        other => panic!("a status is an object: {other:?}"),
    };
    let (mut new, mut old) = (case.input.clone(), case.old.clone());
    for json in [&mut new, &mut old] {
        read(&kind, json).expect("the types are right");
        default(&kind, json);
    }
    metadata::prepare_update(&kind, &mut new, &old, &namespace).map_err(said)?;
    prepare_update(&kind, &mut new, &old, &case.subresource, Moment::now());
    if case.kind == "Service" {
        let addresses = Arc::new(Addresses::new("127.200.0.0/24").expect("a range"));
        addresses.keep(None, &old);
        let assigned = Reservation::new(&addresses).assign(&mut new, Some(&old));
        assigned.map_err(|errors| said(Status::invalid(&kind, &name_of(&new), &errors)))?;
    }
    let errors = validate_update(&kind, &new, &old, &case.subresource);
    if !errors.is_empty() {
        return Err(said(Status::invalid(&kind, &name_of(&new), &errors)));
    }
    write(&kind, &mut new);
    to_kept(&kind, &mut new);
    from_kept(&kind, &mut new);
    Ok(new)
}

/// What the real server shows of structs that only it has.
fn without_internals(json: &Json) -> Json {
    let mut json = json.clone();
    let cut = |text: &mut Value| {
        if let Value::String(text) = text {
            for mark in ["\n@@", "Invalid value: {\"labels\"", "Invalid value: {\"metadata\""] {
                if let Some(at) = text.find(mark) {
                    text.truncate(at);
                }
            }
        }
    };
    if let Some(message) = json.get_mut("message") {
        cut(message);
    }
    let causes = json.get_mut("details").and_then(|details| details.get_mut("causes"));
    for cause in causes.and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(message) = cause.get_mut("message") {
            cut(message);
        }
    }
    json
}

fn name_of(json: &Json) -> String {
    json["metadata"]["name"].as_str().unwrap_or_default().to_owned()
}

/// Without what is another each time.
fn normal(json: &Json) -> Value {
    let mut json = json.clone();
    if let Some(metadata) = json.get_mut("metadata").and_then(Value::as_object_mut) {
        for name in ["uid", "creationTimestamp", "generation", "resourceVersion", "managedFields"] {
            metadata.remove(name);
        }
        if metadata.contains_key("generateName") {
            metadata.remove("name");
            if let Some(labels) = metadata.get_mut("labels").and_then(Value::as_object_mut) {
                labels.remove("kubernetes.io/metadata.name");
            }
        }
    }
    if let Some(spec) = json.get_mut("spec").and_then(Value::as_object_mut)
        && spec.get("clusterIP").is_some_and(|address| address != "None")
    {
        spec.remove("clusterIP");
        spec.remove("clusterIPs");
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

/// A refusal without the names and ids that are others each time.
fn normal_refusal(case: &Case, json: &Json) -> Value {
    let mut text = Value::Object(json.clone()).to_string();
    if case.input["metadata"].get("generateName").is_some()
        && let Some(name) = json["details"]["name"].as_str()
    {
        text = text.replace(name, "NAME");
    }
    let is_id = |part: &str| {
        let groups: Vec<_> = part.split('-').map(str::len).collect();
        groups == [8, 4, 4, 4, 12] && part.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
    };
    let mut start = 0;
    while let Some(part) = text.get(start..start + 36) {
        if is_id(part) {
            text.replace_range(start..start + 36, "UID");
        }
        start += 1;
        while !text.is_char_boundary(start) {
            start += 1;
        }
    }
    serde_json::from_str(&text).expect("still JSON")
}

fn compare(case: &Case, ours: &Json, failures: &mut Vec<String>) {
    let mut found = Vec::new();
    let refused = case.answer.get("status").is_some_and(Value::is_string);
    let normal = |json: &Json| if refused { normal_refusal(case, json) } else { normal(json) };
    differences("", &normal(ours), &normal(&case.answer), &mut found);
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
        compare(case, &ours, &mut failures);
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
        compare(case, &ours, &mut failures);
    }
    assert!(cases.len() >= 80);
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

#[test]
fn what_changes_is_judged_as_by_the_real_server() {
    let mut failures = Vec::new();
    let cases = cases(include_str!("testdata/updates.json"));
    for case in &cases {
        let ours = update(case).unwrap_or_else(|status| status);
        let case = Case { answer: without_internals(&case.answer), ..case.clone() };
        compare(&case, &without_internals(&ours), &mut failures);
    }
    assert!(cases.len() >= 40);
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

#[test]
fn scales_are_read_and_written_as_by_the_real_server() {
    let (kind, _) = kind_at("/apis/apps/v1/namespaces/a/deployments", "Deployment");
    let deployment = json!({
        "metadata": {"name": "sc1", "namespace": "a", "labels": {"x": "y"}},
        "spec": {"replicas": 2, "selector": {
            "matchLabels": {"a": "b"},
            "matchExpressions": [{"key": "a", "operator": "In", "values": ["c", "b"]}],
        }},
        "status": {"replicas": 1},
    });
    let mut deployment = deployment.as_object().cloned().expect("an object");
    let expected = json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {"name": "sc1", "namespace": "a"},
        "spec": {"replicas": 2},
        "status": {"replicas": 1, "selector": "a=b,a in (b,c)"},
    });
    assert_eq!(scale(&kind, &deployment), expected);
    let mut refuse = |sent: Value, expected: &str| {
        let status = with_scale(&kind, &mut deployment, &sent).expect_err("it is wrong");
        assert_eq!(status.message, expected);
    };
    refuse(
        json!({"spec": {"replicas": -1}}),
        "Scale.autoscaling \"sc1\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0",
    );
    refuse(
        json!({"metadata": {"name": "other"}}),
        "the name of the object (other) does not match the name on the URL (sc1)",
    );
    with_scale(&kind, &mut deployment, &json!({"spec": {"replicas": 5}})).expect("it is right");
    assert_eq!(deployment["spec"]["replicas"], 5);
}

#[test]
fn pods_are_bound_once() {
    let pod = json!({"metadata": {"name": "b1"}, "spec": {}, "status": {"phase": "Pending"}});
    let mut pod = pod.as_object().cloned().expect("an object");
    let mut check = |binding: Value, expected: &str| {
        let binding = binding.as_object().cloned().expect("an object");
        let said = bind(&mut pod, &binding, Moment::at_unix_s(0)).err();
        assert_eq!(said.map(|status| status.message).unwrap_or_default(), expected);
    };
    check(
        json!({"metadata": {"name": "b1"}, "target": {"kind": "Foo", "name": "n1"}}),
        "target.kind: Unsupported value: \"Foo\": supported values: \"Node\", \"<empty>\"",
    );
    check(json!({"metadata": {"name": "b1"}, "target": {}}), "target.name: Required value");
    for other in [json!({"name": "b2"}), json!({})] {
        check(
            json!({"metadata": other, "target": {"name": "n1"}}),
            "name in URL does not match name in Binding object",
        );
    }
    check(
        json!({"metadata": {"name": "b1", "annotations": {"x": "y"}}, "target": {"kind": "Node", "name": "n1"}}),
        "",
    );
    check(
        json!({"metadata": {"name": "b1"}, "target": {"kind": "Node", "name": "n2"}}),
        "Operation cannot be fulfilled on pods/binding \"b1\": pod b1 is already assigned to node \"n1\"",
    );
    assert_eq!(pod["spec"]["nodeName"], "n1");
    assert_eq!(pod["metadata"]["annotations"]["x"], "y");
    let scheduled = json!({
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": null,
        "lastTransitionTime": "1970-01-01T00:00:00Z",
    });
    assert_eq!(pod["status"]["conditions"], json!([scheduled]));
}
